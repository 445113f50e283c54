//! Asks a person on the terminal, one question after the other. No I/O: it says what to print and takes lines.

use std::collections::VecDeque;

use kandev_session::Decision;
use kandev_transcript::{ActionType, PermissionRequest};
use serde_json::{Map, Value, json};

use super::asked::Asked;
use super::form::Form;

/// The open questions, the first one being asked.
#[derive(Default)]
pub struct Asker {
    open: VecDeque<Asked>,
    stage: Stage,
    /// The first one is decided, and closes when the session says so.
    decided: bool,
}

/// What the next line is.
#[derive(Default)]
enum Stage {
    #[default]
    Choice,
    /// The message of a denial.
    Message,
    /// The answer to the question with this number, those before it being answered.
    Question {
        number: usize,
        answers: Map<String, Value>,
    },
    /// The field with this number of a server's form, those before it being filled in.
    Field {
        number: usize,
        content: Map<String, Value>,
    },
}

/// What came of a line.
#[derive(Debug, PartialEq)]
pub enum Heard {
    /// A decision on the question with this id.
    Decided(String, Decision),
    /// More is to be asked: print [`Asker::prompt`].
    More,
    /// The line is no answer; why.
    Unclear(String),
    /// Nothing was asked.
    Nothing,
}

impl Asker {
    /// One more question. True if it is the one to ask now.
    pub fn add(&mut self, asked: Asked) -> bool {
        self.open.push_back(asked);
        if self.open.len() == 1 {
            self.begin();
        }
        self.open.len() == 1
    }

    /// A question is closed. True if there is another one to ask now in its place.
    pub fn remove(&mut self, pending_id: &str) -> bool {
        let asked = self
            .open
            .front()
            .is_some_and(|asked| asked.id() == pending_id);
        self.open.retain(|asked| asked.id() != pending_id);
        if asked {
            self.begin();
        }
        asked && !self.open.is_empty()
    }

    /// Whether a line would be an answer.
    pub fn waits(&self) -> bool {
        !self.open.is_empty() && !self.decided
    }

    fn begin(&mut self) {
        self.decided = false;
        let question = matches!(
            self.open.front(),
            Some(Asked::Tool(request)) if request.action_type == ActionType::Question
        );
        self.stage = match question {
            true => Stage::Question {
                number: 0,
                answers: Map::new(),
            },
            false => Stage::Choice,
        };
    }

    /// What to print before the next line is read; `None` when nothing is asked.
    pub fn prompt(&self) -> Option<String> {
        let asked = self.open.front().filter(|_| !self.decided)?;
        Some(match (asked, &self.stage) {
            (Asked::Tool(request), Stage::Choice) if request.action_type == ActionType::Plan => {
                "[y] approve  [n] keep planning  [m] keep planning, with a message > ".to_owned()
            }
            (Asked::Tool(request), Stage::Choice) => choices(request),
            (Asked::Tool(request), Stage::Question { number, .. }) => {
                question(questions(request).get(*number))
            }
            (Asked::Input(form), Stage::Field { number, .. }) => form.prompt(*number),
            (Asked::Input(_), _) => "[y] answer  [n] decline  [c] cancel > ".to_owned(),
            (Asked::Tool(_), _) => "message > ".to_owned(),
        })
    }

    /// Takes a line that was typed. Once it decides, no further line counts for that question.
    pub fn line(&mut self, line: &str) -> Heard {
        let heard = if self.waits() {
            self.read(line)
        } else {
            Heard::Nothing
        };
        self.decided |= matches!(heard, Heard::Decided(..));
        heard
    }

    fn read(&mut self, line: &str) -> Heard {
        let line = line.trim();
        let request = match self.open.front() {
            Some(Asked::Tool(request)) => request,
            Some(Asked::Input(form)) => return input(form, &mut self.stage, line),
            None => return Heard::Nothing,
        };
        let id = request.pending_id.clone();
        match &mut self.stage {
            Stage::Message | Stage::Field { .. } => Heard::Decided(id, deny(Some(line.to_owned()))),
            Stage::Choice if line.eq_ignore_ascii_case("m") => {
                self.stage = Stage::Message;
                Heard::More
            }
            Stage::Choice => match choice(line, request.suggestions.len()) {
                Ok(decision) => Heard::Decided(id, decision),
                Err(why) => Heard::Unclear(why),
            },
            Stage::Question { number, answers } => {
                let questions = questions(request);
                match questions.get(*number) {
                    Some(asked) => match chosen(asked, line) {
                        Ok(answer) => answers.insert(text(asked, "question"), json!(answer)),
                        Err(why) => return Heard::Unclear(why),
                    },
                    None => None,
                };
                *number += 1;
                if *number < questions.len() {
                    return Heard::More;
                }
                let updated_input = Some(json!({ "answers": answers }));
                Heard::Decided(
                    id,
                    Decision::Allow {
                        updated_input,
                        suggestions: Vec::new(),
                    },
                )
            }
        }
    }
}

/// A line for a server: whether it is answered at all, then its fields.
fn input(form: &Form, stage: &mut Stage, line: &str) -> Heard {
    let decided = |decision| Heard::Decided(form.id.clone(), decision);
    let accept = |content| Decision::Allow {
        updated_input: content,
        suggestions: Vec::new(),
    };
    let Stage::Field { number, content } = stage else {
        return match line.to_ascii_lowercase().as_str() {
            "y" | "yes" if form.url.is_some() => decided(accept(None)),
            "y" | "yes" if form.len() == 0 => decided(accept(Some(json!({})))),
            "y" | "yes" => {
                let (number, content) = (0, Map::new());
                *stage = Stage::Field { number, content };
                Heard::More
            }
            "n" | "no" => decided(deny(None)),
            "c" => decided(Decision::Deny {
                message: None,
                interrupt: true,
            }),
            _ => Heard::Unclear("y, n or c".to_owned()),
        };
    };
    if let Err(why) = form.take(*number, line, content) {
        return Heard::Unclear(why);
    }
    *number += 1;
    if *number < form.len() {
        return Heard::More;
    }
    decided(accept(Some(Value::Object(std::mem::take(content)))))
}

fn deny(message: Option<String>) -> Decision {
    Decision::Deny {
        message,
        interrupt: false,
    }
}

fn choice(line: &str, suggestions: usize) -> Result<Decision, String> {
    let allow = |suggestions| Decision::Allow {
        updated_input: None,
        suggestions,
    };
    match line.to_ascii_lowercase().as_str() {
        "y" | "yes" => Ok(allow(Vec::new())),
        "n" | "no" => Ok(deny(None)),
        other => match other.parse::<usize>() {
            Ok(number) if (1..=suggestions).contains(&number) => {
                Ok(allow(vec![u32::try_from(number - 1).unwrap_or_default()]))
            }
            _ => Err("y, n, m or the number of a suggestion".to_owned()),
        },
    }
}

fn choices(request: &PermissionRequest) -> String {
    let mut all = String::from("[y] allow  [n] deny  [m] deny with a message");
    for (place, suggestion) in request.suggestions.iter().enumerate() {
        all.push_str(&format!("  [{}] {}", place + 1, label(suggestion)));
    }
    all.push_str(" > ");
    all
}

/// What a suggestion of the CLI would do, in words (PROTOCOL 6.2).
fn label(suggestion: &Value) -> String {
    let list = |name: &str| {
        suggestion
            .get(name)
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default()
    };
    match suggestion.get("type").and_then(Value::as_str) {
        Some("addRules") => {
            let rule = |rule: &Value| match text(rule, "ruleContent") {
                content if content.is_empty() => text(rule, "toolName"),
                content => format!("{}({content})", text(rule, "toolName")),
            };
            let rules = list("rules")
                .iter()
                .map(rule)
                .collect::<Vec<_>>()
                .join(", ");
            format!("always {} {rules}", text(suggestion, "behavior"))
        }
        Some("addDirectories") => {
            let folders = list("directories")
                .iter()
                .filter_map(Value::as_str)
                .collect::<Vec<_>>()
                .join(", ");
            format!("allow the folder {folders}")
        }
        Some("setMode") if text(suggestion, "mode") == "acceptEdits" => {
            "accept edits from now on".to_owned()
        }
        Some("setMode") => format!("switch to the mode {}", text(suggestion, "mode")),
        Some(other) => other.to_owned(),
        None => "suggestion".to_owned(),
    }
}

fn questions(request: &PermissionRequest) -> Vec<Value> {
    request
        .input
        .get("questions")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default()
}

fn question(question: Option<&Value>) -> String {
    let Some(question) = question else {
        return "answer > ".to_owned();
    };
    let mut all = format!("{}\n", text(question, "question"));
    for (place, option) in options(question).iter().enumerate() {
        let description = text(option, "description");
        let dash = if description.is_empty() { "" } else { ": " };
        all.push_str(&format!(
            "  {}. {}{dash}{description}\n",
            place + 1,
            text(option, "label")
        ));
    }
    all.push_str(match many(question) {
        true => "numbers with commas, or your own words > ",
        false => "a number, or your own words > ",
    });
    all
}

/// The answer in the form that the CLI reads: labels, joined by commas, or the words as they are (PROTOCOL 6.3).
fn chosen(question: &Value, line: &str) -> Result<String, String> {
    if line.is_empty() {
        return Err("an answer is needed".to_owned());
    }
    let options = options(question);
    let label = |part: &str| -> Option<String> {
        let number = part.trim().parse::<usize>().ok()?.checked_sub(1)?;
        options.get(number).map(|option| text(option, "label"))
    };
    let labels: Option<Vec<String>> = line.split(',').map(label).collect();
    match labels {
        Some(labels) if labels.len() > 1 && !many(question) => {
            Err("only one can be chosen".to_owned())
        }
        Some(labels) => Ok(labels.join(", ")),
        None => Ok(line.to_owned()),
    }
}

fn options(question: &Value) -> Vec<Value> {
    question
        .get("options")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default()
}

fn many(question: &Value) -> bool {
    question
        .get("multiSelect")
        .and_then(Value::as_bool)
        .unwrap_or_default()
}

fn text(of: &Value, name: &str) -> String {
    of.get(name)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
#[path = "asker_tests.rs"]
mod tests;

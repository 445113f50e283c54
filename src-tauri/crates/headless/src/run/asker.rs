//! Asks a person on the terminal, one question after the other. No I/O: it says what to print and takes lines.

use std::collections::VecDeque;

use kandev_session::Decision;
use kandev_transcript::{ActionType, PermissionRequest};
use serde_json::{Map, Value, json};

/// The open questions, the first one being asked.
#[derive(Default)]
pub struct Asker {
    open: VecDeque<PermissionRequest>,
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
    pub fn add(&mut self, request: PermissionRequest) -> bool {
        self.open.push_back(request);
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
            .is_some_and(|request| request.pending_id == pending_id);
        self.open.retain(|request| request.pending_id != pending_id);
        if asked {
            self.begin();
        }
        asked && !self.open.is_empty()
    }

    pub fn current(&self) -> Option<&PermissionRequest> {
        self.open.front()
    }

    /// Whether a line would be an answer.
    pub fn waits(&self) -> bool {
        self.current().is_some() && !self.decided
    }

    fn begin(&mut self) {
        self.decided = false;
        let question = self
            .open
            .front()
            .is_some_and(|request| request.action_type == ActionType::Question);
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
        let request = self.current().filter(|_| !self.decided)?;
        Some(match &self.stage {
            Stage::Choice if request.action_type == ActionType::Plan => {
                "[y] approve  [n] keep planning  [m] keep planning, with a message > ".to_owned()
            }
            Stage::Choice => choices(request),
            Stage::Message => "message > ".to_owned(),
            Stage::Question { number, .. } => question(questions(request).get(*number)),
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
        let Some(request) = self.open.front() else {
            return Heard::Nothing;
        };
        let id = request.pending_id.clone();
        let line = line.trim();
        match &mut self.stage {
            Stage::Message => Heard::Decided(id, deny(Some(line.to_owned()))),
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
mod tests {
    #![allow(clippy::unwrap_used)]

    use kandev_transcript::{Generic, NormalizedPayload, PermissionReason};

    use super::*;

    fn request(id: &str, action_type: ActionType, input: Value) -> PermissionRequest {
        PermissionRequest {
            pending_id: id.to_owned(),
            tool_call_id: None,
            tool_name: "Tool".to_owned(),
            tool_title: "Tool".to_owned(),
            action_type,
            input,
            suggestions: vec![
                json!({"type": "addRules", "behavior": "allow", "rules": [{"toolName": "Bash", "ruleContent": "ls"}]}),
                json!({"type": "setMode", "mode": "acceptEdits"}),
            ],
            normalized: NormalizedPayload::Generic {
                generic: Generic::default(),
            },
            data: PermissionReason::default(),
        }
    }

    fn allow(suggestions: &[u32]) -> Decision {
        Decision::Allow {
            updated_input: None,
            suggestions: suggestions.to_vec(),
        }
    }

    #[test]
    fn each_suggestion_has_a_number_of_its_own() {
        let mut asker = Asker::default();
        assert!(asker.add(request("a", ActionType::Command, json!({}))));
        let prompt = asker.prompt().unwrap();
        assert!(
            prompt.contains("[1] always allow Bash(ls)  [2] accept edits from now on"),
            "{prompt}"
        );
        assert!(matches!(asker.line("3"), Heard::Unclear(_)));
        assert!(
            matches!(asker.line(""), Heard::Unclear(_)),
            "a stray Enter answers nothing"
        );
        assert_eq!(asker.line("2"), Heard::Decided("a".to_owned(), allow(&[1])));
    }

    #[test]
    fn a_denial_with_a_message_takes_one_more_line() {
        let mut asker = Asker::default();
        asker.add(request("a", ActionType::Command, json!({})));
        assert_eq!(asker.line("m"), Heard::More);
        assert_eq!(
            asker.line("use git mv"),
            Heard::Decided("a".to_owned(), deny(Some("use git mv".to_owned())))
        );
    }

    #[test]
    fn questions_are_answered_one_by_one_and_keyed_by_their_text() {
        let questions = json!({ "questions": [
            {"question": "Which?", "options": [{"label": "A"}, {"label": "B"}]},
            {"question": "Extras?", "multiSelect": true, "options": [{"label": "X"}, {"label": "Y"}]},
            {"question": "Name?", "options": [{"label": "Z"}]},
        ]});
        let mut asker = Asker::default();
        asker.add(request("a", ActionType::Question, questions));
        assert!(matches!(asker.line("1,2"), Heard::Unclear(_)));
        assert_eq!(asker.line("2"), Heard::More);
        assert_eq!(asker.line("1, 2"), Heard::More);
        let answers = json!({ "answers": {"Which?": "B", "Extras?": "X, Y", "Name?": "my own"} });
        let decision = Decision::Allow {
            updated_input: Some(answers),
            suggestions: Vec::new(),
        };
        assert_eq!(
            asker.line("my own"),
            Heard::Decided("a".to_owned(), decision)
        );
    }

    #[test]
    fn a_line_too_many_answers_nothing() {
        let mut asker = Asker::default();
        asker.add(request("a", ActionType::Command, json!({})));
        asker.add(request("b", ActionType::Command, json!({})));
        assert_eq!(asker.line("y"), Heard::Decided("a".to_owned(), allow(&[])));
        assert_eq!((asker.line("y"), asker.prompt()), (Heard::Nothing, None));
        assert!(asker.remove("a"));
        assert_eq!(asker.line("n"), Heard::Decided("b".to_owned(), deny(None)));
    }

    #[test]
    fn a_question_that_is_withdrawn_makes_room_for_the_next() {
        let mut asker = Asker::default();
        asker.add(request("a", ActionType::Command, json!({})));
        assert!(!asker.add(request("b", ActionType::Command, json!({}))));
        asker.line("m");
        assert!(asker.remove("a"));
        assert_eq!(asker.line("y"), Heard::Decided("b".to_owned(), allow(&[])));
        assert!(!asker.remove("b"));
        assert_eq!(asker.line("y"), Heard::Nothing);
    }
}

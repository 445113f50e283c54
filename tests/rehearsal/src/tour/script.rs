//! The tour's script: chapters of one step per line, as JSON. `{root}` stands for the scratch folder, `{answers}` for what was
//! answered to the questions.

use serde::Deserialize;
use serde_json::{Map, Value};

/// Chapters by name. Those that a prompt can ask for are in [`WORDS`].
const CHAPTERS: &[(&str, &str)] = &[
    ("welcome", include_str!("../../tour/welcome.ndjson")),
    ("todo", include_str!("../../tour/todo.ndjson")),
    ("search", include_str!("../../tour/search.ndjson")),
    ("image", include_str!("../../tour/image.ndjson")),
    ("bash", include_str!("../../tour/bash.ndjson")),
    ("edit", include_str!("../../tour/edit.ndjson")),
    ("tests", include_str!("../../tour/tests.ndjson")),
    ("agent", include_str!("../../tour/agent.ndjson")),
    ("web", include_str!("../../tour/web.ndjson")),
    ("mcp", include_str!("../../tour/mcp.ndjson")),
    ("misc", include_str!("../../tour/misc.ndjson")),
    ("question", include_str!("../../tour/question.ndjson")),
    ("background", include_str!("../../tour/background.ndjson")),
    ("plan", include_str!("../../tour/plan.ndjson")),
    ("limits", include_str!("../../tour/limits.ndjson")),
    ("error", include_str!("../../tour/error.ndjson")),
    ("summary", include_str!("../../tour/summary.ndjson")),
    ("everything", include_str!("../../tour/everything.ndjson")),
    ("other", include_str!("../../tour/other.ndjson")),
];

/// Longer texts, by the name that a step gives.
const TEXTS: &[(&str, &str)] = &[
    ("summary.md", include_str!("../../tour/summary.md")),
    (
        "midnight.test.ts",
        include_str!("../../tour/midnight.test.ts"),
    ),
    ("plan.md", include_str!("../../tour/plan.md")),
];

/// Prompts of one of these words play that chapter; the first prompt, whatever else it says, plays everything.
pub const WORDS: &[&str] = &[
    "todo",
    "search",
    "image",
    "bash",
    "edit",
    "agent",
    "web",
    "mcp",
    "misc",
    "question",
    "background",
    "plan",
    "limits",
    "error",
    "everything",
];

#[derive(Debug, Clone, Deserialize)]
pub struct Step {
    /// Only if this was done.
    #[serde(default, rename = "if")]
    pub when: Option<String>,
    /// Only if this was not done.
    #[serde(default)]
    pub unless: Option<String>,
    #[serde(flatten)]
    pub act: Act,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    Think(String),
    Say(String),
    /// A text of [`TEXTS`].
    SayText(String),
    /// The calls of one message.
    Calls(Vec<Call>),
    Call(Box<Call>),
    Agent(Box<Agent>),
    /// A `system` line, or one of another type if it has one.
    Line(Map<String, Value>),
    /// A text that the CLI puts in.
    Synthetic(String),
    /// Milliseconds.
    Pause(u64),
    /// The steps of another chapter.
    Chapter(String),
    ApiError {
        status: u64,
        kind: String,
        text: String,
    },
}

/// One use of a tool. What came of it is worked out from the scratch folder where that is possible (Read, Edit, Write, the task
/// list, the questions, the plan); else the script says it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Call {
    pub tool: String,
    pub input: Map<String, Value>,
    /// Asked for in the default mode; the fields are those of `can_use_tool`.
    pub ask: Option<Map<String, Value>>,
    /// What a command printed.
    pub stdout: Option<String>,
    pub exit: i32,
    /// The result's content, for other tools.
    pub content: Value,
    /// Its `tool_use_result`.
    pub data: Option<Value>,
    pub error: bool,
    /// How long it takes, in milliseconds.
    pub ms: Option<u64>,
    /// Says in between that it still runs.
    pub progress: bool,
    /// What is done then, for `if` and `unless`.
    pub set: Option<String>,
    /// What the model says next if it was denied.
    pub denied: Option<String>,
    pub job: Option<Job>,
    pub meta: Option<Value>,
}

/// What becomes of a command that runs in the background.
#[derive(Debug, Clone, Deserialize)]
pub struct Job {
    /// After the end of the turn, in milliseconds.
    pub ms: u64,
    pub output: String,
    pub summary: String,
    /// The turn that its end begins.
    pub then: Vec<Step>,
}

#[derive(Debug, Clone, Deserialize)]
pub struct Agent {
    pub description: String,
    pub prompt: String,
    pub subagent_type: String,
    pub calls: Vec<Call>,
    pub report: String,
    /// In the background: how long after the end of the turn it works, and the turn that its end begins.
    #[serde(default)]
    pub background_ms: Option<u64>,
    #[serde(default)]
    pub then: Vec<Step>,
}

/// The steps of a chapter, those of the chapters in it put in place.
pub fn chapter(name: &str, root: &str) -> Result<Vec<Step>, String> {
    let quoted = Value::from(root).to_string();
    parts(name, &quoted[1..quoted.len() - 1])
}

/// `root` is as it stands within a JSON string.
fn parts(name: &str, root: &str) -> Result<Vec<Step>, String> {
    let (_, text) = CHAPTERS
        .iter()
        .find(|(known, _)| *known == name)
        .ok_or_else(|| format!("no chapter {name}"))?;
    let mut steps = Vec::new();
    for (number, line) in text
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let step: Step = serde_json::from_str(&line.replace("{root}", root))
            .map_err(|error| format!("{name}, line {}: {error}", number + 1))?;
        match &step.act {
            Act::Chapter(_) if step.when.is_some() || step.unless.is_some() => {
                return Err(format!(
                    "{name}, line {}: a chapter has no condition",
                    number + 1
                ));
            }
            Act::Chapter(inner) => steps.extend(parts(inner, root)?),
            _ => steps.push(step),
        }
    }
    Ok(steps)
}

/// A longer text.
pub fn text(name: &str) -> &'static str {
    TEXTS
        .iter()
        .find(|(known, _)| *known == name)
        .map_or("", |(_, text)| text)
}

/// Which chapter a prompt asks for, if it is one of the words.
pub fn asked_for(prompt: &str) -> Option<&'static str> {
    let prompt = prompt
        .trim()
        .trim_matches(['"', '.', '!', '/', '`'])
        .to_lowercase();
    WORDS.iter().find(|word| **word == prompt).copied()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_chapter_can_be_read() {
        for (name, _) in CHAPTERS {
            let steps = chapter(name, "C:\\Temp\\\"x").unwrap();
            assert!(!steps.is_empty(), "{name}");
            for step in steps {
                if let Act::SayText(name) = step.act {
                    assert!(!text(&name).is_empty(), "{name}");
                }
            }
        }
        for word in WORDS {
            assert!(chapter(word, "/r").is_ok(), "{word}");
        }
    }

    #[test]
    fn a_prompt_of_one_known_word_is_a_chapter() {
        assert_eq!(asked_for(" Edit. "), Some("edit"));
        assert_eq!(asked_for("edit the file"), None);
    }
}

//! Which reply a request gets: by the prompt, by whether the request holds tool results, and by what was played so far.

use std::collections::HashMap;

use serde_json::Value;

use crate::script::{Reply, Script, Step};

/// Tools of which the main thread of a CLI or a subagent has at least one; requests beside the conversation have none.
const CONVERSATION: [&str; 4] = ["Bash", "Read", "Edit", "Glob"];

/// Where a request belongs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Thread {
    Main,
    /// A subagent: the place of its turn in the script.
    Agent(usize),
    /// A title, a summary, a quota check.
    Side,
}

#[derive(Debug, Default)]
pub struct Picker {
    script: Script,
    /// Turns that were begun.
    played: Vec<bool>,
    main: Position,
    agents: HashMap<usize, Position>,
}

#[derive(Debug, Default, Clone)]
struct Position {
    turn: Option<usize>,
    next: usize,
    /// What the newest reply answered, if it was an error: the same may be asked again.
    failed: Option<String>,
}

impl Picker {
    pub fn new(script: Script) -> Self {
        Self {
            played: vec![false; script.turns.len()],
            script,
            ..Self::default()
        }
    }

    pub fn thread(&self, request: &Value) -> Thread {
        let tools = request["tools"].as_array().into_iter().flatten();
        if !tools
            .filter_map(|tool| tool["name"].as_str())
            .any(|name| CONVERSATION.contains(&name))
        {
            return Thread::Side;
        }
        let first = request["messages"]
            .as_array()
            .and_then(|messages| messages.first())
            .map(words)
            .unwrap_or_default();
        let agent = self
            .script
            .agents
            .iter()
            .position(|turn| turn.when.as_ref().is_some_and(|when| first.contains(when)));
        agent.map_or(Thread::Main, Thread::Agent)
    }

    pub fn pick(&mut self, thread: &Thread, request: &Value) -> Reply {
        match thread {
            Thread::Side => match &self.script.aside {
                Some(reply) => reply.clone(),
                None => Reply::text("Scripted"),
            },
            Thread::Agent(turn) => {
                let position = self.agents.entry(*turn).or_default();
                position.turn = Some(*turn);
                advance(position, &self.script.agents[*turn].replies, request)
            }
            Thread::Main => {
                let again = self.main.failed.as_ref() == Some(&newest(request));
                if !again && !holds_results(request) {
                    self.main = Position {
                        turn: self.turn_for(request),
                        ..Position::default()
                    };
                }
                match self.main.turn {
                    Some(turn) => {
                        advance(&mut self.main, &self.script.turns[turn].replies, request)
                    }
                    None => Reply::text("The script has no answer to this prompt."),
                }
            }
        }
    }

    fn turn_for(&mut self, request: &Value) -> Option<usize> {
        let prompt = prompt(request);
        let turns = &self.script.turns;
        let fits = |at: &usize| {
            turns[*at]
                .when
                .as_ref()
                .is_none_or(|when| prompt.contains(when))
        };
        let fresh = (0..turns.len()).filter(|at| !self.played[*at]).find(fits);
        // A turn with a word can be played again.
        let again = || {
            (0..turns.len())
                .filter(|at| turns[*at].when.is_some())
                .find(fits)
        };
        let turn = fresh.or_else(again)?;
        self.played[turn] = true;
        Some(turn)
    }
}

fn advance(position: &mut Position, replies: &[Reply], request: &Value) -> Reply {
    let reply = replies
        .get(position.next)
        .cloned()
        .unwrap_or_else(|| Reply::text("The script has nothing more for this turn."));
    position.next += 1;
    let broken = |step: &Step| matches!(step, Step::Drop | Step::Fail { .. });
    let failed = reply.status.is_some() || reply.steps.iter().any(broken);
    position.failed = failed.then(|| newest(request));
    reply
}

/// True if the newest message of the user holds results of tools.
pub fn holds_results(request: &Value) -> bool {
    let newest = request["messages"]
        .as_array()
        .and_then(|messages| messages.iter().rfind(|message| message["role"] == "user"));
    newest
        .and_then(|message| message["content"].as_array())
        .into_iter()
        .flatten()
        .any(|block| block["type"] == "tool_result")
}

/// All text of the newest message.
fn newest(request: &Value) -> String {
    let messages = request["messages"].as_array();
    messages
        .and_then(|messages| messages.last())
        .map(words)
        .unwrap_or_default()
}

/// All text of the user since the model spoke last. Newer CLIs put a message of the system behind it.
fn prompt(request: &Value) -> String {
    let messages = request["messages"].as_array().into_iter().flatten().rev();
    let mut newest: Vec<_> = messages
        .take_while(|message| message["role"] != "assistant")
        .filter(|message| message["role"] == "user")
        .map(words)
        .collect();
    newest.reverse();
    newest.join("\n")
}

/// All text of a message.
fn words(message: &Value) -> String {
    match &message["content"] {
        Value::String(text) => text.clone(),
        blocks => blocks
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(|block| block["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use serde_json::json;

    use super::*;

    fn request(content: Value) -> Value {
        json!({"tools": [{"name": "Bash"}], "messages": [{"role": "user", "content": content}]})
    }

    fn results() -> Value {
        request(json!([{"type": "tool_result", "tool_use_id": "a", "content": "x"}]))
    }

    fn said(picker: &mut Picker, request: &Value) -> String {
        let thread = picker.thread(request);
        let reply = picker.pick(&thread, request);
        match (reply.status, reply.steps.first()) {
            (Some(status), _) => status.to_string(),
            (None, Some(Step::Text(text))) => text.clone(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_prompt_begins_a_turn_and_tool_results_go_on_with_it() {
        let script = Script::new()
            .turn([Reply::text("1a"), Reply::text("1b")])
            .turn([Reply::text("2a")]);
        let mut picker = Picker::new(script);
        assert_eq!(said(&mut picker, &request(json!("one"))), "1a");
        assert_eq!(said(&mut picker, &results()), "1b");
        assert_eq!(said(&mut picker, &request(json!("two"))), "2a");
        assert!(said(&mut picker, &results()).contains("nothing more"));
        assert!(said(&mut picker, &request(json!("three"))).contains("no answer"));
    }

    #[test]
    fn after_an_error_the_same_turn_goes_on() {
        let overloaded = || Reply::error(529, "overloaded_error", "Overloaded");
        let mut picker = Picker::new(
            Script::new()
                .turn([overloaded(), overloaded(), Reply::text("through")])
                .turn([Reply::text("next")]),
        );
        let prompt = request(json!("one"));
        let all: Vec<String> = (0..4).map(|_| said(&mut picker, &prompt)).collect();
        assert_eq!(all, ["529", "529", "through", "next"]);

        let mut picker = Picker::new(
            Script::new()
                .turn([overloaded(), overloaded()])
                .turn([Reply::text("next")]),
        );
        assert_eq!(said(&mut picker, &prompt), "529");
        assert_eq!(said(&mut picker, &request(json!("another prompt"))), "next");
    }

    #[test]
    fn words_choose_a_turn_as_often_as_they_come() {
        let mut picker = Picker::new(
            Script::new()
                .turn_for("edit", [Reply::text("edited")])
                .turn_for("run", [Reply::text("ran")]),
        );
        for (prompt, answer) in [
            ("please run it", "ran"),
            ("edit", "edited"),
            ("run again", "ran"),
        ] {
            assert_eq!(
                said(
                    &mut picker,
                    &request(json!([{"type": "text", "text": prompt}]))
                ),
                answer
            );
        }
    }

    #[test]
    fn words_of_the_prompt_count_wherever_the_cli_puts_its_own() {
        let mut picker = Picker::new(Script::new().turn_for("run", [Reply::text("ran")]));
        let request = |system: &str, role: &str| {
            json!({"tools": [{"name": "Bash"}], "messages": [
                {"role": "user", "content": "edit"},
                {"role": role, "content": "edited"},
                {"role": "user", "content": "run"},
                {"role": "system", "content": system},
            ]})
        };
        for role in ["assistant", "user"] {
            assert_eq!(said(&mut picker, &request("# Environment", role)), "ran");
        }
        let mut picker = Picker::new(Script::new().turn_for("edit", [Reply::text("edited")]));
        let answered = request("edit nothing", "assistant");
        assert!(said(&mut picker, &answered).contains("no answer"));
    }

    #[test]
    fn subagents_and_side_requests_are_told_apart() {
        let script = Script::new()
            .turn([Reply::text("main")])
            .agent("[one]", [Reply::text("agent"), Reply::text("agent again")]);
        let mut picker = Picker::new(script);
        let side = json!({"messages": [{"role": "user", "content": "title?"}]});
        assert_eq!(said(&mut picker, &side), "Scripted");
        assert_eq!(said(&mut picker, &request(json!("go"))), "main");
        let agent = request(json!("[one] count"));
        assert_eq!(said(&mut picker, &agent), "agent");
        assert_eq!(said(&mut picker, &agent), "agent again");
    }

    #[test]
    fn a_script_is_read_from_json() {
        let text = r#"{"turns": [{"when": "x", "replies": [{"steps": [{"text": "a"}, {"tool_use": {"name": "Bash", "input": {}}}, "hold"]}, {"status": 529, "error": "overloaded_error"}]}]}"#;
        let script: Script = serde_json::from_str(text).unwrap();
        assert_eq!(script.turns[0].replies[0].steps.len(), 3);
        serde_json::from_str::<Script>(include_str!("../examples/by-hand.json")).unwrap();
        assert!(serde_json::from_str::<Script>(r#"{"turn": []}"#).is_err());
    }
}

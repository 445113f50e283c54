//! Every phase: what leads to it, since when it is told, and what a person can do then.

use super::*;

fn system(subtype: &str, fields: Value) -> Value {
    let mut line = json!({ "type": "system", "subtype": subtype, "session_id": "cli-1" });
    for (name, value) in fields.as_object().unwrap() {
        line[name] = value.clone();
    }
    line
}

fn text() -> Value {
    json!({ "type": "assistant", "session_id": "cli-1", "parent_tool_use_id": null, "uuid": "a", "message": {
        "id": "m", "role": "assistant", "content": [{ "type": "text", "text": "words" }] } })
}

fn call() -> Value {
    json!({ "type": "assistant", "session_id": "cli-1", "parent_tool_use_id": null, "uuid": "a", "message": {
        "id": "m", "role": "assistant", "content": [{ "type": "tool_use", "id": "t1", "name": "Bash",
        "input": { "command": "ls" } }] } })
}

/// A phase, what leads to it from a turn that has just begun, and words of its next step.
type Row = (Phase, fn(&mut Rig), &'static str);

const TABLE: [Row; 13] = [
    (
        Phase::Starting,
        |rig| {
            rig.killed();
            rig.ask(|done| Command::Resume { done });
        },
        "waits until it is ready",
    ),
    (Phase::Idle, |rig| rig.result(), "Send a prompt."),
    (Phase::Thinking, |_| {}, "interrupt it"),
    (Phase::Streaming, |rig| rig.line(text()), "interrupt it"),
    (Phase::Tool, |rig| rig.line(call()), "Let the tool run"),
    (
        Phase::Approval,
        |rig| rig.can_use_tool("q", "Bash", json!({ "command": "ls" })),
        "Allow or deny",
    ),
    (
        Phase::Question,
        |rig| {
            let questions =
                json!({ "questions": [{ "question": "Which?", "header": "h", "options": [] }] });
            rig.can_use_tool("q", "AskUserQuestion", questions);
        },
        "Answer",
    ),
    (
        Phase::RateLimited,
        |rig| {
            rig.line(json!({ "type": "rate_limit_event", "rate_limit_info": { "status": "rejected" }, "session_id": "cli-1" }));
        },
        "limit is over",
    ),
    (
        Phase::Retrying,
        |rig| {
            rig.line(system(
                "api_retry",
                json!({ "attempt": 1, "max_retries": 10, "error": "overloaded" }),
            ))
        },
        "tries again",
    ),
    (
        Phase::Compacting,
        |rig| rig.line(system("status", json!({ "status": "compacting" }))),
        "compacted",
    ),
    (
        Phase::Background,
        |rig| {
            rig.line(system(
                "task_started",
                json!({ "task_id": "b1", "task_type": "local_bash", "is_backgrounded": true }),
            ));
            rig.result();
        },
        "Tasks still run",
    ),
    (
        Phase::Stopped,
        |rig| {
            rig.result();
            rig.ask(|done| Command::Stop { done });
            rig.exit(0);
        },
        "resumes the conversation",
    ),
    (
        Phase::Failed,
        |rig| rig.killed(),
        "resumes the conversation",
    ),
];

fn in_a_turn() -> Rig {
    let mut rig = Rig::ready(Policy::Supervised);
    rig.prompt("go");
    rig.init();
    rig.wait(10);
    rig
}

#[test]
fn every_phase_is_reached_since_when_it_began_and_with_a_next_step() {
    for (phase, lead, words) in TABLE {
        let mut rig = in_a_turn();
        lead(&mut rig);
        let info = rig.state.info();
        assert_eq!(info.phase, phase);
        let next_step = info.next_step.as_deref().unwrap();
        assert!(next_step.contains(words), "{phase:?}: {next_step}");
        let began = if phase == Phase::Thinking { 0 } else { 10 };
        assert_eq!(info.since, wall(began), "{phase:?}");
        rig.wait(7);
        rig.give(Input::Time);
        assert_eq!(rig.state.info().since, wall(began), "{phase:?} goes on");
    }
}

#[test]
fn from_every_phase_a_stop_leads_to_stopped() {
    for (phase, lead, _) in TABLE {
        let mut rig = in_a_turn();
        lead(&mut rig);
        let stopped = rig.ask(|done| Command::Stop { done });
        let runs = !matches!(phase, Phase::Starting | Phase::Stopped | Phase::Failed);
        if runs {
            rig.killed();
        }
        assert_eq!(told(stopped), Ok(()), "{phase:?}");
        assert_eq!(rig.phase(), Phase::Stopped, "from {phase:?}");
    }
}

#[test]
fn from_every_phase_the_end_of_the_process_leads_to_one_without_a_process() {
    for (phase, lead, _) in TABLE {
        let mut rig = in_a_turn();
        lead(&mut rig);
        if !matches!(phase, Phase::Starting | Phase::Stopped | Phase::Failed) {
            rig.killed();
        }
        let left = rig.phase();
        let expected = match phase {
            Phase::Starting => Phase::Starting,
            // No turn was on: nothing is broken off.
            Phase::Idle | Phase::Background | Phase::Stopped => Phase::Stopped,
            _ => Phase::Failed,
        };
        assert_eq!(left, expected, "from {phase:?}");
    }
}

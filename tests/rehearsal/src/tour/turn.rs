//! The steps of a turn, one after the other.

use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::cli::{Played, Stop};
use crate::speech::{End, api_id};
use crate::tour::Tour;
use crate::tour::permit::{Verdict, Wanted};
use crate::tour::script::{self, Act, Call, Step};
use crate::tour::tools::Outcome;

/// How long a call takes unless the script says.
const CALL: u64 = 800;

impl Tour<'_> {
    /// Plays the steps and says how the turn ends.
    pub fn play_steps(&mut self, steps: &[Step]) -> Result<End<'static>, Stop> {
        for step in steps {
            let done = |flag: &String| self.done.contains(flag);
            if step.when.as_ref().is_some_and(|flag| !done(flag))
                || step.unless.as_ref().is_some_and(done)
            {
                continue;
            }
            match &step.act {
                Act::Think(words) => self.cli.thinking(words)?,
                Act::Say(words) => {
                    let words = words.replace("{answers}", &self.answers);
                    self.cli.text(&words)?;
                }
                Act::SayText(name) => {
                    let words = script::text(name)
                        .replace("{root}", &self.root())
                        .replace("{answers}", &self.answers);
                    self.cli.text(words.trim_end())?;
                }
                Act::Call(call) => self.calls(std::slice::from_ref(call))?,
                Act::Calls(calls) => self.calls(calls)?,
                Act::Agent(agent) => self.agent(agent)?,
                Act::Line(fields) => self.line(fields)?,
                Act::Synthetic(words) => self.synthetic(words)?,
                Act::Pause(millis) => self.cli.pause(Duration::from_millis(*millis))?,
                Act::Chapter(_) => {}
                Act::ApiError { status, kind, text } => {
                    self.cli.end_message("end_turn")?;
                    self.cli.api_error(*status, kind, text)?;
                    return Ok(End::ApiError(*status));
                }
            }
        }
        Ok(End::Completed)
    }

    /// A line that the script spells out. It stands between messages.
    fn line(&mut self, fields: &Map<String, Value>) -> Played {
        if self.cli.in_message() {
            self.cli.end_message("end_turn")?;
        }
        let mut line = self.cli.system("", json!({}));
        for (field, value) in fields {
            line[field.as_str()] = value.clone();
        }
        if line["subtype"] == ""
            && let Some(line) = line.as_object_mut()
        {
            line.remove("subtype");
        }
        self.cli.say(&line)
    }

    /// The calls of one message: all are said, then each is done in turn.
    fn calls(&mut self, calls: &[Call]) -> Played {
        let ids: Vec<String> = calls.iter().map(|_| api_id("toolu")).collect();
        for (call, id) in calls.iter().zip(&ids) {
            let input = self.input_of(call);
            let meta = call.meta.clone().map(|mut meta| {
                meta["id"] = json!(id);
                json!([meta])
            });
            self.cli
                .tool_use(id, &call.tool, &Value::Object(input), meta)?;
        }
        self.cli.end_message("tool_use")?;
        let mut words = Vec::new();
        for (call, id) in calls.iter().zip(&ids) {
            let denied = self.do_call(call, id)?;
            words.extend(denied.then(|| call.denied.clone()).flatten());
        }
        self.cli.requesting()?;
        if !words.is_empty() {
            self.cli.text(&words.join(" "))?;
        }
        Ok(())
    }

    /// The input as the script gives it. `-1` is the newest task of the list; a text's name stands for its text.
    pub fn input_of(&self, call: &Call) -> Map<String, Value> {
        let mut input = call.input.clone();
        if let Some(place) = input
            .get("taskId")
            .and_then(Value::as_str)
            .and_then(|id| id.strip_prefix('-'))
            && let Ok(from_end) = place.parse::<usize>()
        {
            input.insert(
                "taskId".to_owned(),
                json!((self.tasks.len() + 1).saturating_sub(from_end).to_string()),
            );
        }
        for field in ["content", "plan"] {
            if let Some(name) = input
                .get(field)
                .and_then(Value::as_str)
                .and_then(|text| text.strip_prefix("text:"))
            {
                input.insert(field.to_owned(), json!(script::text(name)));
            }
        }
        input
    }

    /// Does one call that was said. True if it was denied.
    fn do_call(&mut self, call: &Call, id: &str) -> Result<bool, Stop> {
        let input = self.input_of(call);
        if let Some(Outcome {
            content,
            data,
            error,
        }) = self.misused(&call.tool, &input)
        {
            self.cli
                .tool_result(id, &content, error, Some(data), json!({}))?;
            return Ok(false);
        }
        let wanted = Wanted {
            id,
            tool: &call.tool,
            input: &input,
            ask: call.ask.as_ref(),
            agent_id: None,
        };
        match self.permit(&wanted)? {
            Verdict::Stop => Err(Stop::Interrupted),
            Verdict::No { words, source } => {
                self.cli.tool_denied(id, &words, source)?;
                Ok(true)
            }
            Verdict::Go {
                input,
                changed,
                asked,
            } => {
                let source = if asked { "user_temporary" } else { "config" };
                let meta = json!({"permission_decision": {"decision": "accept", "source": source}});
                if let Some(job) = call.job.clone() {
                    self.start_job(&input, id, job, meta)?;
                } else {
                    self.take_time(call, id)?;
                    let Outcome {
                        content,
                        data,
                        error,
                    } = self.carry_out(call, &input, changed)?;
                    self.cli
                        .tool_result(id, &content, error, Some(data), meta)?;
                }
                self.done.extend(call.set.clone());
                Ok(false)
            }
        }
    }

    /// Waits as long as the call takes, and says that it runs if the script wants that shown.
    pub fn take_time(&mut self, call: &Call, id: &str) -> Played {
        let time = call.ms.unwrap_or(CALL);
        if !call.progress {
            return self.cli.pause(Duration::from_millis(time));
        }
        self.cli.pause(Duration::from_millis(time / 3))?;
        let description = call.input.get("description").cloned().unwrap_or_default();
        let task = crate::tour::work::task_id('b');
        let started = json!({"task_id": task, "run_id": crate::tour::work::run_id(), "tool_use_id": id, "description": description,
            "is_backgrounded": false, "task_type": "local_bash"});
        let line = self.cli.system("task_started", started);
        self.cli.say(&line)?;
        self.cli.pause(Duration::from_millis(time / 3))?;
        let session = self.cli.track.session_id.clone();
        let line = json!({"type": "tool_progress", "tool_use_id": format!("{id}-heartbeat-0"), "tool_name": call.tool, "parent_tool_use_id": id,
            "elapsed_time_seconds": time / 1000, "heartbeat": true, "session_id": session, "uuid": crate::speech::fresh_id()});
        self.cli.say(&line)?;
        self.cli.pause(Duration::from_millis(time / 3))?;
        let run_id = self
            .cli
            .track
            .tasks
            .get(&task)
            .map(|task| task.run_id.clone());
        let line = self.cli.system(
            "task_notification",
            json!({"task_id": task, "run_id": run_id, "tool_use_id": id, "status": "completed", "output_file": "", "summary": description}),
        );
        self.cli.say(&line)
    }
}

//! Work beside the conversation: subagents, and commands in the background (PROTOCOL 8).

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::cli::{Played, Stop};
use crate::speech::{api_id, tokens};
use crate::tour::permit::{Verdict, Wanted};
use crate::tour::script::{Agent, Job};
use crate::tour::tools::Outcome;
use crate::tour::{Running, Tour};

pub fn task_id(kind: char) -> String {
    format!("{kind}{}", &Uuid::new_v4().simple().to_string()[..8])
}

pub fn run_id() -> String {
    let id = Uuid::new_v4().simple().to_string();
    format!("0{}-{}", &id[..8], &id[8..16])
}

impl Tour<'_> {
    /// Starts a command in the background; its call ends at once.
    pub fn start_job(
        &mut self,
        input: &Map<String, Value>,
        call: &str,
        job: Job,
        meta: Value,
    ) -> Played {
        let id = task_id('b');
        let description = input.get("description").cloned().unwrap_or_default();
        self.start_task(
            &id,
            call,
            json!({"description": description, "is_backgrounded": true, "task_type": "local_bash"}),
        )?;
        let output_file = self.output_file(&id);
        let words = format!(
            "Command running in background with ID: {id}. Output is being written to: {output_file}. You will be notified when it completes."
        );
        let data = json!({"stdout": "", "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": false, "backgroundTaskId": id});
        self.cli
            .tool_result(call, &json!(words), false, Some(data), meta)?;
        let due = Instant::now() + Duration::from_millis(job.ms);
        self.jobs.push(Running {
            id,
            due,
            output_file,
            output: job.output,
            summary: job.summary,
            agent: None,
            then: job.then,
        });
        Ok(())
    }

    fn output_file(&self, id: &str) -> String {
        self.scratch
            .root()
            .join(".claude")
            .join("tasks")
            .join(format!("{id}.output"))
            .to_string_lossy()
            .into_owned()
    }

    fn start_task(&mut self, id: &str, call: &str, fields: Value) -> Played {
        let mut started = json!({"task_id": id, "run_id": run_id(), "tool_use_id": call});
        for (field, value) in fields.as_object().into_iter().flatten() {
            started[field.as_str()] = value.clone();
        }
        let line = self.cli.system("task_started", started);
        self.cli.say(&line)?;
        if fields["is_backgrounded"] == true {
            self.cli.background_tasks()
        } else {
            Ok(())
        }
    }

    /// A subagent, in the turn or in the background.
    pub fn agent(&mut self, agent: &Agent) -> Played {
        let call = api_id("toolu");
        let background = agent.background_ms.is_some();
        let input = json!({"description": agent.description, "prompt": agent.prompt, "subagent_type": agent.subagent_type, "run_in_background": background});
        self.cli.tool_use(&call, "Agent", &input, None)?;
        self.cli.end_message("tool_use")?;
        let wanted = Wanted {
            id: &call,
            tool: "Agent",
            input: &input.as_object().cloned().unwrap_or_default(),
            ask: None,
            agent_id: None,
        };
        match self.permit(&wanted)? {
            Verdict::Go { .. } => {}
            Verdict::Stop => return Err(Stop::Interrupted),
            Verdict::No { words, source } => {
                self.cli.tool_denied(&call, &words, source)?;
                return self.cli.requesting();
            }
        }
        let id = task_id('a');
        self.start_task(
            &id,
            &call,
            json!({"description": agent.description, "subagent_type": agent.subagent_type, "is_backgrounded": background, "spawn_depth": 1,
                "task_type": "local_agent", "prompt": agent.prompt}),
        )?;
        let meta = json!({"permission_decision": {"decision": "accept", "source": "config"}});
        if let Some(millis) = agent.background_ms {
            let output_file = self.output_file(&id);
            let words = json!([{"type": "text", "text": format!("Async agent launched successfully. agentId: {id}. Its report comes when it is done.")}]);
            let data = json!({"isAsync": true, "status": "async_launched", "agentId": id, "description": agent.description, "prompt": agent.prompt,
                "outputFile": output_file});
            self.cli
                .tool_result(&call, &words, false, Some(data), meta)?;
            self.jobs.push(Running {
                id,
                due: Instant::now() + Duration::from_millis(millis),
                output_file,
                output: agent.report.clone(),
                summary: agent.report.clone(),
                then: agent.then.clone(),
                agent: Some(agent.clone()),
            });
            return self.cli.requesting();
        }
        self.agent_in_turn(agent, &call, &id, meta)?;
        self.cli.requesting()
    }

    fn agent_in_turn(&mut self, agent: &Agent, call: &str, id: &str, meta: Value) -> Played {
        let started = Instant::now();
        let run_id = self
            .cli
            .track
            .tasks
            .get(id)
            .map(|task| task.run_id.clone())
            .unwrap_or_default();
        let mut line = self
            .cli
            .user_line(&json!([{"type": "text", "text": agent.prompt}]), Some(call));
        about_agent(&mut line, agent, id);
        self.cli.say(&line)?;
        self.agent_calls(agent, call, id, &run_id)?;
        let usage = self.agent_usage(agent, agent.calls.len(), started);
        self.cli.task_updated(id, "completed")?;
        let line = self.cli.system(
            "task_notification",
            json!({"task_id": id, "run_id": run_id, "tool_use_id": call, "status": "completed", "output_file": "", "summary": agent.report, "usage": usage}),
        );
        self.cli.say(&line)?;
        let content = json!([{"type": "text", "text": agent.report}]);
        let data = json!({"status": "completed", "prompt": agent.prompt, "agentId": id, "agentType": agent.subagent_type, "content": content,
            "resolvedModel": self.cli.track.model, "totalDurationMs": usage["duration_ms"], "totalTokens": usage["total_tokens"],
            "totalToolUseCount": agent.calls.len()});
        self.cli
            .tool_result(call, &content, false, Some(data), meta)
    }

    /// The calls that a subagent makes, each under the subagent's own call.
    pub fn agent_calls(&mut self, agent: &Agent, parent: &str, id: &str, run_id: &Value) -> Played {
        let started = Instant::now();
        for (number, call) in agent.calls.iter().enumerate() {
            let nested = api_id("toolu");
            let input = self.input_of(call);
            let line = self.agent_line(
                json!({"type": "tool_use", "id": nested, "name": call.tool, "input": input}),
                agent,
                parent,
                id,
            );
            self.cli.say(&line)?;
            let doing = input
                .get("description")
                .or_else(|| input.get("file_path"))
                .or_else(|| input.get("pattern"))
                .and_then(Value::as_str);
            let usage = self.agent_usage(agent, number + 1, started);
            let fields = json!({"task_id": id, "run_id": run_id, "tool_use_id": parent, "description": format!("{} {}", call.tool, doing.unwrap_or_default()),
                "subagent_type": agent.subagent_type, "usage": usage, "last_tool_name": call.tool});
            let line = self.cli.system("task_progress", fields);
            self.cli.say(&line)?;
            let wanted = Wanted {
                id: &nested,
                tool: &call.tool,
                input: &input,
                ask: call.ask.as_ref(),
                agent_id: Some(id),
            };
            match self.permit(&wanted)? {
                // In a subagent it ends only that call here.
                Verdict::Stop => {
                    self.cli
                        .tool_denied(&nested, "The user stopped this call.", "user_reject")?
                }
                Verdict::No { words, source } => self.cli.tool_denied(&nested, &words, source)?,
                Verdict::Go {
                    input,
                    changed,
                    asked,
                } => {
                    self.take_time(call, &nested)?;
                    let Outcome {
                        content,
                        data,
                        error,
                    } = self.carry_out(call, &input, changed)?;
                    let source = if asked { "user_temporary" } else { "config" };
                    let meta =
                        json!({"permission_decision": {"decision": "accept", "source": source}});
                    self.cli
                        .tool_result(&nested, &content, error, Some(data), meta)?;
                    self.done.extend(call.set.clone());
                }
            }
        }
        Ok(())
    }

    /// An `assistant` line of a subagent.
    pub fn agent_line(&mut self, block: Value, agent: &Agent, parent: &str, id: &str) -> Value {
        let mut line = self.cli.assistant_line(block, Some(parent));
        about_agent(&mut line, agent, id);
        line
    }

    fn agent_usage(&self, agent: &Agent, calls: usize, started: Instant) -> Value {
        let elapsed = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        json!({"total_tokens": 900 + tokens(&agent.prompt) + 310 * calls as u64, "tool_uses": calls, "duration_ms": elapsed})
    }
}

fn about_agent(line: &mut Value, agent: &Agent, id: &str) {
    line["agent_id"] = json!(id);
    line["subagent_type"] = json!(agent.subagent_type);
    line["task_description"] = json!(agent.description);
}

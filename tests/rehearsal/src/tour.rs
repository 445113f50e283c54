//! The tour: a scripted conversation about a small project in a scratch folder. Edits are really made there when they are
//! allowed, and not when they are denied.

mod permit;
mod script;
mod tools;
mod turn;
mod work;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cli::{Cli, Played, Stop};
use crate::options::Pace;
use crate::scratch::Scratch;
use crate::speech::End;
use crate::tour::script::{Act, Step};
use crate::track::{Task, text};

/// Plays until the host closes stdin and nothing runs any more.
pub fn play(cli: &mut Cli) -> Played {
    let scratch = match Scratch::open(cli.options.folder.as_deref()) {
        Ok(scratch) => scratch,
        Err(error) => {
            eprintln!("error: the rehearsal's folder could not be made: {error}");
            return Err(Stop::Exit(1));
        }
    };
    let begun = cli.options.resumed;
    let mut tour = Tour {
        cli,
        scratch,
        begun,
        done: HashSet::new(),
        tasks: Vec::new(),
        rules: Vec::new(),
        answers: String::new(),
        jobs: Vec::new(),
        mode_before_plan: String::new(),
    };
    loop {
        if !tour.cli.prompts.is_empty() {
            tour.answer_prompts()?;
        } else if let Some(job) = tour.due_job() {
            tour.finish(job)?;
        } else if tour.cli.closed {
            if tour.jobs.is_empty() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(1));
        } else {
            let next = tour.jobs.iter().map(|job| job.due).min();
            let limit = next.map(|due| due.saturating_duration_since(Instant::now()));
            tour.cli.hear(limit)?;
        }
    }
}

struct Tour<'a> {
    cli: &'a mut Cli,
    scratch: Scratch,
    /// The first prompt was played.
    begun: bool,
    /// What was done, for `if` and `unless`.
    done: HashSet<String>,
    /// The state of each task of the list; the id is the place, from 1.
    tasks: Vec<String>,
    /// What the user allowed for the session: tool and content.
    rules: Vec<(String, Option<String>)>,
    /// What was answered to the newest questions.
    answers: String,
    jobs: Vec<Running>,
    mode_before_plan: String,
}

/// Work in the background.
struct Running {
    id: String,
    due: Instant,
    output_file: String,
    output: String,
    summary: String,
    /// A subagent's call.
    agent: Option<script::Agent>,
    then: Vec<Step>,
}

impl Tour<'_> {
    fn root(&self) -> String {
        self.scratch.root().to_string_lossy().into_owned()
    }

    /// All prompts that wait run as one turn.
    fn answer_prompts(&mut self) -> Played {
        let prompts: Vec<Value> = self.cli.prompts.drain(..).collect();
        self.cli.voice.prompt_uuids = prompts
            .iter()
            .filter_map(|prompt| prompt["uuid"].as_str().map(str::to_owned))
            .collect();
        for prompt in &prompts {
            self.cli.lifecycle(prompt, "started")?;
        }
        let mut steps = Vec::new();
        for prompt in &prompts {
            steps.extend(self.steps_for(&said(prompt))?);
        }
        match self.turn(&steps, &prompts) {
            Err(Stop::Interrupted) => self.cli.abort()?,
            played => played?,
        }
        for prompt in &prompts {
            self.cli.lifecycle(prompt, "completed")?;
        }
        Ok(())
    }

    fn steps_for(&mut self, prompt: &str) -> Result<Vec<Step>, Stop> {
        let asked = script::asked_for(prompt);
        let name = match asked {
            Some(word) => word,
            None if self.begun => "other",
            None => "everything",
        };
        self.begun = true;
        let mut steps = self.chapter(name)?;
        if asked.is_some() {
            self.done.clear();
            match self.scratch.restore() {
                Ok(true) => {
                    let words = "The project's files are back as they were at first.";
                    steps.insert(
                        0,
                        Step {
                            when: None,
                            unless: None,
                            act: Act::Say(words.to_owned()),
                        },
                    );
                }
                Ok(false) => {}
                Err(error) => eprintln!("the project's files could not be put back: {error}"),
            }
        }
        Ok(steps)
    }

    fn chapter(&self, name: &str) -> Result<Vec<Step>, Stop> {
        script::chapter(name, &self.root()).map_err(|reason| {
            eprintln!("error: the tour cannot be read: {reason}");
            Stop::Exit(1)
        })
    }

    fn due_job(&mut self) -> Option<Running> {
        // The host may have stopped it.
        let running = &self.cli.track.tasks;
        self.jobs.retain(|job| running.contains_key(&job.id));
        let now = Instant::now();
        let flat_out = self.cli.options.pace == Pace::Max;
        let due = self
            .jobs
            .iter()
            .position(|job| flat_out || job.due <= now)?;
        Some(self.jobs.remove(due))
    }

    /// A job in the background ends, and its end begins a turn.
    fn finish(&mut self, job: Running) -> Played {
        let Some(Task { call, run_id, .. }) = self.cli.track.tasks.get(&job.id).cloned() else {
            return Ok(());
        };
        if let (Some(agent), Some(call)) = (&job.agent, &call) {
            match self.agent_calls(agent, call, &job.id, &run_id) {
                // Nothing runs but the agent, so there is no turn to end.
                Err(Stop::Interrupted) => {}
                worked => worked?,
            }
            let line = self.agent_line(
                json!({"type": "text", "text": agent.report}),
                agent,
                call,
                &job.id,
            );
            self.cli.say(&line)?;
        }
        self.write_output(&job.output_file, &job.output)?;
        self.cli.task_updated(&job.id, "completed")?;
        let line = self.cli.system(
            "task_notification",
            json!({"task_id": job.id, "run_id": run_id, "tool_use_id": call, "status": "completed", "output_file": job.output_file, "summary": job.summary}),
        );
        self.cli.say(&line)?;
        self.cli.background_tasks()?;
        self.cli.voice.prompt_uuids.clear();
        self.cli.voice.origin =
            Some(json!({"kind": "task-notification", "producer": "session-task", "runId": run_id}));
        match self.turn(&job.then, &[]) {
            Err(Stop::Interrupted) => self.cli.abort(),
            played => played,
        }
    }

    fn turn(&mut self, steps: &[Step], prompts: &[Value]) -> Played {
        let cwd = self.root();
        self.cli.begin_turn(&cwd)?;
        if let Some(misbehaved) = self.misbehave()? {
            return self.cli.result(misbehaved);
        }
        self.cli.requesting()?;
        if self.cli.options.replay {
            for prompt in prompts {
                let mut line = self.cli.user_line(&prompt["message"]["content"], None);
                if prompt["uuid"].is_string() {
                    line["uuid"] = prompt["uuid"].clone();
                }
                line["isReplay"] = json!(true);
                self.cli.say(&line)?;
            }
        }
        let end = self.play_steps(steps)?;
        self.cli.end_message("end_turn")?;
        if end == End::Completed {
            self.stop_hook()?;
        }
        self.cli.result(end)
    }

    /// Streams many words, floods, or says a huge line, if it was told to.
    fn misbehave(&mut self) -> Result<Option<End<'static>>, Stop> {
        if let Some(words) = self.cli.options.words {
            self.cli.words(words)?;
            return Ok(Some(End::Completed));
        }
        let said = if let Some(rate) = self.cli.options.misbehaviour.flood {
            self.cli.requesting()?;
            self.cli.flood(rate, Duration::from_secs(2))?
        } else if let Some(mebibytes) = self.cli.options.misbehaviour.huge_line {
            self.cli.requesting()?;
            let huge = "0123456789abcde\n".repeat(mebibytes << 16);
            self.cli.whole_text(&huge)?;
            true
        } else {
            false
        };
        if said {
            self.cli.end_message("end_turn")?;
        }
        Ok(said.then_some(End::Completed))
    }

    /// The host may send the agent back once more before a turn ends.
    fn stop_hook(&mut self) -> Played {
        let mut active = false;
        let callbacks: Vec<String> = self
            .cli
            .hooks
            .iter()
            .filter(|hook| hook.event == "Stop")
            .flat_map(|hook| hook.callbacks.clone())
            .collect();
        for callback in callbacks {
            let input = self.hook_input(
                "Stop",
                json!({"stop_hook_active": active, "background_tasks": [], "session_crons": []}),
            );
            let request =
                json!({"subtype": "hook_callback", "callback_id": callback, "input": input});
            let crate::cli::Answer::Payload(payload) = self.cli.ask(request)? else {
                continue;
            };
            if payload["decision"] == "block" {
                active = true;
                let words = format!("Stop hook feedback:\n{}", text(&payload["reason"]));
                self.synthetic(&words)?;
                let line = self.cli.system("notification", json!({"key": "stop-hook-error", "text": "stop hook feedback", "priority": "immediate"}));
                self.cli.say(&line)?;
                self.cli.requesting()?;
                self.cli.text("The host sent me back to look at the workspace. This is a rehearsal, so I leave it as it is.")?;
                self.cli.end_message("end_turn")?;
            }
        }
        Ok(())
    }

    fn synthetic(&mut self, words: &str) -> Played {
        let mut line = self
            .cli
            .user_line(&json!([{"type": "text", "text": words}]), None);
        line["isSynthetic"] = json!(true);
        self.cli.say(&line)
    }
}

/// The text of a prompt.
fn said(prompt: &Value) -> String {
    match &prompt["message"]["content"] {
        Value::String(text) => text.clone(),
        blocks => {
            let texts = blocks
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|block| block["text"].as_str());
            texts.collect::<Vec<_>>().join("\n")
        }
    }
}

//! Whatever happens in whatever order: what has no process does not run, and every stop ends in stopped.

use proptest::prelude::*;

use super::*;

/// One thing that can happen, as far as it can happen at that moment.
#[derive(Debug, Clone, Copy)]
enum Happens {
    Prompt,
    Retry(bool),
    Interrupt,
    Stop,
    Finish,
    Resume,
    Started,
    NotStarted,
    Initialized,
    Init(bool),
    Text,
    Call,
    Question,
    Limited,
    Compacting,
    Background,
    Result(bool),
    Garbage,
    Gone,
    Exit(i32),
    Killed,
    Seconds(u64),
}

fn happens() -> impl Strategy<Value = Happens> {
    use Happens::*;
    prop_oneof![
        4 => Just(Prompt),
        1 => any::<bool>().prop_map(Retry),
        1 => Just(Interrupt),
        1 => Just(Stop),
        1 => Just(Finish),
        1 => Just(Resume),
        4 => Just(Started),
        1 => Just(NotStarted),
        4 => Just(Initialized),
        3 => prop::bool::weighted(0.9).prop_map(Init),
        2 => Just(Text),
        2 => Just(Call),
        1 => Just(Question),
        1 => Just(Limited),
        1 => Just(Compacting),
        1 => Just(Background),
        2 => any::<bool>().prop_map(Result),
        1 => Just(Garbage),
        1 => Just(Gone),
        1 => (0..2).prop_map(Exit),
        1 => Just(Killed),
        1 => (1u64..40).prop_map(Seconds),
    ]
}

/// The session and what surrounds it: whether it is being launched, and whether a process is there.
struct World {
    rig: Rig,
    launches: usize,
    alive: bool,
    stops: Vec<Outcome>,
}

impl World {
    fn new(restored: bool) -> Self {
        let rig = match restored {
            true => Rig::restored(request(Policy::Supervised), past()),
            false => Rig::new(request(Policy::Supervised)),
        };
        Self {
            rig,
            launches: 0,
            alive: false,
            stops: Vec::new(),
        }
    }

    /// A launch was ordered and has no outcome yet.
    fn launching(&self) -> bool {
        self.rig.plans.len() > self.launches && !self.rig.aborted
    }

    fn settle(&mut self) {
        if self.rig.aborted {
            // A launch that is given up may be followed by another one.
            let newest = self.rig.phase() == Phase::Starting;
            self.launches = self.rig.plans.len() - usize::from(newest);
            self.rig.aborted = false;
        }
        if std::mem::take(&mut self.rig.abandoned) {
            self.alive = false;
        }
    }

    fn line(&mut self, line: Value) {
        if self.alive {
            self.rig.line(line);
        }
    }

    fn exit(&mut self, code: Option<i32>, words: Option<&str>) {
        if !std::mem::take(&mut self.alive) {
            return;
        }
        if let Some(words) = words {
            self.rig.give(Input::Stderr(words.to_owned()));
        }
        let signal = code.is_none().then(|| "SIGKILL".to_owned());
        self.rig.give(Input::Exited(Exit { code, signal }));
    }

    fn happen(&mut self, what: Happens) {
        let system = |fields: Value| {
            let mut line = json!({ "type": "system", "session_id": "cli-1" });
            for (name, value) in fields.as_object().unwrap() {
                line[name] = value.clone();
            }
            line
        };
        match what {
            Happens::Prompt => drop(self.rig.prompt("go")),
            Happens::Retry(from_start) => {
                let at = (!from_start).then(|| "m-1".to_owned());
                self.rig.ask(|done| Command::Retry {
                    at,
                    text: "again".to_owned(),
                    images: Vec::new(),
                    uuid: "r".to_owned(),
                    done,
                });
            }
            Happens::Interrupt => drop(self.rig.ask(|done| Command::Interrupt { cancel_queued: false, done })),
            Happens::Stop => {
                let stop = self.rig.ask(|done| Command::Stop { done });
                self.stops.push(stop);
            }
            Happens::Finish => drop(self.rig.ask(|done| Command::Finish { done })),
            Happens::Resume => drop(self.rig.ask(|done| Command::Resume { done })),
            Happens::Started if self.launching() => {
                self.launches = self.rig.plans.len();
                self.alive = true;
                self.rig.launch();
            }
            Happens::NotStarted if self.launching() => {
                self.launches = self.rig.plans.len();
                self.rig.give(Input::Launched(Err(crate::launch::LaunchError::BypassAsRoot)));
            }
            Happens::Started | Happens::NotStarted => {}
            Happens::Initialized if self.alive => self.rig.initialized(),
            Happens::Initialized => {}
            Happens::Init(own) => {
                let id = if own { "cli-1" } else { "cli-2" };
                if self.alive {
                    self.rig.init_of(id);
                }
            }
            Happens::Text => self.line(json!({ "type": "assistant", "session_id": "cli-1", "parent_tool_use_id": null,
                "uuid": "a", "message": { "id": "m", "role": "assistant", "content": [{ "type": "text", "text": "w" }] } })),
            Happens::Call => self.line(json!({ "type": "assistant", "session_id": "cli-1", "parent_tool_use_id": null,
                "uuid": "b", "message": { "id": "n", "role": "assistant", "content": [{ "type": "tool_use", "id": "t1",
                "name": "Bash", "input": { "command": "ls" } }] } })),
            Happens::Question => {
                if self.alive {
                    let id = format!("q{}", self.rig.events.len());
                    self.rig.can_use_tool(&id, "Bash", json!({ "command": "ls" }));
                }
            }
            Happens::Limited => self.line(json!({ "type": "rate_limit_event", "rate_limit_info": { "status": "rejected" } })),
            Happens::Compacting => self.line(system(json!({ "subtype": "status", "status": "compacting" }))),
            Happens::Background => self.line(system(json!({ "subtype": "task_started", "task_id": "b",
                "task_type": "local_bash", "is_backgrounded": true }))),
            Happens::Result(good) => self.line(json!({ "type": "result", "subtype": "success", "is_error": !good,
                "result": "r", "num_turns": 1, "session_id": "cli-1" })),
            Happens::Garbage => {
                if self.alive {
                    self.rig.give(Input::Line(b"what is this".to_vec().into()));
                }
            }
            Happens::Gone => self.exit(Some(1), Some("No conversation found with session ID: cli-1")),
            Happens::Exit(code) => self.exit(Some(code), None),
            Happens::Killed => self.exit(None, None),
            Happens::Seconds(seconds) => self.rig.wait(seconds),
        }
        self.settle();
    }

    fn check(&self) {
        let info = self.rig.state.info();
        let without = matches!(info.phase, Phase::Starting | Phase::Stopped | Phase::Failed);
        assert!(self.alive || without, "{:?} without a process", info.phase);
        assert!(
            self.alive || !info.force_stop && info.waiting == 0,
            "nobody is asked for or forced"
        );
        if info.phase == Phase::Starting {
            assert!(self.alive || self.launching(), "nothing is being started");
        } else if matches!(info.phase, Phase::Stopped | Phase::Failed) {
            assert!(
                !self.alive && !self.launching(),
                "{:?} with a process",
                info.phase
            );
        }
        assert!(info.next_step.is_some());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn what_has_no_process_does_not_run_and_every_stop_ends_in_stopped(
        restored: bool,
        events in prop::collection::vec(happens(), 0..60),
    ) {
        let mut world = World::new(restored);
        world.check();
        for event in events {
            world.happen(event);
            world.check();
            let wants = matches!(event, Happens::Prompt | Happens::Retry(_) | Happens::Resume);
            prop_assert!(!wants || world.alive || world.rig.phase() == Phase::Starting);
        }
        // The last word is a stop: then nothing goes on, however the process takes it.
        world.happen(Happens::Stop);
        for _ in 0..10 {
            world.happen(Happens::Seconds(10));
        }
        world.check();
        prop_assert_eq!(world.rig.phase(), Phase::Stopped);
        for stop in world.stops {
            prop_assert_eq!(told(stop), Ok(()));
        }
    }
}

//! Plays a recorded conversation: says the CLI's lines word for word, and waits where the host's lines stand.

mod departure;
mod numbering;
mod reflect;
mod waiting;

use std::collections::{HashMap, HashSet};
use std::mem;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::cli::{Cli, Played, Stop};
use crate::host::HostLine;
use crate::misbehave;
use crate::options::Pace;
use crate::progress;
use crate::recording::{self, Recording, Step, What};
use crate::speech::End;
use crate::track::text;

/// Plays one process of the recording to its end, or again and again.
pub fn play(cli: &mut Cli, file: &Path, process: Option<usize>) -> Played {
    let read = || {
        recording::read(file).map_err(|reason| {
            eprintln!("error: {reason}");
            Stop::Exit(1)
        })
    };
    let mut recordings = read()?;
    let count = recordings.len();
    let folder = cli.options.folder.clone();
    let number = match (process, &cli.options.resume) {
        (Some(number), _) => number,
        (None, Some(id)) => progress::next(folder.as_deref(), id),
        (None, None) => 0,
    };
    if process.is_some_and(|number| number >= count) {
        let name = file.display();
        eprintln!("error: {name}: it holds {count} processes, there is no number {number}");
        return Err(Stop::Exit(1));
    }
    let (process, mut round) = (number % count, number / count);
    let mut recording = recordings.swap_remove(process);
    let recorded_id = recording.session_id().map(str::to_owned);
    let takes_another = cli.options.session_id.is_some() || cli.options.resumed;
    let id = match recorded_id.clone().filter(|_| !takes_another) {
        Some(recorded) => recorded,
        None => cli.track.session_id.clone(),
    };
    progress::begun(folder.as_deref(), &id, number);
    let renamed: Vec<_> = recorded_id
        .into_iter()
        .map(|recorded| (recorded, id.clone()))
        .collect();
    if !cli.options.repeat {
        return once(cli, recording, renamed, round)?.serve_until_closed();
    }
    for again in 0.. {
        once(
            cli,
            recording.without_end(again > 0),
            renamed.clone(),
            round,
        )?;
        round += 1;
        recording = read()?.swap_remove(process);
    }
    Ok(())
}

/// Plays the steps of a recording; `round` is how often it was played before.
fn once(
    cli: &mut Cli,
    recording: Recording,
    renamed: Vec<(String, String)>,
    round: usize,
) -> Result<Playback<'_>, Stop> {
    let mut playback = Playback {
        cli,
        steps: recording.steps,
        at: 0,
        round,
        clock: Clock {
            recorded: 0,
            real: Instant::now(),
        },
        renamed,
        requests: HashSet::new(),
        answers: HashMap::new(),
        skipped: HashSet::new(),
        changed: HashMap::new(),
        messages: HashMap::new(),
        departed: false,
        owes_close: false,
    };
    while playback.at < playback.steps.len() {
        match playback.step() {
            Err(Stop::Interrupted) => playback.interrupted()?,
            played => played?,
        }
    }
    Ok(playback)
}

struct Playback<'a> {
    cli: &'a mut Cli,
    steps: Vec<Step>,
    at: usize,
    /// How often the recording was played before.
    round: usize,
    clock: Clock,
    /// Recorded ids and those that the host uses in their place.
    renamed: Vec<(String, String)>,
    /// Requests of ours that were said and are not answered.
    requests: HashSet<String>,
    /// Answers that came, by request.
    answers: HashMap<String, Value>,
    /// Recorded requests of the host that this host did not make.
    skipped: HashSet<String>,
    /// Inputs that the host changed, by call.
    changed: HashMap<String, Value>,
    /// Words of denials that differ from the recorded ones, by call: recorded, actual.
    messages: HashMap<String, (String, String)>,
    /// The host did something else than the recording shows.
    departed: bool,
    /// The recording closed stdin in mid-turn; the host did not yet.
    owes_close: bool,
}

/// The moment on both clocks at which the newest step was done.
struct Clock {
    recorded: u64,
    real: Instant,
}

impl Playback<'_> {
    fn step(&mut self) -> Played {
        let step = &mut self.steps[self.at];
        let at = step.at;
        // Steps are played once; what was taken out is not needed again.
        let what = mem::replace(&mut step.what, What::Stderr(String::new()));
        match what {
            What::Out { raw, line } => {
                self.wait_until(at).inspect_err(|_| self.at += 1)?;
                self.at += 1;
                self.say(raw, line)
            }
            What::In(line) => {
                self.at += 1;
                let played = self.await_input(&line);
                self.clock = Clock {
                    recorded: at,
                    real: Instant::now(),
                };
                played
            }
            What::InRaw(raw) => {
                self.at += 1;
                let played = self.await_raw(&raw);
                self.clock = Clock {
                    recorded: at,
                    real: Instant::now(),
                };
                played
            }
            What::Closed => {
                self.at += 1;
                self.await_close()
            }
            What::Signal => {
                self.at += 1;
                if self.cli.track.in_turn {
                    Ok(())
                } else {
                    self.serve_until_closed()
                }
            }
            What::Stderr(words) => {
                self.wait_until(at).inspect_err(|_| self.at += 1)?;
                self.at += 1;
                eprintln!("{words}");
                Ok(())
            }
            What::Exit(code) => {
                self.wait_until(at).inspect_err(|_| self.at += 1)?;
                self.at += 1;
                if self.owes_close {
                    self.serve_until_closed()?;
                }
                let code = if self.departed && code >= 0 {
                    i32::from(self.cli.track.failed)
                } else {
                    code
                };
                if self.cli.options.misbehaviour.ignore_eof {
                    misbehave::hang();
                }
                Err(Stop::Exit(code))
            }
        }
    }

    /// Keeps the recording's time, hearing the host meanwhile.
    fn wait_until(&mut self, at: u64) -> Played {
        let gap = Duration::from_millis(at.saturating_sub(self.clock.recorded));
        let due = if self.cli.options.pace == Pace::Max {
            Instant::now()
        } else {
            self.clock.real + gap
        };
        while self.hear(Some(due.saturating_duration_since(Instant::now())))? {
            if self.cli.options.pace == Pace::Max {
                break;
            }
        }
        self.clock = Clock {
            recorded: at,
            real: Instant::now(),
        };
        Ok(())
    }

    fn say(&mut self, raw: String, line: Value) -> Played {
        if line["type"] == "control_response"
            && self.skipped.contains(text(&line["response"]["request_id"]))
        {
            return Ok(());
        }
        let (raw, line) = self.rename(raw, line);
        match line["type"].as_str() {
            Some("control_request") => {
                self.requests.insert(text(&line["request_id"]).to_owned());
            }
            Some("control_cancel_request") => {
                self.requests.remove(text(&line["request_id"]));
            }
            Some("user") => {
                if let Some(reflected) = self.reflect(&line) {
                    return self.cli.say(&reflected);
                }
            }
            _ => {}
        }
        self.cli.say_raw(&raw, &line)
    }

    fn rename(&self, raw: String, line: Value) -> (String, Value) {
        let mut renamed = raw;
        let mut touched = false;
        if self.round > 0 {
            renamed = numbering::numbered(&renamed, &line, self.round);
            touched = true;
        }
        for (recorded, actual) in &self.renamed {
            let word = json!(recorded).to_string();
            if recorded != actual && renamed.contains(&word) {
                renamed = renamed.replace(&word, &json!(actual).to_string());
                touched = true;
            }
        }
        let line = if touched {
            recording::value(&renamed)
        } else {
            line
        };
        (renamed, line)
    }

    /// Takes one line of the host that is not what the recording waits for. False if none came in time.
    fn hear(&mut self, limit: Option<Duration>) -> Result<bool, Stop> {
        match self.cli.next(limit) {
            None => Ok(false),
            Some(line) => self.take(line).map(|()| true),
        }
    }

    fn take(&mut self, line: HostLine) -> Played {
        match line {
            HostLine::Prompt(prompt) => self.cli.prompts.push_back(prompt),
            HostLine::Answer { id, response } => {
                if self.requests.contains(&id) {
                    self.answers.entry(id).or_insert(response);
                }
            }
            other => self.cli.take(other)?,
        }
        Ok(())
    }

    /// The host left before the recording's end.
    fn leave(&self) -> Stop {
        Stop::Exit(i32::from(self.cli.track.failed))
    }

    fn interrupted(&mut self) -> Played {
        self.cli.take_over_turn();
        self.cli.abort()?;
        self.skip_turn();
        Ok(())
    }

    /// Goes to the step after the result of the turn that is being played.
    fn skip_turn(&mut self) {
        self.departed = true;
        self.requests.clear();
        self.answers.clear();
        let rest = &self.steps[self.at..];
        let end = rest.iter().position(
            |step| matches!(&step.what, What::Out { line, .. } if line["type"] == "result"),
        );
        let gone = rest
            .iter()
            .position(|step| matches!(step.what, What::Exit(_) | What::Closed | What::Signal));
        self.at += match (end, gone) {
            (Some(end), Some(gone)) => (end + 1).min(gone),
            (Some(end), None) => end + 1,
            (None, Some(gone)) => gone,
            (None, None) => rest.len(),
        };
        if let Some(step) = self.steps.get(self.at) {
            self.clock = Clock {
                recorded: step.at,
                real: Instant::now(),
            };
        }
    }

    /// Nothing more is recorded before the host leaves: says so to whoever goes on asking.
    fn serve_until_closed(&mut self) -> Played {
        while !self.cli.closed {
            if let Some(prompt) = self.cli.prompts.pop_front() {
                match self.say_that_it_is_over(&prompt) {
                    Err(Stop::Interrupted) => self.cli.abort()?,
                    played => played?,
                }
            } else {
                self.hear(None)?;
            }
        }
        Ok(())
    }

    fn say_that_it_is_over(&mut self, prompt: &Value) -> Played {
        self.departed = true;
        let cwd = self.cli.track.cwd.clone();
        self.cli.take_over_turn();
        self.cli.lifecycle(prompt, "started")?;
        self.cli.begin_turn(&cwd)?;
        self.cli.requesting()?;
        self.cli
            .text("The recording ends here. It holds no answer to this prompt.")?;
        self.cli.end_message("end_turn")?;
        self.cli.result(End::Completed)?;
        self.cli.lifecycle(prompt, "completed")
    }
}

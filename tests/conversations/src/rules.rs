//! What holds for any input, however broken: nothing is lost, nothing is said twice, everything that begins ends once.

mod ends;
mod lost;
mod texts;

use kandev_transcript::{Emitted, Event, EventBody, SessionState};
use kandev_wire::FromCli;

use crate::json::{self, Parts};
use crate::play::{Played, Step};

/// Holds a played input to the rules; the first that is broken, in words.
///
/// # Errors
/// The rule and the line that broke it.
pub fn check(played: &Played) -> Result<(), String> {
    let steps: Vec<Read> = played.steps.iter().map(Read::new).collect();
    numbers(&played.events)?;
    states(&steps, &played.end)?;
    reads_back(&played.events)?;
    ends::calls(&played.events)?;
    ends::questions(&played.events)?;
    ends::results(&steps, &played.events)?;
    lost::lines(&steps)?;
    texts::once(&steps, &played.end)
}

/// A step with its line read.
struct Read<'a> {
    step: &'a Step,
    parts: Parts,
}

impl<'a> Read<'a> {
    fn new(step: &'a Step) -> Self {
        let parts = json::parts(&step.line);
        Self { step, parts }
    }

    fn bodies(&self) -> impl Iterator<Item = &'a EventBody> {
        self.step.events.iter().map(|event| &event.body)
    }

    /// Whether anything was said but that the session works or rests.
    fn told(&self) -> bool {
        self.bodies()
            .any(|body| !matches!(body, EventBody::SessionState { .. }))
    }
}

/// Lets the function see each line of the CLI that is a message.
fn each_message(step: &Read<'_>, mut see: impl FnMut(&str, &FromCli<'_>)) {
    for line in &step.parts.cli {
        if let Ok(message) = kandev_wire::read_text(line).from_cli() {
            see(line, &message);
        }
    }
}

fn numbers(events: &[Event]) -> Result<(), String> {
    match (1..).zip(events).find(|(seq, event)| event.seq != *seq) {
        Some((seq, event)) => Err(format!("{seq} has the number {}", event.seq)),
        None => Ok(()),
    }
}

/// A state is said when it is another one; each process begins anew.
fn states(steps: &[Read<'_>], end: &[Emitted]) -> Result<(), String> {
    let mut last: Option<SessionState> = None;
    let all = steps
        .iter()
        .map(|step| (&step.step.events[..], step.parts.starts));
    for (events, starts) in all.chain([(end, false)]) {
        for event in events {
            if let EventBody::SessionState { state } = event.body
                && last.replace(state) == Some(state)
            {
                return Err(format!("the state {state:?} twice in a row"));
            }
        }
        if starts {
            last = None;
        }
    }
    Ok(())
}

/// An event is the same for who hears it now and for who reads it later.
fn reads_back(events: &[Event]) -> Result<(), String> {
    for event in events {
        let json = serde_json::to_string(event).map_err(|error| format!("{error}: {event:?}"))?;
        let back: Event =
            serde_json::from_str(&json).map_err(|error| format!("{error} in {json}"))?;
        if back != *event {
            return Err(format!("{event:?} reads back as {back:?}"));
        }
        if json.contains('\n') {
            return Err(format!("more than one line: {json}"));
        }
    }
    Ok(())
}

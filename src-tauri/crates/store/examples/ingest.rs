//! What share of ingest the journal takes.
//!
//! Ingest is: lines of a conversation, as they come from the CLI's pipe, become numbered events (parsed, normalized). The same
//! conversation goes through it alone and with a journal beside it, flat out, in turns. With the journal, the ingesting thread
//! hands each event over, and a second thread takes what has come (at most 4,096 events, 5 ms apart, one batch at a time, as
//! the recorder does) and has it written. Printed are medians of
//! - the processor time of the ingesting thread: what the journal takes of it is the budget's share, and it does not depend on
//!   how busy the machine is (Linux; elsewhere the time that it is held up stands for it),
//! - the wall time until the last event is there, or kept; it needs a second processor that is free,
//! - the processor time of the whole program, the writer's thread included.
//!
//! `cargo run --release -p kandev-store --example ingest [MiB] [rounds]`

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use kandev_conversations as conversations;
use kandev_store::{Store, StoredSession};
use kandev_transcript::{Event, NoFiles, Transcript};

const TOGETHER: usize = 4_096;
const APART: Duration = Duration::from_millis(5);

#[derive(Default)]
struct Heard {
    waiting: Mutex<(Vec<Arc<Event>>, bool)>,
    bell: Condvar,
}

struct Run {
    wall: Duration,
    handing: Duration,
    cpu: Option<Duration>,
    /// Of the ingesting thread alone.
    own: Option<Duration>,
    events: u64,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let mib: u64 = args.next().map_or(Ok(32), |arg| arg.parse())?;
    let rounds: usize = args.next().map_or(Ok(5), |arg| arg.parse())?;
    let mut conversation = Vec::new();
    conversations::recorded_turn(mib << 20, &mut conversation)?;
    let folder = tempfile::tempdir()?;
    let (mut alone, mut kept) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        alone.push(ingest(&conversation, None)?);
        let opened = Store::open(&folder.path().join(round.to_string()));
        kept.push(ingest(&conversation, Some(&opened.store))?);
    }
    let wall = (
        median(&alone, |run| run.wall),
        median(&kept, |run| run.wall),
    );
    let handing = median(&kept, |run| run.handing);
    println!(
        "conversation: {mib} MiB, {} events, {rounds} rounds",
        kept[0].events
    );
    println!("ingest alone: {:.0} ms", ms(wall.0));
    println!("ingest with the journal: {:.0} ms", ms(wall.1));
    println!(
        "journal's share of the wall time: {:.3}",
        1.0 - ms(wall.0) / ms(wall.1)
    );
    println!(
        "share that the feeding thread is held up: {:.3}",
        ms(handing) / ms(wall.1)
    );
    let of = |runs: &[Run], time: fn(&Run) -> Option<Duration>| {
        let mut times = runs.iter().map(time).collect::<Option<Vec<_>>>()?;
        times.sort();
        Some(ms(times[times.len() / 2]))
    };
    let cpu: fn(&Run) -> Option<Duration> = |run| run.cpu;
    if let (Some(alone), Some(kept)) = (of(&alone, cpu), of(&kept, cpu)) {
        println!(
            "processor time of all threads: {alone:.0} ms alone, {kept:.0} ms with the journal"
        );
        println!("journal's share of that: {:.3}", 1.0 - alone / kept);
    }
    let own: fn(&Run) -> Option<Duration> = |run| run.own;
    if let (Some(alone), Some(kept)) = (of(&alone, own), of(&kept, own)) {
        println!(
            "processor time of the ingesting thread: {alone:.0} ms alone, {kept:.0} ms with the journal"
        );
        println!("journal's share of ingest: {:.3}", 1.0 - alone / kept);
    }
    Ok(())
}

fn ingest(conversation: &[u8], store: Option<&Store>) -> Result<Run, Box<dyn std::error::Error>> {
    if let Some(store) = store {
        store.put(&row())?;
    }
    let heard = Heard::default();
    let (began, cpu_before, own_before) = (Instant::now(), cpu(), own());
    let (events, handing, own) = std::thread::scope(|scope| {
        let writer = store.map(|store| scope.spawn(|| write(store, &heard)));
        let mut transcript = Transcript::new(Box::new(NoFiles));
        let (mut seq, mut handing) = (0, Duration::ZERO);
        let mut emitted = Vec::new();
        for line in conversation.split(|byte| *byte == b'\n') {
            transcript.cli_line(line, &mut emitted);
            let events: Vec<_> = emitted
                .drain(..)
                .map(|emitted| {
                    seq += 1;
                    let at = kandev_transcript::at(1_796_000_000_000 + seq);
                    Arc::new(Event::new(seq, at, emitted))
                })
                .collect();
            if store.is_some() && !events.is_empty() {
                let before = Instant::now();
                let mut waiting = heard.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                let sleeps = waiting.0.is_empty();
                waiting.0.extend(events);
                drop(waiting);
                if sleeps {
                    heard.bell.notify_one();
                }
                handing += before.elapsed();
            }
        }
        heard
            .waiting
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .1 = true;
        heard.bell.notify_one();
        let own = own().zip(own_before).map(|(after, before)| after - before);
        if let Some(writer) = writer {
            let kept = writer.join().map_err(|_| "the writer panicked")??;
            if kept != seq {
                return Err(format!("{kept} of {seq} events are kept").into());
            }
        }
        Ok::<_, Box<dyn std::error::Error + Send + Sync>>((seq, handing, own))
    })
    .map_err(|error| error.to_string())?;
    let wall = began.elapsed();
    let cpu = cpu().zip(cpu_before).map(|(after, before)| after - before);
    Ok(Run {
        wall,
        handing,
        cpu,
        own,
        events,
    })
}

fn write(store: &Store, heard: &Heard) -> Result<u64, Box<dyn std::error::Error + Send + Sync>> {
    let mut kept = 0;
    loop {
        let mut waiting = heard.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        while waiting.0.is_empty() && !waiting.1 {
            waiting = heard
                .bell
                .wait(waiting)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if waiting.0.is_empty() {
            return Ok(kept);
        }
        let some = waiting.0.len().min(TOGETHER);
        let batch: Vec<_> = waiting.0.drain(..some).collect();
        let (over, more) = (waiting.1, !waiting.0.is_empty());
        drop(waiting);
        let began = Instant::now();
        kept = store.append("bench", batch)?;
        if !over && !more {
            std::thread::sleep(APART.saturating_sub(began.elapsed()));
        }
    }
}

fn row() -> StoredSession {
    StoredSession {
        title: "bench".to_owned(),
        titled: true,
        workspace: "/".to_owned(),
        policy: Some(kandev_session::Policy::Supervised),
        ..StoredSession::bare("bench", kandev_store::Source::Kandev, "")
    }
}

fn median(runs: &[Run], of: impl Fn(&Run) -> Duration) -> Duration {
    let mut times: Vec<_> = runs.iter().map(of).collect();
    times.sort();
    times[times.len() / 2]
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// The processor time of this process, to a hundredth of a second.
fn cpu() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<u64>().ok();
    Some(Duration::from_millis((ticks()? + ticks()?) * 10))
}

/// The processor time of this thread.
fn own() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(
        stat.split_whitespace().next()?.parse().ok()?,
    ))
}

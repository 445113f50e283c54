//! Whether opening a session costs the same however long it is, and what the list of sessions costs.
//!
//! One database has sessions of 10, 10,000 and 1,000,000 events of the usual mixture, among 2,000 others. Opening is what a
//! window asks for: the row, the newest part of the journal with what stands there, and all of it as JSON. Each is measured on
//! a store that was just opened, the file being in the system's cache; printed are medians. A part of ten rows is the same work
//! for every length; one of 200 rows is what a window asks for, of which the shortest session has only ten. Jumps to the next
//! prompt, error, edit and question are measured by the hundred, one hundred in each direction.
//!
//! `cargo run --release -p kandev-store --example opening [events of the longest]`

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use kandev_conversations as conversations;
use kandev_store::{At, Mark, Store, StoredSession};
use kandev_transcript::{Emitted, Event, NoFiles, Transcript};

const ROUNDS: usize = 21;
const OTHERS: usize = 2_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let longest: u64 = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |arg| arg.parse())?;
    let lengths = [10, 10_000, longest];
    let folder = tempfile::tempdir()?;
    let began = Instant::now();
    fill(folder.path(), &lengths)?;
    let size = std::fs::metadata(folder.path().join("kandev.db"))?.len() >> 20;
    println!(
        "database: {size} MiB, written in {:.1} s",
        began.elapsed().as_secs_f64()
    );
    let opened = time(|| drop(Store::open(folder.path())));
    println!("opening the database: {:.1} ms", ms(opened));
    let list = measure(folder.path(), |store| Ok(store.sessions()?.len()))?;
    println!(
        "list of {} sessions: {:.1} ms",
        OTHERS + lengths.len(),
        ms(list)
    );
    for rows in [10, 200] {
        let mut times = Vec::new();
        for length in lengths {
            let time = measure(folder.path(), |store| open(store, length, At::End, rows))?;
            println!(
                "{length} events, {rows} rows at the end: {:.2} ms",
                ms(time)
            );
            times.push(ms(time));
        }
        println!(
            "ratio, {rows} rows: {:.2} : {:.2} : {:.2}",
            1.0,
            times[1] / times[0],
            times[2] / times[0]
        );
        println!(
            "ratio of the longest to 10,000 events, {rows} rows: {:.2}",
            times[2] / times[1]
        );
    }
    for part in [1, 50, 99] {
        let at = At::Around(longest / 100 * part);
        let time = measure(folder.path(), |store| open(store, longest, at, 200))?;
        println!(
            "200 rows of the longest around {part} % of it: {:.2} ms",
            ms(time)
        );
    }
    let mut times = Vec::new();
    for length in lengths {
        let time = measure(folder.path(), |store| jump(store, length))?;
        println!("{length} events, jumps: {:.3} ms", ms(time));
        times.push(ms(time));
    }
    println!(
        "ratio, jumps: {:.2} : {:.2} : {:.2}",
        1.0,
        times[1] / times[0],
        times[2] / times[0]
    );
    find(folder.path(), longest)?;
    if let Some(before) = resident() {
        let store = Store::open(folder.path()).store;
        open(&store, longest, At::End, 200)?;
        let after = resident().unwrap_or(before);
        println!(
            "memory for opening the longest: {} KiB",
            after.saturating_sub(before)
        );
    }
    Ok(())
}

fn open(
    store: &Store,
    length: u64,
    at: At,
    rows: usize,
) -> Result<usize, Box<dyn std::error::Error>> {
    let id = length.to_string();
    let row = store.session(&id)?.ok_or("no such session")?;
    let slice = store.open_at(&id, at, rows)?;
    if slice.events.is_empty() || row.last_seq != length {
        return Err("the session is not as it was written".into());
    }
    Ok(serde_json::to_string(&slice)?.len())
}

/// Looks through all of the longest session for a word that is not there.
fn find(folder: &Path, longest: u64) -> Result<(), Box<dyn std::error::Error>> {
    let store = Store::open(folder).store;
    let (id, began) = (longest.to_string(), Instant::now());
    let (mut after, mut questions, mut slowest) = (0, 0, Duration::ZERO);
    loop {
        let asked = Instant::now();
        let found = store.find_in(&id, "no such word", after, 100)?;
        slowest = slowest.max(asked.elapsed());
        questions += 1;
        after = found.through;
        if !found.more {
            break;
        }
    }
    println!(
        "a word that is not in the longest: {:.1} s in {questions} questions, the slowest {:.0} ms",
        began.elapsed().as_secs_f64(),
        ms(slowest)
    );
    Ok(())
}

/// To the prompt, error, edit and question before and after the middle, as often as a hand does not.
fn jump(store: &Store, length: u64) -> Result<usize, Box<dyn std::error::Error>> {
    let (id, mut found) = (length.to_string(), 0);
    for _ in 0..100 {
        for what in [Mark::Prompt, Mark::Error, Mark::Edit, Mark::Question] {
            for back in [false, true] {
                found += usize::from(store.mark(&id, what, length / 2, back)?.is_some());
            }
        }
    }
    Ok(found)
}

fn fill(folder: &Path, lengths: &[u64]) -> Result<(), Box<dyn std::error::Error>> {
    let store = Store::open(folder).store;
    let mixture = mixture()?;
    let mut said = mixture.iter().cycle();
    let mut session = |id: &str, length: u64| -> Result<(), Box<dyn std::error::Error>> {
        store.put(&row(id))?;
        let mut batch = Vec::new();
        for seq in 1..=length {
            let emitted = said.next().ok_or("nothing was said")?.clone();
            let at = kandev_transcript::at(1_796_000_000_000 + seq);
            batch.push(Arc::new(Event::new(seq, at, emitted)));
            if batch.len() == 1_000 || seq == length {
                store.append(id, std::mem::take(&mut batch))?;
            }
        }
        Ok(())
    };
    for length in lengths {
        session(&length.to_string(), *length)?;
    }
    for other in 0..OTHERS {
        session(&format!("other-{other}"), 10)?;
    }
    Ok(())
}

/// What is said in all recordings.
fn mixture() -> Result<Vec<Emitted>, Box<dyn std::error::Error>> {
    let mut lines = Vec::new();
    conversations::recorded_turn(4 << 20, &mut lines)?;
    let mut transcript = Transcript::new(Box::new(NoFiles));
    let mut emitted = Vec::new();
    for line in lines.split(|byte| *byte == b'\n') {
        transcript.cli_line(line, &mut emitted);
    }
    Ok(emitted)
}

/// The median over stores that were just opened.
fn measure(
    folder: &Path,
    what: impl Fn(&Store) -> Result<usize, Box<dyn std::error::Error>>,
) -> Result<Duration, Box<dyn std::error::Error>> {
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let store = Store::open(folder).store;
        let began = Instant::now();
        what(&store)?;
        times.push(began.elapsed());
    }
    times.sort();
    Ok(times[ROUNDS / 2])
}

fn time(what: impl FnOnce()) -> Duration {
    let began = Instant::now();
    what();
    began.elapsed()
}

fn row(id: &str) -> StoredSession {
    StoredSession {
        cli_session_id: Some(format!("cli-{id}")),
        title: id.to_owned(),
        titled: true,
        workspace: "/".to_owned(),
        policy: Some(kandev_session::Policy::Supervised),
        ..StoredSession::bare(id, kandev_store::Source::Kandev, "")
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// In KiB, where the system tells it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

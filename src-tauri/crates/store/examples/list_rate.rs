//! Measures what it takes to list the sessions of a folder and to open one: `list_rate FOLDER [SESSION]`. The folder is one
//! of the CLI's settings; `make_projects` writes such a folder.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use kandev_store::{Projects, Store, Terminal};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = args.first() else {
        eprintln!("usage: list_rate FOLDER [SESSION]");
        std::process::exit(2);
    };
    let data = std::env::temp_dir().join(format!("kandev-list-rate-{}", std::process::id()));
    measure(folder, args.get(1).map(String::as_str), &data);
    let _ = std::fs::remove_dir_all(&data);
}

fn measure(folder: &str, session: Option<&str>, data: &std::path::Path) {
    let opened = Store::open(data);
    for problem in &opened.problems {
        eprintln!("{problem}");
    }
    let list = |what: &str| {
        let begun = Instant::now();
        let terminal = opened.store.terminal(Projects::at([PathBuf::from(folder)]));
        let (recalled, took) = timed(|| {
            let _ = terminal.recall();
            terminal.list().unwrap_or_default().len()
        });
        println!(
            "{what}: {recalled} sessions known before, listed in {:.1} ms",
            took.as_secs_f64() * 1000.0
        );
        let first = first_step(&terminal);
        let (refreshed, took) = timed(|| terminal.refresh());
        if let Ok((at, rows)) = first.recv() {
            let at = at.duration_since(begun).as_secs_f64() * 1000.0;
            println!("{what}: {rows} sessions listed {at:.1} ms after the start");
        }
        if let Err(error) = refreshed {
            eprintln!("{error}");
        }
        let (list, listed) = timed(|| terminal.list().unwrap_or_default());
        let ms = |took: Duration| took.as_secs_f64() * 1000.0;
        println!(
            "{what}: {} sessions in {:.1} ms (looked at the files {:.1}, made the list {:.1})",
            list.len(),
            ms(took + listed),
            ms(took),
            ms(listed)
        );
        (terminal, list)
    };
    let (first_terminal, _) = list("cold");
    let (terminal, sessions) = list("warm");
    let again = timed(|| {
        (
            first_terminal.refresh().is_ok(),
            first_terminal.list().is_ok(),
        )
    })
    .1;
    println!(
        "unchanged, in the same program: {:.1} ms",
        again.as_secs_f64() * 1000.0
    );
    let largest = sessions.iter().max_by_key(|session| session.size_bytes);
    let Some(id) = session.or(largest.map(|session| session.id.as_str())) else {
        return;
    };
    let (tail, took) = timed(|| terminal.tail(id));
    println!(
        "end of {id}: {} events in {:.1} ms",
        tail.map_or(0, |events| events.len()),
        took.as_secs_f64() * 1000.0
    );
    let (followed, took) = timed(|| terminal.follow(id));
    let size = terminal.session(id).map_or(0, |session| session.size_bytes);
    println!(
        "into the journal: {} events, {size} bytes in {:.1} ms",
        followed.map_or(0, |followed| followed.last_seq),
        took.as_secs_f64() * 1000.0
    );
    let (_, took) = timed(|| terminal.follow(id));
    println!("once more: {:.1} ms", took.as_secs_f64() * 1000.0);
    let (owners, took) = timed(|| terminal.owners());
    println!(
        "owners: {} in {:.1} ms",
        owners.len(),
        took.as_secs_f64() * 1000.0
    );
}

/// When the first files were listed while others were still read, and how many; nothing if all were read at once.
fn first_step(terminal: &Terminal) -> Receiver<(Instant, usize)> {
    let (tell, told) = channel();
    let mut steps = terminal.steps();
    let terminal = terminal.clone();
    std::thread::spawn(move || {
        let give_up = Instant::now() + Duration::from_secs(1);
        while !steps.has_changed().unwrap_or(true) {
            if Instant::now() > give_up {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        steps.borrow_and_update();
        let rows = terminal.list().unwrap_or_default().len();
        let _ = tell.send((Instant::now(), rows));
    });
    told
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    let done = work();
    (done, begun.elapsed())
}

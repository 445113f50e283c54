//! How fast outputs become lines, against the same bytes when they are only looked at for line ends and for UTF-8.
//!
//! With a size, a file of so many MiB is made as well, and read through an index: how long the first look takes, how long
//! 200 lines take after it, and what of it is held.
//!
//! `cargo run --release -p kandev-transcript --example screen_rate [MIB]`

use std::fs::File;
use std::hint::black_box;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::time::{Duration, Instant};

use kandev_transcript::screen::{Index, Screen};

const BYTES: usize = 64 << 20;
/// The best of so many counts.
const RUNS: usize = 5;

fn main() -> io::Result<()> {
    if let Some(size) = std::env::args().nth(1).and_then(|size| size.parse().ok()) {
        large(size)?;
    }
    let plain = "test result::a_name_of_a_test_that_is_not_short ... ok in 0.01 s\n".to_owned();
    let coloured =
        "\u{1b}[32m   Compiling\u{1b}[0m some-crate v1.2.3 (/home/me/project/some-crate)\n"
            .to_owned();
    let bar = "\r\u{1b}[K    Building [=====>       ] 31/120: one, two, three".to_owned();
    let wide = "编译完成：一个不太长的测试名称，用时零点零一秒\n".to_owned();
    let drawn = "\u{1b}[2A\u{1b}[2K\ra: Pulling 12 MB\n\u{1b}[2K\rb: Pulling 34 MB\n".to_owned();
    for (name, line) in [
        ("plain", plain),
        ("coloured", coloured),
        ("a bar", bar),
        ("wide", wide),
        ("drawn over", drawn),
    ] {
        let output = line.repeat(BYTES / line.len());
        let bytes = output.as_bytes();
        let look = best(|| {
            let ends = memchr::memchr_iter(b'\n', bytes).count();
            black_box((ends, str::from_utf8(bytes).is_ok()));
        });
        let lines = best(|| {
            let mut screen = Screen::default();
            for piece in bytes.chunks(64 * 1024) {
                screen.feed(piece, &mut ());
            }
            black_box(screen.total());
        });
        let mut index = Index::default();
        let indexed = best(|| {
            index = Index::default();
            for piece in bytes.chunks(64 * 1024) {
                index.feed(piece);
            }
        });
        let middle = index.total() / 2;
        let part = best(|| {
            let (mut screen, range) = index.span(middle..middle + 200);
            screen.feed(&bytes[range.start as usize..range.end as usize], &mut ());
            black_box(screen.total());
        });
        let rate = |time: Duration| bytes.len() as f64 / 1e6 / time.as_secs_f64();
        println!(
            "{name:>10}: {:6.0} MB/s as lines, {:6.0} MB/s with an index, {:6.0} MB/s only looked at ({:.1} times as long); \
             200 lines from the middle in {:.3} ms",
            rate(lines),
            rate(indexed),
            rate(look),
            lines.as_secs_f64() / look.as_secs_f64(),
            part.as_secs_f64() * 1e3,
        );
    }
    Ok(())
}

fn large(mib: u64) -> io::Result<()> {
    let mut file = tempfile::tempfile()?;
    let lines: String = (0..10_000)
        .map(|n| format!("\u{1b}[2m12:00:{n:05}\u{1b}[0m a line of a log that is very long\n"))
        .collect();
    while file.metadata()?.len() < mib << 20 {
        file.write_all(lines.as_bytes())?;
    }
    let before = resident();
    let began = Instant::now();
    let mut index = Index::default();
    each(&mut file, 0, u64::MAX, |piece| index.feed(piece))?;
    let first = began.elapsed();
    let mut slowest = Duration::ZERO;
    for part in [0, 1, 2, 3, 4] {
        let from = (index.total() - 200) / 4 * part;
        let began = Instant::now();
        let (mut screen, range) = index.span(from..from + 200);
        each(&mut file, range.start, range.end, |piece| {
            screen.feed(piece, &mut ())
        })?;
        slowest = slowest.max(began.elapsed());
    }
    println!(
        "a file of {mib} MiB: {} lines after {:.2} s, 200 of them in {:.2} ms at most, {} KiB more in memory",
        index.total(),
        first.as_secs_f64(),
        slowest.as_secs_f64() * 1e3,
        resident()
            .zip(before)
            .map_or(0, |(after, before)| after.saturating_sub(before)),
    );
    Ok(())
}

fn each(file: &mut File, from: u64, to: u64, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    file.seek(SeekFrom::Start(from))?;
    let mut rest = file.take(to.saturating_sub(from));
    let mut piece = vec![0; 64 * 1024];
    loop {
        match rest.read(&mut piece)? {
            0 => return Ok(()),
            length => take(&piece[..length]),
        }
    }
}

/// In KiB, where the system tells it.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn best(mut work: impl FnMut()) -> Duration {
    let runs = (0..RUNS).map(|_| {
        let began = Instant::now();
        work();
        began.elapsed()
    });
    runs.min().unwrap_or_default()
}

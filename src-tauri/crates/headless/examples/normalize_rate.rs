//! How fast `kandev normalize` is: the rate on a long conversation against the rate at which `serde_json` merely validates
//! the same bytes, in the same run, and how much memory it took. The budget is a ratio of 0.2 and memory that stays flat.
//!
//! `cargo run --release -p kandev-headless --example normalize_rate [MEBIBYTES]`

#[allow(dead_code)]
#[path = "../src/normalize.rs"]
mod normalize;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

const ROUNDS: usize = 5;

fn main() -> anyhow::Result<()> {
    let mebibytes: u64 = match std::env::args().nth(1) {
        Some(size) => size.parse().context("the size is a number of MiB")?,
        None => 64,
    };
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/transcripts");
    for form in [Form::Plain, Form::Recorded] {
        let small = conversation(&recordings, form, 4 << 20)?;
        normalize::normalize(small, io::sink())?;
        let before = peak_memory();
        let file = conversation(&recordings, form, mebibytes << 20)?;
        let bytes = file.metadata()?.len();
        let (mut normalized, mut validated) = (Duration::MAX, Duration::MAX);
        for _ in 0..ROUNDS {
            validated = validated.min(timed(&file, validate)?);
            normalized =
                normalized.min(timed(&file, |file| normalize::normalize(file, io::sink()))?);
        }
        let rate = |time: Duration| bytes as f64 / time.as_secs_f64() / f64::from(1 << 20);
        println!(
            "{form:?}: {:.0} MiB, normalize {:.0} MiB/s, validate {:.0} MiB/s, ratio {:.2} (budget 0.2)",
            bytes as f64 / f64::from(1 << 20),
            rate(normalized),
            rate(validated),
            rate(normalized) / rate(validated),
        );
        match (before, peak_memory()) {
            (Some(before), Some(after)) => {
                println!("  peak memory {before} KiB after 4 MiB, {after} KiB after all")
            }
            _ => println!("  peak memory is not told on this system"),
        }
    }
    Ok(())
}

#[derive(Debug, Clone, Copy)]
enum Form {
    Plain,
    Recorded,
}

#[derive(Deserialize)]
struct Recorded<'a> {
    dir: String,
    #[serde(borrow)]
    line: &'a RawValue,
}

/// One long conversation from all recordings, over and over, with ids of its own each time.
fn conversation(recordings: &Path, form: Form, size: u64) -> anyhow::Result<File> {
    let mut names: Vec<_> = fs::read_dir(recordings)?.collect::<Result<_, _>>()?;
    names.sort_by_key(fs::DirEntry::path);
    let mut out = BufWriter::new(tempfile::tempfile()?);
    let (mut written, mut round) = (0, 0);
    while written < size {
        round += 1;
        for name in names
            .iter()
            .filter(|name| name.path().extension().is_some_and(|end| end == "ndjson"))
        {
            for line in fs::read_to_string(name.path())?.split_terminator('\n') {
                let line = match form {
                    Form::Recorded => line,
                    Form::Plain => match serde_json::from_str::<Recorded>(line)? {
                        Recorded { dir, line } if dir == "out" => line.get(),
                        _ => continue,
                    },
                };
                let line = line
                    .replace("toolu_", &format!("toolu_{round}_"))
                    .replace("msg_", &format!("msg_{round}_"));
                writeln!(out, "{line}")?;
                written += line.len() as u64 + 1;
            }
        }
    }
    let mut file = out.into_inner().map_err(|error| error.into_error())?;
    file.flush()?;
    Ok(file)
}

fn timed(mut file: &File, work: impl Fn(&File) -> io::Result<()>) -> io::Result<Duration> {
    file.rewind()?;
    let begun = Instant::now();
    work(file)?;
    Ok(begun.elapsed())
}

fn validate(file: &File) -> io::Result<()> {
    let mut input = BufReader::with_capacity(256 * 1024, file);
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        serde_json::from_slice::<IgnoredAny>(&line)?;
        line.clear();
    }
    Ok(())
}

/// The most memory that the process held so far, in KiB.
fn peak_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_ascii_whitespace().nth(1)?.parse().ok()
}

//! Benchmarks of the core as whole programs: memory over long streams, and the same bytes read by the official SDKs.
//!
//! `npm run bench` builds what is measured and calls this: `kandev-bench KANDEV FLAT_OUT SDKS [MIB]`. All rates are of one
//! run on one machine; only the ratios mean something elsewhere.

mod memory;
mod race;

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, ensure};

/// The programs that are measured.
struct Programs {
    kandev: PathBuf,
    flat_out: PathBuf,
    /// Where the SDKs were installed.
    sdks: PathBuf,
}

fn main() -> Result<()> {
    let mut args = std::env::args_os().skip(1);
    let mut path = |what: &str| {
        args.next()
            .map(PathBuf::from)
            .with_context(|| format!("{what} is missing"))
    };
    let programs = Programs {
        kandev: path("the path of kandev")?,
        flat_out: path("the path of the stand-in")?,
        sdks: path("the folder of the SDKs")?,
    };
    let size = match args.next() {
        Some(size) => size
            .to_string_lossy()
            .parse()
            .context("the size is a number of MiB")?,
        None => 64,
    };
    println!("memory: `kandev normalize` at the end of a pipe");
    for mebibytes in [64, 1024] {
        normalize(&programs, mebibytes)?;
    }
    println!("memory: `kandev run --json`, one turn of a CLI that floods it");
    for mebibytes in [64, 256] {
        run(&programs, mebibytes)?;
    }
    race::race(&programs, size)
}

fn normalize(programs: &Programs, mebibytes: u64) -> Result<()> {
    let begun = Instant::now();
    let mut child = Command::new(&programs.kandev)
        .arg("normalize")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .context("kandev does not start")?;
    let mut stdin = child.stdin.take().context("no pipe")?;
    let (mut written, mut number) = (0, 0);
    while written < mebibytes << 20 {
        let turn = kandev_conversations::turn(number).plain();
        stdin.write_all(turn.as_bytes())?;
        written += turn.len() as u64;
        number += 1;
    }
    drop(stdin);
    told(mebibytes, begun, memory::wait(child)?)
}

fn run(programs: &Programs, mebibytes: u64) -> Result<()> {
    let home = tempfile::tempdir()?;
    let begun = Instant::now();
    let child = race::alone(&programs.kandev, home.path())
        .args(["run", "--json", "--policy", "rules", "--workspace"])
        .arg(home.path())
        .arg("--cli")
        .arg(&programs.flat_out)
        .arg("go")
        .env("KANDEV_BENCH_TURNS", mebibytes.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .context("kandev does not start")?;
    told(mebibytes, begun, memory::wait(child)?)
}

fn told(mebibytes: u64, begun: Instant, (code, peak): (i32, Option<u64>)) -> Result<()> {
    ensure!(code == 0, "kandev ended with {code}");
    let seconds = begun.elapsed().as_secs_f64();
    let peak = peak.map_or("not told on this system".to_owned(), |kib| {
        format!("{:.1} MiB", kib as f64 / 1024.0)
    });
    println!("  {mebibytes:>5} MiB  peak {peak:>12}  in {seconds:.1} s");
    Ok(())
}

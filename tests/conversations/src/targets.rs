//! What the fuzz targets call, one function each. A panic is a finding.

use std::sync::LazyLock;

use kandev_transcript::screen::{Index, Line, OutputLine, Screen};
use kandev_wire::{Frame, Framer};

use crate::{Mutation, check, cli_lines, live, mutate, play, recordings, turn};

/// Recordings up to this length are seeds, in bytes.
const SMALL: usize = 45_000;

/// Takes any bytes and panics if a rule is broken.
pub type Target = fn(&[u8]);

/// Every target, by the name of its file in `tests/fuzz/fuzz_targets`.
pub const ALL: [(&str, Target); 4] = [
    ("decoder", decoder),
    ("normalizer", normalizer),
    ("mutated", mutated),
    ("screen", screen),
];

/// What a fuzzer begins with.
///
/// # Errors
/// The recordings cannot be read.
pub fn seeds(target: &str) -> std::io::Result<Vec<Vec<u8>>> {
    let small = recordings()?
        .into_values()
        .filter(|bytes| bytes.len() < SMALL);
    let mut seeds = Vec::new();
    if target == "mutated" {
        // A conversation, and one deed of each kind somewhere in it.
        for number in 0..256_u16 {
            let [seed, spread] = [number, number.wrapping_mul(40_503)].map(u16::to_le_bytes);
            let deed = number.to_le_bytes()[0];
            seeds.push([&seed[..], &[deed], &spread, &spread, &seed].concat());
        }
        return Ok(seeds);
    }
    if target == "screen" {
        let cases = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/screens.json"))?;
        let cases: Vec<serde_json::Value> = serde_json::from_slice(&cases)?;
        let inputs = cases.iter().filter_map(|case| case["input"].as_str());
        seeds.extend(inputs.map(|input| input.as_bytes().to_vec()));
    }
    for bytes in small {
        seeds.push(cli_lines(&bytes));
        seeds.push(bytes);
    }
    for number in 0..8 {
        seeds.push(turn(number).plain().into_bytes());
        seeds.push(turn(number).recorded().into_bytes());
    }
    Ok(seeds)
}

/// What a program prints into lines: any cut gives the same, and so does an index of it.
pub fn screen(data: &[u8]) {
    let cut = data.first().map_or(1, |byte| usize::from(*byte) + 1);
    let whole = lines_of([data]);
    assert_eq!(lines_of(data.chunks(cut)), whole, "pieces of {cut}");
    let mut index = Index::default();
    data.chunks(cut).for_each(|piece| index.feed(piece));
    let from = data
        .last()
        .map_or(0, |byte| usize::from(*byte) % (whole.len() + 1));
    let (mut screen, bytes) = index.span(from as u64..whole.len() as u64);
    let mut lines = Vec::new();
    let mut take = |number: u64, line: Line<'_>| {
        if number >= from as u64 {
            lines.push(line.to_output());
        }
    };
    screen.feed(&data[bytes.start as usize..bytes.end as usize], &mut take);
    screen.end(&mut take);
    screen.rest(&mut take);
    assert_eq!(lines, whole[from..], "lines from {from} on");
}

fn lines_of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Vec<OutputLine> {
    let mut lines = Vec::new();
    let mut take = |_: u64, line: Line<'_>| lines.push(line.to_output());
    let mut screen = Screen::default();
    for piece in pieces {
        screen.feed(piece, &mut take);
    }
    screen.end(&mut take);
    screen.rest(&mut take);
    lines
}

/// Bytes into lines into messages: any cut gives the same lines, no byte is lost, and all JSON objects can be read.
pub fn decoder(data: &[u8]) {
    let cut = data.first().map_or(1, |byte| usize::from(*byte) + 1);
    let whole = frames(usize::MAX, [data]);
    assert_eq!(
        frames(usize::MAX, data.chunks(cut)),
        whole,
        "pieces of {cut}"
    );
    let mut rest = data;
    for (line, _) in &whole {
        rest = rest
            .strip_prefix(line.as_slice())
            .expect("the line as it came");
        rest = rest
            .strip_prefix(b"\r\n")
            .or(rest.strip_prefix(b"\n"))
            .unwrap_or(rest);
        message(line);
    }
    assert!(matches!(rest, [] | b"\r"), "left over: {rest:?}");
    for (limited, full) in frames(cut, data.chunks(7)).iter().zip(&whole) {
        let too_long = limited.1.is_some();
        assert!(full.0.starts_with(&limited.0), "{limited:?} of {full:?}");
        assert!(too_long || limited.0 == full.0, "{limited:?} of {full:?}");
        assert!(limited.1.is_none_or(|bytes| bytes >= full.0.len() as u64));
    }
}

fn message(line: &[u8]) {
    let line = kandev_wire::read(line);
    let (from, to) = (line.from_cli().is_ok(), line.to_cli().is_ok());
    let valid = serde_json::from_str::<serde::de::IgnoredAny>(line.json()).is_ok();
    let object = line.raw().trim_ascii_start().starts_with('{');
    assert!(
        valid && object || !(from || to),
        "read though it is no object: {line:?}"
    );
    // Written again, so that no key comes twice.
    if let Ok(value @ serde_json::Value::Object(_)) = serde_json::from_str(line.json()) {
        let again = value.to_string();
        let again = kandev_wire::read_text(&again);
        assert!(
            again.from_cli().is_ok(),
            "{again:?}: {:?}",
            again.from_cli().err()
        );
        assert!(
            again.to_cli().is_ok(),
            "{again:?}: {:?}",
            again.to_cli().err()
        );
    }
}

/// The kept bytes of each line, and its length if that is more than was kept.
fn frames<'a>(
    limit: usize,
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> Vec<(Vec<u8>, Option<u64>)> {
    let mut framer = Framer::new(limit);
    let mut all = Vec::new();
    let mut take = |frame: Frame<'_>| {
        all.push(match frame {
            Frame::Line(line) => (line.to_vec(), None),
            Frame::Skipped { bytes, head } => (head.to_vec(), Some(bytes)),
        });
    };
    for piece in pieces {
        framer.push(piece, &mut take);
    }
    framer.finish(&mut take);
    all
}

/// Any bytes as a conversation, in whichever form each line has.
pub fn normalizer(data: &[u8]) {
    sound(data);
}

/// A recorded conversation, chosen by the first bytes and damaged as the others say.
pub fn mutated(data: &[u8]) {
    static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
        let recordings = recordings().expect("the recordings can be read");
        let small = recordings.into_values().filter(|bytes| bytes.len() < SMALL);
        small.flat_map(|bytes| [cli_lines(&bytes), bytes]).collect()
    });
    let [low, high, deeds @ ..] = data else {
        return;
    };
    let seed = usize::from(u16::from_le_bytes([*low, *high])) % SEEDS.len();
    sound(&mutate(&SEEDS[seed], Mutation::from_bytes(deeds).take(32)));
}

fn sound(bytes: &[u8]) {
    let played = play(bytes);
    if let Err(broken) = check(&played) {
        panic!("{broken}");
    }
    assert_eq!(play(bytes), played, "the same input gives the same events");
    let (live, recorded) = live(bytes);
    let history: Vec<_> = play(&recorded).into_emitted();
    assert_eq!(live, history, "a session as it lives and as it is played");
}

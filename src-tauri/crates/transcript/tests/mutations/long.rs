//! Lines that are longer than most readers of lines take.

use kandev_conversations::{check, play_pieces};
use kandev_transcript::{EventBody, NoFiles, Replay, Transcript};
use kandev_wire::{Frame, Framer};
use serde_json::json;

const MIB: usize = 1 << 20;

fn line(text: &str) -> String {
    let block = json!({ "type": "text", "text": text });
    format!(
        "{}\n",
        json!({ "type": "assistant", "uuid": "u", "message": { "id": "m", "content": [block] } })
    )
}

#[test]
fn a_line_of_32_mebibytes_is_read_whole_and_so_is_the_next() {
    let long = "潮 😀 ".repeat(32 * MIB / "潮 😀 ".len());
    let bytes = line(&long) + &line("next");
    let played = play_pieces(bytes.as_bytes().chunks(64 * 1024));
    assert_eq!(check(&played), Ok(()));
    let texts: Vec<&str> = played
        .events
        .iter()
        .filter_map(|event| match &event.body {
            EventBody::MessageChunk { text, .. } => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert!(texts == [&long, "next"], "{} texts", texts.len());
}

#[test]
fn a_line_over_the_limit_leaves_a_marker_and_the_session_lives() {
    let bytes = line(&"x".repeat(3 * MIB)) + &line("next");
    let mut framer = Framer::new(MIB);
    let mut replay = Replay::new(Transcript::new(Box::new(NoFiles)));
    let mut emitted = Vec::new();
    for piece in bytes.as_bytes().chunks(64 * 1024) {
        framer.push(piece, |frame| match frame {
            Frame::Line(line) => replay.line(line, &mut emitted),
            Frame::Skipped { bytes, head } => replay.line_skipped(bytes, head, &mut emitted),
        });
    }
    replay.finish(&mut emitted);
    let bodies: Vec<&EventBody> = emitted.iter().map(|event| &event.body).collect();
    let [
        EventBody::Unrecognized { raw },
        EventBody::MessageChunk { text, .. },
    ] = bodies[..]
    else {
        panic!("{} events", bodies.len())
    };
    assert!(
        raw.contains("too long to keep") && raw.len() < 2048,
        "{raw}"
    );
    assert!(
        raw.contains(r#"{"type":"assistant""#) || raw.contains("\"uuid\":\"u\""),
        "{raw}"
    );
    assert_eq!(text, "next");
}

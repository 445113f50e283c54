//! The lines of a conversation, redacted in order. A text that streams is cut anywhere, so a secret may be cut too: the
//! pieces of one block are held back until it ends, and are redacted as the one text that they are.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::{Change, Redactor};

/// What is held back at most, in bytes and lines. Beyond that a block is taken as ended.
const HELD_BYTES: usize = 8 << 20;
const HELD_LINES: usize = 50_000;

/// What kind of lines they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The CLI's and the host's.
    Raw,
    /// Our events.
    Events,
}

/// Redacts lines; each comes out with what it was given with, in the order in which they went in.
pub struct Lines<T> {
    redactor: Arc<Redactor>,
    form: Form,
    held: VecDeque<Held<T>>,
    bytes: usize,
    /// Blocks that have not ended.
    open: Vec<Block>,
}

struct Held<T> {
    with: T,
    line: String,
    piece: Option<Piece>,
}

/// A piece of a text that streams.
#[derive(Debug)]
struct Piece {
    block: Block,
    /// Where it stands in the line.
    place: &'static [&'static str],
    text: String,
    /// The block has ended, and this is the text in this piece's place, if it is another.
    settled: Option<Option<String>>,
}

/// Who streams it, and which of its blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Block {
    parent: String,
    name: String,
}

/// What a line means for the blocks that are open.
enum Class {
    Piece(Piece),
    Ends(Block),
    EndsAllOf(String),
    EndsAll,
    Other,
}

impl<T> Lines<T> {
    pub fn new(redactor: Arc<Redactor>, form: Form) -> Self {
        Self {
            redactor,
            form,
            held: VecDeque::new(),
            bytes: 0,
            open: Vec::new(),
        }
    }

    /// Takes a line and gives back those that are ready.
    pub fn push(&mut self, with: T, line: &str) -> Vec<(T, String)> {
        let class = match self.form {
            Form::Raw => raw(line, !self.open.is_empty()),
            Form::Events => event(line, !self.open.is_empty()),
        };
        let piece = match class {
            Class::Piece(piece) => {
                if self.form == Form::Events {
                    let others =
                        |open: &Block| open.parent == piece.block.parent && *open != piece.block;
                    self.end(others);
                }
                if !self.open.contains(&piece.block) {
                    self.open.push(piece.block.clone());
                }
                Some(piece)
            }
            Class::Ends(block) => {
                self.end(|open| *open == block);
                None
            }
            Class::EndsAllOf(parent) => {
                self.end(|open| open.parent == parent);
                None
            }
            Class::EndsAll => {
                self.end(|_| true);
                None
            }
            Class::Other => None,
        };
        self.bytes += line.len();
        // What is no piece is redacted by itself, and a piece once its block is known.
        let line = match piece {
            Some(_) => line.to_owned(),
            None => self.redactor.line(line).into_owned(),
        };
        self.held.push_back(Held { with, line, piece });
        if self.bytes > HELD_BYTES || self.held.len() > HELD_LINES {
            self.end(|_| true);
        }
        self.ready()
    }

    /// There will be no more lines: the rest.
    pub fn finish(&mut self) -> Vec<(T, String)> {
        self.end(|_| true);
        self.ready()
    }

    fn ready(&mut self) -> Vec<(T, String)> {
        let mut ready = Vec::new();
        while let Some(first) = self.held.front() {
            if first
                .piece
                .as_ref()
                .is_some_and(|piece| piece.settled.is_none())
            {
                break;
            }
            let Some(Held { with, line, piece }) = self.held.pop_front() else {
                break;
            };
            let line = match piece {
                Some(piece) => self.line_of(&line, piece),
                None => line,
            };
            ready.push((with, line));
        }
        if self.held.is_empty() {
            self.bytes = 0;
        }
        ready
    }

    /// The text of a piece is judged within its block alone, the rest of its line by itself.
    fn line_of(&self, line: &str, piece: Piece) -> String {
        let settled = piece.settled.flatten();
        let Some(frame) = put(line, piece.place, String::new()) else {
            return self.redactor.line(line).into_owned();
        };
        let text = match (self.redactor.line(&frame), &settled) {
            (Cow::Borrowed(_), None) => return line.to_owned(),
            (frame, _) => put(&frame, piece.place, settled.unwrap_or(piece.text)),
        };
        // The frame was JSON with this place in it, and still is.
        text.unwrap_or_default()
    }

    fn end(&mut self, which: impl Fn(&Block) -> bool) {
        let (ended, open) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|block| which(block));
        self.open = open;
        let ended: Vec<Block> = ended;
        for block in &ended {
            self.settle(block);
        }
    }

    /// Redacts a block as the one text that its pieces are.
    fn settle(&mut self, block: &Block) {
        let is_of_it = |piece: &&mut Piece| piece.block == *block && piece.settled.is_none();
        let pieces = self.held.iter_mut().filter_map(|held| held.piece.as_mut());
        let mut pieces: Vec<&mut Piece> = pieces.filter(is_of_it).collect();
        let whole: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
        let changes = self.redactor.changes(&whole);
        let mut start = 0;
        for piece in &mut pieces {
            let end = start + piece.text.len();
            piece.settled = Some(part(&whole, &changes, start, end));
            start = end;
        }
    }
}

/// One piece of the changed text; nothing if it is as it was. What comes in the place of a secret stands where it began.
fn part(whole: &str, changes: &[Change], start: usize, end: usize) -> Option<String> {
    let mut touching = changes
        .iter()
        .filter(|(range, _)| range.start < end && start < range.end)
        .peekable();
    touching.peek()?;
    let mut text = String::new();
    let mut copied = start;
    for (range, with) in touching {
        if range.start >= start {
            text.push_str(&whole[copied..range.start]);
            text.push_str(with);
        }
        copied = range.end.min(end);
    }
    text.push_str(&whole[copied..end]);
    Some(text)
}

fn put(line: &str, place: &[&str], text: String) -> Option<String> {
    let mut value: Value = serde_json::from_str(line).ok()?;
    let mut at = &mut value;
    for name in place {
        at = at.get_mut(name)?;
    }
    *at = Value::String(text);
    serde_json::to_string(&value).ok()
}

fn raw(line: &str, any_open: bool) -> Class {
    #[derive(Deserialize)]
    struct Frame<'a> {
        #[serde(borrow, rename = "type")]
        kind: Cow<'a, str>,
        #[serde(default, borrow)]
        parent_tool_use_id: Option<Cow<'a, str>>,
        #[serde(default, borrow)]
        event: Option<Stream<'a>>,
    }
    #[derive(Deserialize)]
    struct Stream<'a> {
        #[serde(borrow, rename = "type")]
        kind: Cow<'a, str>,
        #[serde(default)]
        index: u64,
        #[serde(default, borrow)]
        delta: Option<Delta<'a>>,
    }
    #[derive(Deserialize)]
    struct Delta<'a> {
        #[serde(default, borrow)]
        text: Option<Cow<'a, str>>,
        #[serde(default, borrow)]
        thinking: Option<Cow<'a, str>>,
        #[serde(default, borrow)]
        partial_json: Option<Cow<'a, str>>,
    }
    if !any_open && !line.contains("content_block_delta") {
        return Class::Other;
    }
    let Ok(frame) = serde_json::from_str::<Frame<'_>>(line) else {
        return Class::Other;
    };
    let parent = frame.parent_tool_use_id.unwrap_or_default().into_owned();
    let stream = match (&*frame.kind, frame.event) {
        ("stream_event", Some(stream)) => stream,
        ("assistant", _) => return Class::EndsAllOf(parent),
        ("result", _) => return Class::EndsAll,
        _ => return Class::Other,
    };
    let block = Block {
        parent,
        name: stream.index.to_string(),
    };
    match (&*stream.kind, stream.delta) {
        ("content_block_delta", Some(delta)) => {
            let found = [
                (delta.text, &["event", "delta", "text"]),
                (delta.thinking, &["event", "delta", "thinking"]),
                (delta.partial_json, &["event", "delta", "partial_json"]),
            ];
            let found = found
                .into_iter()
                .find_map(|(text, place)| Some((text?, place)));
            match found {
                Some((text, place)) => Class::Piece(Piece {
                    block,
                    place,
                    text: text.into_owned(),
                    settled: None,
                }),
                None => Class::Other,
            }
        }
        ("content_block_start" | "content_block_stop", _) => Class::Ends(block),
        ("message_start" | "message_stop", _) => Class::EndsAllOf(block.parent),
        _ => Class::Other,
    }
}

fn event(line: &str, any_open: bool) -> Class {
    #[derive(Deserialize)]
    struct Event<'a> {
        #[serde(borrow, rename = "type")]
        kind: Cow<'a, str>,
        #[serde(default, borrow)]
        parent_tool_call_id: Option<Cow<'a, str>>,
        #[serde(default, borrow)]
        message_id: Option<Cow<'a, str>>,
        #[serde(default, borrow)]
        text: Option<Cow<'a, str>>,
        #[serde(default, borrow)]
        reasoning_text: Option<Cow<'a, str>>,
    }
    let streams = line.contains(r#""message_chunk""#) || line.contains(r#""reasoning""#);
    if !any_open && !streams {
        return Class::Other;
    }
    let Ok(event) = serde_json::from_str::<Event<'_>>(line) else {
        return Class::Other;
    };
    let parent = event.parent_tool_call_id.unwrap_or_default().into_owned();
    let (text, place): (_, &[&str]) = match &*event.kind {
        "message_chunk" => (event.text, &["text"]),
        "reasoning" => (event.reasoning_text, &["reasoning_text"]),
        "complete" | "session_ended" => return Class::EndsAll,
        "tool_call" | "message_discarded" | "user_message" => return Class::EndsAllOf(parent),
        _ => return Class::Other,
    };
    Class::Piece(Piece {
        block: Block {
            parent,
            name: format!("{} {}", event.kind, event.message_id.unwrap_or_default()),
        },
        place,
        text: text.unwrap_or_default().into_owned(),
        settled: None,
    })
}

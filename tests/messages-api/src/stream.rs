//! A reply as the API streams it: server-sent events. And the same in one piece, for a request without `stream`.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame};
use serde_json::{Value, json};
use tokio::sync::mpsc::{self, Receiver, Sender};

use crate::script::{Reply, Step};

static COUNT: AtomicU64 = AtomicU64::new(1);

fn number() -> u64 {
    COUNT.fetch_add(1, Ordering::Relaxed)
}

/// The connection's failure, as the server makes it happen.
#[derive(Debug)]
pub struct Broken;

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the script breaks the connection here")
    }
}

impl std::error::Error for Broken {}

/// The body of a streamed answer.
pub struct Streamed {
    pieces: Receiver<Piece>,
    breaking: bool,
}

/// What the body does next.
pub enum Piece {
    Data(Bytes),
    Break,
}

pub fn body() -> (Sender<Piece>, Streamed) {
    let (sender, pieces) = mpsc::channel(16);
    (
        sender,
        Streamed {
            pieces,
            breaking: false,
        },
    )
}

impl Body for Streamed {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        if self.breaking {
            return Poll::Ready(Some(Err(Broken)));
        }
        match self.pieces.poll_recv(context) {
            Poll::Ready(Some(Piece::Data(bytes))) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            Poll::Ready(Some(Piece::Break)) => {
                // What was said before goes out while nothing is ready; then the connection breaks.
                self.breaking = true;
                context.waker().wake_by_ref();
                Poll::Pending
            }
            Poll::Ready(None) => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    }
}

/// The client left.
struct Gone;

/// Streams a reply to its end, or until the client leaves.
pub async fn stream(reply: Reply, model: &str, body: Sender<Piece>) {
    let stream = Stream { body: &body };
    if matches!(play(stream, &reply, model).await, Ok(true)) {
        // A client that left needs no broken connection.
        let _ = body.send(Piece::Break).await;
    }
}

struct Stream<'a> {
    body: &'a Sender<Piece>,
}

impl Stream<'_> {
    async fn event(&mut self, data: Value) -> Result<(), Gone> {
        let kind = data["type"].as_str().unwrap_or_default();
        let event = format!("event: {kind}\ndata: {data}\n\n");
        let piece = Piece::Data(Bytes::from(event));
        self.body.send(piece).await.map_err(|_| Gone)
    }

    async fn block(
        &mut self,
        index: usize,
        start: Value,
        deltas: Vec<Value>,
        pause: Duration,
    ) -> Result<(), Gone> {
        self.event(json!({"type": "content_block_start", "index": index, "content_block": start}))
            .await?;
        for delta in deltas {
            self.event(json!({"type": "content_block_delta", "index": index, "delta": delta}))
                .await?;
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
        }
        self.event(json!({"type": "content_block_stop", "index": index}))
            .await
    }
}

/// True if the connection is to be broken.
async fn play(mut stream: Stream<'_>, reply: &Reply, model: &str) -> Result<bool, Gone> {
    let begun = usage(reply, 1);
    let message = json!({"id": format!("msg_scripted{:04}", number()), "type": "message", "role": "assistant", "model": model, "content": [],
        "stop_reason": null, "stop_sequence": null, "usage": begun});
    stream
        .event(json!({"type": "message_start", "message": message}))
        .await?;
    stream.event(json!({"type": "ping"})).await?;
    let mut index = 0;
    for (place, step) in reply.steps.iter().enumerate() {
        match step {
            Step::Wait(_) => tokio::time::sleep(step.pause()).await,
            Step::Drop => return Ok(true),
            Step::Fail { error, message } => {
                stream
                    .event(json!({"type": "error", "error": {"type": error, "message": message}}))
                    .await?;
                return Ok(false);
            }
            Step::Hold => loop {
                // The only way to learn that the client left is to go on talking.
                stream.event(json!({"type": "ping"})).await?;
                tokio::time::sleep(Duration::from_millis(20)).await;
            },
            block => {
                // A text before a hold or a break is left open, so that it is cut.
                let next = reply.steps.get(place + 1);
                let cut =
                    matches!(block, Step::Text(_)) && matches!(next, Some(Step::Hold | Step::Drop));
                let (start, deltas) = content(block);
                if cut {
                    stream.event(json!({"type": "content_block_start", "index": index, "content_block": start})).await?;
                    for delta in deltas {
                        stream.event(json!({"type": "content_block_delta", "index": index, "delta": delta})).await?;
                    }
                } else {
                    stream.block(index, start, deltas, block.pause()).await?;
                }
                index += 1;
            }
        }
    }
    let delta = json!({"stop_reason": stop_reason(reply), "stop_sequence": null});
    stream
        .event(json!({"type": "message_delta", "delta": delta, "usage": usage(reply, 20)}))
        .await?;
    stream.event(json!({"type": "message_stop"})).await?;
    Ok(false)
}

fn content(step: &Step) -> (Value, Vec<Value>) {
    match step {
        Step::Text(text) => (
            json!({"type": "text", "text": ""}),
            pieces(text)
                .map(|piece| json!({"type": "text_delta", "text": piece}))
                .collect(),
        ),
        Step::Slowly { text, .. } => {
            let words = text
                .split_inclusive(' ')
                .map(|word| json!({"type": "text_delta", "text": word}));
            (json!({"type": "text", "text": ""}), words.collect())
        }
        Step::Thinking(text) => {
            let mut deltas: Vec<Value> = pieces(text)
                .map(|piece| json!({"type": "thinking_delta", "thinking": piece}))
                .collect();
            deltas.push(json!({"type": "signature_delta", "signature": "c2NyaXB0ZWQ="}));
            (
                json!({"type": "thinking", "thinking": "", "signature": ""}),
                deltas,
            )
        }
        Step::ToolUse { name, input } => {
            let written = input.to_string();
            let mut deltas = vec![json!({"type": "input_json_delta", "partial_json": ""})];
            deltas.extend(
                pieces(&written)
                    .map(|piece| json!({"type": "input_json_delta", "partial_json": piece})),
            );
            (
                json!({"type": "tool_use", "id": format!("toolu_scripted{:04}", number()), "name": name, "input": {}}),
                deltas,
            )
        }
        Step::Wait(_) | Step::Hold | Step::Drop | Step::Fail { .. } => (Value::Null, Vec::new()),
    }
}

/// In pieces of at most 40 characters.
fn pieces(text: &str) -> impl Iterator<Item = String> {
    let characters: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = characters
        .chunks(40)
        .map(|piece| piece.iter().collect())
        .collect();
    pieces.into_iter()
}

fn stop_reason(reply: &Reply) -> &'static str {
    if reply
        .steps
        .iter()
        .any(|step| matches!(step, Step::ToolUse { .. }))
    {
        "tool_use"
    } else {
        "end_turn"
    }
}

fn usage(reply: &Reply, output: u64) -> Value {
    json!({"input_tokens": reply.input_tokens.unwrap_or(1200), "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": output})
}

/// The message in one piece.
pub fn whole(reply: &Reply, model: &str) -> Value {
    let content: Vec<Value> = reply
        .steps
        .iter()
        .filter_map(|step| match step {
            Step::Text(text) | Step::Slowly { text, .. } => Some(json!({"type": "text", "text": text})),
            Step::Thinking(text) => Some(json!({"type": "thinking", "thinking": text, "signature": "c2NyaXB0ZWQ="})),
            Step::ToolUse { name, input } => Some(json!({"type": "tool_use", "id": format!("toolu_scripted{:04}", number()), "name": name, "input": input})),
            Step::Wait(_) | Step::Hold | Step::Drop | Step::Fail { .. } => None,
        })
        .collect();
    json!({"id": format!("msg_scripted{:04}", number()), "type": "message", "role": "assistant", "model": model, "content": content,
        "stop_reason": stop_reason(reply), "stop_sequence": null, "usage": usage(reply, 20)})
}

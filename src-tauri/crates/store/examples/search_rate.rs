//! How long a search takes over 2,000 sessions: the median and the slowest time of each query and its ratio to the budget of
//! 50 ms, and how fast text gets into the index.
//!
//! `cargo run --release -p kandev-store --example search_rate [SESSIONS]`

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use kandev_session::StopCheck;
use kandev_store::{SessionFile, SessionFiles, Source, Store, StoreError, StoredSession};
use kandev_transcript::{
    Event, EventBody, NormalizedPayload, ShellExec, ToolCall, ToolStatus, UserMessage,
};

const BUDGET: Duration = Duration::from_millis(50);
const ROUNDS: usize = 21;
/// Events of a session.
const EVENTS: u64 = 60;
/// An event that has the rare word.
const RARE: u64 = 1_234;
const SYLLABLES: [&str; 40] = [
    "ba", "be", "bi", "co", "da", "de", "fi", "fo", "ga", "ha", "in", "is", "ka", "la", "le", "ma",
    "me", "mi", "na", "ne", "no", "on", "or", "pa", "pe", "ra", "re", "ri", "sa", "se", "so", "ta",
    "te", "ti", "tion", "un", "the", "ing", "er", "es",
];
const CHARACTERS: [char; 24] = [
    '数', '据', '库', '中', '检', '索', '会', '话', '文', '件', '测', '试', '错', '误', '修', '改',
    '运', '行', '的', '是', '在', '有', '了', '不',
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sessions: u64 = match std::env::args().nth(1) {
        Some(count) => count.parse()?,
        None => 2_000,
    };
    let folder = tempfile::tempdir()?;
    let store = Store::open(folder.path()).store;
    let made = MadeUp { sessions };
    for number in 0..sessions {
        store.put(&row(number))?;
    }
    let began = Instant::now();
    while store.index_now(&made, Duration::from_secs(600))?.is_some() {}
    let took = began.elapsed().as_secs_f64();
    let mut bytes = 0;
    for number in 0..sessions {
        bytes += (0..EVENTS)
            .map(|place| text(number * EVENTS + place).len())
            .sum::<usize>();
    }
    let mebibytes = bytes as f64 / f64::from(1 << 20);
    let on_disk: u64 = std::fs::read_dir(folder.path())?
        .filter_map(|entry| entry.ok()?.metadata().ok())
        .map(|file| file.len())
        .sum();
    println!(
        "{sessions} sessions, {mebibytes:.0} MiB of text; {:.0} MiB on disk; indexed at {:.1} MiB/s",
        on_disk as f64 / f64::from(1 << 20),
        mebibytes / took
    );
    let mut worst = Duration::ZERO;
    for (name, words) in [
        ("a rare word", "zanzibarquay"),
        ("a common word", "tion"),
        ("two common words", "tion ing"),
        ("what is nowhere", "xylophonequux"),
        ("common letters, nowhere so", "tionthering"),
        ("a phrase", "\"the in\""),
        ("two characters of Chinese", "检索"),
        ("one character of Chinese", "错"),
        ("Chinese and a word", "数据 tion"),
        ("two letters", "go"),
        ("two letters that are nowhere", "qz"),
        ("two signs", "->"),
        ("a path", "src/harbour/pier_77.rs"),
        ("a command", "cargo test -p pier_77"),
        ("many words", "the ing tion er es in on re ma te"),
    ] {
        let mut times = Vec::new();
        let mut answer = store.search(words, 100)?;
        for _ in 0..ROUNDS {
            let began = Instant::now();
            answer = store.search(words, 100)?;
            times.push(began.elapsed());
        }
        times.sort();
        let (median, slowest) = (times[ROUNDS / 2], times[ROUNDS - 1]);
        worst = worst.max(slowest);
        println!(
            "{name:<30} {:>4} hits{} median {:>6.2} ms, slowest {:>6.2} ms, ratio to the budget {:.2}",
            answer.hits.len(),
            if answer.more { "+" } else { " " },
            median.as_secs_f64() * 1_000.0,
            slowest.as_secs_f64() * 1_000.0,
            slowest.as_secs_f64() / BUDGET.as_secs_f64()
        );
    }
    println!(
        "the slowest of all: ratio {:.2} (budget 1)",
        worst.as_secs_f64() / BUDGET.as_secs_f64()
    );
    Ok(())
}

/// Sessions that exist as they are asked for.
struct MadeUp {
    sessions: u64,
}

impl SessionFiles for MadeUp {
    fn files(&self) -> Result<Vec<SessionFile>, StoreError> {
        let file = |number| SessionFile {
            id: format!("session-{number}"),
            mark: String::new(),
        };
        Ok((0..self.sessions).rev().map(file).collect())
    }

    fn tell(
        &self,
        id: &str,
        each: &mut dyn FnMut(&Event) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let number = id
            .rsplit('-')
            .next()
            .and_then(|number| number.parse::<u64>().ok());
        let number = number.ok_or_else(|| StoreError::NoSuchSession(id.to_owned()))?;
        for place in 0..EVENTS {
            // A session every six hours, an event every half minute.
            let millis = 1_700_000_000_000 + number * 21_600_000 + place * 30_000;
            let event = Event {
                seq: place + 1,
                through: None,
                at: kandev_transcript::at(millis),
                session_id: None,
                parent_tool_call_id: None,
                body: body(number * EVENTS + place),
            };
            if each(&event).is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn body(number: u64) -> EventBody {
    let said = text(number);
    match number % 6 {
        0 => EventBody::UserMessage(UserMessage {
            text: said,
            uuid: None,
            attachments: Vec::new(),
            synthetic: false,
        }),
        1 | 2 => EventBody::ToolCall(ToolCall {
            tool_call_id: format!("call-{number}"),
            tool_name: "Bash".to_owned(),
            tool_title: said.clone(),
            tool_status: ToolStatus::Running,
            normalized: NormalizedPayload::ShellExec {
                shell_exec: ShellExec {
                    command: Some(said),
                    ..ShellExec::default()
                },
            },
            elapsed_seconds: None,
            slimmed: Vec::new(),
        }),
        _ => EventBody::MessageChunk {
            text: said,
            message_id: format!("message-{number}"),
        },
    }
}

/// Some words, the same for each number: frequent ones and rare ones, as in a language.
fn text(number: u64) -> String {
    let mut dice = Dice(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut text = String::new();
    match number % 6 {
        1 => return format!("cargo test -p pier_{} && git diff --stat", dice.below(400)),
        2 => return format!("rg -n harbour src/harbour/pier_{}.rs", dice.below(400)),
        _ => {}
    }
    let words = 20 + dice.below(10) * dice.below(10) * 3;
    for _ in 0..words {
        if number % 20 == 3 {
            let length = 1 + dice.below(6);
            text.extend((0..length).map(|_| CHARACTERS[dice.below(24) as usize]));
        } else {
            // The smaller the number, the more frequent.
            let mut word = Dice(dice.below(dice.clone().below(5_000) + 1) * 7_919 + 13);
            for _ in 0..1 + word.below(4) {
                text.push_str(SYLLABLES[word.below(40) as usize]);
            }
        }
        text.push(' ');
    }
    if number.is_multiple_of(97) {
        text.push_str("in Go, a -> b");
    }
    if number == RARE {
        text.push_str("zanzibarquay");
    }
    text
}

#[derive(Clone)]
struct Dice(u64);

impl Dice {
    fn below(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % sides
    }
}

fn row(number: u64) -> StoredSession {
    StoredSession {
        title: format!("Session {number}"),
        titled: true,
        workspace: "/w".to_owned(),
        stop_check: StopCheck::Off,
        ..StoredSession::bare(format!("session-{number}"), Source::Terminal, "")
    }
}

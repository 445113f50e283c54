//! What a list shows of a session, from the two ends of its file: its size makes no difference.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use kandev_wire as wire;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::entry::{last_text_after, text_after};
use super::projects::nanos;
use super::texts::typed;

/// How much of each end is read, in bytes.
const END: u64 = 64 * 1024;
/// The longest title, in characters.
const TITLE: usize = 200;

/// How a line begins that has its place in the conversation.
const MESSAGE: &[u8] = br#"{"parentUuid":"#;

/// What the ends of a session's file say.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Glance {
    pub session_id: Option<String>,
    /// Where the session began.
    pub cwd: Option<String>,
    pub version: Option<String>,
    pub branch: Option<String>,
    pub model: Option<String>,
    pub mode: Option<String>,
    pub custom_title: Option<String>,
    pub summary: Option<String>,
    pub first_prompt: Option<String>,
    pub last_prompt: Option<String>,
    /// Of the first and the last line that have one.
    pub first_uuid: Option<String>,
    pub last_uuid: Option<String>,
    /// The newest message that a resume may name.
    pub last_message_uuid: Option<String>,
    /// RFC 3339.
    pub began: Option<String>,
    pub newest: Option<String>,
    /// When the file was made, in nanoseconds since the Unix epoch.
    pub made: i64,
    pub sidechain: bool,
    /// Somebody said something in it.
    pub talks: bool,
}

impl Glance {
    /// What it is called: by a person, by the CLI, or by its first words.
    pub fn title(&self) -> Option<&str> {
        let titles = [
            &self.custom_title,
            &self.summary,
            &self.first_prompt,
            &self.last_prompt,
        ];
        titles.into_iter().find_map(|title| title.as_deref())
    }

    /// The file has grown since `before`: what stands in its middle now is still known.
    pub fn keep(mut self, before: Glance) -> Self {
        if self.first_uuid == before.first_uuid && before.first_uuid.is_some() {
            self.custom_title = self.custom_title.or(before.custom_title);
            self.summary = self.summary.or(before.summary);
            self.last_prompt = self.last_prompt.or(before.last_prompt);
            self.last_uuid = self.last_uuid.or(before.last_uuid);
            self.last_message_uuid = self.last_message_uuid.or(before.last_message_uuid);
            self.model = self.model.or(before.model);
            self.mode = self.mode.or(before.mode);
            self.talks |= before.talks;
        }
        self
    }
}

/// Reads at most 64 KiB of each end.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn glance(path: &Path) -> io::Result<Glance> {
    let mut file = File::open(path)?;
    let stat = file.metadata()?;
    let size = stat.len();
    let mut head = Vec::new();
    (&mut file).take(END).read_to_end(&mut head)?;
    let mut glance = Glance {
        made: stat.created().or(stat.modified()).map_or(0, nanos),
        ..Glance::default()
    };
    let whole = memchr::memrchr(b'\n', &head).map_or(0, |end| end + 1);
    let all = size <= head.len() as u64;
    let lines = if all { &head[..] } else { &head[..whole] };
    for line in lines.split(|byte| *byte == b'\n') {
        // What follows the first prompt is known better from the other end.
        if all || glance.first_prompt.is_none() || !line.starts_with(MESSAGE) {
            glance.line(line, false);
        }
    }
    if !all {
        glance.cut_head(&head[whole..]);
        glance.last_uuid = None;
        glance.last_message_uuid = None;
        let mut tail = Vec::new();
        file.seek(SeekFrom::Start(size.saturating_sub(END).max(whole as u64)))?;
        file.take(END).read_to_end(&mut tail)?;
        // The first line may have begun before.
        let begins = size.saturating_sub(END) <= whole as u64;
        let cut = if begins {
            0
        } else {
            memchr::memchr(b'\n', &tail).map_or(tail.len(), |end| end + 1)
        };
        glance.cut_tail(&tail[..cut]);
        let mode = last_text_after(&tail, br#""permissionMode":""#);
        glance.mode = mode.map(str::to_owned).or(glance.mode.take());
        let lines: Vec<&[u8]> = tail[cut..].split(|byte| *byte == b'\n').collect();
        let answers = |line: &&[u8]| {
            line.starts_with(MESSAGE) && memchr::memmem::find(line, br#""model":""#).is_some()
        };
        // From the last answer on: what was said before it says nothing that is listed.
        let last = lines.iter().rposition(answers).unwrap_or(0);
        for (at, line) in lines.iter().enumerate() {
            if at >= last || !line.starts_with(MESSAGE) {
                glance.line(line, true);
            }
        }
    }
    let beside = path.with_extension("").join("custom-title.json");
    if let Ok(text) = fs::read(beside) {
        #[derive(Deserialize)]
        struct Title {
            #[serde(rename = "customTitle")]
            title: Option<String>,
        }
        let title = serde_json::from_slice::<Title>(&text).ok();
        let title = title
            .and_then(|title| title.title)
            .filter(|title| !title.is_empty());
        glance.custom_title = title.or(glance.custom_title);
    }
    Ok(glance)
}

/// The types of lines that say something about a session, as they begin. Everything else that begins with its type is
/// passed over unread.
const TELLING: [&[u8]; 8] = [
    b"user",
    b"assistant",
    b"system",
    b"summary",
    b"custom-title",
    b"ai-title",
    b"last-prompt",
    b"permission-mode",
];

impl Glance {
    fn line(&mut self, line: &[u8], tail: bool) {
        let line = line.trim_ascii();
        if let Some(kind) = line.strip_prefix(br#"{"type":""#)
            && !TELLING.iter().any(|telling| kind.starts_with(telling))
        {
            return;
        }
        if line.is_empty() {
            return;
        }
        let line = wire::read(line);
        let Ok(line) = serde_json::from_str::<Value>(line.json()) else {
            return;
        };
        let text = |name: &str| line[name].as_str().filter(|text| !text.is_empty());
        let own = |name: &str| text(name).map(str::to_owned);
        match text("type") {
            Some("custom-title") => self.custom_title = own("customTitle"),
            Some("ai-title") => self.summary = own("aiTitle").or(self.summary.take()),
            Some("summary") => self.summary = own("summary").or(self.summary.take()),
            Some("last-prompt") => self.last_prompt = text("lastPrompt").map(short),
            Some("permission-mode") => self.mode = own("permissionMode").or(self.mode.take()),
            _ => {}
        }
        if self.session_id.is_none() {
            self.session_id = own("sessionId");
        }
        let Some(uuid) = own("uuid") else { return };
        if self.first_uuid.is_none() && !tail {
            self.first_uuid = Some(uuid.clone());
            self.sidechain = line["isSidechain"] == true;
        }
        if line["isSidechain"] == true && !self.sidechain {
            return;
        }
        self.last_uuid = Some(uuid.clone());
        self.cwd = self.cwd.take().or_else(|| own("cwd"));
        self.began = self.began.take().or_else(|| own("timestamp"));
        self.newest = own("timestamp").or(self.newest.take());
        self.version = own("version").or(self.version.take());
        self.branch = own("gitBranch").or(self.branch.take());
        self.mode = own("permissionMode").or(self.mode.take());
        match text("type") {
            Some("assistant") => {
                self.talks = true;
                self.last_message_uuid = Some(uuid);
                let model = line["message"]["model"].as_str();
                let model = model.filter(|model| *model != "<synthetic>");
                self.model = model.map(str::to_owned).or(self.model.take());
            }
            Some("user") => {
                self.talks = true;
                self.last_message_uuid = Some(uuid);
                if self.first_prompt.is_none() && !tail && line["isMeta"] != true {
                    self.first_prompt = prompt(&line["message"]["content"]);
                }
            }
            _ => {}
        }
    }

    /// The beginning of a line that is longer than what is read: an image, or a pasted file.
    fn cut_head(&mut self, line: &[u8]) {
        if self.first_uuid.is_some() || text_after(line, br#""type":""#).is_none() {
            return;
        }
        self.talks |= memchr::memmem::find(line, br#""type":"user""#).is_some();
        if self.first_prompt.is_none() {
            let content = text_after(line, br#""text":""#).or(text_after(line, br#""content":""#));
            self.first_prompt = content.map(short).filter(|text| !text.is_empty());
        }
    }

    /// The end of a line that began before what is read: its ids stand behind its message.
    fn cut_tail(&mut self, line: &[u8]) {
        let own = |before: &[u8]| last_text_after(line, before).map(str::to_owned);
        self.last_uuid = own(br#""uuid":""#);
        // A line as long as that is a message.
        self.last_message_uuid.clone_from(&self.last_uuid);
        self.newest = own(br#""timestamp":""#).or(self.newest.take());
        self.session_id = self.session_id.take().or_else(|| own(br#""sessionId":""#));
        self.cwd = self.cwd.take().or_else(|| own(br#""cwd":""#));
    }
}

/// What a person asked, on one line; nothing for what the CLI put in.
fn prompt(content: &Value) -> Option<String> {
    let joined = match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks
            .iter()
            .filter_map(|block| block["text"].as_str())
            .find(|text| !text.starts_with("<ide_"))?
            .to_owned(),
        _ => return None,
    };
    let text = joined.trim_start();
    if let Some(typed) = typed(text) {
        return Some(short(&typed));
    }
    let put_in = [
        "<local-command",
        "<task-notification>",
        "<bash-",
        "<system-reminder>",
        "Caveat: ",
        "[Request interrupted",
    ];
    if text.is_empty() || put_in.iter().any(|start| text.starts_with(start)) {
        return None;
    }
    Some(short(text))
}

/// On one line, and no longer than a title may be.
fn short(text: &str) -> String {
    let mut short = String::new();
    for word in text.split_whitespace() {
        if !short.is_empty() {
            short.push(' ');
        }
        short.push_str(word);
        if short.chars().nth(TITLE).is_some() {
            return short.chars().take(TITLE).collect::<String>() + "…";
        }
    }
    short
}

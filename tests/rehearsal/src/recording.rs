//! A recording: lines of `{"t", "dir", "line"}`, one or several processes in a file. The CLI's own lines are kept word for
//! word, because they can hold what a strict JSON parser refuses (lone halves of surrogate pairs).

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// One process of a recording.
#[derive(Debug, Default)]
pub struct Recording {
    pub steps: Vec<Step>,
}

#[derive(Debug)]
pub struct Step {
    /// Milliseconds since the recording began.
    pub at: u64,
    pub what: What,
}

#[derive(Debug)]
pub enum What {
    /// The CLI said this line.
    Out {
        raw: String,
        line: Value,
    },
    /// The host wrote this.
    In(Value),
    /// The host wrote something that is no protocol object.
    InRaw(String),
    /// The host closed stdin.
    Closed,
    /// The host sent a signal.
    Signal,
    Stderr(String),
    Exit(i32),
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(default)]
    t: f64,
    dir: String,
    #[serde(borrow)]
    line: &'a RawValue,
}

/// Reads the processes of a recording.
pub fn read(file: &Path) -> Result<Vec<Recording>, String> {
    let bytes = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    parse(&String::from_utf8_lossy(&bytes))
        .map_err(|reason| format!("{}: {reason}", file.display()))
}

impl Recording {
    /// The session that it shows, as its first line names it.
    pub fn session_id(&self) -> Option<&str> {
        self.steps.iter().find_map(|step| match &step.what {
            What::Out { line, .. } => line["session_id"].as_str(),
            _ => None,
        })
    }

    /// Without the end of its process, for it goes on; without what comes before its first prompt if that was played before.
    pub fn without_end(mut self, again: bool) -> Self {
        let is_prompt =
            |step: &Step| matches!(&step.what, What::In(line) if line["type"] == "user");
        if again {
            let first = self.steps.iter().position(is_prompt);
            self.steps.drain(..first.unwrap_or(self.steps.len()));
        }
        self.steps
            .retain(|step| !matches!(step.what, What::Closed | What::Signal | What::Exit(_)));
        self
    }
}

/// All processes of a recording.
pub fn parse(text: &str) -> Result<Vec<Recording>, String> {
    let mut processes: Vec<Recording> = Vec::new();
    for (number, entry) in text
        .split('\n')
        .enumerate()
        .filter(|(_, entry)| !entry.trim().is_empty())
    {
        let entry: Entry =
            serde_json::from_str(entry).map_err(|error| format!("line {}: {error}", number + 1))?;
        if entry.dir == "meta" || processes.is_empty() {
            processes.push(Recording::default());
        }
        let raw = entry.line.get();
        let line = value(raw);
        let what = match entry.dir.as_str() {
            "out" => What::Out {
                raw: raw.to_owned(),
                line,
            },
            "in" => match line["__raw__"].as_str() {
                Some(text) => What::InRaw(text.to_owned()),
                None => What::In(line),
            },
            "stderr" => What::Stderr(line.as_str().unwrap_or_default().to_owned()),
            "exit" => {
                What::Exit(i32::try_from(line["code"].as_i64().unwrap_or_default()).unwrap_or(1))
            }
            "host" if line["stdin"] == "closed" => What::Closed,
            "host" if line["signal"].is_string() => What::Signal,
            _ => continue,
        };
        // A time is never negative and never too large for 64 bits.
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let at = entry.t.max(0.0) as u64;
        if let Some(process) = processes.last_mut() {
            process.steps.push(Step { at, what });
        }
    }
    if processes.is_empty() {
        return Err("it holds no recording".to_owned());
    }
    Ok(processes)
}

/// The JSON text as a value; lone halves of surrogate pairs become U+FFFD.
pub fn value(raw: &str) -> Value {
    serde_json::from_str(raw)
        .or_else(|_| serde_json::from_str(&without_lone_halves(raw)))
        .unwrap_or_default()
}

/// The same JSON text with every escape of a lone surrogate half replaced by that of U+FFFD.
pub fn without_lone_halves(json: &str) -> String {
    let unit = |at: usize| -> Option<u16> {
        let escape = json.get(at..at + 6)?.strip_prefix("\\u")?;
        u16::from_str_radix(escape, 16).ok()
    };
    let mut clean = String::with_capacity(json.len());
    let mut at = 0;
    while let Some(found) = json[at..].find('\\').map(|offset| at + offset) {
        clean.push_str(&json[at..found]);
        match unit(found) {
            Some(0xD800..=0xDBFF) if matches!(unit(found + 6), Some(0xDC00..=0xDFFF)) => {
                clean.push_str(&json[found..found + 12]);
                at = found + 12;
            }
            Some(0xD800..=0xDFFF) => {
                clean.push_str("\\ufffd");
                at = found + 6;
            }
            _ => {
                // The escape and the character it escapes; a backslash before a quote must not be parted from it.
                let end = json[found + 1..]
                    .chars()
                    .next()
                    .map_or(json.len(), |escaped| found + 1 + escaped.len_utf8());
                clean.push_str(&json[found..end]);
                at = end;
            }
        }
    }
    clean.push_str(&json[at..]);
    clean
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lone_halves_are_replaced_and_pairs_kept() {
        let cases = [
            (r#""a\ud83dz""#, "a\u{fffd}z"),
            (r#""\ud83d\ude00""#, "😀"),
            (r#""\ude00\ud83d""#, "\u{fffd}\u{fffd}"),
            (r#""\\ud83d""#, "\\ud83d"),
            (r#""\"\ud83d""#, "\"\u{fffd}"),
        ];
        for (json, expected) in cases {
            assert_eq!(value(json), Value::from(expected), "{json}");
        }
    }

    #[test]
    fn processes_are_told_apart_and_lines_kept_word_for_word() {
        let text = concat!(
            "{\"t\": 1, \"dir\": \"meta\", \"line\": {}}\n",
            "{\"t\": 2, \"dir\": \"out\", \"line\": {\"type\":  \"x\", \"s\": \"\\ud83d\"}}\n",
            "{\"t\": 3, \"dir\": \"meta\", \"line\": {}}\n{\"t\": 4, \"dir\": \"exit\", \"line\": {\"code\": -9}}\n"
        );
        let read = parse(text).unwrap();
        assert_eq!(read.len(), 2);
        assert!(
            matches!(&read[0].steps[0].what, What::Out { raw, .. } if raw == "{\"type\":  \"x\", \"s\": \"\\ud83d\"}")
        );
        assert!(matches!(read[1].steps[0].what, What::Exit(-9)));
    }

    #[test]
    fn a_file_that_is_no_recording_is_refused() {
        assert!(parse("hello").unwrap_err().contains("line 1"));
        assert!(parse("").is_err());
    }
}

//! The prompts of a run, and those that stand in a recording.

use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result, bail};
use kandev_session::PromptImage;
use serde_json::Value;

/// What is sent in one go.
#[derive(Debug, Clone, PartialEq)]
pub struct Prompt {
    pub text: String,
    pub images: Vec<PromptImage>,
}

/// What the host said in the first process of a recording. A block that is no text is left out: the recording plays on
/// without it.
pub fn recorded(file: &Path) -> Result<Vec<Prompt>> {
    let reader =
        std::fs::File::open(file).with_context(|| format!("the recording {}", file.display()))?;
    let mut prompts = Vec::new();
    let mut processes = 0;
    for line in BufReader::new(reader).split(b'\n') {
        let line = line.with_context(|| format!("the recording {}", file.display()))?;
        let Ok(entry) = serde_json::from_slice::<Value>(&line) else {
            continue;
        };
        match entry["dir"].as_str() {
            Some("meta") => processes += 1,
            Some("in") if processes <= 1 => prompts.extend(prompt(&entry["line"])),
            _ => {}
        }
        if processes > 1 {
            break;
        }
    }
    if prompts.is_empty() {
        bail!("the recording {} has no prompt; give one", file.display());
    }
    Ok(prompts)
}

fn prompt(line: &Value) -> Option<Prompt> {
    if line["type"] != "user" {
        return None;
    }
    let text = match &line["message"]["content"] {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks
            .iter()
            .filter_map(|block| block["text"].as_str())
            .collect::<Vec<_>>()
            .join("\n"),
        _ => return None,
    };
    Some(Prompt {
        text,
        images: Vec::new(),
    })
}

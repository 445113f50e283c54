//! Writes a folder of the CLI's settings with many sessions in it, to measure with:
//! `make_projects FOLDER [SESSIONS] [BYTES PER SESSION] [PROJECTS]`. The lines are such as the CLI writes them: most bytes
//! are no conversation, and some outputs of tools are large.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde_json::{Value, json};

const WORDS: [&str; 24] = [
    "ferry",
    "timetable",
    "harbour",
    "parser",
    "token",
    "retry",
    "cache",
    "window",
    "journal",
    "branch",
    "commit",
    "review",
    "layout",
    "button",
    "schema",
    "index",
    "socket",
    "buffer",
    "thread",
    "signal",
    "render",
    "scroll",
    "search",
    "archive",
];

fn main() -> io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = args.first() else {
        eprintln!("usage: make_projects FOLDER [SESSIONS] [BYTES PER SESSION] [PROJECTS]");
        std::process::exit(2);
    };
    let number = |at: usize, usual: u64| -> u64 {
        args.get(at)
            .and_then(|arg| arg.parse().ok())
            .unwrap_or(usual)
    };
    let (sessions, bytes, projects) = (number(1, 2000), number(2, 250_000), number(3, 40));
    let mut written = 0;
    for session in 0..sessions {
        let project = format!("-home-dev-project-{}", session % projects.max(1));
        let folder = Path::new(folder).join("projects").join(project);
        fs::create_dir_all(&folder)?;
        // Some are ten times as long as the rest.
        let bytes = if session.is_multiple_of(50) {
            bytes * 5
        } else {
            bytes * 9 / 10
        };
        written += Session::new(session, session % projects.max(1)).write(&folder, bytes)?;
    }
    println!("{sessions} sessions, {written} bytes");
    Ok(())
}

struct Session {
    id: String,
    cwd: String,
    number: u64,
    random: u64,
    last: Option<String>,
    lines: u64,
}

impl Session {
    fn new(number: u64, project: u64) -> Self {
        let id = format!(
            "{:08x}-0000-4000-8000-{number:012x}",
            number.wrapping_mul(2_654_435_761) & 0xffff_ffff
        );
        Self {
            id,
            cwd: format!("/home/dev/project-{project}"),
            number,
            random: number * 7919 + 1,
            last: None,
            lines: 0,
        }
    }

    fn next(&mut self, below: u64) -> u64 {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % below
    }

    fn words(&mut self, count: u64) -> String {
        let mut text = String::new();
        for at in 0..count {
            if at > 0 {
                text.push(' ');
            }
            text.push_str(WORDS[self.next(WORDS.len() as u64) as usize]);
        }
        text
    }

    fn line(&mut self, kind: &str, own: Value) -> Value {
        self.lines += 1;
        let uuid = format!(
            "{:08x}-{:04x}-4000-8000-{:012x}",
            self.number,
            self.lines & 0xffff,
            self.lines
        );
        let second = self.number * 600 + self.lines;
        let mut fields = json!({ "parentUuid": self.last, "isSidechain": false });
        for (name, value) in own.as_object().into_iter().flatten() {
            fields[name] = value.clone();
        }
        fields["type"] = json!(kind);
        fields["uuid"] = json!(uuid);
        fields["timestamp"] = json!(kandev_transcript::at(1_790_000_000_000 + second * 1000));
        fields["userType"] = json!("external");
        fields["cwd"] = json!(self.cwd);
        fields["sessionId"] = json!(self.id);
        fields["version"] = json!("2.1.332");
        fields["gitBranch"] = json!("main");
        self.last = Some(uuid);
        fields
    }

    fn write(mut self, folder: &Path, bytes: u64) -> io::Result<u64> {
        let path = folder.join(format!("{}.jsonl", self.id));
        let mut out = Counted {
            out: BufWriter::new(File::create(path)?),
            bytes: 0,
        };
        let mut turn = 0;
        while out.bytes < bytes {
            turn += 1;
            self.turn(turn, &mut out)?;
        }
        out.out.flush()?;
        Ok(out.bytes)
    }

    fn turn(&mut self, turn: u64, out: &mut Counted) -> io::Result<()> {
        let id = self.id.clone();
        let asked = self.words(12);
        let prompt = self.line(
            "user",
            json!({"message": {"role": "user", "content": asked}, "permissionMode": "default"}),
        );
        out.line(&prompt)?;
        let attachment = json!({"attachment": {"type": "environment", "snapshot": self.words(40)}});
        let attachment = self.line("attachment", attachment);
        out.line(&attachment)?;
        let blob = self.words(900);
        out.line(
            &json!({"type": "api-request-blob", "sessionId": id, "hash": turn, "message": blob}),
        )?;
        for step in 0..4 {
            let message = format!("msg_{:x}_{turn}_{step}", self.number);
            let call = format!("toolu_{:x}_{turn}_{step}", self.number);
            let usage = json!({"input_tokens": 1200, "output_tokens": 80});
            let said = self.words(30);
            let text = json!({"message": {"id": message, "role": "assistant", "model": "claude-sonnet-4-5", "content": [
                {"type": "text", "text": said}], "stop_reason": "tool_use", "usage": usage}});
            let text = self.line("assistant", text);
            out.line(&text)?;
            let command = format!("grep -rn {} src", self.words(2));
            let used = json!({"message": {"id": message, "role": "assistant", "model": "claude-sonnet-4-5", "content": [
                {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": command, "description": "Look"}}],
                "stop_reason": "tool_use", "usage": usage}});
            let used = self.line("assistant", used);
            out.line(&used)?;
            let long = if self.next(20) == 0 { 6000 } else { 120 };
            let output = self.words(long);
            let result = json!({"message": {"role": "user", "content": [{"tool_use_id": call, "type": "tool_result",
                "content": output, "is_error": false}]}, "toolUseResult": {"stdout": output, "stderr": "",
                "interrupted": false, "isImage": false}});
            let result = self.line("user", result);
            out.line(&result)?;
        }
        let said = self.words(60);
        let answer = json!({"message": {"id": format!("msg_{:x}_{turn}", self.number), "role": "assistant",
            "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": said}], "stop_reason": "end_turn",
            "usage": {"input_tokens": 1200, "output_tokens": 80}}});
        let answer = self.line("assistant", answer);
        out.line(&answer)?;
        out.line(&json!({"type": "last-prompt", "lastPrompt": asked, "leafUuid": self.last, "sessionId": id}))
    }
}

struct Counted {
    out: BufWriter<File>,
    bytes: u64,
}

impl Counted {
    fn line(&mut self, line: &Value) -> io::Result<()> {
        let line = line.to_string();
        self.bytes += line.len() as u64 + 1;
        writeln!(self.out, "{line}")
    }
}

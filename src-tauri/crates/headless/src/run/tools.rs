//! A tool call as text: its head, and what it did or would do.

use std::fmt::Write as _;

use kandev_transcript::{
    ModifyFile, Mutation, NormalizedPayload, ShellExec, SubagentTask, ToolCall,
};

use super::paint::{Palette, Style, first_line, overwritten, plain};

/// Lines of a tool's output and of a diff that are shown.
const OUTPUT: usize = 12;
const DIFF: usize = 40;

impl Palette {
    /// What stands below the head.
    pub fn details(self, detail: &NormalizedPayload) -> String {
        match detail {
            NormalizedPayload::ModifyFile { modify_file } => self.diffs(modify_file),
            NormalizedPayload::ShellExec { shell_exec } => self.shell(shell_exec),
            NormalizedPayload::SubagentTask {
                subagent_task:
                    SubagentTask {
                        output: Some(output),
                        ..
                    },
            } => self.output(output),
            NormalizedPayload::AskUser { ask_user } => {
                let mut all = String::new();
                for (question, answer) in &ask_user.answers {
                    let answer = answer
                        .as_str()
                        .map_or_else(|| answer.to_string(), str::to_owned);
                    let _ = writeln!(all, "  {question} {}", self.paint(Style::Bold, &answer));
                }
                all
            }
            _ => String::new(),
        }
    }

    fn shell(self, shell: &ShellExec) -> String {
        let Some(output) = &shell.output else {
            return String::new();
        };
        let mut all = self.output(&output.stdout);
        all.push_str(&self.output(&output.stderr));
        if let Some(code) = output.exit_code.filter(|code| *code != 0) {
            let _ = writeln!(
                all,
                "  {}",
                self.paint(Style::Bad, &format!("exit status {code}"))
            );
        }
        all
    }

    /// The end of an output: that is where a command says how it went.
    fn output(self, text: &str) -> String {
        let text = plain(text);
        let lines: Vec<&str> = text.trim_end().lines().map(overwritten).collect();
        let hidden = lines.len().saturating_sub(OUTPUT);
        let mut all = String::new();
        if hidden > 0 {
            let _ = writeln!(
                all,
                "  {}",
                self.paint(Style::Dim, &format!("│ … {hidden} lines before"))
            );
        }
        for line in &lines[hidden..] {
            let _ = writeln!(all, "  {}", self.paint(Style::Dim, &format!("│ {line}")));
        }
        all
    }

    fn diffs(self, modify: &ModifyFile) -> String {
        let diffs = modify.mutations.iter().map(|mutation| self.diff(mutation));
        let refused = modify
            .error
            .as_deref()
            .map(|why| format!("  {}\n", self.paint(Style::Bad, &plain(why))));
        diffs.chain(refused).collect()
    }

    fn diff(self, mutation: &Mutation) -> String {
        let Some(diff) = mutation.diff.as_deref().filter(|diff| !diff.is_empty()) else {
            let content = mutation.content.as_deref().unwrap_or_default();
            let added = content
                .lines()
                .map(|line| format!("+{line}"))
                .collect::<Vec<_>>();
            return self.diff_lines(added.iter().map(String::as_str));
        };
        self.diff_lines(
            diff.lines()
                .filter(|line| !line.starts_with("--- ") && !line.starts_with("+++ ")),
        )
    }

    fn diff_lines<'a>(self, lines: impl Iterator<Item = &'a str>) -> String {
        let lines: Vec<&str> = lines.collect();
        let mut all = String::new();
        for line in lines.iter().take(DIFF) {
            let line = &plain(line);
            let painted = match line.as_bytes().first() {
                Some(b'+') => self.paint(Style::Good, line),
                Some(b'-') => self.paint(Style::Bad, line),
                Some(b'@') => self.paint(Style::Hunk, line),
                _ => line.clone(),
            };
            let _ = writeln!(all, "  {painted}");
        }
        let hidden = lines.len().saturating_sub(DIFF);
        if hidden > 0 {
            let _ = writeln!(
                all,
                "  {}",
                self.paint(Style::Dim, &format!("… {hidden} lines more"))
            );
        }
        all
    }
}

/// The tool and what it is about.
pub fn head(call: &ToolCall) -> String {
    named(&call.tool_name, &first_line(&call.tool_title))
}

/// A title that begins with the tool's name says both.
pub fn named(name: &str, title: &str) -> String {
    match title {
        "" => name.to_owned(),
        title if title.starts_with(name) => title.to_owned(),
        title => format!("{name}: {title}"),
    }
}

/// Whether it may run for long enough that its start is worth a line.
pub fn is_slow(call: &ToolCall) -> bool {
    matches!(
        call.normalized,
        NormalizedPayload::ShellExec { .. }
            | NormalizedPayload::SubagentTask { .. }
            | NormalizedPayload::HttpRequest { .. }
            | NormalizedPayload::McpTool { .. }
    )
}

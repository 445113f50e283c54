//! A session as text for a person: the answer as it streams, the tools with what came of them, the questions.

use std::collections::HashSet;
use std::fmt::Write as _;

use kandev_transcript::{
    ActionType, Event, EventBody, NormalizedPayload, PermissionRequest, TaskFields, ToolCall,
    ToolStatus, TurnEnding, TurnSummary,
};

use serde_json::Value;

use super::paint::{Palette, Style, first_line, indented, plain};
use super::tools::{head, is_slow, named};

/// Turns events into text. What it remembers is where on the page it is, and what was shown already.
pub struct Text {
    palette: Palette,
    /// Calls that were asked about: what they would do stands in the question.
    asked: HashSet<String>,
    /// Tasks that outlive their call, and whose end is news therefore.
    background: HashSet<String>,
    /// The message that streams, and whether its text ended in a line break.
    open: Option<Open>,
}

#[derive(PartialEq)]
struct Open {
    message_id: String,
    thinking: bool,
    at_line_start: bool,
}

impl Text {
    pub fn new(palette: Palette) -> Self {
        Self {
            palette,
            asked: HashSet::new(),
            background: HashSet::new(),
            open: None,
        }
    }

    /// What an event adds to the page.
    pub fn event(&mut self, event: &Event) -> String {
        let mut page = String::new();
        match &event.body {
            EventBody::MessageChunk { text, message_id } => {
                self.stream(&mut page, message_id, text, false)
            }
            EventBody::Reasoning {
                reasoning_text,
                message_id,
            } => {
                self.stream(&mut page, message_id, reasoning_text, true);
            }
            body => {
                let block = self.block(body);
                if !block.is_empty() {
                    self.paragraph(&mut page);
                    let indent = if event.parent_tool_call_id.is_some() {
                        "  "
                    } else {
                        ""
                    };
                    for line in block.lines() {
                        let _ =
                            writeln!(page, "{}{line}", if line.is_empty() { "" } else { indent });
                    }
                }
            }
        }
        page
    }

    /// Ends what streams, so that something else can follow.
    pub fn break_off(&mut self) -> String {
        let mut page = String::new();
        if self.open.is_some() {
            self.paragraph(&mut page);
        }
        page
    }

    fn paragraph(&mut self, page: &mut String) {
        if let Some(open) = self.open.take() {
            page.push_str(if open.at_line_start { "\n" } else { "\n\n" });
        }
    }

    fn stream(&mut self, page: &mut String, message_id: &str, text: &str, thinking: bool) {
        let goes_on = self
            .open
            .as_ref()
            .is_some_and(|open| open.message_id == message_id && open.thinking == thinking);
        if !goes_on {
            self.paragraph(page);
            let message_id = message_id.to_owned();
            self.open = Some(Open {
                message_id,
                thinking,
                at_line_start: true,
            });
        }
        let style = if thinking {
            self.palette.paint(Style::Dim, &plain(text))
        } else {
            plain(text)
        };
        page.push_str(&style);
        if let Some(open) = &mut self.open
            && !text.is_empty()
        {
            open.at_line_start = text.ends_with('\n');
        }
    }

    fn block(&mut self, body: &EventBody) -> String {
        let paint = |style, text: &str| self.palette.paint(style, text);
        match body {
            EventBody::SessionStatus { data } => {
                let parts = [&data.cwd, &data.model, &data.permission_mode];
                let known: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
                let version = data
                    .cli_version
                    .as_ref()
                    .map(|version| format!(" · Claude Code {version}"));
                paint(
                    Style::Dim,
                    &format!("{}{}", known.join(" · "), version.unwrap_or_default()),
                )
            }
            EventBody::UserMessage(message) if !message.synthetic => {
                let images = match message.attachments.len() {
                    0 => String::new(),
                    1 => paint(Style::Dim, "\n  with an attachment"),
                    many => paint(Style::Dim, &format!("\n  with {many} attachments")),
                };
                format!("{}{images}\n\n", paint(Style::Bold, &quoted(&message.text)))
            }
            EventBody::MessageDiscarded { .. } => paint(
                Style::Dim,
                "(The text above does not count: the reply broke off or is tried again.)\n\n",
            ),
            EventBody::ToolCall(call) if is_slow(call) => {
                paint(Style::Dim, &format!("… {}", head(call)))
            }
            EventBody::ToolUpdate(call) => self.tool(call),
            EventBody::Todos { items } => {
                let mut all = String::new();
                for item in items {
                    let (mark, style) = match item.status.as_deref() {
                        Some("completed") => ("[x]", Style::Dim),
                        Some("in_progress") => ("[>]", Style::Bold),
                        _ => ("[ ]", Style::Dim),
                    };
                    let words =
                        format!("{mark} {}", item.description.as_deref().unwrap_or_default());
                    let _ = writeln!(all, "  {}", paint(style, &words));
                }
                all.push('\n');
                all
            }
            EventBody::PermissionRequest(request) => self.question(request),
            EventBody::PermissionResolved { behavior, by, .. } => {
                let word = match behavior {
                    kandev_transcript::Behavior::Allow => "allowed",
                    kandev_transcript::Behavior::Deny => "denied",
                };
                let by = match by {
                    kandev_transcript::ResolvedBy::User => "",
                    kandev_transcript::ResolvedBy::Policy => " without asking",
                    kandev_transcript::ResolvedBy::Timeout => " as nobody answered in time",
                    kandev_transcript::ResolvedBy::SessionEnd => " as the session ended",
                };
                paint(Style::Dim, &format!("  {word}{by}\n\n"))
            }
            EventBody::PermissionCancelled { .. } => paint(Style::Dim, "  withdrawn\n\n"),
            EventBody::RateLimit {
                rate_limit_message, ..
            } => paint(Style::Ask, rate_limit_message),
            EventBody::Complete { data } => self.summary(data),
            EventBody::Error { error, data } => {
                let next = data
                    .next_step
                    .as_ref()
                    .map(|next| format!("\n{}", paint(Style::Dim, next)));
                format!(
                    "{}{}",
                    paint(Style::Bad, &format!("Error: {error}")),
                    next.unwrap_or_default()
                )
            }
            EventBody::TaskStarted(task) if task.is_backgrounded == Some(true) => {
                self.background.extend(task.task_id.clone());
                self.task("task started", task)
            }
            EventBody::TaskNotification(task)
                if task
                    .task_id
                    .as_ref()
                    .is_some_and(|id| self.background.remove(id)) =>
            {
                self.task("task ended", task)
            }
            EventBody::Notice { kind, text, .. } if text.is_empty() => {
                paint(Style::Dim, &format!("({kind})"))
            }
            EventBody::Notice { kind, text, data } if kind == "elicitation" => {
                self.elicitation(text, data)
            }
            EventBody::Notice { kind, text, .. } if is_alarming(kind) => paint(Style::Ask, text),
            EventBody::Notice { text, .. } => paint(Style::Dim, text),
            EventBody::ModeChanged { mode } => {
                paint(Style::Dim, &format!("(permission mode: {mode})"))
            }
            EventBody::ModelChanged { model } => paint(Style::Dim, &format!("(model: {model})")),
            EventBody::Unrecognized { raw } => paint(
                Style::Ask,
                &format!(
                    "unrecognized: {}",
                    raw.chars().take(400).collect::<String>()
                ),
            ),
            EventBody::SessionEnded { data } if !data.expected => {
                paint(Style::Dim, "(The process ended.)")
            }
            EventBody::UserMessage(_)
            | EventBody::ToolCall(_)
            | EventBody::TaskStarted(_)
            | EventBody::TaskProgress(_)
            | EventBody::TaskNotification(_)
            | EventBody::ContextWindow(_)
            | EventBody::SessionState { .. }
            | EventBody::SessionEnded { .. }
            | EventBody::TurnDiffUpdated { .. }
            | EventBody::TitleChanged { .. }
            | EventBody::AvailableCommands { .. }
            | EventBody::MessageChunk { .. }
            | EventBody::Reasoning { .. } => String::new(),
        }
    }

    fn task(&self, what: &str, task: &TaskFields) -> String {
        let words = task
            .summary
            .as_deref()
            .or(task.description.as_deref())
            .unwrap_or_default();
        let status = task
            .status
            .as_deref()
            .map(|status| format!(" ({status})"))
            .unwrap_or_default();
        self.palette
            .paint(Style::Dim, &format!("({what}{status}: {words})"))
    }

    fn tool(&mut self, call: &ToolCall) -> String {
        let (mark, style) = match call.tool_status {
            ToolStatus::Running => return String::new(),
            ToolStatus::Complete => ("✓", Style::Good),
            ToolStatus::Error => ("✗", Style::Bad),
        };
        let shown = self.asked.remove(&call.tool_call_id)
            && matches!(call.normalized, NormalizedPayload::ModifyFile { .. });
        let details = if shown {
            String::new()
        } else {
            self.palette.details(&call.normalized)
        };
        // The list that it changed follows at once.
        let list = matches!(
            call.normalized,
            NormalizedPayload::CreateTask { .. } | NormalizedPayload::ManageTodos { .. }
        );
        let end = if list {
            ""
        } else {
            "
"
        };
        let mark = self.palette.paint(style, mark);
        format!(
            "{mark} {}
{details}{end}",
            head(call)
        )
    }

    fn question(&mut self, request: &PermissionRequest) -> String {
        self.asked.extend(request.tool_call_id.clone());
        let paint = |style, text: &str| self.palette.paint(style, text);
        let who = match request.data.agent_id {
            Some(_) => "A subagent asks: ",
            None => "",
        };
        let (name, title) = (&request.tool_name, first_line(&request.tool_title));
        let (subject, details) = match &request.normalized {
            NormalizedPayload::ShellExec { shell_exec } => {
                let description = shell_exec
                    .description
                    .as_deref()
                    .map(|text| format!(": {}", first_line(text)));
                let command = shell_exec.command.as_deref().unwrap_or_default();
                (
                    format!("{name}{}", description.unwrap_or_default()),
                    indented(&plain(command)),
                )
            }
            NormalizedPayload::ShowPlan { show_plan }
                if request.action_type == ActionType::Plan =>
            {
                let missing = "(There is no plan in the request.)";
                (
                    title,
                    indented(&plain(show_plan.plan.as_deref().unwrap_or(missing))),
                )
            }
            // The question itself is asked below.
            NormalizedPayload::AskUser { .. } => ("A question".to_owned(), String::new()),
            other => (named(name, &title), self.palette.details(other)),
        };
        let mut all = format!(
            "{} {who}{}\n{details}",
            paint(Style::Ask, "?"),
            paint(Style::Bold, &subject)
        );
        // That a hook asks is how a supervised session works, and no reason.
        let hook = request.data.decision_reason_type.as_deref() == Some("hook");
        if let Some(why) = request
            .data
            .decision_reason
            .as_deref()
            .filter(|why| !why.is_empty() && !hook)
        {
            let _ = writeln!(all, "  {}", paint(Style::Dim, &plain(why)));
        }
        all
    }

    fn elicitation(&self, message: &str, data: &Value) -> String {
        let text = |name: &str| data.get(name).and_then(Value::as_str);
        let server = text("mcp_server_name").unwrap_or("an MCP server");
        let url = text("url").map(|url| format!("\n{}", indented(&plain(url))));
        format!(
            "{} {}{}",
            self.palette.paint(Style::Ask, "?"),
            self.palette
                .paint(Style::Bold, &format!("{server} asks: {message}")),
            url.unwrap_or_default()
        )
    }

    fn summary(&self, turn: &TurnSummary) -> String {
        let mut parts = Vec::new();
        if let Some(millis) = turn
            .duration_ms
            .as_ref()
            .and_then(serde_json::Number::as_f64)
        {
            parts.push(format!("{:.1} s", millis / 1000.0));
        }
        if let Some(cost) = turn.cost_usd {
            // A sum of differences can be a hair below nothing.
            parts.push(format!("${:.4}", cost.abs()));
        }
        if let (Some(input), Some(output)) = (&turn.input_tokens, &turn.output_tokens) {
            parts.push(format!("{input} tokens in, {output} out"));
        }
        let (word, style) = match turn.ending() {
            TurnEnding::Interrupted => ("interrupted", Style::Bad),
            TurnEnding::Failed => ("failed", Style::Bad),
            TurnEnding::Done => ("done", Style::Good),
        };
        let rest = self
            .palette
            .paint(Style::Dim, &format!(" · {}", parts.join(" · ")));
        format!(
            "{}{}",
            self.palette.paint(style, word),
            if parts.is_empty() {
                String::new()
            } else {
                rest
            }
        )
    }
}

/// News that somebody should do something about.
fn is_alarming(kind: &str) -> bool {
    matches!(
        kind,
        "silent_turn"
            | "permission_timeout"
            | "permission_loop"
            | "control_error"
            | "interrupt_unanswered"
            | "session_writes_lost"
            | "notify_user"
    )
}

fn quoted(prompt: &str) -> String {
    prompt
        .lines()
        .map(|line| format!("> {line}"))
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;

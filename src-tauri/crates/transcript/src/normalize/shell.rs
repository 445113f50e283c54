//! Bash, BashOutput, KillShell and Monitor.

use serde::Deserialize;
use serde_json::{Number, Value};

use super::ToolResult;
use super::input::{Id, flag};
use super::result::{lax, tagged};
use crate::detail::{ImageData, NormalizedPayload, ShellExec, ShellOutput};

#[derive(Deserialize)]
struct BashInput {
    command: String,
    description: Option<String>,
    timeout: Option<Number>,
    #[serde(default, deserialize_with = "flag")]
    run_in_background: bool,
}

/// BashOutput says `bash_id`, KillShell `shell_id`.
#[derive(Deserialize)]
struct ShellInput {
    #[serde(alias = "bash_id")]
    shell_id: Id,
}

#[derive(Deserialize)]
struct MonitorInput {
    description: Option<String>,
    timeout_ms: Option<Number>,
    command: Option<String>,
    /// A socket that is listened to in place of a command.
    ws: Option<Value>,
}

/// What Bash, BashOutput (`exitCode`) and Monitor (`taskId`) return.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ShellData {
    #[serde(deserialize_with = "lax")]
    stdout: Option<String>,
    #[serde(deserialize_with = "lax")]
    stderr: Option<String>,
    #[serde(deserialize_with = "lax")]
    interrupted: Option<bool>,
    #[serde(deserialize_with = "lax")]
    is_image: Option<bool>,
    #[serde(deserialize_with = "lax")]
    background_task_id: Option<String>,
    #[serde(deserialize_with = "lax")]
    return_code_interpretation: Option<String>,
    #[serde(deserialize_with = "lax")]
    persisted_output_path: Option<String>,
    #[serde(deserialize_with = "lax")]
    timed_out_after_ms: Option<u64>,
    #[serde(deserialize_with = "lax")]
    exit_code: Option<i64>,
    #[serde(deserialize_with = "lax")]
    task_id: Option<String>,
}

pub(super) fn start(name: &str, input: &Value) -> Option<NormalizedPayload> {
    let shell_exec = match name {
        "Bash" => {
            let input = BashInput::deserialize(input).ok()?;
            ShellExec {
                command: Some(input.command),
                description: input.description,
                timeout: input.timeout,
                background: input.run_in_background,
                ..ShellExec::default()
            }
        }
        "Monitor" => {
            let input = MonitorInput::deserialize(input).ok()?;
            let socket = input.ws.map(|ws| match ws {
                Value::String(url) => url,
                other => other.to_string(),
            });
            ShellExec {
                command: input.command.or(socket),
                description: input.description,
                timeout: input.timeout_ms,
                background: true,
                ..ShellExec::default()
            }
        }
        _ => {
            let ShellInput {
                shell_id: Id(shell_id),
            } = ShellInput::deserialize(input).ok()?;
            let what = if name == "KillShell" {
                "Stop"
            } else {
                "Output of"
            };
            ShellExec {
                description: Some(format!("{what} background shell {shell_id}")),
                background: true,
                task_id: Some(shell_id),
                ..ShellExec::default()
            }
        }
    };
    Some(NormalizedPayload::ShellExec { shell_exec })
}

pub(super) fn finish(call: ShellExec, name: &str, result: &ToolResult<'_>) -> ShellExec {
    if result.is_error {
        return failed(call, result);
    }
    let Some(mut data) = result.data::<ShellData>() else {
        return told(call, result);
    };
    let stdout = data.stdout.take();
    let background_task = data.background_task_id.take();
    let in_background = background_task.is_some() || name == "Monitor";
    let note = match (data.return_code_interpretation.take(), &stdout) {
        (None, Some(stdout)) if in_background => Some(after(stdout, &result.text())),
        (meaning, _) => meaning,
    };
    let interrupted = data.interrupted.unwrap_or(false);
    let ended = name == "Bash" && !in_background && !interrupted;
    let exit_code = if ended && note.is_none() {
        Some(0)
    } else {
        data.exit_code
    };
    let image = data.is_image.unwrap_or(false).then(|| {
        let inline = stdout.as_deref().and_then(data_url);
        inline.or_else(|| result.image())
    });
    let output = ShellOutput {
        exit_code,
        // KillShell and Monitor have no output of their own; what the CLI says of them stands in for it.
        stdout: stdout.unwrap_or_else(|| result.text()),
        stderr: data.stderr.unwrap_or_default(),
        interrupted,
        truncated: data.persisted_output_path.is_some(),
        note,
        full_output_path: data.persisted_output_path,
        image: image.flatten(),
        timed_out_ms: data.timed_out_after_ms,
    };
    ShellExec {
        background: call.background || in_background,
        task_id: background_task.or(data.task_id).or(call.task_id),
        output: Some(output),
        ..call
    }
}

/// What the CLI says after the output.
fn after(stdout: &str, text: &str) -> String {
    text.strip_prefix(stdout).unwrap_or(text).trim().to_owned()
}

/// A call that failed, was denied or was interrupted. `Exit code 3` comes before the output, from 2.0.76 on.
fn failed(call: ShellExec, result: &ToolResult<'_>) -> ShellExec {
    let data: ShellData = result.data().unwrap_or_default();
    let text = result.text();
    let (exit_code, stdout) = match exit_code(&text) {
        Some((code, output)) => (Some(code), output.to_owned()),
        None => (None, result.error().unwrap_or_default()),
    };
    let (path, beginning) = saved(&stdout).unzip();
    let output = ShellOutput {
        exit_code,
        truncated: data.persisted_output_path.is_some() || stdout.starts_with(PERSISTED),
        interrupted: data.interrupted.unwrap_or_else(|| stopped(result)),
        // The reason stands in for the output unless the tool gave one.
        stdout: data
            .stdout
            .filter(|own| !stdout.contains(own.trim_end()))
            .unwrap_or(beginning.unwrap_or(stdout)),
        stderr: data.stderr.unwrap_or_default(),
        full_output_path: data.persisted_output_path.or(path),
        ..ShellOutput::default()
    };
    ShellExec {
        background: call.background || data.background_task_id.is_some(),
        task_id: data.background_task_id.or(call.task_id),
        output: Some(output),
        ..call
    }
}

/// The code and the output in `Exit code 3\nOUTPUT`.
fn exit_code(text: &str) -> Option<(i64, &str)> {
    let rest = text.strip_prefix("Exit code ")?;
    let (code, output) = rest.split_once('\n').unwrap_or((rest, ""));
    if !code.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((code.parse().ok()?, output))
}

/// A command that ran and was stopped, as against one that was refused before it ran.
fn stopped(result: &ToolResult<'_>) -> bool {
    let rejected = result
        .tool_use_result
        .is_some_and(|raw| raw.get() == r#""User rejected tool use""#);
    rejected
        && result
            .text()
            .contains("this call was stopped while running")
}

/// From what the model was told, in older versions and in subagents.
fn told(call: ShellExec, result: &ToolResult<'_>) -> ShellExec {
    let text = result.text();
    let persisted = text.starts_with(PERSISTED);
    let task = task_of(&text);
    let mut output = ShellOutput {
        truncated: persisted,
        ..ShellOutput::default()
    };
    if let Some((path, beginning)) = saved(&text) {
        output.full_output_path = Some(path);
        output.stdout = beginning;
    } else if let Some(status) = tagged(&text, "status") {
        output.exit_code = tagged(&text, "exit_code").and_then(|code| code.trim().parse().ok());
        output.stdout = tagged(&text, "stdout")
            .unwrap_or_default()
            .trim_matches('\n')
            .to_owned();
        output.stderr = tagged(&text, "stderr")
            .unwrap_or_default()
            .trim_matches('\n')
            .to_owned();
        output.note = Some(status.trim().to_owned());
    } else if task.is_some() {
        output.note = Some(text);
    } else if !matches!(
        &*text,
        "(Bash completed with no output)" | "Tool ran without output"
    ) {
        output.stdout = text;
    }
    ShellExec {
        background: call.background || task.is_some(),
        task_id: task.or(call.task_id),
        output: Some(output),
        ..call
    }
}

/// What stands in for an output that was too long for the model.
const PERSISTED: &str = "<persisted-output>";

/// Where all of such an output is, and how it begins.
fn saved(text: &str) -> Option<(String, String)> {
    let said = text.strip_prefix(PERSISTED)?;
    let (_, said) = said.split_once("Full output saved to: ")?;
    let (path, said) = said.split_once('\n').unwrap_or((said, ""));
    let preview = said.split_once("Preview (");
    let beginning = preview.and_then(|(_, preview)| preview.split_once('\n'));
    let beginning = beginning.map_or("", |(_, beginning)| beginning).trim_end();
    let beginning = beginning
        .strip_suffix("</persisted-output>")
        .unwrap_or(beginning);
    Some((path.trim().to_owned(), beginning.to_owned()))
}

/// The id in `Command running in background with ID: b5iaq4iwr. Output ...`.
fn task_of(text: &str) -> Option<String> {
    let rest = text.strip_prefix("Command running in background with ID: ")?;
    let id: String = rest
        .chars()
        .take_while(char::is_ascii_alphanumeric)
        .collect();
    (!id.is_empty()).then_some(id)
}

/// The image in `data:image/png;base64,...`.
fn data_url(text: &str) -> Option<ImageData> {
    let (media_type, data) = text.trim().strip_prefix("data:")?.split_once(";base64,")?;
    Some(ImageData {
        media_type: media_type.to_owned(),
        data: data.to_owned(),
    })
}

//! What comes of a call: files are really read and written, in the scratch folder; all else is as the script says.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::cli::{Played, Stop};
use crate::decision::answered;
use crate::patch;
use crate::tour::Tour;
use crate::tour::script::Call;

/// The content and the `tool_use_result` of a call.
pub struct Outcome {
    pub content: Value,
    pub data: Value,
    pub error: bool,
}

impl Outcome {
    fn new(content: impl Into<Value>, data: Value) -> Self {
        Self {
            content: content.into(),
            data,
            error: false,
        }
    }

    fn error(words: &str) -> Self {
        Self {
            content: json!(words),
            data: json!(format!("Error: {words}")),
            error: true,
        }
    }

    fn misuse(words: &str) -> Self {
        Self {
            content: json!(format!("<tool_use_error>{words}</tool_use_error>")),
            data: json!(format!("Error: {words}")),
            error: true,
        }
    }
}

fn word<'a>(input: &'a Map<String, Value>, name: &str) -> &'a str {
    input.get(name).and_then(Value::as_str).unwrap_or_default()
}

impl Tour<'_> {
    /// What is wrong with a call before anybody is asked about it.
    pub fn misused(&self, tool: &str, input: &Map<String, Value>) -> Option<Outcome> {
        let path = word(input, "file_path");
        if !matches!(tool, "Edit" | "Write" | "Read") {
            return None;
        }
        let known = match self.scratch.read(path) {
            Ok(known) => known,
            Err(words) => return Some(Outcome::error(&words)),
        };
        if tool != "Edit" {
            return None;
        }
        let old = word(input, "old_string");
        match known {
            None => Some(Outcome::misuse(&format!("File does not exist: {path}"))),
            Some(bytes) if !String::from_utf8_lossy(&bytes).contains(old) => Some(Outcome::misuse(
                &format!("String to replace not found in file.\nString: {old}"),
            )),
            Some(_) => None,
        }
    }

    /// Does a call that may be done.
    pub fn carry_out(
        &mut self,
        call: &Call,
        input: &Map<String, Value>,
        changed: bool,
    ) -> Result<Outcome, Stop> {
        Ok(match call.tool.as_str() {
            "Read" => self.read(input),
            "Edit" => self.edit(input, changed),
            "Write" => self.write(input, changed),
            "TaskCreate" => self.create_task(input),
            "TaskUpdate" => self.update_task(input),
            "AskUserQuestion" => self.take_answers(input),
            "EnterPlanMode" => {
                self.mode_before_plan = self.cli.track.mode.clone();
                self.cli.mode_status("plan")?;
                let words = "Entered plan mode. You should now focus on exploring the codebase and designing an implementation approach.";
                Outcome::new(words, json!({"message": words}))
            }
            "ExitPlanMode" => self.leave_plan_mode(input, changed)?,
            _ if changed => Outcome::new(
                format!(
                    "(rehearsal) The input was changed to {}. Nothing is run here, so there is no output to show.",
                    Value::Object(input.clone())
                ),
                json!({"stdout": "(rehearsal) The command was changed. Nothing is run here, so there is no output to show.", "stderr": "", "interrupted": false,
                    "isImage": false, "noOutputExpected": false}),
            ),
            _ => scripted(call),
        })
    }

    fn read(&self, input: &Map<String, Value>) -> Outcome {
        let path = word(input, "file_path");
        let bytes = match self.scratch.read(path) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return Outcome::misuse("File does not exist."),
            Err(words) => return Outcome::error(&words),
        };
        if path.ends_with(".png") {
            let data = STANDARD.encode(&bytes);
            return Outcome::new(
                json!([{"type": "image", "source": {"type": "base64", "data": data, "media_type": "image/png"}}]),
                json!({"type": "image", "file": {"base64": data, "type": "image/png", "originalSize": bytes.len()}}),
            );
        }
        let text = String::from_utf8_lossy(&bytes);
        let total = text.split('\n').count();
        let start = input
            .get("offset")
            .and_then(Value::as_u64)
            .and_then(|line| usize::try_from(line).ok())
            .unwrap_or(1)
            .max(1);
        let limit = input
            .get("limit")
            .and_then(Value::as_u64)
            .and_then(|lines| usize::try_from(lines).ok())
            .unwrap_or(total);
        let lines: Vec<&str> = text.split('\n').skip(start - 1).take(limit).collect();
        let numbered: Vec<String> = lines
            .iter()
            .enumerate()
            .map(|(at, line)| format!("{}\t{line}", start + at))
            .collect();
        Outcome::new(
            numbered.join("\n"),
            json!({"type": "text", "file": {"filePath": path, "content": lines.join("\n"), "numLines": lines.len(), "startLine": start, "totalLines": total}}),
        )
    }

    fn edit(&self, input: &Map<String, Value>, changed: bool) -> Outcome {
        let path = word(input, "file_path");
        if let Some(misused) = self.misused("Edit", input) {
            return misused;
        }
        let original = match self.scratch.read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes.unwrap_or_default()).into_owned(),
            Err(words) => return Outcome::error(&words),
        };
        let (old, new) = (word(input, "old_string"), word(input, "new_string"));
        let all = input.get("replace_all") == Some(&Value::Bool(true));
        let edited = if all {
            original.replace(old, new)
        } else {
            original.replacen(old, new, 1)
        };
        if let Err(words) = self.scratch.write(path, &edited) {
            return Outcome::error(&words);
        }
        let note = if changed {
            "  The user modified your proposed changes before accepting them. ."
        } else {
            ""
        };
        Outcome::new(
            format!("The file {path} has been updated successfully.{note}"),
            json!({"filePath": path, "oldString": old, "newString": new, "originalFile": original,
                "structuredPatch": patch::structured(&original, &edited), "userModified": changed, "replaceAll": all}),
        )
    }

    fn write(&self, input: &Map<String, Value>, changed: bool) -> Outcome {
        let (path, content) = (word(input, "file_path"), word(input, "content"));
        let before = match self.scratch.read(path) {
            Ok(before) => before.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
            Err(words) => return Outcome::error(&words),
        };
        if let Err(words) = self.scratch.write(path, content) {
            return Outcome::error(&words);
        }
        let (kind, words) = if before.is_some() {
            ("update", "updated")
        } else {
            ("create", "created")
        };
        let hunks = before
            .as_deref()
            .map_or_else(|| json!([]), |before| patch::structured(before, content));
        Outcome::new(
            format!("File {words} successfully at: {path}"),
            json!({"type": kind, "filePath": path, "content": content, "structuredPatch": hunks, "originalFile": before, "userModified": changed}),
        )
    }

    fn create_task(&mut self, input: &Map<String, Value>) -> Outcome {
        self.tasks.push("pending".to_owned());
        let id = self.tasks.len().to_string();
        let subject = word(input, "subject");
        Outcome::new(
            format!("Task #{id} created successfully: {subject}"),
            json!({"task": {"id": id, "subject": subject, "description": word(input, "description")}}),
        )
    }

    fn update_task(&mut self, input: &Map<String, Value>) -> Outcome {
        let (id, to) = (word(input, "taskId"), word(input, "status"));
        let task = id
            .parse::<usize>()
            .ok()
            .and_then(|number| self.tasks.get_mut(number.checked_sub(1)?));
        let Some(task) = task else {
            return Outcome::new(
                "Task not found",
                json!({"success": false, "taskId": id, "updatedFields": [], "error": "Task not found"}),
            );
        };
        let from = std::mem::replace(task, to.to_owned());
        Outcome::new(
            format!("Updated task #{id} status"),
            json!({"success": true, "taskId": id, "updatedFields": ["status"], "statusChange": {"from": from, "to": to}}),
        )
    }

    fn take_answers(&mut self, input: &Map<String, Value>) -> Outcome {
        let answers = input.get("answers").cloned().unwrap_or_else(|| json!({}));
        let said: Vec<String> = answers
            .as_object()
            .into_iter()
            .flatten()
            .map(|(question, answer)| {
                format!("- {question} **{}**", answer.as_str().unwrap_or_default())
            })
            .collect();
        self.answers = if said.is_empty() {
            "- (no answer)".to_owned()
        } else {
            said.join("\n")
        };
        Outcome::new(
            answered(&answers),
            json!({"questions": input.get("questions"), "answers": answers}),
        )
    }

    fn leave_plan_mode(
        &mut self,
        input: &Map<String, Value>,
        changed: bool,
    ) -> Result<Outcome, Stop> {
        if self.cli.track.mode == "plan" {
            let mode = std::mem::take(&mut self.mode_before_plan);
            let known = !mode.is_empty() && mode != "plan";
            self.cli
                .mode_status(if known { &mode } else { "default" })?;
        }
        let (plan, file) = (word(input, "plan"), word(input, "planFilePath"));
        let mut data = json!({"plan": plan, "isAgent": false, "filePath": file});
        if changed {
            data["planWasEdited"] = json!(true);
            if let Err(words) = self.scratch.write(file, plan) {
                return Ok(Outcome::error(&words));
            }
        }
        let words = format!(
            "User has approved your plan. You can now start coding.\n\nYour plan has been saved to: {file}\n\n## Approved Plan:\n{plan}"
        );
        Ok(Outcome::new(words, data))
    }

    /// Writes what a background job printed where the CLI said that it would.
    pub fn write_output(&mut self, file: &str, output: &str) -> Played {
        if let Err(words) = self.scratch.write(file, output) {
            eprintln!("{words}");
        }
        Ok(())
    }
}

fn scripted(call: &Call) -> Outcome {
    if let Some(stdout) = &call.stdout {
        if call.exit != 0 {
            return Outcome::error(&format!("Exit code {}\n{stdout}", call.exit));
        }
        let content = if stdout.is_empty() {
            "(Bash completed with no output)"
        } else {
            stdout
        };
        return Outcome::new(
            content,
            json!({"stdout": stdout, "stderr": "", "interrupted": false, "isImage": false, "noOutputExpected": stdout.is_empty()}),
        );
    }
    let data = call.data.clone().unwrap_or_else(|| {
        if call.error {
            json!(format!(
                "Error: {}",
                call.content.as_str().unwrap_or_default()
            ))
        } else {
            call.content.clone()
        }
    });
    Outcome {
        content: call.content.clone(),
        data,
        error: call.error,
    }
}

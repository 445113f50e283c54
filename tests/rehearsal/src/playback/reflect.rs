//! Results that follow what the host changed: an edited input, other answers, other words of a denial.

use serde_json::{Value, json};

use crate::decision::answered;
use crate::patch;
use crate::playback::Playback;
use crate::track::text;

impl Playback<'_> {
    /// The recorded result line as it has to be here, if it has to be another.
    pub fn reflect(&mut self, line: &Value) -> Option<Value> {
        let block = line["message"]["content"]
            .as_array()?
            .iter()
            .position(|block| block["type"] == "tool_result")?;
        let call = text(&line["message"]["content"][block]["tool_use_id"]).to_owned();
        let mut line = line.clone();
        if let Some((was, now)) = self.messages.remove(&call) {
            let replaced =
                |value: &Value| value.as_str().map(|words| json!(words.replace(&was, &now)));
            let content = &mut line["message"]["content"][block]["content"];
            if let Some(words) = replaced(content) {
                *content = words;
            }
            if let Some(words) = replaced(&line["tool_use_result"]) {
                line["tool_use_result"] = words;
            }
            return Some(line);
        }
        let input = self.changed.remove(&call)?;
        let name = self
            .cli
            .track
            .calls
            .get(&call)
            .map(|call| call.name.clone())
            .unwrap_or_default();
        let data = line["tool_use_result"].clone();
        let (content, data, failed) = reflected(&name, &input, data);
        line["message"]["content"][block]["content"] = json!(content);
        if failed {
            line["message"]["content"][block]["is_error"] = json!(true);
        }
        line["tool_use_result"] = data;
        Some(line)
    }
}

fn reflected(name: &str, input: &Value, mut data: Value) -> (String, Value, bool) {
    let word = |name: &str| text(&input[name]).to_owned();
    let failed = |words: String| (words.clone(), json!(format!("Error: {words}")), true);
    match name {
        "Edit" => {
            let original = text(&data["originalFile"]).to_owned();
            let (old, new) = (word("old_string"), word("new_string"));
            if !original.contains(&old) {
                return failed(format!(
                    "String to replace not found in file.\nString: {old}"
                ));
            }
            let all = input["replace_all"] == true;
            let edited = if all {
                original.replace(&old, &new)
            } else {
                original.replacen(&old, &new, 1)
            };
            data["oldString"] = json!(old);
            data["newString"] = json!(new);
            data["replaceAll"] = json!(all);
            data["structuredPatch"] = patch::structured(&original, &edited);
            data["userModified"] = json!(true);
            (
                format!(
                    "The file {} has been updated successfully.  The user modified your proposed changes before accepting them. .",
                    word("file_path")
                ),
                data,
                false,
            )
        }
        "Write" => {
            let content = word("content");
            let original = data["originalFile"].as_str().map(str::to_owned);
            data["content"] = json!(content);
            data["structuredPatch"] = original.map_or_else(
                || json!([]),
                |original| patch::structured(&original, &content),
            );
            data["userModified"] = json!(true);
            (
                format!(
                    "The file {} has been written.  The user modified your proposed changes before accepting them. .",
                    word("file_path")
                ),
                data,
                false,
            )
        }
        "AskUserQuestion" => {
            data["answers"] = input["answers"].clone();
            (answered(&input["answers"]), data, false)
        }
        "ExitPlanMode" => {
            let plan = word("plan");
            data["plan"] = json!(plan);
            data["planWasEdited"] = json!(true);
            (
                format!("User has approved your plan, with changes.\n\n## Approved Plan:\n{plan}"),
                data,
                false,
            )
        }
        _ => failed(format!(
            "{name} was allowed with another input, and the recording holds only what came of the original one."
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_edit_is_the_diff_of_what_was_changed() {
        let input = json!({"file_path": "/a", "old_string": "b\n", "new_string": "B\n"});
        let (content, data, failed) = reflected(
            "Edit",
            &input,
            json!({"originalFile": "a\nb\nc\n", "newString": "x\n"}),
        );
        assert!(!failed && content.contains("user modified"));
        assert_eq!(
            data["structuredPatch"][0]["lines"],
            json!([" a", "-b", "+B", " c"])
        );
        assert_eq!(
            (&data["newString"], &data["userModified"]),
            (&json!("B\n"), &json!(true))
        );
    }

    #[test]
    fn another_command_has_no_recorded_output() {
        let (content, _, failed) = reflected(
            "Bash",
            &json!({"command": "ls"}),
            json!({"stdout": "secret"}),
        );
        assert!(failed && !content.contains("secret"));
    }
}

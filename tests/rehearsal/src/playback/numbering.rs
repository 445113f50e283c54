//! A recording that is played once more says new things: its messages, calls and lines get ids of their own.

use serde_json::{Value, json};

/// The line with the ids of round number `round`.
pub fn numbered(raw: &str, line: &Value, round: usize) -> String {
    let mut text = raw.to_owned();
    for prefix in ["msg_", "toolu_"] {
        text = text.replace(&format!("\"{prefix}"), &format!("\"{prefix}{round}_"));
    }
    // An echo has the id of the host's own line.
    let is_echo = line["type"] == "command_lifecycle" || line["isReplay"] == true;
    if let Some(uuid) = line["uuid"]
        .as_str()
        .filter(|uuid| !is_echo && uuid.len() > 4)
    {
        let cut = uuid.len() - 4;
        if uuid.is_char_boundary(cut) {
            let own = format!("{}{:04x}", &uuid[..cut], round % 0x1_0000);
            text = text.replace(&json!(uuid).to_string(), &json!(own).to_string());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_calls_and_lines_get_ids_of_their_own() {
        let line = json!({"type": "assistant", "uuid": "00000000-0000-4000-8000-00000000abcd", "message": {"id": "msg_1",
            "content": [{"type": "tool_use", "id": "toolu_1", "input": {"note": "msg_ stays"}}]}});
        let text = numbered(&line.to_string(), &line, 2);
        for id in [
            "\"msg_2_1\"",
            "\"toolu_2_1\"",
            "00000000-0000-4000-8000-000000000002",
        ] {
            assert!(text.contains(id), "{text}");
        }
    }

    #[test]
    fn an_echo_keeps_the_id_of_the_prompt() {
        let line = json!({"type": "user", "uuid": "00000000-0000-4000-8000-00000000abcd", "isReplay": true});
        assert_eq!(numbered(&line.to_string(), &line, 2), line.to_string());
    }
}

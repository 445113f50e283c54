//! Lines of the model that the CLI takes back later: after a refusal, or when a response had to be asked for again.
//!
//! They were said and confirmed, so their text stays what it is; a notice `supersedes` says of a message that it does not
//! count any more.

use std::borrow::Cow;
use std::collections::VecDeque;

use serde_json::json;

use crate::event::EventBody;
use crate::out::Out;

const KNOWN: usize = 128;

/// Which message the newest lines belong to.
#[derive(Debug, Default)]
pub(crate) struct Spoken {
    lines: VecDeque<Spoke>,
}

#[derive(Debug)]
struct Spoke {
    uuid: String,
    parent: Option<String>,
    message_id: String,
}

impl Spoken {
    /// A line said part of a message.
    pub fn by(&mut self, uuid: Option<&str>, parent: Option<&str>, message_id: &str) {
        let Some(uuid) = uuid else { return };
        self.lines.push_back(Spoke {
            uuid: uuid.to_owned(),
            parent: parent.map(str::to_owned),
            message_id: message_id.to_owned(),
        });
        if self.lines.len() > KNOWN {
            self.lines.pop_front();
        }
    }

    /// Tells which messages these lines belong to, each once and only when no other line of it still counts, but for
    /// `own`, which goes on being said.
    pub fn retract(&mut self, uuids: &[Cow<'_, str>], own: Option<&str>, out: &mut Out) {
        for uuid in uuids {
            let Some(spoke) = self.lines.iter().find(|spoke| spoke.uuid == *uuid) else {
                continue;
            };
            let (parent, message_id) = (spoke.parent.clone(), spoke.message_id.clone());
            if own == Some(message_id.as_str()) {
                continue;
            }
            self.lines.retain(|spoke| spoke.uuid != *uuid);
            if self
                .lines
                .iter()
                .any(|spoke| spoke.message_id == message_id)
            {
                continue;
            }
            out.say_under(
                parent.as_deref(),
                EventBody::Notice {
                    kind: "supersedes".to_owned(),
                    text: "An earlier answer was taken back".to_owned(),
                    data: json!({ "message_id": message_id }),
                },
            );
        }
    }
}

//! A session that was here before: what it was goes on, and nothing runs.

use kandev_transcript::Files;

use super::{Setting, State};
use crate::moment::Moment;
use crate::phase::Life;
use crate::{Past, Phase};

impl State {
    /// As it was left. A phase that only a process can have is that of one that is gone.
    pub(crate) fn restored(
        mut setting: Setting,
        past: Past,
        files: Box<dyn Files + Send>,
        now: Moment,
    ) -> Self {
        let request = &mut setting.request;
        // What it had become goes before what it was started with.
        request.model = past.model.clone().or(request.model.take());
        request.effort = past.effort.clone().or(request.effort.take());
        // A fork that has no conversation yet is still to be forked, where it was then.
        if past.cli_session_id.is_none() && request.resume.is_none() && past.forked_from.is_some() {
            request.resume.clone_from(&past.forked_from);
            request.resume_at.clone_from(&past.last_message_uuid);
            request.fork = true;
        }
        let forked_from = request.resume.clone().filter(|_| request.fork);
        // The fork that it was to be has an id of its own by now.
        if past.cli_session_id.is_some() && past.cli_session_id != request.resume {
            request.fork = false;
        }
        let own = match request.fork {
            true => None,
            false => past.cli_session_id.or_else(|| request.resume.clone()),
        };
        if !request.fork {
            request.resume_at = None;
        }
        let mut state = Self::new(setting, files, now);
        let spoke = past.last_message_uuid.is_some();
        state.conversation.restored(own.as_deref(), spoke);
        let standing = past.standing.iter().map(|event| &event.body);
        state
            .transcript
            .restore(standing, past.last_message_uuid.as_deref());
        state.restored = true;
        state.titled = past.titled;
        let info = &mut state.info;
        if !past.title.trim().is_empty() {
            info.title = past.title;
        }
        info.cli_session_id = own;
        info.permission_mode = past.permission_mode;
        info.model = past.model;
        info.effort = past.effort;
        info.since = past.since;
        info.started_at = past.started_at;
        info.problem = past.problem;
        info.cli_version = past.cli_version;
        info.last_message_uuid = past.last_message_uuid;
        info.forked_from = past.forked_from.or(forked_from);
        info.last_seq = past.last_seq;
        (state.life, info.phase) = match past.phase {
            Phase::Failed => (Life::Failed, Phase::Failed),
            _ => (Life::Stopped, Phase::Stopped),
        };
        state.refresh();
        state
    }
}

//! Going on with sessions that were here before: actors for those that have none, and who may write to a conversation.

use kandev_session::{
    NewSession, Past, Phase, PromptImage, Session, SessionInfo, host_here, resumable_here,
};
use kandev_store::{Owner, Source, StoredSession};

use super::follower::Hold;
use super::{Sessions, is_over};
use crate::api::CommandError;
use crate::checks;

impl Sessions {
    /// The actor of a session of ours: the one that it has, or one that is made from what is kept. Starts no process.
    ///
    /// # Errors
    /// `no_such_session`, `not_ours`, `rehearsal_over`, `owned`.
    pub async fn actor(&self, id: &str) -> Result<Session, CommandError> {
        if let Some(session) = self.actors.get(id) {
            return Ok(session);
        }
        let _alone = self.taking_up.lock().await;
        if let Some(session) = self.actors.get(id) {
            return Ok(session);
        }
        self.not_carried(id).await?;
        self.restore(id).await
    }

    /// The same, for what will start its process or has one: nobody else writes to the conversation, and what others have
    /// said in it meanwhile is known.
    ///
    /// # Errors
    /// As [`Sessions::actor`], and `folder_gone`, `other_host`.
    pub async fn ready(&self, id: &str) -> Result<Session, CommandError> {
        if let Some(session) = self.running(id) {
            return Ok(session);
        }
        let _alone = self.taking_up.lock().await;
        if let Some(session) = self.running(id) {
            return Ok(session);
        }
        let row = self.own_row(id).await?;
        if row.rehearsal {
            return Err(rehearsal_over());
        }
        on_this_host(&row)?;
        checks::workspace(&row.workspace)?;
        self.not_carried(id).await?;
        let Some(cli) = row.cli_session_id.clone() else {
            // The CLI has kept nothing of it, so nobody else can have it open.
            return self.restored_or_held(id).await;
        };
        // What stopped a moment ago may still hold it.
        if let Some(held) = self.actors.hold(id) {
            held.release();
        }
        let hold = Hold::default();
        self.claim(&hold, &cli).await?;
        if self.actors.get(id).is_none() || self.records.has_news(&row).await {
            // An actor counts on from what it knew, so it is made anew once the rest is in.
            self.let_go(id).await;
            self.records.catch_up(id).await?;
        }
        let session = self.restored_or_held(id).await?;
        let title = self.records.cli_title(&cli);
        if row.titled && title.is_some_and(|title| title != row.title) {
            // It was named here while there was no process; the next one is told.
            session.rename(row.title).await?;
        }
        if let Some(held) = self.actors.hold(id) {
            held.take_from(&hold);
        }
        Ok(session)
    }

    /// Starts the process again, which resumes the conversation. One that was begun in a terminal becomes ours, with an
    /// id of its own.
    ///
    /// # Errors
    /// As [`Sessions::ready`].
    pub async fn resume(&self, id: &str) -> Result<SessionInfo, CommandError> {
        let own = self.own(id).await?;
        let session = self.ready(&own).await?;
        session.resume().await?;
        Ok(session.info())
    }

    /// A session of its own that goes on from another one, or from one message of it, and leaves that as it is. What was
    /// said up to there is in its journal too.
    ///
    /// # Errors
    /// `no_such_session`, `rehearsal_over`, `other_host`, `nothing_to_resume`, `no_such_message`.
    pub async fn fork(&self, id: &str, at: Option<String>) -> Result<SessionInfo, CommandError> {
        let from = self.whole(id).await?;
        if from.rehearsal {
            return Err(rehearsal_over());
        }
        on_this_host(&from)?;
        let Some(cli) = from.cli_session_id.clone() else {
            return Err(CommandError::new(
                "nothing_to_resume",
                "Claude Code has kept nothing of this session yet, so there is nothing to go on from.",
            ));
        };
        let new = uuid::Uuid::new_v4().to_string();
        let through = self.records.through(&from, at.as_deref()).await?;
        let launch = self.launch();
        let request = NewSession {
            resume: Some(cli.clone()),
            resume_at: at,
            fork: true,
            policy: from.policy.unwrap_or_else(|| narrow(launch.policy)),
            ..from.request()
        };
        let row = StoredSession {
            id: new.clone(),
            cli_session_id: None,
            source: Source::Kandev,
            policy: Some(request.policy),
            forked_from: Some(cli),
            // If it ends before it has a conversation of its own, it is forked here again.
            last_message_uuid: request.resume_at.clone().or(from.last_message_uuid.clone()),
            state: Phase::Stopped,
            archived: false,
            problem: None,
            ..from.clone()
        };
        self.records
            .begin_with(&from.id, through, row.clone())
            .await?;
        let standing = self.records.standing(&new).await?;
        let past = Past {
            last_seq: through,
            ..row.past(standing)
        };
        let session = Session::restore(new, request.clone(), past, self.options()?);
        self.add(session.clone(), &request, Hold::default(), None);
        session.resume().await?;
        Ok(session.info())
    }

    /// Ends the process if there is one, goes back to a message and sends a prompt from there.
    ///
    /// # Errors
    /// As [`Sessions::ready`], and those of the session.
    pub async fn retry(
        &self,
        id: &str,
        at: Option<String>,
        text: String,
        images: Vec<PromptImage>,
    ) -> Result<(), CommandError> {
        let session = self.ready(id).await?;
        Ok(session.retry(at, text, images).await?)
    }

    /// The folder in which a session works.
    ///
    /// # Errors
    /// `no_such_session`.
    pub async fn workspace(&self, id: &str) -> Result<String, CommandError> {
        match self.actors.get(id) {
            Some(session) => Ok(session.info().workspace),
            None => Ok(self.any_row(id).await?.workspace),
        }
    }

    /// Its title, if that says something of the conversation.
    ///
    /// # Errors
    /// `no_such_session`.
    pub async fn said_title(&self, id: &str) -> Result<Option<String>, CommandError> {
        let row = self.any_row(id).await?;
        Ok(Some(row.title).filter(|_| row.titled || row.source == Source::Terminal))
    }

    /// The row of a session, of ours or in a terminal.
    ///
    /// # Errors
    /// `no_such_session`.
    pub async fn any_row(&self, id: &str) -> Result<StoredSession, CommandError> {
        match self.row_of(id).await? {
            Some(row) if row.source == Source::Kandev => Ok(row),
            _ => self.records.terminal_row(id).await,
        }
    }

    /// The same, once all that was said in it is kept, here and elsewhere.
    ///
    /// # Errors
    /// `no_such_session`.
    pub async fn whole(&self, id: &str) -> Result<StoredSession, CommandError> {
        match self.row_of(id).await? {
            Some(row) if row.source == Source::Kandev => {
                self.bring_up(&row.id).await;
                self.own_row(&row.id).await
            }
            _ => self.records.read_in(id).await,
        }
    }

    /// Has in the journal of a session of ours what was said in it until now.
    pub(super) async fn bring_up(&self, id: &str) {
        match self.actors.following(id) {
            // It was told in the session when this failed.
            Some(following) => drop(following.flush().await),
            // Of a file that cannot be read nothing is taken over; the journal is readable all the same.
            None => drop(self.records.catch_up(id).await),
        }
    }

    /// The id of a session as one of ours; one that was begun in a terminal becomes one.
    pub(super) async fn own(&self, id: &str) -> Result<String, CommandError> {
        match self.row_of(id).await? {
            Some(row) if row.source == Source::Kandev => Ok(row.id),
            _ => self.adopt(id).await,
        }
    }

    /// Takes the actor off a session once what it said is kept. Harmless when there is none.
    pub(super) async fn let_go(&self, id: &str) {
        if let Some(entry) = self.actors.take(id) {
            entry.end().await;
            self.actors.say();
        }
    }

    /// Holds a conversation, so that nobody else writes to it.
    pub(super) async fn claim(&self, hold: &Hold, cli: &str) -> Result<(), CommandError> {
        match self.records.claim(cli).await? {
            Ok(claim) => {
                hold.take(cli, claim);
                Ok(())
            }
            Err(owner) => Err(owned(&owner)),
        }
    }

    /// Another program that carries the session writes its journal, and numbers its events.
    pub(super) async fn not_carried(&self, id: &str) -> Result<(), CommandError> {
        match self.records.carrier(id).await? {
            Some(owner) => Err(owned(&owner)),
            None => Ok(()),
        }
    }

    /// The actor, if there is nothing to take up for it.
    fn running(&self, id: &str) -> Option<Session> {
        let session = self.actors.get(id)?;
        let info = session.info();
        (info.rehearsal || !is_over(info.phase)).then_some(session)
    }

    async fn restored_or_held(&self, id: &str) -> Result<Session, CommandError> {
        match self.actors.get(id) {
            Some(session) => Ok(session),
            None => self.restore(id).await,
        }
    }

    async fn restore(&self, id: &str) -> Result<Session, CommandError> {
        let _alone = self.records.alone().await;
        let row = self.own_row(id).await?;
        if row.rehearsal {
            return Err(rehearsal_over());
        }
        let standing = self.records.standing(id).await?;
        let request = row.request();
        let past = row.past(standing);
        let session = Session::restore(row.id, request.clone(), past, self.options()?);
        self.add(session.clone(), &request, Hold::default(), None);
        Ok(session)
    }

    pub(super) async fn row_of(&self, id: &str) -> Result<Option<StoredSession>, CommandError> {
        let read = || {
            let id = id.to_owned();
            self.records.with(move |store| store.session(&id))
        };
        let row = read().await?;
        if row.is_some() || self.actors.get(id).is_none() {
            return Ok(row);
        }
        // One that has just begun is written with its first words.
        self.bring_up(id).await;
        read().await
    }

    async fn own_row(&self, id: &str) -> Result<StoredSession, CommandError> {
        match self.row_of(id).await? {
            Some(row) if row.source == Source::Kandev && row.id == id => Ok(row),
            Some(_) => Err(CommandError::new(
                "not_ours",
                "The session was begun in a terminal: resume or fork it first.",
            )),
            None => Err(CommandError::new(
                "no_such_session",
                "the session is not there any more",
            )),
        }
    }

    /// Makes a conversation that was begun in a terminal one of ours, and gives its new id.
    async fn adopt(&self, id: &str) -> Result<String, CommandError> {
        // It may take a while, and others wait for their turn meanwhile.
        let theirs = match self.records.read_in(id).await {
            Ok(theirs) => theirs,
            // Another window may have been faster: then it is one of ours, and no terminal's any more.
            Err(error) => return self.ours_by_now(id).await?.ok_or(error),
        };
        let _alone = self.taking_up.lock().await;
        if let Some(own) = self.ours_by_now(id).await? {
            return Ok(own);
        }
        on_this_host(&theirs)?;
        let hold = Hold::default();
        if let Some(cli) = &theirs.cli_session_id {
            self.claim(&hold, cli).await?;
        }
        let launch = self.launch();
        let row = StoredSession {
            id: uuid::Uuid::new_v4().to_string(),
            source: Source::Kandev,
            policy: Some(narrow(launch.policy)),
            stop_check: launch.stop_check,
            ..theirs.clone()
        };
        let own = row.id.clone();
        self.records.take_over(&theirs.id, row).await?;
        self.list_again();
        Ok(own)
    }

    /// The id of ours that a conversation has got. It is looked for among ours alone: who read the conversation in while it
    /// was made one of ours has left a row of a terminal with that very id.
    async fn ours_by_now(&self, id: &str) -> Result<Option<String>, CommandError> {
        let all = self.records.with(|store| store.sessions()).await?;
        let ours = all
            .into_iter()
            .find(|row| row.id == id || row.cli_session_id.as_deref() == Some(id));
        Ok(ours.map(|row| row.id))
    }
}

/// What another system's CLI keeps, this one's does not find, or works on other files with (asks U14).
fn on_this_host(row: &StoredSession) -> Result<(), CommandError> {
    match &row.host {
        Some(host) => resumable_here(Some(host), host_here().as_deref())
            .map_err(|why| CommandError::new("other_host", why)),
        None => Ok(()),
    }
}

/// A conversation that comes from elsewhere is never allowed everything by a setting alone.
fn narrow(policy: kandev_session::Policy) -> kandev_session::Policy {
    match policy {
        kandev_session::Policy::Autonomous => kandev_session::Policy::Supervised,
        other => other,
    }
}

fn rehearsal_over() -> CommandError {
    CommandError::new(
        "rehearsal_over",
        "A rehearsal that has ended can be read, but not gone on with: there is no conversation behind it. Start another one.",
    )
}

pub(super) fn owned(owner: &Owner) -> CommandError {
    CommandError::new(
        "owned",
        format!(
            "The session is {}. End it there first, or fork it to go on from here.",
            owner.what
        ),
    )
}

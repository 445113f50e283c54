//! What a person does with a session as a thing that is kept: opens it, names it, puts it away, deletes it.

use std::path::Path;

use kandev_store::{At, Slice, Source, StoreError};

use super::Sessions;
use crate::api::{CommandError, OpenedSession};
use crate::checks;

impl Sessions {
    /// The end of a session's journal, or what is around an event: about so many rows.
    ///
    /// # Errors
    /// `no_such_session`.
    pub async fn open(
        &self,
        id: &str,
        at: Option<u64>,
        rows: usize,
    ) -> Result<OpenedSession, CommandError> {
        let at = at.map_or(At::End, At::Around);
        if self.actors.get(id).is_some() {
            let name = id.to_owned();
            let slice = self.records.with(move |store| {
                match store.open_at(&name, at, rows) {
                    // Its row is written with its first words.
                    Err(StoreError::NoSuchSession(_)) => Ok(empty()),
                    slice => slice,
                }
            });
            return Ok(OpenedSession {
                slice: slice.await?,
                read_only: false,
                importing: false,
                owner: None,
            });
        }
        let row = self.row_of(id).await?;
        let Some(row) = row.filter(|row| row.source == Source::Kandev) else {
            let on_anew = Box::new(self.on_anew());
            return self.records.open_in_terminal(id, at, rows, on_anew).await;
        };
        self.bring_up(&row.id).await;
        let name = row.id.clone();
        let slice = self
            .records
            .with(move |store| store.open_at(&name, at, rows))
            .await?;
        let owner = match &row.cli_session_id {
            Some(cli) if !row.rehearsal => self.records.owner(&row.id, cli).await?,
            _ => None,
        };
        let gone = row.host.is_none() && !Path::new(&row.workspace).is_dir();
        Ok(OpenedSession {
            slice,
            read_only: owner.is_some() || row.rehearsal || gone,
            importing: false,
            owner,
        })
    }

    /// A process is told the name of its conversation at once, or when there is one again.
    ///
    /// # Errors
    /// `no_such_session`, and those of the session.
    pub async fn rename(&self, id: &str, title: &str) -> Result<(), CommandError> {
        if let Some(session) = self.actors.get(id) {
            return Ok(session.rename(title.to_owned()).await?);
        }
        let title = title.trim().to_owned();
        if title.is_empty() {
            return Err(CommandError::new(
                "bad_title",
                "a title has to say something",
            ));
        }
        let row = self.any_row(id).await?;
        self.records
            .with(move |store| store.rename(&row.id, &title))
            .await?;
        self.list_again();
        Ok(())
    }

    /// Takes a session out of the list, or puts it back.
    ///
    /// # Errors
    /// `no_such_session`, `still_running`.
    pub async fn archive(&self, id: &str, archived: bool) -> Result<(), CommandError> {
        self.put_down(id).await?;
        let row = self.any_row(id).await?;
        self.records
            .with(move |store| store.archive(&row.id, archived))
            .await?;
        self.list_again();
        Ok(())
    }

    /// Forgets a session; with `cli_file` what the CLI keeps of it, too. Gives the ids under which it was known.
    ///
    /// # Errors
    /// `still_running`, `owned`, `not_ours` when there is nothing of ours to delete, `not_deleted`.
    pub async fn delete(&self, id: &str, cli_file: bool) -> Result<Vec<String>, CommandError> {
        // Nobody takes it up meanwhile.
        let _alone = self.taking_up.lock().await;
        self.put_down(id).await?;
        let row = self.row_of(id).await?;
        let ours = row.as_ref().is_some_and(|row| row.source == Source::Kandev);
        if !ours && !cli_file {
            return Err(CommandError::new(
                "not_ours",
                "The session was begun in a terminal, so there is nothing of it but Claude Code's own file.",
            ));
        }
        let rehearsal = row.as_ref().is_some_and(|row| row.rehearsal);
        let own = row.as_ref().map_or(id, |row| row.id.as_str()).to_owned();
        let cli = match &row {
            Some(row) => row.cli_session_id.clone(),
            None => Some(id.to_owned()),
        };
        self.not_carried(&own).await?;
        if let Some(cli) = cli.filter(|_| !rehearsal) {
            if let Some(owner) = self.records.owner(&own, &cli).await? {
                return Err(super::going_on::owned(&owner));
            }
            if cli_file {
                self.records.delete_cli_files(&cli).await?;
            }
        }
        let known = row.is_some();
        let name = own.clone();
        self.records
            .with(move |store| if known { store.delete(&name) } else { Ok(()) })
            .await?;
        self.list_again();
        Ok(vec![own])
    }

    /// The session works in another folder from now on. One that was begun in a terminal becomes ours for that. Gives the
    /// id that it has now.
    ///
    /// # Errors
    /// `no_such_session`, `still_running`.
    pub async fn relocate(&self, id: &str, folder: &str) -> Result<String, CommandError> {
        self.put_down(id).await?;
        let own = self.own(id).await?;
        let (name, folder) = (own.clone(), folder.to_owned());
        self.records
            .with(move |store| store.relocate(&name, &folder))
            .await?;
        self.list_again();
        Ok(own)
    }

    /// Makes the folder of a session again, empty.
    ///
    /// # Errors
    /// `no_such_session`, `not_absolute`, `not_made`.
    pub async fn recreate_folder(&self, id: &str) -> Result<(), CommandError> {
        let folder = self.workspace(id).await?;
        checks::absolute(&folder)?;
        self.records
            .blocking(move |_| {
                std::fs::create_dir_all(&folder).map_err(|error| {
                    let text = format!("the folder {folder} could not be made: {error}");
                    CommandError::new("not_made", text)
                })
            })
            .await?;
        self.list_again();
        Ok(())
    }

    /// Takes the actor off a session that has no process.
    async fn put_down(&self, id: &str) -> Result<(), CommandError> {
        match self.actors.get(id) {
            Some(_) => self.remove(id).await,
            None => Ok(()),
        }
    }
}

fn empty() -> Slice {
    Slice {
        standing: Vec::new(),
        events: Vec::new(),
        from: 1,
        through: 0,
        earlier: false,
        later: false,
        turns_before: 0,
    }
}

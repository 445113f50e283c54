//! Who has which conversation open, and the right to write to one.

use std::collections::HashMap;

use kandev_store::{Claim, Owner, Store};

use super::{Records, WHO};
use crate::api::CommandError;

impl Records {
    /// Who has which session or conversation open, by either id, other than this program.
    pub async fn owners(&self) -> Result<HashMap<String, Owner>, CommandError> {
        let terminal = self.terminal.clone();
        self.with(move |store| {
            let mut owners = terminal.owners();
            for id in claims(store) {
                if let Some(owner) = others(store.claimed(&id)) {
                    owners.insert(id, owner);
                }
            }
            Ok(owners)
        })
        .await
    }

    /// Who has a session open, other than this program.
    pub async fn owner(&self, id: &str, cli: &str) -> Result<Option<Owner>, CommandError> {
        let (id, cli, terminal) = (id.to_owned(), cli.to_owned(), self.terminal.clone());
        self.with(move |store| {
            let carrier = others(store.claimed(&id));
            Ok(carrier.or_else(|| others(terminal.owner(&cli))))
        })
        .await
    }

    /// Takes the right to write to a conversation, unless somebody has it.
    pub async fn claim(&self, cli: &str) -> Result<Result<Claim, Owner>, CommandError> {
        let (cli, terminal) = (cli.to_owned(), self.terminal.clone());
        self.with(move |store| {
            let claim = match store.claim(&cli, WHO) {
                Ok(claim) => claim,
                Err(owner) => return Ok(Err(owner)),
            };
            // A Claude Code in a terminal knows nothing of claims.
            Ok(match terminal.owners().remove(&cli) {
                Some(owner) => Err(owner),
                None => Ok(claim),
            })
        })
        .await
    }
}

/// Not this program.
pub(super) fn others(owner: Option<Owner>) -> Option<Owner> {
    owner.filter(|owner| owner.pid != std::process::id())
}

/// The ids for which there is, or was, a claim.
fn claims(store: &Store) -> Vec<String> {
    let folder = std::fs::read_dir(store.data_dir().join("locks"));
    let names = folder.into_iter().flatten().flatten();
    names
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            Some(name.strip_suffix(".json")?.to_owned())
        })
        .collect()
}

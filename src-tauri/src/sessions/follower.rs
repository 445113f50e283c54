//! Goes with one actor: says that its row changed, and holds its conversation while there is a process that writes to it.

use std::sync::{Arc, Mutex, PoisonError};

use kandev_session::{Notices, Session, SessionInfo};
use kandev_store::Claim;
use tokio::sync::watch;

use super::is_over;
use crate::records::Records;

/// The right to write to a conversation of the CLI, while it is held.
#[derive(Clone, Default)]
pub(super) struct Hold(Arc<Mutex<Option<(String, Claim)>>>);

impl Hold {
    pub(super) fn take(&self, cli_session_id: &str, claim: Claim) {
        *self.held() = Some((cli_session_id.to_owned(), claim));
    }

    /// Takes over what another one holds.
    pub(super) fn take_from(&self, other: &Self) {
        let taken = other.held().take();
        if taken.is_some() {
            *self.held() = taken;
        }
    }

    pub(super) fn release(&self) {
        let held = self.held().take();
        drop(held);
    }

    fn is_on(&self, cli_session_id: &str) -> bool {
        let held = self.held();
        held.as_ref().is_some_and(|(id, _)| id == cli_session_id)
    }

    fn held(&self) -> std::sync::MutexGuard<'_, Option<(String, Claim)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) fn follow(
    session: &Session,
    hold: Hold,
    records: Records,
    say: impl Fn() + Send + 'static,
) -> impl Future<Output = ()> + Send + 'static {
    let (changes, notices) = (session.info_changes(), session.notices());
    run(session.info(), changes, notices, hold, records, say)
}

async fn run(
    mut before: SessionInfo,
    mut changes: watch::Receiver<SessionInfo>,
    notices: Notices,
    hold: Hold,
    records: Records,
    say: impl Fn() + Send + 'static,
) {
    loop {
        let info = changes.borrow_and_update().clone();
        say();
        let runs = !is_over(info.phase);
        // A start that fails at once is over between two looks; then only its time tells of it.
        if !runs && (!is_over(before.phase) || before.since != info.since) {
            hold.release();
        }
        before.clone_from(&info);
        if runs && !info.rehearsal {
            claim(&info, &notices, &hold, &records).await;
        }
        if changes.changed().await.is_err() {
            return;
        }
    }
}

/// One that was taken up is held already; one that the CLI has made just now is not.
async fn claim(info: &SessionInfo, notices: &Notices, hold: &Hold, records: &Records) {
    let Some(cli) = info.cli_session_id.as_deref().filter(|id| !hold.is_on(id)) else {
        return;
    };
    match records.claim(cli).await {
        Ok(Ok(claim)) => hold.take(cli, claim),
        Ok(Err(owner)) => notices.tell(
            "open_elsewhere",
            format!(
                "This session is {} as well. Two that write to one conversation spoil it: stop one of them.",
                owner.what
            ),
        ),
        Err(_) => {}
    }
}

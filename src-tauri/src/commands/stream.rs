use tauri::ipc::Channel;
use tauri::{State, WebviewWindow};

use crate::api::{CommandError, StreamMsg};
use crate::sessions::Sessions;
use crate::windows::Subscriptions;

/// Opens the window's channel; the lists of sessions come at once. A second call replaces the first.
#[tauri::command]
#[specta::specta]
pub async fn subscribe(
    window: WebviewWindow,
    subscriptions: State<'_, Subscriptions>,
    sessions: State<'_, Sessions>,
    channel: Channel<StreamMsg>,
) -> Result<u32, CommandError> {
    Ok(subscriptions.open(window.label(), channel, sessions.list()))
}

/// The page has taken so many messages of `sessions`, `past` and `events`.
#[tauri::command]
#[specta::specta]
pub async fn ack(
    subscriptions: State<'_, Subscriptions>,
    subscription: u32,
    count: u32,
) -> Result<(), CommandError> {
    subscriptions.acknowledge(subscription, count);
    Ok(())
}

/// The journal after `after_seq`, then live events, whether a process runs or begins to. Watching again replaces the earlier watch.
#[tauri::command]
#[specta::specta]
pub async fn watch_session(
    subscriptions: State<'_, Subscriptions>,
    sessions: State<'_, Sessions>,
    subscription: u32,
    session: String,
    after_seq: u32,
) -> Result<(), CommandError> {
    let source = sessions.read(&session, after_seq.into());
    subscriptions.watch(subscription, &session, source)
}

#[tauri::command]
#[specta::specta]
pub async fn unwatch_session(
    subscriptions: State<'_, Subscriptions>,
    subscription: u32,
    session: String,
) -> Result<(), CommandError> {
    subscriptions.unwatch(subscription, &session);
    Ok(())
}

use kandev_session::Session;
use kandev_wire::request::{
    BackgroundTasks, Done, FileSuggestions, GetContextUsage, GetUsage, ListPermissionRules,
    ReloadOutputStyles, ReloadPlugins, ReloadSkills, Request, StopTask,
};
use tauri::State;

use crate::answers::{ContextUsage, InterruptReceipt, PermissionRules, UsageReport, paths};
use crate::api::CommandError;
use crate::sessions::Sessions;

/// Ends the turn that runs, and on demand the prompts that wait, too.
#[tauri::command]
#[specta::specta]
pub async fn interrupt(
    sessions: State<'_, Sessions>,
    session: String,
    cancel_queued: bool,
) -> Result<InterruptReceipt, CommandError> {
    Ok(sessions
        .get(&session)?
        .interrupt(cancel_queued)
        .await?
        .into())
}

#[tauri::command]
#[specta::specta]
pub async fn set_permission_mode(
    sessions: State<'_, Sessions>,
    session: String,
    mode: String,
) -> Result<(), CommandError> {
    Ok(sessions
        .actor(&session)
        .await?
        .set_permission_mode(mode)
        .await?)
}

/// `None`: the CLI's default.
#[tauri::command]
#[specta::specta]
pub async fn set_model(
    sessions: State<'_, Sessions>,
    session: String,
    model: Option<String>,
) -> Result<(), CommandError> {
    Ok(sessions.actor(&session).await?.set_model(model).await?)
}

/// `None`: the model's own.
#[tauri::command]
#[specta::specta]
pub async fn set_effort(
    sessions: State<'_, Sessions>,
    session: String,
    effort: Option<String>,
) -> Result<(), CommandError> {
    Ok(sessions.actor(&session).await?.set_effort(effort).await?)
}

/// 0: no thinking; `None`: as the session began.
#[tauri::command]
#[specta::specta]
pub async fn set_thinking(
    sessions: State<'_, Sessions>,
    session: String,
    max_tokens: Option<u32>,
) -> Result<(), CommandError> {
    Ok(sessions
        .actor(&session)
        .await?
        .set_thinking(max_tokens)
        .await?)
}

/// Takes the CLI more than a second.
#[tauri::command]
#[specta::specta]
pub async fn context_usage(
    sessions: State<'_, Sessions>,
    session: String,
) -> Result<ContextUsage, CommandError> {
    let usage = GetContextUsage::default();
    Ok(sessions.get(&session)?.request(usage).await?.into())
}

#[tauri::command]
#[specta::specta]
pub async fn usage(
    sessions: State<'_, Sessions>,
    session: String,
) -> Result<UsageReport, CommandError> {
    let usage = GetUsage {
        skip_behaviors: true,
    };
    Ok(sessions.get(&session)?.request(usage).await?.into())
}

#[tauri::command]
#[specta::specta]
pub async fn permission_rules(
    sessions: State<'_, Sessions>,
    session: String,
) -> Result<PermissionRules, CommandError> {
    Ok(sessions
        .get(&session)?
        .request(ListPermissionRules)
        .await?
        .into())
}

#[tauri::command]
#[specta::specta]
pub async fn stop_task(
    sessions: State<'_, Sessions>,
    session: String,
    task_id: String,
) -> Result<(), CommandError> {
    let Done = sessions
        .get(&session)?
        .request(StopTask { task_id })
        .await?;
    Ok(())
}

/// Moves what runs in the foreground to the background: one call's, or all.
#[tauri::command]
#[specta::specta]
pub async fn background_tasks(
    sessions: State<'_, Sessions>,
    session: String,
    tool_call_id: Option<String>,
) -> Result<(), CommandError> {
    let tasks = BackgroundTasks {
        tool_use_id: tool_call_id,
    };
    let Done = sessions.get(&session)?.request(tasks).await?;
    Ok(())
}

/// Has the model find a title, and takes it.
#[tauri::command]
#[specta::specta]
pub async fn generate_title(
    sessions: State<'_, Sessions>,
    session: String,
) -> Result<String, CommandError> {
    Ok(sessions.get(&session)?.generate_title().await?)
}

/// Withdraws a prompt that waits. False when it is too late.
#[tauri::command]
#[specta::specta]
pub async fn cancel_prompt(
    sessions: State<'_, Sessions>,
    session: String,
    uuid: String,
) -> Result<bool, CommandError> {
    Ok(sessions.get(&session)?.cancel_prompt(uuid).await?)
}

/// Paths that a part of one may mean; none while the CLI builds its index.
#[tauri::command]
#[specta::specta]
pub async fn file_suggestions(
    sessions: State<'_, Sessions>,
    session: String,
    query: String,
) -> Result<Vec<String>, CommandError> {
    let found = sessions
        .get(&session)?
        .request(FileSuggestions { query })
        .await?;
    Ok(paths(&found.suggestions))
}

/// Reads skills, plugins and output styles anew, as far as this version can.
#[tauri::command]
#[specta::specta]
pub async fn reload(sessions: State<'_, Sessions>, session: String) -> Result<(), CommandError> {
    let session = sessions.get(&session)?;
    let mut outcomes = [
        again(&session, ReloadSkills).await,
        again(&session, ReloadPlugins).await,
        again(&session, ReloadOutputStyles).await,
    ];
    // What one version lacks, another part of it may have.
    outcomes.sort_by_key(|outcome| matches!(outcome, Err(error) if error.code == "unsupported"));
    let [first, rest @ ..] = outcomes;
    let failed = rest
        .into_iter()
        .find(|outcome| matches!(outcome, Err(error) if error.code != "unsupported"));
    first.and(failed.unwrap_or(Ok(())))
}

async fn again(session: &Session, request: impl Request) -> Result<(), CommandError> {
    session.request(request).await?;
    Ok(())
}

//! Closing a window and quitting the app: what a person's wish leads to, and the question that may come between. What
//! is never asked about is a signal or the end of the desktop session: those end the app at once.
//!
//! The page asks, for it says it best. A page that does not take the question up is dead, and the system's dialog asks
//! in its place.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use kandev_session::{Phase, SessionInfo};
use tauri::{AppHandle, CloseRequestApi, Manager, Window};
use tauri_plugin_dialog::{
    DialogExt as _, MessageDialogButtons, MessageDialogKind, MessageDialogResult,
};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::api::{CloseChoice, CommandError, OnClose, StreamMsg};
use crate::sessions::Sessions;
use crate::settings::SettingsFile;
use crate::tray::Tray;
use crate::window::{self, MAIN};
use crate::windows::Subscriptions;

/// A page that lives has taken the question up within this time.
const TAKEN_UP_WITHIN: Duration = Duration::from_secs(2);
/// A page that is loading listens within this time.
const LOADED_WITHIN: Duration = Duration::from_secs(5);

const KEEP: &str = "Keep running";
const QUIT: &str = "Quit";
const CANCEL: &str = "Cancel";

/// What a person wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// This window shall go.
    Close,
    /// The app shall end.
    Quit,
}

/// How things are when a person wants it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Standing {
    on_close: OnClose,
    work: Work,
    /// Another window can be seen.
    others: bool,
}

/// How many sessions work, and how many wait for a person. None is counted twice.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    pub running: u32,
    pub waiting: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Only the window goes; nobody is left without one.
    CloseWindow,
    /// The last window goes, the sessions run on.
    KeepRunning,
    Quit,
    Ask,
}

/// Nothing that runs is ended without a question, and nothing runs on unseen without having been chosen.
fn decide(wish: Wish, standing: Standing) -> Step {
    let Standing {
        on_close,
        work,
        others,
    } = standing;
    match (wish, on_close) {
        (Wish::Close, _) if others => Step::CloseWindow,
        (Wish::Close, OnClose::Ask) => Step::Ask,
        (Wish::Close, OnClose::Tray) => Step::KeepRunning,
        (Wish::Close, OnClose::Quit) | (Wish::Quit, _) if work != Work::default() => Step::Ask,
        (Wish::Close, OnClose::Quit) | (Wish::Quit, _) => Step::Quit,
    }
}

/// An idle session loses nothing when it ends: the next prompt resumes it.
pub fn work<'a>(sessions: impl IntoIterator<Item = &'a SessionInfo>) -> Work {
    let mut work = Work::default();
    for session in sessions {
        match session.phase {
            Phase::Stopped | Phase::Failed => {}
            _ if session.waiting > 0 => work.waiting += 1,
            Phase::Approval | Phase::Question => work.waiting += 1,
            Phase::Idle => {}
            _ => work.running += 1,
        }
    }
    work
}

/// Managed state: the question that is open, if one is.
#[derive(Default)]
pub struct Closing(Mutex<Inner>);

#[derive(Default)]
struct Inner {
    count: u64,
    open: Option<Question>,
}

struct Question {
    number: u64,
    wish: Wish,
    window: String,
    /// Until the page has taken it up.
    taken_up: Option<oneshot::Sender<()>>,
    /// The system's dialog stands.
    native: bool,
}

impl Closing {
    /// A new question takes the place of an older one that nobody answered. `None`: the system's dialog stands already.
    fn ask(&self, wish: Wish, window: &str) -> Option<(u64, oneshot::Receiver<()>)> {
        let mut inner = self.inner();
        if inner.open.as_ref().is_some_and(|question| question.native) {
            return None;
        }
        let (tell, told) = oneshot::channel();
        inner.count += 1;
        let number = inner.count;
        inner.open = Some(Question {
            number,
            wish,
            window: window.to_owned(),
            taken_up: Some(tell),
            native: false,
        });
        Some((number, told))
    }

    /// The page shows it; a person may think as long as it takes.
    fn taken_up(&self) -> bool {
        let mut inner = self.inner();
        let Some(question) = &mut inner.open else {
            return false;
        };
        if let Some(tell) = question.taken_up.take() {
            let _ = tell.send(());
        }
        true
    }

    /// The page did not take it up: from now on only the dialog may answer. False when it is settled.
    fn turn_native(&self, number: u64) -> bool {
        let mut inner = self.inner();
        match &mut inner.open {
            Some(question) if question.number == number && question.taken_up.is_some() => {
                question.native = true;
                true
            }
            _ => false,
        }
    }

    /// Takes the question that is open; with a number, only that one.
    fn settle(&self, number: Option<u64>) -> Option<Question> {
        let mut inner = self.inner();
        let fits = inner
            .open
            .as_ref()
            .is_some_and(|question| number.is_none_or(|number| number == question.number));
        if fits { inner.open.take() } else { None }
    }

    fn inner(&self) -> std::sync::MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A window is asked to close, by its frame, a key or the system.
pub fn window_closes(window: &Window, api: &CloseRequestApi) {
    let app = window.app_handle();
    let label = window.label();
    let standing = Standing {
        on_close: app.state::<SettingsFile>().now().on_close,
        work: now(app),
        others: window::others_seen(app, label),
    };
    let step = decide(Wish::Close, standing);
    // The main window is never destroyed while the app lives: it comes back with all that it shows.
    if label == MAIN || matches!(step, Step::Quit | Step::Ask) {
        api.prevent_close();
    }
    match step {
        Step::CloseWindow if label == MAIN => window::hide(app),
        Step::CloseWindow => {}
        Step::KeepRunning => keep_running(app),
        Step::Quit => end(app),
        Step::Ask => ask(app, Wish::Close, label, standing.work),
    }
}

/// A person wants the app to end. `window` is where the question is asked.
pub fn quit(app: &AppHandle, window: &str) {
    let standing = Standing {
        on_close: app.state::<SettingsFile>().now().on_close,
        work: now(app),
        others: false,
    };
    match decide(Wish::Quit, standing) {
        Step::Ask => ask(app, Wish::Quit, window, standing.work),
        _ => end(app),
    }
}

/// The page's word on the question: that it shows it, or what a person chose.
pub fn answer(app: &AppHandle, choice: CloseChoice, remember: bool) -> Result<(), CommandError> {
    let closing = app.state::<Closing>();
    let not_asked = || CommandError::new("not_asked", "the question was answered already");
    if choice == CloseChoice::Shown {
        return closing.taken_up().then_some(()).ok_or_else(not_asked);
    }
    let question = closing.settle(None).ok_or_else(not_asked)?;
    follow(app, &question, choice, remember);
    Ok(())
}

fn follow(app: &AppHandle, question: &Question, choice: CloseChoice, remember: bool) {
    let on_close = match choice {
        CloseChoice::Tray => OnClose::Tray,
        CloseChoice::Quit => OnClose::Quit,
        CloseChoice::Cancel | CloseChoice::Shown => return,
    };
    if remember && question.wish == Wish::Close {
        match app.state::<SettingsFile>().remember_on_close(on_close) {
            Ok(settings) => {
                let message = StreamMsg::Settings { settings };
                app.state::<Subscriptions>().broadcast(&message);
            }
            // The wish is followed all the same; the next time it asks again.
            Err(error) => eprintln!("kandev-desktop: {}", error.message),
        }
    }
    if choice == CloseChoice::Quit {
        return end(app);
    }
    if question.window != MAIN && question.wish == Wish::Close {
        window::destroy(app, &question.window);
    } else {
        window::hide(app);
        if question.wish == Wish::Quit {
            window::destroy_further(app);
        }
    }
    keep_running(app);
}

/// Where there is no tray, the terminal is told how the window comes back.
fn keep_running(app: &AppHandle) {
    if window::seen(app, MAIN) {
        window::hide(app);
    }
    let tray = app.state::<Tray>();
    if !tray.is_seen() {
        eprintln!(
            "kandev-desktop: it runs on without a window. There is no tray icon: {}. Start it again to see its window, or \
             end it with `kill {}`.",
            tray.problem(),
            std::process::id()
        );
    }
}

/// The windows go at once; the processes of the sessions may take a moment longer.
fn end(app: &AppHandle) {
    window::hide_all(app);
    app.exit(0);
}

fn now(app: &AppHandle) -> Work {
    work(app.state::<Sessions>().list().borrow().living.iter())
}

fn ask(app: &AppHandle, wish: Wish, window: &str, work: Work) {
    let Some((number, taken_up)) = app.state::<Closing>().ask(wish, window) else {
        return window::bring(app, window);
    };
    window::bring(app, window);
    let message = StreamMsg::CloseAsked {
        running: work.running,
        waiting: work.waiting,
        tray: app.state::<Tray>().is_seen(),
        quit: wish == Wish::Quit,
    };
    let (app, window) = (app.clone(), window.to_owned());
    tauri::async_runtime::spawn(async move {
        let subscriptions = app.state::<Subscriptions>();
        let told = timeout(
            LOADED_WITHIN,
            subscriptions.tell_once_open(&window, &message),
        )
        .await;
        let alive = told.is_ok() && matches!(timeout(TAKEN_UP_WITHIN, taken_up).await, Ok(Ok(())));
        if !alive && app.state::<Closing>().turn_native(number) {
            eprintln!(
                "kandev-desktop: the page does not answer; the system's dialog asks in its place."
            );
            ask_natively(&app, number, wish, &window, work);
        }
    });
}

fn ask_natively(app: &AppHandle, number: u64, wish: Wish, window: &str, work: Work) {
    let tray = app.state::<Tray>().is_seen();
    let mut dialog = app
        .dialog()
        .message(words(wish, work, tray))
        .title("Kandev Desktop")
        .kind(MessageDialogKind::Warning)
        .buttons(MessageDialogButtons::YesNoCancelCustom(
            KEEP.to_owned(),
            QUIT.to_owned(),
            CANCEL.to_owned(),
        ));
    if let Some(window) = app.get_webview_window(window) {
        dialog = dialog.parent(&window);
    }
    let app = app.clone();
    dialog.show_with_result(move |result| {
        if let Some(question) = app.state::<Closing>().settle(Some(number)) {
            follow(&app, &question, chosen(&result), false);
        }
    });
}

/// A dialog that goes without an answer changes nothing.
fn chosen(result: &MessageDialogResult) -> CloseChoice {
    match result {
        MessageDialogResult::Yes => CloseChoice::Tray,
        MessageDialogResult::No => CloseChoice::Quit,
        MessageDialogResult::Custom(label) if label == KEEP => CloseChoice::Tray,
        MessageDialogResult::Custom(label) if label == QUIT => CloseChoice::Quit,
        _ => CloseChoice::Cancel,
    }
}

fn words(wish: Wish, work: Work, tray: bool) -> String {
    let sessions = |count: u32, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 session {one}")),
        _ => Some(format!("{count} sessions {many}")),
    };
    let counts: Vec<_> = [
        sessions(work.running, "works", "work"),
        sessions(work.waiting, "waits for you", "wait for you"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let standing = if counts.is_empty() {
        "No session is at work.".to_owned()
    } else {
        format!("{}.", counts.join(", "))
    };
    let question = match wish {
        Wish::Close => "Shall Kandev Desktop keep running without a window, or quit?",
        Wish::Quit => "Quit all the same?",
    };
    let back = if tray {
        "The tray icon brings the window back."
    } else {
        "There is no tray here: starting the app again brings the window back."
    };
    format!("{standing} {question}\n\n{back}")
}

#[cfg(test)]
mod tests;

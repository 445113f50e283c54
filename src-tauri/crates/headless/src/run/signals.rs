//! Ctrl-C, and the signals that ask a program to go.

use tokio::sync::mpsc;

/// What somebody wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// Ctrl-C: end the turn, the second time the session.
    Interrupt,
    /// End now.
    End,
}

/// The wishes from now on.
#[cfg(unix)]
pub fn wishes() -> std::io::Result<mpsc::UnboundedReceiver<Wish>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let wish = tokio::select! {
                Some(()) = interrupt.recv() => Wish::Interrupt,
                Some(()) = terminate.recv() => Wish::End,
                Some(()) = hangup.recv() => Wish::End,
                else => return,
            };
            if sender.send(wish).is_err() {
                return;
            }
        }
    });
    Ok(receiver)
}

/// The wishes from now on.
#[cfg(windows)]
pub fn wishes() -> std::io::Result<mpsc::UnboundedReceiver<Wish>> {
    let mut interrupt = tokio::signal::windows::ctrl_c()?;
    let mut close = tokio::signal::windows::ctrl_close()?;
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let wish = tokio::select! {
                Some(()) = interrupt.recv() => Wish::Interrupt,
                Some(()) = close.recv() => Wish::End,
                else => return,
            };
            if sender.send(wish).is_err() {
                return;
            }
        }
    });
    Ok(receiver)
}

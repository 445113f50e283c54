//! Lines from stdin, read by a thread of their own: a terminal can keep a reader waiting for ever, and the program must be
//! able to end all the same.

use std::io::BufRead;

use tokio::sync::mpsc;

/// The lines that come; closed at the end of the input. Lines that are no text are passed over.
pub fn lines() -> mpsc::UnboundedReceiver<String> {
    let (sender, receiver) = mpsc::unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().split(b'\n') {
            let Ok(line) = line else { return };
            if sender
                .send(String::from_utf8_lossy(&line).into_owned())
                .is_err()
            {
                return;
            }
        }
    });
    receiver
}

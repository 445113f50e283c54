//! Time, as it is handed to what has no clock of its own.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// One point in time: for limits, and for the journal.
#[derive(Debug, Clone)]
pub(crate) struct Moment {
    pub instant: Instant,
    /// RFC 3339 with milliseconds.
    pub wall: String,
}

impl Moment {
    pub(crate) fn now() -> Self {
        let since_epoch = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let millis = u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX);
        Self {
            instant: Instant::now(),
            wall: kandev_transcript::at(millis),
        }
    }
}

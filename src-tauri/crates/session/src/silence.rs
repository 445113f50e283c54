//! How long nothing was heard of a turn that runs.

use std::time::{Duration, Instant};

/// One silence after the other. Each is reported once.
#[derive(Debug)]
pub(crate) struct Silence {
    limit: Duration,
    since: Instant,
    told: bool,
    listening: bool,
}

impl Silence {
    /// A limit of zero reports none.
    pub(crate) fn new(limit: Duration, now: Instant) -> Self {
        Self {
            limit,
            since: now,
            told: false,
            listening: false,
        }
    }

    /// Something was said.
    pub(crate) fn broken(&mut self, now: Instant) {
        self.since = now;
        self.told = false;
    }

    /// Whether anything is to be heard at all. Silence counts from when it is.
    pub(crate) fn listen(&mut self, listening: bool, now: Instant) {
        if listening != self.listening {
            self.listening = listening;
            self.broken(now);
        }
    }

    /// When the silence is to be reported.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        let counts = self.listening && !self.told && !self.limit.is_zero();
        counts.then(|| self.since + self.limit)
    }

    /// How long it lasts, if that is to be reported now.
    pub(crate) fn report(&mut self, now: Instant) -> Option<Duration> {
        let due = self.deadline().is_some_and(|deadline| deadline <= now);
        self.told |= due;
        due.then(|| now - self.since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(120);

    #[test]
    fn a_silence_is_reported_once_and_the_next_one_again() {
        let start = Instant::now();
        let mut silence = Silence::new(LIMIT, start);
        silence.listen(true, start);
        assert_eq!(silence.report(start + LIMIT / 2), None);
        assert_eq!(silence.report(start + LIMIT), Some(LIMIT));
        assert_eq!(silence.report(start + LIMIT * 2), None);
        silence.broken(start + LIMIT * 2);
        assert_eq!(silence.report(start + LIMIT * 3), Some(LIMIT));
    }

    #[test]
    fn it_counts_from_when_somebody_listens() {
        let start = Instant::now();
        let mut silence = Silence::new(LIMIT, start);
        assert_eq!(silence.deadline(), None);
        silence.listen(true, start + LIMIT * 5);
        assert_eq!(silence.deadline(), Some(start + LIMIT * 6));
        silence.listen(false, start + LIMIT * 6);
        assert_eq!(silence.report(start + LIMIT * 9), None);
    }

    #[test]
    fn a_limit_of_zero_reports_none() {
        let start = Instant::now();
        let mut silence = Silence::new(Duration::ZERO, start);
        silence.listen(true, start);
        assert_eq!(silence.report(start + LIMIT), None);
    }
}

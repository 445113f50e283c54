//! How long ago something was, as a person would say it.

use jiff::Timestamp;

/// Seconds of a minute, an hour and a day.
const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;
const DAY: i64 = 86_400;

/// `at` is RFC 3339; what is not stays as it is.
pub fn ago(at: &str, now: Timestamp) -> String {
    let Ok(then) = at.parse::<Timestamp>() else {
        return at.to_owned();
    };
    let seconds = now.as_second() - then.as_second();
    match seconds {
        // The clocks of two computers are never quite the same.
        ..MINUTE => "just now".to_owned(),
        MINUTE..HOUR => format!("{} min ago", seconds / MINUTE),
        HOUR..DAY => format!("{} h ago", seconds / HOUR),
        _ => match seconds / DAY {
            1 => "a day ago".to_owned(),
            days @ ..30 => format!("{days} days ago"),
            _ => at.chars().take(10).collect(),
        },
    }
}

pub fn ago_now(at: &str) -> String {
    ago(at, Timestamp::now())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn times_read_as_one_would_say_them() {
        let now: Timestamp = "2026-11-30T12:00:00Z".parse().unwrap();
        for (at, said) in [
            ("2026-11-30T12:00:30.000Z", "just now"),
            ("2026-11-30T11:59:30.000Z", "just now"),
            ("2026-11-30T11:12:00.000Z", "48 min ago"),
            ("2026-11-30T02:00:00.000Z", "10 h ago"),
            ("2026-11-29T08:00:00.000Z", "a day ago"),
            ("2026-11-27T08:00:00.000Z", "3 days ago"),
            ("2026-10-01T08:00:00.000Z", "2026-10-01"),
            ("some time", "some time"),
        ] {
            assert_eq!(ago(at, now), said, "{at}");
        }
    }
}

//! The time of an event in the form that every event has.

/// RFC 3339 in UTC with milliseconds, from milliseconds since the Unix epoch.
pub fn at(unix_millis: u64) -> String {
    let (days, millis) = (unix_millis / 86_400_000, unix_millis % 86_400_000);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (millis / 3_600_000, millis / 60_000 % 60, millis / 1000 % 60);
    format!(
        "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{:03}Z",
        millis % 1000
    )
}

/// The date that is so many days after 1970-01-01, counted in eras of 400 years that begin on the first of March.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::at;

    #[test]
    fn milliseconds_become_dates() {
        for (millis, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (961, "1970-01-01T00:00:00.961Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_796_007_981_007, "2026-11-30T03:06:21.007Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(at(millis), expected);
        }
    }
}

//! An id for what the CLI gave none: the same line at the same place of the same session gets the same one, so that a row
//! keeps its name when the session is played again.

/// Where a line stands.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Place<'a> {
    /// How many lines of the CLI came before it.
    pub line: u64,
    pub json: &'a str,
}

/// An id in the form of a UUID of version 8, whose bits each maker chooses.
pub(crate) fn made(session_id: Option<&str>, place: Place<'_>) -> String {
    // FNV-1a with 128 bits: it stays the same in every build, as the hashes of the standard library need not.
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let parts = [
        session_id.unwrap_or_default().as_bytes(),
        &place.line.to_le_bytes(),
        place.json.as_bytes(),
    ];
    let mut hash = OFFSET;
    for byte in parts.into_iter().flatten() {
        hash = (hash ^ u128::from(*byte)).wrapping_mul(PRIME);
    }
    let hex = format!("{hash:032x}");
    format!(
        "{}-{}-8{}-8{}-{}",
        &hex[..8],
        &hex[8..12],
        &hex[13..16],
        &hex[17..20],
        &hex[20..]
    )
}

#[cfg(test)]
mod tests {
    use super::{Place, made};

    #[test]
    fn an_id_is_the_same_for_the_same_line_at_the_same_place_and_another_elsewhere() {
        let place = Place {
            line: 3,
            json: "{}",
        };
        let id = made(Some("s"), place);
        assert_eq!(id, made(Some("s"), place));
        assert_eq!(id.len(), 36);
        for other in [
            made(None, place),
            made(Some("s"), Place { line: 4, ..place }),
            made(
                Some("s"),
                Place {
                    json: "{ }",
                    ..place
                },
            ),
        ] {
            assert_ne!(id, other);
        }
    }
}

//! The lengths of joined texts, in bytes, seven bits to a byte and the lowest first.

/// Adds a length.
pub(super) fn push(pieces: &mut Vec<u8>, length: usize) {
    let mut rest = length;
    while rest >= 0x80 {
        pieces.push((rest & 0x7f) as u8 | 0x80);
        rest >>= 7;
    }
    pieces.push(rest as u8);
}

/// How long the first `count` texts are together; all of them, if there are no more.
pub(super) fn length_of(pieces: &[u8], count: u64) -> usize {
    let mut sum = 0usize;
    let mut one = 0usize;
    let mut shift = 0;
    let mut seen = 0;
    for byte in pieces {
        if seen == count {
            break;
        }
        one |= usize::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        shift += 7;
        if byte & 0x80 == 0 {
            sum = sum.saturating_add(one);
            (one, shift) = (0, 0);
            seen += 1;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_come_back_as_sums() {
        let mut pieces = Vec::new();
        for length in [0, 1, 127, 128, 300, 70_000] {
            push(&mut pieces, length);
        }
        let sums: Vec<_> = (0..8).map(|count| length_of(&pieces, count)).collect();
        assert_eq!(sums, [0, 0, 1, 128, 256, 556, 70_556, 70_556]);
    }

    #[test]
    fn odd_bytes_are_no_danger() {
        assert_eq!(length_of(&[0xff; 40], 3), 0);
        assert_eq!(length_of(&[0x80], 1), 0);
    }
}

use kandev_conversations::{mutate, play, play_pieces};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::seeds::{config, mutations, seed};

/// Text of every width, escapes, halves of characters, both line ends, a blank line, broken bytes, no end.
const HARD: &[u8] = b"{\"type\":\"assistant\",\"message\":{\"id\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"\xe6\xbd\xae\xe4\xbd\x8d \xf0\x9f\xa6\x80\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x9a\x80 \xc3\xa9 \\ud83d \\u2028 \\ud83e\\udd80\"}]}}\r\n\r\n\xff\xfe{\"broken\n{\"type\":\"never_seen\",\"\xe6\xbc\xa2\":\"\x00\"}\n{\"type\":\"result\",\"result\":\"\xe5\xad\x97\"}";

#[test]
fn every_split_of_a_line_gives_the_same_lines_and_events() {
    let whole = play(HARD);
    assert_eq!(whole.steps.len(), 5);
    for cut in 0..=HARD.len() {
        for second in cut..=HARD.len() {
            let pieces = [&HARD[..cut], &HARD[cut..second], &HARD[second..]];
            assert_eq!(play_pieces(pieces), whole, "cut at {cut} and {second}");
        }
    }
    for size in 1..64 {
        assert_eq!(play_pieces(HARD.chunks(size)), whole, "pieces of {size}");
    }
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn a_damaged_conversation_is_the_same_in_any_pieces(
        seed in seed(), deeds in mutations(6), cuts in prop::collection::vec(any::<Index>(), 0..40),
    ) {
        let bytes = mutate(seed.0, deeds);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]);
        prop_assert_eq!(play_pieces(pieces), play(&bytes));
    }
}

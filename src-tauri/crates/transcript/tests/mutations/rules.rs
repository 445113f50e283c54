use kandev_conversations::{check, live, mutate, play};
use proptest::prelude::*;

use crate::seeds::{all, config, mutations, seed};

#[test]
fn what_nobody_damaged_keeps_the_rules() {
    for seed in all() {
        let start = String::from_utf8_lossy(&seed[..200]).into_owned();
        assert_eq!(check(&play(seed)), Ok(()), "{start}");
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn a_damaged_conversation_loses_nothing_and_everything_in_it_ends_once(seed in seed(), deeds in mutations(12)) {
        let damaged = mutate(seed.0, deeds);
        prop_assert_eq!(check(&play(&damaged)), Ok(()));
    }
}

proptest! {
    #![proptest_config(config(64))]

    #[test]
    fn the_same_lines_give_the_same_events_live_and_from_history(seed in seed(), deeds in mutations(6)) {
        let damaged = mutate(seed.0, deeds);
        prop_assert_eq!(play(&damaged), play(&damaged));
        let (lived, recorded) = live(&damaged);
        prop_assert_eq!(lived, play(&recorded).into_emitted());
    }
}

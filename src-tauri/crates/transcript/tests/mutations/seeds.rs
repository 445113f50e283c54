//! What is damaged: small recordings in both forms, and conversations that nobody had.

use std::fmt;
use std::sync::LazyLock;

use kandev_conversations::{Mutation, cli_lines, recordings, turn};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::FileFailurePersistence;

/// The recordings up to this length, in bytes: a long one has the same lines, only more of them.
const SMALL: usize = 45_000;

static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let recorded = recordings().unwrap();
    assert!(recorded.len() > 170, "only {} recordings", recorded.len());
    let mut seeds = Vec::new();
    for bytes in recorded.into_values().filter(|bytes| bytes.len() < SMALL) {
        seeds.push(cli_lines(&bytes));
        seeds.push(bytes);
    }
    assert!(seeds.len() > 200, "only {} of them are small", seeds.len());
    for number in 0..4 {
        seeds.push(turn(number).plain().into_bytes());
        seeds.push(turn(number).recorded().into_bytes());
    }
    seeds
});

pub fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        max_shrink_iters: 2000,
        ..ProptestConfig::default()
    }
}

pub fn all() -> &'static [Vec<u8>] {
    &SEEDS
}

/// One of them; a failure shows its beginning.
#[derive(Clone, Copy)]
pub struct Seed(pub &'static [u8]);

impl fmt::Debug for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.400}", String::from_utf8_lossy(self.0))
    }
}

pub fn seed() -> impl Strategy<Value = Seed> {
    any::<Index>().prop_map(|index| Seed(index.get(all()).as_slice()))
}

pub fn mutations(most: usize) -> impl Strategy<Value = Vec<Mutation>> {
    let one = any::<(u8, u16, u16, u16)>().prop_map(|(deed, line, place, choice)| Mutation {
        deed,
        line,
        place,
        choice,
    });
    prop::collection::vec(one, 1..=most)
}

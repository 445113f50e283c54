//! A memory of ids that forgets the oldest, so that nothing grows with the length of a session.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The newest ids, up to a limit, by their hashes.
#[derive(Debug)]
pub(crate) struct Recent {
    limit: usize,
    order: VecDeque<u64>,
    set: HashSet<u64>,
}

impl Recent {
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            order: VecDeque::new(),
            set: HashSet::new(),
        }
    }

    /// Remembers an id, or whatever several parts make one. False if it was known already.
    pub fn insert(&mut self, id: impl Hash) -> bool {
        let hash = hash(id);
        if !self.set.insert(hash) {
            return false;
        }
        self.order.push_back(hash);
        if self.order.len() > self.limit
            && let Some(oldest) = self.order.pop_front()
        {
            self.set.remove(&oldest);
        }
        true
    }

    pub fn contains(&self, id: impl Hash) -> bool {
        !self.set.is_empty() && self.set.contains(&hash(id))
    }
}

fn hash(id: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn the_oldest_id_is_forgotten() {
        let mut recent = Recent::new(2);
        assert!(recent.insert("a") && recent.insert("b") && !recent.insert("a"));
        assert!(recent.insert("c"));
        assert!(!recent.contains("a") && recent.contains("b") && recent.contains("c"));
    }
}

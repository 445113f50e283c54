//! Which lines of a session file are the conversation as it goes now. A file is a tree: a resume at an earlier message
//! leaves the old branch in it (PROTOCOL 9).

use std::collections::{HashMap, HashSet};

use super::entry::{Entry, Key, Kind};

/// The lines of the active branch, by their places in `entries`, in the order of the file. Lines of subagents are not
/// among them; lines that cannot be read always are.
pub(crate) fn active(entries: &[Entry]) -> Vec<usize> {
    let mut by_uuid: HashMap<Key, usize> = HashMap::with_capacity(entries.len());
    let mut before: Vec<Option<usize>> = Vec::with_capacity(entries.len());
    let mut leaf = None;
    for (at, entry) in entries.iter().enumerate() {
        before.push(leaf);
        let Some(uuid) = entry.uuid.filter(|_| !entry.sidechain) else {
            continue;
        };
        // The same message once more is the same message.
        if let std::collections::hash_map::Entry::Vacant(free) = by_uuid.entry(uuid) {
            free.insert(at);
            leaf = Some(at);
        }
    }
    let mut chosen = vec![false; entries.len()];
    let mut path = Vec::new();
    let mut next = leaf;
    while let Some(at) = next.filter(|at| !chosen[*at]) {
        chosen[at] = true;
        path.push(at);
        let entry = &entries[at];
        next = match entry.parent {
            Some(parent) => by_uuid.get(&parent).copied().or(before[at]),
            // A prompt that follows nothing begins anew; whatever else does so goes on from what was said before.
            None if entry.root && !entry.summary => None,
            None => before[at],
        };
    }
    with_parallel_calls(entries, &path, &by_uuid, &mut chosen);
    let calls: HashSet<Key> = (0..entries.len())
        .filter(|at| chosen[*at])
        .flat_map(|at| entries[at].calls.iter().map(|call| call.key))
        .collect();
    for (at, entry) in entries.iter().enumerate() {
        let first = |uuid: Key| by_uuid.get(&uuid) == Some(&at);
        let result = !entry.sidechain
            && entry.uuid.is_none_or(first)
            && entry.results.iter().any(|call| calls.contains(call));
        chosen[at] |= result || entry.kind == Kind::Broken && entry.uuid.is_none();
    }
    (0..entries.len()).filter(|at| chosen[*at]).collect()
}

/// Calls of one message run side by side: each follows the one before it and has its result as a child of its own, so the
/// way up from one result passes by the calls after it.
fn with_parallel_calls(
    entries: &[Entry],
    path: &[usize],
    by_uuid: &HashMap<Key, usize>,
    chosen: &mut [bool],
) {
    let mut forks = HashSet::new();
    for pair in path.windows(2) {
        let (child, parent) = (&entries[pair[0]], &entries[pair[1]]);
        let result_of_it = parent
            .calls
            .iter()
            .any(|call| child.results.contains(&call.key));
        if result_of_it && parent.message.is_some() {
            forks.insert(pair[1]);
        }
    }
    if forks.is_empty() {
        return;
    }
    for (at, entry) in entries.iter().enumerate() {
        if entry.kind != Kind::Assistant || entry.sidechain || chosen[at] {
            continue;
        }
        let parent = entry
            .parent
            .and_then(|parent| by_uuid.get(&parent).copied());
        if let Some(parent) = parent.filter(|parent| forks.contains(parent))
            && entries[parent].message == entry.message
        {
            chosen[at] = true;
            forks.insert(at);
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::entry::{self, key};
    use super::super::lines::Found;
    use super::*;

    /// Lines as `uuid parent kind [message] [+call] [=result]`; gives the uuids of the branch.
    fn branch(text: &str) -> String {
        let mut entries = Vec::new();
        let mut names = Vec::new();
        for line in text.split(',').map(str::trim) {
            let mut words = line.split(' ');
            let (uuid, parent, kind) = (
                words.next().unwrap(),
                words.next().unwrap(),
                words.next().unwrap(),
            );
            let parent = match parent {
                "-" => "null".to_owned(),
                parent => format!("\"{parent}\""),
            };
            let (mut message, mut blocks) = (String::new(), Vec::new());
            for word in words {
                match word.split_at(1) {
                    ("+", id) => blocks.push(format!(r#"{{"type":"tool_use","id":"{id}"}}"#)),
                    ("=", id) => {
                        blocks.push(format!(r#"{{"type":"tool_result","tool_use_id":"{id}"}}"#));
                    }
                    _ => message = word.to_owned(),
                }
            }
            let json = format!(
                r#"{{"parentUuid":{parent},"type":"{kind}","uuid":"{uuid}","message":{{"id":"{message}","content":[{}]}}}}"#,
                blocks.join(",")
            );
            let json = if kind == "broken" {
                "{".to_owned()
            } else {
                json
            };
            entry::of(0, Found::Line(json.as_bytes()), &mut |entry| {
                entries.push(entry);
                names.push(uuid.to_owned());
            });
        }
        assert!(entries.iter().all(|entry| entry.uuid != Some(key(""))));
        let chosen = active(&entries);
        chosen
            .iter()
            .map(|at| names[*at].as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn the_way_up_from_the_last_line_is_the_conversation() {
        assert_eq!(
            branch("a - user, b a assistant, c b user, d a user, e d assistant"),
            "a d e"
        );
        assert_eq!(branch("a - user, x a attachment, b x assistant"), "a x b");
        assert_eq!(
            branch("a - user, b a assistant, c - user"),
            "c",
            "begun anew"
        );
    }

    #[test]
    fn nothing_is_lost_where_the_tree_is_broken() {
        assert_eq!(branch("a - user, b a assistant, c gone user"), "a b c");
        assert_eq!(
            branch("a - user, b a assistant, s - system, c s user"),
            "a b s c"
        );
        assert_eq!(branch("a - user, x - broken, b a assistant"), "a x b");
        assert_eq!(branch("a b user, b a assistant"), "a b", "a ring ends");
    }

    #[test]
    fn calls_that_run_side_by_side_are_all_there_whichever_result_comes_last() {
        let calls = "p - user, a p assistant m +1, b a assistant m +2, c b assistant m +3";
        let all = "p a b c r1 r2 r3";
        assert_eq!(
            branch(&format!(
                "{calls}, r1 a user =1, r2 b user =2, r3 c user =3"
            )),
            all
        );
        let named = "p a b c r3 r2 r1";
        assert_eq!(
            branch(&format!(
                "{calls}, r3 c user =3, r2 b user =2, r1 a user =1"
            )),
            named
        );
    }

    #[test]
    fn a_resume_in_the_middle_of_a_message_leaves_the_rest_of_it() {
        let text = "p - user, a p assistant m, b a assistant m +1, r b user =1, q a user";
        assert_eq!(branch(text), "p a q");
    }

    #[test]
    fn the_same_message_twice_counts_once() {
        assert_eq!(
            branch("a - user, b a assistant, a - user, b a assistant"),
            "a b"
        );
    }
}

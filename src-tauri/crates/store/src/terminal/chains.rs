//! Which sessions are one conversation. Old versions copy the history into a new file when they resume, and a fork does so
//! in every version (asks U59).

use std::collections::HashMap;

/// A session's file, as far as it matters here.
#[derive(Debug, Clone)]
pub(crate) struct Linked<'a> {
    pub id: &'a str,
    pub first_uuid: &'a str,
    pub last_uuid: Option<&'a str>,
    /// When it was last written, in any unit.
    pub changed: i64,
    /// When the file was made, in the same unit.
    pub made: i64,
    /// It is a fork that somebody asked for here: what it was forked from stays what it is.
    pub forked: bool,
}

/// What a session is to another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Link {
    /// The other goes on from where this one ends, so it is only a part of that.
    PartOf(String),
    /// Both went on from a message that they share; this one was made later.
    ForkOf(String),
}

/// The links between sessions, by id. `holds` says whether the file of the first has the message.
pub(crate) fn links(
    sessions: &[Linked<'_>],
    holds: &mut dyn FnMut(&str, &str) -> bool,
) -> HashMap<String, Link> {
    let mut families: HashMap<&str, Vec<&Linked>> = HashMap::new();
    for session in sessions {
        families
            .entry(session.first_uuid)
            .or_default()
            .push(session);
    }
    let mut links = HashMap::new();
    for mut family in families.into_values().filter(|family| family.len() > 1) {
        family.sort_by(|a, b| (b.changed, b.id).cmp(&(a.changed, a.id)));
        let mut whole_of: HashMap<&str, &str> = HashMap::new();
        for (at, session) in family.iter().enumerate() {
            let Some(last) = session.last_uuid else {
                continue;
            };
            let whole = family.iter().enumerate().find(|(other, whole)| {
                // Of two that hold each other the newer one is the whole. A file may be written to although nobody says
                // anything, so the times alone tell nothing.
                let holds_both = |holds: &mut dyn FnMut(&str, &str) -> bool| {
                    *other > at && whole.last_uuid.is_some_and(|last| holds(session.id, last))
                };
                *other != at && !whole.forked && holds(whole.id, last) && !holds_both(holds)
            });
            whole_of.extend(whole.map(|(_, whole)| (session.id, whole.id)));
        }
        let mut heads: Vec<&Linked> = Vec::new();
        for session in family {
            let mut whole = session.id;
            // What is whole to one can be a part of another.
            for _ in 0..whole_of.len() {
                whole = whole_of.get(whole).copied().unwrap_or(whole);
            }
            if whole == session.id {
                heads.push(session);
            } else {
                links.insert(session.id.to_owned(), Link::PartOf(whole.to_owned()));
            }
        }
        let Some(origin) = heads
            .iter()
            .min_by_key(|head| (head.made, head.id))
            .copied()
        else {
            continue;
        };
        for head in heads.iter().filter(|head| head.id != origin.id) {
            links.insert(head.id.to_owned(), Link::ForkOf(origin.id.to_owned()));
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session<'a>(id: &'a str, last: &'a str, changed: i64, made: i64) -> Linked<'a> {
        Linked {
            id,
            first_uuid: "first",
            last_uuid: Some(last),
            changed,
            made,
            forked: false,
        }
    }

    /// Who holds which messages, as `a:1,2 b:1,2,3`.
    fn of(sessions: &[Linked<'_>], files: &str) -> HashMap<String, Link> {
        links(sessions, &mut |id, uuid| {
            let mut files = files.split(' ').filter_map(|file| file.split_once(':'));
            files.any(|(name, held)| name == id && held.split(',').any(|held| held == uuid))
        })
    }

    #[test]
    fn a_chain_of_resumes_is_its_newest_part() {
        let sessions = [
            session("a", "2", 10, 1),
            session("b", "4", 20, 11),
            session("c", "6", 30, 21),
        ];
        let links = of(&sessions, "a:1,2 b:1,2,3,4 c:1,2,3,4,5,6");
        assert_eq!(links["a"], Link::PartOf("c".into()));
        assert_eq!(links["b"], Link::PartOf("c".into()));
        assert!(!links.contains_key("c"));
    }

    #[test]
    fn a_part_that_was_written_to_later_is_still_a_part() {
        let sessions = [session("a", "2", 40, 1), session("b", "4", 20, 11)];
        let links = of(&sessions, "a:1,2 b:1,2,3,4");
        assert_eq!(links["a"], Link::PartOf("b".into()));
        assert_eq!(links.len(), 1);
    }

    #[test]
    fn sessions_that_both_went_on_stand_apart() {
        let sessions = [session("a", "5", 30, 1), session("b", "4", 20, 11)];
        let links = of(&sessions, "a:1,2,5 b:1,2,4");
        assert_eq!(links.len(), 1);
        assert_eq!(links["b"], Link::ForkOf("a".into()));
    }

    #[test]
    fn what_was_forked_on_purpose_takes_nothing_in() {
        let mut fork = session("b", "4", 20, 11);
        fork.forked = true;
        let links = of(&[session("a", "2", 10, 1), fork], "a:1,2 b:1,2,3,4");
        assert_eq!(links["b"], Link::ForkOf("a".into()));
        assert!(!links.contains_key("a"));
    }

    #[test]
    fn copies_that_are_the_same_are_one() {
        let links = of(
            &[session("a", "2", 10, 1), session("b", "2", 10, 1)],
            "a:1,2 b:1,2",
        );
        assert_eq!(links.len(), 1);
    }

    #[test]
    fn strangers_have_no_link() {
        let mut other = session("b", "4", 20, 11);
        other.first_uuid = "elsewhere";
        assert!(of(&[session("a", "2", 10, 1), other], "").is_empty());
    }
}

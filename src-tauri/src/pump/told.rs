//! What of the lists a window has been told, so that it is told only what is new.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kandev_session::SessionInfo;

use super::List;
use crate::api::{PastSession, StreamMsg};
use crate::past::PastList;

/// So many past sessions come first: more than one screen of them.
const FIRST: usize = 200;
/// Rows in each message after that.
const MORE: usize = 500;

#[derive(Default)]
pub(super) struct Told {
    living: Option<Arc<Vec<SessionInfo>>>,
    past: Option<HashMap<String, Arc<PastSession>>>,
    /// What `past` was told from.
    list: Option<PastList>,
}

impl Told {
    /// The messages that tell of what is different from what was told.
    pub(super) fn news(&mut self, list: List) -> Vec<StreamMsg> {
        let mut news = Vec::new();
        let is_same = |told: &Arc<Vec<SessionInfo>>| Arc::ptr_eq(told, &list.living);
        if !self.living.as_ref().is_some_and(is_same) {
            self.living = Some(Arc::clone(&list.living));
            news.push(StreamMsg::Sessions { list: list.living });
        }
        let Some(past) = list.past else {
            return news;
        };
        let is_same = |told: &PastList| Arc::ptr_eq(told, &past);
        if self.list.as_ref().is_some_and(is_same) {
            return news;
        }
        match &mut self.past {
            Some(told) => news.extend(changes(told, &past)),
            told @ None => {
                *told = Some(by_id(&past));
                news.extend(whole(&past));
            }
        }
        self.list = Some(past);
        news
    }
}

/// All rows, the newest first and alone, so that a page can draw them before the others are there.
fn whole(past: &PastList) -> Vec<StreamMsg> {
    let (first, rest) = past.split_at(past.len().min(FIRST));
    let first = std::iter::once((first, true));
    let rest = rest.chunks(MORE).map(|rows| (rows, false));
    let message = |(rows, whole): (&[Arc<PastSession>], bool)| StreamMsg::Past {
        rows: rows.to_vec(),
        gone: Vec::new(),
        whole,
    };
    first.chain(rest).map(message).collect()
}

fn changes(told: &mut HashMap<String, Arc<PastSession>>, past: &PastList) -> Vec<StreamMsg> {
    let mut rows = Vec::new();
    for row in past.iter() {
        let known = told.get(&row.id);
        if known.is_some_and(|known| Arc::ptr_eq(known, row) || known == row) {
            continue;
        }
        told.insert(row.id.clone(), Arc::clone(row));
        rows.push(Arc::clone(row));
    }
    let mut gone = Vec::new();
    if told.len() > past.len() {
        let there: HashSet<&str> = past.iter().map(|row| row.id.as_str()).collect();
        told.retain(|id, _| {
            let stays = there.contains(id.as_str());
            if !stays {
                gone.push(id.clone());
            }
            stays
        });
    }
    if rows.is_empty() && gone.is_empty() {
        return Vec::new();
    }
    let mut chunks: Vec<_> = rows.chunks(MORE).map(<[_]>::to_vec).collect();
    if chunks.is_empty() {
        chunks.push(Vec::new());
    }
    let messages = chunks.into_iter().map(|rows| StreamMsg::Past {
        rows,
        gone: std::mem::take(&mut gone),
        whole: false,
    });
    messages.collect()
}

fn by_id(past: &PastList) -> HashMap<String, Arc<PastSession>> {
    past.iter()
        .map(|row| (row.id.clone(), Arc::clone(row)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::past::tests::row;

    fn list(ids: impl IntoIterator<Item = usize>) -> List {
        let rows = ids.into_iter().map(|id| Arc::new(row(&format!("s{id}"))));
        List {
            living: Arc::default(),
            past: Some(Arc::new(rows.collect())),
        }
    }

    /// Of each message: how many rows, what is gone, and whether it is the whole.
    fn past(news: &[StreamMsg]) -> Vec<(usize, Vec<String>, bool)> {
        let past = news.iter().filter_map(|message| match message {
            StreamMsg::Past { rows, gone, whole } => Some((rows.len(), gone.clone(), *whole)),
            _ => None,
        });
        past.collect()
    }

    #[test]
    fn the_newest_come_first_and_the_others_after_them_each_once() {
        let mut told = Told::default();
        let news = told.news(list(0..1_300));
        assert!(matches!(news[0], StreamMsg::Sessions { .. }));
        let counts: Vec<_> = past(&news)
            .into_iter()
            .map(|(rows, _, whole)| (rows, whole))
            .collect();
        assert_eq!(
            counts,
            [(200, true), (500, false), (500, false), (100, false)]
        );
        let ids: HashSet<String> = news
            .iter()
            .flat_map(|message| match message {
                StreamMsg::Past { rows, .. } => rows.iter().map(|row| row.id.clone()).collect(),
                _ => Vec::new(),
            })
            .collect();
        assert_eq!(ids.len(), 1_300);
    }

    #[test]
    fn an_empty_list_is_told_too_and_one_that_was_not_read_is_not() {
        let mut told = Told::default();
        let unread = told.news(List::default());
        assert_eq!(past(&unread), []);
        assert_eq!(past(&told.news(list([]))), [(0, Vec::new(), true)]);
        assert_eq!(past(&told.news(list([]))), []);
    }

    #[test]
    fn after_that_only_what_changed_is_told() {
        let mut told = Told::default();
        told.news(list(0..10));
        assert_eq!(past(&told.news(list(0..10))), [], "the same rows anew");
        let mut changed = row("s3");
        changed.title = "another".to_owned();
        let mut rows: Vec<_> = (0..10)
            .filter(|id| *id != 5)
            .map(|id| Arc::new(row(&format!("s{id}"))))
            .collect();
        rows[3] = Arc::new(changed);
        let list = List {
            living: Arc::default(),
            past: Some(Arc::new(rows)),
        };
        let news = told.news(list.clone());
        assert_eq!(past(&news), [(1, vec!["s5".to_owned()], false)]);
        assert_eq!(past(&told.news(list)), []);
    }

    #[test]
    fn a_row_that_is_only_gone_is_told_and_one_that_takes_its_place_as_well() {
        let mut told = Told::default();
        told.news(list(0..2));
        assert_eq!(
            past(&told.news(list([0]))),
            [(0, vec!["s1".to_owned()], false)]
        );
        assert_eq!(
            past(&told.news(list([1]))),
            [(1, vec!["s0".to_owned()], false)]
        );
    }

    #[test]
    fn the_living_are_told_again_only_when_they_changed() {
        let mut told = Told::default();
        let list = List::default();
        assert_eq!(told.news(list.clone()).len(), 1);
        assert!(told.news(list).is_empty());
        assert_eq!(told.news(List::default()).len(), 1);
    }
}

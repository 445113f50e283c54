//! The session's list of todos, folded from what the task and todo tools did.

use indexmap::IndexMap;

use crate::detail::{ManageTodos, NormalizedPayload, TodoItem};

/// The list as the main thread's TaskCreate, TaskUpdate, TaskList and TodoWrite calls have left it.
#[derive(Debug, Clone, Default)]
pub struct Todos {
    /// By task id, or by place for todos that have none. Nothing until the first list was seen.
    items: Option<IndexMap<String, TodoItem>>,
}

impl Todos {
    /// As it was told before.
    pub(crate) fn of(items: Vec<TodoItem>) -> Self {
        let keyed = items.into_iter().enumerate().map(|(place, item)| {
            let key = item.id.clone().unwrap_or_else(|| place.to_string());
            (key, item)
        });
        Self {
            items: Some(keyed.collect()),
        }
    }

    /// Takes in a finished call of the main thread that did not fail. Gives the whole list if the call changed it.
    pub fn fold(&mut self, call: &NormalizedPayload) -> Option<Vec<TodoItem>> {
        let next = match call {
            NormalizedPayload::CreateTask { create_task: task } if task.error.is_none() => {
                let id = task.id.clone()?;
                let mut items = self.items.clone().unwrap_or_default();
                let item = TodoItem {
                    id: Some(id.clone()),
                    description: task.title.clone(),
                    status: Some("pending".to_owned()),
                    active_form: task.active_form.clone(),
                    ..TodoItem::default()
                };
                items.insert(id, item);
                items
            }
            NormalizedPayload::ManageTodos {
                manage_todos: todos,
            } if todos.error.is_none() => match &*todos.operation {
                "update" => self.updated(todos)?,
                "list" | "write" => self.replaced(todos),
                _ => return None,
            },
            _ => return None,
        };
        if self.items.as_ref() == Some(&next) {
            return None;
        }
        self.items = Some(next);
        Some(self.items())
    }

    /// The list as it is now, without the deleted ones.
    pub fn items(&self) -> Vec<TodoItem> {
        self.items
            .iter()
            .flat_map(IndexMap::values)
            .cloned()
            .collect()
    }

    fn updated(&self, todos: &ManageTodos) -> Option<IndexMap<String, TodoItem>> {
        let change = todos.items.first()?;
        let id = change.id.clone()?;
        let mut items = self.items.clone().unwrap_or_default();
        if change.status.as_deref() == Some("deleted") {
            items.shift_remove(&id);
            // Nobody waits for what is gone.
            for item in items.values_mut() {
                item.blocked_by.retain(|other| *other != id);
            }
            return Some(items);
        }
        for blocked in change.blocks.iter().filter(|other| **other != id) {
            if let Some(item) = items.get_mut(blocked) {
                add(&mut item.blocked_by, &id);
            }
        }
        let item = items.entry(id.clone()).or_insert_with(|| TodoItem {
            id: Some(id),
            status: Some("pending".to_owned()),
            ..TodoItem::default()
        });
        let said = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        item.description = said(&change.description).or(item.description.take());
        item.status = said(&change.status).or(item.status.take());
        item.active_form = said(&change.active_form).or(item.active_form.take());
        // An empty owner takes the owner away.
        if let Some(owner) = &change.owner {
            item.owner = Some(owner.clone()).filter(|owner| !owner.is_empty());
        }
        for other in &change.blocked_by {
            add(&mut item.blocked_by, other);
        }
        Some(items)
    }

    /// What a list does not tell, such as the active form, stays as it was known.
    fn replaced(&self, todos: &ManageTodos) -> IndexMap<String, TodoItem> {
        let keyed = todos.items.iter().enumerate().map(|(place, item)| {
            let key = item.id.clone().unwrap_or_else(|| place.to_string());
            let mut item = item.clone();
            item.blocks.clear();
            if item.active_form.is_none() && todos.operation == "list" {
                item.active_form = self
                    .items
                    .as_ref()
                    .and_then(|items| items.get(&key)?.active_form.clone());
            }
            (key, item)
        });
        keyed.collect()
    }
}

fn add(ids: &mut Vec<String>, id: &str) {
    if !ids.iter().any(|known| known == id) {
        ids.push(id.to_owned());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::detail::CreateTask;

    fn item(
        id: Option<&str>,
        description: &str,
        status: &str,
        active_form: Option<&str>,
    ) -> TodoItem {
        TodoItem {
            id: id.map(str::to_owned),
            description: Some(description.to_owned()),
            status: Some(status.to_owned()),
            active_form: active_form.map(str::to_owned),
            ..TodoItem::default()
        }
    }

    fn created(id: Option<&str>, title: &str, active_form: Option<&str>) -> NormalizedPayload {
        let create_task = CreateTask {
            title: Some(title.to_owned()),
            id: id.map(str::to_owned),
            active_form: active_form.map(str::to_owned),
            ..CreateTask::default()
        };
        NormalizedPayload::CreateTask { create_task }
    }

    fn managed(operation: &str, items: Vec<TodoItem>) -> NormalizedPayload {
        let manage_todos = ManageTodos {
            operation: operation.to_owned(),
            items,
            error: None,
        };
        NormalizedPayload::ManageTodos { manage_todos }
    }

    fn change(id: &str, status: Option<&str>, description: Option<&str>) -> NormalizedPayload {
        let item = TodoItem {
            id: Some(id.to_owned()),
            description: description.map(str::to_owned),
            status: status.map(str::to_owned),
            ..TodoItem::default()
        };
        managed("update", vec![item])
    }

    fn ordered(id: &str, owner: Option<&str>, blocked_by: &[&str], blocks: &[&str]) -> TodoItem {
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        TodoItem {
            id: Some(id.to_owned()),
            owner: owner.map(str::to_owned),
            blocked_by: ids(blocked_by),
            blocks: ids(blocks),
            ..TodoItem::default()
        }
    }

    #[test]
    fn owners_and_blockers_are_kept_from_either_side_until_they_are_gone() {
        let mut todos = Todos::default();
        for id in ["1", "2", "3"] {
            todos.fold(&created(Some(id), "Do", None)).unwrap();
        }
        let blockers = |items: &[TodoItem]| -> Vec<Vec<String>> {
            items.iter().map(|item| item.blocked_by.clone()).collect()
        };
        todos
            .fold(&managed(
                "update",
                vec![ordered("2", Some("reviewer"), &["1"], &[])],
            ))
            .unwrap();
        let items = todos
            .fold(&managed(
                "update",
                vec![ordered("1", None, &[], &["2", "3", "1", "9"])],
            ))
            .unwrap();
        assert_eq!(blockers(&items), [vec![], vec!["1"], vec!["1"]]);
        assert_eq!(items[1].owner.as_deref(), Some("reviewer"));
        let again = managed("update", vec![ordered("2", Some("reviewer"), &["1"], &[])]);
        assert_eq!(todos.fold(&again), None);
        let items = todos
            .fold(&managed("update", vec![ordered("2", Some(""), &[], &[])]))
            .unwrap();
        assert_eq!(items[1].owner, None);
        let items = todos.fold(&change("1", Some("deleted"), None)).unwrap();
        assert_eq!(blockers(&items), [vec![] as Vec<&str>, vec![]]);
    }

    #[test]
    fn a_list_says_owners_and_blockers_anew() {
        let mut todos = Todos::default();
        todos.fold(&created(Some("1"), "Do", None)).unwrap();
        todos
            .fold(&managed(
                "update",
                vec![ordered("1", Some("a"), &["7"], &[])],
            ))
            .unwrap();
        let items = todos
            .fold(&managed("list", vec![ordered("1", Some("b"), &[], &["2"])]))
            .unwrap();
        assert_eq!(items, [ordered("1", Some("b"), &[], &[])]);
    }

    #[test]
    fn tasks_are_created_changed_and_deleted_in_their_order() {
        let mut todos = Todos::default();
        todos
            .fold(&created(Some("1"), "Read", Some("Reading")))
            .unwrap();
        todos.fold(&created(Some("2"), "Write", None)).unwrap();
        todos.fold(&created(Some("3"), "Ship", None)).unwrap();
        todos.fold(&change("1", Some("in_progress"), None)).unwrap();
        todos.fold(&change("3", None, Some("Ship it"))).unwrap();
        let items = todos.fold(&change("2", Some("deleted"), None)).unwrap();
        assert_eq!(
            items,
            [
                item(Some("1"), "Read", "in_progress", Some("Reading")),
                item(Some("3"), "Ship it", "pending", None)
            ]
        );
    }

    #[test]
    fn a_call_that_changes_nothing_gives_nothing() {
        let mut todos = Todos::default();
        todos.fold(&created(Some("1"), "Read", None)).unwrap();
        assert_eq!(todos.fold(&change("1", Some("pending"), None)), None);
        assert_eq!(todos.fold(&change("9", Some("deleted"), None)), None);
        assert_eq!(
            todos.fold(&created(None, "No id, so it did not happen", None)),
            None
        );
        assert_eq!(
            todos.fold(&managed(
                "get",
                vec![item(Some("1"), "Read", "completed", None)]
            )),
            None
        );
        assert_eq!(
            todos.fold(&managed(
                "list",
                vec![item(Some("1"), "Read", "pending", None)]
            )),
            None
        );
    }

    #[test]
    fn a_failed_call_changes_nothing() {
        let mut todos = Todos::default();
        let manage_todos = ManageTodos {
            operation: "update".to_owned(),
            items: vec![item(Some("9"), "x", "completed", None)],
            error: Some("Task not found".to_owned()),
        };
        assert_eq!(
            todos.fold(&NormalizedPayload::ManageTodos { manage_todos }),
            None
        );
        assert_eq!(todos.items(), []);
    }

    #[test]
    fn a_list_replaces_all_and_keeps_the_active_forms_that_it_does_not_tell() {
        let mut todos = Todos::default();
        todos
            .fold(&created(Some("1"), "Read", Some("Reading")))
            .unwrap();
        let listed = vec![
            item(Some("2"), "Write", "pending", None),
            item(Some("1"), "Read", "completed", None),
        ];
        let items = todos.fold(&managed("list", listed)).unwrap();
        let want = [
            item(Some("2"), "Write", "pending", None),
            item(Some("1"), "Read", "completed", Some("Reading")),
        ];
        assert_eq!(items, want);
    }

    #[test]
    fn a_written_list_replaces_all_and_the_first_one_is_told_even_if_empty() {
        let mut todos = Todos::default();
        assert_eq!(todos.fold(&managed("write", vec![])), Some(vec![]));
        let written = vec![item(None, "Read", "pending", Some("Reading"))];
        assert_eq!(
            todos.fold(&managed("write", written.clone())),
            Some(written.clone())
        );
        assert_eq!(todos.fold(&managed("write", written)), None);
        assert_eq!(todos.fold(&managed("write", vec![])), Some(vec![]));
    }
}

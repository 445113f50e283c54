//! TaskCreate, TaskUpdate, TaskList, TaskGet and TodoWrite.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::ToolResult;
use super::input::{Id, ids, word};
use super::result::lax;
use crate::detail::{CreateTask, ManageTodos, NormalizedPayload, TodoItem};

#[derive(Deserialize)]
struct CreateInput {
    subject: String,
    description: Option<String>,
    #[serde(rename = "activeForm")]
    active_form: Option<String>,
}

#[derive(Deserialize)]
struct UpdateInput {
    #[serde(rename = "taskId")]
    task_id: Id,
    status: Option<String>,
    subject: Option<String>,
    #[serde(rename = "activeForm")]
    active_form: Option<String>,
    #[serde(default, deserialize_with = "word")]
    owner: Option<String>,
    #[serde(default, rename = "addBlockedBy", deserialize_with = "ids")]
    add_blocked_by: Vec<String>,
    #[serde(default, rename = "addBlocks", deserialize_with = "ids")]
    add_blocks: Vec<String>,
}

#[derive(Deserialize)]
struct GetInput {
    #[serde(rename = "taskId")]
    task_id: Id,
}

#[derive(Deserialize)]
struct WriteInput {
    todos: Vec<Todo>,
}

#[derive(Deserialize)]
struct Todo {
    id: Option<Id>,
    content: Option<String>,
    status: Option<String>,
    #[serde(rename = "activeForm")]
    active_form: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TaskData<'a> {
    #[serde(deserialize_with = "lax")]
    success: Option<bool>,
    #[serde(deserialize_with = "lax")]
    error: Option<String>,
    #[serde(deserialize_with = "lax")]
    task: Option<Task>,
    #[serde(borrow, deserialize_with = "lax")]
    tasks: Option<Vec<&'a RawValue>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Task {
    #[serde(deserialize_with = "lax")]
    id: Option<Id>,
    #[serde(deserialize_with = "lax")]
    subject: Option<String>,
    #[serde(deserialize_with = "lax")]
    status: Option<String>,
    #[serde(deserialize_with = "lax")]
    owner: Option<String>,
    #[serde(rename = "blockedBy", deserialize_with = "lax")]
    blocked_by: Option<Vec<Id>>,
    #[serde(deserialize_with = "lax")]
    blocks: Option<Vec<Id>>,
}

fn known(ids: Option<Vec<Id>>) -> Vec<String> {
    ids.into_iter().flatten().map(|id| id.0).collect()
}

impl From<Todo> for TodoItem {
    fn from(todo: Todo) -> Self {
        TodoItem {
            id: todo.id.map(|id| id.0),
            description: todo.content,
            status: todo.status,
            active_form: todo.active_form,
            ..TodoItem::default()
        }
    }
}

impl From<Task> for TodoItem {
    fn from(task: Task) -> Self {
        TodoItem {
            id: task.id.map(|id| id.0),
            description: task.subject,
            status: task.status,
            active_form: None,
            owner: task.owner.filter(|owner| !owner.is_empty()),
            blocked_by: known(task.blocked_by),
            blocks: known(task.blocks),
        }
    }
}

pub(super) fn create(input: &Value) -> Option<NormalizedPayload> {
    let CreateInput {
        subject,
        description,
        active_form,
    } = CreateInput::deserialize(input).ok()?;
    let create_task = CreateTask {
        title: Some(subject),
        description,
        active_form,
        ..CreateTask::default()
    };
    Some(NormalizedPayload::CreateTask { create_task })
}

pub(super) fn manage(name: &str, input: &Value) -> Option<NormalizedPayload> {
    let (operation, items) = match name {
        "TaskUpdate" => {
            let input = UpdateInput::deserialize(input).ok()?;
            let item = TodoItem {
                id: Some(input.task_id.0),
                description: input.subject,
                status: input.status,
                active_form: input.active_form,
                owner: input.owner,
                blocked_by: input.add_blocked_by,
                blocks: input.add_blocks,
            };
            ("update", vec![item])
        }
        "TaskGet" => {
            let GetInput { task_id } = GetInput::deserialize(input).ok()?;
            let item = TodoItem {
                id: Some(task_id.0),
                ..TodoItem::default()
            };
            ("get", vec![item])
        }
        "TodoWrite" => {
            let WriteInput { todos } = WriteInput::deserialize(input).ok()?;
            ("write", todos.into_iter().map(TodoItem::from).collect())
        }
        _ => ("list", Vec::new()),
    };
    let manage_todos = ManageTodos {
        operation: operation.to_owned(),
        items,
        error: None,
    };
    Some(NormalizedPayload::ManageTodos { manage_todos })
}

pub(super) fn finish_create(call: CreateTask, result: &ToolResult<'_>) -> CreateTask {
    let data: TaskData<'_> = result.data().unwrap_or_default();
    let id = data.task.and_then(|task| task.id).map(|id| id.0);
    CreateTask {
        id: id.or_else(|| told_id(&result.text())),
        error: result.error(),
        ..call
    }
}

/// The id in `Task #1 created successfully: S`.
fn told_id(text: &str) -> Option<String> {
    let (id, _) = text.strip_prefix("Task #")?.split_once(' ')?;
    Some(id.to_owned())
}

pub(super) fn finish_manage(call: ManageTodos, result: &ToolResult<'_>) -> ManageTodos {
    if let Some(error) = result.error() {
        return ManageTodos {
            error: Some(error),
            ..call
        };
    }
    let data: Option<TaskData<'_>> = result.data();
    match &*call.operation {
        "list" => {
            let items = match data.and_then(|data| data.tasks) {
                Some(tasks) => tasks.iter().filter_map(|raw| task(raw)).collect(),
                None => result.text().lines().filter_map(told_task).collect(),
            };
            ManageTodos { items, ..call }
        }
        "get" => match data.map(|data| data.task) {
            Some(Some(task)) => ManageTodos {
                items: vec![task.into()],
                ..call
            },
            Some(None) => ManageTodos {
                error: Some(result.text()),
                ..call
            },
            None => call,
        },
        "update" => {
            // An unknown id is no error to the CLI, but nothing was changed.
            let failed = match &data {
                Some(data) => data.success == Some(false),
                None => !result.text().starts_with("Updated task"),
            };
            let error = failed.then(|| {
                data.and_then(|data| data.error)
                    .unwrap_or_else(|| result.text())
            });
            ManageTodos { error, ..call }
        }
        _ => call,
    }
}

fn task(raw: &RawValue) -> Option<TodoItem> {
    let task: Task = serde_json::from_str(raw.get()).ok()?;
    Some(task.into())
}

/// The task in `#1 [in_progress] Read the code`.
fn told_task(line: &str) -> Option<TodoItem> {
    let (id, rest) = line.strip_prefix('#')?.split_once(" [")?;
    let (status, subject) = rest.split_once("] ")?;
    Some(TodoItem {
        id: Some(id.to_owned()),
        description: Some(subject.to_owned()),
        status: Some(status.to_owned()),
        ..TodoItem::default()
    })
}

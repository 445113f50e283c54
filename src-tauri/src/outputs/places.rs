//! Where outputs lie on the disk. A path comes from what the CLI said, and is read only where the CLI writes outputs, or in
//! the workspace, whatever links say.

use std::path::{Path, PathBuf};

use kandev_transcript::{Event, EventBody, NormalizedPayload};

/// In which folders a session's outputs may lie.
pub struct Places {
    /// The CLI's folders of settings.
    pub roots: Vec<PathBuf>,
    pub workspace: String,
    /// The CLI's ids of the session.
    pub cli_sessions: Vec<String>,
    /// Folders for temporary files.
    pub temporary: Vec<PathBuf>,
}

/// Why a file is not read.
#[derive(Debug, PartialEq, Eq)]
pub enum Refused {
    Gone,
    Outside,
}

/// Folders in which the CLI makes one of its own, `claude-1000`.
pub fn temporary() -> Vec<PathBuf> {
    let chosen = std::env::var_os("CLAUDE_CODE_TMPDIR").map(PathBuf::from);
    let mut folders: Vec<PathBuf> = chosen.into_iter().collect();
    folders.push(std::env::temp_dir());
    if cfg!(unix) {
        folders.push("/tmp".into());
    }
    folders.retain(|folder| folder.is_absolute());
    folders.dedup();
    folders
}

impl Places {
    /// The file that holds all of an output which was cut.
    pub fn stored(&self, path: &str) -> Result<PathBuf, Refused> {
        let file = real(path)?;
        match self.is_known(&file) {
            true => Ok(file),
            false => Err(Refused::Outside),
        }
    }

    /// The file into which a task writes.
    pub fn task(&self, path: &str, task: &str) -> Result<PathBuf, Refused> {
        let file = real(path)?;
        let named = Path::new(path)
            .file_name()
            .is_some_and(|name| name == file_name(task).as_str());
        match named && (self.is_known(&file) || self.is_of_task(&file, task)) {
            true => Ok(file),
            false => Err(Refused::Outside),
        }
    }

    /// The same where nothing tells the path: it is looked for where this program would have been told to write.
    pub fn find_task(&self, task: &str) -> Option<PathBuf> {
        let folder: String = self
            .workspace
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let own = self.temporary.iter().flat_map(|folder| own_folders(folder));
        own.flat_map(|own| {
            let folder = &folder;
            self.cli_sessions.iter().map(move |session| {
                own.join(folder)
                    .join(session)
                    .join("tasks")
                    .join(file_name(task))
            })
        })
        .find_map(|file| self.task(file.to_str()?, task).ok())
    }

    fn is_known(&self, file: &Path) -> bool {
        let real = |folder: &Path| folder.canonicalize().ok();
        let projects = self
            .roots
            .iter()
            .filter_map(|root| real(&root.join("projects")));
        let workspace = Some(Path::new(&self.workspace)).filter(|folder| folder.is_absolute());
        let mut within = projects.chain(workspace.and_then(real));
        let mut temporary = self.temporary.iter().filter_map(|folder| real(folder));
        within.any(|folder| file.starts_with(folder))
            || temporary.any(|folder| {
                let below = file.strip_prefix(folder).ok();
                below
                    .and_then(|below| below.iter().next())
                    .is_some_and(is_own)
            })
    }

    /// `.../claude-1000/FOLDER/SESSION/tasks/TASK.output`, wherever the CLI was told to put its temporary files.
    fn is_of_task(&self, file: &Path, task: &str) -> bool {
        let mut names = file.iter().rev().map(|name| name.to_string_lossy());
        let mut next = || names.next().unwrap_or_default();
        next() == file_name(task)
            && next() == "tasks"
            && self.cli_sessions.iter().any({
                let session = next();
                move |own| *own == session
            })
            && !next().is_empty()
            && is_own(next().as_ref().as_ref())
    }
}

fn file_name(task: &str) -> String {
    format!("{task}.output")
}

fn is_own(name: &std::ffi::OsStr) -> bool {
    name.to_str()
        .is_some_and(|name| name == "claude" || name.starts_with("claude-"))
}

fn own_folders(temporary: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(temporary).into_iter().flatten().flatten();
    let own = entries.filter(|entry| is_own(&entry.file_name()));
    own.map(|entry| entry.path()).collect()
}

fn real(path: &str) -> Result<PathBuf, Refused> {
    let path = Path::new(path);
    if !path.is_absolute() {
        return Err(Refused::Outside);
    }
    path.canonicalize().map_err(|_| Refused::Gone)
}

/// The path of the whole output that a call's newest event names.
pub fn stored_path(event: &Event) -> Option<String> {
    let (EventBody::ToolCall(call) | EventBody::ToolUpdate(call)) = &event.body else {
        return None;
    };
    let NormalizedPayload::ShellExec { shell_exec } = &call.normalized else {
        return None;
    };
    shell_exec.output.as_ref()?.full_output_path.clone()
}

/// The path into which a task writes, from the call that began it or the word that it ended.
pub fn task_path(event: &Event) -> Option<String> {
    match &event.body {
        EventBody::TaskNotification(task) => {
            task.output_file.clone().filter(|path| !path.is_empty())
        }
        EventBody::ToolCall(call) | EventBody::ToolUpdate(call) => {
            let NormalizedPayload::ShellExec { shell_exec } = &call.normalized else {
                return None;
            };
            let output = shell_exec.output.as_ref()?;
            let said = output.note.as_deref().unwrap_or(&output.stdout);
            let (_, path) = said.split_once("Output is being written to: ")?;
            let end = path.find(".output").map(|at| at + ".output".len())?;
            Some(path[..end].to_owned())
        }
        _ => None,
    }
}

//! Requests about files and folders.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Done, answer, request};

/// Paths that a part of one may mean. The first answer is empty while the index is built.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileSuggestions {
    pub query: String,
}
request!(FileSuggestions = "file_suggestions" -> Suggestions);

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ReadFile {
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_bytes: Option<u64>,
    /// `utf-8`, the default, or `base64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
}
request!(ReadFile = "read_file" -> FileContents);

/// Says that the model has read a file, so that it may edit it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeedReadState {
    pub path: String,
    /// Milliseconds since the epoch.
    pub mtime: u64,
}
request!(SeedReadState = "seed_read_state" -> Done);

/// Adds a folder below the working directory to the workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RegisterRepoRoot {
    pub directory: String,
}
request!(RegisterRepoRoot = "register_repo_root" -> RepoRoot);

answer! {
    Suggestions as "snake_case" {
        /// Paths, or objects with one.
        suggestions: Vec<Value>,
        cwd: Option<String>,
    }

    FileContents as "camelCase" {
        contents: Option<String>,
        abs_path: Option<String>,
        truncated: Option<bool>,
        encoding: Option<String>,
        /// Some bytes were no UTF-8.
        lossy: Option<bool>,
    }

    RepoRoot as "snake_case" {
        directory: Option<String>,
    }
}

//! The repository that a folder is in, and what has to be switched off before it is looked at.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use super::program::Said;
use super::{Git, GitError};

/// A repository, ready to be looked at.
#[derive(Debug)]
pub(super) struct Repository {
    pub(super) git: Git,
    /// The folder of its files, links followed.
    pub(super) root: PathBuf,
    /// The session's folder from there, with `/` at its end; empty if it is the root.
    pub(super) prefix: String,
    /// Switches its filters off.
    filters_off: Vec<String>,
}

impl Repository {
    /// # Errors
    /// Why it cannot be used.
    pub(super) async fn of(git: Git) -> Result<Self, GitError> {
        let said = git.look(&[], &["rev-parse", "--show-toplevel"]).await?;
        let named = top(said)?;
        let folder = git.folder.canonicalize()?;
        let root = named.canonicalize()?;
        let below = folder
            .strip_prefix(&root)
            .map_err(|_| GitError::Elsewhere(named))?;
        let mut prefix: String = below
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect::<Vec<_>>()
            .join("/");
        if !prefix.is_empty() {
            prefix.push('/');
        }
        let args = ["config", "--null", "--show-scope", "--includes", "--list"];
        let said = git.look(&[], &args).await?;
        let filters_off = filters_off(&said.stdout)?;
        Ok(Self {
            git,
            root,
            prefix,
            filters_off,
        })
    }

    /// What git answers, in the session's folder.
    pub(super) async fn ask<A: AsRef<OsStr>>(&self, args: &[A]) -> Result<Vec<u8>, GitError> {
        let said = self.git.look(&self.filters_off, args).await?;
        match said.code {
            Some(0) => Ok(said.stdout),
            _ => Err(refused(&said)),
        }
    }
}

fn top(said: Said) -> Result<PathBuf, GitError> {
    if said.code == Some(0) {
        let line = said.stdout.strip_suffix(b"\n").unwrap_or(&said.stdout);
        return Ok(path(line));
    }
    let told = &said.stderr;
    // A folder of a submodule or a worktree whose repository is gone is told; no repository at all is not a fault.
    let none = told.contains("not a git repository (or any");
    if none {
        return Err(GitError::NoRepository);
    }
    if told.contains("must be run in a work tree") || told.contains("cannot use bare repository") {
        return Err(GitError::Bare);
    }
    if told.contains("dubious ownership") {
        let command = told
            .lines()
            .map(str::trim)
            .find(|line| line.starts_with("git config --global --add safe.directory"));
        let command = command.unwrap_or("git config --global --add safe.directory <folder>");
        return Err(GitError::NotTrusted {
            command: command.to_owned(),
        });
    }
    Err(refused(&said))
}

/// The end of what git said, for a person.
pub(super) fn refused(said: &Said) -> GitError {
    const MOST: usize = 4_000;
    let both =
        [&*String::from_utf8_lossy(&said.stdout), &*said.stderr].map(|text| text.trim().to_owned());
    let text = both.join("\n");
    let text = text.trim();
    let from = text.char_indices().rev().nth(MOST).map_or(0, |(at, _)| at);
    let cut = if from > 0 { "… " } else { "" };
    let text = match text {
        "" => match said.code {
            Some(code) => format!("it ended with {code} and said nothing"),
            None => "it was killed".to_owned(),
        },
        text => format!("{cut}{}", &text[from..]),
    };
    GitError::Refused(format!("Git refused: {text}"))
}

/// Where a listed file lies. None where the repository's own words lead out of its folder: an index may hold any name, and
/// a folder of it may be a link by now.
pub(super) fn place(root: &Path, name: &[u8]) -> Option<PathBuf> {
    let name = path(name);
    let plain = name
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    let last = name.file_name().filter(|_| plain)?;
    let folder = root.join(name.parent()?).canonicalize().ok()?;
    folder.starts_with(root).then(|| folder.join(last))
}

#[cfg(unix)]
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    Path::new(std::ffi::OsStr::from_bytes(bytes)).to_owned()
}

#[cfg(not(unix))]
pub(super) fn path(bytes: &[u8]) -> PathBuf {
    Path::new(&*String::from_utf8_lossy(bytes)).to_owned()
}

/// The filters of the repository's own configuration are programs, which git runs to compare a file. Those of the system and
/// of the person are theirs. The list has a scope, a name and a value each.
fn filters_off(list: &[u8]) -> Result<Vec<String>, GitError> {
    let mut off: Vec<String> = Vec::new();
    let mut fields = list.split(|byte| *byte == 0);
    while let (Some(scope), Some(setting)) = (fields.next(), fields.next()) {
        if matches!(scope, b"system" | b"global" | b"command") {
            continue;
        }
        let name = setting
            .split(|byte| *byte == b'\n')
            .next()
            .unwrap_or(setting);
        let name = String::from_utf8_lossy(name).into_owned();
        let Some((driver, _)) = name
            .strip_prefix("filter.")
            .and_then(|rest| rest.rsplit_once('.'))
        else {
            continue;
        };
        // On a command line the name ends at the first `=`; a byte that is no text could not be said there.
        if driver.contains(['=', '\n', '\u{fffd}']) {
            return Err(GitError::OddFilter(driver.to_owned()));
        }
        for field in ["clean=", "smudge=", "process=", "required=false"] {
            let setting = format!("filter.{driver}.{field}");
            if !off.contains(&setting) {
                off.push(setting);
            }
        }
    }
    Ok(off)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn only_the_repository_s_own_filters_are_switched_off() {
        let list = b"system\0filter.lfs.clean\ngit-lfs\0global\0filter.mine.process\nx\0local\0filter.a.b.clean\ntouch hit\0local\0filter.a.b.required\ntrue\0worktree\0filter.w.smudge\0local\0core.bare\nfalse\0";
        let off = filters_off(list).unwrap();
        assert_eq!(
            off,
            [
                "filter.a.b.clean=",
                "filter.a.b.smudge=",
                "filter.a.b.process=",
                "filter.a.b.required=false",
                "filter.w.clean=",
                "filter.w.smudge=",
                "filter.w.process=",
                "filter.w.required=false"
            ]
        );
        for odd in ["a=b", "\u{fffd}"] {
            let list = format!("local\0filter.{odd}.clean\nx\0");
            assert!(filters_off(list.as_bytes()).is_err(), "{odd}");
        }
    }

    #[test]
    fn a_long_refusal_keeps_its_end() {
        let said = Said {
            stdout: "ü".repeat(5_000).into_bytes(),
            stderr: "the end".to_owned(),
            code: Some(1),
        };
        let text = refused(&said).to_string();
        assert!(text.ends_with("the end") && text.chars().count() < 4_100);
    }
}

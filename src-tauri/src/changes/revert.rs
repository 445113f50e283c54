//! Changes taken back from the file as it is now. What stands there is copied first; what does not fit is refused, and
//! nothing is changed.

use std::fs;
use std::path::{Path, PathBuf};

use kandev_session::Session;
use kandev_transcript::patch::{self, Patch, Refused};
use serde_json::json;

use super::file::{File, Mode, Now, replace};
use crate::api::{CommandError, RevertPreview, Reverted};
use crate::restoring::{blocking, not_busy, now, roots};
use crate::sessions::Sessions;
use crate::snapshots::{Manifest, Roots, Snapshots};

/// What the journal calls it.
const NOTICE: &str = "reverted";
/// The bits of a mode that say what kind of file it is, and those of a link.
const KIND: u32 = 0o170_000;
const LINK: u32 = 0o120_000;

/// What is to be taken back.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// From the session's folder, or in full.
    pub path: String,
    pub diff: String,
    /// From 0 through the whole diff; nothing: all that the diff did.
    pub hunks: Option<Vec<u32>>,
}

/// What is done for it.
struct Plan {
    file: File,
    /// Nothing: the file goes.
    text: Option<String>,
    /// Where the file was before, of one that was moved.
    back_to: Option<PathBuf>,
    mode: Mode,
    lines_added: u32,
    lines_removed: u32,
}

/// What it would do. Nothing is changed.
///
/// # Errors
/// `no_such_session`, `folder_gone`.
pub async fn preview(
    sessions: &Sessions,
    id: &str,
    wanted: Wanted,
) -> Result<RevertPreview, CommandError> {
    let roots = roots(&sessions.workspace(id).await?)?;
    let free = sessions
        .get(id)
        .map_or(Ok(()), |session| not_busy(&session));
    let planned = match free {
        Ok(()) => blocking(move || plan(&roots, &wanted)).await,
        Err(busy) => Err(busy),
    };
    Ok(match planned {
        Ok(plan) => RevertPreview {
            can: true,
            why: None,
            deletes: plan.text.is_none(),
            recreates: plan.file.now == Now::Missing,
            lines_added: plan.lines_added,
            lines_removed: plan.lines_removed,
        },
        Err(error) => RevertPreview {
            why: Some(error.message),
            ..RevertPreview::default()
        },
    })
}

/// Takes the changes back, and says so in the session's journal.
///
/// # Errors
/// `busy`, `does_not_fit`, `outside_workspace`, those of an actor, of finding the file and of [`Snapshots::take`]: nothing
/// was changed then. `not_reverted` when the file could not be written.
pub async fn revert(
    sessions: &Sessions,
    snapshots: &Snapshots,
    id: &str,
    wanted: Wanted,
) -> Result<Reverted, CommandError> {
    let session = sessions.actor(id).await?;
    not_busy(&session)?;
    let roots = roots(&session.info().workspace)?;
    let (taker, name, asked) = (snapshots.clone(), id.to_owned(), wanted.clone());
    let still_free = session.clone();
    let (plan, taken) = blocking(move || {
        let _alone = taker.one_by_one();
        let plan = plan(&roots, &asked)?;
        let taken = taker.take(&name, &roots, None, &plan.paths()?, &now())?;
        // Nobody else may have begun a turn, or written to the file, meanwhile.
        not_busy(&still_free)?;
        plan.carry_out()?;
        Ok((plan, taken))
    })
    .await?;
    let done = Reverted {
        snapshot: taken.number.to_string(),
        path: plan.file.place.to_string_lossy().into_owned(),
    };
    tell(&session, &wanted, &plan, &taken);
    Ok(done)
}

fn plan(roots: &Roots, wanted: &Wanted) -> Result<Plan, CommandError> {
    let patch = patch::parse(&wanted.diff).map_err(refused)?;
    let file = File::find(roots, &wanted.path)?;
    let now = match &file.now {
        Now::Missing => None,
        Now::Text(text) => Some(&**text),
        Now::Binary => return Err(refused(Refused::Binary)),
        Now::TooLarge => return Err(does_not_fit("The file is too large for this.")),
    };
    if patch
        .sections
        .iter()
        .any(|section| is_link(section.old_mode))
    {
        return Err(does_not_fit("The diff is of a link, not of a file."));
    }
    let hunks: Option<Vec<usize>> = wanted.hunks.as_ref().map(|hunks| {
        let index = |hunk: &u32| usize::try_from(*hunk).unwrap_or(usize::MAX);
        hunks.iter().map(index).collect()
    });
    let hunks = hunks.as_deref();
    let before = patch.take_back(now, hunks).map_err(refused)?;
    let back_to = match patch.renamed().filter(|_| hunks.is_none()) {
        Some((old, new)) => Some(earlier_place(roots, &wanted.path, old, new)?),
        None => None,
    };
    let mode = mode(&patch, hunks.is_none());
    let (lines_added, lines_removed) = patch.counts(hunks);
    Ok(Plan {
        file,
        text: before.text,
        back_to,
        mode,
        lines_added,
        lines_removed,
    })
}

fn refused(why: Refused) -> CommandError {
    does_not_fit(&why.to_string())
}

fn does_not_fit(why: &str) -> CommandError {
    CommandError::new("does_not_fit", why)
}

fn is_link(mode: Option<u32>) -> bool {
    mode.is_some_and(|mode| mode & KIND == LINK)
}

fn mode(patch: &Patch, whole: bool) -> Mode {
    let first = patch.sections.iter().find_map(|section| section.old_mode);
    match first {
        Some(mode) if whole => Mode::Runs(mode & 0o111 != 0),
        _ => Mode::Same,
    }
}

/// Where a moved file was. The diff says both names from the same folder, whichever that is.
fn earlier_place(roots: &Roots, path: &str, old: &str, new: &str) -> Result<PathBuf, CommandError> {
    let path = path.replace('\\', "/");
    let elsewhere = || does_not_fit("The diff is of another file.");
    let old = if let Some(from) = path.strip_suffix(new) {
        format!("{from}{old}")
    } else {
        let below = new.strip_suffix(&*path).ok_or_else(elsewhere)?;
        old.strip_prefix(below).ok_or_else(elsewhere)?.to_owned()
    };
    let there = roots.place(&old)?;
    if fs::symlink_metadata(&there).is_ok() {
        let text = format!("The file was {old} before, and there is such a file again.");
        return Err(does_not_fit(&text));
    }
    Ok(there)
}

impl Plan {
    fn paths(&self) -> Result<Vec<String>, CommandError> {
        let places = [Some(&self.file.place), self.back_to.as_ref()];
        let text = |place: &PathBuf| {
            let text = place.to_str().map(str::to_owned);
            text.ok_or_else(|| does_not_fit("The file's name is no text."))
        };
        places.into_iter().flatten().map(text).collect()
    }

    fn carry_out(&self) -> Result<(), CommandError> {
        if !self.file.is_still() {
            return Err(does_not_fit(
                "Somebody wrote to the file at the same moment. Try it again.",
            ));
        }
        let place = &self.file.place;
        let done = match (&self.text, &self.back_to) {
            (None, _) => fs::remove_file(place),
            (Some(text), None) => replace(place, text, self.mode),
            (Some(text), Some(there)) => move_back(place, there, text, self.mode),
        };
        done.map_err(|error| {
            let text = format!("{} could not be written: {error}", place.display());
            CommandError::new("not_reverted", text)
        })
    }
}

fn move_back(from: &Path, to: &Path, text: &str, mode: Mode) -> std::io::Result<()> {
    let permissions = fs::metadata(from)?.permissions();
    replace(to, text, mode)?;
    if mode == Mode::Same {
        fs::set_permissions(to, permissions)?;
    }
    fs::remove_file(from)
}

fn tell(session: &Session, wanted: &Wanted, plan: &Plan, taken: &Manifest) {
    let name = Path::new(&wanted.path).file_name();
    let name = name.map_or_else(
        || wanted.path.clone(),
        |name| name.to_string_lossy().into_owned(),
    );
    let what = match (&plan.text, &wanted.hunks) {
        (None, _) => format!("{name} was deleted: it had been created by these changes."),
        (Some(_), _) if plan.file.now == Now::Missing => format!("{name} is there again."),
        (Some(_), None) => format!("The changes of {name} were taken back."),
        (Some(_), Some(hunks)) if hunks.len() == 1 => format!("A change of {name} was taken back."),
        (Some(_), Some(hunks)) => format!("{} changes of {name} were taken back.", hunks.len()),
    };
    let data = json!({
        "snapshot": taken.number.to_string(),
        "files": taken.paths(),
        "left": [],
        "hunks": wanted.hunks,
        "lines_added": plan.lines_added,
        "lines_removed": plan.lines_removed,
    });
    let text = format!("{what} What it was until now is kept.");
    session.notices().tell_with(NOTICE, text, data);
}

#[cfg(test)]
mod tests;

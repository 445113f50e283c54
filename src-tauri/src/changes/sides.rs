//! A file before and after a diff, for the lines around what the diff shows.

use kandev_transcript::patch;

use super::file::{File, Now};
use crate::api::{CommandError, FileSides};
use crate::snapshots::Roots;

/// # Errors
/// Those of finding the file.
pub fn sides(roots: &Roots, path: &str, diff: &str) -> Result<FileSides, CommandError> {
    let file = File::find(roots, path)?;
    let new = match file.now {
        Now::Missing => None,
        Now::Text(text) => Some(text),
        Now::Binary => {
            return Ok(FileSides {
                binary: true,
                ..FileSides::default()
            });
        }
        Now::TooLarge => {
            return Ok(FileSides {
                too_large: true,
                ..FileSides::default()
            });
        }
    };
    let before = patch::parse(diff).and_then(|patch| patch.take_back(new.as_deref(), None));
    // Lines that were found elsewhere have other numbers than the diff says.
    let matches = before.as_ref().is_ok_and(|before| before.in_place);
    Ok(FileSides {
        old: before.ok().and_then(|before| before.text),
        new,
        matches,
        binary: false,
        too_large: false,
    })
}

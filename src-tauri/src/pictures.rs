//! Picture files of a workspace, as the page may draw them: four formats that cannot carry script, told by their content.
//! Knows nothing of who asks.

use std::io::{ErrorKind, Read as _};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kandev_transcript::ImageData;

use crate::api::CommandError;
use crate::plain_file;

/// Bytes. Larger ones are opened elsewhere.
const MAX: u64 = 10 * 1024 * 1024;

/// What is in the file, or `None`: it is no such picture, or a very large one.
pub fn picture(file: &Path) -> Result<Option<ImageData>, CommandError> {
    let gone = |error: std::io::Error| {
        let code = match error.kind() {
            ErrorKind::NotFound => "path_gone",
            _ => "not_read",
        };
        CommandError::new(code, format!("{} cannot be read: {error}", file.display()))
    };
    let opened = plain_file::open(file).map_err(gone)?;
    if opened.metadata().map_err(gone)?.len() > MAX {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    // It may grow while it is read.
    opened.take(MAX).read_to_end(&mut bytes).map_err(gone)?;
    Ok(media_type(&bytes).map(|kind| ImageData {
        media_type: kind.to_owned(),
        data: STANDARD.encode(&bytes),
    }))
}

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    if bytes.starts_with(b"\x89PNG\r\n\x1a\n") {
        Some("image/png")
    } else if bytes.starts_with(b"\xff\xd8\xff") {
        Some("image/jpeg")
    } else if bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a") {
        Some("image/gif")
    } else if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
        Some("image/webp")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn read(bytes: &[u8]) -> Option<ImageData> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.png");
        std::fs::write(&file, bytes).unwrap();
        picture(&file).unwrap()
    }

    #[test]
    fn a_picture_is_told_by_its_content() {
        let image = read(b"\x89PNG\r\n\x1a\nrest").unwrap();
        assert_eq!(image.media_type, "image/png");
        assert_eq!(
            STANDARD.decode(image.data).unwrap(),
            b"\x89PNG\r\n\x1a\nrest"
        );
        assert_eq!(
            read(b"RIFF\0\0\0\0WEBPVP8 ").unwrap().media_type,
            "image/webp"
        );
    }

    #[test]
    fn what_can_carry_script_or_is_no_picture_is_not_given() {
        assert!(read(b"<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>").is_none());
        assert!(read(b"BEGIN OPENSSH PRIVATE KEY").is_none());
        assert!(read(b"").is_none());
    }

    #[test]
    fn a_very_large_one_is_not_given() {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        bytes.resize(usize::try_from(MAX).unwrap() + 1, 0);
        assert!(read(&bytes).is_none());
    }

    #[test]
    fn one_that_is_gone_is_said_so() {
        let error = picture(Path::new("/no/such/file.png")).unwrap_err();
        assert_eq!(error.code, "path_gone");
    }
}

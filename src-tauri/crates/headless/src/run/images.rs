//! Images that go along with a prompt.

use std::path::Path;

use anyhow::{Context, Result, bail};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kandev_session::PromptImage;

/// The Messages API takes 5 MiB of Base64 text for one image, and a refused image spoils the session.
const MAX_BYTES: u64 = 5 * 1024 * 1024 / 4 * 3;

/// Reads a file, and its type from how it begins, whatever it is called.
pub fn read(file: &Path) -> Result<PromptImage> {
    let cannot = || format!("the image {} cannot be read", file.display());
    let about = std::fs::metadata(file).with_context(cannot)?;
    // A pipe or a device may never come to an end.
    if !about.is_file() {
        bail!("{} is not a file", file.display());
    }
    if about.len() > MAX_BYTES {
        bail!(
            "the image {} is too large: {MAX_BYTES} bytes can be sent",
            file.display()
        );
    }
    let bytes = std::fs::read(file).with_context(cannot)?;
    let Some(media_type) = media_type(&bytes) else {
        bail!("{} is no png, jpeg, gif or webp image", file.display());
    };
    Ok(PromptImage {
        media_type: media_type.to_owned(),
        data: STANDARD.encode(bytes),
    })
}

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_no_file_or_too_large_is_refused_before_it_is_read() {
        let home = tempfile::tempdir().unwrap();
        let image = |name: &str, bytes: u64| {
            let path = home.path().join(name);
            std::fs::write(&path, b"\x89PNG\r\n\x1a\n").unwrap();
            let file = std::fs::File::options().write(true).open(&path).unwrap();
            file.set_len(bytes).unwrap();
            read(&path).map(|image| image.media_type)
        };
        assert_eq!(image("fits", MAX_BYTES).unwrap(), "image/png");
        let large = image("large", MAX_BYTES + 1).unwrap_err().to_string();
        assert!(large.contains("too large"), "{large}");
        assert!(read(home.path()).is_err());
        #[cfg(unix)]
        assert!(read(Path::new("/dev/zero")).is_err());
    }

    #[test]
    fn a_type_is_read_from_the_bytes() {
        assert_eq!(media_type(b"\x89PNG\r\n\x1a\n"), Some("image/png"));
        assert_eq!(media_type(b"\xff\xd8\xff\xe0"), Some("image/jpeg"));
        assert_eq!(media_type(b"GIF89a"), Some("image/gif"));
        assert_eq!(media_type(b"RIFF\0\0\0\0WEBPVP8 "), Some("image/webp"));
        assert_eq!(media_type(b"<svg>"), None);
        assert_eq!(media_type(b""), None);
    }
}

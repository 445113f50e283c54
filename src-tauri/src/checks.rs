//! What the page may name: every path, address and image from it passes here before anything is done with it.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kandev_session::PromptImage;

use crate::api::CommandError;

/// The Messages API refuses an image whose Base64 text is longer, and a refused image spoils the session.
const IMAGE_MAX_BASE64: usize = 5 * 1024 * 1024;
/// The Messages API takes no more images in one request.
const IMAGES_MAX: usize = 100;

/// An existing folder, named in full.
pub fn workspace(path: &str) -> Result<PathBuf, CommandError> {
    let folder = absolute(path)?;
    match std::fs::metadata(&folder) {
        Ok(meta) if meta.is_dir() => Ok(folder),
        Ok(_) => Err(CommandError::new(
            "not_a_folder",
            format!("{path} is a file, not a folder"),
        )),
        Err(error) => Err(CommandError::new(
            "folder_gone",
            format!("the folder {path} cannot be opened: {error}"),
        )),
    }
}

/// An existing file that the system would run, named in full.
pub fn executable(path: &str) -> Result<PathBuf, CommandError> {
    let file = absolute(path)?;
    let meta = std::fs::metadata(&file).map_err(|error| {
        CommandError::new("bad_cli", format!("{path} cannot be opened: {error}"))
    })?;
    if !meta.is_file() {
        return Err(CommandError::new(
            "bad_cli",
            format!("{path} is not a file"),
        ));
    }
    if !may_run(&file, &meta) {
        return Err(CommandError::new(
            "bad_cli",
            format!("{path} is not a program: choose the claude executable"),
        ));
    }
    Ok(file)
}

#[cfg(unix)]
fn may_run(_: &Path, meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn may_run(file: &Path, _: &std::fs::Metadata) -> bool {
    has_extension(file, &["exe", "cmd", "bat", "js", "mjs", "cjs"])
}

/// An existing path inside the workspace, with every link followed. A relative one counts from the workspace.
pub fn inside(workspace: &str, path: &str) -> Result<PathBuf, CommandError> {
    let outside = || {
        CommandError::new(
            "outside_workspace",
            format!("{path} is outside the session's folder {workspace}"),
        )
    };
    let gone = |error| CommandError::new("path_gone", format!("{path} cannot be opened: {error}"));
    let root = Path::new(workspace).canonicalize().map_err(gone)?;
    let real = root.join(path).canonicalize().map_err(gone)?;
    if real.starts_with(&root) {
        Ok(real)
    } else {
        Err(outside())
    }
}

/// An existing file inside the workspace, with every link followed.
pub fn file_inside(workspace: &str, path: &str) -> Result<PathBuf, CommandError> {
    let file = inside(workspace, path)?;
    if file.is_file() {
        return Ok(file);
    }
    Err(CommandError::new(
        "not_a_file",
        format!("{path} is not a file"),
    ))
}

/// Whether opening the file would run what is in it. Such a file is shown in its folder instead: a session may have
/// written it a moment ago.
pub fn opens_as_program(file: &Path) -> bool {
    const PROGRAMS: &[&str] = &[
        "action",
        "app",
        "appimage",
        "application",
        "appref-ms",
        "appx",
        "appxbundle",
        "bat",
        "chm",
        "cmd",
        "com",
        "command",
        "cpl",
        "desktop",
        "diagcab",
        "dmg",
        "exe",
        "fileloc",
        "gadget",
        "hta",
        "inetloc",
        "inf",
        "iso",
        "jar",
        "jnlp",
        "js",
        "jse",
        "lnk",
        "mpkg",
        "msc",
        "msi",
        "msix",
        "msixbundle",
        "msp",
        "osax",
        "pif",
        "pkg",
        "pl",
        "prefpane",
        "ps1",
        "psm1",
        "py",
        "pyw",
        "pyz",
        "rb",
        "reg",
        "run",
        "scf",
        "scpt",
        "scptd",
        "scr",
        "settingcontent-ms",
        "sh",
        "terminal",
        "tool",
        "url",
        "vb",
        "vbe",
        "vbs",
        "vhd",
        "vhdx",
        "webloc",
        "workflow",
        "ws",
        "wsc",
        "wsf",
        "wsh",
        "xll",
    ];
    has_extension(file, PROGRAMS) || is_marked_as_program(file)
}

/// A program needs no ending where the system goes by the file's mode; a folder is never one.
#[cfg(unix)]
fn is_marked_as_program(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|meta| meta.is_file() && may_run(file, &meta))
}

#[cfg(not(unix))]
fn is_marked_as_program(_: &Path) -> bool {
    false
}

fn has_extension(file: &Path, known: &[&str]) -> bool {
    file.extension().is_some_and(|extension| {
        known
            .iter()
            .any(|name| extension.eq_ignore_ascii_case(name))
    })
}

/// An address that a browser opens: `http` or `https` with a host.
pub fn web_address(address: &str) -> Result<tauri::Url, CommandError> {
    let refused = || {
        CommandError::new(
            "bad_address",
            format!("only http and https addresses are opened: {address}"),
        )
    };
    let url = tauri::Url::parse(address).map_err(|_| refused())?;
    let web = matches!(url.scheme(), "http" | "https") && url.has_host();
    if web { Ok(url) } else { Err(refused()) }
}

/// An id of a session, ours or the CLI's: what it names is looked up elsewhere.
pub fn id(text: &str) -> Result<(), CommandError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if !text.is_empty() && text.len() <= 128 && text.chars().all(plain) {
        return Ok(());
    }
    Err(CommandError::new("bad_id", "this is no session's id"))
}

/// Images that the Messages API takes: one of its four types, what they claim to be, and not too large.
pub fn images(images: &[PromptImage]) -> Result<(), CommandError> {
    if images.len() > IMAGES_MAX {
        return Err(CommandError::new(
            "bad_image",
            format!("a prompt takes at most {IMAGES_MAX} images"),
        ));
    }
    images.iter().enumerate().try_for_each(|(index, image)| {
        image_fits(image)
            .map_err(|why| CommandError::new("bad_image", format!("image {} {why}", index + 1)))
    })
}

fn image_fits(image: &PromptImage) -> Result<(), String> {
    if image.data.len() > IMAGE_MAX_BASE64 {
        let mib = IMAGE_MAX_BASE64 / 1024 / 1024;
        return Err(format!(
            "is too large: its encoded form must not exceed {mib} MiB"
        ));
    }
    let bytes = STANDARD
        .decode(&image.data)
        .map_err(|error| format!("is not valid Base64: {error}"))?;
    let is_what_it_claims = match image.media_type.as_str() {
        "image/png" => bytes.starts_with(b"\x89PNG\r\n\x1a\n"),
        "image/jpeg" => bytes.starts_with(b"\xff\xd8\xff"),
        "image/gif" => bytes.starts_with(b"GIF87a") || bytes.starts_with(b"GIF89a"),
        "image/webp" => bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP"),
        other => {
            return Err(format!(
                "has the type {other}; PNG, JPEG, GIF and WebP can be sent"
            ));
        }
    };
    if is_what_it_claims {
        Ok(())
    } else {
        Err(format!("does not hold {} data", image.media_type))
    }
}

/// A path named in full.
pub fn absolute(path: &str) -> Result<PathBuf, CommandError> {
    let path = Path::new(path);
    if path.is_absolute() {
        Ok(path.to_owned())
    } else {
        Err(CommandError::new(
            "not_absolute",
            format!("{} is not a full path", path.display()),
        ))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn text(path: &Path) -> &str {
        path.to_str().unwrap()
    }

    fn code<T: std::fmt::Debug>(result: Result<T, CommandError>) -> String {
        result.unwrap_err().code
    }

    #[test]
    fn a_workspace_is_an_existing_folder_named_in_full() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        std::fs::write(&file, "").unwrap();
        assert_eq!(workspace(text(home.path())).unwrap(), home.path());
        assert_eq!(code(workspace("src")), "not_absolute");
        assert_eq!(code(workspace("")), "not_absolute");
        assert_eq!(code(workspace(text(&file))), "not_a_folder");
        assert_eq!(
            code(workspace(text(&home.path().join("gone")))),
            "folder_gone"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_cli_is_a_file_that_may_be_run() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("claude");
        std::fs::write(&file, "words").unwrap();
        assert_eq!(code(executable(text(&file))), "bad_cli");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(executable(text(&file)).unwrap(), file);
        assert_eq!(code(executable(text(home.path()))), "bad_cli");
        assert_eq!(code(executable(text(&home.path().join("gone")))), "bad_cli");
        assert_eq!(code(executable("claude")), "not_absolute");
    }

    #[cfg(unix)]
    #[test]
    fn only_what_really_lies_in_the_workspace_is_inside_it() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("work");
        let sibling = home.path().join("work-secret");
        for folder in [&root, &sibling, &root.join("src")] {
            std::fs::create_dir(folder).unwrap();
        }
        std::fs::write(root.join("src/lib.rs"), "").unwrap();
        std::fs::write(sibling.join("key"), "").unwrap();
        std::os::unix::fs::symlink(sibling.join("key"), root.join("link")).unwrap();
        let root = text(&root);
        let real = Path::new(root).canonicalize().unwrap();
        assert_eq!(inside(root, "src/lib.rs").unwrap(), real.join("src/lib.rs"));
        assert_eq!(
            inside(root, text(&real.join("src/lib.rs"))).unwrap(),
            real.join("src/lib.rs")
        );
        assert_eq!(inside(root, ".").unwrap(), real);
        for path in [
            "..",
            "../work-secret/key",
            "src/../../work-secret/key",
            "link",
            "/etc/passwd",
        ] {
            assert_eq!(code(inside(root, path)), "outside_workspace", "{path}");
        }
        assert_eq!(
            code(inside(root, text(&sibling.join("key")))),
            "outside_workspace"
        );
        assert_eq!(code(inside(root, "gone")), "path_gone");
    }

    #[test]
    fn a_file_that_would_run_is_known_by_its_ending() {
        for name in [
            "a.exe",
            "a.BAT",
            "x/a.desktop",
            "a.command",
            "a.lnk",
            "a.sh",
            "a.py",
            "a.webloc",
        ] {
            assert!(opens_as_program(Path::new(name)), "{name}");
        }
        for name in ["a.rs", "a", ".desktop", "exe", "a.exe.txt"] {
            assert!(!opens_as_program(Path::new(name)), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_would_run_is_known_by_its_mode() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("notes");
        std::fs::write(&file, "words").unwrap();
        for (mode, runs) in [(0o644, false), (0o755, true), (0o654, true)] {
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(opens_as_program(&file), runs, "{mode:o}");
        }
        assert!(!opens_as_program(home.path()));
    }

    #[test]
    fn only_web_addresses_are_opened() {
        assert!(web_address("https://example.org/a?b#c").is_ok());
        assert!(web_address("http://127.0.0.1:8080/").is_ok());
        for address in [
            "file:///etc/passwd",
            "javascript:alert(1)",
            "data:text/html,x",
            "mailto:a@b.c",
            "example.org",
            "",
            "https://",
        ] {
            assert_eq!(code(web_address(address)), "bad_address", "{address}");
        }
    }

    fn image(media_type: &str, bytes: &[u8]) -> PromptImage {
        PromptImage {
            media_type: media_type.into(),
            data: STANDARD.encode(bytes),
        }
    }

    #[test]
    fn an_image_is_one_of_four_types_and_what_it_claims_to_be() {
        let png = b"\x89PNG\r\n\x1a\nrest";
        assert_eq!(images(&[]), Ok(()));
        assert_eq!(
            images(&[
                image("image/png", png),
                image("image/jpeg", b"\xff\xd8\xff\xe0"),
                image("image/gif", b"GIF89a"),
                image("image/webp", b"RIFF\0\0\0\0WEBPVP8 "),
            ]),
            Ok(())
        );
        for wrong in [
            image("image/svg+xml", b"<svg/>"),
            image("image/jpeg", png),
            image("image/webp", b"RIFF"),
            PromptImage {
                media_type: "image/png".into(),
                data: "not base64!".into(),
            },
        ] {
            assert_eq!(code(images(&[image("image/png", png), wrong])), "bad_image");
        }
    }

    #[test]
    fn an_image_that_would_spoil_the_session_is_refused_before_it_is_sent() {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        bytes.resize(IMAGE_MAX_BASE64 / 4 * 3, 0);
        assert_eq!(images(&[image("image/png", &bytes)]), Ok(()));
        bytes.extend_from_slice(&[0; 3]);
        assert!(
            images(&[image("image/png", &bytes)])
                .unwrap_err()
                .message
                .contains("too large")
        );
        let many = vec![image("image/png", b"\x89PNG\r\n\x1a\n"); IMAGES_MAX + 1];
        assert_eq!(code(images(&many)), "bad_image");
    }
}

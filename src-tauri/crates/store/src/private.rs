//! What people said to an agent is theirs: the files that hold it are made so that only their owner reads them, as Claude
//! Code's own are. On Windows the folder's own list does that.

use std::fs;
use std::io;
use std::path::Path;

/// Makes the folder, and what is missing above it. One that is there stays as it is.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Makes the file where there is none, empty, and takes from others what they may do with it. Where that cannot be done,
/// whoever opens it next says why.
pub(crate) fn make_file(path: &Path) {
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = options.open(path);
    narrow(path);
}

/// Takes from others what they may do with a file that is there.
#[cfg(unix)]
pub(crate) fn narrow(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let Ok(meta) = fs::metadata(path) else {
        return;
    };
    let mode = meta.permissions().mode();
    if meta.is_file() && mode & 0o077 != 0 {
        let _ = fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700));
    }
}

#[cfg(not(unix))]
pub(crate) fn narrow(_: &Path) {}

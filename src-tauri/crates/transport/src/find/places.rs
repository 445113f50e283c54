//! The places where installers and package managers put programs, per system. Folders only; what is in them is looked
//! at by others.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Os, Search, Source};

/// All known folders, the likelier ones first.
pub(super) fn known(search: &Search) -> Vec<(Source, PathBuf)> {
    let mut places = Vec::new();
    if let Some(home) = &search.home {
        places.push((Source::NativeInstaller, home.join(".local/bin")));
        places.push((Source::NativeInstaller, home.join(".claude/local")));
        places.push((Source::NativeInstaller, home.join(".claude/bin")));
    }
    match search.os {
        Os::Windows => windows(search, &mut places),
        Os::Linux | Os::MacOs => unix(search, &mut places),
    }
    places
}

fn unix(search: &Search, places: &mut Vec<(Source, PathBuf)>) {
    let variable = |name: &str| search.variable(name).map(PathBuf::from);
    let home = |folder: &str| search.home.as_ref().map(|home| home.join(folder));
    let fixed = |folder: &str| search.root.join(folder.trim_start_matches('/'));
    let mut add = |source: Source, folder: Option<PathBuf>| {
        places.extend(folder.map(|folder| (source, folder)))
    };

    for prefix in ["NPM_CONFIG_PREFIX", "npm_config_prefix"] {
        add(
            Source::NpmGlobal,
            variable(prefix).map(|prefix| prefix.join("bin")),
        );
    }
    add(
        Source::NpmGlobal,
        npmrc_prefix(search).map(|prefix| prefix.join("bin")),
    );
    for folder in [".npm-global/bin", ".npm-packages/bin", "node_modules/.bin"] {
        add(Source::NpmGlobal, home(folder));
    }
    let nvm = variable("NVM_DIR").or_else(|| home(".nvm"));
    for version in versions(nvm.map(|nvm| nvm.join("versions/node"))) {
        add(Source::Nvm, Some(version.join("bin")));
    }
    add(
        Source::Volta,
        variable("VOLTA_HOME")
            .or_else(|| home(".volta"))
            .map(|volta| volta.join("bin")),
    );
    add(
        Source::Bun,
        variable("BUN_INSTALL")
            .or_else(|| home(".bun"))
            .map(|bun| bun.join("bin")),
    );
    add(
        Source::Homebrew,
        variable("HOMEBREW_PREFIX").map(|prefix| prefix.join("bin")),
    );
    for folder in [
        "/opt/homebrew/bin",
        "/usr/local/bin",
        "/home/linuxbrew/.linuxbrew/bin",
    ] {
        add(Source::Homebrew, Some(fixed(folder)));
    }
    add(Source::Homebrew, home(".linuxbrew/bin"));

    let managers = [
        (variable("FNM_DIR"), "node-versions", "installation/bin"),
        (
            home(".local/share/fnm"),
            "node-versions",
            "installation/bin",
        ),
        (
            home("Library/Application Support/fnm"),
            "node-versions",
            "installation/bin",
        ),
        (
            variable("MISE_DATA_DIR").or_else(|| home(".local/share/mise")),
            "installs/node",
            "bin",
        ),
        (home(".asdf"), "installs/nodejs", "bin"),
    ];
    for (folder, below, bin) in managers {
        for version in versions(folder.map(|folder| folder.join(below))) {
            add(Source::OtherManager, Some(version.join(bin)));
        }
    }
    add(Source::OtherManager, variable("PNPM_HOME"));
    add(
        Source::OtherManager,
        variable("N_PREFIX")
            .or_else(|| home("n"))
            .map(|n| n.join("bin")),
    );
    for folder in [
        ".local/share/pnpm",
        "Library/pnpm",
        ".yarn/bin",
        ".asdf/shims",
        ".nix-profile/bin",
        "bin",
    ] {
        add(Source::OtherManager, home(folder));
    }
    for folder in [
        "/usr/bin",
        "/bin",
        "/snap/bin",
        "/run/current-system/sw/bin",
        "/opt/local/bin",
    ] {
        add(Source::OtherManager, Some(fixed(folder)));
    }
}

fn windows(search: &Search, places: &mut Vec<(Source, PathBuf)>) {
    let below = |name: &str, folder: &str| {
        search
            .variable(name)
            .map(|base| Path::new(base).join(folder))
    };
    let home = |folder: &str| search.home.as_ref().map(|home| home.join(folder));
    let mut add = |source: Source, folder: Option<PathBuf>| {
        places.extend(folder.map(|folder| (source, folder)))
    };

    add(
        Source::WinGet,
        below("LOCALAPPDATA", "Microsoft/WinGet/Links"),
    );
    for packages in [
        below("LOCALAPPDATA", "Microsoft/WinGet/Packages"),
        below("ProgramFiles", "WinGet/Packages"),
    ] {
        for package in folders_in(packages) {
            let name = package
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .to_ascii_lowercase();
            if name.starts_with("anthropic.claudecode") {
                add(Source::WinGet, Some(package));
            }
        }
    }
    add(Source::WinGet, below("ProgramFiles", "WinGet/Links"));

    for prefix in ["NPM_CONFIG_PREFIX", "npm_config_prefix"] {
        add(
            Source::NpmGlobal,
            search.variable(prefix).map(PathBuf::from),
        );
    }
    add(Source::NpmGlobal, npmrc_prefix(search));
    add(Source::NpmGlobal, below("APPDATA", "npm"));
    add(Source::NpmGlobal, below("ProgramFiles", "nodejs"));
    add(
        Source::Nvm,
        search.variable("NVM_SYMLINK").map(PathBuf::from),
    );
    for version in versions(
        search
            .variable("NVM_HOME")
            .map(PathBuf::from)
            .or_else(|| below("APPDATA", "nvm")),
    ) {
        add(Source::Nvm, Some(version));
    }
    add(Source::Volta, below("VOLTA_HOME", "bin"));
    add(Source::Volta, below("LOCALAPPDATA", "Volta/bin"));
    add(Source::Volta, below("ProgramFiles", "Volta"));
    add(
        Source::Bun,
        below("BUN_INSTALL", "bin").or_else(|| home(".bun/bin")),
    );
    add(
        Source::OtherManager,
        search.variable("PNPM_HOME").map(PathBuf::from),
    );
    add(Source::OtherManager, below("LOCALAPPDATA", "pnpm"));
    add(
        Source::OtherManager,
        below("SCOOP", "shims").or_else(|| home("scoop/shims")),
    );
    add(Source::OtherManager, below("ProgramData", "chocolatey/bin"));
}

/// The folders in one, named after versions, the newest first.
fn versions(folder: Option<PathBuf>) -> Vec<PathBuf> {
    let mut versions = folders_in(folder);
    versions.sort_by_cached_key(|path| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let numbers: Vec<u64> = name
            .trim_start_matches('v')
            .split(['.', '-'])
            .map(|part| part.parse().unwrap_or(0))
            .collect();
        std::cmp::Reverse(numbers)
    });
    versions
}

fn folders_in(folder: Option<PathBuf>) -> Vec<PathBuf> {
    let entries = folder.and_then(|folder| fs::read_dir(folder).ok());
    entries
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect()
}

/// The `prefix` of the person's `.npmrc`.
fn npmrc_prefix(search: &Search) -> Option<PathBuf> {
    let home = search.home.as_ref()?;
    let text = fs::read_to_string(home.join(".npmrc")).ok()?;
    let value = text.lines().find_map(|line| {
        let (name, value) = line.split_once('=')?;
        (name.trim() == "prefix").then(|| value.trim().trim_matches('"').to_owned())
    })?;
    let expanded = match value
        .strip_prefix("~/")
        .or_else(|| value.strip_prefix("${HOME}/"))
    {
        Some(rest) => home.join(rest),
        None => PathBuf::from(value),
    };
    super::path_list::is_absolute(&expanded, search.os).then_some(expanded)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn versions_are_compared_as_numbers() {
        let folder = tempfile::tempdir().unwrap();
        for version in ["v9.11.2", "v20.9.0", "v20.10.1", "system"] {
            fs::create_dir(folder.path().join(version)).unwrap();
        }
        let versions = versions(Some(folder.path().to_owned()));
        let names: Vec<_> = versions
            .iter()
            .map(|path| path.file_name().unwrap().to_str().unwrap())
            .collect();
        assert_eq!(names, ["v20.10.1", "v20.9.0", "v9.11.2", "system"]);
    }
}

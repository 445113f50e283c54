//! Folders inside a WSL distribution, as Windows names them. Programs of Windows reach them over a network of their own, where
//! links and permissions do not work (asks U12).

/// A folder of a distribution: its name, and the folder as the distribution knows it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct InWsl<'a> {
    pub distribution: &'a str,
    pub folder: String,
}

/// Reads `\\wsl.localhost\NAME\...` and its older form.
pub(crate) fn in_wsl(path: &str) -> Option<InWsl<'_>> {
    let plain = |letter: char| letter == '\\' || letter == '/';
    let rest = path.strip_prefix(plain)?.strip_prefix(plain)?;
    // The form that takes no notice of a path's length.
    let rest = match rest.get(..6) {
        Some(verbatim) if verbatim.eq_ignore_ascii_case(r"?\UNC\") => &rest[6..],
        _ => rest,
    };
    let (host, rest) = rest.split_once(plain)?;
    if !["wsl.localhost", "wsl$"]
        .iter()
        .any(|known| host.eq_ignore_ascii_case(known))
    {
        return None;
    }
    let (distribution, inside) = rest.split_once(plain).unwrap_or((rest, ""));
    (!distribution.is_empty()).then(|| InWsl {
        distribution,
        folder: format!("/{}", inside.replace('\\', "/")),
    })
}

impl InWsl<'_> {
    /// What a person should know who starts a session there from Windows.
    pub(crate) fn warning(&self) -> String {
        format!(
            "This folder is {} in the WSL distribution {}. Claude Code for Windows reaches it over a network, where links and \
             permissions may break and everything is slow. Run this program in the distribution to work on it there.",
            self.folder, self.distribution
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_a_distribution_is_known_by_its_name() {
        let read = |path| in_wsl(path).map(|found| (found.distribution, found.folder));
        let ferry = Some(("Ubuntu", "/home/me/ferry".to_owned()));
        for path in [
            r"\\wsl.localhost\Ubuntu\home\me\ferry",
            r"\\wsl$\Ubuntu\home\me\ferry",
            r"\\WSL.LOCALHOST\Ubuntu\home\me\ferry",
            r"\\?\UNC\wsl.localhost\Ubuntu\home\me\ferry",
            "//wsl.localhost/Ubuntu/home/me/ferry",
        ] {
            assert_eq!(read(path), ferry, "{path}");
        }
        assert_eq!(
            read(r"\\wsl$\Debian"),
            Some(("Debian", "/".to_owned())),
            "the distribution itself"
        );
        for other in [
            r"C:\home\me",
            r"\\server\Ubuntu\home",
            r"\\wsl.localhost",
            r"\\wsl.localhost\",
            "/home/me/wsl.localhost/Ubuntu",
            "",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }

    #[test]
    fn the_warning_says_where_it_is_and_what_to_do() {
        let found = in_wsl(r"\\wsl$\Debian\srv\app").map(|found| found.warning());
        let text = found.unwrap_or_default();
        for words in ["/srv/app", "distribution Debian", "Run this program in"] {
            assert!(text.contains(words), "{words} is missing in {text}");
        }
    }
}

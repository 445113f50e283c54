//! On which host of this machine a session lives: the system itself, or a WSL distribution. A conversation is kept where its
//! CLI ran, and the CLI of another host would not find it, or would work on other files (asks U14).

use crate::wsl::in_wsl;

/// What precedes the name of a distribution.
const WSL: &str = "wsl:";

/// The host that this program runs on: `wsl:NAME` in a WSL distribution, else none.
pub fn host_here() -> Option<String> {
    host_of_distribution(std::env::var("WSL_DISTRO_NAME").ok().as_deref())
}

fn host_of_distribution(name: Option<&str>) -> Option<String> {
    let name = name.map(str::trim).filter(|name| !name.is_empty())?;
    Some(format!("{WSL}{name}"))
}

/// The host whose CLI keeps its conversations in this folder, as Windows names it: `wsl:NAME` for one that lies in a
/// distribution.
pub fn host_of_folder(folder: &str) -> Option<String> {
    in_wsl(folder).map(|found| format!("{WSL}{}", found.distribution))
}

/// Whether a session of the host `begun_on` can be resumed by a program that runs on `here`.
///
/// # Errors
/// A sentence that says why not and what to do.
pub fn resumable_here(begun_on: Option<&str>, here: Option<&str>) -> Result<(), String> {
    let same = match (begun_on, here) {
        (Some(begun), Some(here)) => begun.eq_ignore_ascii_case(here),
        (begun, here) => begun == here,
    };
    if same {
        return Ok(());
    }
    let name = |host: Option<&str>| match host {
        Some(host) => match host.strip_prefix(WSL) {
            Some(name) => format!("the WSL distribution {name}"),
            None => host.to_owned(),
        },
        None => "Windows itself".to_owned(),
    };
    let (there, this) = (name(begun_on), name(here));
    Err(format!(
        "This session was begun in {there}, and Claude Code keeps it there. This program runs in {this}, whose Claude Code \
         does not know it. Open this program in {there} to resume it."
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_is_resumed_on_its_own_host() {
        for host in [None, Some("wsl:Ubuntu")] {
            assert_eq!(resumable_here(host, host), Ok(()));
        }
        assert_eq!(
            resumable_here(Some("wsl:Ubuntu"), Some("wsl:ubuntu")),
            Ok(()),
            "Windows takes no notice of case"
        );
    }

    #[test]
    fn on_another_host_it_is_refused_with_both_names_and_what_to_do() {
        let (ubuntu, debian) = (Some("wsl:Ubuntu"), Some("wsl:Debian"));
        for (begun_on, here, words) in [
            (ubuntu, None, "begun in the WSL distribution Ubuntu"),
            (ubuntu, debian, "runs in the WSL distribution Debian"),
            (None, ubuntu, "Open this program in Windows itself"),
        ] {
            let refused = resumable_here(begun_on, here).err().unwrap_or_default();
            assert!(refused.contains(words), "{refused}");
        }
    }

    #[test]
    fn a_host_is_known_by_its_folder_or_its_variable() {
        assert_eq!(
            host_of_folder(r"\\wsl.localhost\Ubuntu\home\me\.claude\projects").as_deref(),
            Some("wsl:Ubuntu")
        );
        assert_eq!(host_of_folder(r"C:\Users\me\.claude"), None);
        assert_eq!(host_of_folder("/home/me/.claude"), None);
        assert_eq!(
            host_of_distribution(Some("Debian")).as_deref(),
            Some("wsl:Debian")
        );
        assert_eq!(host_of_distribution(Some(" ")), None);
        assert_eq!(host_of_distribution(None), None);
    }
}

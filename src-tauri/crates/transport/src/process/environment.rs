//! The child's environment: ours, with its own PATH, UTF-8 texts and nothing empty.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Variables of this process that are about this process alone.
const OURS: &[&str] = &["KANDEV_CLI", "KANDEV_DATA_DIR", "TAURI_WEBVIEW_AUTOMATION"];

/// The whole environment of the child. `extra` wins over ours, and an empty value removes the variable: tools tell
/// "set to nothing" from "not set" and fail on the former.
pub(super) fn for_child(
    ours: impl IntoIterator<Item = (OsString, OsString)>,
    path: &OsStr,
    extra: &[(OsString, OsString)],
) -> Vec<(OsString, OsString)> {
    let mut variables: BTreeMap<OsString, OsString> = ours
        .into_iter()
        .map(|(name, value)| (canonical(name), value))
        .collect();
    variables.retain(|name, _| !OURS.iter().any(|own| name == own));
    if !path.is_empty() {
        variables.insert("PATH".into(), path.to_owned());
    }
    speak_utf8(&mut variables);
    for (name, value) in extra {
        variables.insert(canonical(name.clone()), value.clone());
    }
    variables
        .into_iter()
        .filter(|(name, value)| !name.is_empty() && !value.is_empty())
        .collect()
}

/// Windows does not tell `Path` from `PATH`; the child must get one of them.
fn canonical(name: OsString) -> OsString {
    if cfg!(windows) {
        name.to_ascii_uppercase()
    } else {
        name
    }
}

/// A window started from a menu often has no locale at all, and tools then fall back to ASCII or a code page.
fn speak_utf8(variables: &mut BTreeMap<OsString, OsString>) {
    if cfg!(windows) {
        variables
            .entry("PYTHONIOENCODING".into())
            .or_insert_with(|| "utf-8".into());
        return;
    }
    let in_force = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| variables.get(OsStr::new(name)))
        .find(|value| !value.is_empty());
    if in_force.is_some_and(|locale| is_utf8(locale)) {
        return;
    }
    // LC_ALL would win over LC_CTYPE.
    variables.remove(OsStr::new("LC_ALL"));
    let utf8 = if cfg!(target_os = "macos") {
        "UTF-8"
    } else {
        "C.UTF-8"
    };
    variables.insert("LC_CTYPE".into(), utf8.into());
}

fn is_utf8(locale: &OsStr) -> bool {
    let locale = locale.to_string_lossy().to_ascii_lowercase();
    locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn variables(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs
            .iter()
            .map(|(name, value)| (name.into(), value.into()))
            .collect()
    }

    fn child(ours: &[(&str, &str)], extra: &[(&str, &str)]) -> BTreeMap<String, String> {
        for_child(
            variables(ours),
            OsStr::new("/cli:/usr/bin"),
            &variables(extra),
        )
        .into_iter()
        .map(|(name, value)| (name.into_string().unwrap(), value.into_string().unwrap()))
        .collect()
    }

    #[test]
    fn the_child_gets_its_own_path_and_the_extra_variables() {
        let env = child(
            &[("PATH", "/usr/bin"), ("A", "1"), ("B", "2")],
            &[("B", "3")],
        );
        assert_eq!(env["PATH"], "/cli:/usr/bin");
        assert_eq!((env["A"].as_str(), env["B"].as_str()), ("1", "3"));
    }

    #[test]
    fn nothing_empty_reaches_the_child() {
        let env = child(
            &[("A", ""), ("TOKEN", "secret")],
            &[("TOKEN", ""), ("URL", "")],
        );
        assert!(
            !env.contains_key("A") && !env.contains_key("TOKEN") && !env.contains_key("URL"),
            "{env:?}"
        );
    }

    #[test]
    fn what_is_about_this_program_stays_here() {
        let env = child(
            &[("KANDEV_CLI", "/x"), ("TAURI_WEBVIEW_AUTOMATION", "true")],
            &[],
        );
        assert!(
            env.keys()
                .all(|name| !name.starts_with("KANDEV") && !name.starts_with("TAURI")),
            "{env:?}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn the_child_speaks_utf8_whatever_we_were_started_with() {
        for ours in [
            vec![],
            vec![("LANG", "C")],
            vec![("LANG", "zh_CN.GBK")],
            vec![("LC_ALL", "POSIX"), ("LANG", "en_US.UTF-8")],
            vec![("LC_ALL", ""), ("LC_CTYPE", "C"), ("LANG", "en_US.UTF-8")],
        ] {
            let env = child(&ours, &[]);
            assert!(
                env["LC_CTYPE"].contains("UTF-8") && !env.contains_key("LC_ALL"),
                "{ours:?} {env:?}"
            );
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_utf8_locale_is_left_alone() {
        for ours in [
            vec![("LANG", "de_DE.utf8")],
            vec![("LC_ALL", "en_US.UTF-8"), ("LANG", "C")],
        ] {
            let env = child(&ours, &[]);
            assert!(!env.contains_key("LC_CTYPE"), "{env:?}");
            assert_eq!(env.contains_key("LC_ALL"), ours[0].0 == "LC_ALL");
        }
    }
}

//! What a secret looks like within a text.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::{Change, MARK, names};

/// Kinds of tokens that are known by how they begin. What follows the beginning is the secret.
const TOKENS: &str = concat!(
    r"sk-ant-([A-Za-z0-9_-]{4,})",
    r"|\bsk-([A-Za-z0-9_-]{20,})",
    r"|\b[rs]k_(?:live|test)_([A-Za-z0-9]{8,})",
    r"|gh[oprsu]_([A-Za-z0-9]{16,})",
    r"|github_pat_([A-Za-z0-9_]{16,})",
    r"|glpat-([A-Za-z0-9_-]{16,})",
    r"|xox[a-z]-([A-Za-z0-9-]{8,})",
    r"|xapp-([A-Za-z0-9-]{8,})",
    r"|hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9/_-]+)",
    r"|A(?:KIA|SIA|BIA|CCA)([A-Z0-9]{12,})",
    r"|AIza([A-Za-z0-9_-]{30,})",
    r"|ya29\.([A-Za-z0-9_-]{10,})",
    r"|whsec_([A-Za-z0-9]{16,})",
    r"|npm_([A-Za-z0-9]{20,})",
    r"|pypi-([A-Za-z0-9_-]{16,})",
    r"|hf_([A-Za-z0-9]{16,})",
    r"|do[por]_v1_([a-f0-9]{16,})",
    r"|SG\.([A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,})",
    r"|eyJ([A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?)",
    r"|-----BEGIN [A-Z0-9 ]*PRIVATE KEY[A-Z ]*-----((?s:.*?))(?:-----END|\z)",
);

/// Headers, to the end of the line or of the quotes; their schemes stay readable.
const HEADERS: &str = concat!(
    r#"(?i)\b(?:(?:proxy-)?authorization|x-api-key|api-key|x-auth-token|x-goog-api-key|(?:set-)?cookie)"#,
    r#"\\*["']?\s*[:=]\s*\\*["'`]?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s+)?([^\r\n"'`\\]+)"#,
);
const SCHEMES: &str = r"(?i)\b(?:bearer|basic)\s+([A-Za-z0-9._~+/=-]{8,})";
/// `https://user:password@host`
const URLS: &str = r#"[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@"'\\]*:([^\s/@"'\\]+)@"#;
/// `https://token@host`
const URL_TOKENS: &str = r#"[A-Za-z][A-Za-z0-9+.-]*://([^\s/:@"'\\]{16,})@"#;
/// A name, how it is tied to its value, and the value in quotes.
const QUOTED: &str = r#"([A-Za-z_][A-Za-z0-9_.-]*)\\*["'`]?\s*(?:[:=]|=>|:=)\s*(?:\\*"([^"\n]+)|\\*'([^'\n]+)|\\*`([^`\n]+))"#;
const BARE: &str = r#"([A-Za-z_][A-Za-z0-9_.-]*)\\*["'`]?(\s*[:=]\s*)([^\s"'`\\,;&|<>(){}\[\]]+)"#;
/// `--token abc`
const FLAGS: &str = r#"(--[A-Za-z][A-Za-z0-9_-]*)[ =]\\*["']?([^\s"'\\]+)"#;
/// The shortest base64 text that is taken for the bytes of a file, in letters.
const SHORTEST_BYTES: usize = 64;
const DATA_URLS: &str = r"data:[A-Za-z0-9.+/-]+;base64,([A-Za-z0-9+/=_-]{64,})";

struct Rules {
    tokens: Regex,
    headers: Regex,
    schemes: Regex,
    urls: Regex,
    url_tokens: Regex,
    quoted: Regex,
    bare: Regex,
    flags: Regex,
    data_urls: Regex,
}

static RULES: LazyLock<Option<Rules>> = LazyLock::new(|| {
    let rule = |pattern: &str| Regex::new(pattern).ok();
    Some(Rules {
        tokens: rule(TOKENS)?,
        headers: rule(HEADERS)?,
        schemes: rule(SCHEMES)?,
        urls: rule(URLS)?,
        url_tokens: rule(URL_TOKENS)?,
        quoted: rule(QUOTED)?,
        bare: rule(BARE)?,
        flags: rule(FLAGS)?,
        data_urls: rule(DATA_URLS)?,
    })
});

/// Adds the places of all secrets. They may overlap.
pub(super) fn find(text: &str, changes: &mut Vec<Change>) {
    let Some(rules) = &*RULES else {
        // Rules that cannot be read let nothing through.
        changes.push((0..text.len(), Cow::Borrowed(MARK)));
        return;
    };
    let mut finding = Finding { text, changes };
    finding.all(&rules.tokens, |_| true);
    if text.contains(':') || text.contains('=') {
        finding.all(&rules.headers, |_| true);
        finding.named(&rules.quoted, true);
        finding.named(&rules.bare, false);
    }
    finding.all(&rules.schemes, |found| looks_random(last(found)));
    if text.contains("://") {
        finding.all(&rules.urls, |_| true);
        finding.all(&rules.url_tokens, |found| looks_random(last(found)));
    }
    if text.contains("--") {
        finding.all(&rules.flags, |found| {
            names::is_secret(&found[1]) && !found[2].starts_with('-')
        });
    }
    if text.contains(";base64,") {
        for found in rules.data_urls.captures_iter(text) {
            if let Some(bytes) = found.get(1) {
                let note = bytes_note(bytes.as_str());
                finding.changes.push((bytes.range(), Cow::Owned(note)));
            }
        }
    }
}

struct Finding<'a> {
    text: &'a str,
    changes: &'a mut Vec<Change>,
}

impl Finding<'_> {
    fn all(&mut self, rule: &Regex, is_one: impl Fn(&Captures<'_>) -> bool) {
        for found in rule.captures_iter(self.text) {
            if is_one(&found) {
                self.take(&found);
            }
        }
    }

    /// Names and their values. What stands behind a name of another kind may hold such a pair again.
    fn named(&mut self, rule: &Regex, quoted: bool) {
        let mut at = 0;
        while let Some(found) = rule.captures_at(self.text, at) {
            let (Some(whole), Some(name)) = (found.get(0), found.get(1)) else {
                break;
            };
            at = if is_named(&found, quoted) {
                self.take(&found);
                whole.end()
            } else {
                name.end()
            };
        }
    }

    /// The last group that took part is the secret.
    fn take(&mut self, found: &Captures<'_>) {
        let Some(secret) = found.iter().skip(1).flatten().last() else {
            return;
        };
        // An escaped quote is no part of what it ends.
        let value = secret.as_str().trim_end_matches('\\');
        let done = value.trim_start().starts_with("[redacted") || value.trim().is_empty();
        if !done && !is_reference(value) {
            let range = secret.start()..secret.start() + value.len();
            self.changes.push((range, Cow::Borrowed(MARK)));
        }
    }
}

fn last<'a>(found: &Captures<'a>) -> &'a str {
    found
        .iter()
        .skip(1)
        .flatten()
        .last()
        .map_or("", |group| group.as_str())
}

/// Whether the name says that the value is a secret. Code is full of `token: string`, so a bare value behind a colon, or
/// between spaces, has to look like one too.
fn is_named(found: &Captures<'_>, quoted: bool) -> bool {
    let name = &found[1];
    if !names::is_secret_in_text(name) {
        return false;
    }
    let value = last(found);
    let counted = value.bytes().all(|byte| byte.is_ascii_digit());
    if counted && name.to_ascii_lowercase().ends_with("tokens") {
        return false;
    }
    let variable = name.bytes().all(|byte| !byte.is_ascii_lowercase());
    quoted || variable || &found[2] == "=" || looks_random(value)
}

/// A reference to a variable is not its value: `$TOKEN`, `${{ secrets.TOKEN }}`, `%TOKEN%`, `MY_API_KEY`.
pub(super) fn is_reference(value: &str) -> bool {
    let upper = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let name = |name: &str| !name.is_empty() && name.bytes().all(upper);
    if name(value) && value.contains('_') && names::is_secret(value) {
        return true;
    }
    let braced = |rest: &str| {
        rest.strip_prefix('{')
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('}'))
    };
    let dollar = |rest: &str| name(rest) || braced(rest);
    let percent = |rest: &str| rest.strip_suffix('%').is_some_and(name);
    value.strip_prefix('$').is_some_and(dollar) || value.strip_prefix('%').is_some_and(percent)
}

fn looks_random(value: &str) -> bool {
    value.len() >= 20 || (value.len() >= 6 && value.bytes().any(|byte| byte.is_ascii_digit()))
}

/// Whether it is base64 and long enough to be the bytes of a file.
pub(super) fn is_base64(text: &str) -> bool {
    let of_it = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=_-\r\n".contains(&byte);
    text.len() >= SHORTEST_BYTES && text.bytes().all(of_it)
}

/// What stands in the place of base64.
pub(super) fn bytes_note(base64: &str) -> String {
    let letters = base64.trim_end_matches('=').len();
    format!("[{} bytes]", letters * 3 / 4)
}

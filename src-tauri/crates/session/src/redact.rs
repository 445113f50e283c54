//! Takes secrets out of what is written to a file, sent to a collector or shown as last words.
//!
//! A redacted line is JSON of the same shape and still plays: only the insides of strings change. What a secret looks
//! like stands in `text`, which names say that a value is one in `names`; `json` walks a line, and `lines` joins the
//! pieces in which a text streams, so that a secret cut in two is found too. It knows no protocol beyond that.

mod json;
mod known;
mod lines;
mod names;
mod text;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

pub use known::remember;
pub(crate) use known::{remember_named, remember_servers};
pub use lines::{Form, Lines};

/// What stands in the place of a secret.
pub const MARK: &str = "[redacted]";
/// Shorter values of variables are found by their names alone: as plain text they would be everywhere.
const SHORTEST_VALUE: usize = 8;

/// The rules, and the secrets that are known by their letters.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    values: Vec<String>,
    person: Option<Person>,
}

/// Names that are folders of every computer: as a part of a path they say nothing of a person.
const COMMON_NAMES: &[&str] = &[
    "root", "user", "users", "home", "dev", "src", "usr", "bin", "lib", "etc", "tmp", "var", "opt",
    "app", "data", "code", "test", "tests", "node", "work", "project", "projects", "public",
    "system", "runner", "build", "docs", "main",
];

/// Whose computer it is.
#[derive(Debug, Clone)]
struct Person {
    home: String,
    name: String,
}

/// One place in a text and what comes there.
type Change = (Range<usize>, Cow<'static, str>);

/// Whether a variable's or a field's name says that its value is a secret: `ANTHROPIC_API_KEY`, `clientSecret`.
pub fn is_secret_name(name: &str) -> bool {
    names::is_secret(name)
}

/// Takes out what looks like a secret, and the secrets of this process's own variables.
pub fn text(text: &str) -> Cow<'_, str> {
    static RULES: LazyLock<Redactor> = LazyLock::new(Redactor::from_environment);
    RULES.text(text)
}

impl Redactor {
    /// The rules, and the values of this process's own variables whose names say that they are secret.
    pub fn from_environment() -> Self {
        let variables = std::env::vars_os().filter_map(|(name, value)| {
            names::is_secret(name.to_str()?).then(|| value.into_string().ok())?
        });
        Self::default().with_values(variables)
    }

    /// Knows these values besides, wherever they stand.
    pub fn with_values(mut self, values: impl IntoIterator<Item = String>) -> Self {
        self.values
            .extend(values.into_iter().filter(|value| is_findable(value)));
        // The longest first: one may be the beginning of another.
        self.values
            .sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        self.values.dedup();
        self
    }

    /// Writes `user` for this person's name in paths, and `/home/user` (or its like) for the home folder.
    pub fn with_person(mut self, home: &str, name: &str) -> Self {
        let home = home.trim_end_matches(['/', '\\']).to_owned();
        let name = name.to_owned();
        self.person = Some(Person { home, name });
        self
    }

    /// A text that is no JSON.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        apply(text, &self.changes(text))
    }

    /// A line of JSON, or any other line.
    pub fn line<'a>(&self, line: &'a str) -> Cow<'a, str> {
        match json::redact(self, line) {
            Ok(line) => line,
            Err(json::NoJson) => self.text(line),
        }
    }

    /// What is to change in a text, in order and apart from each other.
    fn changes(&self, text: &str) -> Vec<Change> {
        let mut changes = Vec::new();
        text::find(text, &mut changes);
        known::find(text, &mut changes);
        for value in &self.values {
            let found = text.match_indices(value.as_str());
            changes.extend(found.map(|(at, value)| (at..at + value.len(), Cow::Borrowed(MARK))));
        }
        if let Some(person) = &self.person {
            person.find(text, &mut changes);
        }
        apart(changes)
    }
}

impl Person {
    fn find(&self, text: &str, changes: &mut Vec<Change>) {
        if self.home.len() > 1 {
            let parent = self
                .home
                .rfind(['/', '\\'])
                .map_or("", |end| &self.home[..=end]);
            let stand_in = match parent {
                "/" | "" => "/home/user".to_owned(),
                parent => format!("{parent}user"),
            };
            for (at, home) in text.match_indices(self.home.as_str()) {
                if is_end_of_name(&text[at + home.len()..]) {
                    changes.push((at..at + home.len(), Cow::Owned(stand_in.clone())));
                }
            }
        }
        // As a part of a path, also of one whose slashes were made dashes, or before the `@` of a host.
        if self.name.len() > 2 && !COMMON_NAMES.contains(&self.name.as_str()) {
            for (at, name) in text.match_indices(self.name.as_str()) {
                let after = &text[at + name.len()..];
                let before = text[..at].chars().next_back();
                let in_path = matches!(before, Some('/' | '\\' | '-' | '~'))
                    && is_end_of_name(after)
                    && !after.starts_with('.');
                if in_path || (after.starts_with('@') && !before.is_some_and(is_of_name)) {
                    changes.push((at..at + name.len(), Cow::Borrowed("user")));
                }
            }
        }
    }
}

/// Whether a secret can be told from other text by its letters.
fn is_findable(value: &str) -> bool {
    value.trim().len() >= SHORTEST_VALUE && !text::is_reference(value)
}

fn is_of_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

fn is_end_of_name(rest: &str) -> bool {
    !rest.chars().next().is_some_and(is_of_name)
}

/// Puts them in order and makes one of those that touch the same letters.
fn apart(mut changes: Vec<Change>) -> Vec<Change> {
    changes.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
    let mut apart: Vec<Change> = Vec::with_capacity(changes.len());
    for (range, with) in changes {
        match apart.last_mut() {
            Some((last, _)) if range.start < last.end => last.end = last.end.max(range.end),
            _ => apart.push((range, with)),
        }
    }
    apart
}

fn apply<'a>(text: &'a str, changes: &[Change]) -> Cow<'a, str> {
    if changes.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (range, with) in changes {
        out.push_str(&text[copied..range.start]);
        out.push_str(with);
        copied = range.end;
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

#[cfg(test)]
mod tests;

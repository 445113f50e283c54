//! From the text of a diff to its sections: ours, git's, and those of `diff -u`.

use super::{Hunk, Line, Patch, Refused, Section, Sign};

const NOWHERE: &str = "/dev/null";

/// Reads a unified diff of one file.
///
/// # Errors
/// `Unreadable`, `SeveralFiles`.
pub fn parse(diff: &str) -> Result<Patch, Refused> {
    let mut reader = Reader::default();
    let mut lines = diff.split('\n').enumerate().peekable();
    while let Some((index, line)) = lines.next() {
        if line.is_empty() && lines.peek().is_none() {
            break;
        }
        reader.line(line).ok_or(Refused::Unreadable(index + 1))?;
    }
    if reader.old_left + reader.new_left > 0 {
        return Err(Refused::Unreadable(diff.split('\n').count()));
    }
    let mut sections = reader.sections;
    sections.retain(|section| !section.header_only());
    let one_file = sections.windows(2).all(|pair| {
        let (Some(earlier), Some(later)) = (pair[0].after(), pair[1].before()) else {
            return true;
        };
        earlier == later
    });
    if !one_file {
        return Err(Refused::SeveralFiles);
    }
    Ok(Patch { sections })
}

impl Section {
    fn before(&self) -> Option<&str> {
        self.old_path.as_deref().or(self.new_path.as_deref())
    }

    fn after(&self) -> Option<&str> {
        self.new_path.as_deref().or(self.old_path.as_deref())
    }

    /// Names were read, and nothing of what became of the file.
    fn header_only(&self) -> bool {
        self.hunks.is_empty()
            && !self.binary
            && self.old_mode.is_none()
            && self.old_path == self.new_path
    }
}

#[derive(Default)]
struct Reader {
    sections: Vec<Section>,
    /// Lines that the hunk still has on each side.
    old_left: usize,
    new_left: usize,
    /// The section began with a line of git's, so its names have prefixes.
    of_git: bool,
    /// Between the section's first line and its first hunk.
    in_header: bool,
}

impl Reader {
    fn line(&mut self, line: &str) -> Option<()> {
        // What it says is in the language of whoever wrote it.
        if line.starts_with('\\') {
            self.hunk()?.lines.last_mut()?.newline = false;
            return Some(());
        }
        if self.old_left + self.new_left > 0 {
            return self.body(line);
        }
        if line.starts_with("@@ ") {
            return self.range(line);
        }
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.begin(true);
            let (old, new) = git_names(names).unzip();
            let section = self.sections.last_mut()?;
            (section.old_path, section.new_path) = (old, new);
            return Some(());
        }
        if let Some(name) = line.strip_prefix("--- ") {
            if !(self.in_header && self.of_git) {
                self.begin(false);
            }
            let of_git = self.of_git;
            self.sections.last_mut()?.old_path = path(name, of_git);
            return Some(());
        }
        if let Some(name) = line.strip_prefix("+++ ") {
            let of_git = self.of_git;
            let section = self.sections.last_mut().filter(|_| self.in_header)?;
            section.new_path = path(name, of_git);
            return Some(());
        }
        if self.in_header && self.of_git {
            return self.extended(line);
        }
        // Before the first section anything may stand, and an empty line between two.
        (self.sections.is_empty() || line.trim().is_empty()).then_some(())
    }

    fn begin(&mut self, of_git: bool) {
        self.sections.push(Section::default());
        self.of_git = of_git;
        self.in_header = true;
    }

    fn hunk(&mut self) -> Option<&mut Hunk> {
        self.sections.last_mut()?.hunks.last_mut()
    }

    /// Git's lines between the names and the first hunk.
    fn extended(&mut self, line: &str) -> Option<()> {
        let section = self.sections.last_mut()?;
        let mode = |text: &str| u32::from_str_radix(text.trim(), 8).ok();
        if line.starts_with("new file mode ") {
            section.old_path = None;
        } else if let Some(text) = line.strip_prefix("deleted file mode ") {
            section.new_path = None;
            section.old_mode = mode(text);
        } else if let Some(text) = line.strip_prefix("old mode ") {
            section.old_mode = mode(text);
        } else if let Some(name) = line
            .strip_prefix("rename from ")
            .or_else(|| line.strip_prefix("copy from "))
        {
            section.old_path = Some(unquoted(name));
        } else if let Some(name) = line
            .strip_prefix("rename to ")
            .or_else(|| line.strip_prefix("copy to "))
        {
            section.new_path = Some(unquoted(name));
        } else if line.starts_with("Binary files ") || line.starts_with("GIT binary patch") {
            section.binary = true;
        }
        // The bytes of a binary patch, hashes, and what a later git may say.
        Some(())
    }

    fn range(&mut self, line: &str) -> Option<()> {
        let rest = line.strip_prefix("@@ -")?;
        let (ranges, _) = rest.split_once(" @@")?;
        let (old, new) = ranges.split_once(" +")?;
        let ((old_start, old_count), (new_start, new_count)) = (numbers(old)?, numbers(new)?);
        self.in_header = false;
        (self.old_left, self.new_left) = (old_count, new_count);
        let hunk = Hunk {
            old_start,
            new_start,
            lines: Vec::new(),
        };
        self.sections.last_mut()?.hunks.push(hunk);
        Some(())
    }

    fn body(&mut self, line: &str) -> Option<()> {
        let (sign, text) = match line.as_bytes().first() {
            Some(b' ') => (Sign::Both, &line[1..]),
            Some(b'-') => (Sign::Old, &line[1..]),
            Some(b'+') => (Sign::New, &line[1..]),
            // Some programs take the space from an empty line.
            None => (Sign::Both, ""),
            Some(b'\r') if line.len() == 1 => (Sign::Both, line),
            Some(_) => return None,
        };
        if sign != Sign::New {
            self.old_left = self.old_left.checked_sub(1)?;
        }
        if sign != Sign::Old {
            self.new_left = self.new_left.checked_sub(1)?;
        }
        let line = Line {
            sign,
            text: text.to_owned(),
            newline: true,
        };
        self.hunk()?.lines.push(line);
        Some(())
    }
}

/// `3,6`, or `3` for one line.
fn numbers(range: &str) -> Option<(usize, usize)> {
    // What is larger is no line of a file, and could not be counted with.
    let number = |text: &str| usize::try_from(text.parse::<i32>().ok()?).ok();
    match range.split_once(',') {
        Some((start, count)) => Some((number(start)?, number(count)?)),
        None => Some((number(range)?, 1)),
    }
}

/// A name after `---` or `+++`; nothing for the file that there is not.
fn path(name: &str, of_git: bool) -> Option<String> {
    // `diff -u` puts a time after a tab, git a tab after a name with spaces.
    let name = match name.split_once('\t') {
        Some((name, rest)) if of_git || is_time(rest) => name,
        _ => name.trim_end_matches('\r'),
    };
    if name == NOWHERE {
        return None;
    }
    let name = unquoted(name);
    Some(if of_git { without_prefix(&name) } else { name })
}

fn is_time(text: &str) -> bool {
    text.trim().is_empty() || text.starts_with(|c: char| c.is_ascii_digit())
}

fn without_prefix(name: &str) -> String {
    let short = name.strip_prefix("a/").or_else(|| name.strip_prefix("b/"));
    short.unwrap_or(name).to_owned()
}

/// The two names of `diff --git`, as far as they can be told apart. Later lines say them again, but for a change of the mode
/// alone, where both are the same.
fn git_names(names: &str) -> Option<(String, String)> {
    if let Some(rest) = names.strip_prefix('"') {
        let close = rest.find("\" ")? + 2;
        let (old, new) = (&names[..close], &names[close + 1..]);
        return Some((
            without_prefix(&unquoted(old)),
            without_prefix(&unquoted(new)),
        ));
    }
    let middle = names.len() / 2;
    let same = names.is_char_boundary(middle) && names[middle..].starts_with(' ');
    let (old, new) = if same {
        (&names[..middle], &names[middle + 1..])
    } else {
        names.split_once(" b/")?
    };
    Some((without_prefix(old), without_prefix(&unquoted(new))))
}

/// Git puts odd names in quotes, as C does.
fn unquoted(name: &str) -> String {
    let Some(inner) = name
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    else {
        return name.to_owned();
    };
    let mut out = Vec::with_capacity(inner.len());
    let mut bytes = inner.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        match bytes.next() {
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(next) = bytes.next_if(|next| (b'0'..=b'7').contains(next)) {
                        value = value * 8 + u32::from(next - b'0');
                    }
                }
                out.push(u8::try_from(value).unwrap_or(b'?'));
            }
            Some(b'n') => out.push(b'\n'),
            Some(b't') => out.push(b'\t'),
            Some(b'r') => out.push(b'\r'),
            Some(b'a') => out.push(7),
            Some(b'b') => out.push(8),
            Some(b'v') => out.push(11),
            Some(b'f') => out.push(12),
            Some(other) => out.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

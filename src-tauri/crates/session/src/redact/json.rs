//! Walks a line of JSON and changes the insides of its strings, and nothing else: numbers keep their digits, keys their
//! order, and what a strict parser refuses (lone halves of surrogate pairs) stays as it is.

use std::borrow::Cow;

use super::{MARK, Redactor, apply, names, text};

/// It is another text.
#[derive(Debug)]
pub(super) struct NoJson;

/// JSON in a string in JSON, and so on: so deep.
const NESTED: u8 = 4;
/// A text shorter than this, in bytes, is never a secret by its own looks.
const SHORTEST: usize = 6;

pub(super) fn redact<'a>(redactor: &Redactor, line: &'a str) -> Result<Cow<'a, str>, NoJson> {
    redact_nested(redactor, line, NESTED)
}

fn redact_nested<'a>(
    redactor: &Redactor,
    line: &'a str,
    nested: u8,
) -> Result<Cow<'a, str>, NoJson> {
    let mut walk = Walk {
        redactor,
        line,
        at: 0,
        copied: 0,
        out: None,
        open: Vec::new(),
        nested,
    };
    walk.document()?;
    Ok(match walk.out {
        None => Cow::Borrowed(line),
        Some(mut out) => {
            out.push_str(&line[walk.copied..]);
            Cow::Owned(out)
        }
    })
}

struct Walk<'a, 'r> {
    redactor: &'r Redactor,
    line: &'a str,
    at: usize,
    /// So much of the line is in `out`.
    copied: usize,
    out: Option<String>,
    open: Vec<Open>,
    nested: u8,
}

/// An object or an array that is not finished.
#[derive(Default)]
struct Open {
    object: bool,
    /// Everything in it is secret.
    secret: bool,
    /// It is under a name such as `env`: its strings are.
    holds_secrets: bool,
    /// The key that is being given its value.
    key: String,
    /// An entry such as `{"name": "API_KEY", "value": ...}`; in an array, a flag whose value is the next one.
    named_secret: bool,
}

impl<'a> Walk<'a, '_> {
    fn document(&mut self) -> Result<(), NoJson> {
        let start = self.line.trim_ascii_start();
        if !start.starts_with(['{', '[']) {
            return Err(NoJson);
        }
        loop {
            self.space();
            self.value()?;
            // Closes what ends here, and comes to the next value.
            loop {
                self.space();
                let Some(open) = self.open.last() else {
                    return if self.at == self.line.len() {
                        Ok(())
                    } else {
                        Err(NoJson)
                    };
                };
                let object = open.object;
                match self.byte()? {
                    b',' => {
                        self.at += 1;
                        self.space();
                        if object {
                            self.key()?;
                        }
                        break;
                    }
                    b'}' if object => self.close(),
                    b']' if !object => self.close(),
                    _ => return Err(NoJson),
                }
            }
        }
    }

    /// A scalar as a whole, or the beginning of an object or array up to its first value.
    fn value(&mut self) -> Result<(), NoJson> {
        loop {
            self.space();
            match self.byte()? {
                b'{' => {
                    self.open(true);
                    self.space();
                    if self.byte()? == b'}' {
                        self.close();
                        return Ok(());
                    }
                    self.key()?;
                }
                b'[' => {
                    self.open(false);
                    self.space();
                    if self.byte()? == b']' {
                        self.close();
                        return Ok(());
                    }
                }
                b'"' => return self.string_value(),
                _ => return self.scalar(),
            }
        }
    }

    fn open(&mut self, object: bool) {
        let secret = self.is_secret();
        let holds_secrets = object
            && self
                .open
                .last()
                .is_some_and(|open| open.object && names::holds_secrets(&open.key));
        self.open.push(Open {
            object,
            secret,
            holds_secrets,
            ..Open::default()
        });
        self.at += 1;
    }

    fn close(&mut self) {
        self.open.pop();
        self.at += 1;
    }

    /// Whether the value that comes is a secret by where it stands.
    fn is_secret(&self) -> bool {
        self.open.last().is_some_and(|open| {
            open.secret
                || open.holds_secrets
                || match open.object {
                    true => {
                        names::is_secret(&open.key)
                            || (open.named_secret && open.key.eq_ignore_ascii_case("value"))
                    }
                    false => open.named_secret,
                }
        })
    }

    fn key(&mut self) -> Result<(), NoJson> {
        let (start, end) = self.string()?;
        let key = decode(&self.line[start..end])?;
        let changes = self.redactor.changes(&key);
        if !changes.is_empty() {
            let redacted = apply(&key, &changes).into_owned();
            self.replace(start, end, &redacted)?;
        }
        self.space();
        if self.byte()? != b':' {
            return Err(NoJson);
        }
        self.at += 1;
        if let Some(open) = self.open.last_mut() {
            open.key = key.into_owned();
        }
        Ok(())
    }

    fn string_value(&mut self) -> Result<(), NoJson> {
        let secret = self.is_secret();
        let (start, end) = self.string()?;
        let raw = &self.line[start..end];
        let value = decode(raw)?;
        self.remember(&value);
        if secret {
            let open = self.open.last();
            let known = open.is_some_and(|open| {
                !open.secret
                    && (names::is_plain_word(&open.key, &value)
                        || (open.holds_secrets
                            && !names::is_secret(&open.key)
                            && names::is_switch(&value)))
            });
            if !value.is_empty() && !known && !text::is_reference(&value) {
                self.replace(start, end, MARK)?;
            }
            return Ok(());
        }
        if value.len() < SHORTEST {
            return Ok(());
        }
        let bytes = self
            .open
            .last()
            .is_some_and(|open| open.object && names::is_bytes(&open.key));
        if bytes && text::is_base64(&value) {
            return self.replace(start, end, &text::bytes_note(&value));
        }
        let inner = value.trim_ascii();
        let nested = self.nested > 0
            && ((inner.starts_with('{') && inner.ends_with('}'))
                || (inner.starts_with('[') && inner.ends_with(']')));
        if nested && let Ok(redacted) = redact_nested(self.redactor, &value, self.nested - 1) {
            return match redacted {
                Cow::Borrowed(_) => Ok(()),
                Cow::Owned(redacted) => self.replace(start, end, &redacted),
            };
        }
        let changes = self.redactor.changes(&value);
        if changes.is_empty() {
            return Ok(());
        }
        let redacted = apply(&value, &changes).into_owned();
        self.replace(start, end, &redacted)
    }

    /// What this string says of the value that comes after it.
    fn remember(&mut self, value: &str) {
        if let Some(open) = self.open.last_mut() {
            if !open.object {
                open.named_secret = value.starts_with("--")
                    && names::is_secret(value)
                    && !value.contains(['=', ' ']);
            } else if ["name", "key", "header", "variable"].contains(&open.key.as_str()) {
                open.named_secret = names::is_secret(value);
            }
        }
    }

    /// A number, `true`, `false` or `null`.
    fn scalar(&mut self) -> Result<(), NoJson> {
        let rest = &self.line.as_bytes()[self.at..];
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b',' | b'}' | b']') || byte.is_ascii_whitespace())
            .unwrap_or(rest.len());
        let word = &self.line[self.at..self.at + length];
        let number = serde_json::from_str::<serde_json::Number>(word).is_ok();
        if !number && !["true", "false", "null"].contains(&word) {
            return Err(NoJson);
        }
        let (start, secret) = (self.at, self.open.last());
        let secret = secret.is_some_and(|open| open.object && names::is_secret_number(&open.key));
        self.at += length;
        if number && secret {
            self.raw(start, self.at, "0");
        }
        Ok(())
    }

    /// Goes over a string; where it begins and ends, quotes included.
    fn string(&mut self) -> Result<(usize, usize), NoJson> {
        let bytes = self.line.as_bytes();
        if self.byte()? != b'"' {
            return Err(NoJson);
        }
        let start = self.at;
        let mut at = start + 1;
        loop {
            match memchr::memchr2(b'"', b'\\', &bytes[at..]).map(|found| at + found) {
                Some(end) if bytes[end] == b'"' => {
                    self.at = end + 1;
                    return Ok((start, self.at));
                }
                Some(escape) if escape + 2 <= bytes.len() => at = escape + 2,
                _ => return Err(NoJson),
            }
        }
    }

    fn replace(&mut self, start: usize, end: usize, with: &str) -> Result<(), NoJson> {
        let with = serde_json::to_string(with).map_err(|_| NoJson)?;
        self.raw(start, end, &with);
        Ok(())
    }

    fn raw(&mut self, start: usize, end: usize, with: &str) {
        let out = self
            .out
            .get_or_insert_with(|| String::with_capacity(self.line.len()));
        out.push_str(&self.line[self.copied..start]);
        out.push_str(with);
        self.copied = end;
    }

    fn space(&mut self) {
        let rest = &self.line.as_bytes()[self.at..];
        self.at += rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace())
            .count();
    }

    fn byte(&self) -> Result<u8, NoJson> {
        self.line.as_bytes().get(self.at).copied().ok_or(NoJson)
    }
}

/// The text of a JSON string; halves of surrogate pairs become U+FFFD.
fn decode(raw: &str) -> Result<Cow<'_, str>, NoJson> {
    if !raw.contains('\\') {
        return Ok(Cow::Borrowed(&raw[1..raw.len() - 1]));
    }
    let text: String = match serde_json::from_str(raw) {
        Ok(text) => text,
        Err(_) => serde_json::from_str(kandev_wire::read_text(raw).json()).map_err(|_| NoJson)?,
    };
    Ok(Cow::Owned(text))
}

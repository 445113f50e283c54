//! Text that steers nothing: no escape sequences, no control characters, no turned direction.

/// As it may stand on a page.
pub(super) fn text(said: &str) -> String {
    let mut clean = String::with_capacity(said.len());
    let mut chars = said.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\x1b' => skip_sequence(&mut chars),
            '\n' | '\t' => clean.push(c),
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => clean.push('\n'),
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
                clean.push_str(&format!("[U+{:04X}]", u32::from(c)));
            }
            c if c.is_control() => clean.push('\u{fffd}'),
            c => clean.push(c),
        }
    }
    clean
}

/// On one line.
pub(super) fn line(said: &str) -> String {
    text(said).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What follows an escape, up to its end.
fn skip_sequence(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match chars.next_if(|c| matches!(c, '[' | ']' | 'P' | '_' | '^')) {
        Some('[') => {
            while chars.next_if(|c| matches!(c, ' '..='?')).is_some() {}
            chars.next_if(|c| matches!(c, '@'..='~'));
        }
        Some(_) => {
            while let Some(c) = chars.next_if(|c| *c != '\n') {
                if c == '\x07' || (c == '\x1b' && chars.next_if_eq(&'\\').is_some()) {
                    break;
                }
            }
        }
        None => {
            chars.next_if(|c| matches!(c, '0'..='~'));
        }
    }
}

/// A picture that may stand in a page: base64 of a kind that browsers draw and that holds no script.
pub(super) fn picture(media_type: Option<&str>, data: Option<&str>) -> Option<String> {
    let (media_type, data) = (media_type?, data?);
    let known = matches!(
        media_type,
        "image/png" | "image/jpeg" | "image/gif" | "image/webp"
    );
    let is_base64 = data
        .bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"+/=".contains(&b));
    (known && is_base64).then(|| format!("data:{media_type};base64,{data}"))
}

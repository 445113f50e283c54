//! Which names say that what they name is a secret.

/// Last words of such names.
const LAST: &[&str] = &[
    "key",
    "keys",
    "apikey",
    "apikeys",
    "token",
    "tokens",
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "pwd",
    "credential",
    "credentials",
    "creds",
    "authorization",
    "auth",
    "bearer",
    "cookie",
    "cookies",
    "jwt",
    "pat",
];
/// Words that make a name one of these wherever they stand in it.
const STRONG: &[&str] = &[
    "secret",
    "password",
    "passwd",
    "passphrase",
    "apikey",
    "authorization",
];
/// Last words that take it back: what is named is not the secret itself.
const ABOUT: &[&str] = &[
    "file", "path", "dir", "folder", "store", "source", "helper", "name", "url", "uri", "type",
    "policy", "required", "length", "count", "sock", "manager", "expiry", "expires", "expired",
    "at", "error", "status", "hint", "id", "needed", "enabled", "mode", "field", "prompt",
];
/// Words behind the one that counts.
const FILLING: &[&str] = &[
    "value", "values", "string", "text", "base64", "hex", "plain", "raw", "env", "var", "b64",
];
/// Endings of names that are written as one word.
const GLUED: &[&str] = &[
    "apikey",
    "authtoken",
    "accesstoken",
    "accesskey",
    "secretkey",
    "privatekey",
    "password",
    "passwd",
];

/// Whether the name says so: `ANTHROPIC_API_KEY`, `clientSecret`, `x-auth-token`, `password2`.
pub(super) fn is_secret(name: &str) -> bool {
    let words = words(name);
    let counting: Vec<&str> = words
        .iter()
        .map(String::as_str)
        .filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit()))
        .collect();
    let filling = counting
        .iter()
        .rev()
        .take_while(|word| FILLING.contains(word))
        .count();
    let Some((last, before)) = counting[..counting.len() - filling].split_last() else {
        return false;
    };
    if ABOUT.contains(last) {
        return false;
    }
    LAST.contains(last)
        || GLUED.iter().any(|ending| last.ends_with(ending))
        || before.iter().any(|word| STRONG.contains(word))
}

/// Whether a bare word of a text, as in `key: 5`, says so. There these mean too many other things.
pub(super) fn is_secret_in_text(name: &str) -> bool {
    let bare = ["key", "keys", "auth", "pat", "tokens", "cookies", "bearer"];
    !bare.iter().any(|word| name.eq_ignore_ascii_case(word)) && is_secret(name)
}

/// Whether all that stands under this name in an object is a secret's place: variables, headers.
pub(super) fn holds_secrets(name: &str) -> bool {
    [
        "env",
        "environment",
        "headers",
        "extraheaders",
        "httpheaders",
    ]
    .iter()
    .any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a word under the bare name `key` is only a name itself, such as that of a setting or a notification.
pub(super) fn is_plain_word(key: &str, value: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_lowercase() || b"-_.:".contains(&byte);
    ["key", "keys"].contains(&key) && value.bytes().all(letter)
}

/// Whether it is a switch or a small number, which no secret is.
pub(super) fn is_switch(value: &str) -> bool {
    value.len() < 3 || ["true", "false", "yes", "off"].contains(&value)
}

/// Whether a number under this name is one too.
pub(super) fn is_secret_number(name: &str) -> bool {
    words(name).last().is_some_and(|last| {
        ["password", "passwd", "passphrase", "secret", "pwd"].contains(&last.as_str())
    })
}

/// Whether a long base64 text under this name is the bytes of a file.
pub(super) fn is_bytes(name: &str) -> bool {
    let known = [
        "data",
        "base64",
        "base64data",
        "blob",
        "bytes",
        "image",
        "imagedata",
        "image_data",
    ];
    known.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// In lower case: parted by what is no letter or digit, and where a capital begins a word.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let letters: Vec<char> = name.chars().collect();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).map(|before| letters[before]);
        let hump = letter.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit())
                || (before.is_some_and(char::is_uppercase)
                    && letters.get(at + 1).is_some_and(|next| next.is_lowercase())));
        let number =
            letter.is_ascii_digit() && before.is_some_and(|before| !before.is_ascii_digit());
        if !letter.is_alphanumeric() || hump || number {
            words.push(String::new());
        }
        if letter.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_however_they_are_written() {
        for name in [
            "ANTHROPIC_API_KEY",
            "apiKey",
            "api-key",
            "APIKey",
            "x-api-key",
            "github_token",
            "GITHUB_TOKEN",
            "token",
            "clientSecret",
            "client_secret_key",
            "DB_PASSWORD",
            "password2",
            "Authorization",
            "AWS_SECRET_ACCESS_KEY",
            "secretValue",
            "accessToken",
            "privatekey",
            "myapikey",
            "NPM_AUTH",
            "set-cookie",
            "credentials",
            "key",
        ] {
            assert!(is_secret(name), "{name}");
        }
    }

    #[test]
    fn names_of_other_things_are_left_alone() {
        for name in [
            "apiKeySource",
            "tool_use_id",
            "keyboard",
            "monkey",
            "SSH_AUTH_SOCK",
            "TOKENIZERS_PARALLELISM",
            "author",
            "session_id",
            "passwordFile",
            "GITHUB_TOKEN_PATH",
            "pattern",
            "path",
            "",
            "12",
            "value",
            "requires_auth_at",
        ] {
            assert!(!is_secret(name), "{name}");
        }
        assert!(!is_secret_in_text("key") && is_secret_in_text("api_key"));
    }
}

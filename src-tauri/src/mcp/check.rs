//! What the page may save as an MCP server. A sentence says what to change.

use std::collections::BTreeSet;
use std::path::Path;

use super::{McpEntry, McpServer, McpTransport};
use crate::api::CommandError;

const NAME_MAX: usize = 64;
/// The server that the host runs itself.
const OUR_OWN: &str = "kandev";

fn refuse(sentence: String) -> CommandError {
    CommandError::new("bad_mcp_server", sentence)
}

/// Their shapes, whatever the values of their entries.
pub fn servers(servers: &[McpServer]) -> Result<(), CommandError> {
    let mut names = BTreeSet::new();
    for server in servers {
        let name = &server.name;
        if !is_name(name) {
            return Err(refuse(format!(
                "The name {name:?} cannot be used: a server's name has 1 to {NAME_MAX} letters, digits, _ and -."
            )));
        }
        if name.eq_ignore_ascii_case(OUR_OWN) {
            return Err(refuse(format!(
                "The name {name} is that of the server that this program runs itself: choose another."
            )));
        }
        if !names.insert(name) {
            return Err(refuse(format!(
                "There are two servers named {name}: give one of them another name."
            )));
        }
        match &server.transport {
            McpTransport::Stdio { command, args, env } => {
                command_fits(name, command)?;
                if args.iter().any(|arg| arg.contains('\0')) {
                    return Err(refuse(format!(
                        "An argument of {name} holds a NUL character."
                    )));
                }
                entries(name, "variable", env, is_variable, str::to_owned)?;
            }
            McpTransport::Sse { url, headers } | McpTransport::Http { url, headers } => {
                address_fits(name, url)?;
                entries(name, "header", headers, is_header, str::to_ascii_lowercase)?;
            }
        }
    }
    Ok(())
}

/// Each entry has a value, or is a secret that was saved before.
pub fn values(new: &[McpServer], old: &[McpServer]) -> Result<(), CommandError> {
    let known: BTreeSet<String> = super::names(old);
    for server in new {
        let kept: BTreeSet<&str> = server
            .secrets()
            .filter(|(name, _)| known.contains(name))
            .map(|(_, entry)| entry.name.as_str())
            .collect();
        for entry in server.transport.entries().1 {
            let is_kept = entry.secret && kept.contains(entry.name.as_str());
            if entry.value.is_none() && !is_kept {
                return Err(refuse(format!(
                    "{} of {} has no value: enter it, as a saved one belongs to the server's old name and kind.",
                    entry.name, server.name
                )));
            }
        }
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(fits)
}

fn is_variable(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !name.starts_with(|first: char| first.is_ascii_digit())
        && !name.is_empty()
        && name.bytes().all(fits)
}

/// A token of RFC 9110.
fn is_header(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(fits)
}

/// A full path, or a bare name that is looked up on PATH. Anything else would depend on the folder that is open, which is
/// the work of others.
fn command_fits(server: &str, command: &str) -> Result<(), CommandError> {
    let bare = !command.contains(['/', '\\', ':', '\0'])
        && !command.starts_with(['.', '-'])
        && !command.trim().is_empty()
        && command.trim() == command;
    let full = Path::new(command).is_absolute() && !command.contains('\0');
    if bare || full {
        return Ok(());
    }
    Err(refuse(format!(
        "The command {command:?} of {server} cannot be used: give the full path of a program, or the name of one on PATH."
    )))
}

fn address_fits(server: &str, url: &str) -> Result<(), CommandError> {
    let parsed = tauri::Url::parse(url).ok();
    let web = parsed.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let Some(web) = web else {
        return Err(refuse(format!(
            "The address of {server} cannot be used: only http and https addresses are."
        )));
    };
    if web.username().is_empty() && web.password().is_none() {
        return Ok(());
    }
    Err(refuse(format!(
        "The address of {server} holds a user or a password, which would be saved readable: put it into a header that is \
         marked as secret."
    )))
}

fn entries(
    server: &str,
    kind: &str,
    entries: &[McpEntry],
    fits: fn(&str) -> bool,
    same: fn(&str) -> String,
) -> Result<(), CommandError> {
    let mut names = BTreeSet::new();
    for entry in entries {
        let name = &entry.name;
        if !fits(name) {
            return Err(refuse(format!(
                "{name:?} is no name for a {kind} of {server}."
            )));
        }
        if !names.insert(same(name)) {
            return Err(refuse(format!("{server} has the {kind} {name} twice.")));
        }
        let forbidden: &[char] = if kind == "header" {
            &['\0', '\r', '\n']
        } else {
            &['\0']
        };
        if entry
            .value
            .as_deref()
            .is_some_and(|value| value.contains(forbidden))
        {
            return Err(refuse(format!(
                "The value of the {kind} {name} of {server} holds a character that cannot be passed on."
            )));
        }
    }
    Ok(())
}

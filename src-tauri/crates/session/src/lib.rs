//! The actor of one session: turns, control requests, policies, the permission table.
//!
//! Owns every open question and the journal of the session while it lives. Knows no Tauri and no SQL, and leaves it to
//! `kandev-transcript` what a line means.

pub mod abilities;
mod actor;
mod api;
mod command;
mod control;
mod error;
mod failures;
mod garbage;
mod host;
mod host_server;
mod journal;
mod launch;
mod mcp_config;
mod moment;
mod next_step;
mod past;
mod permissions;
mod phase;
mod policy;
mod prompts;
mod raw_log;
pub mod redact;
mod report;
mod requests;
mod session;
mod silence;
mod state;
mod stop_check;
mod wsl;

pub use abilities::{Abilities, Ability, Support};
pub use api::*;
pub use error::SessionError;
pub use host::{host_here, host_of_folder, resumable_here};
pub use host_server::{Doing, HostTools, Level, Note, Place};
pub use journal::{Behind, Keeper, Keeping, Subscription};
pub use launch::autonomous_refused;
pub use mcp_config::{McpServers, ServersRead, ServersReading};
pub use past::Past;
pub use raw_log::{RawDir, RawEntry, RawLine, RawSubscription};
pub use report::{CliFound, CliReport, CliTried, cli_report};
pub use session::{Notices, Rehearsal, Session, StartOptions};

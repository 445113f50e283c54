//! The shell: commands, one channel per window, settings, the window itself. It finds what is asked for, calls the crate
//! that does it and converts the answer. It refuses to know what an event means or how a CLI is spoken to.

#[macro_use]
mod command_list;
mod answers;
mod api;
mod args;
mod automation;
mod bridge;
mod changes;
mod checks;
mod closing;
mod commands;
mod editors;
mod error;
mod export;
mod host_tools;
mod inspect;
mod instance;
mod mcp;
mod opening;
mod outputs;
mod past;
mod pictures;
mod plain_file;
mod pump;
mod reading;
mod records;
mod report;
mod restoring;
mod secrets;
#[cfg(test)]
mod security_tests;
mod sessions;
mod settings;
mod snapshots;
mod start;
mod tray;
mod watchers;
mod window;
mod windows;

pub use start::run;

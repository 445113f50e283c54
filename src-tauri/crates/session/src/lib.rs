//! The actor of one session: turns, control requests, policies, the permission table.
//!
//! Owns every open question and the journal of the session while it lives. Knows no Tauri and no SQL.

mod api;

pub use api::*;

//! The stream-json lines of the Claude Code CLI, both directions, word for word.
//!
//! It owns the framing of bytes into lines, the lenient reading of a line into a typed message, and the building of the
//! lines a host may send. It refuses to know what tools mean, how a turn goes, and where the bytes come from.
//!
//! What this build knows of the protocol stands in `protocol.json`, see [`protocol()`]; what only bridges add to a line is
//! kept apart, see [`Bridge`].

mod asked;
mod bridge;
mod content;
mod control;
mod framing;
mod from_cli;
mod lenient;
mod line;
mod messages;
mod protocol;
pub mod request;
mod result;
mod stream;
mod surrogate;
mod system;
mod to_cli;

pub use asked::*;
pub use bridge::*;
pub use content::*;
pub use control::*;
pub use framing::*;
pub use from_cli::*;
pub use line::*;
pub use messages::*;
pub use protocol::*;
pub use result::*;
pub use stream::*;
pub use surrogate::Halves;
pub use system::*;
pub use to_cli::*;

pub use serde_json::value::RawValue;

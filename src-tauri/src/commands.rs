//! The commands as the page calls them: find, call, convert. What needs more than that lives in a room of its own.

mod changes;
mod control;
mod files;
mod history;
mod inspect;
mod mcp;
mod outputs;
mod restore;
mod sessions;
mod settings;
mod stream;
mod window;

pub use changes::*;
pub use control::*;
pub use files::*;
pub use history::*;
pub use inspect::*;
pub use mcp::*;
pub use outputs::*;
pub use restore::*;
pub use sessions::*;
pub use settings::*;
pub use stream::*;
pub use window::*;

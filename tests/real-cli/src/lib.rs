//! The real CLI in a world of its own: a home and a workspace in temporary folders, a Messages API on the loopback, and an
//! environment with nothing in it but what is named here. Knows sessions from outside, as a window does.

mod cli;
#[cfg(target_os = "linux")]
mod processes;
mod talk;
mod world;

pub use cli::{Cli, ENVIRONMENT, VERSIONS};
pub use talk::{Talk, allow, deny};
pub use world::World;

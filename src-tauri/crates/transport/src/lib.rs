//! Finds the CLI, starts it, moves whole lines through its three pipes and ends its whole process tree. The only
//! room that starts a process. It refuses to know what a line means: no tools, no events, no sessions.
//!
//! ```no_run
//! # async fn example() -> Result<(), kandev_transport::TransportError> {
//! use kandev_transport::{Guard, Output, Search, Spawn, find, spawn};
//! let found = find(&Search::from_environment())?;
//! let mut process = spawn(Spawn::new(found, "/some/folder", Guard::this_executable()?)).await?;
//! process.stdin.send(r#"{"type":"keep_alive"}"#.to_owned())?;
//! while let Some(output) = process.events.recv().await {
//!     if let Output::Line(line) = output {
//!         println!("{}", String::from_utf8_lossy(&line));
//!     }
//! }
//! # Ok(()) }
//! ```

mod error;
pub mod find;
pub mod guard;
pub mod process;
pub mod version;

pub use error::TransportError;
pub use find::{Found, LoginShell, Os, Search, Source, Tried, find, look_up};
pub use guard::Guard;
pub use process::{Child, Exit, Output, Process, Spawn, Stdin, Written, spawn};
pub use version::{Version, version};

//! A Messages API of our own on the loopback, which answers by a script and keeps what it was asked. The real CLI runs against
//! it in tests and by hand. It knows the API's shapes; what a CLI makes of the answers is not its business.

mod pick;
mod script;
mod server;
mod stream;

pub use script::{Reply, Script, Step, Turn};
pub use server::{Asked, MessagesApi};

//! Starts the program named by the first argument in the folder named by the second, and prints what it says. For the
//! tests: the smallest whole caller, and its own guard.

use kandev_transport::{Guard, Output, Search, Spawn, find, guard, spawn};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    guard::run_if_asked();
    let mut arguments = std::env::args_os().skip(1);
    let program = arguments.next().map(Into::into);
    let folder = arguments.next().unwrap_or_else(|| ".".into());
    tokio::runtime::Runtime::new()?.block_on(async {
        let found = find(&Search::from_environment().choosing(program))?;
        let mut process = spawn(Spawn::new(found, folder, Guard::this_executable()?)).await?;
        while let Some(output) = process.events.recv().await {
            match output {
                Output::Line(line) => println!("{}", String::from_utf8_lossy(&line)),
                other => println!("{other:?}"),
            }
        }
        Ok(())
    })
}

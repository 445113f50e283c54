//! Writes the seeds of the fuzz targets: `cargo run -p kandev-conversations --example seeds FOLDER`.

use std::path::PathBuf;
use std::{env, fs};

use kandev_conversations::targets::{ALL, seeds};

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(env::args().nth(1).unwrap_or_else(|| "corpus".to_owned()));
    for (target, _) in ALL {
        let folder = folder.join(target);
        fs::create_dir_all(&folder)?;
        for (number, seed) in seeds(target)?.into_iter().enumerate() {
            fs::write(folder.join(format!("seed-{number:04}")), seed)?;
        }
    }
    Ok(())
}

//! The typed bridge: the commands as the page calls them, and their types in TypeScript.

use tauri::Wry;
use tauri_specta::{Builder, collect_commands};

use crate::commands;

macro_rules! collect {
    ($($name:ident),* $(,)?) => { collect_commands![$(commands::$name),*] };
}

pub fn builder() -> Builder<Wry> {
    Builder::new()
        .commands(with_commands!(collect))
        .disable_serde_phases()
}

/// Writes the types, as they must stand in `ui/src/bindings/bindings.ts`.
#[cfg(debug_assertions)]
pub fn export(file: &std::path::Path) -> Result<(), String> {
    builder()
        .export(specta_typescript::Typescript::default(), file)
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_committed_bindings_are_those_of_this_build() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../ui/src/bindings/bindings.ts"
        );
        let folder = tempfile::tempdir().unwrap();
        let fresh = folder.path().join("bindings.ts");
        export(&fresh).unwrap();
        let same =
            std::fs::read_to_string(path).unwrap() == std::fs::read_to_string(fresh).unwrap();
        assert!(
            same,
            "ui/src/bindings/bindings.ts is stale: run `npm run types` and commit the result"
        );
    }
}

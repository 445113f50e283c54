//! What the fuzz targets call is run over their seeds, and each target calls it.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::{fs, thread};

use kandev_conversations::targets::{ALL, seeds};

#[test]
fn every_seed_keeps_the_rules_of_its_target() {
    thread::scope(|scope| {
        for (name, target) in ALL {
            scope.spawn(move || {
                let seeds = seeds(name).unwrap();
                assert!(seeds.len() > 100, "{name} has {} seeds", seeds.len());
                // Neighbours are alike; the fuzzer itself begins with all of them.
                for seed in seeds.iter().step_by(4) {
                    target(seed);
                }
            });
        }
    });
}

#[test]
fn every_target_is_a_file_that_calls_its_function_and_nothing_else() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
    for (name, _) in ALL {
        let file = fs::read_to_string(fuzz.join(format!("fuzz_targets/{name}.rs"))).unwrap();
        let call = format!("|data: &[u8]| kandev_conversations::targets::{name}(data)");
        assert_eq!(
            file,
            format!("#![no_main]\n\nlibfuzzer_sys::fuzz_target!({call});\n")
        );
        assert!(
            manifest.contains(&format!("name = \"{name}\"")),
            "{name} is not built"
        );
    }
    let files = fs::read_dir(fuzz.join("fuzz_targets")).unwrap().count();
    assert_eq!(files, ALL.len(), "a target that nothing else runs");
}

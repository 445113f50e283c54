#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| kandev_conversations::targets::screen(data));

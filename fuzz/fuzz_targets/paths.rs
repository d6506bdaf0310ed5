#![no_main]

// `tests/fuzz.sh` has the test write the seeds.
#[allow(dead_code)]
#[path = "../../tests/fuzz/targets/paths.rs"]
mod paths;

libfuzzer_sys::fuzz_target!(|data: &[u8]| paths::target(data));

#![no_main]

// `tests/fuzz.sh` has the test write the seeds.
#[allow(dead_code)]
#[path = "../../tests/fuzz/targets/components.rs"]
mod components;

libfuzzer_sys::fuzz_target!(|data: &[u8]| components::target(data));

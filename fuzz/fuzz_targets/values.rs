#![no_main]

// `tests/fuzz.sh` has the test write the seeds.
#[allow(dead_code)]
#[path = "../../tests/fuzz/targets/values.rs"]
mod values;

libfuzzer_sys::fuzz_target!(|data: &[u8]| values::target(data));

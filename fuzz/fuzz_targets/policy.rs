#![no_main]

// `tests/fuzz.sh` has the test write the seeds.
#[allow(dead_code)]
#[path = "../../tests/fuzz/targets/policy.rs"]
mod policy;

libfuzzer_sys::fuzz_target!(|data: &[u8]| policy::target(data));

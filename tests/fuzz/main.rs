//! The fuzz targets without libFuzzer: seeds, changed at random by a generator that begins with the
//! same number each time, for so many inputs, or for `RINGFENCE_FUZZ_SECONDS` each.
//!
//! `tests/fuzz.sh` runs the same targets led by coverage.

mod change;
mod targets {
    pub(crate) mod components;
    pub(crate) mod paths;
    pub(crate) mod policy;
    pub(crate) mod values;
}

use change::Change;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::{Duration, Instant};

/// Inputs of each target where no time is given.
const INPUTS: usize = 1_500;

fn run(name: &str) {
    let (_, target, seeds) = TARGETS.into_iter().find(|(known, ..)| *known == name).expect("a target");
    let seeds = seeds();
    let time = std::env::var("RINGFENCE_FUZZ_SECONDS").ok().map(|seconds| seconds.parse().expect("a number"));
    let end = time.map(|seconds| Instant::now() + Duration::from_secs(seconds));
    let mut change = Change::new(seeds.clone());
    let mut changed = std::iter::repeat_with(|| change.next());
    let mut tried = 0_usize;
    for input in seeds.into_iter().chain(&mut changed) {
        if end.map_or(tried >= INPUTS, |end| Instant::now() >= end) {
            break;
        }
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| target(&input))) {
            eprintln!("the input, number {tried}: {}", input.escape_ascii());
            resume_unwind(panic);
        }
        tried += 1;
    }
    eprintln!("{tried} inputs");
}

/// A target, and what it begins with.
type Target = (&'static str, fn(&[u8]), fn() -> Vec<Vec<u8>>);

const TARGETS: [Target; 4] = [
    ("paths", targets::paths::target, targets::paths::seeds),
    ("values", targets::values::target, targets::values::seeds),
    ("policy", targets::policy::target, targets::policy::seeds),
    ("components", targets::components::target, targets::components::seeds),
];

#[test]
fn a_path_leads_nowhere_that_a_naive_model_doesn_t_grant() {
    run("paths");
}

#[test]
fn a_value_that_is_taken_comes_back_the_same() {
    run("values");
}

#[test]
fn a_configuration_of_any_bytes_is_read_or_refused() {
    run("policy");
}

#[test]
fn a_component_of_any_bytes_is_read_or_refused() {
    run("components");
}

/// For libFuzzer, where `RINGFENCE_FUZZ_SEEDS` names a folder.
#[test]
fn seeds_are_something_to_begin_with() {
    let folder = std::env::var_os("RINGFENCE_FUZZ_SEEDS").map(std::path::PathBuf::from);
    for (name, _, seeds) in TARGETS {
        let seeds = seeds();
        assert!(seeds.len() >= 4 && seeds.iter().map(Vec::len).sum::<usize>() < 50_000, "{name}");
        let Some(folder) = folder.as_ref().map(|folder| folder.join(name)) else { continue };
        std::fs::create_dir_all(&folder).unwrap();
        for (number, seed) in seeds.iter().enumerate() {
            std::fs::write(folder.join(number.to_string()), seed).unwrap();
        }
    }
}

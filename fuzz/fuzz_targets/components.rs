#![no_main]

// `tests/fuzz.sh` has the test write the seeds.
#[allow(dead_code)]
#[path = "../../tests/fuzz/targets/components.rs"]
mod components;

/// The reader of documentation catches the panics of the library's decoder, which asserts what
/// anyone's section can break: only other panics are findings.
fn let_the_decoder_panic() {
    let abort = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let at_home = |file: &str| !file.contains("wit-parser-") || !file.ends_with("src/decoding.rs");
        if panic.location().is_none_or(|location| at_home(location.file())) {
            abort(panic);
        }
    }));
}

libfuzzer_sys::fuzz_target!(init: let_the_decoder_panic(), |data: &[u8]| components::target(data));

//! What `ringfence tool new` makes can be built, tested and called, in every language.

use crate::built::{LANGUAGES, build, ringfence, said, skip};
use std::fs;
use std::path::Path;

#[test]
#[ignore = "needs the toolchains of other languages: see tests/languages/README.md"]
fn every_template_is_built_stands_the_test_and_answers_a_call() {
    // Kept: compilers find there what they have compiled before.
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("languages/new");
    let mut built = 0;
    for language in LANGUAGES {
        let name = format!("my-{language}");
        fs::create_dir_all(&folder).unwrap();
        let _ = fs::remove_dir_all(folder.join(&name));
        let made = ringfence(&folder, &["tool", "new", &name, "--lang", language]);
        assert!(made.status.success(), "{}", said(&made));
        let project = folder.join(&name);
        if let Err(reason) = build(&project) {
            skip(language, &reason);
            continue;
        }
        let tested = ringfence(&project, &["tool", "test"]);
        let report = String::from_utf8_lossy(&tested.stdout);
        assert!(tested.status.success(), "{language}: {report}{}", said(&tested));
        let component = format!("my_{language}.wasm");
        let call = [
            "tool",
            "call",
            "count_words",
            "--component",
            &component,
            "--arg",
            "path=tests/project/poem.txt",
        ];
        let called = ringfence(&project, &call);
        assert_eq!(String::from_utf8_lossy(&called.stdout), "8\n", "{language}: {}", said(&called));
        built += 1;
    }
    assert!(built > 0, "no language can be built here");
}

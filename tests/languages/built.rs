//! The components of `word_count`, one a language: built by the real binary, once for each state of
//! the sources, and kept where compiled code of tests is kept.
//!
//! A language whose toolchain can't be had is skipped by name, with the reason; where
//! `RINGFENCE_REQUIRE_LANGUAGES` is `all`, that is a failure.

use ringfence_sandbox::Digest;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

pub(crate) const LANGUAGES: [&str; 8] =
    ["rust", "c", "cpp", "zig", "go", "javascript", "typescript", "python"];
const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools-wasm/examples/word_count");
const RECIPES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../toolchain/src/recipe");
const REQUIRE: &str = "RINGFENCE_REQUIRE_LANGUAGES";

pub(crate) struct Language {
    pub(crate) name: &'static str,
    pub(crate) component: PathBuf,
    /// Of the build that made it; none where it was there.
    pub(crate) took: Option<Duration>,
}

/// What came of building all of them.
pub(crate) struct Built {
    languages: Vec<Language>,
    /// With what can't be had here.
    pub(crate) skipped: Vec<(&'static str, String)>,
}

impl Built {
    /// Every language that can be built here.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Language> {
        self.languages.iter()
    }
}

/// All of them, built once.
pub(crate) static BUILT: LazyLock<Built> = LazyLock::new(|| {
    let (mut built, mut skipped) = (Vec::new(), Vec::new());
    for name in LANGUAGES {
        let place = place_of(name);
        let component = place.join(name).join("word_count.wasm");
        if component.is_file() {
            built.push(Language { name, component, took: None });
            continue;
        }
        for part in ["wit", "tests", name] {
            copy(&Path::new(EXAMPLES).join(part), &place.join(part));
        }
        let began = Instant::now();
        match build(&place.join(name)) {
            Ok(()) => built.push(Language { name, component, took: Some(began.elapsed()) }),
            Err(reason) => {
                skip(name, &reason);
                skipped.push((name, reason));
            }
        }
    }
    assert!(!built.is_empty(), "no language can be built here");
    Built { languages: built, skipped }
});

/// Builds a tool project, its toolchain installed where it is missing. The error says what can't be
/// had; a compiler that fails is no such thing.
pub(crate) fn build(project: &Path) -> Result<(), String> {
    let plain = ringfence(project, &["tool", "build"]);
    if plain.status.success() {
        return Ok(());
    }
    assert_eq!(plain.status.code(), Some(2), "{}: {}", project.display(), said(&plain));
    let installing = ringfence(project, &["tool", "build", "--install"]);
    if installing.status.success() {
        return Ok(());
    }
    // What is still missing couldn't be had; else it was the compiler.
    let again = ringfence(project, &["tool", "build"]);
    assert_eq!(again.status.code(), Some(2), "{}: {}", project.display(), said(&installing));
    Err(said(&installing))
}

/// The binary in a folder, with the user's own environment: toolchains are kept in their cache.
pub(crate) fn ringfence(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
    command.args(arguments).current_dir(folder).env_remove("RUSTUP_TOOLCHAIN").output().expect("it starts")
}

pub(crate) fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}

/// Says that a language is left out, also in a test that passes.
pub(crate) fn skip(name: &str, reason: &str) {
    assert!(std::env::var_os(REQUIRE).is_none_or(|value| value != "all"), "{name} is required: {reason}");
    tell(&format!("skipped: {name}: {reason}\n"));
}

/// Past the harness, which keeps what a passing test prints.
pub(crate) fn tell(text: &str) {
    std::io::stderr().write_all(text.as_bytes()).expect("standard error can be written");
}

/// A folder for what these sources give.
fn place_of(name: &str) -> PathBuf {
    let mut text = Vec::new();
    let parts = [name, "wit", "tests"].map(|part| format!("{EXAMPLES}/{part}"));
    for folder in parts.into_iter().chain([RECIPES.to_owned()]) {
        for file in files(Path::new(&folder)) {
            text.extend_from_slice(file.to_string_lossy().as_bytes());
            text.extend(fs::read(&file).expect("a source can be read"));
        }
    }
    let digest = Digest::of(&text).to_string();
    let short: String = digest.chars().filter(char::is_ascii_alphanumeric).rev().take(16).collect();
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("languages").join(format!("{name}-{short}"))
}

/// A project's own files: nothing that was installed or built.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut pending = vec![folder.to_owned()];
    while let Some(folder) = pending.pop() {
        for entry in fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}")) {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if ["node_modules", "target", "__pycache__"].contains(&name.as_str()) || name.ends_with(".wasm") {
                continue;
            }
            if path.is_dir() { pending.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    for file in files(from) {
        let target = to.join(file.strip_prefix(from).expect("below"));
        fs::create_dir_all(target.parent().expect("a folder")).expect("it can be made");
        fs::copy(&file, &target).expect("it can be copied");
    }
}

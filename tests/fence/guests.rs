//! The hostile components in several languages, built from source when they are first needed.
//!
//! What is built stays in the user's cache, one file a language with the digest of what it was
//! built from beside it: a second run builds nothing.

use crate::bench::{BENCH, Fence};
use ringfence_sandbox::{ComponentSource, Digest, Toolset};
use serde_json::json;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// All that there are.
pub(crate) const LANGUAGES: [&str; 3] = ["rust", "c", "python"];

/// One language's component, loaded.
pub(crate) struct Guest {
    pub(crate) language: &'static str,
    pub(crate) tools: Toolset,
    /// Where it lies.
    pub(crate) file: PathBuf,
}

impl Guest {
    /// The component in this language; built, loaded and compiled once.
    pub(crate) fn of(language: &str) -> &'static Self {
        static BUILT: [OnceLock<Guest>; LANGUAGES.len()] = [const { OnceLock::new() }; LANGUAGES.len()];
        let at = LANGUAGES.iter().position(|known| *known == language).expect("a known language");
        BUILT[at].get_or_init(|| Self::load(LANGUAGES[at]))
    }

    fn load(language: &'static str) -> Self {
        let file = built(language);
        let source = ComponentSource::from_file(&file).unwrap();
        let tools = Toolset::new([BENCH.load(source).unwrap()]).unwrap();
        let guest = Self { language, tools, file };
        guest.goes_on();
        guest
    }

    /// A call with nothing wrong about it is answered.
    pub(crate) fn goes_on(&self) {
        let fence = Fence::new();
        let called = fence.call(self, "read_text", json!({ "path": "src/a.txt" }));
        assert_eq!(called.done(), "granted", "{called}");
    }
}

/// The component's file, built if its sources have changed. Fails with what the machine lacks.
fn built(language: &str) -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fence/guests");
    let cache = std::env::var_os("XDG_CACHE_HOME").map_or_else(
        || PathBuf::from(std::env::var_os("HOME").expect("a home")).join(".cache"),
        PathBuf::from,
    );
    let folder = cache.join("ringfence/fence");
    fs::create_dir_all(&folder).unwrap();
    let lock = File::create(folder.join(format!("{language}.lock"))).unwrap();
    lock.lock().unwrap();
    let (file, stamp) = (folder.join(format!("{language}.wasm")), folder.join(format!("{language}.sources")));
    let sources = digest_of(&[here.join(language), here.join("wit"), here.join("build.sh")]).hex();
    if file.exists() && fs::read_to_string(&stamp).is_ok_and(|known| known == sources) {
        return file;
    }
    let output = Command::new(here.join("build.sh"))
        .args([folder.as_os_str(), language.as_ref()])
        .env("RINGFENCE", env!("CARGO_BIN_EXE_ringfence"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the hostile component in {language} can't be built:\n{said}");
    fs::write(stamp, sources).unwrap();
    file
}

fn digest_of(places: &[PathBuf]) -> Digest {
    let mut all = Vec::new();
    let mut left = places.to_vec();
    let mut files = Vec::new();
    while let Some(place) = left.pop() {
        match fs::read_dir(&place) {
            Ok(entries) => left.extend(entries.map(|entry| entry.unwrap().path())),
            Err(_) => files.push(place),
        }
    }
    files.sort();
    for file in files {
        all.extend_from_slice(file.file_name().unwrap().as_encoded_bytes());
        all.extend_from_slice(Digest::of(&fs::read(&file).unwrap()).hex().as_bytes());
    }
    Digest::of(&all)
}

//! A path means the same in tools of every language: the same small tool in each, called through
//! the real binary with the grant `src`.
//!
//! Rust's tool is the standard `read_file`, which is always there. The others are what `build.sh`
//! built: those tests are ignored unless asked for, and want its folder in `RINGFENCE_LANGUAGES`.

use ringfence_sandbox::Digest;
use ringfence_tests::product::{Ended, Product};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const SECRET: &str = "zebra-secret-4711";
/// Line ends of both kinds, none at the end, and text of one to four bytes a character.
const TEXT: &str = "one\r\ntwo\n\u{e9}, 二, \u{1f980}";
const CHINESE: &str = "读我.txt";

struct Language {
    name: String,
    tool: &'static str,
    parameter: &'static str,
    component: Option<PathBuf>,
    /// Whether its library follows a link at a path's end; where it doesn't, it never asks where
    /// one leads.
    follows: bool,
}

fn rust() -> Language {
    let (name, tool, parameter) = ("rust".to_owned(), "read_file", "file_path");
    Language { name, tool, parameter, component: None, follows: true }
}

/// Each component in the folder that the environment names, compiled.
static BUILT: LazyLock<Vec<Language>> = LazyLock::new(|| {
    let folder = std::env::var_os("RINGFENCE_LANGUAGES")
        .expect("RINGFENCE_LANGUAGES: the folder that tests/languages/build.sh built into");
    let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut components: Vec<_> = entries
        .map(|entry| entry.unwrap().path().canonicalize().unwrap())
        .filter(|path| path.extension().is_some_and(|extension| extension == "wasm"))
        .collect();
    components.sort();
    assert!(!components.is_empty(), "no component in {folder:?}");
    let language = |component: PathBuf| {
        let name = component.file_stem().unwrap().to_str().unwrap().to_owned();
        let follows = name != "zig-bare";
        Language { name, tool: "read_text", parameter: "path", component: Some(component), follows }
    };
    let languages: Vec<_> = components.into_iter().map(language).collect();
    // Here, so that no two tests compile the same at once.
    let fenced = fenced();
    languages.iter().for_each(|language| fenced.reads(language, "src/a", "src/a"));
    languages
});

struct Fenced {
    product: Product,
    project: PathBuf,
}

/// A project of which `src` is granted, with secrets beside it and links that lead to them.
fn fenced() -> Fenced {
    let product = Product::new(env!("CARGO_BIN_EXE_ringfence"), env!("CARGO_TARGET_TMPDIR"));
    let project = product.home().join("项目");
    for folder in ["src/sub", "lib", "etc"] {
        fs::create_dir_all(project.join(folder)).unwrap();
    }
    fs::write(project.join("src/a"), TEXT).unwrap();
    fs::write(project.join("src").join(CHINESE), TEXT).unwrap();
    for secret in ["x", "lib/x", "etc/passwd", "../x"] {
        fs::write(project.join(secret), SECRET).unwrap();
    }
    for (link, target) in [
        ("stays", Path::new("sub/../a")),
        ("leaves", Path::new("../x")),
        ("leaves-far", Path::new("../../x")),
        ("absolute", &project.join("src/a")),
        ("folder", Path::new("../lib")),
    ] {
        symlink(target, project.join("src").join(link)).unwrap();
    }
    Fenced { product, project }
}

struct Called {
    ended: Ended,
    receipt: Value,
}

impl Fenced {
    fn call(&self, language: &Language, path: &str) -> Called {
        let project = self.project.to_str().unwrap();
        let argument = format!("{}={path}", language.parameter);
        let mut arguments = vec!["tool", "call", language.tool, "--project", project, "--dir", "src"];
        arguments.extend(["--arg", &argument, "--receipt"]);
        if let Some(component) = &language.component {
            arguments.extend(["--component", component.to_str().unwrap()]);
        }
        let ended = self.product.run(&arguments, &[]);
        let start = ended.stderr.find("{\n").unwrap_or_else(|| panic!("no receipt: {ended:?}"));
        let receipt = serde_json::from_str(&ended.stderr[start..]).expect("the receipt is JSON");
        Called { ended, receipt }
    }

    fn reads(&self, language: &Language, path: &str, file: &str) {
        let Called { ended, receipt } = self.call(language, path);
        let context = format!("{} {path}: {ended:?}", language.name);
        assert_eq!(ended.code, Some(0), "{context}");
        let value: Value = serde_json::from_str(&ended.stdout).expect(&context);
        let text = if language.component.is_some() { &value } else { &value["text"] };
        assert_eq!(text, TEXT, "{context}");
        let hash = Digest::of(TEXT.as_bytes());
        assert_eq!(
            receipt["opened"],
            json!([{ "path": file, "bytes_read": TEXT.len(), "read": "whole", "hash": hash }]),
            "{context}"
        );
        assert_eq!(receipt["denials"], json!([]), "{context}");
    }

    /// The tool's own failure: there was nothing for the fence to refuse.
    fn is_not_read(&self, language: &Language, path: &str) {
        let Called { ended, receipt } = self.call(language, path);
        let context = format!("{} {path}: {ended:?}", language.name);
        assert_eq!(ended.code, Some(1), "{context}");
        assert!(ended.stderr.contains("error: failed: ") && !ended.stderr.contains(SECRET), "{context}");
        assert_eq!((&receipt["opened"], &receipt["denials"]), (&json!([]), &json!([])), "{context}");
    }

    fn is_refused(&self, language: &Language, path: &str, reasons: &[&str]) {
        let Called { ended, receipt } = self.call(language, path);
        let context = format!("{} {path}: {ended:?}", language.name);
        assert_eq!(ended.code, Some(1), "{context}");
        assert_eq!(ended.stdout, "", "{context}");
        assert!(ended.stderr.contains("error: denied: "), "{context}");
        assert!(!ended.stderr.contains(SECRET), "{context}");
        assert_eq!(receipt["opened"], json!([]), "{context}");
        let denials = receipt["denials"].as_array().expect("a list");
        assert!(!denials.is_empty(), "{context}");
        for denial in denials {
            assert!(reasons.contains(&denial["reason"].as_str().expect("a reason")), "{context}");
        }
    }
}

fn every_spelling_names_the_same_file(language: &Language) {
    let fenced = fenced();
    for name in ["a", CHINESE] {
        let file = format!("src/{name}");
        let below = [format!("src/sub/../{name}"), format!("src//./{name}")];
        for path in [&file, &format!("./{file}"), &format!("/{file}"), &format!("src/../{file}")] {
            fenced.reads(language, path, &file);
        }
        for path in below {
            fenced.reads(language, &path, &file);
        }
    }
    if language.follows {
        fenced.reads(language, "src/stays", "src/a");
    }
}

fn what_is_not_granted_is_refused(language: &Language) {
    let fenced = fenced();
    // Some libraries tidy `..` away before they ask: then it's the project's own `x`.
    let above = ["leaves_root", "not_granted"];
    for path in ["../x", "src/../../x", "/../x", "src/sub/../../../x"] {
        fenced.is_refused(language, path, &above);
    }
    let host_path = fenced.project.join("src/a");
    for path in [host_path.to_str().unwrap(), "/etc/passwd", "/proc/self/environ", "x", "/x", "lib/x"] {
        fenced.is_refused(language, path, &["not_granted"]);
    }
    fenced.is_refused(language, "src/folder/x", &["link_leaves"]);
    for path in ["src/leaves", "/src/leaves", "src/leaves-far", "src/absolute"] {
        if language.follows {
            fenced.is_refused(language, path, &["link_leaves"]);
        } else {
            fenced.is_not_read(language, path);
        }
    }
}

fn a_missing_file_is_no_denial(language: &Language) {
    fenced().is_not_read(language, "src/none");
}

#[test]
fn every_spelling_of_a_path_names_the_same_file_in_rust() {
    every_spelling_names_the_same_file(&rust());
}

#[test]
fn what_is_not_granted_is_refused_in_rust_and_stands_in_the_receipt() {
    what_is_not_granted_is_refused(&rust());
}

#[test]
fn a_missing_file_in_the_grant_is_no_denial_in_rust() {
    a_missing_file_is_no_denial(&rust());
}

#[test]
#[ignore = "needs the toolchains of other languages: see tests/languages/README.md"]
fn every_spelling_of_a_path_names_the_same_file_in_every_language() {
    BUILT.iter().for_each(every_spelling_names_the_same_file);
}

#[test]
#[ignore = "needs the toolchains of other languages: see tests/languages/README.md"]
fn what_is_not_granted_is_refused_in_every_language_and_stands_in_the_receipt() {
    BUILT.iter().for_each(what_is_not_granted_is_refused);
}

#[test]
#[ignore = "needs the toolchains of other languages: see tests/languages/README.md"]
fn a_missing_file_in_the_grant_is_no_denial_in_any_language() {
    BUILT.iter().for_each(a_missing_file_is_no_denial);
}

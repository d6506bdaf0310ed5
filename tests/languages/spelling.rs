//! A path means the same in every language, called through the real binary with the grant `src`;
//! what isn't granted is refused in every language, and the receipt says what was opened.

use crate::built::BUILT;
use ringfence_sandbox::Digest;
use ringfence_tests::product::{Ended, Product};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

const SECRET: &str = "zebra-secret-4711";
/// Line ends of both kinds, none at the end, and text of one to four bytes a character.
const TEXT: &str = "one\r\ntwo\n\u{e9}, 二, \u{1f980}";
const CHINESE: &str = "读我.txt";

/// A tool that reads one file.
struct Reader {
    name: &'static str,
    tool: &'static str,
    parameter: &'static str,
    /// None for a standard one.
    component: Option<PathBuf>,
    /// What it answers of a file with `TEXT`.
    answer: fn(&Value) -> bool,
}

/// The standard one, in Rust.
fn standard() -> Reader {
    let answer = |value: &Value| value["text"] == TEXT;
    Reader { name: "read_file", tool: "read_file", parameter: "file_path", component: None, answer }
}

fn in_every_language(check: fn(&Reader)) {
    let answer = |value: &Value| {
        let counted = json!([value["files"], value["lines"], value["words"], value["bytes"]]);
        counted == json!([1, 3, 5, TEXT.len()])
    };
    for language in BUILT.iter() {
        let component = Some(language.component.clone());
        check(&Reader { name: language.name, tool: "word_count", parameter: "path", component, answer });
    }
}

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
    fn call(&self, reader: &Reader, path: &str) -> Called {
        let project = self.project.to_str().unwrap();
        let argument = format!("{}={path}", reader.parameter);
        let mut arguments = vec!["tool", "call", reader.tool, "--project", project, "--dir", "src"];
        arguments.extend(["--arg", &argument, "--receipt"]);
        if let Some(component) = &reader.component {
            arguments.extend(["--component", component.to_str().unwrap()]);
        }
        let ended = self.product.run(&arguments, &[]);
        let start = ended.stderr.find("{\n").unwrap_or_else(|| panic!("no receipt: {ended:?}"));
        let receipt = serde_json::from_str(&ended.stderr[start..]).expect("the receipt is JSON");
        Called { ended, receipt }
    }

    fn reads(&self, reader: &Reader, path: &str, file: &str) {
        let Called { ended, receipt } = self.call(reader, path);
        let context = format!("{} {path}: {ended:?}", reader.name);
        assert_eq!(ended.code, Some(0), "{context}");
        let value: Value = serde_json::from_str(&ended.stdout).expect(&context);
        assert!((reader.answer)(&value), "{context}");
        let hash = Digest::of(TEXT.as_bytes());
        assert_eq!(
            receipt["opened"],
            json!([{ "path": file, "bytes_read": TEXT.len(), "read": "whole", "hash": hash }]),
            "{context}"
        );
        assert_eq!(receipt["denials"], json!([]), "{context}");
    }

    /// The tool's own failure: there was nothing for the fence to refuse.
    fn is_not_read(&self, reader: &Reader, path: &str) {
        let Called { ended, receipt } = self.call(reader, path);
        let context = format!("{} {path}: {ended:?}", reader.name);
        assert_eq!(ended.code, Some(1), "{context}");
        assert!(ended.stderr.contains("error: failed: ") && !ended.stderr.contains(SECRET), "{context}");
        assert_eq!((&receipt["opened"], &receipt["denials"]), (&json!([]), &json!([])), "{context}");
    }

    fn is_refused(&self, reader: &Reader, path: &str, reasons: &[&str]) {
        let Called { ended, receipt } = self.call(reader, path);
        let context = format!("{} {path}: {ended:?}", reader.name);
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

fn every_spelling_names_the_same_file(reader: &Reader) {
    let fenced = fenced();
    for name in ["a", CHINESE] {
        let file = format!("src/{name}");
        let below = [format!("src/sub/../{name}"), format!("src//./{name}")];
        for path in [&file, &format!("./{file}"), &format!("/{file}"), &format!("src/../{file}")] {
            fenced.reads(reader, path, &file);
        }
        for path in below {
            fenced.reads(reader, &path, &file);
        }
    }
    fenced.reads(reader, "src/stays", "src/a");
}

fn what_is_not_granted_is_refused(reader: &Reader) {
    let fenced = fenced();
    // Some libraries tidy `..` away before they ask: then it's the project's own `x`.
    let above = ["leaves_root", "not_granted"];
    for path in ["../x", "src/../../x", "/../x", "src/sub/../../../x"] {
        fenced.is_refused(reader, path, &above);
    }
    let host_path = fenced.project.join("src/a");
    for path in [host_path.to_str().unwrap(), "/etc/passwd", "/proc/self/environ", "x", "/x", "lib/x"] {
        fenced.is_refused(reader, path, &["not_granted"]);
    }
    fenced.is_refused(reader, "src/folder/x", &["link_leaves"]);
    for path in ["src/leaves", "/src/leaves", "src/leaves-far", "src/absolute"] {
        fenced.is_refused(reader, path, &["link_leaves"]);
    }
}

fn a_missing_file_is_no_denial(reader: &Reader) {
    fenced().is_not_read(reader, "src/none");
}

#[test]
fn every_spelling_of_a_path_names_the_same_file_in_rust() {
    every_spelling_names_the_same_file(&standard());
}

#[test]
fn what_is_not_granted_is_refused_in_rust_and_stands_in_the_receipt() {
    what_is_not_granted_is_refused(&standard());
}

#[test]
fn a_missing_file_in_the_grant_is_no_denial_in_rust() {
    a_missing_file_is_no_denial(&standard());
}

#[test]
#[ignore = "needs the toolchains of other languages: see tests/languages/README.md"]
fn every_spelling_of_a_path_names_the_same_file_in_every_language() {
    in_every_language(every_spelling_names_the_same_file);
}

#[test]
#[ignore = "needs the toolchains of other languages: see tests/languages/README.md"]
fn what_is_not_granted_is_refused_in_every_language_and_stands_in_the_receipt() {
    in_every_language(what_is_not_granted_is_refused);
}

#[test]
#[ignore = "needs the toolchains of other languages: see tests/languages/README.md"]
fn a_missing_file_in_the_grant_is_no_denial_in_any_language() {
    in_every_language(a_missing_file_is_no_denial);
}

//! The fence as a person meets it: every standard tool, called through the real binary with the
//! grant `src`, against a project with secrets beside it and links that lead to them.

use ringfence_tests::product::{Ended, Product};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

const SECRET: &str = "zebra-secret-4711";

struct Fenced {
    product: Product,
    project: PathBuf,
}

impl Fenced {
    fn new() -> Self {
        let product = Product::new(env!("CARGO_BIN_EXE_ringfence"), env!("CARGO_TARGET_TMPDIR"));
        let project = product.home().join("项目");
        for folder in ["src/sub", "lib", ".ringfence"] {
            fs::create_dir_all(project.join(folder)).unwrap();
        }
        fs::write(project.join("src/a.py"), "def granted():\n    return 1\n").unwrap();
        for secret in ["lib/secret.py", "secret.py", ".ringfence/secret.py", "../secret.py"] {
            fs::write(project.join(secret), format!("# {SECRET}\n")).unwrap();
        }
        for (link, target) in [
            ("out.py", PathBuf::from("../secret.py")),
            ("absolute.py", product.home().join("secret.py")),
            ("chain.py", "sub/../out.py".into()),
            ("folder", "../lib".into()),
            ("loop.py", "loop.py".into()),
        ] {
            symlink(target, project.join("src").join(link)).unwrap();
        }
        Self { product, project }
    }

    fn call(&self, tool: &str, input: &Value) -> Ended {
        let input = input.to_string();
        let project = self.project.to_str().unwrap();
        self.product
            .run(&["tool", "call", tool, &input, "--project", project, "--dir", "src", "--receipt"], &[])
    }
}

/// Each standard tool with a path in place of the thing it reads.
fn calls(path: &str) -> [(&'static str, Value); 4] {
    [
        ("read_file", json!({ "file_path": path })),
        ("analyze_code", json!({ "file_path": path })),
        ("list_files", json!({ "directory": path, "recursive": true })),
        ("search_text", json!({ "pattern": "zebra|granted", "directory": path })),
    ]
}

#[test]
fn no_standard_tool_reaches_anything_outside_the_grant_and_each_refusal_says_what_is_granted() {
    let fenced = Fenced::new();
    let host_path = fenced.project.join("src/a.py");
    let outside = [
        "../secret.py",
        "..",
        "src/../../secret.py",
        "src/../../项目/secret.py",
        "secret.py",
        "lib/secret.py",
        "/etc/passwd",
        "/proc/self/environ",
        host_path.to_str().unwrap(),
        ".ringfence/secret.py",
        "src/out.py",
        "src/absolute.py",
        "src/chain.py",
        "src/folder",
        "src/folder/secret.py",
    ];
    for path in outside {
        for (tool, input) in calls(path) {
            let ended = fenced.call(tool, &input);
            let told = format!("{tool} {input}: {ended:?}");
            assert_eq!(ended.code, Some(1), "{told}");
            assert!(ended.stderr.contains("src, read)"), "{told}");
            assert!(!ended.stdout.contains(SECRET) && !ended.stderr.contains(SECRET), "{told}");
            assert!(ended.stderr.contains(path), "what was asked is named: {told}");
            assert!(ended.stderr.contains("\"denials\": [\n"), "the receipt has the denial: {told}");
        }
    }
}

#[test]
fn all_spellings_of_a_granted_path_name_the_same_file() {
    let fenced = Fenced::new();
    let plain = fenced.call("read_file", &json!({ "file_path": "src/a.py" }));
    assert_eq!(plain.code, Some(0), "{plain:?}");
    let text = |ended: &Ended| serde_json::from_str::<Value>(&ended.stdout).expect("JSON")["text"].clone();
    for path in ["./src/a.py", "/src/a.py", "src/../src/a.py", "src//sub/.././a.py", "../项目/src/a.py"] {
        let same = fenced.call("read_file", &json!({ "file_path": path }));
        if path.starts_with("..") {
            assert_eq!(same.code, Some(1), "the project's own name is nothing in it: {same:?}");
        } else {
            assert_eq!(text(&same), text(&plain), "{path}");
        }
    }
}

#[test]
fn a_listing_of_the_root_shows_the_granted_folder_and_nothing_else() {
    let fenced = Fenced::new();
    let ended = fenced.call("list_files", &json!({ "directory": ".", "recursive": true }));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let listing: Value = serde_json::from_str(&ended.stdout).expect("JSON");
    for entry in listing["entries"].as_array().expect("entries") {
        let path = entry["path"].as_str().expect("a path");
        assert!(path == "src" || path.starts_with("src/"), "{path}");
        assert!(!path.contains("secret"), "{path}: a link is shown and not followed");
    }
}

#[test]
fn a_search_of_everything_finds_nothing_outside_the_grant() {
    let fenced = Fenced::new();
    let ended = fenced.call("search_text", &json!({ "pattern": "zebra|granted" }));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.stdout.contains("src/a.py") && !ended.stdout.contains(SECRET), "{ended:?}");
}

#[test]
fn a_policy_that_can_t_be_kept_is_refused_before_anything_runs() {
    let fenced = Fenced::new();
    let project = fenced.project.to_str().unwrap();
    for (config, named) in [
        ("[grants]\ndirs = [{ path = \"src\", access = \"write\" }]\n", "write"),
        ("[grants]\nhosts = [{ url = \"https://example.com\" }]\n", "hosts"),
        ("[grants]\ndirs = [{ path = \"nowhere\", access = \"read\" }]\n", "nowhere"),
        ("[grants]\ndirs = [{ path = \"../\", access = \"read\" }]\n", "../"),
        ("[grant]\n", "grant"),
    ] {
        fs::write(fenced.project.join("ringfence.toml"), config).unwrap();
        let untrusted = fenced.product.run(&["run", project, "--yes"], &[]);
        assert_eq!(untrusted.code, Some(2), "{config}: {untrusted:?}");
        let hash = untrusted.stderr.split_whitespace().skip_while(|word| *word != "--trust").nth(1);
        let ended = match hash {
            Some(hash) => fenced.product.run(&["run", project, "--yes", "--trust", hash], &[]),
            None => untrusted,
        };
        assert_eq!(ended.code, Some(2), "{config}: {ended:?}");
        assert!(ended.stderr.contains(named), "{config}: {ended:?}");
    }
}

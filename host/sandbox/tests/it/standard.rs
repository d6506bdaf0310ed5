//! The standard tools as they are embedded, in the fence.

use ringfence_sandbox::{
    CallReport, CallRequest, CancellationToken, Digest, DirGrant, EgressContext, GrantPath, GrantedTree,
    Grants, LimitKind, Limits, Outcome, ProjectDir, Sandbox, SandboxConfig, Tool, Toolset, standard,
};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};

pub(crate) struct Standard {
    sandbox: Sandbox,
    pub(crate) tools: Toolset,
}

pub(crate) static STANDARD: LazyLock<Standard> = LazyLock::new(|| {
    let sandbox = Sandbox::new(SandboxConfig::default()).unwrap();
    let load = |component: &standard::StandardComponent| sandbox.load(component.source().unwrap()).unwrap();
    let tools = Toolset::new(standard::components().iter().map(load)).unwrap();
    Standard { sandbox, tools }
});

pub(crate) async fn call_in(tree: &Arc<GrantedTree>, tool: &str, input: Value) -> CallReport {
    let tool = STANDARD.tools.get(tool).unwrap_or_else(|| panic!("no tool {tool}")).clone();
    call_within(tree, tool, input, Limits { time_ms: 60_000, ..Limits::default() }).await
}

pub(crate) async fn call_within(
    tree: &Arc<GrantedTree>,
    tool: Tool,
    input: Value,
    limits: Limits,
) -> CallReport {
    let request = CallRequest {
        tool,
        input,
        tree: tree.clone(),
        stage: None,
        known: Arc::default(),
        limits,
        egress: EgressContext::default(),
        env: Arc::default(),
        cancel: CancellationToken::new(),
    };
    STANDARD.sandbox.call(request).await.unwrap()
}

pub(crate) async fn done(tree: &Arc<GrantedTree>, tool: &str, input: Value) -> Value {
    match call_in(tree, tool, input).await.outcome {
        Outcome::Done(value) => value,
        other => panic!("{tool}: {other:?}"),
    }
}

pub(crate) fn tree(project: &Path, granted: &[&str]) -> Arc<GrantedTree> {
    let dir = |path: &&str| DirGrant::read(GrantPath::parse(path).unwrap());
    let grants = Grants { dirs: granted.iter().map(dir).collect(), ..Grants::whole_project() };
    GrantedTree::open(&ProjectDir::open(project).unwrap(), &grants).unwrap()
}

/// A project with `src` and something beside it that nobody granted.
pub(crate) fn project() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (path, text) in [
        ("src/main.py", "import os\n\n\ndef main():\n    \"\"\"Runs.\"\"\"\n    return os.getcwd()\n"),
        ("src/web/app.ts", "export const app = (x: number) => x;\n"),
        ("secret/key.py", "KEY = 'hunter2'\n"),
        (".gitignore", "*.py\n"),
    ] {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

#[tokio::test]
async fn a_quota_of_the_files_ends_a_call_and_is_named() {
    let project = project();
    let tree = tree(project.path(), &["src"]);
    let limits = Limits::default();
    for (tool, input, limits, exceeded, said) in [
        (
            "read_file",
            json!({ "file_path": "src/main.py" }),
            Limits { read_bytes: 20, ..limits.clone() },
            LimitKind::ReadBytes,
            "bytes read from files (20 bytes allowed, ",
        ),
        (
            "list_files",
            json!({ "directory": "src", "recursive": true }),
            Limits { dir_entries: 2, ..limits.clone() },
            LimitKind::DirEntries,
            "folder entries (2 allowed, 3 used or asked for); [limits] dir_entries can allow more",
        ),
        (
            "list_files",
            json!({ "directory": "src" }),
            Limits { open_files: 1, ..limits },
            LimitKind::OpenFiles,
            "open files and folders (1 allowed, 2 used or asked for); [limits] open_files can allow more",
        ),
    ] {
        let tool = STANDARD.tools.get(tool).unwrap().clone();
        let report = call_within(&tree, tool, input, limits).await;
        assert_eq!(crate::guests::exceeded(&report), exceeded);
        let line = report.outcome.message(&report.receipt);
        assert!(
            line.starts_with(&format!("the tool was stopped: it exceeded its limit of {said}")),
            "{line}"
        );
    }
}

#[tokio::test]
async fn each_tool_does_its_work_under_every_spelling_of_a_path() {
    let project = project();
    let tree = tree(project.path(), &["src"]);
    for path in ["src/main.py", "./src/main.py", "/src/main.py", "src/../src/main.py", "src/web/../main.py"] {
        let read = done(&tree, "read_file", json!({ "file_path": path })).await;
        assert_eq!(read["text"], fs::read_to_string(project.path().join("src/main.py")).unwrap(), "{path}");
        assert_eq!(
            (&read["path"], &read["total_lines"], &read["cut"]),
            (&json!("src/main.py"), &json!(6), &json!(false))
        );
        let code = done(&tree, "analyze_code", json!({ "file_path": path })).await;
        assert_eq!(code["outline"][0]["signature"], "def main()", "{path}");
        assert_eq!(code["outline"][0]["doc"], "Runs.");
        assert_eq!((&code["language"], &code["imports"][0]["module"]), (&json!("python"), &json!("os")));
    }
    for path in ["src", "./src", "/src", "src/../src", "src/"] {
        let listing = done(&tree, "list_files", json!({ "directory": path, "recursive": true })).await;
        let entries: Vec<_> = listing["entries"].as_array().unwrap().iter().map(|e| &e["path"]).collect();
        assert_eq!(entries, ["src/main.py", "src/web", "src/web/app.ts"], "{path}");
        assert_eq!(listing["entries"][0], json!({ "path": "src/main.py", "kind": "file", "size": 63 }));
        let found = done(&tree, "search_text", json!({ "pattern": r"app\b", "directory": path })).await;
        assert_eq!(
            (&found["total"], &found["matches"][0]["path"]),
            (&json!(1), &json!("src/web/app.ts")),
            "{path}"
        );
    }
}

#[tokio::test]
async fn the_root_shows_what_is_granted_and_leaves_no_refusal_behind() {
    let project = project();
    let tree = tree(project.path(), &["src"]);
    for input in [json!({}), json!({ "directory": "." }), json!({ "directory": "src" })] {
        let report = call_in(&tree, "list_files", input).await;
        assert!(report.receipt.denials.is_empty(), "{:?}", report.receipt.denials);
        let Outcome::Done(listing) = report.outcome else { panic!("{:?}", report.outcome) };
        assert_ne!(listing["total"], 0);
    }
    let listing = done(&tree, "list_files", json!({})).await;
    assert_eq!(listing["entries"], json!([{ "path": "src", "kind": "directory", "size": 0 }]));
}

#[tokio::test]
async fn rules_of_a_granted_project_folder_hold_below_it() {
    let project = project();
    let tree = tree(project.path(), &["."]);
    let listing = done(&tree, "list_files", json!({ "directory": "src", "recursive": true })).await;
    assert_eq!((&listing["total"], &listing["ignored"]), (&json!(2), &json!(1)));
    let found = done(&tree, "search_text", json!({ "pattern": "hunter2" })).await;
    assert_eq!(found["total"], 0);
}

#[tokio::test]
async fn every_way_out_is_refused_and_named() {
    let project = project();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("x.py"), "OUTSIDE = 1\n").unwrap();
    let src = project.path().join("src");
    for (name, target) in [
        ("link.py", outside.path().join("x.py")),
        ("folder", outside.path().to_owned()),
        ("chain", "folder".into()),
        ("up", "../secret".into()),
    ] {
        std::os::unix::fs::symlink(target, src.join(name)).unwrap();
    }
    let tree = tree(project.path(), &["src"]);
    let host_path = src.join("main.py").display().to_string();
    let ways = [
        "../x.py",
        "src/../../x.py",
        "src/../secret/key.py",
        "secret/key.py",
        "/etc/passwd",
        &host_path,
        "src/link.py",
        "src/folder/x.py",
        "src/chain/x.py",
        "src/up/key.py",
    ];
    for way in ways {
        for (tool, input) in [
            ("read_file", json!({ "file_path": way })),
            ("analyze_code", json!({ "file_path": way })),
            ("list_files", json!({ "directory": way })),
            ("search_text", json!({ "pattern": "OUTSIDE|hunter2|root", "directory": way })),
        ] {
            let report = call_in(&tree, tool, input).await;
            let Outcome::Denied { error, denials, .. } = report.outcome else {
                panic!("{tool} {way}: {:?}", report.outcome)
            };
            assert!(error["value"].as_str().unwrap().contains(way), "{tool} {way}: {error}");
            assert!(!denials.is_empty(), "{tool} {way}");
        }
    }
    let report = call_in(&tree, "search_text", json!({ "pattern": "OUTSIDE|hunter2" })).await;
    let Outcome::Done(found) = report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(found["total"], 0);
}

#[tokio::test]
async fn sockets_and_fifos_are_listed_and_passed_over() {
    let project = project();
    let src = project.path().join("src");
    let _socket = std::os::unix::net::UnixListener::bind(src.join("a.sock")).unwrap();
    let fifo = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, src.join("b.fifo"), fifo, 0o644.into(), 0).unwrap();
    let tree = tree(project.path(), &["src"]);
    for recursive in [false, true] {
        let listing = done(&tree, "list_files", json!({ "directory": "src", "recursive": recursive })).await;
        for path in ["src/a.sock", "src/b.fifo"] {
            let entry = listing["entries"].as_array().unwrap().iter().find(|entry| entry["path"] == path);
            assert_eq!(entry.unwrap()["kind"], "other", "{listing}");
        }
    }
    let found = done(&tree, "search_text", json!({ "pattern": "export" })).await;
    assert_eq!(found["matches"][0]["path"], "src/web/app.ts");
    for path in ["src/a.sock", "src/b.fifo"] {
        for (tool, input) in [
            ("read_file", json!({ "file_path": path })),
            ("analyze_code", json!({ "file_path": path })),
            ("list_files", json!({ "directory": path })),
            ("search_text", json!({ "pattern": "x", "directory": path })),
        ] {
            let outcome = call_in(&tree, tool, input).await.outcome;
            assert!(
                matches!(outcome, Outcome::Denied { .. } | Outcome::Failed(_)),
                "{tool} {path}: {outcome:?}"
            );
        }
    }
}

#[tokio::test]
async fn the_grant_for_a_refused_folder_is_that_folder() {
    let project = project();
    let tree = tree(project.path(), &["src"]);
    for (tool, input, grant) in [
        ("list_files", json!({ "directory": "secret" }), Some("--dir secret")),
        ("search_text", json!({ "pattern": "x", "directory": "secret" }), Some("--dir secret")),
        ("read_file", json!({ "file_path": "secret/key.py" }), Some("--dir secret")),
        ("read_file", json!({ "file_path": "guessed/key.py" }), Some("--dir guessed")),
        ("list_files", json!({ "directory": "guessed" }), Some("--dir guessed")),
        ("read_file", json!({ "file_path": "/etc/passwd" }), None),
    ] {
        let report = call_in(&tree, tool, input.clone()).await;
        let Outcome::Denied { denials, .. } = report.outcome else { panic!("{:?}", report.outcome) };
        assert!(denials.iter().all(|denial| denial.would_allow.as_deref() == grant), "{input} {denials:?}");
    }
}

#[tokio::test]
async fn large_folders_and_files_stay_within_the_bounds() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("many")).unwrap();
    for n in 0..20_000 {
        fs::File::create(dir.path().join(format!("many/f{n:05}"))).unwrap();
    }
    let mut line = vec![b'x'; 50 << 20];
    line.extend_from_slice(b"\nlast\n");
    fs::write(dir.path().join("line.txt"), line).unwrap();
    fs::File::create(dir.path().join("sparse")).unwrap().set_len(3 << 30).unwrap();
    let tree = tree(dir.path(), &["."]);

    let report = call_in(&tree, "list_files", json!({ "recursive": true, "max_entries": 10_000 })).await;
    assert!(!report.receipt.truncated);
    let Outcome::Done(listing) = report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(
        (&listing["total"], &listing["cut"], &listing["complete"]),
        (&json!(20_003), &json!(true), &json!(true))
    );

    let report = call_in(&tree, "read_file", json!({ "file_path": "line.txt" })).await;
    assert!(report.receipt.peak_memory_bytes < 8 << 20, "{}", report.receipt.peak_memory_bytes);
    let Outcome::Done(read) = report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!((&read["total_lines"], &read["shortened_lines"]), (&json!(2), &json!(1)));

    let report = call_in(&tree, "read_file", json!({ "file_path": "sparse" })).await;
    let Outcome::Failed(error) = report.outcome else { panic!("{:?}", report.outcome) };
    assert_eq!(error["case"], "not_text");

    let found = done(&tree, "search_text", json!({ "pattern": "last" })).await;
    assert_eq!((&found["total"], found["unsearched"].as_array().unwrap().len()), (&json!(0), 2));
}

#[tokio::test]
async fn code_of_every_language_is_analysed() {
    let dir = tempfile::tempdir().unwrap();
    let sources = [
        ("a.py", "def f(): pass", "python"),
        ("a.mjs", "function f() {}", "javascript"),
        ("a.ts", "function f(x: number) {}", "typescript"),
        ("a.tsx", "function f() { return <b/> }", "tsx"),
        ("a.rs", "fn f() {}", "rust"),
        ("a.go", "package a\nfunc f() {}", "go"),
        ("a.java", "class C { void f() {} }", "java"),
        ("a.h", "int f(void);", "c"),
    ];
    for (name, text, _) in sources {
        fs::write(dir.path().join(name), text).unwrap();
    }
    let tree = tree(dir.path(), &["."]);
    for (name, _, language) in sources {
        let code = done(&tree, "analyze_code", json!({ "file_path": name })).await;
        assert_eq!(code["language"], language);
        let names: Vec<_> =
            code["outline"].as_array().unwrap().iter().map(|symbol| &symbol["name"]).collect();
        assert!(names.contains(&&json!("f")), "{name}: {names:?}");
    }
    fs::write(dir.path().join("deep.js"), "[".repeat(200_000)).unwrap();
    let report = call_in(&tree, "analyze_code", json!({ "file_path": "deep.js" })).await;
    assert!(matches!(report.outcome, Outcome::Done(_)), "{:?}", report.outcome);
}

#[test]
fn a_component_s_digest_is_known_without_unpacking_and_is_that_of_its_bytes() {
    for component in standard::components() {
        let known = component.digest().unwrap();
        assert_eq!(known, Digest::of(&component.bytes().unwrap()), "{}", component.name());
    }
}

#[tokio::test]
async fn a_tool_that_writes_is_refused_where_nothing_is_granted_for_writing() {
    let project = project();
    let before = fs::read_to_string(project.path().join("src/main.py")).unwrap();
    let tree = tree(project.path(), &["src"]);
    for (tool, input) in [
        ("write_file", json!({ "file_path": "src/main.py", "content": "x" })),
        ("write_file", json!({ "file_path": "src/new.py", "content": "x" })),
        ("write_file", json!({ "file_path": "src/a/b.py", "content": "x", "create_folders": true })),
        ("write_file", json!({ "file_path": "../out.py", "content": "x" })),
        ("edit_file", json!({ "file_path": "src/main.py", "old": "import os", "new": "import sys" })),
        ("edit_file", json!({ "file_path": "src/main.py", "patch": "@@\n-import os\n+import sys\n" })),
        ("edit_file", json!({ "file_path": "secret/key.py", "old": "KEY", "new": "K" })),
    ] {
        let path = input["file_path"].as_str().unwrap().to_owned();
        let report = call_in(&tree, tool, input).await;
        let Outcome::Denied { error, denials, .. } = report.outcome else {
            panic!("{tool} {path}: {:?} {:?}", report.outcome, report.crash)
        };
        // What isn't granted at all doesn't exist for a tool; what is can't be written.
        let case = if path.starts_with("secret") { "not_found" } else { "not_permitted" };
        assert_eq!(error["case"], case, "{tool} {path}: {error}");
        assert!(error["value"].as_str().unwrap().contains(path.split("/b").next().unwrap()), "{error}");
        assert!(!denials.is_empty());
    }
    assert_eq!(fs::read_to_string(project.path().join("src/main.py")).unwrap(), before);
    assert_eq!(fs::read_dir(project.path().join("src")).unwrap().count(), 2);
}

#[tokio::test]
async fn an_edit_that_does_not_fit_is_explained_by_the_guest() {
    let project = project();
    let tree = tree(project.path(), &["src"]);
    for (input, case, word) in [
        (json!({ "old": "def man():", "new": "x" }), "no_match", "     4: def main():"),
        (json!({ "old": "os", "new": "x" }), "ambiguous", "2 times, at lines 1, 6"),
        (json!({ "patch": "@@ -1,1 +1,1 @@\n-import re\n+x\n" }), "no_match", "hunk 1"),
        (json!({}), "invalid_edit", "`old` and `new`, or `patch`"),
    ] {
        let mut input = input;
        input["file_path"] = json!("src/main.py");
        let Outcome::Failed(error) = call_in(&tree, "edit_file", input).await.outcome else {
            panic!("{case}")
        };
        assert_eq!(error["case"], case);
        assert!(error["value"].as_str().unwrap().contains(word), "{error}");
    }
}

#[test]
fn what_a_model_reads_of_the_tools_that_write_and_use_the_web_is_this() {
    let shown: Vec<Value> = ["write_file", "edit_file", "fetch_page", "web_search"]
        .into_iter()
        .map(|name| {
            let definition = STANDARD.tools.get(name).unwrap().definition();
            json!({
                "name": name,
                "description": definition.description,
                "input": definition.input_schema,
                "output": definition.output_schema,
            })
        })
        .collect();
    insta::assert_snapshot!(serde_json::to_string_pretty(&shown).unwrap());
}

//! The built-in analysis on real source packages; see README.md beside this file.

use ringfence_tests::product::{Product, snapshot};
use std::path::{Path, PathBuf};

/// Analyses a package and checks what an engineer who knows it would miss first.
fn analysed(name: &str, expected: &[&str]) {
    let folder = std::env::var_os("RINGFENCE_REAL").map(PathBuf::from);
    let folder = folder.expect("RINGFENCE_REAL names the folder that tests/real/fetch.sh filled");
    let project = folder.join(name);
    assert!(project.is_dir(), "{} isn't there: run tests/real/fetch.sh", project.display());
    let report = folder.join(format!("{name}.md"));
    check(&project, &report, expected);
}

fn check(project: &Path, report: &Path, expected: &[&str]) {
    let product = Product::new(env!("CARGO_BIN_EXE_ringfence"), env!("CARGO_TARGET_TMPDIR"));
    let before = snapshot(project);
    let ended = product.run(&["run", project.to_str().expect("a UTF-8 path"), "--yes"], &[]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(before == snapshot(project), "nothing is written into the project");
    std::fs::write(report, &ended.stdout).expect("the report can be kept");
    println!("{}", report.display());
    for words in expected {
        assert!(ended.stdout.contains(words), "no `{words}` in {}", report.display());
    }
}

#[test]
#[ignore = "needs a package from a registry: tests/real/README.md"]
fn flask_is_a_python_framework_built_with_flit_on_werkzeug() {
    analysed("flask", &["Python", "`werkzeug`", "`jinja2`", "flit_core", "src/flask/app.py", "cli.py"]);
}

#[test]
#[ignore = "needs a package from a registry: tests/real/README.md"]
fn express_is_a_javascript_framework_with_its_code_in_lib() {
    analysed("express", &["JavaScript", "npm package `express`", "lib/application.js", "`router`"]);
}

#[test]
#[ignore = "needs a package from a registry: tests/real/README.md"]
fn ripgrep_is_a_rust_program_with_its_entry_in_crates_core() {
    analysed("ripgrep", &["Rust", "`ripgrep`", "crates/core/main.rs", "`grep`", "`ignore`"]);
}

#[test]
#[ignore = "needs a package from a registry: tests/real/README.md"]
fn gin_is_a_go_package_with_its_engine_in_gin_go() {
    analysed("gin", &["Go", "gin.go", "`Engine`"]);
}

#[test]
#[ignore = "takes a copy of the whole repository"]
fn this_project_is_a_rust_workspace_with_its_crates_in_host() {
    let copy = tempfile::TempDir::new().expect("a temporary folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let archive = std::process::Command::new("sh")
        .args(["-c", "git archive HEAD | tar x -C \"$1\"", "sh"])
        .arg(copy.path())
        .current_dir(root)
        .status();
    assert!(archive.expect("git and tar can be run").success());
    let report = copy.path().with_extension("md");
    check(copy.path(), &report, &["Rust", "host/engine", "`wasmtime`", "host/cli/src/main.rs"]);
}

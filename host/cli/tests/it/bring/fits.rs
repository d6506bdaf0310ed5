//! What couldn't be loaded afterwards isn't pinned.

use super::{add, adder, digest, follow, lock, project, sum, tool};
use crate::program::Said;
use ringfence_sandbox::standard;

fn refused(said: &Said, why: &str) {
    assert!(said.code == 2 && said.err.contains(why), "{why}: {said}");
}

#[test]
fn one_component_is_pinned_once() {
    let home = project();
    let bytes = adder("add", "");
    assert_eq!(add(&home, "one.wasm", &bytes, &[]).code, 0);
    let before = lock(&home);
    let said = add(&home, "two.wasm", &bytes, &["--rename", "add=sum", "--dir", "docs"]);
    refused(&said, "this component is pinned already, as `one`");
    assert!(said.err.contains("tool update one"), "{said}");
    assert_eq!(add(&home, "three.wasm", &adder("sum", ""), &[]).code, 0);
    home.write("three.wasm", &bytes);
    refused(&tool(&home, &["update", "three", "--rename", "add=sum"]), "pinned already, as `one`");
    assert!(before.is_some());
}

#[test]
fn what_is_built_in_or_configured_is_not_pinned_besides() {
    let home = project();
    let files = standard::components().iter().find(|component| component.name() == "files").unwrap();
    let bytes = files.source().unwrap().bytes().unwrap().to_vec();
    let renames = ["--rename", "read_file=peek", "--rename", "list_files=ls", "--rename", "search_text=grep"];
    refused(&add(&home, "mine.wasm", &bytes, &renames), "this component is built in, as `files`");
    let bytes = adder("add", "");
    home.write("project/tools/a.wasm", &bytes);
    home.write(".config/ringfence/config.toml", "components = ['a.wasm']\n");
    home.write(".config/ringfence/a.wasm", &bytes);
    refused(&add(&home, "b.wasm", &bytes, &["--rename", "add=sum"]), "names this component already");
    assert_eq!(lock(&home), None);
}

#[test]
fn a_name_that_is_kept_is_given_to_no_tool() {
    let home = project();
    let bytes = adder("add", "");
    for name in ["human_help", "Human_Help"] {
        let said = add(&home, "a.wasm", &bytes, &["--rename", &format!("add={name}")]);
        refused(&said, "kept for asking a person");
    }
    refused(&add(&home, "b.wasm", &adder("human-help", ""), &[]), "kept for asking a person");
    assert_eq!(lock(&home), None);
    home.write(".config/ringfence/a.wasm", &bytes);
    let named = "components = [{ path = 'a.wasm', tools = { add = { name = 'human_help' } } }]\n";
    home.write(".config/ringfence/config.toml", named);
    for words in [&["tool", "list", "project"][..], &["run", "project", "--yes"]] {
        refused(&home.run(words), "kept for asking a person");
    }
}

#[test]
fn a_wrong_name_is_not_repeated_in_the_command_that_gives_another() {
    let home = project();
    let bytes = adder("add", "");
    refused(&add(&home, "a.wasm", &bytes, &["--rename", "add=x", "--rename", "add=y"]), "is renamed twice");
    let said = add(&home, "a.wasm", &bytes, &["--rename", "add=read_file"]);
    refused(&said, "two components have a tool named `read_file`");
    assert_eq!(said.err.matches("--rename").count(), 1, "{said}");
    assert_eq!(follow(&home, &said).code, 0, "{said}");
    assert_eq!(sum(&home, "a_add").out, "42\n");
}

#[test]
fn a_name_of_a_component_that_isn_t_here_yet_is_taken() {
    let (home, other) = (project(), project());
    assert_eq!(add(&home, "a.wasm", &adder("add", ""), &[]).code, 0);
    other.write("project/ringfence.lock", lock(&home).unwrap());
    let more = adder("add", "(core module)");
    let said = add(&other, "b.wasm", &more, &[]);
    let hash: String = said.err.split("--trust ").nth(1).unwrap().chars().take(64).collect();
    let said = tool(&other, &["add", "b.wasm", "--approve", &digest(&more), "--trust", &hash]);
    refused(&said, "two components have a tool named `add`: a and b");
    assert!(said.err.contains("--rename add=b_add"), "{said}");
}

#[test]
fn a_link_on_the_way_inside_of_the_project_is_refused_at_once() {
    let home = project();
    let bytes = adder("add", "");
    home.write("project/real/a.wasm", &bytes);
    home.write("outside/a.wasm", &bytes);
    std::os::unix::fs::symlink("real", home.path().join("project/tools")).unwrap();
    std::os::unix::fs::symlink("../outside", home.path().join("project/more")).unwrap();
    std::os::unix::fs::symlink("real/a.wasm", home.path().join("project/a.wasm")).unwrap();
    for path in ["project/tools/a.wasm", "project/more/a.wasm", "project/a.wasm"] {
        refused(&tool(&home, &["add", path, "--approve", &digest(&bytes)]), "is a link or lies behind one");
    }
    assert_eq!(tool(&home, &["add", "project/real/a.wasm", "--approve", &digest(&bytes)]).code, 0);
}

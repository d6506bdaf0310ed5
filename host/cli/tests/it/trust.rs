//! A project's own configuration counts only once somebody has confirmed it.

use crate::program::{Home, Said};
use insta::assert_snapshot;

fn list(home: &Home, more: &[&str]) -> Said {
    home.run(["tool", "list", "project"].iter().chain(more))
}

/// The hash in the command that is to be copied.
fn hash(said: &Said) -> String {
    let at = said.err.find("--trust ").expect("a command with the hash") + "--trust ".len();
    said.err[at..].chars().take_while(char::is_ascii_hexdigit).collect()
}

#[test]
fn without_a_terminal_the_command_to_confirm_is_printed_and_nothing_done() {
    let home = Home::new();
    home.write("project/ringfence.toml", "pause = [\"before_tool\"]\n");
    let said = list(&home, &[]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    let hash = hash(&said);
    assert_eq!(hash.len(), 64);
    assert_snapshot!(said.err.replace(&hash, "[HASH]").replace(env!("CARGO_BIN_EXE_ringfence"), "ringfence"));
}

#[test]
fn a_confirmation_is_remembered_until_the_content_changes() {
    let home = Home::new();
    home.write("project/ringfence.toml", "pause = [\"before_tool\"]\n");
    let first = hash(&list(&home, &[]));
    let wrong = list(&home, &["--trust", &"0".repeat(64)]);
    assert!(wrong.code == 2 && wrong.err.contains(&first), "{wrong}");
    assert_eq!(list(&home, &[]).code, 2, "a wrong hash confirms nothing");
    assert_eq!(list(&home, &["--trust", &first]).code, 0);
    assert_eq!(list(&home, &[]).code, 0, "remembered");

    home.write("project/.ringfence/prompts/readme.txt", "no prompt, so not part of it");
    assert_eq!(list(&home, &[]).code, 0);
    home.write("project/ringfence.toml", "pause = [\"before_tool\"]\n# changed\n");
    let again = list(&home, &[]);
    assert_eq!(again.code, 2);
    assert_ne!(hash(&again), first);
    assert_eq!(list(&home, &["--trust", &first]).code, 2, "the old hash is no longer right");
}

#[test]
fn another_folder_with_the_same_content_is_another_project() {
    let home = Home::new();
    for project in ["project", "other"] {
        home.write(&format!("{project}/ringfence.toml"), "pause = [\"before_tool\"]\n");
    }
    let hash = hash(&list(&home, &[]));
    assert_eq!(list(&home, &["--trust", &hash]).code, 0);
    assert_eq!(home.run(["tool", "list", "other"]).code, 2);
}

#[test]
fn a_prompt_and_a_component_are_part_of_what_is_confirmed() {
    let home = Home::new();
    home.write("project/ringfence.toml", "components = [\"adder.wasm\"]\n");
    home.write("project/adder.wasm", crate::tool::component());
    let first = hash(&list(&home, &[]));
    assert_eq!(list(&home, &["--trust", &first]).code, 0);
    let other = wat::parse_str("(component)").unwrap();
    home.write("project/adder.wasm", other);
    assert_ne!(hash(&list(&home, &[])), first);
    home.write("project/adder.wasm", crate::tool::component());
    assert_eq!(list(&home, &[]).code, 0);
    home.write("project/.ringfence/prompts/plan.md", "a prompt");
    assert_ne!(hash(&list(&home, &[])), first);
}

#[test]
fn yes_is_no_confirmation() {
    let home = Home::new();
    home.write("project/ringfence.toml", "pause = []\n");
    let said = home.run(["run", "project", "--yes"]);
    assert!(said.code == 2 && said.err.contains("--trust"), "{said}");
}

//! Who a run works as.

use crate::{asking, asks_first, configure, outcomes, sample, shown};
use ringfence_tests::messages_api::{MessagesApi, Stage};

const ROLES: &str = "\
[roles.reader]
tools = [\"read_file\"]
prompt = \"You are a {careful} reader.\"
dirs = [\"shop\"]

[roles.typo]
tools = [\"raed_file\"]
";

#[test]
fn only_the_role_s_tools_exist_and_every_stage_is_told_of_it_also_when_taken_up() {
    let (product, server) = (sample(), MessagesApi::start(asks_first("web/package.json")));
    configure(&product, ROLES);
    let waiting = asking(&product, &server, &["--role", "reader"]);
    let run = waiting.run_id();
    let before = shown(&product, run);
    assert_eq!(before["role"], "reader");
    let tools: Vec<_> =
        before["state"]["settings"]["tools"].as_array().unwrap().iter().map(|tool| &tool["name"]).collect();
    assert_eq!(tools, ["read_file"]);
    // What the file says by then changes nothing.
    configure(&product, "");
    let command = waiting.printed_command("--answer").replace("TEXT", "try it");
    let ended = product.run_printed(&command, &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(outcomes(&shown(&product, run)), ["denied"], "the role has shop alone");
    let page = product.run(&["show", run], &[]).stdout;
    let told = "web/package.json is outside the granted folders (shop, read); the role's [roles.reader] dirs leave it out";
    assert!(page.contains(told), "{page}");
    let asked = server.asked();
    assert!(asked.iter().all(|asked| asked.system.contains("You are a {careful} reader.")));
    let decide = server.asked_for(Stage::Decide);
    assert!(decide.iter().all(|asked| !asked.system.contains("\nlist_files:")), "{}", decide[0].system);
    let page = product.run(&["show", run], &[]).stdout;
    assert!(page.contains("\nrole     reader\n"), "{page}");
    let forked = product.run(&["fork", run, "--at", "2", "--no-run"], &[]);
    assert_eq!(shown(&product, forked.stdout.trim())["role"], "reader");
}

#[test]
fn an_unknown_role_or_tool_of_a_role_is_refused_with_what_was_likely_meant() {
    let (product, server) = (sample(), MessagesApi::start(asks_first("README.md")));
    configure(&product, ROLES);
    for (role, more, said) in [
        ("raeder", &[][..], "did you mean `reader`?"),
        ("typo", &[], "config.toml, line 7, column 1: [roles.typo]"),
        ("typo", &[], "did you mean `read_file`?"),
        ("reader", &["--tools", "list_files"], "the role `reader` has no tool `list_files`"),
    ] {
        let run = ["run", "my_project", "A goal", "--role", role];
        let refused = product.run(&[&run[..], more].concat(), &server.env());
        assert!(refused.code == Some(2) && refused.stderr.contains(said), "{role}: {refused:?}");
        let compared =
            product.run(&[&["compare", "my_project", "--role", role][..], more].concat(), &server.env());
        assert!(compared.code == Some(2) && compared.stderr.contains(said), "{role}: {compared:?}");
    }
    assert_eq!(server.asked().len(), 0);
}

#[test]
fn a_tool_call_as_a_role_has_the_role_s_tools_and_folders() {
    let product = sample();
    configure(&product, ROLES);
    let call = |tool: &str, argument: &str| {
        product.run(
            &["tool", "call", tool, "--project", "my_project", "--role", "reader", "--arg", argument],
            &[],
        )
    };
    assert_eq!(call("read_file", "file_path=shop/main.py").code, Some(0));
    let outside = call("read_file", "file_path=README.md");
    assert!(outside.code == Some(1) && outside.stderr.contains("(shop, read)"), "{outside:?}");
    let other = call("list_files", "directory=shop");
    assert!(other.code == Some(2) && other.stderr.contains("has no tool `list_files`"), "{other:?}");
}

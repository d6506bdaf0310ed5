//! Tools under other names than their component's: a run keeps the words that it began with.

use crate::{configure, run_of, sample, shown, tools_called};
use ringfence_tests::messages_api::{Answer, Called, MessagesApi};
use serde_json::json;
use std::fs;

const ADDER: &str = r#"(component
    (core module $m (func (export "add") (param i32 i32) (result i32) local.get 0 local.get 1 i32.add))
    (core instance $i (instantiate $m))
    (func (export "add") (param "left" u32) (param "right" u32) (result u32)
        (canon lift (core func $i "add"))))"#;

/// A user's configuration with these words for the tool.
fn words(name: &str, component_s: &str, section_s: &str) -> String {
    format!(
        "components = [{{ path = \"../../adder.wasm\", tools = {{ add = {{ name = \"{name}\", description = \
         \"{component_s}\" }} }} }}]\n[tools.list_files]\ndescription = \"{section_s}\"\n"
    )
}

#[test]
fn a_run_that_is_taken_up_keeps_the_names_and_descriptions_that_it_began_with() {
    let product = sample();
    fs::write(product.home().join("adder.wasm"), wat::parse_str(ADDER).unwrap()).unwrap();
    configure(&product, "config.toml", &words("plus", "Adds.", "Lists what is there."));
    let server = MessagesApi::queue([
        Answer::calls("", [Called::new("plus", "{\"left\": 40, \"right\": 2}")]),
        Answer::text("It is 42."),
    ]);
    let mut arguments = run_of(&["--flow", "react", "--pause", "before_tool"]);
    arguments[5] = "plus,list_files";
    arguments.retain(|word| *word != "--yes");
    let waiting = product.run(&arguments, &server.env());
    assert_eq!(waiting.code, Some(3), "{waiting:?}");

    configure(&product, "config.toml", &words("minus", "Subtracts.", "Lists nothing."));
    let ended = product.run_printed(waiting.printed_command("--approve"), &server.env());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let shown = shown(&product);
    assert_eq!(tools_called(&shown), ["plus"]);
    let tools = shown["state"]["settings"]["tools"].as_array().unwrap();
    let told: Vec<_> = tools.iter().map(|tool| (&tool["name"], &tool["description"])).collect();
    assert_eq!(
        told,
        [(&json!("list_files"), &json!("Lists what is there.")), (&json!("plus"), &json!("Adds."))]
    );
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    for asked in asked {
        let sent = format!("{asked:?}");
        assert!(sent.contains("Lists what is there.") && sent.contains("Adds."), "{sent}");
        assert!(!sent.contains("Subtracts.") && !sent.contains("Lists nothing."), "{sent}");
    }
}

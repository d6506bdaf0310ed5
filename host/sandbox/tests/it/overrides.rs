//! Other names and descriptions than a component's own.

use crate::built::trapping;
use ringfence_sandbox::reflect::ToolName;
use ringfence_sandbox::{
    ComponentSource, LoadError, Override, Overrides, Sandbox, SandboxConfig, Toolset, ToolsetError,
};

const WIT: &str = "package acme:texts; world tools {
    export read-text: func(path: string) -> string;
    export count-words: func(text: string) -> u32;
}";

fn name(text: &str) -> ToolName {
    ToolName::parse(text).unwrap()
}

/// Overrides of these tools: `(tool, name, description)`.
fn overrides(of: &[(&str, Option<&str>, Option<&str>)]) -> Overrides {
    let one = |(tool, new, text): &(&str, Option<&str>, Option<&str>)| {
        let said = Override { name: new.map(name), description: text.map(str::to_owned) };
        (name(tool), said)
    };
    Overrides { tools: of.iter().map(one).collect() }
}

fn source() -> ComponentSource {
    ComponentSource::from_bytes("texts.wasm", trapping(WIT, "tools"))
}

/// Names and descriptions as a sandbox with this cache loads them.
fn loaded(cache: &std::path::Path, overrides: Overrides) -> Result<Vec<(String, String)>, LoadError> {
    let config = SandboxConfig { cache_dir: Some(cache.to_owned()), ..SandboxConfig::for_few_calls() };
    let component = Sandbox::new(config).unwrap().load(source().with_overrides(overrides))?;
    let tools = component.tools().tools.iter();
    Ok(tools.map(|tool| (tool.name.to_string(), tool.description.clone())).collect())
}

#[test]
fn a_tool_is_called_and_described_as_the_override_says_and_keeps_its_types() {
    let cache = tempfile::tempdir().unwrap();
    let said = overrides(&[("read_text", Some("read_prose"), Some("Reads\u{1b}[2J a text.\r\nWhole."))]);
    let found = loaded(cache.path(), said.clone()).unwrap();
    assert_eq!(found[0], ("read_prose".to_owned(), "Reads[2J a text.\nWhole.".to_owned()));
    assert_eq!(found[1].0, "count_words");
    let sandbox = Sandbox::new(SandboxConfig::for_few_calls()).unwrap();
    let (own, other) =
        (sandbox.load(source()).unwrap(), sandbox.load(source().with_overrides(said)).unwrap());
    let (own, other) = (&own.tools().tools[0], &other.tools().tools[0]);
    assert_eq!((&own.export, &own.signature), (&other.export, &other.signature));
    assert_eq!((&own.input_schema, own.name.as_str()), (&other.input_schema, "read_text"));
}

#[test]
fn what_is_cached_of_a_component_knows_nothing_of_overrides() {
    let cache = tempfile::tempdir().unwrap();
    let names = |said| loaded(cache.path(), said).unwrap().into_iter().map(|(name, _)| name).collect();
    let (first, own, second): (Vec<_>, Vec<_>, Vec<_>) = (
        names(overrides(&[("read_text", Some("a"), None)])),
        names(Overrides::default()),
        names(overrides(&[("read_text", Some("b"), None)])),
    );
    assert_eq!(first, ["a", "count_words"]);
    assert_eq!(own, ["read_text", "count_words"]);
    assert_eq!(second, ["b", "count_words"]);
}

#[test]
fn two_tools_can_exchange_their_names() {
    let cache = tempfile::tempdir().unwrap();
    let said = [("read_text", Some("count_words"), None), ("count_words", Some("read_text"), None)];
    let found = loaded(cache.path(), overrides(&said)).unwrap();
    assert_eq!(found[0].0, "count_words");
    assert!(found[0].1.contains("`read-text`"), "{found:?}");
}

#[test]
fn an_override_that_doesn_t_fit_is_an_error_that_says_why() {
    let cache = tempfile::tempdir().unwrap();
    for (said, wanted) in [
        (overrides(&[("reed_text", Some("a"), None)]), "has no tool `reed_text` to rename or describe"),
        (overrides(&[("reed_text", None, None)]), "it has `read_text`, `count_words`"),
        (overrides(&[("read_text", None, Some("\u{1b}\u{202e} \n"))]), "for its tool `read_text` is empty"),
        (
            overrides(&[("read_text", Some("Count_Words"), None)]),
            "`read_text` and `count_words` would both be called `count_words`",
        ),
    ] {
        let error = loaded(cache.path(), said).unwrap_err().to_string();
        assert!(error.starts_with("texts.wasm: ") && error.contains(wanted), "{error}");
    }
}

#[test]
fn a_description_from_outside_is_bounded_like_a_component_s_own() {
    let cache = tempfile::tempdir().unwrap();
    let long = "x".repeat(100_000);
    let found = loaded(cache.path(), overrides(&[("read_text", None, Some(&long))])).unwrap();
    assert!(found[0].1.len() < 8_300 && found[0].1.ends_with("… [cut at 8192 bytes]"));
}

#[test]
fn another_name_lets_two_components_with_one_tool_name_be_used_together() {
    let sandbox = Sandbox::new(SandboxConfig::for_few_calls()).unwrap();
    let own = sandbox.load(source()).unwrap();
    let other = ComponentSource::from_bytes("other.wasm", trapping(WIT, "tools"));
    let error = Toolset::new([own.clone(), sandbox.load(other.clone()).unwrap()]).unwrap_err();
    assert!(matches!(error, ToolsetError::SameName { .. }));
    assert!(error.to_string().contains("or give its tool another name"), "{error}");
    let said =
        overrides(&[("read_text", Some("other_text"), None), ("count_words", Some("other_words"), None)]);
    let both = Toolset::new([own, sandbox.load(other.with_overrides(said)).unwrap()]).unwrap();
    let names: Vec<_> = both.iter().map(|tool| tool.name()).collect();
    assert_eq!(names, ["count_words", "other_text", "other_words", "read_text"]);
}

#[test]
fn any_tool_of_a_set_can_be_described_anew() {
    let sandbox = Sandbox::new(SandboxConfig::for_few_calls()).unwrap();
    let tools = Toolset::new([sandbox.load(source()).unwrap()]).unwrap();
    assert!(tools.clone().described("Read_Text", "x").is_none(), "another spelling is another name");
    assert!(tools.clone().described("read_text", "\u{7}").is_none());
    let tools = tools.described("read_text", "Reads.\u{7}").unwrap();
    assert_eq!(tools.get("read_text").unwrap().definition().description, "Reads.");
    assert!(tools.get("count_words").unwrap().definition().description.starts_with("The function"));
}

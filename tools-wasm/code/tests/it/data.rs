use crate::ground::{analyze, head, outline};
use ringfence_code::Language;

#[test]
fn keys_at_the_top_of_json_are_sections() {
    let analysis = analyze(
        Language::Json,
        "// Settings.\n{\n  \"name\": \"a\",\n  // Runs.\n  \"scripts\": {\n    \"build\": \"x\"\n  },\n  \"files\": [1]\n}\n",
    );
    assert_eq!(outline(&analysis), ["section name 3-3", "section scripts 5-7", "section files 8-8"]);
    assert_eq!(head(&analysis, "name"), ("\"name\": \"a\",".trim_end_matches(','), None));
    assert_eq!(head(&analysis, "scripts"), ("\"scripts\":", Some("Runs.")));
    assert_eq!((analysis.syntax_errors, analysis.counts.comment_lines), (0, 2));
    assert!(outline(&analyze(Language::Json, "[{\"a\": 1}]")).is_empty());
}

#[test]
fn keys_at_the_top_of_every_yaml_document_are_sections() {
    let analysis = analyze(
        Language::Yaml,
        "# Where it runs.\non: push\n\"jobs\":\n  build:\n    steps: [a]\n---\nsecond: {a: 1}\n",
    );
    assert_eq!(outline(&analysis), ["section on 2-2", "section jobs 3-5", "section second 7-7"]);
    assert_eq!(head(&analysis, "on"), ("on: push", Some("Where it runs.")));
    assert_eq!(analysis.counts.comment_lines, 1);
}

#[test]
fn tables_of_toml_and_keys_before_them_are_sections() {
    let analysis = analyze(
        Language::Toml,
        "edition = 1\n\n# The package.\n[package]\nname = \"a\"\n\n[dependencies.\"b c\"]\nversion = \"1\"\n[[bin]]\nname = \"x\"\n",
    );
    assert_eq!(
        outline(&analysis),
        ["section edition 1-1", "section package 4-5", "section dependencies.\"b c 7-8", "section bin 9-10",]
    );
    assert_eq!(head(&analysis, "package"), ("[package]", Some("The package.")));
    assert_eq!(head(&analysis, "bin").0, "[[bin]]");
}

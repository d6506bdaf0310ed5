//! Go: `go.mod`.

use super::{Manifest, Scope, Spot, Text, numbered};

pub(super) fn module(text: &Text, manifest: &mut Manifest) {
    manifest.ecosystem = "Go";
    let mut block = String::new();
    for (number, line) in numbered(text) {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let words: Vec<&str> = code.split_whitespace().collect();
        match words.as_slice() {
            [] => {}
            [")", ..] => block.clear(),
            [verb, "("] => block = (*verb).to_owned(),
            ["module", name] => {
                manifest.name = Some(Spot::new(name.trim_matches('"'), number));
                manifest.build.push(Spot::new("Go modules", number));
            }
            ["go", version] => manifest.runtime.push(Spot::new(format!("Go {version}"), number)),
            ["toolchain", version] => {
                manifest.runtime.push(Spot::new(format!("toolchain {version}"), number))
            }
            ["require", name, version] => require(manifest, name, version, comment, number),
            [name, version] if block == "require" => require(manifest, name, version, comment, number),
            _ => {}
        }
    }
}

fn require(manifest: &mut Manifest, name: &str, version: &str, comment: &str, line: u32) {
    let scope = if comment.contains("indirect") { Scope::Indirect } else { Scope::Runtime };
    manifest.depend(name, version, scope, line);
}

//! Go: `go.mod`.

use crate::stack::found::{About, Found};
use crate::stack::model::{Ecosystem, Scope, TechnologyKind};
use crate::stack::text::Text;

pub(super) fn module(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let (mut about, mut block) = (About::default(), "");
    for (number, line) in text.lines() {
        let (code, comment) = line.split_once("//").unwrap_or((line, ""));
        let mut words = code.split_whitespace();
        let Some(first) = words.next() else { continue };
        let (verb, name, version) = match (block, first) {
            (_, ")") => {
                block = "";
                continue;
            }
            ("", verb) => {
                let next = words.next().unwrap_or_default();
                if next == "(" {
                    block = if verb == "require" { "require" } else { "other" };
                    continue;
                }
                (verb, next, words.next().unwrap_or_default())
            }
            (verb, name) => (verb, name, words.next().unwrap_or_default()),
        };
        match verb {
            "module" => {
                about.name = Some(name.trim_matches('"').to_owned());
                about.line = number;
            }
            "go" => found.uses(TechnologyKind::Runtime, ("Go", Some(name)), (path, number), text),
            "toolchain" => {
                found.uses(TechnologyKind::BuildTool, ("Go toolchain", Some(name)), (path, number), text);
            }
            "require" => {
                // What others need in turn is in the same file.
                let scope = if comment.trim() == "indirect" { Scope::Optional } else { Scope::Runtime };
                if scope == Scope::Runtime {
                    found.depends(Ecosystem::Go, scope, (name, version), (path, number));
                }
            }
            _ => {}
        }
    }
    found.manifest(path, Ecosystem::Go, about, before);
}

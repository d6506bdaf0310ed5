//! Ruby: `Gemfile` and gem specifications.

use crate::stack::found::{About, Found};
use crate::stack::model::{Ecosystem, Scope, TechnologyKind};
use crate::stack::text::{Text, all_quoted, quoted};

/// The quoted texts up to the first option: name and versions.
fn versions(line: &str) -> (Option<&str>, String) {
    let plain = line.split(", :").next().unwrap_or(line);
    let plain = plain.split("require:").next().unwrap_or(plain).split("git:").next().unwrap_or(plain);
    let all: Vec<&str> = all_quoted(plain).into_iter().map(|(one, _)| one).collect();
    let requirement =
        all.get(1..).unwrap_or_default().iter().filter(|one| one.contains(|c: char| c.is_ascii_digit()));
    (all.first().copied(), requirement.copied().collect::<Vec<_>>().join(", "))
}

pub(super) fn gemfile(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let mut group = false;
    for (number, line) in text.lines() {
        let line = line.trim();
        if line.starts_with("group ") {
            group = ["development", "test"].iter().any(|name| line.contains(name));
        } else if line == "end" {
            group = false;
        } else if line.starts_with("ruby ") {
            found.uses(TechnologyKind::Runtime, ("Ruby", quoted(line)), (path, number), text);
        } else if let (Some(name), requirement) = versions(line)
            && line.starts_with("gem ")
        {
            let development = group || line.contains("group: :development") || line.contains("group: :test");
            let scope = if development { Scope::Development } else { Scope::Runtime };
            found.depends(Ecosystem::RubyGems, scope, (name, &requirement), (path, number));
        }
    }
    found.uses(TechnologyKind::PackageManager, ("Bundler", None), (path, 1), text);
    found.manifest(path, Ecosystem::RubyGems, About { line: 1, ..About::default() }, before);
}

pub(super) fn gemspec(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let mut about = About::default();
    for (number, line) in text.lines() {
        // As `gem build` writes it: `%q<name>.freeze`.
        let line = line.trim().replace("%q<", "'").replace(">.freeze", "'");
        let line = line.as_str();
        let value = || quoted(line).map(str::to_owned);
        let Some((_, call)) = line.split_once('.') else { continue };
        let word = call.split(|c: char| !(c.is_alphanumeric() || c == '_')).next().unwrap_or_default();
        match word {
            "name" if about.name.is_none() => (about.name, about.line) = (value(), number),
            "version" if about.version.is_none() => about.version = value(),
            "summary" if about.description.is_none() => about.description = value(),
            "license" | "licenses" if about.license.is_none() => about.license = value(),
            "required_ruby_version" => {
                found.uses(TechnologyKind::Runtime, ("Ruby", value().as_deref()), (path, number), text);
            }
            "add_dependency" | "add_runtime_dependency" | "add_development_dependency" => {
                let scope =
                    if word == "add_development_dependency" { Scope::Development } else { Scope::Runtime };
                if let (Some(name), requirement) = versions(call) {
                    found.depends(Ecosystem::RubyGems, scope, (name, &requirement), (path, number));
                }
            }
            _ => {}
        }
    }
    found.manifest(path, Ecosystem::RubyGems, about, before);
}

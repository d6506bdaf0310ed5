//! Node.js: `package.json`; Deno's own.

use crate::stack::found::{About, Found};
use crate::stack::json::Json;
use crate::stack::model::{Ecosystem, Scope, TechnologyKind};
use crate::stack::text::Text;

const GROUPS: [(&str, Scope); 5] = [
    ("dependencies", Scope::Runtime),
    ("peerDependencies", Scope::Peer),
    ("optionalDependencies", Scope::Optional),
    ("devDependencies", Scope::Development),
    ("bundledDependencies", Scope::Runtime),
];

pub(super) fn package(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let (json, trouble) = Json::read(text.all);
    for (group, scope) in GROUPS {
        for (name, line, value) in json.get(group).into_iter().flat_map(Json::fields) {
            found.depends(Ecosystem::Npm, scope, (name, value.text().unwrap_or_default()), (path, *line));
        }
    }
    for (name, line, version) in json.get("engines").into_iter().flat_map(Json::fields) {
        let name = match name.as_str() {
            "node" => "Node.js",
            "npm" => "npm",
            "yarn" => "Yarn",
            "pnpm" => "pnpm",
            "bun" => "Bun",
            other => other,
        };
        let kind = if name == "Node.js" { TechnologyKind::Runtime } else { TechnologyKind::PackageManager };
        found.uses(kind, (name, version.text()), (path, *line), text);
    }
    if let Some((line, manager)) = json.field("packageManager")
        && let Some((name, version)) = manager.text().and_then(|text| text.split_once('@'))
    {
        let version = version.split('+').next();
        found.uses(TechnologyKind::PackageManager, (name, version), (path, line), text);
    }
    let field = |key: &str| json.get(key).and_then(Json::text).map(str::to_owned);
    let license = field("license").or_else(|| json.get("license")?.get("type")?.text().map(str::to_owned));
    let about = About {
        name: field("name"),
        version: field("version"),
        description: field("description"),
        license,
        line: json.field("name").map_or(1, |(line, _)| line),
        trouble,
    };
    found.manifest(path, Ecosystem::Npm, about, before);
}

/// Deno's imports: `"std": "jsr:@std/path@1"`, `"x": "npm:express@4"`.
pub(super) fn deno(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    found.uses(TechnologyKind::Runtime, ("Deno", None), (path, 1), text);
    let (json, trouble) = Json::read(text.all);
    for (_, line, value) in json.get("imports").into_iter().flat_map(Json::fields) {
        let Some(target) = value.text().and_then(|text| text.split_once(':')) else { continue };
        let (name, version) = match target.1.get(1..).and_then(|rest| rest.find('@')) {
            Some(at) => target.1.split_at(at + 1),
            None => (target.1, ""),
        };
        found.depends(Ecosystem::Npm, Scope::Runtime, (name, version.trim_start_matches('@')), (path, *line));
    }
    let name = json.get("name").and_then(Json::text).map(str::to_owned);
    found.manifest(path, Ecosystem::Npm, About { name, line: 1, trouble, ..About::default() }, before);
}

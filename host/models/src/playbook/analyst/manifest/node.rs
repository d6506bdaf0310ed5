//! Node.js: `package.json`.

use super::json::Document;
use super::{Entry, Manifest, Scope, Spot, Text};
use serde_json::Value;

pub(super) fn package(text: &Text, manifest: &mut Manifest) {
    manifest.ecosystem = "Node.js";
    let Some(document) = Document::parse(text) else {
        manifest.broken = true;
        return;
    };
    let spot = |key: &str| {
        let value = document.value.get(key)?.as_str()?;
        Some(Spot::new(value, document.line(&[key])))
    };
    manifest.name = spot("name");
    manifest.version = spot("version");
    manifest.description = spot("description");
    manifest.license = spot("license");
    for (name, value) in object(&document.value, "engines") {
        let engine = if name == "node" { "Node.js" } else { name };
        let line = document.line(&["engines", name]);
        manifest.runtime.push(Spot::new(format!("{engine} {}", value.as_str().unwrap_or_default()), line));
    }
    let groups = [
        ("dependencies", Scope::Runtime),
        ("peerDependencies", Scope::Runtime),
        ("optionalDependencies", Scope::Optional),
        ("devDependencies", Scope::Development),
    ];
    for (group, scope) in groups {
        for (name, value) in object(&document.value, group) {
            manifest.depend(name, value.as_str().unwrap_or_default(), scope, document.line(&[group, name]));
        }
    }
    if let Some((_, script)) = object(&document.value, "scripts").find(|(name, _)| *name == "build") {
        let script = script.as_str().unwrap_or_default();
        manifest.build.push(Spot::new(format!("`{script}`"), document.line(&["scripts", "build"])));
    }
    if let Some(manager) = spot("packageManager") {
        manifest.build.push(manager);
    }
    entries(&document, manifest);
    workspaces(&document, manifest);
}

fn entries(document: &Document<'_>, manifest: &mut Manifest) {
    for key in ["main", "module", "browser"] {
        if let Some(target) = document.value.get(key).and_then(Value::as_str) {
            let line = document.line(&[key]);
            manifest.entries.push(Entry { what: format!("`{key}` module"), target: target.to_owned(), line });
        }
    }
    match document.value.get("bin") {
        Some(Value::String(target)) => {
            let line = document.line(&["bin"]);
            manifest.entries.push(Entry { what: "command".to_owned(), target: target.clone(), line });
        }
        Some(Value::Object(commands)) => {
            for (name, target) in commands {
                let (what, line) = (format!("command `{name}`"), document.line(&["bin", name]));
                let target = target.as_str().unwrap_or_default().to_owned();
                manifest.entries.push(Entry { what, target, line });
            }
        }
        _ => {}
    }
    if let Some(exports) = document.value.get("exports") {
        let mut targets = Vec::new();
        collect(exports, &mut targets, 0);
        for target in targets {
            let line = document.line_of_value(&["exports"], &target);
            if !manifest.entries.iter().any(|entry| entry.target == target) {
                manifest.entries.push(Entry { what: "exported module".to_owned(), target, line });
            }
        }
    }
}

/// The files that `exports` names, bounded.
fn collect(value: &Value, targets: &mut Vec<String>, depth: u32) {
    if depth > 5 || targets.len() >= 10 {
        return;
    }
    match value {
        Value::String(target) if !target.ends_with(".d.ts") && !target.ends_with("package.json") => {
            targets.push(target.clone());
        }
        Value::Object(map) => map.values().for_each(|inner| collect(inner, targets, depth + 1)),
        Value::Array(list) => list.iter().for_each(|inner| collect(inner, targets, depth + 1)),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn workspaces(document: &Document<'_>, manifest: &mut Manifest) {
    let listed = document.value.get("workspaces");
    let listed = listed.and_then(|value| value.get("packages")).or(listed).and_then(Value::as_array);
    for member in listed.into_iter().flatten().filter_map(Value::as_str) {
        manifest.members.push(Spot::new(member, document.line_of_value(&["workspaces"], member)));
    }
}

pub(super) fn object<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = (&'v str, &'v Value)> {
    value
        .get(key)
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

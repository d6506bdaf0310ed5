//! Rust: `Cargo.toml` of a package or a workspace.

use super::table::{Document, Node};
use super::{Entry, FROM_WORKSPACE, Manifest, Scope, Spot, Text};

pub(super) fn cargo(text: &Text, manifest: &mut Manifest) {
    let document = Document::parse(text);
    manifest.ecosystem = "Rust";
    manifest.broken = document.broken;
    let field = |key: &str| {
        document.spot(&["package", key]).or_else(|| document.spot(&["workspace", "package", key]))
    };
    manifest.name = document.spot(&["package", "name"]);
    manifest.version = field("version");
    manifest.description = field("description");
    manifest.license = field("license");
    if let Some(edition) = field("edition") {
        manifest.runtime.push(Spot { text: format!("edition {}", edition.text), lines: edition.lines });
    }
    if let Some(version) = field("rust-version") {
        manifest.runtime.push(Spot { text: format!("Rust {}", version.text), lines: version.lines });
    }
    if let Some(package) = document.get(&["package"]) {
        let line = package.get("name").map_or(1, Node::line);
        if manifest.folder().is_empty() {
            manifest.build.push(Spot::new("Cargo", line));
        }
        if let Some(build) = package.get("build").and_then(Node::spot) {
            manifest.build.push(Spot { text: format!("build script `{}`", build.text), lines: build.lines });
        }
    } else if let Some(workspace) = document.get(&["workspace"]) {
        manifest.build.push(Spot::new("Cargo workspace", workspace.get("members").map_or(1, Node::line)));
    }
    dependencies(&document, manifest);
    for (key, what) in [("bin", "program"), ("lib", "library"), ("example", "example")] {
        let Some(node) = document.get(&[key]) else { continue };
        let targets: Vec<Node<'_>> =
            if node.items().next().is_some() { node.items().collect() } else { vec![node] };
        for target in targets.into_iter().filter(|_| key != "example") {
            let name = target.get("name").and_then(Node::as_str).unwrap_or_default();
            let path = target.get("path").and_then(Node::spot);
            let default = if key == "lib" { "src/lib.rs".to_owned() } else { format!("src/bin/{name}.rs") };
            let line =
                path.as_ref().map_or_else(|| target.get("name").map_or(1, Node::line), |path| path.lines.0);
            manifest.entries.push(Entry {
                what: if name.is_empty() { what.to_owned() } else { format!("{what} `{name}`") },
                target: path.map_or(default, |path| path.text),
                line,
            });
        }
    }
    for member in document.get(&["workspace", "members"]).into_iter().flat_map(Node::items) {
        manifest.members.extend(member.spot());
    }
}

fn dependencies(document: &Document<'_>, manifest: &mut Manifest) {
    let tables = [
        (vec!["dependencies"], Scope::Runtime),
        (vec!["workspace", "dependencies"], Scope::Runtime),
        (vec!["build-dependencies"], Scope::Build),
        (vec!["dev-dependencies"], Scope::Development),
    ];
    for (path, scope) in tables {
        if let Some(table) = document.get(&path) {
            read(table, scope, "", manifest);
        }
    }
    for (target, _, node) in document.get(&["target"]).map(Node::entries).unwrap_or_default() {
        if let Some(table) = node.get("dependencies") {
            read(table, Scope::Runtime, target, manifest);
        }
    }
}

fn read(table: Node<'_>, scope: Scope, target: &str, manifest: &mut Manifest) {
    for (name, line, value) in table.entries() {
        let version = value.as_str().or_else(|| value.get("version").and_then(Node::as_str));
        let from_workspace = value.get("workspace").is_some_and(Node::is_true);
        let scope = if value.get("optional").is_some_and(Node::is_true) { Scope::Optional } else { scope };
        let mut text = match (
            version,
            value.get("path").and_then(Node::as_str),
            value.get("git").and_then(Node::as_str),
        ) {
            (Some(version), _, _) => version.to_owned(),
            (None, Some(path), _) => format!("path {path}"),
            (None, None, Some(git)) => format!("git {git}"),
            (None, None, None) if from_workspace => FROM_WORKSPACE.to_owned(),
            (None, None, None) => String::new(),
        };
        if !target.is_empty() {
            text.push_str(&format!(" on {target}"));
        }
        manifest.depend(name, &text, scope, line);
    }
}

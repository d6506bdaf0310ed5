//! Rust: `Cargo.toml`.

use super::workspace::{Fact, Workspace};
use crate::stack::found::{About, Found};
use crate::stack::model::{Ecosystem, Scope, TechnologyKind};
use crate::stack::text::{Text, cut};
use crate::stack::toml::{Entry, Table};
use ::toml::de::{DeTable, DeValue};

const GROUPS: [(&str, Scope); 3] = [
    ("dependencies", Scope::Runtime),
    ("build-dependencies", Scope::Build),
    ("dev-dependencies", Scope::Development),
];

pub(super) fn manifest(path: &str, text: &Text<'_>, found: &mut Found) {
    let before = found.dependencies.len();
    let document = match DeTable::parse(text.all) {
        Ok(document) => document,
        Err(error) => {
            let about = About { trouble: Some(error.message().to_owned()), ..About::default() };
            return found.manifest(path, Ecosystem::Cargo, about, before);
        }
    };
    let root = Table::new(document.get_ref(), text);
    group(path, &root, text, found);
    for (_, target) in root.at(&["target"]).iter().flat_map(Table::entries) {
        if let Some(target) = target.table(text) {
            group(path, &target, text, found);
        }
    }
    if let Some(table) = root.at(&["workspace"]) {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        found.workspaces.all.insert(folder.to_owned(), laid_down(&table, text));
    }
    let mut about = About::default();
    for table in [root.at(&["workspace", "package"]), root.at(&["package"])].into_iter().flatten() {
        if let Some(version) = table.get("rust-version") {
            found.uses(TechnologyKind::Runtime, ("Rust", version.text()), (path, version.line), text);
        }
        if let Some(edition) = table.get("edition").filter(|edition| edition.text().is_some()) {
            let version = edition.text().map(|year| format!("edition {year}"));
            found.uses(TechnologyKind::Runtime, ("Rust", version.as_deref()), (path, edition.line), text);
        }
        about.name = table.text("name").or(about.name);
        about.version = table.text("version").or(about.version);
        about.description = table.text("description").or(about.description);
        about.license = table.text("license").or(about.license);
        about.line = table.get("name").map_or(about.line, |entry| entry.line);
    }
    let number = found.manifests.len();
    for (fact, key) in Fact::ALL {
        let inherited = root.at(&["package", key]).is_some_and(|table| is_true(&table, "workspace"));
        found.workspaces.facts.extend(inherited.then_some((number, fact)));
    }
    found.manifest(path, Ecosystem::Cargo, about, before);
}

/// What a workspace's members may take over. What none of them takes is needed by nobody.
fn laid_down<'d, 't>(table: &Table<'d, 't>, text: &'d Text<'t>) -> Workspace {
    let mut workspace = Workspace::default();
    for (name, entry) in table.at(&["dependencies"]).iter().flat_map(Table::entries) {
        let (package, requirement) = asked(name, &entry, text);
        workspace.dependencies.insert(name.to_owned(), (cut(&package, 200), cut(&requirement, 120)));
    }
    if let Some(package) = table.at(&["package"]) {
        for (fact, key) in Fact::ALL {
            workspace.facts.extend(package.text(key).map(|value| (fact, cut(&value, 120))));
        }
    }
    workspace
}

fn is_true(table: &Table<'_, '_>, key: &str) -> bool {
    table.get(key).is_some_and(|entry| matches!(entry.value, DeValue::Boolean(true)))
}

/// Package and requirement.
fn asked<'d, 't>(name: &str, entry: &Entry<'d, 't>, text: &'d Text<'t>) -> (String, String) {
    let Some(table) = entry.table(text) else {
        return (name.to_owned(), entry.text().unwrap_or_default().to_owned());
    };
    let place = || ["path", "git"].iter().find_map(|key| Some(format!("{key} {}", table.text(key)?)));
    let requirement = table.text("version").or_else(place).unwrap_or_default();
    (table.text("package").unwrap_or_else(|| name.to_owned()), requirement)
}

fn group<'d, 't>(path: &str, table: &Table<'d, 't>, text: &'d Text<'t>, found: &mut Found) {
    for (key, scope) in GROUPS {
        for (name, entry) in table.at(&[key]).iter().flat_map(Table::entries) {
            depends(path, scope, name, &entry, text, found);
        }
    }
}

fn depends<'d, 't>(
    path: &str,
    scope: Scope,
    name: &str,
    entry: &Entry<'d, 't>,
    text: &'d Text<'t>,
    found: &mut Found,
) {
    let table = entry.table(text);
    let says = |key: &str| table.as_ref().is_some_and(|table| is_true(table, key));
    let scope = if says("optional") { Scope::Optional } else { scope };
    let (package, mut requirement) = asked(name, entry, text);
    let inherited = says("workspace");
    if inherited {
        // Until the workspace is known.
        "workspace".clone_into(&mut requirement);
    }
    let number = found.dependencies.len();
    found.depends(Ecosystem::Cargo, scope, (&package, &requirement), (path, entry.line));
    if inherited && found.dependencies.len() > number {
        found.workspaces.dependencies.push((number, name.to_owned()));
    }
}

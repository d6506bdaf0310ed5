//! Rust: `Cargo.toml`.

use crate::stack::found::{About, Found};
use crate::stack::model::{Ecosystem, Scope, TechnologyKind};
use crate::stack::text::Text;
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
    for (name, entry) in root.at(&["workspace", "dependencies"]).iter().flat_map(Table::entries) {
        depends(path, Scope::Runtime, name, &entry, text, found);
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
    found.manifest(path, Ecosystem::Cargo, about, before);
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
    let place = (path, entry.line);
    let Some(table) = entry.table(text) else {
        return found.depends(Ecosystem::Cargo, scope, (name, entry.text().unwrap_or_default()), place);
    };
    let is_true =
        |key: &str| table.get(key).is_some_and(|entry| matches!(entry.value, DeValue::Boolean(true)));
    let scope = if is_true("optional") { Scope::Optional } else { scope };
    let requirement = if is_true("workspace") {
        "workspace".to_owned()
    } else {
        let other = ["path", "git"].iter().find_map(|key| Some(format!("{key} {}", table.text(key)?)));
        table.text("version").or(other).unwrap_or_default()
    };
    let package = table.text("package");
    found.depends(Ecosystem::Cargo, scope, (package.as_deref().unwrap_or(name), &requirement), place);
}

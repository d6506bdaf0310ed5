//! The world that an engine is given: the tool's own, and the files that its bundle asks for.

use crate::error::BuildError;
use crate::wit::Wit;
use std::collections::BTreeSet;
use wit_component::{OutputToString, WitPrinter};
use wit_parser::{InterfaceId, PackageName, Resolve, WorldItem, WorldKey};

/// The name of the world that `as_text` makes.
pub(super) const NAME: &str = "built";
/// The version of wasi:filesystem that `fs.js` and `filesystem.wit` are written for.
pub(super) const FILES_VERSION: &str = "0.2.0";

const FILES: [(&str, &str); 2] =
    [("clocks.wit", include_str!("clocks.wit")), ("filesystem.wit", include_str!("filesystem.wit"))];

/// The packages that the tool's own world imports from.
fn imported(wit: &Wit) -> impl Iterator<Item = &PackageName> {
    let resolve = wit.resolve();
    let package = move |id: InterfaceId| Some(&resolve.packages[resolve.interfaces[id].package?].name);
    wit.world().imports.iter().filter_map(move |(key, item)| match (key, item) {
        (WorldKey::Interface(id), WorldItem::Interface { .. }) => package(*id),
        (WorldKey::Name(_), _)
        | (WorldKey::Interface(_), WorldItem::Function(_) | WorldItem::Type { .. }) => None,
    })
}

/// The namespaces that modules are imported from and no bundler has.
pub(super) fn namespaces(wit: &Wit) -> BTreeSet<String> {
    imported(wit).map(|name| name.namespace.clone()).chain(["wasi".to_owned()]).collect()
}

/// The version of wasi:filesystem that the tool's own world imports; none where it doesn't.
pub(super) fn own_files(wit: &Wit) -> Option<String> {
    let files = imported(wit).find(|name| name.namespace == "wasi" && name.name == "filesystem")?;
    Some(files.version.as_ref().map_or_else(|| FILES_VERSION.to_owned(), ToString::to_string))
}

/// The world as one file of WIT. `adds_files`: with imports of files, which the tool's own lacks.
pub(super) fn as_text(wit: &Wit, adds_files: bool) -> Result<String, BuildError> {
    let wrong =
        |error: String| BuildError::Wit { reason: format!("no world can be made of the WIT: {error}") };
    let mut resolve = wit.resolve().clone();
    let mut imports = String::new();
    if adds_files {
        for (name, text) in FILES {
            if !has(&resolve, name.trim_end_matches(".wit")) {
                resolve.push_str(name, text).map_err(|error| wrong(format!("{error:?}")))?;
            }
        }
        for interface in ["types", "preopens"] {
            imports.push_str(&format!("import wasi:filesystem/{interface}@{FILES_VERSION};\n"));
        }
    }
    let own = wit.world();
    let package = own.package.ok_or_else(|| wrong("the world is of no package".to_owned()))?;
    let PackageName { namespace, name, version } = &resolve.packages[package].name;
    let version = version.as_ref().map(|version| format!("@{version}")).unwrap_or_default();
    let world = format!(
        "package ringfence:build;\nworld {NAME} {{\ninclude {namespace}:{name}/{}{version};\n{imports}}}\n",
        own.name
    );
    let built = resolve.push_str("built.wit", &world).map_err(|error| wrong(format!("{error:?}")))?;
    let others: Vec<_> = resolve.packages.iter().map(|(id, _)| id).filter(|id| *id != built).collect();
    let mut printer = WitPrinter::new(OutputToString::default());
    printer.print(&resolve, built, &others).map_err(|error| wrong(format!("{error:#}")))?;
    Ok(String::from(printer.output))
}

fn has(resolve: &Resolve, wasi: &str) -> bool {
    resolve.packages.iter().any(|(_, package)| {
        let name = &package.name;
        let version = name.version.as_ref().map(ToString::to_string);
        name.namespace == "wasi" && name.name == wasi && version.as_deref() == Some(FILES_VERSION)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Wit {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("tool.wit"), text).unwrap();
        Wit::read(dir.path(), None).unwrap()
    }

    #[test]
    fn the_files_that_a_bundle_opens_are_added_to_the_world() {
        let wit = read("package a:b@1.0.0; interface i { f: func(); } world tool { export i; }");
        assert_eq!(own_files(&wit), None);
        let text = as_text(&wit, true).unwrap();
        for line in ["import wasi:filesystem/preopens@0.2.0;", "export a:b/i@1.0.0;", "world built {"] {
            assert!(text.contains(line), "{text}");
        }
        assert!(!as_text(&wit, false).unwrap().contains("wasi:"));
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("built.wit");
        std::fs::write(&place, text).unwrap();
        assert!(Wit::read(&place, Some(NAME)).is_ok());
    }

    #[test]
    fn a_world_that_imports_files_itself_keeps_its_version() {
        let wit = read(
            "package a:b; world tool { import wasi:filesystem/types@0.2.3; export f: func(); } \
             package wasi:filesystem@0.2.3 { interface types { g: func(); } }",
        );
        assert_eq!(own_files(&wit).as_deref(), Some("0.2.3"));
        assert_eq!(namespaces(&wit), BTreeSet::from(["wasi".to_owned()]));
    }
}

//! A tool's WIT: the package, the world to build for, what it exports.

use crate::error::BuildError;
use crate::ordinary::{MAX_TEXT, read_ordinary};
use std::collections::BTreeSet;
use std::io::{Error, Result as IoResult};
use std::path::Path;
use wit_parser::{PackageId, Resolve, World, WorldId, WorldItem};

/// How the names of files end that the parser reads.
const PACKAGE: [&str; 3] = ["wit", "wasm", "wat"];
/// Of all files of a package and its dependencies, in bytes.
const MAX_WIT: u64 = 32 << 20;

/// A WIT package with the world that a tool is built for.
#[derive(Clone)]
pub(crate) struct Wit {
    resolve: Resolve,
    package: PackageId,
    world: WorldId,
}

impl Wit {
    /// Reads a folder or file; `world` left out means the package's only one.
    pub(crate) fn read(path: &Path, world: Option<&str>) -> Result<Self, BuildError> {
        let wrong = |reason: String| BuildError::Wit { reason };
        if !path.exists() {
            return Err(wrong(format!(
                "there is no {}: a tool's functions are declared there, in WIT; another place is named by `wit = \
                 \"…\"` in tool.toml",
                path.display()
            )));
        }
        check_files(path)?;
        let mut resolve = Resolve::default();
        let package = match resolve.push_path(path) {
            Ok((package, _)) => package,
            Err(error) => {
                let told = resolve.render_error(&error);
                // Where the parser shows the place, what it was about to do says nothing more.
                let contexts = error.chain().map(|context| format!("{context}: "));
                let shown =
                    contexts.fold(told.as_str(), |told, context| told.strip_prefix(&context).unwrap_or(told));
                let shown = if told.contains('\n') { shown } else { &told };
                return Err(wrong(format!(
                    "the WIT in {} can't be read: {}",
                    path.display(),
                    shown.trim_end()
                )));
            }
        };
        let worlds: Vec<(String, WorldId)> =
            resolve.packages[package].worlds.iter().map(|(name, &id)| (name.clone(), id)).collect();
        let names = || worlds.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let at = path.display();
        let world = match (world, worlds.as_slice()) {
            (_, []) => return Err(wrong(format!("the WIT in {at} has no world: a tool is built for one"))),
            (None, [(_, id)]) => *id,
            (None, _) => {
                return Err(wrong(format!(
                    "the WIT in {at} has several worlds ({}): say which by `world = \"…\"` in tool.toml",
                    names()
                )));
            }
            (Some(asked), _) => match worlds.iter().find(|(name, _)| name == asked) {
                Some((_, id)) => *id,
                None => {
                    return Err(wrong(format!("the WIT in {at} has no world `{asked}`; it has {}", names())));
                }
            },
        };
        let wit = Self { resolve, package, world };
        if wit.exports().is_empty() {
            return Err(wrong(format!(
                "the world `{}` in {at} exports no function: a tool is an exported function, alone or in an \
                 exported interface",
                wit.world().name
            )));
        }
        Ok(wit)
    }

    /// Everything that was read.
    pub(crate) fn resolve(&self) -> &Resolve {
        &self.resolve
    }

    /// The world's id in it.
    pub(crate) fn world_id(&self) -> WorldId {
        self.world
    }

    /// The world.
    pub(crate) fn world(&self) -> &World {
        &self.resolve.worlds[self.world]
    }

    /// The functions that the world exports: `name`, or `interface#name`.
    pub(crate) fn exports(&self) -> BTreeSet<String> {
        exports(&self.resolve, self.world)
    }

    /// The packages that say something of what is exported, the tool's own first.
    pub(crate) fn documented(&self) -> Vec<PackageId> {
        let mut packages = vec![self.package];
        for item in self.world().exports.values() {
            match item {
                WorldItem::Interface { id, .. } => {
                    let package = self.resolve.interfaces[*id].package;
                    packages.extend(package.filter(|package| !packages.contains(package)));
                }
                WorldItem::Function(_) | WorldItem::Type { .. } => {}
            }
        }
        packages
    }
}

/// Whether everything that the parser would read is an ordinary file of a bounded length, and one that
/// is meant as WIT: what is wrong with a file is shown with its lines, which are nobody's business in others.
fn check_files(path: &Path) -> Result<(), BuildError> {
    let listed = |folder: &Path| {
        let all =
            folder.read_dir().and_then(|all| all.map(|one| Ok(one?.path())).collect::<IoResult<Vec<_>>>());
        all.map_err(|error| BuildError::read(folder, error))
    };
    let named =
        |path: &Path, ends: &[&str]| path.extension().is_some_and(|end| ends.iter().any(|one| end == *one));
    let mut files = Vec::new();
    if path.is_dir() {
        let mut folders = vec![path.to_owned()];
        let deps = path.join("deps");
        if deps.is_dir() {
            let (inner, alone): (Vec<_>, Vec<_>) = listed(&deps)?.into_iter().partition(|one| one.is_dir());
            folders.extend(inner);
            files.extend(alone.into_iter().filter(|one| named(one, &PACKAGE)));
        }
        for folder in folders {
            files.extend(listed(&folder)?.into_iter().filter(|one| !one.is_dir() && named(one, &["wit"])));
        }
    } else {
        files.push(path.to_owned());
    }
    let mut left = MAX_WIT;
    for file in files {
        let checked = || -> IoResult<u64> {
            let real = file.canonicalize()?;
            if !named(&file, &PACKAGE) || !named(&real, &PACKAGE) {
                return Err(Error::other("a file of WIT has a name that ends in .wit (or in .wasm or .wat)"));
            }
            let most = if named(&real, &["wit"]) { MAX_TEXT } else { MAX_WIT };
            Ok(read_ordinary(&real, most)?.len() as u64)
        };
        let length = checked().map_err(|error| BuildError::read(&file, error))?;
        left = left.checked_sub(length).ok_or_else(|| BuildError::Wit {
            reason: format!("the WIT in {} has more than {MAX_WIT} bytes in all", path.display()),
        })?;
    }
    Ok(())
}

/// The functions that a world exports.
pub(crate) fn exports(resolve: &Resolve, world: WorldId) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (key, item) in &resolve.worlds[world].exports {
        match item {
            WorldItem::Interface { id, .. } => {
                let functions = resolve.interfaces[*id].functions.keys();
                names.extend(functions.map(|function| format!("{}#{function}", resolve.name_world_key(key))));
            }
            WorldItem::Function(function) => {
                names.insert(function.name.clone());
            }
            WorldItem::Type { .. } => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, world: Option<&str>) -> Result<Wit, String> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tool.wit");
        std::fs::write(&path, text).unwrap();
        let place = dir.path().display().to_string();
        Wit::read(&path, world).map_err(|error| error.to_string().replace(&place, "[DIR]"))
    }

    const TWO: &str =
        "package a:b; interface i { f: func(); } world one { export i; } world two { export g: func(); }";

    #[test]
    fn the_only_world_needs_no_name_and_one_of_several_does() {
        let only = read("package a:b; world tool { export f: func(); }", None).unwrap();
        assert_eq!(only.exports(), BTreeSet::from(["f".to_owned()]));
        assert_eq!(read(TWO, Some("one")).unwrap().exports(), BTreeSet::from(["a:b/i#f".to_owned()]));
        let said = read(TWO, None).map(drop).unwrap_err();
        assert!(said.contains("several worlds (`one`, `two`)"), "{said}");
        let said = read(TWO, Some("three")).map(drop).unwrap_err();
        assert!(said.contains("no world `three`; it has `one`, `two`"), "{said}");
    }

    #[test]
    fn a_world_that_exports_nothing_is_no_tool() {
        let said = read("package a:b; world tool { import f: func(); }", None).map(drop).unwrap_err();
        assert!(said.contains("the world `tool` in [DIR]/tool.wit exports no function"), "{said}");
        let said = read("package a:b; interface i { f: func(); }", None).map(drop).unwrap_err();
        assert!(said.contains("has no world"), "{said}");
    }

    #[test]
    fn only_ordinary_files_that_are_named_as_wit_are_read() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        std::fs::write(root.join("secret"), "root:hash").unwrap();
        let folders = ["wit", "wit/deps", "wit/deps/other"].map(|name| root.join(name));
        folders.iter().for_each(|folder| std::fs::create_dir(folder).unwrap());
        std::fs::write(root.join("wit/tool.wit"), "package a:b; world tool { export f: func(); }").unwrap();
        std::fs::write(root.join("wit/deps/notes.txt"), "no WIT").unwrap();
        std::fs::write(root.join("wit/deps/other/it.wit"), "package c:d;").unwrap();
        let said = |path: &Path| Wit::read(path, None).map(drop).map_err(|error| error.to_string());
        assert_eq!(said(&root.join("wit")), Ok(()));

        let secret = said(&root.join("secret")).unwrap_err();
        assert!(
            secret.ends_with("a file of WIT has a name that ends in .wit (or in .wasm or .wat)"),
            "{secret}"
        );
        for folder in &folders {
            let strange = folder.join("strange.wit");
            for (made, wanted) in [("link", "a file of WIT has a name"), ("pipe", "not an ordinary file")] {
                match made {
                    "link" => std::os::unix::fs::symlink(root.join("secret"), &strange).unwrap(),
                    _ => crate::ordinary::tests::pipe(&strange),
                }
                let told = said(&root.join("wit")).unwrap_err();
                assert!(told.contains(wanted) && !told.contains("root:hash"), "{told}");
                std::fs::remove_file(&strange).unwrap();
            }
        }
        assert!(said(Path::new("/dev/zero")).is_err());
    }

    #[test]
    fn a_mistake_is_told_with_file_line_and_column() {
        let said = read("package a:b;\nworld tool {\n  export f: func() -> strin;\n}\n", None)
            .map(drop)
            .unwrap_err();
        assert!(said.contains("strin"), "{said}");
        assert!(said.contains("[DIR]/tool.wit:3:23"), "{said}");
    }
}

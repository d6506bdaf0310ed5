//! npm's packages that build a component: which, in what version, and where they are installed.

use crate::machine::{Missing, Way};
use crate::project::{Engine, ToolProject};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A package of npm's with the version that is known to work, and the program in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Package {
    name: &'static str,
    version: &'static str,
    program: Option<&'static str>,
}

/// The bundler.
pub(super) const ESBUILD: Package = Package { name: "esbuild", version: "0.28.2", program: Some("esbuild") };
const QUICKJS: Package =
    Package { name: "componentize-qjs", version: "0.4.5", program: Some("componentize-qjs") };
const STARLINGMONKEY: Package = Package {
    name: "@bytecodealliance/componentize-js",
    version: "0.23.0",
    program: Some("componentize-js"),
};
/// StarlingMonkey's package imports it without asking npm for it.
const SHIM: Package = Package { name: "@bytecodealliance/preview2-shim", version: "0.26.0", program: None };

/// What puts a script into a component with this engine.
pub(super) fn of(engine: Engine) -> Package {
    match engine {
        Engine::QuickJs => QUICKJS,
        Engine::StarlingMonkey => STARLINGMONKEY,
    }
}

fn all(engine: Engine) -> Vec<Package> {
    match engine {
        Engine::QuickJs => vec![QUICKJS, ESBUILD],
        Engine::StarlingMonkey => vec![STARLINGMONKEY, SHIM, ESBUILD],
    }
}

/// A package that is installed.
pub(super) struct Installed {
    pub(super) name: &'static str,
    pub(super) version: String,
    /// Its program, or its folder where it has none.
    pub(super) program: PathBuf,
}

impl Package {
    /// The package in the project or in a folder above it, where Node looks too; but not above a folder
    /// that is somebody else's or that anybody can put things into, such as `/tmp`.
    pub(super) fn find(self, project: &ToolProject) -> Option<Installed> {
        let owner = project.folder.metadata().ok()?.uid();
        let is_own = |folder: &&Path| {
            let found = folder.metadata();
            found.is_ok_and(|found| found.uid() == owner && found.mode() & 0o002 == 0)
        };
        let above = project.folder.ancestors().skip(1).take_while(is_own);
        let own = std::iter::once(project.folder.as_path());
        own.chain(above).find_map(|folder| self.find_in(&folder.join("node_modules")))
    }

    fn find_in(self, modules: &Path) -> Option<Installed> {
        let folder = modules.join(self.name);
        let manifest = json(&folder.join("package.json"))?;
        let version = manifest["version"].as_str().unwrap_or("of unknown version").to_owned();
        let program = match self.program {
            Some(name) => Some(modules.join(".bin").join(name)).filter(|program| program.is_file())?,
            None => folder,
        };
        Some(Installed { name: self.name, version, program })
    }

    fn spec(self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

/// What isn't installed for the project.
pub(super) fn missing(project: &ToolProject) -> Option<Missing> {
    let lacking: Vec<Package> =
        all(project.engine).into_iter().filter(|package| package.find(project).is_none()).collect();
    if lacking.is_empty() {
        return None;
    }
    let specs = lacking.iter().map(|package| package.spec()).collect::<Vec<_>>().join(" ");
    let manifest = json(&project.folder.join("package.json")).unwrap_or_default();
    let is_asked_for = |package: &Package| {
        ["dependencies", "devDependencies"].iter().any(|kind| manifest[kind].get(package.name).is_some())
    };
    Some(if lacking.iter().all(is_asked_for) {
        Missing::by(format!("npm's {specs}"), vec![Way::Npm(project.folder.clone())])
    } else {
        let folder = project.folder.display();
        Missing::by_hand(
            format!("npm's {specs}, which the package.json doesn't name"),
            vec![format!("npm install --prefix {folder} --save-dev {specs}")],
        )
    })
}

fn json(file: &Path) -> Option<Value> {
    serde_json::from_str(&fs::read_to_string(file).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;

    #[test]
    fn packages_that_the_manifest_doesnt_name_are_for_a_person_to_add() {
        let dir = tempfile::Builder::new().prefix("tool").tempdir().unwrap();
        let manifest = dir.path().join("package.json");
        fs::write(&manifest, "{}").unwrap();
        let project = Project::open(dir.path()).unwrap();
        let [tool] = project.tools() else { panic!("one tool") };
        let asked = missing(tool).unwrap();
        assert!(asked.ways.is_empty(), "{asked}");
        assert!(asked.to_string().contains("--save-dev componentize-qjs@0.4.5 esbuild@0.28.2"), "{asked}");
        fs::write(&manifest, r#"{"devDependencies": {"componentize-qjs": "1", "esbuild": "1"}}"#).unwrap();
        assert_eq!(missing(tool).unwrap().ways, [Way::Npm(tool.folder.clone())]);
        for (name, program) in [("componentize-qjs", "componentize-qjs"), ("esbuild", "esbuild")] {
            let modules = dir.path().join("node_modules");
            for folder in [modules.join(name), modules.join(".bin")] {
                fs::create_dir_all(folder).unwrap();
            }
            fs::write(modules.join(name).join("package.json"), r#"{"version": "7"}"#).unwrap();
            fs::write(modules.join(".bin").join(program), "").unwrap();
        }
        assert_eq!(missing(tool), None);
        assert_eq!(ESBUILD.find(tool).unwrap().version, "7");
    }

    #[test]
    fn packages_above_are_found_but_not_where_anybody_can_put_them() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::Builder::new().prefix("tool").tempdir().unwrap();
        let modules = dir.path().join("node_modules");
        fs::create_dir_all(modules.join("esbuild")).unwrap();
        fs::create_dir_all(modules.join(".bin")).unwrap();
        fs::write(modules.join("esbuild/package.json"), r#"{"version": "7"}"#).unwrap();
        fs::write(modules.join(".bin/esbuild"), "").unwrap();
        let below = dir.path().join("a/tool");
        fs::create_dir_all(&below).unwrap();
        fs::write(below.join("package.json"), "{}").unwrap();
        let project = Project::open(&below).unwrap();
        let [tool] = project.tools() else { panic!("one tool") };
        assert!(ESBUILD.find(tool).is_some());
        fs::set_permissions(dir.path(), PermissionsExt::from_mode(0o777)).unwrap();
        assert!(ESBUILD.find(tool).is_none());
    }
}

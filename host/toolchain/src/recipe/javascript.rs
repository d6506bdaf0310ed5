//! Tools in JavaScript and TypeScript: bundled by esbuild, put into a component with an engine.
//!
//! What a script may count on beside the language: `node:fs` over the fenced files (`fs.js`), and
//! `TextEncoder` and `TextDecoder`. QuickJS is the default: as small as it gets, and quick to start.
//! componentize-qjs is taken by itself: jco wraps the very same, and brings 380 MB along.

mod world;

use super::{Made, sources};
use crate::error::BuildError;
use crate::language::Language;
use crate::machine::{Machine, Missing, Way};
use crate::project::{Engine, ToolProject};
use crate::toolchain::Toolchain;
use crate::wit::Wit;
use crate::workshop::Workshop;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// npm's packages, with the versions that are known to work.
const ESBUILD: Package = Package { name: "esbuild", version: "0.28.2", program: "esbuild" };
const QUICKJS: Package = Package { name: "componentize-qjs", version: "0.4.5", program: "componentize-qjs" };
const STARLINGMONKEY: Package =
    Package { name: "@bytecodealliance/componentize-js", version: "0.23.0", program: "componentize-js" };

/// A package of npm's, and the program in it.
struct Package {
    name: &'static str,
    version: &'static str,
    program: &'static str,
}

impl Package {
    fn spec(&self) -> String {
        format!("{}@{}", self.name, self.version)
    }
}

/// What isn't here.
pub(crate) fn missing(project: &ToolProject, machine: &Machine) -> Vec<Missing> {
    let mut missing = Vec::new();
    for program in ["node", "npm"] {
        if machine.find(program).is_none() {
            let ways = vec![Way::Apt(vec!["nodejs".to_owned(), "npm".to_owned()])];
            missing.push(
                Missing::by(format!("{program}, of Node 18 or newer"), ways).or("Node from its own site"),
            );
        }
    }
    let lacking: Vec<&Package> =
        packages(project.engine).into_iter().filter(|package| find(package, project).is_none()).collect();
    if !lacking.is_empty() {
        missing.push(lacking_packages(&lacking, project));
    }
    missing
}

fn packages(engine: Engine) -> [&'static Package; 2] {
    match engine {
        Engine::QuickJs => [&QUICKJS, &ESBUILD],
        Engine::StarlingMonkey => [&STARLINGMONKEY, &ESBUILD],
    }
}

fn lacking_packages(lacking: &[&Package], project: &ToolProject) -> Missing {
    let specs = lacking.iter().map(|package| package.spec()).collect::<Vec<_>>().join(" ");
    let manifest = fs::read_to_string(project.folder.join("package.json")).unwrap_or_default();
    let manifest: Value = serde_json::from_str(&manifest).unwrap_or_default();
    let is_asked_for = |package: &&Package| {
        ["dependencies", "devDependencies"].iter().any(|kind| manifest[kind].get(package.name).is_some())
    };
    if lacking.iter().all(is_asked_for) {
        Missing::by(format!("npm's {specs}"), vec![Way::Npm(project.folder.clone())])
    } else {
        let folder = project.folder.display();
        Missing::by_hand(
            format!("npm's {specs}, which the package.json doesn't name"),
            vec![format!("npm install --prefix {folder} --save-dev {specs}")],
        )
    }
}

/// Bundles the project and puts it into a component.
pub(crate) fn build(project: &ToolProject, wit: &Wit, shop: &mut Workshop<'_>) -> Result<Made, BuildError> {
    let found =
        |package| find(package, project).ok_or_else(|| BuildError::Missing(missing(project, shop.machine())));
    let [engine, bundler] = packages(project.engine);
    let (componentizer, esbuild) = (found(engine)?, found(bundler)?);
    let folder = shop.folder(project)?;
    let bundle = folder.join("bundle.js");
    let mut command = bundling(shop, project, wit, &esbuild, &bundle)?;
    shop.run(&mut command)?;
    let text = fs::read_to_string(&bundle).map_err(|error| BuildError::read(&bundle, error))?;
    let opens_files = text.contains("\"wasi:filesystem/");
    let built = folder.join("built.wit");
    write(&built, &world::as_text(wit, opens_files && world::own_files(wit).is_none())?)?;
    let component = folder.join("component.wasm");
    let mut command = shop.command(&componentizer);
    match project.engine {
        Engine::QuickJs => {
            command.arg("--sync").arg("--wit").arg(&built).args(["--world", world::NAME]);
            command.arg("--js").arg(&bundle).arg("--output").arg(&component);
        }
        Engine::StarlingMonkey => {
            command.arg(&bundle).arg("--wit").arg(&built).args(["--world-name", world::NAME]);
            command.arg("--out").arg(&component);
            command.args(["-d", "stdio", "random", "clocks", "http", "fetch-event"]);
        }
    }
    // On standard output they only say that they are done.
    shop.run_reading(&mut command, &mut |_| {})?;
    let bytes = fs::read(&component).map_err(|error| BuildError::read(&component, error))?;
    let toolchain = Toolchain::new("npm")
        .with_version(engine.name, installed_version(engine, &componentizer))
        .with_version(bundler.name, installed_version(bundler, &esbuild));
    Ok(Made { bytes, toolchain })
}

fn entry(project: &ToolProject) -> Result<PathBuf, BuildError> {
    match project.language {
        Language::TypeScript => {
            sources::entry(project, &["tool.ts", "src/tool.ts", "index.ts", "src/index.ts"])
        }
        _ => sources::entry(project, &["tool.js", "src/tool.js", "index.js", "src/index.js"]),
    }
}

fn bundling(
    shop: &Workshop<'_>,
    project: &ToolProject,
    wit: &Wit,
    bundler: &Path,
    bundle: &Path,
) -> Result<Command, BuildError> {
    let folder = shop.folder(project)?;
    let files = folder.join("fs.js");
    let version = world::own_files(wit).unwrap_or_else(|| world::FILES_VERSION.to_owned());
    let text = include_str!("javascript/fs.js").replace(world::FILES_VERSION, &version);
    write(&files, &text)?;
    let mut command = shop.command(bundler);
    command.current_dir(&project.folder).arg(entry(project)?).args([
        "--bundle",
        "--format=esm",
        "--platform=neutral",
        "--main-fields=module,main",
        "--target=es2022",
        "--log-level=warning",
    ]);
    for namespace in world::namespaces(wit) {
        command.arg(format!("--external:{namespace}:*"));
    }
    for name in ["fs", "node:fs"] {
        command.arg(format!("--alias:{name}={}", files.display()));
    }
    match project.engine {
        Engine::QuickJs => {
            let text = folder.join("text.js");
            write(&text, include_str!("javascript/text.js"))?;
            // A u64 is a number for it.
            command.arg("--define:U64=Number").arg(format!("--inject:{}", text.display()));
        }
        Engine::StarlingMonkey => {
            command.arg("--define:U64=BigInt");
        }
    }
    command.arg(format!("--outfile={}", bundle.display()));
    Ok(command)
}

/// A program of npm's, in the project or in a folder above it: where Node looks too.
fn find(package: &Package, project: &ToolProject) -> Option<PathBuf> {
    let place = Path::new("node_modules/.bin").join(package.program);
    project.folder.ancestors().map(|folder| folder.join(&place)).find(|program| program.is_file())
}

/// What is installed beside a program, by its own manifest.
fn installed_version(package: &Package, program: &Path) -> String {
    let manifest =
        program.parent().and_then(Path::parent).map(|all| all.join(package.name).join("package.json"));
    let text = manifest.and_then(|manifest| fs::read_to_string(manifest).ok()).unwrap_or_default();
    let manifest: Value = serde_json::from_str(&text).unwrap_or_default();
    manifest["version"].as_str().unwrap_or("of unknown version").to_owned()
}

fn write(path: &Path, text: &str) -> Result<(), BuildError> {
    fs::write(path, text).map_err(|error| BuildError::write(path, error))
}

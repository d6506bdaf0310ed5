//! A compiler of C and C++ for WASI, with its library: wasi-sdk's clang, Debian's, or Zig's.
//!
//! Owns: finding one and saying how one is had; making a core module of sources and C bindings.

use super::{Made, zig};
use crate::bindings::{Generator, generate};
use crate::error::BuildError;
use crate::machine::{Machine, Missing, System, Way};
use crate::project::ToolProject;
use crate::toolchain::Toolchain;
use crate::wit::Wit;
use crate::workshop::Workshop;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The release of clang that is installed where there is none, and the oldest that is taken.
const INSTALLED: u32 = 22;
const OLDEST: u32 = 19;
const TARGET: &str = "--target=wasm32-wasip1";
/// Where Debian has WASI's headers and libraries.
const HEADERS: &str = "/usr/include/wasm32-wasi";
const LIBRARIES: &str = "/usr/lib/wasm32-wasi";

/// What is compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    C,
    Cpp,
}

/// A compiler for WASI.
struct Compiler {
    how: &'static str,
    program: PathBuf,
    /// Of every command, first.
    always: Vec<OsString>,
    /// Of those that compile C++: its headers come before C's.
    cpp: Vec<OsString>,
    /// Of every command.
    c: Vec<OsString>,
    /// Of the one that links.
    link: Vec<OsString>,
    version: Vec<&'static str>,
}

impl Dialect {
    fn name(self) -> &'static str {
        match self {
            Self::C => "C",
            Self::Cpp => "C++",
        }
    }

    /// Debian's packages, for one release of clang.
    fn packages(self, release: u32) -> Vec<String> {
        let mut packages = vec![
            format!("clang-{release}"),
            format!("lld-{release}"),
            "wasi-libc".to_owned(),
            format!("libclang-rt-{release}-dev-wasm32"),
        ];
        match self {
            Self::C => {}
            Self::Cpp => {
                packages.push(format!("libc++-{release}-dev-wasm32"));
                packages.push(format!("libc++abi-{release}-dev-wasm32"));
            }
        }
        packages
    }
}

/// What isn't here.
pub(super) fn missing(dialect: Dialect, machine: &Machine) -> Vec<Missing> {
    if find(dialect, machine).is_some() {
        return Vec::new();
    }
    let mut ways = Vec::new();
    match machine.system() {
        System::Debian => ways.push(Way::Apt(dialect.packages(INSTALLED))),
        // Their releases of clang differ.
        System::Apt | System::Other => {}
    }
    ways.push(zig::way());
    let what = format!("a compiler of {} for WASI with its library", dialect.name());
    vec![Missing::by(what, ways).or("wasi-sdk, with WASI_SDK_PATH set to its folder")]
}

/// Compiles the sources with the bindings to a core module.
pub(super) fn build(
    dialect: Dialect,
    sources: &[PathBuf],
    project: &ToolProject,
    wit: &Wit,
    shop: &mut Workshop<'_>,
) -> Result<Made, BuildError> {
    let compiler =
        find(dialect, shop.machine()).ok_or_else(|| BuildError::Missing(missing(dialect, shop.machine())))?;
    let folder = shop.folder(project)?;
    let bindings = Bindings::generate(wit, &folder)?;
    let object = folder.join("bindings.o");
    let mut compile = compiler.command(Dialect::C, shop);
    // Generated code isn't the author's to mend.
    shop.run(compile.args(["-O2", "-w", "-x", "c", "-c", "-o"]).arg(&object).arg(bindings.source()))?;
    let module = folder.join("module.wasm");
    let mut link = compiler.command(dialect, shop);
    link.args(["-O2", "-Wall", "-Wextra", "-mexec-model=reactor", "-Wl,--strip-debug", "-I"]);
    link.arg(&bindings.folder).args(&compiler.link).arg("-o").arg(&module).args(sources);
    shop.run(link.arg(&object).arg(bindings.object()))?;
    let bytes = std::fs::read(&module).map_err(|error| BuildError::read(&module, error))?;
    Ok(Made { bytes, toolchain: compiler.toolchain(shop.machine()) })
}

/// A world's C bindings in a folder.
pub(super) struct Bindings {
    pub(super) folder: PathBuf,
    /// The world's name in C.
    name: String,
}

impl Bindings {
    /// Makes them in a folder below this one.
    pub(super) fn generate(wit: &Wit, below: &Path) -> Result<Self, BuildError> {
        let folder = below.join("bindings");
        generate(Generator::C, wit, &folder)?;
        Ok(Self { folder, name: wit.world().name.replace('-', "_").to_lowercase() })
    }

    pub(super) fn header(&self) -> PathBuf {
        self.folder.join(format!("{}.h", self.name))
    }

    pub(super) fn source(&self) -> PathBuf {
        self.folder.join(format!("{}.c", self.name))
    }

    /// The object that holds the world.
    pub(super) fn object(&self) -> PathBuf {
        self.folder.join(format!("{}_component_type.o", self.name))
    }
}

impl Compiler {
    fn command(&self, dialect: Dialect, shop: &Workshop<'_>) -> Command {
        let mut command = shop.command(&self.program);
        command.args(&self.always);
        match dialect {
            Dialect::C => {}
            Dialect::Cpp => {
                command.args(&self.cpp).args(["-std=c++20", "-fno-exceptions"]);
            }
        }
        command.args(&self.c);
        zig::caches(&mut command, shop);
        command
    }

    fn toolchain(&self, machine: &Machine) -> Toolchain {
        let said = machine.ask(&self.program, &self.version).unwrap_or_default();
        let version = said.lines().next().unwrap_or("of unknown version");
        let name = if self.how == "zig" { "zig" } else { "clang" };
        Toolchain::new(self.how).with_version(name, version)
    }
}

fn find(dialect: Dialect, machine: &Machine) -> Option<Compiler> {
    wasi_sdk(machine).or_else(|| debian(dialect, machine)).or_else(|| by_zig(dialect, machine))
}

fn words(words: &[&str]) -> Vec<OsString> {
    words.iter().map(OsString::from).collect()
}

fn wasi_sdk(machine: &Machine) -> Option<Compiler> {
    let program = PathBuf::from(machine.variable("WASI_SDK_PATH")?).join("bin/clang");
    program.is_file().then(|| Compiler {
        how: "wasi-sdk",
        program,
        always: words(&[TARGET]),
        cpp: Vec::new(),
        c: Vec::new(),
        link: words(&["-lc++", "-lc++abi"]),
        version: vec!["--version"],
    })
}

/// A clang of the system whose runtime, linker and libraries for WASI are there too.
fn debian(dialect: Dialect, machine: &Machine) -> Option<Compiler> {
    let (headers, libraries) = (Path::new(HEADERS), Path::new(LIBRARIES));
    let has_library = match dialect {
        Dialect::C => headers.join("stdio.h").is_file(),
        Dialect::Cpp => headers.join("c++/v1/vector").is_file() && libraries.join("libc++.a").is_file(),
    };
    if !has_library {
        return None;
    }
    let programs = (OLDEST..=INSTALLED + 8)
        .rev()
        .map(|release| (format!("clang-{release}"), format!("wasm-ld-{release}")))
        .chain([("clang".to_owned(), "wasm-ld".to_owned())]);
    for (clang, linker) in programs {
        let (Some(program), Some(_)) = (machine.find(&clang), machine.find(&linker)) else { continue };
        let runtime = machine.ask(&program, &[TARGET, "-print-libgcc-file-name"]);
        if !runtime.is_some_and(|runtime| Path::new(&runtime).is_file()) {
            continue;
        }
        let library = match dialect {
            Dialect::C => Vec::new(),
            Dialect::Cpp => words(&["-lc++", "-lc++abi"]),
        };
        return Some(Compiler {
            how: "debian",
            program,
            always: words(&[TARGET]),
            cpp: words(&["-nostdinc++", "-isystem", "/usr/include/wasm32-wasi/c++/v1"]),
            c: words(&["-isystem", HEADERS]),
            link: [words(&["-B/usr/lib/wasm32-wasi", "-L/usr/lib/wasm32-wasi"]), library].concat(),
            version: vec!["--version"],
        });
    }
    None
}

fn by_zig(dialect: Dialect, machine: &Machine) -> Option<Compiler> {
    let driver = match dialect {
        Dialect::C => "cc",
        Dialect::Cpp => "c++",
    };
    Some(Compiler {
        how: "zig",
        program: zig::find(machine)?,
        always: words(&[driver, "-target", "wasm32-wasi"]),
        cpp: Vec::new(),
        c: Vec::new(),
        link: Vec::new(),
        version: vec!["version"],
    })
}

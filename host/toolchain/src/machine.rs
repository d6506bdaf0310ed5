//! What is installed here: programs, their versions, and how this system gets what is missing.
//!
//! Owns: finding programs and saying how a missing one is had. Installs nothing; `install` does.

use crate::run::{self, Cancel};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a program may take to say its version.
const ANSWER: Duration = Duration::from_secs(15);
/// The same where what lies in a folder chooses the program: it may be downloaded first.
const ANSWER_IN: Duration = Duration::from_secs(600);

/// The machine that tools are built on.
#[derive(Debug, Clone)]
pub(crate) struct Machine {
    path: Vec<PathBuf>,
    system: System,
    cache: PathBuf,
    cancel: Cancel,
}

/// A kind of system, by how it installs software.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum System {
    /// Debian itself.
    Debian,
    /// Another one with `apt-get`, such as Ubuntu.
    Apt,
    /// Any other.
    Other,
}

/// Something that a recipe needs and that isn't here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Missing {
    /// What it is, as a person calls it.
    pub what: String,
    /// Ways to get it on this system, any of which is enough: commands, or where it is downloaded.
    pub how: Vec<String>,
    /// What `install` tries, in this order, until one works; empty where a person has to do it.
    pub(crate) ways: Vec<Way>,
}

/// A way to install something without asking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Way {
    /// Packages of the system; only root can.
    Apt(Vec<String>),
    /// A target of rustup's.
    Rustup(String),
    /// A package from PyPI (`name==version`), into the virtual environment in the cache.
    Pip(String),
    /// The packages that the `package.json` in this folder asks for.
    Npm(PathBuf),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "- {}", self.what)?;
        for (at, how) in self.how.iter().enumerate() {
            write!(f, "\n    {}{how}", if at == 0 { "" } else { "or: " })?;
        }
        Ok(())
    }
}

impl Missing {
    /// Whether it may be had without a person's doing, where this user may install.
    pub fn can_be_installed(&self) -> bool {
        !self.ways.is_empty()
    }

    /// Something that only a person can get.
    pub(crate) fn by_hand(what: impl Into<String>, how: Vec<String>) -> Self {
        Self { what: what.into(), how, ways: Vec::new() }
    }

    /// Something that a way gets.
    pub(crate) fn by(what: impl Into<String>, ways: Vec<Way>) -> Self {
        Self { what: what.into(), how: ways.iter().map(Way::to_string).collect(), ways }
    }

    /// Another way that a person can go.
    #[must_use]
    pub(crate) fn or(mut self, how: impl Into<String>) -> Self {
        self.how.push(how.into());
        self
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Apt(packages) => {
                write!(f, "as root: apt-get install --no-install-recommends {}", packages.join(" "))
            }
            Self::Rustup(target) => write!(f, "rustup target add {target}"),
            Self::Pip(package) => write!(f, "pip install {package}"),
            Self::Npm(folder) => write!(f, "npm install --prefix {}", folder.display()),
        }
    }
}

impl Machine {
    /// This one, with the PATH of this process; what is installed for tools alone is kept in `cache`.
    /// `cancel` stops the programs that are asked.
    pub(crate) fn here(cache: &Path, cancel: &Cancel) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
        let machine = Self::new(std::env::split_paths(&path).collect(), System::of(&release), cache);
        Self { cancel: cancel.clone(), ..machine }
    }

    /// One with these folders of programs.
    pub(crate) fn new(path: Vec<PathBuf>, system: System, cache: &Path) -> Self {
        // A relative folder would mean another one in each project.
        let path = path.into_iter().filter(|folder| folder.is_absolute()).collect();
        Self { path, system, cache: cache.to_owned(), cancel: Cancel::default() }
    }

    /// How it installs software.
    pub(crate) fn system(&self) -> System {
        self.system
    }

    /// Where Python's packages for building tools are installed: a virtual environment.
    pub(crate) fn venv(&self) -> PathBuf {
        self.cache.join("python")
    }

    /// A program of that virtual environment.
    pub(crate) fn find_in_venv(&self, name: &str) -> Option<PathBuf> {
        Some(self.venv().join("bin").join(name)).filter(|file| is_program(file))
    }

    /// The program of this name in PATH.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        self.path.iter().map(|folder| folder.join(name)).find(|file| is_program(file))
    }

    /// The first of these programs that is in PATH.
    pub(crate) fn first_of(&self, names: &[&str]) -> Option<PathBuf> {
        names.iter().find_map(|name| self.find(name))
    }

    /// An environment variable that says where something is; none where it is empty.
    pub(crate) fn variable(&self, name: &str) -> Option<OsString> {
        std::env::var_os(name).filter(|value| !value.is_empty())
    }

    /// What a program prints on standard output; none where it fails, takes too
    /// long or is cancelled.
    pub(crate) fn ask(&self, program: &Path, arguments: &[&str]) -> Option<String> {
        run::answer(run::command(program).args(arguments), &self.cancel, ANSWER)
    }

    /// The same, asked in a folder: what lies there may choose another version of the program.
    pub(crate) fn ask_in(&self, folder: &Path, program: &Path, arguments: &[&str]) -> Option<String> {
        run::answer(run::command(program).args(arguments).current_dir(folder), &self.cancel, ANSWER_IN)
    }

    /// The first line of what a program says of its version.
    pub(crate) fn version(&self, program: &Path) -> Option<String> {
        Some(self.ask(program, &["--version"])?.lines().next()?.trim().to_owned())
    }

    /// Those of Debian's packages that aren't installed; all of them where there is no dpkg.
    pub(crate) fn packages_missing<'a>(&self, packages: &[&'a str]) -> Vec<&'a str> {
        let Some(dpkg) = self.find("dpkg-query") else { return packages.to_vec() };
        let installed = |package: &str| {
            self.ask(&dpkg, &["-W", "-f", "${Status}", package])
                .is_some_and(|status| status == "install ok installed")
        };
        packages.iter().copied().filter(|package| !installed(package)).collect()
    }
}

impl System {
    fn of(os_release: &str) -> Self {
        let value = |key: &str| {
            let line = os_release.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
            line.unwrap_or_default().trim_matches('"').to_owned()
        };
        let like = value("ID_LIKE");
        if value("ID") == "debian" {
            Self::Debian
        } else if like.split_whitespace().any(|name| matches!(name, "debian" | "ubuntu")) {
            Self::Apt
        } else {
            Self::Other
        }
    }
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_system_is_known_by_its_release_file() {
        assert_eq!(System::of("NAME=\"Debian GNU/Linux\"\nID=debian\n"), System::Debian);
        assert_eq!(System::of("ID=ubuntu\nID_LIKE=debian\n"), System::Apt);
        assert_eq!(System::of("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"), System::Apt);
        assert_eq!(System::of("ID=fedora\n"), System::Other);
        assert_eq!(System::of(""), System::Other);
    }

    #[test]
    fn a_program_is_found_in_the_order_of_the_path_and_a_text_file_is_none() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let folders: Vec<PathBuf> = ["a", "b", "c"].iter().map(|name| dir.path().join(name)).collect();
        for (at, folder) in folders.iter().enumerate() {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join("cc"), "").unwrap();
            let mode = if at == 0 { 0o644 } else { 0o755 };
            std::fs::set_permissions(folder.join("cc"), PermissionsExt::from_mode(mode)).unwrap();
        }
        let machine = Machine::new(folders.clone(), System::Other, dir.path());
        assert_eq!(machine.find("cc"), Some(folders[1].join("cc")));
        assert_eq!(machine.find("clang"), None);
        assert_eq!(Machine::new(vec!["bin".into()], System::Other, dir.path()).find("cc"), None);
    }

    #[test]
    fn what_is_missing_is_told_with_every_way_to_get_it() {
        let ways = vec![Way::Rustup("wasm32-wasip2".into()), Way::Apt(vec!["rustc-web".into()])];
        let missing = Missing::by("Rust for WebAssembly", ways).or("another way");
        assert_eq!(
            missing.to_string(),
            "- Rust for WebAssembly\n    rustup target add wasm32-wasip2\n    or: as root: apt-get install \
             --no-install-recommends rustc-web\n    or: another way"
        );
    }
}

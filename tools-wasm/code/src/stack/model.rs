//! What a stack says; the interface's types, one to one.

use crate::setting::Setting;
use serde::Serialize;

/// What a project is built with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Stack {
    /// The folder, tidied.
    pub directory: String,
    /// By share.
    pub languages: Vec<LanguageShare>,
    /// The project's own first.
    pub manifests: Vec<Manifest>,
    /// Frameworks, tools, runtimes.
    pub technologies: Vec<Technology>,
    /// What manifests ask for.
    pub dependencies: Vec<Dependency>,
    /// How many there are in all.
    pub total_dependencies: u32,
    /// Where the next page of them begins.
    pub next: Option<u32>,
    /// Files without ignored ones.
    pub files: u32,
    /// What wasn't looked at: path and reason.
    pub skipped: Vec<(String, String)>,
    /// Whether all entries were seen.
    pub complete: bool,
}

/// How much is in one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LanguageShare {
    /// Its usual name.
    pub name: String,
    /// How many files.
    pub files: u32,
    /// Their bytes.
    pub bytes: u64,
    /// Share of all bytes, in thousandths.
    pub permille: u32,
    /// Its largest file.
    pub path: String,
}

/// What a dependency is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// To run.
    Runtime,
    /// To develop or test.
    Development,
    /// To build.
    Build,
    /// For an extra.
    Optional,
    /// Brought by the user.
    Peer,
}

/// Something that a manifest asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Dependency {
    /// Its name in its registry.
    pub name: String,
    /// As written.
    pub requirement: String,
    /// By a lock file.
    pub resolved: Option<String>,
    /// What it is for.
    pub scope: Scope,
    /// The manifest.
    pub path: String,
    /// The line.
    pub line: u32,
}

/// A manifest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Manifest {
    /// The file.
    pub path: String,
    /// Whose format.
    pub ecosystem: Ecosystem,
    /// The package.
    pub name: Option<String>,
    /// Its version.
    pub version: Option<String>,
    /// One line.
    pub description: Option<String>,
    /// Its licence.
    pub license: Option<String>,
    /// The line that names it.
    pub line: u32,
    /// How many dependencies it lists.
    pub dependencies: u32,
    /// What kind of place it is.
    pub setting: Setting,
    /// What couldn't be understood.
    pub trouble: Option<String>,
}

/// Whose registry and formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Ecosystem {
    /// Node.js and browsers.
    #[serde(rename = "npm")]
    Npm,
    /// Python.
    PyPI,
    /// Rust.
    Cargo,
    /// Go.
    Go,
    /// The JVM.
    Maven,
    /// The JVM.
    Gradle,
    /// Ruby.
    RubyGems,
    /// PHP.
    Composer,
    /// .NET.
    NuGet,
}

impl Ecosystem {
    /// As it is usually written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Npm => "npm",
            Self::PyPI => "PyPI",
            Self::Cargo => "Cargo",
            Self::Go => "Go",
            Self::Maven => "Maven",
            Self::Gradle => "Gradle",
            Self::RubyGems => "RubyGems",
            Self::Composer => "Composer",
            Self::NuGet => "NuGet",
        }
    }
}

/// What a technology is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TechnologyKind {
    /// The code is written in it.
    Framework,
    /// It shapes the code.
    Library,
    /// What it runs on.
    Runtime,
    /// Builds or packages.
    BuildTool,
    /// Manages packages.
    PackageManager,
    /// Tests.
    TestTool,
    /// Checks or formats.
    Linter,
    /// Continuous integration.
    Ci,
    /// Containers.
    Container,
    /// Deployment.
    Infrastructure,
    /// Documentation.
    Documentation,
}

/// A technology and the place that shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Technology {
    /// Its usual name.
    pub name: String,
    /// What it is used for.
    pub kind: TechnologyKind,
    /// As written.
    pub version: Option<String>,
    /// The file.
    pub path: String,
    /// The line.
    pub line: u32,
    /// What stands there.
    pub evidence: String,
}

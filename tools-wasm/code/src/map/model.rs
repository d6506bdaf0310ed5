//! What a map says; the interface's types, one to one.

use crate::language::Language;
use crate::setting::Setting;
use crate::skipped::Skipped;
use serde::Serialize;

/// How a project is put together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CodeMap {
    /// The folder, tidied.
    pub directory: String,
    /// Files of code, in path order.
    pub modules: Vec<Module>,
    /// How many there are in all.
    pub total: u32,
    /// Where the next page begins.
    pub next: Option<u32>,
    /// By size.
    pub packages: Vec<Package>,
    /// How many there are in all.
    pub total_packages: u32,
    /// Most used first.
    pub externals: Vec<External>,
    /// The surest first.
    pub entry_points: Vec<EntryPoint>,
    /// The largest first.
    pub cycles: Vec<Cycle>,
    /// `path:line: import`.
    pub unresolved: Vec<String>,
    /// Vendored and generated files.
    pub set_apart: u32,
    /// What wasn't looked at.
    pub skipped: Vec<Skipped>,
    /// Whether all files were looked at.
    pub complete: bool,
}

/// A file of code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Module {
    /// Its path.
    pub path: String,
    /// Its language.
    pub language: Language,
    /// Its package's path.
    pub package: String,
    /// What kind of place it is.
    pub setting: Setting,
    /// Lines with code.
    pub code_lines: u32,
    /// How many symbols it defines.
    pub symbols: u32,
    /// Its most complex function.
    pub hardest: Option<Hardest>,
    /// The project's own files that it imports.
    pub imports: Vec<String>,
    /// How many of them import it.
    pub imported_by: u32,
    /// How far it is from the ground.
    pub layer: u32,
}

/// A file's most complex function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Hardest {
    /// Its name with its owner.
    pub name: String,
    /// Its first line.
    pub line: u32,
    /// Its cyclomatic complexity.
    pub cyclomatic: u32,
}

/// A folder of code that belongs together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Package {
    /// Its folder.
    pub path: String,
    /// How its language names it.
    pub name: String,
    /// How many files.
    pub files: u32,
    /// Their lines with code.
    pub code_lines: u32,
    /// What kind of place most of it is.
    pub setting: Setting,
    /// Other packages that it imports.
    pub imports: Vec<Edge>,
    /// How far it is from the ground.
    pub layer: u32,
}

/// Imports from one package to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Edge {
    /// The imported package's path.
    pub to: String,
    /// How many.
    pub count: u32,
    /// A file with one of them.
    pub path: String,
    /// Its line.
    pub line: u32,
}

/// Code of others that is imported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct External {
    /// Its name.
    pub name: String,
    /// The importing language.
    pub language: Language,
    /// Whether it comes with the language.
    pub standard: bool,
    /// How many files import it.
    pub files: u32,
    /// One of them.
    pub path: String,
    /// The import's line.
    pub line: u32,
}

/// Where the program begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EntryPoint {
    /// The file.
    pub path: String,
    /// The line.
    pub line: Option<u32>,
    /// Why it is one.
    pub why: String,
}

/// Files that import each other in a circle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Cycle {
    /// Their paths.
    pub members: Vec<String>,
}

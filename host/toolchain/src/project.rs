//! A tool project: a folder with a tool's source, and what its `tool.toml` says of it.
//!
//! Owns: reading `tool.toml`, its defaults, which language lies there. Doesn't own: how a language
//! is built (`recipe`).

use crate::error::BuildError;
use crate::language::Language;
use crate::settings::Settings;
use std::path::{Path, PathBuf};

/// The file at the root of a tool project.
pub const FILE: &str = "tool.toml";

/// One tool project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolProject {
    /// Its folder, as it really is.
    pub folder: PathBuf,
    /// The component's file is `NAME.wasm`.
    pub name: String,
    /// What it is written in.
    pub language: Language,
    /// The folder or file of its WIT.
    pub wit: PathBuf,
    /// The world; none where the package's only one is meant.
    pub world: Option<String>,
    /// The sources, where it names them; they may lie outside of its folder.
    pub sources: Option<Vec<PathBuf>>,
    /// What runs it, for JavaScript and TypeScript.
    pub engine: Engine,
}

/// What runs JavaScript within a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Engine {
    /// Small and quick to start.
    #[default]
    QuickJs,
    /// Mozilla's.
    StarlingMonkey,
}

/// What a folder holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Project {
    /// A tool.
    Tool(ToolProject),
    /// Several tools, in the order of `members`.
    Several(Vec<ToolProject>),
}

impl Project {
    /// Reads a folder.
    pub fn open(folder: &Path) -> Result<Self, BuildError> {
        let (folder, settings) = Settings::of(folder)?;
        let Some(members) = &settings.members else {
            return Ok(Self::Tool(ToolProject::new(folder, &settings)?));
        };
        let mut tools: Vec<ToolProject> = Vec::new();
        for member in members {
            let (place, own) = Settings::of(&folder.join(member))?;
            if own.members.is_some() {
                return Err(
                    own.wrong(format!("it is a member of {} and can't have `members`", folder.display()))
                );
            }
            let tool = ToolProject::new(place, &own)?;
            if let Some(other) = tools.iter().find(|other| other.name == tool.name) {
                let (a, b) = (other.folder.display(), tool.folder.display());
                return Err(settings.wrong(format!("two members are named `{}`: {a} and {b}", tool.name)));
            }
            tools.push(tool);
        }
        Ok(Self::Several(tools))
    }

    /// Its tools.
    pub fn tools(&self) -> &[ToolProject] {
        match self {
            Self::Tool(tool) => std::slice::from_ref(tool),
            Self::Several(tools) => tools,
        }
    }
}

impl ToolProject {
    fn new(folder: PathBuf, settings: &Settings) -> Result<Self, BuildError> {
        let language = match settings.language {
            Some(language) => language,
            None => found_in(&folder)?,
        };
        Ok(Self {
            name: settings.name(&folder)?,
            language,
            wit: settings.wit(&folder),
            world: settings.world.clone(),
            sources: settings.sources.as_ref().map(|all| all.iter().map(|one| folder.join(one)).collect()),
            engine: settings.engine(language)?,
            folder,
        })
    }

    /// The sources: those that it names, else `default` in its folder, where they are there.
    pub(crate) fn sources_or(&self, default: &[&str]) -> Vec<PathBuf> {
        let usual =
            || default.iter().map(|name| self.folder.join(name)).filter(|path| path.exists()).collect();
        self.sources.clone().unwrap_or_else(usual)
    }
}

/// The language of what lies in the folder.
fn found_in(folder: &Path) -> Result<Language, BuildError> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|error| BuildError::read(folder, error))? {
        let entry = entry.map_err(|error| BuildError::read(folder, error))?;
        // A name that isn't UTF-8 tells of no language.
        if let Ok(name) = entry.file_name().into_string() {
            names.push(name);
        }
    }
    names.sort();
    let mut found: Vec<(Language, String)> = Vec::new();
    for language in Language::ALL {
        if let Some(name) = names.iter().find(|name| tells(language, name, &names)) {
            found.push((language, name.clone()));
        }
    }
    match found.as_slice() {
        [] => Err(BuildError::NoLanguage { folder: folder.to_owned() }),
        [(language, _)] => Ok(*language),
        _ => Err(BuildError::Languages { folder: folder.to_owned(), found }),
    }
}

/// Whether a file of this name, among these, tells of the language.
fn tells(language: Language, name: &str, among: &[String]) -> bool {
    let is_typed =
        |name: &str| name == "tsconfig.json" || (name.ends_with(".ts") && !name.ends_with(".d.ts"));
    match language {
        Language::Rust => name == "Cargo.toml",
        Language::Python => name == "pyproject.toml" || name.ends_with(".py"),
        Language::JavaScript => name == "package.json" && !among.iter().any(|name| is_typed(name)),
        Language::TypeScript => name == "package.json" && among.iter().any(|name| is_typed(name)),
        Language::C => name.ends_with(".c"),
        Language::Cpp => name.ends_with(".cpp"),
        Language::Go => name == "go.mod",
        Language::Zig => name == "build.zig" || name.ends_with(".zig"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let dir = tempfile::Builder::new().prefix("tool").tempdir().unwrap();
        for file in files {
            let path = dir.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        dir
    }

    #[test]
    fn the_language_is_found_by_what_lies_there() {
        let cases: [(&[&str], Language); 10] = [
            (&["Cargo.toml", "src/lib.rs"], Language::Rust),
            (&["package.json", "tool.js"], Language::JavaScript),
            (&["package.json", "types.d.ts", "tool.js"], Language::JavaScript),
            (&["package.json", "tool.ts"], Language::TypeScript),
            (&["package.json", "tsconfig.json", "src/tool.ts"], Language::TypeScript),
            (&["go.mod", "main.go"], Language::Go),
            (&["tool.zig"], Language::Zig),
            (&["tool.cpp", "tool.h"], Language::Cpp),
            (&["tool.c"], Language::C),
            (&["app.py"], Language::Python),
        ];
        for (files, language) in cases {
            assert_eq!(found_in(folder(files).path()).unwrap(), language, "{files:?}");
        }
    }

    #[test]
    fn two_languages_in_one_folder_are_named_with_what_tells_of_them() {
        let dir = folder(&["Cargo.toml", "shim.c"]);
        let said = found_in(dir.path()).unwrap_err().to_string();
        assert!(said.contains("rust (Cargo.toml) or c (shim.c)"), "{said}");
        assert!(said.contains("`language = \"rust\"`"), "{said}");
    }

    #[test]
    fn members_are_read_in_their_order_and_two_of_one_name_are_refused() {
        let dir = folder(&["b/tool.c", "a/tool.py"]);
        fs::write(dir.path().join(FILE), "members = [\"b\", \"a\"]").unwrap();
        let names = |project: &Project| -> Vec<String> {
            project.tools().iter().map(|tool| tool.name.clone()).collect()
        };
        assert_eq!(names(&Project::open(dir.path()).unwrap()), ["b", "a"]);
        fs::write(dir.path().join("b/tool.toml"), "name = \"a\"").unwrap();
        let said = Project::open(dir.path()).unwrap_err().to_string();
        assert!(said.contains("two members are named `a`"), "{said}");
    }

    #[test]
    fn sources_may_lie_outside_of_the_folder() {
        let dir = folder(&["tool/tool.c"]);
        fs::write(
            dir.path().join("tool/tool.toml"),
            "sources = [\"tool.c\", \"../shared.c\"]\nwit = \"../wit\"",
        )
        .unwrap();
        let project = Project::open(&dir.path().join("tool")).unwrap();
        let [tool] = project.tools() else { panic!("one tool") };
        assert_eq!(tool.sources_or(&[]), [tool.folder.join("tool.c"), tool.folder.join("../shared.c")]);
        assert_eq!(tool.wit, tool.folder.join("../wit"));
    }
}

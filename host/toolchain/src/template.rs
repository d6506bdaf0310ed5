//! New tool projects: a small complete one in each language, from the files in `templates/`.
//!
//! Owns: what such a project is made of, which names it can have. Doesn't own: what is said about it.

use crate::language::Language;
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Of a name, in bytes.
const MAX_NAME: usize = 64;

/// Why no project was made.
#[derive(Debug, Error)]
pub enum NewError {
    /// The name can't be a tool's.
    #[error(
        "`{name}` can't be a tool's name: {reason}; want words of the letters a to z and digits, joined by `_` or \
         `-`, like word_count"
    )]
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Something of this name is there already; it is left as it is.
    #[error("{} is there already, and left as it is", path.display())]
    Exists {
        /// The folder or file.
        path: PathBuf,
    },
    /// It can't be written.
    #[error("cannot write {}: {reason}", path.display())]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// What the system says.
        reason: String,
    },
}

/// A name for a tool project, as it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolName(String);

impl ToolName {
    /// Checks a name.
    pub fn parse(name: &str) -> Result<Self, NewError> {
        let wrong = |reason: &str| NewError::Name { name: name.to_owned(), reason: reason.to_owned() };
        if name.is_empty() {
            return Err(wrong("it is empty"));
        }
        if name.len() > MAX_NAME {
            return Err(wrong(&format!("it has more than {MAX_NAME} characters")));
        }
        if name.contains(['/', '\\']) || name.starts_with('.') {
            return Err(wrong("it is no path, the project is made in the current folder"));
        }
        if let Some(other) = name.chars().find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '_' | '-')) {
            return Err(wrong(&format!("it has {other:?} in it")));
        }
        if name.split(['_', '-']).any(|word| !word.starts_with(|c: char| c.is_ascii_lowercase())) {
            return Err(wrong("each of its words begins with a letter"));
        }
        let name = Self(name.to_owned());
        // A word of WIT's own, such as `world`, is no package.
        let package = format!("package local:{};", name.kebab());
        match wit_parser::UnresolvedPackageGroup::parse("tool.wit", &package) {
            Ok(_) => Ok(name),
            Err(_) => Err(wrong("it is a word of WIT's own")),
        }
    }

    /// As it is spelled in files, in JSON and in most languages: `my_tool`.
    pub fn snake(&self) -> String {
        self.0.replace('-', "_")
    }

    /// As WIT spells it: `my-tool`.
    fn kebab(&self) -> String {
        self.0.replace('_', "-")
    }
}

/// A new project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTool {
    /// Its folder: the name as it was given, below the one it was made in.
    pub folder: PathBuf,
    /// Its files, seen from that folder.
    pub files: Vec<&'static str>,
}

/// Makes a project in a new folder below `below`: all of it or nothing.
pub fn create(below: &Path, name: &ToolName, language: Language) -> Result<NewTool, NewError> {
    let folder = below.join(&name.0);
    let failed = |path: &Path, error: std::io::Error| NewError::Write {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    if folder.symlink_metadata().is_ok() {
        return Err(NewError::Exists { path: folder });
    }
    let part = tempfile::Builder::new()
        .prefix(".ringfence-new-")
        .permissions(fs::Permissions::from_mode(0o755))
        .tempdir_in(below)
        .map_err(|error| failed(below, error))?;
    let files = files(language);
    for (file, text) in &files {
        let path = part.path().join(file);
        let parent = path.parent().unwrap_or(part.path());
        fs::create_dir_all(parent).map_err(|error| failed(parent, error))?;
        fs::write(&path, filled(text, name, language)).map_err(|error| failed(&path, error))?;
    }
    match fs::rename(part.path(), &folder) {
        Ok(()) => Ok(NewTool { folder, files: files.into_iter().map(|(file, _)| file).collect() }),
        Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::DirectoryNotEmpty) => {
            Err(NewError::Exists { path: folder })
        }
        Err(error) => Err(failed(&folder, error)),
    }
}

fn filled(text: &str, name: &ToolName, language: Language) -> String {
    let (title, source) = told(language);
    text.replace("{{name}}", &name.snake())
        .replace("{{kebab}}", &name.kebab())
        .replace("{{language}}", language.name())
        .replace("{{title}}", title)
        .replace("{{source}}", source)
}

/// The language as people write it, and the template's source.
fn told(language: Language) -> (&'static str, &'static str) {
    match language {
        Language::Rust => ("Rust", "src/lib.rs"),
        Language::Python => ("Python", "app.py"),
        Language::JavaScript => ("JavaScript", "tool.js"),
        Language::TypeScript => ("TypeScript", "tool.ts"),
        Language::C => ("C", "tool.c"),
        Language::Cpp => ("C++", "tool.cpp"),
        Language::Go => ("Go", "tool.go"),
        Language::Zig => ("Zig", "tool.zig"),
    }
}

macro_rules! template {
    ($($name:literal = $file:literal),+ $(,)?) => {
        vec![$(($name, include_str!(concat!("../templates/", $file)))),+]
    };
}

fn files(language: Language) -> Vec<(&'static str, &'static str)> {
    let mut files = template![
        "README.md" = "common/README.md",
        "tests/cases.toml" = "common/tests/cases.toml",
        "tests/project/poem.txt" = "common/tests/project/poem.txt",
        "tool.toml" = "common/tool.toml",
        "wit/tool.wit" = "common/wit/tool.wit",
    ];
    files.extend(match language {
        Language::Rust => template![
            ".gitignore" = "rust/gitignore",
            "Cargo.toml" = "rust/Cargo.toml.in",
            "src/lib.rs" = "rust/src/lib.rs",
        ],
        Language::Python => template![".gitignore" = "python/gitignore", "app.py" = "python/app.py"],
        Language::JavaScript => template![
            ".gitignore" = "javascript/gitignore",
            "package.json" = "javascript/package.json",
            "tool.js" = "javascript/tool.js",
        ],
        Language::TypeScript => template![
            ".gitignore" = "typescript/gitignore",
            "package.json" = "typescript/package.json",
            "tool.ts" = "typescript/tool.ts",
        ],
        Language::C => template![".gitignore" = "c/gitignore", "tool.c" = "c/tool.c"],
        Language::Cpp => template![".gitignore" = "cpp/gitignore", "tool.cpp" = "cpp/tool.cpp"],
        Language::Go => {
            template![".gitignore" = "go/gitignore", "go.mod" = "go/go.mod.in", "tool.go" = "go/tool.go",]
        }
        Language::Zig => template![".gitignore" = "zig/gitignore", "tool.zig" = "zig/tool.zig"],
    });
    files.sort_unstable();
    files
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::Project;
    use crate::wit::Wit;

    #[test]
    fn a_project_of_every_language_is_one_that_can_be_read() {
        for language in Language::ALL {
            let dir = tempfile::tempdir().unwrap();
            let made = create(dir.path(), &ToolName::parse("my-tool").unwrap(), language).unwrap();
            let project = Project::open(&made.folder).unwrap();
            let [tool] = project.tools() else { panic!("one tool") };
            assert_eq!((tool.name.as_str(), tool.language), ("my_tool", language));
            let wit = Wit::read(&tool.wit, None).unwrap();
            assert!(wit.exports().contains("count-words"));
            for file in &made.files {
                let text = fs::read_to_string(made.folder.join(file)).unwrap();
                assert!(!text.contains("{{"), "{language} {file}: {text}");
            }
            assert!(made.files.contains(&told(language).1), "{language}");
            let left: Vec<_> = fs::read_dir(dir.path()).unwrap().collect();
            assert_eq!(left.len(), 1);
        }
    }

    #[test]
    fn both_spellings_are_a_name_and_what_isnt_says_why() {
        for name in ["my_tool", "my-tool", "a", "read2"] {
            assert_eq!(ToolName::parse(name).unwrap().snake(), name.replace('-', "_"));
        }
        for (name, said) in [
            ("", "it is empty"),
            ("..", "it is no path"),
            ("a/b", "it is no path"),
            ("数词", "it has '数' in it"),
            ("MyTool", "it has 'M' in it"),
            ("my--tool", "each of its words begins with a letter"),
            ("my_2", "each of its words begins with a letter"),
            ("world", "it is a word of WIT's own"),
            (&"a".repeat(65), "it has more than 64 characters"),
        ] {
            let error = ToolName::parse(name).unwrap_err().to_string();
            assert!(error.contains(said), "{name}: {error}");
        }
    }

    #[test]
    fn what_is_there_is_left_as_it_is() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("mine")).unwrap();
        let name = ToolName::parse("mine").unwrap();
        let error = create(dir.path(), &name, Language::C).unwrap_err();
        assert!(matches!(error, NewError::Exists { .. }), "{error}");
        assert_eq!(fs::read_dir(dir.path().join("mine")).unwrap().count(), 0);
    }
}

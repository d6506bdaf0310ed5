//! `tool.toml` as it is written: keys, their kinds, what is left out.

use crate::error::BuildError;
use crate::language::Language;
use crate::likely::likely;
use crate::ordinary::read_text;
use crate::project::{Engine, FILE};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use toml::{Table, Value};

const KEYS: [&str; 7] = ["name", "language", "wit", "world", "sources", "engine", "members"];
/// Of a component's name, in bytes.
const MAX_NAME: usize = 64;

/// What a `tool.toml` says; all none where there is no such file.
#[derive(Debug, Default)]
pub(crate) struct Settings {
    path: PathBuf,
    name: Option<String>,
    pub(crate) language: Option<Language>,
    wit: Option<String>,
    pub(crate) world: Option<String>,
    pub(crate) sources: Option<Vec<String>>,
    engine: Option<Engine>,
    pub(crate) members: Option<Vec<String>>,
}

impl Settings {
    /// Those of a folder, with the folder's real path.
    pub(crate) fn of(folder: &Path) -> Result<(PathBuf, Self), BuildError> {
        let none = |reason: String| BuildError::Settings { path: folder.to_owned(), reason };
        let real = folder.canonicalize().map_err(|error| none(format!("no tool is there: {error}")))?;
        if !real.is_dir() {
            return Err(none("it is a file; a tool project is a folder".to_owned()));
        }
        let path = real.join(FILE);
        let settings = match read_text(&path) {
            Ok(text) => Self::parse(path, &text)?,
            Err(error) if error.kind() == ErrorKind::NotFound => Self { path, ..Self::default() },
            Err(error) => return Err(BuildError::read(&path, error)),
        };
        Ok((real, settings))
    }

    fn parse(path: PathBuf, text: &str) -> Result<Self, BuildError> {
        let mut settings = Self { path, ..Self::default() };
        let table: Table =
            toml::from_str(text).map_err(|error| settings.wrong(error.to_string().trim_end().to_owned()))?;
        for (key, value) in &table {
            match key.as_str() {
                "name" => settings.name = Some(settings.text(key, value)?),
                "language" => {
                    let name = settings.text(key, value)?;
                    settings.language = Some(name.parse().map_err(|reason| settings.wrong(reason))?);
                }
                "wit" => settings.wit = Some(settings.text(key, value)?),
                "world" => settings.world = Some(settings.text(key, value)?),
                "sources" => settings.sources = Some(settings.list(key, value)?),
                "engine" => settings.engine = Some(settings.one_engine(&settings.text(key, value)?)?),
                "members" => settings.members = Some(settings.list(key, value)?),
                unknown => return Err(settings.unknown(unknown)),
            }
        }
        if settings.members.is_some() && table.len() > 1 {
            let others: Vec<&str> =
                table.keys().map(String::as_str).filter(|key| *key != "members").collect();
            return Err(settings.wrong(format!(
                "`members` stands alone; what else is here ({}) goes into the members' own files",
                others.join(", ")
            )));
        }
        Ok(settings)
    }

    /// An error about this file.
    pub(crate) fn wrong(&self, reason: String) -> BuildError {
        BuildError::Settings { path: self.path.clone(), reason }
    }

    /// The component's name, where it is said.
    pub(crate) fn given_name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The component's name, which is the folder's where it isn't said.
    pub(crate) fn name(&self, folder: &Path) -> Result<String, BuildError> {
        let (name, from) = match &self.name {
            Some(name) => (name.clone(), "`name`"),
            None => {
                let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
                (name.unwrap_or_default(), "the folder's name, which counts where `name` is left out,")
            }
        };
        check_name(&name).map_err(|reason| self.wrong(format!("{from} {reason}")))?;
        Ok(name)
    }

    /// The folder or file of the WIT.
    pub(crate) fn wit(&self, folder: &Path) -> PathBuf {
        folder.join(self.wit.as_deref().unwrap_or("wit"))
    }

    /// The engine, which only two languages have.
    pub(crate) fn engine(&self, language: Language) -> Result<Engine, BuildError> {
        let takes_one = matches!(language, Language::JavaScript | Language::TypeScript);
        match self.engine {
            Some(_) if !takes_one => Err(self.wrong(format!(
                "`engine` is for javascript and typescript; the language here is {language}"
            ))),
            given => Ok(given.unwrap_or_default()),
        }
    }

    fn one_engine(&self, name: &str) -> Result<Engine, BuildError> {
        match name {
            "quickjs" => Ok(Engine::QuickJs),
            "starlingmonkey" => Ok(Engine::StarlingMonkey),
            _ => Err(self.wrong(format!("there is no engine `{name}`: want `quickjs` or `starlingmonkey`"))),
        }
    }

    fn text(&self, key: &str, value: &Value) -> Result<String, BuildError> {
        match value {
            Value::String(text) if !text.is_empty() => Ok(text.clone()),
            Value::String(_) => Err(self.wrong(format!("`{key}` is empty"))),
            other => Err(self.wrong(format!("`{key}` is {}; want a text", kind(other)))),
        }
    }

    fn list(&self, key: &str, value: &Value) -> Result<Vec<String>, BuildError> {
        let Value::Array(items) = value else {
            return Err(self.wrong(format!("`{key}` is {}; want an array of texts", kind(value))));
        };
        if items.is_empty() {
            return Err(self.wrong(format!("`{key}` is empty")));
        }
        items.iter().map(|item| self.text(key, item)).collect()
    }

    fn unknown(&self, key: &str) -> BuildError {
        let hint = likely(key, &KEYS).map(|key| format!(" (did you mean `{key}`?)")).unwrap_or_default();
        self.wrong(format!("there is no key `{key}`{hint}; the keys are {}", KEYS.join(", ")))
    }
}

/// Whether a component's file may have this name; the error goes on after the name of what is wrong.
pub(crate) fn check_name(name: &str) -> Result<(), String> {
    let is_fit = |character: char| character.is_ascii_alphanumeric() || matches!(character, '_' | '-');
    if !name.starts_with(|first: char| first.is_ascii_alphanumeric()) || !name.chars().all(is_fit) {
        return Err(format!("is `{name}`; want ASCII letters, digits, `_` and `-`, such as `word_count`"));
    }
    if name.len() > MAX_NAME {
        return Err(format!("has {} characters; at most {MAX_NAME} are allowed", name.len()));
    }
    Ok(())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a text",
        Value::Integer(_) | Value::Float(_) => "a number",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date",
        Value::Array(_) => "an array",
        Value::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(text: &str) -> String {
        Settings::parse("tool.toml".into(), text).map(drop).unwrap_err().to_string()
    }

    #[test]
    fn a_wrong_file_is_told_with_what_would_be_right() {
        assert_eq!(
            said("langauge = \"c\""),
            "tool.toml: there is no key `langauge` (did you mean `language`?); the keys are name, language, \
             wit, world, sources, engine, members"
        );
        assert!(said("language = \"pyhton\"").contains("did you mean `python`?"));
        assert_eq!(said("sources = \"tool.c\""), "tool.toml: `sources` is a text; want an array of texts");
        assert_eq!(said("name = 3"), "tool.toml: `name` is a number; want a text");
        assert!(said("engine = \"v8\"").contains("want `quickjs` or `starlingmonkey`"));
        assert!(
            said("members = [\"a\"]\nname = \"b\"")
                .contains("`members` stands alone; what else is here (name)")
        );
        assert!(said("name = ").starts_with("tool.toml: TOML parse error at line 1"));
    }

    #[test]
    fn a_file_that_never_ends_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        crate::ordinary::tests::pipe(&dir.path().join(FILE));
        let said = Settings::of(dir.path()).map(drop).unwrap_err().to_string();
        assert!(said.ends_with("tool.toml: it is not an ordinary file"), "{said}");
    }

    #[test]
    fn an_engine_is_only_for_the_languages_that_have_one() {
        let settings = Settings::parse("tool.toml".into(), "engine = \"starlingmonkey\"").unwrap();
        assert_eq!(settings.engine(Language::TypeScript).unwrap(), Engine::StarlingMonkey);
        assert!(settings.engine(Language::C).is_err());
        assert_eq!(Settings::default().engine(Language::C).unwrap(), Engine::QuickJs);
    }

    #[test]
    fn a_component_s_name_is_fit_for_a_file_everywhere() {
        for name in ["word_count", "word-count", "a", "3d"] {
            assert_eq!(check_name(name), Ok(()), "{name}");
        }
        for name in ["", "..", "a/b", "字数", "-x", ".hidden", "a b", &"x".repeat(65)] {
            assert!(check_name(name).is_err(), "{name}");
        }
        let unnamed = Settings::default().name(Path::new("/tools/字数")).unwrap_err().to_string();
        assert!(unnamed.contains("the folder's name, which counts where `name` is left out"), "{unnamed}");
    }
}

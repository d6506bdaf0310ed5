//! A file to begin with: it says what holds anyway, so it changes nothing until somebody edits it.

use super::{Key, Kind, Table, root};
use std::fmt::Write;

const HEAD: &str = "\
# Ringfence's configuration of this project. As it stands it changes nothing: the lines below say
# what holds anyway, or show what can be said. Take the `# ` away before a line to change it.
#
# It counts once a person has confirmed exactly this content. It can narrow what a user's own file
# and flags allow, never widen it. Every key: ringfence policy schema
";

/// The text, with these folders of the project as an example of what can be granted.
pub fn commented(folders: &[String]) -> String {
    let mut text = HEAD.to_owned();
    keys(&mut text, root(), folders);
    for key in root().keys.iter().filter(|key| !key.user_only) {
        match &key.kind {
            Kind::Table(table) if key.name != "models" => {
                let _ = writeln!(text, "\n# {}\n[{}]", key.about, key.name);
                keys(&mut text, table, folders);
            }
            Kind::Table(_) | Kind::Named(..) => example(&mut text, key),
            Kind::Bool
            | Kind::Text
            | Kind::Count(..)
            | Kind::Number
            | Kind::Time
            | Kind::Size
            | Kind::Money
            | Kind::OneOf(_)
            | Kind::Path
            | Kind::Mask
            | Kind::Url
            | Kind::Methods
            | Kind::Header
            | Kind::KeyringEntry
            | Kind::Variable
            | Kind::Secret
            | Kind::ToolName
            | Kind::List(_)
            | Kind::PathOr(_)
            | Kind::FileOr(_)
            | Kind::HostOr(_)
            | Kind::Each(..) => {}
        }
    }
    text
}

/// The keys of one table that have a value to show.
fn keys(text: &mut String, table: &Table, folders: &[String]) {
    for key in table.keys.iter().filter(|key| !key.user_only) {
        let value = match (&key.kind, key.usual) {
            (Kind::List(Kind::PathOr(_)), _) if !folders.is_empty() => toml_list(folders),
            (_, Some(usual)) => usual.to_owned(),
            (Kind::Time, None) => "\"10m\"".to_owned(),
            (Kind::Money, None) => "1.50".to_owned(),
            (Kind::Count(..), None) => "200000".to_owned(),
            (Kind::Each(..), None) => "{ plan = \"60s\" }".to_owned(),
            (
                Kind::Bool
                | Kind::Text
                | Kind::Number
                | Kind::Size
                | Kind::OneOf(_)
                | Kind::Path
                | Kind::Mask
                | Kind::Url
                | Kind::Methods
                | Kind::Header
                | Kind::KeyringEntry
                | Kind::Variable
                | Kind::Secret
                | Kind::ToolName
                | Kind::List(_)
                | Kind::PathOr(_)
                | Kind::FileOr(_)
                | Kind::HostOr(_)
                | Kind::Table(_)
                | Kind::Named(..),
                None,
            ) => continue,
        };
        let _ = writeln!(text, "\n# {}\n# {} = {value}", key.about, key.name);
    }
}

/// A table under a name of one's own, as it could be.
fn example(text: &mut String, key: &Key) {
    let lines = match key.name {
        "tools" => "# [tools.read_file]\n# timeout = \"5s\"",
        "roles" => "# [roles.reader]\n# tools = [\"read_file\", \"list_files\"]",
        "models" => "# [models.decide]\n# provider = \"anthropic\"",
        "experts" => "# [experts.security]\n# prompt = \"Look for what an attacker could use.\"",
        _ => return,
    };
    let _ = writeln!(text, "\n# {}\n{lines}", key.about);
}

/// Texts as a list in TOML.
fn toml_list(texts: &[String]) -> String {
    let quoted: Vec<_> = texts.iter().map(|text| toml::Value::from(text.as_str()).to_string()).collect();
    format!("[{}]", quoted.join(", "))
}

//! A change as a unified diff. Names and contents are as they are, control characters too: whoever
//! prints it neutralises them.

use super::StageError;
use super::changes::{Change, ChangeKind, FileSide, Side};
use similar::{Algorithm, TextDiff};
use std::fmt::Write;
use std::time::Duration;

/// A longer file is only named.
const MAX_BYTES: u64 = 1 << 20;
/// Finding the shortest diff ends then, and a longer one is given.
const PATIENCE: Duration = Duration::from_millis(500);
/// Lines around a change.
const CONTEXT: usize = 3;

impl Change {
    /// The change in git's form of a unified diff. Binary files and ones above 1 MiB are only named.
    pub fn unified_diff(&self) -> Result<String, StageError> {
        let new = self.path.to_string();
        let old = match &self.kind {
            ChangeKind::Renamed { from } => from.to_string(),
            ChangeKind::Created | ChangeKind::Modified | ChangeKind::Deleted => new.clone(),
        };
        let mut text = head(&old, &new, &self.before, &self.after);
        if let ChangeKind::Renamed { .. } = &self.kind {
            let _ = writeln!(text, "rename from {}\nrename to {}", quoted("", &old), quoted("", &new));
        }
        let sides = [&self.before, &self.after].map(|side| self.text(side));
        let [before, after] = sides;
        text.push_str(&body(&old, &new, (&self.before, before?), (&self.after, after?)));
        Ok(text)
    }

    fn text(&self, side: &Side) -> Result<Text, StageError> {
        Ok(match self.read(side, MAX_BYTES + 1)? {
            None => Text::None,
            Some(bytes) => Text::of(bytes),
        })
    }
}

/// A file's content as a diff needs it.
pub(super) enum Text {
    None,
    Lines(String),
    Binary,
    TooLong,
}

impl Text {
    /// `bytes` may be cut if they are more than are shown.
    pub(super) fn of(bytes: Vec<u8>) -> Self {
        if bytes.contains(&0) {
            return Self::Binary;
        }
        if bytes.len() as u64 > MAX_BYTES {
            return Self::TooLong;
        }
        String::from_utf8(bytes).map_or(Self::Binary, Self::Lines)
    }

    /// So many bytes are enough to read of a file.
    pub(super) const fn enough() -> u64 {
        MAX_BYTES + 1
    }
}

fn head(old: &str, new: &str, before: &Side, after: &Side) -> String {
    let mut text = format!("diff --git {} {}\n", quoted("a/", old), quoted("b/", new));
    let mode = |file: &FileSide| 0o100_000 | file.mode.unwrap_or(0o644);
    match (before, after) {
        (Side::Nothing | Side::Folder | Side::Link(_), Side::File(file)) => {
            if *before != Side::Nothing {
                let _ = writeln!(text, "{} becomes a file", kind(before));
            }
            let _ = writeln!(text, "new file mode {:o}", mode(file));
        }
        (Side::File(file), Side::Nothing) => {
            let _ = writeln!(text, "deleted file mode {:o}", mode(file));
        }
        (Side::File(old), Side::File(new)) if new.mode.is_some() && old.mode != new.mode => {
            let _ = writeln!(text, "old mode {:o}\nnew mode {:o}", mode(old), mode(new));
        }
        (Side::File(_), Side::File(_)) => {}
        (before, after) => {
            let _ = writeln!(text, "{} becomes {}", kind(before), kind(after));
        }
    }
    text
}

fn kind(side: &Side) -> String {
    match side {
        Side::Nothing => "nothing".to_owned(),
        Side::Folder => "a folder".to_owned(),
        Side::Link(text) => format!("a link to {}", quoted("", text)),
        Side::File(_) => "a file".to_owned(),
    }
}

fn body(old: &str, new: &str, (before, old_text): (&Side, Text), (after, new_text): (&Side, Text)) -> String {
    if let (Some(before), Some(after)) = (before.file(), after.file())
        && before.hash() == after.hash()
    {
        return String::new();
    }
    lines(old, new, old_text, new_text)
}

/// The lines of a diff, with its two headers; nothing if neither side is a file.
pub(super) fn lines(old: &str, new: &str, before: Text, after: Text) -> String {
    let name = |prefix, path: &str, text: &Text| match text {
        Text::None => "/dev/null".to_owned(),
        Text::Lines(_) | Text::Binary | Text::TooLong => quoted(prefix, path),
    };
    let (old, new) = (name("a/", old, &before), name("b/", new, &after));
    let (before, after) = match (before, after) {
        (Text::None, Text::None) => return String::new(),
        (Text::Binary, _) | (_, Text::Binary) => return format!("Binary files {old} and {new} differ\n"),
        (Text::TooLong, _) | (_, Text::TooLong) => {
            return format!("Files {old} and {new} differ and are too long to show\n");
        }
        (Text::None, Text::Lines(after)) => (String::new(), after),
        (Text::Lines(before), Text::None) => (before, String::new()),
        (Text::Lines(before), Text::Lines(after)) => (before, after),
    };
    let diff =
        TextDiff::configure().algorithm(Algorithm::Myers).timeout(PATIENCE).diff_lines(&before, &after);
    diff.unified_diff().context_radius(CONTEXT).header(&old, &new).to_string()
}

/// A path in a header: quoted if it could be taken for something else than one name, or another name.
fn quoted(prefix: &str, path: &str) -> String {
    let is_odd = |c: char| c.is_control() || matches!(c, '"' | '\\') || (c.is_whitespace() && c != ' ');
    let is_cut = |name: &str| name.starts_with(' ') || name.ends_with(' ');
    let is_quoted = path.chars().any(is_odd) || path.split('/').any(is_cut);
    let path = format!("{prefix}{path}");
    if is_quoted { format!("{path:?}") } else { path }
}

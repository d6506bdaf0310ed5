//! Paths: from what was asked to what is opened, and to what is shown.

use crate::fault::Fault;
use crate::fs::{File, Kind, look};
use std::path::PathBuf;

/// The most bytes of a path that a message repeats.
const SHOWN: usize = 200;

/// The project's folder.
#[derive(Debug, Clone)]
pub struct Root(PathBuf);

impl Root {
    /// Inside a component: paths go to the host exactly as they were asked.
    pub fn guest() -> Self {
        Self(PathBuf::new())
    }

    /// A folder on this machine, standing in for the guest's `/`.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    /// What to open for a path that was asked.
    pub fn resolve(&self, asked: &str) -> PathBuf {
        if self.0.as_os_str().is_empty() {
            // A path is never rewritten here: only the host knows where it leads.
            PathBuf::from(if asked.is_empty() { "." } else { asked })
        } else {
            self.0.join(asked.trim_start_matches('/'))
        }
    }

    /// Opens a regular file.
    pub fn open(&self, asked: &str) -> Result<File, Fault> {
        if asked.is_empty() {
            return Err(Fault::NotFound("the path is empty; name a file, such as `src/main.py`".into()));
        }
        let file = File::open(&self.resolve(asked)).map_err(|error| Fault::of(asked, &error))?;
        match file.kind() {
            Kind::File => Ok(file),
            Kind::Directory => Err(Fault::directory(&quoted(asked))),
            Kind::Link | Kind::Other => {
                Err(Fault::NotAFile(format!("{}: neither a file nor a directory", quoted(asked))))
            }
        }
    }

    /// The path to show for `asked`: from the project's folder, without `.`, doubled slashes, and
    /// without `x/..` where `x` is a directory (where it's a link, `..` leads elsewhere, so it stays).
    pub fn tidy(&self, asked: &str) -> String {
        let mut parts: Vec<&str> = Vec::new();
        for part in asked.split('/') {
            match part {
                "" | "." => {}
                ".." if parts.last().is_some_and(|last| *last != "..") && self.is_directory(&parts) => {
                    parts.pop();
                }
                other => parts.push(other),
            }
        }
        if parts.is_empty() { ".".to_owned() } else { parts.join("/") }
    }

    fn is_directory(&self, parts: &[&str]) -> bool {
        look(&self.resolve(&parts.join("/"))).is_ok_and(|(kind, _)| kind == Kind::Directory)
    }
}

/// `text` in back-ticks, with what could disturb a terminal or a reader escaped, cut at 200 bytes.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(SHOWN) + 8);
    out.push('`');
    for c in text.chars() {
        if out.len() > SHOWN {
            out.push('…');
            break;
        }
        if c.is_control() || is_direction(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    out.push('`');
    out
}

/// Invisible characters that reorder what is around them.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

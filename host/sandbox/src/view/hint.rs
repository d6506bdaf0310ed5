//! Which grant would have allowed what was refused, as a person would write it.

use super::escape::has_escape;
use super::grants::GrantedTree;
use super::place::Place;

impl GrantedTree {
    /// The grant for a place that no grant holds: the folder that is there, or else the one that
    /// would hold it. None if the project has no such folder, or none whose path can be written.
    pub(super) fn grant_for(&self, place: &Place) -> Option<String> {
        let parent = place.parent()?;
        let folder = if self.project_has(place) { place } else { &parent };
        if !self.project_has(folder) {
            return None;
        }
        Some(format!("--dir {}", written(folder)?))
    }

    /// Whether the project itself has a folder at a place, reached through no link.
    fn project_has(&self, place: &Place) -> bool {
        let project = self.project();
        place.is_root() || project.walk.folder(&project.handle, place.as_str()).is_ok()
    }
}

/// A folder as a person types it into a shell; none if it can't be typed.
fn written(folder: &Place) -> Option<String> {
    let path = folder.shown();
    if has_escape(path) || path.chars().any(char::is_control) {
        return None;
    }
    let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    let plain = |c: char| c.is_alphanumeric() || "/._-+@%,:=".contains(c);
    if path.chars().all(plain) { Some(path) } else { Some(format!("'{}'", path.replace('\'', r"'\''"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_written_as_a_shell_takes_it() {
        let written = |text: &str| {
            let mut place = Place::root();
            text.split('/').for_each(|name| place.push(name).expect("short"));
            written(&place)
        };
        assert_eq!(written("src/a-b").as_deref(), Some("src/a-b"));
        assert_eq!(written("my docs").as_deref(), Some("'my docs'"));
        assert_eq!(written("it's").as_deref(), Some(r"'it'\''s'"));
        assert_eq!(written("-rf").as_deref(), Some("./-rf"));
        assert_eq!(written("文档").as_deref(), Some("文档"));
        assert_eq!(written("a\nb"), None);
        assert_eq!(written("caf\u{f7e9}"), None);
    }
}

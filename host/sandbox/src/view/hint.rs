//! Which grant would have allowed what was refused, as a person would write it.

use super::escape::has_escape;
use super::place::Place;
use crate::mask::MaskPattern;

/// The grant for a place that no grant holds: the folder that holds it, or the place itself where
/// it lies at the top, so that not the whole project is named. None if the path can't be written. Reads no file system: a guest that guesses names must not learn
/// from the hint which of them are there, so it may name a folder that isn't.
pub(super) fn grant_for(place: &Place) -> Option<String> {
    Some(format!("--dir {}", written(&folder_for(place)?)?))
}

/// The folder or file that this grant names.
pub(super) fn folder_for(place: &Place) -> Option<Place> {
    let parent = place.parent()?;
    Some(if parent.is_root() { place.clone() } else { parent })
}

/// The flag that shows what a mask hides; none if the place can't be written.
pub(super) fn unmasking(hidden: &Place) -> Option<String> {
    Some(format!("--mask {}", quoted(mask_for(hidden)?.as_str())))
}

/// The pattern that this flag names.
pub(super) fn mask_for(hidden: &Place) -> Option<MaskPattern> {
    let path = hidden.as_str();
    if has_escape(path) || path.chars().any(char::is_control) {
        return None;
    }
    let mut pattern = String::from("!/");
    for c in path.chars() {
        if "*?[]\\".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    MaskPattern::parse(&pattern).ok()
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A folder or file as a person types it into a shell; none if it can't be typed.
fn written(folder: &Place) -> Option<String> {
    let path = folder.shown();
    if has_escape(path) || path.chars().any(char::is_control) {
        return None;
    }
    let path = if path.starts_with('-') { format!("./{path}") } else { path.to_owned() };
    let plain = |c: char| c.is_alphanumeric() || "/._-+@%,:=".contains(c);
    if path.chars().all(plain) { Some(path) } else { Some(quoted(&path)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Place {
        let mut place = Place::root();
        text.split('/').for_each(|name| place.push(name).expect("short"));
        place
    }

    #[test]
    fn the_grant_is_the_folder_that_holds_the_place_or_at_the_top_the_place_itself() {
        for (text, grant) in [("a/b/c", "--dir a/b"), ("a/b", "--dir a"), ("a", "--dir a")] {
            assert_eq!(grant_for(&place(text)).as_deref(), Some(grant), "{text}");
        }
        assert_eq!(grant_for(&place("a\n/b")), None);
        assert_eq!(grant_for(&Place::root()), None);
    }

    #[test]
    fn what_shows_a_hidden_place_names_it_and_nothing_else() {
        let shows = |text: &str| unmasking(&place(text));
        assert_eq!(shows("src/.env").as_deref(), Some("--mask '!/src/.env'"));
        assert_eq!(shows("it's [1]*.key").as_deref(), Some(r"--mask '!/it'\''s \[1\]\*.key'"));
        assert_eq!(shows("a\n.key"), None);
        assert_eq!(shows("caf\u{f7e9}.key"), None);
        assert_eq!(shows(&format!("{}.key", "x".repeat(300))), None);
    }

    #[test]
    fn a_folder_is_written_as_a_shell_takes_it() {
        let written = |text: &str| written(&place(text));
        assert_eq!(written("src/a-b").as_deref(), Some("src/a-b"));
        assert_eq!(written("my docs").as_deref(), Some("'my docs'"));
        assert_eq!(written("it's").as_deref(), Some(r"'it'\''s'"));
        assert_eq!(written("-rf").as_deref(), Some("./-rf"));
        assert_eq!(written("文档").as_deref(), Some("文档"));
        assert_eq!(written("a\nb"), None);
        assert_eq!(written("caf\u{f7e9}"), None);
    }
}

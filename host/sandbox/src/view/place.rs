//! Names of things in the guest's tree, and paths as guests spell them. Touches no file system.

use super::refused::Refused;
use crate::receipt::DenialReason;
use wasmtime_wasi::p2::bindings::filesystem::types::ErrorCode;

/// A path may have this many bytes, and so may a place.
pub(super) const MAX_BYTES: usize = 4096;
/// A path may have this many names, and so may a place.
pub(super) const MAX_NAMES: usize = 256;

/// A place in the guest's tree: the names from the root down, with no `.`, no `..` and, once
/// resolved, no link among them. The root has none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    text: String,
    names: usize,
}

impl Place {
    pub(crate) fn root() -> Self {
        Self::default()
    }

    pub(crate) fn is_root(&self) -> bool {
        self.names == 0
    }

    /// How many names it has.
    pub(crate) fn depth(&self) -> usize {
        self.names
    }

    /// The names, joined by slashes; empty for the root.
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// As people are shown it: no leading slash, `.` for the root.
    pub(crate) fn shown(&self) -> &str {
        if self.is_root() { "." } else { &self.text }
    }

    pub(crate) fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.text.split('/').filter(|name| !name.is_empty())
    }

    /// Goes down by one name.
    pub(crate) fn push(&mut self, name: &str) -> Result<(), Refused> {
        if self.names >= MAX_NAMES || self.text.len() + 1 + name.len() > MAX_BYTES {
            return Err(Refused::Plain(ErrorCode::NameTooLong));
        }
        if self.names > 0 {
            self.text.push('/');
        }
        self.text.push_str(name);
        self.names += 1;
        Ok(())
    }

    /// Goes up by one name; false at the root.
    pub(crate) fn pop(&mut self) -> bool {
        if self.names == 0 {
            return false;
        }
        self.names -= 1;
        self.text.truncate(self.text.rfind('/').unwrap_or(0));
        true
    }

    /// The place that holds this one; none for the root.
    pub(crate) fn parent(&self) -> Option<Self> {
        let mut parent = self.clone();
        parent.pop().then_some(parent)
    }

    /// The way from `top` to here, empty if they are the same; none if this isn't below it.
    pub(crate) fn below(&self, top: &Place) -> Option<&str> {
        if top.is_root() {
            return Some(&self.text);
        }
        match self.text.strip_prefix(&top.text)? {
            "" => Some(""),
            rest => rest.strip_prefix('/'),
        }
    }
}

/// A path as a guest gave it, bounded and free of NUL, relative to where it is resolved from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked<'p> {
    text: &'p str,
    /// It ends in a slash or a dot: only a folder will do.
    pub(super) wants_folder: bool,
    /// Some name is `..`.
    pub(super) climbs: bool,
}

impl<'p> Asked<'p> {
    /// Reads a path that is to be resolved from `base`.
    pub(super) fn parse(text: &'p str, base: &Place) -> Result<Self, Refused> {
        if text.len() > MAX_BYTES {
            return Err(Refused::Plain(ErrorCode::NameTooLong));
        }
        if text.is_empty() {
            return Err(Refused::Plain(ErrorCode::NoEntry));
        }
        if text.contains('\0') {
            return Err(Refused::Plain(ErrorCode::Invalid));
        }
        // From the root `/x` is `x`: some standard libraries hand it on as it is. From a folder
        // below it could mean either, so it means nothing.
        if text.starts_with('/') && !base.is_root() {
            return Err(Refused::denied(DenialReason::LeavesRoot, base));
        }
        let asked = Self {
            text,
            wants_folder: text.ends_with('/') || text == "." || text.ends_with("/."),
            climbs: text.split('/').any(|name| name == ".."),
        };
        if asked.names().count() > MAX_NAMES {
            return Err(Refused::Plain(ErrorCode::NameTooLong));
        }
        Ok(asked)
    }

    /// Its names, `..` among them, `.` not.
    pub(super) fn names(&self) -> impl DoubleEndedIterator<Item = &'p str> {
        names_of(self.text)
    }
}

/// The names in a path, `..` among them, empty ones and `.` not.
pub(super) fn names_of(text: &str) -> impl DoubleEndedIterator<Item = &str> {
    text.split('/').filter(|name| !name.is_empty() && *name != ".")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Place {
        let mut place = Place::root();
        for name in names_of(text) {
            place.push(name).expect("short");
        }
        place
    }

    #[test]
    fn a_place_is_below_another_by_whole_names_only() {
        assert_eq!(place("src/a/b").below(&place("src")), Some("a/b"));
        assert_eq!(place("src").below(&place("src")), Some(""));
        assert_eq!(place("src2/a").below(&place("src")), None);
        assert_eq!(place("src").below(&place("src/a")), None);
        assert_eq!(place("src/a").below(&Place::root()), Some("src/a"));
    }

    #[test]
    fn going_down_and_up_ends_where_it_began() {
        let mut at = place("a/b");
        at.push("c").expect("short");
        assert_eq!((at.as_str(), at.depth()), ("a/b/c", 3));
        assert!(at.pop() && at.pop() && at.pop());
        assert!(at.is_root() && !at.pop());
        assert_eq!((at.shown(), at.parent()), (".", None));
    }

    #[test]
    fn a_place_has_bounds() {
        let mut at = Place::root();
        for _ in 0..MAX_NAMES {
            at.push("d").expect("within the bound");
        }
        assert!(at.push("d").is_err());
        assert!(Place::root().push(&"x".repeat(MAX_BYTES)).is_err());
    }

    #[test]
    fn a_trailing_slash_or_dot_asks_for_a_folder() {
        let root = Place::root();
        for (text, folder) in
            [("a/", true), ("a/.", true), (".", true), ("a", false), ("a/..", false), ("a.", false)]
        {
            assert_eq!(Asked::parse(text, &root).expect("fine").wants_folder, folder, "{text}");
        }
    }
}

//! Spellings that some file system takes for the same name, made equal.
//!
//! Whether a folder ignores case can't be seen from its path, and a mask that hides too much is
//! the lesser harm: so case counts nowhere.

use std::borrow::Cow;

/// A name or path without what file systems leave out when they compare names: case, and
/// characters that aren't seen.
pub(crate) fn folded(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Cow::Owned(text.to_ascii_lowercase());
        }
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars().filter(|c| !is_unseen(*c)) {
        match ascii_of(c) {
            Some(ascii) => out.push_str(ascii),
            None => out.extend(c.to_lowercase()),
        }
    }
    Cow::Owned(out)
}

/// The same without dots and spaces at the end of names, which FAT leaves out as well; none if
/// there are none.
pub(crate) fn without_tails(folded: &str) -> Option<String> {
    let has_tail = |name: &str| name.ends_with(['.', ' ']);
    if !folded.split('/').any(has_tail) {
        return None;
    }
    let names: Vec<_> = folded.split('/').map(|name| name.trim_end_matches(['.', ' '])).collect();
    Some(names.join("/"))
}

/// Both at once: two places of which this is one may be one.
pub(crate) fn likeness(place: &str) -> Cow<'_, str> {
    let folded = folded(place);
    match without_tails(&folded) {
        Some(shorter) => Cow::Owned(shorter),
        None => folded,
    }
}

/// Whether a place is a folder or lies in it, both of them likenesses.
pub(crate) fn lies_in(place: &str, folder: &str) -> bool {
    folder.is_empty() || place.strip_prefix(folder).is_some_and(|way| way.is_empty() || way.starts_with('/'))
}

/// All characters that Unicode's full case folding turns into ASCII, and lower case doesn't.
fn ascii_of(c: char) -> Option<&'static str> {
    Some(match c {
        'ſ' => "s",
        'ß' | 'ẞ' => "ss",
        '\u{fb00}' => "ff",
        '\u{fb01}' => "fi",
        '\u{fb02}' => "fl",
        '\u{fb03}' => "ffi",
        '\u{fb04}' => "ffl",
        '\u{fb05}' | '\u{fb06}' => "st",
        _ => return None,
    })
}

/// Unicode's default ignorable code points, which HFS+ and case-folding ext4 leave out of names.
fn is_unseen(c: char) -> bool {
    matches!(u32::from(c),
        0xAD | 0x34F | 0x61C | 0x115F..=0x1160 | 0x17B4..=0x17B5 | 0x180B..=0x180F
        | 0x200B..=0x200F | 0x202A..=0x202E | 0x2060..=0x206F | 0x3164 | 0xFE00..=0xFE0F
        | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFF8 | 0x1BCA0..=0x1BCA3 | 0x1D173..=0x1D17A
        | 0xE0000..=0xE0FFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_fold_to_one() {
        for (text, fold) in [
            (".env", ".env"),
            (".ENV", ".env"),
            (".e\u{200b}nv", ".env"),
            ("\u{feff}.Env", ".env"),
            (".ſſh", ".ssh"),
            (".htpaßwd", ".htpasswd"),
            (".\u{212a}ube", ".kube"),
            ("con\u{fb01}g", "config"),
            ("ÄPFEL", "äpfel"),
            ("密钥", "密钥"),
        ] {
            assert_eq!(folded(text), fold, "{text:?}");
        }
    }

    #[test]
    fn a_place_lies_in_what_may_be_its_folder_by_whole_names() {
        for (place, folder, lies) in [
            ("LIB/a", "lib", true),
            ("lib./A", "Lib", true),
            ("lib", "LIB ", true),
            ("Straße/x", "STRASSE", true),
            ("lib2/a", "lib", false),
            ("a/lib", "lib", false),
            ("lib", "lib/a", false),
            ("lib", "", true),
        ] {
            assert_eq!(lies_in(&likeness(place), &likeness(folder)), lies, "{place} in {folder}");
        }
    }

    #[test]
    fn tails_are_taken_off_every_name() {
        assert_eq!(without_tails("a/b"), None);
        assert_eq!(without_tails(".git./x.pem. .").as_deref(), Some(".git/x.pem"));
    }
}

//! Names that aren't UTF-8, spelled in UTF-8 and back, without loss.
//!
//! A byte that belongs to no character becomes one of U+F780 to U+F7FF (private use), the byte
//! 0x80 plus its distance. A name that has such a character on disk gets its three bytes spelled
//! that way, so each name has exactly one spelling; a guest's text that is the spelling of no
//! name is refused, lest one file have two names. ASCII is never spelled, so no `/`, `.` or NUL
//! can be smuggled in.

use rustix::io::Errno;
use std::borrow::Cow;

const FIRST: u32 = 0xF780;
const LAST: u32 = 0xF7FF;

fn is_escape(c: char) -> bool {
    (FIRST..=LAST).contains(&u32::from(c))
}

/// Whether a text spells bytes that aren't UTF-8.
pub(super) fn has_escape(text: &str) -> bool {
    // All of them start with this byte, which ordinary text seldom has.
    text.as_bytes().contains(&0xEF) && text.chars().any(is_escape)
}

/// The spelling of a name or path of the kernel.
pub(crate) fn from_os(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !has_escape(text)
    {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(bytes.len() * 3);
    let spell = |out: &mut String, byte: u8| {
        // Only bytes from 0x80 up get here, so this is always a character.
        out.extend(char::from_u32(FIRST + u32::from(byte) - 0x80));
    };
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_escape(c) {
                let mut buffer = [0; 4];
                c.encode_utf8(&mut buffer).bytes().for_each(|byte| spell(&mut out, byte));
            } else {
                out.push(c);
            }
        }
        chunk.invalid().iter().for_each(|byte| spell(&mut out, *byte));
    }
    Cow::Owned(out)
}

/// The bytes that a spelling stands for; `ENOENT` if it's the spelling of nothing.
pub(crate) fn to_os(text: &str) -> Result<Cow<'_, [u8]>, Errno> {
    if !has_escape(text) {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    let mut out = Vec::with_capacity(text.len());
    for c in text.chars() {
        if is_escape(c) {
            out.extend(u8::try_from(u32::from(c) - FIRST + 0x80));
        } else {
            let mut buffer = [0; 4];
            out.extend_from_slice(c.encode_utf8(&mut buffer).as_bytes());
        }
    }
    if from_os(&out) == text { Ok(Cow::Owned(out)) } else { Err(Errno::NOENT) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_name_survives_the_way_there_and_back(bytes: Vec<u8>) {
            let spelled = from_os(&bytes);
            prop_assert_eq!(&*to_os(&spelled).expect("a spelling"), &bytes[..]);
        }

        #[test]
        fn every_text_has_at_most_one_meaning(text in "[a\u{e9}\u{f7ab}\u{f7c3}\u{f7a9}\u{f7ff}/]{0,8}") {
            if let Ok(bytes) = to_os(&text) {
                prop_assert_eq!(&*from_os(&bytes), &*text);
            }
        }

        #[test]
        fn ordinary_text_is_left_alone(text in "[a-z ./é中]*") {
            prop_assert_eq!(&*from_os(text.as_bytes()), &*text);
        }
    }

    #[test]
    fn a_second_spelling_of_a_proper_name_is_refused() {
        // The bytes of `é`, spelled one by one.
        assert_eq!(to_os("caf\u{f7c3}\u{f7a9}"), Err(Errno::NOENT));
        assert_eq!(from_os(b"caf\xe9"), "caf\u{f7e9}");
    }

    #[test]
    fn a_name_with_a_private_character_of_ours_is_spelled_byte_by_byte() {
        let name = "x\u{f7e9}";
        let spelled = from_os(name.as_bytes()).into_owned();
        assert_ne!(spelled, name);
        assert_eq!(&*to_os(&spelled).expect("a spelling"), name.as_bytes());
    }
}

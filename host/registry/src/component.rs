//! Telling a component from everything else by its first bytes.

use crate::Error;

/// Larger components aren't fetched.
pub(crate) const MAX_BYTES: u64 = 64 << 20;

const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";
const MODULE: &[u8] = b"\0asm\x01\0\0\0";

/// Refuses what is no component; `what` is what errors call it.
pub(crate) fn check(what: &str, bytes: &[u8]) -> Result<(), Error> {
    if bytes.starts_with(COMPONENT) {
        return Ok(());
    }
    let why = if bytes.starts_with(MODULE) {
        "it is a core module; `wasm-tools component new` makes a component of one that was built for it"
    } else if bytes.starts_with(b"\0asm") {
        "it is WebAssembly of another version"
    } else if bytes.starts_with(&[0x1f, 0x8b]) || bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        "it is compressed"
    } else if bytes.iter().take(64).find(|byte| !byte.is_ascii_whitespace()) == Some(&b'<') {
        "it is a page for people"
    } else {
        "it isn't WebAssembly"
    };
    Err(Error::NotAComponent { what: what.to_owned(), why: why.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_component_is_told_apart() {
        check("x", b"\0asm\x0d\0\x01\0").unwrap();
        for (bytes, why) in [
            (&b"\0asm\x01\0\0\0"[..], "core module"),
            (b"\0asm\x0e\0\x01\0", "another version"),
            (b" \n<!doctype html>", "page"),
            (b"\x1f\x8b\x08", "compressed"),
            (b"", "isn't WebAssembly"),
        ] {
            let error = check("x", bytes).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}

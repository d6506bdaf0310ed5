//! The outside of a WebAssembly file: what kind of binary it is, and its custom sections.
//! Knows the header and how sections are framed, nothing of what is in them.

use super::error::ReflectError;

const MAGIC: &[u8; 4] = b"\0asm";
const HEADER: usize = 8;
const CUSTOM: u8 = 0;
const COMPONENT_VERSION: u16 = 0xd;

/// A cheap look at the first eight bytes: is this a component that can be read here?
pub fn check_header(bytes: &[u8]) -> Result<(), ReflectError> {
    if bytes.is_empty() {
        return Err(ReflectError::Empty);
    }
    if !MAGIC.starts_with(&bytes[..bytes.len().min(MAGIC.len())]) {
        return Err(not_wasm(bytes));
    }
    let Some(&[v0, v1, l0, l1]) = bytes.get(MAGIC.len()..HEADER).and_then(|rest| rest.first_chunk()) else {
        return Err(ReflectError::Truncated { size: bytes.len() as u64 });
    };
    match (u16::from_le_bytes([v0, v1]), u16::from_le_bytes([l0, l1])) {
        (COMPONENT_VERSION, 1) => Ok(()),
        (1, 0) => Err(ReflectError::CoreModule),
        (version, layer) => Err(ReflectError::OtherVersion { version, layer }),
    }
}

fn not_wasm(bytes: &[u8]) -> ReflectError {
    let head = &bytes[..bytes.len().min(8)];
    let start = format!("`{}`", head.escape_ascii());
    let hint = match bytes {
        [0x28, 0xb5, 0x2f, 0xfd, ..] => "; it is compressed with zstd: decompress it first",
        [b'(', ..] => "; it looks like WebAssembly text: assemble it with `wasm-tools parse`",
        [0x1f, 0x8b, ..] => "; it is compressed with gzip: decompress it first",
        [0x7f, b'E', b'L', b'F', ..] => "; it is a native program or precompiled code",
        _ => "",
    };
    ReflectError::NotWasm { start, hint }
}

/// The custom sections of the outermost level, as name and content. A section that isn't framed
/// right ends the walk; the validator is who complains about that.
pub(super) fn custom_sections(bytes: &[u8]) -> impl Iterator<Item = (&str, &[u8])> {
    Sections::of(bytes).filter_map(|(id, body)| (id == CUSTOM).then(|| split_name(body)).flatten())
}

/// Whether the file goes on to the end of its last section.
pub(super) fn check_framing(bytes: &[u8]) -> Result<(), ReflectError> {
    let mut sections = Sections::of(bytes);
    while sections.next().is_some() {}
    if sections.rest.is_empty() { Ok(()) } else { Err(ReflectError::Truncated { size: bytes.len() as u64 }) }
}

/// The sections of the outermost level; `rest` is what isn't read yet.
pub(crate) struct Sections<'a> {
    rest: &'a [u8],
}

impl<'a> Sections<'a> {
    /// Those of a binary, from the first.
    pub(crate) fn of(binary: &'a [u8]) -> Self {
        Self { rest: binary.get(HEADER..).unwrap_or_default() }
    }
}

impl<'a> Iterator for Sections<'a> {
    type Item = (u8, &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        let (&id, after_id) = self.rest.split_first()?;
        let (size, after_size) = leb_u32(after_id)?;
        let (body, after) = after_size.split_at_checked(size as usize)?;
        self.rest = after;
        Some((id, body))
    }
}

fn split_name(body: &[u8]) -> Option<(&str, &[u8])> {
    let (length, rest) = leb_u32(body)?;
    let (name, content) = rest.split_at_checked(length as usize)?;
    Some((std::str::from_utf8(name).ok()?, content))
}

fn leb_u32(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut value = 0u64;
    let mut rest = bytes;
    for index in 0..5 {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((u32::try_from(value).ok()?, rest));
        }
    }
    None
}

/// Appends a section of any kind to a binary.
pub(crate) fn append_section(binary: &mut Vec<u8>, id: u8, body: &[u8]) {
    binary.push(id);
    push_leb(binary, body.len());
    binary.extend_from_slice(body);
}

/// Appends a custom section to a binary.
pub fn append_custom_section(binary: &mut Vec<u8>, name: &str, content: &[u8]) {
    let mut body = Vec::with_capacity(name.len() + content.len() + 5);
    push_leb(&mut body, name.len());
    body.extend_from_slice(name.as_bytes());
    body.extend_from_slice(content);
    append_section(binary, CUSTOM, &body);
}

fn push_leb(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_tells_components_from_everything_else() {
        assert_eq!(check_header(b"\0asm\x0d\0\x01\0"), Ok(()));
        assert_eq!(check_header(b""), Err(ReflectError::Empty));
        assert_eq!(check_header(b"\0asm\x01\0\0\0"), Err(ReflectError::CoreModule));
        assert_eq!(check_header(b"\0as"), Err(ReflectError::Truncated { size: 3 }));
        assert_eq!(check_header(b"\0asm\x0d\0"), Err(ReflectError::Truncated { size: 6 }));
        assert_eq!(
            check_header(b"\0asm\x0e\0\x01\0"),
            Err(ReflectError::OtherVersion { version: 0xe, layer: 1 })
        );
        for (bytes, says) in [
            (&b"(component)"[..], "wasm-tools parse"),
            (b"\x28\xb5\x2f\xfdxxxx", "zstd"),
            (b"\x1f\x8bxx", "gzip"),
            (b"#!/bin/sh\n", "`#!/bin/s`"),
            (b"\x1b[2J", r"`\x1b[2J`"),
        ] {
            let message = check_header(bytes).unwrap_err().to_string();
            assert!(message.contains(says), "{message}");
        }
    }

    #[test]
    fn custom_sections_are_found_and_broken_framing_ends_the_walk() {
        let mut binary = b"\0asm\x0d\0\x01\0".to_vec();
        append_custom_section(&mut binary, "a", b"one");
        append_custom_section(&mut binary, "b", &[7; 300]);
        let found: Vec<_> = custom_sections(&binary).map(|(name, body)| (name, body.len())).collect();
        assert_eq!(found, [("a", 3), ("b", 300)]);
        assert_eq!(check_framing(&binary), Ok(()));
        for end in 0..binary.len() {
            assert!(custom_sections(&binary[..end]).count() < 2);
        }
        assert!(check_framing(&binary[..binary.len() - 1]).is_err());
        binary.extend([0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);
        assert_eq!(custom_sections(&binary).count(), 2);
    }
}

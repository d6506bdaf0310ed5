//! What `word_count` has to say of a folder, worked out another way: over bytes, by tables.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

#[derive(Default)]
struct Sums {
    files: u64,
    skipped: u64,
    lines: u64,
    words: u64,
    bytes: u64,
    times: BTreeMap<Vec<u8>, u64>,
}

/// The answer for what is at `path` of the project.
pub(crate) fn word_count(project: &Path, path: &str, pattern: Option<&str>, top: Option<u32>) -> Value {
    let mut sums = Sums::default();
    let place = project.join(path.trim_start_matches('/'));
    if place.is_dir() {
        folder(&place, pattern.unwrap_or("*"), &mut sums);
    } else {
        file(&place, &mut sums);
    }
    // The map is in the order of the bytes already, and the sort keeps it.
    let mut frequent: Vec<(Vec<u8>, u64)> = sums.times.into_iter().collect();
    frequent.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    let top = top.unwrap_or(10).min(100) as usize;
    let top: Vec<Value> = frequent
        .into_iter()
        .take(top)
        .map(|(word, times)| json!({ "word": String::from_utf8(word).expect("text"), "times": times }))
        .collect();
    json!({
        "files": sums.files,
        "skipped": sums.skipped,
        "lines": sums.lines,
        "words": sums.words,
        "bytes": sums.bytes,
        "top": top,
    })
}

fn folder(folder: &Path, pattern: &str, sums: &mut Sums) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        let kind = path.symlink_metadata().expect("it is there").file_type();
        let name = shown(path.file_name().expect("a name").as_bytes());
        if kind.is_dir() {
            self::folder(&path, pattern, sums);
        } else if kind.is_file() && fits(pattern, &name) {
            file(&path, sums);
        }
    }
}

/// A name as a component is told it: a byte of no character is one of private use.
fn shown(name: &[u8]) -> String {
    let mut text = String::new();
    for chunk in name.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().filter_map(|byte| char::from_u32(0xf700 + u32::from(*byte))));
    }
    text
}

fn file(path: &Path, sums: &mut Sums) {
    let bytes = fs::read(path).expect("a file");
    if !is_utf8(&bytes) {
        sums.skipped += 1;
        return;
    }
    sums.files += 1;
    sums.bytes += bytes.len() as u64;
    let mut word = Vec::new();
    let mut last = b'\n';
    for &byte in bytes.iter().chain(b" ") {
        match byte {
            b' ' | 9..=13 if word.is_empty() => {}
            b' ' | 9..=13 => {
                sums.words += 1;
                let word = std::mem::take(&mut word);
                if word.len() <= 100 {
                    *sums.times.entry(word).or_default() += 1;
                }
            }
            b'A'..=b'Z' => word.push(byte | 0x20),
            _ => word.push(byte),
        }
    }
    for byte in bytes {
        sums.lines += u64::from(byte == b'\n');
        last = byte;
    }
    sums.lines += u64::from(last != b'\n');
}

/// By the table of well-formed sequences of the Unicode standard.
fn is_utf8(mut bytes: &[u8]) -> bool {
    loop {
        bytes = match bytes {
            [] => return true,
            [0..=0x7f, rest @ ..]
            | [0xc2..=0xdf, 0x80..=0xbf, rest @ ..]
            | [0xe0, 0xa0..=0xbf, 0x80..=0xbf, rest @ ..]
            | [0xe1..=0xec | 0xee..=0xef, 0x80..=0xbf, 0x80..=0xbf, rest @ ..]
            | [0xed, 0x80..=0x9f, 0x80..=0xbf, rest @ ..]
            | [0xf0, 0x90..=0xbf, 0x80..=0xbf, 0x80..=0xbf, rest @ ..]
            | [0xf1..=0xf3, 0x80..=0xbf, 0x80..=0xbf, 0x80..=0xbf, rest @ ..]
            | [0xf4, 0x80..=0x8f, 0x80..=0xbf, 0x80..=0xbf, rest @ ..] => rest,
            _ => return false,
        };
    }
}

/// `fits[i]` says whether the pattern so far fits the first `i` characters of the name.
fn fits(pattern: &str, name: &str) -> bool {
    let name: Vec<char> = name.chars().collect();
    let mut fits = vec![false; name.len() + 1];
    fits[0] = true;
    for wanted in pattern.chars() {
        let before = fits.clone();
        fits[0] = wanted == '*' && before[0];
        for at in 1..=name.len() {
            fits[at] = match wanted {
                '*' => before[at] || fits[at - 1],
                '?' => before[at - 1],
                other => before[at - 1] && name[at - 1] == other,
            };
        }
    }
    fits[name.len()]
}

#[test]
fn the_oracle_agrees_with_rust_s_own_library_where_that_has_an_answer() {
    let odd: [&[u8]; 8] = [
        b"a",
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x82",
        b"\xf0\x9f\xa6\x80",
        b"\xff",
        b"\xe0\x9f\xbf",
    ];
    for bytes in odd {
        assert_eq!(is_utf8(bytes), std::str::from_utf8(bytes).is_ok(), "{bytes:x?}");
    }
    for (pattern, name, wanted) in [
        ("*", "", true),
        ("a*c", "abbc", true),
        ("?", "二", true),
        ("?", "ab", false),
        ("", "a", false),
        ("a**", "a", true),
    ] {
        assert_eq!(fits(pattern, name), wanted, "{pattern} {name}");
    }
}

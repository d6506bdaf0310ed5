//! Counts words with nothing but the standard library.

use exports::ringfence::examples::words::{Counts, Frequent, Guest};
use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

wit_bindgen::generate!({ path: "../wit", world: "tool" });

struct Tool;
export!(Tool);

/// Words longer than this are counted, but never among the frequent.
const LONGEST: usize = 100;
const MOST: u32 = 100;

impl Guest for Tool {
    fn word_count(path: String, pattern: Option<String>, top: Option<u32>) -> Result<Counts, String> {
        let mut count = Count::default();
        let path = Path::new(&path);
        if fs::metadata(path).map_err(|error| named(path, error))?.is_dir() {
            count.folder(path, pattern.as_deref().unwrap_or("*"))?;
        } else {
            count.file(path)?;
        }
        Ok(count.finish(top.unwrap_or(10).min(MOST)))
    }
}

fn named(path: &Path, error: io::Error) -> String {
    format!("{}: {error}", path.display())
}

#[derive(Default)]
struct Count {
    files: u32,
    skipped: u32,
    lines: u64,
    words: u64,
    bytes: u64,
    times: HashMap<String, u64>,
}

impl Count {
    fn folder(&mut self, folder: &Path, pattern: &str) -> Result<(), String> {
        let mut pending = vec![folder.to_owned()];
        while let Some(folder) = pending.pop() {
            let failed = |error| named(&folder, error);
            for entry in fs::read_dir(&folder).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                // The entry's own kind: a link is neither a folder nor a file.
                let kind = entry.file_type().map_err(failed)?;
                if kind.is_dir() {
                    pending.push(entry.path());
                } else if kind.is_file() && matches(pattern, &entry.file_name().to_string_lossy()) {
                    self.file(&entry.path())?;
                }
            }
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> Result<(), String> {
        let Ok(text) = String::from_utf8(fs::read(path).map_err(|error| named(path, error))?) else {
            self.skipped += 1;
            return Ok(());
        };
        self.files += 1;
        self.bytes += text.len() as u64;
        self.lines += text.matches('\n').count() as u64;
        self.lines += u64::from(!text.is_empty() && !text.ends_with('\n'));
        let is_space = |c| matches!(c, ' ' | '\t'..='\r');
        for word in text.split(is_space).filter(|word| !word.is_empty()) {
            self.words += 1;
            if word.len() <= LONGEST {
                *self.times.entry(word.to_ascii_lowercase()).or_default() += 1;
            }
        }
        Ok(())
    }

    fn finish(self, top: u32) -> Counts {
        let mut frequent: Vec<_> =
            self.times.into_iter().map(|(word, times)| Frequent { word, times }).collect();
        frequent.sort_unstable_by(|a, b| b.times.cmp(&a.times).then_with(|| a.word.cmp(&b.word)));
        frequent.truncate(top as usize);
        let Self { files, skipped, lines, words, bytes, .. } = self;
        Counts { files, skipped, lines, words, bytes, top: frequent }
    }
}

/// Whether a name fits a pattern of `*` and `?`: going back only to the last star, it never takes
/// longer than both lengths multiplied.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => (p, n) = (p + 1, n + 1),
            _ => match star {
                Some((at, from)) => {
                    star = Some((at, from + 1));
                    (p, n) = (at + 1, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}

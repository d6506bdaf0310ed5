//! `RINGFENCE_CORPUS=/usr/lib/python3:… cargo test --release -- --ignored corpus --nocapture`
//! goes through every source in the folders named and says how that went.

use ringfence_code::{Language, analyze_code};
use ringfence_guest_project::Root;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

#[derive(Default)]
struct Tally {
    files: u32,
    failed: u32,
    with_errors: u32,
    bytes: u64,
    symbols: u64,
    imports: u64,
    seconds: f64,
    slowest: (f64, String),
}

#[test]
#[ignore = "wants folders of sources in RINGFENCE_CORPUS"]
fn a_corpus_is_gone_through_without_a_panic() {
    let folders = std::env::var("RINGFENCE_CORPUS").expect("RINGFENCE_CORPUS names folders, joined with `:`");
    let mut tallies: BTreeMap<String, Tally> = BTreeMap::new();
    for folder in folders.split(':') {
        let mut pending = vec![Path::new(folder).to_owned()];
        while let Some(dir) = pending.pop() {
            for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    pending.push(entry.path());
                } else if kind.is_file() {
                    one(&entry.path(), &mut tallies);
                }
            }
        }
    }
    for (language, tally) in &tallies {
        let Tally { files, failed, with_errors, bytes, symbols, imports, seconds, slowest } = tally;
        println!(
            "{language}: {files} files, {failed} refused, {with_errors} with syntax errors, {bytes} bytes, \
             {symbols} symbols, {imports} imports, {:.1} MB/s, slowest {:.2} s {}",
            *bytes as f64 / seconds / 1e6,
            slowest.0,
            slowest.1
        );
    }
    assert!(!tallies.is_empty(), "no sources in {folders}");
}

fn one(path: &Path, tallies: &mut BTreeMap<String, Tally>) {
    let (Some(dir), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else {
        return;
    };
    let Some(language) = Language::of(name) else { return };
    let tally = tallies.entry(format!("{language:?}")).or_default();
    tally.files += 1;
    let start = Instant::now();
    let Ok(analysis) = analyze_code(&Root::at(dir), name) else {
        tally.failed += 1;
        return;
    };
    let took = start.elapsed().as_secs_f64();
    if took > 1.0 {
        println!("{took:.1} s for {} bytes: {}", analysis.size, path.display());
    }
    tally.seconds += took;
    if took > tally.slowest.0 {
        tally.slowest = (took, path.display().to_string());
    }
    tally.bytes += analysis.size;
    tally.with_errors += u32::from(analysis.syntax_errors > 0);
    tally.symbols += u64::from(analysis.counts.functions + analysis.counts.methods + analysis.counts.classes);
    tally.imports += analysis.imports.len() as u64;
    let counts = analysis.counts;
    assert_eq!(counts.lines, counts.code_lines + counts.comment_lines + counts.blank_lines, "{path:?}");
    for symbol in &analysis.outline {
        assert!(symbol.first_line >= 1 && symbol.first_line <= symbol.last_line, "{path:?} {symbol:?}");
        assert!(symbol.last_line <= counts.lines, "{path:?} {symbol:?}");
        assert!(!symbol.name.is_empty() || analysis.syntax_errors > 0, "{path:?} {symbol:?}");
        assert!(!symbol.signature.is_empty() || analysis.syntax_errors > 0, "{path:?} {symbol:?}");
    }
}

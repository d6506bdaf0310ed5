//! Gathers the standard rules, by language, so that they are part of the component.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=packs");
    println!("cargo::rerun-if-changed=build.rs");
    let here = PathBuf::from(env::var("CARGO_MANIFEST_DIR").map_err(io::Error::other)?);
    let out = PathBuf::from(env::var("OUT_DIR").map_err(io::Error::other)?);
    let mut table = "&[\n".to_owned();
    for folder in sorted(&here.join("packs"))? {
        if !folder.is_dir() || folder.ends_with("tests") {
            continue;
        }
        for file in sorted(&folder)?.iter().filter(|file| file.extension().is_some_and(|end| end == "yml")) {
            let text = fs::read_to_string(file)?;
            let languages = languages(&text);
            let _ =
                writeln!(table, "Standard {{ languages: &{languages:?}, yaml: include_str!({file:?}) }},");
        }
    }
    table.push(']');
    fs::write(out.join("standard.rs"), table)
}

/// What lies in a folder, in the order of names, so that the component is the same everywhere.
fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

/// A rule's own language and those of `also`, as lines of the pack's form say them; a test holds
/// them against what the YAML says.
fn languages(yaml: &str) -> Vec<&str> {
    let own = yaml.lines().find_map(|line| line.strip_prefix("language:"));
    let also = yaml.lines().find_map(|line| line.strip_prefix("  also: ["));
    let also = also.and_then(|rest| rest.split(']').next()).unwrap_or_default();
    let all = own.unwrap_or_default().split('#').next().into_iter().chain(also.split(','));
    all.map(str::trim).filter(|name| !name.is_empty()).collect()
}

//! Embeds the standard tools: reads the manifest of the built components, checks that the files
//! it names are there, and writes the table that `src/standard.rs` includes.
//!
//! `RINGFENCE_PREBUILT` names another folder of built components, absolute.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

#[derive(serde::Deserialize)]
struct Manifest {
    component: Vec<Component>,
}

#[derive(serde::Deserialize)]
struct Component {
    name: String,
    file: String,
    digest: String,
    size: u64,
    compressed_size: u64,
}

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=RINGFENCE_PREBUILT");
    match table() {
        Ok(()) => {}
        Err(why) => println!("cargo::error=the standard tools can't be embedded: {why}"),
    }
}

fn folder() -> Result<PathBuf, String> {
    match std::env::var_os("RINGFENCE_PREBUILT").map(PathBuf::from) {
        Some(folder) if folder.is_absolute() => Ok(folder),
        Some(folder) => {
            Err(format!("RINGFENCE_PREBUILT is `{}`; it must be an absolute path", folder.display()))
        }
        None => {
            let here = std::env::var_os("CARGO_MANIFEST_DIR").ok_or("CARGO_MANIFEST_DIR is not set")?;
            Ok(Path::new(&here).join("../../tools-wasm/prebuilt"))
        }
    }
}

fn table() -> Result<(), String> {
    let folder = folder()?;
    let path = folder.join("manifest.toml");
    println!("cargo::rerun-if-changed={}", path.display());
    let hint = "restore the folder tools-wasm/prebuilt, or name another in RINGFENCE_PREBUILT";
    let text =
        std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}; {hint}", path.display()))?;
    let manifest: Manifest = toml::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut table = String::from("&[\n");
    for Component { name, file, digest, size, compressed_size } in manifest.component {
        if file.contains(['/', '\\']) {
            return Err(format!("{}: `{file}` is not the name of a file beside it", path.display()));
        }
        let packed = folder.join(&file);
        println!("cargo::rerun-if-changed={}", packed.display());
        let meta =
            std::fs::metadata(&packed).map_err(|error| format!("{}: {error}; {hint}", packed.display()))?;
        if meta.len() != compressed_size {
            let found = meta.len();
            return Err(format!(
                "{} has {found} bytes, its manifest says {compressed_size}; {hint}",
                packed.display()
            ));
        }
        let packed = packed.to_str().ok_or_else(|| format!("{} is not UTF-8", packed.display()))?;
        let _ = writeln!(
            table,
            "StandardComponent {{ name: {name:?}, digest: {digest:?}, size: {size}, packed: include_bytes!({packed:?}) }},"
        );
    }
    table.push_str("]\n");
    let out = std::env::var_os("OUT_DIR").ok_or("OUT_DIR is not set")?;
    std::fs::write(Path::new(&out).join("standard.rs"), table).map_err(|error| error.to_string())
}

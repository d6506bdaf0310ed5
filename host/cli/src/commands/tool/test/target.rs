//! Which component is meant: a file, or that of a tool project.

use crate::exit::Refusal;
use anyhow::{Context, Result};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What a tool project is described in.
const PROJECT_FILE: &str = "tool.toml";

/// The file that is named; of a folder, or where nothing is named, the component of the tool project there.
pub(super) fn component(named: Option<&Path>) -> Result<PathBuf> {
    let folder = match named {
        Some(path) if !path.is_dir() => return Ok(path.to_owned()),
        Some(folder) => folder,
        None => Path::new("."),
    };
    let name = match name_in(&folder.join(PROJECT_FILE))? {
        Some(name) => name,
        None => {
            let real = folder.canonicalize().with_context(|| format!("{}", folder.display()))?;
            real.file_name().unwrap_or_default().to_string_lossy().into_owned()
        }
    };
    let file = folder.join(format!("{name}.wasm"));
    if file.is_file() {
        return Ok(file);
    }
    let what = format!("there is no component {}", file.display());
    Err(Refusal::usage(what).hint("name its file, or build it first: ringfence tool build").into())
}

/// The project's own name, where it says one.
fn name_in(file: &Path) -> Result<Option<String>> {
    let text = match ringfence_toolchain::read_text(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => {
            return Err(Refusal::usage(format!("{} can't be read: {error}", file.display())).into());
        }
    };
    let table: toml::Table = text
        .parse()
        .map_err(|error: toml::de::Error| Refusal::usage(format!("{}: {error}", file.display())))?;
    let name = table.get("name").and_then(toml::Value::as_str);
    // It becomes a file's name, and whoever wrote it isn't always whoever runs this.
    Ok(name.filter(|name| !name.contains('/')).map(str::to_owned))
}

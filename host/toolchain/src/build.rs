//! Building tool projects: what is missing is found first, for all of them, then each is built.

use crate::component;
use crate::error::BuildError;
use crate::install::install;
use crate::language::Language;
use crate::machine::Missing;
use crate::project::{Project, ToolProject};
use crate::recipe;
use crate::run::Cancel;
use crate::toolchain::Toolchain;
use crate::wit::Wit;
use crate::workshop::Workshop;
use std::fs;
use std::path::{Path, PathBuf};

/// What a build is asked for.
#[derive(Debug, Clone)]
pub struct Options {
    /// The folder for the components; none: each goes into its project's own.
    pub out: Option<PathBuf>,
    /// Install what is missing.
    pub install: bool,
    /// Where compilers' work and what is installed for tools alone are kept, of this user alone.
    pub cache: PathBuf,
    /// Where cargo keeps what it compiles for tools; none: in the cache.
    pub cargo_target: Option<PathBuf>,
    /// Stops the build.
    pub cancel: Cancel,
}

/// What is going on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Progress {
    /// A way of installing is tried.
    Installing(String),
    /// A tool's build begins.
    Building {
        /// Its name.
        name: String,
        /// What it is written in.
        language: Language,
    },
    /// A command is run.
    Running(String),
    /// A line of a compiler's, as it came.
    Said(String),
}

/// A built component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The tool project's name.
    pub name: String,
    /// What it is written in; none where a compiled module was given.
    pub language: Option<Language>,
    /// The file.
    pub file: PathBuf,
    /// The BLAKE3 digest of the component, `blake3:` and 64 hex digits.
    pub digest: String,
    /// The component's bytes.
    pub size: u64,
    /// What compiled it.
    pub toolchain: Toolchain,
}

/// Builds the tool project in `folder`, or all of its members; nothing where something that one of
/// them needs is missing.
pub fn build(
    folder: &Path,
    options: &Options,
    tell: &mut dyn FnMut(Progress),
) -> Result<Vec<Built>, BuildError> {
    let project = Project::open(folder)?;
    let mut shop = Workshop::new(options, tell);
    let tools: Vec<(&ToolProject, Wit)> = project
        .tools()
        .iter()
        .map(|tool| Ok((tool, Wit::read(&tool.wit, tool.world.as_deref())?)))
        .collect::<Result<_, BuildError>>()?;
    let missing = missing(&project, &shop);
    if !missing.is_empty() {
        if !options.install {
            return Err(BuildError::Missing(missing));
        }
        install(&missing, &mut shop)?;
        let still = self::missing(&project, &shop);
        if !still.is_empty() {
            return Err(BuildError::Missing(still));
        }
    }
    tools.iter().map(|(tool, wit)| build_one(tool, wit, &mut shop)).collect()
}

fn missing(project: &Project, shop: &Workshop<'_>) -> Vec<Missing> {
    let mut all = Vec::new();
    for one in project.tools().iter().flat_map(|tool| recipe::missing(tool, shop.machine())) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}

fn build_one(project: &ToolProject, wit: &Wit, shop: &mut Workshop<'_>) -> Result<Built, BuildError> {
    shop.tell(Progress::Building { name: project.name.clone(), language: project.language });
    let made = recipe::build(project, wit, shop)?;
    let bytes = component::finished(made.bytes, wit)?;
    let folder = shop.options().out.as_ref().unwrap_or(&project.folder);
    let file = folder.join(format!("{}.wasm", project.name));
    write_whole(&file, &bytes)?;
    Ok(Built {
        name: project.name.clone(),
        language: Some(project.language),
        file,
        digest: digest(&bytes),
        size: bytes.len() as u64,
        toolchain: made.toolchain,
    })
}

/// The digest of these bytes, as it is written.
pub(crate) fn digest(bytes: &[u8]) -> String {
    format!("blake3:{}", blake3::hash(bytes).to_hex())
}

/// Writes beside the place and renames, so that a half-written file is never taken for a whole one.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), BuildError> {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    let folder = path.parent().unwrap_or(Path::new("."));
    let failed = |error: std::io::Error| BuildError::write(path, error);
    fs::create_dir_all(folder).map_err(failed)?;
    let mut part = tempfile::Builder::new()
        .permissions(fs::Permissions::from_mode(0o644))
        .tempfile_in(folder)
        .map_err(failed)?;
    part.write_all(bytes).map_err(failed)?;
    part.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

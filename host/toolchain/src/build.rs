//! Building tool projects: what is missing is found first, for all of them, then each is built.

use crate::component;
use crate::error::BuildError;
use crate::file;
use crate::install::install;
use crate::language::Language;
use crate::machine::Missing;
use crate::manifest;
use crate::project::{Project, ToolProject};
use crate::recipe;
use crate::run::Cancel;
use crate::settings::{Settings, check_name};
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
    /// Write components compressed, with a manifest of where they come from beside them; with `out`.
    pub compress: bool,
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
    /// What compiles it is chosen.
    Taking(Toolchain),
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
    /// Length of the component in bytes.
    pub size: u64,
    /// Length of the file, where it is compressed.
    pub compressed_size: Option<u64>,
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
    let mut shop = Workshop::new(project.tools(), options, tell);
    let tools: Vec<(&ToolProject, Wit)> = project
        .tools()
        .iter()
        .map(|tool| Ok((tool, Wit::read(&tool.wit, tool.world.as_deref())?)))
        .collect::<Result<_, BuildError>>()?;
    let missing = missing(&project, &shop)?;
    if !missing.is_empty() {
        if !options.install {
            return Err(BuildError::Missing(missing));
        }
        install(&missing, &mut shop)?;
        let still = self::missing(&project, &shop)?;
        if !still.is_empty() {
            return Err(BuildError::Missing(still));
        }
    }
    let built = tools
        .iter()
        .map(|(tool, wit)| {
            let _turn = shop.turn(tool)?;
            build_one(tool, wit, &mut shop)
        })
        .collect::<Result<Vec<Built>, BuildError>>()?;
    go_on(options)?;
    if let (true, Some(out)) = (options.compress, &options.out) {
        manifest::write(out, project.tools(), &built)?;
    }
    Ok(built)
}

/// A core module that is compiled already, in whatever language, or a component without docs.
#[derive(Debug, Clone)]
pub struct Module {
    /// The file.
    pub file: PathBuf,
    /// A folder whose `tool.toml` says what isn't said here.
    pub project: PathBuf,
    /// The folder or file of the WIT.
    pub wit: Option<PathBuf>,
    /// The world.
    pub world: Option<String>,
}

/// Makes a component of a compiled module.
pub fn build_module(module: &Module, options: &Options) -> Result<Built, BuildError> {
    let (folder, settings) = Settings::of(&module.project)?;
    let wit = module.wit.clone().unwrap_or_else(|| settings.wit(&folder));
    let wit = Wit::read(&wit, module.world.as_deref().or(settings.world.as_deref()))?;
    let name = match settings.given_name() {
        Some(name) => name.to_owned(),
        None => module.file.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
    };
    check_name(&name).map_err(|reason| BuildError::component(format!("the component's name {reason}")))?;
    let place = place(&name, options, &folder);
    let compiled = fs::read(&module.file).map_err(|error| BuildError::read(&module.file, error))?;
    if place.canonicalize().ok().is_some_and(|place| module.file.canonicalize().ok() == Some(place)) {
        return Err(BuildError::component(format!(
            "the component would take the place of the module {}: name another folder for it, with --out",
            module.file.display()
        )));
    }
    let bytes = component::finished(compiled, &wit)?;
    written(name, None, place, &bytes, Toolchain::new("given"), options)
}

fn missing(project: &Project, shop: &Workshop<'_>) -> Result<Vec<Missing>, BuildError> {
    let mut all = Vec::new();
    for one in project.tools().iter().flat_map(|tool| recipe::missing(tool, shop.machine())) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    go_on(shop.options())?;
    Ok(all)
}

fn build_one(project: &ToolProject, wit: &Wit, shop: &mut Workshop<'_>) -> Result<Built, BuildError> {
    shop.tell(Progress::Building { name: project.name.clone(), language: project.language });
    let made = recipe::build(project, wit, shop);
    // Programs that were stopped look as if they were missing.
    go_on(shop.options())?;
    let made = made?;
    let bytes = component::finished(made.bytes, wit)?;
    let place = place(&project.name, shop.options(), &project.folder);
    let language = Some(project.language);
    written(project.name.clone(), language, place, &bytes, made.toolchain, shop.options())
}

/// An error where the build is cancelled.
fn go_on(options: &Options) -> Result<(), BuildError> {
    if options.cancel.is_cancelled() { Err(BuildError::Cancelled) } else { Ok(()) }
}

fn place(name: &str, options: &Options, folder: &Path) -> PathBuf {
    let end = if options.compress { ".wasm.zst" } else { ".wasm" };
    options.out.as_deref().unwrap_or(folder).join(format!("{name}{end}"))
}

fn written(
    name: String,
    language: Option<Language>,
    file: PathBuf,
    bytes: &[u8],
    toolchain: Toolchain,
    options: &Options,
) -> Result<Built, BuildError> {
    let compressed = options.compress.then(|| file::compressed(bytes)).transpose();
    let compressed = compressed.map_err(|error| BuildError::write(&file, error))?;
    go_on(options)?;
    file::write_whole(&file, compressed.as_deref().unwrap_or(bytes))?;
    Ok(Built {
        name,
        language,
        file,
        digest: file::digest(bytes),
        size: bytes.len() as u64,
        compressed_size: compressed.map(|bytes| bytes.len() as u64),
        toolchain,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancelled_build_writes_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let options = Options {
            out: None,
            compress: false,
            install: false,
            cache: dir.path().to_owned(),
            cargo_target: None,
            cancel: Cancel::default(),
        };
        let file = dir.path().join("tool.wasm");
        let write =
            || written("tool".into(), None, file.clone(), b"bytes", Toolchain::new("given"), &options);
        options.cancel.cancel();
        assert!(matches!(write(), Err(BuildError::Cancelled)));
        assert!(!file.exists());
    }
}

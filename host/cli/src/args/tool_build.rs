//! `ringfence tool build`

use clap::Args;
use std::path::PathBuf;

/// `ringfence tool build`
#[derive(Debug, Clone, Args)]
pub struct ToolBuildArgs {
    /// The tool's folder; what is in its tool.toml counts, and what isn't is found by what lies there
    #[arg(value_name = "DIR", default_value = ".")]
    pub project: PathBuf,
    /// Write the component into this folder instead of the tool's own
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Install what is missing: packages of the system (as root), of PyPI and npm, a target of rustup
    #[arg(long)]
    pub install: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Write NAME.wasm.zst instead, and a manifest.toml that says what each is made of
    #[arg(long, requires = "out")]
    pub compress: bool,
    /// Build nothing: fail if a source has changed since the manifest in the folder of --out was
    /// written, or a component there isn't the manifest's
    #[arg(long, requires = "out", conflicts_with_all = ["compress", "install", "module"])]
    pub check: bool,
    /// Make the component of this file, which a compiler made already: a core module for WASI preview 1
    /// (a reactor) that exports the world's functions, or a component without docs
    #[arg(long, value_name = "FILE", conflicts_with_all = ["compress", "install"])]
    pub module: Option<PathBuf>,
    /// With --module: the folder or file of its WIT [default: as tool.toml says, else DIR/wit]
    #[arg(long, value_name = "PATH", requires = "module")]
    pub wit: Option<PathBuf>,
    /// With --module: the world [default: as tool.toml says, else the only one]
    #[arg(long, value_name = "NAME", requires = "module")]
    pub world: Option<String>,
}

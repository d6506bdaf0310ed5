//! Turns the standard tools' core modules into components with docs and a manifest.
//!
//! Owns: what a component is made of, the manifest's shape, when a manifest is stale. Doesn't own:
//! how the core modules are compiled; `tools-wasm/build.sh` does that and calls this.
#![forbid(unsafe_code)]

mod component;
mod manifest;
mod sources;

use anyhow::{Context, Result, bail};
use clap::{Args, Parser, Subcommand};
use manifest::{Component, How, Manifest, Toolchain};
use std::path::{Path, PathBuf};

/// The components: folder under `tools-wasm/` and file in `wit/`, world in that file.
const COMPONENTS: [(&str, &str); 4] =
    [("files", "files-tool"), ("code", "code-tool"), ("edit", "edit-tool"), ("web", "web-tool")];

/// Level 19: the components are compressed once and read often.
const ZSTD_LEVEL: i32 = 19;

#[derive(Parser)]
#[command(about = "Builds the standard tools' components from compiled modules", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Make components from the compiled modules and write them with their manifest.
    Build(Build),
    /// Fail if the manifest doesn't belong to the sources, or the files not to the manifest.
    Check(Places),
}

#[derive(Args)]
struct Places {
    /// The repository.
    #[arg(long)]
    root: PathBuf,
    /// The folder of the built components.
    #[arg(long)]
    out: PathBuf,
}

#[derive(Args)]
struct Build {
    #[command(flatten)]
    places: Places,
    /// The folder where the compiler left `ringfence_NAME.wasm`.
    #[arg(long)]
    modules: PathBuf,
    /// Where the toolchain comes from.
    #[arg(long, value_enum)]
    how: How,
    /// What `rustc --version` says.
    #[arg(long)]
    rustc: String,
    /// The first line of what `clang --version` says.
    #[arg(long)]
    clang: String,
}

fn main() -> Result<()> {
    match Cli::parse().command {
        Command::Build(build) => self::build(&build),
        Command::Check(places) => check(&places),
    }
}

fn build(build: &Build) -> Result<()> {
    let Places { root, out } = &build.places;
    std::fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let mut components = Vec::new();
    for (name, world) in COMPONENTS {
        let path = build.modules.join(format!("ringfence_{name}.wasm"));
        let module = std::fs::read(&path).with_context(|| format!("no module at {}", path.display()))?;
        let wit = root.join(sources::wit(name));
        let bytes = component::from_module(&module, &wit, world)
            .with_context(|| format!("cannot make a component of {}", path.display()))?;
        let packed = zstd::bulk::compress(&bytes, ZSTD_LEVEL).context("cannot compress")?;
        let file = format!("{name}.wasm.zst");
        write_whole(&out.join(&file), &packed)?;
        let component = Component {
            name: name.to_owned(),
            file,
            source: sources::digest(root, name)?,
            digest: digest(&bytes),
            size: bytes.len() as u64,
            compressed_size: packed.len() as u64,
        };
        println!("{name}: {} ({} bytes, {} compressed)", component.digest, component.size, packed.len());
        components.push(component);
    }
    let toolchain = Toolchain {
        how: build.how,
        rustc: build.rustc.trim().to_owned(),
        clang: build.clang.trim().to_owned(),
    };
    let manifest = Manifest { toolchain, component: components };
    write_whole(&out.join(manifest::FILE), manifest.to_toml()?.as_bytes())
}

fn check(places: &Places) -> Result<()> {
    let manifest = Manifest::read(&places.out)?;
    for (name, _) in COMPONENTS {
        let listed = manifest.get(name)?;
        let source = sources::digest(&places.root, name)?;
        if listed.source != source {
            bail!(
                "{} is older than its sources: the manifest says {}, they are {source}; run tools-wasm/build.sh",
                listed.file,
                listed.source
            );
        }
        let path = places.out.join(&listed.file);
        let packed = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let capacity = usize::try_from(listed.size).context("absurd size in the manifest")?;
        let bytes = zstd::bulk::decompress(&packed, capacity)
            .with_context(|| format!("{} is no zstd file of {capacity} bytes", path.display()))?;
        let found = digest(&bytes);
        if listed.digest != found {
            bail!("{} is {found}, the manifest says {}", path.display(), listed.digest);
        }
        println!("{name}: up to date");
    }
    Ok(())
}

fn digest(bytes: &[u8]) -> String {
    format!("blake3:{}", blake3::hash(bytes).to_hex())
}

/// Writes beside the place and renames, so that a half-written file is never taken for a whole one.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let part = path.with_extension("part");
    std::fs::write(&part, bytes)
        .and_then(|()| std::fs::rename(&part, path))
        .with_context(|| format!("cannot write {}", path.display()))
}

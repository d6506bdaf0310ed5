//! `ringfence tool push`

use clap::Args;
use ringfence_registry::OciReference;
use std::path::PathBuf;

/// `ringfence tool push`
#[derive(Debug, Clone, Args)]
pub struct ToolPushArgs {
    /// The component
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Where to: oci://registry/repository[:tag]
    #[arg(value_name = "REFERENCE", value_parser = parse_reference)]
    pub reference: OciReference,
    /// Its title, as registries show it
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,
    /// Its version, as registries show it
    #[arg(long, value_name = "TEXT")]
    pub version: Option<String>,
    /// Where its source is
    #[arg(long, value_name = "URL")]
    pub source: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

fn parse_reference(text: &str) -> Result<OciReference, String> {
    text.parse::<OciReference>().map_err(|error| error.to_string())
}

//! `ringfence tool push`

use super::{online, refusal};
use crate::args::{GlobalArgs, ToolPushArgs};
use crate::exit::{Exit, OrUsage};
use crate::output::{err, out, out_json};
use anyhow::Result;
use ringfence_registry::Artifact;
use ringfence_sandbox::ComponentSource;
use ringfence_sandbox::reflect::{ReflectLimits, reflect};
use serde_json::json;
use std::collections::BTreeMap;

/// Publishes a component; prints the reference that means exactly it.
pub(in crate::commands::tool) fn execute(args: &ToolPushArgs, global: &GlobalArgs) -> Result<Exit> {
    let source = ComponentSource::from_file(&args.file).or_usage()?;
    let bytes = source.bytes()?;
    let known = reflect(&bytes, &ReflectLimits::default()).map_err(|error| {
        refusal(ringfence_registry::Error::NotAComponent {
            what: args.file.display().to_string(),
            why: error.to_string(),
        })
    })?;
    let mut exports: Vec<String> = known
        .tools
        .iter()
        .map(|tool| &tool.export)
        .chain(known.unsupported.iter().map(|function| &function.export))
        .map(|export| export.interface.clone().unwrap_or_else(|| export.function.clone()))
        .collect();
    exports.sort();
    exports.dedup();
    let annotations: BTreeMap<String, String> =
        [("title", &args.title), ("version", &args.version), ("source", &args.source)]
            .into_iter()
            .filter_map(|(key, value)| Some((format!("org.opencontainers.image.{key}"), value.clone()?)))
            .collect();
    let name = args.file.display().to_string();
    let artifact = Artifact {
        name: &name,
        component: &bytes,
        imports: &known.imports,
        exports: &exports,
        annotations: &annotations,
    };
    let published = online(async |client| client.publish(&args.reference, &artifact).await)?;
    if args.json {
        out_json(&json!({
            "reference": published.reference.to_string(),
            "tag": args.reference.to_string(),
            "digest": source.digest(),
            "sha256": published.sha256,
            "size": bytes.len(),
            "was_there": published.was_there,
        }))?;
        return Ok(Exit::Done);
    }
    out(&format!("{}\n", published.reference))?;
    if !global.quiet {
        err(&format!("`{name}` is published as {}\n", args.reference));
    }
    Ok(Exit::Done)
}

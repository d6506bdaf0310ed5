//! From a component to an artifact of a registry, in the layout that other tools read.

use super::manifest::{Descriptor, OCI_MANIFEST, WASM_CONFIG, WASM_LAYER};
use super::{Registry, Use};
use crate::Error;
use crate::sha256::Sha256;
use crate::source::{OciReference, Version};
use crate::web::Ask;
use reqwest::{Method, StatusCode};
use serde::Serialize;
use serde_json::json;
use std::collections::BTreeMap;

/// Artifacts made of the same component are the same: no time of their making is told.
const CREATED: &str = "1970-01-01T00:00:00Z";

/// A component as it is published.
#[derive(Debug, Clone, Copy)]
pub struct Artifact<'a> {
    /// What errors call it.
    pub name: &'a str,
    /// Its bytes.
    pub component: &'a [u8],
    /// What it imports, as it names it.
    pub imports: &'a [String],
    /// What it exports, as it names it.
    pub exports: &'a [String],
    /// Title, version, source: by the names that registries show.
    pub annotations: &'a BTreeMap<String, String>,
}

/// What was published.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Exactly this artifact.
    pub reference: OciReference,
    /// Of the component.
    pub sha256: Sha256,
    /// Whether the registry had the component already.
    pub was_there: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ImageManifest<'a> {
    schema_version: u32,
    media_type: &'a str,
    config: Descriptor,
    layers: Vec<Descriptor>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    annotations: &'a BTreeMap<String, String>,
}

impl Registry<'_> {
    /// Publishes a component under the reference's tag.
    pub(crate) async fn push(&self, to: &OciReference, artifact: &Artifact<'_>) -> Result<Published, Error> {
        let what = to.to_string();
        let cant = |why: &str| Error::Artifact { what: what.clone(), why: why.to_owned() };
        if !matches!(to.version, Version::Tag(_)) {
            return Err(cant("what is published has a tag; its digest is what comes of it"));
        }
        let layer = Descriptor::new(WASM_LAYER, artifact.component);
        let config = json!({
            "created": CREATED,
            "architecture": "wasm",
            "os": "wasip2",
            "layerDigests": [layer.digest],
            "component": { "exports": artifact.exports, "imports": artifact.imports },
        });
        let config = config.to_string().into_bytes();
        let manifest = ImageManifest {
            schema_version: 2,
            media_type: OCI_MANIFEST,
            config: Descriptor::new(WASM_CONFIG, &config),
            layers: vec![layer],
            annotations: artifact.annotations,
        };
        let manifest = serde_json::to_vec(&manifest).map_err(|error| cant(&error.to_string()))?;
        let was_there = self.upload(artifact.component, &what).await?;
        self.upload(&config, &what).await?;
        let digest = Sha256::of(&manifest);
        let url = self.url(&format!("manifests/{}", to.version.asked()))?;
        let put = Ask { method: Method::PUT, body: Some((OCI_MANIFEST, manifest)), ..Ask::get(url, &what) };
        let answer = self.ask(put, Use::Push).await?;
        if !answer.status.is_success() {
            return Err(answer.refused().await);
        }
        Ok(Published { reference: to.at(digest), sha256: Sha256::of(artifact.component), was_there })
    }

    /// Uploads a blob; whether it was there already.
    async fn upload(&self, bytes: &[u8], what: &str) -> Result<bool, Error> {
        let digest = Sha256::of(bytes);
        let head = Ask { method: Method::HEAD, ..Ask::get(self.url(&format!("blobs/{digest}"))?, what) };
        if self.ask(head, Use::Push).await?.status == StatusCode::OK {
            return Ok(true);
        }
        let begin = Ask {
            method: Method::POST,
            body: Some(("application/octet-stream", Vec::new())),
            ..Ask::get(self.url("blobs/uploads/")?, what)
        };
        let begun = self.ask(begin, Use::Push).await?;
        if begun.status != StatusCode::ACCEPTED {
            return Err(begun.refused().await);
        }
        let mut to = begun.location()?;
        to.query_pairs_mut().append_pair("digest", &digest.to_string());
        let body = Some(("application/octet-stream", bytes.to_vec()));
        let answer = self.ask(Ask { method: Method::PUT, body, ..Ask::get(to, what) }, Use::Push).await?;
        if answer.status != StatusCode::CREATED {
            return Err(answer.refused().await);
        }
        Ok(false)
    }
}

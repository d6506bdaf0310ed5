//! What manifests say, and which part of an artifact is the component.

use crate::sha256::Sha256;
use crate::words::cut;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub(super) const OCI_MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub(super) const ACCEPTED: &str = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, application/vnd.docker.distribution.manifest.v2+json, application/vnd.docker.distribution.manifest.list.v2+json";
pub(super) const WASM_CONFIG: &str = "application/vnd.wasm.config.v0+json";
pub(super) const WASM_LAYER: &str = "application/wasm";

/// Layers that are components: the layout's own type, and what older tools write.
const COMPONENT_LAYERS: [&str; 2] = [WASM_LAYER, "application/vnd.wasm.content.layer.v1+wasm"];

/// Layers, and artifacts of an index, that are looked at; more of them aren't for tools.
const MAX_PARTS: usize = 256;

/// A part of something, by digest.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor {
    #[serde(default)]
    pub(super) media_type: String,
    pub(super) digest: String,
    pub(super) size: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) annotations: BTreeMap<String, String>,
    #[serde(default, skip_serializing)]
    platform: Option<Platform>,
    /// What kind of artifact it is, where an index says so.
    #[serde(default, skip_serializing)]
    pub(super) artifact_type: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
struct Platform {
    #[serde(default)]
    architecture: String,
    #[serde(default)]
    os: String,
}

impl Descriptor {
    pub(super) fn new(media_type: &str, bytes: &[u8]) -> Self {
        Self {
            media_type: media_type.to_owned(),
            digest: Sha256::of(bytes).to_string(),
            size: bytes.len() as u64,
            annotations: BTreeMap::new(),
            platform: None,
            artifact_type: None,
        }
    }

    pub(super) fn sha256(&self) -> Result<Sha256, String> {
        self.digest.parse().map_err(|error| format!("{error}"))
    }

    /// In words.
    fn told(&self) -> String {
        let title = self.annotations.get("org.opencontainers.image.title");
        let title = title.map(|title| format!(" `{}`", cut(title, 80))).unwrap_or_default();
        format!("{}{title} ({})", cut(&self.media_type, 80), cut(&self.digest, 80))
    }

    fn platform_told(&self) -> String {
        let platform = self.platform.clone().unwrap_or_default();
        format!("{}/{} ({})", cut(&platform.os, 40), cut(&platform.architecture, 40), cut(&self.digest, 80))
    }
}

/// An artifact, or several of which one has to be chosen.
#[derive(Debug)]
pub(super) enum Manifest {
    /// One artifact.
    Artifact { layers: Vec<Descriptor> },
    /// One for each platform.
    Index { manifests: Vec<Descriptor> },
}

impl Manifest {
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        #[derive(Deserialize)]
        struct Raw {
            layers: Option<Vec<Descriptor>>,
            manifests: Option<Vec<Descriptor>>,
        }
        let raw: Raw = serde_json::from_slice(bytes)
            .map_err(|error| format!("its manifest can't be read: {}", cut(&error.to_string(), 200)))?;
        let parts = |parts: Vec<Descriptor>| match parts.len() {
            0..=MAX_PARTS => Ok(parts),
            count => Err(format!("it has {count} parts, more than {MAX_PARTS}")),
        };
        match (raw.layers, raw.manifests) {
            (Some(layers), None) => Ok(Self::Artifact { layers: parts(layers)? }),
            (None, Some(manifests)) => Ok(Self::Index { manifests: parts(manifests)? }),
            (Some(_), Some(_)) => Err("its manifest is both an artifact and an index of several".to_owned()),
            (None, None) => Err("its manifest has neither layers nor artifacts".to_owned()),
        }
    }
}

/// The one artifact of an index that is WebAssembly.
pub(super) fn choose_platform(manifests: &[Descriptor]) -> Result<&Descriptor, String> {
    let is_wasm = |part: &&Descriptor| {
        part.platform.as_ref().is_some_and(|platform| platform.architecture.starts_with("wasm"))
    };
    let mut wasm: Vec<_> = manifests.iter().filter(is_wasm).collect();
    if wasm.len() > 1 {
        // Components are WASI 0.2's; modules of WASI 0.1 may stand beside them.
        let of_components =
            |part: &&&Descriptor| part.platform.as_ref().is_some_and(|platform| platform.os == "wasip2");
        let components: Vec<_> = wasm.iter().filter(of_components).copied().collect();
        if components.len() == 1 {
            wasm = components;
        }
    }
    let all =
        |parts: &[&Descriptor]| parts.iter().map(|part| part.platform_told()).collect::<Vec<_>>().join(", ");
    match (wasm.as_slice(), manifests) {
        ([only], _) => Ok(only),
        ([], [only]) if only.platform.is_none() => Ok(only),
        ([], _) => {
            let others: Vec<_> = manifests.iter().take(10).collect();
            Err(format!("none of its platforms is wasm: {}", all(&others)))
        }
        (several, _) => {
            let several = several.get(..several.len().min(10)).unwrap_or_default();
            Err(format!("several of its platforms are wasm; name one by its digest: {}", all(several)))
        }
    }
}

/// The one layer that is a component, and the others in words.
pub(super) fn choose_layer(layers: &[Descriptor]) -> Result<(&Descriptor, Vec<String>), String> {
    let (components, others): (Vec<_>, Vec<_>) =
        layers.iter().partition(|layer| COMPONENT_LAYERS.contains(&layer.media_type.as_str()));
    let told = |layers: &[&Descriptor]| layers.iter().take(10).map(|layer| layer.told()).collect::<Vec<_>>();
    match components.as_slice() {
        [only] => Ok((only, told(&others))),
        [] if others.is_empty() => Err("it has no layer".to_owned()),
        [] => Err(format!("none of its layers is {WASM_LAYER}: {}", told(&others).join(", "))),
        several => Err(format!("several of its layers are components: {}", told(several).join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn layers(types: &[&str]) -> Vec<Descriptor> {
        let layer = |(at, kind): (usize, &&str)| {
            let title = json!({ "org.opencontainers.image.title": format!("part {at}") });
            json!({ "mediaType": kind, "digest": Sha256::of(kind.as_bytes()), "size": 1, "annotations": title })
        };
        let layers: Vec<Value> = types.iter().enumerate().map(layer).collect();
        serde_json::from_value(json!(layers)).unwrap()
    }

    #[test]
    fn exactly_one_layer_is_the_component() {
        for kind in COMPONENT_LAYERS {
            let all = layers(&["text/markdown", kind]);
            let (chosen, others) = choose_layer(&all).unwrap();
            assert_eq!(chosen.media_type, kind);
            assert!(others[0].starts_with("text/markdown `part 0` (sha256:"), "{others:?}");
        }
        for (types, why) in [
            (&[][..], "no layer"),
            (
                &["application/vnd.oci.image.layer.v1.tar+gzip"],
                "none of its layers is application/wasm: application/vnd.oci",
            ),
            (
                &["application/wasm", "application/wasm"],
                "several of its layers are components: application/wasm `part 0`",
            ),
        ] {
            let error = choose_layer(&layers(types)).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn one_platform_of_an_index_is_webassembly() {
        let index = |platforms: &[(&str, &str)]| -> Vec<Descriptor> {
            let part = |(os, architecture): &(&str, &str)| {
                let platform = json!({ "os": os, "architecture": architecture });
                json!({ "digest": Sha256::of(os.as_bytes()), "size": 1, "platform": platform })
            };
            serde_json::from_value(json!(platforms.iter().map(part).collect::<Vec<_>>())).unwrap()
        };
        let of =
            |platforms: &[(&str, &str)]| choose_platform(&index(platforms)).map(|part| part.digest.clone());
        let wasip2 = Ok(Sha256::of(b"wasip2").to_string());
        assert_eq!(of(&[("linux", "amd64"), ("wasip2", "wasm")]), wasip2);
        assert_eq!(of(&[("wasip1", "wasm"), ("wasip2", "wasm")]), wasip2);
        assert!(
            of(&[("linux", "amd64")]).unwrap_err().contains("none of its platforms is wasm: linux/amd64")
        );
        assert!(of(&[("a", "wasm"), ("b", "wasm")]).unwrap_err().contains("name one by its digest"));
        assert!(of(&[]).is_err());
    }

    #[test]
    fn a_manifest_is_one_thing() {
        for (text, why) in [
            (r#"{"layers":[],"manifests":[]}"#, "both"),
            ("{}", "neither"),
            ("[", "can't be read"),
            (r#"{"layers":[{"size":1}]}"#, "can't be read"),
        ] {
            let error = Manifest::parse(text.as_bytes()).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        let many = json!({ "layers": vec![json!({ "digest": "", "size": 1 }); 300] }).to_string();
        assert!(Manifest::parse(many.as_bytes()).unwrap_err().contains("300 parts"));
    }
}

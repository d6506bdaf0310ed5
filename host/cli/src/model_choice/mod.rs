//! Which model serves which stage of a run.
//!
//! Owns: choosing by flags, configuration and environment ([`choose`]), connecting ([`connect`]),
//! sending each request to its own model ([`panel`]). Doesn't own: how a provider is spoken to
//! (`ringfence-models`).

mod choose;
mod connect;
mod environment;
mod panel;

pub use connect::Tape;
pub use environment::Environment;

use ringfence_models::Effort;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// One model, ready to be connected to. Holds no secret: keys are read when connecting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "provider", rename_all = "lowercase")]
pub enum ModelChoice {
    /// Built in, no network.
    Playbook,
    /// The Messages API.
    Anthropic {
        /// Its id; none for the default.
        model: Option<String>,
        /// Settings.
        #[serde(flatten)]
        settings: ModelSettings,
    },
    /// The chat completions API.
    OpenAi {
        /// Its id.
        model: String,
        /// Settings.
        #[serde(flatten)]
        settings: ModelSettings,
    },
    /// What a model answered before, from a file.
    Cassette {
        /// The file.
        path: PathBuf,
    },
}

/// How a model is reached and asked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ModelSettings {
    /// Where its server is; none for the provider's own.
    pub base_url: Option<String>,
    /// Depth of thought.
    pub effort: Option<Effort>,
    /// Only where the model takes one.
    pub temperature: Option<f64>,
    /// Whether the key may travel unencrypted to another machine.
    #[serde(default)]
    pub plain_http: bool,
}

/// The models of a run. Can be kept with the run, so that it is resumed with the same ones.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ModelPlan {
    /// Every stage that has none of its own.
    pub default: ModelChoice,
    /// By the stage's name: `plan`, `decide`, `evaluate`, `reason`, `converse`, `reflect`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stages: BTreeMap<String, ModelChoice>,
    /// By the expert's name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub experts: BTreeMap<String, ModelChoice>,
}

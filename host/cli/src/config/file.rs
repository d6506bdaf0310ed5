//! A configuration file as it is written: the same language for the user's and a project's.
//!
//! Unknown keys are errors, and so are known ones that nothing would enforce: a policy that is
//! silently ignored is worse than none.

use super::env;
use super::hosts::Host;
use super::language::Position;
use super::named_secrets;
use super::roles::RoleSection;
use super::search::SearchProvider;
use super::secrets::SecretSection;
use super::trusted_keys::TrustedKeySection;
pub use super::values::{Bytes, Component, Dir, Dollars, Span};
use clap::ValueEnum;
use ringfence_engine::{Flow, ModelStage, OnStageFailure, PausePoint};
use ringfence_models::Effort;
use ringfence_sandbox::SecretName;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::num::{NonZeroU32, NonZeroU64};

/// A whole file.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ConfigFile {
    /// The loop architecture.
    pub flow: Option<Flow>,
    /// Where a run waits for a person.
    pub pause: Option<BTreeSet<PausePoint>>,
    /// Independent tasks that may be worked on at the same time.
    pub parallel: Option<NonZeroU32>,
    /// What becomes of a stage that failed and whose recovery failed too.
    pub on_stage_failure: Option<OnStageFailure>,
    /// What an acknowledged step survives; only in the user's own file.
    pub durability: Option<Durability>,
    /// A command that is told what becomes of runs; only in the user's own file.
    pub notify: Option<String>,
    /// Components whose tools are loaded too, relative to the file's folder.
    pub components: Vec<Component>,
    /// What tools may touch.
    pub grants: GrantsSection,
    /// Bounds of runs and calls.
    pub limits: LimitsSection,
    /// Which model serves which stage.
    pub models: ModelsSection,
    /// Who works on tasks of which kind.
    pub experts: BTreeMap<String, ExpertSection>,
    /// What single tools may do, where it is less.
    pub tools: BTreeMap<String, ToolSection>,
    /// Keys that go with some requests; only in the user's own file.
    pub secrets: BTreeMap<SecretName, SecretSection>,
    /// Which sources of components must be signed, and by whom; only in the user's own file.
    pub trusted_keys: Vec<TrustedKeySection>,
    /// Who a run can work as.
    pub roles: BTreeMap<String, RoleSection>,
    /// What the file is called in messages.
    #[serde(skip)]
    pub named: String,
    /// Where each key is said, by its dotted name.
    #[serde(skip)]
    pub said_at: BTreeMap<String, Position>,
}

/// `[grants]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GrantsSection {
    /// Folders and files of the project.
    pub dirs: Option<Vec<Dir>>,
    /// Real clocks and random numbers.
    pub entropy: Option<bool>,
    /// Nothing but input and files decides a tool's answer.
    pub deterministic: Option<bool>,
    /// Hosts that requests may be made to.
    pub hosts: Option<Vec<Host>>,
    /// Variables of the environment that tools may see.
    pub env: Option<env::Names>,
    /// Of the user's secrets, only these go along.
    pub secrets: Option<named_secrets::Names>,
}

/// `[limits]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsSection {
    /// Stages carried out at most.
    pub iterations: Option<NonZeroU32>,
    /// Time to work.
    pub time: Option<Span>,
    /// Tokens to spend.
    pub tokens: Option<NonZeroU64>,
    /// Time for one model call.
    pub model_timeout: Option<Span>,
    /// Time for one tool call.
    pub tool_timeout: Option<Span>,
    /// US dollars to spend.
    pub money: Option<Dollars>,
    /// Time for one model call of single stages.
    pub stage_timeouts: BTreeMap<ModelStage, Span>,
    /// So many repetitions count as standing still.
    pub stagnation: Option<NonZeroU32>,
    /// So many actions without progress lead to a review of the work.
    pub reflect_after: Option<NonZeroU32>,
    /// Time on the processor for one tool call.
    pub cpu: Option<Span>,
    /// Instructions for one tool call.
    pub fuel: Option<NonZeroU64>,
    /// Memory of a tool.
    pub memory: Option<Bytes>,
    /// A tool's result.
    pub output: Option<Bytes>,
    /// What a tool writes to standard output and standard error, each.
    pub stdio: Option<Bytes>,
    /// Files, folders and listings that one tool call has open at once.
    pub open_files: Option<NonZeroU32>,
    /// Entries of folders that one tool call reads.
    pub dir_entries: Option<NonZeroU64>,
    /// What one tool call reads from files.
    pub read_bytes: Option<Bytes>,
    /// What one tool call writes to the stage.
    pub write_bytes: Option<Bytes>,
    /// Files and folders that one tool call changes.
    pub write_entries: Option<NonZeroU64>,
    /// Requests that one tool call makes.
    pub requests: Option<NonZeroU32>,
    /// Headers of one request, and of one reply.
    pub request_headers: Option<Bytes>,
    /// Bodies that one tool call sends.
    pub request_body: Option<Bytes>,
    /// Bodies that one tool call receives.
    pub response_body: Option<Bytes>,
    /// Time for one request.
    pub request_timeout: Option<Span>,
    /// Time for looking up a name and connecting.
    pub connect_timeout: Option<Span>,
}

/// `[models.…]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelsSection {
    /// Every stage that has none of its own.
    pub default: Option<ModelSection>,
    /// Planning.
    pub plan: Option<ModelSection>,
    /// Deciding.
    pub decide: Option<ModelSection>,
    /// Evaluating.
    pub evaluate: Option<ModelSection>,
    /// Reasoning, of the pipeline.
    pub reason: Option<ModelSection>,
    /// The conversation of react.
    pub converse: Option<ModelSection>,
    /// Reviewing the work.
    pub reflect: Option<ModelSection>,
}

impl ModelsSection {
    /// The stages that have one of their own, by name.
    pub fn by_stage(&self) -> impl Iterator<Item = (&'static str, &ModelSection)> {
        [
            ("plan", &self.plan),
            ("decide", &self.decide),
            ("evaluate", &self.evaluate),
            ("reason", &self.reason),
            ("converse", &self.converse),
            ("reflect", &self.reflect),
        ]
        .into_iter()
        .filter_map(|(name, section)| Some((name, section.as_ref()?)))
    }
}

/// `[experts.NAME]`: a kind of task, with what deciding and evaluating are told besides, and a
/// model of its own.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExpertSection {
    /// The addition to the prompts.
    pub prompt: String,
    /// How its model is spoken to; none for the stage's own model.
    pub provider: Option<Provider>,
    /// Its model's id.
    pub model: Option<String>,
    /// Depth of thought.
    pub effort: Option<Effort>,
    /// Only where the model takes one.
    pub temperature: Option<f64>,
    /// Where its server is; only in the user's own file.
    pub base_url: Option<String>,
    /// Whether the key may travel unencrypted to another machine; only in the user's own file.
    pub plain_http: bool,
}

impl ExpertSection {
    /// Whether anything but the prompt is said.
    pub fn names_a_model(&self) -> bool {
        *self != Self { prompt: self.prompt.clone(), ..Self::default() }
    }

    /// Its own model, if it has one.
    pub fn model_section(&self) -> Option<ModelSection> {
        Some(ModelSection {
            provider: self.provider?,
            model: self.model.clone(),
            effort: self.effort,
            temperature: self.temperature,
            base_url: self.base_url.clone(),
            plain_http: self.plain_http,
        })
    }
}

/// One model.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelSection {
    /// How it is spoken to.
    pub provider: Provider,
    /// Its id.
    pub model: Option<String>,
    /// Depth of thought.
    pub effort: Option<Effort>,
    /// Only where the model takes one.
    pub temperature: Option<f64>,
    /// Where its server is; only in the user's own file.
    pub base_url: Option<String>,
    /// Whether the key may travel unencrypted to another machine; only in the user's own file.
    #[serde(default)]
    pub plain_http: bool,
}

/// Ways to speak to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Provider {
    /// The Messages API.
    Anthropic,
    /// The chat completions API.
    OpenAi,
    /// Built in.
    Playbook,
}

/// `[tools.NAME]`
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ToolSection {
    /// Of the granted folders, only these.
    pub dirs: Option<Vec<Dir>>,
    /// `false`: no real clocks and random numbers, although they are granted.
    pub entropy: Option<bool>,
    /// Nothing but input and files decides this tool's answer.
    pub deterministic: Option<bool>,
    /// Time for one call.
    pub timeout: Option<Span>,
    /// Time on the processor for one call.
    pub cpu: Option<Span>,
    /// Memory.
    pub memory: Option<Bytes>,
    /// The result.
    pub output: Option<Bytes>,
    /// What a model is told of it in place of its own words.
    pub description: Option<String>,
    /// Whether equal calls in a row are its nature, and no standing still.
    pub polling: bool,
    /// Of the granted hosts, only these.
    pub hosts: Option<Vec<Host>>,
    /// Who is asked for pages; only of the tool that searches.
    pub provider: Option<SearchProvider>,
    /// Where that is; only of the tool that searches.
    pub url: Option<String>,
    /// Of the granted variables, only these.
    pub env: Option<env::Names>,
    /// Of the granted secrets, only these.
    pub secrets: Option<named_secrets::Names>,
}

/// What an acknowledged step survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// The death of the machine: every step waits for the disk.
    #[default]
    Full,
    /// The death of the process: faster, and a power failure may take the last steps back.
    Relaxed,
}

/// Reads a file's text.
pub(super) fn parse(text: &str) -> Result<ConfigFile, toml::de::Error> {
    toml::from_str(text)
}

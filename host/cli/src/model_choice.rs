//! Which model serves which stage of a run.
//!
//! Owns: choosing by flags, configuration and environment, and connecting. Doesn't own: how a
//! provider is spoken to (`ringfence-models`).

use crate::args::ModelSpec;
use crate::config::{ModelSection, ModelsSection, Provider};
use crate::exit::Refusal;
use crate::state_dir::Folders;
use anyhow::{Context, Result};
use async_trait::async_trait;
use ringfence_models::{
    Anthropic, AnthropicConfig, Catalogue, Effort, Model, ModelError, OpenAi, OpenAiConfig, PlainHttp,
    Playbook, Price, Reply, Request, Secret,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::sync::Arc;

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
    /// By the stage's name: `plan`, `decide`, `evaluate`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stages: BTreeMap<String, ModelChoice>,
}

/// What the environment says.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// `ANTHROPIC_API_KEY`
    pub anthropic_key: Option<Secret>,
    /// `ANTHROPIC_BASE_URL`
    pub anthropic_url: Option<String>,
    /// `OPENAI_API_KEY`
    pub openai_key: Option<Secret>,
    /// `OPENAI_BASE_URL`
    pub openai_url: Option<String>,
}

impl Environment {
    /// Reads the process's own; an empty variable counts as none.
    pub fn read() -> Self {
        let get = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        Self {
            anthropic_key: get("ANTHROPIC_API_KEY").map(Secret::new),
            anthropic_url: get("ANTHROPIC_BASE_URL"),
            openai_key: get("OPENAI_API_KEY").map(Secret::new),
            openai_url: get("OPENAI_BASE_URL"),
        }
    }
}

const WAYS: &str = "\
set ANTHROPIC_API_KEY;
or name a model: --model anthropic:MODEL, or --model openai:MODEL --base-url URL for any compatible server;
or put it into your configuration: [models.default] provider = \"openai\", model = …, base_url = …;
or leave the goal out for the built-in analysis, which needs no model";

impl ModelPlan {
    /// Chooses. The playbook serves the built-in goal (none given) unless a flag says otherwise;
    /// a goal in somebody's own words needs a model.
    pub fn choose(
        has_goal: bool,
        flag: Option<&ModelSpec>,
        base_url: Option<&str>,
        configured: &ModelsSection,
        environment: &Environment,
    ) -> Result<Self, Refusal> {
        if let Some(spec) = flag {
            return Self::named(spec, base_url);
        }
        if !has_goal {
            if base_url.is_some() {
                return Err(Refusal::usage(
                    "the built-in analysis is done by the playbook, which has no server",
                )
                .hint("name a model with --model, or leave --base-url out"));
            }
            return Ok(Self { default: ModelChoice::Playbook, stages: BTreeMap::new() });
        }
        let mut stages = BTreeMap::new();
        let named =
            [("plan", &configured.plan), ("decide", &configured.decide), ("evaluate", &configured.evaluate)];
        for (stage, section) in named {
            if let Some(section) = section {
                stages.insert(stage.to_owned(), from_section(stage, section)?);
            }
        }
        let default = match &configured.default {
            Some(section) => from_section("default", section)?,
            None if environment.anthropic_key.is_some() => {
                ModelChoice::Anthropic { model: None, settings: ModelSettings::default() }
            }
            None => match stages.len() {
                // Every stage has its own: the default serves none.
                3 => stages.get("plan").cloned().unwrap_or(ModelChoice::Playbook),
                _ => {
                    return Err(
                        Refusal::usage("a goal of your own needs a model, and none is set").hint(WAYS)
                    );
                }
            },
        };
        Ok(Self { default: with_base_url(default, base_url)?, stages })
    }

    /// One model for all stages, as a flag names it.
    pub fn named(spec: &ModelSpec, base_url: Option<&str>) -> Result<Self, Refusal> {
        Ok(Self { default: from_flag(spec, base_url)?, stages: BTreeMap::new() })
    }

    /// Makes the models; nothing is sent yet.
    pub fn connect(&self, environment: &Environment, folders: &Folders) -> Result<Arc<dyn Model>> {
        let known = catalogue(folders)?;
        let default = connect(&self.default, environment, &known)?;
        if self.stages.is_empty() {
            return Ok(default);
        }
        let mut stages = BTreeMap::new();
        for (stage, choice) in &self.stages {
            stages.insert(stage.clone(), connect(choice, environment, &known)?);
        }
        Ok(Arc::new(ByStage { default, stages }))
    }
}

/// `--base-url` for a model that no flag names.
fn with_base_url(choice: ModelChoice, base_url: Option<&str>) -> Result<ModelChoice, Refusal> {
    let Some(url) = base_url else { return Ok(choice) };
    let at = |settings: ModelSettings| ModelSettings { base_url: Some(url.to_owned()), ..settings };
    match choice {
        ModelChoice::Playbook => from_flag(&ModelSpec::Playbook, base_url),
        ModelChoice::Anthropic { model, settings } => {
            Ok(ModelChoice::Anthropic { model, settings: at(settings) })
        }
        ModelChoice::OpenAi { model, settings } => Ok(ModelChoice::OpenAi { model, settings: at(settings) }),
    }
}

fn from_flag(spec: &ModelSpec, base_url: Option<&str>) -> Result<ModelChoice, Refusal> {
    let settings = ModelSettings { base_url: base_url.map(str::to_owned), ..ModelSettings::default() };
    match spec {
        ModelSpec::Playbook if base_url.is_some() => {
            Err(Refusal::usage("the playbook is built in and has no server").hint("leave --base-url out"))
        }
        ModelSpec::Playbook => Ok(ModelChoice::Playbook),
        ModelSpec::Anthropic(model) => Ok(ModelChoice::Anthropic { model: model.clone(), settings }),
        ModelSpec::OpenAi(model) => Ok(ModelChoice::OpenAi { model: model.clone(), settings }),
    }
}

fn from_section(stage: &str, section: &ModelSection) -> Result<ModelChoice, Refusal> {
    let settings = ModelSettings {
        base_url: section.base_url.clone(),
        effort: section.effort,
        temperature: section.temperature,
        plain_http: section.plain_http,
    };
    match (section.provider, &section.model) {
        (Provider::Anthropic, model) => Ok(ModelChoice::Anthropic { model: model.clone(), settings }),
        (Provider::OpenAi, Some(model)) => Ok(ModelChoice::OpenAi { model: model.clone(), settings }),
        (Provider::OpenAi, None) => Err(Refusal::usage(format!("[models.{stage}] names no model"))
            .hint("the openai provider needs one: model = \"…\"")),
        (Provider::Playbook, None) if settings == ModelSettings::default() => Ok(ModelChoice::Playbook),
        (Provider::Playbook, _) => {
            Err(Refusal::usage(format!("[models.{stage}] has settings that the playbook doesn't take"))
                .hint("leave all but provider = \"playbook\" out"))
        }
    }
}

fn connect(choice: &ModelChoice, environment: &Environment, known: &Catalogue) -> Result<Arc<dyn Model>> {
    let plain = |allowed| if allowed { PlainHttp::Anywhere } else { PlainHttp::LoopbackOnly };
    let refused = |error: ModelError| Refusal::usage(error.to_string());
    Ok(match choice {
        ModelChoice::Playbook => Arc::new(Playbook),
        ModelChoice::Anthropic { model, settings } => {
            let Some(key) = environment.anthropic_key.clone() else {
                return Err(Refusal::usage(
                    "the model is reached with a key, and ANTHROPIC_API_KEY is not set",
                )
                .hint("set ANTHROPIC_API_KEY, or choose another model with --model")
                .into());
            };
            let mut config = AnthropicConfig::new(key);
            if let Some(url) = settings.base_url.as_ref().or(environment.anthropic_url.as_ref()) {
                config.base_url.clone_from(url);
            }
            if let Some(model) = model {
                config.model.clone_from(model);
            }
            config.effort = settings.effort;
            config.temperature = settings.temperature;
            config.plain_http = plain(settings.plain_http);
            Arc::new(Anthropic::new(config, known).map_err(refused)?)
        }
        ModelChoice::OpenAi { model, settings } => {
            let Some(url) = settings.base_url.as_ref().or(environment.openai_url.as_ref()) else {
                return Err(Refusal::usage(format!(
                    "where the server of openai:{model} is has not been said"
                ))
                .hint("use --base-url URL, or set OPENAI_BASE_URL, such as http://localhost:11434/v1")
                .into());
            };
            let mut config = OpenAiConfig::new(url, model);
            config.api_key = environment.openai_key.clone();
            config.effort = settings.effort;
            config.temperature = settings.temperature;
            config.plain_http = plain(settings.plain_http);
            Arc::new(OpenAi::new(config, known).map_err(refused)?)
        }
    })
}

/// What is known of models: built in, with the user's own file laid over it.
fn catalogue(folders: &Folders) -> Result<Catalogue> {
    let read = |path: std::path::PathBuf| match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some((text, path))),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(None),
        Err(error) => Err(error).with_context(|| format!("{} can't be read", path.display())),
    };
    let known = match folders.user_models().map(read).transpose()?.flatten() {
        Some((text, path)) => Catalogue::with(&text, &path.display().to_string()),
        None => Catalogue::built_in(),
    };
    known.map_err(|error| Refusal::usage(error.to_string()).into())
}

/// Several models, each for its stages.
struct ByStage {
    default: Arc<dyn Model>,
    stages: BTreeMap<String, Arc<dyn Model>>,
}

#[async_trait]
impl Model for ByStage {
    fn identity(&self) -> String {
        let mut identity = self.default.identity();
        for (stage, model) in &self.stages {
            identity.push_str(&format!(", {stage}: {}", model.identity()));
        }
        identity
    }

    fn price(&self, stage: &str, expert: Option<&str>) -> Option<Price> {
        self.stages.get(stage).unwrap_or(&self.default).price(stage, expert)
    }

    fn reads_facts(&self) -> bool {
        self.default.reads_facts() || self.stages.values().any(|model| model.reads_facts())
    }

    async fn complete(&self, request: Request) -> Result<Reply, ModelError> {
        self.stages.get(&request.stage).unwrap_or(&self.default).complete(request).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::{Exit, exit_of};

    fn keyed() -> Environment {
        Environment { anthropic_key: Some(Secret::new("sk-test")), ..Environment::default() }
    }

    fn section(text: &str) -> ModelsSection {
        #[derive(Deserialize)]
        struct Holder {
            models: ModelsSection,
        }
        toml::from_str::<Holder>(text).unwrap().models
    }

    fn choose(
        goal: bool,
        flag: Option<&str>,
        models: &ModelsSection,
        environment: &Environment,
    ) -> Result<ModelPlan, Refusal> {
        let flag = flag.map(|flag| flag.parse::<ModelSpec>().unwrap());
        ModelPlan::choose(goal, flag.as_ref(), None, models, environment)
    }

    #[test]
    fn the_playbook_serves_the_built_in_goal_also_where_a_key_is_set() {
        let none = ModelsSection::default();
        assert_eq!(choose(false, None, &none, &keyed()).unwrap().default, ModelChoice::Playbook);
        assert_eq!(choose(true, Some("playbook"), &none, &keyed()).unwrap().default, ModelChoice::Playbook);
        let asked = choose(false, Some("anthropic"), &none, &keyed()).unwrap().default;
        assert!(matches!(asked, ModelChoice::Anthropic { model: None, .. }));
    }

    #[test]
    fn a_free_goal_is_served_by_flag_then_configuration_then_key_then_nobody() {
        let none = ModelsSection::default();
        let configured = section(
            "models.default = { provider = 'openai', model = 'm' }\nmodels.plan.provider = 'anthropic'",
        );
        assert!(matches!(
            choose(true, None, &none, &keyed()).unwrap().default,
            ModelChoice::Anthropic { .. }
        ));
        let plan = choose(true, None, &configured, &keyed()).unwrap();
        assert!(matches!(plan.default, ModelChoice::OpenAi { .. }));
        assert!(matches!(plan.stages.get("plan"), Some(ModelChoice::Anthropic { .. })));
        let plan = choose(true, Some("anthropic:x"), &configured, &keyed()).unwrap();
        assert!(plan.stages.is_empty() && matches!(plan.default, ModelChoice::Anthropic { .. }));
        let refused = anyhow::Error::from(choose(true, None, &none, &Environment::default()).unwrap_err());
        assert_eq!(exit_of(&refused), Exit::Usage);
    }

    #[test]
    fn a_plan_of_models_is_kept_without_keys_and_read_again() {
        let configured = section(
            "models.default = { provider = 'openai', model = 'm', base_url = 'http://localhost:1', effort = 'high' }",
        );
        let plan = choose(true, None, &configured, &keyed()).unwrap();
        let text = serde_json::to_string(&plan).unwrap();
        assert!(!text.contains("sk-test"));
        assert_eq!(serde_json::from_str::<ModelPlan>(&text).unwrap(), plan);
    }

    #[test]
    fn connecting_without_a_key_or_an_address_says_which_is_missing() {
        let folders = Folders::find(Some(std::path::Path::new("/nowhere"))).unwrap();
        let connect = |flag: &str| {
            let plan = choose(true, Some(flag), &ModelsSection::default(), &Environment::default()).unwrap();
            plan.connect(&Environment::default(), &folders)
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default()
        };
        assert!(connect("anthropic").contains("ANTHROPIC_API_KEY"));
        assert!(connect("openai:m").contains("openai:m"));
    }
}

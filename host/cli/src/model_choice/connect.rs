//! Connecting: from a choice to a model that can be asked. Nothing is sent yet.

use super::panel::Panel;
use super::{Environment, ModelChoice, ModelPlan};
use crate::exit::{OrUsage, Refusal};
use crate::state_dir::Folders;
use anyhow::{Context, Result};
use ringfence_models::{
    Anthropic, AnthropicConfig, Catalogue, Model, ModelError, OpenAi, OpenAiConfig, PlainHttp, Playbook,
    Recording, Replaying,
};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

/// Where exchanges are recorded, if anywhere.
pub type Tape<'t> = Option<&'t Path>;

impl ModelPlan {
    /// Makes the models, and records what they say where that is asked for.
    pub fn connect(
        &self,
        environment: &Environment,
        folders: &Folders,
        tape: Tape<'_>,
    ) -> Result<Arc<dyn Model>> {
        let known = catalogue(folders)?;
        let default = connect(&self.default, environment, &known)?;
        let each = |choices: &BTreeMap<String, ModelChoice>| -> Result<BTreeMap<_, _>> {
            let made = choices
                .iter()
                .map(|(name, choice)| Ok((name.clone(), connect(choice, environment, &known)?)));
            made.collect()
        };
        let model: Arc<dyn Model> = match self.stages.is_empty() && self.experts.is_empty() {
            true => default,
            false => Arc::new(Panel { default, stages: each(&self.stages)?, experts: each(&self.experts)? }),
        };
        Ok(match tape {
            None => model,
            Some(path) => {
                let secrets = [&environment.anthropic_key, &environment.openai_key];
                let recording = Recording::new(model, path).or_usage()?;
                Arc::new(recording.without(secrets.into_iter().flatten().cloned()))
            }
        })
    }
}

fn connect(choice: &ModelChoice, environment: &Environment, known: &Catalogue) -> Result<Arc<dyn Model>> {
    let plain = |allowed| if allowed { PlainHttp::Anywhere } else { PlainHttp::LoopbackOnly };
    let refused = |error: ModelError| Refusal::usage(error.to_string());
    Ok(match choice {
        ModelChoice::Playbook => Arc::new(Playbook),
        ModelChoice::Cassette { path } => Arc::new(Replaying::open(path).or_usage()?),
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

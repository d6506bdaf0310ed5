//! Choosing: flags, then configuration, then what the environment has a key for.

use super::{Environment, ModelChoice, ModelPlan, ModelSettings};
use crate::args::ModelSpec;
use crate::config::{ExpertSection, ModelSection, ModelsSection, Provider};
use crate::exit::Refusal;
use std::collections::BTreeMap;
use std::path::Path;

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
        experts: &BTreeMap<String, ExpertSection>,
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
            return Ok(Self::only(ModelChoice::Playbook));
        }
        let mut stages = BTreeMap::new();
        for (stage, section) in configured.by_stage() {
            stages.insert(stage.to_owned(), from_section(&format!("models.{stage}"), section)?);
        }
        let mut own = BTreeMap::new();
        for (name, section) in experts {
            match section.model_section() {
                Some(model) => {
                    own.insert(name.clone(), from_section(&format!("experts.{name}"), &model)?);
                }
                None if section.names_a_model() => {
                    return Err(Refusal::usage(format!(
                        "[experts.{name}] says how its model is asked, not which it is"
                    ))
                    .hint("add provider = \"…\", or leave all but the prompt out"));
                }
                None => {}
            }
        }
        let default = match &configured.default {
            Some(section) => from_section("models.default", section)?,
            None if environment.anthropic_key.is_some() => {
                ModelChoice::Anthropic { model: None, settings: ModelSettings::default() }
            }
            None => match ["plan", "decide", "evaluate"].map(|stage| stages.get(stage)) {
                // Every stage has its own: the default serves the reviews of the work.
                [Some(plan), Some(_), Some(_)] => plan.clone(),
                _ => {
                    return Err(
                        Refusal::usage("a goal of your own needs a model, and none is set").hint(WAYS)
                    );
                }
            },
        };
        Ok(Self { default: with_base_url(default, base_url)?, stages, experts: own })
    }

    /// One model for all stages, as a flag names it.
    pub fn named(spec: &ModelSpec, base_url: Option<&str>) -> Result<Self, Refusal> {
        Ok(Self::only(from_flag(spec, base_url)?))
    }

    /// What was recorded before, for all stages.
    pub fn recorded(path: &Path) -> Self {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Self::only(ModelChoice::Cassette { path })
    }

    fn only(default: ModelChoice) -> Self {
        Self { default, stages: BTreeMap::new(), experts: BTreeMap::new() }
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
        ModelChoice::Cassette { path } => Ok(ModelChoice::Cassette { path }),
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

fn from_section(table: &str, section: &ModelSection) -> Result<ModelChoice, Refusal> {
    let settings = ModelSettings {
        base_url: section.base_url.clone(),
        effort: section.effort,
        temperature: section.temperature,
        plain_http: section.plain_http,
    };
    match (section.provider, &section.model) {
        (Provider::Anthropic, model) => Ok(ModelChoice::Anthropic { model: model.clone(), settings }),
        (Provider::OpenAi, Some(model)) => Ok(ModelChoice::OpenAi { model: model.clone(), settings }),
        (Provider::OpenAi, None) => Err(Refusal::usage(format!("[{table}] names no model"))
            .hint("the openai provider needs one: model = \"…\"")),
        (Provider::Playbook, None) if settings == ModelSettings::default() => Ok(ModelChoice::Playbook),
        (Provider::Playbook, _) => {
            Err(Refusal::usage(format!("[{table}] has settings that the playbook doesn't take"))
                .hint("leave all but provider = \"playbook\" out"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::{Exit, exit_of};
    use crate::state_dir::Folders;
    use ringfence_models::Secret;
    use serde::Deserialize;

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
        ModelPlan::choose(goal, flag.as_ref(), None, models, &BTreeMap::new(), environment)
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
            plan.connect(&Environment::default(), &folders, None)
                .err()
                .map(|error| error.to_string())
                .unwrap_or_default()
        };
        assert!(connect("anthropic").contains("ANTHROPIC_API_KEY"));
        assert!(connect("openai:m").contains("openai:m"));
    }
}

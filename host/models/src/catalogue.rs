//! What is known of each model: settings it takes, prices.
//!
//! Owns: the data file's form, laying a user's file over the built-in one, the cost of a
//! reply. Doesn't own: how settings are sent, budgets.

use crate::{ModelError, Usage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use thiserror::Error;

const BUILT_IN: &str = include_str!("models.toml");

/// All known models.
#[derive(Debug, Clone, PartialEq)]
pub struct Catalogue {
    providers: BTreeMap<String, BTreeMap<String, ModelFacts>>,
}

/// What is known of one model.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFacts {
    /// Whether it takes a temperature; `None` when nobody said.
    pub temperature: Option<bool>,
    /// The efforts it takes; `None` when nobody said.
    pub efforts: Option<Vec<Effort>>,
    /// What it costs.
    pub price: Option<Price>,
}

/// Depth of thought.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// More than much.
    Xhigh,
    /// All that it can.
    Max,
}

impl Effort {
    /// The word that is sent and configured.
    pub fn word(self) -> &'static str {
        match self {
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }
}

/// US dollars for a million tokens.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Prompt tokens.
    pub input: f64,
    /// Output tokens, thinking included.
    pub output: f64,
    /// Prompt tokens read from the provider's cache; as `input` when not given.
    pub cached: Option<f64>,
    /// Prompt tokens written to the provider's cache; as `input` when not given.
    pub cache_write: Option<f64>,
    /// Other prices for long prompts.
    pub long: Option<LongPrice>,
}

/// Prices as soon as the prompt is longer than a threshold; they hold for the whole reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrice {
    /// Prompt tokens that still have the ordinary price.
    pub over: u64,
    /// Prompt tokens.
    pub input: f64,
    /// Output tokens.
    pub output: f64,
    /// Prompt tokens read from the provider's cache; as `input` when not given.
    pub cached: Option<f64>,
    /// Prompt tokens written to the provider's cache; as `input` when not given.
    pub cache_write: Option<f64>,
}

/// An amount of money: millionths of a US dollar.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MicroDollars(pub u64);

impl fmt::Display for MicroDollars {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Tenths of a cent are as fine as a person needs, but not for the smallest amounts.
        let (whole, rest) = (self.0 / 1_000_000, self.0 % 1_000_000);
        if self.0 > 0 && self.0 < 1_000 {
            write!(f, "${whole}.{rest:06}")
        } else {
            let mils = (self.0 + 500) / 1_000;
            write!(f, "${}.{:03}", mils / 1_000, mils % 1_000)
        }
    }
}

/// Why a file of models can't be used.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CatalogueError {
    /// It isn't TOML of the documented form.
    #[error("{origin}: {why}")]
    Malformed {
        /// The file.
        origin: String,
        /// What is wrong, and where.
        why: String,
    },
    /// A price below zero, or none at all.
    #[error("{origin}: {provider}.\"{model}\": the price `{field}` must be a number of dollars, 0 or more")]
    Price {
        /// The file.
        origin: String,
        /// Provider of the model.
        provider: String,
        /// Id of the model.
        model: String,
        /// Name of the price.
        field: &'static str,
    },
}

impl Catalogue {
    /// The models that are known without any file of a user's.
    pub fn built_in() -> Result<Self, CatalogueError> {
        Self::from_table(parse(BUILT_IN, "models.toml (built in)")?, "models.toml (built in)")
    }

    /// The built-in models with a user's file laid over them; `origin` names it in errors.
    pub fn with(text: &str, origin: &str) -> Result<Self, CatalogueError> {
        let mut table = parse(BUILT_IN, "models.toml (built in)")?;
        lay_over(&mut table, parse(text, origin)?);
        Self::from_table(table, origin)
    }

    /// What is known of a model; nothing at all for one that isn't listed.
    pub fn facts(&self, provider: &str, model: &str) -> ModelFacts {
        self.providers.get(provider).and_then(|models| models.get(model)).cloned().unwrap_or_default()
    }

    /// The ids that are listed for a provider.
    pub fn ids(&self, provider: &str) -> impl Iterator<Item = &str> {
        self.providers.get(provider).into_iter().flat_map(|models| models.keys().map(String::as_str))
    }

    /// What a reply cost; `None` when the model's price isn't known.
    pub fn cost(&self, provider: &str, model: &str, usage: &Usage) -> Option<MicroDollars> {
        let facts = self.providers.get(provider)?.get(model)?;
        Some(facts.price.as_ref()?.of(usage))
    }

    fn from_table(table: toml::Table, origin: &str) -> Result<Self, CatalogueError> {
        let providers: BTreeMap<String, BTreeMap<String, ModelFacts>> =
            table.try_into().map_err(|error: toml::de::Error| CatalogueError::Malformed {
                origin: origin.to_owned(),
                why: error.to_string().trim_end().to_owned(),
            })?;
        for (provider, models) in &providers {
            for (model, facts) in models {
                if let Some(field) = facts.price.as_ref().and_then(Price::unusable) {
                    return Err(CatalogueError::Price {
                        origin: origin.to_owned(),
                        provider: provider.clone(),
                        model: model.clone(),
                        field,
                    });
                }
            }
        }
        Ok(Self { providers })
    }
}

impl ModelFacts {
    /// Refuses settings that the model is known not to take. `takes_temperature` is the
    /// answer for this model, the provider's habit included.
    pub(crate) fn check(
        &self,
        provider: &str,
        model: &str,
        effort: Option<Effort>,
        temperature: Option<f64>,
        takes_temperature: bool,
    ) -> Result<(), ModelError> {
        let refuse = |why: String| Err(ModelError::Unsupported { why });
        if let Some(temperature) = temperature {
            if !takes_temperature {
                return refuse(format!(
                    "{provider} {model} takes no temperature; leave it out, or list the model \
                     with `temperature = true` in a models file if it does"
                ));
            }
            if !(0.0..=2.0).contains(&temperature) {
                return refuse(format!("a temperature of {temperature} is outside 0 to 2"));
            }
        }
        if let (Some(effort), Some(efforts)) = (effort, &self.efforts)
            && !efforts.contains(&effort)
        {
            let known: Vec<_> = efforts.iter().map(|effort| effort.word()).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            return refuse(format!(
                "{provider} {model} doesn't take the effort {}; it takes: {known}",
                effort.word()
            ));
        }
        Ok(())
    }
}

impl Price {
    /// What costs nothing.
    pub const FREE: Self = Self { input: 0.0, output: 0.0, cached: None, cache_write: None, long: None };

    /// What so many tokens cost, rounded up.
    pub fn of(&self, usage: &Usage) -> MicroDollars {
        let (input, output, cached, cache_write) = match &self.long {
            Some(long) if usage.input_tokens > long.over => {
                (long.input, long.output, long.cached, long.cache_write)
            }
            Some(_) | None => (self.input, self.output, self.cached, self.cache_write),
        };
        let read = usage.cached_tokens.min(usage.input_tokens);
        let written = usage.cache_write_tokens.min(usage.input_tokens - read);
        // Dollars for a million tokens are millionths of a dollar for one.
        let micro = (usage.input_tokens - read - written) as f64 * input
            + read as f64 * cached.unwrap_or(input)
            + written as f64 * cache_write.unwrap_or(input)
            + usage.output_tokens as f64 * output;
        // Binary fractions of prices must not push an exact amount up to the next one.
        MicroDollars((micro - 1e-6).ceil().max(0.0) as u64)
    }

    fn unusable(&self) -> Option<&'static str> {
        let bad = |amount: f64| !amount.is_finite() || amount < 0.0;
        let long = self.long.as_ref();
        [
            ("input", Some(self.input)),
            ("output", Some(self.output)),
            ("cached", self.cached),
            ("cache_write", self.cache_write),
            ("long.input", long.map(|long| long.input)),
            ("long.output", long.map(|long| long.output)),
            ("long.cached", long.and_then(|long| long.cached)),
            ("long.cache_write", long.and_then(|long| long.cache_write)),
        ]
        .into_iter()
        .find_map(|(field, amount)| amount.is_some_and(bad).then_some(field))
    }
}

fn parse(text: &str, origin: &str) -> Result<toml::Table, CatalogueError> {
    text.parse().map_err(|error: toml::de::Error| CatalogueError::Malformed {
        origin: origin.to_owned(),
        why: error.to_string().trim_end().to_owned(),
    })
}

fn lay_over(below: &mut toml::Table, above: toml::Table) {
    for (key, value) in above {
        match (below.get_mut(&key), value) {
            (Some(toml::Value::Table(below)), toml::Value::Table(above)) => lay_over(below, above),
            (_, value) => {
                below.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input_tokens: u64, cached_tokens: u64, output_tokens: u64) -> Usage {
        Usage { input_tokens, cached_tokens, cache_write_tokens: 0, output_tokens }
    }

    #[test]
    fn a_reply_costs_what_the_price_list_says() {
        let known = Catalogue::built_in().unwrap();
        let cost = |model, used| known.cost("anthropic", model, &used).unwrap();
        assert_eq!(cost("claude-sonnet-5-5", usage(1_000_000, 0, 100_000)), MicroDollars(3_000_000));
        assert_eq!(cost("claude-opus-5-5", usage(1_000, 500, 0)), MicroDollars(2_200));
        assert_eq!(cost("claude-haiku-5-5", usage(1, 0, 0)), MicroDollars(1));
    }

    #[test]
    fn tokens_written_to_the_cache_have_their_own_price() {
        let known = Catalogue::built_in().unwrap();
        let written = Usage { cache_write_tokens: 400, ..usage(1_000, 500, 0) };
        let cost = |model| known.cost("anthropic", model, &written).unwrap();
        assert_eq!(cost("claude-sonnet-5-5"), MicroDollars(200 + 100 + 1_000));
        assert_eq!(cost("claude-opus-5-5"), MicroDollars(2 * cost("claude-sonnet-5-5").0));
        let price = Price { input: 3.0, ..Price::FREE };
        assert_eq!(price.of(&written), MicroDollars(3_000));
        assert_eq!(Price::FREE.of(&written), MicroDollars(0));
        // More than the whole prompt can't have been written.
        let absurd = Usage { cache_write_tokens: u64::MAX, ..usage(1_000, 500, 0) };
        assert_eq!(price.of(&absurd), MicroDollars(3_000));
    }

    #[test]
    fn a_long_prompt_has_its_own_price() {
        let known = Catalogue::built_in().unwrap();
        let cost = |used| known.cost("anthropic", "claude-haiku-5-5", &used).unwrap();
        assert_eq!(cost(usage(100_000, 0, 1_000)), MicroDollars(10_500));
        assert_eq!(cost(usage(100_001, 0, 1_000)), MicroDollars(52_501));
    }

    #[test]
    fn a_model_nobody_listed_has_no_price() {
        let known = Catalogue::built_in().unwrap();
        assert_eq!(known.cost("openai", "llama", &usage(1, 0, 1)), None);
        assert_eq!(known.facts("openai", "llama"), ModelFacts::default());
    }

    #[test]
    fn a_users_file_changes_single_fields_and_adds_models() {
        let text = "[anthropic.\"claude-sonnet-5-5\".price]\ninput = 1.0\n\
                    [openai.\"local\"]\nprice = { input = 0, output = 0 }\n";
        let known = Catalogue::with(text, "mine.toml").unwrap();
        let sonnet = known.facts("anthropic", "claude-sonnet-5-5");
        assert_eq!(sonnet.price.as_ref().unwrap().input, 1.0);
        assert_eq!(sonnet.price.unwrap().output, 10.0);
        assert_eq!(sonnet.temperature, Some(false));
        assert_eq!(known.cost("openai", "local", &usage(9, 0, 9)), Some(MicroDollars(0)));
    }

    #[test]
    fn a_file_with_an_unknown_field_or_a_price_below_zero_is_refused() {
        let error = Catalogue::with("[openai.x]\ntemprature = true\n", "mine.toml").unwrap_err();
        assert!(error.to_string().contains("mine.toml"), "{error}");
        assert!(error.to_string().contains("temprature"), "{error}");
        let text = "[openai.x]\nprice = { input = -1, output = 0 }\n";
        let error = Catalogue::with(text, "mine.toml").unwrap_err();
        assert_eq!(
            error.to_string(),
            "mine.toml: openai.\"x\": the price `input` must be a number of dollars, 0 or more"
        );
    }

    #[test]
    fn money_is_shown_in_dollars() {
        let shown = |micro| MicroDollars(micro).to_string();
        assert_eq!(shown(0), "$0.000");
        assert_eq!(shown(7), "$0.000007");
        assert_eq!(shown(12_345), "$0.012");
        assert_eq!(shown(3_999_600), "$4.000");
    }
}

//! What models cost: enough to keep a budget of money before it is spent.
//!
//! The driver knows the models and their prices; the run keeps what it needs of them, so that a
//! journal says what a budget was reckoned with.

use crate::effect::ModelStage;
use crate::event::Usage;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Prices by who is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rates {
    /// For every stage that has none of its own; none where the price isn't known.
    #[serde(default)]
    pub default: Option<Rate>,
    /// For stages with a model of their own.
    #[serde(default)]
    pub stages: BTreeMap<ModelStage, Option<Rate>>,
    /// For experts with a model of their own.
    #[serde(default)]
    pub experts: BTreeMap<String, Option<Rate>>,
}

/// A price at its highest: millionths of a US dollar for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// Prompt tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
}

impl Rates {
    /// What a call of this stage, by this expert, costs.
    pub fn of(&self, stage: ModelStage, expert: Option<&str>) -> Option<Rate> {
        let expert = expert.and_then(|name| self.experts.get(name));
        *expert.or_else(|| self.stages.get(&stage)).unwrap_or(&self.default)
    }

    /// Whether every model that these stages and all experts use has a price.
    pub fn cover(&self, stages: impl IntoIterator<Item = ModelStage>) -> bool {
        stages.into_iter().all(|stage| self.of(stage, None).is_some())
            && self.experts.values().all(Option::is_some)
    }
}

impl Rate {
    /// Millionths of a dollar, rounded up.
    pub(crate) fn cost(self, usage: &Usage) -> u64 {
        let part = |tokens: u64, rate: u64| u128::from(tokens) * u128::from(rate);
        let sum = part(usage.input_tokens, self.input) + part(usage.output_tokens, self.output);
        u64::try_from(sum.div_ceil(1_000_000)).unwrap_or(u64::MAX)
    }
}

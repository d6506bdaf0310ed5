//! What a reply's JSON Schema becomes on a provider's wire, and how a reply is led back.
//!
//! Owns: leaving out keywords that providers refuse, closing objects, writing free-form
//! values as JSON text, providers' limits, undoing all that in the reply. Doesn't own:
//! checking replies against the original schema; that stays with whoever asked.

mod decode;
mod limits;
mod plan;
mod tools;
mod wire;

use crate::ModelError;
use plan::Plan;
use serde_json::Value;
use std::collections::BTreeSet;
pub(crate) use tools::strict_tools;

/// Which provider's rules hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Optional properties and unions are allowed up to a number.
    Anthropic,
    /// Every property is required; what was optional may be null instead.
    OpenAi,
}

/// A schema as it is sent, with the way back.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wire {
    /// What is sent.
    pub(crate) schema: Value,
    plan: Plan,
}

impl Wire {
    /// Makes a schema fit for a provider, or says which field can't be made so.
    pub(crate) fn new(schema: &Value, dialect: Dialect) -> Result<Self, ModelError> {
        let mut folded = BTreeSet::new();
        loop {
            let (sent, plan) = wire::translate(schema, dialect, &folded)?;
            let excess = match dialect {
                Dialect::Anthropic => limits::excess(&sent, "the reply's schema has"),
                Dialect::OpenAi => None,
            };
            match excess {
                None => return Ok(Self { schema: sent, plan }),
                Some(excess) => match excess.largest {
                    // The largest part is sent as JSON text, which counts for nothing.
                    Some(path) if folded.insert(path.clone()) => {
                        tracing::debug!(field = %path, "schema too rich, field sent as JSON text");
                    }
                    Some(_) | None => return Err(ModelError::Unsupported { why: excess.why }),
                },
            }
        }
    }

    /// A reply's text as the original schema means it; untouched when it isn't plain JSON.
    pub(crate) fn read(&self, text: String) -> String {
        decode::decode(&self.plan, text)
    }
}

#[cfg(test)]
mod tests;

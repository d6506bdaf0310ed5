//! What a person says of a component's tools in place of the component's own words.
//!
//! Owns: other names and descriptions, and laying them over what was reflected. Types, schemas and
//! where a function is stay the component's. Doesn't own: reading a component (`reflect`); what is
//! cached of it knows nothing of overrides.

use crate::reflect::{ComponentTools, ToolName, clean_description};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

/// Other words for tools of one component, by the names that reflection gives them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Overrides {
    /// A tool that isn't there is an error at load.
    pub tools: BTreeMap<ToolName, Override>,
}

/// Other words for one tool; what is left out stays as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Override {
    /// What it is called by.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<ToolName>,
    /// What a model is told of it; cleaned and cut like a component's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Why overrides can't be laid over a component's tools.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum OverrideError {
    /// For a tool that the component doesn't have.
    #[error("it has no tool `{tool}` to rename or describe; it has {there}", there = listed(.there))]
    NoSuchTool {
        /// The tool.
        tool: ToolName,
        /// The tools that it has.
        there: Vec<ToolName>,
    },
    /// Nothing is left of the description once it is cleaned.
    #[error("the description for its tool `{tool}` is empty")]
    Empty {
        /// The tool.
        tool: ToolName,
    },
    /// Two tools would have one name.
    #[error(
        "`{first}` and `{second}` would both be called `{name}`; names that differ only by case count \
         as equal"
    )]
    SameName {
        /// The name.
        name: ToolName,
        /// The tool met first.
        first: ToolName,
        /// The other one.
        second: ToolName,
    },
}

impl Overrides {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// The tools with these words in place of their own.
    pub(crate) fn laid_over(&self, mut found: ComponentTools) -> Result<ComponentTools, OverrideError> {
        if self.is_empty() {
            return Ok(found);
        }
        let there: Vec<ToolName> = found.tools.iter().map(|tool| tool.name.clone()).collect();
        if let Some(tool) = self.tools.keys().find(|tool| !there.contains(tool)) {
            return Err(OverrideError::NoSuchTool { tool: tool.clone(), there });
        }
        let mut taken: BTreeMap<String, ToolName> = BTreeMap::new();
        for definition in &mut found.tools {
            let tool = definition.name.clone();
            if let Some(Override { name, description }) = self.tools.get(&tool) {
                if let Some(text) = description {
                    definition.description =
                        clean_description(text).ok_or_else(|| OverrideError::Empty { tool: tool.clone() })?;
                    definition.documented = true;
                }
                if let Some(name) = name {
                    definition.name = name.clone();
                }
            }
            let name = definition.name.clone();
            if let Some(first) = taken.insert(name.as_str().to_ascii_lowercase(), tool.clone()) {
                return Err(OverrideError::SameName { name, first, second: tool });
            }
        }
        Ok(found)
    }
}

fn listed(names: &[ToolName]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

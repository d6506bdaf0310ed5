//! The tools of several components under one set of names.

use crate::component::LoadedComponent;
use crate::reflect::{ToolDefinition, clean_description};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use thiserror::Error;

/// One tool and the component it is in.
#[derive(Debug, Clone)]
pub struct Tool {
    component: Arc<LoadedComponent>,
    index: usize,
    /// Where another description stands in place of the component's.
    described: Option<Arc<ToolDefinition>>,
}

impl Tool {
    /// The component that has it.
    pub fn component(&self) -> &Arc<LoadedComponent> {
        &self.component
    }

    /// Its name, schemas and types.
    #[allow(clippy::indexing_slicing)] // `index` comes from this very list, which never changes
    pub fn definition(&self) -> &ToolDefinition {
        self.described.as_deref().unwrap_or_else(|| &self.component.tools().tools[self.index])
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.definition().name.as_str()
    }
}

/// Why components can't be used together.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ToolsetError {
    /// Both have a tool of this name.
    #[error(
        "two components have a tool named `{tool}`: {first} and {second}; leave one of them out, or give its \
         tool another name: components = [{{ path = \"…\", tools = {{ {tool} = {{ name = \"…\" }} }} }}]"
    )]
    SameName {
        /// The tool's name.
        tool: String,
        /// The component that came first.
        first: String,
        /// The other one.
        second: String,
    },
}

/// Tools by name. Names that differ by case only count as equal.
#[derive(Debug, Clone, Default)]
pub struct Toolset {
    /// By the name in lower case.
    tools: BTreeMap<String, Tool>,
    components: Vec<Arc<LoadedComponent>>,
}

impl Toolset {
    /// All tools of these components.
    pub fn new(components: impl IntoIterator<Item = Arc<LoadedComponent>>) -> Result<Self, ToolsetError> {
        let mut set = Self::default();
        for component in components {
            set.add(component)?;
        }
        Ok(set)
    }

    fn add(&mut self, component: Arc<LoadedComponent>) -> Result<(), ToolsetError> {
        for (index, definition) in component.tools().tools.iter().enumerate() {
            match self.tools.entry(definition.name.as_str().to_ascii_lowercase()) {
                Entry::Vacant(slot) => {
                    slot.insert(Tool { component: component.clone(), index, described: None });
                }
                Entry::Occupied(other) => {
                    return Err(ToolsetError::SameName {
                        tool: definition.name.to_string(),
                        first: other.get().component.name().to_owned(),
                        second: component.name().to_owned(),
                    });
                }
            }
        }
        self.components.push(component);
        Ok(())
    }

    /// The same with another description for a tool of this name; nothing where there is none, or where
    /// nothing is left of the text once it is cleaned like a component's own.
    pub fn described(mut self, name: &str, description: &str) -> Option<Self> {
        let description = clean_description(description)?;
        let tool = self.tools.get_mut(&name.to_ascii_lowercase()).filter(|tool| tool.name() == name)?;
        tool.described =
            Some(Arc::new(ToolDefinition { description, documented: true, ..tool.definition().clone() }));
        Some(self)
    }

    /// The tool of this name, spelled exactly.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.get(&name.to_ascii_lowercase()).filter(|tool| tool.name() == name)
    }

    /// All tools, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = &Tool> {
        self.tools.values()
    }

    /// The components, in the order they were given.
    pub fn components(&self) -> &[Arc<LoadedComponent>] {
        &self.components
    }
}

//! Which sections of a configuration leave out what a call was refused.
//!
//! A grant would be followed in vain there: who is refused is told the section instead.

use crate::config::{Named, Role, ToolPolicy};
use crate::toolset::Bound;
use ringfence_sandbox::{Denial, DirGrant};
use std::collections::BTreeMap;

/// What sections name of their own.
#[derive(Debug, Clone, Default)]
pub struct Sections {
    tools: BTreeMap<String, Named>,
    role: Option<(String, Named)>,
    /// What was approved for the component of a tool, with the command that approves more.
    bounds: BTreeMap<String, (String, Named)>,
}

impl Sections {
    /// Those of tools.
    pub fn of_tools(tools: &BTreeMap<String, ToolPolicy>) -> Self {
        let named = tools.iter().filter(|(_, policy)| !policy.named.is_nothing());
        let tools = named.map(|(tool, policy)| (tool.clone(), policy.named.clone())).collect();
        Self { tools, ..Self::default() }
    }

    /// The same with what was approved for the components of some tools.
    pub fn with_bounds<'b>(self, tools: impl Iterator<Item = (&'b str, &'b Bound)>) -> Self {
        let bound = |(tool, bound): (&str, &Bound)| {
            (tool.to_owned(), (bound.update.clone(), bound.approved.as_named()))
        };
        Self { bounds: tools.map(bound).collect(), ..self }
    }

    /// The same with that of a role.
    pub fn with_role(self, name: &str, named: &Named) -> Self {
        Self { role: Some((name.to_owned(), named.clone())), ..self }
    }

    /// The same with that of the chosen role, if there is one.
    pub fn as_role(self, role: Option<&Role>) -> Self {
        match role {
            Some(role) => self.with_role(&role.name, &role.named()),
            None => self,
        }
    }

    /// What leaves out what a tool was refused: `its own [tools.read_file] dirs`. None where a grant
    /// would help. `granted`: what every tool is granted.
    pub fn leaving_out(&self, tool: &str, denial: &Denial, granted: &[DirGrant]) -> Option<String> {
        let of_tool = self.tools.get(tool).and_then(|named| named.leaving_out(denial, granted));
        let of_role = self.role.as_ref().and_then(|(name, named)| {
            // What a role hides is hidden in what every tool is granted.
            named.leaving_out(denial, &[]).map(|key| format!("the role's [roles.{name}] {key}"))
        });
        let of_tool = of_tool.map(|key| format!("its own [tools.{tool}] {key}"));
        let of_lock = self.lock_leaving_out(tool, denial, granted);
        let both: Vec<String> = of_tool.into_iter().chain(of_role).chain(of_lock).collect();
        (!both.is_empty()).then(|| both.join(" and "))
    }

    /// The same of what was approved for the tool's component alone.
    pub fn lock_leaving_out(&self, tool: &str, denial: &Denial, granted: &[DirGrant]) -> Option<String> {
        let (update, named) = self.bounds.get(tool)?;
        let key = named.leaving_out(denial, granted)?;
        let more = denial.would_allow.as_deref().unwrap_or_default();
        Some(format!("the {key} that ringfence.lock approves for it (`{update} {more}` approves more)"))
    }
}

//! The part of `policy explain` that is about variables of the environment.
//!
//! Owns: what decides whether a tool sees one, and what would allow it. No value is looked at.

use super::Desk;
use super::allowing::Allowing;
use super::explain::Answer;
use crate::config::env;
use crate::exit::OrUsage;
use crate::shell::quote;
use anyhow::Result;
use ringfence_sandbox::{Grants, Tool, VariableName};
use std::collections::BTreeSet;

/// Whether a tool could see a variable.
pub(super) fn answer(desk: &Desk, tool: &Tool, what: &str) -> Result<Answer> {
    let name = VariableName::parse(what).or_usage()?;
    let grants = desk.toolbox.tree(tool.name()).grants();
    let no = |decided_by, why: &str| Answer {
        allowed: false,
        resolved: None,
        decided_by,
        decider: None,
        why: why.to_owned(),
        would_allow: None,
    };
    if !desk.toolbox.sees_variables(tool) {
        let why = "it is never given a variable: it is one of the standard tools, or can't ask for any";
        return Ok(no("component", why));
    }
    if grants.deterministic {
        let why = "it is deterministic: its answers can't come from the environment, whatever is granted";
        return Ok(no("deterministic", why));
    }
    if grants.env.contains(&name) {
        let set = if env::unset(grants).contains(&&name) { "isn't set now" } else { "is set now" };
        let (allowed, decider) = (true, Some(name.to_string()));
        return Ok(Answer { allowed, decider, ..no("grant", &format!("it is granted, and {set}")) });
    }
    let mut why = match listed(&grants.env) {
        names if names.is_empty() => "no variable is granted".to_owned(),
        names => format!("it is not one of the granted variables ({names})"),
    };
    if desk.resolved.unanswered.names.contains(&name) {
        why.push_str("; a project's file names it, which grants nothing");
    }
    Ok(Answer { would_allow: allowing(desk, tool.name(), grants, &name), ..no("grant", &why) })
}

fn listed(names: &BTreeSet<VariableName>) -> String {
    names.iter().map(VariableName::as_str).collect::<Vec<_>>().join(", ")
}

/// Flags and lines that grant what is granted now and this.
fn allowing(desk: &Desk, tool: &str, own: &Grants, missing: &VariableName) -> Option<Allowing> {
    let all = &desk.resolved.grants.env;
    let mut tables = Vec::new();
    if desk.resolved.tools.get(tool).is_some_and(|policy| policy.env != *all) {
        tables.push(table(&format!("tools.{tool}"), &own.env, missing));
    }
    if let Some(role) = desk.resolved.role.as_ref().filter(|role| role.names_env()) {
        tables.push(table(&format!("roles.{}", role.name), &own.env, missing));
    }
    let flag = |name: &VariableName| format!("--allow-env {}", quote(name.as_str()));
    let flags = || all.iter().chain([missing]).map(flag).collect::<Vec<_>>().join(" ");
    let flags = tables.is_empty().then(flags);
    if !all.contains(missing) {
        tables.push(table("grants", all, missing));
    }
    (!tables.is_empty()).then(|| Allowing { flags, toml: tables.join("\n"), own_file_only: true })
}

fn table(name: &str, granted: &BTreeSet<VariableName>, missing: &VariableName) -> String {
    let names = granted.iter().chain([missing]).map(|name| toml::Value::from(name.as_str()).to_string());
    format!("[{name}]\nenv = [{}]", names.collect::<Vec<_>>().join(", "))
}

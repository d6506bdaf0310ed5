//! Roles: who a run works as, and which tools exist for it.
//!
//! A role only ever takes away: tools that aren't named don't exist, and its folders are those of
//! the granted ones that it names. A user's role stands in place of a project's of the same name, and
//! both in place of one that is built in.

use super::dirs::{self, beyond, common, plain};
use super::file::{ConfigFile, Dir};
use super::hosts::{self, Host};
use super::language::nearest;
use super::reading::{self, place};
use super::{Flags, Named, ToolPolicy, env, secrets};
use crate::exit::Refusal;
use anyhow::Result;
use ringfence_sandbox::{DirGrant, Grants, HostGrant, common_hosts};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Characters of what a role tells every stage.
const PROMPT: usize = 16_000;

/// `[roles.NAME]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleSection {
    /// Only these tools exist for the run.
    pub tools: Vec<String>,
    /// What every stage is told besides.
    #[serde(default)]
    pub prompt: String,
    /// Of the granted folders, only these.
    #[serde(default)]
    pub dirs: Option<Vec<Dir>>,
    /// Of the granted hosts, only these.
    #[serde(default)]
    pub hosts: Option<Vec<Host>>,
    /// Of the granted variables, only these.
    #[serde(default)]
    pub env: Option<env::Names>,
}

/// The role that was chosen.
#[derive(Debug, Clone, PartialEq)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// The only tools.
    pub tools: Vec<String>,
    /// What every stage is told besides; may be empty.
    pub prompt: String,
    /// Where its tools are named, for errors.
    pub said_in: String,
    dirs: Option<Vec<DirGrant>>,
    within: Vec<DirGrant>,
    hosts: Option<Vec<HostGrant>>,
    hosts_within: Vec<HostGrant>,
    env: Option<env::Names>,
}

/// The roles that are there without any configuration.
static BUILT_IN: LazyLock<ConfigFile> = LazyLock::new(|| {
    let text = include_str!("roles.toml");
    reading::read("what is built in", text).expect("the built-in roles are roles")
});

/// The role that a flag names.
pub(super) fn chosen(project: &ConfigFile, user: &ConfigFile, flags: &Flags) -> Result<Option<Role>> {
    let Some(name) = &flags.role else { return Ok(None) };
    let layers = [user, project, &BUILT_IN];
    for layer in layers {
        if let Some(section) = layer.roles.get(name) {
            let role = Role::of(name, section, layer)?;
            if std::ptr::eq(layer, user) {
                env::check_own(&role.said_in, role.env.as_ref(), user, flags, LESS)?;
            }
            return Ok(Some(role));
        }
    }
    let names: BTreeSet<_> = layers.iter().flat_map(|layer| layer.roles.keys()).map(String::as_str).collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the roles are: {}", names.into_iter().collect::<Vec<_>>().join(", ")),
    };
    Err(Refusal::usage(format!("there is no role `{name}`")).hint(hint).into())
}

impl Role {
    /// The folders that it names, if it does.
    pub fn named_dirs(&self) -> &[DirGrant] {
        self.dirs.as_deref().unwrap_or_default()
    }

    /// A role as a file has it.
    pub(super) fn of(name: &str, section: &RoleSection, layer: &ConfigFile) -> Result<Self> {
        let said_in = format!("{}: [roles.{name}]", place(layer, &format!("roles.{name}.tools")));
        if section.prompt.chars().count() > PROMPT {
            return Err(
                Refusal::usage(format!("{said_in} has a prompt of more than {PROMPT} characters")).into()
            );
        }
        if let Some(shows) = section.dirs.iter().flatten().find_map(|Dir(dir)| dirs::shows(dir)) {
            return Err(Refusal::usage(format!("{said_in} says {shows}")).hint(LESS).into());
        }
        Ok(Self {
            name: name.to_owned(),
            tools: section.tools.clone(),
            prompt: section.prompt.clone(),
            said_in,
            dirs: section.dirs.as_deref().map(plain),
            within: Vec::new(),
            hosts: section.hosts.as_deref().map(hosts::plain),
            hosts_within: Vec::new(),
            env: section.env.clone(),
        })
    }

    /// Whether the role has a tool; the error names those that it has.
    pub fn has(&self, tool: &str) -> Result<()> {
        if self.tools.iter().any(|own| own == tool) {
            return Ok(());
        }
        let hint = match nearest(tool, self.tools.iter().map(String::as_str)) {
            Some(meant) => format!("did you mean `{meant}`? The role has: {}", self.tools.join(", ")),
            None => format!("the role has: {}", self.tools.join(", ")),
        };
        Err(Refusal::usage(format!("the role `{}` has no tool `{tool}`", self.name)).hint(hint).into())
    }

    /// What it names of its own.
    pub fn named(&self) -> Named {
        Named { dirs: self.dirs.clone(), hosts: self.hosts.clone() }
    }

    /// The folders that are granted without the role.
    pub fn within(&self) -> &Vec<DirGrant> {
        &self.within
    }

    /// Whether it has variables of its own.
    pub fn names_env(&self) -> bool {
        self.env.is_some()
    }

    /// The hosts that are granted without the role.
    pub fn hosts_within(&self) -> &[HostGrant] {
        &self.hosts_within
    }

    /// Takes away what the role doesn't name. A folder or host outside the granted ones is an error,
    /// unless a flag has just narrowed those.
    pub(super) fn narrow(
        &mut self,
        grants: &mut Grants,
        tools: &mut BTreeMap<String, ToolPolicy>,
        flags: &Flags,
    ) -> Result<()> {
        self.narrow_hosts(grants, tools, flags)?;
        grants.env = env::narrowed(self.env.as_ref(), &grants.env);
        for policy in tools.values_mut() {
            policy.env = env::narrowed(self.env.as_ref(), &policy.env);
        }
        self.within.clone_from(&grants.dirs);
        let Some(named) = &self.dirs else { return Ok(()) };
        if let (Some(more), true) = (beyond(&grants.dirs, named), flags.dirs.is_empty()) {
            return Err(Refusal::usage(format!("{} {more}", self.said_in)).hint(LESS).into());
        }
        grants.dirs = common(&grants.dirs, named);
        for policy in tools.values_mut() {
            policy.dirs = common(&policy.dirs, named);
        }
        Ok(())
    }

    fn narrow_hosts(
        &mut self,
        grants: &mut Grants,
        tools: &mut BTreeMap<String, ToolPolicy>,
        flags: &Flags,
    ) -> Result<()> {
        self.hosts_within.clone_from(&grants.hosts);
        let Some(named) = &self.hosts else { return Ok(()) };
        if flags.hosts.is_empty() && !grants.deterministic {
            hosts::check_within(&self.said_in, named, &grants.hosts, LESS)?;
        }
        grants.hosts = common_hosts(&grants.hosts, named);
        grants.secrets = secrets::narrowed(&grants.secrets, &grants.hosts);
        for policy in tools.values_mut() {
            policy.hosts = common_hosts(&policy.hosts, named);
            policy.secrets = secrets::narrowed(&policy.secrets, &policy.hosts);
        }
        Ok(())
    }
}

const LESS: &str = "a role can only be given less than [grants]";

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::super::{Resolved, layers};
    use super::*;

    fn as_role(name: &str, dirs: &[&str]) -> Flags {
        Flags {
            role: Some(name.to_owned()),
            dirs: dirs.iter().map(|dir| dir.parse().unwrap()).collect(),
            ..Flags::default()
        }
    }

    fn paths(dirs: &[DirGrant]) -> Vec<String> {
        dirs.iter().map(|dir| dir.path.to_string()).collect()
    }

    #[test]
    fn a_user_s_role_stands_in_place_of_a_project_s_of_the_same_name() {
        let project =
            parse("[roles.a]\ntools = ['x', 'y']\nprompt = 'theirs'\n[roles.b]\ntools = ['z']").unwrap();
        let user = parse("[roles.a]\ntools = ['x']").unwrap();
        let role = |name| chosen(&project, &user, &as_role(name, &[])).unwrap().unwrap();
        assert_eq!((role("a").tools, role("a").prompt), (vec!["x".to_owned()], String::new()));
        assert_eq!(role("b").tools, ["z"]);
        assert_eq!(chosen(&project, &user, &Flags::default()).unwrap(), None);
        let error = chosen(&project, &user, &as_role("c", &[])).unwrap_err();
        assert_eq!(error.to_string(), "there is no role `c`");
    }

    #[test]
    fn a_role_narrows_folders_for_all_tools_and_never_widens_them() {
        let project = parse(
            "grants.dirs = ['src', 'docs']\n[tools.t]\ndirs = ['src/a']\n[roles.r]\ntools = ['t']\ndirs = ['src']",
        )
        .unwrap();
        let none = ConfigFile::default();
        let of = |user: &ConfigFile, flags: &Flags| Resolved::of_layers(&project, user, flags);
        let resolved = of(&none, &as_role("r", &[])).unwrap();
        assert_eq!(paths(&resolved.grants.dirs), ["src"]);
        assert_eq!(paths(&resolved.tools["t"].dirs), ["src/a"]);
        let flagged = of(&none, &as_role("r", &["src/a/b", "docs"])).unwrap();
        assert_eq!(paths(&flagged.grants.dirs), ["src/a/b"]);
        let user = parse("grants.dirs = ['tests']\n[tools.t]\ndirs = ['tests']").unwrap();
        assert!(of(&user, &as_role("r", &[])).is_err());
        assert_eq!(layers::grants(&project, &none, &Flags::default()).dirs.len(), 2);
    }

    #[test]
    fn a_role_narrows_hosts_for_all_tools_and_never_widens_them() {
        let project = parse(
            "grants.hosts = ['https://a.example', 'https://b.example']\n[tools.t]\nhosts = ['https://a.example/v1']\n[roles.r]\ntools = ['t']\nhosts = ['https://a.example']",
        )
        .unwrap();
        let of = |user: &ConfigFile| Resolved::of_layers(&project, user, &as_role("r", &[]));
        let resolved = of(&ConfigFile::default()).unwrap();
        let shown = |hosts: &[HostGrant]| hosts.iter().map(HostGrant::to_string).collect::<Vec<_>>();
        assert_eq!(shown(&resolved.grants.hosts), ["https://a.example"]);
        assert_eq!(shown(&resolved.tools["t"].hosts), ["https://a.example/v1"]);
        let user = parse("grants.hosts = ['https://b.example']\ntools.t.hosts = []").unwrap();
        assert!(of(&user).is_err());
        let steady = parse("grants.deterministic = true").unwrap();
        assert!(of(&steady).unwrap().grants.hosts.is_empty());
    }

    #[test]
    fn a_role_shows_nothing_that_is_hidden() {
        for masks in ["default_masks = false", "masks = ['!.env']"] {
            let text = format!("[roles.r]\ntools = []\ndirs = [{{ path = 'src', {masks} }}]");
            let user = parse(&text).unwrap();
            assert!(chosen(&ConfigFile::default(), &user, &as_role("r", &[])).is_err(), "{masks}");
        }
    }

    #[test]
    fn a_flag_names_only_tools_that_the_role_has() {
        let user = parse("[roles.r]\ntools = ['read_file', 'list_files']").unwrap();
        let resolved = Resolved::of_layers(&ConfigFile::default(), &user, &as_role("r", &[])).unwrap();
        let named = |tools: &[&str]| Some(tools.iter().map(|tool| (*tool).to_owned()).collect::<Vec<_>>());
        assert_eq!(resolved.allowed(None).unwrap(), named(&["read_file", "list_files"]));
        assert_eq!(resolved.allowed(named(&["read_file"])).unwrap(), named(&["read_file"]));
        assert!(resolved.allowed(named(&["edit_file"])).is_err());
    }
}

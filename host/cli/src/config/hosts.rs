//! The hosts that requests may be made to, out of the three layers.

use super::file::{ConfigFile, ToolSection};
use super::{Flags, ToolPolicy};
use crate::exit::Refusal;
use anyhow::Result;
use ringfence_sandbox::{HostGrant, common_hosts};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;

/// A granted host: `"https://api.example.com"`, or
/// `{ url = "https://api.example.com/v1", methods = ["GET", "POST"], private = false }`.
#[derive(Debug, Clone, PartialEq)]
pub struct Host(pub HostGrant);

impl<'de> Deserialize<'de> for Host {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = HostGrant;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a host: \"https://api.example.com\" or { url = \"https://api.example.com\", methods = [\"GET\"] }",
                )
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<HostGrant, E> {
                HostGrant::parse(text).map_err(E::custom)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<HostGrant, A::Error> {
                HostGrant::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_any(Either).map(Self)
    }
}

/// A flag's, else yours, else the project's; where both files name hosts, what they have in common.
pub(super) fn granted(project: &ConfigFile, user: &ConfigFile, flags: &Flags) -> Vec<HostGrant> {
    if !flags.hosts.is_empty() {
        return flags.hosts.clone();
    }
    match (project.grants.hosts.as_deref().map(plain), user.grants.hosts.as_deref().map(plain)) {
        (Some(project), Some(user)) => common_hosts(&user, &project),
        (project, user) => user.or(project).unwrap_or_default(),
    }
}

/// Of the granted hosts those that a tool's section leaves it.
pub(super) fn narrowed(section: &ToolSection, wider: &ToolPolicy) -> Vec<HostGrant> {
    match &section.hosts {
        Some(named) => common_hosts(&wider.hosts, &plain(named)),
        None => wider.hosts.clone(),
    }
}

/// A section that names more than is granted is an error; `said_in` is what that calls it.
pub(super) fn check_within(
    said_in: &str,
    named: &[HostGrant],
    granted: &[HostGrant],
    hint: &str,
) -> Result<()> {
    let Some(outside) = named.iter().find(|host| !granted.iter().any(|granted| host.lies_in(granted))) else {
        return Ok(());
    };
    Err(Refusal::usage(format!("{said_in} names `{outside}`, which is more than the granted hosts"))
        .hint(hint)
        .into())
}

pub(super) fn plain(hosts: &[Host]) -> Vec<HostGrant> {
    hosts.iter().map(|Host(grant)| grant.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::super::{layers, tools};
    use super::*;
    use crate::args::parse_host;

    fn shown(hosts: &[HostGrant]) -> Vec<String> {
        hosts.iter().map(HostGrant::to_string).collect()
    }

    #[test]
    fn hosts_are_the_flags_else_what_both_files_have_in_common() {
        let project = parse(
            "grants.hosts = ['https://a.example/v1', { url = 'https://b.example', methods = ['POST'] }]",
        )
        .unwrap();
        let user = parse("grants.hosts = ['https://a.example', 'https://b.example']").unwrap();
        let none = ConfigFile::default();
        let of = |project, user, flags: &Flags| shown(&granted(project, user, flags));
        let flags = Flags::default();
        assert_eq!(of(&none, &none, &flags), [""; 0]);
        assert_eq!(of(&project, &none, &flags), ["https://a.example/v1", "https://b.example (POST)"]);
        assert_eq!(of(&none, &user, &flags), ["https://a.example", "https://b.example"]);
        assert_eq!(of(&project, &user, &flags), ["https://a.example/v1"]);
        let nothing = parse("grants.hosts = []").unwrap();
        assert_eq!(of(&project, &nothing, &flags), [""; 0]);
        let flags = Flags { hosts: vec![parse_host("https://c.example").unwrap()], ..Flags::default() };
        assert_eq!(of(&project, &user, &flags), ["https://c.example"]);
    }

    #[test]
    fn a_tool_asks_fewer_hosts_and_never_more() {
        let project = parse(
            "grants.hosts = [{ url = 'https://a.example', methods = ['GET', 'POST'] }, 'https://b.example']\n[tools.fetch]\nhosts = ['https://a.example/v1']",
        )
        .unwrap();
        let none = ConfigFile::default();
        let of = |user: &ConfigFile, flags: &Flags| {
            let all = layers::grants(&project, user, flags);
            tools::policies(&project, user, &all, flags).map(|mut tools| tools.remove("fetch").unwrap())
        };
        // `HEAD` isn't among the granted methods.
        assert!(of(&none, &Flags::default()).is_err());
        let flags = Flags { hosts: vec![parse_host("https://a.example").unwrap()], ..Flags::default() };
        assert_eq!(shown(&of(&none, &flags).unwrap().hosts), ["https://a.example/v1"]);
        let user = parse("[tools.fetch]\nhosts = []").unwrap();
        assert_eq!(shown(&of(&user, &flags).unwrap().hosts), [""; 0]);
        let other = Flags { hosts: vec![parse_host("https://c.example").unwrap()], ..Flags::default() };
        assert_eq!(shown(&of(&none, &other).unwrap().hosts), [""; 0]);
    }
}

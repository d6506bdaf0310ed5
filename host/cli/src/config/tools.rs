//! What single tools may do, out of the three layers: less than the rest, never more.

use super::dirs::{self, beyond, common, plain};
use super::file::{Bytes, ConfigFile, Dir, Span, ToolSection};
use super::layers::{ms, smaller};
use super::reading::place;
use super::{Flags, Named, ToolPolicy, env, hosts, named_secrets, search, secrets};
use crate::exit::Refusal;
use anyhow::Result;
use ringfence_sandbox::{Grants, Limits as CallLimits};
use std::collections::BTreeMap;

const LESS: &str = "a tool can only be given less than [grants]";

/// What single tools may do. A folder, host or variable outside the granted ones is an error, unless a flag has
/// just narrowed those: then the tool has what is left.
pub(super) fn policies(
    project: &ConfigFile,
    user: &ConfigFile,
    grants: &Grants,
    flags: &Flags,
) -> Result<BTreeMap<String, ToolPolicy>> {
    let mut policies: BTreeMap<String, ToolPolicy> = BTreeMap::new();
    for (layer, file) in [(project, "ringfence.toml"), (user, "your configuration")] {
        for (tool, section) in &layer.tools {
            let before = policies.get(tool);
            let whole = ToolPolicy::of(grants);
            let wider = before.unwrap_or(&whole);
            let dirs = &wider.dirs;
            if section.entropy == Some(true) && !grants.entropy {
                return Err(Refusal::usage(format!(
                    "{file}: [tools.{tool}] asks for entropy, which [grants] doesn't give"
                ))
                .hint(LESS)
                .into());
            }
            if section.deterministic == Some(false) && wider.deterministic {
                return Err(Refusal::usage(format!(
                    "{file}: [tools.{tool}] asks not to be deterministic, which every tool is by [grants]"
                ))
                .hint(LESS)
                .into());
            }
            let shows = section.dirs.iter().flatten().find_map(|Dir(dir)| dirs::shows(dir));
            if let Some(shows) = shows {
                return Err(Refusal::usage(format!("{file}: [tools.{tool}] says {shows}")).hint(LESS).into());
            }
            // Who is made deterministic asks no host; that isn't more than is granted.
            if flags.hosts.is_empty() && before.is_none() && !grants.deterministic {
                let named = section.hosts.as_deref().map(hosts::plain).unwrap_or_default();
                let said_in = format!("{file}: [tools.{tool}]");
                hosts::check_within(&said_in, &named, &grants.hosts, LESS)?;
            }
            if std::ptr::eq(layer, user) {
                let said_in = format!("{file}: [tools.{tool}]");
                env::check_own(&said_in, section.env.as_ref(), user, flags, LESS)?;
            }
            let policy = narrowed(section, wider);
            if let (Some(named), true, true) = (&section.dirs, flags.dirs.is_empty(), before.is_none())
                && let Some(more) = beyond(dirs, &plain(named))
            {
                return Err(Refusal::usage(format!("{file}: [tools.{tool}] {more}")).hint(LESS).into());
            }
            let said_in = format!("{}: [tools.{tool}]", place(layer, &format!("tools.{tool}")));
            policies.insert(tool.clone(), ToolPolicy { said_in, ..policy });
        }
    }
    Ok(policies)
}

fn narrowed(section: &ToolSection, wider: &ToolPolicy) -> ToolPolicy {
    let limits = &wider.limits;
    let dirs = match &section.dirs {
        Some(named) => common(&wider.dirs, &plain(named)),
        None => wider.dirs.clone(),
    };
    let less = |have: u64, wanted: Option<Bytes>| wanted.map_or(have, |Bytes(wanted)| wanted.min(have));
    let deterministic = wider.deterministic || section.deterministic == Some(true);
    let hosts = if deterministic { Vec::new() } else { hosts::narrowed(section, wider) };
    let mut secrets = secrets::narrowed(&wider.secrets, &hosts);
    named_secrets::narrow(&mut secrets, section.secrets.as_ref());
    let env = if deterministic { env::Names::new() } else { env::narrowed(section.env.as_ref(), &wider.env) };
    ToolPolicy {
        dirs,
        entropy: !deterministic && wider.entropy && section.entropy != Some(false),
        deterministic,
        secrets,
        env,
        hosts,
        settings: search::settings(section).unwrap_or_else(|| wider.settings.clone()),
        limits: CallLimits {
            memory_bytes: less(limits.memory_bytes, section.memory),
            cpu_ms: smaller(limits.cpu_ms, section.cpu.map(|Span(time)| ms(time))),
            time_ms: section.timeout.map_or(limits.time_ms, |Span(time)| ms(time).min(limits.time_ms)),
            output_bytes: less(limits.output_bytes, section.output),
            ..limits.clone()
        },
        description: section.description.clone().or_else(|| wider.description.clone()),
        named: wider.named.and(Named {
            dirs: section.dirs.as_deref().map(plain),
            hosts: section.hosts.as_deref().map(hosts::plain),
        }),
        said_in: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::super::layers;
    use super::*;
    use ringfence_sandbox::DirGrant;

    fn paths(grants: &[DirGrant]) -> Vec<String> {
        grants.iter().map(|dir| dir.path.to_string()).collect()
    }

    fn dir_flags(dirs: &[&str]) -> Flags {
        Flags { dirs: dirs.iter().map(|dir| dir.parse().unwrap()).collect(), ..Flags::default() }
    }

    #[test]
    fn a_tool_gets_less_and_never_more() {
        let project = parse(
            "grants.dirs = ['src', 'docs']\n[tools.read_file]\ndirs = ['src/a', 'docs']\nmemory = '8GiB'\ntimeout = '1s'",
        )
        .unwrap();
        let none = ConfigFile::default();
        let of = |flags: &Flags, user: &ConfigFile| {
            let all = layers::grants(&project, user, flags);
            policies(&project, user, &all, flags).map(|mut tools| tools.remove("read_file").unwrap())
        };
        let policy = of(&Flags::default(), &none).unwrap();
        assert_eq!(paths(&policy.dirs), ["src/a", "docs"]);
        assert_eq!((policy.limits.memory_bytes, policy.limits.time_ms), (256 << 20, 1_000));
        assert_eq!(paths(&of(&dir_flags(&["src/a/b", "tests"]), &none).unwrap().dirs), ["src/a/b"]);
        assert_eq!(paths(&of(&dir_flags(&["tests"]), &none).unwrap().dirs), [""; 0]);
        let user = parse("[tools.read_file]\ndirs = ['src']").unwrap();
        assert_eq!(paths(&of(&Flags::default(), &user).unwrap().dirs), ["src/a"]);
        let user = parse("grants.dirs = ['tests']").unwrap();
        assert!(of(&Flags::default(), &user).is_err());
    }
}

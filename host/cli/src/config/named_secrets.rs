//! Which of the user's secrets go along, where a file names some.
//!
//! Only the user's own file has secrets. A list of names leaves fewer of them: the user's own must
//! name ones that there are, a project's can't know them, and what it names in vain grants nothing.

use super::file::ConfigFile;
use super::language::nearest;
use super::reading::place;
use crate::exit::Refusal;
use anyhow::Result;
use ringfence_sandbox::{SecretGrant, SecretName};
use std::collections::BTreeSet;

/// Some names.
pub(super) type Names = BTreeSet<SecretName>;

/// Takes away what isn't named; nothing where nothing is said.
pub(super) fn narrow(secrets: &mut Vec<SecretGrant>, named: Option<&Names>) {
    if let Some(named) = named {
        secrets.retain(|secret| named.contains(&secret.name));
    }
}

/// Whether the user's own file names only secrets that it has, and gives no tool more than all.
pub(super) fn check(user: &ConfigFile) -> Result<()> {
    let all: Names = user.secrets.keys().cloned().collect();
    let granted = user.grants.secrets.as_ref();
    within(user, "grants", granted, &all)?;
    for (tool, section) in &user.tools {
        let table = format!("tools.{tool}");
        within(user, &table, section.secrets.as_ref(), &all)?;
        let more =
            section.secrets.iter().flatten().find(|name| granted.is_some_and(|all| !all.contains(*name)));
        if let Some(name) = more {
            let said_in = place(user, &format!("{table}.secrets"));
            return Err(Refusal::usage(format!(
                "{said_in}: [{table}] names the secret `{name}`, which [grants] doesn't"
            ))
            .hint("a tool can only be given less than [grants]")
            .into());
        }
    }
    Ok(())
}

fn within(user: &ConfigFile, table: &str, named: Option<&Names>, all: &Names) -> Result<()> {
    let Some(unknown) = named.into_iter().flatten().find(|name| !all.contains(*name)) else { return Ok(()) };
    let known = || all.iter().map(SecretName::as_str);
    let hint = match nearest(unknown.as_str(), known()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if all.is_empty() => format!("there is none: [secrets.{unknown}] would make it"),
        None => format!("there are {}", known().collect::<Vec<_>>().join(", ")),
    };
    let said_in = place(user, &format!("{table}.secrets"));
    let what = format!("{said_in}: [{table}] names the secret `{unknown}`, which isn't there");
    Err(Refusal::usage(what).hint(hint).into())
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::super::{Flags, Resolved};
    use super::*;
    use crate::exit::describe;

    const BOTH: &str = "grants.hosts = ['https://a.example', 'https://b.example']\n";
    const SECRETS: &str = "[secrets.one]\nenv = 'A'\nhost = 'https://a.example'\nheader = 'x-key'\n[secrets.two]\nenv = 'B'\nhost = 'https://b.example'\nheader = 'x-key'\n";

    fn names(secrets: &[SecretGrant]) -> Vec<&str> {
        secrets.iter().map(|secret| secret.name.as_str()).collect()
    }

    fn of(project: &str, user: &str) -> Resolved {
        let user = parse(&format!("{BOTH}{user}\n{SECRETS}")).unwrap();
        check(&user).unwrap();
        Resolved::of_layers(&parse(project).unwrap(), &user, &Flags::default()).unwrap()
    }

    #[test]
    fn only_the_secrets_that_are_named_go_along() {
        for (project, user, expected) in [
            ("", "", &["one", "two"][..]),
            ("", "grants.secrets = ['two']", &["two"]),
            ("", "grants.secrets = []", &[]),
            ("grants.secrets = ['one', 'three']", "", &["one"]),
            ("grants.secrets = ['one']", "grants.secrets = ['two']", &[]),
        ] {
            assert_eq!(names(&of(project, user).grants.secrets), expected, "{project} {user}");
        }
    }

    #[test]
    fn a_tool_has_fewer_secrets_than_the_rest_and_never_more() {
        let tool = |project, user| names(&of(project, user).tools["t"].secrets).join(" ");
        assert_eq!(tool("", "tools.t.secrets = ['two']"), "two");
        assert_eq!(tool("tools.t.secrets = ['one', 'three']", ""), "one");
        assert_eq!(tool("tools.t.secrets = ['one']", "tools.t.secrets = ['two']"), "");
        assert_eq!(tool("tools.t.secrets = ['one', 'two']", "grants.secrets = ['two']"), "two");
        assert_eq!(tool("", "tools.t = { hosts = ['https://a.example'], secrets = ['two'] }"), "");
    }

    #[test]
    fn a_secret_that_isn_t_there_is_an_error_in_the_user_s_own_file() {
        for (text, said) in [
            ("grants.secrets = ['oen']", "[grants] names the secret `oen`, which isn't there"),
            ("tools.t.secrets = ['twoo']", "did you mean `two`?"),
            ("tools.t.secrets = ['brave']", "there are one, two"),
            ("grants.secrets = ['one']\ntools.t.secrets = ['two']", "`two`, which [grants] doesn't"),
        ] {
            let error = describe(&check(&parse(&format!("{text}\n{SECRETS}")).unwrap()).unwrap_err());
            assert!(error.contains(said), "{text}: {error}");
        }
        let error = describe(&check(&parse("grants.secrets = ['key']").unwrap()).unwrap_err());
        assert!(error.contains("[secrets.key] would make it"), "{error}");
    }

    #[test]
    fn secrets_that_are_left_out_can_share_a_header() {
        let user = "grants.hosts = ['https://a.example']\ngrants.secrets = ['one']\n[secrets.one]\nenv = 'A'\nhost = 'https://a.example'\nheader = 'x-key'\n[secrets.two]\nenv = 'B'\nhost = 'https://a.example'\nheader = 'x-key'\n";
        let of = |user: &str| {
            Resolved::of_layers(&ConfigFile::default(), &parse(user).unwrap(), &Flags::default())
        };
        assert_eq!(names(&of(user).unwrap().grants.secrets), ["one"]);
        assert!(of(&user.replace("grants.secrets = ['one']\n", "")).is_err());
    }
}

//! Variables of the environment that tools may see, out of the three layers, and their values.
//!
//! The environment is the user's: only a flag or the user's own file grants a name, and a project's
//! file can but name fewer of them. A value is never part of a message.

use super::file::ConfigFile;
use super::reading::place;
use super::{Flags, project_files, user_file};
use crate::exit::Refusal;
use crate::state_dir::Folders;
use anyhow::Result;
use ringfence_sandbox::{Grants, MAX_VARIABLES, VariableName, VariableValue, Variables};
use std::collections::BTreeSet;

/// Some names.
pub(super) type Names = BTreeSet<VariableName>;

/// A flag's, else what the user's own file grants and the project's leaves of that.
pub(super) fn granted(project: &ConfigFile, user: &ConfigFile, flags: &Flags) -> Result<Names> {
    let granted = match flags.env.as_slice() {
        [] => narrowed(project.grants.env.as_ref(), user.grants.env.as_ref().unwrap_or(&Names::new())),
        named => named.iter().cloned().collect(),
    };
    if granted.len() > MAX_VARIABLES {
        return Err(Refusal::usage(too_many("the command line", granted.len())).hint(FEWER).into());
    }
    no_secret_s(&granted, user)?;
    Ok(granted)
}

/// A variable that has the value of a secret is seen by no tool.
fn no_secret_s(granted: &Names, user: &ConfigFile) -> Result<()> {
    for (secret, section) in &user.secrets {
        let has_its_value = |name: &&VariableName| section.variable() == Some(name.as_str());
        if let Some(name) = granted.iter().find(has_its_value) {
            return Err(Refusal::usage(format!(
                "`{name}` of the environment can't be granted: it is the value of the secret `{secret}`, which no tool sees"
            ))
            .hint("leave it out: the host adds the secret to requests by itself")
            .into());
        }
    }
    Ok(())
}

/// Of the granted names those that are named here; all where none are.
pub(super) fn narrowed(named: Option<&Names>, wider: &Names) -> Names {
    match named {
        Some(named) => wider & named,
        None => wider.clone(),
    }
}

/// A section of the user's own file that names more than that file grants is an error, unless a flag
/// stands in place of that; `said_in` is what that calls it. A project's section asks, and can't know.
pub(super) fn check_own(
    said_in: &str,
    named: Option<&Names>,
    user: &ConfigFile,
    flags: &Flags,
    hint: &str,
) -> Result<()> {
    let granted = |name: &&VariableName| user.grants.env.as_ref().is_some_and(|all| all.contains(*name));
    match named.into_iter().flatten().find(|name| !granted(name)) {
        Some(name) if flags.env.is_empty() => {
            let what = format!("{said_in} names `{name}` of the environment, which isn't granted");
            Err(Refusal::usage(what).hint(hint).into())
        }
        Some(_) | None => Ok(()),
    }
}

const FEWER: &str = "name fewer";

/// What is wrong with a list of one file; `said_in` is what errors call it.
pub(super) fn more_than_possible(said_in: &str, named: Option<&Names>) -> Option<(String, &'static str)> {
    let count = named.map_or(0, BTreeSet::len);
    (count > MAX_VARIABLES).then(|| (too_many(said_in, count), FEWER))
}

fn too_many(said_in: &str, count: usize) -> String {
    format!("{said_in} names {count} variables of the environment, which is more than {MAX_VARIABLES}")
}

/// What a project's file names and nobody grants: no tool sees it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unanswered {
    /// The names.
    pub names: Names,
    /// Where the first list of them is.
    pub said_in: String,
}

impl Unanswered {
    pub(super) fn of(project: &ConfigFile, granted: &Names) -> Self {
        let of_tools = project.tools.iter().map(|(tool, it)| (format!("tools.{tool}.env"), &it.env));
        let of_roles = project.roles.iter().map(|(role, it)| (format!("roles.{role}.env"), &it.env));
        let all =
            [("grants.env".to_owned(), &project.grants.env)].into_iter().chain(of_tools).chain(of_roles);
        let mut found = Self::default();
        for (key, named) in all {
            let more: Vec<_> = named.iter().flatten().filter(|name| !granted.contains(*name)).collect();
            if found.names.is_empty() && !more.is_empty() {
                found.said_in = place(project, &key);
            }
            found.names.extend(more.into_iter().cloned());
        }
        found
    }

    /// In words, where there are any.
    pub fn told(&self) -> Option<String> {
        let names: Vec<_> = self.names.iter().map(|name| format!("`{name}`")).collect();
        (!names.is_empty()).then(|| {
            let (names, said_in) = (names.join(", "), &self.said_in);
            let file = project_files::CONFIG;
            format!(
                "{said_in} names {names} of the environment; no tool sees that, since {file} can't grant it: only your own configuration or --allow-env can"
            )
        })
    }
}

/// The values of these variables, as this process has them. One that isn't set has none; one that no
/// guest could be given, or that the user's own file has come to keep a secret in, is an error.
pub fn values(grants: &Grants, folders: &Folders) -> Result<Variables> {
    let mut values = Variables::default();
    let granted = grants.open_env();
    if granted.is_empty() {
        return Ok(values);
    }
    no_secret_s(granted, &user_file::read(folders)?.config)?;
    for name in granted {
        let Some(value) = std::env::var_os(name.as_str()) else { continue };
        let value = VariableValue::new(value).map_err(|error| {
            Refusal::usage(format!("`{name}` of the environment can't be given to tools: {error}"))
                .hint("set another value, or don't grant it")
        })?;
        values.insert(name.clone(), value);
    }
    Ok(values)
}

/// Those of these variables that aren't set.
pub fn unset(grants: &Grants) -> Vec<&VariableName> {
    grants.open_env().iter().filter(|name| std::env::var_os(name.as_str()).is_none()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::super::{Resolved, ToolPolicy};
    use super::*;

    fn names(names: &Names) -> Vec<&str> {
        names.iter().map(VariableName::as_str).collect()
    }

    fn flag(names: &[&str]) -> Flags {
        let env = names.iter().map(|name| VariableName::parse(name).unwrap()).collect();
        Flags { env, ..Flags::default() }
    }

    fn of(project: &str, user: &str, flags: &Flags) -> Result<Resolved> {
        Resolved::of_layers(&parse(project).unwrap(), &parse(user).unwrap(), flags)
    }

    fn tool(resolved: &Resolved) -> &ToolPolicy {
        &resolved.tools["t"]
    }

    #[test]
    fn names_are_a_flag_s_else_the_user_s_as_far_as_the_project_leaves_them() {
        let both = "grants.env = ['LANG', 'TZ']";
        let none = Flags::default();
        for (project, user, flags, expected) in [
            ("", "", &none, &[][..]),
            ("", both, &none, &["LANG", "TZ"]),
            ("grants.env = ['TZ', 'API_KEY']", both, &none, &["TZ"]),
            ("grants.env = []", both, &none, &[]),
            (both, "", &none, &[]),
            (both, "grants.env = []", &none, &[]),
            ("grants.env = ['TZ']", both, &flag(&["HOME", "LANG"]), &["HOME", "LANG"]),
            ("", "grants = { env = ['LANG'] }", &flag(&["TZ", "TZ"]), &["TZ"]),
            ("grants.deterministic = true", both, &flag(&["TZ"]), &[]),
        ] {
            let resolved = of(project, user, flags).unwrap();
            assert_eq!(names(&resolved.grants.env), expected, "{project} {user} {flags:?}");
        }
    }

    #[test]
    fn a_project_s_tool_and_role_never_see_more_than_the_user_grants() {
        let project = "grants.env = ['API_KEY']\n[tools.t]\nenv = ['API_KEY', 'TZ']\n[roles.r]\ntools = ['t']\nenv = ['API_KEY', 'TZ']";
        let role = Flags { role: Some("r".to_owned()), ..Flags::default() };
        for user in ["", "grants.env = ['LANG', 'TZ']"] {
            for flags in [&Flags::default(), &role] {
                let resolved = of(project, user, flags).unwrap();
                assert!(resolved.grants.env.is_empty() && tool(&resolved).env.is_empty(), "{user}");
            }
        }
        let project = project.replace("grants.env = ['API_KEY']", "");
        let resolved = of(&project, "grants.env = ['LANG', 'TZ']", &role).unwrap();
        assert_eq!((names(&resolved.grants.env), names(&tool(&resolved).env)), (vec!["TZ"], vec!["TZ"]));
        let asked = Unanswered::of(&parse(&project).unwrap(), &resolved.grants.env);
        assert_eq!(names(&asked.names), ["API_KEY"]);
        assert!(asked.told().unwrap().contains("names `API_KEY` of the environment; no tool sees that"));
    }

    #[test]
    fn a_tool_of_the_user_s_sees_fewer_and_one_that_names_more_is_an_error() {
        let user = "grants.env = ['LANG', 'TZ']\n[tools.t]\nenv = ['TZ']";
        assert_eq!(names(&tool(&of("", user, &Flags::default()).unwrap()).env), ["TZ"]);
        assert_eq!(names(&tool(&of("grants.env = ['LANG']", user, &Flags::default()).unwrap()).env), [""; 0]);
        assert_eq!(names(&tool(&of("", user, &flag(&["HOME"])).unwrap()).env), [""; 0]);
        for more in ["[tools.t]\nenv = ['TZ']", "grants.env = ['LANG']\n[tools.t]\nenv = ['TZ']"] {
            let error = of("", more, &Flags::default()).unwrap_err().to_string();
            assert!(
                error.contains("[tools.t] names `TZ` of the environment, which isn't granted"),
                "{error}"
            );
            assert!(of("", more, &flag(&["TZ"])).is_ok());
        }
        let role = Flags { role: Some("r".to_owned()), ..Flags::default() };
        let error = of("", "[roles.r]\ntools = []\nenv = ['TZ']", &role).unwrap_err().to_string();
        assert!(error.contains("[roles.r] names `TZ`"), "{error}");
    }

    #[test]
    fn a_secret_s_own_variable_is_granted_to_nobody() {
        let secret = "[secrets.key]\nenv = 'API_KEY'\nhost = 'https://a.example'\nheader = 'x-key'";
        let error = of("", secret, &flag(&["API_KEY"])).unwrap_err().to_string();
        assert!(error.contains("the value of the secret `key`"), "{error}");
        assert!(of("", &format!("grants.env = ['API_KEY']\n{secret}"), &Flags::default()).is_err());
        assert!(of("grants.env = ['API_KEY']", secret, &Flags::default()).is_ok());
    }

    #[test]
    fn more_names_than_a_call_can_have_are_refused() {
        let many: Vec<_> = (0..65).map(|at| format!("V{at}")).collect();
        let many: Vec<&str> = many.iter().map(String::as_str).collect();
        assert!(of("", "", &flag(&many)).unwrap_err().to_string().contains("65 variables"));
        assert!(of("", "", &flag(&many[1..])).is_ok());
    }

    #[test]
    fn a_variable_that_isn_t_set_has_no_value_and_is_told() {
        let env = ["PATH", "RINGFENCE_TEST_NOT_SET"].map(|name| VariableName::parse(name).unwrap());
        let grants = Grants { env: env.into(), ..Grants::whole_project() };
        let state = tempfile::tempdir().unwrap();
        let folders = Folders::find(Some(state.path())).unwrap();
        assert_eq!(format!("{:?}", values(&grants, &folders).unwrap()), "{\"PATH\"}");
        assert_eq!(
            unset(&grants).into_iter().map(VariableName::as_str).collect::<Vec<_>>(),
            ["RINGFENCE_TEST_NOT_SET"]
        );
    }
}

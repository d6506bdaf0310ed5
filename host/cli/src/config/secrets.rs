//! Secrets of the user's own file: which requests they go with, and where their values are.
//!
//! Owns: choosing those that a command needs, and reading their values when it begins. Doesn't own:
//! reading a single value (`source`), adding them to requests and taking them out of replies (the
//! sandbox does), who sees the file (a project can't have such a section). A value is never part of a
//! message.

use super::file::ConfigFile;
use super::named_secrets;
use super::user_file::{self, UserFile};
use crate::exit::Refusal;
use crate::output::err;
use crate::state_dir::Folders;
use crate::terminal::one_line;
use anyhow::Result;
use ringfence_sandbox::{
    Grants, HostGrant, HostUrl, SecretGrant, SecretHeader, SecretName, SecretValue, Secrets,
};
use serde::Deserialize;
use std::path::{Path, PathBuf};

mod keyring;
mod source;

pub(super) use keyring::KeyringEntry;
use source::Source;

/// `[secrets.NAME]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Written")]
pub struct SecretSection {
    source: Source,
    host: HostUrl,
    header: SecretHeader,
    prefix: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    env: Option<String>,
    file: Option<PathBuf>,
    keyring: Option<KeyringEntry>,
    host: HostUrl,
    header: SecretHeader,
    #[serde(default)]
    prefix: String,
}

impl TryFrom<Written> for SecretSection {
    type Error = &'static str;
    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let Written { env, file, keyring, host, header, prefix } = written;
        let mut sources = [env.map(Source::Env), file.map(Source::File), keyring.map(Source::Keyring)]
            .into_iter()
            .flatten();
        let (Some(source), None) = (sources.next(), sources.next()) else {
            return Err("say where the value is, once: `env`, `file` or `keyring`");
        };
        Ok(Self { source, host, header, prefix })
    }
}

impl SecretSection {
    /// The variable of the environment that has the value, if one has.
    pub(super) fn variable(&self) -> Option<&str> {
        let Source::Env(variable) = &self.source else { return None };
        Some(variable)
    }

    /// The requests that it goes with.
    pub(super) fn host(&self) -> &HostUrl {
        &self.host
    }

    fn value(&self, folder: &Path) -> Result<SecretValue, String> {
        let value = self.source.read(folder)?;
        SecretValue::new(value).map_err(|error| error.to_string())
    }

    fn grant(&self, name: &SecretName) -> SecretGrant {
        SecretGrant {
            name: name.clone(),
            host: self.host.clone(),
            header: self.header.clone(),
            prefix: self.prefix.clone(),
        }
    }
}

/// The secrets that go with requests to these hosts, as far as the user's own file doesn't leave them
/// out.
pub(super) fn granted(user: &ConfigFile, hosts: &[HostGrant]) -> Result<Vec<SecretGrant>> {
    let all = user.secrets.iter().map(|(name, section)| section.grant(name));
    let mut secrets: Vec<SecretGrant> = all.filter(|secret| belongs(secret, hosts)).collect();
    named_secrets::narrow(&mut secrets, user.grants.secrets.as_ref());
    SecretGrant::check_all(&secrets).map_err(|error| {
        Refusal::usage(error.to_string()).hint("mend [secrets] in your own configuration")
    })?;
    Ok(secrets)
}

/// Of these secrets those that go with requests to these hosts.
pub fn narrowed(secrets: &[SecretGrant], hosts: &[HostGrant]) -> Vec<SecretGrant> {
    secrets.iter().filter(|secret| belongs(secret, hosts)).cloned().collect()
}

fn belongs(secret: &SecretGrant, hosts: &[HostGrant]) -> bool {
    hosts.iter().any(|host| host.url().lies_in(&secret.host) || secret.host.lies_in(host.url()))
}

/// The values of the secrets that go with these requests, as the user's own file says now: one that is
/// missing, or that has come to belong to other requests, is an error. And of all others that the hosts
/// may have been sent at another time, as far as they can be read without asking a person, as a
/// keyring may: no reply may hand them out. Those that can't are named on standard error.
pub fn values(grants: &Grants, folders: &Folders) -> Result<Secrets> {
    let mut values = Secrets::default();
    if grants.hosts.is_empty() {
        return Ok(values);
    }
    let user = user_file::read(folders)?;
    for secret in &grants.secrets {
        values.insert(secret.clone(), value(secret, &user)?);
    }
    for (name, section) in &user.config.secrets {
        let is_known = grants.hosts.iter().any(|host| host.url().origin == section.host.origin);
        if !is_known || values.get(name).is_some() {
            continue;
        }
        let value = match &section.source {
            Source::Keyring(_) => Err("a keyring is asked for what goes along alone".to_owned()),
            Source::Env(_) | Source::File(_) => section.value(user.folder()),
        };
        match value {
            Ok(value) => values.insert(section.grant(name), value),
            Err(why) => err(&format!(
                "note: should {} hand out the secret `{name}`, a tool gets to see it: its value isn't known here ({})\n",
                section.host,
                one_line(&why, 400)
            )),
        }
    }
    Ok(values)
}

fn value(secret: &SecretGrant, user: &UserFile) -> Result<SecretValue> {
    let name = &secret.name;
    let section = user.config.secrets.get(name).ok_or_else(|| {
        Refusal::usage(format!("your configuration has no secret `{name}`"))
            .hint(format!("it goes with requests to {}", secret.host))
    })?;
    if section.grant(name) != *secret {
        return Err(Refusal::usage(format!(
            "the secret `{name}` belongs to other requests than when the run began"
        ))
        .hint("start a new run")
        .into());
    }
    let value = section.value(user.folder());
    value.map_err(|why| Refusal::usage(format!("the secret `{name}` can't be used: {why}")).into())
}

/// The names of all secrets of the user's own file, each with why it can't be used, if so.
pub fn look(folders: &Folders) -> Result<Vec<(SecretName, Result<()>)>> {
    let user = user_file::read(folders)?;
    let one = |(name, section): (&SecretName, &SecretSection)| {
        (name.clone(), value(&section.grant(name), &user).map(drop))
    };
    Ok(user.config.secrets.iter().map(one).collect())
}

/// A secret of the user's own file, as it stands.
#[derive(Debug)]
pub struct Looked {
    /// Its name.
    pub name: SecretName,
    /// Whether it goes with requests to a host that is granted.
    pub is_needed: bool,
    /// Why its value can't be used, if so.
    pub value: Result<()>,
}

/// Looks at all of them, where these hosts are granted.
pub(super) fn survey(user: &ConfigFile, hosts: &[HostGrant], folders: &Folders) -> Result<Vec<Looked>> {
    // As when a run begins: a project's hosts alone set no secret in motion.
    let is_own = user.grants.hosts.is_some();
    let looked = look(folders)?.into_iter().map(|(name, value)| {
        let grant = user.secrets.get(&name).map(|section| section.grant(&name));
        let is_needed = is_own && grant.is_some_and(|secret| belongs(&secret, hosts));
        Looked { name, is_needed, value }
    });
    Ok(looked.collect())
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::super::{Flags, Resolved};
    use super::*;

    const KEY: &str = "[secrets.key]\nenv = 'RINGFENCE_TEST_NOT_SET'\nhost = 'https://a.example/v1'\nheader = 'authorization'\nprefix = 'Bearer '\n";

    fn names(secrets: &[SecretGrant]) -> Vec<&str> {
        secrets.iter().map(|secret| secret.name.as_str()).collect()
    }

    #[test]
    fn only_secrets_of_granted_hosts_are_needed() {
        let user = parse(KEY).unwrap();
        let hosts = |url: &str| vec![HostGrant::parse(url).unwrap()];
        for url in ["https://a.example", "https://a.example/v1", "https://a.example/v1/x"] {
            assert_eq!(names(&granted(&user, &hosts(url)).unwrap()), ["key"], "{url}");
        }
        for url in ["https://b.example", "https://a.example/v2", "http://a.example", "https://a.example:8443"]
        {
            assert!(granted(&user, &hosts(url)).unwrap().is_empty(), "{url}");
        }
    }

    #[test]
    fn hosts_that_only_a_project_names_get_no_secret() {
        let project = parse("grants.hosts = ['https://a.example']").unwrap();
        let none = parse("").unwrap();
        let user = parse(KEY).unwrap();
        let both = parse(&format!("grants.hosts = ['https://a.example']\n{KEY}")).unwrap();
        let flags = Flags { hosts: vec![HostGrant::parse("https://a.example").unwrap()], ..Flags::default() };
        for (project, user, flags, expected) in [
            (&project, &user, &Flags::default(), &[][..]),
            (&project, &both, &Flags::default(), &["key"]),
            (&none, &both, &Flags::default(), &["key"]),
            (&project, &user, &flags, &["key"]),
        ] {
            let resolved = Resolved::of_layers(project, user, flags).unwrap();
            assert_eq!(names(&resolved.grants.secrets), expected);
            assert!(!resolved.grants.hosts.is_empty());
        }
    }

    #[test]
    fn a_section_says_where_the_value_is_once() {
        let with = |source: &str| {
            parse(&format!("[secrets.key]\n{source}\nhost = 'https://a.example'\nheader = 'x-key'")).map(drop)
        };
        for source in ["env = 'A'", "file = 'key.txt'", "keyring = 'ringfence/key'"] {
            with(source).unwrap();
        }
        for (source, why) in [
            ("", "`env`, `file` or `keyring`"),
            ("env = 'A'\nfile = 'b'", "`env`, `file` or `keyring`"),
            ("file = 'b'\nkeyring = 'ringfence/key'", "`env`, `file` or `keyring`"),
            ("keyring = 'key'", "`service/user name`"),
            ("value = 'hunter2'", "unknown field `value`"),
        ] {
            let error = with(source).unwrap_err().message().to_owned();
            assert!(error.contains(why), "{source}: {error}");
        }
        assert!(parse("[secrets.'a b']\nenv = 'A'\nhost = 'https://a.example'\nheader = 'x'").is_err());
        assert!(parse("[secrets.a]\nenv = 'A'\nhost = 'https://a.example'\nheader = 'host'").is_err());
    }

    #[test]
    fn two_secrets_for_one_header_are_an_error_that_names_both() {
        let user = parse(&format!("{KEY}\n{}", KEY.replace("secrets.key", "secrets.other"))).unwrap();
        let error = granted(&user, &[HostGrant::parse("https://a.example").unwrap()]).unwrap_err();
        assert!(error.to_string().contains("`key` and `other`"), "{error}");
    }
}

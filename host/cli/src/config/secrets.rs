//! Secrets of the user's own file: which requests they go with, and where their values are.
//!
//! Owns: choosing those that a command needs, and reading their values when it begins. Doesn't own:
//! adding them to requests and taking them out of replies (the sandbox does), who sees the file (a
//! project can't have such a section). A value is never part of a message.

use super::file::ConfigFile;
use super::user_file;
use crate::exit::Refusal;
use crate::state_dir::Folders;
use anyhow::Result;
use ringfence_sandbox::{HostGrant, HostUrl, SecretGrant, SecretHeader, SecretName, SecretValue, Secrets};
use rustix::fs::{CWD, FileType, Mode, OFlags};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes of a file with a secret at most.
const FILE_BYTES: u64 = 16 << 10;

/// `[secrets.NAME]`
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Written")]
pub struct SecretSection {
    source: Source,
    host: HostUrl,
    header: SecretHeader,
    prefix: String,
}

/// Where a value is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Source {
    /// In this environment variable.
    Env(String),
    /// In this file, seen from the folder of the configuration file.
    File(PathBuf),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    env: Option<String>,
    file: Option<PathBuf>,
    #[serde(default)]
    keyring: NoKeyring,
    host: HostUrl,
    header: SecretHeader,
    #[serde(default)]
    prefix: String,
}

/// A keyring can't be read: saying so is an error.
#[derive(Default)]
struct NoKeyring;

impl<'de> Deserialize<'de> for NoKeyring {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom("this version can't read a keyring: say `env` or `file`"))
    }
}

impl TryFrom<Written> for SecretSection {
    type Error = &'static str;
    fn try_from(written: Written) -> Result<Self, Self::Error> {
        let Written { env, file, keyring: NoKeyring, host, header, prefix } = written;
        let source = match (env, file) {
            (Some(env), None) => Source::Env(env),
            (None, Some(file)) => Source::File(file),
            (None, None) | (Some(_), Some(_)) => {
                return Err("say where the value is: either `env` or `file`");
            }
        };
        Ok(Self { source, host, header, prefix })
    }
}

impl SecretSection {
    fn grant(&self, name: &SecretName) -> SecretGrant {
        SecretGrant {
            name: name.clone(),
            host: self.host.clone(),
            header: self.header.clone(),
            prefix: self.prefix.clone(),
        }
    }
}

/// The secrets that go with requests to these hosts.
pub(super) fn granted(user: &ConfigFile, hosts: &[HostGrant]) -> Result<Vec<SecretGrant>> {
    let all = user.secrets.iter().map(|(name, section)| section.grant(name));
    let secrets: Vec<SecretGrant> = all.filter(|secret| belongs(secret, hosts)).collect();
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

/// The values of these secrets, as the user's own file says now. One that is missing, or that has
/// come to belong to other requests, is an error.
pub fn values(secrets: &[SecretGrant], folders: &Folders) -> Result<Secrets> {
    let mut values = Secrets::default();
    if secrets.is_empty() {
        return Ok(values);
    }
    let user = user_file::read(folders)?;
    for secret in secrets {
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
        let value = section
            .source
            .read(user.folder())
            .and_then(|value| SecretValue::new(value).map_err(|error| error.to_string()));
        let value =
            value.map_err(|why| Refusal::usage(format!("the secret `{name}` can't be used: {why}")))?;
        values.insert(name.clone(), value);
    }
    Ok(values)
}

/// The names of all secrets of the user's own file, each with why it can't be used, if so.
pub fn look(folders: &Folders) -> Result<Vec<(SecretName, Result<()>)>> {
    let user = user_file::read(folders)?;
    let one = |(name, section): (&SecretName, &SecretSection)| {
        (name.clone(), values(&[section.grant(name)], folders).map(drop))
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

impl Source {
    fn read(&self, folder: &Path) -> Result<String, String> {
        match self {
            Self::Env(variable) => match std::env::var(variable) {
                Ok(value) => Ok(value),
                Err(std::env::VarError::NotPresent) => Err(format!("{variable} is not set")),
                Err(std::env::VarError::NotUnicode(_)) => Err(format!("{variable} is not UTF-8")),
            },
            Self::File(path) => read_file(&folder.join(path)),
        }
    }
}

/// What only this user can read; the last line break is not part of it.
fn read_file(path: &Path) -> Result<String, String> {
    let shown = path.display();
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
    let opened = rustix::fs::openat(CWD, path, flags, Mode::empty())
        .map_err(|error| format!("{shown} can't be opened: {error}"))?;
    let found = rustix::fs::fstat(&opened).map_err(|error| format!("{shown} can't be looked at: {error}"))?;
    if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
        return Err(format!("{shown} is not an ordinary file"));
    }
    if found.st_uid != rustix::process::geteuid().as_raw() {
        return Err(format!("{shown} belongs to another user"));
    }
    if Mode::from_raw_mode(found.st_mode).intersects(Mode::RWXG | Mode::RWXO) {
        return Err(format!("others can read {shown}, or write it; chmod 600 helps"));
    }
    let mut text = String::new();
    let read = File::from(opened).take(FILE_BYTES + 1).read_to_string(&mut text);
    read.map_err(|error| format!("{shown} can't be read: {error}"))?;
    if text.len() as u64 > FILE_BYTES {
        return Err(format!("{shown} has more than {FILE_BYTES} bytes"));
    }
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::super::{Flags, Resolved};
    use super::*;
    use std::os::unix::fs::PermissionsExt;

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
        with("file = 'key.txt'").unwrap();
        for (source, why) in [
            ("", "either `env` or `file`"),
            ("env = 'A'\nfile = 'b'", "either `env` or `file`"),
            ("keyring = 'a'", "can't read a keyring"),
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

    #[test]
    fn a_file_is_read_only_if_no_other_user_can() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        std::fs::write(&path, "one-secret\n").unwrap();
        let mode = |mode| std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        for open in [0o640, 0o604, 0o620, 0o602] {
            mode(open);
            let error = read_file(&path).unwrap_err();
            assert!(error.contains("chmod 600") && !error.contains("one-secret"), "{error}");
        }
        mode(0o600);
        assert_eq!(read_file(&path).unwrap(), "one-secret");
        std::fs::write(&path, "one-secret\r\n").unwrap();
        assert_eq!(read_file(&path).unwrap(), "one-secret");
        std::fs::write(&path, "one-secret\n\n").unwrap();
        assert_eq!(read_file(&path).unwrap(), "one-secret\n");
        std::fs::write(&path, vec![b'x'; 20_000]).unwrap();
        assert!(read_file(&path).unwrap_err().contains("more than"));
        assert!(read_file(folder.path()).unwrap_err().contains("ordinary"));
        assert!(read_file(&folder.path().join("none")).is_err());
    }

    #[test]
    fn a_variable_that_isn_t_set_is_named() {
        let source = Source::Env("RINGFENCE_TEST_NOT_SET".to_owned());
        assert_eq!(source.read(Path::new("/")).unwrap_err(), "RINGFENCE_TEST_NOT_SET is not set");
    }
}

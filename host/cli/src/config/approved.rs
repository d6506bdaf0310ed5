//! What a person approved for one component: an upper bound, whatever the policy gives.
//!
//! Owns: the bound itself, and making grants no wider than it. Doesn't own: the policy (`layers`,
//! `tools`), where the bound is kept (`lock`).

use super::{Named, dirs, secrets};
use crate::args::DirSpec;
use ringfence_sandbox::{Access, DirGrant, GrantPath, Grants, HostGrant, VariableName, common_hosts};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What its tools may touch at most.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Approved {
    /// Folders and files of the project.
    pub dirs: Vec<Folder>,
    /// Hosts that it may ask.
    pub hosts: Vec<HostGrant>,
    /// Variables of the environment that it may see.
    pub env: BTreeSet<VariableName>,
}

/// A folder, and what may be done there. What is hidden in it is the policy's to say.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Folder {
    /// Where it is, seen from the project folder.
    pub path: GrantPath,
    /// To be read, or changed.
    pub access: Access,
}

impl Approved {
    /// What a component has that nothing was said of: the granted folders, for reading.
    pub fn usual(grants: &Grants) -> Self {
        let folder = |dir: &DirGrant| Folder { path: dir.path.clone(), access: Access::Read };
        let folders: BTreeSet<_> = grants.dirs.iter().map(folder).collect();
        Self { dirs: folders.into_iter().collect(), ..Self::default() }
    }

    /// What flags say.
    pub fn named(dirs: &[DirSpec], hosts: &[HostGrant], env: &[VariableName]) -> Self {
        let folder = |dir: &DirSpec| Folder { path: dir.path.clone(), access: dir.access };
        let folders: BTreeSet<_> = dirs.iter().map(folder).collect();
        Self {
            dirs: folders.into_iter().collect(),
            hosts: hosts.to_vec(),
            env: env.iter().cloned().collect(),
        }
    }

    /// The same, and this besides.
    #[must_use]
    pub fn and(mut self, more: Self) -> Self {
        for folder in more.dirs {
            match self.dirs.iter_mut().find(|known| known.path == folder.path) {
                Some(known) => known.access = known.access.max(folder.access),
                None => self.dirs.push(folder),
            }
        }
        self.dirs.sort();
        for host in more.hosts {
            if !self.hosts.iter().any(|known| host.lies_in(known)) {
                self.hosts.push(host);
            }
        }
        self.env.extend(more.env);
        self
    }

    /// Of these grants what lies within.
    pub fn narrow(&self, given: &Grants) -> Grants {
        let hosts = common_hosts(&given.hosts, &self.hosts);
        Grants {
            dirs: dirs::common(&given.dirs, &self.folders()),
            secrets: secrets::narrowed(&given.secrets, &hosts),
            hosts,
            env: &given.env & &self.env,
            ..given.clone()
        }
    }

    /// What of it these grants don't give, wholly.
    #[must_use]
    pub fn beyond(&self, given: &Grants) -> Self {
        let is_given = |folder: &DirGrant| {
            given.dirs.iter().any(|dir| dirs::holds(dir, folder) && dir.access >= folder.access)
        };
        let hosts =
            |host: &&HostGrant| common_hosts(&given.hosts, std::slice::from_ref(*host)) != [(*host).clone()];
        let missing = self.folders().into_iter().filter(|folder| !is_given(folder));
        Self {
            dirs: missing.map(|dir| Folder { path: dir.path, access: dir.access }).collect(),
            hosts: self.hosts.iter().filter(hosts).cloned().collect(),
            env: &self.env - &given.env,
        }
    }

    /// What of it was not approved before.
    #[must_use]
    pub fn besides(&self, before: &Self) -> Self {
        Self {
            dirs: self.dirs.iter().filter(|folder| !before.dirs.contains(folder)).cloned().collect(),
            hosts: self.hosts.iter().filter(|host| !before.hosts.contains(host)).cloned().collect(),
            env: &self.env - &before.env,
        }
    }

    /// In words, on one line.
    pub fn told(&self) -> String {
        let folders = self.dirs.iter().map(|folder| format!("{} `{}`", folder.access, folder.path));
        let hosts = self.hosts.iter().map(|host| format!("ask {host}"));
        let env = self.env.iter().map(|name| format!("see {name}"));
        let all: Vec<_> = folders.chain(hosts).chain(env).collect();
        if all.is_empty() { "nothing".to_owned() } else { all.join("; ") }
    }

    /// As what is named of its own, to tell what it leaves out.
    pub fn as_named(&self) -> Named {
        Named { dirs: Some(self.folders()), hosts: Some(self.hosts.clone()) }
    }

    fn folders(&self) -> Vec<DirGrant> {
        let grant =
            |folder: &Folder| DirGrant { access: folder.access, ..DirGrant::read(folder.path.clone()) };
        self.dirs.iter().map(grant).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn approved(dirs: &[&str], hosts: &[&str], env: &[&str]) -> Approved {
        let dirs: Vec<DirSpec> = dirs.iter().map(|dir| dir.parse().unwrap()).collect();
        let hosts: Vec<_> = hosts.iter().map(|host| HostGrant::parse(host).unwrap()).collect();
        let env: Vec<_> = env.iter().map(|name| VariableName::parse(name).unwrap()).collect();
        Approved::named(&dirs, &hosts, &env)
    }

    fn shown(grants: &Grants) -> (Vec<String>, Vec<String>, Vec<&str>) {
        let dirs = grants.dirs.iter().map(|dir| format!("{}:{}", dir.path, dir.access)).collect();
        let hosts = grants.hosts.iter().map(HostGrant::to_string).collect();
        (dirs, hosts, grants.env.iter().map(VariableName::as_str).collect())
    }

    #[test]
    fn a_component_has_what_both_the_policy_and_the_approval_give() {
        let policy = approved(&["src:write", "docs"], &["https://a.example"], &["LANG", "TZ"]);
        let granted = Grants {
            dirs: policy.folders(),
            hosts: policy.hosts.clone(),
            env: policy.env.clone(),
            ..Grants::whole_project()
        };
        for (own, dirs, hosts, env) in [
            (approved(&[], &[], &[]), &[][..], &[][..], &[][..]),
            (approved(&["."], &[], &["TZ", "HOME"]), &["docs:read", "src:read"], &[], &["TZ"]),
            (approved(&["src/a:write", "docs:write"], &[], &[]), &["docs:read", "src/a:write"], &[], &[]),
            (
                approved(&["tests"], &["https://a.example/v1", "https://b.example"], &[]),
                &[],
                &["https://a.example/v1"],
                &[],
            ),
        ] {
            let narrowed = own.narrow(&granted);
            let (found_dirs, found_hosts, found_env) = shown(&narrowed);
            assert_eq!((found_dirs, found_hosts), (strings(dirs), strings(hosts)));
            assert_eq!(found_env, env);
        }
    }

    fn strings(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn what_is_usual_is_reading_what_the_project_grants() {
        let grants =
            Grants { dirs: approved(&["src:write", "docs"], &[], &[]).folders(), ..Grants::whole_project() };
        assert_eq!(Approved::usual(&grants), approved(&["docs", "src"], &[], &[]));
    }

    #[test]
    fn what_is_approved_is_told_and_so_is_what_the_policy_doesn_t_give() {
        let own = approved(&["src/a:write", "docs"], &["https://a.example/v1", "https://b.example"], &["TZ"]);
        assert_eq!(
            own.told(),
            "read `docs`; write `src/a`; ask https://a.example/v1; ask https://b.example; see TZ"
        );
        assert_eq!(Approved::default().told(), "nothing");
        let policy = approved(&["src", "docs:write"], &["https://a.example"], &["LANG"]);
        let granted = Grants {
            dirs: policy.folders(),
            hosts: policy.hosts.clone(),
            env: policy.env.clone(),
            ..Grants::whole_project()
        };
        assert_eq!(own.beyond(&granted), approved(&["src/a:write"], &["https://b.example"], &["TZ"]));
        assert_eq!(policy.beyond(&granted), Approved::default());
        let before = approved(&["docs", "src/a"], &["https://b.example"], &[]);
        assert_eq!(own.besides(&before), approved(&["src/a:write"], &["https://a.example/v1"], &["TZ"]));
    }

    #[test]
    fn more_is_added_to_what_was_approved_and_nothing_is_said_twice() {
        let both = approved(&["src", "docs"], &["https://a.example"], &["TZ"]).and(approved(
            &["src:write", "a"],
            &["https://a.example/v1", "https://b.example"],
            &["LANG"],
        ));
        let expected = approved(
            &["a", "docs", "src:write"],
            &["https://a.example", "https://b.example"],
            &["LANG", "TZ"],
        );
        assert_eq!(both, expected);
    }
}

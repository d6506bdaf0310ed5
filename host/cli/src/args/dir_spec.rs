//! A folder with what may be done there, as flags name it.

use ringfence_sandbox::{Access, DirGrant, GrantPath};
use std::str::FromStr;

/// `src`, `src:read`, `src:write`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirSpec {
    /// Where it is, seen from the project folder.
    pub path: GrantPath,
    /// What is to be possible there.
    pub access: Access,
}

impl DirSpec {
    /// As a grant with the usual masks.
    pub fn grant(&self) -> DirGrant {
        DirGrant { access: self.access, ..DirGrant::read(self.path.clone()) }
    }
}

impl FromStr for DirSpec {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (path, access) = match text.rsplit_once(':') {
            Some((path, "read")) => (path, Access::Read),
            Some((path, "write")) => (path, Access::Write),
            Some(_) | None => (text, Access::Read),
        };
        Ok(Self { path: super::values::parse_grant(path)?, access })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_stands_behind_the_last_colon() {
        let read = |text: &str| text.parse::<DirSpec>().map(|dir| (dir.path.to_string(), dir.access));
        assert_eq!(read("src"), Ok(("src".to_owned(), Access::Read)));
        assert_eq!(read("./src/:write"), Ok(("src".to_owned(), Access::Write)));
        assert_eq!(read("a:b:read"), Ok(("a:b".to_owned(), Access::Read)));
        assert_eq!(read("a:b"), Ok(("a:b".to_owned(), Access::Read)));
        assert!(read("../up").is_err() && read("/etc:read").is_err() && read(":write").is_err());
    }
}

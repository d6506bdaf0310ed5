//! `ringfence grant`

use clap::Args;
use ringfence_sandbox::GrantPath;
use std::str::FromStr;

/// `ringfence grant`
#[derive(Debug, Clone, Args)]
pub struct GrantLaterArgs {
    /// The run: its id, or as much of it as is unambiguous
    #[arg(value_name = "RUN")]
    pub run: String,
    /// Allow this folder or file of the project from the next call on; may be repeated
    #[arg(long = "dir", value_name = "PATH[:ACCESS]", required_unless_present = "hosts")]
    pub dirs: Vec<LaterDir>,
    /// Allow requests to this host from the next call on; may be repeated
    #[arg(long = "allow-host", value_name = "URL")]
    pub hosts: Vec<String>,
}

/// `src`, `src:read`, `src:write`
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaterDir {
    /// Where it is, seen from the project folder.
    pub path: GrantPath,
    /// What is to be possible there.
    pub access: LaterAccess,
}

/// What a person can ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LaterAccess {
    /// To look.
    Read,
    /// To change.
    Write,
}

impl FromStr for LaterDir {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (path, access) = match text.rsplit_once(':') {
            Some((path, "read")) => (path, LaterAccess::Read),
            Some((path, "write")) => (path, LaterAccess::Write),
            Some(_) | None => (text, LaterAccess::Read),
        };
        Ok(Self { path: super::values::parse_grant(path)?, access })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_stands_behind_the_last_colon() {
        let read = |text: &str| text.parse::<LaterDir>().map(|dir| (dir.path.to_string(), dir.access));
        assert_eq!(read("src"), Ok(("src".to_owned(), LaterAccess::Read)));
        assert_eq!(read("./src/:write"), Ok(("src".to_owned(), LaterAccess::Write)));
        assert_eq!(read("a:b:read"), Ok(("a:b".to_owned(), LaterAccess::Read)));
        assert_eq!(read("a:b"), Ok(("a:b".to_owned(), LaterAccess::Read)));
        assert!(read("../up").is_err() && read("/etc:read").is_err() && read(":write").is_err());
    }
}

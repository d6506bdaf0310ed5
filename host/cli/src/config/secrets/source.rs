//! Where a secret's value is kept, and reading it from there.
//!
//! Owns: the environment and files. Doesn't own: the keyring (`keyring`), which secrets are needed.

use super::keyring::KeyringEntry;
use rustix::fs::{CWD, FileType, Mode, OFlags};
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Bytes of a file with a secret at most.
const FILE_BYTES: u64 = 16 << 10;

/// Where a value is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// In this environment variable.
    Env(String),
    /// In this file, seen from the folder of the configuration file.
    File(PathBuf),
    /// In the user's keyring, as this entry.
    Keyring(KeyringEntry),
}

impl Source {
    /// The value as it is now. `folder` is that of the configuration file. An error says why there is
    /// none, and never what it is.
    pub(super) fn read(&self, folder: &Path) -> Result<String, String> {
        match self {
            Self::Env(variable) => match std::env::var(variable) {
                Ok(value) => Ok(value),
                Err(std::env::VarError::NotPresent) => Err(format!("{variable} is not set")),
                Err(std::env::VarError::NotUnicode(_)) => Err(format!("{variable} is not UTF-8")),
            },
            Self::File(path) => read_file(&folder.join(path)),
            Self::Keyring(entry) => entry.read(),
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
    Ok(without_line_break(text))
}

/// What an editor or `echo` puts behind a value is no part of it.
pub(super) fn without_line_break(mut text: String) -> String {
    if text.ends_with('\n') {
        text.pop();
        if text.ends_with('\r') {
            text.pop();
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

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

//! Running the real binary with a home of its own.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A home folder in which the binary is run: nothing of the real user's is seen or touched.
pub(crate) struct Home(tempfile::TempDir);

/// What a command said and how it ended.
#[derive(Debug)]
pub(crate) struct Said {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file below the home folder, with its folders.
    pub(crate) fn write(&self, path: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folders");
        std::fs::write(&path, text).expect("a file");
        path
    }

    /// The binary, with no terminal, no model and this home.
    pub(crate) fn command(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringfence"));
        command
            .args(arguments)
            .current_dir(self.path())
            .env_clear()
            .env("HOME", self.path())
            .env("PATH", "/usr/bin:/bin")
            // Compiled code is shared between tests: compiling takes seconds.
            .env("XDG_CACHE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/cache"))
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Said {
        self.said(self.command(arguments).output().expect("the binary runs"))
    }

    /// What was said, with this home's path replaced by `[HOME]`.
    pub(crate) fn said(&self, output: Output) -> Said {
        let real = self.path().canonicalize().expect("the home folder");
        let read = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("UTF-8");
            text.replace(&real.display().to_string(), "[HOME]")
                .replace(&self.path().display().to_string(), "[HOME]")
        };
        Said { code: output.status.code().unwrap_or(-1), out: read(output.stdout), err: read(output.stderr) }
    }
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "exit {}", self.code)?;
        if !self.out.is_empty() {
            writeln!(f, "--- out\n{}", self.out.trim_end())?;
        }
        if !self.err.is_empty() {
            writeln!(f, "--- err\n{}", self.err.trim_end())?;
        }
        Ok(())
    }
}

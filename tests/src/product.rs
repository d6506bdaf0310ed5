//! The real binary on a copy of a real folder, as a person at a shell has it.
//!
//! Owns: a home of its own for each test (state, configuration, project copies), the binary's
//! environment. Compiled tool code is shared by all tests, since compiling it takes seconds.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// The binary and a home for it.
pub struct Product {
    binary: PathBuf,
    home: TempDir,
    shared_cache: PathBuf,
}

/// What a command came to.
#[derive(Debug)]
pub struct Ended {
    /// The exit code; none for a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Product {
    /// `binary`: what is tested. `scratch`: a folder that outlives the test, for compiled code.
    pub fn new(binary: &str, scratch: &str) -> Self {
        let home = TempDir::new().expect("a temporary folder");
        Self { binary: binary.into(), home, shared_cache: Path::new(scratch).join("tool-code") }
    }

    /// A copy of a folder of this repository in the home; its path.
    pub fn copy_of(&self, folder: &str) -> PathBuf {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
        let to = self.home.path().join(from.file_name().expect("a folder with a name"));
        copy(&from, &to).expect("the sample can be copied");
        to
    }

    /// The home: the current folder of every command.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The binary with these arguments and nothing of the caller's environment but the path.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.binary);
        command.args(arguments);
        self.settle(&mut command);
        command
    }

    /// Runs the binary to its end, with nobody at a terminal.
    pub fn run(&self, arguments: &[&str], environment: &[(&str, String)]) -> Ended {
        ended(self.command(arguments).envs(environment.iter().map(|(name, value)| (name, value))).output())
    }

    /// Runs a command line that the binary printed, through a shell, exactly as printed.
    pub fn run_printed(&self, line: &str, environment: &[(&str, String)]) -> Ended {
        let mut command = Command::new("sh");
        command.args(["-c", line]);
        self.settle(&mut command);
        ended(command.envs(environment.iter().map(|(name, value)| (name, value))).output())
    }

    /// Starts the binary and leaves it running.
    pub fn start(&self, arguments: &[&str], environment: &[(&str, String)]) -> Child {
        self.command(arguments)
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the binary starts")
    }

    fn settle(&self, command: &mut Command) {
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.home.path())
            .env("XDG_CACHE_HOME", &self.shared_cache)
            .current_dir(self.home.path())
            .stdin(Stdio::null());
    }
}

impl Ended {
    /// The first printed command that holds these words.
    pub fn printed_command(&self, words: &str) -> &str {
        let line = self.stderr.lines().find(|line| line.contains(" resume ") && line.contains(words));
        line.unwrap_or_else(|| panic!("no command with `{words}` in:\n{}", self.stderr)).trim()
    }

    /// The run's id, as it was told.
    pub fn run_id(&self) -> &str {
        let line = self.stderr.lines().find_map(|line| line.strip_prefix("run: "));
        line.unwrap_or_else(|| panic!("no run in:\n{}", self.stderr)).trim()
    }
}

/// What a child came to.
pub fn wait(child: Child) -> Ended {
    ended(child.wait_with_output())
}

fn ended(output: io::Result<Output>) -> Ended {
    let output = output.expect("the command can be run");
    Ended {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Every file below a folder with its content, by path.
pub fn snapshot(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a readable folder") {
            let path = entry.expect("a readable entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let content = fs::read(&path).expect("a readable file");
                found.push((path, content));
            }
        }
    }
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    Ok(())
}

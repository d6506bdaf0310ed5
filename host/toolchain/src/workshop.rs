//! Where a recipe works: the machine, folders for what lies between source and component, and the
//! running of compilers.

use crate::build::{Options, Progress};
use crate::error::BuildError;
use crate::machine::Machine;
use crate::project::ToolProject;
use crate::run::{self, Stream, Tail};
use crate::turn::Turn;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Of compilers' lines that are told in a build.
const MAX_LINES: usize = 100_000;
/// Of those lines, in bytes.
const MAX_BYTES: usize = 16 << 20;
/// What is told instead of the rest.
const CUT: &str = "the compiler says more, which isn't shown; if it fails, the end of it is";

/// How much of compilers' words was told.
#[derive(Debug, Default)]
struct Told {
    lines: usize,
    bytes: usize,
    cut: bool,
}

/// What to do with a line.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    Tell,
    /// It is the first that isn't told.
    Note,
    Nothing,
}

impl Told {
    fn next(&mut self, line: &str) -> Next {
        if self.cut {
            return Next::Nothing;
        }
        self.lines += 1;
        self.bytes += line.len() + 1;
        self.cut = self.lines > MAX_LINES || self.bytes > MAX_BYTES;
        if self.cut { Next::Note } else { Next::Tell }
    }
}

/// What a recipe has at hand.
pub(crate) struct Workshop<'a> {
    machine: Machine,
    tools: &'a [ToolProject],
    options: &'a Options,
    tell: &'a mut dyn FnMut(Progress),
    told: Told,
}

impl<'a> Workshop<'a> {
    /// For building these tools, one after the other.
    pub(crate) fn new(
        tools: &'a [ToolProject],
        options: &'a Options,
        tell: &'a mut dyn FnMut(Progress),
    ) -> Self {
        let machine = Machine::here(&options.cache, &options.cancel);
        Self { machine, tools, options, tell, told: Told::default() }
    }

    /// The machine.
    pub(crate) fn machine(&self) -> &Machine {
        &self.machine
    }

    /// All tools that are built by this command.
    pub(crate) fn tools(&self) -> &'a [ToolProject] {
        self.tools
    }

    /// What was asked for.
    pub(crate) fn options(&self) -> &Options {
        self.options
    }

    /// Says what is going on.
    pub(crate) fn tell(&mut self, progress: Progress) {
        (self.tell)(progress);
    }

    /// A folder in the cache for what is made on the way, kept between builds of this project.
    pub(crate) fn folder(&self, project: &ToolProject) -> Result<PathBuf, BuildError> {
        let place = blake3::hash(project.folder.as_os_str().as_encoded_bytes()).to_hex();
        let folder = self.options.cache.join("build").join(format!("{}-{}", project.name, &place[..16]));
        fs::create_dir_all(&folder).map_err(|error| BuildError::write(&folder, error))?;
        Ok(folder)
    }

    /// Waits until nobody else builds this project.
    pub(crate) fn turn(&mut self, project: &ToolProject) -> Result<Turn, BuildError> {
        let folder = self.folder(project)?;
        Turn::take(&folder, &self.options.cancel, self.tell)
    }

    /// A command with the clean environment of a build; more may be put into it.
    pub(crate) fn command(&self, program: &Path) -> Command {
        run::command(program)
    }

    /// Runs a command, its words told line by line; an error where it doesn't end well.
    pub(crate) fn run(&mut self, command: &mut Command) -> Result<(), BuildError> {
        self.run_with(command, None)
    }

    /// The same, with standard output given to `read` line by line instead.
    pub(crate) fn run_reading(
        &mut self,
        command: &mut Command,
        read: &mut dyn FnMut(&str),
    ) -> Result<(), BuildError> {
        self.run_with(command, Some(read))
    }

    fn run_with(
        &mut self,
        command: &mut Command,
        mut read: Option<&mut dyn FnMut(&str)>,
    ) -> Result<(), BuildError> {
        let shown = run::shown(command);
        self.tell(Progress::Running(shown.clone()));
        let mut tail = Tail::default();
        let status =
            run::run(command, &self.options.cancel, &mut |stream, line| match (stream, &mut read) {
                (Stream::Out, Some(read)) => read(line),
                (Stream::Out | Stream::Err, _) => {
                    tail.push(line);
                    match self.told.next(line) {
                        Next::Tell => (self.tell)(Progress::Said(line.to_owned())),
                        Next::Note => (self.tell)(Progress::Said(CUT.to_owned())),
                        Next::Nothing => {}
                    }
                }
            })?;
        if status.success() {
            return Ok(());
        }
        if self.told.cut {
            tail.text().lines().for_each(|line| self.tell(Progress::Said(line.to_owned())));
        }
        Err(BuildError::Compiler { command: shown, status: status.to_string(), tail: tail.text() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Cancel;

    /// What is told of a shell's words, and how it ended.
    fn said(script: &str) -> (Result<(), BuildError>, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        let options = Options {
            out: None,
            compress: false,
            install: false,
            cache: dir.path().to_owned(),
            cargo_target: None,
            cancel: Cancel::default(),
        };
        let mut lines = Vec::new();
        let mut tell = |progress| {
            if let Progress::Said(line) = progress {
                lines.push(line);
            }
        };
        let mut shop = Workshop::new(&[], &options, &mut tell);
        let mut command = shop.command(Path::new("/bin/sh"));
        let ended = shop.run(command.args(["-c", script]));
        (ended, lines)
    }

    #[test]
    fn a_compiler_that_talks_without_end_is_cut_with_one_note_and_goes_on() {
        let (ended, lines) = said("yes | head -n 150000; exit 0");
        assert!(ended.is_ok());
        assert_eq!(lines.len(), MAX_LINES + 1);
        assert_eq!(lines.last().unwrap(), CUT);

        let (_, lines) = said("head -c 40000000 /dev/zero | tr '\\0' x");
        assert!(lines.iter().map(String::len).sum::<usize>() <= MAX_BYTES + CUT.len());
        assert_eq!(lines.last().unwrap(), CUT);
    }

    #[test]
    fn the_end_of_what_was_cut_is_told_where_the_compiler_fails() {
        let (ended, lines) = said("yes | head -n 150000; echo why; exit 1");
        assert!(matches!(ended, Err(BuildError::Compiler { tail, .. }) if tail.ends_with("y\nwhy")));
        assert_eq!(lines[MAX_LINES], CUT);
        assert_eq!(lines.last().unwrap(), "why");
    }
}

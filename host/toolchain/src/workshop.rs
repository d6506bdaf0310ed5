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

/// What a recipe has at hand.
pub(crate) struct Workshop<'a> {
    machine: Machine,
    tools: &'a [ToolProject],
    options: &'a Options,
    tell: &'a mut dyn FnMut(Progress),
}

impl<'a> Workshop<'a> {
    /// For building these tools, one after the other.
    pub(crate) fn new(
        tools: &'a [ToolProject],
        options: &'a Options,
        tell: &'a mut dyn FnMut(Progress),
    ) -> Self {
        Self { machine: Machine::here(&options.cache), tools, options, tell }
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
                    (self.tell)(Progress::Said(line.to_owned()));
                }
            })?;
        if status.success() {
            return Ok(());
        }
        Err(BuildError::Compiler { command: shown, status: status.to_string(), tail: tail.text() })
    }
}

//! How the process ends: exit codes, and errors as a person reads them.

use crate::state_dir::Folders;
use crate::terminal::plain;
use ringfence_engine::Refused;
use ringfence_store::StoreError;
use std::fmt::{self, Write};
use std::process::ExitCode;

/// What the exit code says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Finished; for `tool call`: the tool returned a value.
    Done,
    /// Failed, or ended by a person; for `tool call`: failed, trapped or denied.
    Failed,
    /// Usage, configuration or trust: nothing was run.
    Usage,
    /// Waiting for a person.
    Waiting,
    /// A limit or budget ended it.
    Limit,
    /// The model could not be reached or gave no usable answer.
    Model,
    /// Finished, with a finding as bad as the command was told to fail on.
    Findings,
    /// Interrupted; can be resumed.
    Interrupted,
    /// What another process ended with, passed on.
    Other(u8),
}

impl Exit {
    /// The number.
    pub fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Waiting => 3,
            Self::Limit => 4,
            Self::Model => 5,
            Self::Findings => 6,
            Self::Interrupted => 130,
            Self::Other(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}

/// An error that knows its exit code and what to do about it. Anywhere in an error's chain it
/// decides both; other errors exit with 1.
#[derive(Debug)]
pub struct Refusal {
    exit: Exit,
    message: String,
    hint: Option<String>,
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Refusal {
    /// Something about the command line, the configuration or trust.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into(), hint: None, source: None }
    }

    /// Another end.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), hint: None, source: None }
    }

    /// What to do about it; printed on a line of its own.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Refusal {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// Marks an error as one of usage, configuration or trust.
pub trait OrUsage<T> {
    /// The same error with exit code 2.
    fn or_usage(self) -> Result<T, Refusal>;
}

impl<T, E: std::error::Error + 'static> OrUsage<T> for Result<T, E> {
    fn or_usage(self) -> Result<T, Refusal> {
        self.map_err(|error| Refusal {
            exit: Exit::Usage,
            message: error.to_string(),
            hint: hint_of(&error),
            source: error.source().map(|source| source.to_string().into()),
        })
    }
}

/// Where prices are listed, for a limit of money that needs them.
fn hint_of(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    let Refused::Settings { what, .. } = error.downcast_ref()? else { return None };
    if what != "the limit of money" {
        return None;
    }
    let file = Folders::find(None).ok()?.user_models()?;
    Some(format!("prices are listed in {}, in the form that docs/loop.md shows", file.display()))
}

/// The exit code that an error leads to.
pub fn exit_of(error: &anyhow::Error) -> Exit {
    for cause in error.chain() {
        if let Some(refusal) = cause.downcast_ref::<Refusal>() {
            return refusal.exit;
        }
        if let Some(error) = cause.downcast_ref::<StoreError>() {
            return of_store(error);
        }
    }
    Exit::Failed
}

fn of_store(error: &StoreError) -> Exit {
    match error {
        StoreError::NoSuchRun { .. }
        | StoreError::Ambiguous { .. }
        | StoreError::InvalidRunId { .. }
        | StoreError::Newer { .. }
        | StoreError::Foreign { .. } => Exit::Usage,
        StoreError::CannotOpen { .. }
        | StoreError::Full { .. }
        | StoreError::ReadOnly { .. }
        | StoreError::Corrupt { .. }
        | StoreError::Locked { .. }
        | StoreError::Busy { .. }
        | StoreError::LeaseLost { .. }
        | StoreError::Exists { .. }
        | StoreError::TooDeep { .. }
        | StoreError::Inconsistent { .. }
        | StoreError::DuplicateReceipt { .. }
        | StoreError::Unwritable { .. }
        | StoreError::Io { .. } => Exit::Failed,
    }
}

/// The error as it is printed: what, why, what to do. Safe for a terminal.
pub fn describe(error: &anyhow::Error) -> String {
    let mut causes: Vec<String> = Vec::new();
    for cause in error.chain() {
        let text = plain(&cause.to_string());
        let text = text.trim_end();
        // A cause whose words are in the error above says nothing new.
        if !causes.last().is_some_and(|above| above.contains(text)) {
            causes.push(text.to_owned());
        }
    }
    let hint = error.chain().find_map(|cause| cause.downcast_ref::<Refusal>()?.hint.as_deref());
    let mut out = String::new();
    for (depth, cause) in causes.iter().enumerate() {
        let label = if depth == 0 { "error" } else { "  cause" };
        let _ = writeln!(out, "{label}: {}", cause.replace('\n', "\n    "));
    }
    if let Some(hint) = hint {
        let _ = writeln!(out, "  hint: {}", plain(hint).replace('\n', "\n    "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::Context;

    #[test]
    fn an_error_reads_as_what_why_and_what_to_do() {
        let inner = Refusal::usage("`srcc` can't be granted\nsecond line").hint("did you mean `src`?");
        let error = Err::<(), _>(inner).context("the run can't start").unwrap_err();
        assert_eq!(exit_of(&error), Exit::Usage);
        let expected = "error: the run can't start\n  cause: `srcc` can't be granted\n    second line\n  hint: did you mean `src`?\n";
        assert_eq!(describe(&error), expected);
    }

    #[test]
    fn escapes_in_an_error_don_t_reach_the_terminal() {
        let error = anyhow::anyhow!("no file `\u{1b}]0;owned\u{7}`");
        assert!(!describe(&error).contains('\u{1b}'));
        assert_eq!(exit_of(&error), Exit::Failed);
    }

    #[test]
    fn a_run_that_isn_t_there_is_a_usage_error_and_a_busy_one_a_failure() {
        let missing = StoreError::NoSuchRun { asked: "x".into(), path: "/runs.db".into() };
        assert_eq!(exit_of(&anyhow::Error::from(missing).context("c")), Exit::Usage);
        let busy = StoreError::Busy { run: "x".into(), holder: None };
        assert_eq!(exit_of(&busy.into()), Exit::Failed);
    }
}

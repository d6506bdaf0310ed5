//! Writing to standard output and standard error without a panic.
//!
//! Standard output carries results; a reader that has gone away (`| head`) is no error, since
//! what a command did is told by its exit code.

use crate::terminal;
use anyhow::{Context, Result};
use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// Writes a result to standard output.
pub fn out(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(error).context("standard output can't be written"),
    }
}

/// Writes a result to standard output as JSON for people and programs.
pub fn out_json(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).context("the result can't be told as JSON")?;
    out(&format!("{}\n", terminal::json(&text)))
}

/// Writes to standard error; nobody can be told if that fails.
pub fn err(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

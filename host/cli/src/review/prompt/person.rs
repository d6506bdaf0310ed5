//! The person at the terminal: lines of theirs, and their editor.
//!
//! Reads lines from standard input and writes to standard error, so that standard output carries
//! nothing but the result.

use crate::output::err;
use crate::review::given::text_of;
use anyhow::{Context, Result, bail};
use std::fs::OpenOptions;
use std::io::{BufRead, Write};

/// Somebody who can be asked.
pub(super) trait Person {
    /// One line, trimmed; `None` at the end of input, which means "another day".
    fn line(&mut self, prompt: &str) -> Result<Option<String>>;

    /// Tells them something.
    fn say(&mut self, line: &str);

    /// Lets them edit a text; `suffix` tells their editor what it is.
    fn edit(&mut self, text: &str, suffix: &str) -> Result<String>;

    /// A line that isn't empty.
    fn sentence(&mut self, prompt: &str) -> Result<Option<String>> {
        Ok(self.line(prompt)?.filter(|text| !text.is_empty()))
    }
}

/// Whoever sits at this terminal.
pub(super) struct AtTerminal;

impl Person for AtTerminal {
    fn line(&mut self, prompt: &str) -> Result<Option<String>> {
        err(prompt);
        let mut text = String::new();
        let read = std::io::stdin().lock().read_line(&mut text).context("standard input can't be read")?;
        Ok((read > 0).then(|| text.trim().to_owned()))
    }

    fn say(&mut self, line: &str) {
        err(&format!("{line}\n"));
    }

    /// Opens `$VISUAL` or `$EDITOR` (else `vi`) on a private temporary file.
    fn edit(&mut self, text: &str, suffix: &str) -> Result<String> {
        let mut file = tempfile::Builder::new().prefix("ringfence-").suffix(suffix).tempfile()?;
        file.write_all(text.as_bytes())?;
        file.flush()?;
        let editor = ["VISUAL", "EDITOR"]
            .iter()
            .find_map(|name| std::env::var(name).ok().filter(|text| !text.trim().is_empty()));
        let editor = editor.unwrap_or_else(|| "vi".to_owned());
        // Through the shell, since `$EDITOR` may hold arguments (`code --wait`).
        // On the terminal itself: standard output may be on its way into a file.
        let terminal = || OpenOptions::new().read(true).write(true).open("/dev/tty");
        let (input, output) = (terminal(), terminal());
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &format!("{editor} \"$1\""), "sh"]).arg(file.path());
        if let (Ok(input), Ok(output)) = (input, output) {
            command.stdin(input).stdout(output);
        }
        let status = command.status().with_context(|| format!("the editor `{editor}` can't be started"))?;
        if !status.success() {
            bail!("the editor `{editor}` ended with {status}");
        }
        Ok(text_of(file.path())?)
    }
}

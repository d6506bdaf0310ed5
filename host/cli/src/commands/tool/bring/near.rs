//! Sources on this machine and in its own networks: a lock alone, which may be a stranger's, sends no
//! request there. Whoever names one to `tool add` has said so.

use crate::config::Entry;
use crate::exit::Refusal;
use crate::terminal::one_line;
use crate::trust::this_command_with;
use anyhow::Result;
use ringfence_registry::Source;

/// Refuses such a source of a lock, unless its user allows it.
pub(super) fn check(entry: &Entry, source: &Source, allowed: bool) -> Result<()> {
    if allowed || !source.is_near() {
        return Ok(());
    }
    let (name, source) = (&entry.name, one_line(&source.to_string(), 500));
    let what = format!("`{name}` comes from this machine or a network of its own: {source}");
    let command = this_command_with(["--allow-local"]);
    Err(Refusal::usage(what).hint(format!("if a request may be sent there:\n{command}")).into())
}

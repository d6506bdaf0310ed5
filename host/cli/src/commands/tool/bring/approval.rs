//! Whether a person wants a component, exactly this one.

use crate::exit::Refusal;
use crate::output::err;
use crate::terminal::{forget_typed_ahead, is_interactive};
use crate::trust::this_command_with;
use anyhow::{Context, Result};
use ringfence_sandbox::Digest;

/// How it was, or can be, said.
pub(super) enum Approval {
    /// Yes.
    Given,
    /// No.
    Refused,
    /// Nobody can be asked here; the error names the command that says yes.
    Open(Refusal),
}

/// Asks about a component that was shown already. A digest that was named approves it, and nothing
/// else.
pub(super) fn ask(
    name: &str,
    digest: Digest,
    named: &[Digest],
    question: &str,
    json: bool,
) -> Result<Approval> {
    if named.contains(&digest) {
        return Ok(Approval::Given);
    }
    if let [other, ..] = named {
        return Ok(Approval::Open(
            Refusal::usage(format!("`{name}` has the digest {digest}, not {other}: nothing was changed"))
                .hint("look at it again; it isn't what was approved"),
        ));
    }
    if json || !is_interactive() {
        let command = this_command_with(["--approve", &digest.to_string()]);
        return Ok(Approval::Open(
            Refusal::usage(format!("nobody has approved `{name}`: nothing was changed"))
                .hint(format!("to approve exactly this component:\n{command}")),
        ));
    }
    forget_typed_ahead();
    err(&format!("{question} [y/N] "));
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).context("the answer can't be read")?;
    Ok(if matches!(line.trim(), "y" | "Y" | "yes") { Approval::Given } else { Approval::Refused })
}

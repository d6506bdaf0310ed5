//! A host that is to be granted during a run: none can be in this version.

use crate::exit::Refusal;

/// Whether a host can be granted.
pub(super) fn check(url: &str) -> Result<(), Refusal> {
    let what = format!("`{url}` can't be granted: this version keeps the network closed to every tool");
    Err(Refusal::usage(what).hint("leave --allow-host out; a folder can be granted with --dir"))
}

//! A host that is to be granted during a run.

use crate::exit::Refusal;
use crate::granted::journaled;
use anyhow::Result;
use ringfence_engine::LaterGrant;
use ringfence_sandbox::{Grants, HostGrant};

/// The grant that is to be journaled, if it gives anything that isn't there.
pub(super) fn wanted(asked: &HostGrant, now: &Grants) -> Result<LaterGrant> {
    if now.deterministic {
        let what = format!("`{asked}` can't be granted: the run's tools are deterministic");
        return Err(Refusal::usage(what).hint("start a run without `deterministic`").into());
    }
    if let Some(holder) = now.hosts.iter().find(|granted| asked.lies_in(granted)) {
        let what = format!("`{asked}` is granted already, by `{holder}`");
        return Err(Refusal::usage(what)
            .hint(format!("ask what decides about a URL: ringfence policy explain {}", asked.url()))
            .into());
    }
    journaled(asked)
}

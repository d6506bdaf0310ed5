//! Components of others in a project: added, removed, updated, fetched, published.
//!
//! Owns: the order of things: fetch, verify, show, ask, keep the bytes, write the lock, confirm it.
//! Whatever fails in the middle leaves the lock as it was. Doesn't own: fetching itself
//! (`ringfence-registry`), the lock's form (`config`).

mod add;
mod approval;
mod desk;
mod fetch;
mod fits;
mod found;
mod meaning;
mod near;
mod push;
mod remove;
mod renames;
mod shown;
mod turn;
mod update;

pub(super) use add::execute as add;
pub(super) use fetch::execute as fetch;
pub(super) use push::execute as push;
pub(super) use remove::execute as remove;
pub(super) use update::execute as update;

use crate::exit::{Exit, Refusal};
use anyhow::{Context, Result};
use ringfence_registry::{Client, Error, Limits, Logins};

/// Does something with registries and hosts; Ctrl-C and SIGTERM end it, and nothing was changed then.
fn online<T>(work: impl AsyncFnOnce(Client) -> Result<T, Error>) -> Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    let runtime = runtime.context("no runtime can be made")?;
    let done = runtime.block_on(async {
        use tokio::signal::unix::{SignalKind, signal};
        let unheard = "signals can't be caught";
        let mut interrupt = signal(SignalKind::interrupt()).context(unheard)?;
        let mut terminate = signal(SignalKind::terminate()).context(unheard)?;
        let client = Client::new(Logins::OfUser, Limits::default()).map_err(refusal)?;
        tokio::select! {
            done = work(client) => Ok(done.map_err(refusal)?),
            _ = interrupt.recv() => Err(interrupted()),
            _ = terminate.recv() => Err(interrupted()),
        }
    });
    // A credential helper that waits for somebody isn't waited for.
    runtime.shutdown_background();
    done
}

fn interrupted() -> anyhow::Error {
    Refusal::new(Exit::Interrupted, "interrupted; nothing was changed").into()
}

/// What went wrong with somebody else's component: nothing of it is used.
fn refusal(error: Error) -> Refusal {
    let refusal = Refusal::usage(error.to_string());
    match error.hint() {
        Some(hint) => refusal.hint(hint),
        None => refusal,
    }
}

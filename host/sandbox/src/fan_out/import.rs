//! The interface as a guest sees it: its name, its types, and what is refused at once.

use super::spread::Spread;
use super::terms::FanOut;
use super::{MOST_PATHS, MOST_TASK};
use crate::host_state::HostState;
use wasmtime::StoreContextMut;
use wasmtime::component::{ComponentType, Linker, Lower};

/// Interfaces between a component and this host; none of them is for a model.
pub(crate) const PACKAGE: &str = "ringfence:host/";
/// What a component imports.
pub(crate) const IMPORT: &str = "ringfence:host/fan-out@0.1.0";
/// What it exports then.
pub(crate) const EACH_FILE: &str = "ringfence:host/each-file@0.1.0";
/// The function in that.
pub(crate) const WORK: &str = "work";

/// What came of one file.
#[derive(ComponentType, Lower)]
#[component(variant)]
pub(super) enum Outcome {
    #[component(name = "done")]
    Done(Made),
    #[component(name = "unreadable")]
    Unreadable(String),
    #[component(name = "too-large")]
    TooLarge(u64),
    #[component(name = "failed")]
    Failed(String),
    #[component(name = "not-reached")]
    NotReached,
}

/// What the component made of a file.
#[derive(ComponentType, Lower)]
#[component(record)]
pub(super) struct Made {
    pub(super) value: Vec<u8>,
    pub(super) content: String,
}

/// Adds the interface.
pub(crate) fn add_to_linker(linker: &mut Linker<HostState>) -> wasmtime::Result<()> {
    let mut place = linker.instance(IMPORT)?;
    place.func_wrap_async("run", |store, (task, paths): (Vec<u8>, Vec<String>)| {
        Box::new(async move { run(store, task, paths).await.map(|outcomes| (outcomes,)) })
    })
}

async fn run(
    store: StoreContextMut<'_, HostState>,
    task: Vec<u8>,
    paths: Vec<String>,
) -> wasmtime::Result<Vec<Outcome>> {
    let FanOut::Offered(terms) = &store.data().fan_out else {
        return Err(wasmtime::Error::msg(format!(
            "`{IMPORT}` was called where it isn't offered: only a tool's own call may have files worked on"
        )));
    };
    let terms = terms.clone();
    if paths.len() > MOST_PATHS {
        let asked = paths.len();
        return Err(over(format!("{asked} paths; {MOST_PATHS} are the most")));
    }
    if task.len() > MOST_TASK {
        let (asked, most) = (task.len(), MOST_TASK >> 20);
        return Err(over(format!("a task of {asked} bytes; {most} MiB are the most")));
    }
    Spread::new(store, terms, task, paths)?.run().await
}

/// An error that ends the call.
pub(super) fn over(what: String) -> wasmtime::Error {
    wasmtime::Error::msg(format!("`{IMPORT}` was asked for too much at once: {what}"))
}

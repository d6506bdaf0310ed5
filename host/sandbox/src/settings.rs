//! Configuration as a guest sees it: `wasi:config/store`, with what the call's grants say.
//!
//! Owns: the interface's name and shape. Doesn't own: which keys there are (the caller), or whether
//! a tool heeds them.

use crate::host_state::HostState;
use std::collections::BTreeMap;
use wasmtime::component::{Linker, Val};

/// It never got beyond drafts, and toolchains know different ones. They differ in name alone: both
/// functions have been the same in all of them.
const INTERFACES: [&str; 5] = [
    "wasi:config/store@0.2.0-rc.1",
    "wasi:config/store@0.2.0-draft",
    "wasi:config/store@0.2.0-draft-2024-09-27",
    "wasi:config/store@0.2.0",
    "wasi:config/runtime@0.2.0-draft",
];

/// Adds the interface in all its versions.
pub(crate) fn add_to_linker(linker: &mut Linker<HostState>) -> wasmtime::Result<()> {
    INTERFACES.into_iter().try_for_each(|interface| add(linker, interface))
}

fn add(linker: &mut Linker<HostState>, interface: &str) -> wasmtime::Result<()> {
    let mut store = linker.instance(interface)?;
    store.func_new("get", |store, _, parameters, results| {
        let value = match parameters {
            [Val::String(key)] => store.data().settings().get(key).cloned(),
            _ => None,
        };
        results.fill(found(Val::Option(value.map(|value| Box::new(Val::String(value))))));
        Ok(())
    })?;
    store.func_new("get-all", |store, _, _, results| {
        results.fill(found(Val::List(pairs(store.data().settings()))));
        Ok(())
    })
}

fn found(value: Val) -> Val {
    Val::Result(Ok(Some(Box::new(value))))
}

fn pairs(settings: &BTreeMap<String, String>) -> Vec<Val> {
    let pair = |(key, value): (&String, &String)| {
        Val::Tuple(vec![Val::String(key.clone()), Val::String(value.clone())])
    };
    settings.iter().map(pair).collect()
}

//! Configuration as a guest sees it: `wasi:config/store`, with what the call's grants say.
//!
//! Owns: the interface's name and shape. Doesn't own: which keys there are (the caller), or whether
//! a tool heeds them.

use crate::host_state::HostState;
use std::collections::BTreeMap;
use wasmtime::component::{Linker, Val};

/// The one version that wasmtime and its tools know.
const INTERFACE: &str = "wasi:config/store@0.2.0-rc.1";

/// Adds the interface.
pub(crate) fn add_to_linker(linker: &mut Linker<HostState>) -> wasmtime::Result<()> {
    let mut store = linker.instance(INTERFACE)?;
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

//! What the host keeps for one call, and what a component can import.
//!
//! Owns: the store's data and the linker. Every capability a guest has is listed here: clocks and
//! random numbers are made up or real, as granted, standard input is empty, output is captured, files are the view's,
//! requests go to granted hosts alone, sockets are closed, configuration is what the grants say, and the
//! environment holds the granted variables; there are no arguments. Work on many files is the host's.

use crate::call::CallRequest;
use crate::chance::{ClockHost, Passing, Seed};
use crate::egress::{Egress, NetworkLog};
use crate::fan_out::FanOut;
use crate::grant::Limits;
use crate::limiter::Limiter;
use crate::network::{ClosedNetwork, close_sockets};
use crate::stdio::Captured;
use crate::view::{GrantedTree, View, ViewHost};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use wasmtime::Engine;
use wasmtime::component::{Linker, ResourceTable};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

/// Entries in the host's table: open files, streams, pollables.
const TABLE_ENTRIES: usize = 2048;
/// However many files a call may have open.
const MOST_TABLE_ENTRIES: usize = 1 << 17;

/// Headers that a guest puts together, what the host keeps around each of them included.
const LEAST_FIELD_BYTES: usize = 16 << 10;
const MOST_FIELD_BYTES: usize = 128 << 10;

/// One call's data.
pub(crate) struct HostState {
    wasi: WasiCtx,
    passing: Passing,
    http: WasiHttpCtx,
    table: ResourceTable,
    pub(crate) limiter: Limiter,
    sockets: ClosedNetwork,
    egress: Egress,
    pub(crate) network: Arc<NetworkLog>,
    pub(crate) view: View,
    pub(crate) fan_out: FanOut,
    tree: Arc<GrantedTree>,
}

impl HostState {
    /// `made_up`: what time and chance follow from; none where they are real.
    pub(crate) fn new(
        view: View,
        request: &CallRequest,
        [stdout, stderr]: [Captured; 2],
        made_up: Option<Seed>,
        network: Arc<NetworkLog>,
    ) -> Self {
        let limits = &request.limits;
        let mut table = ResourceTable::new();
        table.set_max_capacity(table_entries(limits));
        let mut wasi = WasiCtx::builder();
        // Calls have a runtime of their own, and the view opens no file that could block.
        wasi.allow_blocking_current_thread(true).stdout(stdout).stderr(stderr);
        for (name, value) in request.variables() {
            wasi.env(name.as_str(), value.expose());
        }
        let passing = match made_up {
            Some(seed) => {
                seed.make_up(&mut wasi);
                Passing::MadeUp(0)
            }
            None => Passing::Real(Instant::now()),
        };
        let mut http = WasiHttpCtx::new();
        http.set_field_size_limit(field_bytes(request));
        Self {
            wasi: wasi.build(),
            passing,
            http,
            table,
            limiter: Limiter::new(limits.memory_bytes),
            sockets: ClosedNetwork::new(network.clone()),
            egress: Egress::new(request.tree.clone(), request.egress.clone(), network.clone()),
            network,
            view,
            fan_out: FanOut::Refused,
            tree: request.tree.clone(),
        }
    }

    /// The files as the guest's own calls see them.
    pub(crate) fn files(&mut self) -> ViewHost<'_> {
        ViewHost::new(&mut self.view, &mut self.table)
    }

    /// What a component that asks for configuration is told.
    pub(crate) fn settings(&self) -> &BTreeMap<String, String> {
        &self.tree.grants().settings
    }
}

/// A file that is read takes two entries, so that its own limit is the one that is met.
pub(crate) fn table_entries(limits: &Limits) -> usize {
    let files = usize::try_from(limits.open_files).unwrap_or(MOST_TABLE_ENTRIES);
    files.saturating_mul(2).saturating_add(TABLE_ENTRIES / 2).clamp(TABLE_ENTRIES, MOST_TABLE_ENTRIES)
}

/// Headers as the guest writes them lie in the host's memory, in each of its table's entries.
pub(crate) fn field_bytes(request: &CallRequest) -> usize {
    if request.tree.grants().open_hosts().is_empty() {
        return LEAST_FIELD_BYTES;
    }
    let bytes = usize::try_from(request.limits.requests.header_bytes).unwrap_or(MOST_FIELD_BYTES);
    bytes.clamp(LEAST_FIELD_BYTES, MOST_FIELD_BYTES)
}

impl WasiView for HostState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for HostState {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        self.egress.watch(&mut self.table);
        WasiHttpCtxView { hooks: &mut self.egress, table: &mut self.table, ctx: &mut self.http }
    }
}

/// All that a component may import.
pub(crate) fn linker(engine: &Engine) -> wasmtime::Result<Linker<HostState>> {
    let mut linker: Linker<HostState> = Linker::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker)?;
    crate::chance::add_to_linker(&mut linker, |state| ClockHost {
        passing: &mut state.passing,
        table: &mut state.table,
    })?;
    linker.allow_shadowing(true);
    close_sockets(&mut linker, |state| &mut state.sockets)?;
    crate::settings::add_to_linker(&mut linker)?;
    crate::view::add_to_linker(&mut linker, HostState::files)?;
    crate::fan_out::add_to_linker(&mut linker)?;
    Ok(linker)
}

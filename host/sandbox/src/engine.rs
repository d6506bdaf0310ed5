//! The wasmtime engines and their settings.
//!
//! Owns: how guest code is compiled and where its instances live. Three engines share one set of
//! compile settings per budget: a *pooled* one for ordinary guests, an *on-demand* one for guests
//! that don't fit the pool (or where no pool can be made), and a *metered* one that counts
//! instructions. Doesn't own: limits of a single call (`limiter`), deadlines (`ticker`).

use crate::digest::Digest;
use crate::host_state::{HostState, linker};
use crate::ticker;
use crate::trusted_code::TrustedCode;
use std::hash::{Hash, Hasher};
use std::sync::OnceLock;
use thiserror::Error;
use wasmtime::component::{Component, Linker};
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

/// Stack of the guest's own frames. The fiber's stack has as much again for host calls.
pub(crate) const WASM_STACK_BYTES: usize = 1 << 20;
const FIBER_STACK_BYTES: usize = 2 << 20;

/// Memory that a slot keeps when its instance is gone: cleared by `memset`, not by a system call.
const MEMORY_KEPT_BYTES: usize = 1 << 20;
const STACK_AND_TABLE_KEPT_BYTES: usize = 64 << 10;

/// The share of one call in the pool. What needs more lives on demand, so that no component can
/// take what others need. A guest in Rust has four core instances, one memory and three tables.
const CORE_INSTANCES_PER_CALL: u32 = 32;
const MEMORIES_PER_CALL: u32 = 1;
const TABLES_PER_CALL: u32 = 6;
pub(crate) const POOLED_TABLE_ELEMENTS: usize = 20_000;

/// Bounds of one call anywhere. A guest in Python has dozens of core instances.
pub(crate) const MAX_CORE_INSTANCES: usize = 256;
pub(crate) const MAX_MEMORIES: usize = 16;
pub(crate) const MAX_TABLES: usize = 64;
/// Of all tables together.
pub(crate) const MAX_TABLE_ELEMENTS: usize = 1 << 20;

/// Guests that start with more than this (in 64 KiB pages) would be wiped page by page in a pool.
const POOLED_INITIAL_PAGES: u64 = (8 << 20) / (64 << 10);

/// Why there is no engine.
#[derive(Debug, Error)]
#[error("the WebAssembly engine could not be set up: {0}")]
pub struct EngineError(String);

impl From<wasmtime::Error> for EngineError {
    fn from(error: wasmtime::Error) -> Self {
        Self(format!("{error:#}"))
    }
}

/// What stops a guest that doesn't stop by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Budget {
    /// The clock only.
    Time,
    /// A number of instructions, and the clock.
    Fuel,
}

/// Where instances live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Placement {
    Pool { calls: u32 },
    OnDemand,
}

/// An engine, and what its guests can import.
pub(crate) struct LinkedEngine {
    pub(crate) engine: Engine,
    pub(crate) linker: Linker<HostState>,
    /// What code must have been compiled with to be loaded here.
    pub(crate) compatibility: Digest,
}

/// All engines of one sandbox, made when first needed.
pub(crate) struct Engines {
    pool_calls: u32,
    pooled: OnceLock<Option<LinkedEngine>>,
    on_demand: OnceLock<LinkedEngine>,
    metered: OnceLock<LinkedEngine>,
}

impl Engines {
    /// With room for this many calls at once in the pool; 0 makes no pool.
    pub(crate) fn new(pool_calls: u32) -> Self {
        Self { pool_calls, pooled: OnceLock::new(), on_demand: OnceLock::new(), metered: OnceLock::new() }
    }

    /// The engine that code for this budget is compiled for. Where instances of a component are
    /// best placed shows when it's loaded.
    pub(crate) fn compiling(&self, budget: Budget) -> Result<&LinkedEngine, EngineError> {
        match budget {
            Budget::Fuel => made_once(&self.metered, || build(Budget::Fuel, Placement::OnDemand)),
            Budget::Time => self.pool().map_or_else(|| self.on_demand(), Ok),
        }
    }

    /// Loads code where its instances are best placed.
    pub(crate) fn load(
        &self,
        code: &TrustedCode,
        budget: Budget,
    ) -> Result<(&LinkedEngine, Component), EngineError> {
        let first = self.compiling(budget)?;
        let loaded = code.load(&first.engine);
        let in_pool = budget == Budget::Time && self.pool().is_some();
        match loaded {
            Ok(component) if !in_pool || suits_pool(&component) => Ok((first, component)),
            Err(error) if !in_pool => Err(error.into()),
            Ok(_) | Err(_) => {
                let place = self.on_demand()?;
                Ok((place, code.load(&place.engine)?))
            }
        }
    }

    fn on_demand(&self) -> Result<&LinkedEngine, EngineError> {
        made_once(&self.on_demand, || build(Budget::Time, Placement::OnDemand))
    }

    fn pool(&self) -> Option<&LinkedEngine> {
        self.pooled.get_or_init(|| self.try_pool()).as_ref()
    }

    fn try_pool(&self) -> Option<LinkedEngine> {
        if self.pool_calls == 0 {
            return None;
        }
        match build(Budget::Time, Placement::Pool { calls: self.pool_calls }) {
            Ok(engine) => Some(engine),
            Err(error) => {
                tracing::warn!(%error, "no instance pool (low address space limit?); calls will be slower");
                None
            }
        }
    }
}

fn made_once(
    slot: &OnceLock<LinkedEngine>,
    make: impl FnOnce() -> Result<LinkedEngine, EngineError>,
) -> Result<&LinkedEngine, EngineError> {
    if let Some(engine) = slot.get() {
        return Ok(engine);
    }
    let engine = make()?;
    Ok(slot.get_or_init(|| engine))
}

/// Whether a component that the pool has room for is also well placed there.
fn suits_pool(component: &Component) -> bool {
    component
        .resources_required()
        .is_some_and(|needs| needs.max_initial_memory_size.unwrap_or(0) <= POOLED_INITIAL_PAGES)
}

fn build(budget: Budget, placement: Placement) -> Result<LinkedEngine, EngineError> {
    let mut config = Config::new();
    config
        .epoch_interruption(true)
        .consume_fuel(budget == Budget::Fuel)
        .memory_init_cow(true)
        .concurrency_support(false)
        .max_wasm_stack(WASM_STACK_BYTES)
        .async_stack_size(FIBER_STACK_BYTES);
    if is_cramped() {
        // Memory grows by moving, and accesses are checked in code, not by reserved address space.
        config
            .memory_reservation(0)
            .memory_reservation_for_growth(1 << 20)
            .memory_guard_size(1 << 16)
            .gc_heap_reservation(0)
            .gc_heap_reservation_for_growth(1 << 20)
            .gc_heap_guard_size(1 << 16);
    }
    match placement {
        Placement::OnDemand => {}
        Placement::Pool { calls } => {
            config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool(calls)));
        }
    }
    let engine = Engine::new(&config)?;
    ticker::register(&engine).map_err(|error| EngineError(format!("no ticker thread: {error}")))?;
    Ok(LinkedEngine { linker: linker(&engine)?, compatibility: compatibility(&engine), engine })
}

/// Whether the process may not reserve 4 GiB for each of some dozen linear memories.
fn is_cramped() -> bool {
    let limit = rustix::process::getrlimit(rustix::process::Resource::As).current;
    limit.is_some_and(|bytes| bytes < 256 << 30)
}

/// Address space is reserved, not memory: 4 GiB and a guard for each linear memory, so that the
/// guest's accesses need no bounds checks.
fn pool(calls: u32) -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(calls)
        .total_core_instances(calls.saturating_mul(CORE_INSTANCES_PER_CALL))
        .total_memories(calls.saturating_mul(MEMORIES_PER_CALL))
        .total_tables(calls.saturating_mul(TABLES_PER_CALL))
        .total_stacks(calls)
        .total_gc_heaps(calls)
        .max_core_instances_per_component(CORE_INSTANCES_PER_CALL)
        .max_memories_per_component(MEMORIES_PER_CALL)
        .max_tables_per_component(TABLES_PER_CALL)
        .max_memories_per_module(MEMORIES_PER_CALL)
        .max_tables_per_module(TABLES_PER_CALL)
        .max_component_instance_size(8 << 20)
        .max_core_instance_size(4 << 20)
        .table_elements(POOLED_TABLE_ELEMENTS)
        .linear_memory_keep_resident(MEMORY_KEPT_BYTES)
        .table_keep_resident(STACK_AND_TABLE_KEPT_BYTES)
        .async_stack_keep_resident(STACK_AND_TABLE_KEPT_BYTES)
        .pagemap_scan(Enabled::Auto);
    pool
}

/// What code must have been compiled with to be loaded by this engine.
fn compatibility(engine: &Engine) -> Digest {
    struct IntoBlake3(blake3::Hasher);
    impl Hasher for IntoBlake3 {
        fn write(&mut self, bytes: &[u8]) {
            self.0.update(bytes);
        }
        fn finish(&self) -> u64 {
            let digest = self.0.finalize();
            digest.as_bytes().iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
        }
    }
    let mut hasher = IntoBlake3(blake3::Hasher::new());
    engine.precompile_compatibility_hash().hash(&mut hasher);
    Digest::from_hash(hasher.0.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_compiled_for_the_pool_also_loads_on_demand() {
        let pooled = build(Budget::Time, Placement::Pool { calls: 4 }).unwrap();
        let on_demand = build(Budget::Time, Placement::OnDemand).unwrap();
        assert_eq!(pooled.compatibility, on_demand.compatibility);
    }

    #[test]
    fn code_that_counts_instructions_is_other_code() {
        let metered = build(Budget::Fuel, Placement::OnDemand).unwrap();
        let timed = build(Budget::Time, Placement::OnDemand).unwrap();
        assert_ne!(metered.compatibility, timed.compatibility);
    }

    #[test]
    fn compatibility_is_the_same_in_every_process() {
        let one = build(Budget::Time, Placement::OnDemand).unwrap();
        let two = build(Budget::Time, Placement::OnDemand).unwrap();
        assert_eq!(one.compatibility, two.compatibility);
    }

    #[test]
    fn a_pool_that_cant_be_made_is_replaced_by_allocation_on_demand() {
        let engines = Engines::new(u32::MAX / 64);
        assert!(engines.compiling(Budget::Time).is_ok());
        assert!(engines.pooled.get().unwrap().is_none());
    }
}

//! The sandbox: loads components, and has calls carried out on a runtime of its own.
//!
//! Owns: engines, linkers, the code cache, the runtime and how many calls run at once. What
//! happens in a call is `call`'s.

use crate::call::LONGEST;
use crate::code_cache::{CacheError, CacheName, CacheRefused, CodeCache};
use crate::component::{
    Code, ComponentSource, LoadError, LoadedComponent, Prepared, each_file, export_indices,
};
use crate::digest::Digest;
use crate::engine::{Budget, EngineError, Engines, LinkedEngine};
use crate::fan_out::{FileMemory, most_workers};
use crate::offered::missing;
use crate::reflect::{ComponentTools, ReflectLimits, reflect};
use crate::trap::bounded;
use crate::trusted_code::TrustedCode;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use thiserror::Error;
use tokio::runtime::{Handle, Runtime};
use tokio::sync::Semaphore;
use wasmtime::component::Component;

/// Of what compiler and linker say.
const REASON_BYTES: usize = 600;

/// How a sandbox is set up.
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    /// Where compiled code is kept; nowhere without.
    pub cache_dir: Option<PathBuf>,
    /// How many calls run at once; more wait. Each reserves twice 4 GiB of address space (not
    /// memory)
    /// where instances are pooled.
    pub max_calls: u32,
    /// Whether instances come from a pool: faster calls, but a few milliseconds to set up. Worth
    /// it from some dozen calls on.
    pub pool: bool,
    /// How long compiling a component may take, in milliseconds. A call that needs it fails then;
    /// the compiler's thread can't be stopped and goes on, but no other is started for it.
    pub compile_ms: u64,
    /// Keeps what components made of files, for those that have the host work on many; nothing is
    /// kept without.
    pub file_memory: Option<Arc<dyn FileMemory>>,
}

impl Default for SandboxConfig {
    fn default() -> Self {
        Self { cache_dir: None, max_calls: 128, pool: true, compile_ms: 120_000, file_memory: None }
    }
}

impl SandboxConfig {
    /// For a process that makes a handful of calls and ends.
    pub fn for_few_calls() -> Self {
        Self { max_calls: 16, pool: false, ..Self::default() }
    }
}

/// Why there is no sandbox.
#[derive(Debug, Error)]
pub enum SandboxError {
    /// The folder for compiled code isn't safe to use.
    #[error(transparent)]
    Cache(#[from] CacheRefused),
    /// The threads that calls run on can't be started.
    #[error("the threads for tool calls could not be started: {0}")]
    Runtime(#[source] std::io::Error),
}

/// Loads components and calls their tools, each call in a fresh instance.
///
/// Cheap to share behind an `Arc`. Dropping it stops the calls that are under way.
pub struct Sandbox {
    core: Arc<Core>,
    /// Only `Drop` takes it.
    runtime: Option<Runtime>,
    handle: Handle,
}

/// What calls and loads need, apart from the runtime they run on.
pub(crate) struct Core {
    engines: Engines,
    cache: Option<CodeCache>,
    pub(crate) slots: Semaphore,
    /// Places for those that work on files besides the first of each call.
    pub(crate) helpers: Arc<Semaphore>,
    file_memory: Option<Arc<dyn FileMemory>>,
    forgets_files: AtomicBool,
    compile_limit: Duration,
}

impl Sandbox {
    /// Sets up the cache and the threads; engines are made when first needed. A cache folder that
    /// can't be made or written is no obstacle (a warning is logged), one that others can write
    /// to is refused.
    pub fn new(config: SandboxConfig) -> Result<Self, SandboxError> {
        let cache = match config.cache_dir.as_deref().map(CodeCache::open).transpose() {
            Ok(cache) => cache,
            Err(CacheError::Refused(refused)) => return Err(refused.into()),
            Err(error @ CacheError::Unusable { .. }) => {
                tracing::warn!(%error, "compiled code can't be kept; it will be compiled again next time");
                None
            }
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .thread_name("ringfence-call")
            // A guest that never ends yields on every tick; the timers must be looked at as often.
            .event_interval(1)
            // New calls queue apart from those under way: between two turns of guests that take a
            // tick each, they must not wait for dozens of turns.
            .global_queue_interval(2)
            .enable_all()
            .build()
            .map_err(SandboxError::Runtime)?;
        let max_calls = config.max_calls.max(1);
        let helpers = most_workers() - 1;
        // Each call's own, one that works on files while it waits, and the helpers.
        let instances = max_calls.saturating_mul(2).saturating_add(u32::try_from(helpers).unwrap_or(0));
        let core = Core {
            engines: Engines::new(if config.pool { instances } else { 0 }),
            cache,
            slots: Semaphore::new(max_calls as usize),
            helpers: Arc::new(Semaphore::new(helpers)),
            file_memory: config.file_memory,
            forgets_files: AtomicBool::new(false),
            compile_limit: Duration::from_millis(config.compile_ms).min(LONGEST),
        };
        Ok(Self { core: Arc::new(core), handle: runtime.handle().clone(), runtime: Some(runtime) })
    }

    /// Learns which tools a component has. Compiles nothing: that is for [`Self::prepare`] or the
    /// first call.
    pub fn load(&self, source: ComponentSource) -> Result<Arc<LoadedComponent>, LoadError> {
        let tools = self.core.tools_of(&source)?;
        let overridden = source.overrides().laid_over(tools);
        let tools = overridden
            .map_err(|error| LoadError::Override { name: source.name().to_owned(), source: error })?;
        Ok(Arc::new(LoadedComponent::new(source, tools)))
    }

    /// Whether calling a tool of this component would compile it first, as far as can be seen
    /// without loading the cached code.
    pub fn would_compile(&self, component: &LoadedComponent) -> Result<bool, LoadError> {
        if component.code_cell(Budget::Time).get().is_some() {
            return Ok(false);
        }
        let Some(cache) = &self.core.cache else { return Ok(true) };
        let engine = self.core.engines.compiling(Budget::Time)?;
        Ok(!cache.has(&CacheName::code(component.digest(), engine.compatibility)))
    }

    /// Makes a component's code ready: from the cache, or by compiling it, which can take seconds.
    /// Can be awaited on any runtime. The work isn't repeated, and goes on if this is dropped.
    pub async fn prepare(&self, component: &Arc<LoadedComponent>) -> Result<Prepared, LoadError> {
        let was_ready = component.code_cell(Budget::Time).get().is_some();
        let (core, component) = (self.core.clone(), component.clone());
        let name = component.name().to_owned();
        let task = self
            .handle
            .spawn(async move { core.code(&component, Budget::Time).await.map(|code| code.prepared) });
        let prepared = match task.await {
            Ok(prepared) => prepared?,
            Err(error) => return Err(LoadError::Host { name, reason: error.to_string() }),
        };
        Ok(if was_ready { Prepared { compiled: false, took: Duration::ZERO } } else { prepared })
    }

    /// What components made of files is neither asked for nor kept by the calls that begin from now on.
    pub fn forget_files(&self) {
        self.core.forgets_files.store(true, Relaxed);
    }

    /// Runs something to its end on the calling thread, within the sandbox's runtime: calls
    /// awaited there cost no hop to another thread and back, which is more than the call itself.
    /// Not to be used within async code.
    pub fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.handle.block_on(future)
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    pub(crate) fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Waiting for its threads isn't allowed on another runtime's thread, and one of them
            // may be compiling for minutes.
            runtime.shutdown_background();
        }
    }
}

impl Core {
    /// What keeps what was made of files, where something does.
    pub(crate) fn file_memory(&self) -> Option<&Arc<dyn FileMemory>> {
        self.file_memory.as_ref().filter(|_| !self.forgets_files.load(Relaxed))
    }

    /// The engine that code for this budget is compiled for, as a digest of its version and settings.
    pub(crate) fn engine(&self, budget: Budget) -> Result<Digest, EngineError> {
        Ok(self.engines.compiling(budget)?.compatibility)
    }

    fn tools_of(&self, source: &ComponentSource) -> Result<ComponentTools, LoadError> {
        let name = CacheName::definitions(source.digest(), definitions_version());
        let cached = self.cache.as_ref().and_then(|cache| cache.text(&name, source.name()));
        if let Some(tools) = cached.and_then(|text| serde_json::from_str(&text).ok()) {
            return Ok(tools);
        }
        let bytes = source.bytes()?;
        let mut tools = reflect(&bytes, &ReflectLimits::default())
            .map_err(|error| LoadError::Reflect { name: source.name().to_owned(), source: error })?;
        tools.obstacles.extend(missing(self.engines.compiling(Budget::Time)?, &bytes));
        if let (Some(cache), Ok(text)) = (&self.cache, serde_json::to_vec(&tools)) {
            cache.store(&name, &text);
        }
        Ok(tools)
    }

    /// The component's code for this budget, made on the first call of this. Dropping the future
    /// doesn't stop the work, and the next call finds it.
    pub(crate) async fn code<'a>(
        self: &Arc<Self>,
        component: &'a Arc<LoadedComponent>,
        budget: Budget,
    ) -> Result<&'a Code, LoadError> {
        let start = || {
            let (core, component) = (self.clone(), component.clone());
            tokio::task::spawn_blocking(move || core.make_code(&component, budget))
        };
        component.code_cell(budget).get_or_make(component.name(), self.compile_limit, start).await
    }

    fn make_code(&self, component: &LoadedComponent, budget: Budget) -> Result<Code, LoadError> {
        let started = Instant::now();
        let name = || component.name().to_owned();
        let compatibility = self.engines.compiling(budget)?.compatibility;
        let cache_name = CacheName::code(component.digest(), compatibility);
        let cached = self.load_cached(component, &cache_name, budget);
        let compiled = cached.is_none();
        let (engine, code) = match cached {
            Some(found) => found,
            None => self.compile(component, &cache_name, budget)?,
        };
        let instance = engine.linker.instantiate_pre(&code).map_err(|error| LoadError::Import {
            name: name(),
            reason: bounded(&format!("{error:#}"), REASON_BYTES),
        })?;
        let exports = export_indices(&code, component.tools());
        let each_file = each_file(&code);
        Ok(Code { instance, exports, each_file, prepared: Prepared { compiled, took: started.elapsed() } })
    }

    fn load_cached(
        &self,
        component: &LoadedComponent,
        name: &CacheName,
        budget: Budget,
    ) -> Option<(&LinkedEngine, Component)> {
        let code = self.cache.as_ref()?.code(name, component.name())?;
        match self.engines.load(&code, budget) {
            Ok(loaded) => Some(loaded),
            Err(error) => {
                tracing::warn!(%error, "cached code doesn't load; compiling it again");
                None
            }
        }
    }

    fn compile(
        &self,
        component: &LoadedComponent,
        cache_name: &CacheName,
        budget: Budget,
    ) -> Result<(&LinkedEngine, Component), LoadError> {
        let bytes = component.source.bytes()?;
        let engine = &self.engines.compiling(budget)?.engine;
        let code = TrustedCode::compile(engine, &bytes).map_err(|error| LoadError::Compile {
            name: component.name().to_owned(),
            reason: bounded(&format!("{error:#}"), REASON_BYTES),
        })?;
        if let (Some(cache), Some(bytes)) = (&self.cache, code.just_compiled()) {
            cache.store(cache_name, bytes);
        }
        Ok(self.engines.load(&code, budget)?)
    }
}

/// Definitions are read anew by another version of this crate: it may read them otherwise, and offer
/// something else.
fn definitions_version() -> Digest {
    Digest::of(concat!(env!("CARGO_PKG_VERSION"), " definitions 3").as_bytes())
}

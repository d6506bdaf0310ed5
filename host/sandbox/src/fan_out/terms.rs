//! The terms that a call's workers share with it: its time, its processor time, its limits.

use super::memory::FileMemory;
use crate::call::CallRequest;
use crate::component::LoadedComponent;
use crate::cpu::CpuSpent;
use crate::egress::EgressContext;
use crate::limiter::Together;
use crate::receipt::FilesWorked;
use crate::sandbox::Core;
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Of a call's time, in hundredths: then no new file is begun, so that there is time to answer.
const BEGINS_UNTIL: u32 = 85;
/// Then no file is worked on any more.
const WORKS_UNTIL: u32 = 95;

/// Whether a guest may have files worked on.
pub(crate) enum FanOut {
    /// In a call.
    Offered(Arc<Terms>),
    /// In a worker, and where the component has nothing to do it with.
    Refused,
}

/// What the workers of one call have in common.
pub(crate) struct Terms {
    pub(super) core: Arc<Core>,
    request: CallRequest,
    pub(super) cpu: Arc<CpuSpent>,
    begins_until: Instant,
    pub(super) works_until: Instant,
    pub(super) deadline: Instant,
    pub(super) memory: Arc<Together>,
    worked: AtomicU64,
    remembered: AtomicU64,
}

impl Terms {
    pub(crate) fn new(
        core: Arc<Core>,
        request: &CallRequest,
        cpu: Arc<CpuSpent>,
        started: Instant,
        deadline: Instant,
    ) -> Self {
        let time = deadline.saturating_duration_since(started);
        let part = |hundredths: u32| started + time / 100 * hundredths;
        Self {
            core,
            request: request.clone(),
            cpu,
            begins_until: part(BEGINS_UNTIL),
            works_until: part(WORKS_UNTIL),
            deadline,
            memory: Arc::default(),
            worked: AtomicU64::new(0),
            remembered: AtomicU64::new(0),
        }
    }

    pub(super) fn component(&self) -> &Arc<LoadedComponent> {
        self.request.tool.component()
    }

    pub(super) fn project(&self) -> &[u8] {
        self.request.tree.project_path().as_os_str().as_encoded_bytes()
    }

    pub(super) fn file_memory(&self) -> Option<&Arc<dyn FileMemory>> {
        self.core.file_memory()
    }

    /// Whether so much of the call's time is used that no new file is to be begun.
    pub(super) fn nearly_over(&self) -> bool {
        let cpu = self.cpu_limit().is_some_and(|limit| self.cpu.so_far() >= limit / 100 * BEGINS_UNTIL);
        cpu || Instant::now() >= self.begins_until
    }

    pub(super) fn cpu_is_used_up(&self) -> bool {
        self.cpu_limit().is_some_and(|limit| self.cpu.so_far() >= limit)
    }

    fn cpu_limit(&self) -> Option<Duration> {
        self.request.limits.cpu_ms.map(Duration::from_millis)
    }

    /// A call of the same tool under the same limits that has nothing: no files, no environment, no
    /// settings, no hosts.
    pub(super) fn bare(&self) -> wasmtime::Result<CallRequest> {
        Ok(CallRequest {
            tool: self.request.tool.clone(),
            input: Value::Null,
            tree: self.request.tree.bare()?,
            stage: None,
            known: Arc::default(),
            limits: self.request.limits.clone(),
            egress: EgressContext::default(),
            env: Arc::default(),
            cancel: CancellationToken::new(),
        })
    }

    pub(super) fn count_worked(&self) {
        self.worked.fetch_add(1, Relaxed);
    }

    pub(super) fn count_remembered(&self) {
        self.remembered.fetch_add(1, Relaxed);
    }

    fn files(&self) -> Option<FilesWorked> {
        let files =
            FilesWorked { worked: self.worked.load(Relaxed), remembered: self.remembered.load(Relaxed) };
        (files != FilesWorked::default()).then_some(files)
    }
}

impl FanOut {
    /// The most memory that the workers held at once, in bytes.
    pub(crate) fn peak_memory(&self) -> u64 {
        match self {
            Self::Offered(terms) => terms.memory.peak(),
            Self::Refused => 0,
        }
    }

    /// How many files were worked on; none where there were none.
    pub(crate) fn files(&self) -> Option<FilesWorked> {
        match self {
            Self::Offered(terms) => terms.files(),
            Self::Refused => None,
        }
    }
}

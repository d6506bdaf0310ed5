//! The guest's file system: one virtual root that holds only what is granted.
//!
//! Owns: opening grants, resolving a guest's path to one place under one open handle, judging
//! that place, `wasi:filesystem`, quotas, and the log of what was read and refused. Doesn't own:
//! what is staged and how it's kept (`stage`), which grants a call has, what masks mean (`mask`),
//! or what becomes of the log.
//!
//! A path is rewritten until neither link nor `..` is left (`resolve`); the place so found is
//! judged (`policy`: the only spot where masks, grants and access are decided); the kernel then
//! walks exactly that place with links forbidden, below the grant's handle (`beneath`). The
//! names that were judged are thus the names that lead to the object, whoever swaps what in
//! meanwhile; and nothing outside the handle can be reached even if the judgement were wrong.
//!
//! What is masked looks like what is missing, and no file system is asked about it, so that an
//! answer tells nothing of whether it is there. A single file is granted as a name in the open
//! folder that holds it.
//!
//! In a view with a stage each path is resolved in the project with the stage over it (`merged`),
//! and what changes goes into the call's layer of the stage (`change`, `moving`). A folder is a
//! place there, not a handle. A file that was opened for reading before this call first changed it
//! reads on as it was.
//!
//! What it doesn't see: hard links and bind mounts are ordinary files and folders of the grant
//! that holds them, and a mask knows a file by its names alone.

mod applying;
mod beneath;
mod change;
mod escape;
mod explain;
mod footprint;
mod grant_error;
mod grants;
mod halt;
mod hint;
mod host;
mod listing;
mod log;
mod merged;
mod moving;
mod node;
mod open;
mod place;
mod policy;
mod project;
mod quota;
mod ranges;
mod reading;
mod refused;
mod resolve;
mod rewrite;
mod spelling;
mod staged_host;
mod stat;
mod stream;
mod trail;
mod whole;

#[cfg(test)]
mod handle_proof;

pub use beneath::Walk;
pub(crate) use beneath::{link_text, look, one_name};
pub(crate) use escape::{from_os, to_os};
pub use explain::{Explanation, Ruling, Thing};
pub use footprint::Footprint;
pub use grant_error::GrantError;
pub use grants::GrantedTree;
pub(crate) use halt::Halt;
pub use host::{ViewHost, add_to_linker};
pub use log::FileLog;
pub use project::{ProjectDir, ProjectError};
pub(crate) use quota::{PastEnd, QuotaExceeded, WriteQuota};
pub(crate) use whole::ReadWhole;

use crate::grant::Limits;
use crate::receipt::Written;
use crate::stage::{KnownReads, Layer, Stage, StageError};
use log::Log;
use quota::{Quotas, Until};
use std::sync::Arc;
use std::time::Instant;
use tokio_util::sync::CancellationToken;
use trail::Trail;

/// One call's view of the files: the shared tree of its grants, and what the call did with it.
pub struct View {
    pub(crate) tree: Arc<GrantedTree>,
    pub(crate) log: Log,
    quotas: Quotas,
    /// What the call does to its stage; without one it sees the project alone.
    layer: Option<Layer>,
    trail: Trail,
}

impl View {
    /// A fresh view with an empty log, and as much of the files as the limits say.
    pub fn new(tree: Arc<GrantedTree>, limits: &Limits) -> Self {
        let trail = if tree.grants().deterministic { Trail::noting() } else { Trail::default() };
        Self { tree, log: Log::default(), quotas: Quotas::new(limits), layer: None, trail }
    }

    /// The same with a stage over the project. Only one view of a stage at a time can have a grant
    /// to write.
    pub fn staged(
        tree: Arc<GrantedTree>,
        limits: &Limits,
        stage: &Arc<Stage>,
        known: Arc<KnownReads>,
    ) -> Result<Self, StageError> {
        let layer = stage.begin(known, tree.grants().facts().writes)?;
        // What a stage shows isn't there to be looked at again.
        let quotas = Quotas::new(limits).in_stage(layer.room_for_bytes());
        Ok(Self { layer: Some(layer), trail: Trail::default(), quotas, ..Self::new(tree, limits) })
    }

    /// The same view of a call that ends then: a change that takes long is broken off.
    pub fn until(mut self, deadline: Instant, cancel: CancellationToken) -> Self {
        self.quotas.until(Until { deadline, cancel });
        self
    }

    /// Ends what was changed in the stage: `keep` puts all of it there, else none of it stays. Says
    /// what was changed, and how many changes the list has no room for.
    pub fn settle(&mut self, keep: bool) -> Result<(Vec<Written>, u64), StageError> {
        match self.layer.take() {
            Some(layer) if keep => layer.commit(),
            Some(_) | None => Ok((Vec::new(), 0)),
        }
    }

    /// Whether anything was refused so far.
    pub fn has_denials(&self) -> bool {
        self.log.has_denials()
    }

    /// Takes what a deterministic call saw so far; none of any other, and none where it can't all
    /// be looked at again.
    pub fn take_footprint(&mut self) -> Option<Footprint> {
        self.trail.finish()
    }

    /// Notes that an answer rests on more than the files.
    pub(crate) fn lose_footprint(&mut self) {
        self.trail.lose();
    }

    /// Takes what was opened and refused so far, with the grant that would have allowed each
    /// refusal.
    pub fn take_log(&mut self) -> FileLog {
        std::mem::take(&mut self.log).finish()
    }
}

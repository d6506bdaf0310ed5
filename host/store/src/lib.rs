//! The journal of every run: what happened, what was meant to happen next, what tools did.
//!
//! Owns: one embedded SQLite file, its schema, the lease under which a run is driven, and the
//! order that makes a crash harmless: the outcome of one step and the intents of the next are
//! one transaction. Doesn't own: what an event means (the engine folds them), where the file
//! lies, who may read it. Beside it, and apart from it, answers of earlier calls are kept in a file
//! that may be lost at any time. Text that comes in is stored and given back, never interpreted.

#![forbid(unsafe_code)]

mod agreement;
mod answers;
mod codec;
mod durability;
mod enter;
mod error;
mod heartbeat;
mod intent;
mod lease;
mod lock_file;
mod memory;
mod read;
mod run;
mod schema;
mod step;
mod store;

pub use answers::{AnswerBounds, Answers};
pub use durability::Durability;
pub use error::{Holder, StoreError};
pub use heartbeat::Heartbeat;
pub use intent::Intent;
pub use lease::Lease;
pub use memory::{Memory, NoMemory};
pub use read::{Journal, Recorded, StoredReceipt};
pub use run::{NewRun, Parent, RunSummary};
pub use schema::VERSION as SCHEMA_VERSION;
pub use step::Entry;
pub use store::Store;

/// Results of this crate.
pub type Result<T> = std::result::Result<T, StoreError>;

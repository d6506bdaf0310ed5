//! One tool call in one fresh component instance, fenced.
//!
//! Owns: reading a component's types into tool definitions, JSON in and out, the guest's view
//! of the file system, limits, outcomes, receipts. Doesn't own: which tools a run may use, who
//! approved what, where receipts are kept.

mod digest;
mod grant;
pub mod json;
mod receipt;
pub mod reflect;
pub mod view;

pub use digest::*;
pub use grant::*;
pub use receipt::*;
pub use view::{FileLog, GrantError, GrantedTree, ProjectDir, ProjectError};

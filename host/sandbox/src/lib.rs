//! One tool call in one fresh component instance, fenced.
//!
//! Owns: reading a component's types into tool definitions, JSON in and out, the guest's view
//! of the file system, staged writes and how they reach the project, requests to granted hosts, limits,
//! outcomes, receipts. Doesn't own: which tools a run may use, who approved what, where receipts are
//! kept.

mod call;
mod chance;
mod code_cache;
mod code_cell;
mod component;
mod cpu;
mod cut;
mod digest;
mod egress;
mod engine;
mod fan_out;
mod grant;
mod host_state;
pub mod json;
mod left_out;
mod limit;
mod limiter;
mod mask;
mod memo;
mod message;
mod network;
mod offered;
mod outcome;
mod overrides;
mod receipt;
pub mod reflect;
mod sandbox;
mod settings;
mod stage;
pub mod standard;
mod stdio;
mod ticker;
mod toolset;
mod trap;
mod trusted_code;
mod variable;
pub mod view;

pub use call::{CallError, CallReport, CallRequest, CancellationToken};
pub use code_cache::{CacheError, CacheRefused, CodeCache};
pub use component::{ComponentSource, LoadError, LoadedComponent, MAX_COMPONENT_BYTES, Prepared};
pub use digest::*;
pub use egress::{
    Addresses, EgressContext, Host, HostError, HostGrant, HostGrantError, HostUrl, Method, MethodError,
    Origin, PathPrefix, RequestLimits, RequestRuling, Resolve, SHORTEST_SECRET, SecretError, SecretGrant,
    SecretHeader, SecretName, SecretValue, Secrets, UrlError, UrlProblem, UrlScheme, common_hosts,
    without_user,
};
pub use engine::EngineError;
pub use fan_out::FileMemory;
pub use grant::*;
pub use limit::{Exceeded, LimitKind};
pub use mask::{MAX_MASK_BYTES, MAX_MASKS, MaskError, MaskPattern, Masks};
pub use memo::Memo;
pub use overrides::{Override, OverrideError, Overrides};
pub use receipt::*;
pub use sandbox::{Sandbox, SandboxConfig, SandboxError};
pub use stage::{
    Applied, ApplyError, Change, ChangeKind, Conflict, ConflictKind, Deleted, Effect, FileSide, GivenUp,
    Kept, KnownReads, Mark, Recovered, SetAside, Side, Stage, StageError, Trial,
};
pub use toolset::{Tool, Toolset, ToolsetError};
pub use variable::{MAX_VARIABLES, VariableError, VariableName, VariableValue, Variables};
pub use view::{
    Explanation, FileLog, Footprint, GrantError, GrantedTree, ProjectDir, ProjectError, Ruling, Thing,
};

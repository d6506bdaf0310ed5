//! Requests to hosts that are granted, and to no others.
//!
//! Owns: what a host grant is, judging each request in its final form, connecting to the very
//! address that was checked, bounding what goes and comes, adding secrets on the way out and taking
//! them out of what comes back, and the record of it all. Doesn't own: who may grant (the caller),
//! sockets and name look-ups of the guest's own (`network`: closed, always).

mod address;
mod body;
mod connect;
mod context;
mod explain;
mod forms;
mod grant;
mod headers;
mod held;
mod hooks;
mod host;
mod judge;
mod limits;
mod log;
mod path;
mod resolve;
mod scrub;
mod secret;
mod send;
mod sieve;
mod tls;
mod url;
mod wire;

pub use context::EgressContext;
pub use explain::RequestRuling;
pub use grant::{HostGrant, HostGrantError, Method, MethodError, common_hosts};
pub(crate) use hooks::Egress;
pub use host::{Host, HostError};
pub use limits::RequestLimits;
pub(crate) use log::NetworkLog;
pub use path::PathPrefix;
pub use resolve::{Addresses, Resolve};
pub(crate) use scrub::Scrub;
pub use secret::{SHORTEST_SECRET, SecretError, SecretGrant, SecretHeader, SecretName, SecretValue, Secrets};
pub use url::{HostUrl, Origin, UrlError, UrlProblem, UrlScheme, without_user};

//! From a name to addresses, once a request.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

/// What a look-up comes to.
pub type Addresses = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Looks names up. Whatever it answers is checked before anything is connected to it.
pub trait Resolve: Send + Sync {
    /// The addresses of a host's name.
    fn resolve(&self, name: &str) -> Addresses;
}

/// The system's own resolver.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve(&self, name: &str) -> Addresses {
        let name = name.to_owned();
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

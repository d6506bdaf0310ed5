//! What requests need that isn't granted but given: secrets' values, a resolver, roots of trust.

use super::log::Scrubs;
use super::resolve::{Resolve, SystemResolver};
use super::scrub::Scrub;
use super::secret::Secrets;
use super::tls::{SYSTEM, Trust};
use crate::grant::Grants;
use std::fmt;
use std::sync::Arc;

/// How a call reaches the network that it is granted. Shows no secret in any format.
#[derive(Clone)]
pub struct EgressContext {
    secrets: Arc<Secrets>,
    /// Of all of them.
    scrub: Arc<Scrub>,
    resolver: Arc<dyn Resolve>,
    trust: Arc<Trust>,
}

impl Default for EgressContext {
    fn default() -> Self {
        Self::new(Arc::default())
    }
}

impl EgressContext {
    /// With the values of secrets, the system's resolver and its roots of trust.
    pub fn new(secrets: Arc<Secrets>) -> Self {
        let scrub = Arc::new(Scrub::new(&secrets));
        Self { secrets, scrub, resolver: Arc::new(SystemResolver), trust: SYSTEM.clone() }
    }

    /// The same with another resolver.
    #[must_use]
    pub fn resolving_by(self, resolver: Arc<dyn Resolve>) -> Self {
        Self { resolver, ..self }
    }

    /// The same, believing these certificates (DER) besides the system's.
    #[must_use]
    pub fn trusting(self, certificates: Vec<Vec<u8>>) -> Self {
        Self { trust: Trust::and(certificates), ..self }
    }

    /// The values of secrets.
    pub fn secrets(&self) -> &Secrets {
        &self.secrets
    }

    /// What is taken out of what a call with these grants is told, and of what is told of it.
    pub(crate) fn scrubs(&self, grants: &Grants) -> Scrubs {
        let replies = match self.secrets.are_all_asked_for(grants) {
            true => self.scrub.clone(),
            false => Arc::new(Scrub::of_asked_hosts(&self.secrets, grants)),
        };
        Scrubs { record: self.scrub.clone(), replies }
    }

    pub(super) fn resolver(&self) -> &dyn Resolve {
        self.resolver.as_ref()
    }

    pub(super) fn trust(&self) -> &Arc<Trust> {
        &self.trust
    }
}

impl fmt::Debug for EgressContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EgressContext").field("secrets", &self.secrets).finish_non_exhaustive()
    }
}

//! Whether a request would be made, and what decides that: asked without making it.
//!
//! The judgement is the one that requests get. What a host's name leads to isn't looked up.

use super::grant::HostGrant;
use super::judge::judged;
use super::secret::{SecretName, Secrets};
use super::url::without_user;
use crate::receipt::{Denial, DenialReason};
use crate::view::GrantedTree;
use http::Request;
use http::header::HOST;

/// What would become of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestRuling {
    /// It would be made.
    Allowed {
        /// What grants it.
        grant: HostGrant,
        /// The secrets that would go with it.
        secrets: Vec<SecretName>,
    },
    /// It would be refused.
    Refused(Box<Denial>),
}

impl GrantedTree {
    /// Whether a tool that asks hosts could make this request.
    pub fn explain_request(&self, method: &str, url: &str) -> RequestRuling {
        let request = Request::builder().method(method).uri(url).body(());
        let mut parts = match request {
            Ok(request) => request.into_parts().0,
            Err(error) => {
                return RequestRuling::Refused(Box::new(Denial {
                    operation: "request".to_owned(),
                    asked: format!("{method} {}", without_user(url)),
                    resolved: error.to_string(),
                    reason: DenialReason::Malformed,
                    mask: None,
                    would_allow: None,
                    left_out_by: None,
                }));
            }
        };
        // The runtime sets it on the way out.
        if let Some(host) = parts.uri.authority().and_then(|host| host.as_str().parse().ok()) {
            parts.headers.insert(HOST, host);
        }
        match judged(self.grants(), &Secrets::default(), &parts) {
            Ok(permit) => RequestRuling::Allowed {
                grant: permit.grant,
                secrets: permit.secrets.into_iter().map(|secret| secret.name).collect(),
            },
            Err(denial) => RequestRuling::Refused(denial),
        }
    }
}

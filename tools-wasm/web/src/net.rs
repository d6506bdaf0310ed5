//! What the tools need of the network: one GET, answered or refused.

use std::io::Read;
use url::Url;

/// Makes requests. The host behind it judges each one.
pub trait Transport {
    /// Asks for `url` with these headers; follows no redirect.
    fn get(&mut self, url: &Url, headers: &[(&str, &str)]) -> Result<Response, NetError>;
}

/// An answer whose body is still to be read.
pub struct Response {
    /// Its status.
    pub status: u16,
    /// Its headers; values that are no UTF-8 with U+FFFD.
    pub headers: Vec<(String, String)>,
    /// Its body as sent.
    pub body: Box<dyn Read>,
}

impl Response {
    /// The first header of this name, trimmed.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim())
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NetError {
    /// The host allows no such request.
    Denied(String),
    /// It was tried.
    Failed(String),
}

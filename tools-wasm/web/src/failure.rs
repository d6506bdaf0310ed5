//! Why a call failed, with a message that names what was asked.

use crate::net::NetError;

/// The interface's error, one to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The address can't be used.
    InvalidUrl(String),
    /// The host refused.
    NotPermitted(String),
    /// No answer, or a broken one.
    Network(String),
    /// An answer that says that it is an error.
    Status(String),
    /// Not text.
    UnsupportedType(String),
    /// A number out of range.
    InvalidRange(String),
    /// No search provider, or a configuration that can't be used.
    NotConfigured(String),
    /// The search provider's answer can't be used.
    Provider(String),
}

impl Failure {
    /// What went wrong on the way to `url`.
    pub(crate) fn of(url: &url::Url, error: NetError) -> Self {
        let url = crate::address::shown(url.as_str());
        match error {
            NetError::Denied(why) => Self::NotPermitted(format!("{url}: not permitted: {why}")),
            NetError::Failed(why) => Self::Network(format!("{url}: {why}")),
        }
    }
}

/// The number asked for, `default` where none was, `most` where it was more; zero is refused.
pub(crate) fn amount(name: &str, asked: Option<u32>, default: u32, most: u32) -> Result<u32, Failure> {
    match asked {
        None => Ok(default),
        Some(0) => Err(Failure::InvalidRange(format!("{name} is 0; possible are 1 to {most}"))),
        Some(number) => Ok(number.min(most)),
    }
}

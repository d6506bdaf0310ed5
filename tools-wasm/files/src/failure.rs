//! Why a call failed, with a message that names what was asked.

use ringfence_guest_project::Fault;

/// The interface's error, one to one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The file system said no.
    Fault(Fault),
    /// A regular expression or glob that can't be understood.
    InvalidPattern(String),
    /// A number out of range.
    InvalidRange(String),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
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

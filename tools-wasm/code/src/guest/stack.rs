//! `detect_stack`: the interface's types to this crate's and back.

use super::wit;

pub(super) fn detect_stack(_directory: Option<String>, _skip: Option<u32>) -> Result<wit::Stack, wit::Error> {
    Err(wit::Error::Io("not there yet".to_owned()))
}

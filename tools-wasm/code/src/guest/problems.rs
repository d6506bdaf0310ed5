//! `find_problems`: the interface's types to this crate's and back.

use super::wit;

pub(super) fn find_problems(
    _directory: Option<String>,
    _rules: Option<String>,
    _skip: Option<u32>,
    _max: Option<u32>,
) -> Result<wit::Problems, wit::Error> {
    Err(wit::Error::Io("not there yet".to_owned()))
}

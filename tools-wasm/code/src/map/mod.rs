//! `map_code`: how a project is put together.

mod part;

pub(crate) use part::Part;

//! `--allow-env NAME`: a name, never echoed with what may be a value behind it.

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;
use clap::{Arg, Command, Error};
use ringfence_sandbox::VariableName;
use std::ffi::OsStr;

/// Reads the name of a variable. The parser's usual error would show all of `KEY=value`.
#[derive(Debug, Clone, Copy)]
pub(super) struct VariableParser;

impl TypedValueParser for VariableParser {
    type Value = VariableName;

    fn parse_ref(&self, command: &Command, _: Option<&Arg>, value: &OsStr) -> Result<VariableName, Error> {
        VariableName::parse(&value.to_string_lossy()).map_err(|why| {
            command.clone().error(ErrorKind::ValueValidation, format!("--allow-env wants a name: {why}"))
        })
    }
}

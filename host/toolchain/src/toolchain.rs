//! What compiled a tool: a record for people and manifests.

use std::fmt;
use std::path::Path;

use crate::machine::Machine;

/// What compiled a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    /// Where it comes from: `rustup`, `debian`, `wasi-sdk`, `pip` …
    pub how: String,
    /// Its programs with what they say of their version.
    pub programs: Vec<(String, String)>,
}

impl Toolchain {
    /// One without programs yet.
    pub(crate) fn new(how: impl Into<String>) -> Self {
        Self { how: how.into(), programs: Vec::new() }
    }

    /// With a program, whose version is asked for.
    #[must_use]
    pub(crate) fn with(self, name: &str, program: &Path, machine: &Machine) -> Self {
        let version = machine.version(program).unwrap_or_else(|| "of unknown version".to_owned());
        self.with_version(name, version)
    }

    /// With a program of this version.
    #[must_use]
    pub(crate) fn with_version(mut self, name: &str, version: impl Into<String>) -> Self {
        self.programs.push((name.to_owned(), version.into()));
        self
    }
}

impl fmt::Display for Toolchain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.how)?;
        for (at, (name, version)) in self.programs.iter().enumerate() {
            f.write_str(if at == 0 { ": " } else { ", " })?;
            // Most programs say their name with their version.
            if version.to_lowercase().contains(&name.to_lowercase()) {
                f.write_str(version)?;
            } else {
                write!(f, "{name} {version}")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolchain_is_told_in_one_line() {
        let toolchain = Toolchain::new("debian")
            .with_version("rustc", "rustc 1.96.0")
            .with_version("wit-bindgen", "0.60.0");
        assert_eq!(toolchain.to_string(), "debian: rustc 1.96.0, wit-bindgen 0.60.0");
        assert_eq!(Toolchain::new("given").to_string(), "given");
    }
}

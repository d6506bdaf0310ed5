//! Globs: `*.py` for names, `src/**/*.{ts,tsx}` for paths.

use crate::failure::Failure;
use globset::{GlobBuilder, GlobMatcher};
use ringfence_guest_project::quoted;

/// The longest glob, in bytes.
const LONGEST: usize = 1000;

/// What a name or path must look like.
#[derive(Debug)]
pub(crate) struct Glob {
    matcher: GlobMatcher,
    for_paths: bool,
}

impl Glob {
    /// Reads a glob; an empty one asks for nothing.
    pub(crate) fn parse(asked: Option<&str>) -> Result<Option<Self>, Failure> {
        let Some(text) = asked.filter(|text| !text.is_empty()) else { return Ok(None) };
        let refuse = |why: &str| Err(Failure::InvalidPattern(format!("glob {}: {why}", quoted(text))));
        if text.len() > LONGEST {
            return refuse("longer than 1000 bytes");
        }
        let mut rest = text;
        while let Some(shorter) = rest.strip_prefix("./").or_else(|| rest.strip_prefix('/')) {
            rest = shorter;
        }
        if rest.ends_with('/') {
            return refuse("ends with `/` and so matches nothing; append `**` for all that is below");
        }
        let glob = GlobBuilder::new(rest)
            .literal_separator(true)
            .backslash_escape(true)
            .empty_alternates(true)
            .build();
        match glob {
            Ok(glob) => Ok(Some(Self { matcher: glob.compile_matcher(), for_paths: text.contains('/') })),
            Err(error) => refuse(&error.kind().to_string()),
        }
    }

    /// Whether it speaks of paths and not only of names.
    pub(crate) fn for_paths(&self) -> bool {
        self.for_paths
    }

    /// Whether it matches an entry; `below` is its path from the directory asked for, `path` from
    /// the project's folder.
    pub(crate) fn matches(&self, name: &str, below: &str, path: &str) -> bool {
        if self.for_paths {
            self.matcher.is_match(below) || self.matcher.is_match(path)
        } else {
            self.matcher.is_match(name)
        }
    }
}

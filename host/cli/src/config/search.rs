//! Whom the tool that searches the web asks: `[tools.web_search] provider` and `url`.
//!
//! Owns: the words, that nobody else has them, and their form for the tool. Doesn't own: whether
//! the host may be asked (`hosts`), the key that it wants (`secrets`).

use super::file::ToolSection;
use crate::exit::Refusal;
use anyhow::Result;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The tool that has these keys.
const TOOL: &str = "web_search";

/// Who can be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchProvider {
    /// Brave's API; it has a usual address, and wants a key.
    Brave,
    /// An instance of SearXNG; it has no usual address.
    Searxng,
}

impl SearchProvider {
    /// As a file and the tool have it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Brave => "brave",
            Self::Searxng => "searxng",
        }
    }
}

/// What a section tells its tool; none if it says nothing of searching.
pub(super) fn settings(section: &ToolSection) -> Option<BTreeMap<String, String>> {
    let provider = section.provider?;
    let mut settings = BTreeMap::from([("search.provider".to_owned(), provider.name().to_owned())]);
    settings.extend(section.url.clone().map(|url| ("search.url".to_owned(), url)));
    Some(settings)
}

/// Refuses what no tool would heed.
pub(super) fn check(file: &str, tool: &str, section: &ToolSection) -> Result<()> {
    let (provider, url) = (section.provider, &section.url);
    let refuse = |what: &str, hint: &str| -> Result<()> {
        Err(Refusal::usage(format!("{file}: [tools.{tool}] {what}")).hint(hint.to_owned()).into())
    };
    if tool != TOOL && (provider.is_some() || url.is_some()) {
        return refuse("says whom to search with, which it doesn't heed", "say it in [tools.web_search]");
    }
    match (provider, url) {
        (None, Some(_)) => refuse("says `url` and no `provider`", "say `provider` as well"),
        (Some(SearchProvider::Searxng), None) => {
            refuse("says no `url`, and searxng has no usual one", "say the `url` of an instance")
        }
        (None, None) | (Some(_), Some(_)) | (Some(SearchProvider::Brave), None) => Ok(()),
    }
}

//! Whom the tool that searches the web asks: `[tools.web_search] provider` and `url`.
//!
//! Owns: the words, that nobody else has them, and their form for the tool. Doesn't own: whether
//! the host may be asked (`hosts`), the key that it wants (`secrets`).

use super::Resolved;
use super::enforceable::Wrong;
use super::file::{ConfigFile, ToolSection};
use ringfence_sandbox::HostUrl;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The tool that has these keys.
const TOOL: &str = "web_search";

/// Where Brave is asked unless a `url` says otherwise.
const BRAVE: &str = "https://api.search.brave.com";

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

/// What the tool that searches would need besides to reach its provider; nothing where it has none.
pub(super) fn lacking(user: &ConfigFile, resolved: &Resolved) -> Vec<String> {
    let Some(policy) = resolved.tools.get(TOOL) else { return Vec::new() };
    let Some(provider) = policy.settings.get("search.provider") else { return Vec::new() };
    let address = policy.settings.get("search.url").map_or(BRAVE, String::as_str);
    // What is no address of a host the tool tells by itself.
    let Ok(asked) = HostUrl::parse(address.split(['?', '#']).next().unwrap_or_default()) else {
        return Vec::new();
    };
    let said_in = format!("{} says `provider = \"{provider}\"`", policy.said_in);
    let origin = &asked.origin;
    let is_there = |url: &HostUrl| url.origin == *origin;
    let mut lacks = Vec::new();
    if !policy.hosts.iter().any(|host| is_there(host.url()) && host.has_method("GET")) {
        lacks.push(format!(
            "{said_in}, and it isn't granted to ask {origin}: name that in `hosts` of [grants]"
        ));
    }
    if provider == SearchProvider::Brave.name() {
        let exists = user.secrets.values().any(|section| is_there(section.host()));
        let goes_along = policy.secrets.iter().any(|secret| is_there(&secret.host));
        if !exists {
            lacks.push(format!(
                "{said_in}, which wants a key, and there is no secret for {origin}: [secrets.NAME] in your own configuration makes one"
            ));
        } else if lacks.is_empty() && !goes_along {
            lacks.push(format!(
                "{said_in}, which wants a key, and no secret goes along to {origin}: the host must be granted, and the secret not left out, in your own configuration"
            ));
        }
    }
    lacks
}

/// What no tool would heed.
pub(super) fn check(tool: &str, section: &ToolSection) -> Option<Wrong> {
    let (provider, url) = (section.provider, &section.url);
    let refuse = |key: &str, what: &str, hint: &str| {
        let (key, what) = (format!("tools.{tool}.{key}"), format!("[tools.{tool}] {what}"));
        Some(Wrong { key, what, hint: hint.to_owned() })
    };
    if tool != TOOL && (provider.is_some() || url.is_some()) {
        let key = if provider.is_some() { "provider" } else { "url" };
        return refuse(
            key,
            "says whom to search with, which it doesn't heed",
            "say it in [tools.web_search]",
        );
    }
    match (provider, url) {
        (None, Some(_)) => refuse("url", "says `url` and no `provider`", "say `provider` as well"),
        (Some(SearchProvider::Searxng), None) => {
            refuse("provider", "says no `url`, and searxng has no usual one", "say the `url` of an instance")
        }
        (None, None) | (Some(_), Some(_)) | (Some(SearchProvider::Brave), None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Flags;
    use super::super::reading::read;
    use super::*;

    fn told(project: &str, user: &str) -> Vec<String> {
        let (project, user) = (read("ringfence.toml", project).unwrap(), read("config.toml", user).unwrap());
        lacking(&user, &Resolved::of_layers(&project, &user, &Flags::default()).unwrap())
    }

    const BRAVE_SAYS: &str = "[tools.web_search]\nprovider = 'brave'\n";
    const HOST: &str = "[grants]\nhosts = ['https://api.search.brave.com']\n";
    const KEY: &str = "[secrets.key]\nenv = 'KEY'\nhost = 'https://api.search.brave.com'\nheader = 'x-key'\n";

    #[test]
    fn a_provider_that_can_t_be_asked_is_told_with_what_is_missing() {
        let wants = |said: Vec<String>, words: &[&str]| {
            assert_eq!(said.len(), words.len(), "{said:?}");
            for (said, word) in said.iter().zip(words) {
                assert!(said.contains(word), "{word}: {said}");
            }
        };
        let (no_host, no_secret) = (
            "isn't granted to ask https://api.search.brave.com",
            "there is no secret for https://api.search",
        );
        wants(told("", ""), &[]);
        wants(told("", BRAVE_SAYS), &[no_host, no_secret]);
        wants(told("", &[BRAVE_SAYS, HOST].concat()), &[no_secret]);
        wants(told("", &[BRAVE_SAYS, KEY].concat()), &[no_host]);
        wants(told("", &[BRAVE_SAYS, HOST, KEY].concat()), &[]);
        // A project's hosts alone set no secret in motion.
        wants(told(HOST, &[BRAVE_SAYS, KEY].concat()), &["no secret goes along"]);
        wants(told("", &[BRAVE_SAYS, "secrets = []\n", HOST, KEY].concat()), &["no secret goes along"]);
    }

    #[test]
    fn an_instance_of_searxng_wants_its_host_and_no_key() {
        let says = "[tools.web_search]\nprovider = 'searxng'\nurl = 'http://127.0.0.1:8888/x?y'\n";
        let said = told("", says);
        assert!(
            said.len() == 1 && said[0].contains("isn't granted to ask http://127.0.0.1:8888"),
            "{said:?}"
        );
        let hosts = "grants.hosts = [{ url = 'http://127.0.0.1:8888', private = true }]\n";
        assert_eq!(told("", &[hosts, says].concat()), [""; 0]);
        let posts =
            "grants.hosts = [{ url = 'http://127.0.0.1:8888', private = true, methods = ['POST'] }]\n";
        assert_eq!(told("", &[posts, says].concat()).len(), 1);
    }
}

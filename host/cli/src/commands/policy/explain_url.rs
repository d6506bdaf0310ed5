//! The part of `policy explain` that is about the network.
//!
//! No host can be granted, so the answer is always the same; a grant of hosts has its judgement
//! asked here.

use super::Desk;
use super::explain::{Answer, Question};
use anyhow::Result;

/// Whether something is no path but the address of a host.
pub(super) fn is_url(what: &str) -> bool {
    what.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

/// Whether a tool could reach a URL.
///
/// # Errors
///
/// None while no host can be granted.
pub(super) fn answer(_desk: &Desk, _tool: &str, _question: &Question<'_>) -> Result<Answer> {
    Ok(Answer {
        allowed: false,
        resolved: None,
        decided_by: "network",
        decider: None,
        why: "no host is granted, and this version can grant none: the network is closed to every tool"
            .to_owned(),
        would_allow: None,
    })
}

#[cfg(test)]
mod tests {
    use super::is_url;

    #[test]
    fn an_address_is_told_from_a_path() {
        assert!(is_url("https://api.example.com/x") && is_url("http://127.0.0.1:8080"));
        for path in ["src/a", "a:b", "/etc/passwd", "://x", "a/b://c", "1a://x"] {
            assert!(!is_url(path), "{path}");
        }
    }
}

//! The part of `policy explain` that is about the network.
//!
//! The judgement is the sandbox's own, on the grants that calls would have. Owns: saying it, and
//! what would allow it. Nothing is looked up or sent.

use super::Desk;
use super::allowing::Allowing;
use super::explain::{Answer, Question};
use crate::args::host_in_flag;
use crate::config::Role;
use anyhow::Result;
use ringfence_sandbox::{Denial, DenialReason, HostGrant, RequestRuling, without_user};

/// Whether something is no path but the address of a host.
pub(super) fn is_url(what: &str) -> bool {
    what.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
    })
}

/// Whether a tool could make a request: GET, or POST for changing something.
pub(super) fn answer(desk: &Desk, tool: &str, question: &Question<'_>) -> Result<Answer> {
    let no = |decided_by, why| Answer {
        allowed: false,
        resolved: None,
        decided_by,
        decider: None,
        why,
        would_allow: None,
    };
    if !desk.toolbox.tool(tool)?.component().tools().asks_hosts() {
        let why = "it has no way to make a request: its component doesn't import `wasi:http`";
        return Ok(no("component", why.to_owned()));
    }
    let tree = desk.toolbox.tree(tool);
    let method = if question.write { "POST" } else { "GET" };
    Ok(match tree.explain_request(method, question.what) {
        RequestRuling::Allowed { grant, secrets } => {
            let mut why = format!("{method} is granted there by `{grant}`");
            if !secrets.is_empty() {
                let names: Vec<_> = secrets.iter().map(|name| format!("`{}`", name.as_str())).collect();
                why.push_str(&format!("; the host adds the secret {}", names.join(", ")));
            }
            if !grant.is_private() {
                why.push_str("; an address of this machine or of a network around it would still be refused");
            }
            let decider = Some(grant.to_string());
            Answer { allowed: true, decider, ..no("grant", why) }
        }
        RequestRuling::Refused(denial) => {
            let decided_by = match denial.reason {
                DenialReason::UrlPath | DenialReason::Method => "grant",
                DenialReason::Malformed => "kind",
                DenialReason::Network
                | DenialReason::Address
                | DenialReason::NotGranted
                | DenialReason::LeavesRoot
                | DenialReason::LinkLeaves
                | DenialReason::SpecialFile
                | DenialReason::Masked
                | DenialReason::ReadOnly
                | DenialReason::NotRead
                | DenialReason::ChangedSinceRead
                | DenialReason::OtherSpelling
                | DenialReason::CrossesGrants
                | DenialReason::GrantItself
                | DenialReason::HoldsHidden
                | DenialReason::NoLinks => "network",
            };
            let would_allow = denial.would_allow.as_deref().and_then(host_in_flag);
            let would_allow =
                would_allow.and_then(|missing| allowing(desk, tool, method, question.what, &missing));
            if tree.grants().deterministic {
                let why = "it is deterministic: its answers can't come from the network, whatever is granted";
                return Ok(no("deterministic", why.to_owned()));
            }
            // What would allow it is said apart, and whole.
            let lock = desk.toolbox.lock_leaving_out(tool, &denial);
            let lock = lock.map(|lock| format!("; {lock} leave it out")).unwrap_or_default();
            let bare = Denial { would_allow: None, ..*denial };
            let why = format!("{}{lock}", bare.message(tree.dirs(), &tree.grants().hosts));
            Answer { would_allow, ..no(decided_by, why) }
        }
    })
}

/// Flags and lines that grant what is granted now and this; none if nothing would.
fn allowing(desk: &Desk, tool: &str, method: &str, url: &str, missing: &HostGrant) -> Option<Allowing> {
    let role = desk.resolved.role.as_ref();
    let all = role.map_or(desk.resolved.grants.hosts.as_slice(), Role::hosts_within);
    let own = &desk.toolbox.tree(tool).grants().hosts;
    let mut tables = Vec::new();
    let url = without_user(url);
    let policy = desk.resolved.tools.get(tool);
    if policy.is_some_and(|policy| !policy.named.reaches_host(method, &url, missing)) {
        tables.push(table(&format!("tools.{tool}"), own, missing));
    }
    if let Some(role) = role.filter(|role| !role.named().reaches_host(method, &url, missing)) {
        tables.push(table(&format!("roles.{}", role.name), own, missing));
    }
    let lies_in_all = all.iter().any(|granted| missing.lies_in(granted));
    let flags = (tables.is_empty() && !lies_in_all).then(|| flags(all, missing));
    if !lies_in_all {
        tables.push(table("grants", all, missing));
    }
    (!tables.is_empty()).then(|| Allowing { flags, toml: tables.join("\n"), own_file_only: false })
}

fn flags(granted: &[HostGrant], missing: &HostGrant) -> String {
    granted.iter().chain([missing]).map(HostGrant::flag).collect::<Vec<_>>().join(" ")
}

/// A host in short: its URL, or a table.
fn in_short(host: &HostGrant) -> String {
    let url = host.url().to_string();
    if HostGrant::parse(&url).is_ok_and(|usual| usual == *host) { url } else { host.written() }
}

fn table(name: &str, granted: &[HostGrant], missing: &HostGrant) -> String {
    let one = |host: &HostGrant| match in_short(host) {
        url if url.starts_with('{') => url,
        url => toml::Value::from(url).to_string(),
    };
    let hosts: Vec<_> = granted.iter().chain([missing]).map(one).collect();
    format!("[{name}]\nhosts = [{}]", hosts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parse_host;

    #[test]
    fn an_address_is_told_from_a_path() {
        assert!(is_url("https://api.example.com/x") && is_url("http://127.0.0.1:8080"));
        for path in ["src/a", "a:b", "/etc/passwd", "://x", "a/b://c", "1a://x"] {
            assert!(!is_url(path), "{path}");
        }
    }

    #[test]
    fn a_host_is_written_as_short_as_it_can_be() {
        let granted = [parse_host("https://a.example").unwrap()];
        let missing = parse_host("{ url = \"http://127.0.0.1:8080\", private = true }").unwrap();
        assert_eq!(
            table("grants", &granted, &missing),
            "[grants]\nhosts = [\"https://a.example\", { url = \"http://127.0.0.1:8080\", private = true }]"
        );
        assert_eq!(
            flags(&granted, &missing),
            "--allow-host https://a.example --allow-host '{ url = \"http://127.0.0.1:8080\", private = true }'"
        );
    }
}

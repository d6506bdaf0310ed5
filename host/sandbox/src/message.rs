//! What an outcome says in one line, for a person and a model alike.
//!
//! Text of the guest's may be in it: whoever prints it neutralises control characters.

use crate::egress::HostGrant;
use crate::grant::GrantPath;
use crate::mask::{Masks, lies_in, likeness};
use crate::receipt::{Denial, DenialReason, GrantedDir, Outcome, Receipt};
use serde_json::Value;
use std::fmt::Write;

/// Bytes of a tool's own error that fit into a line.
const ERROR_BYTES: usize = 600;
/// Granted hosts that a line names.
const HOSTS_NAMED: usize = 6;
/// Refusals that are told in full.
const SHOWN_DENIALS: usize = 3;

impl Outcome {
    /// One line that says how the call ended and, where the fence refused something, what was
    /// asked, what is granted and what would allow it. Empty for `Done`.
    pub fn message(&self, receipt: &Receipt) -> String {
        match self {
            Self::Done(_) => String::new(),
            Self::Failed(error) => error_text(error),
            Self::Trapped(why) => format!("the tool crashed: {why}"),
            Self::Denied { denials, crash, .. } => {
                let refused = refusals(denials, &receipt.dirs, &receipt.hosts);
                match crash {
                    None => refused,
                    // First, so that no path is too long for it to be seen.
                    Some(why) => format!("the tool crashed: {why}; before that it was refused: {refused}"),
                }
            }
            Self::Exceeded(exceeded) => format!("the tool was stopped: it exceeded its limit of {exceeded}"),
            Self::Cancelled => "the call was cancelled".to_owned(),
        }
    }
}

impl Denial {
    /// `../x is outside the granted folders (src, read)`, and what would allow it.
    pub fn message(&self, granted: &[GrantedDir], hosts: &[HostGrant]) -> String {
        let asked = &self.asked;
        let mut line = match self.reason {
            DenialReason::NotGranted if let Some(grant) = spelled_like(&self.resolved, granted) => format!(
                "{asked} is outside the granted folders ({}): it is spelled like {grant}, and not the same",
                listed(granted)
            ),
            DenialReason::NotGranted => {
                format!("{asked} is outside the granted folders ({})", listed(granted))
            }
            DenialReason::LeavesRoot => {
                format!("{asked} leads above the project (granted: {})", listed(granted))
            }
            DenialReason::LinkLeaves => {
                format!(
                    "{asked} is or goes through a link that leaves the granted folders ({})",
                    listed(granted)
                )
            }
            DenialReason::SpecialFile => {
                format!("{asked} is a pipe, socket or device; only files and folders can be opened")
            }
            DenialReason::Masked => match &self.mask {
                None => format!("{asked} is hidden from all tools (granted: {})", listed(granted)),
                Some(mask) if Masks::built_in().any(|(known, _)| known == mask) => {
                    format!("{asked} is masked (keys and credentials are hidden from tools)")
                }
                Some(mask) => format!("{asked} is masked (`{mask}` is hidden from tools)"),
            },
            DenialReason::ReadOnly => {
                format!("{asked} can't be changed: the grant is for reading ({})", listed(granted))
            }
            DenialReason::NotRead => {
                format!("{asked} can't be changed: it was not read first; read it whole, then write")
            }
            DenialReason::ChangedSinceRead => {
                format!("{asked} can't be changed: it has changed since it was read; read it again")
            }
            DenialReason::OtherSpelling => format!(
                "{asked} can't be changed: the run has changed that file under another spelling of its name; use that one"
            ),
            DenialReason::CrossesGrants => {
                format!("{asked} can't be moved from one grant into another ({})", listed(granted))
            }
            DenialReason::GrantItself => format!(
                "{asked} can't be removed, replaced or moved: it is granted itself, or holds what is ({})",
                listed(granted)
            ),
            DenialReason::HoldsHidden => {
                format!("{asked} can't be removed or moved: something in it is hidden from tools")
            }
            DenialReason::NoLinks => format!("{asked}: links can't be made or moved"),
            DenialReason::Network if self.operation != "request" => {
                format!("{} {asked}: sockets and name look-ups are closed to tools", self.operation)
            }
            DenialReason::Network if hosts.is_empty() => {
                format!("{asked} was not requested: no host is granted")
            }
            DenialReason::Network => format!("{asked} is not a granted host ({})", named(hosts)),
            DenialReason::UrlPath => format!("{asked} is outside the granted paths ({})", named(hosts)),
            DenialReason::Method => {
                let method = asked.split(' ').next().unwrap_or(asked);
                format!("{asked}: {method} is not granted there ({})", named(hosts))
            }
            DenialReason::Address => {
                format!("{asked} led to {}, which its grant is not for", self.resolved)
            }
            DenialReason::Malformed => format!("{asked} was not requested: {}", self.resolved),
        };
        if self.reason == DenialReason::Network && self.operation == "request" && !self.resolved.is_empty() {
            let _ = write!(line, "; that is {}", self.resolved);
        }
        if let Some(grant) = &self.would_allow {
            let _ = write!(line, "; `{grant}` would allow it");
        }
        if let Some(section) = &self.left_out_by {
            let _ = write!(line, "; {section} leave it out");
        }
        line
    }
}

/// The first few refusals, and how many more there were.
fn refusals(denials: &[Denial], granted: &[GrantedDir], hosts: &[HostGrant]) -> String {
    let shown: Vec<_> =
        denials.iter().take(SHOWN_DENIALS).map(|denial| denial.message(granted, hosts)).collect();
    let mut line = shown.join("; ");
    if denials.len() > SHOWN_DENIALS {
        let _ = write!(line, "; and {} more", denials.len() - SHOWN_DENIALS);
    }
    line
}

/// The grant that a place would lie in if case and the like didn't count.
fn spelled_like<'g>(place: &str, granted: &'g [GrantedDir]) -> Option<&'g GrantPath> {
    let likeness = likeness(place);
    let lies_in = |path: &GrantPath| {
        let folder = path.names().join("/");
        let is_spelled_so =
            place == folder || place.strip_prefix(&folder).is_some_and(|way| way.starts_with('/'));
        !folder.is_empty() && !is_spelled_so && lies_in(&likeness, &self::likeness(&folder))
    };
    granted.iter().map(|dir| &dir.path).find(|path| lies_in(path))
}

fn listed(granted: &[GrantedDir]) -> String {
    if granted.is_empty() {
        return "none".to_owned();
    }
    let shown: Vec<_> = granted.iter().map(|grant| format!("{}, {}", grant.path, grant.access)).collect();
    shown.join("; ")
}

fn named(hosts: &[HostGrant]) -> String {
    let mut shown: Vec<String> = hosts.iter().take(HOSTS_NAMED).map(HostGrant::to_string).collect();
    if let Some(more @ 1..) = hosts.len().checked_sub(HOSTS_NAMED) {
        shown.push(format!("and {more} more"));
    }
    shown.join("; ")
}

/// A tool's own error as text: the words of `{"case": …, "value": "words"}` or of a string.
fn error_text(error: &Value) -> String {
    let text = match (error, error.get("case"), error.get("value")) {
        (Value::String(text), ..) => text.clone(),
        (_, Some(Value::String(case)), Some(Value::String(text))) => {
            format!("{}: {text}", case.replace('_', " "))
        }
        (_, Some(Value::String(case)), None) => case.replace('_', " "),
        _ => error.to_string(),
    };
    let mut end = ERROR_BYTES.min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let (kept, rest) = text.split_at(end);
    if rest.is_empty() { text } else { format!("{kept}…") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::Digest;
    use crate::grant::Access;
    use crate::grant::GrantPath;
    use serde_json::json;

    fn granted() -> [GrantedDir; 1] {
        let path = GrantPath::parse("src").unwrap();
        [GrantedDir { path, access: Access::Read, masks: Digest::of(b"none") }]
    }

    fn receipt() -> Receipt {
        Receipt {
            tool: "t".to_owned(),
            component: Digest::of(b"none"),
            grants: Digest::of(b"none"),
            dirs: granted().to_vec(),
            env: Vec::new(),
            hosts: Vec::new(),
            requests: Vec::new(),
            opened: Vec::new(),
            written: Vec::new(),
            denials: Vec::new(),
            omitted: 0,
            truncated: false,
            output_bytes: 0,
            stdio_bytes: 0,
            peak_memory_bytes: 0,
            cpu_us: 0,
            fuel: None,
            wall_us: 0,
            exceeded: None,
            files_worked: None,
            cached: None,
        }
    }

    #[test]
    fn a_masked_place_is_told_from_one_that_no_grant_shows() {
        let masked = |mask: Option<&str>, would_allow: Option<&str>| Denial {
            operation: "open".to_owned(),
            asked: "src/x".to_owned(),
            resolved: "src/x".to_owned(),
            reason: DenialReason::Masked,
            mask: mask.map(str::to_owned),
            would_allow: would_allow.map(str::to_owned),
            left_out_by: None,
        };
        for (mask, allow, line) in [
            (None, None, "src/x is hidden from all tools (granted: src, read)"),
            (Some(".env*"), None, "src/x is masked (keys and credentials are hidden from tools)"),
            (
                Some("*.csv"),
                Some("--mask '!/src/x'"),
                "src/x is masked (`*.csv` is hidden from tools); `--mask '!/src/x'` would allow it",
            ),
        ] {
            assert_eq!(masked(mask, allow).message(&granted(), &[]), line);
        }
    }

    #[test]
    fn a_denial_names_what_was_asked_what_is_granted_and_what_would_allow_it() {
        let granted = granted();
        let denial = Denial {
            operation: "open".to_owned(),
            asked: "src/../secrets.txt".to_owned(),
            resolved: "/secrets.txt".to_owned(),
            reason: DenialReason::NotGranted,
            mask: None,
            would_allow: Some("--dir .".to_owned()),
            left_out_by: None,
        };
        assert_eq!(
            denial.message(&granted, &[]),
            "src/../secrets.txt is outside the granted folders (src, read); `--dir .` would allow it"
        );
    }

    #[test]
    fn a_refused_request_names_the_granted_hosts_and_the_grant_that_would_allow_it() {
        let asked = |reason, resolved: &str, would_allow: Option<&str>| Denial {
            operation: "request".to_owned(),
            asked: "GET http://10.0.0.1/".to_owned(),
            resolved: resolved.to_owned(),
            reason,
            mask: None,
            would_allow: would_allow.map(str::to_owned),
            left_out_by: None,
        };
        let hosts = [HostGrant::parse("https://api.example.com").unwrap()];
        let allow = Some(r#"{ url = "http://10.0.0.1", private = true }"#);
        for (denial, hosts, line) in [
            (
                asked(DenialReason::Network, "", allow),
                &hosts[..],
                r#"GET http://10.0.0.1/ is not a granted host (https://api.example.com); `{ url = "http://10.0.0.1", private = true }` would allow it"#,
            ),
            (
                asked(DenialReason::Network, "", None),
                &[],
                "GET http://10.0.0.1/ was not requested: no host is granted",
            ),
            (
                asked(
                    DenialReason::Network,
                    "a link-local address, refused unless a grant names it as such",
                    None,
                ),
                &hosts,
                "GET http://10.0.0.1/ is not a granted host (https://api.example.com); that is a link-local address, refused unless a grant names it as such",
            ),
            (
                asked(DenialReason::Method, "", None),
                &hosts,
                "GET http://10.0.0.1/: GET is not granted there (https://api.example.com)",
            ),
            (
                asked(DenialReason::Address, "10.0.0.1, an address of a private network", None),
                &hosts,
                "GET http://10.0.0.1/ led to 10.0.0.1, an address of a private network, which its grant is not for",
            ),
            (
                asked(DenialReason::Malformed, "it holds a user name", None),
                &hosts,
                "GET http://10.0.0.1/ was not requested: it holds a user name",
            ),
        ] {
            assert_eq!(denial.message(&[], hosts), line);
        }
    }

    #[test]
    fn a_crash_after_a_refusal_is_told_before_it() {
        let receipt = receipt();
        let denial = Denial {
            operation: "open".to_owned(),
            asked: "app.py".to_owned(),
            resolved: "app.py".to_owned(),
            reason: DenialReason::NotGranted,
            mask: None,
            would_allow: Some("--dir .".to_owned()),
            left_out_by: None,
        };
        let outcome = |crash: Option<&str>| Outcome::Denied {
            error: Value::Null,
            denials: vec![denial.clone(); 5],
            crash: crash.map(str::to_owned),
        };
        let one = "app.py is outside the granted folders (src, read); `--dir .` would allow it";
        let refused = format!("{one}; {one}; {one}; and 2 more");
        assert_eq!(outcome(None).message(&receipt), refused);
        assert_eq!(
            outcome(Some("unreachable in f")).message(&receipt),
            format!("the tool crashed: unreachable in f; before that it was refused: {refused}")
        );
    }

    #[test]
    fn an_error_variant_reads_as_a_sentence() {
        assert_eq!(error_text(&json!({"case": "not_found", "value": "a.txt"})), "not found: a.txt");
        assert_eq!(error_text(&json!({"case": "busy"})), "busy");
        assert_eq!(error_text(&json!("plain")), "plain");
        assert_eq!(error_text(&json!({"code": 7})), r#"{"code":7}"#);
    }

    #[test]
    fn a_long_error_is_cut_between_characters() {
        let text = error_text(&json!("é".repeat(1000)));
        assert!(text.len() <= ERROR_BYTES + 3 && text.ends_with('…'));
    }
}

//! What a person allowed during a run: in words, and as the fence has it.

use crate::amounts::moment;
use crate::terminal::one_line;
use anyhow::{Context, Result};
use ringfence_engine::{GrantedLater, LaterGrant, State};
use ringfence_sandbox::HostGrant;
use serde_json::json;

/// Characters of a path or a user's name.
const TEXT: usize = 200;

/// `docs (read)`
pub fn granted_words(grant: &LaterGrant) -> String {
    match grant {
        LaterGrant::Dir { path, access, masks: _ } => {
            format!("{} ({})", one_line(path, TEXT), one_line(access, 20))
        }
        LaterGrant::Host { url, methods, private } => {
            let methods = (!methods.is_empty()).then(|| methods.join(", "));
            let words: Vec<_> = methods.into_iter().chain(private.then(|| "private".to_owned())).collect();
            match words.is_empty() {
                true => one_line(url, TEXT),
                false => one_line(&format!("{url} ({})", words.join("; ")), TEXT),
            }
        }
        LaterGrant::Variable { name } => format!("{} of the environment", one_line(name, TEXT)),
    }
}

/// A granted host as it is journaled: both have the same keys.
pub fn journaled(host: &HostGrant) -> Result<LaterGrant> {
    let mut told = serde_json::to_value(host)?;
    told.as_object_mut().context("a grant is no object")?.insert("what".to_owned(), json!("host"));
    Ok(serde_json::from_value(told)?)
}

/// A journaled host as the fence has it.
pub fn host_of(url: &str, methods: &[String], private: bool) -> Result<HostGrant> {
    let mut told = json!({ "url": url, "private": private });
    if !methods.is_empty() {
        told["methods"] = json!(methods);
    }
    serde_json::from_value(told).with_context(|| format!("`{url}` can't be granted"))
}

/// One line for each grant: what, who, when.
pub fn granted_lines(state: &State) -> Vec<String> {
    let line = |granted: &GrantedLater| {
        let what = granted_words(&granted.grant);
        format!("{what}, by {}, {} UTC", one_line(&granted.by, TEXT), moment(granted.at))
    };
    state.granted.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::parse_host;

    #[test]
    fn a_granted_host_is_journaled_with_its_methods_and_whether_it_is_private() {
        for (given, words) in [
            ("https://a.example/v1", "https://a.example/v1"),
            (r#"{ url = "http://10.0.0.1:8080", private = true }"#, "http://10.0.0.1:8080 (private)"),
            (
                r#"{ url = "https://a.example", methods = ["PUT", "POST"], private = true }"#,
                "https://a.example (POST, PUT; private)",
            ),
        ] {
            let host = parse_host(given).unwrap();
            let grant = journaled(&host).unwrap();
            assert_eq!(granted_words(&grant), words);
            let LaterGrant::Host { url, methods, private } = &grant else { panic!("{grant:?}") };
            assert_eq!(host_of(url, methods, *private).unwrap(), host);
        }
        let before = r#"{"what":"host","url":"https://a.example"}"#;
        let grant: LaterGrant = serde_json::from_str(before).unwrap();
        assert_eq!(serde_json::to_string(&grant).unwrap(), before);
    }
}

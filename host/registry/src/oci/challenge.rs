//! How a registry wants to be told who asks.

/// One way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Challenge {
    /// Name and password.
    Basic,
    /// A token of somebody else's.
    Bearer { realm: String, service: Option<String>, scope: Option<String> },
}

impl Challenge {
    /// The best of the ways in these headers.
    pub(super) fn of<'a>(lines: impl Iterator<Item = &'a str>) -> Option<Self> {
        let all: Vec<_> = lines.filter_map(Self::parse).collect();
        let bearer = all.iter().find(|way| matches!(way, Self::Bearer { .. }));
        bearer.or(all.first()).cloned()
    }

    fn parse(line: &str) -> Option<Self> {
        let (scheme, rest) = line.trim().split_once(' ').unwrap_or((line.trim(), ""));
        if scheme.eq_ignore_ascii_case("basic") {
            return Some(Self::Basic);
        }
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let (mut realm, mut service, mut scope) = (None, None, None);
        let mut rest = rest;
        while let Some((name, after)) = rest.split_once('=') {
            let (value, after) = match after.strip_prefix('"') {
                Some(quoted) => quoted.split_once('"')?,
                None => after.split_at(after.find(',').unwrap_or(after.len())),
            };
            let slot = match name.trim().trim_start_matches(',').trim() {
                "realm" => Some(&mut realm),
                "service" => Some(&mut service),
                "scope" => Some(&mut scope),
                _ => None,
            };
            if let Some(slot) = slot {
                *slot = Some(value.to_owned());
            }
            rest = after.trim_start_matches([',', ' ']);
        }
        Some(Self::Bearer { realm: realm?, service, scope })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_preferred_to_a_password() {
        let bearer =
            r#"Bearer realm="https://a.example/token",service="r.example",scope="repository:a/b:pull,push""#;
        let expected = Challenge::Bearer {
            realm: "https://a.example/token".to_owned(),
            service: Some("r.example".to_owned()),
            scope: Some("repository:a/b:pull,push".to_owned()),
        };
        assert_eq!(Challenge::of(["Basic realm=\"x\"", bearer].into_iter()), Some(expected));
        assert_eq!(Challenge::of(["basic realm=x"].into_iter()), Some(Challenge::Basic));
        for none in ["", "Digest realm=\"x\"", "Bearer", "Bearer service=\"x\"", "Bearer realm=\"x"] {
            assert_eq!(Challenge::of([none].into_iter()), None, "{none}");
        }
    }
}

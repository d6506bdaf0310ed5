//! Findings about dependencies, as manifests ask for them and no lock file settles them.

use super::detected::{Dependency, Detected};
use super::wording::plural;
use super::{About, Claim, Concern, Item, Severity};

pub(super) fn claims(detected: &Detected<'_>) -> Vec<Claim> {
    let any = finding(
        detected,
        "any-version",
        "Any version of a dependency is accepted",
        "The next install may bring a release that breaks the program or that somebody else has published under the name; ask for a range.",
        |one| matches!(one.requirement.as_str(), "*" | "latest" | "x" | ">=0" | ">= 0"),
    );
    let moving = finding(
        detected,
        "moving-source",
        "A dependency comes straight from an address",
        "What stands there can change without a new version; pin a commit, and prefer releases.",
        |one| {
            let text = one.requirement.to_lowercase();
            let source = ["git ", "git+", "git:", "github:", "http:", "https:", "@ git"]
                .iter()
                .any(|start| text.starts_with(start));
            source && !pinned(&text)
        },
    );
    [any, moving].into_iter().flatten().collect()
}

/// Whether an address names one commit.
fn pinned(address: &str) -> bool {
    address
        .rsplit(['#', '@'])
        .next()
        .is_some_and(|end| end.len() >= 7 && end.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

fn finding(
    detected: &Detected<'_>,
    topic: &str,
    title: &str,
    why: &str,
    wrong: impl Fn(&Dependency) -> bool,
) -> Option<Claim> {
    let items: Vec<Item> = detected
        .dependencies
        .iter()
        .filter(|one| one.resolved.is_none() && detected.setting(&one.path).counts())
        .filter(|one| wrong(one))
        .map(|one| Item {
            text: format!("{} {}", one.name, one.requirement),
            detail: one.scope.name().to_owned(),
            evidence: one.evidence.clone(),
            finding: None,
        })
        .collect();
    if items.is_empty() {
        return None;
    }
    let text = format!("{title}: {}.", plural(items.len() as u64, "place"));
    let mut claim = Claim::new(About::Problem, topic, text, Vec::new()).with_items(items);
    claim.why = Some(why.to_owned());
    claim.severity = Some(Severity::Low);
    claim.concern = Some(Concern::Maintainability);
    Some(claim)
}

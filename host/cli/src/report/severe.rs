//! Which findings weigh enough to fail a build.

use super::{Report, Statement};
use ringfence_models::playbook::analyst::{Confidence, Severity};

impl Statement {
    /// Whether it is, in part at least, about code of the product; where nothing says otherwise it is.
    pub(super) fn in_product(&self) -> bool {
        let mut settings = self.items.iter().filter_map(|item| item.finding.as_ref()).peekable();
        settings.peek().is_none() || settings.any(|finding| finding.setting == "product")
    }
}

impl Report {
    /// Whether there is a finding at least as bad as this in the product's own code. What a rule
    /// isn't sure of doesn't count.
    pub fn has_finding(&self, least: Severity) -> bool {
        self.findings.iter().any(|told| {
            let sure = told.rule.as_ref().is_none_or(|card| card.confidence > Confidence::Low);
            sure && told.severity >= Some(least) && told.in_product()
        })
    }
}

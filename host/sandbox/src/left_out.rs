//! Hints that can't be followed, taken back: a caller may know that a grant would not reach a tool.

use crate::call::CallReport;
use crate::receipt::{Denial, Outcome};

impl Denial {
    /// Says what leaves it out in place of a grant that would be given in vain.
    pub fn left_out(&mut self, by: String) {
        self.would_allow = None;
        self.left_out_by = Some(by);
    }
}

impl CallReport {
    /// The same with the refusals that no grant would help said so. `by`: what leaves out what was
    /// refused, in words; none where the hint holds.
    pub fn with_left_out(mut self, by: impl Fn(&Denial) -> Option<String>) -> Self {
        let told = match &mut self.outcome {
            Outcome::Denied { denials, .. } => denials.as_mut_slice(),
            Outcome::Done(_)
            | Outcome::Failed(_)
            | Outcome::Trapped(_)
            | Outcome::Exceeded(_)
            | Outcome::Cancelled => &mut [],
        };
        for denial in told.iter_mut().chain(&mut self.receipt.denials) {
            if let Some(by) = by(denial) {
                denial.left_out(by);
            }
        }
        self
    }
}

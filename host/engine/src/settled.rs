//! Staged changes that a person put into the project, or threw away.
//!
//! Owns: that it is part of the record, bounded. Doesn't own: what is staged, and doing it.

use crate::bounds;
use crate::id::{StepId, Timestamp};
use crate::refused::Refused;
use crate::state::State;
use serde::{Deserialize, Serialize};

/// So often staged changes can be settled in one run.
const MOST: usize = 1_000;
/// So many paths can be named each time.
const PATHS: usize = 10_000;
/// Characters of a path.
const TEXT: usize = 4_096;

/// One decision of a person's about staged changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// What became of them.
    pub how: Settling,
    /// Where, seen from the project folder; none means everything that was staged then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Vec<String>>,
}

/// What can become of staged changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Settling {
    /// They are in the project.
    Applied,
    /// They are gone.
    Discarded,
}

impl Settling {
    /// The name in snake_case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Applied => "applied",
            Self::Discarded => "discarded",
        }
    }
}

/// The same with its time, as the state keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettledAt {
    /// When the driver learnt it.
    pub at: Timestamp,
    /// The first step that came after it.
    pub before: StepId,
    /// What.
    #[serde(flatten)]
    pub settled: Settled,
}

impl Settled {
    /// Whether it can be taken into the record.
    pub(crate) fn check(&self, state: &State) -> Result<(), Refused> {
        let refuse = |why: String| Err(Refused::Words { what: "what is settled", why });
        let paths = self.paths.iter().flatten();
        if paths.clone().count() > PATHS || paths.clone().any(|path| bounds::longer_than(path, TEXT)) {
            return refuse(format!("names more than {PATHS} paths, or one of more than {TEXT} characters"));
        }
        if state.settled.len() >= MOST {
            return refuse(format!("comes after {MOST} other decisions about staged changes"));
        }
        Ok(())
    }

    /// Takes it into the record.
    pub(crate) fn settle(self, state: &mut State) {
        let before = StepId(state.next.step);
        state.settled.push(SettledAt { at: state.clock.latest, before, settled: self });
    }
}

//! Whether what is staged at a place may reach the project: judged again under the run's grants when
//! a person applies it, since a stage can have been written under others, or be damaged.
//!
//! Owns: the question. Doesn't own: the judgement itself (`policy`), applying (`stage`).

use super::grants::GrantedTree;
use super::log::Log;
use super::place::Place;
use super::policy::Want;
use super::project::ProjectDir;
use super::refused::Refused;
use crate::receipt::DenialReason;

impl GrantedTree {
    /// The project that these grants are of.
    pub(crate) fn project(&self) -> &ProjectDir {
        &self.project
    }

    /// Whether a tool under these grants may change this place; `removes` if it takes away what is
    /// there, or puts another kind of thing there. The error says why not.
    pub(crate) fn may_apply(&self, place: &str, removes: bool) -> Result<(), String> {
        let mut at = Place::root();
        for name in place.split('/') {
            if matches!(name, "" | "." | "..") || at.push(name).is_err() {
                return Err(format!("`{place}` is no path of a project"));
            }
        }
        let refused = match self.judge(&at, Want::Change) {
            Ok(_) if removes && self.has_grant_at_or_below(&at) => {
                Refused::denied(DenialReason::GrantItself, &at)
            }
            Ok(_) => return Ok(()),
            Err(refused) => refused,
        };
        let mut log = Log::default();
        log.refused("apply", place, &refused);
        match log.finish().denials.pop() {
            // A grant would come too late: the call is over.
            Some(mut denial) => {
                denial.would_allow = None;
                Err(denial.message(self.dirs(), &[]))
            }
            None => Err(format!("{place}: {}", refused.code().message())),
        }
    }
}

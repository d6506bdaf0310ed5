//! Asking a person: on the terminal, by flags, or not at all.
//!
//! Owns: which questions may be answered by whom, and how a question reads. What an answer does
//! is the engine's business; it refuses answers that don't fit.

mod given;
pub mod plan_file;
mod prompt;
mod text;
mod ways;

pub use given::{Given, read_plan};
pub use text::{call_line, describe, quoted, short, would_change};
pub use ways::{answers, ways_on};

use crate::session::own_name;
use crate::shell::quote;
use crate::staging::proposed;
use crate::state_dir::Folders;
use anyhow::{Context, Result};
use given::approved_hash;
use ringfence_engine::{Answer, Cause, Review, State, Subject};

/// What asking brought.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// An answer.
    Answered(Answer),
    /// Nobody is there, or they will answer another day.
    Later,
}

/// What somebody at a terminal said.
enum Said {
    /// Something about this question alone.
    Verdict(Verdict),
    /// This call and all to come, while this process lasts.
    ApproveAllCalls,
}

/// Who answers reviews.
#[derive(Debug, Default)]
pub struct Reviewer {
    /// An answer from the command line, for the first question only.
    pub given: Option<Given>,
    /// `--yes`: plans and calls are approved; anything else still needs a person.
    pub yes: bool,
    /// Whether somebody sits at a terminal.
    pub terminal: bool,
    /// Whether they approved all calls to come.
    pub all_calls: bool,
    /// Where proposed changes are kept, and what commands that are printed name.
    pub folders: Option<Folders>,
}

impl Reviewer {
    /// Whether [`Self::ask`] would ask somebody at the terminal.
    pub fn would_prompt(&self, review: &Review) -> bool {
        self.terminal && self.leaves_to_a_person(&review.subject)
    }

    /// Whether the answer is a person's to give, now or another day.
    pub fn leaves_to_a_person(&self, subject: &Subject) -> bool {
        let approved = match subject {
            Subject::Call { why, .. } => self.all_calls && why.pause_point().is_some(),
            Subject::Plan { .. }
            | Subject::Judgement { .. }
            | Subject::Finish { .. }
            | Subject::Question { .. }
            | Subject::Stagnation { .. }
            | Subject::UnknownOutcome { .. }
            | Subject::StageFailed { .. }
            | Subject::Interrupted => false,
        };
        let covered = self.yes && covered_by_yes(subject);
        self.given.is_none() && !approved && !covered
    }

    /// Asks, or says that the answer comes another day.
    pub async fn ask(&mut self, review: &Review, state: &State) -> Result<Verdict> {
        if let Some(given) = self.given.take() {
            let (review, flow) = (review.clone(), state.settings.flow);
            // A file can be a pipe that nobody writes to; Ctrl-C must still be heard.
            let read = tokio::task::spawn_blocking(move || given::read(given, &review, flow));
            return Ok(Verdict::Answered(read.await.context("the answer can't be read")??));
        }
        if self.yes && covered_by_yes(&review.subject) {
            let plan = approved_hash(&review.subject);
            return Ok(Verdict::Answered(Answer::Approve { plan }));
        }
        if self.all_calls
            && matches!(&review.subject, Subject::Call { why, .. } if why.pause_point().is_some())
        {
            return Ok(Verdict::Answered(Answer::Approve { plan: None }));
        }
        if !self.terminal {
            return Ok(Verdict::Later);
        }
        let (flag, proposed) = match &self.folders {
            Some(folders) => (folders.flag(), proposed(&state.run, review.id, folders)),
            None => (String::new(), None),
        };
        let whole = format!("{} diff {} --proposed{flag}", quote(&own_name()), state.run);
        let shown =
            describe(review, state) + &proposed.map(|diff| would_change(&diff, &whole)).unwrap_or_default();
        let (review, state) = (review.clone(), state.clone());
        let grant = format!("{} grant {} --dir PATH{flag}", quote(&own_name()), state.run);
        let asked = tokio::task::spawn_blocking(move || prompt::ask(&review, &state, &shown, &grant)).await;
        Ok(match asked.context("asking failed")?? {
            Said::Verdict(verdict) => verdict,
            Said::ApproveAllCalls => {
                self.all_calls = true;
                Verdict::Answered(Answer::Approve { plan: None })
            }
        })
    }
}

/// What `--yes` stands for: plans, and calls that are shown for what they can do. Not for what the
/// model isn't sure of, nor for what the run may have been told to send; and a pause at a judgement
/// or at the end is there because somebody wants to see it.
fn covered_by_yes(subject: &Subject) -> bool {
    match subject {
        Subject::Plan { .. } => true,
        Subject::Call { why, .. } => match why {
            Cause::BeforeTool | Cause::BeforeWrite | Cause::BeforeEgress => true,
            Cause::AfterEvaluate | Cause::OnLowConfidence | Cause::ReadAndReceived => false,
        },
        Subject::Judgement { .. }
        | Subject::Finish { .. }
        | Subject::Question { .. }
        | Subject::Stagnation { .. }
        | Subject::UnknownOutcome { .. }
        | Subject::StageFailed { .. }
        | Subject::Interrupted => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rehearsal::{Rehearsal, decide, plan, reason};
    use ringfence_engine::{Effect, Flow, ModelStage, PausePoint};
    use serde_json::json;

    fn asked(run: &Rehearsal) -> Subject {
        let Effect::AskPerson(review) = run.run.owed().remove(0) else { panic!("it asks nobody") };
        review.subject
    }

    #[test]
    fn yes_stands_for_approvals_and_never_for_what_only_a_person_knows() {
        let mut run = Rehearsal::flow(Flow::Staged, &[PausePoint::AfterPlan, PausePoint::BeforeTool]);
        run.reply(plan(&["a"], false));
        assert!(covered_by_yes(&asked(&run)));
        run.approve().reply(decide("write_file", json!({ "path": "x" })));
        let Subject::Call { call, why } = asked(&run) else { panic!("no call") };
        assert!(covered_by_yes(&Subject::Call { call: call.clone(), why }));
        for why in [Cause::ReadAndReceived, Cause::OnLowConfidence] {
            assert!(!covered_by_yes(&Subject::Call { call: call.clone(), why }));
        }
        assert!(!covered_by_yes(&Subject::UnknownOutcome { call }));
        let mut run = Rehearsal::flow(Flow::Pipeline, &[PausePoint::BeforeFinish]);
        run.reply(reason("NEED_MORE_INFO", json!({ "question": "Which?" })));
        assert!(!covered_by_yes(&asked(&run)));
        run.answer(Answer::Reply { text: "all".to_owned() });
        run.reply(reason("FINAL_ANSWER", json!({ "answer": "42" })));
        assert!(!covered_by_yes(&asked(&run)), "a pause at the end is there to be seen");
        assert!(!covered_by_yes(&Subject::Stagnation { seen: "a".to_owned() }));
        assert!(!covered_by_yes(&Subject::Interrupted));
        let (stage, why) = (ModelStage::Plan, String::new());
        assert!(!covered_by_yes(&Subject::StageFailed { stage, why, unreachable: false }));
    }
}

//! What every flow answers alike: the detours *recover* and *pause*, and what a person says.

use super::{Outcome, Step, Work};
use crate::effect::{Ending, Subject};
use crate::gate;
use crate::settings::{OnStageFailure, PausePoint};
use crate::state::State;

/// The next step where it doesn't depend on the flow; `onward` is where the flow goes on with its
/// work, `think` what chooses there.
pub(super) fn next(state: &State, outcome: Outcome, think: Work, onward: Step) -> Step {
    match outcome {
        Outcome::CallsChosen(turn) | Outcome::TurnGoesOn(turn) => gate::pass(state, turn),
        Outcome::QuestionChosen { question, reasoning } => {
            pause(Subject::Question { question, reasoning }, Step::Ask(think))
        }
        Outcome::ChoiceUnfit | Outcome::TurnRejected => Step::Ask(think),
        Outcome::InDoubt { call, turn } => pause(Subject::UnknownOutcome { call }, Step::Call(turn)),

        Outcome::AnswerGiven { answer, reasoning } => finish(state, Some(answer), reasoning),
        Outcome::GoalAchieved { reasoning } => finish(state, None, reasoning),

        Outcome::Unusable { why, max_tokens } => Step::Again { why, max_tokens },
        Outcome::StageFailed { why, recovered: false, .. } => Step::Recover { why },
        Outcome::StageFailed { stage, why, recovered: true } => match state.settings.on_stage_failure {
            OnStageFailure::Pause => {
                pause(Subject::StageFailed { stage, why, unreachable: false }, Step::Anew)
            }
            OnStageFailure::Fail => {
                let why = format!("the stage `{}` failed twice: {why}", stage.name());
                Step::End(Ending::Failed { why })
            }
        },
        Outcome::Unreachable { stage, why } => {
            pause(Subject::StageFailed { stage, why, unreachable: true }, Step::Anew)
        }

        Outcome::Onward(stage) => Step::Return(stage),
        Outcome::Advised(work) => Step::Ask(work),
        Outcome::FinishRejected => Step::Ask(think),
        Outcome::Interrupted(stage) => pause(Subject::Interrupted, Step::Return(stage)),
        Outcome::Aborted => Step::End(Ending::Aborted),

        Outcome::Began
        | Outcome::TasksProposed(_)
        | Outcome::NothingPlanned { .. }
        | Outcome::TurnEnded
        | Outcome::Judged(_)
        | Outcome::JudgementRejected
        | Outcome::TasksSet
        | Outcome::TaskGivenUp
        | Outcome::Joined { .. } => onward,
    }
}

/// The end, where a person needn't see it first.
fn finish(state: &State, answer: Option<String>, reasoning: String) -> Step {
    let end = Step::End(Ending::Achieved);
    if state.settings.pause.contains(&PausePoint::BeforeFinish) {
        pause(Subject::Finish { answer, reasoning }, end)
    } else {
        end
    }
}

/// Asks a person, then goes on.
pub(super) fn pause(subject: Subject, then: Step) -> Step {
    Step::Pause { subject, then: Box::new(then) }
}

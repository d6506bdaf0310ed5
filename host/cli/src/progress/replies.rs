//! What a model's reply came to, in a line: told by the stage that asked and where the run went.

use super::telling::Asked;
use crate::review::call_line;
use crate::terminal::plain;
use ringfence_engine::{CallId, Ending, ModelStage, Stage, State, Subject, TaskId, Turn};
use ringfence_models::playbook::analyst::plural;

/// A line and how it begins.
pub(super) enum Line {
    /// With the number of the iteration, and with the task where it is one of several.
    Numbered(String),
    /// The same, and it names its task itself.
    OfTask(String),
    /// No stage was carried out.
    Aside(String),
}

/// What a reply came to. `own`: the run that asked; `lane`: its task, if it is a delegated one.
pub(super) fn line(call: CallId, asked: Option<&Asked>, own: &State, lane: Option<&TaskId>) -> Line {
    let noted = own.notes.iter().rev().find(|note| note.call == call).map(|note| plain(&note.text));
    let because = noted.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
    let Some(asked) = asked else { return Line::Numbered(format!("answered{because}")) };
    if let Some((stage, asking)) = own.stage.asking()
        && stage == asked.stage
        && asking.call != call
        && noted.is_some()
    {
        if asking.reask.is_some() {
            return Line::Aside(format!("the reply can't be used, asking once more{because}"));
        }
        if asking.recovers.is_some() && !asked.recovers {
            return Line::Aside(format!(
                "the stage `{}` failed, asking it afresh once{because}",
                stage.name()
            ));
        }
    }
    if let Some(Subject::StageFailed { stage, why, .. }) = subject(&own.stage) {
        return Line::Numbered(format!("paused, since the stage `{}` failed: {}", stage.name(), plain(why)));
    }
    if let Stage::Failed { ending: Ending::Failed { why } } = &own.stage {
        return Line::Numbered(format!("failed: {}", plain(why)));
    }
    match asked.stage {
        ModelStage::Plan => Line::Numbered(format!("{}{because}", planned(own))),
        ModelStage::Decide => Line::Numbered(format!("decided: {}{because}", chosen(own))),
        ModelStage::Evaluate => match judged(own, lane) {
            Some(judged) => Line::OfTask(format!("{judged}{because}")),
            None => Line::Numbered(format!("evaluated{because}")),
        },
        ModelStage::Reason => Line::Numbered(format!("{}{because}", reasoned(own, "reasoned"))),
        ModelStage::Converse => Line::Numbered(format!("{}{because}", reasoned(own, "turn"))),
        ModelStage::Reflect => Line::Numbered(match (&noted, &own.instruction) {
            (None, Some(instruction)) => format!("reviewed: {}", plain(&instruction.text)),
            (Some(_), _) | (None, None) => format!("reviewed{because}"),
        }),
    }
}

/// Where the run goes once its detour is over.
fn ahead(stage: &Stage) -> &Stage {
    match stage {
        Stage::Reflecting { then, .. } => ahead(then),
        Stage::PausedForReview { review, then } => match review.subject {
            Subject::Stagnation { .. } | Subject::Interrupted | Subject::Call { .. } => ahead(then),
            Subject::Plan { .. }
            | Subject::Judgement { .. }
            | Subject::Finish { .. }
            | Subject::Question { .. }
            | Subject::UnknownOutcome { .. }
            | Subject::StageFailed { .. } => stage,
        },
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Delegating { .. }
        | Stage::Finished
        | Stage::Failed { .. } => stage,
    }
}

fn subject(stage: &Stage) -> Option<&Subject> {
    stage.review().map(|(review, _)| &review.subject)
}

fn planned(own: &State) -> String {
    let stage = ahead(&own.stage);
    if let Stage::Finished = stage {
        return "the goal is achieved".to_owned();
    }
    match subject(stage) {
        Some(Subject::Plan { plan }) => format!("planned: {}", plural(plan.tasks.len() as u64, "task")),
        Some(Subject::Finish { .. }) => "the goal is said to be achieved".to_owned(),
        Some(
            Subject::Call { .. }
            | Subject::Judgement { .. }
            | Subject::Question { .. }
            | Subject::Stagnation { .. }
            | Subject::UnknownOutcome { .. }
            | Subject::StageFailed { .. }
            | Subject::Interrupted,
        )
        | None => {
            let open = own.stack.len() + crate::lanes::lanes(own).len();
            plural(open as u64, "open task")
        }
    }
}

/// What was chosen: calls, a question, or something that can't be done.
fn chosen(own: &State) -> String {
    let stage = ahead(&own.stage);
    match stage {
        Stage::Executing { turn } => return turn_line(turn),
        Stage::Failed { .. } => return "something that isn't done any more".to_owned(),
        Stage::PausedForReview { .. }
        | Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Delegating { .. }
        | Stage::Reflecting { .. }
        | Stage::Finished => {}
    }
    match subject(stage) {
        Some(Subject::Question { .. }) => "to ask a person".to_owned(),
        Some(
            Subject::Plan { .. }
            | Subject::Call { .. }
            | Subject::Judgement { .. }
            | Subject::Finish { .. }
            | Subject::Stagnation { .. }
            | Subject::UnknownOutcome { .. }
            | Subject::StageFailed { .. }
            | Subject::Interrupted,
        )
        | None => "nothing that can be done".to_owned(),
    }
}

fn reasoned(own: &State, how: &str) -> String {
    let stage = ahead(&own.stage);
    let answered = match (stage, subject(stage)) {
        (Stage::Finished, _) => own.answer.as_deref(),
        (_, Some(Subject::Finish { answer, .. })) => answer.as_deref(),
        (_, Some(_) | None) => None,
    };
    match answered {
        Some(answer) => format!("answered: {}", plain(answer)),
        None => format!("{how}: {}", chosen(own)),
    }
}

/// The task that was judged, with the summary.
fn judged(own: &State, lane: Option<&TaskId>) -> Option<String> {
    let of_lane = |task: &TaskId| lane.is_none_or(|lane| lane == task);
    let last = own.history.iter().rev().find(|action| of_lane(&action.task))?;
    let summary = last.summary.trim();
    (!summary.is_empty()).then(|| format!("{}: {}", plain(&last.task.0), plain(summary)))
}

/// The calls of a turn.
fn turn_line(turn: &Turn) -> String {
    let calls: Vec<_> = turn.slots.iter().map(|slot| call_line(&slot.call)).collect();
    let refused = match turn.answered.len() {
        0 => String::new(),
        count => format!(" ({} that can't be met)", plural(count as u64, "request")),
    };
    format!("{}{refused}", calls.join("; "))
}

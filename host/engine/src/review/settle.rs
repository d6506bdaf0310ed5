//! What a person's answer does to the state; and taking up what was put aside.

use super::Resolution;
use crate::bounds;
use crate::effect::{Confidence, Subject, ToolCall};
use crate::event::{OutcomeStatus, ToolOutcome};
use crate::flow::{Outcome, Work};
use crate::guard;
use crate::lanes;
use crate::message::ToolAnswer;
use crate::plan::{PlannedTask, TaskStatus};
use crate::settings::Flow;
use crate::stage::Stage;
use crate::stages::{self, adopt, end_task, judgement_rejected, record, set_tasks, tool_ended};
use crate::state::{Deed, Said, State};
use crate::turn::{Standing, Turn};
use serde_json::Value;

/// Folds an answer in; `then` is where the run was to go on.
pub(crate) fn settle(state: &mut State, resolution: Resolution, then: Stage) -> Outcome {
    let onward = |stage: Stage| Outcome::Onward(Box::new(stage));
    match resolution {
        Resolution::GoOn => onward(then),
        Resolution::ApprovePlan(plan) => {
            adopt(state, &plan);
            onward(then)
        }
        Resolution::SetTasks(tasks) => {
            afresh(state);
            set_tasks(state, tasks);
            Outcome::TasksSet
        }
        Resolution::Want(tasks) => {
            unmade(state);
            afresh(state);
            state.answer = None;
            want(state, &tasks);
            Outcome::FinishRejected
        }
        Resolution::PlanAgain { to, words } => {
            state.observation = Some(format!("{to}: {words}"));
            say(state, "the proposed plan", &words);
            Outcome::Advised(Work::Plan)
        }
        Resolution::ClearCall { call, mut turn, tasks } => {
            match tasks {
                Some(tasks) if state.settings.flow == Flow::Staged => set_tasks(state, tasks),
                Some(tasks) => want(state, &tasks),
                None => {}
            }
            turn.stand(call.call, Standing::Cleared);
            turn.replace(call);
            Outcome::TurnGoesOn(turn)
        }
        Resolution::RejectCall { call, mut turn, reason } => {
            say(state, &format!("the proposed call of {}", call.tool), &reason);
            turn.stand(call.call, Standing::Rejected { reason });
            stages::go_on(state, turn)
        }
        Resolution::RejectJudgement { task, words, judge_again } => {
            judgement_rejected(state, &task, &words);
            say(state, &format!("the judgement on {task}"), &words);
            if judge_again { Outcome::Advised(Work::Evaluate) } else { Outcome::JudgementRejected }
        }
        Resolution::RejectFinish { words } => {
            state.answer = None;
            state.observation = Some(format!("A person says that the goal isn't achieved yet: {words}"));
            say(state, "the proposed end", &words);
            tell(state, &words);
            Outcome::FinishRejected
        }
        Resolution::SetAnswer { text } => {
            state.answer = Some(bounds::cut(&text, bounds::ANSWER));
            onward(then)
        }
        Resolution::AnswerQuestion { question, reasoning, answer, declined } => {
            let said = if declined { "A person declined to answer" } else { "A person answered" };
            told(state, said, question, reasoning, answer);
            // Under a new number, as journals of all versions have it.
            Outcome::Advised(thinking(state))
        }
        Resolution::GoOnAfresh => {
            afresh(state);
            onward(then)
        }
        Resolution::Advise { seen, advice } => {
            unmade(state);
            told(state, "A person advised", seen, String::new(), advice);
            Outcome::Advised(thinking(state))
        }
        Resolution::GiveUpTask { reason } => {
            give_up(state, &reason);
            Outcome::TaskGivenUp
        }
        Resolution::AskWith { stage, words } => {
            say(state, &format!("the stage `{}`, which failed", stage.name()), &words);
            tell(state, &words);
            onward(then)
        }
        Resolution::CallAgain { call, mut turn } => {
            turn.replace(call);
            Outcome::TurnGoesOn(turn)
        }
        Resolution::TakeAs { call, turn, words, done } => taken_as(state, call, turn, words, done),
        Resolution::TakeUp { words } => {
            if let Some(words) = words {
                say(state, "the interrupted run", &words);
                tell(state, &words);
            }
            take_up(then)
        }
        Resolution::Abort => {
            let lanes = lanes::out_of(then);
            if !lanes.is_empty() {
                lanes::join(state, lanes);
            }
            Outcome::Aborted
        }
    }
}

/// What chooses in this flow.
fn thinking(state: &State) -> Work {
    match state.settings.flow {
        Flow::Staged if state.stack.is_empty() => Work::Plan,
        Flow::Staged => Work::Decide,
        Flow::Pipeline => Work::Think,
        Flow::React => Work::Converse,
    }
}

/// A person knows what became of a call that nobody else knows of.
fn taken_as(state: &mut State, call: ToolCall, turn: Turn, words: String, done: bool) -> Outcome {
    let outcome = if done {
        ToolOutcome {
            status: OutcomeStatus::Done,
            value: Value::String(words),
            message: String::new(),
            receipt: None,
            transient: false,
        }
    } else {
        ToolOutcome {
            status: OutcomeStatus::Failed,
            value: Value::Null,
            message: format!("its outcome is unknown; a person takes it as failed: {words}"),
            receipt: None,
            transient: false,
        }
    };
    tool_ended(state, turn, &call, outcome)
}

fn give_up(state: &mut State, reason: &str) {
    unmade(state);
    afresh(state);
    let top = state.stack.last();
    let id = top.map_or_else(String::new, |task| task.planned.id.to_string());
    say(state, &format!("{id}, when they gave it up"), reason);
    let summary = format!("given up by a person: {reason}");
    state.observation = Some(format!("{id} was {summary}"));
    end_task(state, TaskStatus::Failed, summary);
}

/// The guard against standing still counts afresh.
fn afresh(state: &mut State) {
    state.watch.trail.clear();
    state.watch.crowd = None;
    guard::progress(state);
}

/// A turn of tools that is dropped: the conversation says so.
fn unmade(state: &mut State) {
    if let Some(conversation) = &mut state.conversation {
        conversation.answer(Vec::new());
    }
}

/// More that is wanted, in a flow that has no tasks.
fn want(state: &mut State, tasks: &[PlannedTask]) {
    for task in tasks {
        let words = bounds::cut(&task.description, bounds::PERSON);
        say(state, "the goal, which they add to", &words);
        tell(state, &words);
    }
    state.observation = Some("A person wants more done.".to_owned());
}

/// A person said something: part of the history, and the guard counts afresh.
fn told(state: &mut State, said: &str, question: String, reasoning: String, answer: String) {
    afresh(state);
    state.observation = Some(format!("{said}: {answer}"));
    say(state, &format!("the question {:?}", bounds::one_line(&question, bounds::SAID_TO)), &answer);
    if let Some(conversation) = &mut state.conversation {
        let words = format!("{said}: {answer}");
        match conversation.waiting() {
            [] => conversation.tell(&words),
            [asked, ..] => {
                let id = asked.id.clone();
                conversation.answer(vec![ToolAnswer { id, text: words, is_error: false }]);
            }
        }
    }
    let step = state.next.step();
    let task = stages::task(state);
    record(state, step, task, reasoning, Confidence::default(), Deed::Human { question, answer });
}

/// Keeps what a person said, for every later stage.
fn say(state: &mut State, to: &str, text: &str) {
    state.said.push(Said { to: to.to_owned(), text: text.to_owned() });
}

/// Says it in the conversation.
fn tell(state: &mut State, words: &str) {
    if let Some(conversation) = &mut state.conversation {
        conversation.tell(words);
    }
}

/// Goes on with a stage that no driver works on any more. A model is simply asked again; a tool
/// call is made again, under its own id, where that can do no harm, and is in doubt otherwise. An
/// interruption and a model that was out of reach are over with that; every other review stays
/// open until a person answers it.
pub(crate) fn take_up(stage: Stage) -> Outcome {
    match stage {
        Stage::Executing { mut turn } => match turn.lost() {
            Some(call) => Outcome::InDoubt { call, turn },
            None => Outcome::TurnGoesOn(turn),
        },
        Stage::PausedForReview { review, then } => match review.subject {
            Subject::Interrupted | Subject::StageFailed { unreachable: true, .. } => take_up(*then),
            Subject::Plan { .. }
            | Subject::Call { .. }
            | Subject::Judgement { .. }
            | Subject::Finish { .. }
            | Subject::Question { .. }
            | Subject::Stagnation { .. }
            | Subject::UnknownOutcome { .. }
            | Subject::StageFailed { unreachable: false, .. } => {
                Outcome::Onward(Box::new(Stage::PausedForReview { review, then }))
            }
        },
        other @ (Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Delegating { .. }
        | Stage::Reflecting { .. }
        | Stage::Finished
        | Stage::Failed { .. }) => Outcome::Onward(Box::new(other)),
    }
}

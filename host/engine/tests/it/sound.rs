//! What must hold of every state, whatever led to it.

use ringfence_engine::*;
use std::collections::BTreeSet;

/// Everything that holds of a run, with the runs below it.
pub(crate) fn is_sound(run: &Run) -> Result<(), String> {
    let state = run.state();
    each(state)?;
    let lanes = lanes(&state.stage);
    for lane in lanes {
        each(&lane.state)?;
        must(lane.state.delegated, "a delegated run doesn't know that it is one")?;
    }
    owed_fits(run)?;
    ids_differ(state, lanes)
}

fn must(holds: bool, what: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}

/// What holds of one run on its own.
fn each(state: &State) -> Result<(), String> {
    let limits = &state.settings.limits;
    let working = match state.stage {
        Stage::Deciding(_) | Stage::Executing { .. } | Stage::Evaluating(_) => true,
        _ => false,
    };
    let planned = state.settings.flow == Flow::Staged;
    must(!(planned && working && state.stack.is_empty()), "work without a task")?;
    must(state.iterations <= limits.iterations, "more iterations than allowed")?;
    let longest = (limits.stagnation as usize).div_ceil(2) * 2;
    must(state.watch.trail.len() <= longest.max(4), "a trail without end")?;
    must(state.stage.name() != StageName::Initializing, "left before its first stage")?;
    if let Stage::Executing { turn } = &state.stage {
        turn_fits(turn)?;
    }
    match (&state.conversation, state.settings.flow) {
        (Some(conversation), Flow::React) => conversation_fits(state, conversation),
        (None, Flow::React) | (Some(_), Flow::Staged | Flow::Pipeline) => {
            Err("a conversation where there is none".to_owned())
        }
        (None, Flow::Staged | Flow::Pipeline) => Ok(()),
    }
}

/// A turn under way owes something, and only what can neither write nor send goes together.
fn turn_fits(turn: &Turn) -> Result<(), String> {
    let due = turn.due();
    must(!due.is_empty(), "calls under way, and none is due")?;
    must(due.len() == 1 || due.iter().all(|call| call.can.repeatable()), "a write beside others")
}

/// Roles alternate; each request has one result, in order, before the model's next turn.
fn conversation_fits(state: &State, conversation: &Conversation) -> Result<(), String> {
    let mut asked: Option<Vec<&str>> = None;
    let mut before: Option<&Message> = None;
    must(matches!(conversation.messages.first(), Some(Message::User { .. })), "doesn't begin with the goal")?;
    for message in &conversation.messages {
        match (message, before) {
            (Message::Model { calls, .. }, Some(Message::User { .. } | Message::Results { .. })) => {
                asked = (!calls.is_empty()).then(|| calls.iter().map(|call| call.id.as_str()).collect());
            }
            (Message::Results { results, .. }, Some(Message::Model { .. })) => {
                let answered: Vec<&str> = results.iter().map(|result| result.id.as_str()).collect();
                must(asked.take() == Some(answered), "results that weren't asked for, or out of order")?;
            }
            (Message::User { .. }, None | Some(Message::Model { .. })) => {
                must(asked.is_none(), "words between requests and their results")?;
            }
            (Message::Model { .. }, None | Some(Message::Model { .. }))
            | (Message::User { .. }, Some(Message::User { .. } | Message::Results { .. }))
            | (Message::Results { .. }, None | Some(Message::User { .. } | Message::Results { .. })) => {
                return Err(format!("roles don't alternate: {message:?} after {before:?}"));
            }
        }
        before = Some(message);
    }
    if let Stage::Conversing(_) = state.stage {
        must(asked.is_none(), "the model is asked again before its tools answered")?;
        must(!matches!(before, Some(Message::Model { .. })), "the model is asked after its own turn")?;
        must(conversation.unsaid.is_none(), "words that nobody says")?;
    }
    Ok(())
}

/// Something is always owed, and it fits together.
fn owed_fits(run: &Run) -> Result<(), String> {
    let owed = run.owed();
    must(!owed.is_empty(), "nothing is owed")?;
    let ends = owed.iter().any(|effect| matches!(effect, Effect::Finish(_)));
    must(!ends || owed.len() == 1, "an end beside other work")?;
    let asks = owed.iter().any(|effect| matches!(effect, Effect::AskPerson(_)));
    let lanes = lanes(&run.state().stage);
    let paused = matches!(run.state().stage, Stage::PausedForReview { .. });
    must(!(asks && paused) || owed.len() == 1, "a review beside work that it holds")?;
    must(!asks || paused || !lanes.is_empty(), "a review of nobody's")?;
    must(
        !lanes.iter().all(|lane| lane.state.stage.ending().is_some()) || lanes.is_empty(),
        "all have ended",
    )?;
    // Each of the delegated runs waits for its own: a person, a model or tools.
    let waits = |stage: &Stage| match stage {
        Stage::Executing { turn } => turn.due().len(),
        _ if stage.ending().is_some() => 0,
        _ => 1,
    };
    if !lanes.is_empty() && !paused {
        let all: usize = lanes.iter().map(|lane| waits(&lane.state.stage)).sum();
        must(all == owed.len(), "what is owed isn't what the delegated runs wait for")?;
    }
    for effect in &owed {
        if let Effect::CallModel(call) = effect {
            let prompt = run.prompt(call.call).ok_or("an owed call has no prompt")?;
            must(prompt.digest() == call.prompt, "the announced prompt isn't the one that is sent")?;
        }
    }
    Ok(())
}

/// Tasks, steps and calls are named once over all runs.
fn ids_differ(state: &State, lanes: &[Lane]) -> Result<(), String> {
    let states = || std::iter::once(state).chain(lanes.iter().map(|lane| &*lane.state));
    let tasks: Vec<&TaskId> =
        states().flat_map(|s| s.stack.iter().chain(&s.done)).map(|task| &task.planned.id).collect();
    let unique: BTreeSet<&TaskId> = tasks.iter().copied().collect();
    must(unique.len() == tasks.len(), "a task twice")?;
    let mut steps = BTreeSet::new();
    must(states().flat_map(|s| &s.history).all(|action| steps.insert(action.step)), "a step twice")?;
    for one in states().filter(|one| one.delegated) {
        let own: Vec<StepId> = one.history.iter().map(|action| action.step).collect();
        must(own.windows(2).all(|pair| pair[0] < pair[1]), "steps out of order")?;
    }
    must(steps.iter().all(|step| step.0 < state.next.step), "a step that wasn't handed out")?;
    let mut calls = BTreeSet::new();
    let named = states().flat_map(|s| match &s.stage {
        Stage::Executing { turn } => turn.slots.iter().map(|slot| slot.call.call).collect(),
        stage => stage.asking().map(|(_, asking)| asking.call).into_iter().collect::<Vec<_>>(),
    });
    for call in named {
        must(calls.insert(call) && call.0 < state.next.call, "a call twice, or not handed out")?;
    }
    Ok(())
}

/// The delegated runs, also under an interruption.
pub(crate) fn lanes(stage: &Stage) -> &[Lane] {
    match stage {
        Stage::Delegating { lanes } => lanes,
        Stage::PausedForReview { then, .. } => lanes(then),
        _ => &[],
    }
}

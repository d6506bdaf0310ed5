//! What a person sees before it counts: calls and judgements.
//!
//! Owns: which pause point holds what, and the one review that nothing switches off. Doesn't
//! own: what an answer does.

use crate::effect::{Cause, Confidence, Subject, ToolCall};
use crate::flow::{Judgement, Step};
use crate::settings::PausePoint;
use crate::state::State;
use crate::turn::{Standing, Turn};

/// Lets the calls of a turn through, up to the first that a person has to see. What can send
/// waits for the calls before it: what they bring decides whether it has to be seen.
pub(crate) fn pass(state: &State, mut turn: Turn) -> Step {
    while let Some(call) = turn.proposed().cloned() {
        if call.can.egress && turn.is_under_way() {
            break;
        }
        match state.pauses_before(&call) {
            Some(why) => {
                let subject = Subject::Call { call, why };
                return Step::Pause { subject, then: Box::new(Step::Call(turn)) };
            }
            None => turn.stand(call.call, Standing::Cleared),
        }
    }
    Step::Call(turn)
}

/// Shows a judgement where it has to be shown, then goes on.
pub(crate) fn show(state: &State, judgement: Judgement, onward: Step) -> Step {
    let pauses = |point| state.settings.pause.contains(&point);
    let unsure = judgement.verdict.confidence == Confidence::Low;
    let why = if pauses(PausePoint::AfterEvaluate) {
        Cause::AfterEvaluate
    } else if unsure && pauses(PausePoint::OnLowConfidence) {
        Cause::OnLowConfidence
    } else {
        return onward;
    };
    let Judgement { step, task, verdict, summary } = judgement;
    Step::Pause { subject: Subject::Judgement { step, task, verdict, summary, why }, then: Box::new(onward) }
}

impl State {
    /// Why a person has to see a call of this run before it is made; the gravest reason counts.
    pub fn pauses_before(&self, call: &ToolCall) -> Option<Cause> {
        let pauses = |point| self.settings.pause.contains(&point);
        // A call that can do both by itself needs nothing before it to send what it read.
        let carries = call.can.reads || self.exposure.read && self.exposure.received;
        if call.can.egress && carries {
            Some(Cause::ReadAndReceived)
        } else if call.can.egress && pauses(PausePoint::BeforeEgress) {
            Some(Cause::BeforeEgress)
        } else if call.can.writes && pauses(PausePoint::BeforeWrite) {
            Some(Cause::BeforeWrite)
        } else if pauses(PausePoint::BeforeTool) {
            Some(Cause::BeforeTool)
        } else if call.confidence == Confidence::Low && pauses(PausePoint::OnLowConfidence) {
            Some(Cause::OnLowConfidence)
        } else {
            None
        }
    }
}

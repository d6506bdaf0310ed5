//! The tool calls of one decision: one in most flows, several where a model may ask for several.
//!
//! Each call stands somewhere between proposed and ended; a turn is over when none is open.
//! Calls that can neither write nor send may be under way together; every other one is alone.

use crate::effect::ToolCall;
use crate::event::ToolOutcome;
use crate::id::CallId;
use crate::message::ToolAnswer;
use serde::{Deserialize, Serialize};

/// Tries of one call after failures in passing, the first included.
const TRIES: u32 = 3;

/// The calls of one decision, in its order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// The calls.
    pub slots: Vec<Slot>,
    /// What the model is told of requests that couldn't become calls, in a conversation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answered: Vec<ToolAnswer>,
}

/// One call of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Slot {
    /// The call.
    pub call: ToolCall,
    /// How far it is.
    pub standing: Standing,
    /// Failures in passing so far.
    #[serde(default)]
    pub stumbles: u32,
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "standing", rename_all = "snake_case")]
pub enum Standing {
    /// Chosen; a person may have to see it first.
    Proposed,
    /// To be made.
    Cleared,
    /// Made.
    Ended {
        /// What came of it.
        outcome: ToolOutcome,
    },
    /// Not to be made.
    Rejected {
        /// A person's reason.
        reason: String,
    },
}

impl Turn {
    /// A turn of one call.
    pub(crate) fn of(call: ToolCall) -> Self {
        Self::of_all(vec![call])
    }

    /// A turn of these calls.
    pub(crate) fn of_all(calls: Vec<ToolCall>) -> Self {
        let slot = |call| Slot { call, standing: Standing::Proposed, stumbles: 0 };
        Self { slots: calls.into_iter().map(slot).collect(), answered: Vec::new() }
    }

    /// The calls that are under way or may begin now.
    pub fn due(&self) -> Vec<&ToolCall> {
        let mut due = Vec::new();
        for slot in self.slots.iter().filter(|slot| slot.standing == Standing::Cleared) {
            if !slot.call.can.concurrent() {
                if due.is_empty() {
                    due.push(&slot.call);
                }
                break;
            }
            due.push(&slot.call);
        }
        due
    }

    /// The due call of this name.
    pub(crate) fn due_call(&self, call: CallId) -> Option<&ToolCall> {
        self.due().into_iter().find(|due| due.call == call)
    }

    /// The next call that a person may have to see.
    pub(crate) fn proposed(&self) -> Option<&ToolCall> {
        let open = self.slots.iter().find(|slot| slot.standing == Standing::Proposed);
        open.map(|slot| &slot.call)
    }

    /// Whether calls are to be made before those that are still proposed.
    pub(crate) fn is_under_way(&self) -> bool {
        self.slots.iter().any(|slot| slot.standing == Standing::Cleared)
    }

    /// Whether no call is proposed or due any more.
    pub(crate) fn is_over(&self) -> bool {
        self.slots.iter().all(|slot| match slot.standing {
            Standing::Ended { .. } | Standing::Rejected { .. } => true,
            Standing::Proposed | Standing::Cleared => false,
        })
    }

    /// Changes how far a call is.
    pub(crate) fn stand(&mut self, call: CallId, standing: Standing) {
        if let Some(slot) = self.slot(call) {
            slot.standing = standing;
        }
    }

    /// Puts a call with another input in place of one.
    pub(crate) fn replace(&mut self, call: ToolCall) {
        if let Some(slot) = self.slot(call.call) {
            slot.call = call;
        }
    }

    /// A call ended. Where it only stumbled and can be made again, it is: then it isn't over, and
    /// this is false.
    pub(crate) fn end(&mut self, call: CallId, outcome: ToolOutcome) -> bool {
        let Some(slot) = self.slot(call) else { return true };
        if outcome.transient && slot.call.can.repeatable() && slot.stumbles + 1 < TRIES {
            slot.stumbles += 1;
            slot.call.attempt = slot.call.attempt.saturating_add(1);
            return false;
        }
        slot.standing = Standing::Ended { outcome };
        true
    }

    /// Nobody knows what became of the calls that were under way. Gives the one that can't simply
    /// be made again; the others will be.
    pub(crate) fn lost(&mut self) -> Option<ToolCall> {
        let due: Vec<CallId> = self.due().iter().map(|call| call.call).collect();
        let mut in_doubt = None;
        for slot in self.slots.iter_mut().filter(|slot| due.contains(&slot.call.call)) {
            slot.call.attempt = slot.call.attempt.saturating_add(1);
            if !slot.call.can.repeatable() {
                in_doubt = Some(slot.call.clone());
            }
        }
        in_doubt
    }

    fn slot(&mut self, call: CallId) -> Option<&mut Slot> {
        self.slots.iter_mut().find(|slot| slot.call.call == call)
    }
}

//! What a run can look back on: its own record, and that of the run it works below.

use crate::plan::SubTask;
use crate::state::{Action, Instruction, Said, State};

/// A run with the one above it, if it was delegated.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    /// The run that is worked on.
    pub(crate) state: &'a State,
    /// The run that it works below.
    pub(crate) above: Option<&'a State>,
}

impl<'a> Scope<'a> {
    /// A run on its own.
    pub(crate) fn of(state: &'a State) -> Self {
        Self { state, above: None }
    }

    /// Every action, oldest first as each run has them.
    pub(crate) fn history(self) -> impl Iterator<Item = &'a Action> {
        let above = self.above.into_iter().flat_map(|above| &above.history);
        above.chain(&self.state.history)
    }

    /// How many actions there are.
    pub(crate) fn steps(self) -> usize {
        self.above.map_or(0, |above| above.history.len()) + self.state.history.len()
    }

    /// Tasks done with.
    pub(crate) fn done(self) -> impl Iterator<Item = &'a SubTask> {
        self.above.into_iter().flat_map(|above| &above.done).chain(&self.state.done)
    }

    /// What a person said.
    pub(crate) fn said(self) -> impl Iterator<Item = &'a Said> {
        self.above.into_iter().flat_map(|above| &above.said).chain(&self.state.said)
    }

    /// What the last review of the working memory told.
    pub(crate) fn instruction(self) -> Option<&'a Instruction> {
        let above = self.above.and_then(|above| above.instruction.as_ref());
        self.state.instruction.as_ref().or(above)
    }
}

//! What a person allows during a run.
//!
//! Owns: that it is part of the record, bounded, and that the loop knows what tools can do from
//! then on. Doesn't own: what a folder, a host or a variable is, or opening it.

use crate::bounds;
use crate::effect::ToolCall;
use crate::id::Timestamp;
use crate::refused::Refused;
use crate::settings::{ToolFacts, ToolSpec};
use crate::stage::Stage;
use crate::start::check_tool;
use crate::state::State;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// So many times more can be allowed during one run.
const MOST: usize = 256;
/// Characters of one of a grant's texts.
const TEXT: usize = 4_096;

/// One decision of a person's to allow more.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Granted {
    /// Who, as the system knows them.
    pub by: String,
    /// What.
    pub grant: LaterGrant,
    /// What tools can do under it, where that is another thing than before.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub can: BTreeMap<String, ToolFacts>,
    /// Tools that can work now and couldn't before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<ToolSpec>,
}

/// The thing that is allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum LaterGrant {
    /// A folder or file of the project, seen from its folder.
    Dir {
        /// Where it is.
        path: String,
        /// `read`, or another access that the fence knows.
        access: String,
        /// Patterns that hide things there, besides those that always do.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        masks: Vec<String>,
    },
    /// A host on the network.
    Host {
        /// Its address, as the fence reads it.
        url: String,
        /// The methods of requests; none means those that only ask.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        methods: Vec<String>,
        /// Whether it may be on this machine or a network around it.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        private: bool,
    },
    /// A variable of the environment.
    Variable {
        /// What it is called.
        name: String,
    },
}

/// A grant with its time, as the state keeps it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantedLater {
    /// When the driver learnt it.
    pub at: Timestamp,
    /// Who allowed it.
    pub by: String,
    /// What.
    pub grant: LaterGrant,
}

impl Granted {
    /// Whether it can be taken into the record.
    pub(crate) fn check(&self, state: &State) -> Result<(), Refused> {
        let before = &state.granted;
        let refuse = |why: String| Err(Refused::Words { what: "what is granted", why });
        let texts: Vec<&String> = match &self.grant {
            LaterGrant::Dir { path, access, masks } => {
                [&self.by, path, access].into_iter().chain(masks).collect()
            }
            LaterGrant::Host { url, methods, private: _ } => {
                [&self.by, url].into_iter().chain(methods).collect()
            }
            LaterGrant::Variable { name } => vec![&self.by, name],
        };
        if texts.iter().any(|text| text.is_empty() || bounds::longer_than(text, TEXT)) {
            return refuse(format!("has an empty text, or one of more than {TEXT} characters"));
        }
        if before.iter().any(|granted| granted.grant == self.grant) {
            return refuse("was granted during this run before".to_owned());
        }
        if before.len() >= MOST {
            return refuse(format!(
                "is more than {MOST} grants; start a run that has them from its beginning"
            ));
        }
        let mut names = BTreeSet::new();
        self.tools.iter().try_for_each(|tool| check_tool(tool, &mut names))?;
        if would_outrun(&state.stage, &self.can) {
            let why = "would let a call that was judged before write, send, or send what it sees; let the run go past that call first";
            return refuse(why.to_owned());
        }
        Ok(())
    }

    /// Takes it into the record; from here on the gates know what tools can do.
    pub(crate) fn settle(self, state: &mut State) {
        state.granted.push(GrantedLater { at: state.clock.latest, by: self.by, grant: self.grant });
        learn(state, &self.can, &self.tools);
    }
}

fn learn(state: &mut State, can: &BTreeMap<String, ToolFacts>, new: &[ToolSpec]) {
    let tools = &mut state.settings.tools;
    for tool in tools.iter_mut() {
        if let Some(can) = can.get(&tool.name) {
            tool.can = *can;
        }
    }
    for tool in new {
        if !tools.iter().any(|known| known.name == tool.name) {
            let at = tools.partition_point(|known| known.name < tool.name);
            tools.insert(at, tool.clone());
        }
    }
    learn_below(&mut state.stage, can, new);
}

/// Delegated runs have settings of their own, also while they are put aside.
fn learn_below(stage: &mut Stage, can: &BTreeMap<String, ToolFacts>, new: &[ToolSpec]) {
    match stage {
        Stage::PausedForReview { then, .. } | Stage::Reflecting { then, .. } => learn_below(then, can, new),
        Stage::Delegating { lanes } => lanes.iter_mut().for_each(|lane| learn(&mut lane.state, can, new)),
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Executing { .. }
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Finished
        | Stage::Failed { .. } => {}
    }
}

/// Whether a call is owed, or proposed, that would get these facts without having been judged by
/// them.
fn would_outrun(stage: &Stage, can: &BTreeMap<String, ToolFacts>) -> bool {
    let more = |call: &ToolCall| {
        can.get(&call.tool).is_some_and(|can| {
            let sends_more = can.egress && (!call.can.egress || can.reads && !call.can.reads);
            (can.writes && !call.can.writes) || sends_more
        })
    };
    match stage {
        Stage::Executing { turn } => turn.slots.iter().any(|slot| more(&slot.call)),
        Stage::PausedForReview { then, .. } | Stage::Reflecting { then, .. } => would_outrun(then, can),
        Stage::Delegating { lanes } => lanes.iter().any(|lane| would_outrun(&lane.state.stage, can)),
        Stage::Initializing
        | Stage::Planning(_)
        | Stage::Deciding(_)
        | Stage::Evaluating(_)
        | Stage::Thinking(_)
        | Stage::Observing(_)
        | Stage::Conversing(_)
        | Stage::Finished
        | Stage::Failed { .. } => false,
    }
}

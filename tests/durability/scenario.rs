//! The runs that are killed: small, and together through every flow and detour.

use crate::world::Tool;
use ringfence_engine::{Flow, Limits, OnStageFailure, PausePoint, Prompts, Rates, Settings};
use serde_json::Value;
use std::collections::BTreeMap;

/// One call: a tool, and at what.
pub(crate) type Call = (Tool, &'static str);

/// One task of a plan. In a flow without a plan the only one is the whole goal.
pub(crate) struct Task {
    pub(crate) id: &'static str,
    /// What is called for it, turn by turn; more than one in a turn only in a conversation.
    pub(crate) turns: &'static [&'static [Call]],
}

/// A run.
pub(crate) struct Scenario {
    pub(crate) name: &'static str,
    pub(crate) flow: Flow,
    pub(crate) tasks: &'static [Task],
    /// Whether the tasks don't wait for each other.
    pub(crate) independent: bool,
    pub(crate) parallel: u32,
    pub(crate) pause: &'static [PausePoint],
    /// Equal calls in a row that lead to a review.
    pub(crate) stagnation: u32,
    /// Whether the model is out of reach when it is first asked for a decision.
    pub(crate) away: bool,
    /// Whether a person is asked before the first call.
    pub(crate) asks: bool,
}

/// The usual ones.
const PLAIN: Scenario = Scenario {
    name: "plain",
    flow: Flow::Staged,
    tasks: &[],
    independent: false,
    parallel: 1,
    pause: &[],
    stagnation: 5,
    away: false,
    asks: false,
};

use Tool::{Look, Note, Peek, Send};

/// Every pause point; the second `send` comes after content was received and files were read.
pub(crate) const PAUSED: Scenario = Scenario {
    name: "paused",
    tasks: &[
        Task { id: "one", turns: &[&[(Look, "a")], &[(Send, "b")]] },
        Task { id: "two", turns: &[&[(Note, "c")], &[(Send, "d")]] },
    ],
    pause: &PausePoint::ALL,
    ..PLAIN
};

/// Three tasks at the same time, and one that comes after them.
pub(crate) const LANES: Scenario = Scenario {
    name: "lanes",
    tasks: &[
        Task { id: "one", turns: &[&[(Look, "a")], &[(Note, "b")]] },
        Task { id: "two", turns: &[&[(Send, "c")]] },
        Task { id: "three", turns: &[&[(Note, "d")]] },
        Task { id: "four", turns: &[&[(Note, "e")]] },
    ],
    independent: true,
    parallel: 3,
    ..PLAIN
};

/// A question to a person, then calls one after the other.
pub(crate) const PIPELINE: Scenario = Scenario {
    name: "pipeline",
    flow: Flow::Pipeline,
    tasks: &[Task { id: "goal", turns: &[&[(Look, "a")], &[(Note, "b")], &[(Send, "c")]] }],
    asks: true,
    ..PLAIN
};

/// Several calls in a turn, those that read together and every other one alone.
pub(crate) const REACT: Scenario = Scenario {
    name: "react",
    flow: Flow::React,
    tasks: &[Task {
        id: "goal",
        turns: &[&[(Look, "a"), (Look, "b"), (Note, "c"), (Look, "d"), (Send, "e")], &[(Note, "f")]],
    }],
    ..PLAIN
};

/// A tool that fails in passing twice, a model that can't be reached at first.
pub(crate) const STUMBLING: Scenario = Scenario {
    name: "stumbling",
    tasks: &[Task { id: "one", turns: &[&[(Peek, "a")], &[(Note, "b")]] }],
    away: true,
    ..PLAIN
};

/// The same call again and again until the work is reviewed.
pub(crate) const REFLECTING: Scenario = Scenario {
    name: "reflecting",
    flow: Flow::Pipeline,
    tasks: &[Task { id: "goal", turns: &[&[(Look, "a")], &[(Look, "a")], &[(Note, "b")]] }],
    stagnation: 2,
    ..PLAIN
};

impl Scenario {
    const ALL: [&'static Self; 6] = [&PAUSED, &LANES, &PIPELINE, &REACT, &STUMBLING, &REFLECTING];

    /// The one of this name.
    pub(crate) fn named(name: &str) -> &'static Self {
        let found = Self::ALL.into_iter().find(|scenario| scenario.name == name);
        found.unwrap_or_else(|| panic!("no scenario `{name}`"))
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings {
            flow: self.flow,
            limits: Limits { stagnation: self.stagnation, ..Limits::of(self.flow) },
            pause: self.pause.iter().copied().collect(),
            on_stage_failure: OnStageFailure::default(),
            parallel: self.parallel,
            tools: Tool::ALL.into_iter().map(Tool::spec).collect(),
            prompts: prompts(),
            experts: BTreeMap::new(),
            rates: Rates::default(),
            memories: Vec::new(),
            metadata: Value::Null,
        }
    }

    /// The calls of a task, in order.
    pub(crate) fn calls_of(&self, task: &str) -> Vec<Call> {
        let task = self.tasks.iter().find(|known| known.id == task).expect("a task of the scenario");
        task.turns.iter().flat_map(|turn| turn.iter().copied()).collect()
    }
}

/// Short ones: the model reads facts, and every event of every replay makes a prompt.
fn prompts() -> Prompts {
    let prompt = || "Follow the script.\n=== user ===\n{{ goal }}\n".to_owned();
    Prompts {
        plan: prompt(),
        decide: prompt(),
        evaluate: prompt(),
        reason: prompt(),
        converse: prompt(),
        reflect: prompt(),
    }
}

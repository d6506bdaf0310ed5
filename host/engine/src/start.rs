//! Beginning a run: settings that can't be honoured are refused before anything happens.

use crate::bounds;
use crate::effect::ModelStage;
use crate::id::{RunId, Timestamp};
use crate::rates::Rates;
use crate::refused::Refused;
use crate::schema::HUMAN_HELP;
use crate::settings::{Settings, ToolSpec};
use crate::stage::Stage;
use crate::state::{Clock, Counters, Exposure, Spent, State, Watch};
use std::collections::BTreeSet;

/// The state before the first stage.
pub(crate) fn state(run: RunId, goal: String, settings: Settings, at: Timestamp) -> State {
    State {
        run,
        goal,
        settings,
        stage: Stage::Initializing,
        plans: Vec::new(),
        stack: Vec::new(),
        done: Vec::new(),
        history: Vec::new(),
        observation: None,
        said: Vec::new(),
        instruction: None,
        conversation: None,
        answer: None,
        exposure: Exposure::default(),
        granted: Vec::new(),
        settled: Vec::new(),
        delegated: false,
        claims: Vec::new(),
        notes: Vec::new(),
        iterations: 0,
        spent: Spent::default(),
        clock: Clock { started: at, latest: at, active_ms: 0 },
        next: Counters::first(),
        watch: Watch::default(),
    }
}

/// Whether a run can be worked with as it is asked for.
pub(crate) fn check(goal: &str, settings: &Settings) -> Result<(), Refused> {
    if goal.trim().is_empty() {
        return refuse("the goal", "is empty; say what is to be achieved".to_owned());
    }
    if bounds::longer_than(goal, bounds::GOAL) {
        return refuse("the goal", format!("has more than {} characters", bounds::GOAL));
    }
    let limits = &settings.limits;
    for (what, value) in [
        ("the limit of iterations", u64::from(limits.iterations)),
        ("the limit of working time", limits.wall_clock_ms.unwrap_or(1)),
        ("the limit of tokens", limits.tokens.unwrap_or(1)),
        ("the limit of money", limits.money.unwrap_or(1)),
        ("the number of tasks at the same time", u64::from(settings.parallel)),
        ("the actions until a review", u64::from(limits.reflect_after.unwrap_or(1))),
        ("the time for a stage", limits.stage_ms.values().copied().min().unwrap_or(1)),
        ("the time for a model call", limits.model_call_ms),
        ("the time for a tool call", limits.tool_call_ms),
        ("the cap on a reply's tokens", u64::from(limits.reply_tokens)),
    ] {
        if value == 0 {
            return refuse(what, "is 0, so nothing could be done; set it to 1 or more".to_owned());
        }
    }
    if !(2..=1000).contains(&limits.stagnation) {
        let why = format!("is {}; between 2 and 1000 equal calls can be told", limits.stagnation);
        return refuse("the limit of equal calls", why);
    }
    check_rates(settings, &settings.rates)?;
    if settings.memories.len() > bounds::MEMORIES {
        return refuse("the memories", format!("are more than {}", bounds::MEMORIES));
    }
    let mut names = BTreeSet::new();
    settings.tools.iter().try_for_each(|tool| check_tool(tool, &mut names))?;
    Ok(settings.prompts.check()?)
}

/// Whether a limit of money can be kept with what is known of prices.
pub(crate) fn check_rates(settings: &Settings, rates: &Rates) -> Result<(), Refused> {
    let asked = settings.flow.model_stages().iter().copied().chain([ModelStage::Reflect]);
    if settings.limits.money.is_some() && !rates.cover(asked) {
        let why = "can't be kept: what a model costs isn't known; list its price, or limit tokens instead";
        return refuse("the limit of money", why.to_owned());
    }
    Ok(())
}

/// Whether a tool can be offered: its name is usable and isn't among `names`, and its schema is one.
pub(crate) fn check_tool<'t>(tool: &'t ToolSpec, names: &mut BTreeSet<&'t str>) -> Result<(), Refused> {
    let what = format!("the tool {:?}", tool.name);
    let named = !tool.name.is_empty()
        && tool.name.len() <= 128
        && tool.name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'));
    if !named {
        let why = "has no usable name: letters, digits, `_`, `-` and `.`, at most 128 bytes";
        return refuse(&what, why.to_owned());
    }
    if tool.name == HUMAN_HELP {
        return refuse(&what, "has the name that is kept for asking a person".to_owned());
    }
    if !names.insert(&tool.name) {
        return refuse(&what, "is there twice; names must differ".to_owned());
    }
    if tool.timeout_ms == Some(0) {
        return refuse(&what, "has no time for a call; set it to 1 ms or more".to_owned());
    }
    match jsonschema::validator_for(&tool.input_schema) {
        Ok(_) => Ok(()),
        Err(error) => refuse(&what, format!("has an input schema that can't be used: {error}")),
    }
}

fn refuse(what: &str, why: String) -> Result<(), Refused> {
    Err(Refused::Settings { what: what.to_owned(), why })
}

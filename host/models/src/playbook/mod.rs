//! The model that is built in: a planner for the analysis of code, with no network.
//!
//! Owns: which tasks the analysis has, which calls serve them, when a task is done, what a run
//! without tasks does instead (`whole`), and ([`analyst`]) what tool results say about a project.
//! Doesn't own: prompts (it reads a request's facts and never its prose) and any memory; each
//! answer follows from the facts alone.

pub mod analyst;
mod budget;
mod calls;
mod conclusion;
mod converse;
mod decide;
mod evaluate;
mod facts;
mod gaps;
mod kind;
mod parting;
mod pick;
mod plan;
mod reason;
mod reflect;
mod whole;

use crate::{Ask, MicroDollars, Model, ModelError, Price, Reply, Request, Stop, Usage};
use async_trait::async_trait;
use converse::Said;
use facts::{Facts, Stage};
use serde_json::Value;

/// How the playbook names itself.
pub const IDENTITY: &str = "playbook (built in, no network)";

/// The goal that the playbook serves, for a run that was given none.
pub const GOAL: &str =
    "Analyse the main technology stack, the core module structure and possible problems of this project.";

/// The tasks of the whole analysis, by their ids and kinds, in order. A plan that has only some of
/// them was made for few iterations.
pub fn whole_plan() -> [&'static str; 3] {
    kind::Kind::PLANNED.map(kind::Kind::name)
}

/// The deterministic planner.
#[derive(Debug, Clone, Copy, Default)]
pub struct Playbook;

#[async_trait]
impl Model for Playbook {
    fn identity(&self) -> String {
        IDENTITY.to_owned()
    }

    fn price(&self, _stage: &str, _expert: Option<&str>) -> Option<Price> {
        Some(Price::FREE)
    }

    fn reads_facts(&self) -> bool {
        true
    }

    async fn complete(&self, request: Request) -> Result<Reply, ModelError> {
        let facts: Facts = serde_json::from_value(request.facts)
            .map_err(|error| unsupported(format!("the playbook can't read the request's facts: {error}")))?;
        let said = match request.ask {
            Ask::Stage { .. } => Said { text: stage(&facts)?.to_string(), calls: Vec::new() },
            Ask::Conversation { .. } => turn(&facts)?,
        };
        Ok(Reply {
            stop: if said.calls.is_empty() { Stop::End } else { Stop::ToolUse },
            text: said.text,
            calls: said.calls,
            content: None,
            usage: Usage::default(),
            cost: Some(MicroDollars(0)),
            model: "playbook".to_owned(),
            request_id: None,
        })
    }
}

/// The stage's reply to these facts, as the stage's schema wants it.
fn stage(facts: &Facts) -> Result<Value, ModelError> {
    match (facts.stage, &facts.task) {
        (Stage::Plan, _) => Ok(plan::plan(facts)),
        (Stage::Decide, Some(task)) => Ok(decide::decide(facts, task)),
        (Stage::Decide, None) => {
            Err(unsupported("the playbook was asked to decide without a task".to_owned()))
        }
        (Stage::Evaluate, Some(task)) => Ok(evaluate::evaluate(facts, task)),
        (Stage::Evaluate, None) => {
            Err(unsupported("the playbook was asked to evaluate without a task".to_owned()))
        }
        (Stage::Reason, _) => Ok(reason::reason(facts)),
        (Stage::Reflect, _) => Ok(reflect::reflect(facts)),
        (Stage::Converse, _) => {
            Err(unsupported("a turn of a conversation was asked for as a stage".to_owned()))
        }
    }
}

/// The next turn of a conversation.
fn turn(facts: &Facts) -> Result<Said, ModelError> {
    match facts.stage {
        Stage::Converse => Ok(converse::converse(facts)),
        Stage::Plan | Stage::Decide | Stage::Evaluate | Stage::Reason | Stage::Reflect => {
            Err(unsupported("a stage was asked for as a conversation".to_owned()))
        }
    }
}

fn unsupported(why: String) -> ModelError {
    ModelError::Unsupported { why }
}

#[cfg(test)]
mod tests;

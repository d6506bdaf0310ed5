//! The model that is built in: a planner for the analysis of code, with no network.
//!
//! Owns: which tasks the analysis has, which calls serve them, when a task is done, and
//! ([`analyst`]) what tool results say about a project. Doesn't own: prompts (it reads a
//! request's facts and never its prose) and any memory; each answer follows from the facts alone.

pub mod analyst;
mod budget;
mod decide;
mod evaluate;
mod facts;
mod kind;
mod parting;
mod pick;
mod place;
mod plan;
mod rules;
mod skeleton;

use crate::{Ask, MicroDollars, Model, ModelError, Price, Reply, Request, Stop, Usage};
use async_trait::async_trait;
use facts::{Facts, Stage};
use serde_json::Value;

/// How the playbook names itself.
pub const IDENTITY: &str = "playbook (built in, no network)";

/// The goal that the playbook serves, for a run that was given none.
pub const GOAL: &str =
    "Analyse the main technology stack, the core module structure and possible problems of this project.";

/// The tasks of the whole analysis, by their ids and kinds, in order. A plan that has only some of
/// them was made for few iterations.
pub fn whole_plan() -> [&'static str; 4] {
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
        let reply = match request.ask {
            Ask::Stage { .. } => answer(request.facts)?,
            Ask::Conversation { .. } => {
                return Err(unsupported("the playbook holds no conversations".to_owned()));
            }
        };
        Ok(Reply {
            text: reply.to_string(),
            calls: Vec::new(),
            content: None,
            stop: Stop::End,
            usage: Usage::default(),
            cost: Some(MicroDollars(0)),
            model: "playbook".to_owned(),
            request_id: None,
        })
    }
}

/// The stage's reply to these facts, as the stage's schema wants it.
fn answer(facts: Value) -> Result<Value, ModelError> {
    let facts: Facts = serde_json::from_value(facts)
        .map_err(|error| unsupported(format!("the playbook can't read the request's facts: {error}")))?;
    match facts.stage {
        Stage::Plan => Ok(plan::plan(&facts)),
        Stage::Decide => match &facts.task {
            Some(task) => Ok(decide::decide(&facts, task)),
            None => Err(unsupported("the playbook was asked to decide without a task".to_owned())),
        },
        Stage::Evaluate => match &facts.task {
            Some(task) => Ok(evaluate::evaluate(&facts, task)),
            None => Err(unsupported("the playbook was asked to evaluate without a task".to_owned())),
        },
    }
}

fn unsupported(why: String) -> ModelError {
    ModelError::Unsupported { why }
}

#[cfg(test)]
mod tests;

//! From the engine's wish to a request, and from a model's reply to an event.

use anyhow::{Context, Result};
use ringfence_engine::{
    CallId, Conversation, EventKind, Message, ModelCall, ModelFailure, ModelReply, ModelStage, Prompt, Rate,
    Rates, Run, State, StopReason, ToolRequest, Usage,
};
use ringfence_models::{
    Ask, Model, ModelError, Price, Reply, Request, Spending, Stop, ToolDeclaration, ToolResult, ToolUse, Turn,
};

/// Why a model call brought nothing.
pub(super) enum Unanswered {
    /// The provider failed.
    Failed(ModelError),
    /// It took too long.
    Late {
        /// Who was asked.
        identity: String,
        /// The time that was given, in milliseconds.
        limit_ms: u64,
        /// What was used at least, estimated.
        usage: ringfence_models::Usage,
    },
}

/// What is sent for an owed call.
pub(super) fn request(run: &Run, call: &ModelCall, with_facts: bool) -> Result<Request> {
    let prompt = run.prompt(call.call).context("a model call that isn't owed was to be made")?;
    let ask = match prompt {
        Prompt::Stage { system, user, schema } => Ask::Stage { system, user, schema },
        Prompt::Conversation { conversation, tools } => {
            let Conversation { system, messages, unsaid: _ } = conversation;
            let tools = tools
                .into_iter()
                .map(|tool| ToolDeclaration {
                    name: tool.name,
                    description: tool.description,
                    input_schema: tool.input_schema,
                })
                .collect();
            Ask::Conversation { system, turns: messages.into_iter().map(turn).collect(), tools }
        }
    };
    let facts = match with_facts {
        true => serde_json::to_value(run.facts(call.call)).context("a request can't be told as data")?,
        false => serde_json::Value::Null,
    };
    Ok(Request {
        stage: call.stage.name().to_owned(),
        expert: call.expert.clone(),
        ask,
        facts,
        max_tokens: call.max_tokens,
    })
}

fn turn(message: Message) -> Turn {
    match message {
        Message::User { text } => Turn::User { text },
        Message::Model { text, calls, content } => Turn::Model {
            text,
            calls: calls
                .into_iter()
                .map(|call| ToolUse { id: call.id, name: call.name, arguments: call.arguments })
                .collect(),
            content,
        },
        Message::Results { results, text } => Turn::Results {
            results: results
                .into_iter()
                .map(|result| ToolResult { id: result.id, text: result.text, is_error: result.is_error })
                .collect(),
            text,
        },
    }
}

/// What became of a call, as a fact.
pub(super) fn event(call: CallId, answer: Result<Reply, Unanswered>) -> EventKind {
    match answer {
        Ok(reply) => EventKind::ModelReplied { call, reply: reply_of(reply) },
        Err(Unanswered::Failed(error)) => {
            let Spending { usage, cost } = error.spending();
            let failure = ModelFailure {
                message: error.to_string(),
                transient: error.is_transient(),
                usage: usage_of(usage),
                cost: cost.map(|cost| cost.0),
            };
            EventKind::ModelFailed { call, failure }
        }
        Err(Unanswered::Late { identity, limit_ms, usage }) => {
            let message = format!("{identity} gave no answer within {} s", limit_ms as f64 / 1_000.0);
            let failure = ModelFailure { usage: usage_of(usage), ..ModelFailure::unpaid(message, true) };
            EventKind::ModelFailed { call, failure }
        }
    }
}

fn usage_of(usage: ringfence_models::Usage) -> Usage {
    let ringfence_models::Usage { input_tokens, cached_tokens, cache_write_tokens: _, output_tokens } = usage;
    Usage { input_tokens, cached_tokens, output_tokens }
}

fn reply_of(reply: Reply) -> ModelReply {
    ModelReply {
        text: reply.text,
        calls: reply
            .calls
            .into_iter()
            .map(|call| ToolRequest { id: call.id, name: call.name, arguments: call.arguments })
            .collect(),
        content: reply.content,
        stop: match reply.stop {
            Stop::End => StopReason::End,
            Stop::Length => StopReason::Length,
            Stop::Refusal => StopReason::Refusal,
            Stop::ToolUse => StopReason::ToolUse,
        },
        usage: usage_of(reply.usage),
        cost: reply.cost.map(|cost| cost.0),
        model: reply.model,
    }
}

/// What these models cost at most, by stage and expert.
pub(crate) fn rates_of(model: &dyn Model, experts: impl IntoIterator<Item = String>) -> Rates {
    let rate = |stage: ModelStage, expert: Option<&str>| {
        model.price(stage.name(), expert).map(|price| highest(&price))
    };
    let default = rate(ModelStage::Reflect, None);
    let stages = ModelStage::ALL.into_iter().map(|stage| (stage, rate(stage, None)));
    Rates {
        default,
        stages: stages.filter(|(_, own)| *own != default).collect(),
        experts: experts
            .into_iter()
            .map(|name| {
                let rate = rate(ModelStage::Decide, Some(&name));
                (name, rate)
            })
            .collect(),
    }
}

/// The same for a run that is taken up.
pub(super) fn rates(model: &dyn Model, state: &State) -> Rates {
    rates_of(model, state.settings.experts.keys().cloned())
}

/// The price with everything at its dearest: a budget must hold whatever the prompt's length.
fn highest(price: &Price) -> Rate {
    let micro = |dollars: f64| (dollars * 1_000_000.0).ceil() as u64;
    let long = price.long.as_ref();
    let input = long.map_or(price.input, |long| long.input.max(price.input));
    let output = long.map_or(price.output, |long| long.output.max(price.output));
    let written = price.cache_write.unwrap_or(0.0);
    Rate { input: micro(input.max(written)), output: micro(output) }
}

//! From the engine's wish to a request, and from a model's reply to an event.

use anyhow::{Context, Result};
use ringfence_engine::{
    CallId, Conversation, EventKind, Message, ModelCall, ModelFailure, ModelReply, ModelStage, Prompt, Rate,
    Rates, Run, State, StopReason, ToolRequest, Usage,
};
use ringfence_models::{
    Ask, Ledger, Model, ModelError, Price, Reply, Request, Spending, Stop, ToolDeclaration, ToolResult,
    ToolUse, Turn,
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
        /// What was used by then.
        spending: Spending,
    },
}

/// What is sent for an owed call.
pub(super) fn request(run: &Run, call: &ModelCall, with_facts: bool) -> Result<Request> {
    let prompt = run.prompt(call.call).context("a model call that isn't owed was to be made")?;
    let tries = Some(run.tries(call.call, &prompt));
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
        tries,
        ledger: Ledger::default(),
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
        Ok(reply) => EventKind::ModelReplied { call, reply: reply_of(reply).kept() },
        Err(Unanswered::Failed(error)) => {
            failed(call, error.to_string(), error.is_transient(), error.spending())
        }
        Err(Unanswered::Late { identity, limit_ms, spending }) => {
            let message = format!("{identity} gave no answer within {} s", limit_ms as f64 / 1_000.0);
            failed(call, message, true, spending)
        }
    }
}

fn failed(call: CallId, message: String, transient: bool, spending: Spending) -> EventKind {
    let (usage, cost) = used(spending);
    EventKind::ModelFailed { call, failure: ModelFailure { message, transient, usage, cost } }
}

/// What a call had used that was given up, as a fact; none if it was nothing.
pub(super) fn dropped(call: CallId, spending: Spending) -> Option<EventKind> {
    let (usage, cost) = used(spending);
    (!spending.is_none()).then_some(EventKind::ModelDropped { call, usage, cost })
}

fn used(spending: Spending) -> (Usage, Option<u64>) {
    (usage_of(spending.usage), spending.cost.map(|cost| cost.0))
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

#[cfg(test)]
mod tests {
    use super::*;
    use ringfence_models::MicroDollars;

    const CALL: CallId = CallId(7);

    fn used(input_tokens: u64, output_tokens: u64) -> ringfence_models::Usage {
        ringfence_models::Usage { input_tokens, output_tokens, ..ringfence_models::Usage::default() }
    }

    #[test]
    fn a_failure_is_journaled_with_what_was_spent_on_it() {
        let error = ModelError::Unsupported { why: "no".to_owned() };
        let spending = Spending { usage: used(100, 20), cost: Some(MicroDollars(9)) };
        let paid = ModelError::Paid { spending, error: Box::new(error) };
        let usage = Usage { input_tokens: 100, cached_tokens: 0, output_tokens: 20 };
        let failure = ModelFailure { usage, cost: Some(9), ..ModelFailure::unpaid("no", false) };
        let event = event(CALL, Err(Unanswered::Failed(paid)));
        assert_eq!(event, EventKind::ModelFailed { call: CALL, failure });
    }

    #[test]
    fn a_call_that_took_too_long_is_journaled_with_what_it_had_used() {
        let spending = Spending { usage: used(100, 7), cost: Some(MicroDollars(3)) };
        let late = Unanswered::Late { identity: "m".to_owned(), limit_ms: 1_500, spending };
        let EventKind::ModelFailed { failure, .. } = event(CALL, Err(late)) else { panic!("it failed") };
        assert_eq!(failure.message, "m gave no answer within 1.5 s");
        assert_eq!((failure.usage.total(), failure.cost, failure.transient), (107, Some(3), true));
    }

    #[test]
    fn of_a_huge_reply_only_the_beginning_is_journaled() {
        let reply = Reply {
            text: "x".repeat(5 << 20),
            calls: Vec::new(),
            content: None,
            stop: Stop::End,
            usage: used(1, 1),
            cost: None,
            model: "m".to_owned(),
            request_id: None,
        };
        let EventKind::ModelReplied { reply, .. } = event(CALL, Ok(reply)) else { panic!("it replied") };
        assert!(reply.text.len() < (1 << 20) + 200 && reply.text.contains("[cut here: "));
    }
}

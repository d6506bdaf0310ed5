//! Models on the loopback server that knows the real APIs' rules, and what they are asked.

use crate::anthropic_requests::{schema, stage};
use ringfence_models::{
    Anthropic, AnthropicConfig, Ask, Catalogue, Ledger, OpenAi, OpenAiConfig, Request, Secret,
    ToolDeclaration, ToolResult, ToolUse, Transport, Turn,
};
use ringfence_tests::messages_api::{KEY, MessagesApi};
use serde_json::{Value, json};
use std::time::Duration;

pub(crate) fn transport() -> Transport {
    Transport {
        first_wait: Duration::from_millis(1),
        max_wait: Duration::from_millis(5),
        attempts: 3,
        ..Transport::default()
    }
}

pub(crate) fn config(server: &MessagesApi) -> AnthropicConfig {
    AnthropicConfig {
        base_url: server.base_url(),
        transport: transport(),
        ..AnthropicConfig::new(Secret::new(KEY))
    }
}

pub(crate) fn made(config: AnthropicConfig) -> Anthropic {
    Anthropic::new(config, &Catalogue::built_in().unwrap()).unwrap()
}

pub(crate) fn anthropic(server: &MessagesApi) -> Anthropic {
    made(config(server))
}

/// The same without streams.
pub(crate) fn whole(server: &MessagesApi) -> Anthropic {
    made(AnthropicConfig { streaming: false, ..config(server) })
}

pub(crate) fn openai(server: &MessagesApi) -> OpenAi {
    let config = OpenAiConfig {
        api_key: Some(Secret::new(KEY)),
        transport: transport(),
        ..OpenAiConfig::new(server.chat_url(), "local")
    };
    OpenAi::new(config, &Catalogue::built_in().unwrap()).unwrap()
}

pub(crate) fn asked(ask: Ask) -> Request {
    Request {
        stage: "act".to_owned(),
        expert: None,
        ask,
        facts: Value::Null,
        max_tokens: 1_000,
        tries: None,
        ledger: Ledger::default(),
    }
}

pub(crate) fn one_stage() -> Request {
    asked(stage("You choose.", "The task.", schema()))
}

pub(crate) fn tool(name: &str) -> ToolDeclaration {
    ToolDeclaration {
        name: name.to_owned(),
        description: format!("Does {name}."),
        input_schema: json!({
            "type": "object",
            "properties": { "path": { "type": "string" }, "depth": { "type": "integer", "minimum": 1 } },
            "required": ["path"],
            "additionalProperties": false,
        }),
    }
}

pub(crate) fn conversation(turns: Vec<Turn>) -> Request {
    let tools = vec![tool("read_file"), tool("list_files")];
    asked(Ask::Conversation { system: "You act.".to_owned(), turns, tools })
}

pub(crate) fn user(text: &str) -> Turn {
    Turn::User { text: text.to_owned() }
}

pub(crate) fn result(id: &str, text: &str) -> ToolResult {
    ToolResult { id: id.to_owned(), text: text.to_owned(), is_error: false }
}

/// A result for each call.
pub(crate) fn results(calls: &[ToolUse]) -> Turn {
    Turn::Results {
        results: calls.iter().map(|call| result(&call.id, &format!("{} is done", call.name))).collect(),
        text: None,
    }
}

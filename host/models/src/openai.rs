//! Servers that speak the chat completions API: Ollama, llama.cpp, vLLM, LM Studio, OpenAI.
//!
//! Owns: asking over that API, what a server turned out not to take. Doesn't own: connections
//! and retries, what is asked.

mod body;
mod reply;

use crate::catalogue::{Catalogue, Effort, Price};
use crate::endpoint::{Endpoint, PlainHttp};
use crate::exchange::{Connection, Transport};
use crate::intake::Body;
use crate::retry::until_answered;
use crate::secret::Secret;
use crate::spending::{Account, least};
use crate::sse::Whole;
use crate::{Model, ModelError, Reply, Request, Spending};
use async_trait::async_trait;
use body::{Settings, Way};
use reply::{Heard, Quirk};
use reqwest::Method;
use reqwest::header::AUTHORIZATION;
use serde_json::Value;
use std::sync::atomic::{AtomicBool, Ordering};

const PROVIDER: &str = "openai";
const KEY_VARIABLE: &str = "OPENAI_API_KEY";
const OPERATION: &str = "/chat/completions";

/// How a model is reached over the chat completions API.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenAiConfig {
    /// The key, for servers that want one.
    pub api_key: Option<Secret>,
    /// Address without `/chat/completions`, such as `http://localhost:11434/v1`.
    pub base_url: String,
    /// Id of the model.
    pub model: String,
    /// Depth of thought, sent as `reasoning_effort`; the server's default when not given.
    pub effort: Option<Effort>,
    /// The server's default when not given.
    pub temperature: Option<f64>,
    /// Whether the key may travel unencrypted.
    pub plain_http: PlainHttp,
    /// Times, sizes and tries.
    pub transport: Transport,
}

impl OpenAiConfig {
    /// A model at an address, with no key and the server's defaults.
    pub fn new(base_url: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            api_key: None,
            base_url: base_url.into(),
            model: model.into(),
            effort: None,
            temperature: None,
            plain_http: PlainHttp::default(),
            transport: Transport::default(),
        }
    }
}

/// A model behind the chat completions API.
#[derive(Debug)]
pub struct OpenAi {
    connection: Connection,
    settings: Settings,
    price: Option<Price>,
    /// The server refuses `response_format`: the schema goes into the prompt instead.
    schema_in_prompt: AtomicBool,
    /// The server wants the cap as `max_completion_tokens`.
    completion_cap: AtomicBool,
}

impl OpenAi {
    /// Prepares a model; nothing is sent yet. Settings that the model is known not to take
    /// are refused here, by name.
    pub fn new(config: OpenAiConfig, known: &Catalogue) -> Result<Self, ModelError> {
        let OpenAiConfig { api_key, base_url, model, effort, temperature, plain_http, transport } = config;
        let refuse = |why: &str| Err(ModelError::Unsupported { why: why.to_owned() });
        if model.trim().is_empty() {
            return refuse("the model's id is empty; name one that the server has");
        }
        let api_key = match api_key {
            Some(key) if key.is_empty() => {
                return refuse(&format!("the key for {PROVIDER} is empty; set {KEY_VARIABLE}, or unset it"));
            }
            key => key,
        };
        let facts = known.facts(PROVIDER, &model);
        facts.check(PROVIDER, &model, effort, temperature, facts.temperature.unwrap_or(true))?;
        let endpoint = Endpoint::new(&base_url, api_key.is_some(), plain_http)?;
        let completion_cap = endpoint.host() == "api.openai.com";
        let key = api_key.as_ref().map(|key| (AUTHORIZATION, "Bearer ", key));
        let connection = Connection::new(PROVIDER, endpoint, transport, KEY_VARIABLE, key)?;
        Ok(Self {
            connection,
            settings: Settings { model, effort, temperature },
            price: facts.price,
            schema_in_prompt: AtomicBool::new(false),
            completion_cap: AtomicBool::new(completion_cap),
        })
    }

    /// Asks the server which models it has: whether the address and the key are good.
    pub async fn models(&self) -> Result<Vec<String>, ModelError> {
        let connection = &self.connection;
        let free = &mut Account::free();
        let heard =
            until_answered(connection, Method::GET, "/models", None, free, |head, body: Body<Whole>| {
                reply::read(connection, head, &body.bytes(), |body: Value| {
                    let list = body.get("data").and_then(Value::as_array);
                    let list = list.ok_or("the list of models has no `data`")?;
                    let id = |model: &Value| Some(connection.named(model.get("id")?.as_str()?));
                    Ok(list.iter().filter_map(id).collect())
                })
            })
            .await?;
        match heard {
            Heard::Good(ids) => Ok(ids),
            Heard::Quirk(_, error) => Err(error),
        }
    }

    fn way(&self) -> Way {
        Way {
            schema_in_prompt: self.schema_in_prompt.load(Ordering::Relaxed),
            completion_cap: self.completion_cap.load(Ordering::Relaxed),
        }
    }
}

#[async_trait]
impl Model for OpenAi {
    fn identity(&self) -> String {
        format!("{PROVIDER} {} at {}", self.settings.model, self.connection.endpoint.address())
    }

    fn price(&self, _stage: &str, _expert: Option<&str>) -> Option<Price> {
        self.price.clone()
    }

    fn least(&self, request: &Request) -> Spending {
        least(request, self.price.as_ref())
    }

    async fn complete(&self, request: Request) -> Result<Reply, ModelError> {
        let mut account = Account::new(&request, self.price.as_ref());
        let outcome = self.answer(&request, &mut account).await;
        account.settle(outcome)
    }
}

impl OpenAi {
    /// One answer, however often the request has to be put in another way.
    async fn answer(&self, request: &Request, account: &mut Account<'_>) -> Result<Reply, ModelError> {
        let connection = &self.connection;
        loop {
            let way = self.way();
            let (body, wire) = self.settings.body(request, way)?;
            let body = body.to_string().into_bytes();
            let heard = until_answered(
                connection,
                Method::POST,
                OPERATION,
                Some(&body),
                account,
                |head, body: Body<Whole>| {
                    reply::read(connection, head, &body.bytes(), |body| {
                        let id = connection.header(head, "x-request-id");
                        reply::completion(connection, body, id, request)
                    })
                },
            )
            .await?;
            match heard {
                Heard::Good(mut reply) => {
                    if let Some(wire) = wire {
                        reply.text = wire.read(reply.text);
                    }
                    account.add(reply.usage);
                    return connection.cleared(reply);
                }
                // Each is learnt once; the same complaint about the other way is an error.
                Heard::Quirk(Quirk::NoResponseFormat, error) if !way.schema_in_prompt => {
                    tracing::warn!(%error, "response_format is refused, the schema goes into the prompt");
                    self.schema_in_prompt.store(true, Ordering::Relaxed);
                }
                Heard::Quirk(Quirk::CompletionCap, error) if !way.completion_cap => {
                    tracing::warn!(%error, "max_tokens is refused, sent as max_completion_tokens");
                    self.completion_cap.store(true, Ordering::Relaxed);
                }
                Heard::Quirk(Quirk::NoResponseFormat | Quirk::CompletionCap, error) => {
                    return Err(error);
                }
            }
        }
    }
}

//! The Messages API.
//!
//! Owns: asking over that API, a turn that pauses included. Doesn't own: connections and
//! retries, what is asked. A model's limits are data (`models.toml`).

mod block;
mod body;
mod reply;
mod stream;

use crate::catalogue::{Catalogue, Effort, Price};
use crate::endpoint::{Endpoint, PlainHttp};
use crate::exchange::{Connection, Head, Transport};
use crate::intake::Body;
use crate::retry::until_answered;
use crate::secret::Secret;
use crate::spending::{Account, least};
use crate::sse::Whole;
use crate::{Model, ModelError, Reply, Request, Spending, Stop, ToolUse, Usage, usage};
use async_trait::async_trait;
use body::{Prepared, Settings};
use reply::{Block, Ended, Message, TokenCounts};
use reqwest::Method;
use reqwest::header::HeaderName;
use serde_json::Value;
use std::num::NonZero;
use stream::Stream;

const PROVIDER: &str = "anthropic";
const KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";

/// How often one turn may pause.
const MAX_PAUSES: usize = 8;

/// How a model is reached over the Messages API.
#[derive(Debug, Clone, PartialEq)]
pub struct AnthropicConfig {
    /// The key of the account.
    pub api_key: Secret,
    /// Address without `/v1/messages`.
    pub base_url: String,
    /// Id of the model.
    pub model: String,
    /// Depth of thought; the model's own default when not given.
    pub effort: Option<Effort>,
    /// Only for models that take one: for any other it is an error to give it.
    pub temperature: Option<f64>,
    /// Whether replies are streamed: a server that has died shows by its silence.
    pub streaming: bool,
    /// Whether the arguments of tools are held to their schemas by the provider, which then
    /// limits how many tools there are and how rich they are.
    pub strict_tools: bool,
    /// Whether the key may travel unencrypted.
    pub plain_http: PlainHttp,
    /// Times, sizes and tries.
    pub transport: Transport,
}

impl AnthropicConfig {
    /// Where the API is unless configured otherwise.
    pub const BASE_URL: &str = "https://api.anthropic.com";
    /// The model unless configured otherwise.
    pub const MODEL: &str = "claude-sonnet-5-5";

    /// The default model with its defaults.
    pub fn new(api_key: Secret) -> Self {
        Self {
            api_key,
            base_url: Self::BASE_URL.to_owned(),
            model: Self::MODEL.to_owned(),
            effort: None,
            temperature: None,
            streaming: true,
            strict_tools: false,
            plain_http: PlainHttp::default(),
            transport: Transport::default(),
        }
    }
}

/// A model behind the Messages API.
#[derive(Debug)]
pub struct Anthropic {
    connection: Connection,
    settings: Settings,
    price: Option<Price>,
}

/// What a model can take, as its server says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelLimits {
    /// Longest prompt, in tokens.
    pub max_input_tokens: Option<u64>,
    /// Longest reply, thinking included, in tokens.
    pub max_output_tokens: Option<u64>,
}

impl Anthropic {
    /// Prepares a model; nothing is sent yet. Settings that the model is known not to take
    /// are refused here, by name.
    pub fn new(config: AnthropicConfig, known: &Catalogue) -> Result<Self, ModelError> {
        let AnthropicConfig {
            api_key,
            base_url,
            model,
            effort,
            temperature,
            streaming,
            strict_tools,
            plain_http,
            transport,
        } = config;
        if api_key.is_empty() {
            return Err(ModelError::Unsupported {
                why: format!("the key for {PROVIDER} is empty; set {KEY_VARIABLE}"),
            });
        }
        let facts = known.facts(PROVIDER, &model);
        facts.check(PROVIDER, &model, effort, temperature, facts.temperature.unwrap_or(false))?;
        let endpoint = Endpoint::new(&base_url, true, plain_http)?;
        let key = (HeaderName::from_static("x-api-key"), "", &api_key);
        let connection = Connection::new(PROVIDER, endpoint, transport, KEY_VARIABLE, Some(key))?
            .with_header("anthropic-version", "2023-06-01");
        let settings = Settings { model, effort, temperature, streaming, strict_tools };
        Ok(Self { connection, settings, price: facts.price })
    }

    /// Asks the server about the model: whether the key and the id are good, and its limits.
    pub async fn limits(&self) -> Result<ModelLimits, ModelError> {
        let path = format!("/v1/models/{}", path_segment(&self.settings.model));
        let connection = &self.connection;
        let free = &mut Account::free();
        let about: Value =
            until_answered(connection, Method::GET, &path, None, free, |head, body: Body<Whole>| {
                reply::read(connection, head, &body.bytes())
            })
            .await?;
        let tokens = |key: &str| about.get(key).and_then(Value::as_u64);
        Ok(ModelLimits {
            max_input_tokens: tokens("max_input_tokens"),
            max_output_tokens: tokens("max_tokens"),
        })
    }

    /// One message, with the server's id of the request.
    async fn message(
        &self,
        body: &[u8],
        account: &mut Account<'_>,
    ) -> Result<(Message, Option<String>), ModelError> {
        let connection = &self.connection;
        let id = |head: &Head| connection.header(head, "request-id");
        let (method, path) = (Method::POST, "/v1/messages");
        if self.settings.streaming {
            until_answered(connection, method, path, Some(body), account, |head, body: Body<Stream>| {
                reply::message(connection, head, body).map(|message| (message, id(head)))
            })
            .await
        } else {
            until_answered(connection, method, path, Some(body), account, |head, body: Body<Whole>| {
                reply::read(connection, head, &body.bytes()).map(|message| (message, id(head)))
            })
            .await
        }
    }
}

#[async_trait]
impl Model for Anthropic {
    fn identity(&self) -> String {
        format!("{PROVIDER} {}", self.settings.model)
    }

    fn price(&self, _stage: &str, _expert: Option<&str>) -> Option<Price> {
        self.price.clone()
    }

    fn least(&self, request: &Request) -> Spending {
        least(request, self.price.as_ref())
    }

    async fn complete(&self, request: Request) -> Result<Reply, ModelError> {
        let mut account = Account::new(&request, self.price.as_ref());
        let outcome = self.turn(&request, &mut account).await;
        account.settle(outcome)
    }
}

impl Anthropic {
    /// One whole turn, however often it pauses.
    async fn turn(&self, request: &Request, account: &mut Account<'_>) -> Result<Reply, ModelError> {
        let mut prepared = Prepared::new(request, &self.settings)?;
        let offered = prepared.reply.is_none();
        let mut said = Said::default();
        for _ in 0..=MAX_PAUSES {
            let (message, request_id) = self.message(&prepared.bytes()?, account).await?;
            let model = message.model.clone();
            let ended = message.ended(&self.connection, offered);
            said.add(request, message, account);
            let stop = match ended.map_err(|why| reply::unreadable(&self.connection, &why))? {
                Ended::Stopped(stop) => stop,
                Ended::Paused => match said.room(request) {
                    Some(room) => {
                        prepared.go_on(&said.content, room);
                        continue;
                    }
                    None => Stop::Length,
                },
            };
            let reply = Reply {
                text: said.text,
                calls: if offered { said.calls } else { Vec::new() },
                content: offered.then_some(Value::Array(said.content)),
                stop,
                usage: Usage::default(),
                cost: None,
                model,
                request_id,
            };
            return self.connection.cleared(prepared.led_back(reply));
        }
        Err(reply::unreadable(&self.connection, &format!("the turn paused {} times", MAX_PAUSES + 1)))
    }
}

/// What the messages of one turn say together.
#[derive(Default)]
struct Said {
    text: String,
    calls: Vec<ToolUse>,
    content: Vec<Value>,
    output_tokens: u64,
}

impl Said {
    fn add(&mut self, request: &Request, message: Message, account: &mut Account<'_>) {
        let mut text: String = message.content.iter().filter_map(|block| block.text()).collect();
        let counted = message.usage.as_ref().map(TokenCounts::total);
        let used = usage::sound(counted, request, message.content.iter().map(Block::written).sum());
        if text.trim().is_empty() && message.stop_reason.as_deref() == Some("refusal") {
            text = message.explanation().unwrap_or_default().to_owned();
        }
        self.text.push_str(&text);
        account.add(used);
        self.output_tokens = self.output_tokens.saturating_add(used.output_tokens);
        self.calls.extend(message.content.iter().filter_map(|block| block.call()));
        self.content.extend(message.content.into_iter().map(|block| block.into_value()));
    }

    /// What is left of the request's cap; none when nothing is.
    fn room(&self, request: &Request) -> Option<NonZero<u32>> {
        let used = u32::try_from(self.output_tokens).unwrap_or(u32::MAX);
        NonZero::new(request.max_tokens.saturating_sub(used))
    }
}

/// A model's id as one segment of a path.
fn path_segment(id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    id.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

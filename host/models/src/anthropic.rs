//! The Messages API.
//!
//! Owns: the request as that API wants it, reading its replies and errors. Doesn't own:
//! connections and retries, what a stage asks. A model's limits are data (`models.toml`).

mod reply;

use crate::catalogue::{Catalogue, Effort, Price};
use crate::endpoint::{Endpoint, PlainHttp};
use crate::exchange::{Connection, Transport};
use crate::retry::until_answered;
use crate::schema::{Dialect, Wire};
use crate::secret::Secret;
use crate::{Ask, Model, ModelError, Reply, Request};
use async_trait::async_trait;
use reqwest::Method;
use reqwest::header::HeaderName;
use serde_json::{Map, Value, json};

const PROVIDER: &str = "anthropic";
const KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";

/// The largest body that the API takes, in bytes.
const MAX_REQUEST: usize = 32 * 1024 * 1024;

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
            plain_http: PlainHttp::default(),
            transport: Transport::default(),
        }
    }
}

/// A model behind the Messages API.
#[derive(Debug)]
pub struct Anthropic {
    connection: Connection,
    model: String,
    effort: Option<Effort>,
    temperature: Option<f64>,
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
        let AnthropicConfig { api_key, base_url, model, effort, temperature, plain_http, transport } = config;
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
        Ok(Self { connection, model, effort, temperature, price: facts.price })
    }

    /// Asks the server about the model: whether the key and the id are good, and its limits.
    pub async fn limits(&self) -> Result<ModelLimits, ModelError> {
        let path = format!("/v1/models/{}", path_segment(&self.model));
        until_answered(&self.connection, Method::GET, &path, None, |answer| {
            reply::read(&self.connection, answer, |body: Value| {
                let tokens = |key: &str| body.get(key).and_then(Value::as_u64);
                Ok(ModelLimits {
                    max_input_tokens: tokens("max_input_tokens"),
                    max_output_tokens: tokens("max_tokens"),
                })
            })
        })
        .await
    }

    fn body(&self, request: &Request, system: &str, user: &str, wire: &Wire) -> Result<Vec<u8>, ModelError> {
        if user.trim().is_empty() {
            return Err(ModelError::Unsupported {
                why: format!("the request of stage {} has no text", request.stage),
            });
        }
        let mut output =
            Map::from_iter([("format".to_owned(), json!({"type": "json_schema", "schema": wire.schema}))]);
        if let Some(effort) = self.effort {
            output.insert("effort".to_owned(), json!(effort.word()));
        }
        let mut body = json!({ "model": self.model, "max_tokens": request.max_tokens });
        if !system.trim().is_empty() {
            // What never changes comes first and is cached; the state comes last.
            body["system"] = json!([{
                "type": "text",
                "text": system,
                "cache_control": { "type": "ephemeral" },
            }]);
        }
        body["messages"] = json!([{ "role": "user", "content": [{ "type": "text", "text": user }] }]);
        body["output_config"] = Value::Object(output);
        if let Some(temperature) = self.temperature {
            body["temperature"] = json!(temperature);
        }
        let body = body.to_string().into_bytes();
        if body.len() > MAX_REQUEST {
            return Err(ModelError::Unsupported {
                why: format!(
                    "the request of stage {} has {} bytes and {PROVIDER} takes {MAX_REQUEST}",
                    request.stage,
                    body.len()
                ),
            });
        }
        Ok(body)
    }
}

#[async_trait]
impl Model for Anthropic {
    fn identity(&self) -> String {
        format!("{PROVIDER} {}", self.model)
    }

    fn price(&self, _stage: &str, _expert: Option<&str>) -> Option<Price> {
        self.price.clone()
    }

    async fn complete(&self, request: Request) -> Result<Reply, ModelError> {
        let Ask::Stage { system, user, schema } = &request.ask else {
            return Err(ModelError::Unsupported { why: format!("{PROVIDER} holds no conversations yet") });
        };
        let wire = Wire::new(schema, Dialect::Anthropic)?;
        let body = self.body(&request, system, user, &wire)?;
        let connection = &self.connection;
        let mut reply = until_answered(connection, Method::POST, "/v1/messages", Some(&body), |answer| {
            reply::read(connection, answer, |message| {
                reply::message(connection, message, connection.header(answer, "request-id"), &request)
            })
        })
        .await?;
        reply.text = wire.read(reply.text);
        reply.cost = self.price.as_ref().map(|price| price.of(&reply.usage));
        Ok(connection.cleared(reply))
    }
}

/// A model's id as one segment of a path.
fn path_segment(id: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    id.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

//! One HTTP exchange with a provider.
//!
//! Owns: the client (TLS, timeouts, no redirects), the bounded read of a body, what the
//! network's failures are called. Doesn't own: whether to try again, what a body means.

use crate::endpoint::Endpoint;
use crate::intake::{Body, Intake, Next};
use crate::secret::{HIDDEN, Secret};
use crate::spending::{Account, Used};
use crate::sse::Listener;
use crate::{ModelError, Refusal, Reply, ToolUse, words};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION};
use reqwest::{Client, Method, Response, StatusCode, Url, redirect};
use std::error::Error as _;
use std::time::Duration;
use tokio::time::{Instant, timeout, timeout_at};

/// Times and sizes of exchanges, and how often one is repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transport {
    /// To be connected, TLS included.
    pub connect_timeout: Duration,
    /// For one whole exchange: the model's time to write its answer.
    pub answer_timeout: Duration,
    /// Between two pieces of the answer, and before the first one of a stream.
    pub silence_timeout: Duration,
    /// Longest body, or stream, that is read, in bytes.
    pub max_body: usize,
    /// Tries of one request, the first included.
    pub attempts: u32,
    /// Wait before the second try; doubled for each further one, unless the server says.
    pub first_wait: Duration,
    /// Longest wait that the doubling leads to.
    pub max_wait: Duration,
    /// Longest wait that a server can ask for; if it asks for more, the request has failed.
    pub max_server_wait: Duration,
}

impl Default for Transport {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            answer_timeout: Duration::from_secs(600),
            silence_timeout: Duration::from_secs(120),
            max_body: 64 * 1024 * 1024,
            attempts: 5,
            first_wait: Duration::from_millis(500),
            max_wait: Duration::from_secs(8),
            max_server_wait: Duration::from_secs(60),
        }
    }
}

/// How long the end of a stream is waited for once nothing in it matters any more, so that
/// its connection can be used again.
const PARTING: Duration = Duration::from_secs(1);

/// No exchange is waited for longer, whatever is configured.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// An answer's first part.
#[derive(Debug)]
pub(crate) struct Head {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
}

/// An exchange without a whole answer.
#[derive(Debug)]
pub(crate) struct Broken {
    pub(crate) cause: Cause,
    /// What is known of what it used; none when no good answer had begun.
    pub(crate) used: Option<Used>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) enum Cause {
    /// The network failed; another try may work.
    Network(String),
    /// The server isn't who it should be, or the answer is beyond all bounds.
    Final(ModelError),
}

/// The connection to one provider.
#[derive(Debug)]
pub(crate) struct Connection {
    client: Client,
    pub(crate) endpoint: Endpoint,
    /// Provider and address, as errors name it.
    pub(crate) name: String,
    pub(crate) transport: Transport,
    headers: HeaderMap,
    secret: Secret,
    /// The environment variable that a person sets the key with.
    variable: &'static str,
}

impl Connection {
    /// Prepares a connection; nothing is sent yet. `key` is the header that carries the
    /// secret and the text before it; `variable` the environment variable that the key, if
    /// there is one, is taken from.
    pub(crate) fn new(
        provider: &str,
        endpoint: Endpoint,
        transport: Transport,
        variable: &'static str,
        key: Option<(HeaderName, &str, &Secret)>,
    ) -> Result<Self, ModelError> {
        // Fails when one is installed already, which is just as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let name = format!("{provider} at {}", endpoint.address());
        let mut builder = Client::builder()
            .connect_timeout(transport.connect_timeout)
            .redirect(redirect::Policy::none())
            .referer(false)
            .retry(reqwest::retry::never())
            .tcp_keepalive(Duration::from_secs(30))
            .user_agent(concat!("ringfence/", env!("CARGO_PKG_VERSION")));
        if endpoint.is_loopback() {
            builder = builder.no_proxy();
        }
        if !endpoint.is_https() {
            // Certificates are of no use, and a machine without any can still connect.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|error| ModelError::Unsupported {
            why: format!("no connection to {name} can be prepared: {}", causes(&error)),
        })?;
        let mut headers = HeaderMap::new();
        let mut kept = Secret::new("");
        if let Some((header, prefix, secret)) = key {
            let text = format!("{prefix}{}", secret.expose());
            let mut value = HeaderValue::from_str(&text).map_err(|_| ModelError::Unsupported {
                why: format!("the key for {name} holds characters that no key has"),
            })?;
            value.set_sensitive(true);
            headers.insert(header, value);
            kept = secret.clone();
        }
        Ok(Self { client, endpoint, name, transport, headers, secret: kept, variable })
    }

    /// Adds a header to every request.
    pub(crate) fn with_header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        self
    }

    /// Someone else's words, fit to be shown: without the key, bounded, printable.
    pub(crate) fn shown(&self, text: &str) -> String {
        self.line(text, 500, |text| self.secret.censor(text))
    }

    /// A header of an answer as bounded, printable text without the key.
    pub(crate) fn header(&self, head: &Head, name: &str) -> Option<String> {
        let text = head.headers.get(name)?.to_str().ok()?.trim();
        (!text.is_empty()).then(|| self.named(text))
    }

    /// A reply without the key: a server may echo what it was sent, and replies are kept. A reply
    /// that has the key behind escapes is refused.
    pub(crate) fn cleared(&self, reply: Reply) -> Result<Reply, ModelError> {
        let clear = |text: &str| self.secret.censor_reply(text);
        let calls = reply.calls.iter().map(|call| ToolUse {
            id: clear(&call.id),
            name: clear(&call.name),
            arguments: clear(&call.arguments),
        });
        let cleared = Reply {
            text: clear(&reply.text),
            calls: calls.collect(),
            content: reply.content.map(|content| self.secret.censor_value(content)),
            model: self.named(&reply.model),
            ..reply
        };
        let is_concealed = |text: &str| self.secret.is_concealed_in(text);
        let in_calls = || {
            let told =
                |call: &ToolUse| [&call.id, &call.name, &call.arguments].map(|text| is_concealed(text));
            cleared.calls.iter().any(|call| told(call).contains(&true))
        };
        let in_content =
            || cleared.content.as_ref().is_some_and(|content| self.secret.is_concealed_in_value(content));
        if is_concealed(&cleared.text) || in_calls() || in_content() {
            return Err(ModelError::Unreadable {
                provider: self.name.clone(),
                why: format!("the key ({}) is in it, written with escapes", self.variable),
            });
        }
        Ok(cleared)
    }

    /// A name that a server gave to something, without the key.
    pub(crate) fn named(&self, name: &str) -> String {
        self.line(name, 200, |text| self.secret.censor_reply(text))
    }

    /// One line, cut only after the secret was taken out: what is left of a cut key is still a
    /// part of it. A key can also come about by taking out the hidden characters within it.
    fn line(&self, text: &str, limit: usize, censor: impl Fn(&str) -> String) -> String {
        let line = censor(&words::plain(&censor(text)));
        if self.secret.is_concealed_in(&line) { HIDDEN.to_owned() } else { words::cut(line, limit) }
    }

    /// What a refusal with this status is about, and what a person can do about it.
    pub(crate) fn refusal(&self, status: u16) -> (Refusal, String) {
        match status {
            401 | 403 if self.secret.is_empty() => {
                (Refusal::Keyless, format!("; if it wants a key, set {}", self.variable))
            }
            401 | 403 => (Refusal::Key, format!("; check {}", self.variable)),
            _ => (Refusal::Request, String::new()),
        }
    }

    /// Sends one request and reads the answer; the account hears what it uses meanwhile.
    pub(crate) async fn send<L: Listener>(
        &self,
        method: Method,
        path: &str,
        body: Option<&[u8]>,
        account: &Account<'_>,
    ) -> Result<(Head, Body<L>), Broken> {
        let wait = self.transport.answer_timeout.min(LONGEST);
        let deadline = Instant::now() + wait;
        let late = || Cause::Network(format!("no whole answer in {wait:?}"));
        let unbegun = |cause| Broken { cause, used: None };
        account.hear(Used::default());
        let begun = timeout_at(deadline, self.begin::<L>(method, path, body)).await;
        let mut response = begun.unwrap_or_else(|_| Err(late())).map_err(unbegun)?;
        let headers = std::mem::take(response.headers_mut());
        let head = Head { status: response.status(), headers };
        let mut intake = Intake::new(head.status, &head.headers, self.transport.max_body);
        let taken = timeout_at(deadline, self.take_in(response, &mut intake, account)).await;
        let body = intake.end();
        match taken.unwrap_or_else(|_| Err(late())) {
            Ok(()) => Ok((head, body)),
            Err(cause) => Err(Broken { cause, used: head.status.is_success().then(|| body.used()) }),
        }
    }

    /// Sends a request, up to the first of the answer.
    async fn begin<L: Listener>(
        &self,
        method: Method,
        path: &str,
        body: Option<&[u8]>,
    ) -> Result<Response, Cause> {
        let mut request = self.client.request(method, self.endpoint.url(path)).headers(self.headers.clone());
        if let Some(body) = body {
            request = request.header("content-type", "application/json").body(body.to_vec());
        }
        let wait = self.transport.silence_timeout;
        let answer = request.send();
        let answer = if L::STREAMS {
            // A stream begins at once; anything else only when the model is done.
            let silent = |_| Cause::Network(format!("no answer began in {wait:?}"));
            timeout(wait, answer).await.map_err(silent)?
        } else {
            answer.await
        };
        answer.map_err(|error| self.broken(error))
    }

    /// Takes in an answer's body.
    async fn take_in<L: Listener>(
        &self,
        mut response: Response,
        intake: &mut Intake<L>,
        account: &Account<'_>,
    ) -> Result<(), Cause> {
        let wait = self.transport.silence_timeout;
        loop {
            let piece = match timeout(wait, response.chunk()).await {
                Ok(Ok(Some(piece))) => piece,
                Ok(Ok(None)) => return Ok(()),
                Ok(Err(error)) => return Err(self.broken(error)),
                Err(_) => return Err(Cause::Network(format!("the answer stopped for {wait:?}"))),
            };
            let next = intake.take(&piece);
            account.hear(intake.heard());
            match next {
                Next::More => {}
                Next::Enough => {
                    let _ = timeout(PARTING, response.chunk()).await;
                    return Ok(());
                }
                Next::TooMuch => {
                    return Err(Cause::Final(ModelError::Unreadable {
                        provider: self.name.clone(),
                        why: format!("more than {} bytes", self.transport.max_body),
                    }));
                }
            }
        }
    }

    /// The refusal that a redirect is: the key goes nowhere else.
    pub(crate) fn redirected(&self, head: &Head) -> ModelError {
        let target = head
            .headers
            .get(LOCATION)
            .and_then(|value| value.to_str().ok())
            // Before it is parsed, which could change how the key is written.
            .and_then(|text| Url::parse(&self.secret.censor(text)).ok())
            .and_then(|url| url.host_str().map(|host| format!(" to {}", self.shown(host))))
            .unwrap_or_default();
        ModelError::Refused {
            provider: self.name.clone(),
            status: head.status.as_u16(),
            what: Refusal::Request,
            why: format!("it redirects{target}, which isn't followed; correct the base URL"),
        }
    }

    fn broken(&self, error: reqwest::Error) -> Cause {
        let error = error.without_url();
        let why = self.shown(&causes(&error));
        if distrusted(&error) {
            return Cause::Final(ModelError::Unreachable { provider: self.name.clone(), why });
        }
        Cause::Network(why)
    }
}

/// An error with all its causes, in one line.
fn causes(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.ends_with(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// Whether the server's certificate was refused: asking again changes nothing.
fn distrusted(error: &reqwest::Error) -> bool {
    let mut source = error.source();
    while let Some(cause) = source {
        let inner = cause.downcast_ref::<std::io::Error>().and_then(|error| error.get_ref());
        let tls =
            inner.and_then(|inner| inner.downcast_ref::<rustls::Error>()).or_else(|| cause.downcast_ref());
        if let Some(rustls::Error::InvalidCertificate(_)) = tls {
            return true;
        }
        source = cause.source();
    }
    false
}

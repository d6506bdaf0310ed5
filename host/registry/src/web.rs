//! Requests with bounds: where they may lead, how long they may take, how much is read.
//!
//! Owns: redirects, and that a login goes to nobody but whom it is for. Doesn't own: what an answer
//! means.

use crate::Error;
use crate::client::Limits;
use crate::source::{is_near, is_safe};
use crate::words::cut;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION,
};
use reqwest::{Method, Response, StatusCode, redirect};
use std::error::Error as _;
use tokio::time::{Instant, timeout_at};
use url::Url;

/// Redirects that are followed, one after the other.
const MAX_REDIRECTS: usize = 5;

/// Connections to others, and to this machine.
#[derive(Debug)]
pub(crate) struct Web {
    remote: reqwest::Client,
    local: reqwest::Client,
    limits: Limits,
}

/// One request.
#[derive(Debug, Clone)]
pub(crate) struct Ask<'a> {
    pub(crate) method: Method,
    pub(crate) url: Url,
    /// What errors call the thing that is asked for.
    pub(crate) what: &'a str,
    pub(crate) accept: Option<&'static str>,
    /// Goes to the host of `url` and to no other.
    pub(crate) login: Option<HeaderValue>,
    pub(crate) body: Option<(&'static str, Vec<u8>)>,
}

impl<'a> Ask<'a> {
    pub(crate) fn get(url: Url, what: &'a str) -> Self {
        Self { method: Method::GET, url, what, accept: None, login: None, body: None }
    }
}

/// The beginning of an answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// Who gave it.
    pub(crate) url: Url,
    what: String,
    response: Response,
    deadline: Instant,
    limits: Limits,
}

impl Web {
    pub(crate) fn new(limits: Limits) -> Result<Self, Error> {
        // Fails when one is installed already, which is just as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let builder = || {
            reqwest::Client::builder()
                .connect_timeout(limits.connect)
                .redirect(redirect::Policy::none())
                .referer(false)
                .retry(reqwest::retry::never())
                .user_agent(concat!("ringfence/", env!("CARGO_PKG_VERSION")))
        };
        let client =
            |builder: reqwest::ClientBuilder| builder.build().map_err(|error| Error::Client(causes(&error)));
        Ok(Self {
            remote: client(builder())?,
            // Certificates are of no use, and a machine without any can still connect.
            local: client(builder().no_proxy().tls_certs_only([]))?,
            limits,
        })
    }

    /// Asks, and follows where a reading request is led.
    pub(crate) async fn ask(&self, mut ask: Ask<'_>) -> Result<Answer, Error> {
        let deadline = Instant::now() + self.limits.exchange;
        for _ in 0..=MAX_REDIRECTS {
            let answer = self.once(&ask, deadline).await?;
            let leads = answer.status.is_redirection() && answer.status != StatusCode::NOT_MODIFIED;
            if !leads || !matches!(ask.method, Method::GET | Method::HEAD) {
                return Ok(answer);
            }
            let to = answer.location()?;
            if to.origin() != ask.url.origin() {
                ask.login = None;
            }
            ask.url = to;
        }
        Err(Error::Redirect {
            at: host(&ask.url),
            to: shown(&ask.url),
            why: format!("more than {MAX_REDIRECTS} times in a row"),
        })
    }

    async fn once(&self, ask: &Ask<'_>, deadline: Instant) -> Result<Answer, Error> {
        let plain = ask.url.scheme() == "http";
        let client = if plain { &self.local } else { &self.remote };
        let mut headers = HeaderMap::new();
        if let Some(accept) = ask.accept {
            headers.insert(ACCEPT, HeaderValue::from_static(accept));
        }
        if let Some(login) = &ask.login {
            headers.insert(AUTHORIZATION, login.clone());
        }
        let mut request = client.request(ask.method.clone(), ask.url.clone());
        // What is sent takes its time; an answer to a question doesn't.
        let mut first = deadline;
        match &ask.body {
            Some((kind, body)) => {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
                request = request.body(body.clone());
            }
            None => first = first.min(Instant::now() + self.limits.connect + self.limits.silence),
        }
        let sent = timeout_at(first, request.headers(headers).send()).await;
        let response = sent.map_err(|_| self.too_slow(&ask.url, ask.what))?.map_err(|error| {
            Error::Unreachable { at: host(&ask.url), why: cut(&causes(&error.without_url()), 300) }
        })?;
        Ok(Answer {
            status: response.status(),
            url: ask.url.clone(),
            what: ask.what.to_owned(),
            response,
            deadline,
            limits: self.limits,
        })
    }

    fn too_slow(&self, url: &Url, what: &str) -> Error {
        Error::TooSlow { at: host(url), what: what.to_owned(), seconds: self.limits.silence.as_secs() }
    }
}

impl Answer {
    pub(crate) fn header(&self, name: impl reqwest::header::AsHeaderName) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.response.headers()
    }

    /// Where it leads, if one may follow.
    pub(crate) fn location(&self) -> Result<Url, Error> {
        let to = self.header(LOCATION).unwrap_or_default();
        let refused =
            |why: &str| Error::Redirect { at: host(&self.url), to: cut(to, 200), why: why.to_owned() };
        let url = self.url.join(to).map_err(|_| refused("it is no address"))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Error::Redirect {
                at: host(&self.url),
                to: host(&url),
                why: "it holds a login".to_owned(),
            });
        }
        may_lead(&self.url, &url).map_err(refused)?;
        Ok(url)
    }

    /// The whole body, if it has at most so many bytes.
    pub(crate) async fn body(mut self, most: u64) -> Result<Vec<u8>, Error> {
        let too_large = || Error::TooLarge { what: self.what.clone(), limit: most };
        if self.header(CONTENT_ENCODING).is_some_and(|coding| coding != "identity") {
            return Err(self.status_error("compressed, though that wasn't asked for"));
        }
        if self.response.content_length().is_some_and(|length| length > most) {
            return Err(too_large());
        }
        let mut body = Vec::new();
        loop {
            let next = self.deadline.min(Instant::now() + self.limits.silence);
            let chunk = timeout_at(next, self.response.chunk()).await.map_err(|_| Error::TooSlow {
                at: host(&self.url),
                what: self.what.clone(),
                seconds: if next == self.deadline { self.limits.exchange } else { self.limits.silence }
                    .as_secs(),
            })?;
            let chunk = chunk.map_err(|error| Error::Unreachable {
                at: host(&self.url),
                why: cut(&causes(&error.without_url()), 300),
            })?;
            let Some(chunk) = chunk else { return Ok(body) };
            if body.len() as u64 + chunk.len() as u64 > most {
                return Err(Error::TooLarge { what: self.what.clone(), limit: most });
            }
            body.extend_from_slice(&chunk);
        }
    }

    /// The error that an answer is that says no, with its own words.
    pub(crate) async fn refused(self) -> Error {
        let (at, what, status) = (host(&self.url), self.what.clone(), self.status);
        if status == StatusCode::NOT_FOUND {
            return Error::NotFound { at, what };
        }
        let said = self.body(16 << 10).await.unwrap_or_default();
        let said_by = words_of(&String::from_utf8_lossy(&said));
        Error::Status { at, what, status: status.as_u16(), said_by }
    }

    fn status_error(&self, said: &str) -> Error {
        Error::Status {
            at: host(&self.url),
            what: self.what.clone(),
            status: self.status.as_u16(),
            said_by: said.to_owned(),
        }
    }
}

/// The messages of a registry's error, else the text; nothing of a page.
fn words_of(said: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(said).unwrap_or_default();
    let errors = value.get("errors").and_then(|errors| errors.as_array());
    let messages: Vec<&str> =
        errors.into_iter().flatten().filter_map(|error| error.get("message")?.as_str()).take(3).collect();
    match messages.as_slice() {
        [] if said.trim_start().starts_with(['<', '{']) => String::new(),
        [] => cut(said, 200),
        messages => cut(&messages.join("; "), 200),
    }
}

/// Whether one may be led from the first to the second: never out of encryption, and from elsewhere
/// never to this machine or into its own networks.
pub(crate) fn may_lead(from: &Url, to: &Url) -> Result<(), &'static str> {
    if !is_safe(to) {
        return Err("it isn't encrypted");
    }
    if is_near(to) && !is_near(from) {
        return Err("it is on this machine, or in a network of its own");
    }
    Ok(())
}

/// Host and port.
pub(crate) fn host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// An address without what may be a secret of somebody's in it.
fn shown(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    cut(shown.as_str(), 200)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_led_out_of_encryption_or_to_this_machine() {
        let url = |text: &str| Url::parse(text).unwrap();
        for (from, to, may) in [
            ("https://a.example", "https://b.example/x", true),
            ("https://a.example", "http://a.example", false),
            ("https://a.example", "http://127.0.0.1", false),
            ("https://a.example", "https://localhost", false),
            ("https://a.example", "https://localhost.", false),
            ("https://a.example", "https://192.168.1.1", false),
            ("http://127.0.0.1:1", "http://127.0.0.1:2", true),
            ("http://127.0.0.1:1", "http://10.0.0.1", false),
            ("https://a.example", "ftp://a.example", false),
        ] {
            assert_eq!(may_lead(&url(from), &url(to)).is_ok(), may, "{from} {to}");
        }
    }

    #[test]
    fn a_registry_s_own_words_are_told_and_a_page_isn_t() {
        let errors = r#"{"errors":[{"code":"DENIED","message":"not\u001b yours"},{"message":"no"}]}"#;
        assert_eq!(words_of(errors), "not yours; no");
        assert_eq!(words_of("<html>"), "");
        assert_eq!(words_of("quota\nexceeded"), "quota exceeded");
    }
}

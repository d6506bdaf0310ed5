//! `web_search`: from a query to what a configured provider found.
//!
//! Owns: the request, what is taken from the answer (`answer`). Doesn't own: the provider's key;
//! the host puts it into the request, and it is never seen here.

mod answer;

use crate::failure::{Failure, amount};
use crate::net::{Response, Transport};
use crate::{address, body, seen};
use url::Url;

const DEFAULT_COUNT: u32 = 10;
const MOST_COUNT: u32 = 20;
/// Characters of a query; Brave takes no more.
const MOST_QUERY: usize = 400;
const ERROR_TEXT: usize = 200;

const HEADERS: [(&str, &str); 3] = [
    ("accept", "application/json"),
    ("accept-encoding", "identity"),
    ("user-agent", concat!("ringfence/", env!("CARGO_PKG_VERSION"))),
];

const UNCONFIGURED: &str = "no search provider is configured; set [tools.web_search] provider in the configuration: `brave` needs \
     its host granted and a secret with its key, `searxng` its `url` and that host granted";

/// What the host says of how to search.
pub trait Settings {
    /// The value of `search.provider` or `search.url`; the error says why it can't be had.
    fn get(&self, key: &str) -> Result<Option<String>, String>;
}

/// What to look for.
#[derive(Debug, Clone, Copy, Default)]
pub struct SearchRequest<'a> {
    /// The words.
    pub query: &'a str,
    /// How many results.
    pub count: Option<u32>,
}

/// Something found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// The page's title.
    pub title: String,
    /// Its address.
    pub url: String,
    /// A part that fits.
    pub snippet: String,
    /// How old it is, as the provider says.
    pub age: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Provider {
    Brave,
    Searxng,
}

/// Asks the configured provider.
pub fn web_search(
    net: &mut impl Transport,
    settings: &impl Settings,
    request: &SearchRequest<'_>,
) -> Result<Vec<Hit>, Failure> {
    let query = request.query.trim();
    let characters = query.chars().count();
    if characters == 0 || characters > MOST_QUERY {
        return Err(Failure::InvalidRange(format!(
            "the query has {characters} characters; possible are 1 to {MOST_QUERY}"
        )));
    }
    let count = amount("count", request.count, DEFAULT_COUNT, MOST_COUNT)?;
    let (provider, endpoint) = configured(settings)?;
    let url = provider.request(endpoint, query, count);
    let mut response = net.get(&url, &HEADERS).map_err(|error| Failure::of(&bare(&url), error))?;
    let text = text(&bare(&url), &mut response)?;
    let hits = match provider {
        Provider::Brave => answer::brave(&text, count as usize),
        Provider::Searxng => answer::searxng(&text, count as usize),
    };
    hits.map_err(|why| Failure::Provider(format!("{}: {why}", address::shown(bare(&url).as_str()))))
}

fn configured(settings: &impl Settings) -> Result<(Provider, Option<Url>), Failure> {
    let get = |key: &str| {
        let value = settings
            .get(key)
            .map_err(|why| Failure::NotConfigured(format!("`{key}` can't be read: {why}")))?;
        Ok(value.filter(|value| !value.trim().is_empty()))
    };
    let Some(provider) = get("search.provider")? else {
        return Err(Failure::NotConfigured(UNCONFIGURED.into()));
    };
    let provider = match provider.trim() {
        "brave" => Provider::Brave,
        "searxng" => Provider::Searxng,
        other => {
            let other = address::shown(other);
            return Err(Failure::NotConfigured(format!(
                "the search provider {other} is not known; set [tools.web_search] provider to `brave` or `searxng`"
            )));
        }
    };
    let url =
        get("search.url")?.map(|url| address::parse(&url)).transpose().map_err(|failure| match failure {
            Failure::InvalidUrl(why) => Failure::NotConfigured(format!("[tools.web_search] url: {why}")),
            other => other,
        })?;
    match (provider, &url) {
        (Provider::Searxng, None) => Err(Failure::NotConfigured(
            "[tools.web_search] url is missing; SearXNG has no public address".into(),
        )),
        (Provider::Searxng | Provider::Brave, _) => Ok((provider, url)),
    }
}

impl Provider {
    fn request(self, endpoint: Option<Url>, query: &str, count: u32) -> Url {
        const BRAVE: &str = "https://api.search.brave.com/res/v1/web/search";
        let mut url = match endpoint {
            Some(url) => url,
            #[allow(clippy::expect_used)]
            None => Url::parse(BRAVE).expect("it is one"),
        };
        let path = url.path().trim_end_matches('/').to_owned();
        match self {
            Self::Brave if path.is_empty() => url.set_path("/res/v1/web/search"),
            Self::Searxng if !path.ends_with("/search") => url.set_path(&format!("{path}/search")),
            Self::Brave | Self::Searxng => {}
        }
        let mut pairs = url.query_pairs_mut();
        pairs.append_pair("q", query);
        match self {
            Self::Brave => pairs.append_pair("count", &count.to_string()),
            Self::Searxng => pairs.append_pair("format", "json"),
        };
        drop(pairs);
        url
    }
}

/// The address without the query, for messages.
fn bare(url: &Url) -> Url {
    let mut bare = url.clone();
    bare.set_query(None);
    bare
}

fn text(url: &Url, response: &mut Response) -> Result<String, Failure> {
    let shown = address::shown(url.as_str());
    let status = response.status;
    let body = body::read(response).map_err(|why| Failure::Network(format!("{shown}: {why}")))?;
    let text = String::from_utf8_lossy(&body.bytes).into_owned();
    let failed = |why: &str| {
        let text = seen::one_line(&text, ERROR_TEXT);
        Err(Failure::Provider(format!("{shown}: the search provider answered {status}{why}: {text}")))
    };
    match status {
        200 if body.truncated => Err(Failure::Provider(format!("{shown}: the answer is too large"))),
        200 => Ok(text),
        401 | 403 => failed(" (is its key set, and for SearXNG the format `json` allowed?)"),
        429 => failed(" (too many searches; wait before the next)"),
        300..=399 => failed(" (a redirect; set [tools.web_search] url to where it leads)"),
        _ => failed(""),
    }
}

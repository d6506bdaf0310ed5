//! `fetch_page`: from an address to a part of a readable text.

use crate::failure::{Failure, amount};
use crate::html::{self, Extracted, Link};
use crate::media::{ContentType, Media};
use crate::net::{Response, Transport};
use crate::{address, body, charset, page, seen};
use url::Url;

/// Redirects that are followed.
const MOST_REDIRECTS: usize = 5;
/// Characters of a part.
const DEFAULT_LIMIT: u32 = 10_000;
const MOST_LIMIT: u32 = 50_000;
/// Characters of an error's own text.
const ERROR_TEXT: usize = 500;
/// Links of a part, by number and by bytes.
const MOST_LINKS: usize = 100;
const MOST_LINK_BYTES: usize = 40 << 10;
/// Longer texts are cut.
const MOST_CHARACTERS: usize = 2_000_000;

const HEADERS: [(&str, &str); 3] = [
    ("accept", "text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.1"),
    ("accept-encoding", "identity"),
    ("user-agent", concat!("ringfence/", env!("CARGO_PKG_VERSION"))),
];

/// What to fetch.
#[derive(Debug, Clone, Copy, Default)]
pub struct FetchRequest<'a> {
    /// The address.
    pub url: &'a str,
    /// Where to start, in characters.
    pub offset: Option<u32>,
    /// How many characters.
    pub limit: Option<u32>,
    /// Whether menus and the like are kept.
    pub whole_page: bool,
}

/// A part of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where it was found.
    pub url: String,
    /// The answer's status.
    pub status: u16,
    /// The page's title.
    pub title: Option<String>,
    /// Its type.
    pub content_type: String,
    /// The text.
    pub text: String,
    /// Where it starts, in characters.
    pub offset: u32,
    /// How many characters the whole text has.
    pub total_characters: u32,
    /// Where the next part starts.
    pub next_offset: Option<u32>,
    /// Whether the page was larger than what is read of one.
    pub truncated: bool,
    /// The links in this part.
    pub links: Vec<Link>,
}

/// Fetches a page; each redirect is a request of its own, for the host to judge.
pub fn fetch_page(net: &mut impl Transport, request: &FetchRequest<'_>) -> Result<Fetched, Failure> {
    let offset = request.offset.unwrap_or(0);
    let limit = amount("limit", request.limit, DEFAULT_LIMIT, MOST_LIMIT)?;
    let (url, mut response) = arrive(net, address::parse(request.url)?)?;
    let declared = response.header("content-type").filter(|value| !value.is_empty()).map(ContentType::parse);
    if let Some(declared) = declared.as_ref().filter(|declared| declared.media() == Media::Other) {
        if response.status >= 400 {
            return Err(failed(&url, response.status, ""));
        }
        let length = response.header("content-length").and_then(|length| length.parse::<u64>().ok());
        return Err(unsupported(&url, declared, length));
    }
    let status = response.status;
    let body = body::read(&mut response)
        .map_err(|why| Failure::Network(format!("{}: {why}", address::shown(url.as_str()))))?;
    let content_type = declared.unwrap_or_else(|| ContentType::of(&body.bytes));
    let media = content_type.media();
    if media == Media::Other {
        return Err(unsupported(&url, &content_type, Some(body.bytes.len() as u64)));
    }
    let is_html = media == Media::Html;
    let text = charset::decode(&body.bytes, content_type.charset.as_deref(), is_html, body.truncated);
    let extracted = if is_html { html::extract(&text, &url, request.whole_page) } else { as_it_is(&text) };
    if status >= 400 {
        return Err(failed(&url, status, &extracted.text));
    }
    let part = page::part(&extracted.text, offset, limit)?;
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let goes_on = part.end < extracted.text.len();
    Ok(Fetched {
        url: url.to_string(),
        status,
        title: extracted.title,
        content_type: content_type.essence,
        text: extracted.text.get(part.start..part.end).unwrap_or_default().to_owned(),
        offset,
        total_characters: count(part.total_characters),
        next_offset: goes_on.then(|| count(part.end_characters)),
        truncated: body.truncated || extracted.cut,
        links: within(extracted.links, part.start, part.end),
    })
}

/// Follows redirects to the answer that is none.
fn arrive(net: &mut impl Transport, mut url: Url) -> Result<(Url, Response), Failure> {
    for _ in 0..=MOST_REDIRECTS {
        let response = net.get(&url, &HEADERS).map_err(|error| Failure::of(&url, error))?;
        let location =
            response.header("location").filter(|_| matches!(response.status, 301 | 302 | 303 | 307 | 308));
        match location {
            Some(location) => url = address::follow(&url, location)?,
            None => return Ok((url, response)),
        }
    }
    let url = address::shown(url.as_str());
    Err(Failure::Network(format!("more than {MOST_REDIRECTS} redirects; the last one leads to {url}")))
}

fn as_it_is(text: &str) -> Extracted {
    let end = text.char_indices().nth(MOST_CHARACTERS).map_or(text.len(), |(at, _)| at);
    Extracted {
        title: None,
        text: seen::plain(text.get(..end).unwrap_or_default()),
        links: Vec::new(),
        cut: end < text.len(),
    }
}

/// The links that stand between these bytes of the text.
fn within(links: Vec<(usize, Link)>, start: usize, end: usize) -> Vec<Link> {
    let mut bytes = 0;
    let mut within = links.into_iter().filter(|(at, _)| (start..end).contains(at)).map(|(_, link)| link);
    let fits = within.by_ref().take(MOST_LINKS).take_while(|link| {
        bytes += link.text.len() + link.url.len();
        bytes <= MOST_LINK_BYTES
    });
    fits.collect()
}

fn failed(url: &Url, status: u16, text: &str) -> Failure {
    let (url, text) = (address::shown(url.as_str()), seen::one_line(text, ERROR_TEXT));
    let mark = if text.is_empty() { "" } else { ": " };
    Failure::Status(format!("{url}: the server answered {status}{mark}{text}"))
}

fn unsupported(url: &Url, content_type: &ContentType, length: Option<u64>) -> Failure {
    let (url, essence) = (address::shown(url.as_str()), &content_type.essence);
    let length = length.map_or("of unknown size".to_owned(), |length| format!("{length} bytes"));
    Failure::UnsupportedType(format!("{url}: `{essence}`, {length}; only text, HTML and JSON can be read"))
}

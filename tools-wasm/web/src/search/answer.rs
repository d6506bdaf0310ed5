//! What is taken from a provider's answer.

use super::Hit;
use crate::html::extract;
use crate::seen::one_line;
use serde_json::Value;
use url::Url;

const TITLE: usize = 200;
const SNIPPET: usize = 600;
const AGE: usize = 60;
const URL_BYTES: usize = 2000;

/// `{"web": {"results": [{"title", "url", "description", "age"}]}}`, texts in HTML; no `web` where
/// nothing was found.
pub(super) fn brave(text: &str, count: usize) -> Result<Vec<Hit>, String> {
    let answer = json(text)?;
    let results = match answer.get("web") {
        None | Some(Value::Null) if answer.get("query").is_some() => return Ok(Vec::new()),
        None => return Err(unexpected("web")),
        Some(web) => web.get("results").and_then(Value::as_array).ok_or_else(|| unexpected("web.results"))?,
    };
    Ok(hits(results, count, "description", &["age", "page_age"]))
}

/// `{"results": [{"title", "url", "content", "publishedDate"}]}`.
pub(super) fn searxng(text: &str, count: usize) -> Result<Vec<Hit>, String> {
    let answer = json(text)?;
    let results = answer.get("results").and_then(Value::as_array).ok_or_else(|| unexpected("results"))?;
    Ok(hits(results, count, "content", &["publishedDate"]))
}

fn json(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("the search provider's answer is not JSON: {error}"))
}

fn unexpected(field: &str) -> String {
    format!("the search provider's answer has no list `{field}`; is it the provider that is configured?")
}

/// Results without a usable address are left out.
fn hits(results: &[Value], count: usize, snippet: &str, ages: &[&str]) -> Vec<Hit> {
    let hit = |result: &Value| {
        let text = |field: &str| result.get(field).and_then(Value::as_str);
        let url = text("url").filter(|url| url.len() <= URL_BYTES)?;
        let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
        let age = ages.iter().find_map(|field| text(field)).map(|age| one_line(age, AGE));
        Some(Hit {
            title: readable(text("title").unwrap_or_default(), &url, TITLE),
            snippet: readable(text(snippet).unwrap_or_default(), &url, SNIPPET),
            age: age.filter(|age| !age.is_empty()),
            url: url.into(),
        })
    };
    results.iter().filter_map(hit).take(count).collect()
}

/// A short text in HTML as plain text in one line.
fn readable(html: &str, url: &Url, most: usize) -> String {
    let start = html.char_indices().nth(most * 4).map_or(html.len(), |(at, _)| at);
    one_line(&extract(html.get(..start).unwrap_or_default(), url, true).text, most)
}

//! What an answer holds, by its `Content-Type` or, without one, its first bytes.

/// How a body is turned into text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Media {
    Html,
    /// Text that is shown as it is.
    Plain,
    /// No text.
    Other,
}

/// A content type taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ContentType {
    /// Type and subtype in lower case: `text/html`.
    pub(crate) essence: String,
    pub(crate) charset: Option<String>,
}

impl ContentType {
    pub(crate) fn parse(header: &str) -> Self {
        let mut parts = header.split(';');
        let essence: String = parts
            .next()
            .unwrap_or_default()
            .trim()
            .chars()
            .filter(char::is_ascii_graphic)
            .take(100)
            .collect();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            name.trim()
                .eq_ignore_ascii_case("charset")
                .then(|| value.trim().trim_matches(['"', '\'']).to_owned())
        });
        Self { essence: essence.to_ascii_lowercase(), charset }
    }

    /// A guess from the start of a body that came without a type.
    pub(crate) fn of(body: &[u8]) -> Self {
        let start = body.get(..1024).unwrap_or(body);
        let is_html = start.trim_ascii_start().first() == Some(&b'<')
            && [&b"<!doctype html"[..], b"<html", b"<head", b"<body", b"<title", b"<p", b"<div"]
                .iter()
                .any(|tag| start.windows(tag.len()).any(|window| window.eq_ignore_ascii_case(tag)));
        let essence = if is_html {
            "text/html"
        } else if start.contains(&0) {
            "application/octet-stream"
        } else {
            "text/plain"
        };
        Self { essence: essence.to_owned(), charset: None }
    }

    pub(crate) fn media(&self) -> Media {
        let essence = self.essence.as_str();
        let text = [
            "json",
            "xml",
            "javascript",
            "ecmascript",
            "yaml",
            "x-yaml",
            "toml",
            "x-sh",
            "sql",
            "x-ndjson",
            "graphql",
        ];
        match essence.split_once('/') {
            Some(("text", "html")) | Some(("application", "xhtml+xml")) => Media::Html,
            Some(("text", _)) => Media::Plain,
            Some(("application", subtype)) if text.contains(&subtype) => Media::Plain,
            Some(("application" | "image" | "model", subtype))
                if subtype.ends_with("+json") || subtype.ends_with("+xml") || subtype.ends_with("+yaml") =>
            {
                Media::Plain
            }
            Some(_) | None => Media::Other,
        }
    }
}

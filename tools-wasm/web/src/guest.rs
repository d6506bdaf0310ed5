//! The component's export: the interface's types to this crate's and back.

mod network;
mod settings;

#[allow(missing_docs, unreachable_pub)]
mod bindings {
    wit_bindgen::generate!({ world: "web-tool", path: "../../wit/web.wit" });
}

/// What is imported apart from what the standard library needs.
#[allow(missing_docs, unreachable_pub, dead_code)]
mod needs {
    wit_bindgen::generate!({ world: "needs", path: "wit", generate_all });
}

use crate::{Failure, FetchRequest, NOTE, SearchRequest};
use bindings::exports::ringfence::tools::web as wit;

struct Web;

impl wit::Guest for Web {
    fn fetch_page(
        url: String,
        offset: Option<u32>,
        limit: Option<u32>,
        whole_page: Option<bool>,
    ) -> Result<wit::Page, wit::Error> {
        let request = FetchRequest { url: &url, offset, limit, whole_page: whole_page.unwrap_or(false) };
        let page = crate::fetch_page(&mut network::Network, &request)?;
        let links = page.links.into_iter();
        Ok(wit::Page {
            note: NOTE.to_owned(),
            url: page.url,
            status: page.status,
            title: page.title,
            content_type: page.content_type,
            text: page.text,
            offset: page.offset,
            total_characters: page.total_characters,
            next_offset: page.next_offset,
            truncated: page.truncated,
            links: links.map(|link| wit::Link { text: link.text, url: link.url }).collect(),
        })
    }

    fn web_search(query: String, count: Option<u32>) -> Result<wit::Hits, wit::Error> {
        let request = SearchRequest { query: &query, count };
        let hits = crate::web_search(&mut network::Network, &settings::Store, &request)?;
        let hits = hits.into_iter();
        Ok(wit::Hits {
            note: NOTE.to_owned(),
            hits: hits
                .map(|hit| wit::Hit { title: hit.title, url: hit.url, snippet: hit.snippet, age: hit.age })
                .collect(),
        })
    }
}

impl From<Failure> for wit::Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::InvalidUrl(message) => Self::InvalidUrl(message),
            Failure::NotPermitted(message) => Self::NotPermitted(message),
            Failure::Network(message) => Self::Network(message),
            Failure::Status(message) => Self::HttpStatus(message),
            Failure::UnsupportedType(message) => Self::UnsupportedType(message),
            Failure::InvalidRange(message) => Self::InvalidRange(message),
            Failure::NotConfigured(message) => Self::NotConfigured(message),
            Failure::Provider(message) => Self::Provider(message),
        }
    }
}

bindings::export!(Web with_types_in bindings);

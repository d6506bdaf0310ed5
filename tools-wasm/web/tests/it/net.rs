//! A network that answers from a list.

use ringfence_web::{NetError, Response, Settings, Transport};
use std::collections::BTreeMap;
use std::io::Read;
use url::Url;

type Answer = (u16, Vec<(String, String)>, Vec<u8>);

#[derive(Default)]
pub(crate) struct Net {
    answers: BTreeMap<String, Answer>,
    refused: BTreeMap<String, NetError>,
    /// What was asked for, in order.
    pub(crate) asked: Vec<String>,
}

impl Net {
    pub(crate) fn page(mut self, url: &str, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("Content-Type".to_owned(), content_type.to_owned())];
        self.answers.insert(url.to_owned(), (200, headers, body.into()));
        self
    }

    pub(crate) fn answer(
        mut self,
        url: &str,
        status: u16,
        headers: &[(&str, &str)],
        body: impl Into<Vec<u8>>,
    ) -> Self {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        self.answers.insert(url.to_owned(), (status, headers, body.into()));
        self
    }

    pub(crate) fn refuses(mut self, url: &str, error: NetError) -> Self {
        self.refused.insert(url.to_owned(), error);
        self
    }
}

impl Transport for Net {
    fn get(&mut self, url: &Url, headers: &[(&str, &str)]) -> Result<Response, NetError> {
        assert!(headers.contains(&("accept-encoding", "identity")));
        self.asked.push(url.to_string());
        if let Some(error) = self.refused.get(url.as_str()) {
            return Err(error.clone());
        }
        let Some((status, headers, body)) = self.answers.get(url.as_str()).cloned() else {
            return Err(NetError::Denied("the host is not granted".to_owned()));
        };
        Ok(Response { status, headers, body: Box::new(Drip(body, 0)) })
    }
}

/// Gives a few bytes at a time, as networks do.
struct Drip(Vec<u8>, usize);

impl Read for Drip {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let rest = &self.0[self.1..];
        let count = rest.len().min(buffer.len()).min(1000);
        buffer[..count].copy_from_slice(&rest[..count]);
        self.1 += count;
        Ok(count)
    }
}

pub(crate) struct Configured(pub(crate) &'static [(&'static str, &'static str)]);

impl Settings for Configured {
    fn get(&self, key: &str) -> Result<Option<String>, String> {
        Ok(self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| (*value).to_owned()))
    }
}

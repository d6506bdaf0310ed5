//! Headers on their way out and in.
//!
//! Owns: which ones are the host's alone to write, how many bytes they are, and what of a reply's
//! a guest is told.

use http::header::{
    CONNECTION, CONTENT_LENGTH, EXPECT, HOST, HeaderMap, HeaderName, TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};

/// Bytes that a header takes besides its name and value: `: ` and the end of the line.
const AROUND: usize = 4;

/// Headers of the connection and not of the message, and those that say where a message ends or
/// whom it is for: a guest that could set them could hide a second request in the first.
pub(super) fn is_the_host_s(name: &HeaderName) -> bool {
    *name == CONTENT_LENGTH || is_forbidden(name)
}

/// The same for guests, which may say how long a body is: wasmtime-wasi-http holds them to it.
pub(super) fn is_forbidden(name: &HeaderName) -> bool {
    [CONNECTION, EXPECT, HOST, TE, TRAILER, TRANSFER_ENCODING, UPGRADE].contains(name)
        || matches!(name.as_str(), "keep-alive" | "http2-settings" | "alt-used")
        || name.as_str().starts_with("proxy-")
}

/// What headers take on the wire.
pub(super) fn bytes(headers: &HeaderMap) -> u64 {
    let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len() + AROUND).sum();
    bytes as u64
}

/// Whether a body is transferred as it is, in chunks or not.
pub(super) fn is_plainly_transferred(headers: &HeaderMap) -> bool {
    let named =
        headers.get_all(TRANSFER_ENCODING).iter().flat_map(|value| value.as_bytes().split(|b| *b == b','));
    let mut codings = named
        .map(<[u8]>::trim_ascii)
        .filter(|coding| !coding.is_empty() && !coding.eq_ignore_ascii_case(b"identity"));
    codings.next().is_none_or(|only| only.eq_ignore_ascii_case(b"chunked")) && codings.next().is_none()
}

/// Takes the headers of the connection out of a reply.
pub(super) fn strip(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    let ours = headers.keys().filter(|name| is_forbidden(name)).cloned();
    for name in ours.chain(named).collect::<Vec<_>>() {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_message_or_names_its_receiver_is_the_host_s() {
        for name in [
            "host",
            "transfer-encoding",
            "content-length",
            "connection",
            "proxy-anything",
            "te",
            "upgrade",
            "expect",
        ] {
            assert!(is_the_host_s(&name.parse().unwrap()), "{name}");
        }
        for name in ["accept", "authorization", "x-host", "content-type", "range"] {
            assert!(!is_the_host_s(&name.parse().unwrap()), "{name}");
        }
    }

    #[test]
    fn a_body_is_transferred_in_chunks_or_as_it_is() {
        let is_plain = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(TRANSFER_ENCODING, value.parse().unwrap());
            }
            is_plainly_transferred(&headers)
        };
        for plain in [&[][..], &["chunked"], &["Chunked "], &["identity"], &["identity, chunked"]] {
            assert!(is_plain(plain), "{plain:?}");
        }
        for coded in [
            &["gzip, chunked"][..],
            &["gzip", "chunked"],
            &["gzip"],
            &["chunked, chunked"],
            &["chunked;q=1"],
            &["x-mine,chunked"],
        ] {
            assert!(!is_plain(coded), "{coded:?}");
        }
    }

    #[test]
    fn a_reply_loses_what_was_for_the_connection() {
        let mut headers = HeaderMap::new();
        for (name, value) in
            [("connection", "close, X-Hop"), ("x-hop", "1"), ("proxy-status", "x"), ("etag", "y")]
        {
            headers.insert(name, value.parse().unwrap());
        }
        strip(&mut headers);
        assert_eq!(headers.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["etag"]);
    }
}

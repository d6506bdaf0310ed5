//! Reading a body: as much as is wanted, unpacked where it came packed.

use crate::net::Response;
use flate2::read::GzDecoder;
use std::io::{ErrorKind, Read};

/// The most bytes of a body that are read, packed and unpacked alike.
pub(crate) const MOST_BYTES: usize = 4 << 20;

/// The start of a body.
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    /// Whether there was more.
    pub(crate) truncated: bool,
}

/// Reads the body of `response`; the error says why it can't be.
pub(crate) fn read(response: &mut Response) -> Result<Body, String> {
    let encoding = response.header("content-encoding").unwrap_or("identity").to_ascii_lowercase();
    let body = std::mem::replace(&mut response.body, Box::new(std::io::empty()));
    match encoding.as_str() {
        "identity" | "" => bounded(body),
        // A few bytes can unpack to gigabytes: both sides have their bound.
        "gzip" | "x-gzip" => bounded(GzDecoder::new(body.take(MOST_BYTES as u64 + 1))),
        other => {
            let other: String = other.chars().filter(char::is_ascii_graphic).take(40).collect();
            Err(format!("the answer is packed as `{other}`, which was not asked for and can't be read"))
        }
    }
}

fn bounded(mut body: impl Read) -> Result<Body, String> {
    let mut bytes = Vec::new();
    let mut piece = vec![0; 64 << 10];
    loop {
        match body.read(&mut piece) {
            Ok(0) => return Ok(Body { bytes, truncated: false }),
            Ok(count) => bytes.extend_from_slice(piece.get(..count).unwrap_or_default()),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(format!("the answer broke off after {} bytes: {error}", bytes.len())),
        }
        if bytes.len() > MOST_BYTES {
            bytes.truncate(MOST_BYTES);
            return Ok(Body { bytes, truncated: true });
        }
    }
}

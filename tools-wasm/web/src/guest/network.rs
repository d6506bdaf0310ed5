//! Requests through the host's `wasi:http`.

use super::needs::wasi::http::outgoing_handler::handle;
use super::needs::wasi::http::types::{
    ErrorCode, Fields, IncomingBody, IncomingResponse, OutgoingRequest, Scheme,
};
use super::needs::wasi::io::streams::{InputStream, StreamError};
use crate::{NetError, Response, Transport};
use std::io::{self, Read};
use url::{Position, Url};

pub(super) struct Network;

impl Transport for Network {
    fn get(&mut self, url: &Url, headers: &[(&str, &str)]) -> Result<Response, NetError> {
        let response = send(url, headers)?;
        let status = response.status();
        let headers = response.headers().entries().into_iter();
        let headers =
            headers.map(|(name, value)| (name, String::from_utf8_lossy(&value).into_owned())).collect();
        let body =
            response.consume().and_then(|body| body.stream().map(|stream| Body { stream, _body: body }));
        let body = body.map_err(|()| failed("the answer has no body to read"))?;
        Ok(Response { status, headers, body: Box::new(body) })
    }
}

fn send(url: &Url, headers: &[(&str, &str)]) -> Result<IncomingResponse, NetError> {
    let headers: Vec<(String, Vec<u8>)> =
        headers.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect();
    let headers = Fields::from_list(&headers).map_err(|_| failed("the request's headers were refused"))?;
    let request = OutgoingRequest::new(headers);
    let scheme = if url.scheme() == "http" { Scheme::Http } else { Scheme::Https };
    let path = &url[Position::BeforePath..Position::AfterQuery];
    request
        .set_scheme(Some(&scheme))
        .and_then(|()| request.set_authority(Some(&url[Position::BeforeHost..Position::AfterPort])))
        .and_then(|()| request.set_path_with_query(Some(path)))
        .map_err(|()| failed("the address can't be asked for"))?;
    let future = handle(request, None).map_err(|error| why(&error))?;
    loop {
        match future.get() {
            Some(Ok(Ok(response))) => return Ok(response),
            Some(Ok(Err(error))) => return Err(why(&error)),
            Some(Err(())) => return Err(failed("the answer was taken before")),
            None => future.subscribe().block(),
        }
    }
}

/// A body being read. The stream is dropped before what it belongs to: fields drop in order.
struct Body {
    stream: InputStream,
    _body: IncomingBody,
}

impl Read for Body {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            match self.stream.blocking_read(buffer.len() as u64) {
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => {
                    let count = bytes.len().min(buffer.len());
                    if let (Some(to), Some(from)) = (buffer.get_mut(..count), bytes.get(..count)) {
                        to.copy_from_slice(from);
                    }
                    return Ok(count);
                }
                Err(StreamError::Closed) => return Ok(0),
                Err(StreamError::LastOperationFailed(error)) => {
                    return Err(io::Error::other(error.to_debug_string()));
                }
            }
        }
    }
}

fn failed(why: &str) -> NetError {
    NetError::Failed(why.to_owned())
}

fn why(error: &ErrorCode) -> NetError {
    match error {
        ErrorCode::HttpRequestDenied => NetError::Denied("the host is not granted".to_owned()),
        ErrorCode::DestinationIpProhibited => {
            NetError::Denied("the name leads to an address that is not allowed".to_owned())
        }
        ErrorCode::DnsTimeout | ErrorCode::DnsError(_) | ErrorCode::DestinationNotFound => {
            failed("the host's name can't be found")
        }
        ErrorCode::ConnectionRefused => failed("the connection was refused"),
        ErrorCode::ConnectionTimeout | ErrorCode::ConnectionReadTimeout | ErrorCode::HttpResponseTimeout => {
            failed("no answer in time")
        }
        ErrorCode::TlsProtocolError | ErrorCode::TlsCertificateError | ErrorCode::TlsAlertReceived(_) => {
            failed("no secure connection could be made")
        }
        ErrorCode::InternalError(Some(why)) => NetError::Failed(why.clone()),
        other => NetError::Failed(format!("{other:?}")),
    }
}

//! One request that may be made: connect, add what the host adds, send, and hand the reply on.
//!
//! Redirects are replies like any other: the guest asks again, and is judged again. Nothing is
//! decompressed here: what a reply unpacks to is memory of the guest's.

use super::body::{ReplyBody, SentBody, broken};
use super::connect::{Connection, Stream, Unconnected, connect};
use super::context::EgressContext;
use super::grant::allowing;
use super::headers;
use super::judge::Permit;
use super::log::InFlight;
use super::secret::SecretGrant;
use super::wire::WireMeter;
use crate::limit::{Exceeded, LimitKind};
use crate::receipt::DenialReason;
use http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, HOST, HeaderValue};
use http::{Request, Response, StatusCode, Uri};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::{Poll, ready};
use std::time::{Duration, Instant};
use tokio::time::timeout;
use wasmtime_wasi_http::io::TokioIo;
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody};

/// hyper takes no smaller buffer.
const LEAST_BUFFER: usize = 8 << 10;
/// Headers of one reply.
const HEADERS: usize = 512;

/// What a connection has left to do while a reply's body is read.
pub(super) type Transfer = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

type Wire = http1::Connection<TokioIo<Box<dyn Stream>>, SentBody>;

/// A request that was granted and counted.
pub(super) struct Exchange {
    pub(super) permit: Permit,
    pub(super) context: EgressContext,
    pub(super) in_flight: InFlight,
    pub(super) options: RequestOptions,
}

impl Exchange {
    /// Carries it out up to the reply's headers.
    pub(super) async fn run(
        self,
        mut request: Request<WasiBody>,
    ) -> Result<(Response<WasiBody>, Transfer), Error> {
        let limits = self.in_flight.log().limits();
        let began = Instant::now();
        let until = began + Duration::from_millis(limits.time_ms).min(crate::call::LONGEST);
        let connecting = Duration::from_millis(limits.connect_ms)
            .min(self.options.connect_timeout.unwrap_or(Duration::MAX))
            .min(crate::call::LONGEST);
        self.prepare(&mut request)?;
        let meter = WireMeter::new(self.in_flight.log().clone());
        let connected =
            connect(&self.permit, &self.context, meter.clone(), until.min(began + connecting)).await;
        let Connection { stream, address } = connected.map_err(|why| self.unconnected(why, until))?;
        self.in_flight.connected(address);

        let request = request.map(|body| SentBody::new(body, self.in_flight.meter()));
        let first_byte = self.options.first_byte_timeout.unwrap_or(Duration::MAX);
        let left = until.saturating_duration_since(Instant::now());
        let exchanged = timeout(left.min(first_byte), self.exchange(stream, request)).await;
        let (mut reply, wire) = match exchanged {
            Ok(exchanged) => exchanged?,
            Err(_) if first_byte < left => return Err(Error::ConnectionReadTimeout),
            Err(_) => return Err(self.late(Error::HttpResponseTimeout)),
        };
        meter.answered();
        self.in_flight.answered(reply.status().as_u16());
        self.receive(&mut reply)?;

        let Self { in_flight, options, .. } = self;
        let reply = reply.map(|incoming| {
            ReplyBody::new(incoming, in_flight, until, options.between_bytes_timeout).boxed_unsync()
        });
        let transfer: Transfer = match wire {
            Some(wire) => Box::pin(async move { wire.await.map_err(|error| broken(&error)) }),
            None => Box::pin(std::future::ready(Ok(()))),
        };
        Ok((reply, transfer))
    }

    /// The request as it goes over the wire: the path alone, the host's own headers.
    fn prepare(&self, request: &mut Request<WasiBody>) -> Result<(), Error> {
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let origin = &self.permit.origin;
        let named = origin.to_string();
        let host = named.split_once("://").map_or(named.as_str(), |(_, host)| host);
        let host = HeaderValue::from_str(host).map_err(|_| Error::HttpRequestUriInvalid)?;
        let bytes = headers::bytes(request.headers()) + path.len() as u64;
        if bytes > self.in_flight.log().limits().header_bytes {
            return Err(self.too_long(bytes, Error::HttpRequestHeaderSectionSize(None)));
        }
        *request.uri_mut() = path.parse::<Uri>().map_err(|_| Error::HttpRequestUriInvalid)?;
        let headers = request.headers_mut();
        headers.insert(HOST, host);
        if self.permit.knows_a_secret {
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        }
        for secret in &self.permit.secrets {
            headers.insert(secret.header.name(), self.written(secret)?);
        }
        Ok(())
    }

    fn written(&self, secret: &SecretGrant) -> Result<HeaderValue, Error> {
        let value = self.context.secrets().get(&secret.name).ok_or(Error::ConfigurationError)?;
        let mut value = HeaderValue::from_str(&format!("{}{}", secret.prefix, value.expose()))
            .map_err(|_| Error::ConfigurationError)?;
        value.set_sensitive(true);
        Ok(value)
    }

    async fn exchange(
        &self,
        stream: Box<dyn Stream>,
        request: Request<SentBody>,
    ) -> Result<(Response<Incoming>, Option<Wire>), Error> {
        let limit = usize::try_from(self.in_flight.log().limits().header_bytes).unwrap_or(usize::MAX);
        let (mut sender, wire) = http1::Builder::new()
            .max_buf_size(limit.clamp(LEAST_BUFFER, 16 << 20))
            .max_headers(HEADERS)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| self.failed(&error))?;
        let mut sending = pin!(sender.send_request(request));
        let mut wire = Some(wire);
        // The connection moves on only while it is polled.
        let reply = poll_fn(|context| {
            if let Poll::Ready(reply) = sending.as_mut().poll(context) {
                return Poll::Ready(reply);
            }
            let Some(moving) = &mut wire else { return Poll::Pending };
            let ended = ready!(Pin::new(moving).poll(context));
            wire = None;
            match ended {
                Ok(()) => sending.as_mut().poll(context),
                Err(error) => Poll::Ready(Err(error)),
            }
        });
        let reply = reply.await.map_err(|error| self.failed(&error))?;
        Ok((reply, wire))
    }

    /// The reply as the guest is shown it.
    fn receive(&self, reply: &mut Response<Incoming>) -> Result<(), Error> {
        if reply.status() == StatusCode::SWITCHING_PROTOCOLS {
            return Err(Error::HttpUpgradeFailed);
        }
        let bytes = headers::bytes(reply.headers());
        if bytes > self.in_flight.log().limits().header_bytes {
            return Err(self.too_long(bytes, Error::HttpResponseHeaderSectionSize(None)));
        }
        let is_plain = |coding: &HeaderValue| coding.as_bytes().eq_ignore_ascii_case(b"identity");
        if self.permit.knows_a_secret && !reply.headers().get_all(CONTENT_ENCODING).iter().all(is_plain) {
            return Err(Error::HttpResponseContentCoding(None));
        }
        // No other was asked for, and none is undone here.
        if !headers::is_plainly_transferred(reply.headers()) {
            return Err(Error::HttpResponseTransferCoding(None));
        }
        headers::strip(reply.headers_mut());
        let scrub = &self.in_flight.log().scrubs().replies;
        if !scrub.is_empty() {
            scrub.headers(reply.headers_mut());
            // A mark is longer or shorter than what it stands for.
            reply.headers_mut().remove(CONTENT_LENGTH);
        }
        Ok(())
    }

    fn unconnected(&self, why: Unconnected, until: Instant) -> Error {
        let asked = &self.permit.asked;
        let (denial, error) = match why {
            Unconnected::Failed(Error::ConnectionTimeout) if Instant::now() >= until => {
                return self.late(Error::ConnectionTimeout);
            }
            Unconnected::Failed(error) => return error,
            Unconnected::Refused { address, what, grantable } => {
                let would_allow = grantable.then(|| allowing(&self.permit.origin, &asked.method, true));
                let resolved = format!("{address}, {what}");
                let denial = asked.denied(DenialReason::Address, &resolved, would_allow.flatten());
                (denial, Error::DestinationIpProhibited)
            }
            Unconnected::Unencrypted(address) => {
                let why = format!("a secret would travel unencrypted to {address}");
                (asked.denied(DenialReason::Malformed, &why, None), Error::HttpRequestDenied)
            }
        };
        self.in_flight.log().refuse(*denial);
        error
    }

    /// The time is over and the call ends; the guest may still see this.
    fn late(&self, error: Error) -> Error {
        self.in_flight.is_late();
        error
    }

    /// The same of headers, of so many bytes or more.
    fn too_long(&self, bytes: u64, error: Error) -> Error {
        let log = self.in_flight.log();
        let least = Exceeded::by_one_more(LimitKind::HeaderBytes, log.limits().header_bytes);
        let _ = log.exceed(Exceeded { used: least.used.max(bytes), ..least });
        error
    }

    fn failed(&self, error: &hyper::Error) -> Error {
        if error.is_parse_too_large() {
            return self.too_long(0, Error::HttpResponseHeaderSectionSize(None));
        }
        broken(error)
    }
}

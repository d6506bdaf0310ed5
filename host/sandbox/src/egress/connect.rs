//! From a granted host to an open connection.
//!
//! Owns: looking the name up once, checking every address that came of it, and connecting to one of
//! these very addresses, so that what was checked is what is spoken to. Proxies that the environment
//! names aren't used: a proxy would look the name up again.

use super::address::Reach;
use super::context::EgressContext;
use super::host::Host;
use super::judge::Permit;
use super::url::UrlScheme;
use super::wire::{Metered, WireMeter};
use rustls::pki_types::ServerName;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Instant;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use wasmtime_wasi_http::Error;

/// Addresses of one name that are tried.
const TRIED: usize = 6;

/// An open connection.
pub(super) struct Connection {
    pub(super) stream: Box<dyn Stream>,
    pub(super) address: SocketAddr,
}

/// What requests are written to and replies read from.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Why there is no connection.
pub(super) enum Unconnected {
    /// An address that the grant doesn't lead to.
    Refused {
        /// Which.
        address: IpAddr,
        /// What kind it is.
        what: &'static str,
        /// Whether a grant that says `private` would lead there.
        grantable: bool,
    },
    /// A secret would travel unencrypted to an address of the internet.
    Unencrypted(IpAddr),
    /// The network.
    Failed(Error),
}

impl From<Error> for Unconnected {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Connects within the time; the meter counts all that the connection brings, encrypted or not.
pub(super) async fn connect(
    permit: &Permit,
    context: &EgressContext,
    meter: WireMeter,
    until: Instant,
) -> Result<Connection, Unconnected> {
    let origin = &permit.origin;
    let connecting = async {
        let addresses = look_up(&origin.host, context).await?;
        check(permit, &addresses)?;
        let (stream, address) = first_open(&addresses, origin.port, until).await?;
        let stream = Metered::new(stream, meter);
        let stream: Box<dyn Stream> = match origin.scheme {
            UrlScheme::Http => Box::new(stream),
            UrlScheme::Https => Box::new(encrypt(stream, &origin.host, context).await?),
        };
        Ok(Connection { stream, address })
    };
    match timeout(left(until), connecting).await {
        Ok(connected) => connected,
        Err(_) => Err(Error::ConnectionTimeout.into()),
    }
}

async fn look_up(host: &Host, context: &EgressContext) -> Result<Vec<IpAddr>, Error> {
    let mut addresses = match host {
        Host::Address(address) => vec![*address],
        Host::Name(name) => context.resolver().resolve(name).await.map_err(|error| {
            tracing::debug!(%error, name, "a name could not be looked up");
            Error::DnsError { rcode: None, info_code: None }
        })?,
    };
    addresses.dedup();
    if addresses.is_empty() { Err(Error::DestinationNotFound) } else { Ok(addresses) }
}

/// One address that isn't granted spoils them all: an honest name doesn't mix.
fn check(permit: &Permit, addresses: &[IpAddr]) -> Result<(), Unconnected> {
    for &address in addresses {
        match Reach::of(address) {
            Reach::Public if permit.origin.scheme == UrlScheme::Http && !permit.secrets.is_empty() => {
                return Err(Unconnected::Unencrypted(address));
            }
            Reach::Public => {}
            Reach::Private(_) if permit.grant.is_private() => {}
            Reach::LinkLocal(_) if permit.grant.is_private() && is_named(permit) => {}
            Reach::Private(what) => return Err(Unconnected::Refused { address, what, grantable: true }),
            Reach::LinkLocal(what) | Reach::Nowhere(what) => {
                return Err(Unconnected::Refused { address, what, grantable: false });
            }
        }
    }
    Ok(())
}

/// Whether the grant names the address itself, and no name that leads there.
fn is_named(permit: &Permit) -> bool {
    match permit.origin.host {
        Host::Address(_) => true,
        Host::Name(_) => false,
    }
}

/// The first that answers; none may take the time of those after it.
async fn first_open(
    addresses: &[IpAddr],
    port: u16,
    until: Instant,
) -> Result<(TcpStream, SocketAddr), Error> {
    let mut last = Error::DestinationUnavailable;
    let tried = addresses.len().min(TRIED);
    for (at, &address) in addresses.iter().take(tried).enumerate() {
        let address = SocketAddr::new(address, port);
        let share = left(until) / u32::try_from(tried - at).unwrap_or(1);
        match timeout(share, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // A request is one write; waiting for more would only delay it.
                let _ = stream.set_nodelay(true);
                return Ok((stream, address));
            }
            Ok(Err(error)) => last = unreachable_because(&error),
            Err(_) => last = Error::ConnectionTimeout,
        }
    }
    Err(last)
}

fn unreachable_because(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => Error::ConnectionRefused,
        io::ErrorKind::TimedOut => Error::ConnectionTimeout,
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => Error::DestinationIpUnroutable,
        _ => Error::DestinationUnavailable,
    }
}

async fn encrypt(
    stream: Metered<TcpStream>,
    host: &Host,
    context: &EgressContext,
) -> Result<tokio_rustls::client::TlsStream<Metered<TcpStream>>, Error> {
    let trust = context.trust().clone();
    let config = tokio::task::spawn_blocking(move || trust.config())
        .await
        .map_err(|error| error.to_string())
        .and_then(|config| config)
        .map_err(|error| {
            tracing::warn!(%error, "no certificates can be checked on this machine");
            Error::TlsCertificateError
        })?;
    let name = match host {
        Host::Name(name) => ServerName::try_from(name.clone()).map_err(|_| Error::TlsCertificateError)?,
        Host::Address(address) => ServerName::from(*address),
    };
    TlsConnector::from(config).connect(name, stream).await.map_err(|error| {
        tracing::debug!(%error, "no encrypted connection came about");
        let of_tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
        match of_tls {
            Some(rustls::Error::InvalidCertificate(_)) => Error::TlsCertificateError,
            Some(_) => Error::TlsProtocolError,
            None => Error::ConnectionTerminated,
        }
    })
}

fn left(until: Instant) -> std::time::Duration {
    until.saturating_duration_since(Instant::now())
}

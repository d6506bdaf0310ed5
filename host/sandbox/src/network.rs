//! The network as a guest sees it: there, and closed.
//!
//! Owns: refusing every request, socket and name look-up, and remembering what was tried. A
//! component that imports these interfaces can be instantiated; using them is a denial.

use crate::receipt::{Denial, DenialReason};
use std::future::Future;
use wasmtime::component::{HasData, Linker, Resource};
use wasmtime_wasi::p2::bindings::sockets::ip_name_lookup::{self, HostResolveAddressStream};
use wasmtime_wasi::p2::bindings::sockets::network::{ErrorCode, IpAddress, IpAddressFamily};
use wasmtime_wasi::p2::bindings::sockets::{network, tcp, tcp_create_socket, udp, udp_create_socket};
use wasmtime_wasi::p2::{DynPollable, SocketError, SocketResult};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

/// Denials kept; more are counted.
const KEPT: usize = 64;
/// Bytes kept of what a guest asked for.
const ASKED_BYTES: usize = 512;

/// The closed network of one call.
#[derive(Debug, Default)]
pub(crate) struct ClosedNetwork {
    denials: Vec<Denial>,
    omitted: u64,
}

impl ClosedNetwork {
    /// What was tried, in order, and how much more than is listed.
    pub(crate) fn into_denials(self) -> (Vec<Denial>, u64) {
        (self.denials, self.omitted)
    }

    fn refuse(&mut self, operation: &str, asked: &str) {
        if self.denials.len() >= KEPT {
            self.omitted += 1;
            return;
        }
        self.denials.push(Denial {
            operation: operation.to_owned(),
            asked: crate::trap::bounded(asked, ASKED_BYTES),
            resolved: String::new(),
            reason: DenialReason::Network,
            mask: None,
            would_allow: None,
        });
    }
}

type Answer = Box<dyn Future<Output = Result<(http::Response<WasiBody>, Transfer), Error>> + Send>;
type Transfer = Box<dyn Future<Output = Result<(), Error>> + Send>;

impl WasiHttpHooks for ClosedNetwork {
    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        _options: Option<RequestOptions>,
        _sent: Transfer,
    ) -> Answer {
        self.refuse("request", &format!("{} {}", request.method(), request.uri()));
        Box::new(std::future::ready(Err(Error::HttpRequestDenied)))
    }
}

/// Puts the closed sockets over wasmtime-wasi's. The linker must allow shadowing.
pub(crate) fn close_sockets<T: Send + 'static>(
    linker: &mut Linker<T>,
    network: fn(&mut T) -> &mut ClosedNetwork,
) -> wasmtime::Result<()> {
    tcp_create_socket::add_to_linker::<T, Closed>(linker, network)?;
    udp_create_socket::add_to_linker::<T, Closed>(linker, network)?;
    ip_name_lookup::add_to_linker::<T, Closed>(linker, network)
}

struct Closed;

impl HasData for Closed {
    type Data<'a> = &'a mut ClosedNetwork;
}

/// Asked for by the bindings of the interfaces below, which use only its conversion of errors; the
/// interface itself stays wasmtime-wasi's.
impl network::HostNetwork for ClosedNetwork {
    fn drop(&mut self, _network: Resource<network::Network>) -> wasmtime::Result<()> {
        Err(wasmtime::Error::msg("no network is held here"))
    }
}

impl network::Host for ClosedNetwork {
    fn convert_error_code(&mut self, error: SocketError) -> wasmtime::Result<ErrorCode> {
        error.downcast()
    }

    fn network_error_code(
        &mut self,
        _error: Resource<wasmtime::Error>,
    ) -> wasmtime::Result<Option<ErrorCode>> {
        Ok(None)
    }
}

impl tcp_create_socket::Host for ClosedNetwork {
    fn create_tcp_socket(&mut self, _family: IpAddressFamily) -> SocketResult<Resource<tcp::TcpSocket>> {
        self.refuse("socket", "tcp");
        Err(ErrorCode::AccessDenied.into())
    }
}

impl udp_create_socket::Host for ClosedNetwork {
    async fn create_udp_socket(
        &mut self,
        _family: IpAddressFamily,
    ) -> SocketResult<Resource<udp::UdpSocket>> {
        self.refuse("socket", "udp");
        Err(ErrorCode::AccessDenied.into())
    }
}

impl ip_name_lookup::Host for ClosedNetwork {
    fn resolve_addresses(
        &mut self,
        _network: Resource<network::Network>,
        name: String,
    ) -> SocketResult<Resource<ip_name_lookup::ResolveAddressStream>> {
        self.refuse("resolve", &name);
        Err(ErrorCode::AccessDenied.into())
    }
}

/// No look-up ever begins, so there is no stream that these could be called on.
impl HostResolveAddressStream for ClosedNetwork {
    fn resolve_next_address(
        &mut self,
        _stream: Resource<ip_name_lookup::ResolveAddressStream>,
    ) -> SocketResult<Option<IpAddress>> {
        Err(ErrorCode::AccessDenied.into())
    }

    fn subscribe(
        &mut self,
        _stream: Resource<ip_name_lookup::ResolveAddressStream>,
    ) -> wasmtime::Result<Resource<DynPollable>> {
        Err(wasmtime::Error::msg("no address look-up is under way"))
    }

    fn drop(&mut self, _stream: Resource<ip_name_lookup::ResolveAddressStream>) -> wasmtime::Result<()> {
        Err(wasmtime::Error::msg("no address look-up is under way"))
    }
}

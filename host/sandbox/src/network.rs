//! Sockets and name look-ups as a guest sees them: there, and closed.
//!
//! Owns: refusing every socket and look-up, whatever is granted. A component that imports these
//! interfaces can be instantiated; using them is a denial. Requests are `egress`'s.

use crate::egress::NetworkLog;
use crate::receipt::{Denial, DenialReason};
use std::sync::Arc;
use wasmtime::component::{HasData, Linker, Resource};
use wasmtime_wasi::p2::bindings::sockets::ip_name_lookup::{self, HostResolveAddressStream};
use wasmtime_wasi::p2::bindings::sockets::network::{ErrorCode, IpAddress, IpAddressFamily};
use wasmtime_wasi::p2::bindings::sockets::{network, tcp, tcp_create_socket, udp, udp_create_socket};
use wasmtime_wasi::p2::{DynPollable, SocketError, SocketResult};

/// The closed sockets of one call.
pub(crate) struct ClosedNetwork {
    log: Arc<NetworkLog>,
}

impl ClosedNetwork {
    pub(crate) fn new(log: Arc<NetworkLog>) -> Self {
        Self { log }
    }

    fn refuse(&self, operation: &str, asked: &str) {
        self.log.refuse(Denial {
            operation: operation.to_owned(),
            asked: asked.to_owned(),
            resolved: String::new(),
            reason: DenialReason::Network,
            mask: None,
            would_allow: None,
            left_out_by: None,
        });
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

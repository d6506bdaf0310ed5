//! `wasi:http` as a guest calls it.

use super::context::EgressContext;
use super::headers::is_forbidden;
use super::held::{CHUNK_BYTES, CHUNKS, Held, Look};
use super::judge::judged;
use super::log::NetworkLog;
use super::send::{Exchange, Transfer};
use crate::view::GrantedTree;
use http::uri::Scheme;
use std::future::ready;
use std::sync::Arc;
use wasmtime::component::ResourceTable;
use wasmtime_wasi_http::{Error, ForbiddenHeaderFilter, RequestOptions, WasiBody, WasiHttpHooks};

/// The outgoing requests of one call.
pub(crate) struct Egress {
    tree: Arc<GrantedTree>,
    context: EgressContext,
    log: Arc<NetworkLog>,
    look: Look,
}

impl Egress {
    pub(crate) fn new(tree: Arc<GrantedTree>, context: EgressContext, log: Arc<NetworkLog>) -> Self {
        Self { tree, context, log, look: Look::default() }
    }

    /// Ends the call if the guest makes the host hold too many headers or bodies; to be asked at each
    /// of its calls.
    pub(crate) fn watch(&mut self, table: &mut ResourceTable) {
        if !self.look.is_due() {
            return;
        }
        if let Some(exceeded) = Held::by(table).exceeded(self.log.limits()) {
            let _ = self.log.exceed(exceeded);
        }
    }
}

type Answer = Box<dyn Future<Output = Result<(http::Response<WasiBody>, Box<Moving>), Error>> + Send>;
type Moving = dyn Future<Output = Result<(), Error>> + Send;

impl WasiHttpHooks for Egress {
    /// Until a call that has exceeded a limit is ended, it can write none.
    fn forbidden_header_filter(&mut self) -> ForbiddenHeaderFilter {
        if self.log.exceeded().is_some() {
            return Arc::new(|_| true);
        }
        Arc::new(is_forbidden)
    }

    /// Any: another than these two is judged, and on record.
    fn is_supported_scheme(&mut self, _scheme: &Scheme) -> bool {
        true
    }

    fn p2_outgoing_body_buffer_chunks(&mut self) -> usize {
        CHUNKS
    }

    /// What the host holds of a body while it is sent.
    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        CHUNK_BYTES
    }

    fn send_request(
        &mut self,
        request: http::Request<WasiBody>,
        options: Option<RequestOptions>,
        _sent: Box<Moving>,
    ) -> Answer {
        let (parts, body) = request.into_parts();
        let permit = match judged(self.tree.grants(), self.context.secrets(), &parts) {
            Ok(permit) => permit,
            Err(denial) => {
                self.log.refuse(*denial);
                return Box::new(ready(Err(Error::HttpRequestDenied)));
            }
        };
        let Ok(in_flight) = self.log.begin(&permit) else {
            return Box::new(ready(Err(Error::ConnectionLimitReached)));
        };
        let exchange = Exchange {
            permit,
            context: self.context.clone(),
            in_flight,
            options: options.unwrap_or_default(),
        };
        let request = http::Request::from_parts(parts, body);
        Box::new(async move {
            let (reply, transfer): (_, Transfer) = exchange.run(request).await?;
            let moving: Box<Moving> = Box::new(transfer);
            Ok((reply, moving))
        })
    }
}

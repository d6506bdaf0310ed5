//! A real server on this machine that does as a test says, and keeps what it was sent.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A connection, encrypted or not.
pub(crate) trait Peer: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Peer for T {}

pub(crate) type Connection = Box<dyn Peer>;
type Served = Pin<Box<dyn Future<Output = ()> + Send>>;

/// It ends when it is dropped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    heard: Arc<Mutex<Vec<String>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Server {
    /// Serves each connection so; `asked` is the head of its one request.
    pub(crate) async fn new<F>(serve: impl Fn(Connection, String) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self::over(|stream| async { Some(Box::new(stream) as Connection) }, serve).await
    }

    /// The same over connections that are first made into others.
    pub(crate) async fn over<C, F>(
        accept: impl Fn(TcpStream) -> C + Send + Sync + 'static,
        serve: impl Fn(Connection, String) -> F + Send + Sync + 'static,
    ) -> Self
    where
        C: Future<Output = Option<Connection>> + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let serve = Arc::new(serve);
        let task = tokio::spawn({
            let heard = heard.clone();
            async move {
                loop {
                    let Ok((stream, _)) = listener.accept().await else { continue };
                    let (accepted, heard, serve) = (accept(stream), heard.clone(), serve.clone());
                    tokio::spawn(async move {
                        let Some(mut connection) = accepted.await else { return };
                        let Some(head) = head_of(&mut connection).await else { return };
                        heard.lock().unwrap().push(head.clone());
                        let served: Served = Box::pin(serve(connection, head));
                        served.await;
                    });
                }
            }
        });
        Self { address, heard, task }
    }

    /// Answers every request with these bytes, and closes.
    pub(crate) async fn saying(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::new(move |mut connection, _| {
            let bytes = bytes.clone();
            async move {
                let _ = connection.write_all(&bytes).await;
                let _ = connection.shutdown().await;
            }
        })
        .await
    }

    /// Says back what it was sent: the head as the body.
    pub(crate) async fn echoing() -> Self {
        Self::new(|mut connection, head| async move {
            let _ = connection.write_all(reply("text/plain", head.as_bytes()).as_slice()).await;
        })
        .await
    }

    /// `http://127.0.0.1:PORT` and a path.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// The heads of all requests so far.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

/// A whole reply.
pub(crate) fn reply(kind: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

async fn head_of(connection: &mut Connection) -> Option<String> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(connection.read_u8().await.ok()?);
    }
    Some(String::from_utf8_lossy(&head).into_owned())
}

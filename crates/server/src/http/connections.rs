//! Accepts connections: limits by address, timeouts of request heads, and a graceful shutdown.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};
use tokio::time::{Instant, Sleep, sleep};
use tower::ServiceExt;

use crate::client_address::ClientAddress;
use crate::sync::lock;

/// The pause after a failed accept, for example for lack of descriptors.
const AFTER_FAILURE: Duration = Duration::from_millis(200);
/// The longest time that a connection may go on sending after its answer.
const DRAIN: Duration = Duration::from_secs(30);
/// The longest pause of the sender in that time.
const DRAIN_PAUSE: Duration = Duration::from_secs(5);
/// Bytes that are read and discarded after the answer: more than the largest upload.
const DRAIN_BYTES: usize = 64 << 20;
/// The answer to an address with too many connections.
const TOO_MANY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\nretry-after: 5\r\n\
    content-type: text/plain\r\ncontent-length: 45\r\n\r\ntoo many connections come from your address\r\n";

/// Limits of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Concurrent connections; further ones wait until one ends.
    pub most: usize,
    /// Concurrent connections from one address; 0 means no limit.
    pub most_from_one: usize,
    /// The timeout of a request's head, and of an idle connection.
    pub head: Duration,
}

impl ConnectionLimits {
    /// Limits for a process with this many file descriptors. An address gets a quarter of the
    /// connections at most, unless all of them come through a proxy.
    pub fn from_descriptors(
        descriptors: u64,
        most_from_one: usize,
        behind_proxy: bool,
    ) -> ConnectionLimits {
        let descriptors = usize::try_from(descriptors)
            .unwrap_or(usize::MAX)
            .min(1 << 20);
        // The rest of the descriptors is for the database, replays, programs and connections to
        // other services.
        let most = (descriptors - descriptors / 4)
            .min(descriptors.saturating_sub(128))
            .max(16);
        let most_from_one = if behind_proxy {
            0
        } else {
            most_from_one.clamp(1, (most / 4).max(1))
        };
        ConnectionLimits {
            most,
            most_from_one,
            head: Duration::from_secs(30),
        }
    }
}

/// Serves requests until `stopped` is set; then idle connections end at once and the others after
/// their answer.
pub async fn serve_connections(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    mut stopped: watch::Receiver<bool>,
) {
    let (all, by_address) = (
        Arc::new(Semaphore::new(limits.most)),
        ConnectionCounts::default(),
    );
    let (open, mut last_ended) = mpsc::channel::<()>(1);
    loop {
        let accepted = tokio::select! {
            accepted = accept_connection(&listener, &all) => accepted,
            () = wait_for_stop(&mut stopped) => break,
        };
        let (stream, peer, slot) = accepted;
        let Some(held) = by_address.hold(ClientAddress::from_ip(peer.ip()), limits.most_from_one)
        else {
            // A short write does not matter: the connection ends in any case.
            _ = stream.try_write(TOO_MANY);
            continue;
        };
        let _ = stream.set_nodelay(true);
        let stream = CountedStream {
            stream,
            drain: None,
            stopped: stopped.clone(),
            _slot: slot,
            _held: held,
        };
        let (router, stopped, open) = (router.clone(), stopped.clone(), open.clone());
        tokio::spawn(async move {
            serve_connection(stream, peer, router, limits.head, stopped).await;
            drop(open);
        });
    }
    drop((listener, open));
    // No message is sent: the channel closes with the last connection.
    _ = last_ended.recv().await;
}

/// Waits until the server is asked to stop.
async fn wait_for_stop(stopped: &mut watch::Receiver<bool>) {
    // An error means that the sender is gone, which also means a stop.
    _ = stopped.wait_for(|stopped| *stopped).await;
}

/// Accepts the next connection once the limit allows one more.
async fn accept_connection(
    listener: &TcpListener,
    all: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
    let slot = all.clone().acquire_owned().await.expect("nobody closes it");
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, slot),
            Err(error) if is_of_peer(&error) => {}
            Err(error) => {
                tracing::warn!(%error, "no connection was accepted");
                sleep(AFTER_FAILURE).await;
            }
        }
    }
}

fn is_of_peer(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionRefused | ConnectionReset
    )
}

async fn serve_connection(
    stream: CountedStream,
    peer: SocketAddr,
    router: Router,
    head: Duration,
    mut stopped: watch::Receiver<bool>,
) {
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        router.clone().oneshot(request.map(Body::new))
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head);
    let connection = http
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = wait_for_stop(&mut stopped) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%peer, %error, "a connection ended");
    }
}

/// The number of open connections of each address.
#[derive(Clone, Debug, Default)]
struct ConnectionCounts(Arc<Mutex<HashMap<ClientAddress, usize>>>);

/// A counted connection; it counts until it is dropped.
#[derive(Debug)]
struct CountedConnection {
    held: ConnectionCounts,
    address: ClientAddress,
}

impl ConnectionCounts {
    /// Counts one more connection, if the address may have it.
    fn hold(&self, address: ClientAddress, most: usize) -> Option<CountedConnection> {
        let mut held = lock(&self.0);
        let own = held.entry(address).or_default();
        if most > 0 && *own >= most {
            return None;
        }
        *own += 1;
        Some(CountedConnection {
            held: self.clone(),
            address,
        })
    }
}

impl Drop for CountedConnection {
    fn drop(&mut self) {
        let mut held = lock(&self.held.0);
        let left = held.get(&self.address).map_or(0, |count| count - 1);
        match left {
            0 => held.remove(&self.address),
            left => held.insert(self.address, left),
        };
    }
}

/// A stream that counts as long as it is open. After the last answer it reads on for a while and
/// discards the input: a socket that is closed with unread bytes is reset, and the client may lose
/// the answer.
#[derive(Debug)]
struct CountedStream {
    stream: TcpStream,
    drain: Option<Drain>,
    stopped: watch::Receiver<bool>,
    _slot: OwnedSemaphorePermit,
    _held: CountedConnection,
}

/// The limits of the reading after the last answer.
#[derive(Debug)]
struct Drain {
    bytes: usize,
    end: Instant,
    pause: Pin<Box<Sleep>>,
}

impl Drain {
    fn begin() -> Drain {
        Drain {
            bytes: DRAIN_BYTES,
            end: Instant::now() + DRAIN,
            pause: Box::pin(sleep(DRAIN_PAUSE)),
        }
    }

    /// Ready when the client has closed, or has sent too much or paused for too long.
    fn poll(&mut self, stream: &mut TcpStream, cx: &mut Context<'_>) -> Poll<()> {
        let mut scratch = [0; 16 << 10];
        loop {
            let mut buffer = ReadBuf::new(&mut scratch);
            match Pin::new(&mut *stream).poll_read(cx, &mut buffer) {
                Poll::Ready(Ok(())) if !buffer.filled().is_empty() => {
                    let now = Instant::now();
                    self.bytes = self.bytes.saturating_sub(buffer.filled().len());
                    if self.bytes == 0 || now >= self.end {
                        return Poll::Ready(());
                    }
                    self.pause.as_mut().reset((now + DRAIN_PAUSE).min(self.end));
                }
                Poll::Ready(_) => return Poll::Ready(()),
                Poll::Pending => return self.pause.as_mut().poll(cx),
            }
        }
    }
}

impl AsyncRead for CountedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for CountedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.drain.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
            this.drain = Some(Drain::begin());
        }
        if *this.stopped.borrow() {
            return Poll::Ready(Ok(()));
        }
        let drain = this.drain.get_or_insert_with(Drain::begin);
        drain.poll(&mut this.stream, cx).map(Ok)
    }
}

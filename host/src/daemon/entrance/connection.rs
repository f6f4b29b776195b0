//! The listening socket: how many may connect, and how long one may stay without having been let in.
//!
//! Whoever reaches a loopback port can open connections and say nothing. So each has a few seconds to be admitted, and there
//! is a limit on how many may be open; the extension and the command line need a handful.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;

/// Connections that may be open at once.
const MAX_CONNECTIONS: usize = 128;

/// How long a connection may stay without having been admitted.
const ADMISSION_BOUND: Duration = Duration::from_secs(5);

/// What a connection may send before it was admitted: a request's head and a proof fit many times.
const ADMISSION_BYTES: usize = 32 * 1024;

/// A listener that bounds what strangers can hold.
pub(in crate::daemon) struct Doorway {
    listener: TcpListener,
    room: Arc<Semaphore>,
}

impl Doorway {
    pub(in crate::daemon) fn new(listener: TcpListener) -> Self {
        Self { listener, room: Arc::new(Semaphore::new(MAX_CONNECTIONS)) }
    }
}

impl Listener for Doorway {
    type Io = Connection;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Connection, SocketAddr) {
        loop {
            let (stream, peer) = Listener::accept(&mut self.listener).await;
            // Full: the connection is closed at once, which costs a stranger as much as us.
            let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else { continue };
            let _ = stream.set_nodelay(true);
            let admitted = Admission::default();
            let timer = Box::pin(tokio::time::sleep(ADMISSION_BOUND));
            let connection = Connection { stream, admitted, timer, taken: 0, _permit: permit };
            return (connection, peer);
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// Whether a connection was let in; set once, by the handler that proved it.
#[derive(Clone, Default)]
pub(in crate::daemon) struct Admission(Arc<AtomicBool>);

impl Admission {
    pub(in crate::daemon) fn grant(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn is_granted(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// What a handler knows of the connection that a request came by.
#[derive(Clone)]
pub(in crate::daemon) struct Caller {
    pub(in crate::daemon) peer: SocketAddr,
    pub(in crate::daemon) admission: Admission,
}

impl Connected<IncomingStream<'_, Doorway>> for Caller {
    fn connect_info(stream: IncomingStream<'_, Doorway>) -> Self {
        Self { peer: *stream.remote_addr(), admission: stream.io().admitted.clone() }
    }
}

/// A connection that fails when it was not admitted in time, or sends too much before.
pub(in crate::daemon) struct Connection {
    stream: TcpStream,
    admitted: Admission,
    timer: Pin<Box<Sleep>>,
    /// Bytes read before it was admitted.
    taken: usize,
    _permit: OwnedSemaphorePermit,
}

impl Connection {
    fn is_too_late(&mut self, context: &mut Context<'_>) -> bool {
        !self.admitted.is_granted() && self.timer.as_mut().poll(context).is_ready()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.is_too_late(context) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if !self.admitted.is_granted() {
            self.taken += buffer.filled().len() - before;
            if self.taken > ADMISSION_BYTES {
                return Poll::Ready(Err(io::ErrorKind::QuotaExceeded.into()));
            }
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if self.is_too_late(context) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffers: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.is_too_late(context) {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Pin::new(&mut self.stream).poll_write_vectored(context, buffers)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

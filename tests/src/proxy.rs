//! A wire between the browser and the daemon that can be cut, and made slow.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::{Failed, Outcome};

/// Passes bytes between a port of its own and the daemon's. It ends when dropped.
pub struct Proxy {
    port: u16,
    cut: watch::Sender<u64>,
    /// Bytes a second; 0 is as fast as it goes.
    pace: Arc<AtomicU64>,
    server: JoinHandle<()>,
}

impl Proxy {
    /// Begins to pass bytes on to the daemon at `to`.
    pub async fn start(to: u16) -> Outcome<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let listener = TcpListener::bind(address).await.map_err(Failed::io("binding a free port"))?;
        let port = listener.local_addr().map_err(Failed::io("asking for the port"))?.port();
        let (cut, heard) = watch::channel(0);
        let pace = Arc::new(AtomicU64::new(0));
        let paced = Arc::clone(&pace);
        let server = tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let (heard, pace) = (heard.clone(), Arc::clone(&paced));
                tokio::spawn(async move {
                    // A broken socket is what this is for.
                    let _ = pass(socket, port, to, heard, &pace).await;
                });
            }
        });
        Ok(Self { port, cut, pace, server })
    }

    /// Where the browser connects to.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Cuts every connection; new ones are taken.
    pub fn cut(&self) {
        self.cut.send_modify(|count| *count += 1);
    }

    /// From now on so many bytes a second pass, both ways together; 0 is as fast as it goes.
    pub fn slow(&self, bytes_a_second: u64) {
        self.pace.store(bytes_a_second, Ordering::Relaxed);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn pass(
    mut near: TcpStream,
    port: u16,
    to: u16,
    mut cut: watch::Receiver<u64>,
    pace: &AtomicU64,
) -> std::io::Result<()> {
    cut.borrow_and_update();
    let mut far = TcpStream::connect((Ipv4Addr::LOCALHOST, to)).await?;
    // The daemon is particular about the name it is called by.
    let head = read_head(&mut near).await?;
    let text = String::from_utf8_lossy(&head).replace(&format!(":{port}\r\n"), &format!(":{to}\r\n"));
    far.write_all(text.as_bytes()).await?;
    let (near_in, near_out) = near.split();
    let (far_in, far_out) = far.split();
    tokio::select! {
        done = copy(near_in, far_out, pace) => done,
        done = copy(far_in, near_out, pace) => done,
        _ = cut.changed() => Ok(()),
    }
}

async fn read_head(socket: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    let mut byte = [0_u8; 1];
    while !head.ends_with(b"\r\n\r\n") && head.len() < 65_536 && socket.read(&mut byte).await? > 0 {
        head.push(byte[0]);
    }
    Ok(head)
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    pace: &AtomicU64,
) -> std::io::Result<()> {
    let mut buffer = vec![0_u8; 64 * 1024];
    loop {
        let allowed = match pace.load(Ordering::Relaxed) {
            0 => buffer.len(),
            slow => usize::try_from(slow).unwrap_or(1).clamp(1, buffer.len()),
        };
        let read = from.read(&mut buffer[..allowed]).await?;
        if read == 0 {
            return Ok(());
        }
        to.write_all(&buffer[..read]).await?;
        if pace.load(Ordering::Relaxed) > 0 {
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

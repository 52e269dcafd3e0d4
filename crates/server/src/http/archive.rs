//! A ZIP that is sent while it is written.

use std::io::{self, Write};
use std::sync::{Arc, Mutex};

use futures_util::{Stream, stream};
use leitai_store::{BlobStoreError, StoreError};
use tokio::sync::mpsc;
use zip::ZipWriter;
use zip::write::{SimpleFileOptions, StreamWriter};

use crate::sync::lock;

/// Errors of an export.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The blob store failed.
    #[error(transparent)]
    Blobs(#[from] BlobStoreError),
    /// The archive was not written.
    #[error("the archive was not written: {0}")]
    Archive(#[from] io::Error),
}

type PieceSender = mpsc::Sender<Result<Vec<u8>, ExportError>>;

/// The pieces of the archive that `write` writes. An error ends them: an archive without its end is not
/// taken for a whole one. `what` is said in the server's log.
pub fn stream_archive<W>(
    what: &'static str,
    write: impl FnOnce(Archive) -> W,
) -> impl Stream<Item = Result<Vec<u8>, ExportError>> + Send + 'static
where
    W: Future<Output = Result<(), ExportError>> + Send + 'static,
{
    let (sender, mut receiver) = mpsc::channel(2);
    let written = write(Archive::new(sender.clone()));
    tokio::spawn(async move {
        if let Err(error) = written.await {
            tracing::warn!(%error, "{what} ended early");
            // The client may have left.
            _ = sender.send(Err(error)).await;
        }
    });
    // Compression asks once more after the end, which an unfolded stream does not allow.
    stream::poll_fn(move |context| receiver.poll_recv(context))
}

/// An archive that is sent while it is written.
pub struct Archive {
    zip: ZipWriter<StreamWriter<Unsent>>,
    unsent: Unsent,
    pieces: PieceSender,
}

/// What was written and not sent yet. Clones share it.
#[derive(Clone, Debug, Default)]
struct Unsent(Arc<Mutex<Vec<u8>>>);

impl Write for Unsent {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        lock(&self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Archive {
    fn new(pieces: PieceSender) -> Archive {
        let unsent = Unsent::default();
        Archive {
            zip: ZipWriter::new_stream(unsent.clone()),
            unsent,
            pieces,
        }
    }

    /// Adds a file, and sends what is written so far.
    ///
    /// # Errors
    /// If the client has left.
    pub async fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), ExportError> {
        self.begin(name)?;
        self.write(bytes).await
    }

    /// Begins a file, which lasts until the next one.
    ///
    /// # Errors
    /// If there is such a file already.
    pub fn begin(&mut self, name: &str) -> Result<(), ExportError> {
        let options = SimpleFileOptions::default().last_modified_time(zip::DateTime::default());
        let begun = self.zip.start_file(name, options);
        Ok(begun.map_err(io::Error::from)?)
    }

    /// Writes on in the file that was begun, and sends what is written so far.
    ///
    /// # Errors
    /// If the client has left.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.zip.write_all(bytes)?;
        self.send().await
    }

    /// Ends the archive.
    ///
    /// # Errors
    /// If the client has left.
    pub async fn finish(mut self) -> Result<(), ExportError> {
        let zip = std::mem::replace(&mut self.zip, ZipWriter::new_stream(Unsent::default()));
        zip.finish().map_err(io::Error::from)?;
        self.send().await
    }

    async fn send(&self) -> Result<(), ExportError> {
        let piece = std::mem::take(&mut *lock(&self.unsent.0));
        if piece.is_empty() {
            return Ok(());
        }
        let sent = self.pieces.send(Ok(piece)).await;
        sent.map_err(|_| ExportError::Archive(io::ErrorKind::BrokenPipe.into()))
    }
}

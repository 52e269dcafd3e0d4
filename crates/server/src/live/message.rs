//! A message to spectators, serialised once and compressed once for all of them.

use std::io::Write;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Shorter texts are not compressed.
pub const WORTH_COMPRESSING: usize = 256;

/// A message to spectators. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SpectatorMessage(Arc<MessageText>);

#[derive(Debug)]
struct MessageText {
    text: Utf8Bytes,
    /// The compressed text, cached on first use.
    deflated: OnceLock<Bytes>,
}

impl From<String> for SpectatorMessage {
    fn from(text: String) -> SpectatorMessage {
        SpectatorMessage(Arc::new(MessageText {
            text: text.into(),
            deflated: OnceLock::new(),
        }))
    }
}

impl SpectatorMessage {
    /// The JSON text.
    pub fn text(&self) -> &Utf8Bytes {
        &self.0.text
    }

    /// The text compressed (raw DEFLATE, RFC 1951); `None` where that is not worth it.
    pub fn compressed(&self) -> Option<Bytes> {
        let text = self.0.text.as_str().as_bytes();
        (text.len() >= WORTH_COMPRESSING)
            .then(|| self.0.deflated.get_or_init(|| compress_text(text)).clone())
    }
}

fn compress_text(text: &[u8]) -> Bytes {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("memory takes it");
    encoder.finish().expect("memory takes it").into()
}

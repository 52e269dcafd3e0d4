//! What is sent to spectators: made once, and compressed once, for all of them.

use std::io::Write;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::extract::ws::Utf8Bytes;
use flate2::Compression;
use flate2::write::DeflateEncoder;

/// Shorter texts are sent as they are.
const WORTH_COMPRESSING: usize = 256;

/// A message to spectators. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Message(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    text: Utf8Bytes,
    /// Made when the first spectator wants it.
    deflated: OnceLock<Bytes>,
}

impl From<String> for Message {
    fn from(text: String) -> Message {
        Message(Arc::new(Shared {
            text: text.into(),
            deflated: OnceLock::new(),
        }))
    }
}

impl Message {
    /// The JSON text.
    pub fn text(&self) -> &Utf8Bytes {
        &self.0.text
    }

    /// The text compressed (raw DEFLATE, RFC 1951); `None` where that is not worth it.
    pub fn deflated(&self) -> Option<Bytes> {
        let text = self.0.text.as_str().as_bytes();
        (text.len() >= WORTH_COMPRESSING)
            .then(|| self.0.deflated.get_or_init(|| deflate(text)).clone())
    }
}

fn deflate(text: &[u8]) -> Bytes {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(text).expect("memory takes it");
    encoder.finish().expect("memory takes it").into()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn long_texts_are_compressed_and_short_ones_are_not() {
        for (length, compresses) in [
            (WORTH_COMPRESSING - 1, false),
            (WORTH_COMPRESSING, true),
            (1 << 20, true),
        ] {
            let text = "frame,".repeat(length / 6 + 1)[..length].to_owned();
            let message = Message::from(text.clone());
            let deflated = message.deflated();
            assert_eq!(deflated.is_some(), compresses, "{length}");
            let Some(deflated) = deflated else { continue };
            let mut back = String::new();
            flate2::read::DeflateDecoder::new(&deflated[..])
                .read_to_string(&mut back)
                .expect("DEFLATE");
            assert!(
                back == text && deflated.len() < length / 4,
                "{length}: {}",
                deflated.len()
            );
        }
    }
}

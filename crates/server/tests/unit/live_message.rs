//! Tests of `live::message`.

use std::io::Read;

use leitai_server::live::message::*;

#[test]
fn long_texts_are_compressed_and_short_ones_are_not() {
    for (length, compresses) in [
        (WORTH_COMPRESSING - 1, false),
        (WORTH_COMPRESSING, true),
        (1 << 20, true),
    ] {
        let text = "frame,".repeat(length / 6 + 1)[..length].to_owned();
        let message = SpectatorMessage::from(text.clone());
        let deflated = message.compressed();
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

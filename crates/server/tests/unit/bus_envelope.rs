//! Tests of `bus::envelope`.

use leitai_server::bus::envelope::*;
use serde::{Deserialize, Serialize};

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Said {
    word: String,
}

#[test]
fn messages_of_readable_versions_are_read_and_others_named() {
    let said = Said {
        word: "好".to_owned(),
    };
    let read = open::<Said>(&seal("a1", &said)).expect("it is ours");
    fields!(read, {version: VERSION, from: "a1", body: said});
    // A later release of the same version may say more.
    let more = br#"{"v":1,"from":"b","at":7,"body":{"word":"x","loud":true}}"#;
    assert_eq!(open::<Said>(more).expect("it is read").body.word, "x");
    // The body of another version may be anything.
    let newer = open::<Said>(br#"{"v":2,"from":"b","body":[]}"#);
    let version = EnvelopeError::Version {
        version: 2,
        from: "b".to_owned(),
    };
    assert_eq!(newer, Err(version));
    for bytes in [&b"x"[..], b"{}", br#"{"v":1,"from":"b","body":[]}"#] {
        fits!(open::<Said>(bytes) => Err(EnvelopeError::Damaged(_)));
    }
}

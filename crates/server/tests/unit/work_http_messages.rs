//! Tests of `work::http_messages`.

use leitai_server::work::http_messages::*;
use leitai_server::work::source::Handshake;

#[test]
fn a_worker_of_wire_version_0_is_understood_and_refused() {
    let body = r#"{"handshake": {"engine": "0.1.0", "rules": {}}, "worker": "w",
        "wish": {"kinds": ["match"], "programs": true}}"#;
    let body: AcquireBody = serde_json::from_str(body).expect("what version 0 sent");
    assert_eq!(body.wait_ms, 0);
    let refusal =
        Handshake::from_games(leitai_game::GameSet::default()).find_common_games(&body.handshake);
    assert!(refusal.is_err_and(|why| why.contains("update the worker")));
}

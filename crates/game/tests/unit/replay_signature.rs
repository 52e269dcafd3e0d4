//! Tests of `replay::signature`.

use leitai_game::replay::signature::*;
use serde_json::json;

#[test]
fn the_signed_text_has_sorted_keys_and_all_but_the_signature_itself() {
    let replay = json!({"b": [1, {"z": "ü\n", "a": null}], "a": 18_446_744_073_709_551_615_u64,
        "signature": {"match": 3, "key": "00", "ed25519": "11"}});
    let expected = "leitai-replay-signature/1\n{\"a\":18446744073709551615,\"b\":[1,{\"a\":null,\"z\":\"ü\\n\"}],\
        \"signature\":{\"key\":\"00\",\"match\":3}}";
    assert_eq!(signed_text(&replay), expected);
}

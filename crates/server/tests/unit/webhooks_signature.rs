//! Tests of `webhooks::signature`.

use leitai_server::webhooks::signature::sign_body;

#[test]
fn a_body_is_signed_as_documented() {
    assert_eq!(
        sign_body("leitai_hook_1", 1_700_000_000, b"{}"),
        "v1=5ca29f6b70cdfdd56b5ade36d9a34d2df14201288913a054b177ccfe4ed02f6a"
    );
}

//! Tests of `contests::routes::export`.

use leitai_server::contests::routes::export::*;
use serde_json::json;

#[test]
fn a_table_is_read_as_it_was_written() {
    let rows = [
        json!({"a": "x,\"y\"", "b": {"name": "=1+1"}, "c": [1, 2.5]}),
        json!({"a": "=cmd"}),
    ];
    let text = to_csv(&["a", "b", "c"], &rows);
    assert_eq!(
        text,
        "a,b,c\r\n\"x,\"\"y\"\"\",\"'=1+1\",1 2.5\r\n\"'=cmd\",,\r\n"
    );
}

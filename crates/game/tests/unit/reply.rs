//! Tests of `reply`.

use leitai_game::reply::*;

#[test]
fn codes_are_distinct_and_read_back() {
    for fault in Fault::ALL {
        assert_eq!(Fault::from_code(fault.code()), Some(fault));
    }
    assert_eq!(Fault::from_code("OK"), None);
}

#[test]
fn an_unknown_code_is_refused_with_the_known_ones() {
    let error = serde_json::from_str::<FaultCode>("\"SE\"").expect_err("SE is no fault");
    let expected = "the fault code \"SE\" is unknown; known are IA PE RE TLE MLE OLE EXIT CE";
    assert!(error.to_string().starts_with(expected), "{error}");
}

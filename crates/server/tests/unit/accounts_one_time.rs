//! Tests of `accounts::one_time`.

use leitai_server::accounts::one_time::*;

#[test]
fn passwords_are_long_different_and_readable() {
    let (one, two) = (make_one_time_password(), make_one_time_password());
    assert_ne!(one, two);
    assert_eq!(one.len(), PASSWORD + 2);
    assert!(
        one.bytes()
            .all(|byte| byte == b'-' || SIGNS.contains(&byte)),
        "{one}"
    );
    assert_eq!(make_one_time_code(40).len(), 49);
}

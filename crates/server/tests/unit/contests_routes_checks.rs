//! Tests of `contests::routes::checks`.

use leitai_server::contests::routes::checks::*;
use leitai_store::UserId;

#[test]
fn each_account_has_one_dry_run_at_a_time() {
    let [ann, bob] = [-1, -2].map(UserId);
    let first = OnlyOne::enter(ann);
    assert!(first.is_some() && OnlyOne::enter(ann).is_none());
    assert!(OnlyOne::enter(bob).is_some(), "others have theirs");
    drop(first);
    assert!(OnlyOne::enter(ann).is_some());
}

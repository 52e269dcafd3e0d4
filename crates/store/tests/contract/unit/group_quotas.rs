use leitai_store::bots::member_quota::strictest;
use leitai_store::{GroupId, GroupQuota};

#[test]
fn the_strictest_group_counts_and_the_arena_before_it() {
    let named = |id, versions, looser| {
        let own = GroupQuota {
            versions,
            looser,
            ..GroupQuota::default()
        };
        ((GroupId(id), format!("g{id}")), own)
    };
    let rows = [
        (vec![], (200, None, false)),
        (vec![named(1, None, true)], (200, None, false)),
        (vec![named(1, Some(20), false)], (20, Some(1), false)),
        (
            vec![named(1, Some(20), false), named(2, Some(10), false)],
            (10, Some(2), false),
        ),
        (vec![named(1, Some(500), false)], (200, None, false)),
        (vec![named(1, Some(500), true)], (500, Some(1), true)),
        (
            vec![named(1, Some(500), true), named(2, None, false)],
            (500, Some(1), true),
        ),
        (
            vec![named(1, Some(500), true), named(2, Some(300), false)],
            (200, None, false),
        ),
        (
            vec![named(1, Some(500), true), named(2, Some(300), true)],
            (300, Some(2), true),
        ),
    ];
    for (groups, (allowed, group, looser)) in rows {
        let limit = strictest(200, &groups, |own| own.versions);
        let found = limit.group.map(|(id, _)| id.0);
        assert_eq!(
            (limit.allowed, found, limit.looser),
            (allowed, group, looser),
            "{groups:?}"
        );
    }
}

//! Whose analysis is made next.

use leitai_server::analyses::turns::{TurnRefusal, Turns};
use leitai_store::{MatchId, UserId};

#[test]
fn accounts_take_turns() {
    let mut turns = Turns::default();
    let asks = [
        (1, 10),
        (1, 11),
        (1, 12),
        (2, 20),
        (1, 13),
        (3, 30),
        (1, 11),
    ];
    for (at, (account, id)) in asks.into_iter().enumerate() {
        let begins = turns.add(UserId(account), MatchId(id));
        assert_eq!(begins, Ok(at == 0), "{id}");
    }
    let fifth = turns.add(UserId(1), MatchId(14));
    assert_eq!(fifth, Err(TurnRefusal::OfAccount(4)));
    let order: Vec<i64> = std::iter::from_fn(|| turns.take_next())
        .map(|id| id.0)
        .collect();
    assert_eq!(order, [10, 20, 30, 11, 12, 13]);
    assert_eq!(
        turns.add(UserId(1), MatchId(10)),
        Ok(true),
        "it begins again"
    );
    assert_eq!(turns.take_next(), Some(MatchId(10)));
    assert_eq!(
        turns.add(UserId(2), MatchId(21)),
        Ok(false),
        "one at a time"
    );
    assert_eq!(turns.place_of(MatchId(21)), Some(1));
}

#[test]
fn few_wait() {
    let mut turns = Turns::default();
    for id in 0..64 {
        assert!(turns.add(UserId(id), MatchId(id)).is_ok());
    }
    let more = turns.add(UserId(99), MatchId(99));
    assert_eq!(more, Err(TurnRefusal::InAll(64)));
}

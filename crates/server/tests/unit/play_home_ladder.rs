//! Who meets whom on the ladder of programs at home.

use leitai_ladder::weng_lin::Rating;
use leitai_server::play::home_ladder::{Player, pick_pair};
use leitai_store::{BotId, HomeBotId, UserId};

fn program(id: i64, owner: i64, waited: u64) -> (Player, Rating, u64) {
    let player = Player::Program(HomeBotId(id), UserId(owner));
    (player, Rating::default(), waited)
}

/// The programs of a pair, the smaller key first; 0 for a built-in bot.
fn keys(pair: Option<[(Player, Rating); 2]>) -> Option<[i64; 2]> {
    let mut keys = pair?.map(|(player, _)| match player {
        Player::Program(id, _) => id.0,
        Player::BuiltIn(_) => 0,
    });
    keys.sort_unstable();
    Some(keys)
}

#[test]
fn programs_of_one_author_never_meet_and_built_in_bots_not_each_other() {
    let anchor = |id| (Player::BuiltIn(BotId(id)), Rating::default(), 0);
    let rows: [(&str, Vec<_>, Option<[i64; 2]>); 5] = [
        ("one alone", vec![program(1, 1, 9)], None),
        ("one author", vec![program(1, 1, 9), program(2, 1, 8)], None),
        (
            "two authors",
            vec![program(1, 1, 9), program(2, 2, 8)],
            Some([1, 2]),
        ),
        (
            "an anchor",
            vec![program(1, 1, 9), program(2, 1, 8), anchor(1)],
            Some([0, 1]),
        ),
        ("anchors alone", vec![anchor(1), anchor(2)], None),
    ];
    for (what, players, expected) in rows {
        assert_eq!(keys(pick_pair(&players, |_, _| 0)), expected, "{what}");
    }
}

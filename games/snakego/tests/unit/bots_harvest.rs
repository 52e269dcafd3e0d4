//! Tests of `bots::harvest`.

use leitai_game::Seat;
use leitai_snakego::action::Action;
use leitai_snakego::board::Cell;
use leitai_snakego::bots::harvest::*;
use leitai_snakego::items::{Item, ItemKind};
use leitai_snakego::position::Position;
use leitai_snakego::setup::FaultScope;
use leitai_snakego::setup::Setup;

/// Lengths (x, y, round, cells) before the first action, when the heads are at (0, 15) and
/// (15, 0).
fn lead_of(lengths: &[(u8, u8, u16, u16)]) -> f32 {
    let item = |&(x, y, time, param): &(u8, u8, u16, u16)| Item {
        cell: Cell::new(x, y),
        time,
        kind: ItemKind::Length,
        param,
    };
    let items = lengths.iter().map(item).collect();
    let setup = Setup::new(100, FaultScope::Half, items).expect("the items are sound");
    let position = Position::start(&setup, &mut ());
    Harvest::new(&setup, &position, 3.0).first_lead(&setup, &position, &position.blocked())
}

#[test]
fn an_item_is_the_nearer_side_s_and_fades_with_its_distance() {
    assert_eq!(lead_of(&[]), 0.0);
    assert_eq!(lead_of(&[(3, 15, 1, 4)]), 4.0 / 3.0);
    assert_eq!(lead_of(&[(15, 4, 1, 4)]), -1.0);
    assert_eq!(lead_of(&[(1, 15, 1, 4)]), 2.0);
    // As far from both.
    assert_eq!(lead_of(&[(8, 8, 1, 4)]), 0.0);
    assert_eq!(lead_of(&[(3, 15, 1, 4), (15, 4, 2, 4)]), 4.0 / 3.0 - 1.0);
}

#[test]
fn items_of_the_next_20_rounds_count() {
    assert_eq!(lead_of(&[(3, 15, 21, 3)]), 1.0);
    assert_eq!(lead_of(&[(3, 15, 22, 3)]), 0.0);
}

/// The first item has vanished, and another one lies on its cell.
#[test]
fn an_item_that_lies_where_another_one_lay_counts_once() {
    let item = |time, param| Item {
        cell: Cell::new(3, 8),
        time,
        kind: ItemKind::Length,
        param,
    };
    let items = vec![item(1, 5), item(20, 7)];
    let setup = Setup::new(100, FaultScope::Half, items).expect("the items are sound");
    let mut position = Position::start(&setup, &mut ());
    let harvest = Harvest::new(&setup, &position, 3.0);
    while position.round() < 20 {
        let action = match (position.seat(), position.acting().head.x()) {
            (Seat::First, 15) => Action::Down,
            (Seat::First, _) => Action::Right,
            (Seat::Second, 0) => Action::Up,
            (Seat::Second, _) => Action::Left,
        };
        position.play_action(&setup, action, &mut ());
    }
    let heads = Seat::BOTH.map(|seat| position.snakes(seat)[0].head);
    assert_eq!(heads, [Cell::new(15, 11), Cell::new(0, 4)]);
    assert_eq!(
        harvest.first_lead(&setup, &position, &position.blocked()),
        -1.0
    );
}

#[test]
fn an_item_that_will_appear_under_a_body_is_its_own() {
    // A snake of one cell will have left.
    assert_eq!(lead_of(&[(0, 15, 5, 3)]), 1.0);
    assert_eq!(lead_of(&[(15, 0, 5, 3)]), -1.0);
    // One that grows for ten rounds will not.
    assert_eq!(lead_of(&[(15, 0, 1, 10), (15, 0, 5, 3)]), -3.0);
    assert_eq!(lead_of(&[(15, 0, 1, 10), (15, 0, 12, 3)]), -1.0);
}

//! Tests of `key`.

use leitai_game::Seat;
use leitai_game::rng::Rng;
use leitai_snakego::action::Action;
use leitai_snakego::key::*;
use leitai_snakego::position::{MAX_SNAKES, Position};
use leitai_snakego::setup::Config;
use leitai_snakego::setup::Setup;

/// Items that appear on snakes, splits and deaths are in it: every leg has 512 rounds at most,
/// and never leaves the map by itself.
#[test]
fn the_parts_of_the_snakes_are_always_complete() {
    let (mut actions, mut fed) = (0, 0);
    for seed in 0..60 {
        let setup = Setup::deal(&Config::default(), seed).expect("the default is sound");
        let (mut keyed, mut rng) = (KeyedPosition::start(&setup), Rng::new(seed));
        while keyed.position.end().is_none() {
            let safe: Vec<Action> = (1..=6)
                .filter_map(Action::from_number)
                .filter(|action| is_safe(&keyed.position, *action, rng.next_u64()))
                .collect();
            let pick = rng.next_u64() as usize % safe.len().max(1);
            let action = safe.get(pick).copied().unwrap_or(Action::Right);
            let before = keyed;
            keyed.play_action(&setup, action);
            let mut fresh = keyed;
            fresh.count_snakes_anew();
            assert_eq!(keyed, fresh, "seed {seed}, {action:?}");
            let is_other_fed = (0..2 * MAX_SNAKES).any(|place| {
                let snake = |of: &KeyedPosition| *of.position.snake_at_place(place);
                let position = &before.position;
                let acting = position.seat().index() * MAX_SNAKES + position.cursor();
                place != acting && snake(&before) != snake(&keyed)
            });
            let is_same = Seat::BOTH.map(|seat| before.position.snakes(seat).len())
                == Seat::BOTH.map(|seat| keyed.position.snakes(seat).len());
            fed += u32::from(is_other_fed && is_same);
            actions += 1;
        }
    }
    assert!(actions > 20_000 && fed > 20, "{actions} actions, {fed} fed");
}

fn is_safe(position: &Position, action: Action, chance: u64) -> bool {
    let Some(snake) = position
        .current()
        .filter(|_| position.check_action(action).is_ok())
    else {
        return false;
    };
    match action.direction() {
        None => chance.is_multiple_of(8),
        Some(direction) => direction
            .next_from(snake.head)
            .is_some_and(|cell| !position.blocked().has(cell)),
    }
}

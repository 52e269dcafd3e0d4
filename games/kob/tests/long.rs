//! Tests that take many minutes: `./dev test --long` runs them.

use std::time::{Duration, Instant};

use leitai_game::{Bot, BySeat, Game, Perspective, Seat};
use leitai_kob::bots::{Champion, ChampionStyle, Effort, Space};
use leitai_kob::{Config, Position, Setup};

use crate::under_load::{Stopwatch, keeps_to_its_time};

/// Plays a game of the champion against `space` and returns its longest move. The engine takes no
/// direction but the four, so what is left of legality is that no move is a death in sight while
/// there is another.
fn play_game(seed: u64) -> Duration {
    let setup = Setup::deal(&Config::default(), seed).expect("sound");
    let mut position = Position::start(&setup);
    let me = [Seat::First, Seat::Second][seed as usize % 2];
    let style = ChampionStyle::full(Effort::Clock);
    let mut bots: BySeat<Box<dyn Bot<Position>>> = BySeat::from_fn(|seat: Seat| {
        if seat == me {
            Box::new(Champion::new(style, seed)) as Box<dyn Bot<Position>>
        } else {
            Box::new(Space(leitai_game::Rng::new(seed)))
        }
    });
    let mut longest = Duration::ZERO;
    while !position.is_over() {
        let moves = Seat::BOTH.map(|seat| {
            let start = Instant::now();
            let view = position.view(&setup, Perspective::Seat(seat));
            let chosen = bots[seat].choose_action(&setup, &view, &Stopwatch(start));
            if seat == me {
                longest = longest.max(start.elapsed());
                let safe = position.safe_mask(&setup, me);
                assert!(
                    safe == 0 || safe >> chosen.number() & 1 != 0,
                    "seed {seed}, round {}: {chosen:?} is a death in sight",
                    position.round()
                );
            }
            chosen
        });
        position.play_round(&setup, moves);
    }
    longest
}

#[test]
#[ignore = "long: a thousand games beside as many busy threads as the machine has cores"]
fn the_champion_keeps_to_its_time_under_load() {
    keeps_to_its_time(play_game);
}

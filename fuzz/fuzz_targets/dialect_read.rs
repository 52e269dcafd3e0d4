//! Messages read by every dialect of every game over a leg; what is read is played.
#![no_main]

use leitai_game::{BySeat, Fault, Reply, Seat};
use libfuzzer_sys::fuzz_target;

/// Steps of a leg that are played at most.
const STEPS: usize = 40;

fuzz_target!(|data: (u8, u8, Vec<Vec<u8>>)| {
    let (game, which, messages) = data;
    let game = leitai_games::ALL[usize::from(game) % leitai_games::ALL.len()];
    let dialects = game.dialects();
    let (name, _) = dialects[usize::from(which) % dialects.len()];
    let config = game
        .config(&serde_json::Value::Null)
        .expect("the default config is sound");
    let mut leg = game
        .deal(&config, which.into())
        .expect("the default config deals")
        .start();
    let mut sides = BySeat::from_fn(|_: Seat| game.dialect(name).expect("it is listed"));
    sides
        .iter_mut()
        .for_each(|(seat, dialect)| drop(dialect.hello(&*leg, seat)));
    for message in messages.iter().take(STEPS) {
        let to_move = leg.to_move();
        let said = BySeat::from_fn(|seat: Seat| {
            to_move.asks(seat).then(|| {
                sides[seat].ask(&*leg, seat);
                sides[seat].read(&*leg, seat, message)
            })
        });
        let replies = said.each_ref().map(|read| {
            read.as_ref().map(|read| {
                read.as_ref()
                    .map_or(Reply::Fault(Fault::Malformed), |text| {
                        Reply::Action(text.as_str())
                    })
            })
        });
        leg.step(replies, &mut ());
        sides
            .iter_mut()
            .for_each(|(seat, dialect)| drop(dialect.stepped(&*leg, seat, &replies)));
    }
    sides
        .iter_mut()
        .for_each(|(seat, dialect)| drop(dialect.bye(&*leg, seat)));
});

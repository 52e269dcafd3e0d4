//! Messages read by every protocol of every game over a leg; what is read is played.
#![no_main]

use leitai_game::{BySeat, Fault, Reply, Seat};
use libfuzzer_sys::fuzz_target;

/// The most steps of a leg that are played.
const STEPS: usize = 40;

fuzz_target!(|data: (u8, u8, Vec<Vec<u8>>)| {
    let (game, which, messages) = data;
    let game = leitai_games::ALL[usize::from(game) % leitai_games::ALL.len()];
    let protocols = game.list_protocols();
    let (name, _) = protocols[usize::from(which) % protocols.len()];
    let config = game
        .read_config(&serde_json::Value::Null)
        .expect("the default config is sound");
    let mut leg = game
        .deal_setup(&config, which.into())
        .expect("the default config deals")
        .start_leg();
    let mut sides = BySeat::from_fn(|_: Seat| game.make_protocol(name).expect("it is listed"));
    sides
        .iter_mut()
        .for_each(|(seat, protocol)| drop(protocol.write_start(&*leg, seat)));
    for message in messages.iter().take(STEPS) {
        let to_move = leg.to_move();
        let said = BySeat::from_fn(|seat: Seat| {
            to_move.asks_seat(seat).then(|| {
                sides[seat].write_question(&*leg, seat);
                sides[seat].read(&*leg, seat, message)
            })
        });
        let replies = said.each_ref().map_values(|read| {
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
            .for_each(|(seat, protocol)| drop(protocol.write_step(&*leg, seat, &replies)));
    }
    sides
        .iter_mut()
        .for_each(|(seat, protocol)| drop(protocol.write_end(&*leg, seat)));
});

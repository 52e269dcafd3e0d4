//! Bytes cut into messages, read by every dialect over a leg; what is read is played.
#![no_main]

use leitai_game::{AnyGame, BySeat, Erased, Fault, Reply, Seat, ToMove};
use leitai_snakego::Position;
use libfuzzer_sys::fuzz_target;
use serde_json::json;

fuzz_target!(|data: (u8, Vec<Vec<u8>>)| {
    let (which, messages) = data;
    let game = Erased::<Position>::new();
    let dialects = game.dialects();
    let (name, _) = dialects[usize::from(which) % dialects.len()];
    let mut dialect = game.dialect(name).expect("it is listed");
    let config = json!({"max_round": 40});
    let mut leg = game.deal(&config, which.into()).expect("the config is sound").start();
    dialect.hello(&*leg, Seat::First);
    for message in &messages {
        let ToMove::One(seat) = leg.to_move() else { break };
        dialect.ask(&*leg, seat);
        let read = dialect.read(&*leg, seat, message);
        let reply = match &read {
            Ok(action) => Reply::Action(action.as_str()),
            Err(_) => Reply::Fault(Fault::Malformed),
        };
        let mut replies = BySeat::new(None, None);
        replies[seat] = Some(reply);
        leg.step(replies, &mut ());
        dialect.stepped(&*leg, seat, &replies);
    }
    dialect.bye(&*leg, Seat::Second);
});

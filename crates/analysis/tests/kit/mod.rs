//! Matches between built-in bots, without the judge, and plain exhaustive searches.

pub mod exhaustive;

use leitai_game::replay::{
    EntrantKind, EntrantRecord, FORMAT, MatchStatus, Recorder, VerdictRecord,
};
use leitai_game::{AnyGame, ByEntrant, BySeat, Entrant, Replay, Reply, Seat, Untimed};
use serde_json::Value;

/// A match of some legs between two built-in bots.
pub fn play(
    game: &'static dyn AnyGame,
    names: [&str; 2],
    config: &Value,
    seed: u64,
    legs: usize,
) -> Replay {
    let config = game.read_config(config).expect("a valid config");
    let setup = game.deal_setup(&config, seed).expect("a valid config");
    let (mut records, mut ends) = (Vec::new(), Vec::new());
    for number in 0..legs {
        let mut bots = BySeat::from_fn(|seat: Seat| {
            let entrant = seat.entrant_in_leg(number);
            let bot = game.make_bot(names[entrant.index()], seed + entrant.index() as u64);
            bot.expect("a built-in bot")
        });
        let (mut leg, mut recorder) = (setup.start_leg(), Recorder::default());
        while leg.outcome().is_none() {
            let to_move = leg.to_move();
            let mut chosen = BySeat::new(None, None);
            for (seat, bot) in bots.iter_mut() {
                if to_move.asks_seat(seat) {
                    chosen[seat] = Some(bot.choose_action(&*leg, seat, &Untimed));
                }
            }
            let replies = chosen
                .each_ref()
                .map_values(|action| action.as_deref().map(Reply::Action));
            recorder.record_replies(&replies);
            leg.step(replies, &mut recorder);
        }
        records.push(recorder.finish_leg(leg.outcome()));
        ends.push(leg);
    }
    let verdict = setup.decide_match(&ends);
    Replay {
        format: FORMAT.to_owned(),
        game: game.meta().id.to_owned(),
        rules: game.meta().rules.to_owned(),
        engine: "a test".to_owned(),
        recorded: None,
        seed: Some(seed),
        config,
        setup: setup.to_json(),
        entrants: ByEntrant::from_fn(|entrant: Entrant| EntrantRecord {
            name: names[entrant.index()].to_owned(),
            kind: EntrantKind::BuiltIn,
            protocol: None,
            settings: None,
        }),
        limits: None,
        status: MatchStatus::Complete,
        forced: None,
        legs: records,
        verdict: Some(VerdictRecord::from(&verdict)),
        origin: None,
        signature: None,
    }
}

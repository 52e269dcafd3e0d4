//! Results that are certain, whatever both sides do.

use leitai_game::Seat;
use leitai_search::{Proof, ProvenResult};

use crate::map::MINES;
use crate::position::Position;
use crate::setup::Setup;
use crate::tank::team_range;

/// Rounds that are looked at.
const HORIZON: u32 = 40;

/// The result for a seat, if nothing can change it any more: one side reaches the goal with the
/// mines that the other cannot get to in time, before the other can reach it with all it could
/// get. Ways are counted as the crow flies, so that nothing is overlooked.
pub fn prove_result(setup: &Setup, position: &Position, seat: Seat) -> Option<Proof> {
    if position.end().is_some() || position.round() == 0 {
        return None;
    }
    let is_won_by = |winner: Seat| prove_win(setup, position, winner);
    let proof = |result| move |rounds| Proof { result, rounds };
    is_won_by(seat)
        .map(proof(ProvenResult::Win))
        .or_else(|| is_won_by(seat.other()).map(proof(ProvenResult::Loss)))
}

/// The round, counted from 1, at whose end the seat has won at the latest.
fn prove_win(setup: &Setup, position: &Position, seat: Seat) -> Option<u32> {
    let enemy_arrives = rounds_to_mines(setup, position, seat.other());
    let (mut least, mut most) = (position.gold(seat), position.gold(seat.other()));
    for round in 1..=HORIZON {
        for (mine, arrival) in enemy_arrives.iter().enumerate() {
            let owner = position.owner(mine);
            let enemy_gets = *arrival <= round;
            least += u32::from(owner == Some(seat) && !enemy_gets);
            most += u32::from(owner == Some(seat.other()) || enemy_gets);
        }
        if least >= setup.goal() && least > most {
            return Some(round);
        }
        if most >= setup.goal() || u32::from(position.round()) + round > setup.rounds().into() {
            return None;
        }
    }
    None
}

/// The first round at whose end a tank of the side can stand on each mine.
fn rounds_to_mines(setup: &Setup, position: &Position, seat: Seat) -> [u32; MINES] {
    let map = setup.map();
    std::array::from_fn(|mine| {
        let rounds = team_range(seat).map(|tank| {
            let now = &position.tanks[tank];
            let (cell, wait) = if now.is_alive() {
                (now.cell, 0)
            } else if now.is_unseen() {
                (map.mines[mine], 0) // It may stand there.
            } else {
                let until = now.revive.saturating_sub(position.round());
                (map.spawns[tank], u32::from(until) + 1)
            };
            // A living tank may also die and start again from its spawn, which costs three rounds.
            let restart = 3 + u32::from(map.spawns[tank].distance(map.mines[mine]));
            let way = wait + u32::from(cell.distance(map.mines[mine]));
            way.max(1).min(restart.max(1))
        });
        rounds.min().unwrap_or(u32::MAX)
    })
}

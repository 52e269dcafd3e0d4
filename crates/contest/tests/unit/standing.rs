//! Tests of `standing`.

use leitai_contest::standing::*;
use leitai_ladder::tournament::{EncounterKey, TournamentStage};
use leitai_ladder::tournament::{EncounterResults, FinishedEncounter, TournamentFormat};

fn results(all: &[(usize, usize, f64, f64)]) -> EncounterResults {
    let stage = TournamentStage::Round(1);
    let finished = |(table, (one, other, a, b)): (usize, &(usize, usize, f64, f64))| {
        let (pair, points) = ([*one, *other], [*a, *b]);
        (
            EncounterKey { stage, table },
            FinishedEncounter { pair, points },
        )
    };
    all.iter().enumerate().map(finished).collect()
}

#[test]
fn tie_breaks_decide_in_their_order() {
    // 0 beats 1, 1 beats 2, 2 beats 0; all beat 3, 0 only drew.
    let met = results(&[
        (0, 1, 1.0, 0.0),
        (1, 2, 1.0, 0.0),
        (2, 0, 1.0, 0.0),
        (0, 3, 0.5, 0.5),
        (1, 3, 1.0, 0.0),
        (2, 3, 1.0, 0.0),
    ]);
    let format = TournamentFormat::RoundRobin { cycles: 1 };
    let order = |breaks: &[TieBreak]| -> Vec<usize> {
        let rows = rank_players(format, 4, 1, &met, breaks);
        rows.iter().map(|row| row.player).collect()
    };
    assert_eq!(order(&[]), [1, 2, 0, 3]);
    assert_eq!(order(&[TieBreak::HeadToHead]), [1, 2, 0, 3]);
    assert_eq!(order(&[TieBreak::SonnebornBerger]), [1, 2, 0, 3]);
    let rows = rank_players(format, 4, 1, &met, &[TieBreak::Wins, TieBreak::Buchholz]);
    assert_eq!(rows[0].tie_breaks, [2.0, 1.5 + 2.0 + 0.5]);
    assert_eq!(rows[2].encounters, [1, 1, 1]);
}

#[test]
fn a_knockout_ranks_by_when_they_left() {
    let format = TournamentFormat::Single;
    let mut met = EncounterResults::new();
    while let Some(next) = format.open_encounters(4, &met).first().copied() {
        let points = if next.pair[0] == 3 {
            [1.0, 0.0]
        } else {
            [0.0, 1.0]
        };
        met.insert(
            next.key,
            FinishedEncounter {
                pair: next.pair,
                points,
            },
        );
    }
    let places: Vec<(usize, usize)> = rank_players(format, 4, 1, &met, &[])
        .iter()
        .map(|row| (row.player, row.place))
        .collect();
    assert_eq!(places, [(3, 1), (1, 2), (0, 3), (2, 3)]);
}

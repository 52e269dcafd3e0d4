//! A pair against a pool: two versions play the same opponent on the same seed and in the same seats,
//! and what counts is who did better in each seat.

use leitai_game::{ByEntrant, Entrant};
use leitai_ladder::GameScore;

use crate::comparison::{BASE, NEW};
use crate::game_record::LegSummary;
use crate::{GameRecord, PlayedPair, TimeHistogram};

/// The number of the player itself in a pair against an opponent of the pool.
pub const OWN: usize = 0;
/// The number of its opponent there.
pub const OPPONENT: usize = 1;

/// Compares the pair of the new version with that of the old one, each of [`OWN`] against
/// [`OPPONENT`]: a leg counts for the version that got more out of it, and is a draw where both got the
/// same. Faults and times are those of the two versions. Void if either is.
///
/// If the two win legs with the chances p and q, whatever else they depend on, the new version scores
/// ½ + (p − q) / 2 on average: half of what the same lead is worth where the two play each other.
pub fn compare_against_pool(new: &PlayedPair, base: &PlayedPair) -> PlayedPair {
    let number = new.number;
    let scores = [new, base].map(|side| side.player_scores(OWN));
    let ([Some(mine), Some(theirs)], Some(game)) = (scores, &new.game) else {
        return PlayedPair {
            number,
            game: None,
            other_leg: None,
            void: new.void.clone().or_else(|| base.void.clone()),
        };
    };
    let prints = [leg_fingerprints(new), leg_fingerprints(base)];
    let leg = |index: usize| LegSummary {
        winner: better(mine[index], theirs[index]),
        scores: [mine, theirs].map(|side| side[index].half_points() as i32),
        reason: "pool".to_owned(),
        fingerprint: match prints.each_ref().map(|all| all.get(index)) {
            [Some(one), Some(other)] => Some(format!("{one}+{other}")),
            _ => None,
        },
    };
    let total = |side: [GameScore; 2]| side[0].half_points() + side[1].half_points();
    let compared = GameRecord {
        pair: [NEW, BASE],
        seed: game.seed,
        winner: better(total(mine), total(theirs)),
        reason: "pool".to_owned(),
        legs: vec![leg(0), leg(1)],
        unplayed: 0,
        faults: [(new, Entrant::A), (base, Entrant::B)]
            .into_iter()
            .flat_map(|(side, entrant)| own_faults(side, entrant))
            .collect(),
        times: ByEntrant::new(own_times(new), own_times(base)),
        replay: game.replay.clone(),
    };
    PlayedPair {
        number,
        game: Some(compared),
        other_leg: None,
        void: None,
    }
}

fn better<T: Ord>(new: T, base: T) -> Option<Entrant> {
    match new.cmp(&base) {
        std::cmp::Ordering::Greater => Some(Entrant::A),
        std::cmp::Ordering::Less => Some(Entrant::B),
        std::cmp::Ordering::Equal => None,
    }
}

fn leg_fingerprints(side: &PlayedPair) -> Vec<String> {
    let legs = side.game_records().flat_map(|game| &game.legs);
    legs.filter_map(|leg| leg.fingerprint.clone()).collect()
}

fn entrant_of(game: &GameRecord) -> Entrant {
    crate::pair::player_entrant(game, OWN)
}

fn own_faults(
    side: &PlayedPair,
    shown_as: Entrant,
) -> impl Iterator<Item = crate::game_record::FaultPlace> {
    let of_game = |game: &GameRecord| {
        let own = entrant_of(game);
        let faults = game.faults.iter().filter(move |fault| fault.entrant == own);
        faults.cloned().collect::<Vec<_>>()
    };
    let faults: Vec<_> = side.game_records().flat_map(of_game).collect();
    faults
        .into_iter()
        .map(move |fault| crate::game_record::FaultPlace {
            entrant: shown_as,
            ..fault
        })
}

fn own_times(side: &PlayedPair) -> TimeHistogram {
    let mut times = TimeHistogram::default();
    for game in side.game_records() {
        times += &game.times[entrant_of(game)];
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A pair of a version against an opponent, whose legs the version wins, draws or loses.
    fn side(legs: [Option<Entrant>; 2], pair: [usize; 2]) -> PlayedPair {
        let leg = |winner| LegSummary {
            winner,
            scores: [0, 0],
            reason: String::new(),
            fingerprint: Some(format!("{winner:?}")),
        };
        let game = GameRecord {
            pair,
            seed: 7,
            winner: None,
            reason: String::new(),
            legs: legs.map(leg).to_vec(),
            unplayed: 0,
            faults: Vec::new(),
            times: ByEntrant::default(),
            replay: Some("12".to_owned()),
        };
        PlayedPair {
            number: 3,
            game: Some(game),
            other_leg: None,
            void: None,
        }
    }

    #[test]
    fn a_leg_counts_for_who_got_more_out_of_the_same_seat() {
        use GameScore::{Draw, Loss, Win};
        let (won, lost, level) = (Some(Entrant::A), Some(Entrant::B), None);
        for (new, base, expected) in [
            ([won, won], [won, won], [Draw, Draw]),
            ([won, lost], [lost, won], [Win, Loss]),
            ([level, won], [lost, level], [Win, Win]),
            ([lost, level], [lost, won], [Draw, Loss]),
        ] {
            // The same whoever of a pair is which entrant.
            let other = |legs: [Option<Entrant>; 2]| legs.map(|leg| leg.map(Entrant::other));
            for (one, two) in [
                (side(new, [OWN, OPPONENT]), side(base, [OWN, OPPONENT])),
                (
                    side(other(new), [OPPONENT, OWN]),
                    side(other(base), [OPPONENT, OWN]),
                ),
            ] {
                let compared = compare_against_pool(&one, &two);
                assert_eq!(
                    compared.player_scores(NEW),
                    Some(expected),
                    "{new:?} {base:?}"
                );
                let game = compared.game.expect("it was played");
                assert_eq!((game.seed, game.replay.as_deref()), (7, Some("12")));
            }
        }
    }

    #[test]
    fn what_one_side_could_not_play_is_void() {
        let won = side([Some(Entrant::A); 2], [OWN, OPPONENT]);
        let void = PlayedPair {
            game: None,
            ..won.clone()
        };
        for (new, base) in [(&won, &void), (&void, &won)] {
            assert_eq!(compare_against_pool(new, base).player_scores(NEW), None);
        }
    }
}

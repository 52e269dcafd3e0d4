//! The best of several candidates by paired random trials (sequential halving).

/// How many trials the candidates get: all of them the first few, then ever fewer ever more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalvingPlan {
    /// Trials of every candidate before the first of them are dropped; at least 1.
    pub first_trials: usize,
    /// Trials of those that are never dropped.
    pub all_trials: usize,
}

/// A candidate that got all trials.
#[derive(Clone, Debug, PartialEq)]
pub struct RaceWinner {
    /// Its number, from 0.
    pub candidate: usize,
    /// Its result in each trial.
    pub results: Vec<i32>,
}

/// A trial of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The candidate, from 0.
    pub candidate: usize,
    /// The number of the circumstances, from 0.
    pub number: usize,
}

/// Finds the candidate that gains most against results that are known already.
///
/// Trial `n` puts every candidate into the same random circumstances, in which `known[n]` was
/// reached before: differences are compared, so the luck that all share cancels out (common random
/// numbers). After `first_trials`, and each time their number has doubled, the worse half of the
/// candidates is dropped, and everyone who gains nothing. Sequential halving: Karnin, Koren and
/// Somekh, "Almost optimal exploration in multi-armed bandits" (2013).
///
/// `stage` gives the results of all trials up to the next decision in their order, so that several
/// threads can share them, or `None` to stop the race: then nobody wins. The race ends without a winner
/// too if nobody gains.
///
/// ```
/// use leitai_search::halving::{HalvingPlan, Trial, find_winner};
/// let plan = HalvingPlan { first_trials: 2, all_trials: 8 };
/// let luck = [5, -3, 0, 2, 9, -8, 1, 1];
/// let result = |trial: &Trial| luck[trial.number] + trial.candidate as i32;
/// let winner = find_winner(plan, &luck, 4, |trials| Some(trials.iter().map(result).collect()));
/// assert_eq!(winner.map(|winner| winner.candidate), Some(3));
/// ```
pub fn find_winner(
    plan: HalvingPlan,
    known: &[i32],
    candidates: usize,
    mut stage: impl FnMut(&[Trial]) -> Option<Vec<i32>>,
) -> Option<RaceWinner> {
    let all_trials = plan.all_trials.min(known.len());
    let mut runners: Vec<Runner> = (0..candidates).map(Runner::new).collect();
    let (mut done, mut goal) = (0, plan.first_trials.max(1).min(all_trials));
    while !runners.is_empty() && done < all_trials {
        let of = |runner: &Runner| {
            let candidate = runner.candidate;
            (done..goal).map(move |number| Trial { candidate, number })
        };
        let trials: Vec<Trial> = runners.iter().flat_map(of).collect();
        let results = stage(&trials)?;
        for (runner, results) in runners.iter_mut().zip(results.chunks(goal - done)) {
            for (result, before) in results.iter().zip(&known[done..goal]) {
                runner.gain += i64::from(*result) - i64::from(*before);
            }
            runner.results.extend_from_slice(results);
        }
        runners.retain(|runner| runner.gain > 0);
        // Stable: of equals, the one named first stays.
        runners.sort_by_key(|runner| -runner.gain);
        runners.truncate(runners.len().div_ceil(2));
        (done, goal) = (goal, (2 * goal).min(all_trials));
    }
    // Without any trial nobody has gained.
    let best = runners.into_iter().find(|runner| runner.gain > 0)?;
    Some(RaceWinner {
        candidate: best.candidate,
        results: best.results,
    })
}

struct Runner {
    candidate: usize,
    gain: i64,
    results: Vec<i32>,
}

impl Runner {
    fn new(candidate: usize) -> Runner {
        Runner {
            candidate,
            gain: 0,
            results: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: HalvingPlan = HalvingPlan {
        first_trials: 4,
        all_trials: 16,
    };

    fn race(
        known: &[i32],
        candidates: usize,
        mut trial: impl FnMut(&Trial) -> Option<i32>,
    ) -> Option<RaceWinner> {
        find_winner(PLAN, known, candidates, |trials| {
            trials.iter().map(&mut trial).collect()
        })
    }

    #[test]
    fn the_best_of_eight_wins_and_few_trials_are_made() {
        let luck: Vec<i32> = (0..16).map(|n| (n * 7919) % 101).collect();
        let mut trials = 0;
        let winner = race(&luck, 8, |one| {
            trials += 1;
            Some(luck[one.number] + [1, 2, 9, 4, 5, 3, 2, 1][one.candidate])
        });
        let winner = winner.expect("everybody gains");
        assert_eq!((winner.candidate, winner.results.len()), (2, 16));
        assert_eq!(
            trials,
            8 * 4 + 4 * 4 + 2 * 8,
            "eight, four, two of them are left"
        );
    }

    #[test]
    fn nobody_wins_who_gains_nothing() {
        assert_eq!(race(&[3; 16], 5, |_| Some(3)), None);
        assert_eq!(race(&[3; 16], 0, |_| Some(9)), None);
        assert_eq!(race(&[], 5, |_| Some(9)), None);
    }

    #[test]
    fn a_race_that_is_stopped_has_no_winner() {
        let winner = race(&[0; 16], 3, |one| (one.number < 10).then_some(1));
        assert_eq!(winner, None);
    }

    #[test]
    fn the_first_of_equals_wins() {
        let winner = race(&[0; 16], 6, |_| Some(2));
        assert_eq!(winner.map(|winner| winner.candidate), Some(0));
    }
}

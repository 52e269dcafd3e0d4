//! A moment of a recorded leg that is worth playing on from: the game was open, the loser had an
//! answer that held, played another one, and lost.

use leitai_game::replay::ReplayWalker;
use leitai_game::{AnyGame, Outcome, Replay, Reply, SearchBudget, Seat};

/// The last rounds of a leg that are looked at, and those at its end that are too late: a challenge
/// takes a few minutes.
const LAST_ROUNDS: u32 = 30;
const TOO_LATE: u32 = 4;
/// The most decisions of a leg that are assessed, spread over these rounds.
const MOST_DECISIONS: usize = 24;
/// The most questions that are left for the person, if the leg is played to its last round and each
/// round asks as many as those that were recorded.
const MOST_QUESTIONS: u32 = 160;
/// The chance to win of an open game.
const OPEN: std::ops::RangeInclusive<f64> = 0.35..=0.9;
/// What a mistake costs at least.
const MISTAKE: f64 = 0.1;

/// A moment from which it is worth to play on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenPosition {
    /// The first round that is played.
    pub round: u32,
    /// Whether the loser, whose place the person takes, has the first seat.
    pub first: bool,
    /// The chance to win with the best action.
    pub chance: f64,
    /// What the mistake cost.
    pub worth: f64,
    /// The rounds that are left at most.
    pub rounds: u32,
}

/// The moment of the first leg at which the loser's mistake cost most; `None` if there is none.
pub fn find_open_position(game: &dyn AnyGame, replay: &Replay) -> Option<OpenPosition> {
    let setup = game.read_setup(&replay.setup).ok()?;
    let record = replay.legs.first()?;
    let mut assessor = game.make_assessor()?;
    let nodes = game.decision_nodes()?;
    let mut walk = ReplayWalker::new(&*setup, record);
    while walk.next(&mut ()).ok()?.is_some() {}
    let last = walk.current_leg().round();
    let loser = loser_of(&walk.current_leg().outcome()?)?;
    let begins = last.saturating_sub(LAST_ROUNDS).max(2);
    let ends = last.saturating_sub(TOO_LATE);
    let (mut walk, mut moments) = (ReplayWalker::new(&*setup, record), Vec::new());
    loop {
        let before = walk.current_leg().clone_leg();
        let Some(replies) = walk.next(&mut ()).ok()? else {
            break;
        };
        let is_late = (begins..=ends).contains(&before.round());
        if is_late && matches!(replies[loser], Some(Reply::Action(_))) {
            moments.push((before, replies));
        }
    }
    let asked = u32::try_from(moments.len()).ok()?;
    let looked = (ends + 1).saturating_sub(begins).max(1);
    let left = |round: u32| setup.max_rounds().saturating_sub(round) + 1;
    moments.retain(|(leg, _)| left(leg.round()) * asked.div_ceil(looked) <= MOST_QUESTIONS);
    let every = moments.len().div_ceil(MOST_DECISIONS).max(1);
    let found = moments
        .into_iter()
        .step_by(every)
        .filter_map(|(leg, replies)| {
            let budget = SearchBudget::nodes(nodes);
            let decision = assessor.assess_decision(&*leg, loser, &replies, budget)?;
            let chance = decision.best.win_probability;
            Some(OpenPosition {
                round: leg.round(),
                first: loser == Seat::First,
                chance,
                worth: chance - decision.played.win_probability,
                rounds: left(leg.round()),
            })
        });
    found
        .filter(|one| OPEN.contains(&one.chance) && one.worth >= MISTAKE)
        .max_by(|one, other| one.worth.total_cmp(&other.worth))
}

fn loser_of(outcome: &Outcome) -> Option<Seat> {
    outcome.winner.map(Seat::other)
}

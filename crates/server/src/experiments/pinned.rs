//! What a candidate answers in the pinned moments of its bot: asked before the first pair, each as a
//! match that continues the recorded one from there.

use leitai_game::Entrant;
use leitai_store::{
    Experiment, ExperimentMatch, Json, MatchEntrant, MatchId, MatchKind, MatchState, NewMatch,
    PairPlace, Pin, Store, StoreError,
};

use crate::work::continuation::MatchOrigin;
use crate::work::match_result::ANSWERS;

/// What a candidate answered in a pinned moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PinAnswer {
    /// Its match is to be created.
    Lacks,
    /// It is being asked.
    Open,
    /// It answers something else.
    Gone(MatchId),
    /// It makes the mistake again.
    MadeAgain(MatchId),
    /// It gives no valid answer there.
    Fault(MatchId),
    /// It could not be asked, so nothing is known.
    Unknown,
}

/// A pinned moment of an experiment, and what the candidate answered.
pub struct AskedPin {
    /// The moment.
    pub pin: Pin,
    /// Where its match stands.
    pub place: PairPlace,
    /// The answer.
    pub answer: PinAnswer,
}

/// The pinned moments of an experiment with the answers, from its matches.
pub fn asked_pins(own: &Experiment, matches: &[ExperimentMatch]) -> Vec<AskedPin> {
    let place = |index: i32| PairPlace {
        pair: -1 - index,
        part: 0,
    };
    let asked = own
        .pinned_moments()
        .into_iter()
        .zip(0..)
        .map(|(pin, index)| {
            let place = place(index);
            let of = matches.iter().find(|of| of.place == place);
            AskedPin {
                answer: of.map_or(PinAnswer::Lacks, |of| read_answer(&pin, of)),
                place,
                pin,
            }
        });
    asked.collect()
}

/// The first answer that is not the recorded one decides, as in `leitai regress`.
fn read_answer(pin: &Pin, of: &ExperimentMatch) -> PinAnswer {
    if !of.state.is_over() {
        return PinAnswer::Open;
    }
    let record = of
        .record
        .as_ref()
        .filter(|_| of.state == MatchState::Finished);
    let side = usize::try_from(pin.entrant).unwrap_or(0);
    let answers = record.map(|record| &record[ANSWERS][side]);
    let (Some(answers), Some(played)) = (answers.and_then(Json::as_array), pin.played.as_array())
    else {
        return PinAnswer::Unknown;
    };
    let other = answers.iter().zip(played).find(|(one, other)| one != other);
    match other.map(|(answer, _)| answer.as_str().unwrap_or_default()) {
        Some(answer) if answer.starts_with('!') => PinAnswer::Fault(of.id),
        Some(_) => PinAnswer::Gone(of.id),
        None if answers.len() < played.len() => PinAnswer::Unknown,
        None => PinAnswer::MadeAgain(of.id),
    }
}

/// Why a candidate is refused for its answers; `None` if it is not.
pub fn refusal(asked: &[AskedPin]) -> Option<String> {
    asked.iter().find_map(|asked| {
        let Pin { leg, round, match_id, .. } = &asked.pin;
        match asked.answer {
            PinAnswer::MadeAgain(id) => Some(format!(
                "it makes the pinned mistake of match {match_id}, leg {leg}, round {round} again: see match {id}"
            )),
            PinAnswer::Fault(id) => Some(format!(
                "it gives no valid answer in the pinned moment of match {match_id}, leg {leg}, round {round}: see match {id}"
            )),
            _ => None,
        }
    })
}

/// The match that asks a candidate. Its opponent is the one of then, or the version beside the candidate
/// if that one plays no more. `None` if the recorded match has no replay any more.
pub async fn match_of_pin(
    store: &Store,
    pin: &Pin,
    [tested, base]: [&MatchEntrant; 2],
) -> Result<Option<NewMatch>, StoreError> {
    let recorded = match store.match_by_id(pin.match_id).await {
        Ok(recorded) if recorded.replay.is_some() => recorded,
        Ok(_) | Err(StoreError::Deleted { .. } | StoreError::Missing { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let own = match pin.entrant {
        0 => Entrant::A,
        _ => Entrant::B,
    };
    let other = match own {
        Entrant::A => recorded.b.as_ref(),
        Entrant::B => recorded.a.as_ref(),
    };
    let opponent = match other.and_then(|other| other.version) {
        Some(version) => store.entrant_of_version(version).await,
        None => Err(StoreError::Refused("a person".to_owned())),
    };
    let opponent = match opponent {
        Ok(opponent) => opponent,
        Err(StoreError::Refused(_) | StoreError::Deleted { .. } | StoreError::Missing { .. }) => {
            base.clone()
        }
        Err(error) => return Err(error),
    };
    let both = match own {
        Entrant::A => [Some(tested.clone()), Some(opponent)],
        Entrant::B => [Some(opponent), Some(tested.clone())],
    };
    let (leg, round) = (pin.leg.unsigned_abs(), pin.round.unsigned_abs());
    let origin = MatchOrigin {
        match_id: pin.match_id.0,
        leg: leg as usize,
        round,
    };
    Ok(Some(NewMatch {
        config: recorded.config.clone(),
        limits: origin.with_limits(&recorded.limits),
        ..NewMatch::new(
            &recorded.game,
            MatchKind::Experiment,
            both.into(),
            recorded.seed,
            leg as usize,
        )
    }))
}

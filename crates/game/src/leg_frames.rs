//! The frames of one leg of a replay, with everything else that a viewer shows of it: names, seats,
//! outcome, faults. `docs/live.md` describes the JSON form; the server and the engine in the page
//! send the same.

use serde_json::{Value, json};

use crate::clean_text::clean_line;
use crate::erased::{AnyGame, AnyLeg, AnySetup};
use crate::frames::make_first_frames;
use crate::lang::{Catalogue, Say};
use crate::replay::{
    Difference, FaultRecord, LegRecord, RefusalKind, Replay, ReplayRefusal, StrikeRecord,
    verify_replay,
};
use crate::seat::{ByEntrant, Entrant, Perspective, Seat};
use crate::text::LocalizedText;

/// What is asked for, and what the caller adds.
#[derive(Clone, Debug)]
pub struct LegFramesRequest {
    /// The leg, from 1.
    pub leg: usize,
    /// Whose knowledge is shown.
    pub perspective: Perspective,
    /// The match in the arena; null for a file.
    pub summary: Value,
    /// What [`verify_as_json`] found, for a file.
    pub verified: Option<Value>,
    /// The most frames, from the first; all if absent.
    pub most: Option<usize>,
}

/// The name of a perspective in the HTTP API.
pub const fn perspective_name(perspective: Perspective) -> &'static str {
    match perspective {
        Perspective::All => "all",
        Perspective::Seat(Seat::First) => "first",
        Perspective::Seat(Seat::Second) => "second",
    }
}

/// A message in both languages.
pub fn write_both(catalogue: &Catalogue, message: &(impl Say + ?Sized)) -> LocalizedText {
    catalogue.write_both(|lang| lang.say(message))
}

/// `true`, or the place where the replay differs from the rules; `false` if its judge program is not run
/// here, so that nothing but the form could be checked.
///
/// # Errors
/// If the replay cannot be played at all.
pub fn verify_as_json(
    game: &dyn AnyGame,
    replay: &Replay,
    catalogue: &Catalogue,
) -> Result<Value, ReplayRefusal> {
    let verified =
        verify_replay(game, replay).map_err(|why| refuse_unplayable(&why.to_string()))?;
    Ok(verified.map_or_else(
        |difference| difference_as_json(&difference, catalogue),
        |verified| json!(!verified.is_form_only || game.capabilities().plays_here),
    ))
}

/// The place where a replay differs from the rules.
pub fn difference_as_json(difference: &Difference, catalogue: &Catalogue) -> Value {
    let Difference {
        leg, round, what, ..
    } = difference;
    json!({"leg": leg, "round": round, "what": write_both(catalogue, what)})
}

/// The refusal of a replay that cannot be played.
pub fn refuse_unplayable(why: &str) -> ReplayRefusal {
    ReplayRefusal::new(
        RefusalKind::NotPlayable,
        format!("the replay cannot be played: {why}"),
    )
}

/// The frames of one leg, as JSON. The catalogue translates faults.
///
/// # Errors
/// If there is no such leg, or it cannot be played.
pub fn write_leg_frames(
    game: &dyn AnyGame,
    replay: &Replay,
    request: LegFramesRequest,
    catalogue: &Catalogue,
) -> Result<String, ReplayRefusal> {
    let record = find_leg(replay, request.leg)?;
    let unplayable = |message| ReplayRefusal::new(RefusalKind::NotPlayable, message);
    let setup = game
        .read_setup(&replay.setup)
        .map_err(|why| unplayable(format!("the setup is unsound: {why}")))?;
    let frames = make_first_frames(
        game,
        &*setup,
        record,
        request.perspective,
        request.most.unwrap_or(usize::MAX),
    )
    .map_err(|why| unplayable(why.to_string()))?;
    let mut text = leg_header(game, replay, &*setup, &request, catalogue).to_string();
    text.pop();
    if let Some(verified) = request.verified {
        text.push_str(&format!(",\"verified\":{verified}"));
    }
    text.push_str(",\"frames\":");
    text.push_str(&serde_json::to_string(&frames).expect("frames are plain data"));
    text.push('}');
    Ok(text)
}

/// The record of a leg, from 1.
fn find_leg(replay: &Replay, leg: usize) -> Result<&LegRecord, ReplayRefusal> {
    let record = leg.checked_sub(1).and_then(|index| replay.legs.get(index));
    record.ok_or_else(|| {
        let legs = replay.legs.len();
        ReplayRefusal::new(
            RefusalKind::NoLeg,
            format!("there is no leg {leg}; the replay has {legs}"),
        )
    })
}

/// Everything but the frames.
fn leg_header(
    game: &dyn AnyGame,
    replay: &Replay,
    setup: &dyn AnySetup,
    request: &LegFramesRequest,
    catalogue: &Catalogue,
) -> Value {
    let (leg, perspective) = (request.leg, request.perspective);
    let record = &replay.legs[leg - 1];
    let faults = record.faults.iter();
    let faults = faults.filter(|fault| fault.leg.is_none_or(|of| of == leg));
    let faults: Vec<Value> = faults.map(|fault| fault_json(fault, catalogue)).collect();
    let mut header = json!({
        "match": request.summary,
        "game": game.meta().id,
        "rules": replay.rules,
        "entrants": ByEntrant::from_fn(|entrant: Entrant| &replay.entrants[entrant].name),
        "seats": {
            "first": entrant_letter(Seat::First, leg),
            "second": entrant_letter(Seat::Second, leg),
        },
        "leg": leg,
        "legs": replay.legs.len(),
        "rounds": setup.max_rounds(),
        "setup": shown_setup(game, setup, perspective),
        "perspective": perspective_name(perspective),
        "outcome": record.outcome,
        "verdict": replay.verdict,
        "faults": faults,
        "status": replay.status,
    });
    if game.capabilities().shows_setup(perspective) {
        add_strikes(&mut header, replay, leg);
    }
    header
}

/// Adds the answers that count although they were late, if there are any. Under fog they would tell how
/// long the other one thought.
fn add_strikes(header: &mut Value, replay: &Replay, leg: usize) {
    let strikes = &replay.legs[leg - 1].strikes;
    if !strikes.is_empty() {
        header["strikes"] = strikes.iter().map(|one| strike_json(one, leg)).collect();
        header["strikes_allowed"] = replay.limits.as_ref().map(|limits| limits.strikes).into();
    }
}

/// An answer that counts although it was late: whose, in which step (from 0), and by how much.
fn strike_json(strike: &StrikeRecord, leg: usize) -> Value {
    json!({
        "seat": strike.entrant.seat_in_leg(leg - 1),
        "step": strike.step,
        "late_us": strike.used_us.saturating_sub(strike.allowed_us),
    })
}

/// The setup, or null where it may hold what this perspective must not know.
pub fn shown_setup(game: &dyn AnyGame, setup: &dyn AnySetup, perspective: Perspective) -> Value {
    match game.capabilities().shows_setup(perspective) {
        true => setup.to_json(),
        false => Value::Null,
    }
}

/// Who plays this seat of a leg, from 1.
pub fn entrant_letter(seat: Seat, leg: usize) -> &'static str {
    match seat.entrant_in_leg(leg - 1) {
        Entrant::A => "a",
        Entrant::B => "b",
    }
}

/// A fault with its description in both languages.
fn fault_json(fault: &FaultRecord, catalogue: &Catalogue) -> Value {
    let mut value = serde_json::to_value(fault).expect("a fault is plain data");
    value["what"] = json!(write_both(catalogue, fault));
    value
}

/// The most actions that are offered one by one.
const MOST_CHOICES: usize = 400;

/// The choices of a person who is asked, with a key for each; empty where the game has
/// [options](crate::GamePackage::list_options) instead. A game without keys offers its legal actions.
pub fn list_choices(
    game: &dyn AnyGame,
    leg: &dyn AnyLeg,
    seat: Seat,
    catalogue: &Catalogue,
) -> Vec<Value> {
    let bindings = game.key_bindings(seat).iter();
    if bindings.len() == 0 && leg.list_options(seat).is_null() {
        return offer_legal_actions(leg, seat);
    }
    let choice = |key: &crate::render::KeyBinding| {
        let keys: Vec<String> = key.keys.iter().map(ToString::to_string).collect();
        let illegal = leg.check_action(seat, key.action).err();
        json!({
            "action": key.action,
            "keys": keys,
            "label": LocalizedText::from(key.label),
            "legal": illegal.is_none(),
            "why": illegal.map(|why| write_both(catalogue, &why)),
        })
    };
    bindings.map(choice).collect()
}

/// Every legal action as a choice. An action of one sign has it as its key; otherwise the first nine
/// are numbered.
fn offer_legal_actions(leg: &dyn AnyLeg, seat: Seat) -> Vec<Value> {
    let legal = leg.legal_actions(seat);
    let is_sign = |action: &String| action.chars().count() == 1;
    let are_signs = legal.iter().all(is_sign);
    let key = |(at, action): (usize, &String)| match are_signs {
        true => vec![action.to_lowercase()],
        false if at < 9 => vec![(at + 1).to_string()],
        false => Vec::new(),
    };
    let choice = |(at, action): (usize, &String)| {
        let label = clean_line(action).into_owned();
        json!({
            "action": action,
            "keys": key((at, action)),
            "label": LocalizedText { en: label.clone(), zh: label },
            "legal": true,
            "why": null,
        })
    };
    let offered = legal.iter().take(MOST_CHOICES).enumerate();
    offered.map(choice).collect()
}

//! What is shown: names, views, renderings, keys and the canonical state text.

use super::random_legs::{RandomLegs, as_text};
use crate::erased::{AnyLeg, AnySink, Checkpoint};
use crate::hash::fnv1a;
use crate::render::{RenderOptions, Rendering};
use crate::replay::MAX_LEGS;
use crate::seat::Perspective;
use crate::seat::Seat;

pub(super) const EYES: [Perspective; 3] = [
    Perspective::Seat(Seat::First),
    Perspective::Seat(Seat::Second),
    Perspective::All,
];

/// Ids are fit for commands and paths, limits are positive, names of bots and protocols are
/// distinct.
pub fn meta_is_sound(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let meta = bench.game.meta();
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if meta.id.is_empty() || !meta.id.bytes().all(plain) {
        return Err(format!(
            "the id {:?} is not of lower-case letters, digits and -",
            meta.id
        ));
    }
    if !meta.rules.starts_with(meta.id) {
        return Err(format!(
            "the rule set {:?} does not begin with the id {:?}",
            meta.rules, meta.id
        ));
    }
    if !(1..=MAX_LEGS).contains(&meta.legs)
        || meta.period_limit.is_zero()
        || meta.message_limit == 0
    {
        return Err(format!("there are limits that nobody can keep: {meta:?}"));
    }
    let names = |all: Vec<(_, _)>| all.into_iter().map(|(name, _)| name).collect();
    let bots: Vec<&str> = names(bench.game.list_bots());
    let protocols: Vec<&str> = names(bench.game.list_protocols());
    for names in [&bots, &protocols] {
        for (index, name) in names.iter().enumerate() {
            if names[..index].contains(name) {
                return Err(format!("the name {name:?} is given twice"));
            }
        }
    }
    Ok(1 + bots.len() + protocols.len())
}

/// Every position has a view from every perspective, as an object.
pub fn views_are_shown(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let ends = bench.played.iter().map(|played| &*played.end);
    let mut cases = 0;
    for leg in bench.all_moments().map(|(_, leg)| leg).chain(ends) {
        for perspective in EYES {
            let view = leg.view(perspective);
            if !view.is_object() {
                return Err(format!(
                    "{perspective:?} sees {view}, which is not an object"
                ));
            }
            if leg.view(perspective) != view {
                return Err(format!(
                    "{perspective:?} sees something else at the second look at {view}"
                ));
            }
            cases += 1;
        }
    }
    Ok(cases)
}

/// The hash is that of the text, the text is ASCII lines, and checkpoints tell of the states that
/// were passed.
pub fn state_text_is_hashed(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut cases = 0;
    for played in &bench.played {
        let mut leg = played.setup.start_leg();
        let mut seen = SeenCheckpoints {
            count: 0,
            wrong: None,
        };
        for said in &played.said {
            leg.step(as_text(said), &mut seen);
            compare_state_hash(&leg.state_text(), leg.hash())?;
        }
        if let Some(wrong) = seen.wrong {
            return Err(wrong);
        }
        if seen.count == 0 {
            return Err("a leg passed no checkpoint, so that a replay keeps no hash".into());
        }
        cases += played.said.len() + seen.count;
    }
    Ok(cases)
}

pub(super) fn compare_state_hash(text: &str, hash: u64) -> Result<(), String> {
    let ours = fnv1a(text.as_bytes());
    if ours != hash {
        return Err(format!(
            "the hash is {hash:016x}, that of the state text {ours:016x}:\n{text}"
        ));
    }
    if text.is_empty() || !text.is_ascii() {
        return Err(format!("the state text is not ASCII: {text:?}"));
    }
    Ok(())
}

struct SeenCheckpoints {
    count: usize,
    wrong: Option<String>,
}

impl AnySink for SeenCheckpoints {
    fn on_checkpoint(&mut self, at: &dyn Checkpoint) {
        self.count += 1;
        self.wrong = self
            .wrong
            .take()
            .or(compare_state_hash(&at.state_text(), at.hash()).err());
    }
}

/// Every position is drawn from every perspective, now and any number of rounds ahead, as a
/// rectangle.
pub fn pictures_are_drawn(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let ends = bench.played.iter().map(|played| &*played.end);
    let mut cases = 0;
    for leg in bench.all_moments().map(|(_, leg)| leg).chain(ends) {
        for perspective in EYES {
            for ahead in [0, 1, 40, u32::MAX] {
                check_rectangle(leg, &RenderOptions { perspective, ahead })?;
                cases += 1;
            }
        }
    }
    Ok(cases)
}

pub(super) fn check_rectangle(leg: &dyn AnyLeg, look: &RenderOptions) -> Result<(), String> {
    let picture: Rendering = leg.render_position(look);
    let width = picture.board.first().map_or(0, Vec::len);
    match picture.board.iter().position(|row| row.len() != width) {
        Some(row) => Err(format!(
            "row {row} has {} cells, the first {width}",
            picture.board[row].len()
        )),
        None => Ok(()),
    }
}

/// Keys say actions of the game, and no key says two.
pub fn keys_name_actions(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut cases = 0;
    for seat in Seat::BOTH {
        let keys = bench.game.key_bindings(seat);
        for (index, binding) in keys.iter().enumerate() {
            let known = bench
                .all_moments()
                .all(|(_, leg)| leg.knows_action(binding.action));
            if !known {
                return Err(format!("the key for {:?} says no action", binding.action));
            }
            let used = |key| {
                keys[..index]
                    .iter()
                    .any(|earlier| earlier.keys.contains(key))
            };
            if let Some(key) = binding.keys.iter().find(|key| used(key)) {
                return Err(format!("the key {key} of {seat} says two actions"));
            }
        }
        cases += keys.len();
    }
    Ok(cases)
}

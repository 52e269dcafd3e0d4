//! Views that tell a player what it may not know. `[secret]` of `game.toml` names the hidden parts of
//! the view of everything; two positions that differ in nothing else must look the same to the player.

use std::ops::RangeInclusive;

use leitai_game::conformance::{KeptReplies, RandomLeg, RandomLegs, as_text, list_paths};
use leitai_game::erased::{AnyLeg, AnySetup};
use leitai_game::{BySeat, Perspective, Reply, Rng, Seat};
use serde_json::Value;

use super::input::{input_line, tokens};

/// Changed setups of each leg that are tried.
const SETUPS: usize = 24;
/// Other actions of the other seat that are tried in each position.
const ACTIONS: usize = 3;
/// Steps after a changed action that are looked at.
const AHEAD: usize = 6;

/// The hidden paths of each seat: `first = ["deck", "second.hand"]`.
pub type Secrets = BySeat<Vec<String>>;

/// A view that tells too much.
pub(super) struct Leak {
    pub(super) what: String,
    pub(super) input: Option<String>,
    steps: usize,
}

/// What was looked at without a leak.
pub(super) struct Found {
    /// Views beside the view of everything.
    pub(super) looked_at: usize,
    /// Pairs of positions that differ in hidden facts alone.
    pub(super) pairs: usize,
}

/// Looks for leaks; of several the one after the fewest steps is told.
pub(super) fn find_leaks(bench: &RandomLegs<'_>, secrets: &Secrets) -> Result<Found, Leak> {
    let mut search = Search {
        bench,
        secrets,
        found: Found {
            looked_at: 0,
            pairs: 0,
        },
        leak: None,
        seen: secrets.clone().map_values(|paths| vec![false; paths.len()]),
    };
    let mut rng = bench.salted_rng(32);
    for played in &bench.played {
        search.look_at_views(played);
        search.change_setups(played, &mut rng);
        search.change_actions(played);
    }
    if let Some(leak) = search.leak {
        return Err(leak);
    }
    for seat in Seat::BOTH {
        if let Some(index) = search.seen[seat].iter().position(|seen| !seen) {
            let path = &secrets[seat][index];
            return Err(Leak {
                what: format!("secret.{seat} names {path}, which the view of everything never has"),
                input: None,
                steps: 0,
            });
        }
    }
    Ok(search.found)
}

struct Search<'a> {
    bench: &'a RandomLegs<'a>,
    secrets: &'a Secrets,
    found: Found,
    leak: Option<Leak>,
    /// Whether each path was ever there.
    seen: BySeat<Vec<bool>>,
}

impl Search<'_> {
    fn tell(&mut self, what: String, seed: u64, said: &[KeptReplies]) {
        if self
            .leak
            .as_ref()
            .is_none_or(|leak| said.len() < leak.steps)
        {
            let input = Some(input_line(self.bench, seed, &tokens(said)));
            let steps = said.len();
            self.leak = Some(Leak { what, input, steps });
        }
    }

    /// A hidden part that stands in a player's view, just where everything has it.
    fn look_at_views(&mut self, played: &RandomLeg) {
        let mut leg = played.setup.start_leg();
        for (step, said) in played.said.iter().enumerate() {
            let all = leg.view(Perspective::All);
            for seat in Seat::BOTH {
                let own = leg.view(Perspective::Seat(seat));
                for (index, path) in self.secrets[seat].iter().enumerate() {
                    let hidden = find_parts(&all, path);
                    self.seen[seat][index] |= !hidden.is_empty();
                    let shown = find_parts(&own, path);
                    if hidden.iter().any(|part| tells(part)) && hidden == shown {
                        let what = format!("the view of {seat} shows the secret {path}");
                        self.tell(what, played.seed, &played.said[..step]);
                    }
                }
                self.found.looked_at += 1;
            }
            leg.step(as_text(said), &mut ());
        }
    }

    /// The same replies from setups that differ in a part.
    fn change_setups(&mut self, played: &RandomLeg, rng: &mut Rng) {
        let own = played.setup.to_json();
        let other = self.bench.deal_setup(played.seed ^ 1);
        let other = other.map_or(Value::Null, |setup| setup.to_json());
        for _ in 0..SETUPS {
            let changed = change_part(&own, &other, rng);
            if changed == own {
                continue;
            }
            if let Ok(setup) = self.bench.game.read_setup(&changed) {
                self.play_both(played, &*setup);
            }
        }
    }

    fn play_both(&mut self, played: &RandomLeg, changed: &dyn AnySetup) {
        let legs = (played.setup.start_leg(), changed.start_leg());
        self.compare_steps(played, legs, 0..=played.said.len());
    }

    /// Compares two legs before each of these steps, and plays them in both.
    fn compare_steps(
        &mut self,
        played: &RandomLeg,
        (mut one, mut other): (Box<dyn AnyLeg>, Box<dyn AnyLeg>),
        steps: RangeInclusive<usize>,
    ) {
        for step in steps {
            self.compare(&*one, &*other, played.seed, &played.said[..step]);
            let Some(said) = played.said.get(step) else {
                return;
            };
            if !are_legal(&*other, said) {
                return;
            }
            one.step(as_text(said), &mut ());
            other.step(as_text(said), &mut ());
        }
    }

    /// What a seat sees after the other did this or that.
    fn change_actions(&mut self, played: &RandomLeg) {
        let mut leg = played.setup.start_leg();
        for (step, said) in played.said.iter().enumerate() {
            for actor in Seat::BOTH {
                let asked = leg.to_move().asks_seat(actor);
                let legal = if asked {
                    leg.legal_actions(actor)
                } else {
                    Vec::new()
                };
                let is_other =
                    |action: &&String| said[actor] != Some(Reply::Action((*action).clone()));
                for action in legal.iter().filter(is_other).take(ACTIONS) {
                    let mut changed = said.clone();
                    changed[actor] = Some(Reply::Action(action.clone()));
                    self.go_on_both(played, step, &*leg, &changed);
                }
            }
            leg.step(as_text(said), &mut ());
        }
    }

    fn go_on_both(
        &mut self,
        played: &RandomLeg,
        step: usize,
        leg: &dyn AnyLeg,
        changed: &KeptReplies,
    ) {
        let (mut one, mut other) = (leg.clone_leg(), leg.clone_leg());
        one.step(as_text(&played.said[step]), &mut ());
        other.step(as_text(changed), &mut ());
        let ahead = played.said.len().min(step + 1 + AHEAD);
        self.compare_steps(played, (one, other), step + 1..=ahead);
    }

    /// Two positions that differ in what is hidden from a seat, and in nothing else, look the same to it.
    fn compare(&mut self, one: &dyn AnyLeg, other: &dyn AnyLeg, seed: u64, said: &[KeptReplies]) {
        let all = [one, other].map(|leg| leg.view(Perspective::All));
        if all[0] == all[1] {
            return;
        }
        for seat in Seat::BOTH {
            let open = all.clone().map(|mut view| {
                self.secrets[seat]
                    .iter()
                    .for_each(|path| remove_parts(&mut view, &split(path)));
                view
            });
            let asked = [one, other].map(|leg| leg.to_move().asks_seat(seat));
            if open[0] != open[1] || asked[0] != asked[1] {
                continue;
            }
            self.found.pairs += 1;
            let seen = [one, other].map(|leg| leg.view(Perspective::Seat(seat)));
            if seen[0] != seen[1] {
                let path = find_difference(&seen[0], &seen[1]);
                let what = format!(
                    "the view of {seat} tells a secret at {path}: {} or {}, although only hidden facts differ",
                    part_at(&seen[0], &path),
                    part_at(&seen[1], &path)
                );
                self.tell(what, seed, said);
            }
            // Scores are public in every step; at the end secrets may be told.
            let is_over = [one, other].map(|leg| leg.outcome().is_some());
            let scores = [one, other].map(|leg| leg.scores().into_pair());
            if is_over == [false; 2] && scores[0] != scores[1] {
                let what = format!(
                    "the scores tell {seat} a secret: {:?} or {:?}, although only hidden facts differ",
                    scores[0], scores[1]
                );
                self.tell(what, seed, said);
            }
            let legal = [one, other].map(|leg| leg.legal_actions(seat));
            if legal[0] != legal[1] {
                let what = format!(
                    "the legal actions of {seat} tell a secret: {:?} or {:?}, although only hidden facts differ",
                    legal[0], legal[1]
                );
                self.tell(what, seed, said);
            }
        }
    }
}

fn are_legal(leg: &dyn AnyLeg, said: &KeptReplies) -> bool {
    Seat::BOTH.into_iter().all(|seat| match &said[seat] {
        Some(Reply::Action(action)) => leg.check_action(seat, action).is_ok(),
        _ => !leg.to_move().asks_seat(seat),
    })
}

/// A setup with two items of a list exchanged, or with a part of another setup.
fn change_part(own: &Value, other: &Value, rng: &mut Rng) -> Value {
    let mut paths = list_paths(own);
    // Covered cards are lists more often than not.
    let is_list = |path: &String| {
        own.pointer(path)
            .is_some_and(|part| part.as_array().is_some_and(|list| list.len() > 1))
    };
    if rng.next_below(2) == 0 && paths.iter().any(is_list) {
        paths.retain(is_list);
    }
    let path = &paths[rng.next_below(paths.len())];
    let mut changed = own.clone();
    match changed.pointer_mut(path) {
        Some(Value::Array(list)) if list.len() > 1 => {
            let (i, j) = (rng.next_below(list.len()), rng.next_below(list.len()));
            list.swap(i, j);
        }
        Some(part) => {
            if let Some(foreign) = other.pointer(path) {
                *part = foreign.clone();
            }
        }
        None => {}
    }
    changed
}

fn split(path: &str) -> Vec<&str> {
    path.split('.').collect()
}

/// The parts that a path names; `*` stands for every item.
fn find_parts<'v>(value: &'v Value, path: &str) -> Vec<&'v Value> {
    let step = |found: Vec<&'v Value>, key: &str| -> Vec<&'v Value> {
        let of = |value: &'v Value| -> Vec<&'v Value> {
            match (value, key) {
                (Value::Array(list), "*") => list.iter().collect(),
                (Value::Object(map), "*") => map.values().collect(),
                (Value::Array(list), key) => {
                    let index = key.parse::<usize>().ok();
                    index
                        .and_then(|index| list.get(index))
                        .into_iter()
                        .collect()
                }
                (Value::Object(map), key) => map.get(key).into_iter().collect(),
                _ => Vec::new(),
            }
        };
        found.into_iter().flat_map(of).collect()
    };
    split(path).into_iter().fold(vec![value], step)
}

fn remove_parts(value: &mut Value, path: &[&str]) {
    let Some((key, rest)) = path.split_first() else {
        *value = Value::Null;
        return;
    };
    match (value, *key) {
        (Value::Array(list), "*") => list.iter_mut().for_each(|item| remove_parts(item, rest)),
        (Value::Object(map), "*") => map.values_mut().for_each(|item| remove_parts(item, rest)),
        (Value::Array(list), key) => {
            let index = key.parse::<usize>().ok();
            if let Some(item) = index.and_then(|index| list.get_mut(index)) {
                remove_parts(item, rest);
            }
        }
        (Value::Object(map), key) => {
            if let Some(item) = map.get_mut(key) {
                remove_parts(item, rest);
            }
        }
        _ => {}
    }
}

/// Whether a part says anything.
fn tells(part: &Value) -> bool {
    match part {
        Value::Null => false,
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
        Value::String(text) => !text.is_empty(),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

/// The JSON pointer of the innermost part in which two values differ first.
fn find_difference(one: &Value, other: &Value) -> String {
    let differs = |path: &String| one.pointer(path) != other.pointer(path);
    let paths = list_paths(one);
    let found = paths.into_iter().filter(differs).max_by_key(String::len);
    found.unwrap_or_default()
}

fn part_at(value: &Value, path: &str) -> String {
    value.pointer(path).map_or("-".into(), Value::to_string)
}

//! The numbers of a guest game: what its views and legal actions hold over random legs becomes planes, scalars and
//! choices. They follow from the rules and the config alone, so every process gets the same.
//!
//! A number of an observation comes from the view of its seat and nothing else, so it cannot tell what the view hides.

use std::collections::{BTreeMap, BTreeSet};

use leitai_game::encode::{ActionChoice, Layout, Plane, Scalar, packed};
use leitai_game::erased::{AnyGame, AnyLeg};
use leitai_game::{InvalidSetup, Perspective, Reply, Rng, Seat, ToMove};
use serde_json::Value;

use super::view::{SeenSign, SeenView};
use crate::convert::{MAX_MASK, MAX_PACKED, MAX_SCALARS};
use crate::intern::intern;

/// The legs that are looked at: twice as many as brought something new, at least and at most so many.
const LEGS: std::ops::Range<usize> = 6..48;
/// The positions that are looked at.
const POSITIONS: usize = 1500;
/// The seed of the first leg.
const SEED: u64 = 0x6c65_6974_6169;
/// The most signs that get planes of their own; the others share one.
const MOST_SIGNS: usize = 32;
/// The most words of one member of a view that get numbers of their own.
const MOST_WORDS: usize = 8;
/// The choice for every legal action that random legs did not show.
const ANOTHER: &str = "another";
/// A number that is more times its scale than this is cut; `leitai.spaces` has the same.
const MOST: i64 = 10_000;

/// How the numbers of a config are made.
pub struct ViewNumbers {
    pub layout: Layout,
    /// The planes of signs by sign, for first and second.
    signs: BTreeMap<SeenSign, [usize; 2]>,
    /// The plane of the other signs.
    others: Option<usize>,
    marks: Option<usize>,
    asked: Option<usize>,
    /// The place of each number of a view.
    scalars: BTreeMap<String, usize>,
    /// The choices by notation; empty if a choice is a place in the list of legal actions.
    names: BTreeMap<String, usize>,
    choices: usize,
}

/// What random legs showed.
#[derive(Default)]
struct Survey {
    rows: usize,
    cols: usize,
    signs: BTreeSet<SeenSign>,
    has_marks: bool,
    /// The largest amount of each number.
    numbers: BTreeMap<String, i64>,
    words: BTreeMap<String, BTreeSet<String>>,
    actions: BTreeSet<String>,
    most_legal: usize,
    positions: usize,
    /// Whether the rules failed: then what was seen until there has to do, and whoever plays meets the failure.
    has_failed: bool,
}

impl Survey {
    /// How much is known, to see whether a leg brought something new.
    fn size(&self) -> usize {
        let words: usize = self.words.values().map(BTreeSet::len).sum();
        let board = self.rows + self.cols + self.signs.len() + usize::from(self.has_marks);
        board + self.numbers.len() + words + self.actions.len()
    }

    fn look(&mut self, leg: &dyn AnyLeg) {
        self.positions += 1;
        for seat in Seat::BOTH {
            let view = SeenView::read(&leg.view(Perspective::Seat(seat)), seat);
            self.rows = self.rows.max(view.rows);
            self.cols = self.cols.max(view.cols);
            self.has_marks |= !view.marks.is_empty();
            self.signs
                .extend(view.cells.into_iter().map(|(_, _, sign)| sign));
            for (name, number) in view.numbers {
                let most = self.numbers.entry(name).or_default();
                *most = (*most).max(number.saturating_abs());
            }
            for (name, word) in view.words {
                self.words.entry(name).or_default().insert(word);
            }
            if leg.to_move().asks_seat(seat) {
                let legal = leg.legal_actions(seat);
                self.most_legal = self.most_legal.max(legal.len());
                self.actions.extend(legal);
            }
        }
    }

    fn play_leg(
        &mut self,
        game: &dyn AnyGame,
        config: &Value,
        seed: u64,
    ) -> Result<(), InvalidSetup> {
        let mut leg = game.deal_setup(config, seed)?.start_leg();
        let mut rng = Rng::new(seed);
        while leg.to_move() != ToMove::Nobody && self.positions < POSITIONS {
            self.look(&*leg);
            let asked = leg.to_move();
            let said = leitai_game::BySeat::from_fn(|seat| match asked.asks_seat(seat) {
                true => leg.sample_action(seat, &mut rng),
                false => None,
            });
            let replies = said.each_ref();
            leg.step(
                replies.map_values(|said| said.as_deref().map(Reply::Action)),
                &mut (),
            );
        }
        self.has_failed = leg.fault().is_some();
        if !self.has_failed {
            self.look(&*leg);
        }
        Ok(())
    }

    fn run(game: &dyn AnyGame, config: &Value) -> Result<Survey, InvalidSetup> {
        let mut survey = Survey::default();
        let mut last_new = 0;
        for number in 0..LEGS.end {
            let known = survey.size();
            survey.play_leg(game, config, SEED + number as u64)?;
            if survey.size() > known {
                last_new = number;
            }
            let is_enough = number + 1 >= LEGS.start && number > 2 * last_new;
            if is_enough || survey.has_failed || survey.positions >= POSITIONS {
                break;
            }
        }
        Ok(survey)
    }
}

impl ViewNumbers {
    /// Plays random legs of this config, and makes numbers of what they show.
    pub fn measure(game: &dyn AnyGame, config: &Value) -> Result<ViewNumbers, InvalidSetup> {
        let survey = Survey::run(game, config)?;
        let (rows, cols) = (survey.rows.max(1), survey.cols.max(1));
        let mut numbers = ViewNumbers {
            layout: Layout {
                rows,
                cols,
                planes: Vec::new(),
                scalars: Vec::new(),
                parts: Vec::new(),
            },
            signs: BTreeMap::new(),
            others: None,
            marks: None,
            asked: None,
            scalars: BTreeMap::new(),
            names: BTreeMap::new(),
            choices: 0,
        };
        numbers.add_planes(&survey);
        numbers.add_scalars(&survey);
        numbers.add_choices(&survey);
        Ok(numbers)
    }

    fn add_plane(&mut self, name: &str, about: &str) -> usize {
        self.layout
            .planes
            .push(Plane::new(intern(name), intern(about)));
        self.layout.planes.len() - 1
    }

    /// Signs of a player's pieces are told as own and other if both have as many of them.
    fn add_planes(&mut self, survey: &Survey) {
        let most = MAX_PACKED / packed::plane_len(self.layout.rows, self.layout.cols);
        let room = most.saturating_sub(2).min(MOST_SIGNS);
        let of = |seat: Option<Seat>| -> Vec<&SeenSign> {
            survey
                .signs
                .iter()
                .filter(|sign| sign.owner == seat)
                .collect()
        };
        let [first, second] = Seat::BOTH.map(|seat| of(Some(seat)));
        let are_pairs = first.len() == second.len() && 2 * first.len() <= room;
        if are_pairs {
            for (one, other) in first.iter().zip(&second) {
                let name = format!("{}/{}", one.sign, other.sign);
                let own = self.add_plane(&format!("own {name}"), "cells with this piece of yours");
                let others = self.add_plane(
                    &format!("other {name}"),
                    "cells with this piece of the other player",
                );
                self.signs.insert(SeenSign::clone(one), [own, others]);
                self.signs.insert(SeenSign::clone(other), [others, own]);
            }
        }
        for sign in &survey.signs {
            if self.signs.contains_key(sign) {
                continue;
            }
            if self.layout.planes.len() < room {
                let plane = self.add_plane(&format!("sign {}", sign.sign), "cells with this sign");
                self.signs.insert(sign.clone(), [plane, plane]);
            }
        }
        if survey.rows > 0 && most >= 2 {
            self.others = Some(self.add_plane(
                "other signs",
                "cells with a sign that has no plane of its own",
            ));
        }
        if survey.has_marks {
            self.marks = Some(self.add_plane("marked", "cells that the view marks"));
        }
        if self.layout.planes.is_empty() {
            self.asked =
                Some(self.add_plane("asked", "1 if you are asked: the view declares no board"));
        }
    }

    fn add_scalar(&mut self, name: &str, scale: i64, about: &str) {
        if self.layout.scalars.len() < MAX_SCALARS {
            let scale = scale.clamp(1, i64::from(i32::MAX / MOST as i32)) as i32;
            self.scalars
                .insert(name.to_owned(), self.layout.scalars.len());
            self.layout
                .scalars
                .push(Scalar::new(name, scale, intern(about)));
        }
    }

    fn add_scalars(&mut self, survey: &Survey) {
        self.add_scalar("second", 1, "1 if you are the second player");
        let mut numbers: Vec<(&String, &i64)> = survey.numbers.iter().collect();
        numbers.sort_by_cached_key(|(name, _)| natural_order(name));
        // The items of a list have one scale.
        let list_of = |name: &str| {
            name.trim_end_matches(|digit: char| digit.is_ascii_digit())
                .to_owned()
        };
        let mut scales = BTreeMap::<String, i64>::new();
        for (name, most) in &numbers {
            let scale = scales.entry(list_of(name)).or_default();
            *scale = (*scale).max(**most);
        }
        for (name, _) in numbers {
            self.add_scalar(name, scales[&list_of(name)], "this number of your view");
        }
        for (name, words) in survey
            .words
            .iter()
            .filter(|(_, words)| words.len() <= MOST_WORDS)
        {
            for word in words {
                self.add_scalar(
                    &format!("{name}={word}"),
                    1,
                    "1 if this member of your view is that word",
                );
            }
        }
    }

    fn add_choices(&mut self, survey: &Survey) {
        let choices: Vec<String> = match survey.actions.len() < MAX_MASK {
            true => {
                let mut names: Vec<&String> = survey.actions.iter().collect();
                names.sort_by_cached_key(|name| natural_order(name));
                let with_place = names
                    .iter()
                    .enumerate()
                    .map(|(place, name)| (String::clone(name), place));
                self.names = with_place.collect();
                let names = names.into_iter().cloned();
                names.chain([ANOTHER.to_owned()]).collect()
            }
            false => {
                let count = (2 * survey.most_legal).clamp(1, MAX_MASK);
                (1..=count)
                    .map(|place| format!("legal action {place}"))
                    .collect()
            }
        };
        self.choices = choices.len();
        self.layout.parts = vec![choices.into_iter().map(ActionChoice::new).collect()];
    }

    pub fn write_planes(&self, view: &SeenView, seat: Seat, is_asked: bool, out: &mut [u8]) {
        out.fill(0);
        let (rows, cols) = (self.layout.rows, self.layout.cols);
        let size = packed::plane_len(rows, cols);
        let mut set = |plane: usize, row: usize, col: usize| {
            if row < rows && col < cols {
                packed::set_bit(&mut out[plane * size..][..size], cols, row, col);
            }
        };
        for (row, col, sign) in &view.cells {
            let plane = self.signs.get(sign).map(|planes| planes[seat.index()]);
            if let Some(plane) = plane.or(self.others) {
                set(plane, *row, *col);
            }
        }
        if let Some(plane) = self.marks {
            view.marks
                .iter()
                .for_each(|(row, col)| set(plane, *row, *col));
        }
        if let (Some(plane), true) = (self.asked, is_asked) {
            set(plane, 0, 0);
        }
    }

    pub fn write_scalars(&self, view: &SeenView, seat: Seat, out: &mut [i32]) {
        out.fill(0);
        let mut put = |name: &str, number: i64| {
            if let Some(place) = self.scalars.get(name) {
                let most = MOST * i64::from(self.layout.scalars[*place].scale);
                out[*place] = number.clamp(-most, most) as i32;
            }
        };
        put("second", i64::from(seat == Seat::Second));
        for (name, number) in &view.numbers {
            put(name, *number);
        }
        for (name, word) in &view.words {
            put(&format!("{name}={word}"), 1);
        }
    }

    pub fn write_mask(&self, legal: &[String], out: &mut [i8]) {
        out.fill(0);
        for place in (0..legal.len()).filter_map(|at| self.index_of(legal, at)) {
            out[place] = 1;
        }
    }

    /// The choice of the legal action at this place of the list; of several that have no name the first is `another`.
    fn index_of(&self, legal: &[String], at: usize) -> Option<usize> {
        if self.names.is_empty() {
            return (at < self.choices).then_some(at);
        }
        let is_new = |action: &String| !self.names.contains_key(action);
        match self.names.get(&legal[at]) {
            Some(place) => Some(*place),
            None => (legal.iter().position(is_new) == Some(at)).then_some(self.choices - 1),
        }
    }

    /// The notation of a choice among these legal actions.
    pub fn notation_of(&self, legal: &[String], indices: &[i64]) -> Result<String, InvalidSetup> {
        let out_of_range = || {
            InvalidSetup::new(format!(
                "the action {indices:?} is out of range: one number is needed, at least 0 and below {}",
                self.choices
            ))
        };
        let [index] = indices else {
            return Err(out_of_range());
        };
        let index = usize::try_from(*index).map_err(|_| out_of_range())?;
        let choice = self.layout.parts[0].get(index).ok_or_else(out_of_range)?;
        if !self.names.is_empty() && index + 1 < self.choices {
            return Ok(choice.name.clone());
        }
        let found = (0..legal.len()).find(|at| self.index_of(legal, *at) == Some(index));
        found.map(|at| legal[at].clone()).ok_or_else(|| {
            InvalidSetup::new(format!(
                "the choice {index} ({}) stands for no legal action here; the mask has those that do",
                choice.name
            ))
        })
    }

    /// The choice of an action.
    pub fn encode(&self, legal: &[String], notation: &str) -> Result<usize, InvalidSetup> {
        if let Some(place) = self.names.get(notation) {
            return Ok(*place);
        }
        let at = legal.iter().position(|action| action == notation);
        at.and_then(|at| self.index_of(legal, at)).ok_or_else(|| {
            InvalidSetup::new(format!(
                "the action {notation:?} has no number here; play it with Leg.play"
            ))
        })
    }
}

/// For an order in which `bids.2` stands before `bids.10`.
fn natural_order(name: &str) -> Vec<(u64, &str)> {
    let part = |part| (str::parse(part).unwrap_or(u64::MAX), part);
    name.split('.').map(part).collect()
}

//! A position book: where the matches of a series start instead of at the game's beginning. JSON
//! lines; see docs/evaluating-a-bot.md.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use leitai_game::hash::fnv1a;
use leitai_game::replay::{LegRecord, ReplayWalker, verify_replay};
use leitai_game::{AnyGame, AnyLeg, AnySetup, GameHandle, Replay, Rng, SearchBudget, Seat};
use leitai_judge::ResumePoint;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{InvalidRequest, files};

/// The version of the file format.
const FORMAT: &str = "leitai-book/1";
/// How large a book may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BookSize {
    /// Positions.
    pub positions: usize,
    /// The steps that lead to all positions together: each is played when the book is read.
    pub steps: usize,
}

impl BookSize {
    /// Of a file on this machine.
    pub const FILE: BookSize = BookSize {
        positions: 10_000,
        steps: 2_000_000,
    };
    /// Of one that somebody sends to an arena.
    pub const ARENA: BookSize = BookSize {
        positions: 2_000,
        steps: 200_000,
    };
}

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    format: String,
    game: String,
    rules: String,
}

/// A position, and how to come there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BookPosition {
    /// How often it is drawn, beside the others.
    pub weight: u32,
    /// The recorded legs that came there.
    #[serde(default)]
    pub games: u32,
    /// The points of the first seat in them.
    #[serde(default)]
    pub points: f64,
    /// The chance of the first seat to win, by the analysis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<f64>,
    /// The round that begins there.
    pub round: u32,
    /// The config of the setup.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub config: Value,
    /// The result of all chance.
    pub setup: Value,
    /// The replies before the round, as in a replay.
    pub replies: String,
}

impl BookPosition {
    /// The setup, and the point from which both legs of a pair are played.
    ///
    /// # Errors
    /// If the game has no such position.
    pub fn start(&self, game: &dyn AnyGame) -> anyhow::Result<(Arc<dyn AnySetup>, ResumePoint)> {
        if !self.config.is_null() {
            game.read_config(&self.config)?;
        }
        let setup = game.read_setup(&self.setup)?;
        let record = LegRecord {
            replies: self.replies.clone(),
            ..LegRecord::default()
        };
        let from = ResumePoint::opening(&*setup, &record, self.round)?;
        Ok((setup, from))
    }

    fn step_count(&self) -> usize {
        self.replies.split_ascii_whitespace().count()
    }
}

/// A position book.
#[derive(Clone, Debug)]
pub struct Book {
    /// The positions; at least one.
    pub positions: Vec<BookPosition>,
    /// The sum of the weights.
    weights: u64,
    /// A fingerprint of what it says.
    pub fingerprint: String,
}

impl Book {
    /// Reads the file of a book of this game. Every position is played once.
    ///
    /// # Errors
    /// For a file that is none, or that has a position which the rules do not know.
    pub fn read(path: &Path, game: &dyn AnyGame) -> anyhow::Result<Book> {
        let book = Book::parse(&files::read_text(path)?, game, BookSize::FILE);
        book.with_context(|| path.display().to_string())
            .map_err(InvalidRequest::wrap)
    }

    /// Reads the text of a book of this game, which may be so large. Every position is played once.
    ///
    /// # Errors
    /// For a text that is none, or that has a position which the rules do not know, or one twice.
    pub fn parse(text: &str, game: &dyn AnyGame, most: BookSize) -> anyhow::Result<Book> {
        let (header, lines) = split_lines(text)?;
        let meta = game.meta();
        ensure!(
            header.game == meta.id && header.rules == meta.rules,
            "it is a book of {:?} with the rules {:?}; this is {} with {:?}",
            header.game,
            header.rules,
            meta.id,
            meta.rules
        );
        ensure!(
            (1..=most.positions).contains(&lines.len()),
            "the book has {} positions; it may have 1 to {}",
            lines.len(),
            most.positions
        );
        let mut positions = Vec::with_capacity(lines.len());
        let (mut steps, mut known) = (0, HashMap::new());
        for (line, number) in lines.iter().zip(1_usize..) {
            let read = read_position(line, game, (&mut steps, most.steps));
            let read = read.and_then(|(one, key)| match known.insert(key, number) {
                Some(same) => bail!("it is position {same} again; add their weights"),
                None => Ok(one),
            });
            positions.push(read.with_context(|| format!("position {number} of the book"))?);
        }
        Ok(Book::new(positions, text))
    }

    /// Reads a text that [`Book::parse`] took before; nothing is played.
    ///
    /// # Errors
    /// For another text.
    pub fn read_checked(text: &str) -> anyhow::Result<Book> {
        let (_, lines) = split_lines(text)?;
        let read = lines.iter().map(|line| serde_json::from_str(line));
        let positions: Vec<BookPosition> = read.collect::<Result<_, _>>()?;
        ensure!(
            positions.iter().any(|one| one.weight > 0),
            "the book has no positions"
        );
        Ok(Book::new(positions, text))
    }

    fn new(positions: Vec<BookPosition>, text: &str) -> Book {
        Book {
            weights: positions.iter().map(|one| u64::from(one.weight)).sum(),
            positions,
            fingerprint: format!("{:016x}", fnv1a(text.as_bytes())),
        }
    }

    /// The position of all matches with this seed.
    pub fn draw(&self, seed: u64) -> &BookPosition {
        &self.positions[self.draw_index(seed)]
    }

    /// Where it stands among the positions, from 0.
    pub fn draw_index(&self, seed: u64) -> usize {
        let mut left = Rng::new(seed).next_u64() % self.weights;
        let found = self.positions.iter().position(|one| {
            let weight = u64::from(one.weight);
            let is_here = left < weight;
            left = left.saturating_sub(weight);
            is_here
        });
        found.expect("less than the sum of all weights")
    }
}

/// The head of a book, and the lines of its positions.
fn split_lines(text: &str) -> anyhow::Result<(Header, Vec<&str>)> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let header: Header = serde_json::from_str(lines.next().unwrap_or_default())
        .context("the first line is no head of a book; it has format, game and rules")?;
    ensure!(
        header.format == FORMAT,
        "the format is {:?}; this version reads {FORMAT:?}",
        header.format
    );
    Ok((header, lines.collect()))
}

/// Reads a line, and plays to its position, of which it gives the key, too; `steps` counts those of all
/// lines.
fn read_position(
    line: &str,
    game: &dyn AnyGame,
    (steps, most): (&mut usize, usize),
) -> anyhow::Result<(BookPosition, [u64; 2])> {
    let one: BookPosition = serde_json::from_str(line)?;
    ensure!(one.weight > 0, "its weight is 0; leave the position out");
    *steps += one.step_count();
    ensure!(
        *steps <= most,
        "more than {most} recorded steps lead to the positions so far; leave some out"
    );
    let (setup, _) = one.start(game)?;
    let reached = reach(&*setup, &one)?;
    let dealt = fnv1a(setup.to_json().to_string().as_bytes());
    Ok((one, [dealt, reached.hash()]))
}

/// The position itself.
fn reach(setup: &dyn AnySetup, position: &BookPosition) -> anyhow::Result<Box<dyn AnyLeg>> {
    let record = LegRecord {
        replies: position.replies.clone(),
        ..LegRecord::default()
    };
    let mut walk = ReplayWalker::new(setup, &record);
    while walk.next(&mut ())?.is_some() {}
    Ok(walk.into_leg())
}

/// Which positions of replays a book gets.
#[derive(Clone, Debug)]
pub struct BookRules {
    /// The rounds that may begin there.
    pub rounds: RangeInclusive<u32>,
    /// The recorded legs that must have come there.
    pub least_games: u32,
    /// How far the chances of the first seat may be from one half.
    pub balance: Option<f64>,
    /// Whether the results of the recorded legs say that, and not the analysis.
    pub by_results: bool,
    /// Nodes of the analysis, if they are not the game's own number.
    pub budget: Option<u64>,
    /// The most positions.
    pub most: usize,
    /// Whether all weights are equal, and not how many legs came there.
    pub is_even: bool,
}

/// A book that is being made.
pub struct BookMaker<'a> {
    game: &'a GameHandle,
    rules: &'a BookRules,
    /// By setup and position.
    found: BTreeMap<[u64; 2], BookPosition>,
    /// Legs that were counted: a copy says nothing new.
    legs: BTreeSet<[u64; 2]>,
}

impl<'a> BookMaker<'a> {
    /// A book without positions.
    ///
    /// # Errors
    /// If the game has no analysis, and is to be asked for one.
    pub fn new(game: &'a GameHandle, rules: &'a BookRules) -> anyhow::Result<BookMaker<'a>> {
        let asks = rules.balance.is_some() && !rules.by_results;
        ensure!(
            !asks || game.make_assessor().is_some(),
            "{} has no analysis; take --balance-by results",
            game.meta().id
        );
        Ok(BookMaker {
            game,
            rules,
            found: BTreeMap::new(),
            legs: BTreeSet::new(),
        })
    }

    /// The number of different legs so far.
    pub fn leg_count(&self) -> usize {
        self.legs.len()
    }

    /// Adds the positions of a replay's finished legs, up to the first fault of each.
    ///
    /// # Errors
    /// If the rules say something else than the replay.
    pub fn add_replay(&mut self, replay: &Replay) -> anyhow::Result<()> {
        let game = &**self.game;
        if let Err(difference) = verify_replay(game, replay)? {
            anyhow::bail!("the replay is not what the rules say: {difference}");
        }
        let setup = game.read_setup(&replay.setup)?;
        let dealt = fnv1a(setup.to_json().to_string().as_bytes());
        for record in &replay.legs {
            let own = [dealt, fnv1a(record.replies.as_bytes())];
            if record.outcome.is_some() && self.legs.insert(own) {
                self.add_leg(replay, (&*setup, dealt), record)?;
            }
        }
        Ok(())
    }

    fn add_leg(
        &mut self,
        replay: &Replay,
        (setup, dealt): (&dyn AnySetup, u64),
        record: &LegRecord,
    ) -> anyhow::Result<()> {
        let (mut walk, mut ahead) = (ReplayWalker::new(setup, record), Vec::new());
        let (mut round, mut points) = (0, 0.5);
        loop {
            let leg = walk.current_leg();
            if let Some(outcome) = leg.outcome() {
                points = outcome
                    .winner
                    .map_or(0.5, |seat| f64::from(u8::from(seat == Seat::First)));
            } else if leg.round() != round && self.rules.rounds.contains(&leg.round()) {
                ahead.push(([dealt, leg.hash()], leg.round(), walk.step_number()));
            }
            round = leg.round();
            if walk.next(&mut ())?.is_none() {
                break;
            }
        }
        let tokens: Vec<&str> = record.replies.split_ascii_whitespace().collect();
        for (key, round, steps) in ahead {
            let one = self.found.entry(key).or_insert_with(|| BookPosition {
                weight: 1,
                games: 0,
                points: 0.0,
                value: None,
                round,
                config: replay.config.clone(),
                setup: replay.setup.clone(),
                replies: tokens[..steps].join(" "),
            });
            one.games += 1;
            one.points += points;
        }
        Ok(())
    }

    /// The text of the book's file, and its number of positions: those that most legs reached come
    /// first. `is_stopped` is asked before each search; then there is none.
    pub fn finish(self, is_stopped: &dyn Fn() -> bool) -> anyhow::Result<Option<(String, usize)>> {
        let rules = self.rules;
        let mut all: Vec<BookPosition> = self.found.into_values().collect();
        all.retain(|one| one.games >= rules.least_games);
        // Stable: those with equally many legs stay in the order of their keys.
        all.sort_by_key(|one| std::cmp::Reverse(one.games));
        let mut kept = Vec::new();
        for mut one in all {
            if is_stopped() {
                return Ok(None);
            }
            if kept.len() == rules.most {
                break;
            }
            // Nobody can be sent past a fault.
            let Ok((setup, _)) = one.start(&**self.game) else {
                continue;
            };
            if rules.balance.is_some() && !rules.by_results {
                one.value = Some(value_of(self.game, rules, &*setup, &one)?);
            }
            let value = one.value.unwrap_or(one.points / f64::from(one.games));
            if rules.balance.is_none_or(|most| (value - 0.5).abs() <= most) {
                one.weight = if rules.is_even { 1 } else { one.games };
                kept.push(one);
            }
        }
        let meta = self.game.meta();
        let header = Header {
            format: FORMAT.to_owned(),
            game: meta.id.to_owned(),
            rules: meta.rules.to_owned(),
        };
        let mut text = serde_json::to_string(&header)? + "\n";
        for one in &kept {
            text += &(serde_json::to_string(one)? + "\n");
        }
        Ok(Some((text, kept.len())))
    }
}

/// The chance of the first seat to win, by the game's analysis, to four places.
fn value_of(
    game: &GameHandle,
    rules: &BookRules,
    setup: &dyn AnySetup,
    position: &BookPosition,
) -> anyhow::Result<f64> {
    let leg = reach(setup, position)?;
    let nodes = rules.budget.or(game.decision_nodes()).unwrap_or(1);
    let mut assessor = game.make_assessor().context("the game has no analysis")?;
    let found = assessor.assess(&*leg, Seat::First, SearchBudget::nodes(nodes));
    let found = found.context("the analysis says nothing of a position")?;
    Ok((found.win_probability * 1e4).round() / 1e4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_drawn_as_often_as_they_weigh_and_each_seed_draws_one() {
        let position = |weight| BookPosition {
            weight,
            games: 0,
            points: 0.0,
            value: None,
            round: weight,
            config: Value::Null,
            setup: Value::Null,
            replies: String::new(),
        };
        let book = Book::new(vec![position(1), position(3)], "");
        let heavy =
            |seeds: std::ops::Range<u64>| seeds.filter(|seed| book.draw(*seed).weight == 3).count();
        let count = heavy(0..4000);
        assert!((2900..=3100).contains(&count), "{count}");
        assert_eq!(heavy(0..4000), count);
    }
}

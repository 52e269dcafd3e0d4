//! An official file as a replay, after every word of it has been compared with our rules.

use std::fmt::Display;

use leitai_game::replay::{
    EntrantKind, EntrantRecord, FORMAT, FaultRecord, LegRecord, Recorder, Replay, Status, VerdictRecord, Walk,
};
use leitai_game::{AnyGame, AnyLeg, AnySetup, ByEntrant, Erased, Fault, Game, Invalid, Seat};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::board::SIDE;
use crate::items::{DRAWN_ROUNDS, Item};
use crate::official::file::{Basic, Cut, ListedItem, Origin};
use crate::official::playback::Playback;
use crate::official::{FORMAT as OFFICIAL, MAX_BYTES, MAX_DEPTH};
use crate::position::{MAX_SNAKES, Position};
use crate::saiblo::{EndType, official_scores};
use crate::setup::{Config, FaultScope, ItemSource, Setup};

/// Reads an official file. Fails unless everything that follows from the rules agrees with ours.
pub fn import(text: &str) -> Result<Replay, Invalid> {
    let file = File::read(text)?;
    let setup = file.setup()?;
    let mut playback = Playback::new(&setup);
    let mut replies = file.follow(&mut playback)?;
    let close = file.close(&playback)?;
    file.agree_extent(&playback, &close)?;
    if let Some((_, fault)) = close.fault.filter(|_| !close.cut) {
        replies.push(format!("!{}", fault.code()));
    }
    file.into_replay(&setup, &playback, &replies, &close)
}

/// A file whose parts have the right kinds and sane sizes.
struct File {
    game_config: Value,
    items: Vec<Value>,
    rounds: Vec<Value>,
    turns: Vec<Vec<Value>>,
    end_info: Value,
    extra: Map<String, Value>,
}

impl File {
    fn read(text: &str) -> Result<File, Invalid> {
        if text.len() > MAX_BYTES {
            return Err(Invalid(format!("the file has {} bytes; at most {MAX_BYTES} are read", text.len())));
        }
        let top: Result<Map<String, Value>, _> = serde_json::from_str(text);
        let mut top = top.map_err(|why| Invalid(format!("not an official replay: {why}")))?;
        let rounds = usize::from(DRAWN_ROUNDS);
        let file = File {
            game_config: object(&mut top, "game_config")?,
            items: list(&mut top, "item_list", rounds)?,
            rounds: list(&mut top, "round_info", rounds)?,
            turns: turns(list(&mut top, "operations", 2 * rounds)?)?,
            end_info: object(&mut top, "end_info")?,
            extra: top,
        };
        let kept = file.extra.values().chain([&file.game_config, &file.end_info]);
        match kept.map(depth).max() {
            Some(depth) if depth > MAX_DEPTH => {
                Err(Invalid(format!("nested {depth} deep; at most {MAX_DEPTH} is read")))
            }
            _ => Ok(file),
        }
    }

    fn setup(&self) -> Result<Setup, Invalid> {
        let number = |key: &str| self.game_config.get(key).and_then(Value::as_i64);
        for key in ["length", "width"] {
            if number(key) != Some(SIDE.into()) {
                let found = show(self.game_config.get(key));
                return Err(Invalid(format!("game_config: {key} is {found}; only {SIDE} is played")));
            }
        }
        let max_round = number("max_round").and_then(|rounds| u16::try_from(rounds).ok());
        let max_round = max_round.ok_or_else(|| {
            let found = show(self.game_config.get("max_round"));
            Invalid(format!("game_config: max_round is {found}; 1 to {DRAWN_ROUNDS} are accepted"))
        })?;
        let items =
            self.items.iter().enumerate().map(|(id, raw)| {
                read_item(raw).map_err(|why| Invalid(format!("item_list, item {id}: {why}")))
            });
        Setup::new(max_round, FaultScope::Half, items.collect::<Result<_, _>>()?)
    }

    /// Plays the recorded operations, comparing each with what the engine makes of it. Gives the replies.
    fn follow(&self, playback: &mut Playback) -> Result<Vec<String>, Invalid> {
        let mut replies = Vec::new();
        for (turn, operations) in self.turns.iter().enumerate() {
            if turn % 2 == 0 {
                self.agree_round(turn / 2, playback)?;
            }
            for (index, recorded) in operations.iter().enumerate() {
                let action = follow_operation(playback, turn, index, recorded);
                let action = action
                    .map_err(|what| Invalid(format!("{}, operation {}: {what}", place(turn), index + 1)))?;
                replies.push(action);
            }
            if playback.completed() == turn {
                let next = whose(playback.position());
                let count = operations.len();
                return Err(at(turn, format!("{count} operations are recorded, then {next} in the engine")));
            }
        }
        for round in 0..self.rounds.len() {
            self.agree_round(round, playback)?;
        }
        Ok(replies)
    }

    /// Compares what happened before a round's first turn; quiet if either side does not know the round.
    fn agree_round(&self, round: usize, playback: &Playback) -> Result<(), Invalid> {
        let (Some(recorded), Some(ours)) = (self.rounds.get(round), playback.rounds().get(round)) else {
            return Ok(());
        };
        agree(recorded, ours)
            .map_err(|what| Invalid(format!("round {}, before the turns: {what}", round + 1)))
    }

    fn close(&self, playback: &Playback) -> Result<Close, Invalid> {
        let kind = self.end_info.get("type").and_then(Value::as_str).and_then(EndType::from_name);
        let fault = match kind {
            None => {
                let found = show(self.end_info.get("type"));
                return Err(Invalid(format!("end_info: the type {found} is not known")));
            }
            Some(EndType::Normal) => {
                self.agree_end(playback)?;
                return Ok(Close { fault: None, cut: false });
            }
            Some(EndType::InternalError) => return Ok(Close { fault: None, cut: true }),
            Some(EndType::PlayerError) => Fault::Crashed,
            Some(EndType::IllegalAction) => Fault::Illegal,
            Some(EndType::InvalidFormat) => Fault::Malformed,
        };
        let winner = self.end_info.get("winner").and_then(Value::as_u64);
        let Some(loser) = winner.filter(|winner| *winner < 2).map(|winner| Seat::BOTH[1 - winner as usize])
        else {
            let found = show(self.end_info.get("winner"));
            return Err(Invalid(format!("end_info: the winner is {found}; 0 and 1 are known")));
        };
        let asked = playback.position().current().is_some() && playback.position().seat() == loser;
        let cut = !asked || playback.completed() != self.turns.len();
        if cut && fault == Fault::Illegal {
            let (loser, now) = (loser.index(), whose(playback.position()));
            return Err(self.at_end(format!("an illegal action of player {loser} is recorded, but {now}")));
        }
        // A message out of turn, or a program that ended while the other one was asked, also loses the official
        // half. Our rules have no such end: the half counts as interrupted.
        Ok(Close { fault: Some((loser, fault)), cut })
    }

    fn agree_end(&self, playback: &Playback) -> Result<(), Invalid> {
        let Some(outcome) = playback.position().outcome() else {
            let now = whose(playback.position());
            return Err(self.at_end(format!("a normal end is recorded, but {now} in the engine")));
        };
        let winner = outcome.winner.map(Seat::index);
        for (key, ours) in [("score", plain(&official_scores(&outcome))), ("winner", plain(&winner))] {
            let recorded = self.end_info.get(key);
            if recorded != Some(&ours) {
                let recorded = show(recorded);
                return Err(
                    self.at_end(format!("the {key} is recorded as {recorded}, the engine gives {ours}"))
                );
            }
        }
        Ok(())
    }

    /// Compares how many turns and rounds there are. What was cut off may lack some of the engine's.
    fn agree_extent(&self, playback: &Playback, close: &Close) -> Result<(), Invalid> {
        let counts = [
            ("turns", self.turns.len(), playback.completed()),
            ("rounds", self.rounds.len(), playback.rounds().len()),
        ];
        for (what, recorded, ours) in counts {
            if recorded > ours || (recorded < ours && !close.cut) {
                return Err(self.at_end(format!("{recorded} {what} are recorded, the engine has {ours}")));
            }
        }
        Ok(())
    }

    fn at_end(&self, what: String) -> Invalid {
        Invalid(format!("at the end, after turn {} of round {}: {what}", self.turns.len(), self.rounds.len()))
    }

    fn into_replay(
        self,
        setup: &Setup,
        playback: &Playback,
        replies: &[String],
        close: &Close,
    ) -> Result<Replay, Invalid> {
        let config = Config {
            max_round: setup.max_round(),
            items: ItemSource::Given(setup.items().to_vec()),
            fault_scope: setup.fault_scope(),
        };
        let any_setup = Erased::<Position>::new().load(&plain(setup))?;
        let (mut leg, end) = record(&*any_setup, replies.join(" "))?;
        leg.faults.extend(self.fault_record(playback, replies, close));
        let verdict = (!close.cut).then(|| VerdictRecord::from(&any_setup.verdict(&[end])));
        Ok(Replay {
            format: FORMAT.into(),
            game: Position::META.id.into(),
            rules: Position::META.rules.into(),
            engine: concat!("leitai ", env!("CARGO_PKG_VERSION")).into(),
            recorded: None,
            seed: self.game_config.get("random_seed").and_then(Value::as_u64),
            config: plain(&config),
            setup: any_setup.to_json(),
            entrants: ByEntrant::new(entrant("player 0"), entrant("player 1")),
            limits: None,
            status: if close.cut { Status::Interrupted } else { Status::Complete },
            legs: vec![leg],
            verdict,
            origin: Some(plain(&self.into_origin(close))),
        })
    }

    /// Who erred, for people: in the judge's words if it had any.
    fn fault_record(&self, playback: &Playback, replies: &[String], close: &Close) -> Option<FaultRecord> {
        let (seat, fault) = close.fault?;
        let words = self.end_info.get("err").and_then(Value::as_str).filter(|words| !words.is_empty());
        Some(FaultRecord {
            entrant: seat.entrant(0),
            seat,
            code: fault.code().into(),
            round: playback.position().round().into(),
            step: replies.len() - usize::from(!close.cut),
            what: words.map_or(fault.phrase().into(), shorten),
            exit: None,
            last_words: Vec::new(),
            received: None,
        })
    }

    fn into_origin(self, close: &Close) -> Origin {
        let cut = Cut { turns: self.turns.len(), rounds: self.rounds.len() };
        Origin {
            format: OFFICIAL.name.into(),
            game_config: self.game_config,
            end_info: self.end_info,
            extra: self.extra,
            cut: close.cut.then_some(cut),
        }
    }
}

/// How a file ends.
struct Close {
    /// Whose fault it was, if somebody's.
    fault: Option<(Seat, Fault)>,
    /// Whether the file stops in the middle, as far as our rules can tell.
    cut: bool,
}

/// Plays one recorded operation; gives its reply. `Err` says what does not agree.
fn follow_operation(
    playback: &mut Playback,
    turn: usize,
    index: usize,
    recorded: &Value,
) -> Result<String, String> {
    let action = Basic::read(recorded)?;
    if playback.completed() != turn || playback.position().current().is_none() {
        return Err(format!("is recorded, but {} in the engine", whose(playback.position())));
    }
    playback.act(action).map_err(|why| format!("is recorded, but the snake {}", why.phrase()))?;
    agree(recorded, &playback.turns()[turn][index])?;
    Ok(Position::write_action(action))
}

/// Plays the replies once more in the house's way, for its hashes and the outcome.
fn record(setup: &dyn AnySetup, replies: String) -> Result<(LegRecord, Box<dyn AnyLeg>), Invalid> {
    let source = LegRecord { replies, ..LegRecord::default() };
    let mut walk = Walk::new(setup, &source);
    let mut recorder = Recorder::default();
    while let Some(replies) = walk.next(&mut recorder)? {
        recorder.replies(&replies);
    }
    let end = walk.into_leg();
    Ok((recorder.finish(end.outcome()), end))
}

fn entrant(name: &str) -> EntrantRecord {
    EntrantRecord { name: name.into(), kind: EntrantKind::Imported, dialect: None }
}

fn object(top: &mut Map<String, Value>, key: &str) -> Result<Value, Invalid> {
    match top.remove(key) {
        Some(value @ Value::Object(_)) => Ok(value),
        other => Err(wrong_kind(key, "an object", other)),
    }
}

fn list(top: &mut Map<String, Value>, key: &str, most: usize) -> Result<Vec<Value>, Invalid> {
    match top.remove(key) {
        Some(Value::Array(list)) if list.len() > most => {
            Err(Invalid(format!("{key} has {} entries; at most {most} are read", list.len())))
        }
        Some(Value::Array(list)) => Ok(list),
        other => Err(wrong_kind(key, "a list", other)),
    }
}

fn wrong_kind(key: &str, expected: &str, found: Option<Value>) -> Invalid {
    Invalid(format!("not an official replay: {key} is {}, not {expected}", show(found.as_ref())))
}

fn turns(raw: Vec<Value>) -> Result<Vec<Vec<Value>>, Invalid> {
    let turn = |(turn, value)| match value {
        Value::Array(operations) if operations.len() <= MAX_SNAKES => Ok(operations),
        Value::Array(operations) => {
            let count = operations.len();
            Err(at(turn, format!("{count} operations are recorded; a side has at most {MAX_SNAKES} snakes")))
        }
        other => Err(at(turn, format!("the operations are {}, not a list", show(Some(&other))))),
    };
    raw.into_iter().enumerate().map(turn).collect()
}

fn read_item(raw: &Value) -> Result<Item, String> {
    let mut numbers = [0; 5];
    for (number, key) in numbers.iter_mut().zip(["x", "y", "time", "type", "param"]) {
        let value = raw.get(key);
        *number =
            value.and_then(Value::as_i64).ok_or_else(|| format!("{key} is {}, not a number", show(value)))?;
    }
    let item = Item::checked(numbers)?;
    agree(raw, &ListedItem::from(&item))?;
    Ok(item)
}

/// How deep a value is nested; the JSON reader stops at 128.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(list) => 1 + list.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

/// Compares an object of the file with ours; `Err` names the first key that differs.
fn agree(recorded: &Value, ours: &impl Serialize) -> Result<(), String> {
    let ours = plain(ours);
    if *recorded == ours {
        return Ok(());
    }
    let (Some(left), Some(right)) = (recorded.as_object(), ours.as_object()) else {
        return Err(format!(
            "is recorded as {}, the engine gives {}",
            show(Some(recorded)),
            show(Some(&ours))
        ));
    };
    let key = right.keys().chain(left.keys()).find(|key| left.get(*key) != right.get(*key));
    let key = key.map_or("", String::as_str);
    let (left, right) = (show(left.get(key)), show(right.get(key)));
    Err(format!("{key} is recorded as {left}, the engine gives {right}"))
}

/// Who is asked now, as a sentence.
fn whose(position: &Position) -> String {
    match position.current() {
        Some(snake) => {
            let (round, seat) = (position.round(), position.seat().index());
            format!("snake {} of player {seat} is to act in round {round}", snake.id)
        }
        None => "the half is over".into(),
    }
}

fn at(turn: usize, what: impl Display) -> Invalid {
    Invalid(format!("{}: {what}", place(turn)))
}

fn place(turn: usize) -> String {
    format!("round {}, player {}", turn / 2 + 1, turn % 2)
}

fn show(value: Option<&Value>) -> String {
    value.map_or("missing".into(), |value| shorten(&value.to_string()))
}

/// Error messages and records hold so many characters of the file at most.
fn shorten(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

fn plain(value: &impl Serialize) -> Value {
    serde_json::to_value(value).expect("plain data with text keys")
}

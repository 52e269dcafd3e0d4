//! Parity with the corpus (`docs/rules/tankcraft.md`, Appendix C). A corpus file is a JSON list of
//! documents of the kinds `round`, `view`, `parse`, `map`, `gen` and `game`.

use std::fmt::Debug;

use leitai_game::hash::fnv1a;
use leitai_game::parity::{MAX_CASES, ParityCase, check_equal};
use leitai_game::{BySeat, Game, Perspective, Seat};
use serde::de::{DeserializeSeed, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::cell::{Cell, Direction, Grid};
use crate::event::StepObserver;
use crate::generate::generate;
use crate::map::{MINES, TankMap, terrain_glyphs, to_lines};
use crate::orders::{TankOrder, read_team};
use crate::position::{EndCause, GameEnd, Orders, Position};
use crate::setup::{Config, Fog, Setup};
use crate::state_text::write_owners;
use crate::tank::{TANKS, TEAM, Tank, TankType};
use crate::text_protocol;
use crate::view::View;

/// Compares every document of a corpus file.
pub fn run(text: &str, report: &mut dyn FnMut(ParityCase)) {
    let mut reader = serde_json::Deserializer::from_str(text);
    let mut cases = 0;
    let read = DocumentList {
        report,
        cases: &mut cases,
    }
    .deserialize(&mut reader)
    .and_then(|()| reader.end());
    if let Err(why) = read {
        let id = format!("document {}", cases + 1);
        report(ParityCase {
            id,
            result: Err(format!("not a JSON list of documents: {why}")),
        });
    }
}

/// Compares the documents of a list while it is read.
struct DocumentList<'a> {
    report: &'a mut dyn FnMut(ParityCase),
    cases: &'a mut usize,
}

impl<'de> DeserializeSeed<'de> for DocumentList<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for DocumentList<'_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list of documents")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut documents: A) -> Result<(), A::Error> {
        while let Some(document) = documents.next_element::<Value>()? {
            *self.cases += 1;
            if *self.cases > MAX_CASES {
                return Err(A::Error::custom(format!("more than {MAX_CASES} documents")));
            }
            let id = document["id"]
                .as_str()
                .map_or_else(|| format!("document {}", self.cases), str::to_owned);
            (self.report)(ParityCase {
                id,
                result: compare_document(document),
            });
        }
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum CorpusDocument {
    Round(Box<RoundDoc>),
    View(Box<ViewDoc>),
    Parse(ParseDoc),
    Map(MapDoc),
    Gen(GenDoc),
    Game(GameDoc),
}

fn compare_document(document: Value) -> Result<(), String> {
    let document = CorpusDocument::deserialize(document)
        .map_err(|why| format!("not a corpus document: {why}"))?;
    match document {
        CorpusDocument::Round(doc) => doc.compare(),
        CorpusDocument::View(doc) => doc.compare(),
        CorpusDocument::Parse(doc) => doc.compare(),
        CorpusDocument::Map(doc) => doc.compare(),
        CorpusDocument::Gen(doc) => doc.compare(),
        CorpusDocument::Game(doc) => doc.compare(),
    }
}

#[derive(Deserialize)]
struct MapDoc {
    map: Vec<String>,
    valid: bool,
}

impl MapDoc {
    fn compare(&self) -> Result<(), String> {
        let read = TankMap::from_lines(&self.map);
        match (&read, self.valid) {
            (Err(why), true) => Err(format!("recorded as valid, but {why}")),
            (Ok(_), false) => Err("recorded as invalid, the engine finds nothing wrong".into()),
            (Ok(map), true) => check_equal("lines of the map", &self.map, &map.to_lines()),
            (Err(_), false) => Ok(()),
        }
    }
}

#[derive(Deserialize)]
struct GenDoc {
    seed: String,
    map: Vec<String>,
}

impl GenDoc {
    fn compare(&self) -> Result<(), String> {
        let seed = self
            .seed
            .parse()
            .map_err(|why| format!("seed {:?}: {why}", self.seed))?;
        let map = generate(seed).map_err(|why| why.to_string())?;
        check_equal("generated map", &self.map, &map.to_lines())
    }
}

#[derive(Deserialize)]
struct ParseDoc {
    orders: Vec<OrderLine>,
    teams: Vec<TeamLine>,
}

#[derive(Deserialize)]
struct OrderLine {
    line: String,
    order: Value,
}

#[derive(Deserialize)]
struct TeamLine {
    line: String,
    team: Option<[TankType; TEAM]>,
}

impl ParseDoc {
    fn compare(&self) -> Result<(), String> {
        for OrderLine { line, order } in &self.orders {
            check_equal(
                &format!("order {line:?}"),
                order,
                &order_meaning(TankOrder::read(line.as_bytes())),
            )?;
        }
        for TeamLine { line, team } in &self.teams {
            check_equal(&format!("team {line:?}"), team, &read_team(line.as_bytes()))?;
        }
        Ok(())
    }
}

fn order_meaning(order: TankOrder) -> Value {
    match order {
        TankOrder::Stop | TankOrder::Unread => serde_json::json!(["STOP"]),
        TankOrder::Go(Direction::Up) => serde_json::json!(["GO", [-1, 0]]),
        TankOrder::Go(Direction::Down) => serde_json::json!(["GO", [1, 0]]),
        TankOrder::Go(Direction::Left) => serde_json::json!(["GO", [0, -1]]),
        TankOrder::Go(Direction::Right) => serde_json::json!(["GO", [0, 1]]),
        TankOrder::Fire { row, col } => serde_json::json!(["FIRE", [row, col]]),
    }
}

/// A whole state with its map, in the form of the corpus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct StateDoc {
    round: u16,
    gold: [u32; 2],
    kills: [u32; 2],
    terrain: Vec<String>,
    mines: [[u8; 2]; MINES],
    owners: String,
    spawns: [[u8; 2]; TANKS],
    tanks: [TankState; TANKS],
    over: bool,
    winner: Option<String>,
    reason: String,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct TankState {
    id: usize,
    r#type: TankType,
    row: i32,
    col: i32,
    life: u8,
    noharm: u8,
    revive: i32,
}

/// The largest number in a state, so that no sum can overflow.
const MAX_NUMBER: u32 = 50_000;

impl StateDoc {
    /// The setup and position of this state. Scenario maps need not be valid maps; their cells must
    /// be cells of a map.
    fn read(&self) -> Result<(Setup, Position), String> {
        let [[a, b], [c, d]] = [self.gold, self.kills];
        if [a, b, c, d, self.round.into()]
            .into_iter()
            .any(|number| number > MAX_NUMBER)
        {
            return Err(format!("a number of the state is above {MAX_NUMBER}"));
        }
        let terrain = crate::map::read_glyphs(&self.terrain)
            .map_err(|wrong| format!("terrain: {wrong:?}"))?;
        let cells = |kinds: &[u8]| {
            Grid::from_cells(Cell::all().filter(|c| kinds.contains(&crate::map::get(&terrain, *c))))
        };
        let map = TankMap {
            stone: cells(b"#") | !Grid::MAP,
            bricks: [cells(b"12"), cells(b"2")],
            mines: cells_of(self.mines)?,
            owners: read_owners(&self.owners)?,
            spawns: cells_of(self.spawns)?,
        };
        let Config {
            fog, goal, rounds, ..
        } = Config::default();
        let setup = Setup::new(map, fog, goal, rounds).map_err(|why| why.to_string())?;
        let mut position = Position::start(&setup);
        position.round = self.round;
        position.gold = self.gold;
        position.kills = self.kills;
        for (tank, state) in position.tanks.iter_mut().zip(&self.tanks) {
            *tank = state.read()?;
        }
        position.end = self.read_end()?;
        Ok((setup, position))
    }

    fn read_end(&self) -> Result<Option<GameEnd>, String> {
        if !self.over {
            return Ok(None);
        }
        let winner = match self.winner.as_deref() {
            Some("RED") => Some(Seat::First),
            Some("BLUE") => Some(Seat::Second),
            _ => None,
        };
        let causes = [EndCause::Goal, EndCause::Rounds, EndCause::Forfeit];
        let cause = causes.into_iter().find(|cause| cause.name() == self.reason);
        let cause = cause.ok_or_else(|| format!("unknown reason {:?}", self.reason))?;
        Ok(Some(GameEnd {
            winner,
            cause,
            faults: BySeat::default(),
        }))
    }

    fn from_position(setup: &Setup, position: &Position) -> StateDoc {
        let map = setup.map();
        let end = position.end();
        StateDoc {
            round: position.round(),
            gold: position.gold,
            kills: position.kills,
            terrain: to_lines(&terrain_glyphs(&map.stone, &position.bricks)),
            mines: map.mines.map(|cell| [cell.row, cell.col]),
            owners: write_owners(position),
            spawns: map.spawns.map(|cell| [cell.row, cell.col]),
            tanks: std::array::from_fn(|id| TankState::from_tank(id, &position.tanks()[id])),
            over: end.is_some(),
            winner: end.map(|end| winner_name(end).to_owned()),
            reason: end.map_or("", |end| end.cause.name()).to_owned(),
        }
    }

    /// Compares with the engine's state; the error is the first field that differs.
    fn compare(&self, ours: &StateDoc) -> Result<(), String> {
        let fields = |state: &StateDoc| serde_json::to_value(state).expect("plain data");
        let (recorded, ours) = (fields(self), fields(ours));
        for (name, value) in recorded.as_object().into_iter().flatten() {
            match (value, &ours[name]) {
                (Value::Array(recorded), Value::Array(ours)) => {
                    recorded.iter().zip(ours).enumerate().try_for_each(
                        |(n, (recorded, ours))| check_equal(&format!("{name} {n}"), recorded, ours),
                    )?
                }
                (recorded, ours) => check_equal(name, recorded, ours)?,
            }
        }
        Ok(())
    }
}

fn winner_name(end: GameEnd) -> &'static str {
    match end.winner {
        None => "DRAW",
        Some(Seat::First) => "RED",
        Some(Seat::Second) => "BLUE",
    }
}

fn read_cell(row: i32, col: i32) -> Result<Cell, String> {
    Cell::on_map(row, col).ok_or_else(|| format!("({row},{col}) is no cell of the map"))
}

fn cells_of<const N: usize>(pairs: [[u8; 2]; N]) -> Result<[Cell; N], String> {
    let mut cells = [Cell::NOWHERE; N];
    for (cell, [row, col]) in cells.iter_mut().zip(pairs) {
        *cell = read_cell(row.into(), col.into())?;
    }
    Ok(cells)
}

fn read_owners(letters: &str) -> Result<[u16; 2], String> {
    if letters.len() != MINES || !letters.bytes().all(|letter| b"RBN".contains(&letter)) {
        return Err(format!(
            "owners {letters:?} are not {MINES} letters R, B or N"
        ));
    }
    let of = |owner| {
        (0..)
            .zip(letters.bytes())
            .filter(|(_, b)| *b == owner)
            .map(|(n, _)| 1 << n)
            .sum()
    };
    Ok([of(b'R'), of(b'B')])
}

impl TankState {
    fn read(&self) -> Result<Tank, String> {
        let TankState {
            r#type,
            row,
            col,
            life,
            noharm,
            revive,
            ..
        } = *self;
        if life == 0 {
            let round = u16::try_from(revive)
                .map_err(|_| format!("revive round {revive} of a dead tank"))?;
            return Ok(Tank::dead_tank(r#type, round));
        }
        if life > 100 {
            return Err(format!("{life} HP; at most 100 are read"));
        }
        Ok(Tank {
            life,
            noharm,
            ..Tank::new_tank(r#type, read_cell(row, col)?)
        })
    }

    fn from_tank(id: usize, tank: &Tank) -> TankState {
        let Tank {
            kind,
            cell,
            life,
            noharm,
            revive,
            ..
        } = *tank;
        let (row, col, revive) = match life {
            0 => (-2, -2, revive.into()),
            _ => (cell.row.into(), cell.col.into(), -1),
        };
        TankState {
            id,
            r#type: kind,
            row,
            col,
            life,
            noharm,
            revive,
        }
    }
}

#[derive(Deserialize)]
struct RoundDoc {
    before: StateDoc,
    orders: [String; TANKS],
    after: StateDoc,
}

impl RoundDoc {
    fn compare(&self) -> Result<(), String> {
        let (setup, mut position) = self.before.read()?;
        self.before
            .compare(&StateDoc::from_position(&setup, &position))
            .map_err(|why| format!("state before: {why}"))?;
        position.play_round(
            &setup,
            &self
                .orders
                .each_ref()
                .map(|line| TankOrder::read(line.as_bytes())),
            &mut (),
        );
        self.after
            .compare(&StateDoc::from_position(&setup, &position))
    }
}

#[derive(Deserialize)]
struct ViewDoc {
    state: StateDoc,
    expect: Expected,
}

#[derive(Deserialize)]
struct Expected {
    red_strict: Vec<String>,
    blue_strict: Vec<String>,
    red_sdk: Vec<String>,
    blue_sdk: Vec<String>,
}

impl ViewDoc {
    fn compare(&self) -> Result<(), String> {
        let (setup, position) = self.state.read()?;
        let all = [
            (
                "red_strict",
                &self.expect.red_strict,
                Seat::First,
                Fog::Strict,
            ),
            (
                "blue_strict",
                &self.expect.blue_strict,
                Seat::Second,
                Fog::Strict,
            ),
            ("red_sdk", &self.expect.red_sdk, Seat::First, Fog::Sdk),
            ("blue_sdk", &self.expect.blue_sdk, Seat::Second, Fog::Sdk),
        ];
        for (name, recorded, seat, fog) in all {
            let ours = text_protocol::write_round(&View::with_fog(
                &setup,
                &position,
                Perspective::Seat(seat),
                fog,
            ));
            let ours: Vec<&str> = ours.lines().collect();
            check_equal(&format!("lines of {name}"), &recorded.len(), &ours.len())?;
            for (n, (recorded, ours)) in recorded.iter().zip(ours).enumerate() {
                check_equal(
                    &format!("{name}, line {}", n + 1),
                    &recorded.as_str(),
                    &ours,
                )?;
            }
        }
        Ok(())
    }
}

/// A whole game, with the digests of every round's views and state.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "the names say it")]
pub struct GameDoc {
    /// The 21 lines of the map.
    pub map: Vec<String>,
    /// The types of red and blue.
    pub teams: [[TankType; TEAM]; 2],
    pub rounds: Vec<GameRound>,
    /// The canonical state at the end.
    #[serde(rename = "final")]
    pub last: String,
    /// `RED`, `BLUE` or `DRAW`.
    pub winner: String,
    /// `goal` or `rounds`.
    pub reason: String,
    /// The resources at the end.
    pub gold: [u32; 2],
    /// The kills at the end.
    pub kills: [u32; 2],
}

/// A round of a recorded game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRound {
    /// The digest of both sides' views before it (R10).
    pub views: String,
    /// Ten order lines joined by `;`.
    pub orders: String,
    /// The digest of the state after it.
    pub state: String,
}

impl GameDoc {
    /// Plays and records a game from its setup.
    pub fn from_setup(
        setup: &Setup,
        position: &Position,
        teams: [[TankType; TEAM]; 2],
        rounds: Vec<GameRound>,
    ) -> GameDoc {
        let end = position.end();
        GameDoc {
            map: setup.map().to_lines(),
            teams,
            rounds,
            last: state_text(setup, position),
            winner: end.map_or("", winner_name).to_owned(),
            reason: end.map_or("", |end| end.cause.name()).to_owned(),
            gold: position.gold,
            kills: position.kills,
        }
    }

    fn compare(&self) -> Result<(), String> {
        let map = TankMap::from_lines(&self.map).map_err(|why| why.to_string())?;
        let Config {
            fog, goal, rounds, ..
        } = Config::default();
        let setup = Setup::new(map, fog, goal, rounds).map_err(|why| why.to_string())?;
        let mut position = Position::start(&setup);
        position.choose_teams(&setup, BySeat::new(self.teams[0], self.teams[1]), &mut ());
        for (index, round) in self.rounds.iter().enumerate() {
            if position.end().is_some() {
                return Err(format!(
                    "the game is over before round {} of {}",
                    index + 1,
                    self.rounds.len()
                ));
            }
            round
                .compare(&setup, &mut position)
                .map_err(|why| format!("round {}: {why}", index + 1))?;
        }
        check_equal("final state", &self.last, &state_text(&setup, &position))?;
        let end = position
            .end()
            .ok_or("the game is not over after the last round")?;
        check_equal("winner", &self.winner.as_str(), &winner_name(end))?;
        check_equal("reason", &self.reason.as_str(), &end.cause.name())?;
        check_equal("resources", &self.gold, &position.gold)?;
        check_equal("kills", &self.kills, &position.kills)
    }
}

impl GameRound {
    /// Plays a round and records it.
    pub fn play_round(
        setup: &Setup,
        position: &mut Position,
        lines: &[String],
        watch: &mut impl StepObserver,
    ) -> GameRound {
        let views = views_digest(setup, position);
        let order = |tank: usize| {
            lines
                .get(tank)
                .map_or(TankOrder::Unread, |line| TankOrder::read(line.as_bytes()))
        };
        let orders: Orders = std::array::from_fn(order);
        position.play_round(setup, &orders, watch);
        GameRound {
            views,
            orders: lines.join(";"),
            state: text_digest(&state_text(setup, position)),
        }
    }

    fn compare(&self, setup: &Setup, position: &mut Position) -> Result<(), String> {
        let lines: Vec<String> = self.orders.split(';').map(str::to_owned).collect();
        check_equal("number of orders", &TANKS, &lines.len())?;
        let ours = GameRound::play_round(setup, position, &lines, &mut ());
        check_equal("digest of the views", &self.views, &ours.views)?;
        if self.state != ours.state {
            let state = state_text(setup, position);
            return Err(format!(
                "digest of the state: recorded {}, the engine's {} of {state}",
                self.state, ours.state
            ));
        }
        Ok(())
    }
}

/// The canonical state text (R10).
pub fn state_text(setup: &Setup, position: &Position) -> String {
    let mut text = String::new();
    Game::state_text(position, setup, &mut text).expect("a String takes every text");
    text
}

/// The digest of a text: sixteen hexadecimal digits (R10).
pub fn text_digest(text: &str) -> String {
    format!("{:016x}", fnv1a(text.as_bytes()))
}

/// R10: the digest of the red text of R9.4 followed by the blue one, independent of the setup's
/// fog.
fn views_digest(setup: &Setup, position: &Position) -> String {
    let view = |seat| {
        text_protocol::write_round(&View::with_fog(
            setup,
            position,
            Perspective::Seat(seat),
            Fog::Strict,
        ))
    };
    text_digest(&(view(Seat::First) + &view(Seat::Second)))
}

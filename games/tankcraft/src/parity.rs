//! Agreement with the corpus (`docs/rules/tankcraft.md`, Appendix C). A corpus file is a JSON list
//! of documents of the kinds `round`, `view`, `parse`, `map`, `gen` and `game`.

use std::fmt::Debug;

use leitai_game::hash::fnv1a;
use leitai_game::parity::{Case, MAX_CASES};
use leitai_game::{BySeat, Eye, Game, Seat};
use serde::de::{DeserializeSeed, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::cell::{Cell, Direction, Grid};
use crate::event::Watch;
use crate::generate::generate;
use crate::map::{MINES, Map, terrain, to_lines};
use crate::orders::{Order, read_team};
use crate::position::{End, EndCause, Orders, Position};
use crate::setup::{Config, Fog, Setup};
use crate::state_text::owners;
use crate::tank::{TANKS, TEAM, Tank, TankType};
use crate::text;
use crate::view::View;

/// Compares every document of a corpus file.
pub fn run(text: &str, report: &mut dyn FnMut(Case)) {
    let mut reader = serde_json::Deserializer::from_str(text);
    let mut cases = 0;
    let read = List { report, cases: &mut cases }.deserialize(&mut reader).and_then(|()| reader.end());
    if let Err(why) = read {
        let id = format!("document {}", cases + 1);
        report(Case { id, result: Err(format!("not a JSON list of documents: {why}")) });
    }
}

/// Compares the documents of a list while reading it.
struct List<'a> {
    report: &'a mut dyn FnMut(Case),
    cases: &'a mut usize,
}

impl<'de> DeserializeSeed<'de> for List<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for List<'_> {
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
            let id =
                document["id"].as_str().map_or_else(|| format!("document {}", self.cases), str::to_owned);
            (self.report)(Case { id, result: compare(document) });
        }
        Ok(())
    }
}

#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Document {
    Round(Box<RoundDoc>),
    View(Box<ViewDoc>),
    Parse(ParseDoc),
    Map(MapDoc),
    Gen(GenDoc),
    Game(GameDoc),
}

fn compare(document: Value) -> Result<(), String> {
    let document = Document::deserialize(document).map_err(|why| format!("not a corpus document: {why}"))?;
    match document {
        Document::Round(doc) => doc.compare(),
        Document::View(doc) => doc.compare(),
        Document::Parse(doc) => doc.compare(),
        Document::Map(doc) => doc.compare(),
        Document::Gen(doc) => doc.compare(),
        Document::Game(doc) => doc.compare(),
    }
}

fn agree<T: PartialEq + Debug>(what: &str, recorded: &T, ours: &T) -> Result<(), String> {
    if recorded == ours {
        return Ok(());
    }
    Err(format!("{what}: recorded {recorded:?}, the engine's {ours:?}"))
}

#[derive(Deserialize)]
struct MapDoc {
    map: Vec<String>,
    valid: bool,
}

impl MapDoc {
    fn compare(&self) -> Result<(), String> {
        let read = Map::from_lines(&self.map);
        match (&read, self.valid) {
            (Err(why), true) => Err(format!("recorded as valid, but {why}")),
            (Ok(_), false) => Err("recorded as invalid, the engine finds nothing wrong".into()),
            (Ok(map), true) => agree("lines of the map", &self.map, &map.lines()),
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
        let seed = self.seed.parse().map_err(|why| format!("seed {:?}: {why}", self.seed))?;
        let map = generate(seed).map_err(|why| why.to_string())?;
        agree("generated map", &self.map, &map.lines())
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
            agree(&format!("order {line:?}"), order, &order_meaning(Order::read(line.as_bytes())))?;
        }
        for TeamLine { line, team } in &self.teams {
            agree(&format!("team {line:?}"), team, &read_team(line.as_bytes()))?;
        }
        Ok(())
    }
}

fn order_meaning(order: Order) -> Value {
    match order {
        Order::Stop | Order::Unread => serde_json::json!(["STOP"]),
        Order::Go(Direction::Up) => serde_json::json!(["GO", [-1, 0]]),
        Order::Go(Direction::Down) => serde_json::json!(["GO", [1, 0]]),
        Order::Go(Direction::Left) => serde_json::json!(["GO", [0, -1]]),
        Order::Go(Direction::Right) => serde_json::json!(["GO", [0, 1]]),
        Order::Fire { row, col } => serde_json::json!(["FIRE", [row, col]]),
    }
}

/// A whole state with its map, as the corpus writes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct State {
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

/// Bounds on a state's numbers, so that no sum can overflow.
const MAX_NUMBER: u32 = 50_000;

impl State {
    /// The setup and position that this state is. Scenario maps need not be valid maps; their cells must be cells.
    fn read(&self) -> Result<(Setup, Position), String> {
        let [[a, b], [c, d]] = [self.gold, self.kills];
        if [a, b, c, d, self.round.into()].into_iter().any(|number| number > MAX_NUMBER) {
            return Err(format!("a number of the state is above {MAX_NUMBER}"));
        }
        let terrain = crate::map::glyphs(&self.terrain).map_err(|wrong| format!("terrain: {wrong:?}"))?;
        let cells =
            |kinds: &[u8]| Grid::of(Cell::all().filter(|c| kinds.contains(&crate::map::get(&terrain, *c))));
        let map = Map {
            stone: cells(b"#") | !Grid::MAP,
            bricks: [cells(b"12"), cells(b"2")],
            mines: cells_of(self.mines)?,
            owners: read_owners(&self.owners)?,
            spawns: cells_of(self.spawns)?,
        };
        let Config { fog, goal, rounds, .. } = Config::default();
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

    fn read_end(&self) -> Result<Option<End>, String> {
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
        Ok(Some(End { winner, cause, faults: BySeat::default() }))
    }

    fn of(setup: &Setup, position: &Position) -> State {
        let map = setup.map();
        let end = position.end();
        State {
            round: position.round(),
            gold: position.gold,
            kills: position.kills,
            terrain: to_lines(&terrain(&map.stone, &position.bricks)),
            mines: map.mines.map(|cell| [cell.row, cell.col]),
            owners: owners(position),
            spawns: map.spawns.map(|cell| [cell.row, cell.col]),
            tanks: std::array::from_fn(|id| TankState::of(id, &position.tanks()[id])),
            over: end.is_some(),
            winner: end.map(|end| winner_name(end).to_owned()),
            reason: end.map_or("", |end| end.cause.name()).to_owned(),
        }
    }

    /// The first field that differs.
    fn compare(&self, ours: &State) -> Result<(), String> {
        let fields = |state: &State| serde_json::to_value(state).expect("plain data");
        let (recorded, ours) = (fields(self), fields(ours));
        for (name, value) in recorded.as_object().into_iter().flatten() {
            match (value, &ours[name]) {
                (Value::Array(recorded), Value::Array(ours)) => recorded
                    .iter()
                    .zip(ours)
                    .enumerate()
                    .try_for_each(|(n, (recorded, ours))| agree(&format!("{name} {n}"), recorded, ours))?,
                (recorded, ours) => agree(name, recorded, ours)?,
            }
        }
        Ok(())
    }
}

fn winner_name(end: End) -> &'static str {
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
        return Err(format!("owners {letters:?} are not {MINES} letters R, B or N"));
    }
    let of = |owner| (0..).zip(letters.bytes()).filter(|(_, b)| *b == owner).map(|(n, _)| 1 << n).sum();
    Ok([of(b'R'), of(b'B')])
}

impl TankState {
    fn read(&self) -> Result<Tank, String> {
        let TankState { r#type, row, col, life, noharm, revive, .. } = *self;
        if life == 0 {
            let round = u16::try_from(revive).map_err(|_| format!("revive round {revive} of a dead tank"))?;
            return Ok(Tank::dead(r#type, round));
        }
        if life > 100 {
            return Err(format!("{life} HP; at most 100 are read"));
        }
        Ok(Tank { life, noharm, ..Tank::born(r#type, read_cell(row, col)?) })
    }

    fn of(id: usize, tank: &Tank) -> TankState {
        let Tank { kind, cell, life, noharm, revive } = *tank;
        let (row, col, revive) = match life {
            0 => (-2, -2, revive.into()),
            _ => (cell.row.into(), cell.col.into(), -1),
        };
        TankState { id, r#type: kind, row, col, life, noharm, revive }
    }
}

#[derive(Deserialize)]
struct RoundDoc {
    before: State,
    orders: [String; TANKS],
    after: State,
}

impl RoundDoc {
    fn compare(&self) -> Result<(), String> {
        let (setup, mut position) = self.before.read()?;
        self.before.compare(&State::of(&setup, &position)).map_err(|why| format!("state before: {why}"))?;
        position.advance(&setup, &self.orders.each_ref().map(|line| Order::read(line.as_bytes())), &mut ());
        self.after.compare(&State::of(&setup, &position))
    }
}

#[derive(Deserialize)]
struct ViewDoc {
    state: State,
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
            ("red_strict", &self.expect.red_strict, Seat::First, Fog::Strict),
            ("blue_strict", &self.expect.blue_strict, Seat::Second, Fog::Strict),
            ("red_sdk", &self.expect.red_sdk, Seat::First, Fog::Sdk),
            ("blue_sdk", &self.expect.blue_sdk, Seat::Second, Fog::Sdk),
        ];
        for (name, recorded, seat, fog) in all {
            let ours = text::round(&View::with_fog(&setup, &position, Eye::Seat(seat), fog));
            let ours: Vec<&str> = ours.lines().collect();
            agree(&format!("lines of {name}"), &recorded.len(), &ours.len())?;
            for (n, (recorded, ours)) in recorded.iter().zip(ours).enumerate() {
                agree(&format!("{name}, line {}", n + 1), &recorded.as_str(), &ours)?;
            }
        }
        Ok(())
    }
}

/// A whole game: every round's views and state by their digests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameDoc {
    /// 21 lines.
    pub map: Vec<String>,
    /// Red's and blue's types.
    pub teams: [[TankType; TEAM]; 2],
    /// Every round played.
    pub rounds: Vec<GameRound>,
    /// The canonical state at the end.
    #[serde(rename = "final")]
    pub last: String,
    /// `RED`, `BLUE` or `DRAW`.
    pub winner: String,
    /// `goal` or `rounds`.
    pub reason: String,
    /// Resources at the end.
    pub gold: [u32; 2],
    /// Kills at the end.
    pub kills: [u32; 2],
}

/// A round of a recorded game.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GameRound {
    /// Digest of what both sides see before it (R10).
    pub views: String,
    /// Ten order lines joined by `;`.
    pub orders: String,
    /// Digest of the state after it.
    pub state: String,
}

impl GameDoc {
    /// The record of a game that is over.
    pub fn of(
        setup: &Setup,
        position: &Position,
        teams: [[TankType; TEAM]; 2],
        rounds: Vec<GameRound>,
    ) -> GameDoc {
        let end = position.end();
        GameDoc {
            map: setup.map().lines(),
            teams,
            rounds,
            last: state(setup, position),
            winner: end.map_or("", winner_name).to_owned(),
            reason: end.map_or("", |end| end.cause.name()).to_owned(),
            gold: position.gold,
            kills: position.kills,
        }
    }

    fn compare(&self) -> Result<(), String> {
        let map = Map::from_lines(&self.map).map_err(|why| why.to_string())?;
        let Config { fog, goal, rounds, .. } = Config::default();
        let setup = Setup::new(map, fog, goal, rounds).map_err(|why| why.to_string())?;
        let mut position = Position::start(&setup);
        position.choose(&setup, BySeat::new(self.teams[0], self.teams[1]), &mut ());
        for (index, round) in self.rounds.iter().enumerate() {
            if position.end().is_some() {
                return Err(format!("the game is over before round {} of {}", index + 1, self.rounds.len()));
            }
            round.compare(&setup, &mut position).map_err(|why| format!("round {}: {why}", index + 1))?;
        }
        agree("final state", &self.last, &state(&setup, &position))?;
        let end = position.end().ok_or("the game is not over after the last round")?;
        agree("winner", &self.winner.as_str(), &winner_name(end))?;
        agree("reason", &self.reason.as_str(), &end.cause.name())?;
        agree("resources", &self.gold, &position.gold)?;
        agree("kills", &self.kills, &position.kills)
    }
}

impl GameRound {
    /// Plays a round and records it.
    pub fn play(
        setup: &Setup,
        position: &mut Position,
        lines: &[String],
        watch: &mut impl Watch,
    ) -> GameRound {
        let views = views_digest(setup, position);
        let order = |tank: usize| lines.get(tank).map_or(Order::Unread, |line| Order::read(line.as_bytes()));
        let orders: Orders = std::array::from_fn(order);
        position.advance(setup, &orders, watch);
        GameRound { views, orders: lines.join(";"), state: digest(&state(setup, position)) }
    }

    fn compare(&self, setup: &Setup, position: &mut Position) -> Result<(), String> {
        let lines: Vec<String> = self.orders.split(';').map(str::to_owned).collect();
        agree("number of orders", &TANKS, &lines.len())?;
        let ours = GameRound::play(setup, position, &lines, &mut ());
        agree("digest of the views", &self.views, &ours.views)?;
        if self.state != ours.state {
            let state = state(setup, position);
            return Err(format!(
                "digest of the state: recorded {}, the engine's {} of {state}",
                self.state, ours.state
            ));
        }
        Ok(())
    }
}

/// The canonical state text (R10).
pub fn state(setup: &Setup, position: &Position) -> String {
    let mut text = String::new();
    Game::state_text(position, setup, &mut text).expect("a String takes every text");
    text
}

/// Sixteen hexadecimal digits (R10).
pub fn digest(text: &str) -> String {
    format!("{:016x}", fnv1a(text.as_bytes()))
}

/// R10: of the red text of R9.4 followed by the blue one, without regard to the setup's fog.
fn views_digest(setup: &Setup, position: &Position) -> String {
    let view = |seat| text::round(&View::with_fog(setup, position, Eye::Seat(seat), Fog::Strict));
    digest(&(view(Seat::First) + &view(Seat::Second)))
}

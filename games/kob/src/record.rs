//! The sites' stored games (`docs/rules/kob.md`, "Record"): `{map, a_sx, a_sy, b_sx, b_sy, a_steps,
//! b_steps, loser: "A"|"B"|"all"}`; "the steps include the fatal round". The sites' HTTP responses
//! name the fields `asx`, `asteps` and so on, and wrap the record: `{record: {…}, a_username,
//! b_username}`.
//!
//! If a side lost by a fault, a record contains neither the kind of the fault nor the choice of the
//! other side in that round. An import records a timeout and repeats the last direction of the
//! other side; neither influences the result.

use leitai_game::clean_text::clean_line;
use leitai_game::erased::TextReplies;
use leitai_game::lang::say;
use leitai_game::replay::{
    EntrantKind, EntrantRecord, FORMAT as REPLAY_FORMAT, LegRecord, MatchStatus, Recorder, Replay,
    ReplayFormat, VerdictRecord, parse_token,
};
use leitai_game::{
    AnyGame, AnyLeg, AnySetup, ByEntrant, BySeat, Entrant, Erased, Fault, Game, InvalidSetup,
    Reply, Seat, ToMove,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::position::Position;
use crate::setup::{Config, MapSource, Setup};

/// The format's entry in the game's list.
pub const FORMAT: ReplayFormat = ReplayFormat {
    name: "record",
    import: import_record,
    export: export_record,
};

/// The most bytes of a record; a real one has less than 1,000.
const MAX_BYTES: usize = 1 << 16;
static KOB: Erased<Position> = Erased::new();

/// A stored game, with the field names of a site's table or HTTP responses. Further fields (ids,
/// times) are kept, but not read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SiteRecord {
    map: String,
    #[serde(alias = "asx", alias = "aSx")]
    a_sx: u8,
    #[serde(alias = "asy", alias = "aSy")]
    a_sy: u8,
    #[serde(alias = "bsx", alias = "bSx")]
    b_sx: u8,
    #[serde(alias = "bsy", alias = "bSy")]
    b_sy: u8,
    #[serde(alias = "asteps", alias = "aSteps")]
    a_steps: String,
    #[serde(alias = "bsteps", alias = "bSteps")]
    b_steps: String,
    loser: Loser,
}

/// A record in a site's response: together with the names of the players, alone or in a list.
#[derive(Deserialize)]
#[serde(untagged)]
enum SiteAnswer {
    Page { records: Vec<SiteListItem> },
    Item(SiteListItem),
}

#[derive(Deserialize)]
struct SiteListItem {
    record: Value,
    #[serde(default, alias = "aUsername")]
    a_username: Option<String>,
    #[serde(default, alias = "bUsername")]
    b_username: Option<String>,
}

/// The most characters of a name from a site.
const MAX_NAME: usize = 64;

impl SiteListItem {
    /// The players' names, if the response has two different ones.
    fn names(&self) -> Option<[String; 2]> {
        let name = |name: &Option<String>| {
            let name = clean_line(name.as_deref()?.trim())
                .chars()
                .take(MAX_NAME)
                .collect::<String>();
            Some(name).filter(|name| !name.is_empty())
        };
        Some([name(&self.a_username)?, name(&self.b_username)?]).filter(|[a, b]| a != b)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Loser {
    A,
    B,
    #[serde(rename = "all")]
    Both,
}

impl Loser {
    fn lost(self, seat: Seat) -> bool {
        match self {
            Loser::A => seat == Seat::First,
            Loser::B => seat == Seat::Second,
            Loser::Both => true,
        }
    }

    fn from_winner(winner: Option<Seat>) -> Loser {
        match winner {
            Some(Seat::First) => Loser::B,
            Some(Seat::Second) => Loser::A,
            None => Loser::Both,
        }
    }
}

/// Reads a record by the rules or, if it contradicts them, by the sites' ruling on two heads on one
/// cell.
fn import_record(text: &str) -> Result<Replay, InvalidSetup> {
    let (record, names) = parse(text)?;
    let by_rules = read_as(&record, false);
    let (config, setup, leg, end) = match by_rules {
        Ok(read) => read,
        Err(why) => read_as(&record, true).map_err(|_| why)?,
    };
    let verdict = setup.decide_match(&[end]);
    let names = names.unwrap_or_else(|| Entrant::BOTH.map(|entrant| entrant.to_string()));
    let [a, b] = names.map(|name| EntrantRecord {
        name,
        kind: EntrantKind::Imported,
        protocol: None,
        settings: None,
    });
    Ok(Replay {
        format: REPLAY_FORMAT.to_owned(),
        game: Position::META.id.to_owned(),
        rules: Position::META.rules.to_owned(),
        engine: concat!("leitai-kob ", env!("CARGO_PKG_VERSION")).to_owned(),
        recorded: None,
        seed: None,
        config,
        setup: setup.to_json(),
        entrants: ByEntrant::new(a, b),
        limits: None,
        status: MatchStatus::Complete,
        legs: vec![leg],
        verdict: Some(VerdictRecord::from(&verdict)),
        forced: None,
        origin: Some(json!({"format": FORMAT.name, "text": text})),
        signature: None,
    })
}

/// The record, and the players' names if there are any.
fn parse(text: &str) -> Result<(SiteRecord, Option<[String; 2]>), InvalidSetup> {
    if text.len() > MAX_BYTES {
        let bytes = text.len();
        return Err(InvalidSetup(say!(
            "the record has {bytes} bytes; at most {MAX_BYTES} are read"
        )));
    }
    let read = |value| {
        serde_json::from_value(value).map_err(|why| InvalidSetup(say!("not a record: {why}")))
    };
    let value: Value =
        serde_json::from_str(text).map_err(|why| InvalidSetup(say!("not a record: {why}")))?;
    if value.get("record").or(value.get("records")).is_none() {
        return Ok((read(value)?, None));
    }
    let answer = serde_json::from_value(value);
    let item = match answer
        .map_err(|_| InvalidSetup(say!("record must be one object, records a list of them")))?
    {
        SiteAnswer::Item(item) => item,
        SiteAnswer::Page { records } => {
            let count = records.len();
            let [item] = <[SiteListItem; 1]>::try_from(records).map_err(|_| {
                InvalidSetup(say!(
                    "the answer has {count} records; a replay is made of one: keep that one alone"
                ))
            })?;
            item
        }
    };
    let names = item.names();
    Ok((read(item.record)?, names))
}

type RecordReader = (
    Value,
    std::sync::Arc<dyn AnySetup>,
    LegRecord,
    Box<dyn AnyLeg>,
);

fn read_as(record: &SiteRecord, heads_may_share: bool) -> Result<RecordReader, InvalidSetup> {
    let config = Config {
        map: MapSource::Given(record.map.clone()),
        a: Some([record.a_sx, record.a_sy]),
        b: Some([record.b_sx, record.b_sy]),
        heads_may_share,
        ..Config::default()
    };
    let config = serde_json::to_value(config).map_err(InvalidSetup::new)?;
    let setup = KOB.deal_setup(&config, 0)?;
    let (leg, end) = play_record(record, &*setup)?;
    Ok((config, setup, leg, end))
}

fn play_record(
    record: &SiteRecord,
    setup: &dyn AnySetup,
) -> Result<(LegRecord, Box<dyn AnyLeg>), InvalidSetup> {
    let (mut leg, mut recorder) = (setup.start_leg(), Recorder::default());
    let mut say = |leg: &mut Box<dyn AnyLeg>, replies: TextReplies<'_>| {
        recorder.record_replies(&replies);
        leg.step(replies, &mut recorder);
    };
    let (a, b) = (parse_steps(&record.a_steps)?, parse_steps(&record.b_steps)?);
    if a.len() != b.len() {
        return Err(InvalidSetup(say!(
            "a_steps has {} steps, b_steps {}",
            a.len(),
            b.len()
        )));
    }
    for (index, (a, b)) in a.iter().zip(&b).enumerate() {
        if leg.to_move() == ToMove::Nobody {
            let recorded = record.a_steps.len();
            return Err(InvalidSetup(say!(
                "the game is over after round {index}; {recorded} rounds are recorded"
            )));
        }
        say(
            &mut leg,
            BySeat::new(Some(Reply::Action(a)), Some(Reply::Action(b))),
        );
    }
    if leg.to_move() != ToMove::Nobody {
        let last = BySeat::new(a.last(), b.last());
        let reply = |seat| match record.loser.lost(seat) {
            true => Reply::Fault(Fault::Timeout),
            false => Reply::Action(last[seat].copied().unwrap_or("0")),
        };
        say(&mut leg, BySeat::from_fn(|seat| Some(reply(seat))));
    }
    let outcome = leg.outcome();
    let ours = outcome.map(|outcome| Loser::from_winner(outcome.winner));
    if ours != Some(record.loser) {
        return Err(InvalidSetup(say!(
            "the recorded loser is {:?}, by the rules it is {ours:?}",
            record.loser
        )));
    }
    Ok((recorder.finish_leg(outcome), leg))
}

/// The digits as separate texts.
fn parse_steps(digits: &str) -> Result<Vec<&str>, InvalidSetup> {
    let step = |(at, _): (usize, char)| {
        let digit = digits
            .get(at..at + 1)
            .filter(|digit| Position::read_action(digit).is_some());
        digit.ok_or_else(|| {
            InvalidSetup(say!("step {} of {digits:?} is not a digit 0 to 3", at + 1))
        })
    };
    digits.char_indices().map(step).collect()
}

/// Writes a finished leg on the sites' board with the sites' constants.
fn export_record(replay: &Replay, leg: usize) -> Result<String, InvalidSetup> {
    if replay.game != Position::META.id {
        return Err(InvalidSetup(say!(
            "the replay is of {:?}; only kob has records",
            replay.game
        )));
    }
    let legs = replay.legs.len();
    let played = replay.legs.get(leg);
    let played = played
        .ok_or_else(|| InvalidSetup(say!("there is no leg {}; the replay has {legs}", leg + 1)))?;
    let setup: Setup = serde_json::from_value(replay.setup.clone()).map_err(InvalidSetup::new)?;
    let record = record_of(&setup, played)?;
    let kept = replay
        .origin
        .as_ref()
        .and_then(|origin| origin.get("text"))
        .and_then(Value::as_str);
    if let Some(text) = kept.filter(|text| parse(text).is_ok_and(|(kept, _)| kept == record)) {
        return Ok(text.to_owned());
    }
    serde_json::to_string(&record).map_err(InvalidSetup::new)
}

fn record_of(setup: &Setup, leg: &LegRecord) -> Result<SiteRecord, InvalidSetup> {
    require_site_board(setup)?;
    let outcome = leg
        .outcome
        .as_ref()
        .ok_or_else(|| InvalidSetup(say!("the leg was not played to its end")))?;
    let mut digits = [String::new(), String::new()];
    for token in leg.replies.split_ascii_whitespace() {
        if let [Some(Reply::Action(a)), Some(Reply::Action(b))] = parse_token(token, ToMove::Both)
            .map_err(InvalidSetup::new)?
            .into_pair()
        {
            digits[0].push_str(a);
            digits[1].push_str(b);
        }
    }
    let [a_steps, b_steps] = digits;
    let [a, b] = setup.starts().into_pair();
    Ok(SiteRecord {
        map: setup.map().text(),
        a_sx: a.x(),
        a_sy: a.y(),
        b_sx: b.x(),
        b_sy: b.y(),
        a_steps,
        b_steps,
        loser: Loser::from_winner(outcome.winner),
    })
}

/// A record cannot express other sizes or growth rules; it would be read as another game.
fn require_site_board(setup: &Setup) -> Result<(), InvalidSetup> {
    let sites = Config::default();
    let (map, growth) = (setup.map(), setup.growth());
    if (map.rows(), map.cols()) != (sites.rows, sites.cols) {
        let (rows, cols) = (map.rows(), map.cols());
        return Err(InvalidSetup(say!(
            "a record holds 13 x 14 boards; this one has {rows} rows and {cols} cols"
        )));
    }
    if (growth.until, growth.period, growth.phase)
        != (sites.grow_until, sites.grow_period, sites.grow_phase)
    {
        return Err(InvalidSetup(say!(
            "a record holds games with the sites' growth; this one has {growth:?}"
        )));
    }
    Ok(())
}

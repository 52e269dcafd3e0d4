//! A leg that is played on in the page: from its beginning, or from a moment of a replay; by
//! people, by built-in bots, or by both. A call names the whole way to the position, so that any
//! worker can answer it; the last position is kept, so that the next call need not walk it again.

use std::cell::RefCell;
use std::sync::Arc;

use leitai_game::erased::AnySink;
use leitai_game::frames::{EventCollector, Frame, FrameBuilder, check_bytes};
use leitai_game::lang::say;
use leitai_game::leg_frames::{entrant_letter, list_choices, perspective_name};
use leitai_game::replay::{LegRecord, ReplayWalker, parse_token, write_token};
use leitai_game::{
    AnyBot, AnyGame, AnyLeg, AnySetup, BotClock, ByEntrant, BySeat, Entrant, Fault, InvalidSetup,
    Perspective, Replay, Reply, Seat, Untimed,
};
use serde_json::{Value, json};

use crate::catalogue::catalogue;
use crate::errors::CallError;
use crate::games::{find_game, not_playable, read_replay};
use crate::request::{PlayCall, StartCall};

/// The most steps of one call.
const MOST_STEPS: usize = 4096;

/// Where a leg begins to be played on.
pub(crate) struct Start {
    pub game: &'static dyn AnyGame,
    pub setup: Arc<dyn AnySetup>,
    /// The replay, unless the match is new.
    pub replay: Option<Replay>,
    /// The recorded replies that are kept.
    pub kept: String,
}

impl Start {
    /// Reads a start; `file` is the replay, or empty for a new match.
    pub fn read(call: &StartCall, file: &[u8]) -> Result<Start, CallError> {
        if file.is_empty() {
            return Start::deal(call);
        }
        let (game, replay) = read_replay(file)?;
        let setup = game.read_setup(&replay.setup).map_err(not_playable)?;
        let legs = replay.legs.len();
        let record = call.leg.checked_sub(1).and_then(|at| replay.legs.get(at));
        let record = record.ok_or_else(|| {
            let leg = call.leg;
            CallError::new(
                "not-found",
                format!("there is no leg {leg}; the replay has {legs}"),
            )
        })?;
        let tokens: Vec<&str> = record.replies.split_ascii_whitespace().collect();
        let step = call.step.unwrap_or(tokens.len());
        let kept = tokens.get(..step).ok_or_else(|| {
            let steps = tokens.len();
            CallError::new(
                "not-found",
                format!("there is no step {step}; the leg has {steps}"),
            )
        })?;
        let kept = kept.join(" ");
        Ok(Start {
            game,
            setup,
            kept,
            replay: Some(replay),
        })
    }

    fn deal(call: &StartCall) -> Result<Start, CallError> {
        let id = call.game.as_deref().unwrap_or_default();
        let game = find_game(id, call.rules.as_deref())?;
        let bad = |why: InvalidSetup| CallError::new("bad-config", why.to_string());
        let config = game.read_config(&call.config).map_err(bad)?;
        let setup = game.deal_setup(&config, call.seed).map_err(bad)?;
        Ok(Start {
            game,
            setup,
            replay: None,
            kept: String::new(),
        })
    }

    /// The refusal to play what this start or its rules do not allow.
    pub fn refuse(&self, why: InvalidSetup) -> CallError {
        match self.replay {
            Some(_) => not_playable(why),
            None => CallError::new("not-playable", format!("the match cannot be played: {why}")),
        }
    }

    fn names(&self, given: &ByEntrant<Option<String>>) -> ByEntrant<String> {
        ByEntrant::from_fn(|entrant: Entrant| {
            let recorded = self
                .replay
                .as_ref()
                .map(|replay| &replay.entrants[entrant].name);
            given[entrant]
                .as_ref()
                .or(recorded)
                .cloned()
                .unwrap_or_default()
        })
    }
}

/// A leg that is played on.
struct Game {
    start: Start,
    /// What the call said beside the replies; another call with the same continues this leg.
    key: (StartCall, BySeat<Option<String>>, Perspective, Vec<u8>),
    leg: Box<dyn AnyLeg>,
    builder: FrameBuilder,
    bots: BySeat<Option<Box<dyn AnyBot>>>,
    /// Replies after those that are kept.
    replies: String,
    steps: usize,
    /// The frames of this call, and about their bytes.
    frames: Vec<Frame>,
    bytes: usize,
}

thread_local! {
    static LAST: RefCell<Option<Game>> = const { RefCell::new(None) };
}

/// Plays on: with the actions of people, if there are any, and by bots until a person is asked.
pub(crate) fn play(call: PlayCall, file: &[u8]) -> Result<String, CallError> {
    let last = LAST.take().filter(|game| game.is_before(&call, file));
    let mut game = match last {
        Some(game) => game,
        None => Game::walk(&call, file)?,
    };
    let played = game.play_on(
        call.actions.each_ref().map_values(Option::as_deref),
        call.limit,
    );
    let answer = played.map(|()| game.describe(&call).to_string());
    // Of a game from a game file: nothing is asked or played of rules that failed.
    if let Some(fault) = game.leg.fault() {
        return Err(game.start.refuse(InvalidSetup::new(fault)));
    }
    game.frames.clear();
    game.bytes = 0;
    LAST.set(Some(game));
    answer
}

impl Game {
    fn key_of(
        call: &PlayCall,
        file: &[u8],
    ) -> (StartCall, BySeat<Option<String>>, Perspective, Vec<u8>) {
        let perspective = Perspective::from(call.perspective);
        (
            call.start.clone(),
            call.players.clone(),
            perspective,
            file.to_vec(),
        )
    }

    /// Whether this is the position of the call, and all frames that it asks for are still to come.
    fn is_before(&self, call: &PlayCall, file: &[u8]) -> bool {
        self.replies == call.replies
            && call.frames_from > self.steps
            && self.key == Game::key_of(call, file)
    }

    /// Plays all replies that the call names.
    fn walk(call: &PlayCall, file: &[u8]) -> Result<Game, CallError> {
        let start = Start::read(&call.start, file)?;
        let bots = make_bots(start.game, call)?;
        let perspective = call.perspective.into();
        let leg = start.setup.start_leg();
        let mut game = Game {
            key: Game::key_of(call, file),
            builder: FrameBuilder::new(start.game, perspective),
            leg,
            bots,
            replies: String::new(),
            steps: 0,
            frames: Vec::new(),
            bytes: 0,
            start,
        };
        let first = game.builder.first_frame(&*game.leg);
        let first = first.map_err(|why| game.start.refuse(why))?;
        game.frames.push(first);
        let tokens = format!("{} {}", game.start.kept, call.replies);
        for token in tokens.split_ascii_whitespace() {
            game.show_to_bots();
            let replies = parse_token(token, game.leg.to_move())
                .map_err(|why| InvalidSetup(say!("step {}: {why}", game.steps)))
                .map_err(|why| game.start.refuse(why))?;
            if let Some(unknown) = find_unknown(&*game.leg, &replies) {
                let why = format!("step {}: there is no action {unknown:?}", game.steps);
                return Err(game.start.refuse(InvalidSetup::new(why)));
            }
            game.step(&replies)?;
        }
        game.replies.clone_from(&call.replies);
        game.frames.retain(|frame| frame.step >= call.frames_from);
        Ok(game)
    }

    /// Under fog a bot that takes over is shown what its seat has seen, without time to think.
    fn show_to_bots(&mut self) {
        if self.start.game.is_open() {
            return;
        }
        for seat in Seat::BOTH {
            if let Some(bot) = &mut self.bots[seat]
                && self.leg.to_move().asks_seat(seat)
            {
                bot.choose_action(&*self.leg, seat, &NoTime);
            }
        }
    }

    fn step(&mut self, replies: &BySeat<Option<Reply<&str>>>) -> Result<(), CallError> {
        let mut events = EventCollector::default();
        self.leg.step(*replies, &mut events);
        self.steps += 1;
        let frame = self
            .builder
            .next(&*self.leg, replies, events.0, BySeat::default())
            .map_err(|why| self.start.refuse(why))?;
        self.bytes += frame.text_length();
        check_bytes(self.bytes).map_err(|why| self.start.refuse(why))?;
        self.frames.push(frame);
        Ok(())
    }

    fn play_on(
        &mut self,
        mut actions: BySeat<Option<&str>>,
        limit: usize,
    ) -> Result<(), CallError> {
        self.check_actions(&actions)?;
        for _ in 0..limit.min(MOST_STEPS) {
            let asked = self.leg.to_move();
            let is_asked = |seat: &Seat| asked.asks_seat(*seat);
            let waits = |seat: Seat| self.bots[seat].is_none() && actions[seat].is_none();
            let mut seats = Seat::BOTH.into_iter().filter(is_asked).peekable();
            if seats.peek().is_none() || seats.any(waits) {
                return Ok(());
            }
            let mut chosen = BySeat::new(None, None);
            for seat in Seat::BOTH.into_iter().filter(is_asked) {
                chosen[seat] = match &mut self.bots[seat] {
                    Some(bot) => Some(bot.choose_action(&*self.leg, seat, &Untimed)),
                    None => actions[seat].take().map(str::to_owned),
                };
            }
            let replies = chosen.each_ref().map_values(|action| {
                let action = action.as_deref()?;
                // A bot of a game file may say anything.
                Some(match self.leg.knows_action(action) {
                    true => Reply::Action(action),
                    false => Reply::Fault(Fault::Malformed),
                })
            });
            let mut token = String::new();
            write_token(&replies, &mut token);
            if !self.replies.is_empty() {
                self.replies.push(' ');
            }
            self.replies.push_str(&token);
            self.step(&replies)?;
        }
        Ok(())
    }

    /// Refuses an illegal action before anything is played.
    fn check_actions(&self, actions: &BySeat<Option<&str>>) -> Result<(), CallError> {
        for seat in Seat::BOTH {
            let Some(action) = actions[seat] else {
                continue;
            };
            if self.bots[seat].is_some() || !self.leg.to_move().asks_seat(seat) {
                return Err(CallError::new("refused", "it was not asked"));
            }
            let checked = self.leg.check_action(seat, action);
            checked.map_err(|why| CallError::new("refused", why.0))?;
        }
        Ok(())
    }

    fn describe(&self, call: &PlayCall) -> Value {
        let (leg, setup, game) = (call.start.leg, &self.start.setup, self.start.game);
        let meta = game.meta();
        let to_move = self.leg.to_move();
        let questions = BySeat::from_fn(|seat: Seat| {
            let is_asked = to_move.asks_seat(seat) && self.bots[seat].is_none();
            is_asked.then(|| self.question(leg, seat))
        });
        let legs = self
            .start
            .replay
            .as_ref()
            .map_or(meta.legs, |replay| replay.legs.len());
        json!({
            "leg_frames": {
                "match": null,
                "game": meta.id,
                "rules": meta.rules,
                "entrants": self.start.names(&call.names),
                "seats": {
                    "first": entrant_letter(Seat::First, leg),
                    "second": entrant_letter(Seat::Second, leg),
                },
                "leg": leg,
                "legs": legs,
                "rounds": setup.max_rounds(),
                "setup": setup.to_json(),
                "perspective": perspective_name(call.perspective.into()),
                "outcome": null,
                "verdict": null,
                "faults": [],
                "status": "running",
                "frames": self.frames,
            },
            "replies": self.replies,
            "step": self.steps,
            "round": self.leg.round(),
            "questions": questions,
            "is_over": self.leg.outcome().is_some(),
        })
    }

    /// As the server asks a person, without a clock.
    fn question(&self, leg: usize, seat: Seat) -> Value {
        json!({
            "leg": leg,
            "step": self.steps,
            "seat": seat,
            "choices": list_choices(self.start.game, &*self.leg, seat, catalogue()),
            "options": self.leg.list_options(seat),
        })
    }
}

fn make_bots(
    game: &dyn AnyGame,
    call: &PlayCall,
) -> Result<BySeat<Option<Box<dyn AnyBot>>>, CallError> {
    let mut bots = BySeat::new(None, None);
    for seat in Seat::BOTH {
        let Some(name) = &call.players[seat] else {
            continue;
        };
        // Both seats and every leg get other numbers.
        let seed = call.bot_seed ^ (call.start.leg as u64 * 2 + seat as u64);
        let bot = game.make_bot(name, seed);
        bots[seat] = Some(bot.ok_or_else(|| {
            let names: Vec<&str> = game.list_bots().into_iter().map(|(name, _)| name).collect();
            let known = names.join(", ");
            CallError::new(
                "unknown-bot",
                format!("there is no bot {name:?}; there is: {known}"),
            )
        })?);
    }
    Ok(bots)
}

fn find_unknown<'a>(leg: &dyn AnyLeg, replies: &BySeat<Option<Reply<&'a str>>>) -> Option<&'a str> {
    Seat::BOTH.into_iter().find_map(|seat| match replies[seat] {
        Some(Reply::Action(action)) if !leg.knows_action(action) => Some(action),
        _ => None,
    })
}

struct NoTime;

impl BotClock for NoTime {
    fn time_left(&self) -> Option<std::time::Duration> {
        Some(std::time::Duration::ZERO)
    }
}

/// Plays a leg from these replies; the sink gets the checkpoints.
pub(crate) fn play_tokens(
    start: &Start,
    replies: String,
    sink: &mut dyn AnySink,
) -> Result<(String, Box<dyn AnyLeg>), CallError> {
    let record = LegRecord {
        replies,
        ..LegRecord::default()
    };
    let mut walk = ReplayWalker::new(&*start.setup, &record);
    let refuse = |why| start.refuse(why);
    while walk.next(sink).map_err(refuse)?.is_some() {}
    let leg = walk.into_leg();
    Ok((record.replies, leg))
}

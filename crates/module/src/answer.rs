//! Answers requests from a typed game.

use std::mem::take;
use std::sync::Arc;

use leitai_game::erased::{AnyGame, AnyLeg, AnySetup, AnySink, Checkpoint, Erased, typed_leg};
use leitai_game::{BySeat, Game, GamePackage, Reply, Rng, Seat, ToMove, Untimed};
use serde_json::Value;

use crate::wire::{Call, Reader, Status, Wants, Writer};

/// What a module keeps from call to call: the setup of its leg, and the position.
pub struct Leg<G> {
    game: Erased<G>,
    setup: Option<Arc<dyn AnySetup>>,
    leg: Option<Box<dyn AnyLeg>>,
    /// Room for the answer of a step and for its items: making some takes rules that are interpreted as long
    /// as filling it.
    rooms: [Vec<u8>; 2],
}

/// A step's items, in the order in which they happened: 0 an event, 1 a checkpoint.
struct Items {
    wants: Wants,
    count: u32,
    written: Writer,
}

impl AnySink for Items {
    fn wants_events(&self) -> bool {
        self.wants.events
    }

    fn wants_checkpoints(&self) -> bool {
        self.wants.checkpoints
    }

    fn on_event(&mut self, event: Value) {
        self.count += 1;
        self.written.byte(0);
        self.written.text(&event.to_string());
    }

    fn on_checkpoint(&mut self, at: &dyn Checkpoint) {
        self.count += 1;
        self.written.byte(1);
        self.written.written_text(|out| at.write_text(out));
    }
}

impl<G: GamePackage> Leg<G> {
    /// Before `start`.
    pub const fn new() -> Leg<G> {
        Leg {
            game: Erased::new(),
            setup: None,
            leg: None,
            rooms: [Vec::new(), Vec::new()],
        }
    }

    /// The answer to a request. Leitai writes requests as documented; another one is a panic, which
    /// is a trap.
    pub fn answer(&mut self, call: Call, request: &[u8]) -> Vec<u8> {
        let mut request = Reader::new(request);
        let answer = self.try_answer(call, &mut request);
        answer.expect("a request as documented").into_bytes()
    }

    fn try_answer(&mut self, call: Call, request: &mut Reader<'_>) -> Option<Writer> {
        match call {
            Call::Config => self.config(request),
            Call::Deal => self.deal(request),
            Call::Start => self.start(request),
            Call::Step => self.step(request),
            Call::Legal => {
                let legal = self.leg.as_ref()?.legal_actions(request.seat()?);
                let mut answer = Writer::done();
                answer.texts(legal.iter().map(String::as_str));
                Some(answer)
            }
            Call::Check => self.check(request),
            Call::View => {
                let view = self.leg.as_ref()?.view(request.perspective()?);
                Some(done_with_text(&view.to_string()))
            }
            Call::Text => Some(done_with_text(&self.leg.as_ref()?.state_text())),
            Call::Decide => self.decide(request),
            Call::Sample => self.sample(request),
            Call::Playout => self.playout(request),
            Call::Corpus => self.corpus(request),
            // Only modules that say so have bots in them; see `answer_bot`.
            Call::Bot => None,
        }
    }

    /// Takes the room of a request that was answered, for the next answer.
    pub fn take_room(&mut self, room: Vec<u8>) {
        self.rooms[0] = room;
    }

    /// What a bot of the game plays. It is a function of its own, so that games that do not export it
    /// have no bots in their modules.
    pub fn answer_bot(&self, request: &[u8]) -> Vec<u8> {
        let answer = self.ask_bot(&mut Reader::new(request));
        answer.expect("a request as documented").into_bytes()
    }

    fn ask_bot(&self, request: &mut Reader<'_>) -> Option<Writer> {
        let (name, seat, chance) = (request.text()?, request.seat()?, request.long()?);
        let Some(leg) = &self.leg else {
            // Typed bots read typed views, and these are texts.
            return Some(Writer::refused("a bot in Rust plays open games only"));
        };
        Some(match self.game.make_bot(name, chance) {
            Some(mut bot) => done_with_text(&bot.choose_action(&**leg, seat, &Untimed)),
            None => Writer::refused("the game has no bot of this name"),
        })
    }

    fn config(&self, request: &mut Reader<'_>) -> Option<Writer> {
        let choices = read_json(request)?;
        Some(match self.game.read_config(&choices) {
            Ok(config) => done_with_text(&config.to_string()),
            Err(why) => Writer::refused(&why.to_string()),
        })
    }

    fn deal(&self, request: &mut Reader<'_>) -> Option<Writer> {
        let seed = request.long()?;
        let config = read_json(request)?;
        Some(match self.game.deal_setup(&config, seed) {
            Ok(setup) => done_with_text(&setup.to_json().to_string()),
            Err(why) => Writer::refused(&why.to_string()),
        })
    }

    fn start(&mut self, request: &mut Reader<'_>) -> Option<Writer> {
        let setup = match self.game.read_setup(&read_json(request)?) {
            Ok(setup) => setup,
            Err(why) => return Some(Writer::refused(&why.to_string())),
        };
        let leg = setup.start_leg();
        let mut answer = done_with_text(&setup.to_json().to_string());
        answer.number(setup.max_rounds());
        answer.status(&status_of(&*leg));
        (self.setup, self.leg) = (Some(setup), Some(leg));
        Some(answer)
    }

    fn step(&mut self, request: &mut Reader<'_>) -> Option<Writer> {
        let leg = self.leg.as_mut()?;
        let mut items = Items {
            wants: request.wants()?,
            count: 0,
            written: Writer::in_room_of(take(&mut self.rooms[1])),
        };
        leg.step(request.replies()?, &mut items);
        let mut answer = Writer::in_room_of(take(&mut self.rooms[0])).begin_done();
        answer.status(&status_of(&**leg));
        answer.number(items.count);
        let items = items.written.into_bytes();
        answer.raw(&items);
        self.rooms[1] = items;
        Some(answer)
    }

    /// 0 if the action is legal, 1 and the reason if it is not, 2 if there is none of this notation.
    fn check(&self, request: &mut Reader<'_>) -> Option<Writer> {
        let (leg, seat, action) = (self.leg.as_ref()?, request.seat()?, request.text()?);
        let mut answer = Writer::done();
        if !leg.knows_action(action) {
            answer.byte(2);
        } else if let Err(why) = leg.check_action(seat, action) {
            answer.byte(1);
            answer.text(&why.to_string());
        } else {
            answer.byte(0);
        }
        Some(answer)
    }

    /// Plays the legs of the match again, to their ends.
    fn decide(&self, request: &mut Reader<'_>) -> Option<Writer> {
        let setup = self.setup.as_ref()?;
        let mut legs = Vec::new();
        for _ in 0..request.count(4)? {
            let mut leg = setup.start_leg();
            for _ in 0..request.count(2)? {
                leg.step(request.replies()?, &mut ());
            }
            legs.push(leg);
        }
        let mut answer = Writer::done();
        answer.verdict(&setup.decide_match(&legs));
        Some(answer)
    }

    fn sample(&self, request: &mut Reader<'_>) -> Option<Writer> {
        let (seat, mut rng) = (request.seat()?, Rng::new(request.long()?));
        let action = self.leg.as_ref()?.sample_action(seat, &mut rng);
        Some(match action {
            Some(action) => done_with_text(&action),
            None => Writer::refused("the seat is not asked"),
        })
    }

    /// Random legs: how often first and second won, how often neither, and the steps of all.
    fn playout(&self, request: &mut Reader<'_>) -> Option<Writer> {
        let (seed, count, most_steps) = (request.long()?, request.number()?, request.number()?);
        let (setup, start) = typed_leg::<G>(self.leg.as_deref()?)?;
        let mut rng = Rng::new(seed);
        let mut ended = [0_u32; 3];
        let mut steps = 0_u64;
        for _ in 0..count {
            let mut position = start.clone();
            steps += u64::from(play_at_random(setup, &mut position, &mut rng, most_steps));
            ended[position.winner().map_or(2, Seat::index)] += 1;
        }
        let mut answer = Writer::done();
        ended.iter().for_each(|count| answer.number(*count));
        answer.long(steps);
        Some(answer)
    }

    /// The cases of a corpus: a name, and the difference or an empty text.
    fn corpus(&self, request: &mut Reader<'_>) -> Option<Writer> {
        let mut cases = Vec::new();
        self.game
            .compare_corpus(request.text()?, &mut |case| cases.push(case));
        let mut answer = Writer::done();
        answer.number(cases.len() as u32);
        for case in cases {
            answer.text(&case.id);
            answer.text(case.result.err().as_deref().unwrap_or_default());
        }
        Some(answer)
    }
}

impl<G: GamePackage> Default for Leg<G> {
    fn default() -> Self {
        Leg::new()
    }
}

fn read_json(request: &mut Reader<'_>) -> Option<Value> {
    serde_json::from_str(request.text()?).ok()
}

fn done_with_text(text: &str) -> Writer {
    let mut answer = Writer::done();
    answer.text(text);
    answer
}

fn status_of(leg: &dyn AnyLeg) -> Status {
    Status {
        to_move: leg.to_move(),
        period: leg.period(),
        round: leg.round(),
        period_limit: leg.period_limit(),
        scores: leg.scores(),
        outcome: leg.outcome(),
    }
}

/// Plays random legal actions; returns the number of steps.
pub fn play_at_random<G: Game>(
    setup: &G::Setup,
    position: &mut G,
    rng: &mut Rng,
    most_steps: u32,
) -> u32 {
    let mut steps = 0;
    while steps < most_steps {
        let to_move = position.to_move();
        if to_move == ToMove::Nobody {
            break;
        }
        let replies = BySeat::from_fn(|seat: Seat| {
            let asked = to_move.asks_seat(seat);
            let action = asked.then(|| position.sample_action(setup, seat, rng));
            action.flatten().map(Reply::Action)
        });
        position.step(setup, replies, &mut ());
        steps += 1;
    }
    steps
}

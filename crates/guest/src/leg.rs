//! A setup and a position of a guest game.
//!
//! A position is what the module knows: an image of its memory. A read-only call works on a copy,
//! so nothing that it does can be seen later.

mod ahead;

use std::any::Any;
use std::fmt::{self, Debug};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use leitai_game::erased::{AnyLeg, AnySetup, AnySink, Checkpoint, TextReplies};
use leitai_game::game::{Outcome, Reason, ToMove, Verdict, legs_won, sum_by_entrant};
use leitai_game::hash::fnv1a;
use leitai_game::lang::say;
use leitai_game::render::{RenderOptions, Rendering};
use leitai_game::{BySeat, GameFault, Illegal, InvalidSetup, Perspective, Rng, Seat};
use leitai_module::wire::{Call, Intern, Reader, Status, Wants, Writer};
use serde_json::Value;

use crate::calls::{NoAnswer, Rules};
use crate::instance::Image;
#[cfg(not(target_family = "wasm"))]
use crate::picture;

pub(crate) use ahead::{Allowance, Stopped};

/// A setup of a guest game.
pub(crate) struct GuestSetup {
    rules: Arc<Rules>,
    json: Arc<Value>,
    max_rounds: u32,
    start: Arc<Image>,
    status: Status,
    is_open: bool,
    fault: OnceLock<GameFault>,
}

impl GuestSetup {
    /// Reads and checks a setup: the module starts a leg of it.
    pub(crate) fn read(
        rules: &Arc<Rules>,
        is_open: bool,
        setup: &Value,
    ) -> Result<GuestSetup, InvalidSetup> {
        let mut request = Writer::default();
        request.text(&setup.to_string());
        let request = request.into_bytes();
        let answer = rules.call_fresh(Call::Start, &request)?;
        let intern: Intern<'_> = &|text| rules.intern(text);
        let read = |answer: &mut Reader<'_>| {
            let json = serde_json::from_str(answer.text()?).ok()?;
            Some((json, answer.number()?, answer.status(intern)?))
        };
        let (json, max_rounds, status) = rules.read(Call::Start, &request, &answer, read)?;
        Ok(GuestSetup {
            rules: rules.clone(),
            json: Arc::new(json),
            max_rounds,
            status,
            is_open,
            start: answer.image.expect("start keeps its image"),
            fault: OnceLock::new(),
        })
    }

    /// What the module knows before the first step.
    pub(crate) fn first_image(&self) -> &Arc<Image> {
        &self.start
    }

    fn leg(&self) -> GuestLeg {
        GuestLeg {
            rules: self.rules.clone(),
            setup: self.json.clone(),
            image: self.start.clone(),
            status: self.status,
            steps: 0,
            said: Arc::default(),
            known: Arc::default(),
            is_open: self.is_open,
            fault: OnceLock::new(),
        }
    }

    /// The module plays the legs again.
    fn ask_verdict(&self, legs: &[&GuestLeg]) -> Result<Verdict, NoAnswer> {
        let mut request = Writer::default();
        request.number(legs.len() as u32);
        for leg in legs {
            request.number(leg.steps);
            request.raw(&leg.said);
        }
        let request = request.into_bytes();
        let answer = self.rules.call(&self.start, Call::Decide, &request)?;
        let intern: Intern<'_> = &|text| self.rules.intern(text);
        let read = |answer: &mut Reader<'_>| answer.verdict(intern);
        self.rules.read(Call::Decide, &request, &answer, read)
    }
}

impl Debug for GuestSetup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GuestSetup({})", self.json)
    }
}

impl AnySetup for GuestSetup {
    fn to_json(&self) -> Value {
        (*self.json).clone()
    }

    fn start_leg(&self) -> Box<dyn AnyLeg> {
        Box::new(self.leg())
    }

    fn decide_match(&self, legs: &[Box<dyn AnyLeg>]) -> Verdict {
        let own = legs.iter().filter_map(|leg| leg.as_any().downcast_ref());
        let own: Vec<&GuestLeg> = own.collect();
        if !self.rules.has(Call::Decide) {
            let outcomes = own.iter().filter_map(|leg| leg.outcome());
            return decide_by_legs_and_scores(&outcomes.collect::<Vec<_>>());
        }
        self.ask_verdict(&own).unwrap_or_else(|why| {
            if let Some(fault) = fault_of(why) {
                let _ = self.fault.set(fault); // The first one is told.
            }
            Verdict {
                winner: None,
                reason: UNDECIDED,
            }
        })
    }

    fn max_rounds(&self) -> u32 {
        self.max_rounds
    }

    fn fault(&self) -> Option<GameFault> {
        self.fault.get().cloned()
    }
}

const UNDECIDED: Reason = Reason::new("rules-failed", "as the rules failed", "规则出错");
const LEG_WINS: Reason = Reason::new("leg-wins", "by games won", "胜局数");
const TOTAL_SCORE: Reason = Reason::new("total-score", "by total score", "总得分");
const EQUAL: Reason = Reason::new("equal", "with equal results", "双方成绩相同");

/// The verdict of a game that does not decide its matches: legs won, then scores.
pub(crate) fn decide_by_legs_and_scores(outcomes: &[Outcome]) -> Verdict {
    let scores = sum_by_entrant(outcomes, |outcome, seat| outcome.scores[seat].into());
    Verdict::by_more(legs_won(outcomes), LEG_WINS)
        .or_else(|| Verdict::by_more(scores, TOTAL_SCORE))
        .unwrap_or(Verdict {
            winner: None,
            reason: EQUAL,
        })
}

fn fault_of(why: NoAnswer) -> Option<GameFault> {
    match why {
        NoAnswer::Failed(fault) => Some(*fault),
        NoAnswer::Refused(_) | NoAnswer::Spent => None,
    }
}

/// Answers of the module that depend on nothing but the position: a module knows its image and its
/// request, so asking it again would give the same. They are dear where the rules are interpreted.
#[derive(Default)]
struct Known {
    legal: BySeat<OnceLock<Vec<String>>>,
    views: [OnceLock<Value>; 3],
    text: OnceLock<String>,
}

impl Known {
    fn view(&self, perspective: Perspective) -> &OnceLock<Value> {
        match perspective {
            Perspective::Seat(seat) => &self.views[seat as usize],
            Perspective::All => &self.views[2],
        }
    }
}

/// What is known already, or what the module says now; nothing is kept of rules that fail.
fn known_or<T: Clone>(known: &OnceLock<T>, ask: impl FnOnce() -> Option<T>) -> Option<T> {
    if let Some(known) = known.get() {
        return Some(known.clone());
    }
    let value = ask()?;
    let _ = known.set(value.clone()); // Another thread got the same answer.
    Some(value)
}

/// A position of a guest game.
pub(crate) struct GuestLeg {
    rules: Arc<Rules>,
    setup: Arc<Value>,
    image: Arc<Image>,
    status: Status,
    steps: u32,
    /// The replies so far, as `decide` reads them.
    said: Arc<Vec<u8>>,
    /// What the module already said of this position.
    known: Arc<Known>,
    /// Whether both players may know everything.
    is_open: bool,
    fault: OnceLock<GameFault>,
}

impl GuestLeg {
    /// The setup as a replay has it.
    pub(crate) fn setup(&self) -> &Value {
        &self.setup
    }

    /// The same position.
    pub(crate) fn copy(&self) -> GuestLeg {
        GuestLeg {
            rules: self.rules.clone(),
            setup: self.setup.clone(),
            image: self.image.clone(),
            status: self.status,
            steps: self.steps,
            said: self.said.clone(),
            known: self.known.clone(),
            is_open: self.is_open,
            fault: self.fault.clone(),
        }
    }

    /// Asks something that changes nothing; `None` once the rules failed.
    fn ask<T>(
        &self,
        call: Call,
        request: Writer,
        read: impl FnOnce(&mut Reader<'_>) -> Option<T>,
    ) -> Option<T> {
        self.ask_from(&self.image, call, request, read)
    }

    fn ask_from<T>(
        &self,
        image: &Arc<Image>,
        call: Call,
        request: Writer,
        read: impl FnOnce(&mut Reader<'_>) -> Option<T>,
    ) -> Option<T> {
        if self.fault.get().is_some() {
            return None;
        }
        let request = request.into_bytes();
        let answer = self.rules.call(image, call, &request);
        let read = |answer| self.rules.read(call, &request, &answer, read);
        self.keep_fault(answer.and_then(read))
    }

    fn keep_fault<T>(&self, result: Result<T, NoAnswer>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(why) => {
                if let Some(fault) = fault_of(why) {
                    let _ = self.fault.set(fault); // The first one is told.
                }
                None
            }
        }
    }

    /// What a bot of the module plays. In a game with secrets the module knows the request alone, and
    /// not this position.
    pub(crate) fn ask_bot(&self, name: &str, seat: Seat, chance: u64) -> Option<String> {
        let view = self.view(Perspective::Seat(seat)).to_string();
        let legal = self.legal_actions(seat);
        let mut request = Writer::default();
        request.text(name);
        request.seat(seat);
        request.long(chance);
        request.text(&view);
        request.texts(legal.iter().map(String::as_str));
        let image = match self.is_open {
            true => &self.image,
            false => self.rules.base(),
        };
        self.ask_from(image, Call::Bot, request, |answer| {
            answer.text().map(str::to_owned)
        })
    }

    /// 0 for a legal action, 1 and why not, 2 for no action.
    fn check(&self, seat: Seat, action: &str) -> Option<(u8, String)> {
        let mut request = Writer::default();
        request.seat(seat);
        request.text(action);
        self.ask(Call::Check, request, |answer| match answer.byte()? {
            1 => Some((1, answer.text()?.to_owned())),
            kind => (kind <= 2).then(|| (kind, String::new())),
        })
    }

    fn try_step(
        &mut self,
        replies: &TextReplies<'_>,
        sink: &mut dyn AnySink,
    ) -> Result<(), NoAnswer> {
        let mut request = Writer::with_room();
        request.wants(Wants {
            events: sink.wants_events(),
            checkpoints: sink.wants_checkpoints(),
        });
        request.replies(replies);
        let request = request.into_bytes();
        let answer = self.rules.call(&self.image, Call::Step, &request)?;
        let intern: Intern<'_> = &|text| self.rules.intern(text);
        let (status, items) = self.rules.read(Call::Step, &request, &answer, |answer| {
            let status = answer.status(intern)?;
            let items: Option<Vec<_>> = (0..answer.count(5)?).map(|_| read_item(answer)).collect();
            Some((status, items?))
        })?;
        self.status = status;
        self.image = answer.image.clone().expect("a step keeps its image");
        self.steps += 1;
        self.known = Arc::default();
        // What follows the byte of what is wanted.
        Arc::make_mut(&mut self.said).extend(&request[1..]);
        for item in items {
            match item {
                StepItem::Event(event) => sink.on_event(event),
                StepItem::Checkpoint(text) => sink.on_checkpoint(&TextCheckpoint(text)),
            }
        }
        Ok(())
    }
}

enum StepItem<'a> {
    Event(Value),
    Checkpoint(&'a str),
}

fn read_item<'a>(answer: &mut Reader<'a>) -> Option<StepItem<'a>> {
    match answer.byte()? {
        0 => Some(StepItem::Event(serde_json::from_str(answer.text()?).ok()?)),
        1 => Some(StepItem::Checkpoint(answer.text()?)),
        _ => None,
    }
}

/// A moment of which the state text is known.
pub(crate) struct TextCheckpoint<'a>(pub(crate) &'a str);

impl Checkpoint for TextCheckpoint<'_> {
    fn hash(&self) -> u64 {
        fnv1a(self.0.as_bytes())
    }

    fn write_text(&self, out: &mut dyn fmt::Write) -> fmt::Result {
        out.write_str(self.0)
    }
}

impl AnyLeg for GuestLeg {
    fn to_move(&self) -> ToMove {
        match self.fault.get() {
            Some(_) => ToMove::Nobody,
            None => self.status.to_move,
        }
    }

    fn period(&self) -> u32 {
        self.status.period
    }

    fn period_limit(&self) -> Option<Duration> {
        self.status.period_limit
    }

    fn round(&self) -> u32 {
        self.status.round
    }

    fn outcome(&self) -> Option<Outcome> {
        self.status.outcome.filter(|_| self.fault.get().is_none())
    }

    fn scores(&self) -> BySeat<i32> {
        self.status.scores
    }

    fn legal_actions(&self, seat: Seat) -> Vec<String> {
        let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
        let legal = known_or(&self.known.legal[seat], || {
            let mut request = Writer::default();
            request.seat(seat);
            self.ask(Call::Legal, request, |answer| answer.texts().map(owned))
        });
        legal.unwrap_or_default()
    }

    fn sample_action(&self, seat: Seat, rng: &mut Rng) -> Option<String> {
        if !self.rules.has(Call::Sample) {
            let mut legal = self.legal_actions(seat);
            let chosen = rng.next_below(legal.len());
            return (chosen < legal.len()).then(|| legal.swap_remove(chosen));
        }
        let mut request = Writer::default();
        request.seat(seat);
        request.long(rng.next_u64());
        self.ask(Call::Sample, request, |answer| {
            answer.text().map(str::to_owned)
        })
    }

    fn check_action(&self, seat: Seat, action: &str) -> Result<(), Illegal> {
        match self.check(seat, action) {
            Some((0, _)) => Ok(()),
            Some((1, why)) => Err(Illegal(
                leitai_game::clean_text::clean_line(&why)
                    .into_owned()
                    .into(),
            )),
            Some(_) => Err(Illegal(say!("there is no action {action:?}"))),
            None => Err(Illegal(say!("cannot be checked, as the rules failed"))),
        }
    }

    fn knows_action(&self, action: &str) -> bool {
        self.check(Seat::First, action)
            .is_some_and(|(kind, _)| kind != 2)
    }

    fn step(&mut self, replies: TextReplies<'_>, sink: &mut dyn AnySink) {
        if self.fault.get().is_none() {
            let stepped = self.try_step(&replies, sink);
            self.keep_fault(stepped);
        }
    }

    fn view(&self, perspective: Perspective) -> Value {
        let view = known_or(self.known.view(perspective), || {
            let mut request = Writer::default();
            request.perspective(perspective);
            self.ask(Call::View, request, |answer| {
                serde_json::from_str(answer.text()?).ok()
            })
        });
        view.unwrap_or_default()
    }

    fn state_text(&self) -> String {
        let text = known_or(&self.known.text, || {
            self.ask(Call::Text, Writer::default(), |answer| {
                answer.text().map(str::to_owned)
            })
        });
        text.unwrap_or_default()
    }

    /// What the view declares.
    #[cfg(not(target_family = "wasm"))]
    fn render_position(&self, look: &RenderOptions) -> Rendering {
        picture::draw(&self.view(look.perspective))
    }

    /// A page is no terminal.
    #[cfg(target_family = "wasm")]
    fn render_position(&self, _: &RenderOptions) -> Rendering {
        Rendering {
            board: Vec::new(),
            panel: Vec::new(),
        }
    }

    fn clone_leg(&self) -> Box<dyn AnyLeg> {
        Box::new(self.copy())
    }

    fn fault(&self) -> Option<GameFault> {
        self.fault.get().cloned()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

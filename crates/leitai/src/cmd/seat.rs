//! `leitai seat GAME PROGRAM`, for internal use: a program plays one seat of legs that another program
//! leads, such as an environment of the Python package, by the judge's protocols, clock and sandbox.
//!
//! Lines of JSON on stdin: `{"start": SETUP, "seat": 0|1, "seed": N, "replies": "…"}` begins a leg, after
//! these replies if there are any, and `{"replies": "…"}` tells the tokens of further steps, as in a
//! replay. On stdout: `{"ready": NAME}` once, with what the arena tells of a `bot` of its ladder, then `{"step": K, "reply": "…"}` for each reply of the
//! program, K counting all steps from 0, with `"fault": {"code", "what"}` if it did something wrong, and
//! `{"void": WHY}` if the machine was too busy to judge it. For `ladder:ADDRESS/GAME` alone it says
//! `{"bots": […]}`, those that can be fetched, and ends.

use std::cell::{Cell, RefCell};
use std::io::{BufRead, stdin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, channel};
use std::time::Duration;

use leitai_game::replay::{LegRecord, RerunRecord, parse_token};
use leitai_game::{AnyLeg, AnySetup, ByEntrant, GameHandle, Reply, Seat};
use leitai_judge::driver::MOST_RERUNS;
use leitai_judge::{
    EntrantSettings, HumanAnswer, HumanInput, MatchObserver, MatchProgress, MatchSpec, Player,
    PlayerKind, ResumePoint, Tier, play_match,
};
use leitai_series::EntrantRequest;
use leitai_series::entrant::build_player;

use crate::arguments;
use crate::cli::SeatArgs;
use crate::isolation::RequestedIsolation;
use crate::plan::MatchPlan;
use crate::prelude::*;
use crate::remote::ladder_bots::LadderWord;
use crate::series::print_build_notice;

/// The other seat has all the time that it wants: a year.
const NO_LIMIT: Duration = Duration::from_secs(365 * 24 * 3600);
/// How long the judge listens to the program before it looks for a line, while the program thinks.
const LISTEN: Duration = Duration::from_millis(2);
/// How long it waits for a line while nobody thinks.
const WAIT: Duration = Duration::from_millis(20);

/// Runs the command.
pub fn run(lang: Localizer, args: &SeatArgs) -> Result<ExitCode> {
    let game = arguments::find_game(&args.game)?;
    let mut ready = json!({});
    let mut is_strange = false;
    let request = if let Some(ladder) = LadderWord::parse(&args.bot, game.meta().id)? {
        let api = ladder.client(lang);
        if !ladder.names_bot() {
            say(&json!({"bots": ladder.list(&api)?}))?;
            return Ok(ExitCode::SUCCESS);
        }
        let fetched = ladder.fetch(lang, &api)?;
        is_strange = args.options.isolation == RequestedIsolation::Auto;
        ready["bot"] = fetched.facts;
        ready["path"] = fetched.path.to_string_lossy().into();
        EntrantRequest {
            word: fetched.path.to_string_lossy().into_owned(),
            ..EntrantRequest::default()
        }
    } else {
        EntrantRequest::parse(&*game, &args.bot)?
    };
    let mut plan = MatchPlan::new(&game, &args.options)?;
    plan.open_sandbox(lang, &[&request])?;
    if is_strange && !matches!(plan.options.sandbox.tier(), Tier::A | Tier::B) {
        bail!(
            "{}",
            lang.label(
                "programs of others need isolation A or B, which this machine does not offer: leitai doctor says how to get it"
            )
        );
    }
    let (player, _folder) = build_player(&*game, &request, &plan.options, &mut |notice| {
        print_build_notice(lang, notice);
    })?;
    if let PlayerKind::Broken(why) = &player.kind {
        bail!("{why}");
    }
    ready["ready"] = player.name.clone().into();
    say(&ready)?;
    let lines = read_lines();
    let table = Table {
        game,
        player,
        settings: request.settings,
        plan,
        lines,
    };
    let mut next = table.wait_for_start()?;
    while let Some(start) = next {
        next = table.play_leg(&start)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn say(line: &Value) -> Result<()> {
    print_stdout(&format!("{line}\n"))
}

/// A line of stdin.
enum Line {
    Start(Start),
    Replies(String),
    Wrong(String),
}

/// The beginning of a leg.
struct Start {
    setup: Value,
    seat: Seat,
    seed: u64,
    replies: String,
}

impl Line {
    fn parse(text: &str) -> Line {
        let read = |line: &Value| {
            let replies = line["replies"].as_str().unwrap_or_default().to_owned();
            let Some(setup) = line.get("start") else {
                return Some(Line::Replies(replies));
            };
            let seat = usize::try_from(line["seat"].as_u64()?).ok()?;
            Some(Line::Start(Start {
                setup: setup.clone(),
                seat: *Seat::BOTH.get(seat)?,
                seed: line["seed"].as_u64().unwrap_or_default(),
                replies,
            }))
        };
        let line = serde_json::from_str::<Value>(text).ok();
        let read = line.filter(Value::is_object).as_ref().and_then(read);
        read.unwrap_or_else(|| {
            let start: String = clean_line(text).chars().take(80).collect();
            Line::Wrong(format!("{start:?} is no line of `leitai seat`"))
        })
    }
}

/// The lines of stdin, up to its end.
fn read_lines() -> Receiver<Line> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for text in stdin().lock().lines() {
            let line = match text {
                Ok(text) => Line::parse(&text),
                Err(error) => Line::Wrong(error.to_string()),
            };
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

/// The program, and what its legs are played with.
struct Table {
    game: GameHandle,
    player: Player,
    settings: EntrantSettings,
    plan: MatchPlan,
    lines: Receiver<Line>,
}

impl Table {
    fn wait_for_start(&self) -> Result<Option<Start>> {
        while let Ok(line) = self.lines.recv() {
            match line {
                Line::Start(start) => return Ok(Some(start)),
                // Of a leg that is over.
                Line::Replies(_) => {}
                Line::Wrong(why) => bail!("{why}"),
            }
        }
        Ok(None)
    }

    /// Plays a leg, again from its last position if the machine was too busy, and waits for the next.
    fn play_leg(&self, start: &Start) -> Result<Option<Start>> {
        let setup = self.game.read_setup(&start.setup)?;
        let seat = Conversation::new(self, &*setup, start)?;
        for tries in 0..=MOST_RERUNS {
            let from = seat.resume_point(&*setup)?;
            seat.stop.store(false, Ordering::Relaxed);
            play_match(
                &self.match_spec(start, setup.clone(), from),
                &mut Other(&seat),
                &mut Watcher(&seat),
                &seat.stop,
            )?;
            seat.check()?;
            match seat.disturbance.take() {
                Some(why) if tries == MOST_RERUNS => say(&json!({"void": why.why}))?,
                Some(_) => continue,
                None => {}
            }
            break;
        }
        match seat.next.take() {
            None if !seat.has_ended.get() => self.wait_for_start(),
            next => Ok(next),
        }
    }

    fn match_spec(
        &self,
        start: &Start,
        setup: Arc<dyn AnySetup>,
        from: Option<ResumePoint>,
    ) -> MatchSpec {
        let own = start.seat.entrant_in_leg(0);
        let players = ByEntrant::from_fn(|entrant| match entrant == own {
            true => self.player.clone(),
            false => Player {
                name: "other".to_owned(),
                kind: PlayerKind::Human {
                    period: NO_LIMIT,
                    protocol: None,
                },
            },
        });
        let mut settings = ByEntrant::<EntrantSettings>::default();
        settings[own] = self.settings.clone();
        let options = &self.plan.options;
        MatchSpec {
            legs: 1,
            settings,
            limits: options.limits,
            resources: options.resources,
            sandbox: options.sandbox.clone(),
            from,
            ..MatchSpec::with_setup(
                self.game.clone(),
                options.config.clone(),
                start.seed,
                setup,
                players,
            )
        }
    }
}

/// What is said and played in one leg.
struct Conversation<'a> {
    lines: &'a Receiver<Line>,
    seat: Seat,
    /// The tokens that were told, from the first step on, and those of the judge.
    told: RefCell<Vec<String>>,
    played: RefCell<Vec<String>>,
    /// The position of `played`.
    leg: RefCell<Box<dyn AnyLeg>>,
    /// The program's replies to steps before this one have been said.
    said: Cell<usize>,
    /// Whether the program owes a reply.
    thinks: Cell<bool>,
    disturbance: Cell<Option<RerunRecord>>,
    next: Cell<Option<Start>>,
    has_ended: Cell<bool>,
    failure: Cell<Option<anyhow::Error>>,
    stop: AtomicBool,
}

impl<'a> Conversation<'a> {
    fn new(table: &'a Table, setup: &dyn AnySetup, start: &Start) -> Result<Conversation<'a>> {
        let told: Vec<String> = words(&start.replies);
        let seat = Conversation {
            lines: &table.lines,
            seat: start.seat,
            said: Cell::new(told.len()),
            told: RefCell::new(told.clone()),
            played: RefCell::default(),
            leg: RefCell::new(setup.start_leg()),
            thinks: Cell::new(false),
            disturbance: Cell::default(),
            next: Cell::default(),
            has_ended: Cell::new(false),
            failure: Cell::default(),
            stop: AtomicBool::new(false),
        };
        told.iter().try_for_each(|token| seat.play(token))?;
        Ok(seat)
    }

    /// The moment after what was played, unless that is the beginning.
    fn resume_point(&self, setup: &dyn AnySetup) -> Result<Option<ResumePoint>> {
        let played = self.played.borrow();
        if played.is_empty() {
            return Ok(None);
        }
        let record = LegRecord {
            replies: played.join(" "),
            ..LegRecord::default()
        };
        Ok(Some(ResumePoint::from_recorded_legs(setup, vec![record])?))
    }

    /// Plays a token.
    fn play(&self, token: &str) -> Result<()> {
        let mut leg = self.leg.borrow_mut();
        let replies = parse_token(token, leg.to_move()).map_err(anyhow::Error::msg)?;
        leg.step(replies, &mut ());
        self.played.borrow_mut().push(token.to_owned());
        Ok(())
    }

    /// Says what the program replied in steps that are over, and in the present one.
    fn note(&self, progress: &MatchProgress<'_>) -> Result<()> {
        let steps = self.played.borrow().len();
        let tokens = progress.replies.split_ascii_whitespace();
        if tokens.clone().count() < steps {
            // The leg is played again up to where it was.
            self.thinks.set(true);
            return Ok(());
        }
        for token in tokens.skip(steps) {
            let to_move = self.leg.borrow().to_move();
            let replies = parse_token(token, to_move).map_err(anyhow::Error::msg)?;
            self.say_reply(replies[self.seat], progress)?;
            self.play(token)?;
        }
        self.say_reply(progress.answered[self.seat], progress)?;
        let asked = progress.leg.to_move().asks_seat(self.seat);
        self.thinks
            .set(asked && progress.answered[self.seat].is_none());
        Ok(())
    }

    /// Says a reply of the program in the step that comes after those played, once.
    fn say_reply(&self, reply: Option<Reply<&str>>, progress: &MatchProgress<'_>) -> Result<()> {
        let step = self.played.borrow().len();
        let (Some(reply), true) = (reply, step >= self.said.get()) else {
            return Ok(());
        };
        self.said.set(step + 1);
        let text = match reply {
            Reply::Action(text) => text.to_owned(),
            Reply::Fault(fault) => format!("!{}", fault.code()),
        };
        let mut line = json!({"step": step, "reply": text});
        let wrong = progress.faults.iter().rev();
        let mut wrong = wrong.filter(|fault| fault.seat == self.seat && fault.step == step);
        if let Some(fault) = wrong.next() {
            line["fault"] = json!({"code": fault.code, "what": fault.what});
        }
        say(&line)
    }

    /// The other seat's reply in the present step, if it was told.
    fn reply_of_other(&self) -> Result<Option<HumanAnswer>> {
        let (told, step) = (self.told.borrow(), self.played.borrow().len());
        let Some(token) = told.get(step) else {
            return Ok(None);
        };
        let replies =
            parse_token(token, self.leg.borrow().to_move()).map_err(anyhow::Error::msg)?;
        Ok(replies[self.seat.other()].map(|reply| match reply {
            Reply::Action(text) => HumanAnswer::Action(text.to_owned()),
            // The rules make no difference between faults.
            Reply::Fault(_) => HumanAnswer::TimeUp {
                allowed: Duration::ZERO,
            },
        }))
    }

    /// Reads what was told, waiting a little while nobody thinks.
    fn read(&self) {
        let wait = if self.thinks.get() {
            Duration::ZERO
        } else {
            WAIT
        };
        let line = match self.lines.try_recv() {
            Err(TryRecvError::Empty) => self.lines.recv_timeout(wait),
            Err(TryRecvError::Disconnected) => Err(RecvTimeoutError::Disconnected),
            Ok(line) => Ok(line),
        };
        match line {
            Ok(Line::Replies(replies)) => self.told.borrow_mut().extend(words(&replies)),
            Ok(Line::Start(start)) => self.end(|| self.next.set(Some(start))),
            Ok(Line::Wrong(why)) => self.fail(anyhow::Error::msg(why)),
            Err(RecvTimeoutError::Disconnected) => self.end(|| self.has_ended.set(true)),
            Err(RecvTimeoutError::Timeout) => {}
        }
    }

    fn end(&self, note: impl FnOnce()) {
        note();
        self.stop.store(true, Ordering::Relaxed);
    }

    fn fail(&self, error: anyhow::Error) {
        self.end(|| self.failure.set(Some(error)));
    }

    fn check(&self) -> Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }
}

fn words(replies: &str) -> Vec<String> {
    let tokens = replies.split_ascii_whitespace();
    tokens.map(str::to_owned).collect()
}

/// The other seat, of which lines tell.
struct Other<'a>(&'a Conversation<'a>);

impl HumanInput for Other<'_> {
    fn ask_person(&mut self, _: &dyn AnyLeg, _: Seat, _: Duration) {}

    fn poll_interval(&self) -> Duration {
        if self.0.thinks.get() {
            LISTEN
        } else {
            Duration::ZERO
        }
    }

    fn poll_answer(&mut self, _: &dyn AnyLeg) -> Option<(Seat, HumanAnswer)> {
        let known = |seat: &Conversation<'_>| {
            let reply = seat.reply_of_other();
            reply.unwrap_or_else(|error| {
                seat.fail(error);
                None
            })
        };
        let reply = known(self.0).or_else(|| {
            self.0.read();
            known(self.0)
        });
        Some((self.0.seat.other(), reply?))
    }
}

/// Follows the judge.
struct Watcher<'a>(&'a Conversation<'a>);

impl MatchObserver for Watcher<'_> {
    fn on_progress(&mut self, progress: &MatchProgress<'_>) {
        if let Err(error) = self.0.note(progress) {
            self.0.fail(error);
        }
    }

    fn leg_again(&mut self, _: usize, why: &RerunRecord) {
        let why = why.clone();
        self.0.end(|| self.0.disturbance.set(Some(why)));
    }
}

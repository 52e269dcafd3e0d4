//! One match, played for the desk.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant, SystemTime};

use leitai_game::replay::{LegRecord, RerunRecord};
use leitai_game::{AnyGame, AnyLeg, ByEntrant, Entrant, ToMove};
use leitai_judge::build::Ready;
use leitai_judge::clock::micros;
use leitai_judge::{Manners, Match, Nobody, Observer, Played, Player, PlayerKind, Progress, Sandbox, play};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

use super::desk::{Desk, EntrantTask, MatchTask, News, Report, Sits};
use super::lease::Held;
use super::terms;
use super::workshop::{Workshop, WorkshopError};

/// What came of a task.
pub enum Done {
    /// A result.
    Report(Report),
    /// It was interrupted: somebody else may do it.
    Back,
}

/// Plays a match.
pub fn play_for(
    desk: &dyn Desk,
    game: &'static dyn AnyGame,
    task: &MatchTask,
    workshop: &Workshop,
    held: &Held,
) -> Done {
    let seated = match seat(desk, game, task, workshop, held) {
        Ok(seated) => seated,
        Err(why) => return Done::Report(Report::Ours(why)),
    };
    let mut teller = Teller::new(desk, held, task.paced.then(|| pace(&seated.fixture)));
    match play(&seated.fixture, &mut Nobody, &mut teller, &held.stop) {
        Ok(played) => judged(played),
        Err(error) => Done::Report(Report::Ours(error.to_string())),
    }
}

fn judged(played: Played) -> Done {
    if let Some(why) = &played.void {
        let why = format!("the machine was too busy to judge fairly in round {}: {}", why.round, why.why);
        return Done::Report(Report::Ours(why));
    }
    if played.verdict.is_none() {
        return Done::Back;
    }
    let longest_us = played.slowest.map(|spent| micros(spent.wall));
    Done::Report(Report::Match { replay: played.replay.to_text(), longest_us })
}

struct Seated {
    fixture: Match,
    /// Keeps the programs' folders.
    _programs: Vec<Arc<Ready>>,
}

fn seat(
    desk: &dyn Desk,
    game: &'static dyn AnyGame,
    task: &MatchTask,
    workshop: &Workshop,
    held: &Held,
) -> Result<Seated, String> {
    let mut programs = Vec::new();
    let mut one = |entrant: &EntrantTask| player(desk, game, entrant, workshop, held, &mut programs);
    let (a, b) = (one(&task.entrants[Entrant::A])?, one(&task.entrants[Entrant::B])?);
    let setup = game.deal(&task.config, task.seed).map_err(|error| error.to_string())?;
    let sandbox = match workshop.sandbox() {
        Some(sandbox) if !programs.is_empty() => sandbox.clone(),
        _ => Sandbox::none(),
    };
    let fixture = Match {
        game,
        config: task.config.clone(),
        seed: task.seed,
        setup,
        legs: task.legs,
        players: ByEntrant::new(a, b),
        limits: terms::limits(game, &task.limits),
        resources: terms::resources(),
        sandbox,
        recorded: now(),
        from: None,
        manners: Manners::Usual,
    };
    Ok(Seated { fixture, _programs: programs })
}

fn player(
    desk: &dyn Desk,
    game: &'static dyn AnyGame,
    entrant: &EntrantTask,
    workshop: &Workshop,
    held: &Held,
    programs: &mut Vec<Arc<Ready>>,
) -> Result<Player, String> {
    let name = entrant.name.clone();
    let source = match &entrant.sits {
        Sits::BuiltIn(bot) => return Ok(Player { name, kind: PlayerKind::BuiltIn(bot.clone()) }),
        Sits::Program(source) => source,
    };
    match workshop.ready(game, source, None, || desk.source(&held.lease, source)) {
        Ok(ready) => {
            let kind = ready.player.kind.clone();
            programs.push(ready);
            Ok(Player { name, kind })
        }
        // It was built and checked before, so that this machine must lack something.
        Err(WorkshopError::Build(error)) if !error.is_ours() => {
            Ok(Player { name, kind: PlayerKind::Broken(error.to_string()) })
        }
        Err(error) => Err(error.to_string()),
    }
}

/// This moment, RFC 3339, to the second.
pub fn now() -> Option<String> {
    let now = OffsetDateTime::from(SystemTime::now()).replace_nanosecond(0).ok()?;
    now.format(&Rfc3339).ok()
}

/// Time between two steps that people can follow: seven actions a second where one moves at a time, else somewhat
/// more than two rounds.
fn pace(fixture: &Match) -> Duration {
    match fixture.setup.start().to_move() {
        ToMove::Both => Duration::from_millis(430),
        _ => Duration::from_millis(140),
    }
}

/// Tells the desk what is said, and slows the match down for people who watch. The clocks of those who play stand still
/// whenever it is called after a step.
struct Teller<'a> {
    desk: &'a dyn Desk,
    held: &'a Held,
    pace: Option<Duration>,
    index: Option<usize>,
    /// Bytes of replies, and replies, that were told.
    told: (usize, usize),
    /// Bytes of replies that were seen.
    seen: usize,
    last: Instant,
    due: Instant,
}

impl<'a> Teller<'a> {
    fn new(desk: &'a dyn Desk, held: &'a Held, pace: Option<Duration>) -> Teller<'a> {
        let now = Instant::now();
        Teller { desk, held, pace, index: None, told: (0, 0), seen: 0, last: now, due: now }
    }

    fn tell(&mut self, news: Vec<News>) {
        self.last = Instant::now();
        match self.desk.tell(&self.held.lease, news) {
            Ok(holding) => self.held.heard(holding),
            // Whoever watches misses something; the match goes on.
            Err(error) => tracing::debug!(%error, "cannot tell how a match goes"),
        }
    }

    fn begin(&mut self, index: usize) {
        if self.index != Some(index) {
            (self.index, self.told, self.seen) = (Some(index), (0, 0), 0);
            self.tell(vec![News::Leg(index)]);
        }
    }

    fn steps(&mut self, index: usize, replies: &str, times_us: &[u64]) {
        let (bytes, times) = self.told;
        let (Some(tokens), Some(times)) = (replies.get(bytes..), times_us.get(times..)) else { return };
        if !tokens.trim().is_empty() {
            self.told = (replies.len(), times_us.len());
            let (tokens, times_us) = (tokens.trim().to_owned(), times.to_vec());
            self.tell(vec![News::Steps { index, tokens, times_us }]);
        }
    }

    /// Rests until the next step may be shown.
    fn rest(&mut self) {
        let Some(pace) = self.pace else { return };
        self.due = (self.due + pace).max(Instant::now());
        while !self.held.stop.load(Ordering::Relaxed) {
            let left = self.due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            std::thread::sleep(left.min(Duration::from_millis(100)));
        }
    }
}

impl Observer for Teller<'_> {
    fn progress(&mut self, progress: &Progress<'_>) {
        self.begin(progress.index);
        let new = progress.replies.len() > self.seen;
        self.seen = progress.replies.len();
        let waited = self.last.elapsed() >= self.desk.rhythm();
        if waited || (new && self.pace.is_some_and(|pace| pace >= self.desk.rhythm())) {
            self.steps(progress.index, progress.replies, progress.times_us);
        }
        if new {
            self.rest();
        }
    }

    fn leg_again(&mut self, index: usize, _: &RerunRecord) {
        (self.told, self.seen) = ((0, 0), 0);
        self.tell(vec![News::Again(index)]);
    }

    fn leg_over(&mut self, index: usize, record: &LegRecord, _: &dyn AnyLeg) {
        self.steps(index, &record.replies, &record.times_us);
    }
}

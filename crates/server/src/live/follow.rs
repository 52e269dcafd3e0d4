//! A match of another server, followed while somebody watches it here. Its moves come over the bus,
//! and the frames are computed here from the same moves: so they are the same.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use leitai_game::GameSet;
use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;

use super::live_match::LiveMatch;
use super::match_state::{LiveMatchStart, LiveMatchState};
use super::move_log::{MoveLog, SharedMoves};
use super::shared::{
    Answer, EVERY_SERVER, EventKind, MatchEvent, MatchNews, Question, RunName, SharedStart,
    events_subject, one_server,
};
use crate::bus::{ArenaBus, BusError, BusMessage};
use crate::sync::lock;

/// Tells whether a match has ended, as the database has it.
pub type MatchCheck = Arc<dyn Fn(i64) -> Pin<Box<dyn Future<Output = bool> + Send>> + Send + Sync>;

/// The pause between two questions to the owner: it learns that the match is still watched here, and
/// this server whether it missed the last event.
const RENEWAL: Duration = Duration::from_secs(5);
/// The pause before a question is asked again that nobody answered.
const RETRY: Duration = Duration::from_millis(250);
/// The time limit of an answer.
const ANSWER: Duration = Duration::from_secs(2);
/// Questions without an answer after which every server is asked, and not the owner alone. It may
/// come back to the bus later than this server.
const MOST_UNANSWERED: u32 = 20;
/// The pause between two looks into the database whether a match has ended.
const LOOK: Duration = Duration::from_secs(5);

/// The other servers of the arena.
pub struct OtherServers {
    /// The bus.
    pub bus: ArenaBus,
    games: GameSet,
    is_over: MatchCheck,
    pause: Duration,
    begun: Arc<Notify>,
    followed: Mutex<BTreeMap<i64, Weak<Follow>>>,
}

impl fmt::Debug for OtherServers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtherServers")
            .field("bus", &self.bus)
            .finish_non_exhaustive()
    }
}

/// Follows a match until the value is dropped.
pub struct Follow {
    id: i64,
    others: Arc<OtherServers>,
    live_match: FollowedMatch,
    /// Ends the task when it is dropped.
    _keep: oneshot::Sender<()>,
}

/// The match, once something is known of it.
type FollowedMatch = Arc<Mutex<Option<Arc<LiveMatch>>>>;

impl fmt::Debug for Follow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Follow")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl Follow {
    /// The match, once something is known of it.
    pub fn live_match(&self) -> Option<Arc<LiveMatch>> {
        lock(&self.live_match).clone()
    }
}

impl Drop for Follow {
    fn drop(&mut self) {
        let mut followed = lock(&self.others.followed);
        if followed
            .get(&self.id)
            .is_some_and(|follow| follow.strong_count() == 0)
        {
            followed.remove(&self.id);
        }
    }
}

impl OtherServers {
    /// The other servers on this bus.
    pub fn new(
        bus: ArenaBus,
        games: impl Into<GameSet>,
        is_over: MatchCheck,
        pause: Duration,
        begun: Arc<Notify>,
    ) -> OtherServers {
        OtherServers {
            bus,
            games: games.into(),
            is_over,
            pause,
            begun,
            followed: Mutex::default(),
        }
    }

    /// The follow of this match, if it is followed.
    pub fn find_follow(&self, id: i64) -> Option<Arc<Follow>> {
        // A follow that is dropped here takes the lock itself.
        let found = lock(&self.followed).get(&id).cloned();
        found?.upgrade()
    }

    /// The states of the matches that are followed.
    pub fn list_matches(&self) -> Vec<LiveMatchState> {
        let followed: Vec<Weak<Follow>> = lock(&self.followed).values().cloned().collect();
        // A follow that is dropped here takes the lock itself.
        let followed = followed.iter().filter_map(Weak::upgrade);
        let shown = followed.filter_map(|follow| follow.live_match());
        shown.map(|live_match| live_match.current_state()).collect()
    }

    /// Follows a match; those who watch it share the follow. Must be called in a runtime.
    pub fn follow_match(self: &Arc<OtherServers>, id: i64) -> Arc<Follow> {
        if let Some(follow) = self.find_follow(id) {
            return follow;
        }
        let (keep, dropped) = oneshot::channel();
        let live_match = FollowedMatch::default();
        let follow = Arc::new(Follow {
            id,
            others: self.clone(),
            live_match: live_match.clone(),
            _keep: keep,
        });
        lock(&self.followed).insert(id, Arc::downgrade(&follow));
        let follower = Follower {
            id,
            others: self.clone(),
            shown: live_match,
            run: None,
            owner: None,
            unanswered: 0,
            looked: None,
        };
        tokio::spawn(async move {
            tokio::select! {
                () = follower.follow() => {}
                _ = dropped => {}
            }
        });
        follow
    }
}

/// The task that follows a match.
struct Follower {
    id: i64,
    others: Arc<OtherServers>,
    shown: FollowedMatch,
    run: Option<FollowedRun>,
    /// The server that plays the match.
    owner: Option<String>,
    /// Questions without an answer since the last one with one.
    unanswered: u32,
    /// When the database was looked into.
    looked: Option<Instant>,
}

/// The run that is followed.
struct FollowedRun {
    name: RunName,
    start: SharedStart,
    live_match: Arc<LiveMatch>,
    /// The number of starts of legs in the match's log here before this run.
    base: u64,
    /// The number of the last event that is here.
    sequence: u64,
    presence: Option<String>,
}

/// What the task does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// Nothing before the next event.
    Wait,
    /// A question, after this pause.
    Ask(Duration),
    /// Looks whether the match is over.
    Look,
    /// The match is over.
    End,
}

impl Follower {
    async fn follow(mut self) {
        let subject = events_subject(self.id);
        let mut returns = self.others.bus.returns();
        loop {
            let Ok(mut events) = self.others.bus.subscribe(&subject).await else {
                tokio::time::sleep(RETRY).await;
                continue;
            };
            let mut due = Instant::now();
            loop {
                let mut next = tokio::select! {
                    // Events first: they make questions unnecessary.
                    biased;
                    event = events.next() => match event {
                        Some(event) => self.take_event(&event),
                        None => break,
                    },
                    Ok(()) = returns.changed() => Next::Ask(Duration::ZERO),
                    () = tokio::time::sleep_until(due) => tokio::select! {
                        biased;
                        // A match that begins ends the question, which nobody could answer before.
                        event = events.next(), if self.run.is_none() => match event {
                            Some(event) => self.take_event(&event),
                            None => break,
                        },
                        next = self.ask() => next,
                    },
                };
                if next == Next::Look {
                    next = self.look().await;
                }
                match next {
                    Next::Wait | Next::Look => {}
                    Next::Ask(pause) => due = Instant::now() + pause,
                    Next::End => return self.end(),
                }
            }
        }
    }

    /// Ends the match here: its spectators get the result.
    fn end(&self) {
        if let Some(run) = &self.run {
            run.live_match.update_moves(MoveLog::end_match);
        }
    }

    /// Looks into the database whether the match is over.
    async fn look(&mut self) -> Next {
        self.looked = Some(Instant::now());
        if (self.others.is_over)(self.id).await {
            return Next::End;
        }
        Next::Ask(RETRY)
    }

    async fn ask(&mut self) -> Next {
        let question = Question {
            id: self.id,
            run: self.run.as_ref().map(|run| run.name.clone()),
            have: self.run.as_ref().and_then(|run| {
                let end = run.live_match.update_moves(|moves| moves.end());
                end.counted_from(run.base)
            }),
        };
        let subject = match &self.owner {
            Some(owner) => one_server(owner),
            None => EVERY_SERVER.to_owned(),
        };
        let answer = self.others.bus.request(&subject, &question, ANSWER).await;
        match answer {
            Ok(Answer::Match(news)) => {
                self.unanswered = 0;
                self.take_news(*news)
            }
            Ok(Answer::NotHere) => {
                self.owner = None;
                Next::Look
            }
            Err(error) => self.note_unanswered(&error),
        }
    }

    fn note_unanswered(&mut self, error: &BusError) -> Next {
        self.unanswered += 1;
        tracing::debug!(id = self.id, %error, "a question about a match was not answered");
        if self.unanswered >= MOST_UNANSWERED || matches!(error, BusError::Unreadable(_)) {
            self.owner = None;
        }
        let is_time = self.looked.is_none_or(|at| at.elapsed() >= LOOK);
        match self.run {
            // Who waits for a match that is not played yet is told when it begins.
            None => Next::Ask(RENEWAL),
            Some(_) if is_time => Next::Look,
            Some(_) => Next::Ask(RETRY),
        }
    }

    fn take_event(&mut self, message: &BusMessage) -> Next {
        let Some(event) = self.others.bus.read::<MatchEvent>(message) else {
            return Next::Wait;
        };
        let (from, event) = (event.from, event.body);
        let Some(run) = self.run.as_mut().filter(|run| run.name == event.run) else {
            let is_news = (self.run.as_ref()).is_none_or(|run| event.run.replaces(&run.name));
            if is_news {
                self.owner = Some(from);
                return Next::Ask(Duration::ZERO);
            }
            return Next::Wait;
        };
        if event.sequence <= run.sequence {
            return Next::Wait;
        }
        if event.sequence > run.sequence + 1 {
            return Next::Ask(Duration::ZERO);
        }
        run.sequence = event.sequence;
        match event.what {
            EventKind::Begun => Next::Wait,
            EventKind::Moves(moves) => run.adopt_moves(&[moves]),
            EventKind::Presence(message) => {
                run.set_presence(Some(message));
                Next::Wait
            }
            EventKind::Over => {
                self.owner = None;
                Next::Look
            }
        }
    }

    fn take_news(&mut self, news: MatchNews) -> Next {
        let is_same = self.run.as_ref().is_some_and(|run| run.name == news.run);
        if !is_same && !self.begin_run(&news) {
            return Next::Ask(RENEWAL);
        }
        self.owner = Some(news.owner);
        let Some(run) = &mut self.run else {
            return Next::Ask(RENEWAL);
        };
        let next = run.adopt_moves(&news.moves);
        run.set_presence(news.presence);
        if next != Next::Wait {
            return next;
        }
        if !news.is_all {
            return Next::Ask(Duration::ZERO);
        }
        run.sequence = news.sequence;
        Next::Ask(RENEWAL)
    }

    /// Begins to show a run; returns whether it can be shown.
    fn begin_run(&mut self, news: &MatchNews) -> bool {
        let Some(start) = &news.start else {
            return false;
        };
        // A server that was away may still believe that it plays the match.
        if (self.run.as_ref()).is_some_and(|run| run.name.replaces(&news.run)) {
            self.owner = None;
            return false;
        }
        let same = self.run.take().filter(|run| run.start == *start);
        let live_match = match same {
            // Whoever watches goes on watching.
            Some(run) => run.live_match,
            None => match self.make_match(start) {
                Some(live_match) => live_match,
                None => return false,
            },
        };
        self.run = Some(FollowedRun {
            name: news.run.clone(),
            start: start.clone(),
            base: live_match.update_moves(|moves| moves.beginnings()),
            live_match: live_match.clone(),
            sequence: 0,
            presence: None,
        });
        *lock(&self.shown) = Some(live_match);
        self.others.begun.notify_waiters();
        true
    }

    fn make_match(&self, start: &SharedStart) -> Option<Arc<LiveMatch>> {
        let game = self.others.games.find_rules(&start.game, &start.rules);
        let game = game.filter(|game| game.meta().rules == start.rules);
        let setup = game
            .as_ref()
            .and_then(|game| game.read_setup(&start.setup).ok());
        let (Some(game), Some(setup)) = (game, setup) else {
            tracing::warn!(
                id = self.id,
                rules = start.rules,
                "a match of another server cannot be shown: this server knows other rules; bring \
                 both to the same version of Leitai"
            );
            return None;
        };
        let start = LiveMatchStart {
            id: self.id,
            game,
            setup,
            legs: start.legs,
            entrants: start.entrants.clone(),
            has_people: start.has_people,
        };
        Some(Arc::new(LiveMatch::new(start, self.others.pause)))
    }
}

impl FollowedRun {
    fn adopt_moves(&mut self, all: &[SharedMoves]) -> Next {
        let base = self.base;
        let adopted = self.live_match.update_moves(|log| {
            let mut all = all.iter();
            all.try_for_each(|moves| log.adopt_moves(moves, base))
        });
        match adopted {
            Ok(()) => Next::Wait,
            Err(_) => {
                // The leg is shown from its beginning.
                self.base = self.live_match.update_moves(|log| log.beginnings());
                self.sequence = 0;
                Next::Ask(RETRY)
            }
        }
    }

    fn set_presence(&mut self, message: Option<String>) {
        if let Some(message) = message.filter(|message| self.presence.as_ref() != Some(message)) {
            self.live_match.set_presence(message.clone().into());
            self.presence = Some(message);
        }
    }
}

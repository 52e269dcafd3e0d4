//! Human matches: matches in which people play. The server plays them itself, each on a thread of
//! its own, and keeps the people's clocks.
//!
//! | module | content |
//! |---|---|
//! | [`state`] | a match as its people see it: presence, questions, answers |
//! | [`participant`] | one person: connection, frames, clock |
//! | [`time_budget`] | how much time people have |
//! | [`judge_bridge`] | between the judge's thread and the state |
//! | [`clock`] | the time, as an argument for tests |
//! | [`run`] | a match with people from the lease to the result |
//! | [`recorder`] | moves that reach the disk while the match is played |
//! | [`resume`] | matches that a restart of the server interrupted |
//! | [`context`] | the state that all of it needs |

pub mod clock;
pub mod context;
pub mod judge_bridge;
pub mod participant;
pub mod recorder;
pub mod resume;
pub mod run;
pub mod state;
#[cfg(test)]
mod tests;
pub mod time_budget;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use axum::extract::ws::Utf8Bytes;
use leitai_game::{ByEntrant, Entrant};
use leitai_judge::ResumePoint;
use leitai_store::{TokenHash, UserId};
use tokio::sync::mpsc;

use crate::client_address::ClientAddress;
use crate::config::Limits;
use crate::live::LegFramesHeader;
use crate::sync::lock;
use crate::work::leases::KeptLease;
use crate::work::program_cache::ProgramCache;
use clock::PlayClock;
pub use context::PlayContext;
pub use state::CloseReason;
use state::{HumanMatchState, ParticipantMessage};

/// How long a human match waits for its people as long as one of them is there.
pub const WAIT: Duration = Duration::from_secs(15 * 60);
/// How long it waits when nobody is there.
pub const VACANT: Duration = Duration::from_secs(60);
/// How long a human match waits for its people after a restart of the server.
pub const RETURN: Duration = Duration::from_secs(60);
/// Messages that a person may be behind; then it is cut off, and gets everything anew when it comes
/// back.
const BEHIND: usize = 256;

/// All human matches that wait or run here. Clones are handles of the same ones.
#[derive(Clone)]
pub struct HumanMatches {
    tables: Arc<Mutex<BTreeMap<i64, Arc<HumanMatch>>>>,
    clock: Arc<dyn PlayClock>,
    /// Where uploaded programs are built, once it is known.
    workshop: Arc<OnceLock<ProgramCache>>,
    limits: Arc<OnceLock<Limits>>,
    /// How long people may take to come back after a restart.
    returning: Duration,
    /// The server stops: what is cut off goes on after its restart.
    stopping: Arc<AtomicBool>,
}

impl Default for HumanMatches {
    fn default() -> HumanMatches {
        HumanMatches::with_clock(Arc::new(clock::SystemClock::default()))
    }
}

impl std::fmt::Debug for HumanMatches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tables")
            .field("tables", &self.tables)
            .finish_non_exhaustive()
    }
}

/// A human match to be added.
pub struct HumanMatchOptions {
    /// The match's id.
    pub id: i64,
    /// What is played.
    pub cast: LegFramesHeader,
    /// What persons show to join; nothing where a program sits or nobody has come yet.
    pub tokens: ByEntrant<Option<TokenHash>>,
    /// On which sides persons play.
    pub people: ByEntrant<bool>,
    /// Who opened it.
    pub by: Opener,
}

/// Who created a human match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opener {
    /// Somebody who is logged in.
    Account(UserId),
    /// Somebody at this address who is not.
    Guest(ClientAddress),
}

/// A match that goes on after a restart.
pub struct Resumed {
    /// The right to play it, which is renewed meanwhile.
    pub held: KeptLease,
    /// Its moves.
    pub from: ResumePoint,
}

/// A match with people.
pub struct HumanMatch {
    id: i64,
    tokens: Mutex<ByEntrant<Option<TokenHash>>>,
    floor: Mutex<HumanMatchState>,
    clock: Arc<dyn PlayClock>,
    by: Opener,
    opened: Duration,
    begun: AtomicBool,
    resumed: Mutex<Option<Resumed>>,
    /// The match is to end as soon as it can.
    pub stop: Arc<AtomicBool>,
}

impl std::fmt::Debug for HumanMatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table")
            .field("id", &self.id)
            .field("begun", &self.begun)
            .finish_non_exhaustive()
    }
}

/// Which limit allows no further human match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HumanMatchLimit {
    /// There are as many as this server plays.
    Server,
    /// There are as many of guests as this server plays.
    Guests,
    /// This account has opened too many.
    Account,
    /// Guests at this address have opened too many.
    Address,
}

/// A person's connection to a human match.
#[derive(Debug)]
pub struct JoinedParticipant {
    /// The human match.
    pub table: Arc<HumanMatch>,
    entrant: Entrant,
    line: u64,
    messages: mpsc::Receiver<Utf8Bytes>,
    /// Everybody is there for the first time: whoever sees it lets the match begin.
    pub begins: bool,
}

impl HumanMatches {
    /// With another clock.
    pub fn with_clock(clock: Arc<dyn PlayClock>) -> HumanMatches {
        let (tables, workshop, limits, stopping) = Default::default();
        HumanMatches {
            tables,
            clock,
            workshop,
            limits,
            returning: RETURN,
            stopping,
        }
    }

    /// How many human matches there may be. To be told once, by whoever starts the server.
    pub fn limit(&self, limits: Limits) {
        // Whoever comes second has the same options.
        _ = self.limits.set(limits);
    }

    /// With another time in which people come back after a restart.
    pub fn returning_within(self, returning: Duration) -> HumanMatches {
        HumanMatches { returning, ..self }
    }

    /// How long people may take to come back after a restart.
    pub fn returning(&self) -> Duration {
        self.returning
    }

    /// Uploaded programs play people, too, and are built here. To be told once, by whoever starts
    /// the server.
    pub fn use_workshop(&self, workshop: ProgramCache) {
        // Whoever comes second has the same machine.
        _ = self.workshop.set(workshop);
    }

    /// Where uploaded programs are built.
    pub fn workshop(&self) -> Option<&ProgramCache> {
        self.workshop.get()
    }

    /// Every match that has begun is cut off as soon as it can be, and goes on after the restart of
    /// the server.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        lock(&self.tables)
            .values()
            .for_each(|table| table.stop.store(true, Ordering::Relaxed));
    }

    /// Whether the server stops.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Waits until every match that had begun is cut off, at most so long.
    pub async fn wait_until_cut_off(&self, most: Duration) {
        const LOOK: Duration = Duration::from_millis(20);
        let begun = || {
            lock(&self.tables)
                .values()
                .any(|table| table.begun.load(Ordering::Relaxed))
        };
        let cut_off = async {
            while begun() {
                tokio::time::sleep(LOOK).await;
            }
        };
        if tokio::time::timeout(most, cut_off).await.is_err() {
            tracing::warn!("some matches with people may lack their last moves after the restart");
        }
    }

    /// Whether there is room for one more. Guests share a part of the human matches, and an address
    /// gets a quarter of what is free in it: so a few addresses never take all of it.
    pub fn room(&self, by: Opener) -> Result<(), HumanMatchLimit> {
        let limits = self.limits.get().copied().unwrap_or_default();
        let tables = lock(&self.tables);
        let own = tables.values().filter(|table| table.by == by).count();
        let guests = tables
            .values()
            .filter(|table| matches!(table.by, Opener::Guest(_)))
            .count();
        let free = limits.guest_tables.saturating_sub(guests);
        match by {
            _ if tables.len() >= limits.tables => Err(HumanMatchLimit::Server),
            Opener::Account(_) if own >= limits.account_tables => Err(HumanMatchLimit::Account),
            Opener::Guest(_) if free == 0 => Err(HumanMatchLimit::Guests),
            Opener::Guest(_) if own >= (free / 4).max(1) => Err(HumanMatchLimit::Address),
            _ => Ok(()),
        }
    }

    /// Adds a human match, which waits for its people.
    pub fn open(&self, opening: HumanMatchOptions) -> Arc<HumanMatch> {
        let HumanMatchOptions {
            id,
            cast,
            tokens,
            people,
            by,
        } = opening;
        let table = Arc::new(HumanMatch {
            id,
            tokens: Mutex::new(tokens),
            floor: Mutex::new(HumanMatchState::new(cast, people)),
            resumed: Mutex::default(),
            clock: self.clock.clone(),
            by,
            opened: self.clock.elapsed(),
            begun: AtomicBool::new(false),
            stop: Arc::default(),
        });
        lock(&self.tables).insert(id, table.clone());
        table
    }

    /// The human match with this id.
    pub fn table(&self, id: i64) -> Option<Arc<HumanMatch>> {
        lock(&self.tables).get(&id).cloned()
    }

    /// Removes a human match.
    pub fn close(&self, id: i64) {
        lock(&self.tables).remove(&id);
    }

    /// Takes away the human matches whose people did not come in time.
    pub fn expire(&self) -> Vec<Arc<HumanMatch>> {
        let now = self.clock.elapsed();
        let mut tables = lock(&self.tables);
        let late: Vec<Arc<HumanMatch>> = tables
            .values()
            .filter(|table| table.is_late(now))
            .cloned()
            .collect();
        late.iter().for_each(|table| _ = tables.remove(&table.id));
        late
    }
}

impl HumanMatch {
    /// The match's id.
    pub fn id(&self) -> i64 {
        self.id
    }

    /// Whether its people did not come in time.
    fn is_late(&self, now: Duration) -> bool {
        let vacant = || {
            lock(&self.floor)
                .vacant_since()
                .map(|since| since.max(self.opened))
        };
        !self.begun.load(Ordering::Relaxed)
            && (now.saturating_sub(self.opened) >= WAIT
                || vacant().is_some_and(|since| now.saturating_sub(since) >= VACANT))
    }

    /// Which side this token is for.
    pub fn side(&self, token: &TokenHash) -> Option<Entrant> {
        lock(&self.tokens)
            .iter_pairs()
            .find_map(|(entrant, own)| (own.as_ref()? == token).then_some(entrant))
    }

    /// The one who was invited has come.
    pub fn admit(&self, entrant: Entrant, token: TokenHash, name: String) {
        lock(&self.tokens)[entrant] = Some(token);
        lock(&self.floor).set_name(entrant, name);
    }

    /// A person joins.
    pub fn sit(self: &Arc<HumanMatch>, entrant: Entrant) -> Option<JoinedParticipant> {
        let (sender, messages) = mpsc::channel(BEHIND);
        let mut floor = lock(&self.floor);
        let line = floor.connect_person(entrant, sender, self.clock.elapsed())?;
        let begins = floor.is_complete() && !self.begun.swap(true, Ordering::Relaxed);
        Some(JoinedParticipant {
            table: self.clone(),
            entrant,
            line,
            messages,
            begins,
        })
    }

    /// What is played, and by whom.
    pub fn cast(&self) -> LegFramesHeader {
        lock(&self.floor).frames_header().clone()
    }

    /// On which sides persons play.
    pub fn people(&self) -> ByEntrant<bool> {
        lock(&self.floor).human_sides()
    }

    /// The match goes on from here when its people have come back.
    pub fn set_resumed(&self, resumed: Resumed) {
        lock(&self.floor).catch_up(resumed.from.leg_index(), resumed.from.script.len());
        *lock(&self.resumed) = Some(resumed);
    }

    /// Where the match goes on, for whoever plays it.
    pub fn take_resumed(&self) -> Option<Resumed> {
        lock(&self.resumed).take()
    }

    /// Nobody can begin the match any more; whether nobody had.
    pub fn withdraw(&self) -> bool {
        !self.begun.swap(true, Ordering::Relaxed)
    }

    /// The server stops: its people are to join again after its restart.
    pub fn cut_off(&self) {
        lock(&self.floor).cut_off();
    }

    /// The match is over: its connections are closed after the messages that wait.
    pub fn end(&self) {
        lock(&self.floor).end_match();
    }
}

impl JoinedParticipant {
    /// The next message, once there is one; `None` when the match is over or somebody else has sat
    /// down here.
    pub async fn next(&mut self) -> Option<Utf8Bytes> {
        self.messages.recv().await
    }

    /// Why there are no more messages.
    pub fn end(&self) -> CloseReason {
        lock(&self.table.floor).end_of(self.entrant, self.line)
    }

    /// The person says something.
    pub fn say(&self, word: ParticipantMessage) {
        lock(&self.table.floor).handle_message(self.entrant, word, self.table.clock.elapsed());
    }
}

/// The connection is gone.
impl Drop for JoinedParticipant {
    fn drop(&mut self) {
        lock(&self.table.floor).note_disconnect(
            self.entrant,
            self.line,
            self.table.clock.elapsed(),
        );
    }
}

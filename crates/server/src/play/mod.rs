//! Human matches: matches in which people play. The server plays each on a separate thread and
//! keeps the people's clocks.
//!
//! | module | content |
//! |---|---|
//! | [`state`] | a match as its people see it: presence, questions, answers |
//! | [`participant`] | one person: connection, frames, clock |
//! | [`home_matches`] | matches with programs that are offered from home |
//! | [`home_ladder`] | rated matches of such programs |
//! | [`home_program`] | a program that stays on its author's machine, in the place of a person |
//! | [`time_budget`] | how much time people have |
//! | [`judge_bridge`] | between the judge's thread and the state |
//! | [`clock`] | the time, as an argument for tests |
//! | [`run`] | a match with people from the lease to the result |
//! | [`recorder`] | moves that reach the disk while the match is played |
//! | [`resume`] | matches that a restart of the server interrupted |
//! | `shared_seats` | what servers tell each other about a person whose socket is elsewhere |
//! | [`seat_owner`] | seats of this server's matches for such people |
//! | [`seat_relay`] | a person here whose match is played on another server |
//! | [`phrases`] | preset phrases that people say to each other |
//! | [`lobby`] | tables at which a person waits for whoever comes first |
//! | [`open_table`] | a match that anybody may join |
//! | [`shared_lobby`] | the tables of all servers of the arena |
//! | `sharing` | begins to share seats and tables with the other servers |
//! | [`context`] | the state that all of it needs |

pub mod clock;
pub mod context;
pub mod home_ladder;
pub mod home_matches;
pub mod home_program;
pub mod judge_bridge;
pub mod lobby;
pub mod open_table;
pub mod participant;
pub mod phrases;
pub mod recorder;
pub mod resume;
pub mod run;
pub mod seat_owner;
pub mod seat_relay;
pub mod shared_lobby;
pub mod shared_seats;
mod sharing;
pub mod state;
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

use crate::bus::ArenaBus;
use crate::client_address::ClientAddress;
use crate::config::Limits;
use crate::live::LegFramesHeader;
use crate::sync::lock;
use crate::work::leases::KeptLease;
use crate::work::program_cache::ProgramCache;
use clock::PlayClock;
pub use context::PlayContext;
use open_table::OpenTable;
pub use state::CloseReason;
use state::{HumanMatchState, ParticipantMessage};

/// How long a human match waits for its people while at least one of them is connected.
pub const WAIT: Duration = Duration::from_secs(15 * 60);
/// How long it waits while nobody is connected.
pub const VACANT: Duration = Duration::from_secs(60);
/// How long a human match waits for its people after a restart of the server.
pub const RETURN: Duration = Duration::from_secs(60);
/// The most messages that a connection may lag behind; then it is closed, and receives everything
/// again when it reconnects.
const BEHIND: usize = 256;

/// All human matches that wait or run in this process. Clones share them.
#[derive(Clone)]
pub struct HumanMatches {
    human_matches: Arc<Mutex<BTreeMap<i64, Arc<HumanMatch>>>>,
    clock: Arc<dyn PlayClock>,
    /// The cache of built programs, once it is set.
    program_cache: Arc<OnceLock<ProgramCache>>,
    limits: Arc<OnceLock<Limits>>,
    /// How long people may take to reconnect after a restart.
    returning: Duration,
    /// Whether the server shuts down: interrupted matches continue after its restart.
    stopping: Arc<AtomicBool>,
    /// The bus to the other servers of the arena, if there may be any.
    others: Arc<OnceLock<ArenaBus>>,
    /// Held while two people are brought together, so that two who come at once meet each other.
    pub meeting: Arc<tokio::sync::Mutex<()>>,
}

impl Default for HumanMatches {
    fn default() -> HumanMatches {
        HumanMatches::with_clock(Arc::new(clock::SystemClock::default()))
    }
}

impl std::fmt::Debug for HumanMatches {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tables")
            .field("tables", &self.human_matches)
            .finish_non_exhaustive()
    }
}

/// A human match to be added.
pub struct HumanMatchOptions {
    /// The match's id.
    pub id: i64,
    /// The header of the leg frames.
    pub header: LegFramesHeader,
    /// The hashes of the seat tokens; `None` for a program, or while nobody has accepted the
    /// invite.
    pub tokens: ByEntrant<Option<TokenHash>>,
    /// The sides that people play.
    pub people: ByEntrant<bool>,
    /// The protocols of programs that stay on their authors' machines, on sides of people.
    pub at_home: ByEntrant<Option<String>>,
    /// The creator.
    pub by: Opener,
    /// The offer in the lobby, if anybody may join.
    pub open_table: Option<OpenTable>,
}

/// The creator of a human match, for limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opener {
    /// A signed-in user.
    Account(UserId),
    /// A guest at this address.
    Guest(ClientAddress),
}

impl Opener {
    /// By what all servers count the open matches of this person.
    pub fn counted_as(self) -> String {
        match self {
            Opener::Account(user) => format!("account {user}"),
            Opener::Guest(address) => format!("address {address}"),
        }
    }

    /// The limit of this person's own matches.
    pub fn own_limit(self) -> HumanMatchLimit {
        match self {
            Opener::Account(_) => HumanMatchLimit::Account,
            Opener::Guest(_) => HumanMatchLimit::Address,
        }
    }
}

/// A match that continues after a restart.
pub struct Resumed {
    /// The lease, which is renewed meanwhile.
    pub held: KeptLease,
    /// The point at which it continues.
    pub from: ResumePoint,
}

/// A human match.
pub struct HumanMatch {
    id: i64,
    tokens: Mutex<ByEntrant<Option<TokenHash>>>,
    state: Mutex<HumanMatchState>,
    at_home: ByEntrant<Option<String>>,
    clock: Arc<dyn PlayClock>,
    by: Opener,
    open_table: Option<OpenTable>,
    /// When the invited person got the seat.
    taken: Mutex<Option<Duration>>,
    opened: Duration,
    /// Whether the first leg has begun.
    pub begun: AtomicBool,
    resumed: Mutex<Option<Resumed>>,
    /// Whether the match is to end as soon as possible.
    pub stop: Arc<AtomicBool>,
    /// Whether it ends because neither person has moved.
    pub unplayed: AtomicBool,
}

impl std::fmt::Debug for HumanMatch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Table")
            .field("id", &self.id)
            .field("begun", &self.begun)
            .finish_non_exhaustive()
    }
}

/// The limit that forbids a further human match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HumanMatchLimit {
    /// The limit of this server.
    Server,
    /// The limit of all guests.
    Guests,
    /// The limit of this account.
    Account,
    /// The limit of guests at this address.
    Address,
}

/// A person's connection to a human match.
#[derive(Debug)]
pub struct JoinedParticipant {
    /// The human match.
    pub human_match: Arc<HumanMatch>,
    entrant: Entrant,
    connection: u64,
    messages: mpsc::Receiver<Utf8Bytes>,
    /// Whether this connection completes the people for the first time; then the caller starts the
    /// match.
    pub begins: bool,
}

impl HumanMatches {
    /// Replaces the clock.
    pub fn with_clock(clock: Arc<dyn PlayClock>) -> HumanMatches {
        let (human_matches, program_cache, limits, stopping, others) = Default::default();
        HumanMatches {
            human_matches,
            clock,
            program_cache,
            limits,
            returning: RETURN,
            stopping,
            others,
            meeting: Arc::default(),
        }
    }

    /// The bus to the other servers of the arena, if there may be any.
    pub fn others(&self) -> Option<&ArenaBus> {
        self.others.get()
    }

    /// Sets the limits. The server sets them once at its start.
    pub fn set_limits(&self, limits: Limits) {
        // A second call passes the same options.
        _ = self.limits.set(limits);
    }

    /// Sets the time in which people may reconnect after a restart.
    pub fn with_return_time(self, returning: Duration) -> HumanMatches {
        HumanMatches { returning, ..self }
    }

    /// How long people may take to reconnect after a restart.
    pub fn return_time(&self) -> Duration {
        self.returning
    }

    /// Sets the cache of built programs, so that uploads can play against people. The server sets
    /// it once at its start.
    pub fn set_program_cache(&self, program_cache: ProgramCache) {
        // A second call passes the same cache.
        _ = self.program_cache.set(program_cache);
    }

    /// The cache of built programs.
    pub fn program_cache(&self) -> Option<&ProgramCache> {
        self.program_cache.get()
    }

    /// Interrupts every match that has begun; they continue after the restart of the server.
    pub fn stop_matches(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        lock(&self.human_matches)
            .values()
            .for_each(|human_match| human_match.stop.store(true, Ordering::Relaxed));
    }

    /// Whether the server shuts down.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Waits until every match that had begun is interrupted, or until the timeout.
    pub async fn wait_until_cut_off(&self, most: Duration) {
        const LOOK: Duration = Duration::from_millis(20);
        let begun = || {
            lock(&self.human_matches)
                .values()
                .any(|human_match| human_match.begun.load(Ordering::Relaxed))
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

    /// Checks the limits of this server for one more human match, and returns how many this person
    /// may have open at all servers together, with this one. Guests share a part of all human
    /// matches, and an address gets a quarter of the free ones in it, so that a few addresses cannot
    /// take all of them.
    pub fn check_limits(&self, by: Opener) -> Result<usize, HumanMatchLimit> {
        let limits = self.limits.get().copied().unwrap_or_default();
        let human_matches = lock(&self.human_matches);
        let guests = human_matches
            .values()
            .filter(|human_match| matches!(human_match.by, Opener::Guest(_)))
            .count();
        let free = limits.guest_matches.saturating_sub(guests);
        match by {
            _ if human_matches.len() >= limits.human_matches => Err(HumanMatchLimit::Server),
            Opener::Account(_) => Ok(limits.account_matches),
            Opener::Guest(_) if free == 0 => Err(HumanMatchLimit::Guests),
            Opener::Guest(_) => Ok((free / 4).max(1)),
        }
    }

    /// Adds a human match, which waits for its people.
    pub fn open_match(&self, opening: HumanMatchOptions) -> Arc<HumanMatch> {
        let HumanMatchOptions {
            id,
            header,
            tokens,
            people,
            at_home,
            by,
            open_table,
        } = opening;
        let least = self.limits.get().and_then(|limits| limits.person_time);
        let state = HumanMatchState::new(header, people)
            .with_person_time(least)
            .with_programs(at_home.each_ref().map_values(Option::is_some));
        let human_match = Arc::new(HumanMatch {
            id,
            tokens: Mutex::new(tokens),
            state: Mutex::new(state),
            at_home,
            resumed: Mutex::default(),
            clock: self.clock.clone(),
            by,
            open_table,
            taken: Mutex::default(),
            opened: self.clock.elapsed(),
            begun: AtomicBool::new(false),
            stop: Arc::default(),
            unplayed: AtomicBool::new(false),
        });
        lock(&self.human_matches).insert(id, human_match.clone());
        human_match
    }

    /// The human match with this id.
    pub fn find_match(&self, id: i64) -> Option<Arc<HumanMatch>> {
        lock(&self.human_matches).get(&id).cloned()
    }

    /// Removes a human match.
    pub fn remove_match(&self, id: i64) {
        lock(&self.human_matches).remove(&id);
    }

    /// Removes the human matches whose people did not come in time.
    pub fn remove_expired(&self) -> Vec<Arc<HumanMatch>> {
        let now = self.clock.elapsed();
        let mut human_matches = lock(&self.human_matches);
        let late: Vec<Arc<HumanMatch>> = human_matches
            .values()
            .filter(|human_match| human_match.is_late(now))
            .cloned()
            .collect();
        late.iter()
            .for_each(|human_match| _ = human_matches.remove(&human_match.id));
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
            lock(&self.state)
                .vacant_since()
                .map(|since| since.max(self.opened))
        };
        !self.begun.load(Ordering::Relaxed)
            && (now.saturating_sub(self.opened) >= WAIT
                || self.is_stood_up(now)
                || self.lacks_program(now)
                || vacant().is_some_and(|since| now.saturating_sub(since) >= VACANT))
    }

    /// The side of a seat token.
    pub fn side_of_token(&self, token: &TokenHash) -> Option<Entrant> {
        lock(&self.tokens)
            .iter_pairs()
            .find_map(|(entrant, own)| (own.as_ref()? == token).then_some(entrant))
    }

    /// Admits the invited person.
    pub fn admit_invited(&self, entrant: Entrant, token: TokenHash, name: String) {
        *lock(&self.taken) = Some(self.clock.elapsed());
        lock(&self.tokens)[entrant] = Some(token);
        lock(&self.state).set_name(entrant, name);
    }

    /// A person who is about to connect will say when it is ready.
    pub fn note_reading(&self, entrant: Entrant) {
        lock(&self.state).note_reading(entrant);
    }

    /// Connects a person.
    pub fn join_match(self: &Arc<HumanMatch>, entrant: Entrant) -> Option<JoinedParticipant> {
        let (sender, messages) = mpsc::channel(BEHIND);
        let mut state = lock(&self.state);
        let connection = state.connect_person(entrant, sender, self.clock.elapsed())?;
        let begins = state.is_complete() && !self.begun.swap(true, Ordering::Relaxed);
        Some(JoinedParticipant {
            human_match: self.clone(),
            entrant,
            connection,
            messages,
            begins,
        })
    }

    /// The header of the leg frames.
    pub fn frames_header(&self) -> LegFramesHeader {
        lock(&self.state).frames_header().clone()
    }

    /// The sides that people play.
    pub fn human_sides(&self) -> ByEntrant<bool> {
        lock(&self.state).human_sides()
    }

    /// The protocols of programs that stay on their authors' machines.
    pub fn protocols_at_home(&self) -> &ByEntrant<Option<String>> {
        &self.at_home
    }

    /// What the connections to programs at home were like.
    pub fn describe_connections(&self) -> Vec<(Entrant, String)> {
        lock(&self.state).describe_connections()
    }

    /// The median times to programs at home and back, in microseconds.
    pub fn median_latencies(&self) -> ByEntrant<Option<i64>> {
        lock(&self.state).median_latencies()
    }

    /// Expects the replies before a moment at once: nobody is asked for them.
    pub fn catch_up(&self, from: &leitai_judge::ResumePoint) {
        lock(&self.state).catch_up(from.leg_index(), from.forced_replies.len());
    }

    /// Sets the point at which the match continues when its people have reconnected.
    pub fn set_resumed(&self, resumed: Resumed) {
        self.catch_up(&resumed.from);
        *lock(&self.resumed) = Some(resumed);
    }

    /// Takes the point at which the match continues.
    pub fn take_resumed(&self) -> Option<Resumed> {
        lock(&self.resumed).take()
    }

    /// Prevents the match from starting; false if it had started.
    pub fn prevent_start(&self) -> bool {
        !self.begun.swap(true, Ordering::Relaxed)
    }

    /// Closes the connections because the server shuts down; people join again after the restart.
    pub fn disconnect_for_restart(&self) {
        lock(&self.state).cut_off();
    }

    /// Closes the connections after the pending messages, because the match is over.
    pub fn end_match(&self) {
        lock(&self.state).end_match();
    }
}

impl JoinedParticipant {
    /// Waits for the next message; `None` when the match is over or the person has connected again
    /// elsewhere.
    pub async fn next(&mut self) -> Option<Utf8Bytes> {
        self.messages.recv().await
    }

    /// Why the connection is closed.
    pub fn close_reason(&self) -> CloseReason {
        lock(&self.human_match.state).end_of(self.entrant, self.connection)
    }

    /// Handles a message of the person.
    pub fn handle_message(&self, word: ParticipantMessage) {
        lock(&self.human_match.state).handle_message(
            self.entrant,
            word,
            self.human_match.clock.elapsed(),
        );
    }
}

/// Marks the connection as closed.
impl Drop for JoinedParticipant {
    fn drop(&mut self) {
        lock(&self.human_match.state).note_disconnect(
            self.entrant,
            self.connection,
            self.human_match.clock.elapsed(),
        );
    }
}

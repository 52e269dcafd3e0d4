//! Matches that run now: workers, live watching, people who play.
//!
//! | module | noun |
//! |---|---|
//! | [`hub`] | the matches that are played now, for whoever watches |
//! | [`engine`] | what turns a server into an arena: worker, scheduler; a worker on another machine |
//! | [`worker`] | threads that take tasks from a desk and do them; in the server and on other machines |
//! | [`desk`] | where a worker gets its tasks and brings its results; what crosses it |
//! | [`house`] | the house's side of the desk: database, vault, hub |
//! | [`client`], [`remote`] | the same over HTTP |
//! | [`lease`] | the leases that a worker holds, renewed |
//! | [`seat`] | one match, played |
//! | [`examine`] | one version, built and checked |
//! | [`workshop`] | from an upload to a program that is ready to play |
//! | [`terms`] | clocks and resources |
//! | [`verdict`] | from a replay to the result that is recorded |
//! | [`results`] | how results are recorded |
//! | [`table`] | matches in which people play |
//! | [`schedule`] | who plays whom next, and what there is to watch |

pub mod client;
pub mod desk;
pub mod engine;
pub mod examine;
pub mod house;
pub mod hub;
pub mod lease;
pub mod remote;
pub mod results;
pub mod routes;
pub mod schedule;
pub mod seat;
pub mod table;
pub mod terms;
pub mod verdict;
pub mod worker;
pub mod workshop;

/// Handles of everything that runs.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    /// The matches that are played now, for whoever watches.
    pub live: hub::LiveMatches,
    /// The tasks that workers have.
    pub tasks: house::LeasedTasks,
    /// The matches in which people play.
    pub human_matches: table::HumanMatches,
    /// Where films are made.
    pub frames: routes::films::FrameService,
    /// How many watch.
    pub spectators: routes::socket::SpectatorCounter,
}

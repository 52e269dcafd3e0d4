//! Jobs and the workers that do them.
//!
//! | module | content |
//! |---|---|
//! | [`queue`] | gives jobs away under leases and takes results: database, blob store, live matches |
//! | [`source`] | where a worker gets its jobs and brings its results |
//! | [`http_source`], [`http_messages`] | the same over HTTP |
//! | [`worker`] | threads that take jobs and do them; in the server and on other machines |
//! | [`leases`] | the leases that a process holds, renewed |
//! | [`play_match`] | one match, played |
//! | [`check_version`] | one version, built and checked |
//! | [`program_cache`] | from an upload to a program that is ready to play |
//! | [`limits`] | clocks and resources |
//! | [`match_result`] | from a replay to the result of its match |
//! | [`results`] | how results are recorded |

pub mod check_version;
pub mod http_messages;
pub mod http_source;
pub mod leases;
pub mod limits;
pub mod match_result;
pub mod play_match;
pub mod program_cache;
pub mod queue;
pub mod results;
pub mod source;
pub mod worker;

//! Jobs and the workers that do them.
//!
//! | module | content |
//! |---|---|
//! | [`queue`], [`queue_error`] | leases jobs and records results |
//! | [`leased_tasks`] | the tasks that this process has leased |
//! | [`entrants`] | who plays a task |
//! | [`books`] | the position from which a match starts |
//! | [`replay_check`] | whether a worker brought a replay of its task |
//! | [`source`] | the source of jobs and the destination of results |
//! | [`local_source`] | the same in the process |
//! | [`http_source`], [`http_messages`] | the same over HTTP |
//! | [`worker`] | threads that do jobs, in the server and on other machines |
//! | [`leases`] | the leases of a process and their renewal |
//! | [`task_context`] | what a task is done with |
//! | [`play_match`] | plays one match |
//! | [`check_version`] | builds and checks one version |
//! | [`check_game_file`] | checks a game that a judge program leads |
//! | [`previews`] | matches of bots that come with a game file |
//! | [`program_cache`] | a cache of built programs |
//! | [`limits`] | limits of time and resources |
//! | [`match_result`] | computes the result of a match from its replay |
//! | [`results`] | records results, for matches of workers and of people |

pub mod books;
pub mod check_game_file;
pub mod check_version;
pub mod continuation;
pub mod entrants;
pub mod http_messages;
pub mod http_source;
pub mod leased_tasks;
pub mod leases;
pub mod limits;
pub mod local_source;
pub mod match_result;
pub mod play_match;
pub mod previews;
pub mod program_cache;
pub mod queue;
pub mod queue_error;
pub mod replay_check;
pub mod results;
pub mod situations;
pub mod source;
pub mod task_context;
pub mod worker;

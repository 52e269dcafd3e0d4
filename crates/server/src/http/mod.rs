//! The HTTP interface of the arena. Only this module handles requests and responses; it may use
//! every other one.
//!
//! | module | content |
//! |---|---|
//! | [`routes`] | all routes and their OpenAPI document |
//! | [`app`] | the state of all handlers |
//! | [`connections`] | how many connections one address may hold, time-outs, an orderly end |
//! | [`layers`] | what every request passes: ids, logs, limits, headers |
//! | [`caller`] | authentication by session cookie or bearer token |
//! | [`chosen_bot`] | a bot that somebody names for a match |
//! | [`client_address`], [`known_browser`] | from where; whether it has logged in before |
//! | [`extract`] | bodies, paths and queries whose errors have our format |
//! | [`handler`] | handlers of one type, which compile quickly |
//! | `prelude` | what files with routes use |
//! | [`error`] | the answer to a request that is refused or fails |
//! | [`error_responses`] | the error answers that every route shares, in the document |
//! | [`accepted_parameters`] | refuses query parameters that a route does not know |
//! | [`list`], [`summaries`] | lists and what they say of bots, entrants and matches |
//! | [`queue_place`] | what a queued job waits for, and about how long |
//! | [`response_cache`] | answers that many ask for, kept for a moment |
//! | [`socket`] | WebSockets with bounded messages and rates |
//! | [`write_probes`] | whether the places where the server writes take more |
//! | [`page`] | the web page |
//! | [`link_preview`], [`board_picture`], [`picture_text`], [`picture_font`] | what other sites show of a link to it |
//! | [`docs`] | the documents' site at `/docs` |
//! | [`documents`] | `/llms.txt`, rules, guides and templates as text |
//! | [`agent_door`] | `/mcp`, the door for coding agents |
//! | [`archive`] | a ZIP that is sent while it is written |
//! | [`personal_export`] | a person's data as one ZIP |

pub mod accepted_parameters;
pub mod agent_door;
pub mod app;
pub mod archive;
pub mod board_picture;
pub mod caller;
pub mod chosen_bot;
pub mod client_address;
pub mod connections;
pub mod docs;
pub mod documents;
pub mod error;
pub mod error_responses;
pub mod extract;
pub mod handler;
pub mod known_browser;
pub mod layers;
pub mod link_preview;
pub mod list;
pub mod page;
pub mod personal_export;
pub mod picture_font;
pub mod picture_text;
pub(crate) mod prelude;
pub mod queue_place;
pub mod quotas;
pub mod replay_page;
pub mod response_cache;
pub mod routes;
pub mod socket;
pub mod summaries;
pub mod write_probes;

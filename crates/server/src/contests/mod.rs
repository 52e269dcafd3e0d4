//! Contests: what is due in them, what their files say, and their routes.
//!
//! | module | content |
//! |---|---|
//! | [`advance`] | does what is due, from rows alone |
//! | [`stage_state`] | the state of a stage |
//! | [`rules`] | the rules of a file: read, checked, published |
//! | [`names`] | whom the names in files mean |
//! | [`update`] | what an organiser may change in a published contest |
//! | [`forecast`] | how a running contest may go on |
//! | [`routes`] | the routes, their answers, and who may use them |

pub mod advance;
pub mod forecast;
pub mod names;
pub mod routes;
pub mod rules;
pub mod stage_state;
pub mod update;

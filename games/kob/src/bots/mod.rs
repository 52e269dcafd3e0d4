//! Built-in bots.

mod alphabeta;
mod assessor;
pub mod champion;
pub mod decision;
pub mod evaluation;
mod list;
mod random;
pub mod round_search;
mod safe;
pub mod sample;
mod space;
pub mod territory;

pub use alphabeta::{AlphaBetaBot, Effort};
pub use assessor::ChampionAssessor;
pub use champion::{Champion, ChampionStyle};
pub use list::ALL;
pub use random::Random;
pub use safe::Safe;
pub use space::Space;

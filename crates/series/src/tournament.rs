//! A tournament: its plan, its matches and its standings.

pub mod plan;
pub mod plan_file;
pub mod report;
pub mod run;

pub use plan::{FormatKind, TournamentPlan, build_format};
pub use plan_file::PlanFile;
pub use report::TournamentReport;
pub use run::{Tournament, TournamentUpdate};

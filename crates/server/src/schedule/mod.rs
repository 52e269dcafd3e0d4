//! The scheduler: creates ladder matches and exhibitions.

mod capacity;
mod exhibitions;
mod new_match;
mod options;
mod pairing;
mod scheduler;

pub use exhibitions::choose_entrants;
pub use new_match::{FriendlyError, create_continuation, create_friendly, new_match, random_seed};
pub use options::{FEW, NO_LADDER, ScheduleOptions};
pub use pairing::{choose_pairs, is_unsettled, rest_built_ins, wanted_matches};
pub use scheduler::{LEAD, Scheduler, known_rating};

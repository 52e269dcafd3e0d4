//! Values that stand in rows and arguments: keys, times, secrets, pages, sides; errors.

pub mod error;
pub mod ids;
pub mod ladder_id;
pub mod over_quota;
pub mod page;
pub mod secret;
pub mod side;
pub mod source_languages;
pub mod timestamp;

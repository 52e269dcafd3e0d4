//! An arena of one's own: where it keeps things, and how it says what it does.

pub mod logs;
pub mod machine;
pub mod place;

pub use place::DataDir;

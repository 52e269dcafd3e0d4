//! An arena on this machine: its data directory and its log.

pub mod data_dir;
pub mod games;
pub mod logs;
pub mod machine;

pub use data_dir::DataDir;

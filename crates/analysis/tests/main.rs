//! The tests of the analysis in one binary.

mod blunders;
mod kit;
mod matches;

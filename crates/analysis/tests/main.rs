//! The tests of the analysis in one binary.

mod matches;

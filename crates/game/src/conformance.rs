//! The kit of tests that every game must pass.

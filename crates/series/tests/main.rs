//! Series as a library, with built-in bots in the test's process.

mod comparison;

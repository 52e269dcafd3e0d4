//! Series as a library: built-in bots play in process.

mod comparison;

//! Results of many matches in words, tables, JSON, CSV and HTML.

pub mod faults;
pub mod words;

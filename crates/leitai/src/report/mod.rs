//! Results of many matches in words, tables, JSON, CSV and HTML.

pub mod chart;
pub mod csv;
pub mod faults;
pub mod html;
pub mod standings;
pub mod table;
pub mod words;

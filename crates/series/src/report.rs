//! Results of many matches as text, JSON, CSV and HTML.

pub mod chart;
pub mod csv;
pub mod escape;
pub mod faults;
pub mod html;
mod payoffs;
pub mod standings;
pub mod words;

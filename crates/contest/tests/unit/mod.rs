//! Tests of single modules. The crate has no test binary of its own: it would be compiled twice.

mod date;
mod forecast;
mod progress;
mod standing;

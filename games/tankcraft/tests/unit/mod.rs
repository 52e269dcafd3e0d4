//! Tests of single modules. The crate has no test binary of its own: it would be compiled twice.

mod cell;
mod encode;
mod generate;
mod hosts;
mod map;
mod options;
mod order_builder;
mod orders;
mod render;
mod round;
mod rules;
mod setup;
mod text_protocol;
mod view;

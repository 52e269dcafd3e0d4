//! A program under the debugger of its language, at a moment of a recorded match.
//!
//! | module | content |
//! |---|---|
//! | [`debugger`] | the debugger of a program |
//! | [`process`] | the running program and its debugger |
//! | [`each_turn`] | a program that is started anew every turn |
//! | [`session`] | feeds the record and compares the answers |
//! | `traced` | processes that a debugger traces |

pub mod debugger;
pub mod each_turn;
pub mod process;
pub mod session;
mod traced;

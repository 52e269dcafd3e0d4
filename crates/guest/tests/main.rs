//! Guest games as a caller meets them.

mod equality;
mod hostile;
mod levels;
mod memory;
mod modules;
mod patience;
mod people;
mod picture;
#[path = "../../server/tests/kit/table.rs"]
mod table;

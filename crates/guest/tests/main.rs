//! Guest games as a caller meets them.

mod equality;
mod hostile;
mod levels;
mod memory;
mod modules;
mod people;
mod picture;

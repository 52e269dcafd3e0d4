//! Guest games as a caller meets them.

mod equality;
mod hostile;
mod memory;
mod modules;
mod people;
mod picture;

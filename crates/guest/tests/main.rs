//! Guest games as a caller meets them.

mod equality;
mod hostile;
mod modules;
mod people;

//! Bots and their versions: their routes. The store does the rest.

pub mod routes;

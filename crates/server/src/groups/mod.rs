//! Groups and their teams: their routes. The store does the rest.

pub mod routes;

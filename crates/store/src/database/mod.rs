//! The connection with a single writer, whether it answers, who leads; the audit log.

pub mod audit_log;
pub(crate) mod availability;
pub(crate) mod first_secrets;
pub(crate) mod health;
pub(crate) mod identity;
pub(crate) mod leadership;
pub(crate) mod leases;
pub(crate) mod outbox;
pub(crate) mod parts;
pub(crate) mod pool_use;
pub(crate) mod prelude;
pub(crate) mod rates;
pub(crate) mod rows;
pub mod skeletons;
pub mod store;

//! What people are told: mail, notifications, webhooks, and whom they follow.

pub mod follows;
pub mod mail;
pub(crate) mod news;
pub mod notifications;
pub(crate) mod webhook_events;
pub mod webhooks;

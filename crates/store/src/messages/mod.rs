//! What people are told: mail, notifications, webhooks, and whom they follow.

pub(crate) mod bot_people;
pub mod follows;
pub mod mail;
pub(crate) mod news;
pub mod notifications;
pub(crate) mod webhook_events;
pub mod webhooks;

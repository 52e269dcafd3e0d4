//! What people are told: mail, notifications, webhooks, and whom they follow.

pub(crate) mod bot_people;
pub(crate) mod contest_news;
pub mod follows;
pub mod mail;
pub mod notifications;
pub(crate) mod webhook_events;
pub mod webhooks;

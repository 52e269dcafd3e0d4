//! The tests of this crate in one binary, so that the workspace links less.

/// What is asked, which is no error.
macro_rules! ok {
    ($asked:expr) => {
        $asked.await.expect("no error")
    };
}

mod accounts;
mod admin;
mod agents;
mod analyses;
mod books;
mod bots;
#[path = "../../leitai/tests/servers/certificate.rs"]
mod certificate;
mod contest_people;
mod contests;
mod dataset;
mod engine;
mod experiments;
mod fair_queue;
mod follows;
mod game_files;
mod game_rights;
mod groups;
mod guest_games;
mod hidden_games;
mod human_matches;
mod kill;
mod kit;
mod ladders;
mod libraries;
mod mail;
mod match_tags;
mod matches;
mod oidc;
mod passkeys;
#[path = "../../store/tests/contract/ports.rs"]
mod ports;
mod quotas;
mod returning;
mod rights;
mod second_factor;
mod service;
mod similar;
mod situations;
mod unit;
mod webhooks;
mod worker;
mod worker_kit;

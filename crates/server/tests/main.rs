//! The tests of this crate in one binary, so that the workspace links less.

/// What a person reads at this path, which is formatted.
macro_rules! get {
    ($person:expr, $($path:tt)+) => {
        $person.get(&format!($($path)+)).await.ok()
    };
}

/// What a person gets for posting these fields: `post!(ada, "/api/teams", {"name": "red"})`.
macro_rules! post {
    ($person:expr, $path:expr, {$($fields:tt)*}) => {
        $person.post($path, serde_json::json!({$($fields)*})).await.ok()
    };
}

/// What is asked makes something, which the answer shows.
macro_rules! created {
    ($asked:expr) => {{
        let answer = $asked.await;
        assert_eq!(answer.status, 201, "{}", answer.text());
        answer.json()
    }};
}

/// What is asked is answered with this status.
macro_rules! answers {
    ($asked:expr => $status:expr) => {{
        let answer = $asked.await;
        assert_eq!(answer.status.as_u16(), $status, "{}", answer.text());
    }};
}

/// What is asked is refused with this status and code.
macro_rules! refused {
    ($asked:expr => $status:expr, $code:expr) => {
        $asked.await.refused($status, $code)
    };
}

/// What is asked shows these fields: `shows!(ada.get("/api/me") => {"/user/name": "ada"})`.
macro_rules! shows {
    ($asked:expr => {$($fields:tt)+}) => {
        has!($asked.await.ok(), {$($fields)+})
    };
}

/// An object has these fields; a name that begins with `/` is a path, and one that ends with `/#` counts
/// the items: `has!(made, {"id": 1, "/a/name": "ada", "/tags/#": 2})`.
macro_rules! has {
    ($object:expr, {$($fields:tt)+}) => {
        crate::kit::has(&serde_json::json!($object), serde_json::json!({$($fields)+}))
    };
}

#[macro_use]
#[path = "../../store/tests/contract/asked.rs"]
mod asked;
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

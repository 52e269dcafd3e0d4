//! What tests of the store and of the server make, with what they do not look at.

#![allow(dead_code, reason = "every test binary uses its part")]

use leitai_store::*;

/// What these futures give, one after the other.
pub async fn in_order<T, const N: usize>(asked: [impl Future<Output = T>; N]) -> [T; N] {
    let mut answers = Vec::with_capacity(N);
    for one in asked {
        answers.push(one.await);
    }
    let answers = answers.try_into();
    answers.unwrap_or_else(|_| unreachable!("each has its answer"))
}

/// An account that nobody logs in to.
pub fn new_user(name: &str) -> NewUser {
    NewUser {
        name: name.to_owned(),
        password: "phc".to_owned(),
        admin: false,
    }
}

/// A bot that nothing is said about.
pub fn new_bot(game: &str, name: &str, owner: UserId) -> NewBot {
    NewBot {
        game: game.to_owned(),
        name: name.to_owned(),
        owner,
        about: String::new(),
    }
}

/// A group that nothing is said about.
pub fn new_group(name: &str, team_size: i32, organiser: Option<UserId>) -> NewGroup {
    NewGroup {
        name: name.to_owned(),
        about: String::new(),
        team_size,
        organiser,
    }
}

/// A team of two.
pub fn new_team(name: &str, group: Option<GroupId>) -> NewTeam {
    NewTeam {
        name: name.to_owned(),
        group,
        size: 2,
    }
}

/// The name of an account in the file of a contest.
pub fn account_name(name: &str) -> FileName {
    let (kind, name) = (NameKind::Account, name.to_owned());
    FileName { kind, name }
}

/// The name of a group in the file of a contest.
pub fn group_name(name: &str) -> FileName {
    let (kind, name) = (NameKind::Group, name.to_owned());
    FileName { kind, name }
}

/// A public contest of King of Bots whose file is empty and names these.
pub fn new_contest(name: &str, names: &[FileName]) -> NewContest {
    NewContest {
        name: name.to_owned(),
        game: "kob".to_owned(),
        file: String::new(),
        seed: 1.into(),
        privacy: ContestPrivacy::PUBLIC,
        names: names.to_vec(),
    }
}

/// A deletion by somebody, or by the operator.
pub fn deletion_by(by: Option<UserId>, at: Timestamp) -> DeletionRequest {
    DeletionRequest { by, at }
}

/// What the operator does to a contest.
pub const fn by_operator(at: Timestamp) -> ContestActor {
    ContestActor { user: None, at }
}

/// A result without games, faults, times and a replay.
pub fn plain_result(winner: MatchWinner) -> MatchResult {
    MatchResult {
        winner,
        reason: serde_json::json!({"id": "score", "en": "score", "zh": "比分"}),
        scores: serde_json::json!([[1, 0]]),
        leg_outcomes: Json::Array(Vec::new()),
        faults: Json::Array(Vec::new()),
        fault_counts: PerSide::default(),
        longest_us: PerSide::default(),
        cpu_us: 0,
        replay: None,
        games: Vec::new(),
        record: None,
    }
}

//! The rules of a contest: read from its file, checked, published.

use leitai_contest::file::{Contest as Rules, Visibility};
use leitai_contest::names::Named;
use leitai_contest::{Games, Problem, check_contest};
use leitai_game::text::LocalizedText;
use leitai_game::{GameHandle, GameSet, Lang};
use leitai_store::{
    Contest, ContestActor, ContestNames, ContestPack, ContestPrivacy, MatchSeed, NameKind,
    NewContest, Store, StoreError, Timestamp,
};
use rand::RngExt;

use crate::contests::names::{find_names, names_of};
use crate::messages;

/// The rules of a contest's file, or everything that is wrong with it.
pub fn read_rules(games: &GameSet, text: &str) -> Result<Rules, Vec<Problem>> {
    let catalogue = messages::catalogue(games.list().iter().map(|game| &**game));
    check_contest(text, &Games::new(games, catalogue))
}

/// The rules of a published contest, or everything that is wrong with its file today. Its game is the
/// version that it keeps, which others may no longer play, or not yet know.
pub fn read_contest(games: &GameSet, contest: &Contest) -> Result<Rules, Vec<Problem>> {
    read_rules(&games_of_contest(games, contest), &contest.file)
}

/// The games that this account may name in a contest: administrators also those that are hidden.
pub fn games_for(games: &GameSet, is_admin: bool) -> GameSet {
    let hidden = match is_admin {
        true => games.hidden_ids(),
        false => Vec::new(),
    };
    let hidden = hidden.iter().filter_map(|id| games.find_hidden(id));
    hidden.fold(games.clone(), |games, hidden| games.with_version(hidden))
}

/// A contest of a hidden game must be hidden too.
pub fn check_hidden_game(games: &GameSet, rules: &Rules, text: &str) -> Vec<Problem> {
    if rules.private || games.find(&rules.game).is_some() {
        return Vec::new();
    }
    vec![Problem {
        line: line_of(text, "game"),
        what: both(
            format!("the game {:?} is hidden until a date", rules.game),
            format!("游戏“{}”在指定日期前隐藏", rules.game),
        ),
        cure: both(
            "write contest = \"invited\" under [visibility]",
            "请在 [visibility] 下写 contest = \"invited\"",
        ),
    }]
}

/// The games by which a contest's file is read.
pub fn games_of_contest(games: &GameSet, contest: &Contest) -> GameSet {
    match find_contest_game(games, contest) {
        Some(game) => games.with_version(game),
        None => games.clone(),
    }
}

/// The version of its game that a contest plays.
pub fn find_contest_game(games: &GameSet, contest: &Contest) -> Option<GameHandle> {
    match &contest.rules {
        Some(rules) => games.find_exact(&contest.game, rules),
        None => (games.find(&contest.game)).or_else(|| games.find_hidden(&contest.game)),
    }
}

/// Notes whom the names mean in contests that an earlier version published.
pub async fn fill_in_names(games: &GameSet, store: &Store) -> Result<(), StoreError> {
    for contest in store.all_contests().await? {
        if let Ok(rules) = read_contest(games, &contest) {
            find_names(store, &contest, &rules).await?;
        }
    }
    Ok(())
}

/// The rules of a file that is to be published: also what this arena cannot do is a problem.
pub fn read_new_rules(games: &GameSet, text: &str) -> Result<Rules, Vec<Problem>> {
    let rules = read_rules(games, text)?;
    let mut problems = Vec::new();
    if rules.matches.memory.is_some() {
        problems.push(Problem {
            line: line_of(text, "memory"),
            what: both(
                "the memory of programs is the same in the whole arena",
                "整个擂台的程序内存上限相同",
            ),
            cure: both("leave it out", "请去掉此键"),
        });
    }
    let game = games.find(&rules.game);
    for config in &rules.matches.configs {
        let dealt = game
            .as_ref()
            .map(|game| game.deal_setup(config, 1).map(|_| ()));
        if let Some(Err(why)) = dealt {
            let why = why.to_string();
            let zh = messages::catalogue(games.list().iter().map(|game| &**game))
                .say(Lang::Zh, &why)
                .into_owned();
            problems.push(Problem {
                line: line_of(text, "configs"),
                what: both(why, zh),
                cure: both("write another config", "请更换配置"),
            });
        }
    }
    match problems.is_empty() {
        true => Ok(rules),
        false => Err(problems),
    }
}

fn both(en: impl Into<String>, zh: impl Into<String>) -> LocalizedText {
    let (en, zh) = (en.into(), zh.into());
    LocalizedText { en, zh }
}

/// The line of a key that the file has.
fn line_of(text: &str, key: &str) -> usize {
    let is_key = |line: &str| {
        let line = line.trim_start();
        line.strip_prefix(key)
            .is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    text.lines().position(is_key).map_or(1, |at| at + 1)
}

/// What the arena lacks that a file asks for: accounts, and its group. `names` is whom its names
/// would mean.
pub fn check_people(rules: &Rules, names: &ContestNames, text: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (named, name) in rules.names() {
        match named {
            Named::Account if !names.is_known(NameKind::Account, name) => {
                let key = match rules.organisers.iter().any(|one| one == name) {
                    true => "organisers",
                    false => "accounts",
                };
                problems.push(Problem {
                    line: line_of(text, key),
                    what: both(
                        format!("the arena has no account {name:?}"),
                        format!("擂台上没有账户“{name}”"),
                    ),
                    cure: both("write the name of an account", "请写已有账户的名称"),
                });
            }
            Named::Group if !names.is_known(NameKind::Group, name) => problems.push(Problem {
                line: line_of(text, "group"),
                what: both(
                    format!("the arena has no group {name:?}"),
                    format!("擂台上没有小组“{name}”"),
                ),
                cure: both(
                    "write the name of a group, or make it first with leitai group new",
                    "请写已有小组的名称，或先用 leitai group new 建立",
                ),
            }),
            Named::Account | Named::Group => {}
        }
    }
    problems
}

/// Publishes a contest. Its seeds and its first seeding follow from `seed`.
pub async fn publish_contest(
    store: &Store,
    rules: &Rules,
    (file, packs): (String, Vec<ContestPack>),
    seed: Option<u64>,
    by: ContestActor,
) -> Result<Contest, StoreError> {
    let new = NewContest {
        name: rules.id.clone(),
        game: rules.game.clone(),
        file,
        seed: MatchSeed::from(seed.unwrap_or_else(|| rand::rng().random())),
        privacy: contest_privacy(rules),
        names: names_of(rules),
    };
    store.create_contest_with(new, packs, by).await
}

/// Who sees a contest, by its file.
pub fn contest_privacy(rules: &Rules) -> ContestPrivacy {
    let results_from = match rules.standings {
        Visibility::Always => Some(Timestamp(0)),
        Visibility::End => None,
        Visibility::From { second } => Some(Timestamp(second.saturating_mul(1000))),
    };
    ContestPrivacy {
        private: rules.private,
        results_from,
    }
}

/// Fills in who sees the contests that an earlier version published.
pub async fn fill_in_privacy(games: &GameSet, store: &Store) -> Result<(), StoreError> {
    for contest in store.contests_without_date().await? {
        let Ok(rules) = read_contest(games, &contest) else {
            continue;
        };
        let privacy = contest_privacy(&rules);
        if privacy != contest.privacy() {
            store.set_contest_privacy(contest.id, privacy).await?;
        }
    }
    Ok(())
}

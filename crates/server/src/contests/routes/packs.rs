//! The situation packs that come with a contest's file.

use std::collections::BTreeMap;

use leitai_contest::Problem;
use leitai_contest::file::Contest as Rules;
use leitai_game::text::LocalizedText;
use leitai_game::{GameSet, Lang};
use leitai_series::regression::SituationPack;
use leitai_series::regression::pack::MAX_PACK;
use leitai_store::{ContestPack, PackContent, Timestamp};

use crate::http::error::{ApiError, Result};
use crate::messages;

/// The longest request with a contest's file and its packs. In JSON a byte of a pack may take six.
pub const LONGEST_REQUEST: usize = 8 * MAX_PACK;

/// The packs that a file names, read and checked from what was sent with it, by name; `known` are those
/// that need not be sent again.
pub async fn read_packs(
    games: &GameSet,
    rules: &Rules,
    file: &str,
    mut sent: BTreeMap<String, String>,
    known: &[String],
) -> Result<Result<Vec<ContestPack>, Vec<Problem>>> {
    let (mut packs, mut problems) = (Vec::new(), Vec::new());
    for own in &rules.situations {
        let mut refuse = |en: String, zh: String| {
            problems.push(Problem {
                line: line_of_name(file, &own.file),
                what: LocalizedText { en, zh },
                cure: LocalizedText {
                    en: format!("send {} with the contest's file", own.file),
                    zh: format!("请把 {} 与赛事文件一起发送", own.file),
                },
            });
        };
        let content = match sent.remove(&own.file) {
            Some(text) => match read_pack(games, rules, text).await? {
                Ok(content) => Some(content),
                Err(why) => {
                    let all = games.list();
                    let catalogue = messages::catalogue(all.iter().map(|game| &**game));
                    let zh = catalogue.say(Lang::Zh, &why).into_owned();
                    refuse(
                        format!("{}: {why}", own.file),
                        format!("{}：{zh}", own.file),
                    );
                    continue;
                }
            },
            None if known.contains(&own.file) => None,
            None => {
                refuse(
                    format!("the situation pack {} is missing", own.file),
                    format!("缺少局面题集 {}", own.file),
                );
                continue;
            }
        };
        packs.push(ContestPack {
            file: own.file.clone(),
            hidden_until: own
                .hidden_until
                .map(|at| Timestamp(at.saturating_mul(1000))),
            content,
        });
    }
    if let Some((name, _)) = sent.pop_first() {
        let why = format!("the contest's file does not name the pack {name:?}; leave it out");
        return Err(ApiError::invalid_field("bad-pack", "packs", why));
    }
    Ok(match problems.is_empty() {
        true => Ok(packs),
        false => Err(problems),
    })
}

async fn read_pack(
    games: &GameSet,
    rules: &Rules,
    text: String,
) -> Result<Result<PackContent, String>> {
    let game = games.find(&rules.game);
    let game = game.ok_or_else(|| ApiError::not_found("the game of the contest is not here"))?;
    let read = tokio::task::spawn_blocking(move || {
        let pack = SituationPack::parse(&text);
        let checked = pack.and_then(|pack| pack.check(&*game).map(|()| pack));
        let pack = checked.map_err(|why| format!("{why:#}"))?;
        Ok(PackContent {
            name: serde_json::json!(pack.name),
            moments: pack.moments.len() as i32,
            text: pack.to_text(),
        })
    });
    let read = read.await;
    read.map_err(|error| ApiError::internal_error("a pack was not checked", &error))
}

/// The line in which a file is named.
fn line_of_name(text: &str, name: &str) -> usize {
    let at = text.lines().position(|line| line.contains(name));
    at.map_or(1, |at| at + 1)
}

//! What the arena keeps about a person as one ZIP, for that person.

use std::collections::BTreeSet;

use futures_util::Stream;
use leitai_store::{BlobKey, BotId, MatchFilter, MatchId, PageQuery, Timestamp, UserId};
use serde_json::json;

use crate::http::archive::{Archive, ExportError, stream_archive};
use crate::http::summaries::MatchSummary;
use crate::removal::Storage;

/// What stands in the archive, in both languages.
const READ_ME: &str = "This archive holds what this arena keeps about you.

data/TABLE.json      what stands in its database about you, a row each; secrets are left out
matches.ndjson       matches in which you or your bots played, a JSON object a line;
                     where `replay` is not null, the replay is at /api/matches/ID/replay
sources/BOT/NUMBER/  what you uploaded: BOT is the bot's number in data/bots.json

此压缩包包含本平台保存的与你有关的数据。

data/TABLE.json      数据库中与你有关的记录，每行一条；不含密钥和密码
matches.ndjson       你本人或你的 Bot 参加的比赛，每行一个 JSON 对象；
                     replay 不为 null 时，回放位于 /api/matches/ID/replay
sources/BOT/NUMBER/  你上传的程序：BOT 是 data/bots.json 中 Bot 的编号
";

/// The matches asked for at once.
const PAGE: u64 = 100;

/// The archive, piece by piece: rows of the database, matches, and sources of the person's own bots.
/// Matches that a contest still hides, and those of experiments, are left out.
pub fn export_person(
    storage: Storage,
    user: UserId,
) -> impl Stream<Item = Result<Vec<u8>, ExportError>> + Send + 'static {
    stream_archive("the export of a person's data", move |zip| {
        write_archive(storage, user, zip)
    })
}

async fn write_archive(
    storage: Storage,
    user: UserId,
    mut zip: Archive,
) -> Result<(), ExportError> {
    zip.add("README.txt", READ_ME.as_bytes()).await?;
    let mut bots = Vec::new();
    for part in storage.store.personal_data(user).await? {
        if part.table == "bots" {
            let keys = part.rows.iter().filter_map(|row| row["id"].as_i64());
            bots.extend(keys.map(BotId));
        }
        let text = format!("{:#}\n", json!(part.rows));
        zip.add(&format!("data/{}.json", part.table), text.as_bytes())
            .await?;
    }
    write_matches(&storage, user, &bots, &mut zip).await?;
    for bot in bots {
        for (number, file, key) in storage.store.sources_of(bot).await? {
            let name = format!("sources/{bot}/{number}/{}", file.replace(['/', '\\'], "_"));
            write_source(&storage, &name, &key, &mut zip).await?;
        }
    }
    zip.finish().await
}

async fn write_matches(
    storage: &Storage,
    user: UserId,
    bots: &[BotId],
    zip: &mut Archive,
) -> Result<(), ExportError> {
    let seen_at = Some(Timestamp::now());
    let of_person = MatchFilter {
        person: Some(user),
        seen_at,
        ..MatchFilter::default()
    };
    let of_homes = MatchFilter {
        home: Some(user),
        seen_at,
        ..MatchFilter::default()
    };
    let of_bots = bots.iter().map(|&bot| MatchFilter {
        bot: Some(bot),
        seen_at,
        ..MatchFilter::default()
    });
    zip.begin("matches.ndjson")?;
    let mut written: BTreeSet<MatchId> = BTreeSet::new();
    for filter in [of_person, of_homes].into_iter().chain(of_bots) {
        let mut ask = PageQuery {
            before: None,
            limit: PAGE,
        };
        loop {
            let page = storage.store.list_matches(&filter, &ask).await?;
            for row in page.items {
                if written.insert(row.id) {
                    let line = format!("{}\n", json!(MatchSummary::from(row)));
                    zip.write(line.as_bytes()).await?;
                }
            }
            ask.before = page.next;
            if ask.before.is_none() {
                break;
            }
        }
    }
    Ok(())
}

/// A source that is gone meanwhile is left out.
async fn write_source(
    storage: &Storage,
    name: &str,
    key: &str,
    zip: &mut Archive,
) -> Result<(), ExportError> {
    let Ok(source) = storage.blobs.read_blob(&BlobKey::parse(key)?).await else {
        tracing::warn!(%key, "a source is missing in a person's export");
        return Ok(());
    };
    zip.add(name, &source).await
}

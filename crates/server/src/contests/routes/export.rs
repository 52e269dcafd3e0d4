//! A contest as one ZIP, for its organiser's records.

use std::collections::HashMap;
use std::fmt::Write as _;

use futures_util::Stream;
use leitai_contest::file::Contest as Rules;
use leitai_game::{Lang, LocalizedText};
use leitai_series::report::escape::escape_html;
use leitai_store::{
    BotId, Contest, ContestEntry, EntryId, Json, MatchState, PlayedContestMatch, StoreError,
};
use serde_json::json;

use crate::contests::stage_state::StageState;
use crate::dataset::{match_row, public_replay};
use crate::http::archive::{Archive, ExportError, stream_archive};
use crate::removal::Storage;
use crate::signatures::Signer;

/// A stage as it is exported.
struct Stage {
    name: LocalizedText,
    state: StageState,
}

/// An entrant as it is exported.
struct Entrant {
    name: String,
    author: Option<String>,
    version: Option<i32>,
    left: Option<String>,
}

/// A contest that is about to be exported.
pub struct ContestExport {
    storage: Storage,
    contest: Contest,
    rules: Rules,
    entrants: HashMap<EntryId, Entrant>,
    played: Vec<PlayedContestMatch>,
    stages: Vec<Stage>,
}

/// Reads what an export begins with.
///
/// # Errors
/// If the database fails.
pub async fn prepare_export(
    storage: Storage,
    contest: Contest,
    rules: Rules,
) -> Result<ContestExport, ExportError> {
    let store = &storage.store;
    let entries = store.contest_entries(contest.id).await?;
    let entrants = find_entrants(&storage, &entries).await?;
    let played = store.contest_matches(contest.id, None).await?;
    let mut stages = Vec::new();
    for begun in store.contest_stages(contest.id).await? {
        let own: Vec<_> = played
            .iter()
            .filter(|row| row.stage == begun.stage)
            .cloned()
            .collect();
        let number = usize::try_from(begun.stage).unwrap_or_default();
        let state = StageState::derive(&rules, &begun, &entries, &own);
        if let (Some(state), Some(rules)) = (state, rules.stages.get(number)) {
            let name = rules.name.clone();
            stages.push(Stage { name, state });
        }
    }
    Ok(ContestExport {
        storage,
        contest,
        rules,
        entrants,
        played,
        stages,
    })
}

impl ContestExport {
    /// Everything about the contest in one ZIP, piece by piece: its file, standings and matches as
    /// CSV and JSON, replays without what only their authors may read, and a report in both
    /// languages. However many replays there are, only one of them is in memory. An error ends the
    /// pieces: an archive without its end is not taken for a whole one.
    pub fn into_pieces(self) -> impl Stream<Item = Result<Vec<u8>, ExportError>> + Send + 'static {
        stream_archive("the export of a contest", |zip| self.write_into(zip))
    }

    async fn write_into(self, mut zip: Archive) -> Result<(), ExportError> {
        let store = &self.storage.store;
        zip.add("contest.toml", self.contest.file.as_bytes())
            .await?;
        for pack in store.packs_of_file(&self.contest).await? {
            let name = pack.file.unwrap_or_default();
            zip.add(&name, pack.content.as_bytes()).await?;
        }
        let rows = standing_rows(&self.stages, &self.entrants);
        let text = format!("{:#}\n", json!(rows));
        zip.add("standings.json", text.as_bytes()).await?;
        let text = to_csv(&STANDING_COLUMNS, &rows);
        zip.add("standings.csv", text.as_bytes()).await?;
        let signer = Signer::load(store, None).await?;
        let mut matches = Vec::new();
        for row in &self.played {
            let own = store.match_by_id(row.match_id).await?;
            let mut replay = None;
            if own.state == MatchState::Finished
                && let Some(text) = public_replay(&self.storage, &signer, &own).await?
            {
                let name = format!("replays/{}.json", own.id);
                zip.add(&name, text.as_bytes()).await?;
                replay = Some(name);
            }
            let mut exported = match_row(&own, replay);
            exported["state"] = json!(own.state);
            place_match(&mut exported, row);
            matches.push(exported);
        }
        let text = format!("{:#}\n", json!(matches));
        zip.add("matches.json", text.as_bytes()).await?;
        let text = to_csv(&MATCH_COLUMNS, &matches);
        zip.add("matches.csv", text.as_bytes()).await?;
        let changes = store.contest_changes(&self.contest).await?;
        let report = write_report(
            &self.contest,
            &self.rules,
            &self.stages,
            &self.entrants,
            &changes,
        );
        zip.add("report.html", report.as_bytes()).await?;
        zip.finish().await
    }
}

async fn find_entrants(
    storage: &Storage,
    entries: &[ContestEntry],
) -> Result<HashMap<EntryId, Entrant>, StoreError> {
    let store = &storage.store;
    let bots: Vec<BotId> = entries.iter().map(|entry| entry.bot).collect();
    let mut briefs = HashMap::new();
    for some in bots.chunks(500) {
        let found = store.bot_briefs(some).await?;
        briefs.extend(found.into_iter().map(|bot| (bot.id, bot)));
    }
    let mut entrants = HashMap::new();
    for entry in entries {
        let brief = briefs.get(&entry.bot);
        let version = match entry.version {
            Some(id) => store.find_version(id).await.ok().map(|one| one.number),
            None => None,
        };
        let left = entry.left.map(|left| {
            let word = json!(left).as_str().unwrap_or_default().to_owned();
            entry
                .why
                .as_ref()
                .map_or(word.clone(), |why| format!("{word}: {why}"))
        });
        entrants.insert(
            entry.id,
            Entrant {
                name: brief.map(|bot| bot.name.clone()).unwrap_or_default(),
                author: brief.and_then(|bot| bot.owner.clone()),
                version,
                left,
            },
        );
    }
    Ok(entrants)
}

const STANDING_COLUMNS: [&str; 12] = [
    "stage",
    "place",
    "bot",
    "author",
    "version",
    "seed",
    "points",
    "won",
    "drawn",
    "lost",
    "tie-breaks",
    "left",
];

fn standing_rows(stages: &[Stage], entrants: &HashMap<EntryId, Entrant>) -> Vec<Json> {
    let mut rows = Vec::new();
    for (stage, number) in stages.iter().zip(1..) {
        for row in &stage.state.progress.standings {
            let Some(entrant) = entrants.get(&stage.state.seeds[row.player]) else {
                continue;
            };
            let [won, drawn, lost] = row.encounters;
            rows.push(json!({
                "stage": number, "place": row.place, "bot": entrant.name,
                "author": entrant.author, "version": entrant.version, "seed": row.player + 1,
                "points": row.points, "won": won, "drawn": drawn, "lost": lost,
                "tie-breaks": row.tie_breaks, "left": entrant.left,
            }));
        }
    }
    rows
}

const MATCH_COLUMNS: [&str; 14] = [
    "id",
    "stage",
    "place",
    "number",
    "attempt",
    "state",
    "taken-back",
    "a",
    "b",
    "winner",
    "seed",
    "created",
    "finished",
    "replay",
];

/// Adds where in the contest a match belongs.
fn place_match(exported: &mut Json, row: &PlayedContestMatch) {
    exported["stage"] = json!(row.stage + 1);
    exported["place"] = json!(row.place);
    exported["number"] = json!(row.number + 1);
    exported["attempt"] = json!(row.attempt + 1);
    exported["taken-back"] = json!(row.taken_back);
}

/// Rows as CSV. Of an object its `name` is written, of a list its items with spaces between.
pub fn to_csv(columns: &[&str], rows: &[Json]) -> String {
    let mut text = columns.join(",") + "\r\n";
    for row in rows {
        let fields: Vec<String> = columns.iter().map(|key| csv_field(&row[*key])).collect();
        text.push_str(&fields.join(","));
        text.push_str("\r\n");
    }
    text
}

fn csv_field(value: &Json) -> String {
    let text = match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        Json::Object(object) => object
            .get("name")
            .and_then(Json::as_str)
            .unwrap_or_default()
            .into(),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(ToString::to_string).collect();
            items.join(" ")
        }
        other => other.to_string(),
    };
    // A spreadsheet would take such a text for a formula.
    let is_text = value.is_string() || value.is_object();
    let guard = match is_text && text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => "'",
        false => "",
    };
    match text.contains(['"', ',', '\n', '\r']) || !guard.is_empty() {
        true => format!("\"{guard}{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

const HEAD: &str = "<!doctype html>
<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><style>
body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem}
table{border-collapse:collapse;margin:1rem 0}
th,td{border-bottom:1px solid #ccc;padding:.2rem .7rem;text-align:left}
td.n{text-align:right}
@media print{section+section{break-before:page}}
</style>
";

/// What was done to a contest, in English and Chinese.
const ACTIONS: [(&str, &str, &str); 10] = [
    ("publish", "published", "发布"),
    ("update", "file changed", "修改文件"),
    ("freeze", "versions frozen", "冻结版本"),
    ("pause", "paused", "暂停"),
    ("resume", "resumed", "恢复"),
    ("disqualify", "an entrant was disqualified", "取消参赛资格"),
    ("replay-match", "a match is played again", "重赛"),
    ("take-back-stage", "a stage begins anew", "阶段重新开始"),
    ("finish", "finished", "结束"),
    ("annul", "annulled", "作废"),
];

/// The report: standings of every stage, and what was changed, in both languages.
fn write_report(
    contest: &Contest,
    rules: &Rules,
    stages: &[Stage],
    entrants: &HashMap<EntryId, Entrant>,
    changes: &[leitai_store::Audit],
) -> String {
    let mut page = String::from(HEAD);
    let title = escape_html(&rules.title.en);
    let _ = writeln!(page, "<title>{title}</title></head><body>");
    for lang in [Lang::En, Lang::Zh] {
        let [tag, game, ended, changed] = match lang {
            Lang::En => ["en", "Game", "ended", "What was changed"],
            Lang::Zh => ["zh-CN", "游戏", "结束于", "变更记录"],
        };
        let title = escape_html(in_lang(&rules.title, lang));
        let _ = write!(page, "<section lang=\"{tag}\"><h1>{title}</h1><p>");
        let _ = write!(page, "{game}: {}", escape_html(&rules.game));
        if let Some(when) = contest.ended {
            let _ = write!(page, " · {ended}: {when}");
        }
        if let Some(note) = &contest.note {
            let _ = write!(page, " · {}", escape_html(note));
        }
        page.push_str("</p>\n");
        for stage in stages {
            write_standings(&mut page, lang, stage, entrants);
        }
        let _ = writeln!(page, "<h2>{changed}</h2><ul>");
        for row in changes {
            let action = row.action.trim_start_matches("contest.");
            let known = ACTIONS.iter().find(|(name, ..)| *name == action);
            let words = known.map_or(action, |(_, en, zh)| match lang {
                Lang::En => en,
                Lang::Zh => zh,
            });
            let _ = write!(page, "<li>{}: {}", row.at, escape_html(words));
            if let Some(why) = row.detail["why"].as_str() {
                let _ = write!(page, " ({})", escape_html(why));
            }
            page.push_str("</li>\n");
        }
        page.push_str("</ul></section>\n");
    }
    page.push_str("</body></html>\n");
    page
}

fn in_lang(text: &LocalizedText, lang: Lang) -> &str {
    match lang {
        Lang::En => &text.en,
        Lang::Zh => &text.zh,
    }
}

fn write_standings(
    page: &mut String,
    lang: Lang,
    stage: &Stage,
    entrants: &HashMap<EntryId, Entrant>,
) {
    let heads = match lang {
        Lang::En => [
            "Place",
            "Bot",
            "Author",
            "Version",
            "Points",
            "Won – drawn – lost",
        ],
        Lang::Zh => ["名次", "Bot", "作者", "版本", "积分", "胜 – 平 – 负"],
    };
    let name = escape_html(in_lang(&stage.name, lang));
    let _ = write!(page, "<h2>{name}</h2><table><tr>");
    for head in heads {
        let _ = write!(page, "<th>{head}</th>");
    }
    page.push_str("</tr>\n");
    for row in &stage.state.progress.standings {
        let Some(entrant) = entrants.get(&stage.state.seeds[row.player]) else {
            continue;
        };
        let [won, drawn, lost] = row.encounters;
        let version = entrant
            .version
            .map_or_else(String::new, |one| one.to_string());
        let _ = writeln!(
            page,
            "<tr><td class=n>{}</td><td>{}</td><td>{}</td><td class=n>{version}</td>\
             <td class=n>{}</td><td>{won} – {drawn} – {lost}</td></tr>",
            row.place,
            escape_html(&entrant.name),
            escape_html(entrant.author.as_deref().unwrap_or_default()),
            row.points,
        );
    }
    page.push_str("</table>\n");
}

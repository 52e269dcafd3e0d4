//! Routes: similar sources in a contest, for its organisers.

use std::sync::Arc;
use std::time::Duration;

use leitai_store::{AuditedAction, Contest, EntryId};
use serde_json::json;

use crate::contests::routes::access::need_organised;
use crate::http::prelude::*;
use crate::similar::{
    ComparedEntry, LeftOut, MatchedLines, Progress, SEEN, SimilarReport, SourceText, find_regions,
    load_source,
};

/// How long a request waits for a comparison.
const PATIENCE: Duration = Duration::from_secs(8);

/// Routes of similar sources.
pub fn similar_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(list_similar_sources))
        .routes(routes!(show_similar_pair))
}

/// Which programs of a contest have long parts in common.
#[derive(Debug, Serialize, ToSchema)]
struct SimilarList {
    /// Whether the comparison is done; else ask again in a moment.
    ready: bool,
    /// Sources that were read.
    done: usize,
    /// Sources in all.
    of: usize,
    /// Tokens of which a part in common is always found.
    seen: usize,
    /// Pairs in which a fifth or more of one source is in the other, most similar first; at most 200.
    pairs: Vec<SimilarPairSummary>,
    /// Entries whose source is longer than what is looked at.
    cut: Vec<SimilarEntry>,
    /// Entries that were not compared.
    left_out: Vec<UncomparedEntry>,
}

/// Two entries that have much in common.
#[derive(Debug, Serialize, ToSchema)]
struct SimilarPairSummary {
    #[schema(value_type = Vec<SimilarEntry>, min_items = 2, max_items = 2)]
    entries: [SimilarEntry; 2],
    /// Twice what both share by all that both have, 0 to 1.
    similarity: f64,
    /// Which part of each is in the other, 0 to 1.
    #[schema(value_type = Vec<f64>, min_items = 2, max_items = 2)]
    parts: [f64; 2],
}

/// An entry and its version.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct SimilarEntry {
    entry: i64,
    /// The name of its bot.
    name: String,
    /// The number of the version that plays, or would play now.
    version: i32,
}

/// An entry that was not compared.
#[derive(Debug, Serialize, ToSchema)]
struct UncomparedEntry {
    entry: i64,
    /// `gone`: there is no version; `no-source`: no source in a known language is in it; `too-many`.
    #[schema(example = "no-source")]
    why: &'static str,
}

/// Two sources side by side.
#[derive(Debug, Serialize, ToSchema)]
struct SimilarPairDetails {
    #[schema(value_type = Vec<SimilarSide>, min_items = 2, max_items = 2)]
    sides: [SimilarSide; 2],
    similarity: f64,
    #[schema(value_type = Vec<f64>, min_items = 2, max_items = 2)]
    parts: [f64; 2],
    /// What both have in common, in the order of the first.
    regions: Vec<SimilarRegion>,
}

/// One of two sources.
#[derive(Debug, Serialize, ToSchema)]
struct SimilarSide {
    #[serde(flatten)]
    entry: SimilarEntry,
    files: Vec<SimilarFile>,
    /// Whether there is more of it than is shown.
    cut: bool,
}

/// A file of a source.
#[derive(Debug, Serialize, ToSchema)]
struct SimilarFile {
    name: String,
    text: String,
}

/// A part that two sources have in common.
#[derive(Debug, Serialize, ToSchema)]
struct SimilarRegion {
    #[schema(value_type = Vec<SimilarLines>, min_items = 2, max_items = 2)]
    lines: [SimilarLines; 2],
    tokens: usize,
}

/// Lines of a file.
#[derive(Debug, Serialize, ToSchema)]
struct SimilarLines {
    /// The index of the file.
    file: usize,
    /// The first line, from 1.
    from: u32,
    /// The last line.
    to: u32,
}

/// The pairs of entries whose sources have long parts in common, whatever the names in them; without
/// what was given to all or is in many. It is a reason to look and no verdict. For the contest's
/// organisers and administrators; every opening is in the audit log.
#[utoipa::path(get, operation_id = "list_similar_sources",
    path = "/api/contests/{id}/similar-sources", tag = "contests", params(("id" = String, Path)),
    security(("token" = []), ("session" = [])), responses((status = 200, body = SimilarList),
    (status = 403, body = ErrorBody)))]
async fn list_similar_sources(
    app: App,
    user: SignedInUser,
    Path(id): Path<String>,
) -> Answer<SimilarList> {
    let contest = need_organised(&app, &user, &id).await?;
    let progress = compare(&app, &contest).await?;
    let Some(report) = progress.report.flatten() else {
        return Ok(Json(SimilarList {
            ready: false,
            done: progress.done,
            of: progress.of,
            seen: SEEN,
            pairs: Vec::new(),
            cut: Vec::new(),
            left_out: Vec::new(),
        }));
    };
    let detail = json!({"pairs": report.pairs.len()});
    note_opening(&app, user.id, &contest, "contest.similar-sources", detail).await?;
    Ok(Json(describe_report(&report, progress.of)))
}

/// Two entries' sources side by side, with what both have in common. For the contest's organisers
/// and administrators; every opening is in the audit log.
#[utoipa::path(get, operation_id = "show_similar_pair",
    path = "/api/contests/{id}/similar-sources/{one}/{other}", tag = "contests",
    params(("id" = String, Path), ("one" = i64, Path), ("other" = i64, Path)),
    security(("token" = []), ("session" = [])), responses((status = 200, body = SimilarPairDetails),
    (status = 403, body = ErrorBody),
    (status = 409, description = "the comparison is not done yet", body = ErrorBody)))]
async fn show_similar_pair(
    app: App,
    user: SignedInUser,
    Path((id, one, other)): Path<(String, EntryId, EntryId)>,
) -> Answer<SimilarPairDetails> {
    let contest = need_organised(&app, &user, &id).await?;
    let progress = compare(&app, &contest).await?;
    let Some(report) = progress.report.flatten() else {
        let message = "the sources are still being compared; try again in a moment";
        return Err(ApiError::conflict("not-compared", message));
    };
    // Only pairs of the list are shown: it is no way to read any source.
    let own = [one, other];
    let pair = report.pairs.iter().find(|pair| {
        let entries = pair.entries.map(|place| report.compared[place].entry);
        entries == own || entries == [other, one]
    });
    let refusal = || ApiError::not_found("these two are no similar pair of this contest");
    let pair = pair.ok_or_else(refusal)?;
    let compared = own.map(|own| report.compared.iter().find(|known| known.entry == own));
    let [Some(first), Some(second)] = compared else {
        return Err(refusal());
    };
    let versions = [first.version.0, second.version.0];
    let detail = json!({"entries": own, "versions": versions});
    note_opening(&app, user.id, &contest, "contest.similar-pair", detail).await?;
    let sources = [load(&app, first).await?, load(&app, second).await?];
    let known = report.clone();
    let work = tokio::task::spawn_blocking(move || {
        let regions = find_regions([&sources[0], &sources[1]], &known.common);
        (sources, regions)
    });
    let (sources, regions) = work
        .await
        .map_err(|error| ApiError::internal_error("the sources were not compared", &error))?;
    let is_turned = report.compared[pair.entries[0]].entry != one;
    let [left, right] = pair.parts;
    let [first_source, second_source] = sources;
    Ok(Json(SimilarPairDetails {
        sides: [
            describe_side(first, first_source),
            describe_side(second, second_source),
        ],
        similarity: pair.similarity,
        parts: if is_turned {
            [right, left]
        } else {
            [left, right]
        },
        regions: regions
            .iter()
            .map(|region| SimilarRegion {
                lines: region.lines.map(describe_lines),
                tokens: region.tokens,
            })
            .collect(),
    }))
}

/// The comparison of a contest's entries, if it ends soon.
async fn compare(app: &App, contest: &Contest) -> Result<Progress> {
    let game = app.find_game(&contest.game);
    let begun = app
        .similar
        .compare_entries(&app.store, &app.blobs, game, contest);
    let mut progress = begun.await?;
    let ended = progress.wait_for(|progress| progress.report.is_some());
    // It goes on after that.
    let _ = tokio::time::timeout(PATIENCE, ended).await;
    let known = progress.borrow().clone();
    match known.report {
        Some(None) => Err(ApiError::internal_error(
            "the sources were not compared",
            &"no result",
        )),
        _ => Ok(known),
    }
}

async fn load(app: &App, entry: &ComparedEntry) -> Result<SourceText> {
    let version = app.store.find_version(entry.version).await?;
    let source = load_source(&app.blobs, &version).await;
    source.ok_or_else(|| ApiError::not_found("a source of this pair is gone"))
}

/// Nothing is shown that is not in the log.
async fn note_opening(
    app: &App,
    user: UserId,
    contest: &Contest,
    action: &str,
    detail: serde_json::Value,
) -> Result<()> {
    // What is about the contest itself is shown on its page, to everybody.
    let subject = format!("contest-sources {}", contest.name);
    let action = AuditedAction::new(Some(user), action, subject, detail);
    Ok(app.store.write_audit(action, Timestamp::now()).await?)
}

fn describe_report(report: &Arc<SimilarReport>, of: usize) -> SimilarList {
    let pairs = report.pairs.iter().map(|pair| SimilarPairSummary {
        entries: pair
            .entries
            .map(|place| describe_entry(&report.compared[place])),
        similarity: pair.similarity,
        parts: pair.parts,
    });
    let cut = report.compared.iter().filter(|entry| entry.is_cut);
    let left_out = report.left_out.iter().map(|(entry, why)| UncomparedEntry {
        entry: entry.0,
        why: match why {
            LeftOut::Gone => "gone",
            LeftOut::NoSource => "no-source",
            LeftOut::TooMany => "too-many",
        },
    });
    SimilarList {
        ready: true,
        done: of,
        of,
        seen: SEEN,
        pairs: pairs.collect(),
        cut: cut.map(describe_entry).collect(),
        left_out: left_out.collect(),
    }
}

fn describe_entry(entry: &ComparedEntry) -> SimilarEntry {
    SimilarEntry {
        entry: entry.entry.0,
        name: entry.name.clone(),
        version: entry.number,
    }
}

fn describe_side(entry: &ComparedEntry, source: SourceText) -> SimilarSide {
    let files = source.files.into_iter().map(|file| SimilarFile {
        name: file.name,
        text: file.text,
    });
    SimilarSide {
        entry: describe_entry(entry),
        files: files.collect(),
        cut: source.is_cut,
    }
}

fn describe_lines(lines: MatchedLines) -> SimilarLines {
    SimilarLines {
        file: lines.file,
        from: lines.from,
        to: lines.to,
    }
}

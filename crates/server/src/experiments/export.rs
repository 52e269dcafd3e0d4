//! Routes: an experiment as a file.

use leitai_series::book::Book;
use leitai_series::comparison::NEW;
use leitai_series::report::csv::write_csv;
use leitai_series::{GameRecord, PlayedPair};
use leitai_store::Experiment;
use serde_json::{Value, json};

use super::access::need_seen;
use super::answers::{ExperimentSummary, count_pairs, summarise};
use super::count::CountedPairs;
use crate::bots::routes::versions::attachment_header;
use crate::http::prelude::*;
use crate::work::books::read_text;

/// The route of exports.
pub fn export_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(export_experiment))
}

/// The form of an export.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ExportForm {
    /// The result and every pair, with the position book if there is one.
    #[default]
    Json,
    /// A line for each pair.
    Csv,
    /// The position book from which its matches start, as it was sent.
    Book,
}

/// The form of an export.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct WhichForm {
    /// `json` (default), `csv`, or `book`.
    #[serde(default)]
    #[param(inline)]
    form: ExportForm,
}

/// The pairs of an experiment with their result, or its position book, as a file.
#[utoipa::path(get, operation_id = "export_experiment",
    path = "/api/experiments/{id}/export", tag = "experiments", security(("token" = []), ("session" = [])),
    params(("id" = i64, Path), WhichForm), responses(
    (status = 200, description = "JSON, CSV, or a book's JSON lines", body = Object),
    (status = 400, body = ErrorBody), (status = 401, body = ErrorBody), (status = 404, body = ErrorBody),
))]
async fn export_experiment(
    app: App,
    user: SignedInUser,
    Path(id): Path<i64>,
    Query(which): Query<WhichForm>,
) -> Result<Response> {
    let own = need_seen(&app, &user, id).await?;
    if own.benchmark.is_some() {
        let why = format!("experiment {id} is a benchmark; its file is its signed result");
        return Err(ApiError::not_found(why));
    }
    let book = match &own.book {
        Some(hash) => Some(find_book(&app, hash).await?),
        None => None,
    };
    let brief = summarise(&app, &own).await?;
    let (kind, ending, text) = match which.form {
        ExportForm::Json => {
            let text = write_json(&app, &own, brief, book).await?;
            ("application/json", "json", text)
        }
        ExportForm::Csv => {
            let text = list_pairs(&app, &own, &brief, book).await?;
            ("text/csv; charset=utf-8", "csv", text)
        }
        ExportForm::Book => {
            let none = || ApiError::not_found(format!("experiment {id} has no position book"));
            let (text, _) = book.ok_or_else(none)?;
            ("application/jsonl", "book", text)
        }
    };
    Ok(private_file(
        &format!("experiment-{id}.{ending}"),
        kind,
        text,
    ))
}

/// A file for the one who asked.
pub(super) fn private_file(name: &str, kind: &'static str, text: String) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(kind)),
        (header::CONTENT_DISPOSITION, attachment_header(name)),
        (
            header::CACHE_CONTROL,
            HeaderValue::from_static("private, no-cache"),
        ),
    ];
    (headers, text).into_response()
}

/// The text of a book, and what it says.
async fn find_book(app: &App, hash: &str) -> Result<(String, Book)> {
    let lost = |why: &dyn std::fmt::Display| ApiError::internal_error("the book was not read", why);
    let text = read_text(&app.blobs, hash).await;
    let text = text.map_err(|why| lost(&why))?;
    let book = Book::read_checked(&text).map_err(|why| lost(&why))?;
    Ok((text, book))
}

/// The position from which the matches of a pair start, by its line in the book, from 1.
fn position_of(book: Option<&Book>, counted: &CountedPairs, pair: &PlayedPair) -> Option<usize> {
    Some(book?.draw_index(seed_of(counted, pair)) + 1)
}

fn seed_of(counted: &CountedPairs, pair: &PlayedPair) -> u64 {
    counted.seed_of(i32::try_from(pair.number).unwrap_or(i32::MAX))
}

async fn write_json(
    app: &App,
    own: &Experiment,
    brief: ExperimentSummary,
    book: Option<(String, Book)>,
) -> Result<String> {
    let matches = app.store.experiment_matches(own.id, 0).await?;
    let counted = count_pairs(own, &brief, &matches);
    let (text, book) = book.unzip();
    let rows = counted.pairs.iter().zip(&counted.llrs);
    let pairs: Vec<Value> = rows
        .map(
            |(pair, llr)| match position_of(book.as_ref(), &counted, pair) {
                Some(position) => json!({"pair": pair, "llr": llr, "position": position}),
                None => json!({"pair": pair, "llr": llr}),
            },
        )
        .collect();
    let whole = json!({
        "format": "leitai-experiment/1",
        "experiment": brief,
        "result": counted.result.to_json(),
        "pairs": pairs,
        "book": text,
    });
    Ok(whole.to_string())
}

async fn list_pairs(
    app: &App,
    own: &Experiment,
    brief: &ExperimentSummary,
    book: Option<(String, Book)>,
) -> Result<String> {
    let matches = app.store.experiment_matches(own.id, 0).await?;
    let counted = count_pairs(own, brief, &matches);
    let book = book.map(|(_, book)| book);
    let head = [
        "pair",
        "seed",
        "first_leg",
        "second_leg",
        "match",
        "other_match",
        "llr",
        "position",
    ];
    let line = |(pair, llr): (&PlayedPair, &f64)| {
        let scores = pair.player_scores(NEW);
        let points =
            |leg: usize| scores.map_or(String::new(), |both| both[leg].points().to_string());
        let replay_of = |game: Option<&GameRecord>| {
            game.and_then(|game| game.replay.clone())
                .unwrap_or_default()
        };
        let position = position_of(book.as_ref(), &counted, pair);
        [
            pair.number.to_string(),
            seed_of(&counted, pair).to_string(),
            points(0),
            points(1),
            replay_of(pair.game.as_ref()),
            replay_of(pair.other_leg.as_ref()),
            format!("{llr:.6}"),
            position.map_or(String::new(), |position| position.to_string()),
        ]
    };
    let rows = counted.pairs.iter().zip(&counted.llrs).map(line);
    Ok(write_csv(head, rows))
}

//! The situations that a version is asked after its check: those that its author pinned, those of
//! organisers, and the game's own.

use std::time::{Duration, Instant};

use leitai_game::replay::Replay;
use leitai_game::{Entrant, GameHandle};
use leitai_judge::check::CheckedProgram;
use leitai_series::regression::{
    AskedBot, PinnedPosition, RegressionResult, RegressionVerdict, SituationPack, run_position,
};
use leitai_store::{BlobKey, BlobStore, Bot, Json, PINS, Pin, Store, StoreError};
use serde_json::json;

use super::queue_error::JobQueueError;
use super::source::{AskedMoment, AskedPack};
use super::task_context::TaskContext;

/// The source of the game's own moments.
pub const GAME: &str = "game";
/// The longest time of one moment.
const EACH: Duration = Duration::from_secs(30);
/// The longest time of all moments of a version; what is left then is not asked.
const ALL: Duration = Duration::from_secs(300);
/// The most characters of an answer that is kept.
const LONGEST_ANSWER: usize = 200;

/// What the uploads of a bot are asked, the author's pins first. What cannot be read any more is left
/// out, and never stops a check.
pub async fn gather(
    store: &Store,
    blobs: &BlobStore,
    game: &GameHandle,
    bot: &Bot,
) -> Result<Vec<AskedPack>, JobQueueError> {
    let mut pins = Vec::new();
    for pin in store.pins_of(bot.id).await? {
        pins.push(AskedMoment {
            of: json!({"pin": pin.id, "match": pin.match_id, "why": pin.why}),
            moment: moment_of_pin(store, blobs, game, &pin).await?,
        });
    }
    let mut packs = vec![(PINS.to_owned(), pins)];
    let unnamed = |moment| AskedMoment {
        of: json!({}),
        moment: Some(moment),
    };
    for row in store.packs_for(bot).await? {
        if let Ok(pack) = SituationPack::parse(&row.content) {
            packs.push((
                row.id.to_string(),
                pack.moments.into_iter().map(unnamed).collect(),
            ));
        }
    }
    if let Some(pack) = SituationPack::of_game(&**game) {
        packs.push((
            GAME.to_owned(),
            pack.moments.into_iter().map(unnamed).collect(),
        ));
    }
    let packs = packs.into_iter();
    let packs = packs.map(|(source, moments)| AskedPack { source, moments });
    Ok(packs.filter(|pack| !pack.moments.is_empty()).collect())
}

async fn moment_of_pin(
    store: &Store,
    blobs: &BlobStore,
    game: &GameHandle,
    pin: &Pin,
) -> Result<Option<PinnedPosition>, JobQueueError> {
    let recorded = match store.match_by_id(pin.match_id).await {
        Ok(recorded) => recorded,
        Err(StoreError::Deleted { .. } | StoreError::Missing { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let Some(key) = recorded.replay else {
        return Ok(None);
    };
    let Ok(bytes) = blobs.read_blob(&BlobKey::parse(&key)?).await else {
        return Ok(None);
    };
    let entrant = match pin.entrant {
        0 => Entrant::A,
        _ => Entrant::B,
    };
    let (leg, round) = (pin.leg.unsigned_abs() as usize, pin.round.unsigned_abs());
    let game = game.clone();
    let read = tokio::task::spawn_blocking(move || {
        let replay = Replay::parse(&String::from_utf8_lossy(&bytes)).ok()?;
        let name = entrant.to_string();
        PinnedPosition::new(&*game, &replay, Some(leg), round, Some(&name), "").ok()
    });
    Ok(read.await.ok().flatten())
}

/// Asks a program that passed its check in these moments; `None` if the work was stopped.
pub fn ask(
    context: TaskContext<'_>,
    candidate: &CheckedProgram,
    packs: &[AskedPack],
) -> Option<Json> {
    let until = Instant::now() + ALL;
    let mut answered = json!({});
    for AskedPack { source, moments } in packs {
        let mut answers = Vec::new();
        for AskedMoment { of, moment } in moments {
            let left = until.saturating_duration_since(Instant::now());
            let bot = AskedBot::of_checked(candidate, Some(EACH.min(left)));
            let moment = moment.as_ref();
            let asked = moment.filter(|_| !left.is_zero());
            // A moment that cannot be played says nothing about the program.
            let result = asked.and_then(|one| run_position(&bot, one, &context.held.stop).ok());
            if context.held.is_stopped() {
                return None;
            }
            answers.push(answer_json(of, moment, result.as_ref()));
        }
        answered[source] = Json::Array(answers);
    }
    Some(answered)
}

fn answer_json(
    of: &Json,
    moment: Option<&PinnedPosition>,
    result: Option<&RegressionResult>,
) -> Json {
    let short = |text: &String| text.chars().take(LONGEST_ANSWER).collect::<String>();
    let verdict = result.map_or(RegressionVerdict::Unknown, |result| result.verdict);
    let answers = result.map_or(Vec::new(), |result| {
        result.answers.iter().map(short).collect()
    });
    let mut answer = match moment {
        Some(one) => json!({
            "category": one.category, "leg": one.leg, "round": one.round, "played": one.played,
            "passes": one.passes, "why": one.why,
        }),
        None => json!({}),
    };
    answer["verdict"] = json!(verdict);
    answer["answers"] = json!(answers);
    for (key, value) in of.as_object().into_iter().flatten() {
        answer[key] = value.clone();
    }
    answer
}

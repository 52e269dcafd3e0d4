//! What a queued job waits for: its place, and about how long.

use std::time::Duration;

use leitai_game::lang::Localizer;
use leitai_store::{Job, JobKind, JobState, Json, QueuePlace, Timestamp, Worker};
use serde_json::json;

use crate::http::app::App;
use crate::http::error::Result;
use crate::messages;

/// What a job waits for, `{en, zh, place, seconds}`; `None` unless it is queued and due. `place` is 1
/// for the next one, `seconds` null while nobody can tell.
pub async fn describe_place(app: &App, job: &Job) -> Result<Option<Json>> {
    let now = Timestamp::now();
    if job.state != JobState::Queued || job.until.is_some_and(|until| until > now) {
        return Ok(None);
    }
    let place = app.store.place_in_queue(job).await?;
    let workers = app.store.living_workers(now).await?;
    let slots: u64 = workers.iter().map(|worker| slots_for(job, worker)).sum();
    let time = waiting_time(&place, slots);
    let text = messages::catalogue([]).write_both(|lang| place_text(lang, &place, slots, time));
    let mut shown = json!(text);
    shown["place"] = (place.ahead + 1).into();
    shown["seconds"] = time.map(|time| time.as_secs()).into();
    Ok(Some(shown))
}

/// How many jobs of this kind the worker does at a time.
fn slots_for(job: &Job, worker: &Worker) -> u64 {
    match job.kind {
        _ if job.programs && !worker.runs_programs() => 0,
        JobKind::Version => worker.check_slots(),
        JobKind::Exhibition => u64::try_from(worker.exhibitions).unwrap_or_default(),
        JobKind::Match | JobKind::Human => worker.match_slots(),
    }
}

/// About how long a job waits at this place, if as many are done at a time.
pub fn waiting_time(place: &QueuePlace, slots: u64) -> Option<Duration> {
    let typical = place.typical.filter(|_| slots > 0)?;
    if place.ahead == 0 && place.running < slots {
        return Some(Duration::ZERO);
    }
    // Of the jobs that run, the one that ends first is half done on average, and all end in turns.
    let rounds = (place.ahead as f64 + 0.5) / slots as f64;
    Some(typical.mul_f64(rounds.min(1e6)))
}

/// The place in the queue and about how long it takes, in words.
pub fn place_text(
    lang: Localizer<'_>,
    place: &QueuePlace,
    slots: u64,
    time: Option<Duration>,
) -> String {
    let number = place.ahead + 1;
    if slots == 0 {
        return lang.fill(
            "number {} in the queue: it begins as soon as a worker that can do it is connected",
            &[&number],
        );
    }
    let waits = match place.ahead == 0 && place.running < slots {
        true => lang.fill("number {} in the queue: it begins at once", &[&number]),
        false => lang.fill(
            "number {} in the queue: it waits for a free slot ({} of {} at work)",
            &[&number, &place.running, &slots],
        ),
    };
    match time.filter(|time| !time.is_zero()) {
        Some(time) => waits + &lang.fill("; it begins in about {}", &[&about(lang, time)]),
        None => waits,
    }
}

/// A time that is not exact: `10 s`, `4 min`, `2 h`.
pub fn about(lang: Localizer<'_>, time: Duration) -> String {
    match time.as_secs() {
        seconds @ ..=90 => lang.fill("{} s", &[&seconds.max(1).next_multiple_of(5)]),
        seconds @ ..=5400 => lang.fill("{} min", &[&seconds.div_ceil(60)]),
        seconds => lang.fill("{} h", &[&seconds.div_ceil(3600)]),
    }
}

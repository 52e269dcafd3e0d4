//! The matches of a series as friendly matches in an arena: one uploaded version of a bot, with
//! settings.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use leitai_game::Replay;
use leitai_game::hash::fnv1a;
use leitai_series::Roster;
use leitai_series::game_record::JudgedMatch;
use leitai_series::run::{AttemptOutcome, FinishedMatch, MatchPlayer, SeriesJob};
use serde_json::{Value, json};

use super::ArenaClient;
use super::api::Refusal;
use crate::lang::Localizer;
use crate::series::print_notice;

/// How often a match is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// How long an arena may not answer before the series ends; the same command goes on then.
const PATIENCE: Duration = Duration::from_secs(120);
/// How old a list of matches may be: what was asked for just before a kill is in later ones.
const LIST_AGE: Duration = Duration::from_millis(1200);
/// The least wait after a refusal for a quota.
const LEAST_WAIT: Duration = Duration::from_secs(1);

/// Where the matches of a series are asked for.
pub struct ArenaMatches {
    /// The arena, and who asks.
    pub api: ArenaClient,
    /// The id of the version that plays.
    pub version: u64,
    /// The id of its bot.
    pub bot: u64,
    /// Its number among the versions of the bot.
    pub number: u64,
    /// The further fields of a request: limits, config.
    pub terms: Value,
    /// Matches that are asked for at a time.
    pub at_once: usize,
    /// For notices.
    pub lang: Localizer,
    /// Milliseconds since the start of the series until which a wait was told.
    pub told: AtomicU64,
    /// The start of the series.
    pub begun: Instant,
}

/// Plays matches of a roster whose entrants are all this version.
pub struct ArenaPlayer<'a> {
    /// Where.
    pub place: &'a ArenaMatches,
    /// The entrants.
    pub roster: &'a Roster,
}

impl MatchPlayer for ArenaPlayer<'_> {
    fn capacity(&self) -> usize {
        self.place.at_once
    }

    fn play(
        &self,
        job: &SeriesJob<()>,
        before: u32,
        halt: &AtomicBool,
    ) -> anyhow::Result<AttemptOutcome> {
        let request = self.request(job, before);
        let Some(id) = self.find_or_ask(&request, halt)? else {
            return Ok(AttemptOutcome::Interrupted);
        };
        loop {
            let path = format!("/api/matches/{id}");
            let Some(found) = self.patiently(halt, || self.place.api.get(&path))? else {
                return Ok(AttemptOutcome::Interrupted);
            };
            match found["state"].as_str() {
                Some("finished") => break,
                Some(state @ ("void" | "cancelled")) => {
                    return Ok(AttemptOutcome::Void(format!("match {id} is {state}")));
                }
                _ if is_halted_within(halt, LOOK) => return Ok(AttemptOutcome::Interrupted),
                _ => {}
            }
        }
        let path = format!("/api/matches/{id}/replay");
        let Some(bytes) = self.patiently(halt, || self.place.api.get_bytes(&path))? else {
            return Ok(AttemptOutcome::Interrupted);
        };
        Ok(match self.read_match(job, &bytes) {
            Ok(finished) => AttemptOutcome::Finished(Box::new(finished)),
            Err(why) => AttemptOutcome::Void(format!("match {id}: {why:#}")),
        })
    }
}

impl ArenaPlayer<'_> {
    /// The request for a match. Its tag says which match of which series it is, so that it is found
    /// again after a kill and not asked for twice.
    fn request(&self, job: &SeriesJob<()>, before: u32) -> Value {
        let [a, b] = job.pair.map(|index| {
            let settings = self.roster.settings_of(job, index).to_text();
            json!({"version": self.place.version, "settings": settings})
        });
        let mut request = json!({
            "game": self.roster.game_id(), "a": a, "b": b, "seed": job.seed,
        });
        if let (Value::Object(request), Value::Object(terms)) =
            (&mut request, self.place.terms.clone())
        {
            request.extend(terms);
        }
        let whole = format!("{request} {:?} {before}", job.legs);
        request["tags"] = json!([format!("tune-{:016x}", fnv1a(whole.as_bytes()))]);
        request
    }

    fn find_or_ask(&self, request: &Value, halt: &AtomicBool) -> anyhow::Result<Option<u64>> {
        if is_halted_within(halt, LIST_AGE.saturating_sub(self.place.begun.elapsed())) {
            return Ok(None);
        }
        let (api, tag) = (&self.place.api, request["tags"][0].as_str());
        let query = [
            ("tag", tag.unwrap_or_default().to_owned()),
            ("kind", "friendly".to_owned()),
        ];
        let find = || api.get_with("/api/matches", query.clone());
        let Some(found) = self.patiently(halt, find)? else {
            return Ok(None);
        };
        // Anybody may tag a match of theirs so.
        let is_own = |one: &&Value| {
            let (bot, number) = (json!(self.place.bot), json!(self.place.number));
            ["a", "b"].iter().all(|side| {
                let of = &one[side];
                of["settings"] == request[side]["settings"]
                    && of["bot"] == bot
                    && of["version"] == number
            })
        };
        let listed = found["items"].as_array();
        if let Some(own) = listed.into_iter().flatten().find(is_own) {
            return Ok(own["id"].as_u64());
        }
        let ask = || api.post_json("/api/matches", request);
        let made = self.patiently(halt, ask)?;
        Ok(made.as_ref().and_then(|made| made["id"].as_u64()))
    }

    /// Asks until there is an answer: an arena that is away for a while is asked again, and a quota
    /// that is used up is waited for. `None` if it was interrupted.
    fn patiently<T>(
        &self,
        halt: &AtomicBool,
        ask: impl Fn() -> anyhow::Result<T>,
    ) -> anyhow::Result<Option<T>> {
        let mut until = Instant::now() + PATIENCE;
        loop {
            let error = match ask() {
                Ok(answer) => return Ok(Some(answer)),
                Err(error) => error,
            };
            let wait = match error.downcast_ref::<Refusal>() {
                Some(refusal) if refusal.status == 429 => {
                    let wait = refusal.wait.unwrap_or_default().max(LEAST_WAIT);
                    self.tell_wait(refusal, wait);
                    until = Instant::now() + wait + PATIENCE;
                    wait
                }
                Some(refusal) if refusal.status < 500 => return Err(error),
                _ => LEAST_WAIT,
            };
            if Instant::now() >= until {
                return Err(error);
            }
            if is_halted_within(halt, wait) {
                return Ok(None);
            }
        }
    }

    /// Says once why nothing happens, if that lasts.
    fn tell_wait(&self, refusal: &Refusal, wait: Duration) {
        let place = self.place;
        let now = u64::try_from(place.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let end = now.saturating_add(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX));
        if wait > Duration::from_secs(10) && place.told.fetch_max(end, Ordering::Relaxed) <= now {
            let seconds = wait.as_secs();
            print_notice(&place.lang.fill(
                "{}; goes on in {} s, and Ctrl-C ends it here: the same command goes on later",
                &[&refusal.text, &seconds],
            ));
        }
    }

    /// The replay, if it is that of this match.
    fn read_match(&self, job: &SeriesJob<()>, bytes: &[u8]) -> anyhow::Result<FinishedMatch> {
        let game = self.roster.game();
        let text = std::str::from_utf8(bytes).context("the replay is not UTF-8")?;
        let replay = Replay::parse(text)?;
        let [a, b] = job
            .pair
            .map(|index| self.roster.settings_of(job, index).to_text());
        let of = &replay.entrants;
        let is_asked = replay.game == game.meta().id
            && replay.rules == game.meta().rules
            && replay.seed == Some(job.seed)
            && of.iter_pairs().map(|(_, one)| &one.settings).eq([&a, &b]);
        anyhow::ensure!(is_asked, "its replay is that of another match");
        let judged = JudgedMatch::of_replay(&**game, &replay).map_err(anyhow::Error::msg)?;
        let legs = game.meta().legs;
        let game = judged.record(job.pair, (job.seed, legs), &replay);
        Ok(FinishedMatch { game, replay })
    }
}

/// Waits so long; whether it was interrupted.
fn is_halted_within(halt: &AtomicBool, time: Duration) -> bool {
    let until = Instant::now() + time;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if halt.load(Ordering::Relaxed) || left.is_zero() {
            return halt.load(Ordering::Relaxed);
        }
        std::thread::sleep(left.min(Duration::from_millis(100)));
    }
}

//! Tells other servers about the matches of this one, and answers their questions.

use std::sync::Arc;
use std::time::Duration;

use leitai_game::GameSet;
use tokio::time::MissedTickBehavior;

use super::LiveMatches;
use super::elsewhere::{ServerProgress, SharedProgress};
use super::follow::{MatchCheck, OtherServers};
use super::live_match::LiveMatch;
use super::match_state::LiveMatchState;
use super::shared::{Answer, EVERY_SERVER, Question, one_server};
use crate::bus::{ArenaBus, BusMessage};

/// Where every server tells how far its matches are.
const PROGRESS: &str = "live.progress";
/// The pause between two messages about it.
const EVERY: Duration = Duration::from_secs(1);
/// The pause after an error of the bus.
const PAUSE: Duration = Duration::from_secs(1);
/// The most matches in one message.
const MOST: usize = 4_096;

impl LiveMatches {
    /// Shows these matches on other servers, and theirs here. `is_over` tells whether a match has
    /// ended. Must be called in a runtime, before the first match begins.
    pub fn share_matches(&self, bus: ArenaBus, games: impl Into<GameSet>, is_over: MatchCheck) {
        if !bus.reaches_others() {
            return;
        }
        let others = Arc::new(OtherServers::new(
            bus.clone(),
            games,
            is_over,
            self.pause,
            self.begun.clone(),
        ));
        if self.others.set(others).is_ok() {
            tokio::spawn(answer_questions(self.clone(), bus.clone()));
            tokio::spawn(share_progress(self.clone(), bus));
        }
    }
}

/// Answers the questions of other servers, for ever.
async fn answer_questions(live: LiveMatches, bus: ArenaBus) {
    let own = one_server(bus.server());
    loop {
        let subscribed = tokio::try_join!(bus.subscribe(EVERY_SERVER), bus.subscribe(&own));
        if let Ok((mut asked_all, mut asked_me)) = subscribed {
            loop {
                let (message, is_mine) = tokio::select! {
                    message = asked_all.next() => (message, false),
                    message = asked_me.next() => (message, true),
                };
                let Some(message) = message else { break };
                answer_question(&live, &bus, message, is_mine);
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Answers one question. To a question that every server hears only the owner answers.
fn answer_question(live: &LiveMatches, bus: &ArenaBus, mut message: BusMessage, is_mine: bool) {
    let Some(replier) = message.replier.take() else {
        return;
    };
    let Some(question) = bus.read::<Question>(&message) else {
        return;
    };
    let question = question.body;
    let live_match = live.find_match(question.id);
    let shared = live_match.as_deref().and_then(LiveMatch::shared_moves);
    let answer = match shared {
        Some((outlet, log)) => Answer::Match(Box::new(outlet.news(&log, &question))),
        None if is_mine => Answer::NotHere,
        None => return,
    };
    bus.reply(replier, &answer);
}

/// Tells the other servers how far the matches of this one are, and hears them, for ever.
async fn share_progress(live: LiveMatches, bus: ArenaBus) {
    let mut tick = tokio::time::interval(EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        if let Ok(mut others) = bus.subscribe(PROGRESS).await {
            loop {
                tokio::select! {
                    _ = tick.tick() => tell(&live, &bus),
                    message = others.next() => match message {
                        Some(message) => hear(&live, &bus, &message),
                        None => break,
                    },
                }
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

fn tell(live: &LiveMatches, bus: &ArenaBus) {
    let (asks, is_asked) = live.elsewhere.looks();
    let matches = if is_asked {
        progress_here(live)
    } else {
        Vec::new()
    };
    if asks || is_asked {
        bus.publish(PROGRESS, &ServerProgress { asks, matches });
    }
}

fn progress_here(live: &LiveMatches) -> Vec<SharedProgress> {
    let shared = |now: LiveMatchState, is_own: bool| SharedProgress {
        id: now.id,
        at: is_own.then_some((now.leg, now.round, now.rounds)),
        scores: now.entrant_scores().filter(|_| is_own),
        spectators: now.spectators,
    };
    let own = live.list_matches().into_iter().map(|now| shared(now, true));
    let followed = live.others.get().map(|others| others.list_matches());
    let followed = followed.into_iter().flatten().map(|now| shared(now, false));
    own.chain(followed).take(MOST).collect()
}

fn hear(live: &LiveMatches, bus: &ArenaBus, message: &BusMessage) {
    let said = bus.read::<ServerProgress>(message);
    // The bus brings a server's own messages back.
    if let Some(said) = said.filter(|said| said.from != bus.server()) {
        live.elsewhere.hear(said.from, said.body);
    }
}

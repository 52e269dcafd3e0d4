//! Seats of this server's matches for people whose sockets are at other servers.

use std::sync::Arc;
use std::time::Duration;

use leitai_game::Entrant;
use leitai_store::{MatchId, TokenHash};
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::context::PlayContext;
use super::shared_seats::{
    GONE, JOIN, LONGEST, OwnerMessage, RelayMessage, SIGN, SeatAnswer, SeatQuestion, owner_subject,
    relay_subject,
};
use super::{HumanMatch, JoinedParticipant, run};
use crate::bus::{ArenaBus, BusMessage, BusSubscription};

/// The pause after an error of the bus.
const PAUSE: Duration = Duration::from_secs(1);

/// Gives seats to people at other servers, for ever.
pub async fn answer_joins(context: PlayContext, bus: ArenaBus) {
    loop {
        if let Ok(mut questions) = bus.subscribe(JOIN).await {
            while let Some(question) = questions.next().await {
                answer_join(&context, &bus, question);
            }
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// Answers if the match is played here; other servers are silent.
fn answer_join(context: &PlayContext, bus: &ArenaBus, mut message: BusMessage) {
    let (Some(replier), Some(question)) =
        (message.replier.take(), bus.read::<SeatQuestion>(&message))
    else {
        return;
    };
    let question = question.body;
    let Some(human_match) = context.human_matches.find_match(question.id) else {
        return;
    };
    let (context, bus) = (context.clone(), bus.clone());
    tokio::spawn(async move {
        // Before the answer, so that no word is lost.
        let Ok(words) = bus.subscribe(&owner_subject(&question.session)).await else {
            return;
        };
        let entrant = find_seat(&context, &human_match, &question.token).await;
        if let (Some(entrant), true) = (entrant, question.reads) {
            human_match.note_reading(entrant);
        }
        let Some(joined) = entrant.and_then(|entrant| human_match.join_match(entrant)) else {
            return bus.reply(replier, &SeatAnswer::NoSeat);
        };
        bus.reply(replier, &SeatAnswer::Joined);
        if joined.begins {
            run::spawn_match(context, human_match);
        }
        serve_session(&bus, joined, words, &relay_subject(&question.session)).await;
    });
}

/// The side of a token. An invite may have been taken at another server: then the seat is in the
/// database.
pub async fn find_seat(
    context: &PlayContext,
    human_match: &Arc<HumanMatch>,
    token: &TokenHash,
) -> Option<Entrant> {
    if let Some(entrant) = human_match.side_of_token(token) {
        return Some(entrant);
    }
    let own = context
        .store
        .match_by_id(MatchId(human_match.id()))
        .await
        .ok()?;
    let seats = [
        (Entrant::A, own.a_seat_token, own.a),
        (Entrant::B, own.b_seat_token, own.b),
    ];
    let (entrant, _, who) = seats
        .into_iter()
        .find(|(_, own, _)| own.as_ref() == Some(token))?;
    human_match.admit_invited(entrant, token.clone(), who?.name);
    Some(entrant)
}

async fn serve_session(
    bus: &ArenaBus,
    mut joined: JoinedParticipant,
    mut words: BusSubscription,
    subject: &str,
) {
    let (mut sequence, mut heard) = (0, 0);
    let mut last_heard = Instant::now();
    let mut signs = interval(SIGN);
    signs.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            message = joined.next() => match message {
                Some(text) => {
                    for (text, goes_on) in cut_text(text.as_str()) {
                        sequence += 1;
                        let text = text.to_owned();
                        bus.publish(subject, &OwnerMessage::Text { sequence, text, goes_on });
                    }
                }
                None => {
                    let reason = joined.close_reason();
                    return bus.publish(subject, &OwnerMessage::End { sequence, reason });
                }
            },
            message = words.next() => {
                let Some(message) = message else { return };
                let Some(message) = bus.read::<RelayMessage>(&message) else { continue };
                last_heard = Instant::now();
                match message.body {
                    RelayMessage::Word(text) => {
                        heard += 1;
                        // Unknown words are ignored.
                        _ = serde_json::from_str(&text).map(|word| joined.handle_message(word));
                    }
                    RelayMessage::Alive => {}
                    RelayMessage::Gone => return,
                }
            }
            _ = signs.tick() => {
                if last_heard.elapsed() >= GONE {
                    return;
                }
                bus.publish(subject, &OwnerMessage::Alive { sequence, words: heard });
            }
        }
    }
}

/// A text in parts that the bus takes, and whether more follows each.
pub fn cut_text(text: &str) -> Vec<(&str, bool)> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while rest.len() > LONGEST {
        let (part, after) = rest.split_at(rest.floor_char_boundary(LONGEST));
        parts.push((part, true));
        rest = after;
    }
    parts.push((rest, false));
    parts
}

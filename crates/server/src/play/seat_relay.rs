//! A person whose socket is here and whose match is played on another server.

use std::time::Duration;

use leitai_store::TokenHash;
use leitai_store::values::secret::random_token;
use tokio::sync::watch;
use tokio::time::{Instant, Interval, MissedTickBehavior, interval};

use super::CloseReason;
use super::shared_seats::{
    GONE, JOIN, OwnerMessage, RelayMessage, SIGN, SeatAnswer, SeatQuestion, owner_subject,
    relay_subject,
};
use crate::bus::{ArenaBus, BusError, BusMessage, BusSubscription};

/// The time limit of the owner's answer.
const ANSWER: Duration = Duration::from_secs(2);

/// A seat of a match on another server, until the value is dropped.
#[derive(Debug)]
pub struct RelayedSeat {
    bus: ArenaBus,
    /// Where the owner hears.
    owner: String,
    messages: BusSubscription,
    returns: watch::Receiver<u64>,
    signs: Interval,
    last_heard: Instant,
    sequence: u64,
    /// The parts of the text that is not complete.
    text: String,
    /// Words that were said, and how many of them before the owner's last sign of life.
    said: u64,
    said_before: u64,
}

/// What happens at a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeatEvent {
    /// A text for the person.
    Text(String),
    /// The connection ends.
    End(CloseReason),
}

/// Why there is no seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSeat {
    /// The token is for no seat of the match.
    WrongToken,
    /// No server plays the match now.
    Nobody,
    /// The bus is away.
    NoBus,
}

impl RelayedSeat {
    /// Joins a match that is played on another server.
    pub async fn join(
        bus: &ArenaBus,
        id: i64,
        token: &TokenHash,
        reads: bool,
    ) -> Result<RelayedSeat, NoSeat> {
        let session = random_token();
        // Before the question, so that no text is lost.
        let returns = bus.returns();
        let subscribed = bus.subscribe(&relay_subject(&session)).await;
        let messages = subscribed.map_err(|_| NoSeat::NoBus)?;
        let owner = owner_subject(&session);
        let question = SeatQuestion {
            id,
            token: token.clone(),
            session,
            reads,
        };
        let answer = bus.request(JOIN, &question, ANSWER).await;
        match answer {
            Ok(SeatAnswer::Joined) => {}
            Ok(SeatAnswer::NoSeat) => return Err(NoSeat::WrongToken),
            Err(BusError::TimedOut | BusError::NobodyListens) => return Err(NoSeat::Nobody),
            Err(BusError::Away(_) | BusError::Unreadable(_)) => return Err(NoSeat::NoBus),
        }
        let mut signs = interval(SIGN);
        signs.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Ok(RelayedSeat {
            bus: bus.clone(),
            owner,
            messages,
            returns,
            signs,
            last_heard: Instant::now(),
            sequence: 0,
            text: String::new(),
            said: 0,
            said_before: 0,
        })
    }

    /// Waits for the next event. Cancel-safe.
    pub async fn next(&mut self) -> SeatEvent {
        loop {
            tokio::select! {
                message = self.messages.next() => {
                    let Some(message) = message else {
                        return SeatEvent::End(CloseReason::Restart);
                    };
                    if let Some(event) = self.take_message(&message) {
                        return event;
                    }
                }
                // Something may have been lost: the person joins again and gets everything.
                Ok(()) = self.returns.changed() => return SeatEvent::End(CloseReason::Restart),
                _ = self.signs.tick() => {
                    if self.last_heard.elapsed() >= GONE {
                        return SeatEvent::End(CloseReason::Restart);
                    }
                    self.bus.publish(&self.owner, &RelayMessage::Alive);
                }
            }
        }
    }

    fn take_message(&mut self, message: &BusMessage) -> Option<SeatEvent> {
        let message = self.bus.read::<OwnerMessage>(message)?.body;
        self.last_heard = Instant::now();
        const LOST: Option<SeatEvent> = Some(SeatEvent::End(CloseReason::Restart));
        match message {
            OwnerMessage::Text {
                sequence,
                text,
                goes_on,
            } => {
                if sequence != self.sequence + 1 {
                    return LOST;
                }
                self.sequence = sequence;
                self.text.push_str(&text);
                (!goes_on).then(|| SeatEvent::Text(std::mem::take(&mut self.text)))
            }
            OwnerMessage::Alive { sequence, words } => {
                if sequence != self.sequence || words < self.said_before {
                    return LOST;
                }
                self.said_before = self.said;
                None
            }
            OwnerMessage::End { sequence, reason } => match sequence == self.sequence {
                true => Some(SeatEvent::End(reason)),
                false => LOST,
            },
        }
    }

    /// Hands on what the person says.
    pub fn say(&mut self, text: &str) {
        self.said += 1;
        let word = RelayMessage::Word(text.to_owned());
        self.bus.publish(&self.owner, &word);
    }
}

impl Drop for RelayedSeat {
    fn drop(&mut self) {
        self.bus.publish(&self.owner, &RelayMessage::Gone);
    }
}

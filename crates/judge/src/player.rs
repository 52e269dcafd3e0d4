//! Players: entrants that are ready to play.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use leitai_game::lang::Message;
use leitai_game::replay::{EntrantKind, EntrantRecord};
use leitai_game::{AnyBot, AnyLeg, BotClock, Seat};
use leitai_sandbox::Program;
use serde::{Deserialize, Serialize};

/// An entrant that is ready to play.
#[derive(Clone, Debug)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Player {
    /// The name shown to people.
    pub name: String,
    pub kind: PlayerKind,
}

/// The kind of a player.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a match has two of them")]
#[allow(missing_docs, reason = "the names say it")]
pub enum PlayerKind {
    /// A built-in bot, by name.
    BuiltIn(String),
    /// A program; a fresh process for every leg.
    Program {
        /// The command that starts it.
        program: Program,
        /// The name of its protocol.
        protocol: String,
        connect: Transport,
    },
    /// A program that could not be built or started; it loses with this reason.
    Broken(String),
    /// A person, or a program elsewhere, that answers through [`HumanInput`].
    Human {
        /// The time limit of a period: people need more than programs.
        period: Duration,
        /// The protocol of a program elsewhere, which gets and sends bytes; `None` for a person.
        protocol: Option<String>,
    },
}

/// The connection between judge and program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Transport {
    /// Over its stdin and stdout.
    #[default]
    Stdio,
    /// A TCP connection: the program is started with the two arguments `HOST PORT` and connects.
    Tcp,
}

impl Player {
    /// The entrant as a replay records it.
    pub fn entrant_record(&self) -> EntrantRecord {
        let (kind, protocol) = match &self.kind {
            PlayerKind::BuiltIn(_) => (EntrantKind::BuiltIn, None),
            PlayerKind::Program { protocol, .. } => (EntrantKind::Program, Some(protocol.clone())),
            PlayerKind::Broken(_) => (EntrantKind::Program, None),
            PlayerKind::Human { protocol: None, .. } => (EntrantKind::Human, None),
            PlayerKind::Human { protocol, .. } => (EntrantKind::Program, protocol.clone()),
        };
        EntrantRecord {
            name: self.name.clone(),
            kind,
            protocol,
            settings: None,
        }
    }
}

/// Asks a built-in bot for its action. A panic of the bot is an infrastructure error: it is caught
/// and returned as its message, so that only this match is lost and not the whole process. The bot
/// must not be asked again then.
pub(crate) fn ask_built_in(
    bot: &mut dyn AnyBot,
    leg: &dyn AnyLeg,
    seat: Seat,
    clock: &dyn BotClock,
) -> Result<String, String> {
    catch_unwind(AssertUnwindSafe(|| bot.choose_action(leg, seat, clock)))
        .map_err(|panic| panic_message(&*panic))
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it panicked without a message").to_owned()
}

/// The interval at which people are polled while they think.
const POLL_INTERVAL: Duration = Duration::from_millis(15);

/// The interface to people who play, and to programs elsewhere.
pub trait HumanInput {
    /// Sends bytes of its protocol to the program elsewhere on this seat.
    fn send_bytes(&mut self, _seat: Seat, _bytes: &[u8]) {}
    /// The bytes that the program elsewhere on this seat has sent without being asked.
    fn take_unasked(&mut self, _seat: Seat) -> Option<Vec<u8>> {
        None
    }
    /// Asks the person on this seat, who has the time `budget`.
    fn ask_person(&mut self, leg: &dyn AnyLeg, seat: Seat, budget: Duration);
    /// How long the programs are listened to before an answer is polled for again.
    fn poll_interval(&self) -> Duration {
        POLL_INTERVAL
    }
    /// Returns an answer if there is one. Must not block for longer than drawing takes.
    fn poll_answer(&mut self, leg: &dyn AnyLeg) -> Option<(Seat, HumanAnswer)>;
}

/// The answer of a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HumanAnswer {
    /// Chose an action, in notation.
    Action(String),
    /// Bytes of a program elsewhere, which need not be a whole answer.
    Bytes(Vec<u8>),
    /// The output of a program elsewhere has ended; the reason is the end of a sentence that begins
    /// with its name.
    Ended(Message),
    /// The person left the match.
    Leave,
    /// The person did not answer in the time granted by the interface. Only the interface knows how
    /// long a person was disconnected; it sets a larger limit in [`PlayerKind::Human`] than anybody
    /// needs.
    TimeUp {
        /// The granted time.
        allowed: Duration,
    },
}

/// The time before the limit at which a person's choice becomes final.
const LAST_WORD: Duration = Duration::from_millis(80);

/// Whether a person's choice is final. If two people move at once, each may change the choice until
/// both have chosen, or until shortly before the time limit; `left` is the remaining time.
pub fn is_choice_final(left: Duration, other_thinks: bool) -> bool {
    !other_thinks || left <= LAST_WORD
}

/// The interface of a match without people.
pub struct NoHumans;

impl HumanInput for NoHumans {
    fn ask_person(&mut self, _: &dyn AnyLeg, _: Seat, _: Duration) {}

    fn poll_answer(&mut self, _: &dyn AnyLeg) -> Option<(Seat, HumanAnswer)> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_can_change_until_both_have_chosen_or_time_is_short() {
        let check = |left_ms: u64, other_thinks: bool, expected: bool| {
            let left = Duration::from_millis(left_ms);
            assert_eq!(is_choice_final(left, other_thinks), expected, "{left_ms}");
        };
        check(5000, true, false);
        check(5000, false, true);
        check(81, true, false);
        check(80, true, true);
        check(0, true, true);
    }
}

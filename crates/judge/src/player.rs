//! Who plays a match.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use leitai_game::replay::{EntrantKind, EntrantRecord};
use leitai_game::{AnyBot, AnyLeg, BotClock, Seat};
use leitai_sandbox::Program;

/// An entrant that is ready to play.
#[derive(Clone, Debug)]
pub struct Player {
    /// The name shown to people.
    pub name: String,
    /// What it is.
    pub kind: PlayerKind,
}

/// What an entrant is.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "a match has two of them")]
pub enum PlayerKind {
    /// A built-in bot, by name.
    BuiltIn(String),
    /// A program; a fresh process for every leg.
    Program {
        /// How to start it.
        program: Program,
        /// The protocol it speaks, by name.
        protocol: String,
        /// How the bytes travel.
        connect: Transport,
    },
    /// A program that could not be built or started: loses with this reason.
    Broken(String),
    /// A person, who answers through [`HumanInput`].
    Human {
        /// Time a period: people need more than programs.
        period: Duration,
    },
}

/// How the bytes travel between judge and program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Transport {
    /// Over its stdin and stdout.
    #[default]
    Stdio,
    /// Over TCP: the program is started with the two arguments `HOST PORT` and connects.
    Tcp,
}

impl Player {
    /// As it stands in a replay.
    pub fn entrant_record(&self) -> EntrantRecord {
        let (kind, protocol) = match &self.kind {
            PlayerKind::BuiltIn(_) => (EntrantKind::BuiltIn, None),
            PlayerKind::Program { protocol, .. } => (EntrantKind::Program, Some(protocol.clone())),
            PlayerKind::Broken(_) => (EntrantKind::Program, None),
            PlayerKind::Human { .. } => (EntrantKind::Human, None),
        };
        EntrantRecord {
            name: self.name.clone(),
            kind,
            protocol,
        }
    }
}

/// Asks a built-in bot for its action. A panic in one is an infrastructure error: it is caught here
/// and given as its message, so that it costs one match and not everything that is played in this
/// process. The bot must not be asked again then.
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

/// The people who play.
pub trait HumanInput {
    /// A seat is asked, and has so long.
    fn ask_person(&mut self, leg: &dyn AnyLeg, seat: Seat, budget: Duration);
    /// An answer, if there is one by now. Must not block for longer than it takes to draw.
    fn poll_answer(&mut self, leg: &dyn AnyLeg) -> Option<(Seat, HumanAnswer)>;
}

/// What a person did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HumanAnswer {
    /// Chose an action, in notation.
    Action(String),
    /// Left the match.
    Leave,
    /// Did nothing within the time that whoever asks the people grants: only they know how long
    /// somebody was cut off, and then give [`PlayerKind::Human`] more time than anybody will need.
    TimeUp {
        /// What was granted.
        allowed: Duration,
    },
}

/// How long before the end of its time a person's choice becomes final.
const LAST_WORD: Duration = Duration::from_millis(80);

/// Whether a person's choice is its answer by now. Of two people who move at once, the last word of
/// each counts until both have chosen, or until shortly before the end of its time; `left` is what
/// remains of it.
pub fn is_choice_final(left: Duration, other_thinks: bool) -> bool {
    !other_thinks || left <= LAST_WORD
}

/// No people play.
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
    fn the_last_word_counts_until_both_have_chosen_or_time_is_short() {
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

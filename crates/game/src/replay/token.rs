//! The tokens of a leg's replies.

use crate::erased::TextReplies;
use crate::game::ToMove;
use crate::reply::{Fault, Reply};
use crate::seat::BySeat;

/// Writes the replies of one step as a token: the notation of the action, or `!` and the code of a
/// fault. If both seats replied, first and second are joined by `/`; if only the second of two
/// asked seats replied, the token starts with `/`.
///
/// ```
/// use leitai_game::{BySeat, Fault, Reply, replay::write_token};
/// let mut token = String::new();
/// write_token(&BySeat::new(Some(Reply::Action("2")), Some(Reply::Fault(Fault::Timeout))), &mut token);
/// assert_eq!(token, "2/!TLE");
/// ```
pub fn write_token(replies: &TextReplies<'_>, out: &mut String) {
    let [first, second] = replies.into_pair();
    match (first, second) {
        (Some(one), None) | (None, Some(one)) => write_reply(one, out),
        (Some(first), Some(second)) => {
            write_reply(first, out);
            out.push('/');
            write_reply(second, out);
        }
        (None, None) => out.push('-'),
    }
}

fn write_reply(reply: Reply<&str>, out: &mut String) {
    match reply {
        Reply::Action(text) => out.push_str(text),
        Reply::Fault(fault) => {
            out.push('!');
            out.push_str(fault.code());
        }
    }
}

/// Reads a token as the replies of the asked seats.
pub fn parse_token(token: &str, to_move: ToMove) -> Result<TextReplies<'_>, String> {
    let mut replies = BySeat::new(None, None);
    match to_move {
        ToMove::Nobody => return Err(format!("reply {token:?} after the end of the leg")),
        ToMove::One(seat) => replies[seat] = Some(parse_reply(token)?),
        ToMove::Both => {
            let (first, second) = token
                .split_once('/')
                .ok_or_else(|| format!("{token:?} is not two replies joined by /"))?;
            replies = BySeat::new(Some(parse_reply(first)?), Some(parse_reply(second)?));
        }
    }
    Ok(replies)
}

fn parse_reply(text: &str) -> Result<Reply<&str>, String> {
    match text.strip_prefix('!') {
        None => Ok(Reply::Action(text)),
        Some(code) => Fault::from_code(code)
            .map(Reply::Fault)
            .ok_or(format!("unknown fault {code:?}")),
    }
}

/// The tokens of a leg's `replies`, one a step.
pub type ReplyTokens<'a> = std::str::SplitAsciiWhitespace<'a>;

//! The input that leads to a failure.

use leitai_game::conformance::{FailingInput, KeptReplies, RandomLegs, as_text};
use leitai_game::replay::write_token;

/// The input that leads to a position, as people read it.
pub(super) fn input_line(bench: &RandomLegs<'_>, seed: u64, replies: &[String]) -> String {
    let input = FailingInput {
        config: bench.config.clone(),
        seed,
        replies: replies.to_vec(),
        what: String::new(),
    };
    input.to_line()
}

/// The replies of the first steps, as a replay has them.
pub(super) fn tokens(said: &[KeptReplies]) -> Vec<String> {
    let token = |replies| {
        let mut token = String::new();
        write_token(&as_text(replies), &mut token);
        token
    };
    said.iter().map(token).collect()
}

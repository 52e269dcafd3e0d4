//! Replies that are played again.

use leitai_game::InvalidSetup;
use leitai_game::erased::AnyLeg;
use leitai_game::replay::parse_token;

/// Plays the replies of a leg.
pub fn replay_tokens(leg: &mut dyn AnyLeg, said: &str) -> Result<(), InvalidSetup> {
    for token in said.split_ascii_whitespace() {
        let replies = parse_token(token, leg.to_move()).map_err(InvalidSetup::new)?;
        leg.step(replies, &mut ());
    }
    leg.fault()
        .map_or(Ok(()), |fault| Err(InvalidSetup::new(fault)))
}

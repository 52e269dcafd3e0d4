//! A token of a live match with what a judge program showed after it, so that it can be watched where the
//! program is not run. Tokens of other games stay as they are.

use leitai_game::AnyLeg;
use serde_json::Value;

/// Stands between a token and each moment; no notation and no JSON has it.
const MARK: char = '\u{1f}';

/// The token of this step, from 0, with its moments among those of the leg.
pub fn tell_token(token: &str, step: usize, shown: &[Value]) -> String {
    let first = shown.first().filter(|_| step == 0);
    let mut told = token.to_owned();
    for moment in first.into_iter().chain(shown.get(step + 1)) {
        told.push(MARK);
        // Tokens are divided by spaces, which JSON has in texts only.
        told.push_str(&moment.to_string().replace(' ', "\\u0020"));
    }
    told
}

/// The token alone, after the leg was told what belongs to it.
pub fn hear_token<'a>(leg: &mut dyn AnyLeg, told: &'a str) -> &'a str {
    let mut parts = told.split(MARK);
    let token = parts.next().unwrap_or_default();
    let moments: Vec<Value> = parts
        .filter_map(|part| serde_json::from_str(part).ok())
        .collect();
    if !moments.is_empty() {
        leg.recall(&moments);
    }
    token
}

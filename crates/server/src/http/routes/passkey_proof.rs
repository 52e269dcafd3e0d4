//! Whether a browser holds a passkey of an account.

use leitai_store::{ChallengeKind, Timestamp, User};
use serde_json::Value;

use crate::accounts::passkey::{NoPasskeys, Refused, RelyingParty, challenge_of_login};
use crate::http::app::App;
use crate::http::error::{ApiError, Result};

/// Checks the passkey of somebody who gave the right password: the answer to a challenge of
/// this account, which waits, once.
pub async fn take_passkey(app: &App, user: &User, answer: &Value) -> Result<()> {
    let (arena, now) = (find_arena(app)?, Timestamp::now());
    let hash = challenge_of_login(answer).map_err(wrong_passkey)?;
    let kind = (user.id, ChallengeKind::LogIn);
    let state = app.store.take_passkey_challenge(&hash, kind, now).await?;
    let state = state.ok_or_else(challenge_over)?;
    let own = app.store.passkeys_of(user.id).await?;
    let checked = arena.check_login(&state, answer, &own);
    let (passkey, state) = checked.map_err(wrong_passkey)?;
    match app.store.use_passkey(passkey, &state, now).await? {
        true => Ok(()),
        false => Err(challenge_over()),
    }
}

/// Why this arena has no passkeys, if it has none.
pub fn why_no_passkeys(app: &App) -> Option<NoPasskeys> {
    RelyingParty::at(app.options.public_url.as_deref()).err()
}

/// The arena, as browsers know it, if it has passkeys.
pub fn find_arena(app: &App) -> Result<RelyingParty> {
    RelyingParty::at(app.options.public_url.as_deref()).map_err(|why| {
        let message = match why {
            NoPasskeys::NoPublicUrl => "passkeys belong to an address; the operator starts the server with --public-url",
            NoPasskeys::IpAddress => "browsers make no passkeys for an address of numbers; the operator gives the arena a name with --public-url",
            NoPasskeys::NotHttps => "browsers make passkeys only over https; the operator sets https up and names it with --public-url",
        };
        ApiError::conflict("passkeys-unavailable", message)
    })
}

/// The error for an answer that opens nothing here.
pub fn wrong_passkey(why: Refused) -> ApiError {
    tracing::info!(%why, "a wrong answer of a passkey");
    let message =
        "this passkey does not open the account here; use one that you registered here, or a code";
    ApiError::invalid_field("wrong-passkey", "passkey", message)
}

/// The error for an answer that nobody awaits.
pub fn challenge_over() -> ApiError {
    let message = "the passkey's answer came too late or was used already; begin again";
    ApiError::invalid_field("passkey-over", "passkey", message)
}

//! The cookie by which the arena knows a browser that has logged in before: guesses of strangers do
//! not keep it out. It opens nothing.

use axum::http::HeaderMap;
use axum::response::{IntoResponseParts, ResponseParts};
use axum_extra::extract::CookieJar;
use axum_extra::extract::cookie::Cookie;
use leitai_store::accounts::known_browsers::KNOWN;
use leitai_store::{StoreError, Timestamp, TokenHash, UserId};

use crate::accounts::secret;
use crate::config::ServerOptions;
use crate::http::app::App;
use crate::http::caller::secret_cookie;

/// Sets the cookie, after that of the session.
pub struct KnownBrowser(Cookie<'static>);

impl IntoResponseParts for KnownBrowser {
    type Error = std::convert::Infallible;

    fn into_response_parts(self, parts: ResponseParts) -> Result<ResponseParts, Self::Error> {
        CookieJar::from_headers(&HeaderMap::new())
            .add(self.0)
            .into_response_parts(parts)
    }
}

fn cookie_name(options: &ServerOptions) -> &'static str {
    match options.is_secure() {
        true => "__Host-leitai-known",
        false => "leitai-known",
    }
}

/// What the browser says by which it may be known.
pub fn read_browser(app: &App, jar: &CookieJar) -> Option<String> {
    let value = jar.get(cookie_name(&app.options))?.value();
    secret::is_plausible(value).then(|| value.to_owned())
}

/// Notes that the account was opened in this browser.
pub async fn note_browser(
    app: &App,
    jar: &CookieJar,
    user: UserId,
) -> Result<KnownBrowser, StoreError> {
    let token = read_browser(app, jar).unwrap_or_else(|| secret::make_token(""));
    let hash = TokenHash::from_token(&token);
    app.store
        .note_browser(&hash, user, Timestamp::now())
        .await?;
    let options = &app.options;
    let cookie = secret_cookie(options, cookie_name(options), token, KNOWN);
    Ok(KnownBrowser(cookie))
}

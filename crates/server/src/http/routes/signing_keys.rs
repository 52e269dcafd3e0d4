//! Routes: the keys with which the arena signs replays.

use leitai_store::SigningKey;

use crate::http::prelude::*;

/// The route of the public keys.
pub fn signing_key_routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list_signing_keys))
}

/// A public key.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SigningKey)]
struct PublicKey {
    /// The Ed25519 key: 64 hexadecimal digits.
    key: String,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// Since when a newer one signs; its signatures stay valid.
    #[schema(value_type = Option<String>, format = DateTime)]
    retired: Option<Timestamp>,
    /// Since when its signatures, also earlier ones, are not to be trusted.
    #[schema(value_type = Option<String>, format = DateTime)]
    revoked: Option<Timestamp>,
    /// Why it was revoked.
    why: Option<String>,
}

impl From<SigningKey> for PublicKey {
    fn from(key: SigningKey) -> PublicKey {
        PublicKey {
            key: key.public,
            created: key.created,
            retired: key.retired,
            revoked: key.revoked,
            why: key.why,
        }
    }
}

/// The public keys with which the arena signed replays, newest first; also earlier ones.
#[utoipa::path(get, operation_id = "list_signing_keys", path = "/api/signing-keys", tag = "matches",
    responses((status = 200, body = ListPage<PublicKey>)))]
async fn list_signing_keys(app: App) -> Answer<ListPage<PublicKey>> {
    let all = app.store.signing_keys().await?;
    let all = all.into_iter().map(PublicKey::from).collect();
    Ok(Json(ListPage::single_page(all)))
}

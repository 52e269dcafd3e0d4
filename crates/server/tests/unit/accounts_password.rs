//! Tests of `accounts::password`.

use argon2::Argon2;
use leitai_server::accounts::AccountError;
use leitai_server::accounts::password::*;
use leitai_server::{App, Arena, ServerOptions};

use crate::kit::Kit;

/// The beginning of what an arena stores.
const FULL_COST: &str = "$argon2id$v=19$m=19456,t=2,p=1$";

/// Arenas of other tests do not.
#[tokio::test]
async fn an_arena_hashes_at_full_cost() {
    let Kit { app: cheap, .. } = &Kit::new().await;
    let (store, blobs) = (cheap.store.clone(), cheap.blobs.clone());
    let options = ServerOptions::default();
    let app = App::new(leitai_games::ALL, store, blobs, Arena::default(), options);
    for (app, is_full) in [(&app, true), (cheap, false)] {
        let stored = app.passwords.hash("correct horse".into()).await;
        let stored = stored.expect("it is hashed");
        assert_eq!(stored.starts_with(FULL_COST), is_full, "{stored}");
    }
}

#[tokio::test]
async fn passwords_are_told_apart() {
    let passwords = PasswordHasher::default();
    let stored = ok!(passwords.hash("correct horse".into()));
    assert!(stored.starts_with(FULL_COST), "{stored}");
    for (password, stored, expected) in [
        ("correct horse", Some(stored.clone()), true),
        ("wrong horse", Some(stored), false),
        ("correct horse", None, false),
        ("correct horse", Some("no hash".to_owned()), false),
    ] {
        assert_eq!(
            passwords.is_right(password.into(), stored).await.ok(),
            Some(expected)
        );
    }
}

#[test]
fn short_and_endless_passwords_are_refused() {
    for (password, fine) in [
        ("k3iwn57", false),
        ("k3iwn57a", true),
        ("四个汉字两遍四个", true),
    ] {
        assert_eq!(
            check_password(password, "ada", "password").is_ok(),
            fine,
            "{password}"
        );
    }
    assert!(check_password(&"a".repeat(201), "ada", "password").is_err());
}

#[test]
fn common_passwords_are_refused() {
    assert!(COMMON.is_sorted() && COMMON.len() > 2_000);
    let code = |password, name| {
        check_password(password, name, "password")
            .err()
            .map(|error| match error {
                AccountError::InvalidField { code, .. } => code,
                _ => "another error",
            })
    };
    for password in ["password", "PassWord", "12345678", "iloveyou"] {
        assert_eq!(code(password, "ada"), Some("common-password"), "{password}");
    }
    assert_eq!(
        code("ada.lovelace", "Ada.Lovelace"),
        Some("password-is-name")
    );
    assert_eq!(code("correct horse", "ada"), None);
}

#[test]
fn hashes_of_the_library_are_verified() {
    use argon2::PasswordHasher;
    let hash = Argon2::default()
        .hash_password(b"correct horse")
        .expect("a salt")
        .to_string();
    let mut memory = Memory::new();
    assert!(verify_password("correct horse", &hash, &mut memory));
    assert!(!verify_password("wrong horse", &hash, &mut memory));
}

//! Accounts at providers of sign-ins.

use leitai_store::*;

use crate::arena::{at, deletion_by, user};

fn hash(secret: &str) -> TokenHash {
    TokenHash::from_token(secret)
}

fn sign_in(state: &str, user: Option<UserId>) -> SignIn {
    SignIn {
        state: hash(state).as_str().to_owned(),
        browser: hash("browser"),
        provider: "campus".to_owned(),
        return_to: "/account".to_owned(),
        user,
        until: at(60),
    }
}

fn newcomer(browser: &str, subject: &str) -> Newcomer {
    Newcomer {
        browser: hash(browser).as_str().to_owned(),
        provider: "campus".to_owned(),
        issuer: "https://login.example.org".to_owned(),
        subject: subject.to_owned(),
        name: "ann".to_owned(),
        return_to: "/".to_owned(),
        until: at(60),
    }
}

pub async fn a_sign_in_is_taken_once_and_not_late(store: Store) {
    for state in ["one", "two"] {
        ok!(store.start_sign_in(sign_in(state, None)));
    }
    let taken = {
        let (one, two) = (hash("one"), hash("one"));
        let both = tokio::join!(
            store.take_sign_in(&one, at(1)),
            store.take_sign_in(&two, at(1))
        );
        [both.0, both.1].map(|one| one.expect("the database answers"))
    };
    assert_eq!(taken.iter().flatten().count(), 1, "{taken:?}");
    gives!(store.take_sign_in(&hash("two"), at(60)) => None);
    ok!(store.start_sign_in(sign_in("three", None)));
    store.hold_newcomer(newcomer("b", "s")).await.expect("held");
    assert_eq!(store.sweep_sign_ins(at(60)).await.expect("swept"), 0);
    assert_eq!(store.sweep_sign_ins(at(61)).await.expect("swept"), 2);
}

pub async fn an_identity_opens_one_account(store: Store) {
    user(&store, "ann").await;
    let bob = user(&store, "bob").await;
    let issuer = "https://login.example.org";
    for browser in ["one", "two"] {
        ok!(store.hold_newcomer(newcomer(browser, "1")));
    }
    ok!(store.hold_newcomer(newcomer("one", "1")));
    let admit = async |browser: &str, name: &str, seconds| {
        store
            .admit_newcomer(&hash(browser), name, at(seconds))
            .await
    };
    fails!(admit("one", "Ann", 1) => Taken { what: "name", .. });
    assert!(ok!(admit("one", "carl", 60)).is_none(), "too late");
    let carl = ok!(admit("one", "carl", 2)).expect("he is a newcomer");
    assert!(!carl.has_password() && !carl.admin);
    assert!(ok!(admit("one", "carl2", 3)).is_none(), "once");
    fails!(admit("two", "carl2", 3) => Taken { what: "identity",.. });
    let unknown = store.user_by_name("carl2").await.expect("answers");
    assert_eq!(unknown, None, "nothing is left of it");

    let found = async |issuer: &str, subject: &str| {
        let found = store.user_of_identity(issuer, subject, at(9)).await;
        found.expect("the database answers").map(|found| found.name)
    };
    assert_eq!(found(issuer, "1").await.as_deref(), Some("carl"));
    assert_eq!(found("https://other.example.org", "1").await, None);
    let link = async |user, subject: &str| {
        store
            .link_identity(user, "campus", issuer, subject, at(5))
            .await
    };
    fails!(link(bob.id, "1") => Taken { .. });
    link(bob.id, "2").await.expect("it is free");
    link(bob.id, "2").await.expect("it is his already");
    let own = store.identities_of(bob.id).await.expect("answers");
    assert_eq!(own.len(), 1);
    for more in 3..12 {
        link(bob.id, &more.to_string()).await.expect("up to ten");
    }
    fails!(link(bob.id, "12") => Refused(_));

    let last = store.identities_of(carl.id).await.expect("answers")[0].id;
    assert_eq!(ok!(store.identities_of(carl.id))[0].used, at(9));
    let unlink = async |user, id| store.unlink_identity(user, id, at(6)).await;
    fails!(unlink(carl.id, last) => Refused(_));
    fails!(unlink(carl.id, own[0].id) => Missing { .. });
    unlink(bob.id, own[0].id).await.expect("he has a password");
    assert_eq!(found(issuer, "2").await, None);
    let deletion = deletion_by(None, at(7));
    ok!(store.start_sign_in(sign_in("link", Some(carl.id))));
    ok!(store.delete_user(carl.id, deletion));
    assert_eq!(found(issuer, "1").await, None);
    gives!(store.take_sign_in(&hash("link"), at(8)) => None);
}

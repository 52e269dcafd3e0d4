//! Mail.

use std::time::Duration;

use leitai_store::*;

use crate::arena::{at, deletion_by, user};

const HOLD: Duration = Duration::from_secs(60);

/// A link with this secret, which works for a minute.
fn link(secret: &str, seconds: i64) -> NewLink {
    NewLink {
        hash: TokenHash::from_token(secret),
        until: at(seconds + 60),
    }
}

async fn claim(store: &Store, secret: &str, seconds: i64) -> Option<ClaimedMail> {
    let new = |_| link(secret, seconds);
    let claimed = store.claim_mail(new, at(seconds), HOLD).await;
    claimed.expect("the database answers")
}

pub async fn links_work_once_and_not_for_long(store: Store) {
    let ann = user(&store, "ann").await;
    let set = store.set_mail_address(ann.id, "Ann@example.org", "zh", at(0));
    assert_eq!(set.await.expect("set").confirmed, None);
    gives!(store.queue_resets("ann@example.org", at(0)) => 0, "nobody has confirmed it");
    let claimed = claim(&store, "one", 1).await.expect("it is due");
    fields!(claimed, {mail.kind: MailKind::Confirm, name.as_str(): "ann"});
    assert!(claim(&store, "two", 1).await.is_none(), "it is taken");
    // Its server was killed: it is sent again, with another link.
    let again = claim(&store, "two", 61).await.expect("it is due again");
    assert_eq!((again.mail.id, again.mail.attempts), (claimed.mail.id, 2));
    ok!(store.end_mail(&again.mail, None, false, at(62)));
    assert!(claim(&store, "three", 999).await.is_none(), "it is done");
    let confirm = async |secret: &str, seconds: i64| {
        let hash = TokenHash::from_token(secret);
        let done = store.confirm_mail_address(&hash, at(seconds)).await;
        done.expect("the database answers")
    };
    assert_eq!(confirm("one", 61).await, None, "too late");
    assert_eq!(confirm("two", 70).await, Some(ann.id));
    assert_eq!(confirm("two", 71).await, None, "once");

    gives!(store.queue_resets("ANN@example.org", at(100)) => 1);
    claim(&store, "reset", 100).await.expect("it is due");
    let hash = TokenHash::from_token("reset");
    let found = store.user_of_reset(&hash, at(101)).await.expect("answers");
    assert_eq!(found.map(|found| found.id), Some(ann.id));
    // Of several who come with a link at the same time one sets the password.
    let tries = (0..4).map(|number| {
        let (store, hash) = (store.clone(), hash.clone());
        tokio::spawn(async move {
            let password = format!("phc{number}");
            let done = store.reset_password(&hash, &password, at(102)).await;
            done.expect("the database answers").then_some(password)
        })
    });
    let mut set = Vec::new();
    for one in tries.collect::<Vec<_>>() {
        set.extend(one.await.expect("it ends"));
    }
    assert_eq!(set.len(), 1, "{set:?}");
    let own = store.find_user(ann.id).await.expect("she is there");
    assert_eq!(own.password, set[0]);
}

pub async fn a_mail_is_taken_by_one_server(store: Store) {
    for number in 0..4 {
        let own = user(&store, &format!("user{number}")).await;
        let address = format!("user{number}@example.org");
        ok!(store.set_mail_address(own.id, &address, "en", at(0)));
    }
    let claims = (0..12).map(|number| {
        let store = store.clone();
        tokio::spawn(async move { claim(&store, &number.to_string(), 1).await })
    });
    let mut taken = Vec::new();
    for one in claims.collect::<Vec<_>>() {
        taken.extend(one.await.expect("it ends").map(|claimed| claimed.mail.id));
    }
    // A server that met another at the same mail comes again.
    for number in 12..20 {
        let more = claim(&store, &number.to_string(), 1).await;
        taken.extend(more.map(|claimed| claimed.mail.id));
    }
    taken.sort_unstable();
    let count = taken.len();
    taken.dedup();
    assert_eq!((count, taken.len()), (4, 4), "each by one");
    // Who has left gets none, and old links go.
    let first = store.user_by_name("user0").await.expect("answers");
    let by = deletion_by(None, at(2));
    let first = first.expect("it is there").id;
    store.delete_user(first, by).await.expect("it may go");
    assert_eq!(store.mail_address(first).await.expect("answers"), None);
    assert_eq!(store.sweep_links(at(61)).await.expect("swept"), 0);
    assert_eq!(store.sweep_links(at(62)).await.expect("swept"), 3);
}

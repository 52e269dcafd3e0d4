//! Second factors: what is taken once, what ends with them, and that their holder is told.

use std::time::Duration;

use leitai_store::*;

use crate::arena::{at, deletion_by, user};

/// Opens a session of this person with this token.
async fn open(store: &Store, user: UserId, token: &str) -> SessionId {
    let hash = TokenHash::from_token(token);
    let opened = store.create_session(user, hash, at(0), at(9_000)).await;
    opened.expect("logged in").id
}

async fn lives(store: &Store, token: &str) -> bool {
    let hash = TokenHash::from_token(token);
    let found = store.find_session(&hash, at(5)).await;
    found.expect("asked").is_some()
}

fn hash(code: &str) -> TokenHash {
    TokenHash::from_token(code)
}

/// Switches a second factor with two recovery codes on, in a session with this token.
async fn switch_on(store: &Store, user: UserId, token: &str, seconds: i64) {
    let begun = store.begin_second_factor(user, "SECRET", at(seconds)).await;
    assert!(begun.expect("asked"), "there was none");
    let seen = store.second_factor(user).await.expect("asked");
    let (seen, keep) = (seen.expect("kept"), open(store, user, token).await);
    let codes = [hash("one"), hash("two")];
    let done = store.confirm_second_factor(&seen, 7, &codes, (keep, at(seconds)));
    assert!(done.await.expect("confirmed"));
}

pub async fn a_second_factor_counts_when_it_is_confirmed(store: Store) {
    let ann = user(&store, "ann").await.id;
    let has = async || store.has_second_factor(ann).await.expect("asked");
    let begin = async |secret: &str| {
        let begun = store.begin_second_factor(ann, secret, at(1)).await;
        begun.expect("asked")
    };
    assert!(begin("FIRST").await);
    let first = store.second_factor(ann).await.expect("asked");
    let first = first.expect("it is kept");
    assert!(!format!("{first:?}").contains("FIRST"), "{first:?}");
    assert!(begin("SECOND").await, "in place of the first");
    assert!(!has().await, "nobody has given a code yet");
    assert!(!store.take_factor_step(ann, 5).await.expect("asked"));
    assert!(!store.remove_second_factor(ann, at(1)).await.expect("asked"));
    let (own, _) = (
        open(&store, ann, "own").await,
        open(&store, ann, "other").await,
    );
    let confirm = async |seen: &SecondFactor| {
        let done = store.confirm_second_factor(seen, 7, &[], (own, at(2)));
        done.await.expect("asked")
    };
    assert!(!confirm(&first).await, "it was replaced");
    let second = store.second_factor(ann).await.expect("asked");
    let second = second.expect("it is kept");
    assert!(confirm(&second).await && !confirm(&second).await, "once");
    assert!(has().await && !begin("THIRD").await);
    assert!(lives(&store, "own").await && !lives(&store, "other").await);

    // A new password leaves it.
    ok!(store.set_password(ann, "phc2", PasswordEnds::Everything));
    assert!(has().await);
    let deletion = deletion_by(None, at(9));
    store.delete_user(ann, deletion).await.expect("deleted");
    assert_eq!(store.second_factor(ann).await.expect("asked"), None);
}

pub async fn codes_are_taken_once_and_changes_are_told(store: Store) {
    let (ann, bob) = (user(&store, "ann").await.id, user(&store, "bob").await.id);
    ok!(store.set_mail_address(ann, "ann@example.org", "en", at(0)));
    let link = |secret: &str| NewLink {
        hash: hash(secret),
        until: at(9_000),
    };
    let claim = async || {
        let claimed = store.claim_mail(|_| link("mail"), at(9), Duration::from_secs(60));
        claimed.await.expect("asked")
    };
    claim().await.expect("a link that confirms it");
    gives!(store.confirm_mail_address(&hash("mail"), at(1)) => Some(ann));

    gives!(store.queue_resets("ann@example.org", at(1)) => 1);
    let reset = |_| NewLink {
        hash: hash("reset"),
        until: at(9_000),
    };
    let claimed = store.claim_mail(reset, at(8), Duration::from_secs(60));
    let claimed = claimed.await.expect("asked").expect("a link that resets");
    ok!(store.end_mail(&claimed.mail, None, false, at(8)));

    switch_on(&store, ann, "own", 2).await;
    // Who reads the mail of a person has not got the second factor.
    let done = store.reset_password(&hash("reset"), "phc2", at(2)).await;
    assert!(done.expect("asked") && store.has_second_factor(ann).await.expect("asked"));
    // Of two who come with a code at the same time one is let in; an older one is taken no more.
    let step = async |step| store.take_factor_step(ann, step).await.expect("asked");
    let both = tokio::join!(step(8), step(8));
    assert!(both.0 != both.1, "{both:?}");
    assert!(!step(7).await && !step(8).await && step(9).await);
    let take = async |user, code: &str| {
        let taken = store.take_recovery_code(user, &hash(code), at(3)).await;
        taken.expect("asked")
    };
    let both = tokio::join!(take(ann, "one"), take(ann, "one"));
    assert!(both.0 != both.1, "{both:?}");
    assert!(!take(bob, "two").await, "it is Ann's");
    let left = async || store.count_recovery_codes(ann).await.expect("asked");
    assert_eq!(left().await, 1);
    let replace = async |user| {
        let new = [hash("three")];
        let done = store.replace_recovery_codes(user, &new, at(4)).await;
        done.expect("asked")
    };
    assert!(replace(ann).await && !replace(bob).await);
    assert!(!take(ann, "two").await && left().await == 1);
    let off = async || store.remove_second_factor(ann, at(5)).await;
    assert!(off().await.expect("asked") && !off().await.expect("asked"));
    assert_eq!(left().await, 0);

    // Who lost everything: the operator removes it, and whoever is logged in is so no more.
    let reset = async || store.reset_second_factor(ann, at(6)).await;
    assert!(!reset().await.expect("asked"), "there is none");
    let seen = store.second_factor(ann).await.expect("asked");
    assert_eq!(seen, None);
    switch_on(&store, ann, "again", 5).await;
    assert!(reset().await.expect("asked") && !lives(&store, "again").await);

    let told = store.notifications_of(ann).await.expect("asked");
    let told: Vec<_> = told.iter().rev().map(|one| one.kind).collect();
    use NotificationKind::*;
    let changes = [
        SecondFactorOn,
        RecoveryCodeUsed,
        RecoveryCodesMade,
        SecondFactorOff,
        SecondFactorOn,
        SecondFactorReset,
    ];
    assert_eq!(told, changes);
    let words = ["on", "code-used", "new-codes", "off", "on", "reset"];
    let log = store.list_audit(&PageQuery::first_page(50)).await;
    let log = log.expect("asked").items;
    let log = log.iter().rev().map(|line| &*line.action);
    let log: Vec<_> = log.filter(|action| action.contains("factor")).collect();
    assert_eq!(
        log,
        words.map(|word| format!("user.second-factor.{word}")),
        "the audit log"
    );
    for word in words {
        let mail = claim().await.expect("one for each").mail;
        let subject = mail.subject.expect("what happened");
        assert_eq!(mail.kind, MailKind::Factor);
        assert!(subject.contains(&format!("{word:?}")), "{subject}: {word}");
    }
}

fn passkey(user: UserId, credential: &str) -> NewPasskey {
    NewPasskey {
        user,
        name: "laptop".to_owned(),
        credential: credential.to_owned(),
        key: "key".to_owned(),
        state: "0".to_owned(),
    }
}

pub async fn passkeys_answer_once_and_are_a_second_factor(store: Store) {
    let (ann, bob) = (user(&store, "ann").await.id, user(&store, "bob").await.id);
    let ask = async |challenge: &str, seconds: i64| {
        let new = PasskeyChallenge {
            hash: hash(challenge),
            user: ann,
            kind: ChallengeKind::LogIn,
            state: "asked".to_owned(),
            until: at(seconds),
        };
        ok!(store.keep_passkey_challenge(new, at(1)));
    };
    let take = async |challenge: &str, whose: (UserId, ChallengeKind), seconds: i64| {
        let (hash, now) = (hash(challenge), at(seconds));
        let taken = store.take_passkey_challenge(&hash, whose, now).await;
        taken.expect("asked").is_some()
    };
    let own = (ann, ChallengeKind::LogIn);
    ask("one", 10).await;
    assert!(!take("one", (bob, ChallengeKind::LogIn), 2).await);
    assert!(!take("one", (ann, ChallengeKind::Register), 2).await);
    assert!(!take("one", own, 10).await && !take("two", own, 2).await);
    let both = tokio::join!(take("one", own, 2), take("one", own, 2));
    assert!(both.0 != both.1, "{both:?}");

    let keep = open(&store, ann, "own").await;
    open(&store, ann, "other").await;
    let codes = [hash("code")];
    let add = async |user, credential: &str| {
        let new = passkey(user, credential);
        let added = store.add_passkey(new, &codes, (keep, at(3))).await;
        added.expect("asked")
    };
    assert_eq!(add(ann, "a").await, AddedPasskey::First);
    assert!(lives(&store, "own").await && !lives(&store, "other").await);
    assert_eq!(add(bob, "a").await, AddedPasskey::Taken);
    assert_eq!(add(ann, "b").await, AddedPasskey::Another);
    let list = async || store.passkeys_of(ann).await.expect("asked");
    let seen = list().await;
    let used = async |state: &str| {
        let used = store.use_passkey(&seen[0], state, at(4)).await;
        used.expect("asked")
    };
    assert!(used("1").await && !used("1").await, "counted once");
    assert_eq!(list().await[0].used, Some(at(4)));
    let has = async || store.has_second_factor(ann).await.expect("asked");
    let remove = async |user, id| {
        let removed = store.remove_passkey(user, id, at(5)).await;
        removed.expect("asked")
    };
    assert!(!remove(bob, seen[0].id).await && remove(ann, seen[0].id).await);
    assert!(has().await && !remove(ann, seen[0].id).await);
    let left = async || store.count_recovery_codes(ann).await.expect("asked");
    assert!(left().await == 1 && remove(ann, seen[1].id).await);
    assert!(left().await == 0 && !has().await);
    for number in 0..PASSKEYS {
        add(ann, &number.to_string()).await;
    }
    assert_eq!(add(ann, "more").await, AddedPasskey::TooMany);
    let reset = store.reset_second_factor(ann, at(6)).await;
    assert!(reset.expect("asked") && !has().await && list().await.is_empty());
}

use leitai_store::values::secret::random_token;
use leitai_store::*;

use crate::arena::*;

fn taken<T: std::fmt::Debug>(result: Result<T, StoreError>) -> bool {
    matches!(result, Err(StoreError::Taken { what: "name", .. }))
}

pub async fn names_are_unique_whatever_the_case(store: Store) {
    let ada = user(&store, "Ada").await;
    let again = NewUser {
        name: "aDA".to_owned(),
        password: String::new(),
        admin: true,
    };
    assert!(taken(store.create_user(again, at(1)).await));
    assert_eq!(ok!(store.user_by_name("ADA")).expect("Ada").id, ada.id);
    let new = |game: &str, name: &str| new_bot(game, name, ada.id);
    ok!(store.create_bot(new("kob", "Viper"), at(1)));
    assert!(taken(store.create_bot(new("kob", "VIPER"), at(1)).await));
    ok!(store.create_bot(new("snakego", "Viper"), at(1)));
    assert!(taken(
        store.ensure_built_in("kob", "viper", "", at(1)).await
    ));
    let (one, _) = ok!(store.ensure_built_in("kob", "random", "", at(1)));
    let (two, version) = ok!(store.ensure_built_in("kob", "random", "", at(2)));
    assert_eq!((one.id, two.active), (two.id, Some(version.id)));
    let (unranked, version) = ok!(store.ensure_unranked_built_in("kob", "level1", "", 1, at(2)));
    assert_eq!(unranked.active, Some(version.id));
    let entrant = store.bot_entrant(unranked.id).await.expect("it may play");
    assert_eq!(entrant.version, Some(version.id));
    let ladder = store.list_ladder(&kob(), &PageQuery::default()).await;
    let ranked: Vec<BotId> = ladder
        .expect("asked")
        .items
        .iter()
        .map(|row| row.bot.id)
        .collect();
    assert_eq!(ranked, [one.id], "only the other one is on the ladder");
    let briefs = store.bot_briefs(&[two.id, BotId(99)]).await.expect("found");
    assert_eq!(briefs.len(), 1);
    assert!(briefs[0].built_in && briefs[0].owner.is_none() && briefs[0].active == Some(1));
    assert!(!store.has_admin().await.expect("asked"));
    assert!(store.set_admin(ada.id, true).await.expect("known").admin);
    assert!(store.has_admin().await.expect("asked"));
    fails!(store.find_user(UserId(77)) => Missing { .. });
}

async fn login(store: &Store, user: &User) -> (TokenHash, Session) {
    let hash = TokenHash::from_token(&random_token());
    let session = ok!(store.create_session(user.id, hash.clone(), at(0), at(100)));
    (hash, session)
}

async fn lives(store: &Store, hash: &TokenHash, seconds: i64) -> bool {
    ok!(store.find_session(hash, at(seconds))).is_some()
}

pub async fn sessions_expire(store: Store) {
    let ada = user(&store, "ada").await;
    let (other, _) = login(&store, &ada).await;
    let hash = TokenHash::from_token(&random_token());
    let session = ok!(store.create_session(ada.id, hash.clone(), at(0), at(200)));
    assert!(lives(&store, &other, 99).await && !lives(&store, &other, 100).await);
    assert!(lives(&store, &hash, 199).await);
    assert_eq!(store.sweep_sessions(at(150)).await.expect("swept"), 1);
    assert!(!lives(&store, &other, 1).await && lives(&store, &hash, 1).await);
    store.end_session(session.id).await.expect("ended");
    ok!(store.end_session(session.id));
    assert!(!lives(&store, &hash, 1).await);
}

fn keeps(keep: SessionId, tokens: bool) -> PasswordEnds {
    PasswordEnds::Others { keep, tokens }
}

pub async fn passwords_end_other_sessions(store: Store) {
    let (ada, bob) = (user(&store, "ada").await, user(&store, "bob").await);
    let (mine, session) = login(&store, &ada).await;
    let (other, _) = login(&store, &ada).await;
    let (his, _) = login(&store, &bob).await;
    ok!(store.set_password(ada.id, "new", keeps(session.id, false)));
    assert_eq!(ok!(store.find_user(ada.id)).password, "new");
    assert!(lives(&store, &mine, 1).await && lives(&store, &his, 1).await);
    assert!(!lives(&store, &other, 1).await);
    ok!(store.set_password(ada.id, "newer", PasswordEnds::Everything));
    assert!(!lives(&store, &mine, 1).await);
}

async fn token(store: &Store, user: Option<UserId>, kind: TokenKind) -> (TokenHash, ApiToken) {
    let hash = TokenHash::from_token(&random_token());
    let scopes = TokenScopes::from_scopes(&[TokenScope::Submit]);
    let name = "laptop".to_owned();
    let new = NewToken {
        user,
        kind,
        name,
        hash: hash.clone(),
        scopes,
        until: None,
    };
    (hash, store.create_token(new, at(0)).await.expect("made"))
}

pub async fn locked_out_people_hold_nothing(store: Store) {
    let ada = user(&store, "ada").await;
    let (session, _) = login(&store, &ada).await;
    let (author, _) = token(&store, Some(ada.id), TokenKind::Author).await;
    let (worker, _) = token(&store, None, TokenKind::Worker).await;
    ok!(store.set_user_disabled(ada.id, true));
    assert!(!lives(&store, &session, 1).await);
    assert!(ok!(store.find_token(&author, at(1))).is_none());
    assert!(ok!(store.find_token(&worker, at(1))).is_some());
    ok!(store.set_user_disabled(ada.id, false));
    assert!(
        !lives(&store, &session, 1).await,
        "the session stays ended after the account is unlocked"
    );
    let (known, whose) = ok!(store.find_token(&author, at(1))).expect("works again");
    assert_eq!(
        (known.user, whose.map(|user| user.name)),
        (Some(ada.id), Some("ada".to_owned()))
    );
}

pub async fn tokens_end_and_keep_their_scopes(store: Store) {
    let ada = user(&store, "ada").await;
    let hash = TokenHash::from_token(&random_token());
    let scopes = TokenScopes::from_scopes(&[TokenScope::Admin, TokenScope::Submit]);
    let (kind, name) = (TokenKind::Author, "week".to_owned());
    let new = NewToken {
        user: Some(ada.id),
        kind,
        name,
        hash: hash.clone(),
        scopes,
        until: Some(at(7)),
    };
    store.create_token(new, at(0)).await.expect("made");
    let (known, _) = ok!(store.find_token(&hash, at(6))).expect("it lives");
    assert!(known.scopes.has(TokenScope::Admin) && !known.scopes.has(TokenScope::Play));
    assert!(
        ok!(store.find_token(&hash, at(7))).is_none(),
        "the token has expired"
    );
    assert_eq!(
        ok!(store.tokens_of(ada.id))[0].until,
        Some(at(7)),
        "its owner still sees the expired token"
    );
}

pub async fn tokens_are_revoked_by_their_author_alone(store: Store) {
    let (ada, bob) = (user(&store, "ada").await, user(&store, "bob").await);
    let (hash, hers) = token(&store, Some(ada.id), TokenKind::Author).await;
    let (_, worker) = token(&store, Some(ada.id), TokenKind::Worker).await;
    for (id, who) in [
        (hers.id, bob.id),
        (worker.id, ada.id),
        (TokenId(99), ada.id),
    ] {
        fails!(store.revoke_token(id, who) => Missing { .. });
    }
    store.find_token(&hash, at(500)).await.expect("asked");
    assert_eq!(ok!(store.tokens_of(ada.id))[0].used, Some(at(500)));
    store.revoke_token(hers.id, ada.id).await.expect("revoked");
    assert!(ok!(store.find_token(&hash, at(1))).is_none());
    assert_eq!(store.worker_tokens().await.expect("asked").len(), 1);
    store.revoke_worker_token(worker.id).await.expect("revoked");
    assert!(store.worker_tokens().await.expect("asked").is_empty());
}

pub async fn workers_and_audit_are_kept(store: Store) {
    let report = |name: &str, busy| WorkerReport {
        name: name.to_owned(),
        version: "0.1.0".to_owned(),
        isolation: "C".to_owned(),
        slots: 2,
        busy,
        remote: false,
        exhibitions: 1,
    };
    for (name, busy, seconds) in [("w1", 0, 1), ("w2", 1, 5), ("w1", 2, 50)] {
        ok!(store.record_heartbeat(report(name, busy), at(seconds)));
    }
    let workers = store.list_workers(at(10)).await.expect("asked");
    assert_eq!(workers.len(), 1);
    assert_eq!(
        (workers[0].busy, workers[0].created, workers[0].seen),
        (2, at(1), at(50))
    );
    assert_eq!((workers[0].match_slots(), workers[0].refused), (1, 0));
    store.count_refusal("w1").await.expect("counted");
    ok!(store.record_heartbeat(report("w1", 2), at(51)));
    assert_eq!(
        ok!(store.list_workers(at(10)))[0].refused,
        1,
        "a heartbeat keeps the number of refusals"
    );
    for number in 0..5 {
        let subject = format!("bot {number}");
        let action = AuditedAction::new(None, "bot.disable", subject, nothing());
        ok!(store.write_audit(action, at(number)));
    }
    let first = ok!(store.list_audit(&PageQuery::first_page(3)));
    let next = first.next.expect("there is more");
    let second = ok!(store.list_audit(&PageQuery::page_after(next, 3)));
    let subjects = |page: &[Audit]| {
        page.iter()
            .map(|line| line.subject.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(subjects(&first.items), ["bot 4", "bot 3", "bot 2"]);
    assert_eq!(
        (subjects(&second.items), second.next),
        (vec!["bot 1".to_owned(), "bot 0".to_owned()], None)
    );
    fails!(store.list_audit(&PageQuery::page_after("x", 3)) => Cursor(_));
}

pub async fn names_are_found_by_their_first_letters(store: Store) {
    for name in ["Alan", "alice", "bob", "a_b", "小林", "小红"] {
        user(&store, name).await;
    }
    let locked = user(&store, "albert").await;
    ok!(store.set_user_disabled(locked.id, true));
    for name in ["alphabeta", "Alpha", "greedy", "小蛇"] {
        bot(&store, name).await;
    }
    for (start, most, people, bots) in [
        ("al", 9, vec!["Alan", "alice"], vec!["Alpha", "alphabeta"]),
        ("AL", 9, vec!["Alan", "alice"], vec!["Alpha", "alphabeta"]),
        ("a", 1, vec!["a_b"], vec!["Alpha"]),
        ("小", 9, vec!["小林", "小红"], vec!["小蛇"]),
        ("小林", 9, vec!["小林"], vec![]),
        // Signs of patterns are letters as all others.
        ("a_", 9, vec!["a_b"], vec![]),
        ("%", 9, vec![], vec![]),
        ("\\", 9, vec![], vec![]),
        ("lice", 9, vec![], vec![]),
    ] {
        let found = store.search_users(start, most).await.expect("searched");
        let mut names: Vec<&str> = found.iter().map(|user| user.name.as_str()).collect();
        names.sort_unstable();
        let mut people = people;
        people.sort_unstable();
        assert_eq!(names, people, "people of {start}");
        let found = store.search_bots(start, most).await.expect("searched");
        let names: Vec<&str> = found.iter().map(|bot| bot.name.as_str()).collect();
        assert_eq!(names, bots, "bots of {start}");
    }
}

pub async fn a_persons_matches_are_found(store: Store) {
    let (ada, bea) = (user(&store, "ada").await, user(&store, "bea").await);
    let person = |user: &User| MatchEntrant::human_entrant(user.name.clone(), Some(user.id));
    let guest = || MatchEntrant::human_entrant("guest", None);
    let mut made = Vec::new();
    for (a, b, winner) in [
        (person(&ada), guest(), MatchWinner::A),
        (guest(), person(&ada), MatchWinner::A),
        (person(&bea), person(&ada), MatchWinner::B),
        (person(&ada), person(&ada), MatchWinner::Draw),
        (guest(), guest(), MatchWinner::A),
    ] {
        let own = ok!(store.create_match(new_match(a, b, MatchKind::Human), at(0)));
        let lease =
            ok!(store.acquire_match(own.id, "server", at(1), std::time::Duration::from_secs(60)))
                .expect("free");
        ok!(store.finish_match(&lease.lease, result(winner), at(2)));
        made.push(own.id);
    }
    let invite = NewMatch {
        b: None,
        invite: Some("code".to_owned()),
        ..new_match(guest(), guest(), MatchKind::Human)
    };
    let invite = store.create_match(invite, at(3)).await.expect("made").id;
    let token = TokenHash::from_token("seat");
    ok!(store.take_invite("code", person(&bea), token, at(4)));
    let of = |user: &User| MatchFilter {
        person: Some(user.id),
        ..MatchFilter::default()
    };
    let list = async |filter: MatchFilter| -> Vec<MatchId> {
        let rows = ok!(store.list_matches(&filter, &PageQuery::default())).items;
        rows.iter().map(|row| row.id).collect()
    };
    assert_eq!(list(of(&ada)).await, [made[3], made[2], made[1], made[0]]);
    assert_eq!(list(of(&bea)).await, [invite, made[2]]);
    let finished = MatchFilter {
        state: Some(MatchState::Finished),
        ..of(&bea)
    };
    assert_eq!(list(finished).await, [made[2]]);
    let tallies = store.tallies_of(ada.id).await.expect("counted");
    let [tally] = &tallies[..] else {
        panic!("one game was played: {tallies:?}")
    };
    fields!(tally, {game.as_str(): "kob", wins: 2, draws: 1, losses: 1});
    let deletion = deletion_by(None, at(5));
    store.delete_user(ada.id, deletion).await.expect("deleted");
    assert_eq!(list(of(&ada)).await, []);
    assert_eq!(list(of(&bea)).await, [invite, made[2]]);
}

pub async fn results_of_people_follow_corrections(store: Store) {
    let (ada, bea) = (user(&store, "ada").await, user(&store, "bea").await);
    let person = |user: &User| MatchEntrant::human_entrant(user.name.clone(), Some(user.id));
    let guest = || MatchEntrant::human_entrant("guest", None);
    let level = bot(&store, "level1").await;
    let level = || async { store.bot_entrant(level.id).await.expect("level1") };
    let mut made = Vec::new();
    for (a, b, winner) in [
        (person(&ada), level().await, MatchWinner::A),
        (level().await, person(&ada), MatchWinner::A),
        (person(&ada), person(&bea), MatchWinner::B),
        (guest(), level().await, MatchWinner::B),
        (person(&bea), level().await, MatchWinner::A),
        (person(&ada), level().await, MatchWinner::Draw),
    ] {
        let own = ok!(store.create_match(new_match(a, b, MatchKind::Human), at(0)));
        let lease = ok!(store.acquire_match(own.id, "server", at(1), LEASE)).expect("free");
        ok!(store.finish_match(&lease.lease, result(winner), at(2)));
        made.push(own.id);
    }
    // Not over yet.
    ok!(store.create_match(
        new_match(person(&ada), level().await, MatchKind::Human),
        at(3)
    ));
    let results = async |user: UserId, until: Option<MatchId>, most: u64| {
        let found = ok!(store.results_of_person(user, "kob", until, most));
        let is_level = |one: &PersonResult| matches!(&one.opponent, PersonOpponent::BuiltIn(name, 1) if name == "level1");
        let told = |one: PersonResult| (one.match_id, one.side, one.winner, one.corrected);
        let met = found
            .iter()
            .filter_map(|one| match one.opponent {
                PersonOpponent::Person(other) => Some((one.match_id, other)),
                PersonOpponent::BuiltIn(..) => None,
            })
            .collect::<Vec<_>>();
        assert!(
            found
                .iter()
                .all(|one| is_level(one) != met.iter().any(|(id, _)| *id == one.match_id))
        );
        (found.into_iter().map(told).collect::<Vec<_>>(), met)
    };
    let [won, lost, drawn] = [
        (made[0], MatchSide::A, MatchWinner::A, false),
        (made[1], MatchSide::B, MatchWinner::A, false),
        (made[5], MatchSide::A, MatchWinner::Draw, false),
    ];
    let beaten = (made[2], MatchSide::A, MatchWinner::B, false);
    let met = vec![(made[2], bea.id)];
    assert_eq!(
        results(ada.id, None, 9).await,
        (vec![drawn, beaten, lost, won], met.clone())
    );
    assert_eq!(
        results(ada.id, Some(made[1]), 9).await,
        (vec![lost, won], vec![])
    );
    assert_eq!(results(ada.id, None, 1).await, (vec![drawn], vec![]));
    assert!(ok!(store.results_of_person(ada.id, "snakego", None, 9)).is_empty());
    let correct = async |id: MatchId, winner: Option<MatchWinner>| {
        let new = NewCorrection {
            winner,
            why: "the rules were wrong".to_owned(),
            user: None,
        };
        ok!(store.correct_match(id, new, at(4)));
    };
    correct(made[1], Some(MatchWinner::B)).await;
    correct(made[5], None).await;
    let righted = (made[1], MatchSide::B, MatchWinner::B, true);
    assert_eq!(
        results(ada.id, None, 9).await,
        (vec![beaten, righted, won], met)
    );
    let deletion = deletion_by(None, at(5));
    store.delete_user(ada.id, deletion).await.expect("deleted");
    assert_eq!(results(ada.id, None, 9).await, (vec![], vec![]));
    // Her name is erased from the match a little later; nothing counts for her now.
    let (left, met) = results(bea.id, None, 9).await;
    assert_eq!((left.len(), met), (2, vec![(made[2], ada.id)]));
}

pub async fn tags_of_matches_are_found_and_forgotten(store: Store) {
    let (ada, bob) = (user(&store, "ada").await, user(&store, "bob").await);
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let tags = |words: &[&str]| MatchTags::parse(words.iter().copied()).expect("short words");
    let pair = [&a, &b].map(|bot| store.bot_entrant(bot.id));
    let [first, second] = pair;
    let (first, second) = (first.await.expect("a"), second.await.expect("b"));
    let new = NewMatch {
        tags: tags(&["z", "决赛", "b"]),
        ..new_match(first, second, MatchKind::Friendly)
    };
    let made = store.create_friendly(new, &Quota::UNLIMITED, ada.id, at(1));
    let one = made.await.expect("a match").id;
    let two = queue(&store, &a, &b, MatchKind::Ladder).await.id;
    let three = queue(&store, &a, &b, MatchKind::Ladder).await.id;
    for id in [two, three] {
        ok!(store.set_match_tags(id, &tags(&["z"]), None, at(2)));
    }
    let known = store.tags_of_matches(&[one, two]).await.expect("asked");
    assert_eq!(known[&one], ["b", "z", "决赛"]);
    assert_eq!(known[&two], ["z"]);
    let z = || MatchFilter {
        tag: Some("z".to_owned()),
        ..MatchFilter::default()
    };
    let of_a = || MatchFilter {
        bot: Some(a.id),
        ..z()
    };
    let ladder = || MatchFilter {
        kind: Some(MatchKind::Ladder),
        ..z()
    };
    for (filter, expected) in [
        (z(), vec![three, two, one]),
        (of_a(), vec![three, two, one]),
        (ladder(), vec![three, two]),
    ] {
        let mut ids = Vec::new();
        let mut ask = PageQuery::first_page(2);
        loop {
            let page = store.list_matches(&filter, &ask).await.expect("asked");
            ids.extend(page.items.iter().map(|found| found.id));
            let Some(next) = page.next else { break };
            ask = PageQuery::page_after(next, 2);
        }
        assert_eq!(ids, expected, "{filter:?}");
    }
    // Both set the tags of one match at the same time: one of them stays.
    let (x, y) = (tags(&["x"]), tags(&["x", "y"]));
    let both = tokio::join!(
        store.set_match_tags(two, &x, Some(bob.id), at(3)),
        store.set_match_tags(two, &y, Some(bob.id), at(3)),
    );
    assert!(both.0.is_ok() && both.1.is_ok(), "{both:?}");
    let known = store.tags_of_matches(&[two]).await.expect("asked");
    assert!(
        known[&two] == ["x"] || known[&two] == ["x", "y"],
        "{known:?}"
    );
    assert!(store.asked_for_match(one, ada.id).await.expect("asked"));
    assert!(!store.asked_for_match(one, bob.id).await.expect("asked"));
    let deletion = deletion_by(None, at(4));
    store.delete_user(ada.id, deletion).await.expect("deleted");
    assert!(!store.asked_for_match(one, ada.id).await.expect("asked"));
    let missing = store.set_match_tags(MatchId(999), &x, None, at(5)).await;
    assert!(matches!(missing, Err(StoreError::Missing { .. })));
}

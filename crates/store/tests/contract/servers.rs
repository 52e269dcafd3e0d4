//! What the servers of one arena share.

use std::time::Duration;

use leitai_store::{
    MatchEntrant, MatchId, MatchKind, MatchOpener, MatchSide, MatchState, MatchWinner, NewMatch,
    NewUser, PageQuery, Rate, RematchOffer, RematchState, Store, StoreError, Timestamp, TokenHash,
};

use crate::arena::{self, acquire, bot, new_match, offer, queue};
use crate::jobs::table;

/// How long a lead lasts unless it is renewed.
const LASTS: Duration = Duration::from_secs(8);

pub async fn one_of_several_servers_leads(store: Store) {
    let begin = Timestamp::now();
    let take = async |server: &str, seconds: u64| {
        let at = begin.after(Duration::from_secs(seconds));
        let taken = store.take_lead(server, at, LASTS).await;
        taken.expect("the database answers")
    };
    assert!(take("one", 0).await);
    if store.is_embedded() {
        assert!(
            take("two", 0).await,
            "there is only one server, under any name"
        );
        return;
    }
    assert!(!take("two", 7).await);
    assert!(take("one", 7).await, "renewed until 15");
    assert!(!take("two", 15).await);
    assert!(take("two", 16).await, "the first one is gone");
    assert!(!take("one", 17).await, "it came back, and another leads");
    store.give_lead_back("one").await.expect("it answers");
    assert!(!take("three", 17).await, "only the holder gives it back");
    store.give_lead_back("two").await.expect("it answers");
    assert!(take("three", 17).await);
    // All at once: exactly one.
    let later = begin.after(Duration::from_secs(60));
    let mut all = Vec::new();
    for number in 0..8 {
        let store = store.clone();
        all.push(tokio::spawn(async move {
            let name = format!("server {number}");
            store.take_lead(&name, later, LASTS).await
        }));
    }
    let mut leaders = 0;
    for one in all {
        let taken = one.await.expect("it ends").expect("it answers");
        leaders += usize::from(taken);
    }
    assert_eq!(leaders, 1);
}

pub async fn rates_are_counted_together(store: Store) {
    let begin = Timestamp::now();
    let rate = Rate {
        burst: 3,
        each: Duration::from_secs(10),
    };
    let count = async |key: &str, seconds: u64| {
        let at = begin.after(Duration::from_secs(seconds));
        let counted = store.count_action(key, rate, at).await;
        counted.expect("the database answers")
    };
    for _ in 0..3 {
        assert_eq!(count("ada", 0).await, Ok(()));
    }
    assert_eq!(count("ada", 0).await, Err(Duration::from_secs(10)));
    assert_eq!(count("ada", 4).await, Err(Duration::from_secs(6)));
    assert_eq!(count("bob", 4).await, Ok(()), "each key for itself");
    assert_eq!(count("ada", 10).await, Ok(()));
    assert_eq!(count("ada", 10).await, Err(Duration::from_secs(10)));
    // After a long pause there is the burst again, and no more.
    for _ in 0..3 {
        assert_eq!(count("ada", 1000).await, Ok(()));
    }
    assert_eq!(count("ada", 1000).await, Err(Duration::from_secs(10)));
    // At the same time from everywhere.
    let mut all = Vec::new();
    for _ in 0..12 {
        let store = store.clone();
        all.push(tokio::spawn(async move {
            store.count_action("all", rate, begin).await
        }));
    }
    let mut counted = 0;
    for one in all {
        let allowed = one.await.expect("it ends").expect("it answers");
        counted += usize::from(allowed.is_ok());
    }
    assert_eq!(counted, 3);
    let later = begin.after(Duration::from_secs(1020));
    assert_eq!(store.sweep_rates(later).await.expect("it answers"), 2);
    assert_eq!(ok!(store.sweep_rates(later.after(LASTS * 2))), 1);
}

/// Several servers start on an empty database, and all migrate it.
pub async fn start_at_the_same_time(url: String) {
    let mut all = Vec::new();
    for _ in 0..4 {
        let url = url.clone();
        all.push(tokio::spawn(async move {
            let store = Store::open_url(&url).await.expect("it opens");
            let at = Timestamp::now();
            ok!(store.ensure_built_in("kob", "safe", "", at));
            store
        }));
    }
    let mut ids = Vec::new();
    for one in all {
        let store = one.await.expect("it ends");
        ids.push(store.arena_id().await.expect("it answers"));
        store.close_store().await.expect("it closes");
    }
    assert!(
        ids.iter().all(|id| *id == ids[0] && !id.is_empty()),
        "{ids:?}"
    );
}

pub async fn people_are_sent_to_tables_of_servers_that_live(store: Store) {
    let begin = Timestamp::now();
    let at = |seconds: u64| begin.after(Duration::from_secs(seconds));
    let open = async |code: &str, server: &str| {
        let id = ok!(store.create_match(table(code, code), begin)).id;
        ok!(store.offer_table(id, server, at(5)));
        id
    };
    let seen = async |server: &str, seconds: u64| -> Vec<MatchId> {
        let found = store.tables_elsewhere(server, at(seconds)).await;
        found.expect("asked").iter().map(|own| own.id).collect()
    };
    let keep = async |server: &str, offered: &[MatchId], seconds: u64| {
        let kept = store.keep_tables(server, offered, at(seconds)).await;
        kept.expect("it answers")
    };
    let (one, two) = (open("first", "a").await, open("second", "a").await);
    let three = open("third", "b").await;
    assert_eq!(seen("b", 0).await, [one, two], "the longest waiting first");
    assert_eq!(seen("a", 0).await, [three]);
    // Whose person left, and whose server gave no sign of life.
    assert!(keep("a", &[two], 8).await.is_empty());
    assert_eq!(
        (seen("b", 7).await, seen("a", 7).await),
        (vec![two], vec![])
    );
    assert!(seen("b", 8).await.is_empty());
    // Who comes back is there again.
    assert!(keep("a", &[one, two], 20).await.is_empty());
    assert_eq!(seen("b", 8).await, [one, two]);
    // A seat is taken once, and its server learns it.
    let take = async |name: &str| {
        let person = MatchEntrant::human_entrant(name, None);
        let seat = TokenHash::from_token(name);
        store.take_invite("first", person, seat, at(9)).await
    };
    let both = tokio::join!(take("x"), take("y"));
    assert_eq!(
        [&both.0, &both.1].iter().filter(|one| one.is_ok()).count(),
        1
    );
    assert_eq!(keep("a", &[one, two], 20).await, [one]);
    assert_eq!(seen("b", 9).await, [two]);
    // The server is gone, and another one opens the table.
    assert!(ok!(store.adopt_table(two, "b", at(30))));
    assert_eq!(
        (seen("a", 25).await, seen("b", 25).await),
        (vec![two], vec![])
    );
    assert!(!ok!(store.adopt_table(one, "b", at(30))));
    ok!(store.cancel_match(two, "nobody came", at(26)));
    assert_eq!(keep("b", &[two], 30).await, [two]);
    // One server at a time brings people together.
    let turn = store.lobby_turn().await.expect("it answers");
    if store.is_embedded() {
        return;
    }
    let other = store.clone();
    let next = tokio::spawn(async move { other.lobby_turn().await.is_ok() });
    ok!(tokio::time::timeout(
        Duration::from_millis(200),
        seen("a", 0)
    ));
    assert!(!next.is_finished());
    drop(turn);
    assert!(next.await.expect("it ends"));
}

/// The database was away from second 11 to 30, when a server starts.
pub async fn a_server_that_starts_leaves_matches_to_those_who_play_them(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let lease = async |seconds: u64| {
        queue(&store, &a, &b, MatchKind::Friendly).await;
        let lease = Duration::from_secs(seconds);
        let leased = store.lease_job(&offer("w"), arena::at(0), lease).await;
        leased.expect("it answers").expect("a job").lease.job
    };
    let (lost, held) = (lease(5).await, lease(20).await);
    let guest = || MatchEntrant::human_entrant("guest", None);
    let new = new_match(guest(), guest(), MatchKind::Human);
    let people = ok!(store.create_match(new, arena::at(0))).id;
    let leased = store.acquire_match(people, "tables", arena::at(0), Duration::from_secs(12));
    assert!(leased.await.expect("it answers").is_some());
    let lead = store.take_lead("one", arena::at(10), LASTS).await;
    assert!(lead.expect("it answers"));

    let begin = async |seconds: i64| {
        let begun = store.begin_serving(arena::at(seconds), LASTS).await;
        begun.expect("it answers")
    };
    let next = async |seconds: i64| acquire(&store, seconds).await.map(|job| job.lease.job);
    let stranded = async |seconds: i64| {
        let found = store.stranded_people(arena::at(seconds)).await;
        found.expect("it answers")
    };
    if store.is_embedded() {
        assert_eq!(begin(30).await, 0, "there is no other server");
        assert_eq!(stranded(30).await, [people]);
        assert_eq!(next(30).await, Some(lost));
        return;
    }
    assert_eq!(begin(30).await, 1, "what a worker held when somebody led");
    let take_over = async |seconds: i64| {
        let now = arena::at(seconds);
        let taken = store.take_over_people(people, "tables", now, now, LASTS);
        taken.await.expect("it answers").is_some()
    };
    assert_eq!(next(32).await, None);
    assert_eq!(stranded(32).await, []);
    assert!(!take_over(32).await);
    assert_eq!(stranded(33).await, [people]);
    assert!(take_over(33).await);
    assert_eq!([next(33).await, next(49).await], [Some(lost), None]);
    assert_eq!(next(51).await, Some(held));
    // Where somebody leads, the database was not away.
    let lead = store.take_lead("two", arena::at(200), LASTS).await;
    assert!(lead.expect("it answers"));
    assert_eq!(begin(201).await, 0);
}

pub async fn matches_of_one_person_count_at_all_servers_while_they_are_open(store: Store) {
    let open = async |who: &str, most: u64| {
        let guest = || MatchEntrant::human_entrant("guest", None);
        let opener = MatchOpener {
            who: who.to_owned(),
            most,
        };
        let new = NewMatch {
            opener: Some(opener),
            ..new_match(guest(), guest(), MatchKind::Human)
        };
        store.create_match(new, arena::at(0)).await
    };
    let count = async |who: &str| store.count_opened(who).await.expect("it answers");
    // Eight servers at once.
    let made = futures_util::future::join_all((0..8).map(|_| open("account 1", 3))).await;
    let (made, refused): (Vec<_>, Vec<_>) = made.into_iter().partition(Result::is_ok);
    assert_eq!((made.len(), count("account 1").await), (3, 3));
    for one in refused {
        fails!(one, TooManyOpen { most: 3 });
    }
    let [one, two, three] = &made[..] else {
        panic!("three")
    };
    let [one, two, three] = [one, two, three].map(|made| made.as_ref().expect("made").id);
    assert_eq!(count("address 10.0.0.1").await, 0);
    open("address 10.0.0.1", 1).await.expect("another person");
    assert!(open("address 10.0.0.1", 1).await.is_err());
    // However it ends, it counts no more.
    ok!(store.cancel_match(one, "nobody came", arena::at(1)));
    ok!(store.void_match(two, "no memory", arena::at(1)));
    let leased = store.acquire_match(three, "tables", arena::at(1), LASTS);
    let leased = leased.await.expect("it answers").expect("nobody has it");
    assert_eq!(count("account 1").await, 1, "it is played");
    let result = arena::result(MatchWinner::Draw);
    ok!(store.finish_match(&leased.lease, result, arena::at(2)));
    assert_eq!(count("account 1").await, 0);
    open("account 1", 1).await.expect("there is room again");
    // Nothing is left of a match that is over.
    assert_eq!(store.sweep_openers().await.expect("it answers"), 0);
}

pub async fn an_arena_has_one_first_administrator(store: Store) {
    let open = async |number: usize| {
        let new = NewUser {
            name: format!("first{number}"),
            password: "unused".to_owned(),
            admin: false,
        };
        let made = store.create_first_admin(new, Timestamp::now()).await;
        made.expect("it answers")
    };
    let made = futures_util::future::join_all((0..8).map(open)).await;
    let first: Vec<_> = made.into_iter().flatten().collect();
    assert!(first.len() == 1 && first[0].admin, "{first:?}");
    assert_eq!(open(9).await, None);
    let all = store.list_users(&PageQuery::first_page(20)).await;
    assert_eq!(all.expect("it answers").items, first);
}

pub async fn two_people_hear_each_other_after_their_match_and_an_offer_waits_a_minute(
    store: Store,
) {
    let begin = Timestamp::now();
    let at = |seconds: u64| begin.after(Duration::from_secs(seconds));
    let offer = async |id: i64, seconds: u64| {
        let offer = RematchOffer {
            by: MatchSide::A,
            wants: MatchSide::B,
            account: None,
            since: at(seconds),
            answer: None,
        };
        ok!(store.offer_rematch(MatchId(id), offer));
    };
    let state = async |id: i64, seconds: u64| {
        let found = store.parting_of(MatchId(id)).await.expect("it answers");
        Some(found?.rematch?.state_at(at(seconds)))
    };
    let refuse = async |id: i64, side: MatchSide, seconds: u64| {
        ok!(store.refuse_rematch(MatchId(id), side, at(seconds)));
    };
    assert_eq!(state(7, 0).await, None);
    refuse(7, MatchSide::B, 0).await;
    offer(7, 0).await;
    assert_eq!(state(7, 59).await, Some(RematchState::Open));
    assert_eq!(state(7, 60).await, Some(RematchState::Expired));
    // A new one takes its place; it is declined, or taken back.
    offer(7, 60).await;
    assert_eq!(state(7, 60).await, Some(RematchState::Open));
    refuse(7, MatchSide::B, 61).await;
    assert_eq!(state(7, 200).await, Some(RematchState::Declined));
    offer(7, 62).await;
    refuse(7, MatchSide::A, 62).await;
    assert_eq!(state(7, 62).await, None);
    offer(7, 63).await;
    // However often it is accepted, there is one match, which the offer names.
    let accept = async |seconds: u64| {
        let guest = || MatchEntrant::human_entrant("guest", None);
        let new = new_match(guest(), guest(), MatchKind::Human);
        store.accept_rematch(MatchId(7), new, at(seconds)).await
    };
    let late = accept(200).await;
    assert!(matches!(late, Err(StoreError::Refused(_))), "{late:?}");
    let (one, two) = tokio::join!(accept(64), accept(64));
    let (made, refused) = if one.is_ok() { (one, two) } else { (two, one) };
    let made = made.expect("one is accepted");
    fails!(refused, Refused(_));
    assert_eq!(made.state, MatchState::Queued);
    refuse(7, MatchSide::B, 64).await;
    assert_eq!(state(7, 300).await, Some(RematchState::Accepted(made.id)));
    let next = store.match_by_id(MatchId(made.id.0 + 1)).await;
    assert!(matches!(next, Err(StoreError::Missing { .. })), "{next:?}");
    // Both speak at once, and the offer stays.
    let say = async |side: MatchSide, word: &str| {
        ok!(store.say_parting(MatchId(7), side, word.to_owned(), at(65)));
    };
    tokio::join!(say(MatchSide::A, "thanks"), say(MatchSide::B, "good_game"));
    let parting = store.parting_of(MatchId(7)).await.expect("it answers");
    let parting = parting.expect("they spoke");
    let said = MatchSide::ALL.map(|side| parting.said_by(side));
    assert_eq!(said, [Some("thanks"), Some("good_game")]);
    assert!(parting.rematch.is_some());
    // What is old is forgotten.
    offer(8, 120).await;
    gives!(store.sweep_partings(at(65 + 301)) => 1);
    assert_eq!(state(7, 0).await, None);
    assert!(state(8, 121).await.is_some());
}

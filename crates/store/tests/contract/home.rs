//! Programs that stay on their authors' machines: offers, calls, and their ladder.

use std::time::Duration;

use leitai_ladder::weng_lin::Rating;
use leitai_store::{
    HomeBotId, HomeOffer, HomeStand, Match, MatchEntrant, MatchFilter, MatchKind, MatchSide,
    MatchWinner, NewHomeMatch, NewMatch, OfferedBot, PageQuery, PerSide, Store, StoreError,
    TokenHash, User, UserId,
};

use crate::arena::{at, bot, new_match, result, user};
use crate::made::deletion_by;

/// What a command says for this program of an account, until this second.
fn offer(owner: UserId, name: &str, session: &str, token: &str, until: i64) -> HomeOffer {
    HomeOffer {
        owner,
        game: "kob".to_owned(),
        name: name.to_owned(),
        protocol: "line".to_owned(),
        session: session.to_owned(),
        begins: false,
        seat_token: TokenHash::from_token(token),
        until: at(until),
        most: 2,
        rated: true,
    }
}

/// A match of these programs, and of this entrant on the side of nobody else.
fn with_programs(
    offered: [Option<HomeBotId>; 2],
    other: Option<MatchEntrant>,
    rated: Option<Option<Rating>>,
) -> NewHomeMatch {
    let [a, b] = offered;
    let guest = MatchEntrant::human_entrant("guest", None);
    let whole = new_match(guest.clone(), guest, MatchKind::Human);
    let new = NewMatch {
        a: other.clone().filter(|_| a.is_none()),
        b: other.filter(|_| b.is_none()),
        ..whole
    };
    let offered = PerSide { a, b };
    NewHomeMatch {
        new,
        offered,
        rated,
    }
}

async fn listed(store: &Store, second: i64) -> Vec<OfferedBot> {
    ok!(store.list_home_bots(Some("kob"), false, at(second)))
}

/// Plays a match to this end, by a lease as a server has it.
async fn finish(store: &Store, own: &Match, winner: MatchWinner) {
    let lease = ok!(store.acquire_match(own.id, "server", at(1), Duration::from_secs(600)));
    let lease = lease.expect("free").lease;
    ok!(store.finish_match(&lease, result(winner), at(2)));
}

pub async fn a_program_at_home_is_called_once_and_its_offer_ends_by_itself(store: Store) {
    let ada = user(&store, "ada").await.id;
    let ask = async |offer: HomeOffer, second: i64| store.offer_home_bot(offer, at(second)).await;
    let mine = |session: &str, token: &str, until| offer(ada, "Hydra", session, token, until);
    assert_eq!(ok!(ask(mine("one", "t1", 10), 1)), HomeStand::Waits);
    // Of two commands the later one goes on.
    assert_eq!(ok!(ask(mine("two", "t2", 10), 2)), HomeStand::Replaced);
    let begins = HomeOffer {
        begins: true,
        name: "hydra".to_owned(),
        ..mine("two", "t2", 10)
    };
    assert_eq!(ok!(ask(begins, 2)), HomeStand::Waits);
    assert_eq!(ok!(ask(mine("one", "t1", 10), 3)), HomeStand::Replaced);
    let [program] = &listed(&store, 3).await[..] else {
        panic!("one is offered")
    };
    let names = (program.name.as_str(), program.owner_name.as_str());
    assert_eq!(names, ("hydra", "ada"));
    assert_eq!(listed(&store, 10).await, [], "nobody moved its end on");
    // One comes; the second one does not get it.
    let guest = || Some(MatchEntrant::human_entrant("guest", None));
    let call_at = async |second: i64| {
        let wanted = with_programs([None, Some(program.id)], guest(), None);
        store.open_home_match(wanted, at(second)).await
    };
    fails!(call_at(10) => Refused(_));
    let own = ok!(call_at(4));
    fails!(call_at(4) => Refused(_));
    let entrant = own.b.as_ref().expect("it has the side");
    fields!(entrant, {name.as_str(): "ada+hydra", home_bot: Some(program.id)});
    assert_eq!(own.b_seat_token, Some(TokenHash::from_token("t2")));
    assert_eq!(listed(&store, 99).await[0].plays, Some(own.id));
    let called = HomeStand::Called(own.id, MatchSide::B);
    assert_eq!(ok!(ask(mine("two", "t2", 10), 5)), called);
    assert!(ok!(store.home_bot_called(&mine("two", "t2", 10))));
    // A command that begins anew has no token of the seat, and waits for the end of the match.
    assert_eq!(ok!(ask(mine("two", "t3", 10), 6)), HomeStand::Busy(own.id));
    ok!(store.note_latencies(
        own.id,
        PerSide {
            a: Some(5),
            b: Some(7)
        }
    ));
    let noted = ok!(store.match_by_id(own.id));
    let medians = [noted.a, noted.b].map(|one| one.expect("it has both").latency_us);
    assert_eq!(medians, [None, Some(7)], "a person has none");
    finish(&store, &own, MatchWinner::A).await;
    // Nobody calls it with a token that it has used.
    assert_eq!(listed(&store, 7).await, []);
    assert!(matches!(call_at(7).await, Err(StoreError::Refused(_))));
    assert_eq!(ok!(ask(mine("two", "t3", 20), 7)), HomeStand::Waits);
    // Its author finds the match, and it is none of the person.
    let list = async |filter: MatchFilter| {
        let page = ok!(store.list_matches(&filter, &PageQuery::default()));
        page.items.len()
    };
    let by_home = || MatchFilter {
        home: Some(ada),
        ..MatchFilter::default()
    };
    let by_person = MatchFilter {
        person: Some(ada),
        ..MatchFilter::default()
    };
    assert_eq!((list(by_home()).await, list(by_person).await), (1, 0));
    assert_eq!(ok!(store.tallies_of(ada)), []);
    // An account offers few, and an administrator takes one away.
    ok!(ask(offer(ada, "second", "s", "t", 20), 8));
    fails!(ask(offer(ada, "third", "s", "t", 20), 8) => TooManyOpen { most: 2 });
    ok!(store.set_home_bot_disabled(program.id, true));
    assert_eq!(ok!(ask(mine("two", "t3", 20), 9)), HomeStand::Disabled);
    assert!(matches!(call_at(9).await, Err(StoreError::Refused(_))));
    ok!(store.withdraw_home_bot(&offer(ada, "second", "other", "t", 0)));
    assert_eq!(
        listed(&store, 9).await.len(),
        1,
        "another command withdraws nothing"
    );
    ok!(store.withdraw_home_bot(&offer(ada, "second", "s", "t", 0)));
    assert_eq!(listed(&store, 9).await, []);
    // With the account all of it goes.
    ok!(store.delete_user(ada, deletion_by(None, at(10))));
    assert_eq!(list(by_home()).await, 0);
    assert_eq!(ok!(store.list_home_bots(None, true, at(9))), []);
}

pub async fn rated_matches_at_home_count_once_and_void_ones_for_nobody(store: Store) {
    let (ada, bea): (User, User) = (user(&store, "ada").await, user(&store, "bea").await);
    let ready = async || {
        for owner in [ada.id, bea.id] {
            ok!(store.offer_home_bot(offer(owner, "hydra", "s", "t", 100), at(1)));
        }
    };
    ready().await;
    let ids = async |second| {
        let waiting = ok!(store.home_candidates("kob", at(second)));
        waiting.iter().map(|one| one.id).collect::<Vec<HomeBotId>>()
    };
    let [one, two] = ids(2).await[..] else {
        panic!("both wait")
    };
    let play = async |offered, other, rated, winner: Option<MatchWinner>| {
        let wanted = with_programs(offered, other, rated);
        let own = ok!(store.open_home_match(wanted, at(2)));
        match winner {
            Some(winner) => finish(&store, &own, winner).await,
            None => _ = ok!(store.void_match(own.id, "the arena failed", at(3))),
        }
        ready().await;
        own.id
    };
    let both = [Some(one), Some(two)];
    let won = play(both, None, Some(None), Some(MatchWinner::A)).await;
    play(both, None, Some(None), None).await;
    let unrated = play(both, None, None, Some(MatchWinner::B)).await;
    let level = ok!(store.bot_entrant(bot(&store, "level1").await.id));
    let anchor = Some(Rating::default());
    let anchored = [Some(one), None];
    play(anchored, Some(level), Some(anchor), Some(MatchWinner::Draw)).await;
    assert_eq!(ok!(store.count_home_matches()), 3);
    assert_eq!(ok!(store.count_home_matches()), 0, "each once");
    let ladder = ok!(store.home_ladder("kob", at(4)));
    let rows: Vec<_> = ladder
        .iter()
        .map(|row| (row.id, [row.wins, row.draws, row.losses]))
        .collect();
    assert_eq!(rows, [(one, [1, 1, 0]), (two, [0, 0, 1])]);
    assert!(ladder[0].rating.skill > Rating::default().skill);
    assert!(ladder[1].rating.skill < Rating::default().skill);
    let changes = async |id| {
        let own = ok!(store.match_by_id(id));
        (
            own.a_change.unwrap_or_default() > 0.0,
            own.b_change.unwrap_or_default() < 0.0,
        )
    };
    assert_eq!(changes(won).await, (true, true));
    assert_eq!(changes(unrated).await, (false, false));
    let met = ok!(store.home_meetings("kob"));
    assert_eq!(met.get(&(one.min(two), one.max(two))), Some(&2));
    // Who does not come to a match is not paired for a while.
    let wanted = with_programs(both, None, Some(None));
    let own = ok!(store.open_home_match(wanted, at(5)));
    assert_eq!(ids(5).await, [], "both play");
    ok!(store.cancel_match(own.id, "nobody came", at(6)));
    ready().await;
    ok!(store.pause_home_bots(own.id, PerSide { a: true, b: false }, at(50)));
    assert_eq!(ids(7).await, [two]);
    assert_eq!(ids(50).await, [one, two]);
}

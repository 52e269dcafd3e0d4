//! Contests.

use leitai_store::*;

use crate::arena::{
    acquire, at, bot, by_operator, new_bot, new_contest, new_match, new_team, played, result, user,
};
use crate::seen::says;

pub fn arena(seconds: i64) -> ContestActor {
    by_operator(at(seconds))
}

/// Every version may play.
pub fn freeze_rules(least: u32, team_size: u32) -> FreezeRules<'static> {
    FreezeRules {
        least,
        team_size,
        describe_refusal: Box::new(|_, _| None),
    }
}

pub async fn publish(store: &Store, name: &str) -> Contest {
    let new = NewContest {
        name: name.to_owned(),
        game: "kob".to_owned(),
        file: "id = \"x\"".to_owned(),
        seed: u64::MAX.into(),
        privacy: ContestPrivacy::PUBLIC,
        names: Vec::new(),
    };
    store.create_contest(new, arena(0)).await.expect("free")
}

/// A contest with so many built-in bots.
async fn with_entries(store: &Store, name: &str, count: usize) -> (Contest, Vec<ContestEntry>) {
    let contest = publish(store, name).await;
    for number in 0..count {
        let bot = bot(store, &format!("bot{number}")).await;
        let joined = store
            .join_contest(contest.id, bot.id, (64, 1), arena(1))
            .await;
        assert_eq!(joined.expect("it may join").bot, bot.id);
    }
    let entries = store.contest_entries(contest.id).await.expect("entries");
    (contest, entries)
}

async fn new_contest_match(store: &Store, pair: [&ContestEntry; 2]) -> NewContestMatch {
    let entrant = async |entry: &ContestEntry| ok!(store.bot_entrant(entry.bot));
    let (a, b) = (entrant(pair[0]).await, entrant(pair[1]).await);
    NewContestMatch {
        stage: 0,
        place: "r1.0".to_owned(),
        number: 0,
        attempt: 0,
        pair: pair.map(|entry| entry.id),
        new: new_match(a, b, MatchKind::Contest),
    }
}

/// A contest of two bots that is over, with so many matches that the first of them won.
pub async fn play_contest(store: &Store, matches: i32) -> (ContestId, Vec<MatchId>) {
    let (contest, entries) = with_entries(store, "played", 2).await;
    let id = contest.id;
    ok!(store.freeze_contest(id, &freeze_rules(2, 1), at(5)));
    let seeds: Vec<EntryId> = entries.iter().map(|entry| entry.id).collect();
    ok!(store.begin_stage(id, 0, &seeds, at(6)));
    let mut ids = Vec::new();
    for number in 0..matches {
        let new = NewContestMatch {
            number,
            ..new_contest_match(store, [&entries[0], &entries[1]]).await
        };
        ok!(store.queue_contest_matches(id, vec![new], at(7)));
        let taken = acquire(store, 8).await.expect("a job");
        ok!(store.finish_match(&taken.lease, result(MatchWinner::A), at(9)));
        ids.push(played(&taken).id);
    }
    ok!(store.finish_contest(id, &[], at(10)));
    (id, ids)
}

/// A contest in progress with one match that is over.
async fn who_sees_a_contest_and_its_matches(store: &Store, contest: &Contest, of: MatchId) {
    let listed = async |now: i64| {
        let filter = MatchFilter {
            seen_at: Some(at(now)),
            ..MatchFilter::default()
        };
        let page = store.list_matches(&filter, &PageQuery::first_page(9)).await;
        let page = page.expect("a page");
        page.items.iter().any(|row| row.id == of)
    };
    for (private, results_from, seen) in [
        (false, Some(at(0)), [true, true]),
        (false, Some(at(20)), [false, true]),
        (false, None, [false, false]),
        (true, Some(at(0)), [false, false]),
    ] {
        let privacy = ContestPrivacy {
            private,
            results_from,
        };
        ok!(store.set_contest_privacy(contest.id, privacy));
        let now = store.contest_by_id(contest.id).await.expect("a contest");
        assert_eq!(now.privacy(), privacy);
        for (second, seen) in [19, 20].into_iter().zip(seen) {
            assert_eq!(listed(second).await, seen, "{privacy:?} at {second}");
            assert_eq!(now.hides_matches(at(second)), !seen, "{privacy:?}");
        }
        let all = PageQuery::first_page(9);
        for (known, expected) in [(vec![], !private), (vec![contest.id], true)] {
            let page = store.list_contests(&known, &all).await.expect("a page");
            assert_eq!(page.items.iter().any(|row| row.id == contest.id), expected);
        }
        let private_ones = store.private_contests().await.expect("an answer");
        assert_eq!(private_ones.len(), usize::from(private));
        let dateless = store.contests_without_date().await.expect("an answer");
        assert_eq!(dateless.len(), usize::from(results_from.is_none()));
    }
    let public = ContestPrivacy::PUBLIC;
    ok!(store.set_contest_privacy(contest.id, public));
    // Built-in bots have no people.
    let ada = user(store, "ada").await;
    let plays = store.plays_in_contest(contest.id, ada.id).await;
    assert!(!plays.expect("an answer"));
}

pub async fn every_step_of_a_contest_happens_once(store: Store) {
    let (contest, entries) = with_entries(&store, "spring", 3).await;
    assert_eq!(contest.seed.get(), u64::MAX);
    let again = new_contest("spring", &[]);
    let again = store.create_contest(again, arena(1)).await;
    assert!(matches!(again, Err(StoreError::Taken { .. })), "{again:?}");
    let id = contest.id;
    fails!(store.join_contest(id, entries[0].bot, (64, 1), arena(1)) => Refused(_));
    let late = bot(&store, "late").await;
    // It is full.
    fails!(store.join_contest(id, late.id, (3, 1), arena(1)) => Refused(_));
    for _ in 0..2 {
        let state = ok!(store.freeze_contest(id, &freeze_rules(2, 1), at(5)));
        assert_eq!(state, ContestState::Running);
    }
    fails!(store.join_contest(id, late.id, (64, 1), arena(6)) => Refused(_));
    let entries = store.contest_entries(id).await.expect("entries");
    assert!(entries.iter().all(|entry| entry.version.is_some()));
    let seeds: Vec<EntryId> = entries.iter().rev().map(|entry| entry.id).collect();
    for expected in [true, false] {
        gives!(store.begin_stage(id, 0, &seeds, at(6)) => expected);
    }
    let stages = store.contest_stages(id).await.expect("stages");
    assert_eq!(stages[0].seeded_entries(), seeds);
    for expected in [1, 0] {
        let new = new_contest_match(&store, [&entries[0], &entries[1]]).await;
        gives!(store.queue_contest_matches(id, vec![new], at(7)) => expected);
    }
    let taken = acquire(&store, 8).await.expect("a job");
    let of = played(&taken).id;
    let finish = store
        .finish_match(&taken.lease, result(MatchWinner::B), at(9))
        .await;
    assert!(
        matches!(finish, Ok(RecordOutcome::Recorded { change: None })),
        "contests are not rated: {finish:?}"
    );
    let all = store.contest_matches(id, Some(0)).await.expect("matches");
    let row = (all[0].match_id, all[0].state, all[0].winner);
    assert_eq!(row, (of, MatchState::Finished, Some(MatchWinner::B)));
    let found = store.contests_of_matches(&[of, MatchId(999)]).await;
    assert_eq!(found.expect("an answer")[0].1.name, "spring");
    who_sees_a_contest_and_its_matches(&store, &contest, of).await;
    for expected in [true, false] {
        assert_eq!(ok!(store.finish_contest(id, &[], at(10))), expected);
    }
    fails!(store.annul_contest(id, "late".to_owned(), arena(11)) => Refused(_));
    assert_eq!(store.unfinished_contests().await.expect("a list"), []);
    let log = ok!(store.list_audit(&PageQuery::first_page(100)));
    let actions: Vec<&str> = log
        .items
        .iter()
        .rev()
        .map(|line| line.action.as_str())
        .collect();
    let joins = ["contest.join"; 3];
    let expected = [
        &["contest.publish"],
        &joins[..],
        &["contest.freeze", "contest.finish"],
    ];
    assert_eq!(actions, expected.concat());
}

pub async fn entries_leave_and_their_matches_end(store: Store) {
    let (contest, entries) = with_entries(&store, "spring", 3).await;
    let id = contest.id;
    let withdrawn = || (EntryLeft::Withdrawn, None);
    ok!(store.leave_contest(id, entries[2].id, withdrawn(), arena(2)));
    ok!(store.join_contest(id, entries[2].bot, (64, 1), arena(3)));
    ok!(store.freeze_contest(id, &freeze_rules(2, 1), at(5)));
    let seeds: Vec<EntryId> = entries.iter().map(|entry| entry.id).collect();
    ok!(store.begin_stage(id, 0, &seeds, at(6)));
    let new = new_contest_match(&store, [&entries[0], &entries[1]]).await;
    ok!(store.queue_contest_matches(id, vec![new], at(7)));
    let why = (EntryLeft::Disqualified, Some("a copy".to_owned()));
    ok!(store.leave_contest(id, entries[1].id, why, arena(8)));
    fails!(store.leave_contest(id, entries[1].id, withdrawn(), arena(9)) => Refused(_));
    assert!(
        acquire(&store, 9).await.is_none(),
        "its match was cancelled"
    );
    let all = store.contest_matches(id, None).await.expect("matches");
    assert_eq!(all[0].state, MatchState::Cancelled);
    let new = new_contest_match(&store, [&entries[1], &entries[2]]).await;
    gives!(store.queue_contest_matches(id, vec![new], at(10)) => 0, "it plays no more");
    ok!(store.set_contest_paused(id, true, arena(11)));
    let new = new_contest_match(&store, [&entries[0], &entries[2]]).await;
    gives!(store.queue_contest_matches(id, vec![new.clone()], at(12)) => 0, "it is paused");
    ok!(store.set_contest_paused(id, false, arena(13)));
    gives!(store.queue_contest_matches(id, vec![new], at(14)) => 1);
    let over = ok!(store.annul_contest(id, "no power".to_owned(), arena(15)));
    fields!(over, {state: ContestState::Annulled, note.as_deref(): Some("no power")});
    assert!(
        acquire(&store, 16).await.is_none(),
        "nothing is played any more"
    );
}

pub async fn a_contest_with_too_few_entrants_is_annulled(store: Store) {
    let (contest, _) = with_entries(&store, "spring", 1).await;
    let state = ok!(store.freeze_contest(contest.id, &freeze_rules(2, 1), at(5)));
    assert_eq!(state, ContestState::Annulled);
    let over = store.contest_by_name("spring").await.expect("it is there");
    let why = "entrants at the freeze: 1; the contest needs 2";
    assert_eq!((over.note.as_deref(), over.ended), (Some(why), Some(at(5))));
}

pub async fn organisers_take_results_and_files_back(store: Store) {
    let (contest, _) = with_entries(&store, "spring", 2).await;
    let id = contest.id;
    let why = || "a disk was full".to_owned();
    ok!(store.freeze_contest(id, &freeze_rules(2, 1), at(5)));
    let entries = store.contest_entries(id).await.expect("entries");
    let seeds: Vec<EntryId> = entries.iter().map(|entry| entry.id).collect();
    ok!(store.begin_stage(id, 0, &seeds, at(6)));
    let new = new_contest_match(&store, [&entries[0], &entries[1]]).await;
    ok!(store.queue_contest_matches(id, vec![new], at(7)));
    let taken = acquire(&store, 8).await.expect("a job");
    let of = played(&taken).id;
    // A match that runs: its worker's result is not taken any more.
    fails!(store.take_back_match(id, MatchId(999), why(), arena(9)) => Missing { .. });
    ok!(store.take_back_match(id, of, why(), arena(9)));
    let finish = store.finish_match(&taken.lease, result(MatchWinner::B), at(9));
    let finish = finish.await;
    assert!(
        !matches!(finish, Ok(RecordOutcome::Recorded { .. })),
        "{finish:?}"
    );
    let rows = store.contest_matches(id, Some(0)).await.expect("matches");
    let row = (rows[0].state, rows[0].taken_back);
    assert_eq!(row, (MatchState::Cancelled, Some(at(9))));
    fails!(store.take_back_match(id, of, why(), arena(9)) => Refused(_));

    // The file: only as the organiser saw the contest.
    let seen = store.contest_by_name("spring").await.expect("it is there");
    let file = || "id = \"y\"".to_owned();
    let detail = serde_json::json!({});
    for (seen, begun) in [(&contest, 1), (&seen, 0)] {
        let stale = store.update_contest_file(
            seen,
            begun,
            (file(), ContestPrivacy::PUBLIC, &[], Vec::new()),
            detail.clone(),
            arena(10),
        );
        fails!(stale => Refused(_));
    }
    let updated = store.update_contest_file(
        &seen,
        1,
        (file(), ContestPrivacy::PUBLIC, &[], Vec::new()),
        detail,
        arena(10),
    );
    assert_eq!(updated.await.expect("it is as it was").file, file());

    ok!(store.begin_stage(id, 1, &seeds, at(11)));
    // A stage that others were seeded from stays, and one that has not begun is none.
    for stage in [0, 2] {
        let refused = store.take_back_stage(id, stage, why(), arena(12)).await;
        fails!(refused, Refused(_));
    }
    assert!(ok!(store.finish_contest(id, &[], at(13))));
    gives!(store.take_back_stage(id, 1, why(), arena(14)) => 0);
    let reopened = store.contest_by_name("spring").await.expect("it is there");
    fields!(reopened, {state: ContestState::Running, ended: None});
    let stages = store.contest_stages(id).await.expect("stages");
    assert_eq!(stages.len(), 1);
    let changes = store.contest_changes(&reopened).await.expect("the log");
    let actions: Vec<&str> = changes.iter().map(|line| line.action.as_str()).collect();
    let expected = "take-back-stage finish update replay-match freeze publish";
    let expected = expected
        .split(' ')
        .map(|action| format!("contest.{action}"));
    assert_eq!(actions, expected.collect::<Vec<_>>());
}

pub async fn everybody_plays_for_one_entrant(store: Store) {
    let contest = publish(&store, "spring").await;
    let id = contest.id;
    let (ann, bob) = (user(&store, "ann").await, user(&store, "bob").await);
    let own = async |owner: &User, name: &str| {
        let new = new_bot("kob", name, owner.id);
        store.create_bot(new, at(1)).await.expect("free")
    };
    let (red_bot, ann_bot, bob_bot) = (
        own(&ann, "red-bot").await,
        own(&ann, "ann-bot").await,
        own(&bob, "bob-bot").await,
    );
    let new = new_team("red", None);
    let red = store.create_team(new, ann.id, at(1)).await.expect("made");
    ok!(store.set_bot_team(red_bot.id, Some(red.id), ann.id, &Quota::UNLIMITED, at(1)));
    let join = async |bot: &Bot, size: u32| {
        let joined = store.join_contest(id, bot.id, (64, size), arena(2)).await;
        joined.map_err(|error| error.to_string())
    };
    join(&bob_bot, 2).await.expect("nobody else's");
    join(&red_bot, 1).await.expect("a team of one");
    let twice = join(&ann_bot, 2).await.expect_err("she plays for red");
    says(&twice, &["ann is in contest spring with red-bot"]);
    ok!(store.join_team(&red.code, bob.id, at(3)));
    let teams = store.teams_of_bots(&[red_bot.id, bob_bot.id]).await;
    let teams = teams.expect("an answer");
    assert_eq!((teams.len(), teams[&red_bot.id].1.as_str()), (1, "red"));
    // Neither bot has a version; the first reason counts.
    let state = ok!(store.freeze_contest(id, &freeze_rules(2, 2), at(5)));
    assert_eq!(state, ContestState::Annulled);
}

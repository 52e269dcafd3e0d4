//! Experiments and the lanes of candidates.

use leitai_store::*;
use serde_json::json;

use crate::arena::{acquire, at, deletion_by, new_match, played, ready, result, source, user};
use crate::seen::says_but_not;

/// A bot of somebody with this many versions that are ready; the first one plays.
async fn own_bot(store: &Store, owner: &User, versions: usize) -> (Bot, Vec<Version>) {
    let new = NewBot {
        game: "kob".to_owned(),
        name: format!("{}-bot", owner.name),
        owner: owner.id,
        about: String::new(),
    };
    let bot = store.create_bot(new, at(0)).await.expect("a bot");
    let mut made = Vec::new();
    for number in 0..versions {
        made.push(upload(store, &bot, number == 0).await);
    }
    (store.find_bot(bot.id).await.expect("the bot"), made)
}

/// Uploads a version that passes its checks.
async fn upload(store: &Store, bot: &Bot, activates: bool) -> Version {
    let version = source(store, bot, activates).await;
    let job = acquire(store, 2).await.expect("its job");
    ok!(store.finish_version(&job.lease, ready(), at(3)));
    store.find_version(version.id).await.expect("the version")
}

fn test_of(owner: &User, bot: &Bot, [new, base]: [&Version; 2], promotes: bool) -> NewExperiment {
    NewExperiment {
        owner: owner.id,
        game: bot.game.clone(),
        tested: (new.bot, new.id),
        base: (base.bot, base.id),
        promotes,
        config: Json::Null,
        seed: MatchSeed::from(7),
        bounds: TestBounds::CANDIDATE,
        variants: Vec::new(),
        pool: Vec::new(),
        settings: [None, None],
        book: None,
        benchmark: None,
    }
}

async fn start(store: &Store, new: NewExperiment) -> Experiment {
    let made = store.create_experiment(new, 2, at(5)).await;
    made.expect("it answers").expect("there is room")
}

/// Creates the match of a place.
async fn add(store: &Store, own: &Experiment, pair: i32, part: i32) -> Option<Match> {
    let a = store.entrant_of_version(own.version).await.expect("a");
    let b = store.entrant_of_version(own.base_version).await.expect("b");
    let new = new_match(a, b, MatchKind::Experiment);
    let place = PairPlace { pair, part };
    let added = store.add_experiment_match(own.id, place, new, at(6)).await;
    added.expect("it answers")
}

async fn active(store: &Store, bot: &Bot) -> Option<VersionId> {
    store.find_bot(bot.id).await.expect("the bot").active
}

pub async fn a_place_has_one_match_and_a_record(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, versions) = own_bot(&store, &ada, 2).await;
    let new = || test_of(&ada, &bot, [&versions[1], &versions[0]], false);
    let own = start(&store, new()).await;
    start(&store, new()).await;
    gives!(store.create_experiment(new(), 2, at(5)) => Err(Unstarted::Running(2)));
    // Two servers that believe to lead at the same time.
    let both = tokio::join!(add(&store, &own, 0, 0), add(&store, &own, 0, 0));
    let made: Vec<Match> = [both.0, both.1].into_iter().flatten().collect();
    assert_eq!(made.len(), 1, "{made:?}");
    add(&store, &own, 0, 1).await.expect("another part");
    let job = acquire(&store, 7).await.expect("a job");
    let record = Some(json!({"winner": "a"}));
    let mut won = result(MatchWinner::A);
    won.record = record.clone();
    ok!(store.finish_match(&job.lease, won, at(8)));
    let rows = store.experiment_matches(own.id, 0).await.expect("listed");
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!((rows[0].id, &rows[0].record), (played(&job).id, &record));
    assert_eq!(rows[0].state, MatchState::Finished);
    // The end cancels what is open, and happens once.
    let end = || store.end_experiment(own.id, ExperimentState::Cancelled, None, at(9));
    assert!(end().await.expect("ended").is_some());
    assert!(end().await.expect("it answers").is_none());
    assert!(add(&store, &own, 1, 0).await.is_none(), "it is over");
    let rows = store.experiment_matches(own.id, 0).await.expect("listed");
    assert_eq!(rows[1].state, MatchState::Cancelled);
    let page = PageQuery::first_page(1);
    let listed = store.list_experiments(&[bot.id], &page).await;
    let listed = listed.expect("listed");
    assert!(
        listed.items[0].id > own.id && listed.next.is_some(),
        "{listed:?}"
    );
}

pub async fn a_benchmark_keeps_what_the_server_notes_and_ends_once(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, versions) = own_bot(&store, &ada, 2).await;
    let begun = serde_json::json!({"scale": "kob-1", "nonce": "00"});
    let new = NewExperiment {
        pool: vec![versions[0].id],
        benchmark: Some(begun.clone()),
        ..test_of(&ada, &bot, [&versions[1], &versions[0]], false)
    };
    let own = start(&store, new).await;
    assert_eq!(own.benchmark, Some(begun));
    let measured = serde_json::json!({"scale": "kob-1", "result": {"rating": 1234.567891}});
    let end = || store.end_benchmark(own.id, measured.clone(), at(9));
    let ended = end().await.expect("it answers").expect("it ran");
    assert_eq!(store.find_experiment(own.id).await.expect("it"), ended);
    fields!(ended, {state: ExperimentState::Measured, benchmark: Some(measured.clone())});
    assert!(end().await.expect("it answers").is_none());
    gives!(store.count_running_experiments(ada.id) => 0);
}

pub async fn variants_are_one_experiment_and_end_with_the_first_accepted(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, versions) = own_bot(&store, &ada, 4).await;
    let new = NewExperiment {
        variants: vec![versions[2].id, versions[3].id],
        pool: vec![versions[0].id],
        ..test_of(&ada, &bot, [&versions[1], &versions[0]], true)
    };
    let first = start(&store, new).await;
    let family = async || store.family_of(&first).await.expect("listed");
    let all = family().await;
    let tested: Vec<VersionId> = all.iter().map(|one| one.version).collect();
    let named: Vec<VersionId> = versions[1..].iter().map(|one| one.id).collect();
    assert_eq!((&all[0], tested), (&first, named));
    for one in &all {
        // Each has its part of the chance that any is accepted wrongly.
        assert!((one.alpha - TestBounds::CANDIDATE.alpha / 3.0).abs() < 1e-12);
        assert_eq!(one.pool_versions(), [versions[0].id]);
    }
    gives!(store.count_running_experiments(ada.id) => 1);
    let end = async |at: usize, state| {
        let ended = store.end_experiment(all[at].id, state, None, self::at(9));
        ended.await.expect("it answers").expect("it ran")
    };
    end(0, ExperimentState::Rejected).await;
    gives!(store.count_running_experiments(ada.id) => 1, "two go on");
    end(2, ExperimentState::Accepted).await;
    let states: Vec<_> = family().await.iter().map(|one| one.state).collect();
    let expected = [
        ExperimentState::Rejected,
        ExperimentState::Cancelled,
        ExperimentState::Accepted,
    ];
    assert_eq!(states, expected);
    assert!(
        family().await[1]
            .note
            .as_ref()
            .is_some_and(|why| why.contains("accepted first"))
    );
    assert_eq!(active(&store, &bot).await, Some(versions[3].id));
}

pub async fn an_accepted_candidate_plays_and_a_late_one_does_not(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, versions) = own_bot(&store, &ada, 3).await;
    let candidate = |at: usize| test_of(&ada, &bot, [&versions[at], &versions[0]], true);
    let [better, late] = [
        start(&store, candidate(1)).await,
        start(&store, candidate(2)).await,
    ];
    let accept = |id| store.end_experiment(id, ExperimentState::Accepted, None, at(9));
    let ended = accept(better.id).await.expect("ended").expect("it ran");
    assert_eq!(
        (ended.note, active(&store, &bot).await),
        (None, Some(versions[1].id))
    );
    // It was tested against a version that plays no more.
    let ended = accept(late.id).await.expect("ended").expect("it ran");
    assert!(
        ended
            .note
            .is_some_and(|why| why.contains("another version"))
    );
    assert_eq!(active(&store, &bot).await, Some(versions[1].id));
    // Their people are told of both.
    store.read_events().await.expect("read");
    let told = store.notifications_of(ada.id).await.expect("listed");
    let told: Vec<_> = told
        .iter()
        .map(|one| (one.kind, one.experiment, one.version))
        .collect();
    let expected = [
        (NotificationKind::CandidateRefused, Some(late.id), Some(3)),
        (
            NotificationKind::CandidatePromoted,
            Some(better.id),
            Some(2),
        ),
    ];
    assert_eq!(told, expected);
}

/// A version that passes its checks and answers this in situations.
async fn upload_with(store: &Store, bot: &Bot, answered: Json) -> Version {
    let version = source(store, bot, false).await;
    finish_check(store, answered, 3).await;
    store.find_version(version.id).await.expect("the version")
}

/// Finishes the check that is queued, with these answers.
async fn finish_check(store: &Store, answered: Json, seconds: i64) {
    let job = acquire(store, 2).await.expect("its job");
    let mut outcome = ready();
    if let VersionOutcome::Ready { report, .. } = &mut outcome {
        *report = json!({"passed": true, "situations": answered});
    }
    ok!(store.finish_version(&job.lease, outcome.clone(), at(seconds)));
    // Who was killed and comes again changes nothing.
    if let VersionOutcome::Ready { report, .. } = &mut outcome {
        *report = json!({"situations": {"game": [{"verdict": "failed"}]}});
    }
    let again = store.finish_version(&job.lease, outcome, at(seconds + 1));
    assert_eq!(again.await.expect("asked"), RecordOutcome::AlreadyFinished);
}

fn new_pack(contest: Option<ContestId>, hidden_until: Option<Timestamp>) -> NewPack {
    NewPack {
        game: "kob".to_owned(),
        contest,
        name: json!({"en": "Walls", "zh": "墙"}),
        moments: 1,
        content: "a pack".to_owned(),
        hidden_until,
    }
}

pub async fn situations_refuse_a_candidate_as_its_author_says(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, versions) = own_bot(&store, &ada, 1).await;
    let add = |hidden| store.add_pack(new_pack(None, hidden), ada.id, at(1));
    let open = add(None).await.expect("added");
    let hidden = add(Some(at(50))).await.expect("added");
    let verdict = |text: &str| json!([{"verdict": text, "match": 5, "leg": 1, "round": 3}]);
    let (open, hidden) = (open.id.to_string(), hidden.id.to_string());
    let mistake = Some("makes the pinned mistake of match 5, leg 1, round 3 again");
    let rows = [
        ("pins", "gone", Refusing::Packs, None),
        ("pins", "unknown", Refusing::Packs, None),
        ("pins", "still-made", Refusing::Pins, mistake),
        ("pins", "still-made", Refusing::Packs, mistake),
        (
            "pins",
            "failed",
            Refusing::Pins,
            Some("gives no valid answer"),
        ),
        ("pins", "still-made", Refusing::Nothing, None),
        ("game", "failed", Refusing::Pins, None),
        (
            "game",
            "failed",
            Refusing::Packs,
            Some("fails 1 of 1 situations"),
        ),
        (
            &open,
            "still-made",
            Refusing::Packs,
            Some("fails 1 of 1 situations"),
        ),
        (&hidden, "still-made", Refusing::Packs, None),
    ];
    for (source, answer, refuses, expected) in rows {
        let rules = LaneRules {
            refuses,
            ..LaneRules::OFF
        };
        ok!(store.set_candidate_lane(bot.id, rules, Timestamp::now()));
        let tested = upload_with(&store, &bot, json!({source: verdict(answer)})).await;
        let answers = store.situation_answers(tested.id).await.expect("listed");
        assert_eq!(answers.len(), 1, "once: {answers:?}");
        says_but_not(
            &tested.report.expect("a report").to_string(),
            &[],
            &["situations"],
        );
        let own = start(
            &store,
            test_of(&ada, &bot, [&versions[0], &versions[0]], true),
        )
        .await;
        let own = Experiment {
            version: tested.id,
            ..own
        };
        let stand = store.candidate_stand(&own, at(9)).await.expect("asked");
        let why = match &stand {
            CandidateStand::Refused(why) => Some(why.as_str()),
            _ => None,
        };
        let is_so = match expected {
            Some(part) => why.is_some_and(|why| why.contains(part)),
            None => stand == CandidateStand::Passed,
        };
        assert!(is_so, "{source} {answer} {refuses:?}: {stand:?}");
        ok!(store.end_experiment(own.id, ExperimentState::Cancelled, None, at(9)));
    }
}

pub async fn a_moment_that_was_pinned_later_is_asked_once(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, versions) = own_bot(&store, &ada, 1).await;
    let tested = upload_with(&store, &bot, json!({})).await;
    let pin = async |round: i32| {
        let new = NewPin {
            bot: bot.id,
            match_id: MatchId(5),
            moment: (1, round),
            entrant: 1,
            played: json!(["left"]),
            why: "a wall".to_owned(),
        };
        store.add_pin(new, at(4)).await
    };
    let first = pin(3).await.expect("pinned");
    assert_eq!(pin(3).await.expect("known").id, first.id);
    let own = start(&store, test_of(&ada, &bot, [&tested, &versions[0]], true)).await;
    let stand = async || store.candidate_stand(&own, at(6)).await.expect("asked");
    for _ in 0..2 {
        assert_eq!(stand().await, CandidateStand::Asking);
    }
    // Even if nothing came of it, as from a worker of before.
    finish_check(&store, json!({}), 7).await;
    assert_eq!(stand().await, CandidateStand::Passed);
    assert!(acquire(&store, 8).await.is_none(), "one check");
    assert_eq!(
        active(&store, &bot).await,
        Some(versions[0].id),
        "as before"
    );
    let other = pin(4).await.expect("pinned");
    assert!(store.remove_pin(bot.id, other.id).await.expect("asked"));
    assert!(!store.remove_pin(bot.id, other.id).await.expect("asked"));
    for round in 0..MOST_PINS as i32 - 1 {
        pin(100 + round).await.expect("pinned");
    }
    assert!(matches!(pin(99).await, Err(StoreError::Refused(_))));
}

pub async fn packs_are_asked_of_those_whom_they_concern(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, _) = own_bot(&store, &ada, 1).await;
    let contest = crate::contests::publish(&store, "cup").await;
    let of_contest = store.add_pack(new_pack(Some(contest.id), None), ada.id, at(1));
    let of_contest = of_contest.await.expect("added");
    let of_game = store.add_pack(new_pack(None, None), ada.id, at(1));
    let of_game = of_game.await.expect("added");
    let asked = async || {
        let packs = store.packs_for(&bot).await.expect("listed");
        packs.into_iter().map(|pack| pack.id).collect::<Vec<_>>()
    };
    assert_eq!(asked().await, [of_game.id]);
    ok!(store.join_contest(contest.id, bot.id, (64, 1), crate::contests::arena(1)));
    assert_eq!(asked().await, [of_contest.id, of_game.id]);
    for _ in 1..MOST_PACKS {
        ok!(store.add_pack(new_pack(None, None), ada.id, at(1)));
    }
    let more = store.add_pack(new_pack(None, None), ada.id, at(1)).await;
    assert!(matches!(more, Err(StoreError::Refused(_))));
    // What was answered goes with the pack, and with the version.
    let source = of_contest.id.to_string();
    let version = upload_with(&store, &bot, json!({source: [], "game": []})).await;
    let kept = async || ok!(store.situation_answers(version.id)).len();
    assert_eq!(kept().await, 2);
    ok!(store.remove_pack(of_contest.id, ada.id, at(6)));
    assert_eq!(
        (asked().await.contains(&of_contest.id), kept().await),
        (false, 1)
    );
    let deletion = deletion_by(Some(ada.id), at(20));
    store.delete_bot(bot.id, deletion).await.expect("deleted");
    assert_eq!(kept().await, 0);
}

pub async fn a_book_stays_while_a_row_names_it(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, versions) = own_bot(&store, &ada, 2).await;
    let book = |hash: &str| StoredBook {
        hash: hash.to_owned(),
        positions: 3,
    };
    let removed = async || {
        let mut keys = store.claim_discards(at(99)).await.expect("claimed");
        keys.sort();
        store.forget_discards(&keys).await.expect("forgotten");
        keys.retain(|key| key.starts_with("sources/books/"));
        keys
    };
    for hash in ["aa", "bb", "cc"] {
        let key = BlobKey::of_book(hash);
        ok!(store.schedule_removal(&key, at(50)));
    }
    let new = NewExperiment {
        book: Some(book("aa")),
        ..test_of(&ada, &bot, [&versions[1], &versions[0]], false)
    };
    let own = start(&store, new).await;
    assert_eq!(own.own_book(), Some(book("aa")));
    let set = async |own: Option<StoredBook>| {
        let rules = LaneRules {
            lane: CandidateLane::Automatic,
            book: own,
            ..LaneRules::OFF
        };
        ok!(store.set_candidate_lane(bot.id, rules, at(9)));
    };
    set(Some(book("bb"))).await;
    assert_eq!(removed().await, ["sources/books/cc"], "nobody named it");
    // An upload is tested from the positions of its lane, which may leave the book.
    upload(&store, &bot, true).await;
    let running = store.running_experiments().await.expect("listed");
    let candidate = running.last().expect("the candidate's");
    assert_eq!(candidate.own_book(), Some(book("bb")));
    set(Some(book("aa"))).await;
    set(None).await;
    assert_eq!(removed().await, [""; 0], "experiments name both");
    let deletion = deletion_by(Some(ada.id), at(20));
    store.delete_bot(bot.id, deletion).await.expect("deleted");
    assert_eq!(removed().await, ["sources/books/aa", "sources/books/bb"]);
}

pub async fn uploads_take_the_lane_of_their_bot(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, first) = own_bot(&store, &ada, 1).await;
    let set = async |lane| {
        let rules = LaneRules {
            lane,
            neighbours: 3,
            refuses: Refusing::Nothing,
            ..LaneRules::OFF
        };
        ok!(store.set_candidate_lane(bot.id, rules.clone(), Timestamp::now()));
        assert_eq!(store.candidate_lane(bot.id).await.expect("asked"), rules);
    };
    let running = async || store.running_experiments().await.expect("listed");
    let neighbour = own_bot(&store, &user(&store, "bea").await, 1).await;
    let off = store.candidate_lane(bot.id).await.expect("asked");
    assert_eq!(off, LaneRules::OFF, "as before");
    let second = upload(&store, &bot, true).await;
    assert_eq!(active(&store, &bot).await, Some(second.id));
    set(CandidateLane::Hand).await;
    upload(&store, &bot, true).await;
    assert_eq!(active(&store, &bot).await, Some(second.id));
    assert!(running().await.is_empty());
    set(CandidateLane::Automatic).await;
    let third = upload(&store, &bot, true).await;
    let [own] = &running().await[..] else {
        panic!("one candidate")
    };
    assert_eq!((own.version, own.base_version), (third.id, second.id));
    assert_eq!(own.pool_versions(), [neighbour.1[0].id]);
    assert!(own.promotes && own.most_pairs == TestBounds::CANDIDATE.most_pairs);
    // What its author does not want to play is no candidate.
    upload(&store, &bot, false).await;
    assert_eq!(running().await.len(), 1);
    let fourth = upload(&store, &bot, true).await;
    let [newer] = &running().await[..] else {
        panic!("the newest one")
    };
    assert_eq!(newer.version, fourth.id);
    let older = store.find_experiment(own.id).await.expect("it stays");
    assert_eq!(older.state, ExperimentState::Cancelled);
    assert_eq!(active(&store, &bot).await, Some(second.id));
    assert_ne!(first[0].id, second.id);
}

pub async fn matches_of_experiments_are_in_no_list(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, versions) = own_bot(&store, &ada, 2).await;
    let new = test_of(&ada, &bot, [&versions[1], &versions[0]], false);
    let own = start(&store, new).await;
    let made = add(&store, &own, 0, 0).await.expect("a match");
    let find = async |seen_at| {
        let filter = MatchFilter {
            bot: Some(bot.id),
            seen_at,
            ..MatchFilter::default()
        };
        let page = store
            .list_matches(&filter, &PageQuery::first_page(10))
            .await;
        page.expect("listed").items.len()
    };
    assert_eq!((find(None).await, find(Some(at(9))).await), (1, 0));
    // Played again it would be a match that everybody sees.
    ok!(store.cancel_match(made.id, "over", at(7)));
    let again = store.rerun_match(made.id, at(8)).await;
    assert!(
        matches!(&again, Err(StoreError::Refused(why)) if why.contains("belongs to an experiment")),
        "{again:?}"
    );
}

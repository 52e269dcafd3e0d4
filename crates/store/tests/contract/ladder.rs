use std::collections::HashMap;

use leitai_ladder::divisions::Tendency;
use leitai_ladder::weng_lin::{Rating, place_intervals};
use leitai_store::*;
use tokio::sync::OnceCell;

use crate::arena::*;
use crate::contests::{arena, freeze_rules, publish};

pub async fn results_count_exactly_once_under_concurrency(store: Store) {
    let mut bots = Vec::new();
    for name in ["a", "b", "c", "d"] {
        bots.push(bot(&store, name).await);
    }
    for number in 0..60 {
        queue(
            &store,
            &bots[number % 4],
            &bots[(number + 1 + number / 4 % 3) % 4],
            MatchKind::Ladder,
        )
        .await;
    }
    let workers = (0..6).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            let mut recorded = 0;
            while let Some(acquired) = acquire(&store, 2).await {
                let winner = [MatchWinner::A, MatchWinner::B, MatchWinner::Draw]
                    [(played(&acquired).id.0 + number) as usize % 3];
                let (one, two) = tokio::join!(
                    store.finish_match(&acquired.lease, result(winner), at(3)),
                    store.finish_match(&acquired.lease, result(winner), at(3)),
                );
                for finish in [one, two] {
                    recorded += u32::from(matches!(
                        finish,
                        Ok(RecordOutcome::Recorded { change: Some(_) })
                    ));
                }
            }
            recorded
        })
    });
    let mut recorded = 0;
    for worker in workers.collect::<Vec<_>>() {
        recorded += worker.await.expect("a worker ends");
    }
    assert_eq!(recorded, 60);
    let mut games = 0;
    let mut points = 0;
    for bot in &bots {
        games += ok!(store.find_standing(bot.id, &kob()))
            .expect("listed")
            .games;
        points += ok!(store.rating_history(bot.id, &kob(), 2000)).len();
    }
    assert_eq!((games, points), (120, 120));
    assert_eq!(ratings_are_right(&store).await, 60);
}

pub async fn one_bad_result_does_not_poison_the_others(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    for _ in 0..10 {
        queue(&store, &a, &b, MatchKind::Ladder).await;
    }
    let mut leases = Vec::new();
    while let Some(acquired) = acquire(&store, 1).await {
        leases.push(acquired.lease);
    }
    leases[3].token = "forged".to_owned();
    leases[7].job = JobId(1_000_000);
    let finishing = leases.into_iter().map(|lease| {
        let store = store.clone();
        tokio::spawn(async move {
            store
                .finish_match(&lease, result(MatchWinner::A), at(2))
                .await
        })
    });
    let mut lost = Vec::new();
    for (index, finish) in finishing.collect::<Vec<_>>().into_iter().enumerate() {
        match finish.await.expect("answered").expect("no error") {
            RecordOutcome::Recorded { .. } => {}
            _ => lost.push(index),
        }
    }
    assert_eq!(lost, [3, 7]);
    assert_eq!(ratings_are_right(&store).await, 8);
}

pub async fn only_ladder_matches_are_rated(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let rows = [
        (MatchKind::Ladder, &b, true),
        (MatchKind::Friendly, &b, false),
        (MatchKind::Exhibition, &b, false),
        (MatchKind::Ladder, &a, false),
    ];
    for (kind, rival, rated) in rows {
        queue(&store, &a, rival, kind).await;
        let acquired = acquire(&store, 1).await.expect("a job");
        let finish = ok!(store.finish_match(&acquired.lease, result(MatchWinner::A), at(2)));
        let RecordOutcome::Recorded { change } = finish else {
            panic!("{finish:?}")
        };
        assert_eq!(change.is_some(), rated, "{kind:?}");
    }
    let standing = ok!(store.find_standing(a.id, &kob())).expect("listed");
    fields!(standing, {games: 1, wins: 1, faults: 0, longest_us: Some(700)});
    let (winner, _) = Rating::default().rate_game(Rating::default(), leitai_ladder::GameScore::Win);
    assert_eq!(standing.current_rating(), winner);
    let rival = ok!(store.head_to_head(b.id, &kob())).remove(0);
    fields!(rival, {rival.name.as_str(): "a",
        tally: HeadToHeadTally { wins: 0, draws: 0, losses: 1 }});
    assert_eq!(ratings_are_right(&store).await, 1);
}

pub async fn activating_raises_doubt(store: Store) {
    let ada = user(&store, "ada").await;
    let new = new_bot("kob", "viper", ada.id);
    let viper = store.create_bot(new, at(0)).await.expect("free");
    let rival = bot(&store, "random").await;
    let mut versions = Vec::new();
    for _ in 0..2 {
        versions.push(source(&store, &viper, versions.is_empty()).await.id);
        let acquired = acquire(&store, 1).await.expect("a job");
        ok!(store.finish_version(&acquired.lease, ready(), at(2)));
    }
    let half = Rating::default().doubt / 2.0;
    let mut before = ok!(store.find_standing(viper.id, &kob())).expect("listed");
    while before.doubt >= half {
        assert!(
            before.games < 200,
            "the doubt falls with every game: {before:?}"
        );
        let winner = if before.games % 2 == 0 {
            MatchWinner::A
        } else {
            MatchWinner::B
        };
        play(&store, &viper, &rival, winner).await;
        before = ok!(store.find_standing(viper.id, &kob())).expect("listed");
    }
    let games = before.games as u64;
    ok!(store.activate_version(viper.id, versions[1], at(9)));
    let after = ok!(store.find_standing(viper.id, &kob())).expect("listed");
    assert_eq!((after.skill, after.doubt), (before.skill, half));
    ok!(store.activate_version(viper.id, versions[1], at(10)));
    let points = ok!(store.rating_history(viper.id, &kob(), 2000));
    assert_eq!(
        (points.len() as u64, points[games as usize].match_id),
        (games + 1, None)
    );
    fails!(store.activate_version(rival.id, versions[1], at(9)) => Missing { .. });
    play(&store, &rival, &viper, MatchWinner::Draw).await;
    assert_eq!(ratings_are_right(&store).await, games + 1);
}

pub async fn the_ladder_is_paged_with_places(store: Store) {
    let mut bots = Vec::new();
    for number in 0..12 {
        bots.push(bot(&store, &format!("b{number:02}")).await);
    }
    for round in 0..3 {
        for pair in 0..5 {
            // The last two bots never play: both are newcomers, and newcomers have equal ranks.
            play(
                &store,
                &bots[(pair + round) % 5],
                &bots[9 - pair],
                MatchWinner::A,
            )
            .await;
        }
    }
    let (mut rows, mut ask) = (Vec::new(), PageQuery::first_page(5));
    loop {
        let page = store.list_ladder(&kob(), &ask).await.expect("asked");
        assert!(page.items.len() <= 5);
        rows.extend(page.items);
        let Some(next) = page.next else { break };
        ask = PageQuery::page_after(next, 5);
    }
    assert_eq!(rows.len(), 12);
    assert_eq!(store.ladder_size(&kob()).await.expect("asked"), 12);
    assert!(rows.is_sorted_by(|one, two| one.standing.skill >= two.standing.skill));
    let ids: std::collections::HashSet<_> = rows.iter().map(|row| row.bot.id).collect();
    assert_eq!(ids.len(), 12);
    let ratings: Vec<Rating> = rows
        .iter()
        .map(|row| row.standing.current_rating())
        .collect();
    for (row, place) in rows.iter().zip(place_intervals(&ratings, 0.95)) {
        assert_eq!(
            row.rank.map(|rank| rank as usize),
            place,
            "{}",
            row.bot.name
        );
        assert_eq!(ok!(store.rank_of(row.bot.id, &kob())), Some(row.rank));
        assert_eq!(row.standing.trend.0.len() as i64, row.standing.games);
    }
    fails!(store.list_ladder(&kob(), &PageQuery::page_after("zz", 5)) => Cursor(_));
    assert!(
        ok!(store.list_ladder(&LadderId::standard("chess"), &PageQuery::first_page(5)))
            .items
            .is_empty()
    );
}

/// A bot of somebody's whose first version is ready and active.
async fn own_bot(store: &Store, owner: UserId, name: &str) -> (Bot, Version) {
    let bot = ok!(store.create_bot(new_bot("kob", name, owner), at(0)));
    let version = next_version(store, &bot, true).await;
    (ok!(store.find_bot(bot.id)), version)
}

async fn next_version(store: &Store, bot: &Bot, activates: bool) -> Version {
    let version = source(store, bot, activates).await;
    let taken = acquire(store, 1).await.expect("its check");
    ok!(store.finish_version(&taken.lease, ready(), at(2)));
    version
}

pub async fn what_may_be_fetched_is_decided_each_time(store: Store) {
    let ada = user(&store, "ada").await;
    let (bot, first) = own_bot(&store, ada.id, "hydra").await;
    own_bot(&store, ada.id, "silent").await;
    let check = async |step: &str, active: &Version, expected: bool| {
        let page = ok!(store.list_fetchable(&kob(), &PageQuery::first_page(9)));
        let listed: Vec<VersionId> = page.items.iter().map(|own| own.version.id).collect();
        let wanted: Vec<VersionId> = expected.then_some(active.id).into_iter().collect();
        assert_eq!(listed, wanted, "{step}");
        let found = ok!(store.find_fetchable(active.id));
        assert_eq!(found.is_some(), expected, "{step}");
    };
    check("nobody agreed", &first, false).await;
    ok!(store.set_fetchable(bot.id, true));
    check("its author agreed", &first, true).await;
    let candidate = next_version(&store, &bot, false).await;
    check("beside a candidate", &first, true).await;
    assert!(ok!(store.find_fetchable(candidate.id)).is_none());
    ok!(store.activate_version(bot.id, candidate.id, at(3)));
    check("the next version plays", &candidate, true).await;
    assert!(ok!(store.find_fetchable(first.id)).is_none());
    for off in [true, false] {
        ok!(store.set_retired(bot.id, off));
        check("off the ladder", &candidate, !off).await;
    }
    for off in [true, false] {
        ok!(store.set_bot_disabled(bot.id, off));
        check("locked", &candidate, !off).await;
    }
    for off in [true, false] {
        ok!(store.set_fetchable(bot.id, !off));
        check("the agreement is taken back", &candidate, !off).await;
    }
    let contest = publish(&store, "cup").await;
    ok!(store.join_contest(contest.id, bot.id, (64, 1), arena(1)));
    check("in an open contest", &candidate, true).await;
    for private in [true, false] {
        let privacy = ContestPrivacy {
            private,
            ..ContestPrivacy::PUBLIC
        };
        ok!(store.set_contest_privacy(contest.id, privacy));
        check("in a private contest", &candidate, !private).await;
    }
    ok!(store.freeze_contest(contest.id, &freeze_rules(1, 1), at(5)));
    check("in a contest that has begun", &candidate, false).await;
    ok!(store.delete_bot(bot.id, deletion_by(Some(ada.id), at(6))));
    assert!(ok!(store.find_fetchable(candidate.id)).is_none());
}

pub async fn retired_and_disabled_bots_leave_the_ladder(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    play(&store, &a, &b, MatchWinner::A).await;
    let size = async || {
        ok!(store.list_ladder(&kob(), &PageQuery::first_page(5)))
            .items
            .len()
    };
    assert_eq!(size().await, 2);
    store.set_by_agent(a.id, true).await.expect("said");
    for (by_agent, expected) in [(Some(true), vec![a.id]), (Some(false), vec![b.id])] {
        let part = LadderPart {
            by_agent,
            ..LadderPart::default()
        };
        let ask = PageQuery::first_page(5);
        let shown = ok!(store.list_ladder_part(&kob(), part, &ask)).items;
        let shown: Vec<BotId> = shown.iter().map(|row| row.bot.id).collect();
        assert_eq!(shown, expected, "{by_agent:?}");
    }
    store.set_retired(a.id, true).await.expect("retired");
    assert_eq!((size().await, ok!(store.rank_of(a.id, &kob()))), (1, None));
    store.set_bot_disabled(a.id, true).await.expect("disabled");
    store.set_retired(a.id, false).await.expect("back");
    assert_eq!(size().await, 1);
    let active = store.find_bot(a.id).await.expect("kept").active;
    for entrant in [
        store.bot_entrant(a.id).await,
        store.entrant_of_version(active.expect("one")).await,
    ] {
        assert!(matches!(entrant, Err(StoreError::Refused(_))));
    }
    assert_eq!(ok!(store.load_pairing(&kob())).candidates.len(), 1);
    store.set_bot_disabled(a.id, false).await.expect("back");
    assert_eq!(size().await, 2);
    assert_eq!(ok!(store.rank_of(a.id, &kob())), Some([1, 2]));
    assert_eq!(ratings_are_right(&store).await, 1);
}

pub async fn pairing_knows_who_waits(store: Store) {
    let [a, b, c] = bots(&store, ["a", "b", "c"]).await;
    let new = bot(&store, "new").await;
    queue(&store, &a, &b, MatchKind::Ladder).await;
    queue(&store, &b, &c, MatchKind::Ladder).await;
    queue(&store, &a, &c, MatchKind::Friendly).await;
    let pairing = store.load_pairing(&kob()).await.expect("asked");
    let waited: HashMap<BotId, u64> = pairing
        .candidates
        .iter()
        .map(|one| (one.bot, one.waited))
        .collect();
    assert_eq!(
        [a.id, b.id, c.id, new.id].map(|id| waited[&id]),
        [1, 0, 0, u64::MAX]
    );
    assert_eq!(
        pairing.met,
        HashMap::from([((a.id, b.id), 1), ((b.id, c.id), 1)])
    );
    assert_eq!(pairing.open, 2);
    assert_eq!(Some(pairing.candidates[0].version), a.active);
}

pub async fn a_broken_ladder_is_rebuilt(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    for winner in [
        MatchWinner::A,
        MatchWinner::Draw,
        MatchWinner::B,
        MatchWinner::A,
    ] {
        play(&store, &a, &b, winner).await;
    }
    let before = ok!(store.find_standing(a.id, &kob())).expect("listed");
    store.break_ladder_for_tests().await.expect("broken");
    let rebuilt = store.rebuild_ladder(&kob()).await.expect("rebuilt");
    assert_eq!((rebuilt.matches, rebuilt.changed), (4, 2));
    let standing = store.find_standing(a.id, &kob()).await.expect("asked");
    let standing = standing.expect("listed");
    assert!(
        standing.turn > before.turn,
        "other servers see that it has changed"
    );
    let turn = before.turn;
    assert_eq!(Standing { turn, ..standing }, before);
    let tally = store.head_to_head(a.id, &kob()).await.expect("asked")[0].tally;
    assert_eq!(
        tally,
        HeadToHeadTally {
            wins: 2,
            draws: 1,
            losses: 1
        }
    );
}

pub async fn uploads_at_the_same_time_get_numbers_of_their_own(store: Store) {
    let ada = user(&store, "ada").await;
    let new = new_bot("kob", "viper", ada.id);
    let viper = store.create_bot(new, at(0)).await.expect("free");
    let uploads = (0..8).map(|_| {
        let (store, viper) = (store.clone(), viper.clone());
        tokio::spawn(async move { source(&store, &viper, true).await.number })
    });
    let mut numbers = Vec::new();
    for upload in uploads.collect::<Vec<_>>() {
        numbers.push(upload.await.expect("kept"));
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (1..=8).collect::<Vec<_>>());
}

/// A course of matches: who plays whom, and who wins. `None`: the second version of `a` becomes
/// active.
const COURSE: [Option<(usize, usize, MatchWinner)>; 9] = [
    Some((0, 1, MatchWinner::A)),
    Some((1, 2, MatchWinner::B)),
    Some((0, 2, MatchWinner::A)),
    None,
    Some((2, 0, MatchWinner::Draw)),
    Some((1, 0, MatchWinner::A)),
    None,
    Some((1, 2, MatchWinner::A)),
    Some((0, 1, MatchWinner::B)),
];

/// Plays a course in which the match at an index ends differently or is not played.
async fn play_course(
    store: &Store,
    other: Option<(usize, Option<MatchWinner>)>,
) -> (Vec<Bot>, Vec<Match>) {
    let ada = user(store, "ada").await;
    let new = new_bot("kob", "a", ada.id);
    let bots = [
        ok!(store.create_bot(new, at(0))),
        bot(store, "b").await,
        bot(store, "c").await,
    ];
    let mut versions = Vec::new();
    for _ in 0..2 {
        versions.push(source(store, &bots[0], versions.is_empty()).await.id);
        let acquired = acquire(store, 1).await.expect("a job");
        ok!(store.finish_version(&acquired.lease, ready(), at(2)));
    }
    let mut played = Vec::new();
    // The rating is certain enough that a new version makes it less certain.
    let mut rounds = [40, 10].into_iter();
    for (index, step) in COURSE.into_iter().enumerate() {
        let told = other.filter(|(told, _)| *told == index);
        match (step, told) {
            (None, _) => {
                for _ in 0..rounds.next().expect("as many as new versions") {
                    play(store, &bots[0], &bots[1], MatchWinner::A).await;
                    play(store, &bots[0], &bots[2], MatchWinner::B).await;
                }
                versions.reverse();
                ok!(store.activate_version(bots[0].id, versions[0], at(9)));
            }
            (Some(_), Some((_, None))) => {}
            (Some((one, two, winner)), told) => {
                let winner = told.and_then(|(_, winner)| winner).unwrap_or(winner);
                played.push(play(store, &bots[one], &bots[two], winner).await);
            }
        }
    }
    (bots.to_vec(), played)
}

/// Everything that a ladder shows of its bots.
async fn told(store: &Store, bots: &[Bot]) -> Vec<String> {
    let mut all = Vec::new();
    for bot in bots {
        let mut standing = ok!(store.find_standing(bot.id, &kob())).expect("listed");
        standing.picked = None;
        standing.turn = 0;
        all.push(format!("{standing:?}"));
        for point in store
            .rating_history(bot.id, &kob(), 2000)
            .await
            .expect("asked")
        {
            let kind = if point.match_id.is_some() {
                "match"
            } else {
                "version"
            };
            all.push(format!(
                "{kind} {:?} {} {}",
                point.at, point.value, point.error
            ));
        }
        let rivals = store.head_to_head(bot.id, &kob()).await.expect("asked");
        all.extend(
            rivals
                .iter()
                .map(|one| format!("{} {:?}", one.rival.name, one.tally)),
        );
    }
    all
}

fn correction(winner: Option<MatchWinner>) -> NewCorrection {
    NewCorrection {
        winner,
        why: "the judge was wrong".to_owned(),
        user: None,
    }
}

pub async fn a_corrected_result_counts_as_if_it_had_always_been(store: Store) {
    type Shown = (Vec<String>, Vec<Option<f64>>);
    // What both databases are compared with is played once.
    static TWINS: [OnceCell<Shown>; 2] = [OnceCell::const_new(), OnceCell::const_new()];
    let twin = async |at: usize, winner| {
        let play = || async {
            let (_folder, twin) = crate::new_store().await;
            let (bots, played) = play_course(&twin, Some((2, winner))).await;
            let changes = played
                .iter()
                .map(|one| one.a_change.map(|change| (change * 100.0).round()));
            (told(&twin, &bots).await, changes.collect())
        };
        TWINS[at].get_or_init(play).await
    };
    let (bots, played) = play_course(&store, None).await;
    let before = told(&store, &bots).await;
    // The third match; it has the same index in the course.
    let id = played[2].id;
    let corrected = ok!(store.correct_match(id, correction(Some(MatchWinner::B)), at(50)));
    fields!(corrected, {state: MatchState::Finished, winner: Some(MatchWinner::B)});
    let (as_told, changes) = twin(0, Some(MatchWinner::B)).await;
    assert_eq!(told(&store, &bots).await, *as_told);
    let mut now = Vec::new();
    for one in &played {
        let now_is = store.match_by_id(one.id).await.expect("there");
        now.push(now_is.a_change.map(|change| (change * 100.0).round()));
    }
    let near = |one: &Option<f64>, two: &Option<f64>| {
        (one.unwrap_or(0.0) - two.unwrap_or(0.0)).abs() <= 1.0
    };
    assert!(
        now.iter().zip(changes).all(|(one, two)| near(one, two)),
        "{now:?} {changes:?}"
    );

    let withdrawn = ok!(store.correct_match(id, correction(None), at(51)));
    fields!(withdrawn, {state: MatchState::Void, winner: None});
    assert_eq!(told(&store, &bots).await, twin(1, None).await.0);
    ok!(store.correct_match(id, correction(Some(MatchWinner::A)), at(52)));
    assert_eq!(told(&store, &bots).await, before);
    assert!(ratings_are_right(&store).await > 80);

    let trace = store.list_corrections(id).await.expect("asked");
    let trace: Vec<_> = trace.iter().map(|one| (one.before, one.after)).collect();
    let (a, b) = (Some(MatchWinner::A), Some(MatchWinner::B));
    assert_eq!(trace, [(a, b), (b, None), (None, a)]);
    let audit = ok!(store.list_audit(&PageQuery::first_page(10))).items;
    assert_eq!(
        audit
            .iter()
            .filter(|line| line.action == "match.correct")
            .count(),
        3
    );
}

pub async fn corrections_that_make_no_sense_are_refused(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    let queued = queue(&store, &a, &b, MatchKind::Ladder).await;
    let refused = async |id: MatchId, winner| {
        let error = store
            .correct_match(id, correction(winner), at(9))
            .await
            .expect_err("refused");
        assert!(matches!(error, StoreError::Refused(_)), "{error}");
    };
    refused(queued.id, Some(MatchWinner::A)).await;
    ok!(store.void_match(queued.id, "no sandbox", at(2)));
    refused(queued.id, Some(MatchWinner::A)).await;
    let played = play(&store, &a, &b, MatchWinner::A).await;
    refused(played.id, Some(MatchWinner::A)).await;
    for why in ["", " ", "two\nlines", &"x".repeat(501)] {
        let new = NewCorrection {
            why: why.to_owned(),
            ..correction(Some(MatchWinner::B))
        };
        let error = store
            .correct_match(played.id, new, at(9))
            .await
            .expect_err("refused");
        assert!(matches!(error, StoreError::Refused(_)), "{error}");
    }
    fails!(store.correct_match(MatchId(999), correction(None), at(9)) => Missing { .. });

    // This is the replacement of the withdrawn result: the withdrawn one must not count again
    // beside it.
    // beside the new one.
    ok!(store.correct_match(played.id, correction(None), at(9)));
    let again = ok!(store.rerun_match(played.id, at(10)));
    fields!(again, {kind: MatchKind::Ladder, again_of: Some(played.id)});
    refused(played.id, Some(MatchWinner::A)).await;
    let acquired = acquire(&store, 11).await.expect("a job");
    let finish = ok!(store.finish_match(&acquired.lease, result(MatchWinner::B), at(12)));
    fits!(finish => RecordOutcome::Recorded { change: Some(_) });
    assert_eq!(ratings_are_right(&store).await, 1);
    // A friendly match does not count for ratings, but its result may be wrong, too.
    queue(&store, &a, &b, MatchKind::Friendly).await;
    let acquired = acquire(&store, 13).await.expect("a job");
    ok!(store.finish_match(&acquired.lease, result(MatchWinner::A), at(14)));
    let id = played_id(&acquired);
    let corrected = ok!(store.correct_match(id, correction(Some(MatchWinner::Draw)), at(15)));
    fields!(corrected, {winner: Some(MatchWinner::Draw), a_change: None});
    assert_eq!(ratings_are_right(&store).await, 1);
}

fn played_id(acquired: &LeasedJob) -> MatchId {
    played(acquired).id
}

/// A bot of a person with a checked version, and the job's result.
pub async fn uploaded_bot(store: &Store, name: &str) -> Bot {
    let owner = user(store, &format!("owner-of-{name}")).await;
    let new = new_bot("kob", name, owner.id);
    let source = NewSource {
        key: format!("sources/{name}"),
        file_name: "bot.py".to_owned(),
        bytes: 8,
        notes: String::new(),
    };
    let (bot, _) = ok!(store.create_bot_with_version(
        new,
        source,
        &Quota::UNLIMITED,
        uploader(owner.id),
        at(0)
    ));
    check_version(store, true).await;
    store.find_bot(bot.id).await.expect("it was made")
}

/// Does the check of a version that waits.
pub async fn check_version(store: &Store, passes: bool) {
    let acquired = acquire(store, 1).await.expect("a job");
    let outcome = if passes {
        VersionOutcome::Ready {
            how: "python3".to_owned(),
            protocol: "line".to_owned(),
            report: nothing(),
        }
    } else {
        VersionOutcome::Failed {
            how: None,
            failure: serde_json::json!({"en": "it crashed"}),
            report: None,
        }
    };
    let done = store.finish_version(&acquired.lease, outcome, at(2)).await;
    assert!(matches!(done, Ok(RecordOutcome::Recorded { .. })));
}

/// Games are told by the versions in their seats and by what each leg was.
pub async fn a_copy_of_a_game_counts_once(store: Store) {
    let bots = [bot(&store, "a").await, bot(&store, "b").await];
    let (one, other) = (0, 1);
    let mut ids = Vec::new();
    for (sides, legs, copy_of, shares) in [
        ([one, other], ["x", "y"], None, 1),
        ([one, other], ["x", "y"], Some(0), 1),
        // The other one begins: the same two games in the other order.
        ([other, one], ["y", "x"], Some(0), 1),
        // A new game beside a copy counts when it comes without one.
        ([one, other], ["x", "z"], Some(0), 1),
        ([one, other], ["w", "z"], None, 2),
        // The same replies with other seats are another game.
        ([other, one], ["x", "y"], None, 3),
    ] {
        let [a, b] = sides.map(|side| &bots[side]);
        queue(&store, a, b, MatchKind::Ladder).await;
        let acquired = acquire(&store, 1).await.expect("a job");
        ids.push(played(&acquired).id);
        let result = MatchResult {
            games: legs.map(str::to_owned).to_vec(),
            ..result(MatchWinner::A)
        };
        let finish = store.finish_match(&acquired.lease, result, at(2)).await;
        let RecordOutcome::Recorded { change } = finish.expect("answered") else {
            panic!("it is recorded")
        };
        assert_eq!(change.is_none(), copy_of.is_some(), "{legs:?}");
        let found = ok!(store.match_by_id(ids[ids.len() - 1]));
        assert_eq!(
            found.copy_of,
            copy_of.map(|index: usize| ids[index]),
            "{legs:?}"
        );
        let standing = store.find_standing(bots[one].id, &kob()).await;
        let standing = standing.expect("asked").expect("listed");
        let copies = ids.len() as i64 - shares;
        assert_eq!(
            (standing.games, standing.copies),
            (shares, copies),
            "{legs:?}"
        );
    }
    assert_eq!(ratings_are_right(&store).await, 3);
    // A result that was withdrawn does not stand in the way of the next one.
    let new = NewCorrection {
        winner: None,
        why: "the machine failed".to_owned(),
        user: None,
    };
    ok!(store.correct_match(ids[0], new, at(3)));
    queue(&store, &bots[one], &bots[other], MatchKind::Ladder).await;
    let acquired = acquire(&store, 4).await.expect("a job");
    let again = MatchResult {
        games: ["x", "y"].map(str::to_owned).to_vec(),
        ..result(MatchWinner::A)
    };
    let finish = store.finish_match(&acquired.lease, again, at(5)).await;
    let counted = matches!(finish, Ok(RecordOutcome::Recorded { change: Some(_) }));
    assert!(counted, "{finish:?}");
    assert_eq!(ratings_are_right(&store).await, 3);
}

pub async fn bots_that_fail_again_and_again_rest(store: Store) {
    store.set_rest_after(3);
    let (rival, viper) = (
        bot(&store, "rival").await,
        uploaded_bot(&store, "viper").await,
    );
    let standing = async |bot: &Bot| {
        let found = store.find_standing(bot.id, &kob()).await.expect("asked");
        found.expect("it is on the ladder")
    };
    // B makes a fault in every match; a win ends the row, and a built-in bot never rests.
    for (winner, failing) in [
        (MatchWinner::A, 1),
        (MatchWinner::Draw, 2),
        (MatchWinner::B, 0),
        (MatchWinner::A, 1),
        (MatchWinner::A, 2),
    ] {
        play(&store, &rival, &viper, winner).await;
        assert_eq!(standing(&viper).await.failing, failing);
    }
    assert!(standing(&viper).await.listed);
    let last = play(&store, &rival, &viper, MatchWinner::A).await;
    let rests = standing(&viper).await;
    fields!(rests, {listed: false, rest_match: Some(last.id), failing: 3});
    assert!(rests.rests.is_some());
    let author = viper.owner.expect("somebody's");
    let told = async || {
        let found = store.notifications_of(author).await.expect("asked");
        let kinds = found.iter().map(|one| one.kind);
        kinds
            .filter(|kind| *kind == NotificationKind::BotRests)
            .count()
    };
    assert_eq!(told().await, 1);
    for _ in 0..4 {
        play(&store, &viper, &rival, MatchWinner::A).await;
    }
    assert!(standing(&rival).await.listed, "a built-in bot never rests");
    assert_eq!(told().await, 1, "once");
    let rests = standing(&viper).await;
    assert!(
        rests.rests.is_some() && !rests.listed,
        "a match that was queued before does not end the rest"
    );
    store.rebuild_ladder(&kob()).await.expect("rebuilt");
    assert!(!standing(&viper).await.listed, "nor does a rebuild");
    store.set_retired(viper.id, false).await.expect("changed");
    assert!(!standing(&viper).await.listed, "nor does its author");

    // A check that fails leaves it resting; one that passes brings it back with its rating.
    let before = standing(&viper).await;
    for passes in [false, true] {
        ok!(store.recheck_bot(viper.id, viper.owner, at(5)));
        fails!(store.recheck_bot(viper.id, viper.owner, at(5)) => Refused(_));
        check_version(&store, passes).await;
        let now = standing(&viper).await;
        assert_eq!((now.listed, now.rests.is_none()), (passes, passes));
        assert_eq!(now.current_rating(), before.current_rating());
    }
    fails!(store.recheck_bot(viper.id, viper.owner, at(6)) => Refused(_));
}

/// The divisions of these bots.
async fn divisions(store: &Store, bots: &[Bot]) -> Vec<Option<u32>> {
    let rows = ok!(store.list_ladder(&kob(), &PageQuery::first_page(50))).items;
    let of = |bot: &Bot| rows.iter().find(|row| row.bot.id == bot.id)?.division;
    bots.iter().map(of).collect()
}

pub async fn bots_move_between_divisions_by_their_whole_interval(store: Store) {
    let mut bots = Vec::new();
    for name in ["a", "b", "c", "d", "e", "f"] {
        bots.push(bot(&store, name).await);
    }
    let update = async || store.update_divisions(&kob()).await.expect("asked");
    assert_eq!(update().await, 0, "nobody asked for divisions");
    store.set_division_size(4);
    assert_eq!(update().await, 0, "there are fewer than 8 bots");
    store.set_division_size(2);
    assert_eq!(update().await, 6);
    assert_eq!(store.count_divisions(&kob()).await.expect("asked"), 3);
    let first: Vec<_> = [1, 1, 2, 2, 3, 3].map(Some).into();
    assert_eq!(divisions(&store, &bots).await, first);
    // One match changes the order and moves nobody.
    play(&store, &bots[5], &bots[0], MatchWinner::A).await;
    assert_eq!(update().await, 0);
    for _ in 0..8 {
        for other in 0..5 {
            play(&store, &bots[5], &bots[other], MatchWinner::A).await;
        }
        for other in 1..5 {
            play(&store, &bots[0], &bots[other], MatchWinner::B).await;
        }
    }
    // Results do not touch the divisions.
    assert_eq!(divisions(&store, &bots).await, first);
    let rows = ok!(store.list_ladder(&kob(), &PageQuery::first_page(50))).items;
    let tendency = |bot: &Bot| rows.iter().find(|row| row.bot.id == bot.id)?.tendency;
    assert_eq!(tendency(&bots[5]), Some(Tendency::Up));
    assert_eq!(tendency(&bots[0]), Some(Tendency::Down));
    assert!(update().await >= 2);
    let now = divisions(&store, &bots).await;
    assert_eq!((now[5], now[0]), (Some(1), Some(3)));
    assert_eq!(update().await, 0, "who has moved stays");
    assert_eq!(now, divisions(&store, &bots).await);
    let ask = PageQuery::first_page(50);
    let first = LadderPart {
        division: Some(1),
        ..LadderPart::default()
    };
    let top = store.list_ladder_part(&kob(), first, &ask).await;
    let top = top.expect("asked").items;
    assert_eq!(top[0].bot.id, bots[5].id);
    assert!(top.iter().all(|row| row.division == Some(1)));
    let count = now.iter().filter(|division| **division == Some(1)).count();
    assert_eq!(top.len(), count);
    // Who comes later begins in the last division.
    bots.push(bot(&store, "g").await);
    assert_eq!(update().await, 1);
    assert_eq!(divisions(&store, &bots[6..]).await, [Some(3)]);
    store.rebuild_ladder(&kob()).await.expect("rebuilt");
    assert_eq!(divisions(&store, &bots[..6]).await, now);
    // A ladder that has shrunk is whole again.
    for gone in &bots[..4] {
        store.set_retired(gone.id, true).await.expect("retired");
    }
    update().await;
    assert_eq!(store.count_divisions(&kob()).await.expect("asked"), 0);
    assert_eq!(divisions(&store, &bots[4..]).await, [None; 3]);
}

/// All rows of the ladder, page by page.
async fn whole_ladder(
    limit: u64,
    page: impl AsyncFn(PageQuery) -> Page<LadderRow>,
) -> Vec<LadderRow> {
    let (mut rows, mut ask) = (Vec::new(), PageQuery::first_page(limit));
    loop {
        let Page { items, next } = page(ask).await;
        rows.extend(items);
        let Some(next) = next else { break };
        ask = PageQuery::page_after(next, limit);
    }
    for row in &mut rows {
        // Pages do not show it.
        row.standing.picked = None;
    }
    rows
}

/// Asserts that the ladder in the memory of both servers is the one of the database, unless that
/// one changes meanwhile. Whether it was compared.
async fn ladders_are_the_same(servers: &[Store; 2]) -> bool {
    let asked = async |ask| {
        let page = servers[0].query_ladder_for_tests(&kob(), &ask).await;
        page.expect("asked")
    };
    let before = whole_ladder(3, asked).await;
    let mut shown = Vec::new();
    for server in servers {
        for limit in [1, 4, 100] {
            let page = async |ask| server.list_ladder(&kob(), &ask).await.expect("asked");
            shown.push(whole_ladder(limit, page).await);
        }
    }
    let same = before == whole_ladder(3, asked).await;
    if same {
        for shown in shown {
            assert_eq!(shown, before);
        }
    }
    same
}

pub async fn a_ladder_in_memory_is_the_one_of_the_database(store: Store) {
    let servers = [store.clone(), store.other_server_for_tests()];
    assert!(ladders_are_the_same(&servers).await, "nobody plays");
    let mut bots = Vec::new();
    for number in 0..9 {
        bots.push(bot(&store, &format!("b{number}")).await);
        assert!(ladders_are_the_same(&servers).await);
    }
    for number in 0..24 {
        let (a, b) = (&bots[number % 9], &bots[(number * 4 + 1 + number / 9) % 9]);
        if a.id != b.id {
            queue(&store, a, b, MatchKind::Ladder).await;
        }
    }
    let players = (0..3).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            while let Some(acquired) = acquire(&store, 2).await {
                let winner = [MatchWinner::A, MatchWinner::B, MatchWinner::Draw];
                let winner = winner[(played(&acquired).id.0 + number) as usize % 3];
                ok!(store.finish_match(&acquired.lease, result(winner), at(3)));
            }
        })
    });
    let players: Vec<_> = players.collect();
    while players.iter().any(|player| !player.is_finished()) {
        ladders_are_the_same(&servers).await;
    }
    for player in players {
        player.await.expect("it ends");
    }
    assert!(ladders_are_the_same(&servers).await);
    store.set_retired(bots[4].id, true).await.expect("retired");
    assert!(ladders_are_the_same(&servers).await);
    store.set_retired(bots[4].id, false).await.expect("back");
    assert!(ladders_are_the_same(&servers).await);
    store.break_ladder_for_tests().await.expect("broken");
    assert!(ladders_are_the_same(&servers).await);
    store.rebuild_ladder(&kob()).await.expect("rebuilt");
    assert!(ladders_are_the_same(&servers).await);
}

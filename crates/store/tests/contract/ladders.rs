//! Several ladders of one game.

use leitai_store::*;

use crate::arena::*;
use crate::ladder::{check_version, uploaded_bot};

fn small() -> LadderId {
    LadderId::new("kob", "small")
}

async fn standing(store: &Store, bot: &Bot, ladder: &LadderId) -> Standing {
    let found = store.find_standing(bot.id, ladder).await.expect("asked");
    found.expect("it is on this ladder")
}

/// The names of the bots of a ladder, best first.
async fn names(store: &Store, ladder: &LadderId) -> Vec<String> {
    let rows = ok!(store.list_ladder(ladder, &PageQuery::first_page(50)))
        .items
        .into_iter();
    rows.map(|row| row.bot.name).collect()
}

/// Asserts that rebuilding changes no ladder, and returns the rated matches of both.
async fn rated(store: &Store) -> [u64; 2] {
    let mut matches = [0; 2];
    for (ladder, count) in [kob(), small()].iter().zip(&mut matches) {
        let rebuilt = store.rebuild_ladder(ladder).await.expect("rebuilt");
        assert_eq!(rebuilt.changed, 0, "{ladder}: {rebuilt:?}");
        *count = rebuilt.matches;
    }
    matches
}

pub async fn ladders_of_a_game_are_separate(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    play(&store, &a, &b, MatchWinner::A).await;
    let before = standing(&store, &a, &kob()).await;
    store.open_ladders("kob", &[small()]).await.expect("opened");
    assert_eq!(ok!(store.ladders_of("kob")), [kob(), small()]);
    assert_eq!(
        standing(&store, &a, &small()).await.games,
        0,
        "it begins anew"
    );
    let other = store.other_server_for_tests();
    assert_eq!(names(&other, &small()).await, ["a", "b"]);
    let mut last = None;
    for _ in 0..3 {
        last = Some(play_on(&store, &small(), &a, &b, MatchWinner::B).await);
    }
    let last = last.expect("it was played");
    assert_eq!(last.ladder, Some(small()));
    assert_eq!(standing(&store, &a, &kob()).await, before);
    let now = standing(&store, &a, &small()).await;
    assert_eq!((now.games, now.losses), (3, 3));
    for store in [&store, &other] {
        assert_eq!(names(store, &kob()).await, ["a", "b"]);
        assert_eq!(names(store, &small()).await, ["b", "a"]);
    }
    let count = async |ladder: &LadderId| {
        let points = store.rating_history(a.id, ladder, 50).await;
        let rivals = store.head_to_head(a.id, ladder).await.expect("asked");
        (points.expect("asked").len(), rivals[0].tally.losses)
    };
    assert_eq!(
        (count(&kob()).await, count(&small()).await),
        ((1, 0), (3, 3))
    );
    let filter = MatchFilter {
        ladder: Some(small()),
        ..MatchFilter::default()
    };
    let found = store.list_matches(&filter, &PageQuery::first_page(9)).await;
    assert_eq!(found.expect("asked").items.len(), 3);
    assert_eq!(rated(&store).await, [1, 3]);
    // Who waits is counted by ladder.
    queue_on(&store, &small(), &a, &b, MatchKind::Ladder).await;
    let open = async |ladder| store.load_pairing(&ladder).await.expect("asked").open;
    assert_eq!([open(kob()).await, open(small()).await], [0, 1]);
    // A match that is played again for a ladder stays on it.
    store
        .cancel_match(last.id, "", at(9))
        .await
        .expect_err("over");
    store
        .correct_match(
            last.id,
            NewCorrection {
                winner: None,
                why: "wrong".to_owned(),
                user: None,
            },
            at(9),
        )
        .await
        .expect("withdrawn");
    let again = store.rerun_match(last.id, at(9)).await.expect("again");
    fields!(again, {kind: MatchKind::Ladder, ladder: Some(small())});
    let friendly = store.rerun_match(last.id, at(9)).await.expect("again");
    assert_eq!(friendly.ladder, Some(small()));
    // What does not count is on no ladder.
    let friendly = queue_on(&store, &small(), &a, &b, MatchKind::Friendly).await;
    assert_eq!(friendly.ladder, None);
}

pub async fn results_of_several_ladders_are_recorded_together(store: Store) {
    let bots = [
        bot(&store, "a").await,
        bot(&store, "b").await,
        bot(&store, "c").await,
    ];
    store.open_ladders("kob", &[small()]).await.expect("opened");
    for number in 0..40 {
        let ladder = if number % 4 == 0 { kob() } else { small() };
        let (a, b) = (&bots[number % 3], &bots[(number + 1) % 3]);
        queue_on(&store, &ladder, a, b, MatchKind::Ladder).await;
    }
    let players = (0..4).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            while let Some(acquired) = acquire(&store, 2).await {
                let winner = [MatchWinner::A, MatchWinner::B, MatchWinner::Draw];
                let winner = winner[(played(&acquired).id.0 + number) as usize % 3];
                ok!(store.finish_match(&acquired.lease, result(winner), at(3)));
            }
        })
    });
    for player in players.collect::<Vec<_>>() {
        player.await.expect("it ends");
    }
    assert_eq!(rated(&store).await, [10, 30]);
}

pub async fn bots_join_further_ladders_unless_they_opt_out(store: Store) {
    let old = uploaded_bot(&store, "old").await;
    store.open_ladders("kob", &[small()]).await.expect("opened");
    let new = uploaded_bot(&store, "new").await;
    let both = ["old", "new"];
    assert_eq!(names(&store, &small()).await, both);
    let size = async |ladder| store.ladder_size(&ladder).await.expect("asked");
    let opt_out =
        async |bot: &Bot, ladder: LadderId, out| store.set_opted_out(bot.id, &ladder, out).await;
    play_on(&store, &small(), &old, &new, MatchWinner::A).await;
    let before = standing(&store, &old, &small()).await;
    opt_out(&old, small(), true).await.expect("it is off");
    assert_eq!(names(&store, &small()).await, ["new"]);
    let waiting = ok!(store.load_pairing(&small())).candidates;
    assert_eq!(waiting.len(), 1);
    assert_eq!(size(kob()).await, 2, "it plays on the standard ladder");
    // Nothing but its author brings it back.
    store.set_retired(old.id, true).await.expect("retired");
    store.set_retired(old.id, false).await.expect("back");
    let version = source(&store, &old, true).await;
    check_version(&store, true).await;
    assert_eq!(ok!(store.find_bot(old.id)).active, Some(version.id));
    ok!(store.open_ladders("kob", &[small()]));
    assert_eq!(size(small()).await, 1);
    opt_out(&old, small(), false).await.expect("it is back");
    let now = standing(&store, &old, &small()).await;
    assert_eq!((now.listed, now.skill, now.games), (true, before.skill, 1));
    // Before its first version, too.
    let early = new_bot("kob", "early", old.owner.expect("somebody's"));
    let early = store.create_bot(early, at(0)).await.expect("free");
    opt_out(&early, small(), true).await.expect("it is off");
    source(&store, &early, true).await;
    check_version(&store, true).await;
    assert_eq!((size(kob()).await, size(small()).await), (3, 2));

    fails!(opt_out(&old, kob(), true) => Refused(_));
    for ladder in [
        LadderId::new("kob", "huge"),
        LadderId::new("snakego", "small"),
    ] {
        fails!(opt_out(&old, ladder, true) => Missing { .. });
    }
    // A ladder that is closed keeps what was played; nobody joins it any more.
    store.open_ladders("kob", &[]).await.expect("closed");
    uploaded_bot(&store, "late").await;
    assert_eq!((size(kob()).await, size(small()).await), (4, 2));
    fails!(opt_out(&old, small(), true) => Missing { .. });
    ok!(store.open_ladders("kob", &[small()]));
    assert_eq!(size(small()).await, 3, "who came meanwhile joins");
    assert_eq!(standing(&store, &old, &small()).await.games, 1);
    assert_eq!(rated(&store).await, [0, 1]);
}

pub async fn a_bot_rests_where_it_failed(store: Store) {
    store.set_rest_after(2);
    store.open_ladders("kob", &[small()]).await.expect("opened");
    let (rival, viper) = (
        bot(&store, "rival").await,
        uploaded_bot(&store, "viper").await,
    );
    let fail = async |ladder: LadderId| {
        // B makes a fault in every match.
        play_on(&store, &ladder, &rival, &viper, MatchWinner::A).await;
    };
    fail(small()).await;
    fail(kob()).await;
    assert_eq!(
        names(&store, &small()).await.len(),
        2,
        "one failure on each"
    );
    fail(small()).await;
    assert_eq!(names(&store, &small()).await, ["rival"]);
    assert_eq!(names(&store, &kob()).await, ["rival", "viper"]);
    ok!(store.recheck_bot(viper.id, viper.owner, at(5)));
    check_version(&store, true).await;
    assert_eq!(names(&store, &small()).await.len(), 2);
    assert_eq!(standing(&store, &viper, &kob()).await.failing, 0);
}

pub async fn a_correction_changes_its_ladder_alone(store: Store) {
    let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
    store.open_ladders("kob", &[small()]).await.expect("opened");
    let mut of_small = Vec::new();
    for winner in [MatchWinner::A, MatchWinner::A, MatchWinner::Draw] {
        play(&store, &a, &b, winner).await;
        of_small.push(play_on(&store, &small(), &a, &b, winner).await);
    }
    let before = [
        standing(&store, &a, &kob()).await,
        standing(&store, &b, &kob()).await,
    ];
    let history = async |ladder| {
        let points = store.rating_history(a.id, &ladder, 50).await;
        points.expect("asked")
    };
    let points = history(kob()).await;
    let new = NewCorrection {
        winner: Some(MatchWinner::B),
        why: "the judge was wrong".to_owned(),
        user: None,
    };
    ok!(store.correct_match(of_small[0].id, new, at(9)));
    let now = [
        standing(&store, &a, &kob()).await,
        standing(&store, &b, &kob()).await,
    ];
    assert_eq!(now, before);
    assert_eq!(history(kob()).await, points);
    let small_now = standing(&store, &a, &small()).await;
    fields!(small_now, {wins: 1, draws: 1, losses: 1});
    assert_eq!(history(small()).await.len(), 3);
    assert_eq!(rated(&store).await, [3, 3]);
}

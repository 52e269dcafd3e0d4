//! The recount of what was played before copies of a game counted once.

use leitai_store::*;
use sea_orm::{ConnectionTrait, Database};

use crate::arena::*;
use crate::ladder::uploaded_bot;

/// A ladder of before copies of a game counted once, as the version that brought this found it.
const BEFORE_DISTINCT_GAMES: &[&str] = &[
    "DELETE FROM distinct_games",
    "UPDATE matches SET copy_of = NULL",
    "UPDATE standings SET copies = 0",
    "INSERT INTO recounts (subject) VALUES ('ladder kob')",
];

/// The next batch of two matches is read, and what their legs were is noted.
async fn read_some(store: &Store, legs: impl Fn(MatchId) -> Option<Vec<String>>) -> bool {
    let open = store.open_recounts().await.expect("asked");
    let progress = &open[0];
    let batch = store.next_to_read(progress, 2).await.expect("asked");
    let games: Vec<_> = batch.matches.iter().map(|own| legs(own.id)).collect();
    let noted = store.note_games(progress, &batch, &games).await;
    assert!(noted.is_ok(), "{noted:?}");
    // Another server that has read the same adds nothing.
    let again = store.note_games(progress, &batch, &games).await;
    assert_eq!(again.expect("answered"), noted.expect("noted"));
    !batch.is_empty()
}

async fn standing(store: &Store, bot: &Bot) -> Standing {
    let found = store.find_standing(bot.id, &kob()).await.expect("asked");
    found.expect("it has played")
}

/// Plays a match as a server of today does, with what its legs were.
async fn play_game(store: &Store, sides: [&Bot; 2], game: &str) -> MatchId {
    queue(store, sides[0], sides[1], MatchKind::Ladder).await;
    let acquired = acquire(store, 4).await.expect("a job");
    let result = MatchResult {
        games: vec![game.to_owned()],
        ..result(MatchWinner::A)
    };
    let done = store.finish_match(&acquired.lease, result, at(5)).await;
    assert!(done.is_ok(), "{done:?}");
    played(&acquired).id
}

/// A ladder of five matches of before, and its bots.
async fn play_before(url: &str) -> ([Bot; 2], Vec<MatchId>) {
    let store = Store::open_url(url).await.expect("it opens");
    let bots = [
        uploaded_bot(&store, "one").await,
        uploaded_bot(&store, "two").await,
    ];
    let mut ids = Vec::new();
    let [a, b] = [MatchWinner::A, MatchWinner::B];
    for winner in [a, a, a, b, a] {
        ids.push(play(&store, &bots[0], &bots[1], winner).await.id);
    }
    store.close_store().await.expect("it closes");
    let old = Database::connect(url).await.expect("it opens");
    for statement in BEFORE_DISTINCT_GAMES {
        old.execute_unprepared(statement).await.expect(statement);
    }
    old.close().await.expect("it closes");
    (bots, ids)
}

/// A ladder of before is recounted once, whatever is killed, and whose rating changed is told. The
/// database at this address must be empty.
pub async fn counts_copies_once(url: &str) {
    let ([one, two], ids) = play_before(url).await;
    // The first three are one game, the fourth another, the fifth has no replay.
    let legs = |id: MatchId| {
        let index = ids.iter().position(|own| *own == id).expect("an old one");
        let games = [Some("x"), Some("x"), Some("x"), Some("y"), None];
        games[index].map(|game| vec![game.to_owned()])
    };
    let store = Store::open_url(url).await.expect("an older one opens");
    assert!(read_some(&store, legs).await);
    let before = standing(&store, &one).await;
    assert_eq!((before.games, before.copies), (5, 0), "nothing counts anew");
    let measured = OpenRecounts {
        open: 1,
        matches_read: 2,
    };
    let of_today = async |store: &Store| store.measure_recounts().await.expect("asked");
    assert_eq!(of_today(&store).await, measured);
    store.close_store().await.expect("killed");

    let store = Store::open_url(url).await.expect("it opens again");
    // Meanwhile the same game is played again: new as far as is known, and a copy of that.
    let late = play_game(&store, [&one, &two], "x").await;
    let copy = play_game(&store, [&one, &two], "x").await;
    while read_some(&store, legs).await {}
    let [progress] = &store.open_recounts().await.expect("asked")[..] else {
        panic!("one ladder")
    };
    assert_eq!((progress.matches_read, progress.without_replay), (5, 1));
    let before = standing(&store, &one).await.current_rating().shown_rating();
    let done = store.finish_recount(progress, at(9)).await.expect("done");
    let done = done.expect("by this server");
    assert_eq!(of_today(&store).await, OpenRecounts::default());
    assert_eq!((done.copies, done.ratings.len()), (3, 2));
    let again = store.finish_recount(progress, at(9)).await;
    assert_eq!(again.expect("answered"), None, "once");

    let copies = [ids[1], ids[2], late, copy];
    are_copies(&store, &copies, ids[0]).await;
    let was = before.value;
    shows_recount(&store, [&one, &two], was).await;
    // The game counts as played, and a correction of before the recount leaves no step behind.
    play_game(&store, [&one, &two], "x").await;
    assert_eq!(standing(&store, &one).await.games, 3);
    correct_and_look(&store, ids[3], &one).await;
    store.close_store().await.expect("it closes");
}

async fn correct_and_look(store: &Store, id: MatchId, bot: &Bot) {
    let new = NewCorrection {
        winner: Some(MatchWinner::Draw),
        why: "the rules say so".to_owned(),
        user: None,
    };
    let corrected = store.correct_match(id, new, at(12)).await;
    corrected.expect("it has a result");
    let history = store.rating_history(bot.id, &kob(), 50).await;
    let history = history.expect("asked");
    let with_match = history.iter().filter(|point| point.match_id.is_some());
    assert_eq!(with_match.count(), 3, "{history:?}");
    assert!(history.iter().all(|point| !point.recounted));
    assert_eq!(ratings_are_right(store).await, 3);
}

/// These matches, and no others, are copies of this one.
async fn are_copies(store: &Store, copies: &[MatchId], of: MatchId) {
    for id in (of.0..).map(MatchId) {
        let Ok(found) = store.match_by_id(id).await else {
            break;
        };
        let is_copy = copies.contains(&id);
        assert_eq!(found.copy_of, is_copy.then_some(of), "{id}");
        assert_eq!(found.turn.is_none(), is_copy, "{id}");
    }
}

/// What is seen of the first bot after the recount, whose rating was this before.
async fn shows_recount(store: &Store, [one, two]: [&Bot; 2], was: f64) {
    let now = standing(store, one).await;
    assert_eq!((now.games, now.wins, now.copies), (3, 2, 4));
    assert_eq!(ratings_are_right(store).await, 3);
    let history = store.rating_history(one.id, &kob(), 50).await;
    let history = history.expect("asked");
    assert_eq!(history.iter().filter(|point| point.recounted).count(), 1);
    let step = history.last().expect("it has played");
    let after = now.current_rating().shown_rating().value;
    assert!(step.recounted && (step.value - after).abs() < 1e-9);
    for bot in [one, two] {
        let owner = bot.owner.expect("somebody's");
        let told = store.notifications_of(owner).await.expect("asked");
        let told: Vec<_> = told.iter().filter_map(|one| one.ratings).collect();
        assert_eq!(told.len(), 1, "{told:?}");
        if bot.id == one.id {
            assert!((told[0][0] - was).abs() < 1e-9 && (told[0][1] - after).abs() < 1e-9);
        }
    }
}

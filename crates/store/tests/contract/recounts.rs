//! The copies of games in a finished contest are counted.

use leitai_store::*;

use crate::arena::*;
use crate::contests::play_contest;

/// The next batch of two matches is read, and what their legs were is noted.
async fn read_some(store: &Store, legs: impl Fn(MatchId) -> Option<Vec<String>>) -> bool {
    let open = store.open_recounts().await.expect("asked");
    let progress = &open[0];
    let batch = store.next_to_read(progress, 2).await.expect("asked");
    let games: Vec<_> = batch.matches.iter().map(|own| legs(own.id)).collect();
    let noted = store.note_games(progress, &batch, &games).await;
    assert!(noted.is_ok(), "{noted:?}");
    // Another server that has read the same adds nothing.
    gives!(store.note_games(progress, &batch, &games) => noted.expect("noted"));
    !batch.is_empty()
}

/// A contest is counted once, whatever is killed. The database at this address must be empty.
pub async fn counts_copies_once(url: &str) {
    let store = Store::open_url(url).await.expect("it opens");
    let (contest, ids) = play_contest(&store, 5).await;
    // The first three are one game, the fourth another, the fifth has no replay.
    let legs = |id: MatchId| {
        let index = ids.iter().position(|own| *own == id).expect("one of it");
        let games = [Some("x"), Some("x"), Some("x"), Some("y"), None];
        games[index].map(|game| vec![game.to_owned()])
    };
    assert!(read_some(&store, legs).await);
    let measured = OpenRecounts {
        open: 1,
        matches_read: 2,
    };
    let of_today = async |store: &Store| store.measure_recounts().await.expect("asked");
    assert_eq!(of_today(&store).await, measured);
    store.close_store().await.expect("killed");

    let store = Store::open_url(url).await.expect("it opens again");
    let copies = async |store: &Store| store.contest_copies(contest).await.expect("asked");
    assert_eq!(copies(&store).await, None);
    while read_some(&store, legs).await {}
    let [progress] = &ok!(store.open_recounts())[..] else {
        panic!("one contest")
    };
    assert_eq!((progress.matches_read, progress.without_replay), (5, 1));
    for done in [Some(2), None] {
        gives!(store.finish_recount(progress, at(9)) => done, "once");
    }
    assert_eq!(of_today(&store).await, OpenRecounts::default());
    let counted = Copies {
        games: 4,
        copies: 2,
    };
    assert_eq!(copies(&store).await, Some(counted));
    store.close_store().await.expect("it closes");
}

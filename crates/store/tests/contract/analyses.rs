//! Analyses of finished matches: made by one server, stored once, gone with their replay.

use leitai_store::*;

use crate::arena::{at, bot};
use crate::deletion::with_replay;

const HOUR: i64 = 3600;

fn source_of(own: &Match) -> AnalysisSource {
    AnalysisSource {
        match_id: own.id,
        replay: own.replay.clone().expect("it has one"),
        version: "1".to_owned(),
    }
}

/// Stores a result in the name of this holder, at this second.
async fn make(store: &Store, of: &AnalysisSource, holder: &str, second: i64) -> BlobKey {
    gives!(store.claim_analysis(of, holder, at(second)) => None, "{holder} makes it");
    let key = BlobKey::new_analysis(of.match_id);
    ok!(store.schedule_removal(&key, at(second + HOUR)));
    let stored = store.finish_analysis(of.match_id, holder, &key, at(second));
    assert!(stored.await.expect("it answers"), "{holder} has it");
    key
}

async fn discards(store: &Store) -> Vec<String> {
    store.claim_discards(at(9 * HOUR)).await.expect("asked")
}

pub async fn one_server_makes_an_analysis(store: Store) {
    let bots = [bot(&store, "a").await, bot(&store, "b").await];
    let own = with_replay(&store, MatchKind::Friendly, [&bots[0], &bots[1]], 10).await;
    let of = source_of(&own);
    let look = async |of: &AnalysisSource, second| {
        let seen = store.analysis_of(of, at(second)).await;
        seen.expect("it answers")
    };
    assert_eq!(look(&of, 11).await, AnalysisProgress::None);
    // Of eight that ask at once one makes it.
    let names: Vec<String> = (0..8).map(|number| number.to_string()).collect();
    let all = names
        .iter()
        .map(|own| store.claim_analysis(&of, own, at(20)));
    let all = futures_util::future::join_all(all).await;
    let mine: Vec<usize> = (0..8).filter(|at| matches!(all[*at], Ok(None))).collect();
    let [winner] = mine[..] else {
        panic!("one: {all:?}")
    };
    let note = async |holder: &str, done, second| {
        let noted = store.note_analysis(own.id, holder, done, at(second));
        noted.await.expect("it answers")
    };
    assert!(note(&names[winner], 250, 30).await);
    assert!(!note("another", 900, 31).await, "it is not theirs");
    assert_eq!(look(&of, 31).await, AnalysisProgress::Running(250));
    let later = 30 + i64::try_from(ANALYSIS_LOST.as_secs()).expect("short");
    // Whoever is not heard of has lost it, and comes too late.
    assert_eq!(look(&of, later).await, AnalysisProgress::None);
    let key = make(&store, &of, "next", later).await;
    assert!(!note(&names[winner], 900, later + 1).await);
    let done = AnalysisProgress::Done(key.as_str().to_owned());
    assert_eq!(look(&of, later + HOUR).await, done);
    let again = store.claim_analysis(&of, "again", at(later + 2)).await;
    assert_eq!(again.expect("it answers"), Some(done));
    assert_eq!(discards(&store).await, [""; 0], "the blob has its row");
    // A later version makes it anew, and an own failure is no reason to try again.
    let newer = AnalysisSource {
        version: "2".to_owned(),
        ..of.clone()
    };
    assert_eq!(look(&newer, later + 3).await, AnalysisProgress::None);
    gives!(store.claim_analysis(&newer, "new", at(later + 3)) => None);
    assert_eq!(discards(&store).await, [key.as_str()]);
    let failed = store.fail_analysis(own.id, "new", at(later + 4)).await;
    assert!(failed.expect("it answers"));
    assert_eq!(look(&newer, later + HOUR).await, AnalysisProgress::Failed);
}

pub async fn analyses_go_with_their_replay_and_the_oldest_first(store: Store) {
    let bots = [bot(&store, "a").await, bot(&store, "b").await];
    let bots = [&bots[0], &bots[1]];
    let (mut made, mut keys) = (Vec::new(), Vec::new());
    for second in [10, 20, 30, 40] {
        let own = with_replay(&store, MatchKind::Friendly, bots, second).await;
        keys.push(make(&store, &source_of(&own), "h", second).await);
        made.push(own);
    }
    let sweep = async |most| store.sweep_analyses(most, at(50)).await.expect("swept");
    assert_eq!(sweep(4).await, 0);
    assert_eq!(sweep(3).await, 1);
    assert_eq!(discards(&store).await, [keys[0].as_str()]);
    // With its replay, at once.
    let replay = source_of(&made[1]).replay;
    let gone = store.remove_replay(made[1].id, &replay, at(60));
    assert_eq!(gone.await.expect("removed"), 1);
    let mut discarded = discards(&store).await;
    discarded.retain(|key| key.starts_with("replays/analyses/"));
    // What was claimed before is claimed again until it is forgotten.
    assert!(
        discarded.contains(&keys[1].as_str().to_owned()),
        "{discarded:?}"
    );
    assert_eq!(sweep(3).await, 0);
    let seen = store.analysis_of(&source_of(&made[2]), at(61)).await;
    let there = AnalysisProgress::Done(keys[2].as_str().to_owned());
    assert_eq!(seen.expect("it answers"), there);
}

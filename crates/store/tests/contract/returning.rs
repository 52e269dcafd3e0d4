//! Last visits, what people have reached, and the challenge of the day.

use leitai_store::returning::VISIT_GAP;
use leitai_store::*;

use crate::arena::{at, deletion_by, user};

pub async fn a_visit_is_told_from_the_one_before(store: Store) {
    let (ada, bea) = (user(&store, "ada").await, user(&store, "bea").await);
    let gap = i64::try_from(VISIT_GAP.as_secs()).expect("short");
    // The second of a look, and the end of the visit before.
    let looks = [
        (10, None),
        (20, None),
        (20 + gap, Some(20)),
        (21 + gap, Some(20)),
        (21 + 3 * gap, Some(21 + gap)),
    ];
    for (second, since) in looks {
        let noted = store.note_visit(ada.id, at(second)).await.expect("noted");
        assert_eq!(noted, since.map(at), "a look at {second}");
    }
    assert_eq!(store.note_visit(bea.id, at(99)).await.expect("noted"), None);
}

pub async fn what_was_reached_is_merged_and_forgotten(store: Store) {
    let ada = user(&store, "ada").await;
    let add = |more: &'static str| move |before: Option<String>| before.unwrap_or_default() + more;
    assert_eq!(store.achievements_of(ada.id).await.expect("asked"), None);
    let (one, two) = tokio::join!(
        store.change_achievements(ada.id, add("a")),
        store.change_achievements(ada.id, add("b")),
    );
    // In whatever order: neither is lost.
    let longest = [one.expect("kept"), two.expect("kept")];
    assert!(longest.iter().any(|kept| kept.len() == 2), "{longest:?}");
    let root = user(&store, "root").await;
    let by = deletion_by(Some(root.id), at(5));
    store.note_visit(ada.id, at(5)).await.expect("noted");
    store.delete_user(ada.id, by).await.expect("deleted");
    assert_eq!(store.achievements_of(ada.id).await.expect("asked"), None);
    let gone = store.change_achievements(ada.id, add("c")).await;
    assert!(matches!(gone, Err(StoreError::Missing { .. })), "{gone:?}");
}

pub async fn the_first_challenge_of_a_day_stays(store: Store) {
    let of = async |day| store.daily_challenge(day).await.expect("asked");
    assert_eq!(of("2026-11-27").await, None);
    for text in ["one", "two"] {
        ok!(store.keep_daily_challenge("2026-11-27", text, at(1)));
    }
    assert_eq!(of("2026-11-27").await.as_deref(), Some("one"));
    assert_eq!(of("2026-11-28").await, None);
}

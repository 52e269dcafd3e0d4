//! Opening a database of an older version renames its rows.

use leitai_store::{MatchKind, MatchState, NewMatch, PerSide, Store, Timestamp, TokenHash};
use sea_orm::{ConnectionTrait, Database};

use crate::arena;

/// SQL that turns a database back to its state before the migration `m006_terms`.
const BACK: &[&str] = &[
    "ALTER TABLE versions RENAME COLUMN protocol TO dialect",
    "ALTER TABLE matches RENAME COLUMN a_seat_token TO a_seat",
    "ALTER TABLE matches RENAME COLUMN b_seat_token TO b_seat",
    "ALTER TABLE workers RENAME COLUMN exhibitions TO shows",
    "UPDATE versions SET dialect = 'line'",
    "UPDATE matches SET kind = 'people' WHERE kind = 'human'",
    "UPDATE matches SET kind = 'show' WHERE kind = 'exhibition'",
    "UPDATE jobs SET kind = 'people' WHERE kind = 'human'",
    "UPDATE jobs SET kind = 'show' WHERE kind = 'exhibition'",
    "DELETE FROM seaql_migrations WHERE version = 'm006_terms'",
];

/// Runs the test on the database at this address, which must be empty.
pub async fn opens(url: &str) {
    let token = TokenHash::from_token("seat");
    let ids = {
        let store = Store::open_url(url).await.expect("it opens");
        let (one, two) = (
            arena::bot(&store, "one").await,
            arena::bot(&store, "two").await,
        );
        let one = store.bot_entrant(one.id).await.expect("a");
        let two = store.bot_entrant(two.id).await.expect("b");
        let [human, exhibition] = [MatchKind::Human, MatchKind::Exhibition]
            .map(|kind| arena::new_match(one.clone(), two.clone(), kind));
        let human = NewMatch {
            seats: PerSide {
                a: Some(token.clone()),
                b: None,
            },
            ..human
        };
        let mut ids = Vec::new();
        for new in [human, exhibition] {
            ids.push(
                store
                    .create_match(new, Timestamp(0))
                    .await
                    .expect("made")
                    .id,
            );
        }
        store.close_store().await.expect("it closes");
        ids
    };
    let old = Database::connect(url).await.expect("it opens");
    for statement in BACK {
        old.execute_unprepared(statement).await.expect(statement);
    }
    old.close().await.expect("it closes");

    let store = Store::open_url(url).await.expect("an older one opens");
    let [human, exhibition] = [ids[0], ids[1]];
    let human = store.match_by_id(human).await.expect("it is there");
    let exhibition = store.match_by_id(exhibition).await.expect("it is there");
    assert_eq!(
        (human.kind, human.state, human.a_seat_token),
        (MatchKind::Human, MatchState::Queued, Some(token))
    );
    assert_eq!(exhibition.kind, MatchKind::Exhibition);
    let version = human.a.and_then(|one| one.version).expect("a version");
    let version = store.find_version(version).await.expect("it is there");
    assert_eq!(version.protocol.as_deref(), Some("line"));
    store.close_store().await.expect("it closes");
}

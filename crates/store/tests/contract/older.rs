//! Opening a database of an older version renames its rows, and keeps its ratings.

use crate::arena::{deletion_by, new_contest, new_group, new_user};
use leitai_store::{
    BotId, ContestActor, FileName, GroupChange, MatchKind, MatchState, MatchWinner, NameKind,
    NewMatch, NewUser, PerSide, Store, StoreError, Timestamp, TokenHash,
};
use sea_orm::{ConnectOptions, ConnectionTrait, Database};

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

/// SQL that turns a database back to its state before the migration `m023_ladders`, as far as that
/// migration reads it.
const BEFORE_LADDERS: &[&str] = &[
    "CREATE TABLE ladder AS SELECT bot, ladder AS game, listed, skill, doubt, games, wins, draws,
     losses, faults, longest_us, picked, played, trend, failing, rests, rest_match, division, turn,
     best_rank, best_rank_since FROM standings",
    "DROP TABLE standings",
    "CREATE TABLE head_to_head AS SELECT bot, rival, wins, draws, losses FROM head_to_heads",
    "DROP TABLE head_to_heads",
    "DROP INDEX rating_changes_by_bot_ladder_id",
    "DROP INDEX matches_by_ladder_turn",
    "DROP INDEX matches_by_ladder_id",
    "ALTER TABLE rating_changes DROP COLUMN ladder",
    "ALTER TABLE matches DROP COLUMN ladder",
    "ALTER TABLE notifications DROP COLUMN ladder",
    "ALTER TABLE ladders DROP COLUMN game",
    "ALTER TABLE ladders DROP COLUMN open",
    "ALTER TABLE ladders RENAME COLUMN ladder TO game",
    "ALTER TABLE doubt_raises RENAME COLUMN ladder TO game",
    "ALTER TABLE ladders RENAME TO turns",
    "CREATE INDEX rating_changes_by_bot_id ON rating_changes (bot, id)",
    "CREATE UNIQUE INDEX matches_by_game_turn ON matches (game, turn)",
    "DROP TABLE distinct_games",
    "ALTER TABLE matches DROP COLUMN copy_of",
    "DELETE FROM seaql_migrations WHERE version IN ('m023_ladders', 'm025_distinct_games')",
];

/// SQL that turns a database back to its state before the migration `m026_fair_queue`.
const BEFORE_FAIR_QUEUE: &[&str] = &[
    "DROP INDEX jobs_by_state_priority_turn_id",
    "DROP INDEX jobs_by_kind_served",
    "DROP INDEX jobs_by_kind_flow_turn",
    "DROP INDEX webhooks_by_host",
    "ALTER TABLE jobs DROP COLUMN flow",
    "ALTER TABLE jobs DROP COLUMN turn",
    "ALTER TABLE jobs DROP COLUMN served",
    "ALTER TABLE jobs DROP COLUMN started",
    "ALTER TABLE webhooks DROP COLUMN host",
    "ALTER TABLE webhooks DROP COLUMN rests_until",
    "ALTER TABLE webhooks DROP COLUMN time_outs",
    "ALTER TABLE standings DROP COLUMN base_skill",
    "ALTER TABLE standings DROP COLUMN base_doubt",
    "DELETE FROM seaql_migrations WHERE version = 'm026_fair_queue'",
];

/// A newer version's migration that only adds does not keep this version from starting, one that
/// takes something away does. The database at this address must be empty.
pub async fn works_beside_newer(url: &str) {
    let note_migration = async |name: &str| {
        let newer = Database::connect(url).await.expect("it opens");
        let row = format!("INSERT INTO seaql_migrations VALUES ('{name}', 1)");
        newer.execute_unprepared(&row).await.expect("noted");
        newer.close().await.expect("it closes");
    };
    let store = Store::open_url(url).await.expect("it opens");
    store.close_store().await.expect("it closes");
    note_migration("m999_more").await;
    for opened in [Store::open_url(url).await, Store::open_existing(url).await] {
        let store = opened.expect("beside a newer version");
        arena::bot(&store, "bot").await;
        store.close_store().await.expect("it closes");
    }
    note_migration("m999_other_breaking").await;
    for opened in [Store::open_url(url).await, Store::open_existing(url).await] {
        let error = opened.expect_err("it cannot work");
        assert!(matches!(error, StoreError::Newer(_)), "{error}");
        assert!(error.to_string().contains("m999_other_breaking"), "{error}");
    }
}

/// A migration that takes something away is applied when no server of another version is connected
/// to this PostgreSQL. The database must be empty.
pub async fn waits_for_others(url: &str) {
    let store = Store::open_url(url).await.expect("it opens");
    store.close_store().await.expect("it closes");
    let mut named = ConnectOptions::new(url);
    named.map_sqlx_postgres_opts(|options| options.application_name("leitai 0.0.9 m005_fleet"));
    let older = Database::connect(named).await.expect("it opens");
    for statement in BACK {
        older.execute_unprepared(statement).await.expect(statement);
    }
    let error = Store::open_url(url).await.expect_err("an older one runs");
    assert!(matches!(error, StoreError::OthersRun { .. }), "{error}");
    for part in ["m006_terms", "leitai 0.0.9 m005_fleet; stop them"] {
        assert!(error.to_string().contains(part), "{error}");
    }
    let untouched = "SELECT dialect FROM versions";
    ok!(older.execute_unprepared(untouched));
    older.close().await.expect("it closes");
    let store = Store::open_url(url).await.expect("alone it opens");
    store.close_store().await.expect("it closes");
}

/// What a ladder knows of a bot.
async fn rating_of(store: &Store, bot: BotId) -> impl PartialEq + std::fmt::Debug + use<> {
    let ladder = arena::kob();
    (
        store.find_standing(bot, &ladder).await.expect("asked"),
        store.rating_history(bot, &ladder, 50).await.expect("asked"),
        store.head_to_head(bot, &ladder).await.expect("asked"),
    )
}

/// Ratings of before there were several ladders are those of the standard one. The database at this
/// address must be empty.
pub async fn keeps_ratings(url: &str) {
    let store = Store::open_url(url).await.expect("it opens");
    let (one, two) = (
        arena::bot(&store, "one").await,
        arena::bot(&store, "two").await,
    );
    for winner in [MatchWinner::A, MatchWinner::Draw, MatchWinner::B] {
        arena::play(&store, &one, &two, winner).await;
    }
    let rated = arena::play(&store, &two, &one, MatchWinner::A).await;
    let friendly = arena::queue(&store, &one, &two, MatchKind::Friendly).await;
    let before = [
        rating_of(&store, one.id).await,
        rating_of(&store, two.id).await,
    ];
    store.close_store().await.expect("it closes");
    let old = Database::connect(url).await.expect("it opens");
    for statement in BEFORE_FAIR_QUEUE.iter().chain(BEFORE_LADDERS) {
        old.execute_unprepared(statement).await.expect(statement);
    }
    old.close().await.expect("it closes");

    let store = Store::open_url(url).await.expect("an older one opens");
    let now = [
        rating_of(&store, one.id).await,
        rating_of(&store, two.id).await,
    ];
    assert_eq!(now, before);
    let ladder_of = async |id| store.match_by_id(id).await.expect("there").ladder;
    assert_eq!(ladder_of(rated.id).await, Some(arena::kob()));
    assert_eq!(ladder_of(friendly.id).await, None);
    let rebuilt = store.rebuild_ladder(&arena::kob()).await.expect("rebuilt");
    assert_eq!((rebuilt.matches, rebuilt.changed), (4, 0));
    ok!(store.cancel_match(friendly.id, "", arena::at(9)));
    arena::play(&store, &one, &two, MatchWinner::A).await;
    store.close_store().await.expect("it closes");
}

/// SQL that turns a database back to its state before the migration `m024_rights`.
const BEFORE_RIGHTS: &[&str] = &[
    "DROP TABLE contest_names",
    "DROP TABLE freed_names",
    "DROP TABLE group_invitations",
    "DROP TABLE known_browsers",
    "ALTER TABLE notifications DROP COLUMN group_id",
    "DELETE FROM seaql_migrations WHERE version = 'm024_rights'",
];

/// The rights of contests of before stay with whom they were meant for, although others have taken
/// the names. The database at this address must be empty.
pub async fn keeps_rights(url: &str) {
    let store = Store::open_url(url).await.expect("it opens");
    store.set_freed_for(std::time::Duration::ZERO);
    let (by, at) = (None, arena::at);
    let mut groups = Vec::new();
    for name in ["AI 2026", "Chess", "Go"] {
        let new = new_group(name, 0, None);
        groups.push(store.create_group(new, by, at(1)).await.expect("free").id);
    }
    let (ann, _) = (
        arena::user(&store, "ann").await,
        arena::user(&store, "carol").await,
    );
    let contest = async |name: &str, seconds| {
        let new = new_contest(name, &[]);
        let actor = ContestActor {
            user: None,
            at: at(seconds),
        };
        store.create_contest(new, actor).await.expect("free")
    };
    let spring = contest("spring", 2).await;
    // The name goes from the first group to the second, and one account to an heir of its name.
    let rename = async |group, name: &str, seconds| {
        let new = GroupChange {
            name: Some(name.to_owned()),
            ..GroupChange::default()
        };
        ok!(store.change_group(group, new, by, at(seconds)));
    };
    rename(groups[0], "AI old", 3).await;
    rename(groups[1], "ai 2026", 4).await;
    let autumn = contest("autumn", 5).await;
    ok!(store.delete_group(groups[2], by, at(6)));
    let carol = ok!(store.user_by_name("carol")).expect("there");
    let deletion = deletion_by(None, at(7));
    ok!(store.delete_user(carol.id, deletion));
    let heir = new_user("carol");
    store.create_user(heir, at(8)).await.expect("free");
    let winter = contest("winter", 9).await;
    store.close_store().await.expect("it closes");
    let old = Database::connect(url).await.expect("it opens");
    for statement in BEFORE_RIGHTS {
        old.execute_unprepared(statement).await.expect(statement);
    }
    old.close().await.expect("it closes");

    let store = Store::open_url(url).await.expect("an older one opens");
    let heir = ok!(store.user_by_name("carol")).expect("there").id;
    let names = [
        FileName::of_group("AI 2026"),
        FileName::of_group("Go"),
        FileName::of_account("ann"),
        FileName::of_account("Carol"),
    ];
    for (contest, group, account, called) in [
        (&spring, groups[0], None, "AI old"),
        (&autumn, groups[1], None, "ai 2026"),
        (&winter, groups[1], Some(heir), "ai 2026"),
    ] {
        let name = &contest.name;
        let meant = store.contest_names(contest, &names).await.expect("asked");
        assert_eq!(meant.group("ai 2026"), Some(group), "{name}");
        assert_eq!(
            meant.today(NameKind::Group, "AI 2026"),
            Some(called),
            "{name}"
        );
        assert_eq!(meant.account("ANN"), Some(ann.id), "{name}");
        assert_eq!(meant.account("carol"), account, "{name}");
        assert_eq!(meant.today(NameKind::Group, "Go"), None, "{name}");
        // It is decided once.
        let again = store.contest_names(contest, &names).await.expect("asked");
        assert_eq!(again, meant, "{name}");
    }
    store.close_store().await.expect("it closes");
}

/// SQL that turns a database back to its state before the migration `m034_skeletons`.
const BEFORE_SKELETONS: &[&str] = &[
    "DROP INDEX users_by_skeleton",
    "DROP INDEX play_groups_by_skeleton",
    "DROP INDEX contests_by_skeleton",
    "DROP INDEX teams_by_scope_skeleton",
    "DROP INDEX bots_by_game_skeleton",
    "ALTER TABLE users DROP COLUMN skeleton",
    "ALTER TABLE play_groups DROP COLUMN skeleton",
    "ALTER TABLE contests DROP COLUMN skeleton",
    "ALTER TABLE teams DROP COLUMN skeleton",
    "ALTER TABLE bots DROP COLUMN skeleton",
    "DELETE FROM seaql_migrations WHERE version = 'm034_skeletons'",
];

/// Names of before that look alike stay, and nobody comes beside them. A server of the version before
/// may write names beside this one. The database at this address must be empty.
pub async fn keeps_names(url: &str) {
    let store = Store::open_url(url).await.expect("it opens");
    for name in ["tom", "tern", "spare"] {
        arena::user(&store, name).await;
    }
    for (game, name) in [("kob", "space1"), ("snakego", "x1")] {
        let made = store.ensure_built_in(game, name, "", arena::at(1)).await;
        made.expect("free");
    }
    let bot = arena::bot(&store, "space2").await;
    let mut groups = Vec::new();
    for name in ["coop", "shop"] {
        let new = new_group(name, 0, None);
        let made = store.create_group(new, None, arena::at(1)).await;
        groups.push(made.expect("free").id);
    }
    store.close_store().await.expect("it closes");
    let old = Database::connect(url).await.expect("it opens");
    let alike = [
        "UPDATE users SET name = 'torn', folded = 'torn' WHERE name = 'tern'".to_owned(),
        "UPDATE play_groups SET name = 'соор', folded = 'соор' WHERE name = 'shop'".to_owned(),
        format!(
            "UPDATE bots SET name = 'spacel', folded = 'spacel' WHERE id = {}",
            bot.id
        ),
    ];
    let statements = BEFORE_SKELETONS.iter().map(|one| (*one).to_owned());
    for statement in statements.chain(alike) {
        old.execute_unprepared(&statement).await.expect(&statement);
    }
    let store = Store::open_url(url).await.expect("an older one opens");
    let create = async |name: &str| {
        let (password, admin) = ("phc".to_owned(), false);
        let new = NewUser {
            name: name.to_owned(),
            password,
            admin,
        };
        store.create_user(new, arena::at(9)).await
    };
    for (name, is_free) in [("t0m", false), ("torn1", true), ("TORN", false)] {
        let made = create(name).await;
        assert_eq!(made.is_ok(), is_free, "{name}: {made:?}");
    }
    // A page sends the name beside a description.
    let about = |name: &str| GroupChange {
        name: Some(name.to_owned()),
        about: Some("changed".to_owned()),
        team_size: None,
    };
    let (by, at) = (None, arena::at(9));
    let same = store.change_group(groups[1], about("соор"), by, at).await;
    assert_eq!(same.expect("its own name").about, "changed");
    let other = store.change_group(groups[1], about("СООР"), by, at).await;
    assert!(matches!(other, Err(StoreError::Alike { .. })), "{other:?}");
    for name in ["tom", "torn"] {
        let there = store.user_by_name(name).await.expect("asked");
        assert_eq!(there.expect("it stays").name, name);
    }
    // The server of the version before writes names without skeletons; the next start gives them.
    let beside =
        "UPDATE users SET name = 'spore1', folded = 'spore1', skeleton = NULL WHERE name = 'spare'";
    old.execute_unprepared(beside).await.expect("written");
    old.close().await.expect("it closes");
    store.close_store().await.expect("it closes");
    let store = Store::open_url(url).await.expect("it opens again");
    let (password, admin) = ("phc".to_owned(), false);
    let new = NewUser {
        name: "sporel".to_owned(),
        password,
        admin,
    };
    let made = store.create_user(new, arena::at(9)).await;
    assert!(matches!(made, Err(StoreError::Alike { .. })), "{made:?}");
    // Once the other is gone, the one that stayed has its looks for itself.
    let tom = store.user_by_name("tom").await.expect("asked");
    let deletion = deletion_by(None, arena::at(1));
    let gone = store.delete_user(tom.expect("there").id, deletion).await;
    gone.expect("deleted");
    store.close_store().await.expect("it closes");
    let store = Store::open_url(url).await.expect("it opens again");
    let torn = store.user_by_name("torn").await.expect("asked");
    assert!(torn.expect("there").skeleton.is_some());
    store.close_store().await.expect("it closes");
}

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
            ids.push(ok!(store.create_match(new, Timestamp(0))).id);
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

//! Opening databases of older versions, and beside newer ones.

use leitai_store::migrations::upgrade::FORMER;
use leitai_store::{
    BotId, ContestPrivacy, DeletionRequest, GroupChange, Json, MatchId, MatchState, MatchWinner,
    NameKind, NewContest, NewGroup, NewUser, Store, StoreError, UserId,
};
use sea_orm::{
    ConnectOptions, ConnectionTrait, Database, DatabaseConnection, DbBackend, FromQueryResult,
    Statement,
};

use crate::arena;
use crate::arena::by_operator;
use crate::made::{account_name, group_name};
use crate::seen::says;

/// An arena that the last version before the first schema made.
const ARENA: &str = include_str!("arena_of_m045.sql");

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

/// Writes the records of the migrations of before the first schema in place of its own; the tables are
/// those that they made.
async fn go_back(database: &DatabaseConnection) {
    let run = async |sql: &str| database.execute_unprepared(sql).await.expect(sql);
    run("DELETE FROM seaql_migrations").await;
    for name in FORMER.split_whitespace() {
        run(&format!(
            "INSERT INTO seaql_migrations VALUES ('{name}', 1)"
        ))
        .await;
    }
}

/// What takes back the steps after the first schema.
const LATER: [&str; 26] = [
    "DROP INDEX jobs_by_game_file_id",
    "ALTER TABLE jobs DROP COLUMN game_file_id",
    "ALTER TABLE bots DROP COLUMN fetchable",
    "DROP TABLE parts",
    "ALTER TABLE matches DROP COLUMN part",
    "DROP TABLE situation_packs",
    "DROP TABLE situation_answers",
    "DROP TABLE home_matches",
    "DROP TABLE match_homes",
    "DROP TABLE home_bots",
    "ALTER TABLE candidate_lanes DROP COLUMN refuses",
    "DROP TABLE pins",
    "DROP INDEX experiments_of_family",
    "ALTER TABLE experiments DROP COLUMN family",
    "ALTER TABLE jobs DROP COLUMN wire",
    "ALTER TABLE experiments DROP COLUMN pool",
    "ALTER TABLE experiments DROP COLUMN pool_left",
    "ALTER TABLE experiments DROP COLUMN pins",
    "ALTER TABLE experiments DROP COLUMN settings",
    "ALTER TABLE experiments DROP COLUMN benchmark",
    "ALTER TABLE experiments DROP COLUMN book",
    "ALTER TABLE experiments DROP COLUMN book_positions",
    "ALTER TABLE candidate_lanes DROP COLUMN book",
    "ALTER TABLE candidate_lanes DROP COLUMN book_positions",
    "ALTER TABLE candidate_lanes DROP COLUMN neighbours",
    "ALTER TABLE notifications DROP COLUMN experiment",
];

async fn take_back_later(database: &DatabaseConnection) {
    for sql in LATER {
        database.execute_unprepared(sql).await.expect(sql);
    }
}

/// The rows of a query.
async fn rows(database: &DatabaseConnection, query: &str) -> Vec<Json> {
    let query = Statement::from_string(database.get_database_backend(), query);
    let rows = Json::find_by_statement(query).all(database).await;
    rows.expect("answered")
}

/// The tables of a database, and what is in them.
async fn read_tables(database: &DatabaseConnection) -> Vec<(String, Vec<Json>)> {
    let names = match database.get_database_backend() {
        DbBackend::Postgres => {
            "SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'"
        }
        // Without the planner's statistics, whose order tells nothing.
        _ => "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_stat%'",
    };
    let mut tables = Vec::new();
    for row in rows(database, &format!("{names} ORDER BY name")).await {
        let name = row["name"].as_str().expect("a name").to_owned();
        let found = rows(database, &format!("SELECT * FROM {name}")).await;
        tables.push((name, found));
    }
    tables
}

/// The names of the migrations that a database has.
async fn migrations_of(database: &DatabaseConnection) -> Vec<Json> {
    let query = "SELECT version FROM seaql_migrations ORDER BY version";
    let rows = rows(database, query).await;
    rows.into_iter().map(|row| row["version"].clone()).collect()
}

/// A database that has all migrations of before the first schema is taken over: their records alone
/// change. One that lacks any is refused, and nothing changes.
pub async fn is_taken_over(url: &str) {
    let store = Store::open_url(url).await.expect("it opens");
    let bots = [
        arena::bot(&store, "one").await,
        arena::bot(&store, "two").await,
    ];
    arena::play(&store, &bots[0], &bots[1], MatchWinner::A).await;
    store.close_store().await.expect("it closes");
    let database = Database::connect(url).await.expect("it opens");
    let new = migrations_of(&database).await;
    // PostgreSQL refuses a question again whose answer has other columns now, on the same connection.
    let tables = async || {
        let fresh = Database::connect(url).await.expect("it opens");
        let tables = read_tables(&fresh).await;
        fresh.close().await.expect("it closes");
        tables
    };
    let whole = tables().await;
    take_back_later(&database).await;
    go_back(&database).await;
    let without = |mut tables: Vec<(String, Vec<Json>)>| {
        tables.retain(|(name, _)| name != "seaql_migrations");
        tables
    };

    for lacking in ["m045_events", "m001_arena"] {
        let lack = format!("DELETE FROM seaql_migrations WHERE version = '{lacking}'");
        database.execute_unprepared(&lack).await.expect("lacking");
        let before = tables().await;
        for opened in [Store::open_url(url).await, Store::open_existing(url).await] {
            let error = opened.expect_err("it is too old").to_string();
            says(&error, &[lacking, "df7fdf3d"]);
        }
        assert_eq!(tables().await, before);
        go_back(&database).await;
    }

    for _ in 0..2 {
        let store = Store::open_existing(url).await.expect("it is taken over");
        store.close_store().await.expect("it closes");
        assert_eq!(migrations_of(&database).await, new);
    }
    assert_eq!(without(tables().await), without(whole));
    database.close().await.expect("it closes");
}

/// A database is taken over when no server of another version is connected to this PostgreSQL. The
/// database must be empty.
pub async fn waits_for_others(url: &str) {
    let store = Store::open_url(url).await.expect("it opens");
    store.close_store().await.expect("it closes");
    let mut named = ConnectOptions::new(url);
    named.map_sqlx_postgres_opts(|options| options.application_name("leitai 0.1.0 m045_events"));
    let older = Database::connect(named).await.expect("it opens");
    take_back_later(&older).await;
    go_back(&older).await;
    let before = migrations_of(&older).await;
    let error = Store::open_url(url).await.expect_err("an older one runs");
    assert!(matches!(error, StoreError::OthersRun { .. }), "{error}");
    for part in [
        "m045_schema_breaking",
        "leitai 0.1.0 m045_events; stop them",
    ] {
        assert!(error.to_string().contains(part), "{error}");
    }
    assert_eq!(migrations_of(&older).await, before);
    older.close().await.expect("it closes");
    let store = Store::open_url(url).await.expect("alone it opens");
    store.close_store().await.expect("it closes");
}

/// What SQLite says of its tables, their columns, keys and indexes, in lines.
const SCHEMA: &str = "SELECT concat_ws(' ', of.name, one.cid, one.name, lower(one.type), one.\"notnull\",
        lower(one.dflt_value), one.pk, of.sql LIKE '%AUTOINCREMENT%') AS line
    FROM sqlite_schema AS of, pragma_table_xinfo(of.name) AS one
    WHERE of.type = 'table' AND of.name NOT LIKE 'sqlite_%' AND of.name <> 'seaql_migrations'
    UNION ALL SELECT concat_ws(' ', of.name, one.\"from\", one.\"table\", one.\"to\", one.on_delete)
    FROM sqlite_schema AS of, pragma_foreign_key_list(of.name) AS one
    UNION ALL SELECT concat_ws(' ', of.name, iif(one.origin = 'c', one.name, one.origin), one.\"unique\",
        part.seqno, part.name, part.desc, part.coll, substr(made.sql, instr(made.sql, ' WHERE ')))
    FROM sqlite_schema AS of, pragma_index_list(of.name) AS one, pragma_index_xinfo(one.name) AS part
    LEFT JOIN sqlite_schema AS made ON made.name = one.name AND one.partial
    ORDER BY line";

/// An arena that the last version before the first schema made has the tables of a new one, and goes
/// on. The databases at these addresses must be empty.
pub async fn goes_on(url: &str, new: &str) {
    let old = Database::connect(format!("{url}?mode=rwc")).await;
    let old = old.expect("it opens");
    old.execute_unprepared(ARENA).await.expect("made");
    let store = Store::open_existing(url).await.expect("it is taken over");
    let other = Store::open_url(new).await.expect("it opens");
    other.close_store().await.expect("it closes");
    let other = Database::connect(new).await.expect("it opens");
    let schema = rows(&old, SCHEMA).await;
    assert!(schema.len() > 600, "{} lines", schema.len());
    assert_eq!(schema, rows(&other, SCHEMA).await);
    old.close().await.expect("it closes");
    other.close().await.expect("it closes");

    let ann = store.user_by_name("Ann").await.expect("asked");
    assert!(ann.is_some_and(|ann| ann.admin && ann.id == UserId(1)));
    assert_eq!(arena::user(&store, "carl").await.id, UserId(3));
    let told = store.notifications_of(UserId(2)).await.expect("asked");
    assert_eq!(told.len(), 2, "{told:?}");
    let contest = store.contest_by_name("spring").await.expect("there");
    assert_eq!(contest.game, "kob");
    let first = store.match_by_id(MatchId(1)).await.expect("there");
    assert_eq!(first.winner, Some(MatchWinner::B));
    let [safe, space] = [
        arena::bot(&store, "safe").await,
        arena::bot(&store, "space").await,
    ];
    assert_eq!([safe.id, space.id], [BotId(17), BotId(18)]);
    let played = arena::play(&store, &safe, &space, MatchWinner::A).await;
    fields!(played, {id: MatchId(3), state: MatchState::Finished});
    let standing = store.find_standing(safe.id, &arena::kob()).await;
    assert_eq!(standing.expect("asked").expect("it plays").games, 1);
    assert_eq!(arena::ratings_are_right(&store).await, 1);
    store.close_store().await.expect("it closes");
}

/// What there was not before contests kept whom their files name.
const BEFORE_RIGHTS: &[&str] = &[
    "DELETE FROM contest_names",
    "DELETE FROM freed_names",
    "DELETE FROM group_invitations",
    "DELETE FROM known_browsers",
];

/// The rights of contests of before stay with whom they were meant for, although others have taken
/// the names. The database at this address must be empty.
pub async fn keeps_rights(url: &str) {
    let store = Store::open_url(url).await.expect("it opens");
    store.set_freed_for(std::time::Duration::ZERO);
    let (by, at) = (None, arena::at);
    let mut groups = Vec::new();
    for name in ["AI 2026", "Chess", "Go"] {
        let new = NewGroup {
            name: name.to_owned(),
            about: String::new(),
            team_size: 0,
            organiser: None,
        };
        groups.push(store.create_group(new, by, at(1)).await.expect("free").id);
    }
    let (ann, _) = (
        arena::user(&store, "ann").await,
        arena::user(&store, "carol").await,
    );
    let contest = async |name: &str, seconds| {
        let new = NewContest {
            name: name.to_owned(),
            game: "kob".to_owned(),
            file: String::new(),
            seed: 1.into(),
            privacy: ContestPrivacy::PUBLIC,
            names: Vec::new(),
        };
        let actor = by_operator(at(seconds));
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
    let deletion = DeletionRequest {
        by: None,
        at: at(7),
    };
    ok!(store.delete_user(carol.id, deletion));
    let heir = NewUser {
        name: "carol".to_owned(),
        password: "phc".to_owned(),
        admin: false,
    };
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
        group_name("AI 2026"),
        group_name("Go"),
        account_name("ann"),
        account_name("Carol"),
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

/// The tables whose names have skeletons, which they had not in older versions.
const NAMED: [&str; 5] = ["users", "play_groups", "contests", "teams", "bots"];

/// Names of before that look alike stay, and nobody comes beside them. A server of the version before
/// may write names beside this one. The database at this address must be empty.
pub async fn keeps_names(url: &str) {
    let store = Store::open_url(url).await.expect("it opens");
    for name in ["tom", "tern", "spare"] {
        arena::user(&store, name).await;
    }
    for (game, name) in [("kob", "space1"), ("snakego", "x1")] {
        ok!(store.ensure_built_in(game, name, "", arena::at(1)));
    }
    let bot = arena::bot(&store, "space2").await;
    let mut groups = Vec::new();
    for name in ["coop", "shop"] {
        let new = NewGroup {
            name: name.to_owned(),
            about: String::new(),
            team_size: 0,
            organiser: None,
        };
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
    let forget = NAMED.map(|table| format!("UPDATE {table} SET skeleton = NULL"));
    for statement in forget.into_iter().chain(alike) {
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
    let deletion = DeletionRequest {
        by: None,
        at: arena::at(1),
    };
    ok!(store.delete_user(tom.expect("there").id, deletion));
    store.close_store().await.expect("it closes");
    let store = Store::open_url(url).await.expect("it opens again");
    let torn = store.user_by_name("torn").await.expect("asked");
    assert!(torn.expect("there").skeleton.is_some());
    store.close_store().await.expect("it closes");
}

//! Parts of an arena that move into another one, which is in use and has the same names and keys.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use leitai_store::transfer::parts::moved::{Holds, MOVED, STAYS, columns_of};
use leitai_store::*;
use sea_orm::{ConnectionTrait, Database, DbBackend, Statement};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::arena::*;

/// An arena with its blobs.
struct Place {
    store: Store,
    blobs: BlobStore,
    url: String,
}

impl Place {
    async fn open(url: &str, home: &Path, name: &str) -> Place {
        let folder = format!("file://{}", home.join(name).display());
        Place {
            store: ok!(Store::open_url(url)),
            blobs: ok!(BlobStore::open_url(&folder)),
            url: url.to_owned(),
        }
    }
}

async fn blob(place: &Place, key: &str, text: &str) -> String {
    let key = BlobKey::parse(key).expect("a key");
    ok!(place.blobs.put_blob(&key, text.as_bytes().to_vec()));
    key.to_string()
}

/// A bot of this person with a version that plays.
async fn uploaded(place: &Place, owner: &User, name: &str) -> Bot {
    let bot = ok!(place
        .store
        .create_bot(new_bot("kob", name, owner.id), at(0)));
    upload(place, &bot, &format!("sources/aa/{name}-{}", bot.id)).await;
    ok!(place.store.find_bot(bot.id))
}

async fn upload(place: &Place, bot: &Bot, key: &str) {
    let new = NewVersion {
        bot: bot.id,
        source: blob(place, key, &format!("the source {key}")).await,
        file_name: "bot.py".to_owned(),
        bytes: 10,
        notes: "notes".to_owned(),
        activates: true,
    };
    ok!(place.store.create_version(new, at(1)));
    let taken = acquire(&place.store, 1).await.expect("its job");
    ok!(place.store.finish_version(&taken.lease, ready(), at(2)));
}

/// Plays the match that waits, with a replay and a game of its own.
async fn finish(place: &Place) -> MatchId {
    let taken = acquire(&place.store, 2).await.expect("a job");
    let id = played(&taken).id;
    let key = format!("replays/0/{id}-abc.zst");
    let done = MatchResult {
        replay: Some(blob(place, &key, &format!("{{\"replay\":{id}}}")).await),
        games: vec![format!("{:064x}", id.0)],
        ..result(MatchWinner::A)
    };
    ok!(place.store.finish_match(&taken.lease, done, at(3)));
    id
}

/// What the exporting arena has, by its keys.
struct Filled {
    hydra: Bot,
    rated: MatchId,
    contest: Contest,
    secret: MatchId,
}

/// People, bots, a ladder with results, a contest that runs, and one that hides its match.
async fn fill(place: &Place) -> Filled {
    let store = &place.store;
    let [ada, bob] = [user(store, "ada").await, user(store, "bob").await];
    let hydra = uploaded(place, &ada, "hydra").await;
    upload(place, &hydra, "sources/aa/second").await;
    let wolf = uploaded(place, &bob, "wolf").await;
    let asp = bot(store, "asp").await;
    queue(store, &hydra, &wolf, MatchKind::Ladder).await;
    let rated = finish(place).await;
    queue(store, &asp, &hydra, MatchKind::Ladder).await;
    finish(place).await;
    let names = [account_name("ada"), account_name("bob")];
    let contest = ok!(store.create_contest(named_contest("spring", &names), organiser()));
    run_contest(place, &contest, [&hydra, &wolf]).await;
    let hidden = NewContest {
        privacy: ContestPrivacy {
            private: true,
            results_from: None,
        },
        ..named_contest("hidden", &[])
    };
    let hidden = ok!(store.create_contest(hidden, organiser()));
    let secret = run_contest(place, &hidden, [&hydra, &wolf]).await;
    let tags = MatchTags::parse(["final"]).expect("a tag");
    ok!(store.set_match_tags(rated, &tags, None, at(9)));
    Filled {
        hydra: ok!(store.find_bot(hydra.id)),
        rated,
        contest,
        secret,
    }
}

fn organiser() -> ContestActor {
    by_operator(at(0))
}

fn named_contest(name: &str, names: &[FileName]) -> NewContest {
    NewContest {
        file: format!("id = \"{name}\" # ours\n"),
        ..new_contest(name, names)
    }
}

/// Two bots in a stage with one match, and a second one that waits.
async fn run_contest(place: &Place, contest: &Contest, bots: [&Bot; 2]) -> MatchId {
    let (store, id) = (&place.store, contest.id);
    for bot in bots {
        ok!(store.join_contest(id, bot.id, (64, 1), organiser()));
    }
    let rules = FreezeRules {
        least: 2,
        team_size: 1,
        describe_refusal: Box::new(|_, _| None),
    };
    ok!(store.freeze_contest(id, &rules, at(5)));
    let entries: Vec<EntryId> = ok!(store.contest_entries(id))
        .iter()
        .map(|one| one.id)
        .collect();
    ok!(store.begin_stage(id, 0, &entries, at(6)));
    let mut first = None;
    for number in 0..2 {
        let (a, b) = (
            ok!(store.bot_entrant(bots[0].id)),
            ok!(store.bot_entrant(bots[1].id)),
        );
        let new = NewContestMatch {
            stage: 0,
            place: "r1.0".to_owned(),
            number,
            attempt: 0,
            pair: [entries[0], entries[1]],
            new: new_match(a, b, MatchKind::Contest),
        };
        ok!(store.queue_contest_matches(id, vec![new], at(7)));
        if number == 0 {
            first = Some(finish(place).await);
        } else {
            // In flight: a worker has it.
            acquire(store, 8).await.expect("a job");
        }
    }
    first.expect("played")
}

/// An arena in use: strangers have the names of the part, and other keys.
async fn occupy(place: &Place) {
    let store = &place.store;
    for name in ["zed", "ada", "eve"] {
        user(store, name).await;
    }
    let ada = ok!(store.user_by_name("ada")).expect("known");
    let asp = bot(store, "asp").await;
    let hydra = uploaded(place, &ada, "hydra").await;
    for _ in 0..3 {
        queue(store, &hydra, &asp, MatchKind::Ladder).await;
        finish(place).await;
    }
    ok!(store.create_contest(named_contest("spring", &[]), organiser()));
    ok!(store.open_ladders("kob", &[LadderId::new("kob", "imported")]));
}

fn read_id(file: &str) -> Result<(String, Vec<FileName>), String> {
    let id = file.split('"').nth(1).ok_or("no id")?;
    let names = ["ada", "bob", "eve"].map(account_name);
    Ok((id.to_owned(), names.to_vec()))
}

fn rules(accounts: &[(&str, &str)], dry_run: bool) -> PartRules<'static> {
    let owned = |(was, here): &(&str, &str)| ((*was).to_owned(), (*here).to_owned());
    PartRules {
        accounts: accounts.iter().map(owned).collect(),
        dry_run,
        check_name: &|name| match name.contains('<') {
            true => Err("no".to_owned()),
            false => Ok(()),
        },
        knows_game: &|game, _| game == "kob",
        read_contest: &|_, _, file| read_id(file),
        at: at(1_000),
    }
}

async fn export(place: &Place, folder: &Path, asked: &PartRequest) -> PartMoved {
    let told = |_: &str| {};
    let moved = place
        .store
        .export_part(&place.blobs, folder, asked, at(900), told)
        .await;
    moved.expect("exported")
}

async fn import(
    place: &Place,
    folder: &Path,
    rules: &PartRules<'_>,
) -> Result<PartMoved, TransferError> {
    place
        .store
        .import_part(&place.blobs, folder, rules, |_| {})
        .await
}

/// Every table's rows, to see whether something changed.
async fn count_rows(url: &str) -> BTreeMap<String, i64> {
    let database = ok!(Database::connect(url));
    let mut counts = BTreeMap::new();
    for table in tables_of(&database).await {
        let query = format!("SELECT count(*) AS count FROM \"{table}\"");
        let asked = Statement::from_string(database.get_database_backend(), query);
        let row = ok!(database.query_one_raw(asked)).expect("a row");
        counts.insert(table, row.try_get("", "count").expect("a number"));
    }
    ok!(database.close());
    // What the arena writes for itself, and blobs that wait for their rows.
    for table in ["identity", "discards", "rates", "health"] {
        counts.remove(table);
    }
    counts
}

async fn tables_of(database: &sea_orm::DatabaseConnection) -> Vec<String> {
    let query = match database.get_database_backend() {
        DbBackend::Sqlite => {
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        }
        _ => {
            "SELECT table_name::text AS name FROM information_schema.tables
             WHERE table_schema = current_schema()"
        }
    };
    let asked = Statement::from_string(database.get_database_backend(), query);
    let rows = ok!(database.query_all_raw(asked));
    rows.iter()
        .map(|row| row.try_get("", "name").expect("a name"))
        .collect()
}

/// The name here of what was called so there.
fn name_of(moved: &PartMoved, what: &str, was: &str) -> (String, Comes) {
    let mut named = moved.names.iter();
    let found = named.find(|name| name.what == what && name.was == was);
    let found = found.unwrap_or_else(|| panic!("{what} {was}: {:?}", moved.names));
    (found.name.clone(), found.comes)
}

/// Parts move between these databases, and are there as they were.
pub async fn between(from: &str, to: &str) {
    let home = tempfile::tempdir().expect("a folder");
    let there = Place::open(from, home.path(), "there").await;
    let here = Place::open(to, home.path(), "here").await;
    let filled = fill(&there).await;
    occupy(&here).await;
    let folder = |name: &str| home.path().join(name);
    a_bot_moves_with_its_versions(&there, &here, &filled, &folder("bot")).await;
    a_match_moves_alone(&there, &here, &filled, &folder("match")).await;
    a_contest_moves(&there, &here, &filled, &folder("contest")).await;
    a_ladder_moves(&there, &here, &folder("ladder")).await;
    what_stays_is_refused(&there, &filled, &folder("refused")).await;
    ratings_are_right(&here.store).await;
    let killed = home.path().join("killed");
    a_killed_import_leaves_nothing_and_goes_on(&there, &here, &filled, &killed).await;
    ok!(there.store.close_store());
    ok!(here.store.close_store());
}

async fn a_bot_moves_with_its_versions(there: &Place, here: &Place, filled: &Filled, to: &Path) {
    let asked = PartRequest {
        bots: vec![filled.hydra.id],
        with_matches: true,
        ..PartRequest::default()
    };
    let moved = export(there, to, &asked).await;
    assert_eq!(
        moved.matches, 3,
        "two of the ladder, one of the contest that all see"
    );
    let text = fs::read_to_string(to.join("tables/users.ndjson")).expect("rows");
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).expect("JSON");
        let columns: Vec<&String> = row.as_object().expect("a row").keys().collect();
        assert_eq!(
            columns,
            ["id", "name"],
            "of an account moves the name alone"
        );
    }
    // A dry run says the same, and changes nothing.
    let before = count_rows(&here.url).await;
    let asked = rules(&[("ADA", "zed")], true);
    let dry = ok!(import(here, to, &asked));
    assert_eq!(count_rows(&here.url).await, before);
    let done = ok!(import(here, to, &rules(&[("ADA", "zed")], false)));
    assert!(!done.already);
    let called = |moved: &PartMoved| {
        let names = moved.names.iter();
        names
            .map(|own| (own.was.clone(), own.name.clone(), own.comes))
            .collect::<Vec<_>>()
    };
    assert_eq!(called(&done), called(&dry));
    // The stranger with the same name gets nothing; the operator's word counts.
    assert_eq!(
        name_of(&done, "account", "ada"),
        ("zed".to_owned(), Comes::Known)
    );
    assert_eq!(
        name_of(&done, "account", "bob"),
        ("bob".to_owned(), Comes::Closed)
    );
    assert_eq!(name_of(&done, "bot", "kob/hydra").0, "kob/hydra-2");
    assert_eq!(
        name_of(&done, "bot", "kob/wolf"),
        ("kob/wolf".to_owned(), Comes::Retired)
    );
    let bob = ok!(here.store.user_by_name("bob")).expect("it came");
    assert!(bob.disabled && !bob.admin && !bob.has_password());
    let bot = ok!(here.store.bot_by_name("kob", "hydra-2")).expect("it came");
    let zed = ok!(here.store.user_by_name("zed")).expect("known");
    fields!(bot, {owner: Some(zed.id), retired: false, team: None});
    let versions = ok!(here.store.versions_of(bot.id));
    assert_eq!(versions.len(), 2);
    for version in versions {
        let version = ok!(here.store.find_version(version.id));
        let key = BlobKey::parse(version.source.as_deref().expect("a source")).expect("a key");
        let text = ok!(here.blobs.read_blob(&key));
        assert!(text.starts_with(b"the source"), "{version:?}");
    }
    // It joins as a newcomer, whatever it had there; who only came along plays nowhere.
    let standing = ok!(here.store.find_standing(bot.id, &kob())).expect("it joined");
    assert_eq!((standing.listed, standing.games), (true, 0));
    let wolf = ok!(here.store.bot_by_name("kob", "wolf")).expect("it came");
    assert_eq!((wolf.active, wolf.retired), (None, true));
    assert_eq!(ok!(here.store.find_standing(wolf.id, &kob())), None);
    let versions = ok!(here.store.versions_of(wolf.id));
    for version in versions {
        let version = ok!(here.store.find_version(version.id));
        assert_eq!(version.source, None, "nobody asked for it");
    }
    // Its results count for no ladder here.
    let filter = MatchFilter {
        bot: Some(bot.id),
        ..MatchFilter::default()
    };
    let page = ok!(here.store.list_matches(&filter, &PageQuery::first_page(9)));
    assert_eq!(page.items.len(), 3);
    for row in page.items {
        let own = ok!(here.store.match_by_id(row.id));
        assert_eq!((own.kind, own.turn), (MatchKind::Friendly, None), "{own:?}");
        assert_eq!(own.part.as_ref(), Some(&done.id));
    }
    let again = ok!(import(here, to, &rules(&[], false)));
    assert!(again.already);
    assert_eq!(
        again.names, done.names,
        "a second time tells how it is called"
    );
}

async fn a_match_moves_alone(there: &Place, here: &Place, filled: &Filled, to: &Path) {
    let asked = PartRequest {
        matches: vec![filled.rated],
        ..PartRequest::default()
    };
    export(there, to, &asked).await;
    let done = ok!(import(here, to, &rules(&[], false)));
    assert_eq!((done.matches, done.blobs), (1, 1), "and nobody's source");
    let closed = name_of(&done, "account", "bob");
    assert_eq!(
        closed,
        ("bob".to_owned(), Comes::Closed),
        "the one that came before"
    );
    let stranger = name_of(&done, "account", "ada");
    assert_eq!(
        stranger,
        ("ada-2".to_owned(), Comes::Closed),
        "without the operator's word"
    );
    let audit = ok!(here.store.list_audit(&PageQuery::first_page(1)));
    assert_eq!(audit.items[0].action, "part.import");
    assert_eq!(audit.items[0].subject, format!("part {}", done.id));
    let filter = MatchFilter::default();
    let page = ok!(here.store.list_matches(&filter, &PageQuery::first_page(1)));
    let own = ok!(here.store.match_by_id(page.items[0].id));
    let was = ok!(there.store.match_by_id(filled.rated));
    fields!(own, {seed: was.seed, winner: was.winner, config: was.config});
    let replay = async |place: &Place, own: &Match| {
        let key = BlobKey::parse(own.replay.as_ref().expect("a replay")).expect("a key");
        ok!(place.blobs.read_blob(&key))
    };
    assert_eq!(replay(here, &own).await, replay(there, &was).await);
    let tags = ok!(here.store.tags_of_matches(&[own.id]));
    assert_eq!(tags[&own.id], ["final"]);
    // What nobody needs any more goes, and what a row names stays.
    let due = ok!(here.store.claim_discards(at(1_000_000)));
    let key = own.replay.expect("a replay");
    assert!(!due.contains(&key));
}

async fn a_contest_moves(there: &Place, here: &Place, filled: &Filled, to: &Path) {
    let asked = PartRequest {
        contests: vec![filled.contest.id],
        ..PartRequest::default()
    };
    export(there, to, &asked).await;
    let done = ok!(import(here, to, &rules(&[("ada", "eve")], false)));
    let (name, comes) = name_of(&done, "contest", "spring");
    assert_eq!((name.as_str(), comes), ("spring-2", Comes::Paused));
    let own = ok!(here.store.contest_by_name(&name));
    assert_eq!(own.file, "id = \"spring-2\" # ours\n");
    assert_eq!((own.state, own.paused), (ContestState::Running, true));
    assert_eq!(own.seed, filled.contest.seed);
    let entries = ok!(here.store.contest_entries(own.id));
    let mut names = Vec::new();
    for entry in &entries {
        let bot = ok!(here.store.find_bot(entry.bot));
        let version = ok!(here.store.find_version(entry.version.expect("frozen")));
        assert!(version.source.is_some() && version.bot == bot.id);
        names.push(format!("kob/{}", bot.name));
    }
    assert_eq!(
        names,
        ["kob/hydra", "kob/wolf"].map(|was| name_of(&done, "bot", was).0)
    );
    let stages = ok!(here.store.contest_stages(own.id));
    let ids: Vec<EntryId> = entries.iter().map(|entry| entry.id).collect();
    assert_eq!(stages[0].seeded_entries(), ids);
    let played = ok!(here.store.contest_matches(own.id, None));
    assert_eq!(played.len(), 1, "what is in flight does not move");
    assert_eq!((played[0].one, played[0].other), (ids[0], ids[1]));
    assert_eq!(played[0].winner, Some(MatchWinner::A));
    // Who organises is the operator's word; a name means nobody, never who has it here.
    let all = ["ada", "bob", "eve"].map(account_name);
    let names = ok!(here.store.contest_names(&own, &all));
    let eve = ok!(here.store.user_by_name("eve")).expect("known");
    assert_eq!(names.account("ada"), Some(eve.id));
    let bob = names.account("bob").expect("it came");
    assert!(ok!(here.store.find_user(bob)).disabled);
    assert_eq!(names.account("eve"), None);
}

async fn a_ladder_moves(there: &Place, here: &Place, to: &Path) {
    let asked = PartRequest {
        ladders: vec![kob()],
        ..PartRequest::default()
    };
    export(there, to, &asked).await;
    let done = ok!(import(here, to, &rules(&[], false)));
    let (name, comes) = name_of(&done, "ladder", "kob");
    assert_eq!((name.as_str(), comes), ("kob/imported-2", Comes::Closed));
    let ladder = LadderId::new("kob", "imported-2");
    let rows = async |place: &Place, ladder: &LadderId| {
        let page = ok!(place.store.list_ladder(ladder, &PageQuery::first_page(9)));
        let rows = page.items.into_iter();
        rows.map(|row| (row.standing.skill, row.standing.games))
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(here, &ladder).await, rows(there, &kob()).await);
    let (name, _) = name_of(&done, "bot", "kob/hydra");
    let bot = ok!(here.store.bot_by_name("kob", &name["kob/".len()..])).expect("it came");
    let history = ok!(here.store.rating_history(bot.id, &ladder, 9));
    assert_eq!(history.len(), 2);
    assert_eq!(ok!(here.store.head_to_head(bot.id, &ladder)).len(), 2);
    let rebuilt = ok!(here.store.rebuild_ladder(&ladder));
    assert_eq!(
        (rebuilt.changed, rebuilt.matches),
        (0, 2),
        "its matches made these ratings"
    );
    let known = ok!(here.store.find_standing(bot.id, &kob())).expect("it joined");
    assert_eq!(known.games, 0, "two scales do not mix");
}

async fn what_stays_is_refused(there: &Place, filled: &Filled, to: &Path) {
    let open = ok!(there.store.contest_matches(filled.contest.id, None));
    let open = open.iter().map(|own| own.match_id).max().expect("two");
    for (id, said) in [(open, "is not over"), (filled.secret, "--contest hidden")] {
        let asked = PartRequest {
            matches: vec![id],
            ..PartRequest::default()
        };
        let refused = there
            .store
            .export_part(&there.blobs, to, &asked, at(900), |_| {})
            .await;
        let refused = refused.expect_err("it stays").to_string();
        assert!(refused.contains(said), "{refused}");
    }
    assert!(!to.join("part.json").exists());
}

/// Killed while the blobs came: nothing is seen, and the next attempt goes on.
async fn a_killed_import_leaves_nothing_and_goes_on(
    there: &Place,
    here: &Place,
    filled: &Filled,
    to: &Path,
) {
    let asked = PartRequest {
        bots: vec![filled.hydra.id],
        ..PartRequest::default()
    };
    let moved = export(there, to, &asked).await;
    let before = count_rows(&here.url).await;
    let rules = rules(&[], false);
    let killed = {
        let (mut brought, importing) = (0, std::cell::Cell::new(false));
        let told = |_: &str| {
            brought += 1;
            importing.set(true);
        };
        let import = here.store.import_part(&here.blobs, to, &rules, told);
        let killed = async {
            while !importing.get() {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            biased;
            () = killed => true,
            _ = import => false,
        }
    };
    assert!(killed, "it was stopped between blobs and rows");
    assert_eq!(count_rows(&here.url).await, before);
    let done = ok!(import(here, to, &rules));
    assert!(
        done.blobs_there >= 1 && done.blobs_there <= moved.blobs,
        "{done:?}"
    );
    assert!(!done.already);
}

/// A new table or column says whether it moves, and what of it names other rows.
pub async fn every_column_moves_or_says_why_not(url: &str) {
    let store = ok!(Store::open_url(url));
    ok!(store.close_store());
    let database = ok!(Database::connect(url));
    let is_sqlite = database.get_database_backend() == DbBackend::Sqlite;
    let mut schema: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for table in tables_of(&database).await {
        let query = match is_sqlite {
            true => format!("SELECT name FROM pragma_table_info('{table}')"),
            false => format!(
                "SELECT column_name::text AS name FROM information_schema.columns
                 WHERE table_schema = current_schema() AND table_name = '{table}'"
            ),
        };
        let asked = Statement::from_string(database.get_database_backend(), query);
        let rows = ok!(database.query_all_raw(asked));
        let names = rows
            .iter()
            .map(|row| row.try_get("", "name").expect("a name"));
        let mut names: Vec<String> = names.collect();
        names.sort();
        schema.insert(table, names);
    }
    for (table, columns) in &schema {
        let stays = STAYS
            .iter()
            .filter(|(name, why)| name == table && !why.is_empty())
            .count();
        let moves = MOVED.iter().filter(|(name, _)| name == table).count();
        assert_eq!(
            stays + moves,
            1,
            "{table}: say in moved.rs whether it moves with a part"
        );
        if moves == 1 {
            let mut listed: Vec<&str> = columns_of(table).map(|(name, _)| name).collect();
            listed.sort_unstable();
            assert_eq!(
                &listed, columns,
                "{table}: say in moved.rs what each column holds"
            );
        }
    }
    let listed = MOVED.iter().chain(STAYS);
    for (table, _) in listed {
        assert!(schema.contains_key(*table), "there is no table {table}");
    }
    // What the schema says of references is what is translated.
    if is_sqlite {
        for (table, _) in MOVED {
            let query = format!(
                "SELECT \"table\" AS above, \"from\" AS own FROM pragma_foreign_key_list('{table}')"
            );
            let asked = Statement::from_string(DbBackend::Sqlite, query);
            for row in ok!(database.query_all_raw(asked)) {
                let above: String = row.try_get("", "above").expect("a name");
                let own: String = row.try_get("", "own").expect("a name");
                let found = columns_of(table).find(|(name, _)| *name == own);
                let fits =
                    matches!(found, Some((_, Holds::Row(of) | Holds::Maybe(of))) if of == above);
                assert!(
                    fits || matches!(found, Some((_, Holds::Left))),
                    "{table}.{own} names {above}"
                );
            }
        }
    }
    ok!(database.close());
}

/// Changes a part as a stranger would, who can also write the list of hashes anew.
type Forge = fn(&Path);

fn edit(folder: &Path, table: &str, change: impl Fn(&mut Value)) {
    let path = folder.join(format!("tables/{table}.ndjson"));
    let text = fs::read_to_string(&path).expect("rows");
    let lines = text.lines().map(|line| {
        let mut row: Value = serde_json::from_str(line).expect("JSON");
        change(&mut row);
        row.to_string() + "\n"
    });
    fs::write(&path, lines.collect::<String>()).expect("written");
}

fn hash(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

/// Writes the hashes and the id anew.
fn seal(folder: &Path) {
    let path = folder.join("part.json");
    let mut manifest: Value =
        serde_json::from_slice(&fs::read(&path).expect("a manifest")).expect("JSON");
    for table in manifest["tables"].as_array_mut().expect("a list") {
        let file = folder.join(format!(
            "tables/{}.ndjson",
            table["name"].as_str().expect("a name")
        ));
        let Ok(text) = fs::read_to_string(file) else {
            continue;
        };
        table["sha256"] = json!(hash(text.as_bytes()));
        table["rows"] = json!(text.lines().count());
    }
    let list = fs::read_to_string(folder.join("blobs.ndjson")).expect("a list");
    manifest["blobs"] = json!({"count": list.lines().count(), "sha256": hash(list.as_bytes())});
    let held = ["schema", "arena", "roots", "games", "tables", "blobs"].map(|key| &manifest[key]);
    manifest["id"] = json!(hash(json!(held).to_string().as_bytes())[..32]);
    fs::write(path, manifest.to_string()).expect("written");
}

fn edit_manifest(folder: &Path, change: impl Fn(&mut Value)) {
    let path = folder.join("part.json");
    let mut manifest: Value =
        serde_json::from_slice(&fs::read(&path).expect("a manifest")).expect("JSON");
    change(&mut manifest);
    fs::write(path, manifest.to_string()).expect("written");
}

fn set(table: &'static str, column: &'static str, value: Value) -> impl Fn(&Path) {
    move |folder| edit(folder, table, |row| row[column] = value.clone())
}

fn first_blob(folder: &Path) -> PathBuf {
    let list = fs::read_to_string(folder.join("blobs.ndjson")).expect("a list");
    let first: Value = serde_json::from_str(list.lines().next().expect("one")).expect("JSON");
    folder
        .join("blobs")
        .join(first["key"].as_str().expect("a key"))
}

/// What strangers wrote is refused with what is wrong, and nothing is written.
const FORGED: &[(&str, Forge)] = &[
    ("is missing", |to| {
        fs::remove_file(to.join("tables/bots.ndjson")).expect("gone")
    }),
    ("not what was exported", |to| {
        fs::write(first_blob(to), "x").expect("written")
    }),
    ("is a link", |to| {
        let blob = first_blob(to);
        fs::remove_file(&blob).expect("gone");
        std::os::unix::fs::symlink("/dev/zero", &blob).expect("a link");
    }),
    ("which is no such file or named twice", |to| {
        let text = fs::read_to_string(to.join("blobs.ndjson")).expect("a list");
        let first = text.replacen("sources/aa/", "sources/../../aa/", 1);
        fs::write(to.join("blobs.ndjson"), first).expect("written");
        edit(to, "versions", |row| {
            let key = row["source"]
                .as_str()
                .map(|key| key.replace("aa/", "../../aa/"));
            if let Some(key) = key {
                row["source"] = json!(key);
            }
        });
    }),
    ("names a table that does not move", |to| {
        edit_manifest(to, |manifest| {
            manifest["tables"][0]["name"] = json!("api_tokens")
        });
    }),
    ("names a table that does not move", |to| {
        edit_manifest(to, |manifest| {
            manifest["tables"][0]["name"] = json!("../../x")
        });
    }),
    ("its id is not that", |to| {
        edit_manifest(to, |manifest| manifest["arena"] = json!("another"));
    }),
    ("there is no column `admin`", |to| {
        set("users", "admin", json!(true))(to)
    }),
    ("there is no column `password`", |to| {
        set("users", "password", json!("x"))(to)
    }),
    ("there is no column `invite`", |to| {
        set("matches", "invite", json!("x"))(to)
    }),
    ("there is no column `nonsense`", |to| {
        set("bots", "nonsense", json!(1))(to)
    }),
    ("not of its column's kind", |to| {
        set("bots", "created", json!("yesterday"))(to)
    }),
    ("`turn` is out of range", |to| {
        set("matches", "turn", json!(i64::MAX))(to)
    }),
    ("`tag` is no tag", |to| {
        set("match_tags", "tag", json!("<b>"))(to)
    }),
    ("is not JSON", |to| set("matches", "config", json!("{"))(to)),
    ("`a` is no key", |to| {
        set("matches", "a", json!("{\"name\": 7}"))(to)
    }),
    ("key 4711 of `bots`, which is not in the part", |to| {
        set("match_entrants", "bot", json!(4711))(to);
    }),
    ("key 1 of `users`, which is not in the part", |to| {
        fs::write(to.join("tables/users.ndjson"), "").expect("written");
    }),
    ("neither ready nor failed", |to| {
        set("versions", "state", json!("queued"))(to)
    }),
    ("is not the bot's, or not ready", |to| {
        set("versions", "state", json!("failed"))(to)
    }),
    ("a match is not over", |to| {
        set("matches", "state", json!("running"))(to)
    }),
    ("does not move, or of no ladder", |to| {
        set("matches", "kind", json!("experiment"))(to)
    }),
    ("matches.ndjson is not what", |to| {
        set("matches", "winner", json!("nobody"))(to)
    }),
    ("versions.ndjson is not what", |to| {
        set("versions", "number", json!(1))(to)
    }),
    ("\"<b>\": no", |to| set("bots", "name", json!("<b>"))(to)),
    ("a key is missing or there twice", |to| {
        set("versions", "id", json!(7))(to)
    }),
    ("needs the game chess", |to| {
        set("bots", "game", json!("chess"))(to)
    }),
    ("says that it is", |to| {
        set("contests", "file", json!("id = \"other\""))(to)
    }),
    ("an entry is one of another contest", |to| {
        let path = to.join("tables/contest_entries.ndjson");
        edit(to, "contests", |_| {});
        let text = fs::read_to_string(&path).expect("rows");
        let contest = fs::read_to_string(to.join("tables/contests.ndjson")).expect("rows");
        let mut other: Value = serde_json::from_str(contest.trim_end()).expect("JSON");
        other["id"] = json!(99);
        other["name"] = json!("other");
        other["file"] = json!("id = \"other\"");
        fs::write(
            to.join("tables/contests.ndjson"),
            format!("{contest}{other}\n"),
        )
        .expect("written");
        let mut lines = text
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let (mut first, second) = (lines.next().expect("one"), lines.next().expect("two"));
        first["contest"] = json!(99);
        fs::write(&path, format!("{first}\n{second}\n")).expect("written");
    }),
    ("is named by no row, or twice", |to| {
        let path = to.join("blobs.ndjson");
        let text = fs::read_to_string(&path).expect("a list");
        let twice = format!("{text}{}\n", text.lines().next().expect("one"));
        fs::write(&path, twice).expect("written");
    }),
    ("secret where the part comes from", |to| {
        edit_manifest(to, |manifest| {
            manifest["games"][0]["hidden_until"] = json!(at(9_999))
        });
    }),
    ("was made by another version", |to| {
        edit_manifest(to, |manifest| manifest["schema"] = json!("m999"));
    }),
];

/// Every forged part is refused, and the arena stays as it is; so are accounts that are not there.
pub async fn forged_parts_are_refused(from: &str, to: &str) {
    let home = tempfile::tempdir().expect("a folder");
    let there = Place::open(from, home.path(), "there").await;
    let here = Place::open(to, home.path(), "here").await;
    let filled = fill(&there).await;
    occupy(&here).await;
    let asked = PartRequest {
        bots: vec![filled.hydra.id],
        contests: vec![filled.contest.id],
        with_matches: true,
        ..PartRequest::default()
    };
    let sound = home.path().join("sound");
    export(&there, &sound, &asked).await;
    let before = count_rows(&here.url).await;
    let mut wrong = Vec::new();
    for (number, (said, forge)) in FORGED.iter().enumerate() {
        let folder = home.path().join(format!("forged-{number}"));
        let copied = std::process::Command::new("cp")
            .arg("-a")
            .args([&sound, &folder])
            .status();
        assert!(copied.expect("cp runs").success());
        forge(&folder);
        if !said.starts_with("its id") && !said.starts_with("not what") {
            seal(&folder);
        }
        let refused = import(&here, &folder, &rules(&[], false)).await;
        let refused = refused.map_or_else(|error| error.to_string(), |done| format!("{done:?}"));
        if !refused.contains(said) {
            wrong.push(format!("{said}: {refused}"));
        }
        assert_eq!(count_rows(&here.url).await, before, "{said}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (account, said) in [
        (("eve", "zed"), "it names ada, bob"),
        (("ada", "nobody"), "no account nobody"),
    ] {
        let refused = import(&here, &sound, &rules(&[account], false)).await;
        let refused = refused.expect_err(said).to_string();
        assert!(refused.contains(said), "{said}: {refused}");
        assert_eq!(count_rows(&here.url).await, before, "{said}");
    }
    ok!(there.store.close_store());
    ok!(here.store.close_store());
}

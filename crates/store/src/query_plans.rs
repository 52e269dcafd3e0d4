//! Tests with SQLite's query plans that every list uses an index that starts where the page starts.

use sea_orm::{ConnectionTrait, DbBackend, EntityTrait, FromQueryResult, QueryTrait, Statement};

use crate::{
    BotId, LadderId, MatchFilter, MatchKind, MatchState, PageQuery, Store, ladder, matches, pairing,
};

#[derive(FromQueryResult)]
struct PlanStep {
    detail: String,
}

/// The steps of a query, joined.
async fn explain_query(store: &Store, query: &impl QueryTrait) -> String {
    let query = query.build(DbBackend::Sqlite);
    let explain = format!("EXPLAIN QUERY PLAN {}", query.sql);
    let values = query.values.expect("every page has a limit");
    let explain = Statement::from_sql_and_values(DbBackend::Sqlite, explain, values);
    let rows = store.readers.query_all_raw(explain).await.expect("a plan");
    let steps = rows
        .iter()
        .map(|row| PlanStep::from_query_result(row, "").expect("a step").detail);
    steps.collect::<Vec<_>>().join("; ")
}

fn check_index(plan: &str, index: &str) {
    assert!(plan.contains(index), "{plan}: not by {index}");
    for bad in ["TEMP B-TREE", "SCAN"] {
        assert!(!plan.contains(bad), "{plan}: {bad}");
    }
}

#[tokio::test]
async fn pages_of_the_ladder_use_its_index() {
    let store = Store::open_url("sqlite::memory:").await.expect("it opens");
    let deep = PageQuery::page_after("4039000000000000-77", 50);
    for ask in [PageQuery::first_page(50), deep] {
        let plan = explain_query(
            &store,
            &ladder::query_page(&LadderId::standard("kob"), &ask).expect("a page"),
        )
        .await;
        check_index(&plan, "INDEX standings_by_ladder_listed_skill_bot");
    }
    let plan = explain_query(
        &store,
        &ladder::query_page(
            &LadderId::standard("kob"),
            &PageQuery::page_after("4039000000000000-77", 50),
        )
        .expect("a page"),
    )
    .await;
    assert!(
        plan.contains("skill<?"),
        "{plan}: a deep page reads what is above it"
    );
}

#[tokio::test]
async fn pages_of_matches_use_an_index_whatever_the_filter() {
    let store = Store::open_url("sqlite::memory:").await.expect("it opens");
    let any = MatchFilter::default;
    let (kob, ladder, bot) = (
        Some("kob".to_owned()),
        Some(MatchKind::Ladder),
        Some(BotId(3)),
    );
    let (finished, running) = (Some(MatchState::Finished), Some(MatchState::Running));
    let entrants = "match_entrants USING";
    let rows = [
        (any(), "PRIMARY KEY (rowid<?)"),
        (
            MatchFilter {
                game: kob.clone(),
                ..any()
            },
            "matches_by_game_id (game=? AND id<?)",
        ),
        (
            MatchFilter {
                kind: ladder,
                ..any()
            },
            "matches_by_kind_id (kind=? AND id<?)",
        ),
        (
            MatchFilter {
                game: kob.clone(),
                kind: ladder,
                ..any()
            },
            "matches_by_game_kind_id (game=? AND kind=? AND id<?)",
        ),
        (
            MatchFilter {
                state: running,
                ..any()
            },
            "matches_by_state_id (state=? AND id<?)",
        ),
        (
            MatchFilter {
                state: finished,
                ..any()
            },
            "matches_by_state_id (state=? AND id<?)",
        ),
        (
            MatchFilter {
                game: kob.clone(),
                state: finished,
                ..any()
            },
            "matches_by_game_id (game=? AND id<?)",
        ),
        (
            MatchFilter {
                kind: ladder,
                state: finished,
                ..any()
            },
            "matches_by_kind_id (kind=? AND id<?)",
        ),
        (
            MatchFilter {
                game: kob.clone(),
                ladder: Some(LadderId::new("kob", "small")),
                state: finished,
                ..any()
            },
            "matches_by_ladder_id (ladder=? AND id<?)",
        ),
        (MatchFilter { bot, ..any() }, entrants),
        (
            MatchFilter {
                tag: Some("final".to_owned()),
                ..any()
            },
            "match_tags USING",
        ),
        (
            MatchFilter {
                tag: Some("final".to_owned()),
                state: finished,
                ..any()
            },
            "match_tags USING",
        ),
        (
            MatchFilter {
                bot,
                game: kob,
                kind: ladder,
                state: finished,
                ..any()
            },
            entrants,
        ),
        (
            MatchFilter {
                bot,
                faulted: true,
                ..any()
            },
            "match_entrants_by_bot_faulted_match_id",
        ),
    ];
    for (filter, index) in rows {
        let page =
            matches::query_matches(&filter, &PageQuery::page_after("500", 20)).expect("a page");
        check_index(&explain_query(&store, &page).await, index);
    }
}

#[tokio::test]
async fn people_and_names_use_an_index() {
    use crate::{UserId, search};

    let store = Store::open_url("sqlite::memory:").await.expect("it opens");
    let person = MatchFilter {
        person: Some(UserId(3)),
        state: Some(MatchState::Finished),
        ..MatchFilter::default()
    };
    let page = matches::query_matches(&person, &PageQuery::page_after("500", 20)).expect("a page");
    check_index(&explain_query(&store, &page).await, "match_people USING");
    let bots = search::query_bots(DbBackend::Sqlite, "al", 10);
    check_index(&explain_query(&store, &bots).await, "bots_by_folded");
    let people = search::query_users(DbBackend::Sqlite, "al", 10);
    check_index(&explain_query(&store, &people).await, "users_by_folded");
}

#[tokio::test]
async fn queues_and_histories_use_an_index() {
    use sea_orm::{ColumnTrait, QueryFilter, QuerySelect};

    use crate::{JobState, history, jobs};

    let store = Store::open_url("sqlite::memory:").await.expect("it opens");
    let queued = jobs::Entity::find().filter(jobs::Column::State.eq(JobState::Queued));
    let queued = jobs::by_turn(queued).limit(1);
    check_index(
        &explain_query(&store, &queued).await,
        "jobs_by_state_priority_turn_id",
    );
    let history = history::query_history(BotId(3), &LadderId::standard("kob")).limit(100);
    check_index(
        &explain_query(&store, &history).await,
        "rating_changes_by_bot_ladder_id",
    );
}

#[tokio::test]
async fn pending_matches_of_a_ladder_are_found_by_their_state() {
    use sea_orm::QuerySelect;

    let store = Store::open_url("sqlite::memory:").await.expect("it opens");
    let open = pairing::query_open(&LadderId::standard("kob")).limit(9);
    let plan = explain_query(&store, &open).await;
    check_index(&plan, "matches_by_state_id (state=?)");
}

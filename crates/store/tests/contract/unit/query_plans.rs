//! Tests with SQLite's query plans that every list uses an index that starts where the page starts.

use leitai_store::overview::query_plans::Listed;
use leitai_store::{BotId, LadderId, MatchFilter, MatchState, PageQuery, Store, UserId};

use crate::jobs::read_filter;

async fn explain(store: &Store, listed: Listed<'_>) -> String {
    store.explain_for_tests(listed).await.expect("a plan")
}

fn check_index(plan: &str, index: &str) {
    assert!(plan.contains(index), "{plan}: not by {index}");
    for bad in ["TEMP B-TREE", "SCAN"] {
        assert!(!plan.contains(bad), "{plan}: {bad}");
    }
}

#[tokio::test]
async fn pages_of_the_ladder_use_its_index() {
    let (_folder, store) = crate::new_store().await;
    let kob = LadderId::standard("kob");
    let deep = || PageQuery::page_after("4039000000000000-77", 50);
    for ask in [PageQuery::first_page(50), deep()] {
        let plan = explain(&store, Listed::Ladder(&kob, &ask)).await;
        check_index(&plan, "INDEX standings_by_ladder_listed_skill_bot");
    }
    let plan = explain(&store, Listed::Ladder(&kob, &deep())).await;
    assert!(
        plan.contains("skill<?"),
        "{plan}: a deep page reads what is above it"
    );
}

#[tokio::test]
async fn pages_of_matches_use_an_index_whatever_the_filter() {
    let (_folder, store) = crate::new_store().await;
    for row in "| PRIMARY KEY (rowid<?)
game=kob | matches_by_game_id (game=? AND id<?)
ladder | matches_by_kind_id (kind=? AND id<?)
game=kob ladder | matches_by_game_kind_id (game=? AND kind=? AND id<?)
running | matches_by_state_id (state=? AND id<?)
finished | matches_by_state_id (state=? AND id<?)
game=kob finished | matches_by_game_id (game=? AND id<?)
ladder finished | matches_by_kind_id (kind=? AND id<?)
game=kob ladder=small finished | matches_by_ladder_id (ladder=? AND id<?)
bot=a | match_entrants USING
tag=final | match_tags USING
tag=final finished | match_tags USING
bot=a game=kob ladder finished | match_entrants USING
bot=a faulted | match_entrants_by_bot_faulted_match_id"
        .lines()
    {
        let (words, index) = row.split_once("| ").expect("a filter and an index");
        let filter = read_filter(words, [BotId(3); 3]);
        let page = Listed::Matches(&filter, &PageQuery::page_after("500", 20));
        check_index(&explain(&store, page).await, index);
    }
}

#[tokio::test]
async fn people_and_names_use_an_index() {
    let (_folder, store) = crate::new_store().await;
    let person = MatchFilter {
        person: Some(UserId(3)),
        state: Some(MatchState::Finished),
        ..MatchFilter::default()
    };
    let page = PageQuery::page_after("500", 20);
    for (listed, index) in [
        (Listed::Matches(&person, &page), "match_people USING"),
        (Listed::Bots("al"), "bots_by_folded"),
        (Listed::People("al"), "users_by_folded"),
    ] {
        check_index(&explain(&store, listed).await, index);
    }
}

#[tokio::test]
async fn queues_and_histories_use_an_index() {
    let (_folder, store) = crate::new_store().await;
    let kob = LadderId::standard("kob");
    for (listed, index) in [
        (Listed::Queue, "jobs_by_state_priority_turn_id"),
        (
            Listed::History(BotId(3), &kob),
            "rating_changes_by_bot_ladder_id",
        ),
        (Listed::Open(&kob), "matches_by_state_id (state=?)"),
    ] {
        check_index(&explain(&store, listed).await, index);
    }
}

//! The contract of the store, tested on SQLite and on a real PostgreSQL: one suite for both.

/// An answer, or what is asked, is this error of the store.
macro_rules! fails {
    ($asked:expr => $($error:tt)+) => {
        fails!($asked.await, $($error)+)
    };
    ($answer:expr, $($error:tt)+) => {
        fits!($answer => Err(StoreError::$($error)+))
    };
}

/// What is asked is refused with these words.
macro_rules! refuses {
    ($asked:expr => $part:expr) => {
        match $asked.await {
            Err(StoreError::Refused(why)) => assert!(why.contains($part), "{why}"),
            other => panic!("not refused: {other:?}"),
        }
    };
}

#[macro_use]
mod asked;
mod analyses;
mod arena;
mod blobs;
mod columns;
mod contests;
mod crash;
mod deletion;
mod events;
mod experiments;
mod fair_queue;
mod faults;
mod follows;
mod game_rights;
mod groups;
mod home;
mod identities;
mod jobs;
mod ladder;
mod ladders;
mod made;
mod mail;
mod moves;
mod older;
mod open;
mod parts;
mod people;
mod ports;
mod postgres;
mod proxy;
mod quotas;
mod recounts;
mod returning;
mod rights;
mod s3;
mod second_factors;
#[expect(dead_code, reason = "other tests use the rest")]
#[path = "../../../server/tests/kit/seen.rs"]
mod seen;
mod servers;
mod unit;
mod weak_bucket;
mod webhooks;

use std::future::Future;
use std::path::Path;
use std::pin::Pin;
use std::sync::{LazyLock, Once};

use leitai_store::Store;

type Test = fn(Store) -> Pin<Box<dyn Future<Output = ()>>>;

/// The tests of the suite with their names.
macro_rules! suite {
    ($($room:ident: $($test:ident)+;)*) => {
        const SUITE: &[(&str, Test)] = &[$($((stringify!($test), |store| Box::pin($room::$test(store)))),+),*];
    };
}

suite! {
    people: names_are_unique_whatever_the_case sessions_expire passwords_end_other_sessions
        locked_out_people_hold_nothing tokens_are_revoked_by_their_author_alone tokens_end_and_keep_their_scopes
        workers_and_audit_are_kept names_are_found_by_their_first_letters a_persons_matches_are_found
        results_of_people_follow_corrections tags_of_matches_are_found_and_forgotten;
    jobs: two_workers_never_get_one_job urgent_jobs_go_first workers_get_what_they_can_do
        an_old_worker_gets_no_match_that_it_would_play_otherwise
        an_expired_lease_returns_and_a_late_finish_is_lost
        the_jobs_of_a_worker_that_is_gone_are_taken_at_once a_second_finish_says_so
        attempts_run_out giving_up_and_handing_back cancelled_matches_are_lost
        versions_are_built_checked_and_activated a_version_that_stops_workers_is_set_aside
        a_check_that_hangs_is_told_from_a_worker_that_is_killed
        a_version_is_not_blamed_with_another_job_of_both_times
        only_a_job_of_the_same_lost_worker_excuses_a_version
        a_version_that_cannot_be_checked_is_not_blamed
        invites_are_taken_once people_matches_are_left_to_the_server matches_are_played_again
        matches_are_filtered cursors_are_stable_under_inserts;
    home: a_program_at_home_is_called_once_and_its_offer_ends_by_itself
        rated_matches_at_home_count_once_and_void_ones_for_nobody;
    fair_queue: an_account_that_floods_the_queue_delays_nobody turns_are_taken_by_accounts_ladders_and_contests
        what_was_given_up_costs_no_turn a_queued_job_says_where_it_stands;
    experiments: a_place_has_one_match_and_a_record a_benchmark_keeps_what_the_server_notes_and_ends_once an_accepted_candidate_plays_and_a_late_one_does_not
        variants_are_one_experiment_and_end_with_the_first_accepted
        situations_refuse_a_candidate_as_its_author_says a_moment_that_was_pinned_later_is_asked_once
        packs_are_asked_of_those_whom_they_concern uploads_take_the_lane_of_their_bot a_book_stays_while_a_row_names_it matches_of_experiments_are_in_no_list;
    ladder: results_count_exactly_once_under_concurrency one_bad_result_does_not_poison_the_others
        only_ladder_matches_are_rated a_copy_of_a_game_counts_once bots_that_fail_again_and_again_rest activating_raises_doubt the_ladder_is_paged_with_places
        bots_move_between_divisions_by_their_whole_interval
        a_ladder_in_memory_is_the_one_of_the_database
        retired_and_disabled_bots_leave_the_ladder what_may_be_fetched_is_decided_each_time pairing_knows_who_waits a_broken_ladder_is_rebuilt
        uploads_at_the_same_time_get_numbers_of_their_own
        a_corrected_result_counts_as_if_it_had_always_been corrections_that_make_no_sense_are_refused;
    ladders: ladders_of_a_game_are_separate results_of_several_ladders_are_recorded_together
        bots_join_further_ladders_unless_they_opt_out a_bot_rests_where_it_failed
        a_correction_changes_its_ladder_alone;
    deletion: a_deleted_bot_leaves_its_matches_behind deleted_versions_leave_their_numbers
        a_deleted_account_leaves_nothing_of_a_person the_last_administrator_stays
        quotas_hold_also_at_the_same_time files_are_removed_unless_somebody_names_them
        old_replays_go_and_results_stay deleting_and_playing_at_the_same_time
        games_that_nobody_plays_are_found_all;
    follows: followers_are_told_of_versions follows_and_notifications_go_with_bot_and_account
        a_person_follows_at_most_200 people_are_told_of_contests the_newest_notifications_are_kept
        people_are_told_of_best_ranks people_are_told_of_best_ranks_on_each_ladder;
    game_rights: a_game_belongs_to_who_brings_it_first quotas_of_games_hold_also_at_the_same_time
        a_reported_game_is_taken_down a_judge_program_is_checked_by_a_worker;
    returning: a_visit_is_told_from_the_one_before what_was_reached_is_merged_and_forgotten
        the_first_challenge_of_a_day_stays;
    analyses: one_server_makes_an_analysis analyses_go_with_their_replay_and_the_oldest_first;
    groups: a_member_list_is_imported_whole_or_not_at_all teams_have_one_captain_and_few_members
        organisers_manage_their_group bots_of_a_team_belong_to_all_members
        a_deleted_account_leaves_its_team_to_the_others;
    quotas: uploads_keep_to_the_quotas_of_groups friendly_matches_keep_to_the_quotas_of_groups
        quotas_of_groups_go_with_group_and_account;
    contests: every_step_of_a_contest_happens_once entries_leave_and_their_matches_end
        a_contest_with_too_few_entrants_is_annulled
        organisers_take_results_and_files_back everybody_plays_for_one_entrant;
    rights: names_in_files_mean_who_had_them names_that_were_given_up_are_nobodys
        names_that_look_alike_are_refused
        accounts_of_others_are_asked_to_join organisers_set_no_password_of_who_holds_more
        an_account_has_50_tokens_also_at_the_same_time browsers_are_known_until_the_password_changes
        replays_are_signed_with_the_newest_sound_key;
    second_factors: a_second_factor_counts_when_it_is_confirmed codes_are_taken_once_and_changes_are_told
        passkeys_answer_once_and_are_a_second_factor;
    mail: links_work_once_and_not_for_long a_mail_is_taken_by_one_server;
    identities: a_sign_in_is_taken_once_and_not_late an_identity_opens_one_account;
    webhooks: events_are_written_for_who_wants_them a_delivery_is_claimed_by_one_server
        receivers_that_do_not_answer_rest;
    servers: one_of_several_servers_leads rates_are_counted_together
        an_arena_has_one_first_administrator
        matches_of_one_person_count_at_all_servers_while_they_are_open
        a_server_that_starts_leaves_matches_to_those_who_play_them
        people_are_sent_to_tables_of_servers_that_live
        two_people_hear_each_other_after_their_match_and_an_offer_waits_a_minute;
}

/// Rows that a database in memory, which has one connection, could answer differently.
const IN_MEMORY: &[&str] = &[
    "names_are_unique_whatever_the_case",
    "two_workers_never_get_one_job",
    "cursors_are_stable_under_inserts",
    "results_count_exactly_once_under_concurrency",
    "a_ladder_in_memory_is_the_one_of_the_database",
    "deleting_and_playing_at_the_same_time",
    "every_step_of_a_contest_happens_once",
    "rates_are_counted_together",
];

/// Runs these rows of the suite, each in the database at the address that `url` gives.
fn run(is_chosen: impl Fn(&str) -> bool, url: impl Fn(&str) -> String) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    for (name, test) in SUITE.iter().filter(|(name, _)| is_chosen(name)) {
        eprintln!("{name} …");
        let url = url(name);
        runtime.block_on(async {
            let store = Store::open_url(&url).await.expect("the database opens");
            test(store.clone()).await;
            store.close_store().await.expect("it closes");
        });
    }
}

/// A new database file with its tables, which are made once.
static TABLES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    prepare(&format!("sqlite://{}/leitai.db", folder.path().display()));
    std::fs::read(folder.path().join("leitai.db")).expect("it was made")
});

/// Databases with their tables in this folder, by their names.
fn sqlite_in(folder: &Path) -> impl Fn(&str) -> String {
    move |name| {
        let file = folder.join(format!("{name}.db"));
        std::fs::write(&file, &*TABLES).expect("there is room");
        format!("sqlite://{}", file.display())
    }
}

/// Databases with their tables on this server, by their names.
fn postgres_on(server: &postgres::Postgres) -> impl Fn(&str) -> String {
    static TEMPLATE: Once = Once::new();
    TEMPLATE.call_once(|| prepare(&server.database("template")));
    // PostgreSQL uses the first 63 letters of a name.
    |name| server.database_like("template", &name[..name.len().min(60)])
}

/// A new store, until its folder is dropped.
async fn new_store() -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = sqlite_in(folder.path())("leitai");
    (folder, Store::open_url(&url).await.expect("it opens"))
}

/// Makes the tables of a database.
fn prepare(url: &str) {
    // A thread of its own, as this one may belong to a runtime.
    std::thread::scope(|scope| {
        let made = scope.spawn(|| {
            block_on(async {
                let store = Store::open_url(url).await.expect("the database opens");
                store.close_store().await.expect("it closes");
            });
        });
        made.join().expect("it is made");
    });
}

fn block_on(test: impl Future<Output = ()>) {
    tokio::runtime::Runtime::new()
        .expect("a runtime")
        .block_on(test);
}

#[test]
fn on_sqlite() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    run(|_| true, sqlite_in(folder.path()));
}

#[test]
fn upgrades_on_sqlite() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = sqlite_in(folder.path());
    upgrade(&url);
    let former = format!("sqlite://{}/former.db", folder.path().display());
    block_on(older::goes_on(&former, &url("new")));
}

#[test]
fn upgrades_on_postgres() {
    if let Some(server) = postgres::Postgres::shared() {
        let url = postgres_on(server);
        block_on(older::waits_for_others(&url("others")));
        upgrade(url);
    }
}

fn upgrade(url: impl Fn(&str) -> String) {
    block_on(older::is_taken_over(&url("former-records")));
    block_on(older::keeps_rights(&url("rights")));
    block_on(older::keeps_names(&url("names")));
    block_on(recounts::counts_copies_once(&url("recounts")));
    block_on(older::works_beside_newer(&url("beside")));
}

#[test]
fn columns_are_listed_on_sqlite() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = sqlite_in(folder.path())("columns");
    block_on(columns::are_all_listed(&url));
    block_on(columns::of_accounts_are_exported(&url));
}

#[test]
fn columns_are_listed_on_postgres() {
    if let Some(server) = postgres::Postgres::shared() {
        let url = postgres_on(server)("columns");
        block_on(columns::are_all_listed(&url));
        block_on(columns::of_accounts_are_exported(&url));
    }
}

#[test]
fn on_sqlite_in_memory() {
    let known = |name: &&str| SUITE.iter().any(|(known, _)| known == name);
    assert!(IN_MEMORY.iter().all(known), "a row has another name");
    run(
        |name| IN_MEMORY.contains(&name),
        |_| "sqlite::memory:".to_owned(),
    );
}

#[test]
fn an_arena_moves_on_sqlite() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = sqlite_in(folder.path());
    block_on(moves::along(&[url("one"), url("two")]));
    block_on(moves::stopped(&url("from"), &url("to")));
}

#[test]
fn an_arena_moves_to_postgres_and_back() {
    if let Some(server) = postgres::Postgres::shared() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (url, there) = (sqlite_in(folder.path()), postgres_on(server)("moved"));
        block_on(moves::along(&[url("one"), there, url("two")]));
    }
}

#[test]
fn parts_move_on_sqlite() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let url = sqlite_in(folder.path());
    block_on(parts::every_column_moves_or_says_why_not(&url("columns")));
    block_on(parts::between(&url("there"), &url("here")));
    block_on(parts::forged_parts_are_refused(
        &url("honest"),
        &url("attacked"),
    ));
}

#[test]
fn parts_move_to_postgres_and_back() {
    if let Some(server) = postgres::Postgres::shared() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (here, there) = (sqlite_in(folder.path()), postgres_on(server));
        block_on(parts::between(&here("a"), &there("parts-here")));
        block_on(parts::between(&there("parts-there"), &here("b")));
        block_on(parts::forged_parts_are_refused(
            &here("c"),
            &there("parts-attacked"),
        ));
    }
}

#[test]
fn on_postgres() {
    if let Some(server) = postgres::Postgres::shared() {
        run(|_| true, postgres_on(server));
    }
}

#[test]
fn killed_on_postgres() {
    if let Some(server) = postgres::Postgres::shared() {
        crash::killed_at_any_moment(&postgres_on(server)("crash"));
    }
}

#[test]
fn events_on_sqlite() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    events::all(sqlite_in(folder.path()));
}

#[test]
fn events_on_postgres() {
    if let Some(server) = postgres::Postgres::shared() {
        let url = postgres_on(server);
        block_on(events::an_earlier_event_is_waited_for(&url("earlier")));
        events::all(url);
    }
}

#[test]
fn lost_on_postgres() {
    if let Some(server) = postgres::Postgres::shared() {
        faults::lost_at_messages(server, 8);
    }
}

#[test]
fn servers_that_start_at_the_same_time_on_postgres() {
    if let Some(server) = postgres::Postgres::shared() {
        block_on(servers::start_at_the_same_time(server.database("together")));
    }
}

mod long {
    #[test]
    #[ignore = "half a minute; ./dev long"]
    fn lost_at_every_message_on_postgres() {
        if let Some(server) = crate::postgres::Postgres::shared() {
            crate::faults::lost_at_messages(server, 1);
        }
    }
}

#[test]
fn killed_on_sqlite() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    crash::killed_at_any_moment(&sqlite_in(folder.path())("crash"));
}

//! Migrations. A released migration is never changed: a new one changes the tables. It only adds
//! (columns that may be absent or have a default, tables, indexes that are not unique or that are of a
//! new column that may be absent), because
//! servers of the version before work on beside it; what takes something away comes with a later
//! version, when nobody reads it any more. Where that cannot be, its name ends in `_breaking`.

pub(crate) mod alone;
mod m001_arena;
mod m002_corrections;
mod m003_token_scopes;
mod m004_deletion;
mod m005_fleet;
mod m006_terms;
mod m007_contests;
mod m008_groups;
mod m008_rests;
mod m009_people;
mod m010_contest_changes;
mod m011_servers;
mod m012_webhooks;
mod m012b_mail;
mod m013_notifications;
mod m014_identities;
mod m015_contest_privacy;
mod m016_group_quotas;
mod m017_match_tags;
mod m018_divisions;
mod m019_ladder_turns;
mod m020_best_ranks;
mod m021_first_secrets;
mod m022_job_traces;
mod m023_ladders;
mod m024_rights;
mod m025_distinct_games;
mod m026_fair_queue;
mod m027_signing_keys;
mod m028_second_factor;
mod m030_lobby;
mod m031_recounts;
mod m032_partings;
mod m033_passkeys;
mod m034_skeletons;
mod m035_openers;
mod m036_game_files;
mod m037_returning;
mod m039_experiments;
mod m040_analyses;
mod m041_game_versions;
mod m042_game_rights;
mod m044_agents;
mod m045_events;
mod m046_variants_and_pools;
mod schema;
pub mod upgrade;

use schema::Migration;

/// All migrations, the first one first.
fn all() -> Vec<Box<dyn Migration>> {
    vec![
        Box::new(m001_arena::CreateArenaTables),
        Box::new(m002_corrections::CreateCorrectionTables),
        Box::new(m003_token_scopes::AddTokenScopes),
        Box::new(m004_deletion::AddDeletion),
        Box::new(m005_fleet::AddFleet),
        Box::new(m006_terms::RenameTerms),
        Box::new(m007_contests::CreateContestTables),
        Box::new(m008_groups::AddGroups),
        Box::new(m008_rests::AddRests),
        Box::new(m009_people::AddPeople),
        Box::new(m010_contest_changes::AddContestChanges),
        Box::new(m011_servers::AddServers),
        Box::new(m012_webhooks::AddWebhooks),
        Box::new(m012b_mail::AddMail),
        Box::new(m013_notifications::AddNotifications),
        Box::new(m014_identities::AddIdentities),
        Box::new(m015_contest_privacy::AddContestPrivacy),
        Box::new(m016_group_quotas::AddGroupQuotas),
        Box::new(m017_match_tags::AddMatchTags),
        Box::new(m018_divisions::AddDivisions),
        Box::new(m019_ladder_turns::AddLadderTurns),
        Box::new(m020_best_ranks::AddBestRanks),
        Box::new(m021_first_secrets::AddFirstSecrets),
        Box::new(m022_job_traces::AddJobTraces),
        Box::new(m023_ladders::AddLadders),
        Box::new(m024_rights::AddRights),
        Box::new(m025_distinct_games::AddDistinctGames),
        Box::new(m026_fair_queue::AddFairQueue),
        Box::new(m027_signing_keys::AddSigningKeys),
        Box::new(m028_second_factor::AddSecondFactor),
        Box::new(m030_lobby::AddLobby),
        Box::new(m031_recounts::AddRecounts),
        Box::new(m032_partings::AddPartings),
        Box::new(m033_passkeys::AddPasskeys),
        Box::new(m034_skeletons::AddSkeletons),
        Box::new(m035_openers::AddOpeners),
        Box::new(m036_game_files::AddGameFiles),
        Box::new(m037_returning::AddReturning),
        Box::new(m039_experiments::AddExperiments),
        Box::new(m040_analyses::AddAnalyses),
        Box::new(m041_game_versions::AddGameVersions),
        Box::new(m042_game_rights::AddGameRights),
        Box::new(m044_agents::AddAgents),
        Box::new(m045_events::AddEvents),
        Box::new(m046_variants_and_pools::AddVariantsAndPools),
    ]
}

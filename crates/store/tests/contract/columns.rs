//! Text columns of the schema that name somebody, or something that has a name, and what hangs on
//! each. A new text column fails the test until it is in one of the two lists: whoever adds it says
//! whether a right hangs on a name, which must not be.

use std::collections::BTreeSet;

use leitai_store::Store;
use sea_orm::{ConnectionTrait, Database, DbBackend, Statement};

/// What hangs on a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hangs {
    /// The name of this row, unique: who writes it means who has it at that moment.
    OwnName,
    /// Nothing but what people read.
    Shown,
    /// Rights, which hang on the key that stands in the text.
    Key,
    /// Rights, which hang on the key that the name became when it was written.
    Resolved,
    /// Rights: whoever has the secret, or reads the mail at the address, has them; nobody can take
    /// the text.
    Secret,
    /// A count or a pause, not a right.
    Counts,
    /// Which row of the operator's own is meant; only the operator gives these names.
    Operator,
    /// A name that is looked up later.
    Later,
}

use Hangs::{Counts, Key, Later, Operator, OwnName, Resolved, Secret, Shown};

/// Every text column that could name an account, a group, a team, a bot, a contest, a worker, a
/// server, a token, or a person elsewhere.
const NAMES: &[(&str, Hangs)] = &[
    // The operator binds a worker's token to this name of a worker.
    ("api_tokens.name", Shown),
    ("audit.detail", Key),
    // `user 5 (ada)`: the key, and the name of then, which is forgotten with the account.
    ("audit.subject", Shown),
    ("bots.folded", OwnName),
    ("bots.name", OwnName),
    ("bots.skeleton", OwnName),
    // When the contest's file is published; an update resolves the names that are new in it.
    ("contest_names.folded", Resolved),
    ("contest_stages.seeds", Key),
    // `contest_names` has the keys.
    ("contests.file", Resolved),
    ("contests.name", Shown),
    ("contests.note", Shown),
    ("contests.skeleton", OwnName),
    ("contest_entries.why", Shown),
    ("event_positions.subscriber", Counts),
    ("events.payload", Key),
    ("events.subject", Key),
    // With the name of the agent that wrote the bot, as its author says it.
    ("experiments.benchmark", Shown),
    ("experiments.note", Shown),
    ("corrections.why", Shown),
    // Beside it stands the key of who had the name.
    ("freed_names.hash", Resolved),
    // What the reporter wrote; the account stands beside it by its key.
    ("game_reports.note", Shown),
    ("games_read.subject", Key),
    // When the holder confirms, it is the team of the group with this name, or a new one. Only the
    // group's organisers write it, and the holder brings nothing into the team.
    ("group_invitations.team", Later),
    ("identities.issuer", Operator),
    ("identities.provider", Operator),
    // The provider's key of a person, never a name there.
    ("identities.subject", Key),
    ("identity.arena", Key),
    // `account 5`, `ladder kob`, `contest 7`.
    ("jobs.flow", Counts),
    ("jobs.note", Shown),
    // The right is the token; who takes a lost worker's name has none of its leases.
    ("jobs.worker", Counts),
    ("leadership.holder", Key),
    ("lobby.server", Key),
    ("mail_addresses.address", Secret),
    ("mail_addresses.folded", Secret),
    ("mail_links.address", Secret),
    ("mails.subject", Shown),
    // Names of the moment of the match beside the keys of account, bot and version.
    ("matches.a", Key),
    ("matches.b", Key),
    ("matches.note", Shown),
    ("matches.part", Shown),
    ("matches.worker", Shown),
    ("newcomers.issuer", Operator),
    ("newcomers.name", Shown),
    ("newcomers.provider", Operator),
    ("newcomers.subject", Key),
    ("notifications.key", Key),
    ("pins.why", Shown),
    ("openers.opener", Counts),
    ("partings.rematch", Key),
    // Who was told so at the import.
    ("parts.said", Shown),
    ("parts.arena", Key),
    ("parts.id", Key),
    ("passkeys.name", Shown),
    ("play_groups.about", Shown),
    ("home_bots.folded", OwnName),
    ("home_bots.name", OwnName),
    // Whoever has the secrets is the command of the program.
    ("home_bots.seat_token", Secret),
    ("home_bots.session", Secret),
    ("play_groups.folded", OwnName),
    ("play_groups.name", OwnName),
    ("play_groups.skeleton", OwnName),
    ("rates.key", Counts),
    ("recounts.subject", Key),
    ("sign_ins.provider", Operator),
    ("signing_keys.arena", Key),
    ("situation_answers.answers", Shown),
    ("situation_packs.content", Shown),
    ("situation_packs.file", Shown),
    ("situation_packs.name", Shown),
    ("teams.folded", OwnName),
    ("teams.name", OwnName),
    ("teams.skeleton", OwnName),
    ("users.folded", OwnName),
    ("users.name", OwnName),
    ("users.skeleton", OwnName),
    ("versions.file_name", Shown),
    ("webhook_deliveries.key", Key),
    ("webhook_deliveries.subject", Key),
    ("webhooks.host", Counts),
    ("webhooks.owner_kind", Key),
    ("webhooks.url", Secret),
    ("workers.name", Counts),
];

/// Text columns that name nobody: secrets and their hashes, kinds and states, what games and programs
/// are or said, keys of blobs, names of games and ladders (which are the operator's): a table and its
/// columns, on more lines if there are many.
const OTHERS: &str = "
// Levels, scores, days and numbers of matches.
    achievements: kept
// Keys of blobs, and a secret of the attempt.
    analyses: blob holder replay version
    api_tokens: hash kind scopes
    audit: deed
    bots: about game
// Hashes of position books.
    candidate_lanes: book lane refuses
    contest_entries: left
    contest_matches: place
    contest_names: kind
    contests: game rules state
    corrections: after before reason_before
    counted_actions: kind
// A game, a match and a moment of it; who played there stands at the match.
    daily_challenges: challenge day
    discards: key
    distinct_games: game ladder
    doubt_raises: ladder
    events: kind
// Players by their numbers in the pair.
    experiment_matches: record
    experiments: book config game pins pool pool_left
// Arguments and limits of programs.
    experiments: settings state
    first_secrets: hash
    follows: kind
    game_files: game hash rules said state
    game_owners: game
// Of two built-in bots.
    game_previews: replay
    game_reports: game reason
    games_read: games
    group_quotas: languages
    head_to_heads: ladder
    home_bots: game protocol
    home_matches: game
    jobs: game kind state token trace
    known_browsers: hash
    ladders: game ladder
    mail_addresses: lang problem
    mail_links: hash kind
    mails: kind
    match_people: side
    match_tags: tag
    matches: a_seat_token b_seat_token config faults game invite kind ladder leg_outcomes limits
        reason replay scores state winner
    newcomers: browser return_to
    notifications: game kind ladder
    partings: a_said b_said
    passkey_challenges: hash kind state
    passkeys: credential key state
    pins: played
    rating_changes: ladder reason
    recorded_legs: record
    recovery_codes: hash
    second_factors: secret
    sessions: hash
    sign_ins: browser return_to state
    signing_keys: public secret why
    situation_answers: source
    situation_packs: game
    standings: ladder trend
    teams: code
    users: password
    versions: failure how log notes protocol report source state steps
    webhook_deliveries: event note state
    webhooks: events off secret
    workers: isolation version";

/// All columns but numbers.
const OF_SQLITE: &str = "SELECT tables.name AS of, columns.name AS name
    FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite_%'
    AND lower(columns.type) NOT IN ('integer', 'bigint', 'boolean', 'real', 'double', 'float')";
const OF_POSTGRES: &str = "SELECT table_name::text AS of, column_name::text AS name
    FROM information_schema.columns WHERE table_schema = 'public'
    AND data_type NOT IN ('integer', 'bigint', 'boolean', 'real', 'double precision', 'smallint')";

/// Columns with the key of an account that a person's export leaves out.
const NOT_EXPORTED: &[&str] = &[
    // The person is somebody else's to tell: who invited, who is followed.
    "group_invitations.inviter",
    "notifications.player",
    // The report stands under `game_reports.user`.
    "game_reports.open_by",
    // Of names that were given up; the name itself is a hash there.
    "freed_names.owner",
    // A person, a group or a team, by its kind; exported to whom made it.
    "webhooks.owner",
    // For minutes, and made of secrets.
    "mail_links.user",
    "passkey_challenges.user",
    "recovery_codes.user",
    "sign_ins.user",
    // What is left to do for an account that is gone.
    "erasures.user",
];

/// All columns with the key of an account.
const OF_SQLITE_ACCOUNTS: &str = "SELECT tables.name AS of, columns.name AS name
    FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
    WHERE tables.type = 'table' AND columns.name IN
    ('user', 'owner', 'creator', 'captain', 'inviter', 'player', 'brought_by', 'open_by')";
const OF_POSTGRES_ACCOUNTS: &str = "SELECT table_name::text AS of, column_name::text AS name
    FROM information_schema.columns WHERE table_schema = 'public' AND column_name IN
    ('user', 'owner', 'creator', 'captain', 'inviter', 'player', 'brought_by', 'open_by')";

/// A person is given what the arena keeps about him, but for what is named above.
pub async fn of_accounts_are_exported(url: &str) {
    let there = columns(url, [OF_SQLITE_ACCOUNTS, OF_POSTGRES_ACCOUNTS]).await;
    let exported = leitai_store::removal::personal_data::account_columns();
    let mut known: BTreeSet<String> = exported.filter(|name| name != "users.id").collect();
    known.extend(NOT_EXPORTED.iter().map(|&name| name.to_owned()));
    let new: Vec<_> = there.symmetric_difference(&known).collect();
    assert!(
        new.is_empty(),
        "exported to whom they are about, or why not? {new:?}"
    );
}

/// The text columns of a new database at this address.
async fn text_columns(url: &str) -> BTreeSet<String> {
    columns(url, [OF_SQLITE, OF_POSTGRES]).await
}

/// The columns of a new database at this address that a query finds in its schema.
async fn columns(url: &str, [sqlite, postgres]: [&str; 2]) -> BTreeSet<String> {
    let store = Store::open_url(url).await.expect("the database opens");
    store.close_store().await.expect("it closes");
    let database = Database::connect(url).await.expect("it opens");
    let backend = database.get_database_backend();
    let query = match backend {
        DbBackend::Postgres => postgres,
        _ => sqlite,
    };
    let rows = database.query_all_raw(Statement::from_string(backend, query));
    let rows = rows.await.expect("asked");
    let found = rows.iter().map(|row| {
        let [of, name] = ["of", "name"].map(|part| row.try_get::<String>("", part).expect("text"));
        format!("{of}.{name}")
    });
    let found = found.filter(|column| !column.starts_with("seaql_migrations."));
    found.collect()
}

/// [`OTHERS`] as `table.column`.
fn others() -> impl Iterator<Item = String> {
    let lines = OTHERS.lines().filter(|line| !line.starts_with("//"));
    let mut table = "";
    lines
        .flat_map(str::split_whitespace)
        .filter_map(move |word| {
            match word.strip_suffix(':') {
                Some(begun) => table = begun,
                None => return Some(format!("{table}.{word}")),
            }
            None
        })
}

/// Every text column is in one of the lists, and both lists speak of columns that exist.
pub async fn are_all_listed(url: &str) {
    let there = text_columns(url).await;
    let names = NAMES.iter().map(|(column, _)| *column);
    let mut known = BTreeSet::new();
    for column in names.map(str::to_owned).chain(others()) {
        assert!(there.contains(&column), "{column} is not in the schema");
        assert!(known.insert(column.clone()), "{column} is there twice");
    }
    let new: Vec<_> = there.difference(&known).collect();
    assert!(
        new.is_empty(),
        "new text columns: could they name somebody, and what hangs on the name? {new:?}"
    );
    let later = NAMES.iter().filter(|(_, hangs)| *hangs == Later);
    let later: Vec<_> = later.map(|(column, _)| *column).collect();
    assert_eq!(
        later,
        ["group_invitations.team"],
        "a name is not looked up later"
    );
}

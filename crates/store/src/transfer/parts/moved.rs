//! Which tables move with a part of an arena, and what their columns hold: a new table or column is in
//! one of these two lists, or the test `every_column_moves_or_says_why_not` fails.

use serde_json::{Map, Value};

use crate::transfer::error::TransferError;
use crate::{BotId, MatchEntrant, UserId, VersionId};

/// A row as the folder has it.
pub type Row = Map<String, Value>;

/// The tables that move, those that others refer to first, and their columns. After a name: `!` the
/// row's own key, `>` the key of a row that comes along, `?` of one that may stay behind, `@` a value
/// with keys in it, `-` what does not move.
pub const MOVED: &[(&str, &str)] = &[
    (
        "users",
        "id! name folded- skeleton- password- admin- disabled- created- password_temporary-",
    ),
    (
        "bots",
        "id! game name folded- skeleton- owner>users about active?versions retired disabled created \
         deleted team- by_agent fetchable-",
    ),
    (
        "versions",
        "id! bot>bots number state source@blob file_name bytes notes activates source_public created \
         finished how protocol log steps report failure deleted",
    ),
    (
        "matches",
        "id! game kind state a@entrant b@entrant a_bot?bots b_bot?bots a_seat_token- b_seat_token- \
         invite- seed config limits@limits legs priority created started finished worker- \
         again_of?matches winner reason scores leg_outcomes faults a_faults b_faults a_longest_us \
         b_longest_us replay@blob turn a_change b_change note replay_bytes replay_removed ladder@ladder \
         copy_of?matches part-",
    ),
    ("match_entrants", "bot>bots match_id>matches faulted"),
    ("match_people", "user>users match_id>matches side"),
    ("match_homes", "user>users match_id>matches"),
    ("match_tags", "tag match_id>matches"),
    (
        "corrections",
        "id! match_id>matches at user- before reason_before after why",
    ),
    (
        "contests",
        "id! name skeleton- game rules file seed state paused- created frozen ended note private \
         results_from",
    ),
    (
        "contest_entries",
        "id! contest>contests bot>bots version?versions joined left why",
    ),
    (
        "contest_stages",
        "contest>contests stage begun seeds@entries",
    ),
    (
        "contest_matches",
        "match_id>matches contest>contests stage place number attempt one>contest_entries \
         other>contest_entries taken_back",
    ),
    (
        "contest_names",
        "contest>contests kind folded target@target",
    ),
    (
        "situation_packs",
        "id! game contest>contests name moments content hidden_until created file",
    ),
    ("ladders", "ladder@ladder turn picks game open-"),
    (
        "standings",
        "ladder@ladder bot>bots listed opted_out skill doubt games wins draws losses faults longest_us \
         picked played trend failing rests rest_match?matches division turn best_rank best_rank_since \
         copies base_skill base_doubt",
    ),
    (
        "rating_changes",
        "id! bot>bots match_id?matches at skill doubt ladder@ladder reason",
    ),
    ("doubt_raises", "ladder@ladder turn bot>bots"),
    (
        "head_to_heads",
        "ladder@ladder bot>bots rival>bots wins draws losses",
    ),
    (
        "distinct_games",
        "ladder@ladder game@games match_id>matches",
    ),
];

const OF_PEOPLE: &str =
    "an account stays where its holder has it; of one that occurs the name moves";
const OF_GROUPS: &str =
    "groups and teams have rights, which nobody gains; bots of a team are its captain's";
const OF_SECRETS: &str = "a secret, or what proves who somebody is";
const OF_EXPERIMENTS: &str = "experiments and lanes are the author's work at one arena";
const OF_MESSAGES: &str = "what people of the other arena are told, and want to be told";
const OF_NOW: &str = "what servers and workers note for the moment";
const OF_HOME: &str = "a program at home is offered at one arena, whose ladder of such programs is a scale of its own";
const OF_GAMES: &str = "games move as game files, by `leitai game`";
const MADE_ANEW: &str = "made anew from the replays";

/// The tables that stay, and why.
pub const STAYS: &[(&str, &str)] = &[
    ("seaql_migrations", OF_NOW),
    ("sessions", OF_SECRETS),
    ("api_tokens", OF_SECRETS),
    ("first_secrets", OF_SECRETS),
    ("identities", OF_SECRETS),
    ("sign_ins", OF_SECRETS),
    ("newcomers", OF_SECRETS),
    ("second_factors", OF_SECRETS),
    ("recovery_codes", OF_SECRETS),
    ("passkeys", OF_SECRETS),
    ("passkey_challenges", OF_SECRETS),
    ("known_browsers", OF_SECRETS),
    ("signing_keys", OF_SECRETS),
    ("freed_names", OF_PEOPLE),
    ("visits", OF_PEOPLE),
    ("achievements", OF_PEOPLE),
    ("counted_actions", OF_PEOPLE),
    (
        "match_askers",
        "the right to change tags, which nobody gains",
    ),
    ("follows", OF_MESSAGES),
    ("notifications", OF_MESSAGES),
    ("mail_addresses", OF_MESSAGES),
    ("mail_links", OF_MESSAGES),
    ("mails", OF_MESSAGES),
    ("webhooks", OF_MESSAGES),
    ("webhook_deliveries", OF_MESSAGES),
    ("events", OF_MESSAGES),
    ("event_positions", OF_MESSAGES),
    ("recorded_legs", "only matches that are over move"),
    ("openers", "only matches that are over move"),
    ("home_bots", OF_HOME),
    ("home_matches", OF_HOME),
    ("lobby", "only matches that are over move"),
    ("partings", "only matches that are over move"),
    (
        "jobs",
        "only matches that are over, and versions that were checked, move",
    ),
    ("workers", OF_NOW),
    ("leadership", OF_NOW),
    ("rates", OF_NOW),
    ("health", OF_NOW),
    ("identity", OF_NOW),
    ("discards", OF_NOW),
    ("erasures", OF_NOW),
    ("replay_rewrites", OF_NOW),
    ("analyses", MADE_ANEW),
    ("recounts", MADE_ANEW),
    ("games_read", MADE_ANEW),
    ("daily_challenges", "the challenge of a day is the arena's"),
    ("play_groups", OF_GROUPS),
    ("group_members", OF_GROUPS),
    ("group_invitations", OF_GROUPS),
    ("group_quotas", OF_GROUPS),
    ("teams", OF_GROUPS),
    ("team_members", OF_GROUPS),
    ("experiments", OF_EXPERIMENTS),
    ("experiment_matches", OF_EXPERIMENTS),
    ("candidate_lanes", OF_EXPERIMENTS),
    ("pins", OF_EXPERIMENTS),
    ("situation_answers", OF_EXPERIMENTS),
    ("game_files", OF_GAMES),
    ("game_owners", OF_GAMES),
    ("game_rights", OF_GAMES),
    ("game_previews", OF_GAMES),
    ("game_reports", OF_GAMES),
    ("audit", "each arena's log is of what was done there"),
    ("parts", "what this arena imported"),
];

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// No key.
    Plain,
    /// The row's own key.
    Key,
    /// The key of a row that comes along.
    Row(&'static str),
    /// The key of a row that may stay behind.
    Maybe(&'static str),
    /// An entrant of a match, with bot, version and account.
    Entrant,
    /// A list of entries of a contest.
    Entries,
    /// The id of a ladder.
    Ladder,
    /// Versions in their seats, and a game.
    Games,
    /// An account or a group, as the column `kind` says.
    Target,
    /// The limits of a match, with the match from which it goes on.
    Limits,
    /// The key of a blob.
    Blob,
    /// What does not move.
    Left,
}

/// The columns of a table that moves.
pub fn columns_of(table: &str) -> impl Iterator<Item = (&'static str, Holds)> {
    let found = MOVED.iter().find(|(name, _)| *name == table);
    let words = found.map_or("", |(_, words)| *words).split_whitespace();
    words.map(read_word)
}

fn read_word(word: &'static str) -> (&'static str, Holds) {
    let Some(at) = word.find(['!', '>', '?', '@', '-']) else {
        return (word, Holds::Plain);
    };
    let (name, after) = (&word[..at], &word[at + 1..]);
    let holds = match (word.as_bytes()[at], after) {
        (b'!', _) => Holds::Key,
        (b'>', _) => Holds::Row(after),
        (b'?', _) => Holds::Maybe(after),
        (b'@', "entrant") => Holds::Entrant,
        (b'@', "entries") => Holds::Entries,
        (b'@', "ladder") => Holds::Ladder,
        (b'@', "games") => Holds::Games,
        (b'@', "target") => Holds::Target,
        (b'@', "limits") => Holds::Limits,
        (b'@', "blob") => Holds::Blob,
        _ => Holds::Left,
    };
    (name, holds)
}

/// Whether rows of a table have a key of their own.
pub fn has_key(table: &str) -> bool {
    columns_of(table).any(|(_, holds)| holds == Holds::Key)
}

/// Who meets the keys in a row: it gives what stands in their place, or `None` where nothing does.
pub trait Keys {
    /// The key of a row of this table; whether the row must be there.
    fn meet_row(
        &mut self,
        table: &'static str,
        key: i64,
        needed: bool,
    ) -> Result<Option<i64>, TransferError>;

    /// The id of a ladder.
    fn meet_ladder(&mut self, id: &str) -> Result<Option<String>, TransferError>;
}

/// Shows every key in a row but its own, and puts in its place what is given.
pub fn visit_keys(table: &str, row: &mut Row, keys: &mut impl Keys) -> Result<(), TransferError> {
    let is_account = row.get("kind").and_then(Value::as_str) == Some("account");
    for (name, holds) in columns_of(table) {
        let Some(value) = row.get(name) else { continue };
        let wrong = || TransferError::wrong_row(table, &format!("`{name}` is no key: {value}"));
        let number = || value.as_i64().ok_or_else(wrong);
        let text = || value.as_str().ok_or_else(wrong);
        let new = match holds {
            Holds::Plain | Holds::Key | Holds::Blob | Holds::Left => continue,
            Holds::Row(of) => keys.meet_row(of, number()?, true)?.map(Value::from),
            Holds::Maybe(of) => keys.meet_row(of, number()?, false)?.map(Value::from),
            Holds::Target if is_account => {
                let target = keys.meet_row("users", number()?, false)?;
                target.map(Value::from)
            }
            // Groups stay behind.
            Holds::Target => None,
            Holds::Ladder => keys.meet_ladder(text()?)?.map(Value::from),
            Holds::Entrant => Some(visit_entrant(text()?, keys, wrong)?.into()),
            Holds::Entries => Some(visit_entries(text()?, keys, wrong)?.into()),
            Holds::Games => Some(visit_games(text()?, keys, wrong)?.into()),
            Holds::Limits => Some(visit_limits(text()?, keys, wrong)?.into()),
        };
        match new {
            Some(new) => row.insert(name.to_owned(), new),
            None => row.remove(name),
        };
    }
    Ok(())
}

fn visit_entrant(
    text: &str,
    keys: &mut impl Keys,
    wrong: impl Fn() -> TransferError,
) -> Result<String, TransferError> {
    let mut own: MatchEntrant = serde_json::from_str(text).map_err(|_| wrong())?;
    if let Some(bot) = own.bot {
        own.bot = keys.meet_row("bots", bot.0, false)?.map(BotId);
    }
    if let Some(version) = own.version {
        own.version = keys.meet_row("versions", version.0, false)?.map(VersionId);
    }
    if let Some(user) = own.user {
        own.user = keys.meet_row("users", user.0, false)?.map(UserId);
    }
    own.home_bot = None;
    serde_json::to_string(&own).map_err(|_| wrong())
}

fn visit_entries(
    text: &str,
    keys: &mut impl Keys,
    wrong: impl Fn() -> TransferError,
) -> Result<String, TransferError> {
    let all: Vec<i64> = serde_json::from_str(text).map_err(|_| wrong())?;
    let mut new = Vec::new();
    for entry in all {
        new.extend(keys.meet_row("contest_entries", entry, true)?);
    }
    serde_json::to_string(&new).map_err(|_| wrong())
}

/// `12-13-…` or `bot4-13-…`, see `games_of` in `ladders/distinct_games.rs`.
fn visit_games(
    text: &str,
    keys: &mut impl Keys,
    wrong: impl Fn() -> TransferError,
) -> Result<String, TransferError> {
    let mut new = Vec::new();
    let parts: Vec<&str> = text.splitn(3, '-').collect();
    let [first, second, game] = parts[..] else {
        return Err(wrong());
    };
    for seat in [first, second] {
        let (table, before, key) = match seat.strip_prefix("bot") {
            Some(key) => ("bots", "bot", key),
            None => ("versions", "", seat),
        };
        let key = key.parse().map_err(|_| wrong())?;
        let key = keys.meet_row(table, key, true)?.ok_or_else(&wrong)?;
        new.push(format!("{before}{key}"));
    }
    Ok(format!("{}-{}-{game}", new[0], new[1]))
}

/// `{"from": {"match": 7, …}}`: the match from which this one goes on.
fn visit_limits(
    text: &str,
    keys: &mut impl Keys,
    wrong: impl Fn() -> TransferError,
) -> Result<String, TransferError> {
    let mut limits: Value = serde_json::from_str(text).map_err(|_| wrong())?;
    let from = limits.get("from").and_then(|from| from.get("match"));
    if let Some(from) = from {
        let key = from.as_i64().ok_or_else(&wrong)?;
        match keys.meet_row("matches", key, false)? {
            Some(new) => limits["from"]["match"] = new.into(),
            None => _ = limits.as_object_mut().map(|limits| limits.remove("from")),
        }
    }
    Ok(limits.to_string())
}

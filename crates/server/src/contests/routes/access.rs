//! Who may publish and organise a contest: administrators, the organisers of the group that it is
//! for, and the accounts that its file names. What it hides from others.

use leitai_contest::file::{Contest as Rules, SeedRules, WhoMayEnter};
use leitai_store::{
    Contest, ContestActor, ContestId, ContestNames, GroupId, GroupRole, StoreError, Timestamp,
};

use crate::contests::names::find_names;
use crate::contests::rules::read_contest;
use crate::http::app::App;
use crate::http::caller::{SignedInUser, second_factor_required};
use crate::http::error::{ApiError, Result};

/// The most matches of a contest that a group's organiser publishes.
const GROUP_MATCHES: u64 = 50_000;

/// What a caller is to a contest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ContestRole {
    /// Does not know that it exists: it is private.
    Stranger,
    /// Sees what everybody sees of a public contest.
    Viewer,
    /// Sees and changes everything.
    Organiser,
}

/// Whether the contest's game is hidden: then nobody but its organisers knows of the contest.
fn hides_game(app: &App, contest: &Contest) -> bool {
    let is_hidden = || app.games.find_hidden(&contest.game).is_some();
    contest.rules.is_none() && app.find_game(&contest.game).is_none() && is_hidden()
}

/// What the caller, if signed in, is to this contest. A private one is known to who organises it, who
/// may enter it, and who plays in it.
async fn role_in_contest(
    app: &App,
    user: Option<&SignedInUser>,
    contest: &Contest,
) -> Result<ContestRole, StoreError> {
    let Some(user) = user else {
        return Ok(match contest.private {
            true => ContestRole::Stranger,
            false => ContestRole::Viewer,
        });
    };
    if let Some(user) = user.with_second_factor() {
        // Without the second factor an organiser sees what others see.
        let role = Box::pin(role_in_contest(app, Some(&user), contest)).await?;
        return Ok(match role {
            ContestRole::Organiser => ContestRole::Viewer,
            other => other,
        });
    }
    if user.admin {
        return Ok(ContestRole::Organiser);
    }
    let mut is_invited_here = false;
    if let Ok(rules) = read_contest(&app.games, contest) {
        let names = find_names(&app.store, contest, &rules).await?;
        if organises_contest(app, user, &rules, &names).await? {
            return Ok(ContestRole::Organiser);
        }
        is_invited_here = contest.private
            && !hides_game(app, contest)
            && is_invited(app, user, &rules.entry.who, &names).await?;
    }
    let sees = !contest.private
        || is_invited_here
        || app.store.plays_in_contest(contest.id, user.id).await?;
    Ok(match sees {
        true => ContestRole::Viewer,
        false => ContestRole::Stranger,
    })
}

/// Whether the account organises a contest with these rules, whose names mean these accounts and
/// groups.
pub async fn organises_contest(
    app: &App,
    user: &SignedInUser,
    rules: &Rules,
    names: &ContestNames,
) -> Result<bool, StoreError> {
    let is_named = is_among(user, &rules.organisers, names) && !user.withheld.organiser;
    Ok(user.admin || is_named || organised_group(app, user, rules, names).await?.is_some())
}

/// Whether the caller, if signed in, organises this contest; only administrators do if this version
/// cannot read its file.
pub async fn caller_organises(
    app: &App,
    user: Option<&SignedInUser>,
    contest: &Contest,
) -> Result<bool, StoreError> {
    Ok(role_in_contest(app, user, contest).await? == ContestRole::Organiser)
}

/// Whether the caller, if signed in, may know of this contest.
pub async fn sees_contest(
    app: &App,
    user: Option<&SignedInUser>,
    contest: &Contest,
) -> Result<bool, StoreError> {
    Ok(!contest.private || role_in_contest(app, user, contest).await? != ContestRole::Stranger)
}

/// Whether the account is on the list of those who may enter.
pub async fn is_invited(
    app: &App,
    user: &SignedInUser,
    who: &WhoMayEnter,
    names: &ContestNames,
) -> Result<bool, StoreError> {
    match who {
        WhoMayEnter::Everybody | WhoMayEnter::Code { .. } => Ok(false),
        WhoMayEnter::Accounts { accounts } => Ok(is_among(user, accounts, names)),
        WhoMayEnter::Group { group } => match names.group(group) {
            Some(group) => Ok(app.store.group_role(group, user.id).await?.is_some()),
            None => Ok(false),
        },
    }
}

/// Whether one of these names means the account.
fn is_among(user: &SignedInUser, listed: &[String], names: &ContestNames) -> bool {
    listed
        .iter()
        .any(|name| names.account(name) == Some(user.id))
}

/// The contest of this name, if the caller may know of it.
pub async fn find_seen(
    app: &App,
    user: Option<&SignedInUser>,
    id: &str,
) -> Result<Contest, StoreError> {
    let contest = app.store.contest_by_name(id).await?;
    match sees_contest(app, user, &contest).await? {
        true => Ok(contest),
        false => Err(StoreError::row_missing("contest", id)),
    }
}

/// The private contests that the caller may know of.
pub async fn seen_private_contests(
    app: &App,
    user: Option<&SignedInUser>,
) -> Result<Vec<ContestId>, StoreError> {
    let mut seen = Vec::new();
    if user.is_none() {
        return Ok(seen);
    }
    for contest in app.store.private_contests().await? {
        if sees_contest(app, user, &contest).await? {
            seen.push(contest.id);
        }
    }
    Ok(seen)
}

/// The group that the contest is for, if the account organises it.
async fn organised_group(
    app: &App,
    user: &SignedInUser,
    rules: &Rules,
    names: &ContestNames,
) -> Result<Option<GroupId>, StoreError> {
    let WhoMayEnter::Group { group } = &rules.entry.who else {
        return Ok(None);
    };
    let Some(group) = names.group(group) else {
        return Ok(None);
    };
    Ok(organises_group(app, user, group).await?.then_some(group))
}

/// Whether the account is an organiser of this group, and has these rights now.
pub async fn organises_group(
    app: &App,
    user: &SignedInUser,
    group: GroupId,
) -> Result<bool, StoreError> {
    let role = app.store.group_role(group, user.id).await?;
    Ok(role == Some(GroupRole::Organiser) && !user.withheld.organiser)
}

/// Whether the account is an organiser of any group, and has these rights now.
pub async fn organises_any_group(app: &App, user: &SignedInUser) -> Result<bool, StoreError> {
    let groups = app.store.groups_of(user.id).await?;
    let is_organiser = groups.iter().any(|(_, role)| *role == GroupRole::Organiser);
    Ok(is_organiser && !user.withheld.organiser)
}

/// Whether the account is an organiser of any group or contest.
pub async fn organises_anything(app: &App, user: &SignedInUser) -> Result<bool, StoreError> {
    if organises_any_group(app, user).await? {
        return Ok(true);
    }
    for contest in app.store.contests_naming(user.id).await? {
        if let Ok(rules) = read_contest(&app.games, &contest) {
            let names = find_names(&app.store, &contest, &rules).await?;
            if is_among(user, &rules.organisers, &names) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// The contest, if the caller organises it.
pub async fn need_organised(app: &App, user: &SignedInUser, id: &str) -> Result<Contest> {
    let contest = app.store.contest_by_name(id).await?;
    match role_in_contest(app, Some(user), &contest).await? {
        ContestRole::Organiser => return Ok(contest),
        ContestRole::Stranger => return Err(StoreError::row_missing("contest", id).into()),
        ContestRole::Viewer => {}
    }
    if let Some(user) = user.with_second_factor()
        && caller_organises(app, Some(&user), &contest).await?
    {
        return Err(second_factor_required());
    }
    let message = format!("only the organisers of contest {id} may do this; ask one of them");
    Err(ApiError::forbidden("not-organiser", message))
}

/// Refuses a new contest of an account that may not publish it: administrators publish every
/// contest, organisers of a group those for the group, as many and as large as the arena allows.
pub async fn check_publisher(
    app: &App,
    user: &SignedInUser,
    rules: &Rules,
    names: &ContestNames,
) -> Result<()> {
    if user.admin {
        return Ok(());
    }
    let Some(group) = organised_group(app, user, rules, names).await? else {
        if let Some(user) = user.with_second_factor()
            && (user.admin || organised_group(app, &user, rules, names).await?.is_some())
        {
            return Err(second_factor_required());
        }
        let message = "administrators publish contests, and organisers of a group those that only \
                       the group may enter (entry.who = \"group\"); ask one of them";
        return Err(ApiError::forbidden("not-organiser", message));
    };
    check_size(rules)?;
    let most = app.options.limits.group_contests;
    let count = app.store.count_group_contests(group).await?;
    if count < most as u64 {
        return Ok(());
    }
    let group = app.store.find_group(group).await?;
    let message = format!(
        "the group {} has {count} contests that are not over, as many as the arena allows; wait for \
         the end of one, annul one, or ask an administrator",
        group.name
    );
    Err(ApiError::conflict("group-contests", message))
}

/// Refuses an update by which an organiser who is no administrator would open the contest to others
/// than before, or make it larger than he could publish. Both have today's names.
pub fn check_updater(user: &SignedInUser, old: &Rules, new: &Rules) -> Result<()> {
    if user.admin {
        return Ok(());
    }
    if old.entry.who != new.entry.who {
        let message = "only administrators change entry.who; write it as it was";
        return Err(ApiError::forbidden("not-admin", message));
    }
    if old.stages == new.stages && old.entry.most == new.entry.most {
        return Ok(());
    }
    check_size(new)
}

fn check_size(rules: &Rules) -> Result<()> {
    let players = rules.players_by_stage(rules.entry.most as usize);
    let of_stages = rules.stages.iter().zip(players).map(|(stage, players)| {
        let [_, encounters] = stage.format.among(players).encounter_counts(players);
        (encounters as u64).saturating_mul(u64::from(stage.matches))
    });
    let matches = of_stages.fold(0, u64::saturating_add);
    if matches <= GROUP_MATCHES {
        return Ok(());
    }
    let message = format!(
        "this contest can have {matches} matches; organisers of a group publish at most {GROUP_MATCHES}. Lower \
         entry.most, rounds or matches, or ask an administrator"
    );
    Err(ApiError::invalid_field("too-many-matches", "file", message))
}

/// What of a contest's match is hidden from everybody but its organisers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HiddenParts {
    /// That it exists, from strangers of a private contest.
    pub existence: bool,
    /// All of it: who meets whom says who won before.
    pub match_itself: bool,
    /// Its replay.
    pub replay: bool,
    /// Its seed.
    pub seed: bool,
}

impl HiddenParts {
    /// Nothing of the match is shown.
    pub const EVERYTHING: HiddenParts = HiddenParts {
        existence: true,
        match_itself: true,
        replay: true,
        seed: true,
    };
}

/// What is hidden of the matches of a contest.
pub fn hidden_parts_of(app: &App, contest: &Contest, at: Timestamp) -> HiddenParts {
    let is_over = contest.ended.is_some();
    let match_itself = contest.hides_matches(at);
    // Nothing is shown of a file that this version cannot read.
    let rules = read_contest(&app.games, contest).ok();
    let hides_seed = |rules: &Rules| !is_over && !matches!(rules.matches.seeds, SeedRules::Drawn);
    let hides_replay = |rules: &Rules| !rules.replays.is_shown(at.0.div_euclid(1000), is_over);
    HiddenParts {
        existence: contest.private,
        match_itself,
        replay: match_itself || rules.as_ref().map_or(!is_over, hides_replay),
        seed: rules.as_ref().map_or(!is_over, hides_seed),
    }
}

/// What is hidden of a contest's match from the caller: nothing from organisers, and from others who
/// see a private contest what a public one hides.
pub async fn hidden_from(
    app: &App,
    user: Option<&SignedInUser>,
    contest: &Contest,
    at: Timestamp,
) -> Result<HiddenParts, StoreError> {
    let hidden = hidden_parts_of(app, contest, at);
    if hidden == HiddenParts::default() {
        return Ok(hidden);
    }
    let as_public = || Contest {
        private: false,
        ..contest.clone()
    };
    Ok(match role_in_contest(app, user, contest).await? {
        ContestRole::Organiser => HiddenParts::default(),
        ContestRole::Viewer if contest.private => hidden_parts_of(app, &as_public(), at),
        ContestRole::Viewer | ContestRole::Stranger => hidden,
    })
}

/// Who acts, now.
pub fn contest_actor(user: &SignedInUser) -> ContestActor {
    ContestActor {
        user: Some(user.id),
        at: Timestamp::now(),
    }
}

/// A contest that the caller may know of, and its rules.
pub async fn find_contest(
    app: &App,
    user: Option<&SignedInUser>,
    id: &str,
) -> Result<(Contest, Rules)> {
    let contest = find_seen(app, user, id).await?;
    let rules = read_contest(&app.games, &contest).map_err(|_| {
        let message = "its file is not valid in this version of the arena";
        ApiError::conflict("old-contest", message)
    })?;
    Ok((contest, rules))
}

//! Who may publish and organise a contest: administrators, the organisers of the group that it is
//! for, and the accounts that its file names.

use leitai_contest::file::{Contest as Rules, WhoMayEnter};
use leitai_store::{Contest, ContestId, Group, GroupRole, StoreError, UserId};

use crate::contests::read_rules;
use crate::http::app::App;
use crate::http::caller::{Caller, SignedInUser};
use crate::http::error::ApiError;

/// The most matches of a contest that a group's organiser publishes.
const GROUP_MATCHES: u64 = 50_000;

/// Whether the account organises a contest with these rules.
pub async fn organises_contest(
    app: &App,
    user: &SignedInUser,
    rules: &Rules,
) -> Result<bool, StoreError> {
    let is_named =
        (rules.organisers.iter()).any(|name| name.to_lowercase() == user.name.to_lowercase());
    Ok(user.admin || is_named || organised_group(app, user.id, rules).await?.is_some())
}

/// Whether the caller, if any, organises this contest; only administrators do if this version cannot
/// read its file.
pub async fn caller_organises(
    app: &App,
    caller: &Caller,
    contest: &Contest,
) -> Result<bool, StoreError> {
    let Some(user) = &caller.0 else {
        return Ok(false);
    };
    match read_rules(app.games, &contest.file) {
        Ok(rules) => organises_contest(app, user, &rules).await,
        Err(_) => Ok(user.admin),
    }
}

/// Whether the caller may know of this contest: a private one only who organises it, who may enter
/// it, and who plays in it.
pub async fn sees_contest(
    app: &App,
    caller: &Caller,
    contest: &Contest,
) -> Result<bool, StoreError> {
    if !contest.private {
        return Ok(true);
    }
    let Some(user) = &caller.0 else {
        return Ok(false);
    };
    if caller_organises(app, caller, contest).await? {
        return Ok(true);
    }
    if let Ok(rules) = read_rules(app.games, &contest.file)
        && is_invited(app, user, &rules.entry.who).await?
    {
        return Ok(true);
    }
    app.store.plays_in_contest(contest.id, user.id).await
}

/// Whether the account is on the list of those who may enter.
pub async fn is_invited(
    app: &App,
    user: &SignedInUser,
    who: &WhoMayEnter,
) -> Result<bool, StoreError> {
    match who {
        WhoMayEnter::Everybody | WhoMayEnter::Code { .. } => Ok(false),
        WhoMayEnter::Accounts { accounts } => {
            Ok((accounts.iter()).any(|name| name.to_lowercase() == user.name.to_lowercase()))
        }
        WhoMayEnter::Group { group } => match app.store.group_by_name(group).await? {
            Some(group) => Ok(app.store.group_role(group.id, user.id).await?.is_some()),
            None => Ok(false),
        },
    }
}

/// The contest of this name, if the caller may know of it.
pub async fn find_seen(app: &App, caller: &Caller, id: &str) -> Result<Contest, StoreError> {
    let contest = app.store.contest_by_name(id).await?;
    match sees_contest(app, caller, &contest).await? {
        true => Ok(contest),
        false => Err(StoreError::row_missing("contest", id)),
    }
}

/// The private contests that the caller may know of.
pub async fn seen_private_contests(
    app: &App,
    caller: &Caller,
) -> Result<Vec<ContestId>, StoreError> {
    let mut seen = Vec::new();
    if caller.0.is_none() {
        return Ok(seen);
    }
    for contest in app.store.private_contests().await? {
        if sees_contest(app, caller, &contest).await? {
            seen.push(contest.id);
        }
    }
    Ok(seen)
}

/// The group that the contest is for, if the account organises it.
async fn organised_group(
    app: &App,
    user: UserId,
    rules: &Rules,
) -> Result<Option<Group>, StoreError> {
    let WhoMayEnter::Group { group } = &rules.entry.who else {
        return Ok(None);
    };
    let Some(group) = app.store.group_by_name(group).await? else {
        return Ok(None);
    };
    let role = app.store.group_role(group.id, user).await?;
    Ok((role == Some(GroupRole::Organiser)).then_some(group))
}

/// The contest, if the caller organises it.
pub async fn need_organised(app: &App, user: &SignedInUser, id: &str) -> Result<Contest, ApiError> {
    let caller = Caller(Some(user.clone()));
    let contest = find_seen(app, &caller, id).await?;
    if caller_organises(app, &caller, &contest).await? {
        return Ok(contest);
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
) -> Result<(), ApiError> {
    if user.admin {
        return Ok(());
    }
    let Some(group) = organised_group(app, user.id, rules).await? else {
        let message = "administrators publish contests, and organisers of a group those that only \
                       the group may enter (entry.who = \"group\"); ask one of them";
        return Err(ApiError::forbidden("not-organiser", message));
    };
    check_size(rules)?;
    let most = app.options.limits.group_contests;
    let open = app.store.unfinished_contests().await?;
    let of_group = |contest: &Contest| {
        let rules = read_rules(app.games, &contest.file).ok();
        matches!(rules.map(|rules| rules.entry.who),
            Some(WhoMayEnter::Group { group: other }) if other == group.name)
    };
    let count = open.iter().filter(|contest| of_group(contest)).count();
    if count < most {
        return Ok(());
    }
    let message = format!(
        "the group {} has {count} contests that are not over, as many as the arena allows; wait for \
         the end of one, annul one, or ask an administrator",
        group.name
    );
    Err(ApiError::conflict("group-contests", message))
}

/// Refuses an update by which an organiser who is no administrator would open the contest to others
/// than before, or make it larger than he could publish.
pub fn check_updater(user: &SignedInUser, old: &Rules, new: &Rules) -> Result<(), ApiError> {
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

fn check_size(rules: &Rules) -> Result<(), ApiError> {
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

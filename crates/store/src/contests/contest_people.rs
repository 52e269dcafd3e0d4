//! The people behind the entries of a contest: the owner of a bot, or the members of its team.

use std::collections::{HashMap, HashSet};

use sea_orm::sea_query::ExprTrait;

use crate::database::prelude::*;
use crate::messages::bot_people::BotPeople;
use crate::tables::contests::entries;
use crate::{BotId, Contest, ContestEntry, ContestId, EntryLeft, TeamId, UserId, tables};

/// What the freeze of a contest asks of its entries.
pub struct FreezeRules<'r> {
    /// With fewer entries the contest is annulled.
    pub least: u32,
    /// The most members of a team.
    pub team_size: u32,
    /// Why a version that was built so, from an upload of so many bytes, may not play.
    pub describe_refusal: Box<DescribeRefusal<'r>>,
}

/// From how a version was built and the bytes of its upload to why it may not play.
pub type DescribeRefusal<'r> = dyn Fn(Option<&str>, u64) -> Option<String> + Send + Sync + 'r;

/// Refuses a bot whose people play in another entry already, or who are too many. Who was
/// disqualified cannot come back with another bot; who withdrew can.
pub(crate) async fn check_people(
    change: &Change,
    contest: &Contest,
    all: &[ContestEntry],
    joining: BotId,
    team_size: u32,
) -> Result<()> {
    let counted = all
        .iter()
        .filter(|entry| entry.bot != joining && entry.left != Some(EntryLeft::Withdrawn));
    let others: Vec<BotId> = counted.map(|entry| entry.bot).collect();
    let known = BotPeople::of_bots(change, others.iter().copied().chain([joining])).await?;
    if known.bot(joining).is_none() {
        return Err(StoreError::row_missing("bot", joining));
    }
    if let Some(why) = known.describe_large_team(joining, team_size) {
        return Err(StoreError::Refused(why));
    }
    let own: HashSet<&UserId> = known.people(joining).iter().collect();
    let meets = |other: &&BotId| known.people(**other).iter().any(|one| own.contains(one));
    let Some(other) = others.iter().find(meets) else {
        return Ok(());
    };
    let mut people = known.people(*other).iter().copied();
    let person = match people.find(|one| own.contains(one)) {
        Some(twice) => tables::users::Entity::find_by_id(twice).one(change).await?,
        None => None,
    };
    let person = person.map(|user| user.name).unwrap_or_default();
    let bot = known.bot(*other).map(|bot| bot.name.clone());
    Err(StoreError::Refused(format!(
        "{person} is in contest {} with {} already, and everybody plays for one entrant",
        contest.name,
        bot.unwrap_or_default()
    )))
}

impl Store {
    /// Whether the person, alone or in a team, has a bot that joined the contest.
    pub async fn plays_in_contest(&self, contest: ContestId, user: UserId) -> Result<bool> {
        let teams = tables::team_members::Entity::find()
            .select_only()
            .column(tables::team_members::Column::TeamId)
            .filter(tables::team_members::Column::User.eq(user));
        let own = tables::bots::Entity::find()
            .select_only()
            .column(tables::bots::Column::Id)
            .filter(
                tables::bots::Column::Owner
                    .eq(user)
                    .or(tables::bots::Column::Team.in_subquery(teams.into_query())),
            );
        let entries = entries::Entity::find()
            .filter(entries::Column::Contest.eq(contest))
            .filter(entries::Column::Bot.in_subquery(own.into_query()));
        Ok(entries.one(&self.readers).await?.is_some())
    }

    /// The teams of these bots, as far as they have one, with their names.
    pub async fn teams_of_bots(&self, ids: &[BotId]) -> Result<HashMap<BotId, (TeamId, String)>> {
        let rows: Vec<(BotId, TeamId)> = tables::bots::Entity::find()
            .select_only()
            .columns([tables::bots::Column::Id, tables::bots::Column::Team])
            .filter(tables::bots::Column::Id.is_in(ids.iter().copied()))
            .filter(tables::bots::Column::Team.is_not_null())
            .into_tuple()
            .all(&self.readers)
            .await?;
        let named: HashMap<TeamId, String> = tables::teams::Entity::find()
            .filter(tables::teams::Column::Id.is_in(rows.iter().map(|(_, team)| *team)))
            .all(&self.readers)
            .await?
            .into_iter()
            .map(|team| (team.id, team.name))
            .collect();
        let with_name =
            |(bot, team): (BotId, TeamId)| Some((bot, (team, named.get(&team)?.clone())));
        Ok(rows.into_iter().filter_map(with_name).collect())
    }
}

/// Why an entry does not play at the freeze: its bot has no version, its team has grown, or one of
/// its people plays for an entry that joined before.
pub(crate) fn describe_absence(
    known: &BotPeople,
    entry: &entries::Model,
    rules: &FreezeRules<'_>,
    taken: &mut HashMap<UserId, BotId>,
) -> Option<String> {
    let bot = known.bot(entry.bot).filter(|bot| !bot.disabled);
    let Some(active) = bot.and_then(|bot| bot.active) else {
        return Some("it had no version that could play at the freeze".to_owned());
    };
    if let Some((how, bytes)) = known.upload_of(active) {
        let bytes = u64::try_from(bytes).unwrap_or_default();
        if let Some(why) = (rules.describe_refusal)(how, bytes) {
            return Some(why);
        }
    }
    if let Some(why) = known.describe_large_team(entry.bot, rules.team_size) {
        return Some(why);
    }
    let people = known.people(entry.bot);
    if let Some(other) = people.iter().find_map(|one| taken.get(one)) {
        let name = known.bot(*other).map(|bot| bot.name.clone());
        return Some(format!(
            "one of its people plays for {}, which joined before",
            name.unwrap_or_default()
        ));
    }
    taken.extend(people.iter().map(|one| (*one, entry.bot)));
    None
}

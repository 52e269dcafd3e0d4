//! The people behind the entries of a contest: the owner of a bot, or the members of its team.

use std::collections::{HashMap, HashSet};

use sea_orm::entity::prelude::*;
use sea_orm::sea_query::{ExprTrait, Order};
use sea_orm::{QueryOrder, QuerySelect, QueryTrait};

use crate::database::availability::DatabaseTransaction;
use crate::tables::contests::entries;
use crate::{
    Bot, BotId, Contest, ContestEntry, ContestId, EntryLeft, Store, StoreError, TeamId, UserId,
    VersionId, tables,
};

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

/// The people of bots, and their active versions; a built-in bot has no people.
pub(crate) struct BotPeople {
    bots: HashMap<BotId, Bot>,
    /// How the active versions were built, and the bytes of their uploads.
    versions: HashMap<VersionId, (Option<String>, i64)>,
    members: HashMap<TeamId, Vec<UserId>>,
}

impl BotPeople {
    /// Of these bots.
    pub(crate) async fn of_bots(
        change: &DatabaseTransaction,
        ids: impl IntoIterator<Item = BotId>,
    ) -> Result<BotPeople, StoreError> {
        let found = tables::bots::Entity::find()
            .filter(tables::bots::Column::Id.is_in(ids))
            .all(change)
            .await?;
        let versions = tables::versions::Entity::find()
            .select_only()
            .columns([
                tables::versions::Column::Id,
                tables::versions::Column::How,
                tables::versions::Column::Bytes,
            ])
            .filter(tables::versions::Column::Id.is_in(found.iter().filter_map(|bot| bot.active)))
            .into_tuple::<(VersionId, Option<String>, i64)>()
            .all(change)
            .await?;
        let own_teams: HashSet<TeamId> = found.iter().filter_map(|bot| bot.team).collect();
        let mut members: HashMap<TeamId, Vec<UserId>> = HashMap::new();
        let rows = tables::team_members::Entity::find()
            .filter(tables::team_members::Column::TeamId.is_in(own_teams))
            .order_by(tables::team_members::Column::User, Order::Asc);
        for row in rows.all(change).await? {
            members.entry(row.team_id).or_default().push(row.user);
        }
        let bots = found.into_iter().map(|bot| (bot.id, bot)).collect();
        let versions = versions.into_iter();
        Ok(BotPeople {
            bots,
            members,
            versions: versions
                .map(|(id, how, bytes)| (id, (how, bytes)))
                .collect(),
        })
    }

    /// The bot's row.
    pub(crate) fn bot(&self, id: BotId) -> Option<&Bot> {
        self.bots.get(&id)
    }

    /// Its people.
    pub(crate) fn people(&self, id: BotId) -> &[UserId] {
        match self.bots.get(&id) {
            None => &[],
            Some(bot) => match bot.team {
                Some(team) => self.members.get(&team).map_or(&[], Vec::as_slice),
                None => bot.owner.as_slice(),
            },
        }
    }

    /// Why its team may not play where teams have at most so many members.
    pub(crate) fn describe_large_team(&self, id: BotId, team_size: u32) -> Option<String> {
        let count = self.people(id).len();
        (count > team_size as usize).then(|| match team_size {
            1 => format!("its team has {count} members, and this contest is for single people"),
            _ => format!(
                "its team has {count} members; in this contest teams have at most {team_size}"
            ),
        })
    }
}

/// Refuses a bot whose people play in another entry already, or who are too many. Who was
/// disqualified cannot come back with another bot; who withdrew can.
pub(crate) async fn check_people(
    change: &DatabaseTransaction,
    contest: &Contest,
    all: &[ContestEntry],
    joining: BotId,
    team_size: u32,
) -> Result<(), StoreError> {
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
    pub async fn plays_in_contest(
        &self,
        contest: ContestId,
        user: UserId,
    ) -> Result<bool, StoreError> {
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
    pub async fn teams_of_bots(
        &self,
        ids: &[BotId],
    ) -> Result<HashMap<BotId, (TeamId, String)>, StoreError> {
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
    if let Some((how, bytes)) = known.versions.get(&active) {
        let bytes = u64::try_from(*bytes).unwrap_or_default();
        if let Some(why) = (rules.describe_refusal)(how.as_deref(), bytes) {
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

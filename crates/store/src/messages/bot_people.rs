//! The people of bots, who are told what happens to them.

use std::collections::{HashMap, HashSet};

use sea_orm::sea_query::Order;

use crate::database::prelude::*;
use crate::{Bot, BotId, TeamId, UserId, VersionId, tables};

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
        change: &Change,
        ids: impl IntoIterator<Item = BotId>,
    ) -> Result<BotPeople> {
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

    /// How an active version was built, and the bytes of its upload.
    pub(crate) fn upload_of(&self, version: VersionId) -> Option<(Option<&str>, i64)> {
        let (how, bytes) = self.versions.get(&version)?;
        Some((how.as_deref(), *bytes))
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

//! The candidates of the next pairing, for `leitai_ladder::pairing`.

use std::collections::HashMap;

use leitai_ladder::weng_lin::Rating;
use sea_orm::sea_query::Order;
use sea_orm::{SelectGetableTuple, Selector};

use crate::database::prelude::*;
use crate::matches::matches;
use crate::standings::rating_turns;
use crate::{
    BotId, LadderId, MatchEntrant, MatchEntrantKind, MatchState, UserId, VersionId, VersionState,
    tables,
};

/// The candidates of the next pairing on a ladder.
#[derive(Clone, Debug, Default)]
pub struct LadderPairing {
    /// All listed bots, by key.
    pub candidates: Vec<PairingCandidate>,
    /// The number of recent matches of each pair (the smaller key first), including queued ones.
    pub met: HashMap<(BotId, BotId), u32>,
    /// Its pending matches.
    pub open: u64,
}

/// A candidate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairingCandidate {
    /// The bot.
    pub bot: BotId,
    /// The active version.
    pub version: VersionId,
    /// Whether it is a built-in bot.
    pub is_built_in: bool,
    /// The rating.
    pub rating: Rating,
    /// Picks since it last played, as `leitai_ladder::pairing::WaitingPlayer::waited`.
    pub waited: u64,
    /// The division, on a ladder that is divided.
    pub division: Option<i32>,
}

impl Store {
    /// The candidates of the next pairing on a ladder.
    pub async fn load_pairing(&self, ladder: &LadderId) -> Result<LadderPairing> {
        let picks = rating_turns::current_turns(&self.readers, ladder)
            .await?
            .picks;
        let rows: Vec<CandidateRow> = query_listed(ladder).all(&self.readers).await?;
        let candidates: Vec<PairingCandidate> = rows
            .into_iter()
            .map(|row| make_candidate(row, picks))
            .collect();
        let recent = (8 * candidates.len() as u64).clamp(200, 4000);
        let met = count_met(query_latest(ladder, recent).all(&self.readers).await?);
        let open = query_open(ladder).count(&self.readers).await?;
        Ok(LadderPairing {
            candidates,
            met,
            open,
        })
    }

    /// Makes an entrant of a bot's active version. [`StoreError::Refused`] if there is none or if
    /// an administrator removed the bot from the ladder.
    pub async fn bot_entrant(&self, bot: BotId) -> Result<MatchEntrant> {
        let bot = self.find_bot(bot).await?;
        let nothing =
            || StoreError::Refused(format!("{} has no version that may play yet", bot.name));
        self.entrant_of_version(bot.active.ok_or_else(nothing)?)
            .await
    }

    /// Makes an entrant of a version; [`StoreError::Refused`] unless it is ready and its bot may play.
    pub async fn entrant_of_version(&self, version: VersionId) -> Result<MatchEntrant> {
        let version = self.find_version(version).await?;
        let bot = self.find_bot(version.bot).await?;
        if bot.disabled {
            return Err(StoreError::Refused(format!(
                "an administrator has disabled {}",
                bot.name
            )));
        }
        if version.state != VersionState::Ready {
            let (name, number) = (bot.name, version.number);
            return Err(StoreError::Refused(format!(
                "version {number} of {name} is not ready to play"
            )));
        }
        let owner = match bot.owner {
            Some(owner) => Some(self.find_user(owner).await?.name),
            None => None,
        };
        Ok(MatchEntrant {
            kind: MatchEntrantKind::Bot,
            built_in: bot.built_in(),
            home: None,
            home_bot: None,
            latency_us: None,
            settings: None,
            name: bot.name,
            bot: Some(bot.id),
            version: Some(version.id),
            number: Some(version.number),
            user: bot.owner,
            user_name: owner,
        })
    }
}

impl Store {
    /// Makes an entrant of a version against which somebody tests. [`StoreError::Refused`] as well if it
    /// is another's bot and not on the ladder: there its author agreed to be challenged.
    pub async fn opponent_of_version(
        &self,
        version: VersionId,
        tester: UserId,
    ) -> Result<MatchEntrant> {
        let entrant = self.entrant_of_version(version).await?;
        let bot = self.find_version(version).await?.bot;
        let bot = self.find_bot(bot).await?;
        if bot.built_in() || bot.is_listed() || self.owns_bot(&bot, tester).await? {
            return Ok(entrant);
        }
        let name = bot.name;
        Err(StoreError::Refused(format!("{name} left the ladder")))
    }
}

/// The bot, its active version and owner, and its skill, doubt, last pick and division.
type CandidateRow = (
    BotId,
    VersionId,
    Option<UserId>,
    f64,
    f64,
    Option<i64>,
    Option<i32>,
);

fn query_listed(ladder: &LadderId) -> Selector<SelectGetableTuple<CandidateRow>> {
    tables::ladder::Entity::find()
        .select_only()
        .column(tables::ladder::Column::Bot)
        .columns([tables::bots::Column::Active, tables::bots::Column::Owner])
        .columns([
            tables::ladder::Column::Skill,
            tables::ladder::Column::Doubt,
            tables::ladder::Column::Picked,
            tables::ladder::Column::Division,
        ])
        .join(JoinType::InnerJoin, tables::ladder::Relation::Bot.def())
        .filter(tables::ladder::Column::Ladder.eq(ladder))
        .filter(tables::ladder::Column::Listed.eq(true))
        .filter(tables::bots::Column::Active.is_not_null())
        .order_by_asc(tables::ladder::Column::Bot)
        .into_tuple()
}

fn make_candidate(
    (bot, version, owner, skill, doubt, picked, division): CandidateRow,
    picks: i64,
) -> PairingCandidate {
    let waited = picked.map_or(u64::MAX, |picked| {
        u64::try_from(picks - picked).unwrap_or(0)
    });
    PairingCandidate {
        bot,
        version,
        is_built_in: owner.is_none(),
        rating: Rating { skill, doubt },
        waited,
        division,
    }
}

fn query_latest(
    ladder: &LadderId,
    most: u64,
) -> Selector<SelectGetableTuple<(Option<BotId>, Option<BotId>)>> {
    tables::matches::Entity::find()
        .select_only()
        .columns([tables::matches::Column::ABot, tables::matches::Column::BBot])
        .filter(tables::matches::Column::Ladder.eq(ladder))
        .order_by(tables::matches::Column::Id, Order::Desc)
        .limit(most)
        .into_tuple()
}

fn count_met(pairs: Vec<(Option<BotId>, Option<BotId>)>) -> HashMap<(BotId, BotId), u32> {
    let mut met = HashMap::new();
    for (a, b) in pairs.into_iter().filter_map(|(a, b)| Some((a?, b?))) {
        *met.entry((a.min(b), a.max(b))).or_default() += 1;
    }
    met
}

pub(crate) fn query_open(ladder: &LadderId) -> Select<tables::matches::Entity> {
    let open = tables::matches::Column::State.is_in([MatchState::Queued, MatchState::Running]);
    // Few matches are pending, and a ladder may have a million.
    let ladder = matches::eq_without_index(tables::matches::Column::Ladder, ladder);
    tables::matches::Entity::find().filter(open).filter(ladder)
}

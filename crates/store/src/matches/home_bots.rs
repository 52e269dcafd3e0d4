//! Programs that stay on their authors' machines and wait for opponents. The command that offers one
//! moves the end of its offer on, at whichever server it asks, so that an offer vanishes with its
//! command. The command brings the hash of the token of its next seat: whoever makes a match for it
//! knows no secret of its author.

use leitai_ladder::weng_lin::Rating;

use crate::database::prelude::*;
use crate::database::skeletons::fold_name;
use crate::jobs::job_turns::JobFlow;
use crate::matches::{matches, new_match};
use crate::tables::home_bots::{ActiveModel, Column, Entity, Model, rated};
use crate::tables::matches::homes;
use crate::{
    HomeBotId, Match, MatchEntrant, MatchId, MatchSide, MatchState, NewMatch, PerSide, TokenHash,
    UserId, tables,
};

/// The most programs of one account that the arena remembers.
const MOST_KNOWN: u64 = 32;
/// The most that a list holds.
const MOST_LISTED: u64 = 500;
/// The states of matches that are not over.
pub(crate) const OPEN: [MatchState; 3] =
    [MatchState::Waiting, MatchState::Queued, MatchState::Running];

/// What the command of a program says that offers it.
#[derive(Clone, Debug)]
pub struct HomeOffer {
    /// The account.
    pub owner: UserId,
    /// The game's id.
    pub game: String,
    /// The name.
    pub name: String,
    /// The protocol that it speaks.
    pub protocol: String,
    /// The command.
    pub session: String,
    /// Whether the command begins: it takes the place of another one.
    pub begins: bool,
    /// The token of its next seat.
    pub seat_token: TokenHash,
    /// Offered until then.
    pub until: Timestamp,
    /// The most programs that the account may offer at once.
    pub most: u64,
    /// Whether it wants rated matches.
    pub rated: bool,
}

/// How an offered program stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HomeStand {
    /// Nobody has come yet.
    Waits,
    /// It has the seat of its token in this match.
    Called(MatchId, MatchSide),
    /// It plays a match that an earlier command was given.
    Busy(MatchId),
    /// Another command offers it now.
    Replaced,
    /// An administrator took it away.
    Disabled,
}

/// An offered program in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedBot {
    /// The key.
    pub id: HomeBotId,
    /// The account.
    pub owner: UserId,
    /// The account's name.
    pub owner_name: String,
    /// The game's id.
    pub game: String,
    /// The name.
    pub name: String,
    /// The match that it plays; then nobody else can play against it.
    pub plays: Option<MatchId>,
    /// Whether an administrator took it away.
    pub disabled: bool,
}

/// A match with offered programs.
#[derive(Clone, Debug)]
pub struct NewHomeMatch {
    /// The match; the sides of offered programs are empty.
    pub new: NewMatch,
    /// The offered programs.
    pub offered: PerSide<Option<HomeBotId>>,
    /// Whether it is rated; then with the rating of the built-in bot, if one plays.
    pub rated: Option<Option<Rating>>,
}

impl Store {
    /// Offers a program, or goes on with it. [`StoreError::TooManyOpen`] if the account offers too
    /// many.
    pub async fn offer_home_bot(&self, offer: HomeOffer, at: Timestamp) -> Result<HomeStand> {
        let change = self.begin_write().await?;
        let found = of_offer(&offer).lock_exclusive().one(&change).await?;
        let Some(row) = found else {
            check_count(&change, &offer, at).await?;
            make_room(&change, offer.owner, at).await?;
            let new = new_row(offer, at);
            insert_row(&change, new).await?;
            change.commit().await?;
            return Ok(HomeStand::Waits);
        };
        if row.disabled {
            return Ok(HomeStand::Disabled);
        }
        if row.session != offer.session && !offer.begins && row.until > at {
            return Ok(HomeStand::Replaced);
        }
        check_count(&change, &offer, at).await?;
        let plays = open_match(&change, row.match_id).await?;
        let keeps_seat = row.seat_token == offer.seat_token;
        let (stand, taken) = match plays {
            Some(own) if keeps_seat => {
                let side = own.side_of_seat(&row.seat_token);
                (side.map(|side| HomeStand::Called(own.id, side)), false)
            }
            Some(own) => (Some(HomeStand::Busy(own.id)), false),
            None => (None, true),
        };
        let mut new = ActiveModel {
            session: Set(offer.session),
            until: Set(offer.until),
            rated: Set(offer.rated),
            ..Default::default()
        };
        if taken {
            new.protocol = Set(offer.protocol);
            new.name = Set(offer.name);
            new.seat_token = Set(offer.seat_token);
            new.match_id = Set(None);
        }
        update_rows(&change, Column::Id.eq(row.id), new).await?;
        change.commit().await?;
        Ok(stand.unwrap_or(HomeStand::Waits))
    }

    /// The match to which the program of this offer was called meanwhile, if it still has the seat.
    pub async fn home_bot_called(&self, offer: &HomeOffer) -> Result<bool> {
        let called = of_offer(offer)
            .filter(Column::Session.eq(&offer.session))
            .filter(Column::SeatToken.eq(offer.seat_token.clone()))
            .filter(Column::MatchId.is_not_null());
        Ok(called.count(&self.readers).await? > 0)
    }

    /// Withdraws a program that this command offers.
    pub async fn withdraw_home_bot(&self, offer: &HomeOffer) -> Result<()> {
        let change = self.begin_write().await?;
        let gone = ActiveModel {
            until: Set(Timestamp(0)),
            ..Default::default()
        };
        let own = Condition::all()
            .add(Column::Owner.eq(offer.owner))
            .add(Column::Game.eq(&offer.game))
            .add(Column::Folded.eq(fold_name(&offer.name)))
            .add(Column::Session.eq(&offer.session));
        update_rows(&change, own, gone).await?;
        Ok(change.commit().await?)
    }

    /// The offered programs, of one game if it is given, those that play among them; and if wanted
    /// those that an administrator took away.
    pub async fn list_home_bots(
        &self,
        game: Option<&str>,
        with_disabled: bool,
        at: Timestamp,
    ) -> Result<Vec<OfferedBot>> {
        let plays = tables::matches::Entity::find()
            .select_only()
            .column(tables::matches::Column::Id)
            .filter(tables::matches::Column::State.is_in(OPEN));
        let plays = Column::MatchId.in_subquery(plays.into_query());
        let offered = Condition::all()
            .add(Column::Disabled.eq(false))
            .add(Condition::any().add(waits(at)).add(plays));
        let disabled = with_disabled.then(|| Column::Disabled.eq(true));
        let mut found = Entity::find().filter(Condition::any().add(offered).add_option(disabled));
        if let Some(game) = game {
            found = found.filter(Column::Game.eq(game));
        }
        let rows = found
            .order_by_asc(Column::Id)
            .limit(MOST_LISTED)
            .all(&self.readers)
            .await?;
        self.describe_offered(rows).await
    }

    /// An offered program; [`StoreError::Missing`] if there is none.
    pub async fn find_home_bot(&self, id: HomeBotId) -> Result<OfferedBot> {
        let row = Entity::find_by_id(id).all(&self.readers).await?;
        let found = self.describe_offered(row).await?.pop();
        found.ok_or_else(|| StoreError::row_missing("program", id))
    }

    async fn describe_offered(&self, rows: Vec<Model>) -> Result<Vec<OfferedBot>> {
        let owners = tables::users::Entity::find()
            .filter(tables::users::Column::Id.is_in(rows.iter().map(|row| row.owner)))
            .filter(tables::users::Column::Disabled.eq(false));
        let owners = owners.all(&self.readers).await?;
        let open = tables::matches::Entity::find()
            .select_only()
            .column(tables::matches::Column::Id)
            .filter(tables::matches::Column::Id.is_in(rows.iter().filter_map(|row| row.match_id)))
            .filter(tables::matches::Column::State.is_in(OPEN));
        let open: Vec<MatchId> = open.into_tuple().all(&self.readers).await?;
        let described = rows.into_iter().filter_map(|row| {
            let owner = owners.iter().find(|user| user.id == row.owner)?;
            Some(OfferedBot {
                id: row.id,
                owner: row.owner,
                owner_name: owner.name.clone(),
                game: row.game,
                name: row.name,
                plays: row.match_id.filter(|id| open.contains(id)),
                disabled: row.disabled,
            })
        });
        Ok(described.collect())
    }

    /// Creates a match with offered programs, which are nobody else's then. [`StoreError::Refused`] if
    /// one of them is not offered any more, or plays.
    pub async fn open_home_match(&self, wanted: NewHomeMatch, at: Timestamp) -> Result<Match> {
        let NewHomeMatch {
            mut new,
            offered,
            rated,
        } = wanted;
        let change = self.begin_write().await?;
        let PerSide { a, b } = offered;
        let mut called: Vec<HomeBotId> = [a, b].into_iter().flatten().collect();
        // One order, so that two matches of the same two programs do not wait for each other.
        called.sort_unstable();
        for id in called.iter().copied() {
            let (entrant, token) = call(&change, id, at).await?;
            let (side, seat) = match Some(id) == a {
                true => (&mut new.a, &mut new.seats.a),
                false => (&mut new.b, &mut new.seats.b),
            };
            (*side, *seat) = (Some(entrant), Some(token));
        }
        new_match::check_entrants(&change, std::slice::from_ref(&new)).await?;
        let made = matches::insert_match(&change, new, None, &JobFlow::Arena, at).await?;
        let given = ActiveModel {
            match_id: Set(Some(made.id)),
            ..Default::default()
        };
        let given = match rated {
            Some(anchor) => {
                note_rated(&change, &made, offered, anchor).await?;
                ActiveModel {
                    played: Set(Some(at)),
                    ..given
                }
            }
            None => given,
        };
        update_rows(&change, Column::Id.is_in(called), given).await?;
        change.commit().await?;
        self.jobs_arrived();
        Ok(made)
    }

    /// Takes a program away from everybody, or gives it back.
    pub async fn set_home_bot_disabled(&self, id: HomeBotId, disabled: bool) -> Result<OfferedBot> {
        let change = self.begin_write().await?;
        let new = ActiveModel {
            disabled: Set(disabled),
            until: Set(Timestamp(0)),
            ..Default::default()
        };
        if update_rows(&change, Column::Id.eq(id), new).await? == 0 {
            return Err(StoreError::row_missing("program", id));
        }
        change.commit().await?;
        self.find_home_bot(id).await
    }

    /// Whether programs of this account have played from home.
    pub async fn has_home_matches(&self, user: UserId) -> Result<bool> {
        let own = homes::Entity::find().filter(homes::Column::User.eq(user));
        Ok(own.one(&self.readers).await?.is_some())
    }

    /// Notes how far away the programs at home of a match were: medians in microseconds.
    pub async fn note_latencies(&self, id: MatchId, medians: PerSide<Option<i64>>) -> Result<()> {
        if medians.a.is_none() && medians.b.is_none() {
            return Ok(());
        }
        let change = self.begin_write().await?;
        let own = lock_row::<tables::matches::Entity>(&change, id, "match").await?;
        let noted = |entrant: Option<MatchEntrant>, latency_us: Option<i64>| {
            let at_home = entrant.filter(|one| one.home.is_some() && latency_us.is_some())?;
            Some(MatchEntrant {
                latency_us,
                ..at_home
            })
        };
        let mut new = tables::matches::ActiveModel {
            ..Default::default()
        };
        if let Some(a) = noted(own.a, medians.a) {
            new.a = Set(Some(a));
        }
        if let Some(b) = noted(own.b, medians.b) {
            new.b = Set(Some(b));
        }
        matches::update_match(&change, id, new).await?;
        Ok(change.commit().await?)
    }
}

/// Whether a program waits: nobody has called it since its command asked last.
pub(crate) fn waits(at: Timestamp) -> Condition {
    Condition::all()
        .add(Column::Until.gt(at))
        .add(Column::MatchId.is_null())
}

/// The program of an offer.
fn of_offer(offer: &HomeOffer) -> Select<Entity> {
    Entity::find()
        .filter(Column::Owner.eq(offer.owner))
        .filter(Column::Game.eq(&offer.game))
        .filter(Column::Folded.eq(fold_name(&offer.name)))
}

fn new_row(offer: HomeOffer, at: Timestamp) -> ActiveModel {
    ActiveModel {
        id: NotSet,
        owner: Set(offer.owner),
        game: Set(offer.game),
        folded: Set(fold_name(&offer.name)),
        name: Set(offer.name),
        protocol: Set(offer.protocol),
        session: Set(offer.session),
        seat_token: Set(offer.seat_token),
        until: Set(offer.until),
        match_id: Set(None),
        disabled: Set(false),
        created: Set(at),
        rated: Set(offer.rated),
        paused: Set(Timestamp(0)),
        skill: Set(Rating::default().skill),
        doubt: Set(Rating::default().doubt),
        wins: Set(0),
        draws: Set(0),
        losses: Set(0),
        played: Set(None),
    }
}

/// Refuses an offer of an account that has as many others as it may.
async fn check_count(change: &Change, offer: &HomeOffer, at: Timestamp) -> Result<()> {
    let itself = Condition::all()
        .add(Column::Game.eq(&offer.game))
        .add(Column::Folded.eq(fold_name(&offer.name)));
    let others = Entity::find()
        .filter(Column::Owner.eq(offer.owner))
        .filter(Column::Until.gt(at))
        .filter(itself.not());
    match others.count(change).await? >= offer.most {
        true => Err(StoreError::TooManyOpen { most: offer.most }),
        false => Ok(()),
    }
}

/// Forgets the program of an account that was away for longest, if the account has had many.
async fn make_room(change: &Change, owner: UserId, at: Timestamp) -> Result<()> {
    let own = || Entity::find().filter(Column::Owner.eq(owner));
    if own().count(change).await? < MOST_KNOWN {
        return Ok(());
    }
    let oldest = own()
        .filter(Column::Disabled.eq(false))
        .filter(Column::Until.lte(at))
        .filter(Column::Played.is_null())
        .order_by_asc(Column::Created);
    match oldest.one(change).await? {
        Some(oldest) => {
            Entity::delete_by_id(oldest.id).exec(change).await?;
            Ok(())
        }
        None => Err(StoreError::TooManyOpen { most: MOST_KNOWN }),
    }
}

/// The match of this key if it is not over.
async fn open_match(change: &Change, id: Option<MatchId>) -> Result<Option<Match>> {
    let Some(id) = id else { return Ok(None) };
    let found =
        tables::matches::Entity::find_by_id(id).filter(tables::matches::Column::State.is_in(OPEN));
    Ok(found.one(change).await?)
}

/// The entrant of a program that waits, and the token of its seat.
async fn call(change: &Change, id: HomeBotId, at: Timestamp) -> Result<(MatchEntrant, TokenHash)> {
    let row = lock_row::<Entity>(change, id, "program").await?;
    let name = row.name.clone();
    let owner = tables::users::Entity::find_by_id(row.owner)
        .one(change)
        .await?;
    let owner = match owner {
        Some(owner) if row.until > at && !row.disabled && !owner.disabled => owner,
        _ => {
            return Err(StoreError::Refused(format!(
                "{name} is not offered any more; choose another opponent"
            )));
        }
    };
    // After a match its command brings the token of the next seat first.
    if row.match_id.is_some() {
        return Err(StoreError::Refused(format!(
            "{name} plays a match now; choose another opponent"
        )));
    }
    let entrant = MatchEntrant {
        home_bot: Some(id),
        ..MatchEntrant::human_entrant(owner.name, Some(owner.id)).at_home(&row.name, row.protocol)
    };
    Ok((entrant, row.seat_token))
}

/// Notes that a new match is rated.
async fn note_rated(
    change: &Change,
    made: &Match,
    offered: PerSide<Option<HomeBotId>>,
    anchor: Option<Rating>,
) -> Result<()> {
    let row = rated::ActiveModel {
        match_id: Set(made.id),
        game: Set(made.game.clone()),
        a_program: Set(offered.a),
        b_program: Set(offered.b),
        anchor_skill: Set(anchor.map(|rating| rating.skill)),
        anchor_doubt: Set(anchor.map(|rating| rating.doubt)),
        counted: Set(false),
    };
    insert_row(change, row).await
}

/// Forgets the programs of an account that is deleted.
pub(crate) async fn forget_person(change: &Change, user: UserId) -> Result<()> {
    delete_rows::<Entity>(change, Column::Owner.eq(user)).await?;
    delete_rows::<homes::Entity>(change, homes::Column::User.eq(user)).await?;
    Ok(())
}

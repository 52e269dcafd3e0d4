//! Situation packs of organisers, what versions answered in situations, and whether a candidate is
//! refused for it.

use serde_json::json;

use crate::database::audit_log::{self, AuditedAction};
use crate::database::prelude::*;
use crate::ladders::rests::requeue_check;
use crate::tables::experiments::{Experiment, Refusing};
use crate::tables::situations::{
    ActiveModel, Column, Entity, MOST_PACKS, SituationPackRow, answers, remove_within,
};
use crate::tables::versions::VersionState;
use crate::{Bot, ContestId, Json, PackId, UserId, VersionId, tables};

/// The source of the moments that the bot's author pinned.
pub const PINS: &str = "pins";
/// The key in the report of a check under which the answers stand; they are kept apart, because not
/// everybody may read them at once.
const KEY: &str = "situations";

/// A pack that was read and checked.
#[derive(Clone, Debug)]
pub struct NewPack {
    /// The game's id.
    pub game: String,
    /// The contest whose bots are asked; `None`: all of the game.
    pub contest: Option<ContestId>,
    /// Its name, `{"en", "zh"}`.
    pub name: Json,
    /// How many moments it has.
    pub moments: i32,
    /// Its file.
    pub content: String,
    /// Nobody but its organisers knows of it before.
    pub hidden_until: Option<Timestamp>,
}

/// What a version answered in the moments of one source.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceAnswers {
    /// `pins`, `game`, or the number of a pack.
    pub source: String,
    /// The pack, while it is there.
    pub pack: Option<SituationPackRow>,
    /// A list, an object a moment.
    pub answers: Json,
}

/// How a candidate stands before its first pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CandidateStand {
    /// It is being asked.
    Asking,
    /// Nothing stands against its first pair.
    Passed,
    /// It is refused for this.
    Refused(String),
}

impl Store {
    /// Adds a pack. [`StoreError::Refused`] if the game or the contest has [`MOST_PACKS`].
    pub async fn add_pack(
        &self,
        new: NewPack,
        by: UserId,
        at: Timestamp,
    ) -> Result<SituationPackRow> {
        let change = self.begin_write().await?;
        let beside = Entity::find().filter(Column::Game.eq(&new.game));
        let beside = match new.contest {
            Some(contest) => beside.filter(Column::Contest.eq(contest)),
            None => beside.filter(Column::Contest.is_null()),
        };
        if beside.count(&change).await? >= MOST_PACKS {
            return Err(StoreError::Refused(format!(
                "there are {MOST_PACKS} packs already, as many as there may be; remove one first"
            )));
        }
        let row = ActiveModel {
            id: NotSet,
            game: Set(new.game),
            contest: Set(new.contest),
            name: Set(new.name),
            moments: Set(new.moments),
            content: Set(new.content),
            hidden_until: Set(new.hidden_until),
            created: Set(at),
            file: Set(None),
        };
        let made = row.insert(&change).await?;
        log(&change, &made, "situations.add", by, at).await?;
        change.commit().await?;
        Ok(made)
    }

    /// A pack; [`StoreError::Missing`] if there is none.
    pub async fn find_pack(&self, id: PackId) -> Result<SituationPackRow> {
        find_row::<Entity>(&self.readers, id, "pack").await
    }

    /// The packs of a game and a contest, or of all, oldest first, without their files.
    pub async fn list_packs(
        &self,
        game: Option<&str>,
        contest: Option<ContestId>,
    ) -> Result<Vec<SituationPackRow>> {
        let mut all = without_files();
        if let Some(game) = game {
            all = all.filter(Column::Game.eq(game));
        }
        if let Some(contest) = contest {
            all = all.filter(Column::Contest.eq(contest));
        }
        Ok(all.all(&self.readers).await?)
    }

    /// Removes a pack; what was answered in it is not shown any more. [`StoreError::Refused`] if it came
    /// with the file of a contest.
    pub async fn remove_pack(&self, id: PackId, by: UserId, at: Timestamp) -> Result<()> {
        let change = self.begin_write().await?;
        let own = find_row::<Entity>(&change, id, "pack").await?;
        if own.file.is_some() {
            let why = "the file of its contest names this pack; leave it out there";
            return Err(StoreError::Refused(why.to_owned()));
        }
        remove_within(&change, id).await?;
        log(&change, &own, "situations.remove", by, at).await?;
        Ok(change.commit().await?)
    }

    /// The packs that the uploads of a bot are asked: of the contests in which it is entered, and those
    /// of its game.
    pub async fn packs_for(&self, bot: &Bot) -> Result<Vec<SituationPackRow>> {
        let contests = self.open_contests_of(bot.id).await?;
        let entered = |id| contests.iter().any(|contest| contest.id == id);
        let all = Entity::find().filter(Column::Game.eq(&bot.game));
        let mut packs = all.order_by_asc(Column::Id).all(&self.readers).await?;
        packs.retain(|pack| pack.contest.is_none_or(entered));
        packs.sort_by_key(|pack| pack.contest.is_none());
        Ok(packs)
    }

    /// What a version answered, its author's pins first.
    pub async fn situation_answers(&self, version: VersionId) -> Result<Vec<SourceAnswers>> {
        answers_within(&self.readers, version).await
    }

    /// Whether the version of an experiment may play its first pair. A moment that was pinned after its
    /// check has it checked once more.
    pub async fn candidate_stand(&self, own: &Experiment, at: Timestamp) -> Result<CandidateStand> {
        if !own.promotes {
            return Ok(CandidateStand::Passed);
        }
        let version = self.find_version(own.version).await?;
        match version.state {
            VersionState::Ready => {}
            // What cannot play is told elsewhere.
            VersionState::Failed => return Ok(CandidateStand::Passed),
            _ => return Ok(CandidateStand::Asking),
        }
        let answered = self.situation_answers(version.id).await?;
        let pins = self.pins_of(own.bot).await?;
        let known = answered.iter().filter(|one| one.source == PINS);
        let known: Vec<&Json> = known.flat_map(SourceAnswers::list).collect();
        let is_asked = |id: i64| known.iter().any(|one| one["pin"] == id);
        let lacks = pins.iter().any(|pin| !is_asked(pin.id.0));
        if lacks && version.finished.is_some_and(|last| last < own.created) {
            let change = self.begin_write().await?;
            let bot = find_row::<tables::bots::Entity>(&change, own.bot, "bot").await?;
            match requeue_check(&change, &bot, version.id, false, at).await {
                Ok(_) => change.commit().await?,
                // Another server was sooner.
                Err(StoreError::Refused(_)) => change.rollback().await?,
                Err(error) => return Err(error),
            }
            self.jobs_arrived();
            self.version_changed(version.id);
            return Ok(CandidateStand::Asking);
        }
        let refuses = self.candidate_lane(own.bot).await?.refuses;
        let why = answered.iter().find_map(|one| refusal(one, refuses, at));
        Ok(why.map_or(CandidateStand::Passed, CandidateStand::Refused))
    }
}

impl SourceAnswers {
    /// The answers, one a moment.
    pub fn list(&self) -> impl Iterator<Item = &Json> {
        self.answers.as_array().into_iter().flatten()
    }
}

/// Whether an answer fails.
fn fails(answer: &Json) -> bool {
    matches!(answer["verdict"].as_str(), Some("still-made" | "failed"))
}

/// Why a candidate is refused for what it answered in these moments. What is hidden refuses nobody: it
/// would be known by that.
fn refusal(own: &SourceAnswers, refuses: Refusing, at: Timestamp) -> Option<String> {
    let mut failed = own.list().filter(|answer| fails(answer));
    let first = failed.next()?;
    let (of, leg, round) = (&first["match"], &first["leg"], &first["round"]);
    match (refuses, own.source.as_str()) {
        (Refusing::Nothing, _) => None,
        (_, PINS) if first["verdict"] == "failed" => Some(format!(
            "it gives no valid answer in the pinned moment of match {of}, leg {leg}, round {round}"
        )),
        (_, PINS) => Some(format!(
            "it makes the pinned mistake of match {of}, leg {leg}, round {round} again"
        )),
        (Refusing::Pins, _) => None,
        (Refusing::Packs, _) if own.pack.as_ref().is_some_and(|pack| pack.is_hidden(at)) => None,
        (Refusing::Packs, source) => Some(format!(
            "it fails {} of {} situations of the pack {source}",
            1 + failed.count(),
            own.list().count()
        )),
    }
}

/// Packs, oldest first, with nothing for the content of their files, which may be long.
fn without_files() -> Select<Entity> {
    let short = Column::iter().filter(|column| !matches!(column, Column::Content));
    Entity::find()
        .select_only()
        .columns(short)
        .expr_as(Expr::value(""), "content")
        .order_by_asc(Column::Id)
}

async fn answers_within(
    place: &impl ConnectionTrait,
    version: VersionId,
) -> Result<Vec<SourceAnswers>> {
    let own = answers::Entity::find().filter(answers::Column::Version.eq(version));
    let own = own.all(place).await?;
    let ids: Vec<i64> = own
        .iter()
        .filter_map(|row| row.source.parse().ok())
        .collect();
    let packs = without_files().filter(Column::Id.is_in(ids));
    let packs = packs.all(place).await?;
    let with_pack = |row: answers::Model| SourceAnswers {
        pack: packs
            .iter()
            .find(|pack| pack.id.to_string() == row.source)
            .cloned(),
        source: row.source,
        answers: row.answers,
    };
    let mut all: Vec<SourceAnswers> = own.into_iter().map(with_pack).collect();
    all.sort_by_key(|one| (one.source != PINS, one.source.clone()));
    Ok(all)
}

/// Takes the answers out of the report of a check.
pub(crate) fn take_answers(report: Option<&mut Json>) -> Json {
    let report = report.and_then(Json::as_object_mut);
    report
        .and_then(|report| report.remove(KEY))
        .unwrap_or_default()
}

/// Keeps what a version answered, `{source: answers}`, in place of what it answered before.
pub(crate) async fn keep_answers(
    change: &Change,
    version: VersionId,
    answered: &Json,
) -> Result<()> {
    forget_version(change, version).await?;
    for (source, answers) in answered.as_object().into_iter().flatten() {
        let row = answers::ActiveModel {
            version: Set(version),
            source: Set(source.clone()),
            answers: Set(answers.clone()),
        };
        insert_row(change, row).await?;
    }
    Ok(())
}

/// Forgets what a version answered.
pub(crate) async fn forget_version(change: &Change, version: VersionId) -> Result<()> {
    delete_rows::<answers::Entity>(change, answers::Column::Version.eq(version)).await?;
    Ok(())
}

async fn log(
    change: &Change,
    pack: &SituationPackRow,
    action: &str,
    by: UserId,
    at: Timestamp,
) -> Result<()> {
    let subject = format!("pack {}", pack.id);
    let action = AuditedAction::new(
        Some(by),
        action,
        subject,
        json!({"game": pack.game, "contest": pack.contest, "moments": pack.moments}),
    );
    audit_log::write(change, action, at).await?;
    Ok(())
}

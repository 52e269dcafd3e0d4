//! An experiment has ended by itself: the people of the tested bot are told how.

use sea_orm::EntityTrait;

use crate::events::event::*;
use crate::{Experiment, ExperimentId, ExperimentState, tables};

#[derive(Serialize, Deserialize)]
pub(crate) struct ExperimentEnded {
    pub experiment: ExperimentId,
    bot: BotId,
    version: VersionId,
    state: ExperimentState,
    /// Whether it was to make the version the active one, and whether it did.
    candidate: bool,
    promoted: bool,
}

impl ExperimentEnded {
    /// An experiment in the state in which it ended.
    pub fn of(ended: &Experiment, promoted: bool) -> ExperimentEnded {
        ExperimentEnded {
            experiment: ended.id,
            bot: ended.bot,
            version: ended.version,
            state: ended.state,
            candidate: ended.promotes,
            promoted,
        }
    }

    fn kind(&self) -> NotificationKind {
        match (self.promoted, self.candidate, self.state) {
            (true, ..) => NotificationKind::CandidatePromoted,
            (_, true, ExperimentState::Undecided) => NotificationKind::CandidateUndecided,
            (_, true, _) => NotificationKind::CandidateRefused,
            _ => NotificationKind::ExperimentEnded,
        }
    }
}

#[async_trait]
impl Event for ExperimentEnded {
    async fn news(&self, to: Telling<'_>) -> Told<(UserId, News)> {
        let known = BotPeople::of_bots(to.change, [self.bot]).await?;
        let version = tables::versions::Entity::find_by_id(self.version);
        let version = version.one(to.change).await?;
        let one = News {
            bot: Some(self.bot),
            version: version.map(|version| version.number),
            experiment: Some(self.experiment),
            ..News::new(self.kind(), format!("experiment {}", self.experiment))
        };
        let people = known.people(self.bot).iter();
        Ok(people.map(|user| (*user, one.clone())).collect())
    }
}

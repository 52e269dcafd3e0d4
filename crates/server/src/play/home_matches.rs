//! Matches with programs that are offered from their authors' machines: they are called, and whoever
//! plays against one waits for it as for a person.

use std::time::Duration;

use leitai_game::{ByEntrant, Entrant};
use leitai_store::{
    Match, MatchEntrantKind, MatchId, NewHomeMatch, PerSide, StoreError, Timestamp,
};

use super::context::PlayContext;
use super::lobby::LATE;
use super::{HumanMatch, HumanMatchOptions, Opener, run};
use crate::live::LegFramesHeader;
use crate::sync::lock;

/// How long a program gets no rated match that did not come to one.
const PAUSE: Duration = Duration::from_secs(600);

impl PlayContext {
    /// Creates a match with offered programs and opens it for those who play.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if a program is not offered any more, or plays.
    pub async fn open_home_match(
        &self,
        wanted: NewHomeMatch,
        header: LegFramesHeader,
        by: Opener,
    ) -> Result<Match, StoreError> {
        let made = self.store.open_home_match(wanted, Timestamp::now()).await?;
        let sides = ByEntrant::new(made.a.as_ref(), made.b.as_ref());
        let name = |own: Option<&leitai_store::MatchEntrant>| {
            own.map_or_else(String::new, |own| own.name.clone())
        };
        let opening = HumanMatchOptions {
            id: made.id.0,
            header: LegFramesHeader {
                entrants: sides.map_values(name),
                ..header
            },
            tokens: ByEntrant::new(made.a_seat_token.clone(), made.b_seat_token.clone()),
            people: sides
                .map_values(|one| one.is_some_and(|own| own.kind == MatchEntrantKind::Person)),
            at_home: sides.map_values(|one| one.and_then(|own| own.home.clone())),
            by,
            open_table: None,
        };
        let human_match = self.human_matches.open_match(opening);
        run::expire_later(self.clone(), human_match);
        // A program whose machine has just gone away keeps nobody waiting.
        run::cancel_if_stood_up(self.clone());
        Ok(made)
    }

    /// Gives programs that did not come to their match no rated one for a while: else one could look
    /// who comes, and stay away from the strong ones.
    pub async fn note_absent_programs(&self, human_match: &HumanMatch) {
        let absent = human_match.absent_programs();
        let absent = PerSide {
            a: absent[Entrant::A],
            b: absent[Entrant::B],
        };
        if !absent.a && !absent.b {
            return;
        }
        let (id, until) = (MatchId(human_match.id()), Timestamp::now().after(PAUSE));
        if let Err(error) = self.store.pause_home_bots(id, absent, until).await {
            tracing::warn!(%id, %error, "who did not come is paired again");
        }
    }
}

impl HumanMatch {
    /// The programs at home that were called and have never come.
    pub fn absent_programs(&self) -> ByEntrant<bool> {
        let state = lock(&self.state);
        ByEntrant::from_fn(|entrant| {
            self.at_home[entrant].is_some() && state.has_never_come(entrant)
        })
    }

    /// Whether a program at home was called and does not come: then its opponent does not wait.
    pub(super) fn lacks_program(&self, now: Duration) -> bool {
        let people = self.human_sides();
        let is_called = people[Entrant::A] && people[Entrant::B];
        is_called
            && self.at_home.iter_pairs().any(|(_, home)| home.is_some())
            && now.saturating_sub(self.opened) >= LATE
    }
}

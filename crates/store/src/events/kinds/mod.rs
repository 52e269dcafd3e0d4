//! All kinds of events: a new one is a file here, its line among the modules and one in the list, which
//! says what it is about.

mod best_ranks_reached;
mod bot_rested;
mod contest_annulled;
mod contest_begun;
mod contest_finished;
mod contest_reopened;
mod contest_updated;
mod experiment_ended;
mod game_reported;
mod game_taken_down;
mod group_invited;
mod match_corrected;
mod match_finished;
mod match_taken_back;
mod password_issued;
mod second_factor_changed;
mod version_checked;

use std::future::ready;

use futures_util::future::BoxFuture;
use sea_orm::ActiveValue::{NotSet, Set};

use crate::Result;
use crate::database::availability::Change;
use crate::events::event::{Event, Named, Subscriber, Telling, Timestamp, json, unknown};
use crate::tables::events::{ActiveModel, Model};

pub use second_factor_changed::FactorChange;

macro_rules! kinds {
    ($($file:ident::$kind:ident, $about:literal $key:ident;)*) => {
        $(
            pub(crate) use $file::$kind;

            impl Named for $kind {
                const KIND: &'static str = stringify!($file);

                fn subject(&self) -> String {
                    format!("{} {}", $about, self.$key)
                }
            }
        )*

        /// Lets a subscriber tell of an event.
        pub(crate) fn tell<'a>(
            subscriber: Subscriber,
            to: Telling<'a>,
            row: &'a Model,
        ) -> BoxFuture<'a, Result<bool>> {
            match row.kind.as_str() {
                $($kind::KIND => Box::pin(subscriber.tell::<$kind>(to, row)),)*
                _ => Box::pin(ready(Err(unknown(row)))),
            }
        }
    };
}

kinds! {
    best_ranks_reached::BestRanksReached, "ladder" ladder;
    bot_rested::BotRested, "bot" bot;
    contest_annulled::ContestAnnulled, "contest" contest;
    contest_begun::ContestBegun, "contest" contest;
    contest_finished::ContestFinished, "contest" contest;
    contest_reopened::ContestReopened, "contest" contest;
    contest_updated::ContestUpdated, "contest" contest;
    experiment_ended::ExperimentEnded, "experiment" experiment;
    game_reported::GameReported, "game" game;
    game_taken_down::GameTakenDown, "game" game;
    group_invited::GroupInvited, "user" user;
    match_corrected::MatchCorrected, "match" id;
    match_finished::MatchFinished, "match" id;
    match_taken_back::MatchTakenBack, "match" id;
    password_issued::PasswordIssued, "user" user;
    second_factor_changed::SecondFactorChanged, "user" user;
    version_checked::VersionChecked, "version" version;
}

/// Notes that something happened: subscribers read it if the transaction commits, when it did.
pub(crate) fn write<E: Event>(change: &Change, event: E, at: Timestamp) {
    change.keep_event(ActiveModel {
        seq: NotSet,
        kind: Set(E::KIND.to_owned()),
        subject: Set(event.subject()),
        payload: Set(json!(event)),
        at: Set(at),
    });
}

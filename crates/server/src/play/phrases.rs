//! The preset phrases that two people say to each other. There is no free text, so nothing has to
//! be moderated.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The least time between two phrases of one person.
const PAUSE: Duration = Duration::from_secs(2);
/// The most phrases of one person in a match.
const MOST: u32 = 50;

/// A preset phrase; every reader gets it in their own language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phrase {
    /// "Hello!"
    Hello,
    /// "Good luck!"
    GoodLuck,
    /// "Nice move!"
    NiceMove,
    /// "Oops!"
    Oops,
    /// "One moment, please."
    OneMoment,
    /// "Thanks!"
    Thanks,
    /// "Good game!"
    GoodGame,
}

impl Phrase {
    /// Its name in the API.
    pub fn name(self) -> String {
        let name = serde_json::to_value(self).expect("it is a word");
        name.as_str().unwrap_or_default().to_owned()
    }

    /// The phrase with this name; `None` if it is one of a later version.
    pub fn from_name(name: &str) -> Option<Phrase> {
        serde_json::from_value(name.into()).ok()
    }
}

/// How often a person has spoken. Time is an argument.
#[derive(Clone, Copy, Debug, Default)]
pub struct SpeechLimit {
    last: Option<Duration>,
    count: u32,
}

impl SpeechLimit {
    /// Whether the person may speak now, which then counts.
    pub fn allow_phrase(&mut self, now: Duration) -> bool {
        let is_soon = self
            .last
            .is_some_and(|last| now.saturating_sub(last) < PAUSE);
        if is_soon || self.count >= MOST {
            return false;
        }
        (self.last, self.count) = (Some(now), self.count + 1);
        true
    }
}

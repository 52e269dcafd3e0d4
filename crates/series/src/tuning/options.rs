//! What is asked of a search.

use std::path::PathBuf;

use leitai_judge::EntrantSettings;

use super::axis::Point;
use super::parameter::{Parameter, settings_at};
use super::search::Search;
use crate::EntrantRequest;

/// What is asked.
#[derive(Clone, Debug)]
pub struct TuningOptions {
    /// The parameters.
    pub parameters: Vec<Parameter>,
    /// The bot with a placeholder for each of them, see [`super::complete_bot`].
    pub bot: EntrantRequest,
    /// The seed of the first pair, and of the search; the next pairs count on from it.
    pub seed: u64,
    /// Pairs of the whole search.
    pub pairs: u64,
    /// Starts beside the given one.
    pub restarts: usize,
    /// Where pairs and replays are kept, so that an interrupted search can continue.
    pub folder: Option<PathBuf>,
}

impl TuningOptions {
    /// The bot with the values at a point, under this name.
    pub fn bot_at(&self, point: &[f64], name: &str) -> EntrantRequest {
        EntrantRequest {
            name: Some(name.to_owned()),
            settings: self.settings_at(point),
            ..self.bot.clone()
        }
    }

    /// The two entrants of the search: the same bot twice.
    pub fn entrants(&self) -> Vec<EntrantRequest> {
        let start = self.start();
        ["one", "other"]
            .map(|name| self.bot_at(&start, name))
            .to_vec()
    }

    /// The given start.
    pub fn start(&self) -> Point {
        let all = self.parameters.iter();
        all.map(|one| one.axis().snap(one.start)).collect()
    }

    pub(super) fn settings_at(&self, point: &[f64]) -> EntrantSettings {
        settings_at(&self.bot.settings, &self.parameters, point)
    }

    pub(super) fn begin_search(&self) -> Search {
        let axes = self.parameters.iter().map(Parameter::axis).collect();
        Search::new(axes, &self.start(), self.pairs, self.restarts, self.seed)
    }
}

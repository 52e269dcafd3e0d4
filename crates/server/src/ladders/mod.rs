//! The ladders of an arena: what is played on each.

pub mod file;

use std::collections::BTreeMap;

use leitai_game::AnyGame;
use leitai_store::{Json, LadderId, MatchSeed, NewMatch};
use rand::seq::IndexedRandom;

/// The title of the standard ladder of every game.
const STANDARD: [&str; 2] = ["Standard", "标准"];

/// A ladder as the operator has set it up.
#[derive(Clone, Debug, PartialEq)]
pub struct LadderRules {
    /// Which.
    pub id: LadderId,
    /// The title in English and Chinese.
    pub title: [String; 2],
    /// The configs with every default written out, at least one: each match draws one of them.
    pub configs: Vec<Json>,
    /// The seeds of which each match draws one; empty: each has a new one.
    pub seeds: Vec<u64>,
}

impl LadderRules {
    /// Makes a match one of this ladder's, with a config and a seed that are drawn.
    pub fn draw_match(&self, new: NewMatch) -> NewMatch {
        let mut rng = rand::rng();
        let (config, seed) = (self.configs.choose(&mut rng), self.seeds.choose(&mut rng));
        NewMatch {
            ladder: Some(self.id.clone()),
            config: config.cloned().unwrap_or(new.config),
            seed: seed.map_or(new.seed, |seed| MatchSeed::from(*seed)),
            ..new
        }
    }
}

/// The ladders of all games.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LadderOptions {
    /// Configs of the standard ladders by game, with every default written out; other games use
    /// their default config.
    pub standard: BTreeMap<String, Json>,
    /// Further ladders, in the order in which they are shown.
    pub further: Vec<LadderRules>,
}

impl LadderOptions {
    /// The standard ladder of a game.
    pub fn standard(&self, game: &dyn AnyGame) -> LadderRules {
        let own = self.standard.get(game.meta().id).cloned();
        let config = own.unwrap_or_else(|| game.read_config(&Json::Null).unwrap_or(Json::Null));
        LadderRules {
            id: LadderId::standard(game.meta().id),
            title: STANDARD.map(str::to_owned),
            configs: vec![config],
            seeds: Vec::new(),
        }
    }

    /// The further ladders of a game.
    pub fn further(&self, game: &str) -> impl Iterator<Item = &LadderRules> {
        let is_its = move |ladder: &&LadderRules| ladder.id.game() == game;
        self.further.iter().filter(is_its)
    }

    /// The ladders of a game, the standard one first.
    pub fn of_game(&self, game: &dyn AnyGame) -> Vec<LadderRules> {
        let further = self.further(game.meta().id).cloned();
        [self.standard(game)].into_iter().chain(further).collect()
    }
}

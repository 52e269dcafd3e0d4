//! The choices (config) and the result of all chance (setup).

use std::sync::OnceLock;

use leitai_game::lang::say;
use leitai_game::{ConfigOption, ConfigOptionKind, InvalidSetup, Scope, Text};
use serde::{Deserialize, Serialize};

use crate::board::Cell;
use crate::items::{DRAWN_ROUNDS, Generator, Item, LIFETIME, draw_items};

/// The choices made before chance is drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The last round of a leg, 1 to 512.
    pub max_round: u16,
    /// The source of the items.
    pub items: ItemSource,
    /// What an illegal action loses: the leg (`half`, as in the source rules) or the match.
    pub fault_scope: FaultScope,
    /// Whether a leg ends as soon as a side without snakes is behind the other one's walls. Our own
    /// addition, for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub stop_decided: bool,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            max_round: DRAWN_ROUNDS,
            items: ItemSource::Drawn(Generator::Official),
            fault_scope: FaultScope::Half,
            stop_decided: false,
        }
    }
}

/// The choices that a page offers.
pub const CONFIG_CHOICES: [ConfigOption; 4] = [
    ConfigOption {
        key: "max_round",
        title: Text::new("Rounds at most", "最大回合数"),
        kind: ConfigOptionKind::Number {
            least: 1,
            most: DRAWN_ROUNDS as u32,
        },
    },
    ConfigOption {
        key: "items",
        title: Text::new("Items", "道具"),
        kind: ConfigOptionKind::Word(&[
            (
                "official",
                Text::new("as the official judge draws them", "按官方评测器生成"),
            ),
            (
                "first-edition",
                Text::new("as in the first edition", "按第一版生成"),
            ),
        ]),
    },
    ConfigOption {
        key: "fault_scope",
        title: Text::new("An illegal action loses", "非法操作判负范围"),
        kind: ConfigOptionKind::Word(&[
            ("half", Text::new("the leg", "本局")),
            ("match", Text::new("the match", "整场比赛")),
        ]),
    },
    ConfigOption {
        key: "stop_decided",
        title: Text::new(
            "End a leg when its winner is certain",
            "胜负已定时立即结束该局",
        ),
        kind: ConfigOptionKind::Switch,
    },
];

/// The source of the items.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    untagged,
    expecting = "items must be \"official\", \"first-edition\" or a list of [x, y, time, type, param]"
)]
pub enum ItemSource {
    /// Drawn from the seed.
    Drawn(Generator),
    /// Given as a list.
    Given(Vec<Item>),
}

/// What an illegal action loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FaultScope {
    /// The leg in which it happens.
    Half,
    /// The match.
    Match,
}

impl From<FaultScope> for Scope {
    fn from(scope: FaultScope) -> Scope {
        match scope {
            FaultScope::Half => Scope::Leg,
            FaultScope::Match => Scope::Match,
        }
    }
}

/// The result of all chance: both legs of a match share it.
///
/// Items follow from the seed, but are drawn only when somebody needs them, and those of late rounds only in long legs:
/// drawing them all takes longer than a short leg.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "RawSetup", into = "RawSetup")]
pub struct Setup {
    max_round: u16,
    fault_scope: FaultScope,
    stop_decided: bool,
    /// From what items are drawn; `None` where they were given.
    source: Option<(Generator, u64)>,
    /// Those of the rounds up to each of [`LAST_DRAWN`], once drawn: the last has all of them.
    lists: [OnceLock<ItemList>; LAST_DRAWN.len()],
}

/// The rounds up to which items are drawn at once. Six of seven legs of random players end before the first of them, one in
/// twenty goes on after the second; observations look 16 rounds ahead.
const LAST_DRAWN: [u16; 3] = [EARLY, LATE, DRAWN_ROUNDS];
const EARLY: u16 = 32;
const LATE: u16 = 128;

impl PartialEq for Setup {
    fn eq(&self, other: &Setup) -> bool {
        let rest = |setup: &Setup| (setup.max_round, setup.fault_scope, setup.stop_decided);
        let same_source = self.source.is_some() && self.source == other.source;
        rest(self) == rest(other) && (same_source || self.items() == other.items())
    }
}

/// Items by id and by round.
#[derive(Clone, Debug)]
struct ItemList {
    items: Vec<Item>,
    /// What vanishes, if it still lies, and what appears at the beginning of each round.
    by_round: Vec<[Appearing; 2]>,
    /// How many items appear up to each round.
    until: Vec<u16>,
}

impl ItemList {
    /// Items in the order of their rounds, at most one a round, up to the last round.
    fn index_items(items: Vec<Item>, last: u16) -> ItemList {
        let mut by_round = vec![[Appearing::NONE; 2]; usize::from(last) + 1];
        for (id, item) in items.iter().enumerate() {
            let appearing = Appearing {
                id: id as i16, // There are at most 512 items, one for each round.
                cell: item.cell,
            };
            by_round[usize::from(item.time)][1] = appearing;
            if let Some(round) = by_round.get_mut(usize::from(item.time + LIFETIME)) {
                round[0] = appearing;
            }
        }
        let appears = by_round.iter().map(|[_, new]| u16::from(new.id >= 0));
        let until = appears.scan(0, |until, one| {
            *until += one;
            Some(*until)
        });
        ItemList {
            until: until.collect(),
            items,
            by_round,
        }
    }
}

/// The item that appears in a round, at hand for the end of every round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Appearing {
    /// Its id; -1 for none.
    pub(crate) id: i16,
    pub(crate) cell: Cell,
}

impl Appearing {
    const NONE: Appearing = Appearing {
        id: -1,
        cell: Cell(0),
    };
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSetup {
    max_round: u16,
    fault_scope: FaultScope,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    stop_decided: bool,
    items: Vec<Item>,
}

impl TryFrom<RawSetup> for Setup {
    type Error = InvalidSetup;

    fn try_from(raw: RawSetup) -> Result<Setup, InvalidSetup> {
        let setup = Setup::new(raw.max_round, raw.fault_scope, raw.items)?;
        Ok(Setup {
            stop_decided: raw.stop_decided,
            ..setup
        })
    }
}

impl From<Setup> for RawSetup {
    fn from(setup: Setup) -> RawSetup {
        RawSetup {
            max_round: setup.max_round,
            fault_scope: setup.fault_scope,
            stop_decided: setup.stop_decided,
            items: setup.items().to_vec(),
        }
    }
}

impl Setup {
    /// Checks a setup: `max_round` is 1 to 512, at most one new item a round, in the order of
    /// rounds.
    pub fn new(
        max_round: u16,
        fault_scope: FaultScope,
        items: Vec<Item>,
    ) -> Result<Setup, InvalidSetup> {
        let setup = Setup::without_items(max_round, fault_scope)?;
        let mut last = 0;
        for (id, item) in items.iter().enumerate() {
            if item.time <= last {
                let time = item.time;
                return Err(InvalidSetup(say!(
                    "item {id} appears in round {time}, the one before it in round {last}; \
                     list items by round, at most one a round"
                )));
            }
            last = item.time;
        }
        let all = ItemList::index_items(items, DRAWN_ROUNDS + LIFETIME);
        let lists = [OnceLock::new(), OnceLock::new(), OnceLock::from(all)];
        Ok(Setup { lists, ..setup })
    }

    fn without_items(max_round: u16, fault_scope: FaultScope) -> Result<Setup, InvalidSetup> {
        if !(1..=DRAWN_ROUNDS).contains(&max_round) {
            return Err(InvalidSetup(say!(
                "max_round is {max_round}; 1 to {DRAWN_ROUNDS} are accepted"
            )));
        }
        Ok(Setup {
            max_round,
            fault_scope,
            stop_decided: false,
            source: None,
            lists: [const { OnceLock::new() }; LAST_DRAWN.len()],
        })
    }

    /// Draws the setup of a config and seed.
    pub fn deal(config: &Config, seed: u64) -> Result<Setup, InvalidSetup> {
        let setup = match &config.items {
            ItemSource::Drawn(generator) => Setup {
                source: Some((*generator, seed)),
                ..Setup::without_items(config.max_round, config.fault_scope)?
            },
            ItemSource::Given(items) => {
                Setup::new(config.max_round, config.fault_scope, items.clone())?
            }
        };
        Ok(Setup {
            stop_decided: config.stop_decided,
            ..setup
        })
    }

    /// The last round of a leg.
    pub fn max_round(&self) -> u16 {
        self.max_round
    }

    /// What an illegal action loses.
    pub fn fault_scope(&self) -> FaultScope {
        self.fault_scope
    }

    /// Whether a leg ends as soon as a side without snakes is behind the other one's walls.
    #[inline]
    pub fn stops_decided(&self) -> bool {
        self.stop_decided
    }

    /// All items by id, including those after the last round.
    pub fn items(&self) -> &[Item] {
        &self.list_until(DRAWN_ROUNDS).items
    }

    /// The items after one round, in their order, those up to another one at least.
    #[inline]
    pub(crate) fn items_between(&self, after: u16, last: u16) -> &[Item] {
        let list = self.list_until(last);
        let until = list.until.get(usize::from(after));
        list.items
            .get(usize::from(*until.unwrap_or(&u16::MAX))..)
            .unwrap_or_default()
    }

    /// The item that appears in this round, with its id.
    #[inline]
    pub fn item_appearing(&self, round: u16) -> Option<(u16, &Item)> {
        let list = self.list_until(round);
        let [_, appearing] = list.by_round.get(usize::from(round))?;
        let id = u16::try_from(appearing.id).ok()?;
        Some((id, &list.items[usize::from(id)]))
    }

    /// What vanishes, if it still lies, and what appears at the beginning of this round.
    #[inline]
    pub(crate) fn items_changing(&self, round: u16) -> &[Appearing; 2] {
        const NONE: [Appearing; 2] = [Appearing::NONE; 2];
        let list = self.list_until(round);
        list.by_round.get(usize::from(round)).unwrap_or(&NONE)
    }

    /// A list that holds the items up to this round.
    #[inline]
    fn list_until(&self, round: u16) -> &ItemList {
        let [early, late, all] = &self.lists;
        let (number, list) = if round <= EARLY {
            (0, early)
        } else if round <= LATE {
            (1, late)
        } else {
            (2, all)
        };
        match list.get().or_else(|| all.get()) {
            Some(list) => list,
            None => self.draw_until(number),
        }
    }

    #[cold]
    fn draw_until(&self, list: usize) -> &ItemList {
        let drawn = LAST_DRAWN[list];
        // What lies on the map at the last round vanishes later.
        let last = if drawn == DRAWN_ROUNDS {
            drawn + LIFETIME
        } else {
            drawn
        };
        self.lists[list].get_or_init(|| {
            let draw = |(generator, seed)| draw_items(generator, seed, self.max_round, drawn);
            ItemList::index_items(self.source.map(draw).unwrap_or_default(), last)
        })
    }
}

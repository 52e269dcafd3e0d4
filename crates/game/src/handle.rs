//! A game that somebody holds, and the games of a process.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, PoisonError, RwLock};

use crate::erased::AnyGame;

/// A game that somebody holds: one that is compiled in, or one that was loaded and goes when its last
/// holder lets it go. Two handles of one id may be different versions of a game.
#[derive(Clone)]
pub struct GameHandle(Held);

#[derive(Clone)]
enum Held {
    House(&'static dyn AnyGame),
    Loaded(Arc<dyn AnyGame>),
}

impl Deref for GameHandle {
    type Target = dyn AnyGame;

    fn deref(&self) -> &(dyn AnyGame + 'static) {
        match &self.0 {
            Held::House(game) => *game,
            Held::Loaded(game) => &**game,
        }
    }
}

impl From<&'static dyn AnyGame> for GameHandle {
    fn from(game: &'static dyn AnyGame) -> GameHandle {
        GameHandle(Held::House(game))
    }
}

impl From<&&'static dyn AnyGame> for GameHandle {
    fn from(game: &&'static dyn AnyGame) -> GameHandle {
        GameHandle(Held::House(*game))
    }
}

impl<G: AnyGame> From<&'static G> for GameHandle {
    fn from(game: &'static G) -> GameHandle {
        GameHandle(Held::House(game))
    }
}

impl<G: AnyGame + 'static> From<Arc<G>> for GameHandle {
    fn from(game: Arc<G>) -> GameHandle {
        GameHandle(Held::Loaded(game))
    }
}

impl From<&GameHandle> for GameHandle {
    fn from(game: &GameHandle) -> GameHandle {
        game.clone()
    }
}

impl fmt::Debug for GameHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.meta().id)
    }
}

/// The games that a process plays. Clones share them; games come and go while it runs, and who holds one
/// goes on with it.
#[derive(Clone, Default)]
pub struct GameSet(Arc<RwLock<Known>>);

/// Lists are copied when they change, so that nobody waits for a reader.
#[derive(Default)]
struct Known {
    /// The newest version of each, in display order.
    listed: Arc<[GameHandle]>,
    /// Every version that may still be asked for, the newest last.
    all: Vec<GameHandle>,
    /// Versions of which most callers learn nothing yet, the newest last; no other list has them.
    hidden: Vec<GameHandle>,
    /// The bound of searches, for games that come later, too.
    search_fuel: Option<u64>,
}

impl Known {
    fn bound_search(&self, game: &GameHandle) {
        if let Some(fuel) = self.search_fuel {
            game.bound_search(fuel);
        }
    }

    fn list(&mut self, game: GameHandle) {
        let mut listed = self.listed.to_vec();
        let at = (listed.iter()).position(|old| old.meta().id == game.meta().id);
        match at {
            Some(at) => listed[at] = game,
            None => listed.push(game),
        }
        self.listed = listed.into();
    }
}

impl GameSet {
    /// These games, in display order.
    pub fn new(games: impl IntoIterator<Item = impl Into<GameHandle>>) -> GameSet {
        let listed: Arc<[GameHandle]> = games.into_iter().map(Into::into).collect();
        let all = listed.to_vec();
        GameSet(Arc::new(RwLock::new(Known {
            listed,
            all,
            hidden: Vec::new(),
            search_fuel: None,
        })))
    }

    /// Bounds what a decision takes in each of the games, and in those that come;
    /// [`AnyGame::bound_search`].
    pub fn bound_search(&self, fuel: u64) {
        self.write(|known| {
            known.search_fuel = Some(fuel);
            let games = known.all.iter().chain(&known.hidden);
            games.for_each(|game| known.bound_search(game));
        });
    }

    /// The newest version of each game, in display order.
    pub fn list(&self) -> Arc<[GameHandle]> {
        self.read(|known| known.listed.clone())
    }

    /// The newest version of a game.
    pub fn find(&self, id: &str) -> Option<GameHandle> {
        let listed = self.list();
        listed.iter().find(|game| game.meta().id == id).cloned()
    }

    /// The version of a game with these rules, as a replay names them; otherwise the newest, under which
    /// such a replay is refused.
    pub fn find_rules(&self, id: &str, rules: &str) -> Option<GameHandle> {
        self.find_exact(id, rules).or_else(|| self.find(id))
    }

    /// The version of a game with just these rules.
    pub fn find_exact(&self, id: &str, rules: &str) -> Option<GameHandle> {
        let is_it = |game: &&GameHandle| game.meta().id == id && game.meta().rules == rules;
        self.read(|known| known.all.iter().rev().find(is_it).cloned())
    }

    /// The newest hidden version of a game, for who may know of it.
    pub fn find_hidden(&self, id: &str) -> Option<GameHandle> {
        let is_it = |game: &&GameHandle| game.meta().id == id;
        self.read(|known| known.hidden.iter().rev().find(is_it).cloned())
    }

    /// The ids of the games of which each version is hidden.
    pub fn hidden_ids(&self) -> Vec<String> {
        self.read(|known| {
            let is_listed = |id: &str| known.listed.iter().any(|game| game.meta().id == id);
            let ids = known.hidden.iter().map(|game| game.meta().id);
            ids.filter(|id| !is_listed(id)).map(str::to_owned).collect()
        })
    }

    /// Hides these versions, and no others: nobody finds them who does not ask for what is hidden.
    pub fn hide_only(&self, hidden: Vec<GameHandle>) {
        let is_hidden = |game: &GameHandle| hidden.iter().any(|other| is_version(game, other));
        self.write(|known| {
            known.all.retain(|game| !is_hidden(game));
            if known.listed.iter().any(is_hidden) {
                let stays = known.listed.iter().filter(|game| !is_hidden(game));
                known.listed = stays.cloned().collect();
            }
            hidden.iter().for_each(|game| known.bound_search(game));
            known.hidden.clone_from(&hidden);
        });
    }

    /// A hidden version with just these rules, for who loads games.
    pub fn find_hidden_exact(&self, id: &str, rules: &str) -> Option<GameHandle> {
        let is_it = |game: &&GameHandle| game.meta().id == id && game.meta().rules == rules;
        self.read(|known| known.hidden.iter().find(is_it).cloned())
    }

    /// Lists a version that was added, in place of another one of its game.
    pub fn list_version(&self, game: GameHandle) {
        if !self.list().iter().any(|old| is_version(old, &game)) {
            self.write(|known| known.list(game));
        }
    }

    /// These games, with this version in place of the one that is listed under its id.
    pub fn with_version(&self, game: GameHandle) -> GameSet {
        let mut known = self.read(|known| Known {
            listed: known.listed.clone(),
            all: known.all.clone(),
            hidden: Vec::new(),
            search_fuel: known.search_fuel,
        });
        known.bound_search(&game);
        known.list(game);
        GameSet(Arc::new(RwLock::new(known)))
    }

    /// Adds a version of a game, which replaces the one that is listed under its id.
    pub fn put(&self, game: GameHandle) {
        self.write(|known| {
            known.bound_search(&game);
            known.list(game.clone());
            known.all.push(game);
        });
    }

    /// Adds a version that is no longer listed, for replays and matches of it.
    pub fn put_older(&self, game: GameHandle) {
        self.write(|known| {
            known.bound_search(&game);
            known.all.insert(0, game);
        });
    }

    /// Lists a game no more; its versions stay for replays.
    pub fn unlist(&self, id: &str) {
        self.write(|known| {
            if known.listed.iter().any(|game| game.meta().id == id) {
                let stays = known.listed.iter().filter(|game| game.meta().id != id);
                known.listed = stays.cloned().collect();
            }
        });
    }

    fn read<T>(&self, look: impl FnOnce(&Known) -> T) -> T {
        look(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn write(&self, change: impl FnOnce(&mut Known)) {
        change(&mut self.0.write().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Whether both are one version of one game.
fn is_version(one: &GameHandle, other: &GameHandle) -> bool {
    one.meta().id == other.meta().id && one.meta().rules == other.meta().rules
}

impl From<&GameSet> for GameSet {
    fn from(games: &GameSet) -> GameSet {
        games.clone()
    }
}

impl From<&[&'static dyn AnyGame]> for GameSet {
    fn from(games: &[&'static dyn AnyGame]) -> GameSet {
        GameSet::new(games)
    }
}

impl fmt::Debug for GameSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.list().iter()).finish()
    }
}

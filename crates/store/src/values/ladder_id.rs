//! Which ladder: the standard one of a game, or a further one.

use std::fmt;

use sea_orm::{DbErr, DeriveValueType, TryFromU64, Value};
use serde::{Deserialize, Serialize};

/// The key of a ladder: `GAME` for the standard ladder of a game, `GAME/NAME` for a further one.
///
/// ```
/// use leitai_store::LadderId;
/// let small = LadderId::new("kob", "small");
/// assert_eq!((small.to_string(), small.game(), small.name()), ("kob/small".into(), "kob", "small"));
/// assert_eq!(LadderId::standard("kob"), LadderId::new("kob", "standard"));
/// assert_eq!(LadderId::standard("kob").to_string(), "kob");
/// ```
#[derive(
    Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, DeriveValueType,
)]
#[serde(transparent)]
pub struct LadderId(String);

impl LadderId {
    /// The name of the standard ladder of every game.
    pub const STANDARD: &str = "standard";

    /// The standard ladder of a game.
    pub fn standard(game: &str) -> LadderId {
        LadderId(game.to_owned())
    }

    /// A ladder of a game by its name.
    pub fn new(game: &str, name: &str) -> LadderId {
        match name {
            LadderId::STANDARD => LadderId::standard(game),
            _ => LadderId(format!("{game}/{name}")),
        }
    }

    /// The game's id.
    pub fn game(&self) -> &str {
        self.0.split_once('/').map_or(&self.0, |(game, _)| game)
    }

    /// The name, unique among the ladders of its game.
    pub fn name(&self) -> &str {
        let further = self.0.split_once('/');
        further.map_or(LadderId::STANDARD, |(_, name)| name)
    }

    /// Whether it is the standard ladder of its game.
    pub fn is_standard(&self) -> bool {
        !self.0.contains('/')
    }
}

impl fmt::Display for LadderId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl From<&LadderId> for Value {
    fn from(id: &LadderId) -> Value {
        id.clone().into()
    }
}

impl TryFromU64 for LadderId {
    /// A database makes no keys of ladders.
    fn try_from_u64(_: u64) -> Result<LadderId, DbErr> {
        Err(DbErr::ConvertFromU64("LadderId"))
    }
}

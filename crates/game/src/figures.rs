//! Figures of a leg: what each side did, in numbers that explain who got ahead and by what. A game
//! declares them ([`LegFigures`]) and counts them step by step
//! ([`GamePackage::count_figures`](crate::package::GamePackage::count_figures)).

use crate::game::{Game, Sink};
use crate::seat::Seat;
use crate::text::Text;

/// The phases of a leg: its thirds by rounds.
pub const PHASES: usize = 3;

/// The figures of a game.
#[derive(Debug)]
pub struct LegFigures {
    /// The built-in bot whose figures stand beside those of the players.
    pub strong_bot: &'static str,
    /// The figures, in the order in which people read them.
    pub list: &'static [FigureInfo],
}

/// One figure.
#[derive(Debug)]
pub struct FigureInfo {
    /// Its name in JSON.
    pub key: &'static str,
    /// Its name for people.
    pub name: Text,
    /// How counts are put together.
    pub kind: FigureKind,
    /// About what a unit more is worth, in points of the game; below 0 for what costs. 0: it only
    /// goes with being ahead.
    pub worth: f64,
    /// What to try first for a side that lacks it most, in one sentence.
    pub advice: Text,
    /// What the strong bot has against itself in a leg, by phase.
    pub strong: [f64; PHASES],
}

/// How the counts of a figure are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureKind {
    /// They add up.
    Sum,
    /// Their mean is taken.
    Mean,
}

/// Takes a count: the index of the figure, whose it is, how much.
pub type FigureCounter<'a> = &'a mut dyn FnMut(usize, Seat, f64);

/// The events of a step.
pub(crate) struct EventList<G: Game>(pub Vec<G::Event>);

impl<G: Game> Sink<G> for EventList<G> {
    fn on_event(&mut self, event: G::Event) {
        self.0.push(event);
    }
}

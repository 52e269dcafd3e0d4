//! How a field stands: points, ratings with intervals, places, faults, times.

use leitai_game::Entrant;
use leitai_ladder::bradley_terry::Measured;
use leitai_ladder::{Field, Tally};
use serde_json::{Value, json};

use crate::batch::{Game, Times};
use crate::report::faults::Faults;

/// The confidence of intervals and places.
pub const CONFIDENCE: f64 = 0.95;

/// A field as its matches leave it.
pub struct Standings {
    /// The best first.
    pub rows: Vec<Row>,
    /// Rows and columns in the order of [`Standings::rows`]: the row's matches against the column.
    pub cross: Vec<Vec<Tally>>,
}

/// One player.
pub struct Row {
    /// Its number among the entrants.
    pub player: usize,
    /// Its name.
    pub name: String,
    /// Its place in a knockout.
    pub place: Option<usize>,
    /// Matches won, drawn and lost.
    pub tally: Tally,
    /// Points, with those for rounds without an opponent.
    pub points: f64,
    /// Its rating against the field's average.
    pub rating: Measured,
    /// The best and the worst place that it can have by its strength.
    pub places: [usize; 2],
    /// What it did wrong.
    pub faults: Faults,
    /// How long its moves took.
    pub times: Times,
}

/// What only the tournament knows of each player.
#[derive(Default, Clone)]
pub struct Known {
    /// Its place in a knockout.
    pub place: Option<usize>,
    /// Points without an opponent.
    pub byes: f64,
}

impl Standings {
    /// From matches between these names.
    pub fn of<'a>(
        names: &[String],
        known: &[Known],
        games: impl Iterator<Item = &'a Game> + Clone,
    ) -> Standings {
        let mut field = Field::new(names.len());
        games.clone().for_each(|game| field.add(game.pair[0], game.pair[1], game.score()));
        let (fit, places) = (field.fit(), field.places(CONFIDENCE));
        let row = |(player, name): (usize, &String)| {
            let tally = field.of(player);
            let (mut faults, mut times) = (Faults::default(), Times::default());
            for (game, entrant) in of_player(games.clone(), player) {
                faults.count(game, entrant);
                times += &game.times[entrant];
            }
            let Known { place, byes } = known.get(player).cloned().unwrap_or_default();
            let (points, rating, places) = (tally.points() + byes, fit.rating(player), places[player]);
            Row { player, name: name.clone(), place, tally, points, rating, places, faults, times }
        };
        let mut rows: Vec<Row> = names.iter().enumerate().map(row).collect();
        rows.sort_by(|one, other| {
            let knockout = one.place.unwrap_or(usize::MAX).cmp(&other.place.unwrap_or(usize::MAX));
            let points = other.points.total_cmp(&one.points);
            knockout.then(points).then(other.rating.value.total_cmp(&one.rating.value))
        });
        let against = |one: &Row| rows.iter().map(|other| field.between(one.player, other.player)).collect();
        let cross = rows.iter().map(against).collect();
        Standings { cross, rows }
    }

    /// The best by rating first, where points mean nothing because some played more.
    pub fn by_rating(mut self) -> Standings {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by(|one, other| {
            self.rows[*other].rating.value.total_cmp(&self.rows[*one].rating.value).then(one.cmp(other))
        });
        self.cross =
            order.iter().map(|one| order.iter().map(|other| self.cross[*one][*other]).collect()).collect();
        let mut rows: Vec<Option<Row>> = self.rows.into_iter().map(Some).collect();
        self.rows = order.iter().map(|index| rows[*index].take().expect("each index once")).collect();
        self
    }

    /// For machines.
    pub fn json(&self) -> Value {
        let micros = |times: &Times, share: f64| times.quantile(share).map(|time| time.as_micros() as u64);
        let row = |row: &Row| {
            json!({
                "name": row.name,
                "place": row.place,
                "matches": row.tally,
                "points": row.points,
                "elo": row.rating.value,
                "elo_error": row.rating.error,
                "elo_interval": row.rating.interval(CONFIDENCE),
                "places": row.places,
                "faults": row.faults,
                "moves": row.times.moves(),
                "move_us_median": micros(&row.times, 0.5),
                "move_us_p99": micros(&row.times, 0.99),
            })
        };
        json!({
            "confidence": CONFIDENCE,
            "standings": self.rows.iter().map(row).collect::<Vec<_>>(),
            "crosstable": self.cross,
        })
    }
}

fn of_player<'a>(
    games: impl Iterator<Item = &'a Game>,
    player: usize,
) -> impl Iterator<Item = (&'a Game, Entrant)> {
    games.flat_map(move |game| {
        Entrant::BOTH
            .into_iter()
            .filter(move |entrant| game.pair[entrant.index()] == player)
            .map(move |e| (game, e))
    })
}

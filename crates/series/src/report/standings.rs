//! The standings of a field: points, ratings with intervals, places, faults, times.

use std::cmp::Ordering;
use std::fmt::Display;

use leitai_game::Entrant;
use leitai_ladder::bradley_terry::Estimated;
use leitai_ladder::{Results, ScoreTally};
use serde_json::{Value, json};

use crate::report::faults::FaultCounts;
use crate::{DistinctGames, EloUnit, GameRecord, Language, TimeHistogram};

/// The confidence of intervals and places.
pub const CONFIDENCE: f64 = 0.95;

/// The standings after its matches.
pub struct Standings {
    /// The rows, the best first.
    pub rows: Vec<StandingsRow>,
    /// Rows and columns in the order of [`Standings::rows`]: the row's matches against the column.
    pub cross: Vec<Vec<ScoreTally>>,
    /// Which games were new. Copies count for points, but not for ratings and places.
    pub distinct: DistinctGames,
    /// What Elo is about.
    pub unit: EloUnit,
}

/// The row of one player.
#[allow(missing_docs, reason = "the names say it")]
pub struct StandingsRow {
    /// Its number among the entrants.
    pub player: usize,
    pub name: String,
    /// The place in a knockout.
    pub place: Option<usize>,
    /// Matches won, drawn and lost.
    pub tally: ScoreTally,
    /// Points, including those for rounds without an opponent.
    pub points: f64,
    /// The points of them for rounds without an opponent.
    pub byes: f64,
    /// The rating relative to the field's average, as the prior keeps it finite; people are told
    /// [`StandingsRow::elo`].
    pub rating: Estimated,
    /// The side that nothing bounds: it won, or lost, every leg that counts.
    pub swept: Option<Ordering>,
    /// The best and the worst possible place by strength.
    pub places: [usize; 2],
    pub faults: FaultCounts,
    /// The times of its moves.
    pub times: TimeHistogram,
}

impl StandingsRow {
    /// The rating for people: infinite where it won, or lost, every leg that counts, which bounds it on
    /// one side alone.
    pub fn elo(&self) -> f64 {
        match self.swept {
            Some(Ordering::Greater) => f64::INFINITY,
            Some(_) => f64::NEG_INFINITY,
            None => self.rating.value,
        }
    }

    /// The ends of its interval; infinite where nothing bounds it.
    pub fn elo_interval(&self) -> [f64; 2] {
        let [low, high] = self.rating.confidence_interval(CONFIDENCE);
        match self.swept {
            Some(Ordering::Greater) => [low, f64::INFINITY],
            Some(_) => [f64::NEG_INFINITY, high],
            None => [low, high],
        }
    }

    /// By place in a knockout, then points, then rating.
    fn compare_rank(&self, other: &StandingsRow) -> Ordering {
        let place = |row: &StandingsRow| row.place.unwrap_or(usize::MAX);
        place(self)
            .cmp(&place(other))
            .then(other.points.total_cmp(&self.points))
            .then(other.rating.value.total_cmp(&self.rating.value))
    }
}

/// Facts about each player that only the tournament knows.
#[derive(Default, Clone)]
pub struct TournamentFacts {
    /// Its place in a knockout.
    pub place: Option<usize>,
    /// Points without an opponent.
    pub byes: f64,
}

impl Standings {
    /// The standings of matches between these names.
    pub fn from_games<'a>(
        names: &[String],
        known: &[TournamentFacts],
        games: impl Iterator<Item = &'a GameRecord> + Clone,
        unit: EloUnit,
    ) -> Standings {
        let (mut field, mut distinct) = (Results::new(names.len()), DistinctGames::default());
        let mut met = vec![vec![ScoreTally::default(); names.len()]; names.len()];
        for game in games.clone() {
            let ([one, other], score) = (game.pair, game.score());
            met[one][other].count_game(score);
            met[other][one].count_game(score.flip_side());
            if distinct.count_match([game]) {
                game.count_in(&mut field, unit);
            }
        }
        let (fit, places) = (field.fit_ratings(), field.place_intervals(CONFIDENCE));
        let row = |(player, name): (usize, &String)| {
            let tally = met[player]
                .iter()
                .fold(ScoreTally::default(), |sum, one| sum + *one);
            let (faults, times) = moves_of(games.clone(), player);
            let TournamentFacts { place, byes } = known.get(player).cloned().unwrap_or_default();
            let (points, rating, places) = (
                tally.points() + byes,
                fit.player_rating(player),
                places[player],
            );
            StandingsRow {
                player,
                name: name.clone(),
                place,
                tally,
                points,
                byes,
                rating,
                swept: swept_side(field.legs_of(player)),
                places,
                faults,
                times,
            }
        };
        let mut rows: Vec<StandingsRow> = names.iter().enumerate().map(row).collect();
        rows.sort_by(StandingsRow::compare_rank);
        let against = |one: &StandingsRow| {
            rows.iter()
                .map(|other| met[one.player][other.player])
                .collect()
        };
        let cross = rows.iter().map(against).collect();
        Standings {
            cross,
            rows,
            distinct,
            unit,
        }
    }

    /// Orders by rating, if points are not comparable because some players have more matches.
    pub fn by_rating(mut self) -> Standings {
        let mut order: Vec<usize> = (0..self.rows.len()).collect();
        order.sort_by(|one, other| {
            self.rows[*other]
                .rating
                .value
                .total_cmp(&self.rows[*one].rating.value)
                .then(one.cmp(other))
        });
        self.cross = order
            .iter()
            .map(|one| order.iter().map(|other| self.cross[*one][*other]).collect())
            .collect();
        let mut rows: Vec<Option<StandingsRow>> = self.rows.into_iter().map(Some).collect();
        self.rows = order
            .iter()
            .map(|index| rows[*index].take().expect("each index once"))
            .collect();
        self
    }

    /// Whether somebody had points for a round without an opponent.
    pub fn has_byes(&self) -> bool {
        self.rows.iter().any(|row| row.byes > 0.0)
    }

    /// How many games were different, if not all were; else empty.
    pub fn describe_copies(&self, language: Language<'_>) -> String {
        let counts: [&dyn Display; 2] = [
            &self.distinct.distinct_count(),
            &self.distinct.played_count(),
        ];
        match self.distinct.has_copies() {
            true => language.fill(
                "{} of {} games are different; a copy of an earlier game counts for the points, \
                not for Elo, interval and place",
                &counts,
            ),
            false => String::new(),
        }
    }

    /// The standings for programs.
    pub fn to_json(&self) -> Value {
        let row = |row: &StandingsRow| {
            json!({
                "name": row.name,
                "place": row.place,
                "matches": row.tally,
                "points": row.points,
                "byes": row.byes,
                "elo": row.elo(),
                "elo_error": row.rating.error,
                "elo_interval": row.elo_interval(),
                "places": row.places,
                "faults": row.faults,
                "moves": row.times.move_count(),
                "move_us_median": row.times.quantile_micros(0.5),
                "move_us_p99": row.times.quantile_micros(0.99),
            })
        };
        json!({
            "confidence": CONFIDENCE,
            "elo_unit": self.unit,
            "rows": self.rows.iter().map(row).collect::<Vec<_>>(),
            "crosstable": self.cross,
            "payoffs": self.payoffs_json(),
            "games_played": self.distinct.played_count(),
            "distinct_games": self.distinct.distinct_count(),
        })
    }
}

/// The side on which nothing bounds the rating of a player with these legs.
fn swept_side(legs: ScoreTally) -> Option<Ordering> {
    match (legs.wins, legs.draws, legs.losses) {
        (1.., 0, 0) => Some(Ordering::Greater),
        (0, 0, 1..) => Some(Ordering::Less),
        _ => None,
    }
}

/// The faults of a player, and the times of its moves.
fn moves_of<'a>(
    games: impl Iterator<Item = &'a GameRecord>,
    player: usize,
) -> (FaultCounts, TimeHistogram) {
    let (mut faults, mut times) = (FaultCounts::default(), TimeHistogram::default());
    for (game, entrant) in of_player(games, player) {
        faults.count_faults(game, entrant);
        times += &game.times[entrant];
    }
    (faults, times)
}

fn of_player<'a>(
    games: impl Iterator<Item = &'a GameRecord>,
    player: usize,
) -> impl Iterator<Item = (&'a GameRecord, Entrant)> {
    games.flat_map(move |game| {
        Entrant::BOTH
            .into_iter()
            .filter(move |entrant| game.pair[entrant.index()] == player)
            .map(move |e| (game, e))
    })
}

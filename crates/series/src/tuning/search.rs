//! The search for the best values: SPSA with paired games, from several starts, then a play-off.
//!
//! Each pair is played by two points on either side of where a walk stands, in every parameter at
//! once, and moves the walk towards the side with more points (J. C. Spall, "Multivariate stochastic
//! approximation using a simultaneous perturbation gradient approximation", 1992). Several walks
//! begin at different places; the averages of their second halves meet, and a last walk goes on from
//! the best of them. What all pairs say together is the matter of [`super::surface`].
//!
//! The points of a pair depend on the results of the pairs before the last [`LOOK_BEHIND`] and on the
//! seed, and on nothing else: neither on how many are played at once, nor on kills between them.

use leitai_game::{Rng, rng::mix_seed};

use super::axis::{Axis, Point};

/// Pairs of which the results may be out while the next one is chosen: so many are played at once.
pub const LOOK_BEHIND: u64 = 16;

/// The first step, in shares of the range for a pair that one side wins as a whole.
const FIRST_STEP: f64 = 0.08;
/// Pairs of a walk after which steps begin to shrink, and how fast.
const STEADY: f64 = 40.0;
const STEP_DECAY: f64 = 0.6;
/// Both points of a pair are so far from the walk at first, and at the end.
const FIRST_DISTANCE: f64 = 0.25;
const LAST_DISTANCE: f64 = 0.12;
const DISTANCE_DECAY: f64 = 0.2;
/// How much faster a choice moves.
const CHOICE_STEP: f64 = 2.0;
/// The share of pairs in which a word is drawn whatever is known.
const CURIOSITY: f64 = 0.3;
/// The fewest pairs for which another start is worth its pairs.
const FEWEST_A_WALK: u64 = 60;

/// A pair whose points are chosen.
#[derive(Clone, Debug)]
pub struct ChosenPair {
    /// What either side plays with.
    pub points: [Point; 2],
    /// The walk that it moves, and the steps of that walk before.
    walk: Option<(usize, u64)>,
    /// The points of the second side less those of the first: -1 to 1; `None` until it is over, and if
    /// it is void.
    pub result: Option<f64>,
}

/// One walk.
#[derive(Clone, Debug)]
struct Walk {
    /// Where it stands; of a choice, the liking for each word.
    place: Vec<Vec<f64>>,
    /// Steps whose places count for the average.
    average_from: u64,
    sum: Vec<Vec<f64>>,
    summed: f64,
    /// Where it stood before each step.
    trail: Vec<Point>,
}

/// The search.
#[derive(Clone, Debug)]
pub struct Search {
    axes: Vec<Axis>,
    seed: u64,
    pairs: u64,
    /// Walks of the first phase.
    starts: usize,
    walks: Vec<Walk>,
    /// The walk that won the play-off.
    chosen: Vec<ChosenPair>,
    counted: u64,
    winner: usize,
}

impl Search {
    /// A search with so many pairs, from this start and so many others.
    pub fn new(axes: Vec<Axis>, start: &[f64], pairs: u64, restarts: usize, seed: u64) -> Search {
        let most = (pairs / FEWEST_A_WALK).max(1);
        let starts = (restarts + 1).min(usize::try_from(most).unwrap_or(usize::MAX));
        let mut search = Search {
            axes,
            seed,
            pairs,
            starts,
            walks: Vec::new(),
            chosen: Vec::new(),
            counted: 0,
            winner: 0,
        };
        let steps = match starts {
            1 => pairs,
            _ => search.explored() / starts as u64,
        };
        for number in 0..starts {
            let place = search.starting_place(number, start);
            search.walks.push(Walk::begin(place, steps / 2));
        }
        search.choose_known();
        search
    }

    /// The given start, or one of the others, each in a part of the ranges of its own.
    fn starting_place(&self, number: usize, start: &[f64]) -> Vec<Vec<f64>> {
        let mut rng = Rng::new(mix_seed(self.seed, 0x57a7 + number as u64));
        let axes = self.axes.iter().zip(start);
        axes.map(|(axis, start)| match (axis, number) {
            (Axis::Range { .. }, 0) => vec![*start],
            (Axis::Range { .. }, _) => vec![0.1 + 0.8 * unit(&mut rng)],
            (Axis::Choice { count }, _) => {
                let mut liking = vec![0.0; *count];
                let word = match number {
                    0 => *start as usize,
                    _ => rng.next_below(*count),
                };
                liking[word.min(count - 1)] = 0.5;
                liking
            }
        })
        .collect()
    }

    /// The pairs of the first phase.
    fn explored(&self) -> u64 {
        match self.starts {
            1 => 0,
            starts => self.pairs / 2 / starts as u64 * starts as u64,
        }
    }

    /// The pairs of the first phase and the play-off.
    fn played_off(&self) -> u64 {
        match self.starts {
            1 => 0,
            _ => self.explored() + self.pairs / 10,
        }
    }

    /// Pairs that were counted; the next one has this number.
    pub fn pair_count(&self) -> u64 {
        self.counted
    }

    /// Whether all pairs were counted.
    pub fn is_over(&self) -> bool {
        self.counted >= self.pairs
    }

    /// The points of a pair, once the pairs that they depend on were counted.
    pub fn pair(&self, number: u64) -> Option<&ChosenPair> {
        self.chosen.get(usize::try_from(number).ok()?)
    }

    /// The counted pairs.
    pub fn counted_pairs(&self) -> &[ChosenPair] {
        &self.chosen[..self.counted as usize]
    }

    /// The parameters.
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// Counts the next pair: the points of the second side less those of the first, from -1 to 1;
    /// `None` if it is void.
    pub fn count_pair(&mut self, result: Option<f64>) {
        let Some(pair) = self.chosen.get_mut(self.counted as usize) else {
            return;
        };
        pair.result = result;
        self.counted += 1;
        if let (Some((walk, steps)), Some(result)) = (pair.walk, result) {
            let points = pair.points.clone();
            let axes = self.axes.clone();
            self.walks[walk].step(&axes, &points, steps, result);
        }
        if self.starts > 1 && self.counted == self.played_off() {
            self.begin_last_walk();
        }
        self.choose_known();
    }

    /// Chooses the points of every pair for which enough is known.
    fn choose_known(&mut self) {
        loop {
            let number = self.chosen.len() as u64;
            let phase = [self.played_off(), self.explored()];
            let phase = phase.into_iter().find(|begin| number >= *begin);
            let known = self.counted + LOOK_BEHIND;
            if number >= self.pairs || number >= known || self.counted < phase.unwrap_or(0) {
                return;
            }
            let pair = self.choose(number);
            self.chosen.push(pair);
        }
    }

    fn choose(&self, number: u64) -> ChosenPair {
        let starts = self.starts as u64;
        let (explored, played_off) = (self.explored(), self.played_off());
        let walk = match number {
            _ if self.starts == 1 => (0, number),
            number if number < explored => ((number % starts) as usize, number / starts),
            number if number < played_off => return self.choose_rivals(number - explored),
            number => (
                self.walks.len() - 1,
                explored / starts + number - played_off,
            ),
        };
        let mut rng = Rng::new(mix_seed(self.seed, number));
        let distance = distance_after(walk.1);
        let (mut first, mut second) = (Point::new(), Point::new());
        for (axis, place) in self.axes.iter().zip(&self.walks[walk.0].place) {
            let [one, other] = match axis {
                Axis::Choice { .. } => draw_words(place, &mut rng),
                Axis::Range { .. } => axis.both_sides(place[0], distance),
            };
            let is_swapped = rng.next_below(2) == 1;
            first.push(if is_swapped { other } else { one });
            second.push(if is_swapped { one } else { other });
        }
        ChosenPair {
            points: [first, second],
            walk: Some(walk),
            result: None,
        }
    }

    /// Two averages of the first phase, each against each in turn.
    fn choose_rivals(&self, number: u64) -> ChosenPair {
        let rivals = rivals(self.starts, number);
        let points = rivals.map(|walk| self.snap(&self.walks[walk].average()));
        ChosenPair {
            points,
            walk: None,
            result: None,
        }
    }

    /// The last walk goes on from the average that won most in the play-off.
    fn begin_last_walk(&mut self) {
        let explored = self.explored();
        let mut points = vec![0.0; self.starts];
        for number in explored..self.played_off() {
            let [one, other] = rivals(self.starts, number - explored);
            let result = self.chosen[number as usize].result.unwrap_or(0.0);
            points[one] -= result;
            points[other] += result;
        }
        let best = (0..self.starts).fold(0, |best, one| match points[one] > points[best] {
            true => one,
            false => best,
        });
        self.winner = best;
        let before = explored / self.starts as u64;
        let own = self.pairs - self.played_off();
        let place = self.walks[best].average();
        self.walks.push(Walk::begin(place, before + own * 3 / 10));
    }

    /// Where the search is: the average of the last walk, of the first one as long as there is none.
    pub fn place(&self) -> Point {
        let walk = match self.walks.len() > self.starts {
            true => self.walks.len() - 1,
            false => 0,
        };
        self.snap(&self.walks[walk].average())
    }

    /// The way from the start of the winner to its end, at most so many points.
    pub fn way(&self, most: usize) -> Vec<Point> {
        let mut all: Vec<Point> = self.walks[self.winner].trail.clone();
        if let Some(last) = self.walks.get(self.starts) {
            all.extend(last.trail.iter().cloned());
        }
        all.push(self.place());
        let last = all.len() - 1;
        let parts = most.saturating_sub(1).clamp(1, last.max(1));
        let mut picked: Vec<usize> = (0..=parts).map(|part| part * last / parts).collect();
        picked.dedup();
        let at = |index: usize| self.snap_point(&all[index]);
        picked.into_iter().map(at).collect()
    }

    fn snap(&self, place: &[Vec<f64>]) -> Point {
        self.snap_point(&flatten(place))
    }

    fn snap_point(&self, point: &[f64]) -> Point {
        let axes = self.axes.iter().zip(point);
        axes.map(|(axis, place)| axis.snap(*place)).collect()
    }
}

impl Walk {
    fn begin(place: Vec<Vec<f64>>, average_from: u64) -> Walk {
        Walk {
            sum: place.iter().map(|one| vec![0.0; one.len()]).collect(),
            place,
            average_from,
            summed: 0.0,
            trail: Vec::new(),
        }
    }

    fn step(&mut self, axes: &[Axis], points: &[Point; 2], steps: u64, result: f64) {
        self.trail.push(flatten(&self.place));
        let step = FIRST_STEP / (1.0 + steps as f64 / STEADY).powf(STEP_DECAY) * result;
        let usual = 2.0 * distance_after(steps);
        for (index, axis) in axes.iter().enumerate() {
            let [one, other] = [points[0][index], points[1][index]];
            let place = &mut self.place[index];
            match axis {
                Axis::Range { .. } => {
                    let apart = other - one;
                    let share = (usual / apart.abs()).min(1.0) * apart.signum();
                    place[0] = (place[0] + step * share).clamp(0.0, 1.0);
                }
                Axis::Choice { .. } => {
                    place[one as usize] -= CHOICE_STEP * step;
                    place[other as usize] += CHOICE_STEP * step;
                }
            }
        }
        if steps >= self.average_from {
            self.summed += 1.0;
            let both = self.sum.iter_mut().flatten();
            both.zip(self.place.iter().flatten())
                .for_each(|(sum, place)| *sum += place);
        }
    }

    /// The average of its later places.
    fn average(&self) -> Vec<Vec<f64>> {
        match self.summed > 0.0 {
            false => self.place.clone(),
            true => {
                let mean = |one: &Vec<f64>| one.iter().map(|sum| sum / self.summed).collect();
                self.sum.iter().map(mean).collect()
            }
        }
    }
}

/// A point of places, with the word that is liked best.
fn flatten(place: &[Vec<f64>]) -> Point {
    place
        .iter()
        .map(|one| match one.len() {
            1 => one[0],
            _ => best_index(one) as f64,
        })
        .collect()
}

/// The first of the largest.
pub fn best_index(values: &[f64]) -> usize {
    (0..values.len()).fold(0, |best, one| match values[one] > values[best] {
        true => one,
        false => best,
    })
}

fn distance_after(steps: u64) -> f64 {
    let shrunk = FIRST_DISTANCE / (1.0 + steps as f64 / STEADY).powf(DISTANCE_DECAY);
    shrunk.max(LAST_DISTANCE)
}

/// The two walks of a match of the play-off.
fn rivals(walks: usize, number: u64) -> [usize; 2] {
    let all: Vec<[usize; 2]> = (0..walks)
        .flat_map(|other| (0..other).map(move |one| [one, other]))
        .collect();
    all[(number % all.len() as u64) as usize]
}

/// Two different words, those that are liked more often.
fn draw_words(liking: &[f64], rng: &mut Rng) -> [f64; 2] {
    let most = liking.iter().copied().fold(f64::MIN, f64::max);
    let shares: Vec<f64> = liking.iter().map(|one| (one - most).exp()).collect();
    let sum: f64 = shares.iter().sum();
    let floor = CURIOSITY / liking.len() as f64;
    let chances = shares
        .iter()
        .map(|share| floor + (1.0 - CURIOSITY) * share / sum);
    let chances: Vec<f64> = chances.collect();
    let one = draw(&chances, rng);
    let mut others = chances;
    others[one] = 0.0;
    [one as f64, draw(&others, rng) as f64]
}

fn draw(chances: &[f64], rng: &mut Rng) -> usize {
    let mut left = unit(rng) * chances.iter().sum::<f64>();
    let possible = (0..chances.len()).filter(|index| chances[*index] > 0.0);
    let mut last = 0;
    for index in possible {
        last = index;
        left -= chances[index];
        if left < 0.0 {
            break;
        }
    }
    last
}

/// From 0 to 1.
pub fn unit(rng: &mut Rng) -> f64 {
    (rng.next_u64() >> 11) as f64 / (1u64 << 53) as f64
}

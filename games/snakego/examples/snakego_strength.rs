//! Plays matches between two built-in bots in this process and prints who is stronger.
//!
//! ```text
//! cargo run --release -p leitai-snakego --example snakego_strength -- territory greedy 200
//! ```
//! Match k has the items of seed k; the two bots swap seats between its two legs. An optional
//! fourth argument is `max_round`, a fifth one the number of threads (2), a sixth one the first
//! seed (1). `champion@20` gives a bot a clock of 20 ms a turn of its thread's wall time; without it
//! nobody counts its time. A number instead of a name is a bot like `level10` with so many playouts
//! an action.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use leitai_game::rng::mix_seed;
use leitai_game::{Bot, BotClock, BotInfo, BySeat, Entrant, Game, GamePackage, Perspective, Seat};
use leitai_snakego::bots::champion::{Champion, ChampionStyle};
use leitai_snakego::{Config, Position, Setup};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [a, b, matches, rest @ ..] = arguments.as_slice() else {
        eprintln!("usage: strength BOT[@MS] BOT[@MS] MATCHES [MAX_ROUND [THREADS [FIRST_SEED]]]");
        std::process::exit(2);
    };
    let bots = [a, b].map(|word| Contender::parse(word));
    let matches: u64 = matches
        .parse()
        .expect("the number of matches is a whole number");
    let mut config = Config::default();
    if let Some(rounds) = rest.first() {
        config.max_round = rounds.parse().expect("max_round is a whole number");
    }
    let threads = rest.get(1).map_or(2, |threads| {
        threads
            .parse()
            .expect("the number of threads is a whole number")
    });
    let first: u64 = rest.get(2).map_or(1, |seed| {
        seed.parse().expect("the first seed is a whole number")
    });
    let start = Instant::now();
    let tally = play_all(&config, bots, first..first + matches, threads);
    tally.print([a, b], start.elapsed());
}

/// A built-in bot, or a level with other playouts, and the time that it has for a turn.
#[derive(Clone, Copy)]
struct Contender {
    player: Player,
    limit: Option<Duration>,
}

impl Contender {
    fn parse(word: &str) -> Contender {
        let (name, limit) = match word.split_once('@') {
            Some((name, limit)) => (name, Some(limit)),
            None => (word, None),
        };
        let limit = limit
            .map(|ms| Duration::from_millis(ms.parse().expect("milliseconds are a whole number")));
        let player = match name.parse() {
            Ok(playouts) => Player::Playouts(playouts),
            Err(_) => Player::BuiltIn(find(name)),
        };
        Contender { player, limit }
    }
}

#[derive(Clone, Copy)]
enum Player {
    BuiltIn(&'static BotInfo<Position>),
    Playouts(u64),
}

impl Player {
    fn make(self, seed: u64) -> Box<dyn Bot<Position>> {
        match self {
            Player::BuiltIn(bot) => (bot.make)(seed),
            Player::Playouts(nodes) => {
                let level = ChampionStyle::level(10);
                Box::new(Champion::new(ChampionStyle { nodes, ..level }, seed))
            }
        }
    }
}

/// The clock of a turn.
struct TurnClock {
    start: Instant,
    limit: Option<Duration>,
}

impl BotClock for TurnClock {
    fn time_left(&self) -> Option<Duration> {
        let limit = self.limit?;
        Some(limit.saturating_sub(self.start.elapsed()))
    }
}

fn find(name: &str) -> &'static BotInfo<Position> {
    Position::CONTENTS
        .bots
        .iter()
        .find(|bot| bot.name == name)
        .unwrap_or_else(|| {
            let names: Vec<&str> = Position::CONTENTS.bots.iter().map(|bot| bot.name).collect();
            eprintln!("there is no bot {name}; there are {}", names.join(", "));
            std::process::exit(2);
        })
}

/// The counts, by entrant.
#[derive(Default)]
struct Tally {
    wins: [u64; 2],
    legs: [u64; 2],
    cells: [i64; 2],
    faults: [u64; 2],
    turns: [u64; 2],
    thinking: [Duration; 2],
    slowest: [Duration; 2],
}

/// Threads take the next seed from a counter.
fn play_all(config: &Config, bots: [Contender; 2], seeds: Range<u64>, threads: usize) -> Tally {
    let next = AtomicU64::new(seeds.start);
    let worker = || {
        let mut tally = Tally::default();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return tally;
            }
            tally.play_match(
                &Setup::deal(config, seed).expect("the config is sound"),
                bots,
                seed,
            );
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(worker)).collect();
        let tallies = threads
            .into_iter()
            .map(|thread| thread.join().expect("no match panics"));
        tallies.fold(Tally::default(), Tally::plus)
    })
}

impl Tally {
    fn play_match(&mut self, setup: &Setup, bots: [Contender; 2], seed: u64) {
        let legs = [0, 1].map(|leg| {
            let mut players = BySeat::from_fn(|seat: Seat| {
                let seed = mix_seed(seed, leg as u64 * 2 + seat.index() as u64);
                bots[seat.entrant_in_leg(leg).index()].player.make(seed)
            });
            let limits = BySeat::from_fn(|seat: Seat| bots[seat.entrant_in_leg(leg).index()].limit);
            let end = self.play_leg(setup, &mut players, limits, leg);
            let outcome = end.outcome().expect("the leg is over");
            if let Some(winner) = outcome.winner {
                self.legs[winner.entrant_in_leg(leg).index()] += 1;
            }
            for seat in Seat::BOTH {
                let entrant = seat.entrant_in_leg(leg).index();
                self.cells[entrant] += i64::from(outcome.scores[seat]);
                self.faults[entrant] += u64::from(outcome.faults[seat].is_some());
            }
            end
        });
        let verdict = Position::decide_match(setup, &legs);
        if let Some(winner) = verdict.winner {
            self.wins[winner.index()] += 1;
        }
    }

    fn play_leg(
        &mut self,
        setup: &Setup,
        players: &mut BySeat<Box<dyn Bot<Position>>>,
        limits: BySeat<Option<Duration>>,
        leg: usize,
    ) -> Position {
        let mut position = Position::start(setup, &mut ());
        while position.end().is_none() {
            let (seat, period) = (position.seat(), position.period());
            let start = Instant::now();
            let clock = TurnClock {
                start,
                limit: limits[seat],
            };
            while position.end().is_none() && position.period() == period {
                let view = position.view(setup, Perspective::Seat(seat));
                let action = players[seat].choose_action(setup, &view, &clock);
                position.play_action(setup, action, &mut ());
            }
            self.add_turn(seat.entrant_in_leg(leg), start.elapsed());
        }
        position
    }

    fn add_turn(&mut self, entrant: Entrant, time: Duration) {
        let i = entrant.index();
        self.turns[i] += 1;
        self.thinking[i] += time;
        self.slowest[i] = self.slowest[i].max(time);
    }

    fn plus(mut self, other: Tally) -> Tally {
        for i in 0..2 {
            self.wins[i] += other.wins[i];
            self.legs[i] += other.legs[i];
            self.cells[i] += other.cells[i];
            self.faults[i] += other.faults[i];
            self.turns[i] += other.turns[i];
            self.thinking[i] += other.thinking[i];
            self.slowest[i] = self.slowest[i].max(other.slowest[i]);
        }
        self
    }

    fn print(&self, names: [&String; 2], wall: Duration) {
        let matches = self.wins[0] + self.wins[1];
        for (i, name) in names.into_iter().enumerate() {
            let (low, high) = wilson(self.wins[i], matches);
            println!(
                "{name:<12} {:>4} of {matches} = {:5.1} % (95 %: {:.1} to {:.1})  {:>4} legs  {:6.1} cells a leg  {} faults  \
                 {:8.1} us a turn, slowest {:.2} ms",
                self.wins[i],
                100.0 * self.wins[i] as f64 / matches.max(1) as f64,
                100.0 * low,
                100.0 * high,
                self.legs[i],
                self.cells[i] as f64 / (2 * matches.max(1)) as f64,
                self.faults[i],
                1e6 * self.thinking[i].as_secs_f64() / self.turns[i].max(1) as f64,
                1e3 * self.slowest[i].as_secs_f64(),
            );
        }
        println!("{:.1} s", wall.as_secs_f64());
    }
}

/// The 95 % Wilson interval of a share.
fn wilson(wins: u64, matches: u64) -> (f64, f64) {
    if matches == 0 {
        return (0.0, 1.0);
    }
    let (n, z) = (matches as f64, 1.96f64);
    let share = wins as f64 / n;
    let middle = share + z * z / (2.0 * n);
    let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
    let scale = 1.0 + z * z / n;
    ((middle - half) / scale, (middle + half) / scale)
}

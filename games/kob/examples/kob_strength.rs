//! Plays two built-in bots against each other on N maps, sides swapped, on both cores.
//!
//! ```text
//! cargo run --release -p leitai-kob --example kob_strength -- alphabeta space --maps 100 --ms 500
//! cargo run --release -p leitai-kob --example kob_strength -- alphabeta space --maps 100 --nodes 20000
//! ```

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use leitai_game::{Bot, BotClock, BySeat, Entrant, Game, Perspective, Seat};
use leitai_kob::bots::{self, AlphaBetaBot, Champion, ChampionStyle, Effort};
use leitai_kob::{Config, Position, Setup};

fn main() {
    match Plan::read(std::env::args().skip(1)) {
        Ok(plan) => print!("{}", plan.play()),
        Err(why) => {
            eprintln!(
                "{why}\nusage: strength BOT BOT [--maps N] [--first SEED] [--ms MS | --nodes N] [--threads N]"
            );
            std::process::exit(2);
        }
    }
}

/// The two bots, the number of maps, and the thinking time.
struct Plan {
    names: [String; 2],
    maps: u64,
    first: u64,
    threads: usize,
    time: Option<Duration>,
    nodes: Option<u64>,
}

impl Plan {
    fn read(mut args: impl Iterator<Item = String>) -> Result<Plan, String> {
        let mut name = || {
            args.next()
                .filter(|name| bots::ALL.iter().any(|bot| bot.name == name))
        };
        let known = || {
            format!(
                "bots are {}",
                bots::ALL
                    .iter()
                    .map(|bot| bot.name)
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        };
        let names = [name().ok_or_else(known)?, name().ok_or_else(known)?];
        let mut plan = Plan {
            names,
            maps: 20,
            first: 0,
            threads: 2,
            time: None,
            nodes: None,
        };
        while let Some(option) = args.next() {
            let value = args.next().and_then(|value| value.parse().ok());
            let value: u64 = value.ok_or_else(|| format!("{option} takes a number"))?;
            match option.as_str() {
                "--maps" => plan.maps = value,
                "--first" => plan.first = value,
                "--ms" => plan.time = Some(Duration::from_millis(value)),
                "--nodes" => plan.nodes = Some(value),
                "--threads" => plan.threads = value.clamp(1, 64) as usize,
                _ => return Err(format!("unknown option {option}")),
            }
        }
        Ok(plan)
    }

    fn play(&self) -> Tally {
        let next = AtomicU64::new(0);
        let work = || {
            let mut tally = Tally::default();
            while let Some(game) =
                Some(next.fetch_add(1, Ordering::Relaxed)).filter(|game| *game < 2 * self.maps)
            {
                tally.add(self.game(self.first + game / 2, (game % 2) as usize));
            }
            tally
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads).map(|_| scope.spawn(work)).collect();
            let tallies = threads
                .into_iter()
                .map(|thread| thread.join().expect("bots do not panic"));
            tallies.fold(Tally::default(), Tally::plus)
        })
    }

    /// One game: its winner and its number of rounds.
    fn game(&self, map: u64, leg: usize) -> (Option<Entrant>, u16) {
        let setup = Setup::deal(&Config::default(), map).expect("the default config is sound");
        let mut position = Position::start(&setup);
        let mut players = BySeat::from_fn(|seat: Seat| {
            self.bot(seat.entrant_in_leg(leg), map * 4 + seat.index() as u64)
        });
        while position.outcome().is_none() {
            let moves = Seat::BOTH.map(|seat| {
                let clock = Stopwatch {
                    until: self.time.map(|time| Instant::now() + time),
                };
                players[seat].choose_action(
                    &setup,
                    &position.view(&setup, Perspective::Seat(seat)),
                    &clock,
                )
            });
            position.play_round(&setup, moves);
        }
        let winner = position.winner();
        (
            winner.map(|seat| seat.entrant_in_leg(leg)),
            position.round(),
        )
    }

    fn bot(&self, entrant: Entrant, seed: u64) -> Box<dyn Bot<Position>> {
        let name = self.names[entrant.index()].as_str();
        if let (Some(nodes), "alphabeta") = (self.nodes, name) {
            return Box::new(AlphaBetaBot::new(Effort::Nodes(nodes)));
        }
        if let (Some(nodes), "champion") = (self.nodes, name) {
            let style = ChampionStyle::full(Effort::Nodes(nodes));
            return Box::new(Champion::new(style, seed));
        }
        let info = bots::ALL
            .iter()
            .find(|bot| bot.name == name)
            .expect("names were checked");
        (info.make)(seed)
    }
}

struct Stopwatch {
    until: Option<Instant>,
}

impl BotClock for Stopwatch {
    fn time_left(&self) -> Option<Duration> {
        self.until
            .map(|until| until.saturating_duration_since(Instant::now()))
    }
}

/// Games won by the first bot, won by the second, drawn; and all rounds.
#[derive(Clone, Copy, Default)]
struct Tally {
    wins: [u32; 2],
    draws: u32,
    rounds: u64,
}

impl Tally {
    fn add(&mut self, (winner, rounds): (Option<Entrant>, u16)) {
        match winner {
            Some(entrant) => self.wins[entrant.index()] += 1,
            None => self.draws += 1,
        }
        self.rounds += u64::from(rounds);
    }

    fn plus(self, other: Tally) -> Tally {
        Tally {
            wins: [self.wins[0] + other.wins[0], self.wins[1] + other.wins[1]],
            draws: self.draws + other.draws,
            rounds: self.rounds + other.rounds,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let games = self.wins[0] + self.wins[1] + self.draws;
        let [low, high] = wilson(self.wins[0], games);
        let [won, lost] = self.wins;
        writeln!(
            f,
            "{games} games: {won} won, {} drawn, {lost} lost; won {:.1} % (95 % Wilson interval {:.1} to {:.1} %); \
             {:.1} rounds a game",
            self.draws,
            100.0 * f64::from(won) / f64::from(games.max(1)),
            100.0 * low,
            100.0 * high,
            self.rounds as f64 / f64::from(games.max(1)),
        )
    }
}

/// The 95 % interval of a share, of which `won` of `games` were observed.
fn wilson(won: u32, games: u32) -> [f64; 2] {
    const Z: f64 = 1.959_964;
    let (n, share) = (
        f64::from(games.max(1)),
        f64::from(won) / f64::from(games.max(1)),
    );
    let middle = share + Z * Z / (2.0 * n);
    let spread = Z * (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    [-1.0, 1.0].map(|sign| (middle + sign * spread) / (1.0 + Z * Z / n))
}

//! A tournament while it is played. Every finished match is in the journal before anything else happens, so that a
//! tournament which was interrupted or killed goes on where it was.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::ensure;
use leitai_game::Entrant;
use leitai_ladder::tournament::{Format, Key, Met, Results, Stage};
use serde::{Deserialize, Serialize};

use crate::batch::hall::changes;
use crate::batch::workers::{Finished, Job, Next, Series};
use crate::batch::{Game, Hall, Journal, Void};
use crate::cup::Plan;
use crate::files;
use crate::lang::t;

/// Matches that are added one by one where a knockout needs a winner and there is none; then the better seed goes on.
const EXTRA: u32 = 4;

/// One match's place: its encounter, and its number there, from 0.
pub type Place = (Key, u32);

/// One line of the journal: a match that was played, or that stayed void.
#[derive(Serialize, Deserialize)]
struct Entry {
    key: Key,
    number: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    game: Option<Game>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    void: Option<Void>,
}

/// A tournament while it is played.
pub struct Cup<'a> {
    /// The plan.
    pub plan: &'a Plan,
    hall: &'a Hall,
    /// Players.
    pub players: usize,
    /// Every finished match.
    pub games: BTreeMap<Place, Game>,
    /// Every match that stayed void.
    pub voids: BTreeMap<Place, Void>,
    given: BTreeSet<Place>,
    queue: VecDeque<Job<Place>>,
    journal: Journal,
    /// Called after every match.
    tell: Box<dyn FnMut(&Told<'_>) + 'a>,
}

/// A match that has just ended.
pub struct Told<'a> {
    /// The match.
    pub game: &'a Game,
    /// Matches that are finished, and how many there will be at most.
    pub finished: [usize; 2],
}

impl<'a> Cup<'a> {
    /// Begins a tournament, or goes on with the one in its folder.
    pub fn open(plan: &'a Plan, hall: &'a Hall, tell: impl FnMut(&Told<'_>) + 'a) -> anyhow::Result<Cup<'a>> {
        let header = plan.header(hall);
        let found = Journal::open::<Entry>(&plan.folder, &header)?;
        let players = hall.players.len();
        let changed = changes(&found.header, &plan.lengthened(&found.header, header, players));
        ensure!(
            changed.is_empty(),
            "{} {}: {} ({})",
            plan.folder.display(),
            t("was begun with another plan", "中的比赛开始时使用的是另一种设置"),
            changed.join(", "),
            t(
                "choose another --folder, or ask for what was begun",
                "请换一个 --folder，或使用与开始时相同的设置"
            ),
        );
        let (games, voids) = recall(found.entries, plan.format);
        let last = games.keys().map(|(key, _)| key.stage).max();
        ensure!(
            last.is_none_or(|stage| plan.has_stage(stage, players)),
            "{} {}",
            plan.folder.display(),
            t(
                "has more rounds than are asked for; ask for as many or more",
                "中已进行的轮数多于要求的轮数；请要求相同或更多轮数"
            ),
        );
        Ok(Cup {
            plan,
            hall,
            players,
            games,
            voids,
            given: BTreeSet::new(),
            queue: VecDeque::new(),
            journal: found.journal,
            tell: Box::new(tell),
        })
    }

    /// Matches that are finished, and how many there will be at most.
    pub fn finished(&self) -> [usize; 2] {
        let [_, most] = self.plan.format.encounters(self.players);
        [self.games.len(), most * self.plan.matches as usize]
    }

    /// Whether there is nothing more to play.
    pub fn is_over(&self) -> bool {
        self.plan.format.open(self.players, &self.results()).is_empty()
    }

    /// The encounters that are over. A void match brings no points.
    pub fn results(&self) -> Results {
        let mut met: BTreeMap<Key, (Met, u32)> = BTreeMap::new();
        let mut count = |key: Key, pair: [usize; 2], points: [f64; 2]| {
            let (met, matches) = met.entry(key).or_insert((Met { pair, points: [0.0; 2] }, 0));
            for (player, points) in pair.into_iter().zip(points) {
                met.points[usize::from(player != met.pair[0])] += points;
            }
            *matches += 1;
        };
        for ((key, _), game) in &self.games {
            let score = game.score();
            count(*key, game.pair, [score.points(), score.flip().points()]);
        }
        self.voids.iter().for_each(|((key, _), void)| count(*key, void.pair, [0.0; 2]));
        let over = met.into_iter().filter(|(_, (met, matches))| self.needs(met, *matches) == 0);
        over.map(|(key, (met, _))| (key, met)).collect()
    }

    /// Matches that an encounter still needs after so many.
    fn needs(&self, met: &Met, count: u32) -> u32 {
        let planned = self.plan.matches;
        let open = self.plan.format.is_knockout() && met.points[0] == met.points[1];
        match () {
            () if count < planned => planned - count,
            () if open && count < planned + EXTRA => 1,
            () => 0,
        }
    }

    /// Puts every match that can be played now into the queue.
    fn fill(&mut self) {
        for encounter in self.plan.format.open(self.players, &self.results()) {
            let all = (encounter.key, 0)..=(encounter.key, u32::MAX);
            let tried = self.games.range(all.clone()).count() + self.voids.range(all).count();
            for number in 0..self.plan.matches.max(tried as u32 + 1) {
                let place = (encounter.key, number);
                let is_over = self.games.contains_key(&place) || self.voids.contains_key(&place);
                if !is_over && self.given.insert(place) {
                    self.queue.push_back(self.job(place, encounter.pair));
                }
            }
        }
    }

    /// Encounters of a stage share their seeds. Who is A alternates.
    fn job(&self, place: Place, [one, other]: [usize; 2]) -> Job<Place> {
        let (key, number) = place;
        let extra = if self.plan.format.is_knockout() { EXTRA } else { 0 };
        let a_stage = self.hall.seed_of(u64::from(self.plan.matches + extra - 1)) + 1;
        let index = stage_number(key.stage) * a_stage + self.hall.seed_of(u64::from(number));
        let seed = match &self.plan.seeds[..] {
            [] => self.plan.seed.wrapping_add(index),
            seeds => seeds[(index % seeds.len() as u64) as usize],
        };
        let pair = if number % 2 == 0 { [one, other] } else { [other, one] };
        Job { tag: place, pair, seed, board: index as usize, legs: None }
    }
}

/// What a journal holds. Void matches are tried again, unless later encounters were drawn from their having no result.
fn recall(entries: Vec<Entry>, format: Format) -> (BTreeMap<Place, Game>, BTreeMap<Place, Void>) {
    let (mut games, mut voids) = (BTreeMap::new(), BTreeMap::new());
    for Entry { key, number, game, void } in entries {
        voids.remove(&(key, number));
        games.extend(game.map(|game| ((key, number), game)));
        voids.extend(void.map(|void| ((key, number), void)));
    }
    let stages = games.keys().chain(voids.keys()).map(|(key, _): &Place| key.stage);
    let last = stages.max();
    let is_drawn_anew = !matches!(format, Format::RoundRobin { .. } | Format::Gauntlet { .. });
    voids.retain(|(key, _), _| is_drawn_anew && Some(key.stage) < last);
    (games, voids)
}

/// A number of its own for every stage.
fn stage_number(stage: Stage) -> u64 {
    match stage {
        Stage::Round(round) => u64::from(round) - 1,
        Stage::Winners(round) => 3 * (u64::from(round) - 1),
        Stage::Losers(round) => 3 * (u64::from(round) / 2) + 1 + u64::from(round) % 2,
        Stage::Final => 100,
        Stage::Decider => 101,
    }
}

impl Series for Cup<'_> {
    type Tag = Place;

    fn next(&mut self) -> anyhow::Result<Next<Place>> {
        if self.queue.is_empty() {
            self.fill();
        }
        Ok(self.queue.pop_front().map_or(Next::Wait, Next::Play))
    }

    fn done(&mut self, job: Job<Place>, finished: Finished) -> anyhow::Result<()> {
        let (key, number) = job.tag;
        let Finished { mut game, played } = finished;
        let [a, b] = [Entrant::A, Entrant::B].map(|entrant| file_name(&played.replay.entrants[entrant].name));
        let name = format!("replays/{}-{}-{}-{a}-{b}.json", key.stage, key.table + 1, number + 1);
        files::write(&self.journal.folder().join(&name), &played.replay.to_text())?;
        game.replay = Some(name);
        self.journal.append(&Entry { key, number, game: Some(game.clone()), void: None })?;
        self.games.insert(job.tag, game);
        let finished = self.finished();
        (self.tell)(&Told { game: &self.games[&job.tag], finished });
        Ok(())
    }

    fn void(&mut self, job: Job<Place>, void: Void) -> anyhow::Result<()> {
        let (key, number) = job.tag;
        self.journal.append(&Entry { key, number, game: None, void: Some(void.clone()) })?;
        self.voids.insert(job.tag, void);
        Ok(())
    }
}

/// A name as part of a file's: letters, digits and a few signs; at most so long.
fn file_name(name: &str) -> String {
    let plain = |letter: char| if letter.is_alphanumeric() || "-_.".contains(letter) { letter } else { '_' };
    name.chars().take(32).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stage_has_seeds_of_its_own() {
        let stages = (1..8).flat_map(|round| [Stage::Winners(round), Stage::Losers(round)]);
        let mut numbers: Vec<u64> = stages.chain([Stage::Final, Stage::Decider]).map(stage_number).collect();
        let all = numbers.len();
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), all);
    }

    #[test]
    fn names_do_not_leave_the_folder() {
        assert_eq!(file_name("../a b/c"), ".._a_b_c");
        assert_eq!(file_name(&"x".repeat(99)).len(), 32);
    }
}

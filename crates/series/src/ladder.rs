//! A ladder: ranks the bots of a folder. It plays the most informative matches until the order is
//! settled.

mod folder;
mod report;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;

use anyhow::ensure;
use leitai_ladder::Results;
use leitai_ladder::most_informative::{NeighbourState, Precision, RankOrder};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::distinct::sort_pair;
use crate::roster::list_changes;
use crate::run::{FinishedMatch, MAX_VOID_IN_A_ROW, NextWork, Series};
use crate::series_job::SeriesJob;
use crate::{DistinctGames, EloUnit, GameRecord, Journal, Roster, VoidMatch, files};

pub use folder::{journal_folder, list_bots, remembered_game};

/// The version of the journal's format.
const FORMAT: &str = "leitai-ladder/2";
/// The number of void matches in a row after which a pair is not chosen again.
const MAX_VOID_OF_A_PAIR: u32 = 2;
/// The number of games of every bot before the order is reliable enough to choose by.
const FIRST_GAMES: u32 = 2;

/// Options of a ladder.
#[derive(Clone, Debug)]
pub struct LadderOptions {
    /// The folder of the bots. It also contains the journal.
    pub folder: PathBuf,
    /// The precision at which the order is settled.
    pub precision: Precision,
    /// What Elo is about.
    pub elo: EloUnit,
    /// The seed of the first match; the next ones count on from it.
    pub seed: u64,
    /// The number of matches after which this run stops.
    pub max_matches: u64,
}

/// One line of the journal: a match that was played, or that stayed void. An entrant is identified
/// by its name and fingerprint, because its number may change from run to run.
#[derive(Serialize, Deserialize)]
struct LadderEntry {
    versions: [(String, String); 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    game: Option<GameRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    void: Option<VoidMatch>,
}

/// The state of a ladder after a match.
pub struct LadderUpdate<'a> {
    /// The match.
    pub game: &'a GameRecord,
    /// The number of matches that count.
    pub matches: usize,
    /// Neighbours whose order is settled.
    pub settled: usize,
    /// Pairs of neighbours.
    pub gaps: usize,
}

/// Called after every match.
type LadderListener<'a> = Box<dyn FnMut(&LadderUpdate<'_>) + 'a>;

/// A running ladder.
pub struct Ladder<'a> {
    roster: &'a Roster,
    precision: Precision,
    elo: EloUnit,
    order: RankOrder,
    field: Results,
    /// Which games were new. A match without a new game is played, and does not count.
    distinct: DistinctGames,
    /// Matches between entrants that have not changed since.
    games: Vec<GameRecord>,
    /// Matches of entrants that have changed or were removed.
    stale: usize,
    versions: Vec<(String, String)>,
    playing: Vec<[usize; 2]>,
    /// Void matches between entrants that have not changed since.
    voids: Vec<VoidMatch>,
    /// Void matches of this run since the last played one: of each pair, and in total.
    void_pairs: BTreeMap<[usize; 2], u32>,
    void_in_a_row: u32,
    /// Matches of pairs so far, for seeds and seats.
    given: BTreeMap<[usize; 2], u64>,
    first: VecDeque<[usize; 2]>,
    left: u64,
    seed: u64,
    journal: Journal,
    listener: LadderListener<'a>,
}

impl<'a> Ladder<'a> {
    /// Starts a ladder, or resumes the one in its folder.
    pub fn open(
        options: LadderOptions,
        roster: &'a Roster,
        listener: impl FnMut(&LadderUpdate<'_>) + 'a,
    ) -> anyhow::Result<Ladder<'a>> {
        let LadderOptions {
            folder,
            precision,
            elo,
            seed,
            max_matches,
        } = options;
        let folder = journal_folder(&folder);
        let header = json!({"format": FORMAT, "terms": roster.match_terms(), "seed": seed});
        let found = Journal::open_folder::<LadderEntry>(&folder, &header)?;
        let changed = list_changes(&found.header, &header);
        ensure!(
            changed.is_empty(),
            "{} was begun with another game, config, time or seed: {}; move it away to begin anew",
            folder.display(),
            changed.join("; ")
        );
        let versions: Vec<(String, String)> = roster
            .entrant_names()
            .into_iter()
            .zip(roster.fingerprints.clone())
            .collect();
        let field = Results::new(versions.len());
        let mut ladder = Ladder {
            roster,
            order: RankOrder::from_results(&field, &precision),
            precision,
            elo,
            field,
            distinct: DistinctGames::default(),
            games: Vec::new(),
            stale: 0,
            versions,
            playing: Vec::new(),
            voids: Vec::new(),
            void_pairs: BTreeMap::new(),
            void_in_a_row: 0,
            given: BTreeMap::new(),
            first: VecDeque::new(),
            left: max_matches,
            seed,
            journal: found.journal,
            listener: Box::new(listener),
        };
        found
            .entries
            .into_iter()
            .for_each(|entry| ladder.recall_entry(entry));
        ladder.introduce_newcomers();
        ladder.order = RankOrder::from_results(&ladder.field, &ladder.precision);
        Ok(ladder)
    }

    /// Counts a match of an earlier run, if neither entrant has changed.
    fn recall_entry(&mut self, entry: LadderEntry) {
        let now =
            |version: &(String, String)| self.versions.iter().position(|other| other == version);
        match [now(&entry.versions[0]), now(&entry.versions[1])] {
            [Some(a), Some(b)] => {
                entry.void.into_iter().for_each(|void| {
                    self.count_void(VoidMatch {
                        pair: [a, b],
                        ..void
                    })
                });
                entry.game.into_iter().for_each(|game| {
                    self.count_game(GameRecord {
                        pair: [a, b],
                        ..game
                    })
                });
            }
            _ => self.stale += 1,
        }
    }

    /// A new entrant first plays its neighbours in the list, because there are no results by which
    /// to choose.
    fn introduce_newcomers(&mut self) {
        let count = self.versions.len();
        for player in 0..count {
            let missing = FIRST_GAMES.saturating_sub(self.field.tally_of(player).game_count());
            let pairs = (1..=missing as usize).map(|step| [player, (player + step) % count]);
            self.first.extend(pairs.filter(|[one, other]| one != other));
        }
    }

    fn count_game(&mut self, game: GameRecord) {
        *self.given.entry(sort_pair(game.pair)).or_insert(0) += 1;
        if self.distinct.count_match([&game]) {
            game.count_in(&mut self.field, self.elo);
        }
        self.games.push(game);
    }

    fn is_over(&mut self, pair: [usize; 2]) {
        if let Some(at) = self.playing.iter().position(|playing| *playing == pair) {
            self.playing.swap_remove(at);
        }
    }

    /// Records a void match; its seed is not used again.
    fn count_void(&mut self, void: VoidMatch) {
        *self.given.entry(sort_pair(void.pair)).or_insert(0) += 1;
        self.voids.push(void);
    }

    /// Pairs whose matches were repeatedly void, or repeated earlier games; they are not played in
    /// this run.
    fn barred_pairs(&self) -> Vec<(usize, usize)> {
        let void = self
            .void_pairs
            .iter()
            .filter(|(_, count)| **count >= MAX_VOID_OF_A_PAIR)
            .map(|(pair, _)| pair);
        let exhausted = self.given.keys().filter(|pair| self.is_exhausted(**pair));
        void.chain(exhausted)
            .map(|[one, other]| (*one, *other))
            .collect()
    }

    fn is_exhausted(&self, pair: [usize; 2]) -> bool {
        self.distinct
            .is_exhausted(pair, self.roster.condition_count())
    }

    /// Whether the order is open, and all pairs whose games would tell more bring no new ones.
    pub fn has_no_new_games(&self) -> bool {
        !self.order.is_settled()
            && self.given.keys().any(|pair| self.is_exhausted(*pair))
            && self.order.next_game(&[], &self.barred_pairs()).is_none()
    }

    /// Whether the order is settled.
    pub fn is_settled(&self) -> bool {
        self.order.is_settled()
    }

    fn count_gaps(&self) -> [usize; 2] {
        let settled = self
            .order
            .gaps
            .iter()
            .filter(|gap| gap.standing != NeighbourState::Open)
            .count();
        [settled, self.order.gaps.len()]
    }
}

impl Series for Ladder<'_> {
    type Tag = ();

    fn next(&mut self) -> anyhow::Result<NextWork<()>> {
        if self.left == 0 {
            return Ok(NextWork::Wait);
        }
        let playing: Vec<(usize, usize)> =
            self.playing.iter().map(|pair| (pair[0], pair[1])).collect();
        let chosen = match self.first.pop_front() {
            Some(pair) => Some(pair),
            // Running games may settle the order, or open it again.
            None if !self.playing.is_empty() && self.order.is_settled() => None,
            None => self
                .order
                .next_game(&playing, &self.barred_pairs())
                .map(|(one, other)| [one, other]),
        };
        let Some(pair) = chosen else {
            return Ok(NextWork::Wait);
        };
        self.left -= 1;
        let [one, other] = sort_pair(pair);
        let before = self.given.get(&[one, other]).copied().unwrap_or(0)
            + self
                .playing
                .iter()
                .filter(|playing| sort_pair(**playing) == [one, other])
                .count() as u64;
        let pair = if before.is_multiple_of(2) {
            [one, other]
        } else {
            [other, one]
        };
        self.playing.push(pair);
        let index = self.roster.seed_of(before);
        let seed = self.seed.wrapping_add(index);
        Ok(NextWork::Play(SeriesJob {
            tag: (),
            pair,
            seed,
            config: index as usize,
            legs: None,
            settings: None,
        }))
    }

    fn on_finished(&mut self, job: SeriesJob<()>, finished: FinishedMatch) -> anyhow::Result<()> {
        let FinishedMatch { mut game, replay } = finished;
        self.is_over(job.pair);
        self.void_in_a_row = 0;
        self.void_pairs.remove(&sort_pair(job.pair));
        if !game.faults.is_empty() {
            let [a, b] = job
                .pair
                .map(|player| self.versions[player].0.replace(['/', ' '], "_"));
            let name = format!("faults/{a}-{b}-{}.json", job.seed);
            files::write_file(&self.journal.folder_path().join(&name), replay.to_text())?;
            game.replay = Some(name);
        }
        let versions = job.pair.map(|player| self.versions[player].clone());
        self.journal.append_entry(&LadderEntry {
            versions,
            game: Some(game.clone()),
            void: None,
        })?;
        self.count_game(game);
        self.order = RankOrder::from_results(&self.field, &self.precision);
        let [settled, gaps] = self.count_gaps();
        if let Some(game) = self.games.last() {
            (self.listener)(&LadderUpdate {
                game,
                matches: self.games.len(),
                settled,
                gaps,
            });
        }
        Ok(())
    }

    fn on_void(&mut self, job: SeriesJob<()>, void: VoidMatch) -> anyhow::Result<()> {
        self.is_over(job.pair);
        self.void_in_a_row += 1;
        ensure!(
            self.void_in_a_row < MAX_VOID_IN_A_ROW,
            "{MAX_VOID_IN_A_ROW} matches in a row could not be judged; the last: {}",
            void.why
        );
        *self.void_pairs.entry(sort_pair(job.pair)).or_insert(0) += 1;
        let versions = job.pair.map(|player| self.versions[player].clone());
        self.journal.append_entry(&LadderEntry {
            versions,
            game: None,
            void: Some(void.clone()),
        })?;
        self.count_void(void);
        Ok(())
    }
}

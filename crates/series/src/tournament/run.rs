//! A running tournament. Every finished match is written to the journal before anything else
//! happens, so that an interrupted or killed tournament can continue.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::ensure;
use leitai_game::Entrant;
use leitai_ladder::tournament::{
    EncounterKey, EncounterResults, FinishedEncounter, TournamentFormat,
};
use serde::{Deserialize, Serialize};

use crate::files;
use crate::roster::list_changes;
use crate::run::{FinishedMatch, NextWork, Series};
use crate::series_job::SeriesJob;
use crate::tournament::TournamentPlan;
use crate::tournament::plan::EXTRA_MATCHES;
use crate::{DistinctGames, GameRecord, Journal, Roster, VoidMatch};

/// The place of a match: its encounter, and its number there, from 0.
pub type EncounterMatch = (EncounterKey, u32);

/// One line of the journal: a match that was played, or that stayed void.
#[derive(Serialize, Deserialize)]
struct TournamentEntry {
    key: EncounterKey,
    number: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    game: Option<GameRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    void: Option<VoidMatch>,
}

/// A running tournament.
#[allow(missing_docs, reason = "the names say it")]
pub struct Tournament<'a> {
    pub plan: &'a TournamentPlan,
    roster: &'a Roster,
    pub players: usize,
    /// Every finished match.
    pub games: BTreeMap<EncounterMatch, GameRecord>,
    /// Every match that stayed void.
    pub voids: BTreeMap<EncounterMatch, VoidMatch>,
    /// Which games were new.
    distinct: DistinctGames,
    given: BTreeSet<EncounterMatch>,
    queue: VecDeque<SeriesJob<EncounterMatch>>,
    journal: Journal,
    /// Called after every match.
    listener: Box<dyn FnMut(&TournamentUpdate<'_>) + 'a>,
}

/// A match that has just ended.
#[allow(missing_docs, reason = "the names say it")]
pub struct TournamentUpdate<'a> {
    pub game: &'a GameRecord,
    /// The number of finished matches, and the most there will be.
    pub finished: [usize; 2],
}

impl<'a> Tournament<'a> {
    /// Starts a tournament, or resumes the one in its folder.
    pub fn open_tournament(
        plan: &'a TournamentPlan,
        roster: &'a Roster,
        listener: impl FnMut(&TournamentUpdate<'_>) + 'a,
    ) -> anyhow::Result<Tournament<'a>> {
        let header = plan.journal_header(roster);
        let found = Journal::open_folder::<TournamentEntry>(&plan.folder, &header)?;
        let players = roster.players.len();
        let changed = list_changes(
            &found.header,
            &plan.lengthen_header(&found.header, header, players),
        );
        ensure!(
            changed.is_empty(),
            "{} was begun with another plan: {}; choose another folder, or ask for what was begun",
            plan.folder.display(),
            changed.join("; "),
        );
        let (games, voids) = recall_entries(found.entries, plan.format);
        let mut distinct = DistinctGames::default();
        games
            .values()
            .for_each(|game| _ = distinct.count_match([game]));
        let last = games.keys().map(|(key, _)| key.stage).max();
        ensure!(
            last.is_none_or(|stage| plan.has_stage(stage, players)),
            "{} has more rounds than are asked for; ask for as many or more",
            plan.folder.display(),
        );
        Ok(Tournament {
            plan,
            roster,
            players,
            games,
            voids,
            distinct,
            given: BTreeSet::new(),
            queue: VecDeque::new(),
            journal: found.journal,
            listener: Box::new(listener),
        })
    }

    /// The number of finished matches, and the most there will be.
    pub fn count_finished(&self) -> [usize; 2] {
        let [_, most] = self.plan.format.encounter_counts(self.players);
        [self.games.len(), most * self.plan.matches as usize]
    }

    /// The players.
    pub fn roster(&self) -> &'a Roster {
        self.roster
    }

    /// Whether no match remains.
    pub fn is_over(&self) -> bool {
        self.plan
            .format
            .open_encounters(self.players, &self.encounter_results())
            .is_empty()
    }

    /// The finished encounters. A void match gives no points.
    pub fn encounter_results(&self) -> EncounterResults {
        let mut met: BTreeMap<EncounterKey, (FinishedEncounter, u32)> = BTreeMap::new();
        let mut count = |key: EncounterKey, pair: [usize; 2], points: [f64; 2]| {
            let (met, matches) = met.entry(key).or_insert((
                FinishedEncounter {
                    pair,
                    points: [0.0; 2],
                },
                0,
            ));
            for (player, points) in pair.into_iter().zip(points) {
                met.points[usize::from(player != met.pair[0])] += points;
            }
            *matches += 1;
        };
        for ((key, _), game) in &self.games {
            let score = game.score();
            count(
                *key,
                game.pair,
                [score.points(), score.flip_side().points()],
            );
        }
        self.voids
            .iter()
            .for_each(|((key, _), void)| count(*key, void.pair, [0.0; 2]));
        let over = met
            .into_iter()
            .filter(|(_, (met, matches))| self.needed_games(met, *matches) == 0);
        over.map(|(key, (met, _))| (key, met)).collect()
    }

    /// The number of matches that an encounter still needs after this many.
    fn needed_games(&self, met: &FinishedEncounter, count: u32) -> u32 {
        let planned = self.plan.matches;
        let open = self.plan.format.is_knockout() && met.points[0] == met.points[1];
        match () {
            () if count < planned => planned - count,
            () if open && count < planned + EXTRA_MATCHES => 1,
            () => 0,
        }
    }

    /// The matches of two entrants after which maps, seeds of a list, and seats repeat.
    fn condition_count(&self) -> u64 {
        self.roster.condition_count() * self.plan.seeds.len().max(1) as u64
    }

    /// Whether all matches that remain are between entrants that play no new games. A knockout and
    /// a Swiss are played to their end: later encounters depend on who wins.
    pub fn has_no_new_games(&self) -> bool {
        let conditions = self.condition_count();
        matches!(
            self.plan.format,
            TournamentFormat::RoundRobin { .. } | TournamentFormat::Gauntlet { .. }
        ) && !self.queue.is_empty()
            && (self.queue.iter()).all(|job| self.distinct.is_exhausted(job.pair, conditions))
    }

    /// Queues every match that can be played now.
    fn queue_matches(&mut self) {
        for encounter in self
            .plan
            .format
            .open_encounters(self.players, &self.encounter_results())
        {
            let all = (encounter.key, 0)..=(encounter.key, u32::MAX);
            let tried = self.games.range(all.clone()).count() + self.voids.range(all).count();
            for number in 0..self.plan.matches.max(tried as u32 + 1) {
                let place = (encounter.key, number);
                let is_over = self.games.contains_key(&place) || self.voids.contains_key(&place);
                if !is_over && self.given.insert(place) {
                    self.queue.push_back(self.make_job(place, encounter.pair));
                }
            }
        }
    }

    /// The entrants alternate as A.
    fn make_job(
        &self,
        place: EncounterMatch,
        [one, other]: [usize; 2],
    ) -> SeriesJob<EncounterMatch> {
        let (key, number) = place;
        let (legs, configs) = (self.roster.options().legs, self.roster.configs.len());
        let conditions = (key.stage, number);
        let (seed, config) = self
            .plan
            .match_conditions(conditions, self.players, legs, configs);
        let pair = if number % 2 == 0 {
            [one, other]
        } else {
            [other, one]
        };
        SeriesJob {
            tag: place,
            pair,
            seed,
            config,
            legs: None,
            settings: None,
        }
    }
}

/// Counts the matches of a journal. Void matches are tried again, unless later encounters depend on
/// their missing result.
fn recall_entries(
    entries: Vec<TournamentEntry>,
    format: TournamentFormat,
) -> (
    BTreeMap<EncounterMatch, GameRecord>,
    BTreeMap<EncounterMatch, VoidMatch>,
) {
    let (mut games, mut voids) = (BTreeMap::new(), BTreeMap::new());
    for TournamentEntry {
        key,
        number,
        game,
        void,
    } in entries
    {
        voids.remove(&(key, number));
        games.extend(game.map(|game| ((key, number), game)));
        voids.extend(void.map(|void| ((key, number), void)));
    }
    let stages = games
        .keys()
        .chain(voids.keys())
        .map(|(key, _): &EncounterMatch| key.stage);
    let last = stages.max();
    let is_drawn_anew = !matches!(
        format,
        TournamentFormat::RoundRobin { .. } | TournamentFormat::Gauntlet { .. }
    );
    voids.retain(|(key, _), _| is_drawn_anew && Some(key.stage) < last);
    (games, voids)
}

impl Series for Tournament<'_> {
    type Tag = EncounterMatch;

    fn next(&mut self) -> anyhow::Result<NextWork<EncounterMatch>> {
        if self.queue.is_empty() {
            self.queue_matches();
        }
        if self.has_no_new_games() {
            return Ok(NextWork::Wait);
        }
        Ok(self
            .queue
            .pop_front()
            .map_or(NextWork::Wait, NextWork::Play))
    }

    fn on_finished(
        &mut self,
        job: SeriesJob<EncounterMatch>,
        finished: FinishedMatch,
    ) -> anyhow::Result<()> {
        let (key, number) = job.tag;
        let FinishedMatch { mut game, replay } = finished;
        let [a, b] =
            [Entrant::A, Entrant::B].map(|entrant| file_name(&replay.entrants[entrant].name));
        let name = format!(
            "replays/{}-{}-{}-{a}-{b}.json",
            key.stage,
            key.table + 1,
            number + 1
        );
        files::write_file(&self.journal.folder_path().join(&name), replay.to_text())?;
        game.replay = Some(name);
        self.journal.append_entry(&TournamentEntry {
            key,
            number,
            game: Some(game.clone()),
            void: None,
        })?;
        self.distinct.count_match([&game]);
        self.games.insert(job.tag, game);
        let finished = self.count_finished();
        (self.listener)(&TournamentUpdate {
            game: &self.games[&job.tag],
            finished,
        });
        Ok(())
    }

    fn on_void(&mut self, job: SeriesJob<EncounterMatch>, void: VoidMatch) -> anyhow::Result<()> {
        let (key, number) = job.tag;
        self.journal.append_entry(&TournamentEntry {
            key,
            number,
            game: None,
            void: Some(void.clone()),
        })?;
        self.voids.insert(job.tag, void);
        Ok(())
    }
}

/// A name as a part of a file name: letters, digits and a few signs; shortened.
fn file_name(name: &str) -> String {
    let plain = |letter: char| {
        if letter.is_alphanumeric() || "-_.".contains(letter) {
            letter
        } else {
            '_'
        }
    };
    name.chars().take(32).map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_lead_out_of_the_folder() {
        assert_eq!(file_name("../a b/c"), ".._a_b_c");
        assert_eq!(file_name(&"x".repeat(99)).len(), 32);
    }
}

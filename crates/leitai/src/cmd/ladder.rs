//! `leitai ladder GAME FOLDER`

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use leitai_ladder::Results;
use leitai_ladder::most_informative::{NeighbourGap, NeighbourState, Precision, RankOrder};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::arguments::usage_error;
use crate::batch::hall::{EntrantRequest, list_changes};
use crate::batch::workers::{
    FinishedMatch, HOPELESS, NextWork, Series, SeriesJob, play_series, worker_count,
};
use crate::batch::{GameRecord, INTERRUPTED, Journal, Roster, VoidMatch, void};
use crate::cli::LadderArgs;
use crate::cmd::tournament::{format_line, progress_bar, show_plainly};
use crate::lang::translate;
use crate::report::standings::Standings;
use crate::report::{table, words};
use crate::{files, stop};

/// Where a ladder keeps what was played, inside its folder.
const KEPT: &str = ".leitai-ladder";
/// Exit status when the matches did not suffice.
const OPEN: u8 = 4;
/// Void matches of a pair, one after the other, after which it is not chosen again.
const BARREN: u32 = 2;
/// Games that every bot plays before the order is believed enough to choose by it.
const FIRST: u32 = 2;

/// Plays until the order is settled.
pub fn run(args: LadderArgs) -> anyhow::Result<ExitCode> {
    if !(args.confidence > 0.5 && args.confidence < 1.0) {
        let confidence = args.confidence;
        return Err(usage_error(format!(
            "--confidence {confidence}: a share between 0.5 and 1, such as 0.95"
        )));
    }
    if !args.folder.is_dir() {
        return Err(usage_error(format!(
            "{} is not a folder",
            args.folder.display()
        )));
    }
    let stop = stop::on_interrupt()?;
    let kept = args.folder.join(KEPT);
    let remembered = Journal::read_header(&kept)?
        .and_then(|header| Some(header["terms"]["game"].as_str()?.to_owned()));
    let named = args.game.clone().or_else(|| args.game_option.clone());
    let game = named.or(remembered).context(translate(
        "which game? Write it before the folder: leitai ladder GAME FOLDER (`leitai games` lists them); it is remembered \
         in the folder",
        "请在文件夹之前指明游戏：leitai ladder GAME FOLDER（leitai games 列出全部），之后会记在文件夹中",
    ))?;
    let mut asked = bots_in(&args.folder)?;
    asked.extend(args.with.iter().map(EntrantRequest::from_word));
    ensure!(
        asked.len() >= 2,
        "{}: {} bots; a ladder has two or more (--with adds built-in bots)",
        args.folder.display(),
        asked.len()
    );
    let hall = Roster::build_entrants(&game, &asked, &args.table)?;
    let bar = progress_bar(args.json);
    let names = hall.entrant_names();
    let mut ladder = Ladder::open_folder(&args, &hall, &kept)?;
    ladder.tell = Some(Box::new(|told: &LadderUpdate<'_>| {
        bar.set_length(told.gaps as u64);
        bar.set_position(told.settled as u64);
        let line = format!(
            "{} {}   {}",
            told.matches,
            translate("matches", "场"),
            format_line(&names, told.game)
        );
        show_plainly(&bar, args.json, told.matches, || line.clone());
        bar.set_message(line);
    }));
    let ended = play_series(
        &mut ladder,
        &hall,
        worker_count(args.series.jobs.map(usize::from), &hall),
        stop,
    )?;
    bar.finish_and_clear();
    let settled = ladder.order.is_settled();
    let text = match args.json {
        true => format!("{}\n", ladder.report_json(&hall)),
        false => ladder.format_report(&names),
    };
    files::print_stdout(&text)?;
    Ok(match (settled, ended) {
        (true, _) => ExitCode::SUCCESS,
        (false, true) => ExitCode::from(OPEN),
        (false, false) => ExitCode::from(INTERRUPTED),
    })
}

/// What lies in the folder, by name; what is hidden, or a text beside the bots, is none.
fn bots_in(folder: &Path) -> anyhow::Result<Vec<EntrantRequest>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in
        std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?
    {
        let path = entry
            .with_context(|| format!("cannot read {}", folder.display()))?
            .path();
        if looks_like_a_bot(&path) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths
        .into_iter()
        .map(|path| EntrantRequest::from_word(path.display().to_string()))
        .collect())
}

fn looks_like_a_bot(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    if name.starts_with('.') || name == "__pycache__" {
        return false;
    }
    let ending = path
        .extension()
        .map(|ending| ending.to_string_lossy().to_lowercase())
        .unwrap_or_default();
    let source = ["py", "cpp", "cc", "c", "java", "js", "rs", "zip"].contains(&ending.as_str());
    let executable =
        std::fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o111 != 0);
    path.is_dir() || source || (path.is_file() && executable)
}

/// One line of the journal: a match that was played, or that stayed void. Entrants are told by name
/// and fingerprint: both may change from run to run.
#[derive(Serialize, Deserialize)]
struct LadderEntry {
    versions: [(String, String); 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    game: Option<GameRecord>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    void: Option<VoidMatch>,
}

/// What is told after a match.
struct LadderUpdate<'a> {
    game: &'a GameRecord,
    matches: usize,
    settled: usize,
    gaps: usize,
}

/// Who is told of every match.
type LadderListener<'a> = Box<dyn FnMut(&LadderUpdate<'_>) + 'a>;

/// A ladder while it is played.
struct Ladder<'a> {
    hall: &'a Roster,
    aim: Precision,
    order: RankOrder,
    field: Results,
    /// Matches that count: between entrants as they are now.
    games: Vec<GameRecord>,
    /// Matches of entrants that have changed or gone.
    stale: usize,
    versions: Vec<(String, String)>,
    playing: Vec<[usize; 2]>,
    /// Void matches between entrants as they are now.
    voids: Vec<VoidMatch>,
    /// Void matches of this run since the last that was played: of each pair, and of all.
    barren: BTreeMap<[usize; 2], u32>,
    hopeless: u32,
    /// Matches of pairs so far, for seeds and seats.
    given: BTreeMap<[usize; 2], u64>,
    first: VecDeque<[usize; 2]>,
    left: u64,
    seed: u64,
    journal: Journal,
    tell: Option<LadderListener<'a>>,
}

impl<'a> Ladder<'a> {
    fn open_folder(args: &LadderArgs, hall: &'a Roster, kept: &Path) -> anyhow::Result<Self> {
        let seed = args.table.seed.unwrap_or(1);
        let header =
            json!({"format": "leitai-ladder/1", "terms": hall.match_terms(), "seed": seed});
        let found = Journal::open_folder::<LadderEntry>(kept, &header)?;
        let changed = list_changes(&found.header, &header);
        ensure!(
            changed.is_empty(),
            "{} {}: {}",
            kept.display(),
            translate(
                "was begun with another game, board, time or seed; move it away to begin anew",
                "开始时使用的是另一种设置（游戏、地图、时限或种子）；请移走该文件夹后重新开始"
            ),
            changed.join(", ")
        );
        let versions: Vec<(String, String)> = hall
            .entrant_names()
            .into_iter()
            .zip(hall.fingerprints.clone())
            .collect();
        let aim = Precision {
            confidence: args.confidence,
            equal_within: args.equal_within,
        };
        let field = Results::new(versions.len());
        let mut ladder = Ladder {
            hall,
            order: RankOrder::of(&field, &aim),
            aim,
            field,
            games: Vec::new(),
            stale: 0,
            versions,
            playing: Vec::new(),
            voids: Vec::new(),
            barren: BTreeMap::new(),
            hopeless: 0,
            given: BTreeMap::new(),
            first: VecDeque::new(),
            left: args.max,
            seed,
            journal: found.journal,
            tell: None,
        };
        found
            .entries
            .into_iter()
            .for_each(|entry| ladder.recall_entry(entry));
        ladder.introduce_newcomers();
        ladder.order = RankOrder::of(&ladder.field, &ladder.aim);
        Ok(ladder)
    }

    /// Counts a match of an earlier run, if both are still what they were.
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

    /// Whoever is new meets its neighbours in the list first: nothing is known by which to choose.
    fn introduce_newcomers(&mut self) {
        let count = self.versions.len();
        for player in 0..count {
            let missing = FIRST.saturating_sub(self.field.of(player).game_count());
            let pairs = (1..=missing as usize).map(|step| [player, (player + step) % count]);
            self.first.extend(pairs.filter(|[one, other]| one != other));
        }
    }

    fn count_game(&mut self, game: GameRecord) {
        *self.given.entry(sort_pair(game.pair)).or_insert(0) += 1;
        self.field
            .add_game(game.pair[0], game.pair[1], game.score());
        self.games.push(game);
    }

    fn is_over(&mut self, pair: [usize; 2]) {
        if let Some(at) = self.playing.iter().position(|playing| *playing == pair) {
            self.playing.swap_remove(at);
        }
    }

    /// Its seed is not used again.
    fn count_void(&mut self, void: VoidMatch) {
        *self.given.entry(sort_pair(void.pair)).or_insert(0) += 1;
        self.voids.push(void);
    }

    /// Pairs whose matches were void again and again: nothing can be learned from them in this run.
    fn barred_pairs(&self) -> Vec<(usize, usize)> {
        let barred = self.barren.iter().filter(|(_, count)| **count >= BARREN);
        barred.map(|([one, other], _)| (*one, *other)).collect()
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

    fn make_standings(&self, names: &[String]) -> Standings {
        Standings::of(names, &[], self.games.iter()).by_rating()
    }

    fn format_report(&self, names: &[String]) -> String {
        let [settled, gaps] = self.count_gaps();
        let state = match (self.order.is_settled(), translate("en", "zh")) {
            (true, "zh") => format!(
                "名次已定（置信度 {}）",
                words::format_percent(self.aim.confidence)
            ),
            (false, "zh") => {
                format!("名次未定：{gaps} 对相邻名次中已定 {settled} 对；再次运行同一命令即可继续")
            }
            (true, _) => format!(
                "the order is settled at {}",
                words::format_percent(self.aim.confidence)
            ),
            (false, _) => {
                format!("not settled: {settled} of {gaps} neighbours are; the same command goes on")
            }
        };
        let gaps: String = self
            .order
            .gaps
            .iter()
            .map(|gap| gap_line(gap, names))
            .collect();
        let stale = match self.stale {
            0 => String::new(),
            count => format!(
                "; {count} {}",
                translate(
                    "of bots that changed or left do not count",
                    "场属于已更改或移除的程序，不计入"
                )
            ),
        };
        let void = void::list_voids(
            self.voids.iter(),
            names,
            translate(
                "the order rests on the other matches; the same command tries such pairs again, on other seeds",
                "名次仅基于其余对局；再次运行同一命令会用其他种子重赛",
            ),
        );
        format!(
            "{}\n{gaps}\n{void}{state}; {} {}{stale}\n",
            table::format_standings(&self.make_standings(names)),
            self.games.len(),
            translate("matches", "场对局")
        )
    }

    fn report_json(&self, hall: &Roster) -> Value {
        let names = hall.entrant_names();
        let gap = |gap: &NeighbourGap| {
            json!({
                "upper": names[gap.upper], "lower": names[gap.lower],
                "elo": gap.difference.value, "elo_error": gap.difference.error,
                "standing": standing_word(gap.standing),
            })
        };
        json!({
            "game": hall.game_id(),
            "terms": hall.match_terms(),
            "settled": self.order.is_settled(),
            "confidence": self.aim.confidence,
            "equal_within": self.aim.equal_within,
            "matches": self.games.len(),
            "void": self.voids,
            "neighbours": self.order.gaps.iter().map(gap).collect::<Vec<_>>(),
            "table": self.make_standings(&names).to_json(),
        })
    }
}

fn sort_pair([one, other]: [usize; 2]) -> [usize; 2] {
    [one.min(other), one.max(other)]
}

fn standing_word(standing: NeighbourState) -> &'static str {
    match standing {
        NeighbourState::Better => "better",
        NeighbourState::Equal => "equal",
        NeighbourState::Open => "open",
    }
}

/// `space > safe +210.3 Elo settled: better`. Where one side hardly ever lost, an error would say
/// nothing: such a gap is settled by how likely the results are, see
/// [`leitai_ladder::informative`].
fn gap_line(gap: &NeighbourGap, names: &[String]) -> String {
    let error = format!(" ± {:.1}", 1.96 * gap.difference.error);
    let (sign, error, word) = match gap.standing {
        NeighbourState::Better => (
            ">",
            String::new(),
            translate("settled: better", "已定：更强"),
        ),
        NeighbourState::Equal => (
            "≈",
            error,
            translate("settled: as good as equal", "已定：相当"),
        ),
        NeighbourState::Open => ("?", error, translate("open", "未定")),
    };
    let (upper, lower) = (&names[gap.upper], &names[gap.lower]);
    format!(
        "  {upper} {sign} {lower}   {}{error} Elo   {word}\n",
        words::format_elo(gap.difference.value)
    )
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
            // Games that are still being played may settle the order, or open it again.
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
        let index = self.hall.seed_of(before);
        let seed = self.seed.wrapping_add(index);
        Ok(NextWork::Play(SeriesJob {
            tag: (),
            pair,
            seed,
            board: index as usize,
            legs: None,
        }))
    }

    fn on_finished(&mut self, job: SeriesJob<()>, finished: FinishedMatch) -> anyhow::Result<()> {
        let FinishedMatch { mut game, played } = finished;
        self.is_over(job.pair);
        self.hopeless = 0;
        self.barren.remove(&sort_pair(job.pair));
        if !game.faults.is_empty() {
            let [a, b] = job
                .pair
                .map(|player| self.versions[player].0.replace(['/', ' '], "_"));
            let name = format!("faults/{a}-{b}-{}.json", job.seed);
            files::write(
                &self.journal.folder_path().join(&name),
                &played.replay.to_text(),
            )?;
            game.replay = Some(name);
        }
        let versions = job.pair.map(|player| self.versions[player].clone());
        self.journal.append_entry(&LadderEntry {
            versions,
            game: Some(game.clone()),
            void: None,
        })?;
        self.count_game(game);
        self.order = RankOrder::of(&self.field, &self.aim);
        let [settled, gaps] = self.count_gaps();
        if let (Some(tell), Some(game)) = (&mut self.tell, self.games.last()) {
            tell(&LadderUpdate {
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
        self.hopeless += 1;
        ensure!(
            self.hopeless < HOPELESS,
            "{HOPELESS} {}: {}",
            translate(
                "matches one after the other could not be judged, the last because",
                "场连续无法裁判，最后一次的原因"
            ),
            void.why
        );
        *self.barren.entry(sort_pair(job.pair)).or_insert(0) += 1;
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

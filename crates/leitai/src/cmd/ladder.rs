//! `leitai ladder GAME FOLDER`

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, ensure};
use leitai_ladder::Field;
use leitai_ladder::informative::{Aim, Gap, Order, Standing};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::ask::misused;
use crate::batch::hall::{Asked, changes};
use crate::batch::workers::{Finished, HOPELESS, Job, Next, Series, play_series, workers};
use crate::batch::{Game, Hall, INTERRUPTED, Journal, Void, void};
use crate::cli::LadderArgs;
use crate::cmd::tournament::{bar, line, show_plainly};
use crate::lang::t;
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
        return Err(misused(format!("--confidence {confidence}: a share between 0.5 and 1, such as 0.95")));
    }
    if !args.folder.is_dir() {
        return Err(misused(format!("{} is not a folder", args.folder.display())));
    }
    let stop = stop::on_interrupt()?;
    let kept = args.folder.join(KEPT);
    let remembered =
        Journal::header(&kept)?.and_then(|header| Some(header["terms"]["game"].as_str()?.to_owned()));
    let named = args.game.clone().or_else(|| args.game_option.clone());
    let game = named.or(remembered).context(t(
        "which game? Write it before the folder: leitai ladder GAME FOLDER (`leitai games` lists them); it is remembered \
         in the folder",
        "请在文件夹之前指明游戏：leitai ladder GAME FOLDER（leitai games 列出全部），之后会记在文件夹中",
    ))?;
    let mut asked = bots_in(&args.folder)?;
    asked.extend(args.with.iter().map(Asked::word));
    ensure!(
        asked.len() >= 2,
        "{}: {} bots; a ladder has two or more (--with adds built-in bots)",
        args.folder.display(),
        asked.len()
    );
    let hall = Hall::open(&game, &asked, &args.table)?;
    let bar = bar(args.json);
    let names = hall.names();
    let mut ladder = Ladder::open(&args, &hall, &kept)?;
    ladder.tell = Some(Box::new(|told: &Told<'_>| {
        bar.set_length(told.gaps as u64);
        bar.set_position(told.settled as u64);
        let line = format!("{} {}   {}", told.matches, t("matches", "场"), line(&names, told.game));
        show_plainly(&bar, args.json, told.matches, || line.clone());
        bar.set_message(line);
    }));
    let ended = play_series(&mut ladder, &hall, workers(args.series.jobs.map(usize::from), &hall), stop)?;
    bar.finish_and_clear();
    let settled = ladder.order.is_settled();
    let text = match args.json {
        true => format!("{}\n", ladder.json(&hall)),
        false => ladder.text(&names),
    };
    files::print(&text)?;
    Ok(match (settled, ended) {
        (true, _) => ExitCode::SUCCESS,
        (false, true) => ExitCode::from(OPEN),
        (false, false) => ExitCode::from(INTERRUPTED),
    })
}

/// What lies in the folder, by name; what is hidden, or a text beside the bots, is none.
fn bots_in(folder: &Path) -> anyhow::Result<Vec<Asked>> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        if looks_like_a_bot(&path) {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths.into_iter().map(|path| Asked::word(path.display().to_string())).collect())
}

fn looks_like_a_bot(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    if name.starts_with('.') || name == "__pycache__" {
        return false;
    }
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    let source = ["py", "cpp", "cc", "c", "java", "js", "rs", "zip"].contains(&ending.as_str());
    let executable = std::fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o111 != 0);
    path.is_dir() || source || (path.is_file() && executable)
}

/// One line of the journal: a match that was played, or that stayed void. Entrants are told by name and fingerprint: both
/// may change from run to run.
#[derive(Serialize, Deserialize)]
struct Entry {
    versions: [(String, String); 2],
    #[serde(default, skip_serializing_if = "Option::is_none")]
    game: Option<Game>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    void: Option<Void>,
}

/// What is told after a match.
struct Told<'a> {
    game: &'a Game,
    matches: usize,
    settled: usize,
    gaps: usize,
}

/// Who is told of every match.
type Tell<'a> = Box<dyn FnMut(&Told<'_>) + 'a>;

/// A ladder while it is played.
struct Ladder<'a> {
    hall: &'a Hall,
    aim: Aim,
    order: Order,
    field: Field,
    /// Matches that count: between entrants as they are now.
    games: Vec<Game>,
    /// Matches of entrants that have changed or gone.
    stale: usize,
    versions: Vec<(String, String)>,
    playing: Vec<[usize; 2]>,
    /// Void matches between entrants as they are now.
    voids: Vec<Void>,
    /// Void matches of this run since the last that was played: of each pair, and of all.
    barren: BTreeMap<[usize; 2], u32>,
    hopeless: u32,
    /// Matches of pairs so far, for seeds and seats.
    given: BTreeMap<[usize; 2], u64>,
    first: VecDeque<[usize; 2]>,
    left: u64,
    seed: u64,
    journal: Journal,
    tell: Option<Tell<'a>>,
}

impl<'a> Ladder<'a> {
    fn open(args: &LadderArgs, hall: &'a Hall, kept: &Path) -> anyhow::Result<Self> {
        let seed = args.table.seed.unwrap_or(1);
        let header = json!({"format": "leitai-ladder/1", "terms": hall.terms(), "seed": seed});
        let found = Journal::open::<Entry>(kept, &header)?;
        let changed = changes(&found.header, &header);
        ensure!(
            changed.is_empty(),
            "{} {}: {}",
            kept.display(),
            t(
                "was begun with another game, board, time or seed; move it away to begin anew",
                "开始时使用的是另一种设置（游戏、地图、时限或种子）；请移走该文件夹后重新开始"
            ),
            changed.join(", ")
        );
        let versions: Vec<(String, String)> =
            hall.names().into_iter().zip(hall.fingerprints.clone()).collect();
        let aim = Aim { confidence: args.confidence, equal_within: args.equal_within };
        let field = Field::new(versions.len());
        let mut ladder = Ladder {
            hall,
            order: Order::of(&field, &aim),
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
        found.entries.into_iter().for_each(|entry| ladder.recall(entry));
        ladder.introduce();
        ladder.order = Order::of(&ladder.field, &ladder.aim);
        Ok(ladder)
    }

    /// Counts a match of an earlier run, if both are still what they were.
    fn recall(&mut self, entry: Entry) {
        let now = |version: &(String, String)| self.versions.iter().position(|other| other == version);
        match [now(&entry.versions[0]), now(&entry.versions[1])] {
            [Some(a), Some(b)] => {
                entry.void.into_iter().for_each(|void| self.count_void(Void { pair: [a, b], ..void }));
                entry.game.into_iter().for_each(|game| self.count(Game { pair: [a, b], ..game }));
            }
            _ => self.stale += 1,
        }
    }

    /// Whoever is new meets its neighbours in the list first: nothing is known by which to choose.
    fn introduce(&mut self) {
        let count = self.versions.len();
        for player in 0..count {
            let missing = FIRST.saturating_sub(self.field.of(player).games());
            let pairs = (1..=missing as usize).map(|step| [player, (player + step) % count]);
            self.first.extend(pairs.filter(|[one, other]| one != other));
        }
    }

    fn count(&mut self, game: Game) {
        *self.given.entry(sorted(game.pair)).or_insert(0) += 1;
        self.field.add(game.pair[0], game.pair[1], game.score());
        self.games.push(game);
    }

    fn is_over(&mut self, pair: [usize; 2]) {
        if let Some(at) = self.playing.iter().position(|playing| *playing == pair) {
            self.playing.swap_remove(at);
        }
    }

    /// Its seed is not used again.
    fn count_void(&mut self, void: Void) {
        *self.given.entry(sorted(void.pair)).or_insert(0) += 1;
        self.voids.push(void);
    }

    /// Pairs whose matches were void again and again: nothing can be learned from them in this run.
    fn barred(&self) -> Vec<(usize, usize)> {
        let barred = self.barren.iter().filter(|(_, count)| **count >= BARREN);
        barred.map(|([one, other], _)| (*one, *other)).collect()
    }

    fn gaps(&self) -> [usize; 2] {
        let settled = self.order.gaps.iter().filter(|gap| gap.standing != Standing::Open).count();
        [settled, self.order.gaps.len()]
    }

    fn standings(&self, names: &[String]) -> Standings {
        Standings::of(names, &[], self.games.iter()).by_rating()
    }

    fn text(&self, names: &[String]) -> String {
        let [settled, gaps] = self.gaps();
        let state = match (self.order.is_settled(), t("en", "zh")) {
            (true, "zh") => format!("名次已定（置信度 {}）", words::percent(self.aim.confidence)),
            (false, "zh") => {
                format!("名次未定：{gaps} 对相邻名次中已定 {settled} 对；再次运行同一命令即可继续")
            }
            (true, _) => format!("the order is settled at {}", words::percent(self.aim.confidence)),
            (false, _) => {
                format!("not settled: {settled} of {gaps} neighbours are; the same command goes on")
            }
        };
        let gaps: String = self.order.gaps.iter().map(|gap| gap_line(gap, names)).collect();
        let stale = match self.stale {
            0 => String::new(),
            count => format!(
                "; {count} {}",
                t("of bots that changed or left do not count", "场属于已更改或移除的程序，不计入")
            ),
        };
        let void = void::text(
            self.voids.iter(),
            names,
            t(
                "the order rests on the other matches; the same command tries such pairs again, on other seeds",
                "名次仅基于其余对局；再次运行同一命令会用其他种子重赛",
            ),
        );
        format!(
            "{}\n{gaps}\n{void}{state}; {} {}{stale}\n",
            table::text(&self.standings(names)),
            self.games.len(),
            t("matches", "场对局")
        )
    }

    fn json(&self, hall: &Hall) -> Value {
        let names = hall.names();
        let gap = |gap: &Gap| {
            json!({
                "upper": names[gap.upper], "lower": names[gap.lower],
                "elo": gap.difference.value, "elo_error": gap.difference.error,
                "standing": standing_word(gap.standing),
            })
        };
        json!({
            "game": hall.game(),
            "terms": hall.terms(),
            "settled": self.order.is_settled(),
            "confidence": self.aim.confidence,
            "equal_within": self.aim.equal_within,
            "matches": self.games.len(),
            "void": self.voids,
            "neighbours": self.order.gaps.iter().map(gap).collect::<Vec<_>>(),
            "table": self.standings(&names).json(),
        })
    }
}

fn sorted([one, other]: [usize; 2]) -> [usize; 2] {
    [one.min(other), one.max(other)]
}

fn standing_word(standing: Standing) -> &'static str {
    match standing {
        Standing::Better => "better",
        Standing::Equal => "equal",
        Standing::Open => "open",
    }
}

/// `space > safe   +210.3 Elo   settled: better`. Where one side hardly ever lost, an error would say nothing: such a gap
/// is settled by how likely the results are, see [`leitai_ladder::informative`].
fn gap_line(gap: &Gap, names: &[String]) -> String {
    let error = format!(" ± {:.1}", 1.96 * gap.difference.error);
    let (sign, error, word) = match gap.standing {
        Standing::Better => (">", String::new(), t("settled: better", "已定：更强")),
        Standing::Equal => ("≈", error, t("settled: as good as equal", "已定：相当")),
        Standing::Open => ("?", error, t("open", "未定")),
    };
    let (upper, lower) = (&names[gap.upper], &names[gap.lower]);
    format!("  {upper} {sign} {lower}   {}{error} Elo   {word}\n", words::elo(gap.difference.value))
}

impl Series for Ladder<'_> {
    type Tag = ();

    fn next(&mut self) -> anyhow::Result<Next<()>> {
        if self.left == 0 {
            return Ok(Next::Wait);
        }
        let playing: Vec<(usize, usize)> = self.playing.iter().map(|pair| (pair[0], pair[1])).collect();
        let chosen = match self.first.pop_front() {
            Some(pair) => Some(pair),
            // Games that are still being played may settle the order, or open it again.
            None if !self.playing.is_empty() && self.order.is_settled() => None,
            None => self.order.next_game(&playing, &self.barred()).map(|(one, other)| [one, other]),
        };
        let Some(pair) = chosen else {
            return Ok(Next::Wait);
        };
        self.left -= 1;
        let [one, other] = sorted(pair);
        let before = self.given.get(&[one, other]).copied().unwrap_or(0)
            + self.playing.iter().filter(|playing| sorted(**playing) == [one, other]).count() as u64;
        let pair = if before.is_multiple_of(2) { [one, other] } else { [other, one] };
        self.playing.push(pair);
        let index = self.hall.seed_of(before);
        let seed = self.seed.wrapping_add(index);
        Ok(Next::Play(Job { tag: (), pair, seed, board: index as usize, legs: None }))
    }

    fn done(&mut self, job: Job<()>, finished: Finished) -> anyhow::Result<()> {
        let Finished { mut game, played } = finished;
        self.is_over(job.pair);
        self.hopeless = 0;
        self.barren.remove(&sorted(job.pair));
        if !game.faults.is_empty() {
            let [a, b] = job.pair.map(|player| self.versions[player].0.replace(['/', ' '], "_"));
            let name = format!("faults/{a}-{b}-{}.json", job.seed);
            files::write(&self.journal.folder().join(&name), &played.replay.to_text())?;
            game.replay = Some(name);
        }
        let versions = job.pair.map(|player| self.versions[player].clone());
        self.journal.append(&Entry { versions, game: Some(game.clone()), void: None })?;
        self.count(game);
        self.order = Order::of(&self.field, &self.aim);
        let [settled, gaps] = self.gaps();
        if let (Some(tell), Some(game)) = (&mut self.tell, self.games.last()) {
            tell(&Told { game, matches: self.games.len(), settled, gaps });
        }
        Ok(())
    }

    fn void(&mut self, job: Job<()>, void: Void) -> anyhow::Result<()> {
        self.is_over(job.pair);
        self.hopeless += 1;
        ensure!(
            self.hopeless < HOPELESS,
            "{HOPELESS} {}: {}",
            t(
                "matches one after the other could not be judged, the last because",
                "场连续无法裁判，最后一次的原因"
            ),
            void.why
        );
        *self.barren.entry(sorted(job.pair)).or_insert(0) += 1;
        let versions = job.pair.map(|player| self.versions[player].clone());
        self.journal.append(&Entry { versions, game: None, void: Some(void.clone()) })?;
        self.count_void(void);
        Ok(())
    }
}

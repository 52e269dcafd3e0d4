//! What a command of matches plays: game, entrants, limits, read once from its words. Every complaint
//! about them is made here, before anything is built.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use leitai_batch::{AskOptions, Batch, BatchListener, PackedProgram, PreparedBatch};
use leitai_game::clean_text::clean_line;
use leitai_game::{AnyGame, GameHandle};
use leitai_judge::build::unpack_bot;
use leitai_judge::{Grace, RefereeLimits, TimeBank, Transport};
use leitai_sandbox::{Sandbox, SandboxLimits, Tier};
use leitai_series::book::Book;
use leitai_series::entrant::{self, is_program};
use leitai_series::run::{Series, VoidNotice};
use leitai_series::{
    EloUnit, EntrantRequest, MatchOptions, Roster, play_series, play_series_with, worker_count,
};

use crate::cli::{ConnectArg, MatchOptionArgs, PairArgs, SeriesArgs};
use crate::isolation::RequestedIsolation;
use crate::lang::Localizer;
use crate::remote::matches::{ArenaMatches, ArenaPlayer};
use crate::remote::pack::pack_source;
use crate::series::{print_build_notice, print_notice, print_void_notice};
use crate::{arguments, build_cache, files, isolation, libraries};

/// Matches that are asked for at a time in an arena, if nobody says how many.
const ARENA_JOBS: usize = 2;

/// What every match is played with.
pub struct MatchPlan {
    /// The game.
    pub game: GameHandle,
    /// Config, legs and limits; the sandbox is opened when it is needed.
    pub options: MatchOptions,
    isolation: RequestedIsolation,
    libraries: Option<PathBuf>,
}

impl MatchPlan {
    /// The plan of these options.
    ///
    /// # Errors
    /// For a config that the game does not have.
    pub fn new(game: &GameHandle, args: &MatchOptionArgs) -> anyhow::Result<MatchPlan> {
        let options = MatchOptions {
            config: arguments::read_config(&**game, &args.config)?,
            legs: args.legs.map_or(game.meta().legs, usize::from),
            limits: referee_limits(&**game, args),
            resources: sandbox_limits(args),
            transport: match args.connect {
                ConnectArg::Stdio => Transport::Stdio,
                ConnectArg::Tcp => Transport::Tcp,
            },
            sandbox: Sandbox::without_isolation(),
            build_limit: args.build_limit,
            build_cache: None,
            libraries: None,
            leitai: std::env::current_exe()?,
            debug_info: false,
        };
        Ok(MatchPlan {
            game: game.clone(),
            options,
            isolation: args.isolation,
            libraries: args.libraries.clone(),
        })
    }

    /// Opens the requested sandbox and the build cache, if one of these is a program.
    ///
    /// # Errors
    /// For entrants that cannot play ([`entrant::check_requests`]), and a sandbox that the machine does
    /// not offer.
    pub fn open_sandbox(
        &mut self,
        lang: Localizer,
        entrants: &[&EntrantRequest],
    ) -> anyhow::Result<()> {
        let options = &mut self.options;
        entrant::check_requests(&*self.game, entrants, options)?;
        let is_program = |one: &&EntrantRequest| is_program(&*self.game, &one.word);
        if entrants.iter().any(is_program) {
            for one in entrants {
                tell_environments(lang, &*self.game, &one.word);
            }
            options.sandbox =
                isolation::open_sandbox(lang, self.isolation, &mut files::print_stderr)?;
            let processes = options.resources.processes;
            check_processes(options.sandbox.tier(), processes.unwrap_or(u32::MAX))?;
            options.build_cache = build_cache::open_cache(lang, &mut print_notice);
            let libraries = self.libraries.as_deref();
            options.libraries = libraries
                .map(|folder| libraries::open_set(lang, folder))
                .transpose()?;
        }
        Ok(())
    }

    /// Builds entrants on this machine; notices go to stderr.
    pub fn build_roster(
        mut self,
        lang: Localizer,
        entrants: &[EntrantRequest],
    ) -> anyhow::Result<Roster> {
        self.open_sandbox(lang, &entrants.iter().collect::<Vec<_>>())?;
        Roster::build_entrants(&self.game, entrants, &self.options, &mut |notice| {
            print_build_notice(lang, notice);
        })
    }
}

/// Says which virtual environments of Python in a folder stay behind: the packages in them are not there
/// where the program runs.
fn tell_environments(lang: Localizer, game: &dyn AnyGame, word: &str) {
    let located = entrant::locate_program(game, word).ok();
    let inside = located.and_then(|(_, path)| std::fs::read_dir(path).ok());
    for folder in inside.into_iter().flatten().flatten() {
        if folder.path().join("pyvenv.cfg").is_file() {
            let name = folder.file_name().to_string_lossy().into_owned();
            print_notice(&lang.fill(
                "{}: the virtual environment {} stays behind; only packages of the system are there where the program runs",
                &[&clean_line(word), &clean_line(&name)],
            ));
        }
    }
}

/// Refuses a limit under which no program starts: in tiers A and B the sandbox itself is one of the
/// processes.
fn check_processes(tier: Tier, processes: u32) -> anyhow::Result<()> {
    if processes < 2 && matches!(tier, Tier::A | Tier::B) {
        return Err(arguments::usage_error(format!(
            "--processes {processes}: isolation {tier} needs one process for the sandbox itself; \
            allow 2 or more"
        )));
    }
    Ok(())
}

/// The limits of programs that the referee enforces.
fn referee_limits(game: &dyn AnyGame, args: &MatchOptionArgs) -> RefereeLimits {
    let meta = game.meta();
    let bank = args.bank.map(|time| TimeBank {
        time,
        increment: args.increment.unwrap_or_default(),
    });
    let period = args.limit.or(bank.map(TimeBank::longest_turn));
    let message = args.message.and_then(|bytes| usize::try_from(bytes).ok());
    RefereeLimits {
        start: args.start_limit,
        total: args.match_limit,
        bank,
        grace: args
            .grace
            .zip(args.strikes)
            .map(|(time, strikes)| Grace { time, strikes }),
        keeps: args.keep,
        waiting: args.wait_limit,
        pondering: args.pondering,
        bot_threads: args.threads,
        log: usize::try_from(args.log).unwrap_or(usize::MAX),
        ..RefereeLimits::new(
            period.unwrap_or(meta.period_limit),
            message.unwrap_or(meta.message_limit),
        )
    }
}

/// The limits of programs that the sandbox enforces.
fn sandbox_limits(args: &MatchOptionArgs) -> SandboxLimits {
    SandboxLimits {
        memory: Some(args.memory),
        processes: Some(args.processes),
        open_files: Some(args.open_files),
        file: Some(args.file_size),
        disk: Some(args.disk),
        ..SandboxLimits::BOT
    }
}

/// A pair is two legs with seats swapped, however many a match of the game has.
pub fn refuse_legs(lang: Localizer, command: &str, args: &PairArgs) -> anyhow::Result<()> {
    match args.series.options.legs {
        None => Ok(()),
        Some(_) => Err(arguments::usage_error(lang.fill(
            "`leitai {}` plays pairs of legs with seats swapped; leave out --legs",
            &[&command],
        ))),
    }
}

/// The arena that `--on` names, if it names none of NATS.
pub fn named_arena(args: &SeriesArgs) -> Option<&str> {
    let on = args.on.as_deref()?;
    (on.starts_with("http://") || on.starts_with("https://")).then_some(on)
}

/// Refuses the given options that an arena does not take: it plays with what is its own.
pub fn refuse_untaken(lang: Localizer, given: &[String], taken: &[&str]) -> anyhow::Result<()> {
    let untaken = given.iter().filter(|name| !taken.contains(&name.as_str()));
    let untaken: Vec<String> = untaken.map(|name| format!("--{name}")).collect();
    if untaken.is_empty() {
        return Ok(());
    }
    Err(arguments::usage_error(lang.fill(
        "an arena plays with its own limits, on its own workers, and keeps the games: leave out {}",
        &[&untaken.join(lang.label(", "))],
    )))
}

/// A series: entrants, and where they play.
pub struct SeriesPlan {
    matches: MatchPlan,
    entrants: Vec<EntrantRequest>,
    jobs: Option<usize>,
    oversubscribes: bool,
    bus: Option<String>,
    folder: Option<PathBuf>,
    book: Option<Arc<Book>>,
}

impl SeriesPlan {
    /// The plan of these options. `folder` is where an interrupted series continues.
    pub fn new(
        game: &GameHandle,
        entrants: Vec<EntrantRequest>,
        args: &SeriesArgs,
        folder: Option<&Path>,
    ) -> anyhow::Result<SeriesPlan> {
        if args.options.keep {
            return Err(arguments::usage_error(
                "--keep: bots that remember earlier games play games that are not independent, so no \
                 interval and no sequential test of them would be right; leave it out, or play a match \
                 of many legs, many matches, or a tournament that counts matches: leitai match --matches \
                 20 --keep, leitai tournament --elo-per match --keep",
            ));
        }
        SeriesPlan::with_memory(game, entrants, args, folder)
    }

    /// The plan of a tournament. Its programs may remember the legs of a match where matches are what
    /// counts: those are independent.
    pub fn of_matches(
        game: &GameHandle,
        entrants: Vec<EntrantRequest>,
        args: &SeriesArgs,
        (folder, unit): (&Path, EloUnit),
    ) -> anyhow::Result<SeriesPlan> {
        match unit {
            EloUnit::Match => SeriesPlan::with_memory(game, entrants, args, Some(folder)),
            EloUnit::Leg => SeriesPlan::new(game, entrants, args, Some(folder)),
        }
    }

    fn with_memory(
        game: &GameHandle,
        entrants: Vec<EntrantRequest>,
        args: &SeriesArgs,
        folder: Option<&Path>,
    ) -> anyhow::Result<SeriesPlan> {
        if args.book.is_some() && !args.options.config.is_empty() {
            return Err(arguments::usage_error(
                "--book: its positions bring their config along; leave out --config",
            ));
        }
        let book = args.book.as_ref().map(|path| Book::read(path, &**game));
        Ok(SeriesPlan {
            book: book.transpose()?.map(Arc::new),
            matches: MatchPlan::new(game, &args.options)?,
            entrants,
            jobs: args.jobs.map(usize::from),
            oversubscribes: args.oversubscribe,
            bus: args.on.clone(),
            folder: folder.map(Path::to_owned),
        })
    }

    /// At most as many matches at a time as there are cores, unless more were insisted on.
    fn bound_jobs(&self, lang: Localizer, jobs: usize) -> usize {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        if self.oversubscribes || jobs <= cores {
            return jobs;
        }
        print_notice(&lang.fill(
            "--jobs {}: this machine has {} cores, and plays as many matches at a time; --oversubscribe plays all",
            &[&jobs, &cores],
        ));
        cores
    }

    /// Builds the entrants, here or on the workers of the bus; notices go to stderr. Returns `None` if
    /// it was interrupted.
    pub fn prepare(
        self,
        lang: Localizer,
        stop: &AtomicBool,
    ) -> anyhow::Result<Option<ReadySeries>> {
        let (jobs, entrants) = (self.jobs, &self.entrants);
        let Some(bus) = &self.bus else {
            let jobs = jobs.map(|jobs| self.bound_jobs(lang, jobs));
            let mut roster = self.matches.build_roster(lang, entrants)?;
            roster.book = self.book;
            return Ok(Some(ReadySeries {
                roster,
                place: Place::Here { jobs },
            }));
        };
        let MatchPlan { game, options, .. } = &self.matches;
        let mut roster = Roster::list_entrants(game, entrants, options)?;
        let ask = AskOptions {
            bus,
            folder: self.folder.as_deref(),
            at_once: jobs,
        };
        let tell: BatchListener = Arc::new(move |notice| print_notice(&notice.to_line(lang)));
        roster.book = self.book.clone();
        let batch = Batch::open(&ask, tell)?;
        let pack = |index: usize| pack_program(&**game, &entrants[index].word);
        let prepared = batch.prepare(&mut roster, &pack, stop)?;
        Ok(prepared.map(|batch| ReadySeries {
            roster,
            place: Place::Batch(batch),
        }))
    }

    /// The series in an arena, between settings of one version there.
    ///
    /// # Errors
    /// For limits that are the arena's own.
    pub fn prepare_in_arena(
        self,
        place: impl FnOnce(usize) -> ArenaMatches,
        version: &str,
    ) -> anyhow::Result<ReadySeries> {
        if self.book.is_some() {
            return Err(arguments::usage_error(
                "--book: what an arena plays for `leitai tune` starts at the game's beginning; leave it out, or tune here and prove the values with `leitai compare --on ARENA --book`",
            ));
        }
        let MatchPlan { game, options, .. } = &self.matches;
        let roster = Roster::list_settings(game, &self.entrants, options, version)?;
        let place = Place::Arena(place(self.jobs.unwrap_or(ARENA_JOBS)));
        Ok(ReadySeries { roster, place })
    }
}

/// The program of a word, for workers.
fn pack_program(game: &dyn AnyGame, word: &str) -> anyhow::Result<PackedProgram> {
    let own = game.find_bot(word).and_then(|name| game.bot_program(name));
    let folder = own.map(unpack_bot).transpose()?;
    let of_game = folder.as_ref().zip(own);
    let unpacked = of_game.map(|(folder, own)| folder.folder_path().join(&own.path));
    let (prefix, path) = match &unpacked {
        Some(path) => (None, path.as_path()),
        None => entrant::locate_program(game, word)?,
    };
    let packed = pack_source(path)?;
    Ok(PackedProgram {
        file_name: packed.file_name,
        bytes: packed.bytes,
        prefix: prefix.map(str::to_owned),
    })
}

/// The entrants of a series, ready to play here or on the workers of a bus.
pub struct ReadySeries {
    /// The entrants.
    pub roster: Roster,
    place: Place,
}

/// Where a series is played.
#[allow(clippy::large_enum_variant, reason = "a command has one of them")]
enum Place {
    Here {
        /// Matches at a time, if that was said.
        jobs: Option<usize>,
    },
    Batch(PreparedBatch),
    Arena(ArenaMatches),
}

impl ReadySeries {
    /// Plays a series of these entrants to its end. Returns false if it was interrupted.
    pub fn play(
        &self,
        lang: Localizer,
        series: &mut impl Series,
        stop: &AtomicBool,
    ) -> anyhow::Result<bool> {
        let mut notify = |notice: &VoidNotice| print_void_notice(lang, notice);
        let roster = &self.roster;
        match &self.place {
            Place::Here { jobs } => {
                let workers = worker_count(*jobs, roster);
                play_series(series, roster, workers, stop, &mut notify)
            }
            Place::Batch(batch) => {
                let ended = play_series_with(series, &batch.player(roster), stop, &mut notify)?;
                batch.close(ended);
                Ok(ended)
            }
            Place::Arena(place) => {
                let player = ArenaPlayer { place, roster };
                play_series_with(series, &player, stop, &mut notify)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_arena_does_not_take_is_refused_by_its_name() {
        let check = |given: &[&str], refused: Option<&str>| {
            let given: Vec<String> = given.iter().map(|name| (*name).to_owned()).collect();
            let checked = refuse_untaken(crate::lang::english(), &given, &["seed", "max"]);
            let why = checked.err().map(|error| error.to_string());
            match (why, refused) {
                (None, None) => {}
                (Some(why), Some(names)) => {
                    assert!(why.ends_with(&format!("leave out {names}")), "{why}");
                }
                (why, _) => panic!("{given:?}: {why:?}"),
            }
        };
        check(&[], None);
        check(&["max", "seed"], None);
        check(&["grace"], Some("--grace"));
        check(&["memory", "seed", "keep"], Some("--memory, --keep"));
    }

    #[test]
    fn a_process_limit_under_which_nothing_starts_is_refused() {
        let check = |tier: Tier, processes: u32, is_fine: bool| {
            let checked = check_processes(tier, processes);
            assert_eq!(checked.is_ok(), is_fine, "{tier} {processes}");
        };
        check(Tier::A, 1, false);
        check(Tier::B, 1, false);
        check(Tier::A, 2, true);
        check(Tier::C, 1, true);
        check(Tier::None, 1, true);
    }
}

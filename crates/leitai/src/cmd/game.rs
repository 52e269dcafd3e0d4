//! `leitai game`

use std::sync::Arc;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use leitai_game::conformance::ConformanceOptions;
use leitai_game::replay;
use leitai_game::{AnyGame, Replay};
use leitai_guest::check::{CheckFailure, check_rules_telling};
use leitai_guest::file::LogicFile;
use leitai_guest::file::archive::ENDING;
use leitai_guest::file::golden::verify_recorded;
use leitai_guest::{GameFile, Limits};
use leitai_server::game_files::bounds::hash_of;
use leitai_server::game_files::check::{CheckBounds, check_file};
use leitai_server::work::previews::previews_of;
use leitai_server::work::worker::make_program_cache;

use super::game_arena::{PackedGame, pack_game, print_problems};
use crate::arguments;
use crate::cli::{GameCheckArgs, GameCommand, GameListArgs, GamePackArgs};
use crate::cmd::game_bots::check_bots;
use crate::cmd::game_scale::{describe_disorder, has_current_scale};
use crate::game_files::{self, FoundGame};
use crate::prelude::*;
use crate::series;
use crate::width;
use crate::{files, isolation};

/// The positions of each random leg that are checked: all of a leg that is no longer.
const PROBES: usize = 64;

/// Runs a command about game files.
pub fn run(lang: Localizer, command: &GameCommand) -> Result<ExitCode> {
    match command {
        GameCommand::New(args) => super::game_new::run(lang, args),
        GameCommand::Build(args) => super::game_build::run(lang, args),
        GameCommand::Play(args) => super::game_play::run(lang, args),
        GameCommand::Check(args) => {
            let passed = check(lang, args)?;
            let (id, golden) = passed.as_ref().map_or((None, None), |(id, golden)| {
                (Some(id.as_str()), Some(*golden))
            });
            let fields =
                json!({"passes": passed.is_some(), "game": id, "recorded_matches": golden});
            let text = match (&passed, args.arena) {
                (Some((id, _)), true) => lang.fill("{} passes the check of an arena", &[id]),
                (Some((id, golden)), false) => {
                    lang.fill("{} passes, with {} recorded matches", &[id, golden])
                }
                (None, _) => String::new(),
            };
            Answer::new("game-check", fields, text).print(args.form.json)?;
            Ok(match passed {
                Some(_) => ExitCode::SUCCESS,
                None => ExitCode::FAILURE,
            })
        }
        GameCommand::Scale(args) => super::game_scale::run(lang, args),
        GameCommand::Pack(args) => write_packed(lang, args),
        GameCommand::List(args) => list(lang, args),
        GameCommand::Add(args) => super::game_arena::add(lang, args),
        GameCommand::Get(args) => super::game_arena::get(lang, args),
        GameCommand::Remove(args) => super::game_arena::remove(lang, args),
    }
}

/// The check of an arena.
fn check_as_arena(lang: Localizer, args: &GameCheckArgs) -> Result<Option<Passed>> {
    let packed = pack_game(lang, &args.path)?;
    if !packed.is_scale_current {
        return Ok(None);
    }
    let (golden, programs) = match &packed.found {
        FoundGame::File(file) => (file.golden.len(), None),
        FoundGame::Logic(file) => {
            let asked = game_files::asked_isolation();
            let sandbox = isolation::open_sandbox(lang, asked, &mut files::print_stderr)?;
            let programs = make_program_cache(Some(sandbox));
            (file.golden.len(), previews_of(&programs, Arc::default()))
        }
    };
    let (bytes, bounds) = (&packed.bytes, CheckBounds::ARENA);
    match check_file(bytes, &hash_of(bytes), bounds, programs.as_deref()) {
        Ok(passed) => Ok(passed.map(|passed| (passed.game, golden))),
        Err(said) => {
            print_problems(lang, &said);
            Ok(None)
        }
    }
}

/// A game that passes: its id, and how many recorded matches it has.
type Passed = (String, usize);

/// Checks every part; what is found beside the answer goes to stderr where that is JSON.
fn check(lang: Localizer, args: &GameCheckArgs) -> Result<Option<Passed>> {
    if args.arena {
        return check_as_arena(lang, args);
    }
    let limits = Limits {
        total_fuel: args.fuel,
        ..Limits::default()
    };
    let file = match game_files::read_within(&args.path, limits)? {
        FoundGame::Logic(file) => return check_logic(lang, &args.path, *file),
        FoundGame::File(file) => file,
    };
    if !has_current_scale(lang, &file) {
        return Ok(None);
    }
    let options = ConformanceOptions {
        config: arguments::read_config(&file.game, &args.config)?,
        legs: args.legs,
        probes: PROBES,
        mutations: 40,
        partial_legal: args.partial_legal,
        ..ConformanceOptions::default()
    };
    let mut lines = CheckLines::begin(lang, &file, args);
    let report = check_rules_telling(&file, &options, &mut |check, cases| {
        lines.tell(check, cases)
    });
    drop(lines);
    let report = match report {
        Ok(report) => report,
        Err(why) => {
            print_failure(lang, &why);
            return Ok(None);
        }
    };
    if verify_golden(lang, &file.game, &file.golden)? {
        return Ok(None);
    }
    let mut found = describe_fuel(lang, &file);
    found += &describe_secrets(lang, &file, report.hidden_pairs);
    if let Some(scale) = &file.scale {
        found += &describe_disorder(lang, scale);
    }
    match args.form.json {
        true => files::print_stderr(found.trim_end()),
        false => print_stdout(&found)?,
    }
    let GameFile {
        about,
        game,
        golden,
        ..
    } = *file;
    let sound = check_bots(lang, &Arc::new(game).into())?;
    Ok(sound.then_some((about.id, golden.len())))
}

fn print_failure(lang: Localizer, why: &CheckFailure) {
    let (check, what) = (why.check, lang.say(&why.what));
    files::print_stderr(&lang.fill("the rules fail the check {}: {}", &[&check, &what]));
    if why.is_spent {
        files::print_stderr(lang.label(
            "the whole check costs more than its fuel: --legs 1 looks at less, --fuel allows more",
        ));
    }
    if let Some(input) = &why.input {
        files::print_stderr(&lang.fill("shortest failing input: {}", &[input]));
    }
}

/// Says what a check may cost and what it looks at now, and prints each check when it is over.
struct CheckLines<'a> {
    file: &'a GameFile,
    lang: Localizer,
    bar: ProgressBar,
    as_json: bool,
}

impl CheckLines<'_> {
    fn begin<'a>(lang: Localizer, file: &'a GameFile, args: &GameCheckArgs) -> CheckLines<'a> {
        let target = match series::is_quiet() {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(None, target);
        let style = ProgressStyle::with_template("{spinner} {msg}   {elapsed}");
        bar.set_style(style.expect("a constant template"));
        bar.enable_steady_tick(Duration::from_millis(200));
        if !series::is_quiet() {
            let (id, legs, fuel) = (&file.about.id, args.legs, grouped(args.fuel));
            files::print_stderr(&lang.fill(
                "checking {} over {} random legs, with at most {} units of fuel",
                &[id, &legs, &fuel],
            ));
        }
        CheckLines {
            file,
            lang,
            bar,
            as_json: args.form.json,
        }
    }

    fn tell(&mut self, check: &'static str, cases: Option<usize>) {
        match cases {
            None => {
                let spent = grouped(self.file.game.fuel_spent());
                let words = self
                    .lang
                    .fill("{}; {} units of fuel so far", &[&check, &spent]);
                self.bar.set_message(words);
            }
            // Who does not read on gets the rest of the check all the same.
            Some(cases) => self.bar.suspend(|| {
                let line = format!("{cases:>8} {check}");
                match self.as_json {
                    true => files::print_stderr(&line),
                    false => drop(print_stdout(&format!("{line}\n"))),
                }
            }),
        }
    }
}

impl Drop for CheckLines<'_> {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// `20,000,000,000`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The dearest call of each function.
fn describe_fuel(lang: Localizer, file: &GameFile) -> String {
    let mut dearest = file.game.dearest_calls();
    dearest.sort_by_key(|(_, fuel)| std::cmp::Reverse(*fuel));
    let most = Limits::default().fuel;
    let words = lang.fill(
        "the dearest call of each function, in units of fuel ({} at most):",
        &[&most],
    );
    let rows = dearest
        .iter()
        .map(|(function, fuel)| format!("{fuel:>8} {function}\n"));
    let spent = grouped(file.game.fuel_spent());
    let whole = lang.fill("the whole check took {} units of fuel", &[&spent]);
    format!("{words}\n{}{whole}\n", rows.collect::<String>())
}

/// Whether views could be looked through for secrets.
fn describe_secrets(lang: Localizer, file: &GameFile, pairs: Option<usize>) -> String {
    let words = match pairs {
        None if file.about.is_open => return String::new(),
        None => lang.label("game.toml has no [secret], so views were not searched for what a player may not know").to_owned(),
        Some(0) => lang.label("no two positions differed in hidden facts alone, so views were compared with [secret] only").to_owned(),
        Some(pairs) => lang.fill(
            "{} pairs of positions that differ in hidden facts alone look the same to the player",
            &[&pairs],
        ),
    };
    format!("{words}\n")
}

/// A game whose judge is a program: it is started, and plays the recorded matches again.
fn check_logic(lang: Localizer, path: &Path, file: LogicFile) -> Result<Option<Passed>> {
    let game = game_files::open_logic(path, &file.game)?;
    let setup = game.deal_setup(&Value::Null, 0)?;
    if let Some(fault) = setup.start_leg().fault() {
        files::print_stderr(&lang.say(&fault.to_string()));
        return Ok(None);
    }
    if verify_golden(lang, &game, &file.golden)? {
        return Ok(None);
    }
    let golden = file.golden.len();
    let sound = check_bots(lang, &Arc::new(game).into())?;
    Ok(sound.then_some((file.about.id, golden)))
}

/// Plays the recorded matches again, and tells of those that differ or cannot be repeated; whether one
/// differs.
fn verify_golden(lang: Localizer, game: &dyn AnyGame, golden: &[(String, Replay)]) -> Result<bool> {
    let mut differs = false;
    for (name, recorded) in golden {
        let found = verify_recorded(game, recorded).with_context(|| name.clone())?;
        differs |= found.is_err();
        if !found.as_ref().is_ok_and(|verified| !verified.is_form_only) {
            let words = replay::describe_verification(lang, recorded, &found);
            files::print_stderr(&format!("{name}: {words}"));
        }
    }
    Ok(differs)
}

fn write_packed(lang: Localizer, args: &GamePackArgs) -> Result<ExitCode> {
    let PackedGame { found, bytes, .. } = pack_game(lang, &args.folder)?;
    let id = &found.about().id;
    let name = || PathBuf::from(format!("{id}.{ENDING}"));
    let output = args.output.clone().unwrap_or_else(name);
    files::write_bytes(&output, &bytes)?;
    if files::is_stdout(&output) {
        return Ok(ExitCode::SUCCESS);
    }
    let (path, size) = (output.display().to_string(), bytes.len());
    let text = lang.fill("{}: {} bytes", &[&path, &size]);
    let fields = json!({"game": id, "file": path, "bytes": size});
    Answer::new("game-pack", fields, text).print(args.form.json)
}

fn list(lang: Localizer, args: &GameListArgs) -> Result<ExitCode> {
    let mut table = width::table_with_heads(
        lang,
        ["game", "name", "rules", "licence", "authors", "file"],
    );
    let (mut rows, mut sound) = (Vec::new(), true);
    for path in game_files::list(args.folder.as_deref())? {
        let about = match game_files::read_any(&path) {
            Ok(found) => found.about().clone(),
            Err(why) => {
                files::print_stderr(&crate::lang::format_error(lang, &why));
                sound = false;
                continue;
            }
        };
        rows.push(json!({
            "game": about.id, "rules": about.rules, "licence": about.licence,
            "authors": about.authors, "file": path.display().to_string(),
            "name": about.name.in_language(lang.lang()),
        }));
        table.add_row([
            &about.id,
            about.name.in_language(lang.lang()),
            &about.rules,
            &about.licence,
            &about.authors.join(", "),
            &path.display().to_string(),
        ]);
    }
    let fields = json!({"games": rows});
    Answer::new("game-list", fields, table.trim_fmt()).print(args.form.json)?;
    Ok(match sound {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    })
}

//! `leitai situations`, and what `leitai check --situations` asks.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};

use leitai_analysis::typical::{entrants_named, find_common_entrant};
use leitai_analysis::way_of_losing::Phase;
use leitai_analysis::{Decision, Grade, LegAnalysis};
use leitai_game::text::LocalizedText;
use leitai_game::{AnyGame, Entrant, GameHandle, Replay};
use leitai_series::regression::pack::read_positions;
use leitai_series::regression::pinned_position::pinned_entrant;
use leitai_series::regression::report::{describe_result, result_json};
use leitai_series::regression::{
    AskedBot, PinnedPosition, RegressionVerdict, SituationPack, run_position,
};

use crate::arguments::find_game;
use crate::cli::{MineArgs, PackListArgs, PackUploadArgs, SituationsCommand};
use crate::cmd::analyze::{analyze, list_files, names_of};
use crate::files::{self, write};
use crate::lang::language_key;
use crate::prelude::*;
use crate::series::{INTERRUPTED, progress_bar};
use crate::{replay_file, stop, width};

/// Runs a command about situation packs.
pub fn run(lang: Localizer, command: &SituationsCommand) -> Result<ExitCode> {
    let login = || {
        anyhow::Ok(ArenaClient::from_login(
            lang,
            &SavedLogin::current_login(lang)?,
        ))
    };
    match command {
        SituationsCommand::Mine(args) => mine(lang, args),
        SituationsCommand::Check(args) => {
            let pack = checked_pack(&args.pack)?;
            let name = clean_line(in_language(lang, &pack.name)).into_owned();
            let count = pack.moments.len();
            let done = lang.fill(
                "{}: {} moments of {}, all sound",
                &[&name, &count, &pack.game],
            );
            let fields = json!({"name": pack.name, "game": pack.game, "moments": count});
            Answer::new("situations-check", fields, done).print(args.form.json)
        }
        SituationsCommand::Upload(args) => upload(lang, &login()?, args),
        SituationsCommand::List(args) => list(lang, &ArenaClient::for_reading(lang)?, args),
        SituationsCommand::Remove(args) => {
            login()?.delete(&format!("/api/situations/{}", args.pack))?;
            let done = lang.fill("pack {} is removed", &[&args.pack]);
            let fields = json!({"pack": args.pack});
            Answer::new("situations-remove", fields, done).print(args.form.json)
        }
    }
}

/// A pack whose moments are what they say.
fn checked_pack(path: &Path) -> Result<SituationPack> {
    let pack = SituationPack::read(path)?;
    let game = find_game(&pack.game)?;
    let checked = pack.check(&*game);
    let checked = checked.with_context(|| path.display().to_string());
    checked.map_err(UsageError::wrap)?;
    Ok(pack)
}

fn in_language(lang: Localizer, name: &LocalizedText) -> &str {
    match language_key(lang) {
        "zh" => &name.zh,
        _ => &name.en,
    }
}

fn upload(lang: Localizer, api: &ArenaClient, args: &PackUploadArgs) -> Result<ExitCode> {
    // What the arena would refuse is told here.
    let text = checked_pack(&args.pack)?.to_text();
    let body = json!({"pack": text, "contest": args.contest, "hidden_until": args.hidden_until});
    let made = api.post_json("/api/situations", &body)?;
    let done = lang.fill(
        "pack {}: every upload from now on is asked its {} moments",
        &[&made["id"], &made["moments"]],
    );
    let fields = json!({"pack": made["id"], "moments": made["moments"]});
    Answer::new("situations-upload", fields, done).print(args.form.json)
}

fn list(lang: Localizer, api: &ArenaClient, args: &PackListArgs) -> Result<ExitCode> {
    let query = args.game.clone().map(|game| ("game", game));
    let listed = api.get_with("/api/situations", query)?;
    let mut table = width::table_with_heads(lang, ["#", "game", "name", "moments"]);
    for one in listed.as_array().into_iter().flatten() {
        let name = text(&one["name"][language_key(lang)]);
        let (id, moments) = (one["id"].to_string(), one["moments"].to_string());
        table.add_row([id, text(&one["game"]), name, moments]);
    }
    let fields = json!({"packs": listed});
    Answer::new("situations-list", fields, table.trim_fmt()).print(args.form.json)
}

/// A mistake that was found: what it cost, and the moment.
struct Mined {
    loss: f64,
    moment: PinnedPosition,
}

/// Makes a pack of clear mistakes.
fn mine(lang: Localizer, args: &MineArgs) -> Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let paths = list_files(&args.replays)?;
    let read = paths.iter().map(|path| replay_file::read_replay(path));
    let replays: Vec<(Replay, GameHandle)> = read.collect::<Result<_>>()?;
    let name = whose_mistakes(&replays, args.entrant.as_deref())?;
    let mined = |file: Option<&str>, moments: usize, text: String| {
        let fields = json!({"entrant": name, "file": file, "moments": moments});
        Answer::new("situations-mine", fields, text).print(args.form.json)
    };
    let game = replays[0].1.meta().id.to_owned();
    let bar = progress_bar(false);
    let mut found: Vec<Mined> = Vec::new();
    for (replay, own) in &replays {
        if own.meta().id != game {
            let why = format!(
                "a pack is of one game; there are replays of {game} and {}",
                own.meta().id
            );
            return Err(usage_error(why));
        }
        for entrant in entrants_named(names_of(replay), &name) {
            let analysis = analyze(args.budget, None, &**own, replay, Some(entrant), &bar, stop);
            let analysis = match analysis {
                Err(leitai_analysis::AnalysisError::Stopped) => {
                    return Ok(ExitCode::from(INTERRUPTED));
                }
                analysis => analysis?,
            };
            for leg in &analysis.legs {
                found.extend(mistakes_of(&**own, replay, leg, entrant)?);
            }
        }
    }
    bar.finish_and_clear();
    found.sort_by(|one, other| other.loss.total_cmp(&one.loss));
    found.truncate(args.most);
    if found.is_empty() {
        let none = lang.fill("{} made no clear mistake in a leg that it lost", &[&name]);
        return mined(None, 0, none);
    }
    let pack = pack_of(&name, game, found);
    // What could not be read again is not written.
    SituationPack::parse(&pack.to_text())
        .context("the pack would be too large; ask for fewer with --most")
        .map_err(UsageError::wrap)?;
    write(&args.output, &pack.to_text())?;
    if files::is_stdout(&args.output) {
        return Ok(ExitCode::SUCCESS);
    }
    let (file, count) = (args.output.display().to_string(), pack.moments.len());
    let done = lang.fill("wrote {}: {} moments", &[&clean_line(&file), &count]);
    mined(Some(&file), count, done)
}

fn pack_of(name: &str, game: String, found: Vec<Mined>) -> SituationPack {
    SituationPack {
        name: LocalizedText {
            en: format!("Mistakes of {name}"),
            zh: format!("{name} 的失误"),
        },
        game,
        moments: found.into_iter().map(|one| one.moment).collect(),
    }
}

/// The name of whose mistakes are looked for.
fn whose_mistakes(replays: &[(Replay, GameHandle)], asked: Option<&str>) -> Result<String> {
    if let ([(replay, _)], None) = (replays, asked) {
        let entrant = pinned_entrant(replay, 1, None).map_err(UsageError::wrap)?;
        return Ok(replay.entrants[entrant].name.clone());
    }
    let names: Vec<[&str; 2]> = replays.iter().map(|(replay, _)| names_of(replay)).collect();
    find_common_entrant(&names, asked).map_err(|why| usage_error(why.to_string()))
}

/// The clear mistakes of an entrant in a leg that it lost, one a round.
fn mistakes_of(
    game: &dyn AnyGame,
    replay: &Replay,
    leg: &LegAnalysis,
    entrant: Entrant,
) -> Result<Vec<Mined>> {
    if leg.side_of(entrant).is_none_or(|side| side.lost.is_none()) {
        return Ok(Vec::new());
    }
    let mut rounds = BTreeSet::new();
    let clear = |one: &&Decision| one.entrant == entrant && one.grade >= Grade::Mistake;
    let decisions = leg.decisions.iter().filter(clear);
    let mut found = Vec::new();
    for one in decisions.filter(|one| rounds.insert(one.round)) {
        let why = format!("{}; best was {}", one.grade, one.best);
        let why: String = why.chars().take(200).collect();
        let name = entrant.to_string();
        let moment =
            PinnedPosition::new(game, replay, Some(leg.leg), one.round, Some(&name), &why)?;
        let category = match (&one.fault, Phase::of_round(one.round, leg.rounds)) {
            (Some(_), _) => "fault",
            (None, Phase::Opening) => "opening",
            (None, Phase::Middle) => "middle",
            (None, Phase::Ending) => "ending",
        };
        let moment = PinnedPosition {
            category: category.to_owned(),
            ..moment
        };
        let loss = one.loss;
        found.push(Mined { loss, moment });
    }
    Ok(found)
}

/// Moments that a program is asked, from the game or from a file or folder.
pub struct AskedPack {
    /// The name of the pack, or of what it was read from.
    name: String,
    moments: Vec<(PathBuf, PinnedPosition)>,
}

/// The packs that a program is to be asked; the game's own if none is named.
pub fn find_packs(
    lang: Localizer,
    game: &dyn AnyGame,
    paths: &[PathBuf],
) -> Result<Vec<AskedPack>> {
    let id = game.meta().id;
    if paths.is_empty() {
        let own = SituationPack::of_game(game).ok_or_else(|| {
            usage_error(format!(
                "{id} comes with no situations; name a pack: --situations PACK"
            ))
        })?;
        let name = in_language(lang, &own.name).to_owned();
        let moments = own.moments.into_iter().zip(1..);
        let moments = moments.map(|(one, number)| (PathBuf::from(format!("{id}#{number}")), one));
        return Ok(vec![AskedPack {
            name,
            moments: moments.collect(),
        }]);
    }
    let read = |path: &PathBuf| {
        let mut moments = Vec::new();
        let there = path.metadata().map_err(anyhow::Error::from);
        let there = there.with_context(|| format!("cannot read {}", path.display()));
        there.map_err(UsageError::wrap)?;
        for (label, moment) in read_positions(path)? {
            let moment = moment.and_then(|moment| moment.check(game).map(|()| moment));
            let moment = moment.with_context(|| label.display().to_string());
            moments.push((label, moment.map_err(UsageError::wrap)?));
        }
        if moments.is_empty() {
            let why = format!("{} has no situations", path.display());
            return Err(usage_error(why));
        }
        Ok(AskedPack {
            name: path.display().to_string(),
            moments,
        })
    };
    paths.iter().map(read).collect()
}

/// Asks a program in all moments. Tells each result at once, unless `as_json`. `None` if it was
/// interrupted; else the results, and whether all passed.
pub fn ask_packs(
    lang: Localizer,
    (bot, packs): (&AskedBot<'_>, &[AskedPack]),
    as_json: bool,
    stop: &AtomicBool,
) -> Result<Option<(Value, bool)>> {
    let (mut all, mut all_passed) = (Vec::new(), true);
    for pack in packs {
        if !as_json {
            let name = clean_line(&pack.name).into_owned();
            print_stdout(&format!("\n{}\n", lang.fill("situations: {}", &[&name])))?;
        }
        let mut results = Vec::new();
        let mut categories: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
        for (label, moment) in &pack.moments {
            let result = run_position(bot, moment, stop);
            let result = result.with_context(|| label.display().to_string())?;
            if stop.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let passed = result.verdict == RegressionVerdict::Gone;
            all_passed &= passed;
            for category in BTreeSet::from(["", moment.category.as_str()]) {
                let [good, of] = categories.entry(category).or_default();
                (*good, *of) = (*good + usize::from(passed), *of + 1);
            }
            if !as_json {
                let text = describe_result(label, moment, &result, lang);
                let lines = text
                    .lines()
                    .map(|line| width::wrap_sentence(line, 4) + "\n");
                print_stdout(&lines.collect::<String>())?;
            }
            results.push(result_json(label, moment, &result));
        }
        let [good, of] = categories.remove("").unwrap_or_default();
        if !as_json {
            let each = categories.iter();
            let each = each.map(|(name, [good, of])| format!("{} {good}/{of}", clean_line(name)));
            let each: Vec<String> = each.collect();
            let line = lang.fill("{} of {} passed", &[&good, &of]);
            let line = match each.is_empty() {
                true => line,
                false => format!("{line}{}{}", lang.label(": "), each.join(", ")),
            };
            print_stdout(&format!("{}\n", width::wrap_sentence(&line, 0)))?;
        }
        all.push(json!({"pack": pack.name, "moments": results, "passed": good, "asked": of}));
    }
    Ok(Some((Value::Array(all), all_passed)))
}

//! `leitai tune GAME BOT --param …`

use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Instant;

use leitai_game::GameHandle;
use leitai_ladder::Sprt;
use leitai_series::EntrantRequest;
use leitai_series::comparison::{Comparison, ComparisonOptions, ComparisonResult};
use leitai_series::tuning::{Tuning, TuningOptions, TuningResult, complete_bot, read_parameters};

use super::compare::{self, UNDECIDED};
use super::experiment::{named_client, split_version};
use super::submit::number_in;
use crate::cli::{MatchOptionArgs, TuneArgs, given_options};
use crate::plan::{ReadySeries, SeriesPlan, named_arena, refuse_legs, refuse_untaken};
use crate::prelude::*;
use crate::remote::matches::ArenaMatches;
use crate::rerun_command::quote_word;
use crate::series::{
    INTERRUPTED, format_rows, next_steps, progress_bar, refuse_broken, show_pairs,
};
use crate::width::wrap_sentence;
use crate::{arguments, files, stop};

/// The folder of the test within that of the search.
const PROOF: &str = "proof";
/// The options that a search in an arena takes, and those that have a refusal of their own.
const IN_ARENA: [&str; 19] = [
    "on",
    "param",
    "pairs",
    "restarts",
    "proof",
    "elo0",
    "elo1",
    "seed",
    "jobs",
    "folder",
    "json",
    "limit",
    "bank",
    "increment",
    "grace",
    "strikes",
    "config",
    "book",
    "keep",
];

/// What is asked.
struct Asked<'a> {
    lang: Localizer,
    args: &'a TuneArgs,
    game: GameHandle,
    options: TuningOptions,
    /// Where the bot plays, if not here or on a bus.
    arena: Option<ArenaVersion>,
    stop: &'static AtomicBool,
}

/// A version of a bot in an arena.
struct ArenaVersion {
    arena: String,
    bot: u64,
    number: u64,
    id: u64,
    /// The terms of its matches, as fields of a request.
    terms: Value,
}

/// Searches the best values, and tests them against the start.
pub fn run(lang: Localizer, args: &TuneArgs) -> Result<ExitCode> {
    let sprt = proof_test(args)?;
    refuse_legs(lang, "tune", &args.played)?;
    let game = arguments::find_game(&args.game)?;
    let parameters = read_parameters(&args.parameters)?;
    let bot = EntrantRequest::parse(&*game, &args.bot)?;
    let options = TuningOptions {
        bot: complete_bot(bot, &parameters)?,
        parameters,
        seed: args.played.seed(),
        pairs: args.pairs,
        restarts: usize::from(args.restarts),
        folder: args.played.folder.clone(),
    };
    let arena = named_arena(&args.played.series)
        .map(|arena| ArenaVersion::find(lang, args, arena, &options.bot.word));
    let asked = Asked {
        lang,
        args,
        game,
        options,
        arena: arena.transpose()?,
        stop: stop::on_interrupt()?,
    };
    let Some((result, ended)) = asked.search()? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    if !args.played.json {
        asked.print_search(&result, ended)?;
    }
    let test = match ended && args.proof > 0 && !result.is_start() {
        true => asked.prove(&result, sprt)?,
        false => None,
    };
    asked.finish(&result, ended, test)
}

fn proof_test(args: &TuneArgs) -> Result<Sprt> {
    let sprt = Sprt {
        elo0: args.elo0,
        elo1: args.elo1,
        ..ComparisonOptions::default().sprt
    };
    sprt.check_parameters().map_err(usage_error)?;
    Ok(sprt)
}

impl ArenaVersion {
    fn find(lang: Localizer, args: &TuneArgs, arena: &str, word: &str) -> Result<Self> {
        refuse_untaken(lang, &given_options(lang), &IN_ARENA)?;
        let api = named_client(lang, arena)?;
        let (name, number) = split_version(word)?;
        let bot = number_in(&api.find_own_bot(name, Some(&args.game))?, "id")?;
        let listed = api.get(&format!("/api/bots/{bot}"))?;
        let asked = |one: &&Value| match number {
            Some(number) => one["number"] == number,
            None => one["state"] == "ready",
        };
        let mut versions = listed["versions"].as_array().into_iter().flatten();
        let version = versions.find(asked).ok_or_else(|| {
            usage_error(format!(
                "{word}: the arena has no such version that is ready"
            ))
        })?;
        Ok(ArenaVersion {
            arena: arena.to_owned(),
            bot,
            number: number_in(version, "number")?,
            id: number_in(version, "id")?,
            terms: match_terms(&args.played.series.options)?,
        })
    }
}

/// The limits and the config of a match that an arena is asked for, as fields of the request.
fn match_terms(options: &MatchOptionArgs) -> Result<Value> {
    let mut terms = json!({});
    let times = [
        ("period_ms", options.limit),
        ("bank_ms", options.bank),
        ("increment_ms", options.increment),
        ("grace_ms", options.grace),
    ];
    for (key, time) in times {
        if let Some(time) = time {
            terms[key] = u64::try_from(time.as_millis())?.into();
        }
    }
    if let Some(strikes) = options.strikes {
        terms["strikes"] = strikes.into();
    }
    if !options.config.is_empty() {
        terms["config"] = Value::Object(arguments::parse_choices(&options.config)?);
    }
    Ok(terms)
}

impl Asked<'_> {
    fn prepare(&self, plan: SeriesPlan) -> Result<Option<ReadySeries>> {
        let lang = self.lang;
        let Some(version) = &self.arena else {
            return plan.prepare(lang, self.stop);
        };
        let api = named_client(lang, &version.arena)?;
        let fingerprint = format!("{} version {}", version.arena, version.id);
        let place = |at_once| ArenaMatches {
            api,
            version: version.id,
            bot: version.bot,
            number: version.number,
            terms: version.terms.clone(),
            at_once,
            lang,
            told: AtomicU64::new(0),
            begun: Instant::now(),
        };
        plan.prepare_in_arena(place, &fingerprint).map(Some)
    }

    /// The search, and whether it came to its end. `None` if it was interrupted before its first pair.
    fn search(&self) -> Result<Option<(TuningResult, bool)>> {
        let (lang, args) = (self.lang, self.args);
        let entrants = self.options.entrants();
        let folder = args.played.folder.as_deref();
        let plan = SeriesPlan::new(&self.game, entrants, &args.played.series, folder)?;
        let Some(ready) = self.prepare(plan)? else {
            return Ok(None);
        };
        refuse_broken(
            lang,
            &ready.roster,
            lang.label("fix it, `leitai check` helps"),
        )?;
        let bar = progress_bar(args.played.json);
        bar.set_length(args.pairs);
        let listener = |result: &TuningResult| {
            let line = result.progress_line(lang);
            show_pairs(lang, &bar, args.played.json, result.pair_count(), &line);
        };
        let mut tuning = Tuning::open(self.options.clone(), &ready.roster, listener)?;
        let ended = ready.play(lang, &mut tuning, self.stop)?;
        let result = tuning.into_result();
        bar.finish_and_clear();
        Ok(Some((result, ended)))
    }

    fn print_search(&self, result: &TuningResult, ended: bool) -> Result<()> {
        let rows = result.rows(self.lang);
        let rows: Vec<(&str, String)> = rows
            .iter()
            .map(|(label, value)| (label.as_str(), value.clone()))
            .collect();
        files::print_stdout(&format_rows(&rows))?;
        files::print_stdout(&result.void_text(self.lang))?;
        if !ended {
            let folder = self.args.played.folder.as_deref();
            files::print_stdout(&next_steps(self.lang, None, folder, ended))?;
        }
        Ok(())
    }

    /// The found values against the start, on seeds that the search has not seen.
    fn prove(&self, found: &TuningResult, sprt: Sprt) -> Result<Option<(ComparisonResult, bool)>> {
        let (lang, args, options) = (self.lang, self.args, &self.options);
        let entrants = vec![
            options.bot_at(&found.best(), "tuned"),
            options.bot_at(&options.start(), "start"),
        ];
        let folder = args.played.folder.as_ref().map(|folder| folder.join(PROOF));
        let plan = SeriesPlan::new(&self.game, entrants, &args.played.series, folder.as_deref())?;
        let Some(ready) = self.prepare(plan)? else {
            return Ok(None);
        };
        let test = ComparisonOptions {
            sprt,
            seed: options.seed.wrapping_add(options.pairs),
            max_pairs: args.proof,
            folder,
            ..ComparisonOptions::default()
        };
        let bar = compare::progress_bar(lang, args.played.json);
        let mut comparison = Comparison::open(test, &ready.roster, |update| {
            compare::show_progress(lang, &bar, args.played.json, update);
        })?;
        let ended = ready.play(lang, &mut comparison, self.stop)?;
        let result = comparison.into_result();
        bar.finish_and_clear();
        Ok(Some((result, ended)))
    }

    /// Prints what the test says, and how to use the values.
    fn finish(
        &self,
        found: &TuningResult,
        ended: bool,
        test: Option<(ComparisonResult, bool)>,
    ) -> Result<ExitCode> {
        let lang = self.lang;
        if self.args.played.json {
            let mut object = found.to_json();
            object["test"] = test
                .as_ref()
                .map_or(Value::Null, |(result, _)| result.to_json());
            files::print_stdout(&format!("{object}\n"))?;
        } else {
            if let Some((result, ended)) = &test {
                files::print_stdout(&format!("\n{}", format_rows(&result.rows(lang))))?;
                files::print_stdout(&result.void_text(lang))?;
                if !ended {
                    let folder = self.args.played.folder.as_deref();
                    files::print_stdout(&next_steps(lang, None, folder, false))?;
                }
            } else if ended && found.is_start() {
                let said =
                    lang.label("the best values found are those of the start: nothing to test");
                files::print_stdout(&format!("{}\n", wrap_sentence(said, 2)))?;
            }
            let words = quote_word(&found.tuned_words());
            let said = lang.fill("use them: {}", &[&words]);
            files::print_stdout(&format!("{said}\n"))?;
        }
        Ok(match test {
            _ if !ended => ExitCode::from(INTERRUPTED),
            Some((result, ended)) => compare::exit_code(&result, ended),
            None if self.stop.load(std::sync::atomic::Ordering::Relaxed) => {
                ExitCode::from(INTERRUPTED)
            }
            None => ExitCode::from(UNDECIDED),
        })
    }
}

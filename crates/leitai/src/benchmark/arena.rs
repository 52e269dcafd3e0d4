//! Benchmarks that an arena plays and signs: `leitai benchmark GAME BOT --on ARENA`, and `--check`.

use std::fs;

use leitai_server::experiments::benchmark_file::{ArenaSignature, AuthorClaims, ResultFile};

use super::report::describe;
use crate::cli::{BenchmarkArgs, given_options};
use crate::cmd::experiment::{named_client, split_version, wait_for_end};
use crate::cmd::replay_signature::{KeyStanding, PublishedKeys};
use crate::cmd::submit::number_in;
use crate::plan::refuse_untaken;
use crate::prelude::*;
use crate::series::INTERRUPTED;

/// The options that a measurement by an arena takes.
const TAKEN: [&str; 8] = [
    "on", "no-wait", "pairs", "out", "agent", "cost", "tokens", "json",
];

/// Has a version of one's bot measured by the arena, and checks what it signed.
pub fn measure(
    lang: Localizer,
    args: &BenchmarkArgs,
    (game, bot): (&str, &str),
    author: &AuthorClaims,
) -> Result<ExitCode> {
    let arena = args.on.as_deref().expect("asked only with --on");
    refuse_untaken(lang, &given_options(lang), &TAKEN)?;
    let api = named_client(lang, arena)?;
    let (name, version) = split_version(bot)?;
    let id = number_in(&api.find_own_bot(name, Some(game))?, "id")?;
    let body = json!({"bot": id, "version": version, "pairs": args.pairs, "author": author});
    let made = api.post_json("/api/benchmarks", &body)?;
    let id = number_in(&made, "id")?;
    let page = api.page_url(&format!("/experiments/{id}"));
    let begun = lang.fill("experiment {} has begun: {}", &[&id, &page]);
    let commitment = &made["benchmark"]["commitment"];
    let commitment = text(commitment);
    let label = lang.label("the seeds are committed to by SHA-256");
    eprintln!("{begun}\n{label} {commitment}");
    if args.no_wait {
        return print_answer(args.json, &made, String::new);
    }
    let Some(ended) = wait_for_end(lang, &api, id, args.json)? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    if ended[0]["state"] != "measured" {
        bail!("the arena did not measure it; {page} says why");
    }
    let text = api.get_bytes(&format!("/api/experiments/{id}/benchmark"))?;
    let text = String::from_utf8(text).context("the arena sent no text")?;
    let (result, signature) = ResultFile::check(&text)?;
    let signature = signature.context("the arena did not sign the result")?;
    let keys = PublishedKeys::of_arena(lang, arena)?;
    let (said, is_proven) = describe_signature(lang, &signature, &keys);
    ensure!(is_proven, "{said}");
    ensure!(
        result.seeds.commitment == commitment,
        "the arena committed to the seeds {commitment} and played those of {}",
        result.seeds.commitment
    );
    let usual = || PathBuf::from(format!("benchmark-{}-{name}.json", id_at_arena(game)));
    let out = args.out.clone().unwrap_or_else(usual);
    fs::write(&out, text).with_context(|| format!("cannot write {}", out.display()))?;
    print_answer(args.json, &json!(result), || {
        format!("{}{said}\n", describe(lang, &result, &out))
    })
}

/// Whether an arena signed a file, and which.
pub fn check(lang: Localizer, args: &BenchmarkArgs, file: &Path) -> Result<ExitCode> {
    let name = file.display().to_string();
    let text = crate::arguments::read_named_file("--check", file)?;
    let (status, said) = match ResultFile::check(&text) {
        Err(why) => {
            let why = lang.say(&why.to_string());
            let colon = lang.label(": ");
            ("altered", format!("{}{colon}{why}", lang.label("CHANGED")))
        }
        Ok((_, None)) => (
            "unsigned",
            lang.label("not signed: whoever wrote the file measured it")
                .to_owned(),
        ),
        Ok((_, Some(signature))) => {
            let keys = find_keys(lang, args, &signature)?;
            match describe_signature(lang, &signature, &keys) {
                (said, true) => ("valid", said),
                (said, false) => ("other-key", said),
            }
        }
    };
    let fields = json!({"file": name, "signature": status, "said": said});
    print_answer(args.json, &fields, || format!("{name}: {said}\n"))?;
    Ok(match status {
        "valid" => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    })
}

/// The keys that the arguments name, or those that the arena publishes that the file names.
fn find_keys(
    lang: Localizer,
    args: &BenchmarkArgs,
    signature: &ArenaSignature,
) -> Result<PublishedKeys> {
    if let Some(key) = &args.key {
        return Ok(PublishedKeys::only(key));
    }
    match args.on.as_deref().or(signature.arena.as_deref()) {
        Some(arena) => PublishedKeys::of_arena(lang, arena),
        None => Err(usage_error(lang.label(
            "the file does not say which arena signed it: name it by --on ARENA, or its key by --key",
        ))),
    }
}

/// Whose signature it is, in words, and whether it is by one of these keys.
fn describe_signature(
    lang: Localizer,
    signature: &ArenaSignature,
    keys: &PublishedKeys,
) -> (String, bool) {
    let (source, number) = (keys.source(), signature.experiment);
    match keys.find(&signature.key) {
        KeyStanding::Known => {
            let said = lang.fill("signed by {} as experiment {}", &[&source, &number]);
            (said, true)
        }
        KeyStanding::Unknown => {
            let values: [&dyn std::fmt::Display; 2] = [&source, &clean_line(&signature.key)];
            let said = lang.fill("NOT SIGNED BY {}: the key is {}", &values);
            (said, false)
        }
        KeyStanding::Revoked { day, why } => {
            let said = lang.fill(
                "NOT TRUSTED: {} revoked the key on {} ({}); download the result again",
                &[&source, &day, &why],
            );
            (said, false)
        }
    }
}

//! Answers requests: `{"ok": …}`, or `{"error": {"code", "message": {"en", "zh"}}}`.

use std::ops::ControlFlow;

use leitai_analysis::digest::write_with_digest;
use leitai_analysis::{AnalysisOptions, analyze_replay};
use leitai_game::erased::{AnySink, Checkpoint};
use leitai_game::leg_frames::{
    LegFramesRequest, difference_as_json, verify_as_json, write_leg_frames,
};
use leitai_game::replay::{ReplayWalker, describe_verification, list_unproven, verify_replay};
use leitai_game::text::TextOf;
use leitai_game::{ByEntrant, Entrant, LocalizedText};
use serde_json::{Value, json};

use crate::catalogue::catalogue;
use crate::errors::CallError;
use crate::games::{find_game, load_game, not_playable, read_replay};
use crate::play::play;
use crate::positions::{assess_position, show_line, sketch_leg};
use crate::request::{AnalyzeCall, Call, FramesCall, ProgressListener, read_request};
use crate::save::save;

/// Answers a request.
pub fn answer_request(request: &[u8], listener: ProgressListener<'_>) -> Vec<u8> {
    let answer = read_request(request)
        .map_err(|why| CallError::new("bad-request", why))
        .and_then(|(call, file)| answer_call(call, file, listener));
    let text = match answer {
        Ok(value) => format!("{{\"ok\":{value}}}"),
        Err(error) => json!({"error": error.to_json()}).to_string(),
    };
    text.into_bytes()
}

/// The answer as JSON text.
fn answer_call(
    call: Call,
    file: &[u8],
    listener: ProgressListener<'_>,
) -> Result<String, CallError> {
    match call {
        Call::Load { module } => load_game(module, file),
        Call::Verify => verify(file),
        Call::Checkpoints => list_checkpoints(file),
        Call::Frames(asked) => make_leg_frames(file, asked),
        Call::Analyze(asked) => analyze(file, asked, listener),
        Call::Assess(asked) => assess_position(file, asked, listener),
        Call::Sketch(asked) => sketch_leg(file, asked, listener),
        Call::Line(asked) => show_line(file, asked),
        Call::About { game, rules } => describe_game(game, rules, file),
        Call::Play(asked) => play(asked, file),
        Call::Save(asked) => save(asked, file),
        Call::Corpus { game } => compare_corpus(&game, file),
        Call::Panic => panic!("the page asked for it"),
    }
}

fn verify(file: &[u8]) -> Result<String, CallError> {
    let (game, replay) = read_replay(file)?;
    let found = verify_replay(game, &replay).map_err(not_playable)?;
    let words = catalogue().write_both(|lang| {
        let words = describe_verification(lang, &replay, &found);
        match (&found, &replay.signature) {
            (Ok(_), None) => format!("{words}; {}", list_unproven(lang)),
            _ => words,
        }
    });
    let (verified, counts) = match &found {
        Ok(done) => (
            json!(true),
            json!({"legs": done.legs, "replies": done.steps, "hashes": done.hashes}),
        ),
        Err(difference) => (difference_as_json(difference, catalogue()), json!(null)),
    };
    Ok(json!({
        "game": replay.game,
        "rules": replay.rules,
        "entrants": ByEntrant::from_fn(|entrant: Entrant| &replay.entrants[entrant].name),
        "legs": replay.legs.len(),
        "status": replay.status,
        "verdict": replay.verdict,
        "verified": verified,
        "counts": counts,
        "words": words,
    })
    .to_string())
}

fn describe_game(
    id: Option<String>,
    rules: Option<String>,
    file: &[u8],
) -> Result<String, CallError> {
    let game = match id {
        Some(id) => find_game(&id, rules.as_deref())?,
        None => read_replay(file)?.0,
    };
    let bots = game.list_bots().into_iter();
    let bots = bots.map(|(name, about)| json!({"name": name, "about": both(about)}));
    let meta = game.meta();
    Ok(json!({
        "id": meta.id,
        "name": both(meta.title),
        "rules": meta.rules,
        "legs": meta.legs,
        "config": game.read_config(&Value::Null).map_err(not_playable)?,
        "open": game.is_open(),
        "bots": bots.collect::<Vec<_>>(),
    })
    .to_string())
}

fn both(text: TextOf<'_>) -> LocalizedText {
    LocalizedText::from(text)
}

/// The number of cases of a corpus, and those that differ.
fn compare_corpus(game: &str, file: &[u8]) -> Result<String, CallError> {
    let game = find_game(game, None)?;
    let text = std::str::from_utf8(file)
        .map_err(|why| CallError::new("bad-request", format!("the corpus is no text: {why}")))?;
    let (mut cases, mut differences) = (0, Vec::new());
    game.compare_corpus(text, &mut |case| {
        cases += 1;
        differences.extend(case.result.err().map(|why| format!("{}: {why}", case.id)));
    });
    Ok(json!({"cases": cases, "differences": differences}).to_string())
}

fn list_checkpoints(file: &[u8]) -> Result<String, CallError> {
    let (game, replay) = read_replay(file)?;
    let setup = game.read_setup(&replay.setup).map_err(not_playable)?;
    let mut legs = Vec::new();
    for record in &replay.legs {
        let mut hashes = CheckpointHashes::default();
        let mut walk = ReplayWalker::new(&*setup, record);
        while walk.next(&mut hashes).map_err(not_playable)?.is_some() {}
        legs.push(hashes.0);
    }
    Ok(json!({"game": replay.game, "legs": legs}).to_string())
}

#[derive(Default)]
struct CheckpointHashes(Vec<String>);

impl AnySink for CheckpointHashes {
    fn on_checkpoint(&mut self, at: &dyn Checkpoint) {
        self.0.push(format!("{:016x}", at.hash()));
    }
}

fn make_leg_frames(file: &[u8], asked: FramesCall) -> Result<String, CallError> {
    let (game, replay) = read_replay(file)?;
    let is_file = asked.summary.is_null();
    let verified = is_file.then(|| verify_as_json(game, &replay, catalogue()));
    let request = LegFramesRequest {
        leg: asked.leg,
        perspective: asked.perspective.into(),
        summary: asked.summary,
        verified: verified.transpose()?,
        most: None,
    };
    Ok(write_leg_frames(game, &replay, request, catalogue())?)
}

fn analyze(
    file: &[u8],
    asked: AnalyzeCall,
    listener: ProgressListener<'_>,
) -> Result<String, CallError> {
    let (game, replay) = read_replay(file)?;
    let AnalyzeCall {
        budget,
        leg,
        entrant,
    } = asked;
    let options = AnalysisOptions {
        budget,
        leg,
        entrant,
    };
    let analysis = analyze_replay(game, &replay, options, &mut |progress| {
        let report = json!({
            "done": progress.done,
            "all": progress.all,
            "leg": progress.leg,
            "decisions": progress.decisions,
        });
        listener(&report.to_string());
        ControlFlow::Continue(())
    })?;
    Ok(write_with_digest(&analysis, catalogue()).to_string())
}

//! `leitai game add`, `remove` and `get`: the games of the arena of the login.

use std::fs::File;
use std::io::Write;
use std::sync::atomic::Ordering;
use std::time::Duration;

use leitai_guest::file::archive::pack;
use leitai_guest::file::parts::Parts;
use leitai_guest::{GameFile, Limits};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::game_new::check_id;
use crate::cli::{GameAddArgs, GameGetArgs, GameRemoveArgs};
use crate::cmd::game_scale::has_current_scale;
use crate::files;
use crate::game_files::{self, FoundGame};
use crate::lang::language_key;
use crate::prelude::*;
use crate::{series, stop};

/// The interval at which the arena is polled.
const LOOK: Duration = Duration::from_millis(700);

/// Packs a game, sends it, and waits for its check.
pub fn add(lang: Localizer, args: &GameAddArgs) -> Result<ExitCode> {
    let stop = stop::on_interrupt()?;
    let packed = pack_game(lang, &args.path)?;
    let (about, bytes) = (packed.found.about(), &packed.bytes);
    let api = ArenaClient::from_login(lang, &SavedLogin::current_login(lang)?);
    let path = with_query(
        "/api/admin/games".to_owned(),
        "hidden_until",
        args.hidden_until.as_deref(),
    );
    let mut row = api.post_bytes(&path, "application/octet-stream", bytes)?;
    let id = row["id"].clone();
    if row["state"] == "checking" && !series::is_quiet() {
        let (rules, size) = (&about.rules, bytes.len());
        files::print_stderr(&lang.fill(
            "{} is sent ({} bytes); the arena checks it, which takes a minute or more",
            &[rules, &size],
        ));
    }
    while row["state"] == "checking" && !stop.load(Ordering::Relaxed) {
        std::thread::park_timeout(LOOK);
        let all = api.get("/api/admin/games")?;
        let mut all = all["items"].as_array().into_iter().flatten();
        let found = all.find(|one| one["id"] == id).cloned();
        row = found.context(lang.label("the arena has lost the file"))?;
    }
    if row["state"] == "refused" {
        print_problems(lang, &row["said"]);
        return Ok(ExitCode::FAILURE);
    }
    let page = api.page_url(&format!("/games/{}", about.id));
    let rules = &about.rules;
    let fields = json!({"game": about.id, "rules": rules, "page": page});
    Answer::new("game-add", fields, format!("{rules}   {page}")).print(args.form.json)
}

/// Takes a game of an arena home. Its bytes are a stranger's: they are written only if they are this
/// game.
pub fn get(lang: Localizer, args: &GameGetArgs) -> Result<ExitCode> {
    let id = &args.game;
    check_id(id)?;
    let target = PathBuf::from(format!("{id}.leitai-game"));
    let api = ArenaClient::for_reading(lang)?;
    let path = format!("/api/games/{id}/file");
    let bytes = api.get_bytes(&with_query(path, "rules", args.rules.as_deref()))?;
    let parts = Parts::from_archive(&bytes, &target)?;
    let about = GameFile::describe(&parts).ok();
    let about = about.filter(|about| about.id == *id);
    let rules = about
        .context(lang.label("the arena sent what is not this game"))?
        .rules;
    let file = File::create_new(&target);
    let mut file = file.with_context(|| target.display().to_string())?;
    file.write_all(&bytes)?;
    let target = target.display().to_string();
    let fields = json!({"game": id, "rules": rules, "file": target});
    Answer::new("game-get", fields, format!("{rules}   {target}")).print(args.form.json)
}

/// The path with this parameter, if it is given.
fn with_query(path: String, name: &str, value: Option<&str>) -> String {
    let Some(value) = value else {
        return path;
    };
    let value = utf8_percent_encode(value, NON_ALPHANUMERIC);
    format!("{path}?{name}={value}")
}

/// A game as it is sent and kept.
pub struct PackedGame {
    pub found: FoundGame,
    pub bytes: Vec<u8>,
    /// Whether it has no scale that its rules have outgrown; that was said.
    pub is_scale_current: bool,
}

/// Reads, checks and packs a game.
pub fn pack_game(lang: Localizer, path: &Path) -> Result<PackedGame> {
    let parts = game_files::read_parts(path)?;
    let found = game_files::find_in(path, parts.clone(), Limits::default())?;
    let is_scale_current = match &found {
        FoundGame::File(file) => has_current_scale(lang, file),
        FoundGame::Logic(_) => true,
    };
    Ok(PackedGame {
        bytes: pack(&parts).context(lang.label("cannot pack the game"))?,
        found,
        is_scale_current,
    })
}

/// Prints what a check of an arena found.
pub fn print_problems(lang: Localizer, said: &Value) {
    for problem in said["problems"].as_array().into_iter().flatten() {
        files::print_stderr(&problem_line(lang, problem));
    }
}

/// A problem of a part, as an arena tells it.
fn problem_line(lang: Localizer, problem: &Value) -> String {
    let key = language_key(lang);
    let (part, what) = (text(&problem["part"]), text(&problem["what"][key]));
    let line = problem["line"].as_u64();
    let line = line.map_or(String::new(), |line| format!(":{line}"));
    format!("{part}{line}: {what}; {}", text(&problem["cure"][key]))
}

/// Takes a game out of the arena; replays of its matches stay.
pub fn remove(lang: Localizer, args: &GameRemoveArgs) -> Result<ExitCode> {
    let api = ArenaClient::from_login(lang, &SavedLogin::current_login(lang)?);
    let path = with_query(
        format!("/api/admin/games/{}", args.game),
        "why",
        args.why.as_deref(),
    );
    api.delete(&path)?;
    Answer::new("game-remove", json!({"game": args.game}), "").print(args.form.json)
}

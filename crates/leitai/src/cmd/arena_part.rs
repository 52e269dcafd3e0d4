//! `leitai admin export --bot …` and `import` of a part: bots, contests, ladders and matches move into
//! another arena that is in use.

use leitai_game::{GameHandle, GameSet};
use leitai_server::accounts::names::{check_name, check_reserved};
use leitai_server::contests::names::names_of;
use leitai_server::contests::rules::read_rules;
use leitai_server::game_files::{ArenaGames, load_games};
use leitai_store::{
    Bot, BotId, Comes, ContestId, FileName, LadderId, MatchId, PartMoved, PartName, PartRequest,
    PartRules, Store, StoreError, Timestamp,
};

use crate::arena::DataDir;
use crate::arena::games::find_games;
use crate::cli::{ArrivalArgs, DataDirArgs, PartArgs};
use crate::cmd::arena_move::show_in;
use crate::prelude::*;
use crate::series::progress_bar;

/// Whether a part is asked for, and not the whole arena.
pub fn is_asked(part: &PartArgs) -> bool {
    let none = part.bots.is_empty() && part.contests.is_empty();
    !(none && part.ladders.is_empty() && part.matches.is_empty())
}

/// A whole arena comes as it is.
pub fn check_whole(arrival: &ArrivalArgs) -> Result<()> {
    ensure!(
        arrival.accounts.is_empty() && !arrival.dry_run,
        "--account and --dry-run are for parts, and the folder holds none"
    );
    Ok(())
}

/// Writes a part into the folder.
pub async fn export(
    lang: Localizer,
    place: &DataDir,
    store: Store,
    folder: &Path,
    part: &PartArgs,
) -> Result<Answer> {
    let (blobs, now) = (place.open_blobs().await?, Timestamp::now());
    let asked = find_roots(&store, part).await?;
    let bar = progress_bar(false);
    let told = show_in(&bar);
    let moved = store.export_part(&blobs, folder, &asked, now, told).await?;
    bar.finish_and_clear();
    let wrote = format!("{} {}", lang.label("wrote"), folder.display());
    let text = format!("{wrote}: {}", describe(lang, &moved));
    Ok(Answer::new(
        "admin-export-part",
        fields(folder, &moved),
        text,
    ))
}

async fn find_roots(store: &Store, part: &PartArgs) -> Result<PartRequest> {
    let mut asked = PartRequest {
        with_matches: part.with_matches,
        matches: part.matches.iter().copied().map(MatchId).collect(),
        ..PartRequest::default()
    };
    for word in &part.bots {
        asked.bots.push(find_bot(store, word).await?);
    }
    for word in &part.contests {
        asked.contests.push(find_contest(store, word).await?);
    }
    for word in &part.ladders {
        let (game, name) = word.split_once('/').unwrap_or((word, LadderId::STANDARD));
        let id = LadderId::new(game, name);
        let known = store.ladders_of(game).await?;
        ensure!(known.contains(&id), "--ladder: there is no ladder {word}");
        asked.ladders.push(id);
    }
    Ok(asked)
}

/// The bot that `ada/hydra` or `kob/hydra` means.
async fn find_bot(store: &Store, word: &str) -> Result<BotId> {
    let (before, name) = word
        .split_once('/')
        .context("--bot: write OWNER/NAME or GAME/NAME, such as ada/hydra")?;
    let mut found: Vec<Bot> = store.bot_by_name(before, name).await?.into_iter().collect();
    if let Some(owner) = store.user_by_name(before).await? {
        let own = store.bots_of(owner.id).await?.into_iter();
        found.extend(own.filter(|bot| bot.name.to_lowercase() == name.to_lowercase()));
    }
    found.dedup_by_key(|bot| bot.id);
    let games: Vec<&str> = found.iter().map(|bot| bot.game.as_str()).collect();
    match &found[..] {
        [bot] if bot.owner.is_some() => Ok(bot.id),
        [_] => bail!("--bot: {word} is built in, or deleted; it does not move"),
        [] => bail!("--bot: there is no bot {word}"),
        _ => bail!(
            "--bot: there is a {name} in each of {}; write GAME/NAME",
            games.join(", ")
        ),
    }
}

/// The contest of this id, else of this number.
async fn find_contest(store: &Store, word: &str) -> Result<ContestId> {
    match (store.contest_by_name(word).await, word.parse()) {
        (Ok(contest), _) => Ok(contest.id),
        (Err(StoreError::Missing { .. }), Ok(id)) => Ok(store.contest_by_id(id).await?.id),
        (Err(error), _) => Err(error.into()),
    }
}

/// Brings a part into an existing arena.
pub fn import(
    lang: Localizer,
    place: &DataDirArgs,
    folder: &Path,
    arrival: &ArrivalArgs,
) -> Result<Answer> {
    let place = DataDir::find_existing(place)?;
    eprintln!("{} {}", lang.label("arena:"), place.show_address());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let (store, blobs) = (place.existing_store().await?, place.open_blobs().await?);
        let arena = ArenaGames {
            games: find_games(arrival.games.as_deref()).context("--games")?,
            store: store.clone(),
            blobs: blobs.clone(),
        };
        load_games(&arena).await?;
        let bar = progress_bar(false);
        let games = &arena.games;
        let rules = PartRules {
            accounts: arrival.accounts.clone(),
            dry_run: arrival.dry_run,
            check_name: &|name| check_any_name(games, name),
            knows_game: &|game, rules| knows_game(games, game, rules),
            read_contest: &|game, rules, file| read_file(games, game, rules, file),
            at: Timestamp::now(),
        };
        let done = store
            .import_part(&blobs, folder, &rules, show_in(&bar))
            .await;
        bar.finish_and_clear();
        store.close_store().await?;
        let moved = done?;
        let text = describe_import(lang, &moved, arrival.dry_run);
        let mut fields = fields(folder, &moved);
        fields["dry_run"] = json!(arrival.dry_run);
        Ok(Answer::new("admin-import-part", fields, text))
    })
}

fn check_any_name(games: &GameSet, name: &str) -> Result<(), String> {
    let checked = check_name(name).and_then(|clean| check_reserved(clean, games.clone()));
    checked.map_err(|error| error.to_string())
}

/// The game in exactly these rules, also while it is hidden.
fn find_exact(games: &GameSet, game: &str, rules: &str) -> Option<GameHandle> {
    let exact = games.find_exact(game, rules);
    exact.or_else(|| games.find_hidden_exact(game, rules))
}

fn knows_game(games: &GameSet, game: &str, rules: Option<&str>) -> bool {
    match rules {
        Some(rules) => find_exact(games, game, rules).is_some(),
        None => games
            .find(game)
            .or_else(|| games.find_hidden(game))
            .is_some(),
    }
}

fn read_file(
    games: &GameSet,
    game: &str,
    rules: Option<&str>,
    file: &str,
) -> Result<(String, Vec<FileName>), String> {
    let exact = rules.and_then(|rules| find_exact(games, game, rules));
    let hidden = || games.find_hidden(game);
    let games = match exact.or_else(hidden) {
        Some(game) => games.with_version(game),
        None => games.clone(),
    };
    match read_rules(&games, file) {
        Ok(rules) if rules.game != game => Err(format!("its file is one of {:?}", rules.game)),
        Ok(rules) => Ok((rules.id.clone(), names_of(&rules))),
        Err(problems) => {
            let first = problems.first().map(|problem| problem.what.en.clone());
            Err(first.unwrap_or_default().to_string())
        }
    }
}

fn fields(folder: &Path, moved: &PartMoved) -> Value {
    json!({
        "folder": folder.display().to_string(), "part": moved.id, "rows": moved.rows,
        "matches": moved.matches, "blobs": moved.blobs, "blobs_there": moved.blobs_there,
        "already": moved.already, "names": moved.names,
    })
}

fn describe(lang: Localizer, moved: &PartMoved) -> String {
    lang.fill(
        "part {}: {} rows, {} of them matches, {} sources and replays",
        &[&moved.id, &moved.rows, &moved.matches, &moved.blobs],
    )
}

fn describe_import(lang: Localizer, moved: &PartMoved, dry_run: bool) -> String {
    let mut text = describe(lang, moved);
    text += match (moved.already, dry_run) {
        (true, _) => lang.label("\nit is here already; nothing was changed"),
        (false, true) => lang.label("\nthis would come; nothing was changed"),
        (false, false) => lang.label("\nit is here"),
    };
    for name in &moved.names {
        text += &format!("\n{}", describe_name(lang, name));
    }
    text
}

fn describe_name(lang: Localizer, name: &PartName) -> String {
    let what = match name.what.as_str() {
        "account" => lang.label("account"),
        "bot" => lang.label("bot"),
        "contest" => lang.label("contest"),
        _ => lang.label("ladder"),
    };
    let comes = match (name.comes, name.what.as_str()) {
        (Comes::Known, _) => lang.label("the one that is here"),
        (Comes::Closed, "account") => lang.label("closed: nobody can use it"),
        (Comes::Closed, _) => lang.label("closed: open it with leitai serve --ladders"),
        (Comes::Retired, _) => lang.label("off the ladders; its author may put it on them"),
        (Comes::Paused, _) => lang.label("paused; an organiser may resume it"),
        (Comes::New, _) => lang.label("new here"),
    };
    let (was, is) = (clean_line(&name.was), clean_line(&name.name));
    format!("  {what} {was} -> {is} ({comes})")
}

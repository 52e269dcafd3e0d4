//! `leitai admin …`

use std::future::Future;

use leitai_server::accounts;
use leitai_server::recount::{RecountPace, recount_all};
use leitai_server::removal::Storage;
use leitai_server::signatures::make_key;
use leitai_store::{
    AuditedAction, Bot, DeletionRequest, JobId, MatchId, MatchKind, MatchWinner, NewCorrection,
    NewToken, PasswordEnds, Store, Timestamp, TokenHash, TokenKind, TokenScopes, User, holds_part,
};

use crate::arena::DataDir;
use crate::cli::{
    AdminArgs, AdminCommand, ArrivalArgs, CorrectedResultArg, DataDirArgs, PartArgs, Sure,
};
use crate::cmd::{arena_move, arena_part};
use crate::prelude::*;
use crate::remote::account::{HERE, normalize_address};

/// Runs an administration command.
pub fn run(lang: Localizer, args: &AdminArgs) -> Result<ExitCode> {
    if let AdminCommand::Health { server } = &args.command {
        return check_health(lang, server.as_deref(), &args.place)?.print(args.json);
    }
    if let AdminCommand::Import { folder, arrival } = &args.command {
        return import(lang, &args.place, folder, arrival)?.print(args.json);
    }
    let place = DataDir::find_existing(&args.place)?;
    eprintln!("{} {}", lang.label("arena:"), place.show_address());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let answer = runtime.block_on(with_store(&place, async |store| match &args.command {
        AdminCommand::AddUser { name } => add_user(lang, store, name).await,
        AdminCommand::Promote { name } => promote_user(lang, store, name).await,
        AdminCommand::GameRight { name, withdraw } => {
            set_game_right(lang, store, name, !withdraw).await
        }
        AdminCommand::Password { name } => set_password(lang, store, name).await,
        AdminCommand::ResetSecondFactor { name } => reset_second_factor(lang, store, name).await,
        AdminCommand::DeleteUser { name, sure } => delete_user(lang, store, name, sure).await,
        AdminCommand::DeleteBot { game, name, sure } => {
            delete_bot(lang, store, game, name, sure).await
        }
        AdminCommand::DeleteVersion {
            game,
            name,
            number,
            sure,
        } => delete_version(lang, store, game, name, *number, sure).await,
        AdminCommand::WorkerToken { name, days } => worker_token(store, name, *days).await,
        AdminCommand::RebuildRatings { game } => rebuild_ratings(lang, store, game).await,
        AdminCommand::Recount { now } => {
            if *now {
                recount_now(lang, &place, &store).await?;
            }
            list_recounts(lang, &store).await
        }
        AdminCommand::CorrectMatch { id, result, why } => {
            correct_match(lang, store, MatchId(*id), *result, why).await
        }
        AdminCommand::RerunMatch { id } => rerun_match(lang, store, MatchId(*id)).await,
        AdminCommand::SetAside => list_set_aside(lang, store).await,
        AdminCommand::RetryJob { id } => retry_job(lang, store, JobId(*id)).await,
        AdminCommand::SigningKeys => list_signing_keys(lang, store).await,
        AdminCommand::RotateSigningKey => rotate_signing_key(lang, store).await,
        AdminCommand::RevokeSigningKey { key, why } => {
            revoke_signing_key(lang, store, key, why).await
        }
        AdminCommand::Backup { file } => backup_database(lang, &place, store, file).await,
        AdminCommand::Export { folder, part } => export(lang, &place, store, folder, part).await,
        AdminCommand::Health { .. } | AdminCommand::Import { .. } => {
            unreachable!("answered above")
        }
    }))?;
    answer.print(args.json)
}

/// Writes the whole arena into the folder, or the part that is asked for.
async fn export(
    lang: Localizer,
    place: &DataDir,
    store: Store,
    folder: &Path,
    part: &PartArgs,
) -> Result<Answer> {
    match arena_part::is_asked(part) {
        true => arena_part::export(lang, place, store, folder, part).await,
        false => arena_move::export(lang, place, store, folder).await,
    }
}

/// Brings what the folder holds: a whole arena, or a part of one.
fn import(
    lang: Localizer,
    place: &DataDirArgs,
    folder: &Path,
    arrival: &ArrivalArgs,
) -> Result<Answer> {
    if holds_part(folder) {
        return arena_part::import(lang, place, folder, arrival);
    }
    arena_part::check_whole(arrival)?;
    arena_move::import(lang, place, folder)
}

/// Opens the database for one task, and closes it afterwards.
async fn with_store<F>(place: &DataDir, work: impl FnOnce(Store) -> F) -> Result<Answer>
where
    F: Future<Output = Result<Answer>>,
{
    let store = place.existing_store().await?;
    let done = work(store.clone()).await;
    store.close_store().await?;
    done
}

async fn add_user(lang: Localizer, store: Store, name: &str) -> Result<Answer> {
    let password = leitai_store::values::secret::random_token()
        .chars()
        .take(16)
        .collect::<String>();
    let made = accounts::create_account(&store, name, &password, false).await;
    made.map_err(|error| anyhow::anyhow!("{error}"))?;
    let text = format!("{name}   {} {password}", lang.label("first password:"));
    let fields = json!({"account": name, "password": password});
    Ok(Answer::new("admin-add-user", fields, text))
}

async fn promote_user(lang: Localizer, store: Store, name: &str) -> Result<Answer> {
    let user = find_user(lang, &store, name).await?;
    store.set_admin(user.id, true).await?;
    let text = format!("{} {}", user.name, lang.label("is now an administrator"));
    let fields = json!({"account": user.name});
    Ok(Answer::new("admin-promote", fields, text))
}

async fn set_game_right(lang: Localizer, store: Store, name: &str, may: bool) -> Result<Answer> {
    let user = find_user(lang, &store, name).await?;
    let now = Timestamp::now();
    store.set_game_right(user.id, may, None, now).await?;
    let now = match may {
        true => lang.label("may add games"),
        false => lang.label("may not add games any more"),
    };
    let fields = json!({"account": user.name, "may_add_games": may});
    let text = format!("{} {now}", user.name);
    Ok(Answer::new("admin-game-right", fields, text))
}

async fn set_password(lang: Localizer, store: Store, name: &str) -> Result<Answer> {
    let user = find_user(lang, &store, name).await?;
    let password = leitai_store::values::secret::random_token()
        .chars()
        .take(16)
        .collect::<String>();
    let hash = accounts::password::hash(&password).map_err(|error| anyhow::anyhow!("{error}"))?;
    store
        .set_password(user.id, &hash, PasswordEnds::Everything)
        .await?;
    let text = format!("{}   {} {password}", user.name, lang.label("new password:"));
    let fields = json!({"account": user.name, "password": password});
    Ok(Answer::new("admin-password", fields, text))
}

async fn reset_second_factor(lang: Localizer, store: Store, name: &str) -> Result<Answer> {
    let user = find_user(lang, &store, name).await?;
    let had_one = store.reset_second_factor(user.id, Timestamp::now()).await?;
    ensure!(
        had_one,
        "{}{}{}",
        user.name,
        lang.label(": "),
        lang.label("this account has no second factor; nothing was changed")
    );
    let text = format!(
        "{}{}{}",
        user.name,
        lang.label(": "),
        lang.label(
            "the second factor was removed, all sessions have ended, and the holder is told"
        ),
    );
    let fields = json!({"account": user.name});
    Ok(Answer::new("admin-reset-second-factor", fields, text))
}

async fn find_user(lang: Localizer, store: &Store, name: &str) -> Result<User> {
    let found = store.user_by_name(name).await?;
    found.with_context(|| format!("{} {name:?}", lang.label("there is no account")))
}

async fn delete_user(lang: Localizer, store: Store, name: &str, sure: &Sure) -> Result<Answer> {
    let user = find_user(lang, &store, name).await?;
    let usage = store.account_usage(user.id).await?;
    let lost = format!(
        "{}{}{} {}{}{} {}",
        user.name,
        lang.label(": "),
        usage.bots,
        lang.label("bots"),
        lang.label(", "),
        usage.versions,
        lang.label("versions with their sources, and all sessions and tokens"),
    );
    need_sure(lang, sure, &lost)?;
    store.delete_user(user.id, by_operator()).await?;
    let fields = json!({"account": user.name, "bots": usage.bots, "versions": usage.versions});
    let text = finish_deletion(lang, &store, &lost).await?;
    Ok(Answer::new("admin-delete-user", fields, text))
}

async fn delete_bot(
    lang: Localizer,
    store: Store,
    game: &str,
    name: &str,
    sure: &Sure,
) -> Result<Answer> {
    let bot = bot_named(lang, &store, game, name).await?;
    let versions = store.versions_of(bot.id).await?.len();
    let lost = format!(
        "{}{}{versions} {}",
        bot.name,
        lang.label(": "),
        lang.label("versions with their sources")
    );
    need_sure(lang, sure, &lost)?;
    store.delete_bot(bot.id, by_operator()).await?;
    let fields = json!({"game": bot.game, "bot": bot.name, "versions": versions});
    let text = finish_deletion(lang, &store, &lost).await?;
    Ok(Answer::new("admin-delete-bot", fields, text))
}

async fn delete_version(
    lang: Localizer,
    store: Store,
    game: &str,
    name: &str,
    number: i32,
    sure: &Sure,
) -> Result<Answer> {
    let bot = bot_named(lang, &store, game, name).await?;
    let version = store.version_by_number(bot.id, number).await?;
    let version = version.with_context(|| {
        format!(
            "{} {}{}{number}",
            bot.name,
            lang.label("has no such version"),
            lang.label(": ")
        )
    })?;
    let lost = format!("{} v{number}: {}", bot.name, version.file_name);
    need_sure(lang, sure, &lost)?;
    store.delete_version(version.id, by_operator()).await?;
    let fields = json!({"game": bot.game, "bot": bot.name, "version": number});
    let text = finish_deletion(lang, &store, &lost).await?;
    Ok(Answer::new("admin-delete-version", fields, text))
}

async fn bot_named(lang: Localizer, store: &Store, game: &str, name: &str) -> Result<Bot> {
    let game = crate::arguments::find_game(game)?;
    let found = store.bot_by_name(game.meta().id, name).await?;
    found.with_context(|| {
        format!(
            "{}: {} {name:?}",
            game.meta().id,
            lang.label("there is no bot")
        )
    })
}

fn by_operator() -> DeletionRequest {
    DeletionRequest {
        by: None,
        at: Timestamp::now(),
    }
}

/// Lists what would be lost, unless the operator has confirmed.
fn need_sure(lang: Localizer, sure: &Sure, lost: &str) -> Result<()> {
    ensure!(
        sure.yes,
        "{}\n{lost}\n{}",
        lang.label("this would be deleted for good:"),
        lang.label("nothing was deleted; add --yes to delete it"),
    );
    Ok(())
}

/// A running server removes the files, and the names in old replays.
async fn finish_deletion(lang: Localizer, store: &Store, lost: &str) -> Result<String> {
    while store.erase_names().await? {}
    Ok(format!(
        "{} {lost}\n{}",
        lang.label("deleted"),
        lang.label(
            "a running server removes its files within a minute; matches and ratings of others stay"
        ),
    ))
}

async fn worker_token(store: Store, name: &str, days: Option<u16>) -> Result<Answer> {
    ensure!(
        !name.trim().is_empty() && name.len() <= 64,
        "a worker's name has 1 to 64 characters"
    );
    let token = accounts::secret::make_token(accounts::secret::WORKER_PREFIX);
    let now = Timestamp::now();
    let new = NewToken {
        user: None,
        kind: TokenKind::Worker,
        name: name.to_owned(),
        hash: TokenHash::from_token(&token),
        scopes: TokenScopes::default(),
        until: days.map(|days| accounts::secret::token_expiry(now, days)),
    };
    store.create_token(new, now).await?;
    let fields = json!({"worker": name, "token": token, "days": days});
    let text = format!("LEITAI_WORKER_TOKEN={token}");
    Ok(Answer::new("admin-worker-token", fields, text))
}

async fn rebuild_ratings(lang: Localizer, store: Store, game: &str) -> Result<Answer> {
    let game = crate::arguments::find_game(game)?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    for ladder in store.ladders_of(game.meta().id).await? {
        let rebuilt = store.rebuild_ladder(&ladder).await?;
        text += &format!(
            "{ladder}: {} {}, {} {}\n",
            rebuilt.matches,
            lang.label("rated matches"),
            rebuilt.changed,
            lang.label("ratings changed"),
        );
        rows.push(json!({
            "ladder": ladder.to_string(), "matches": rebuilt.matches, "changed": rebuilt.changed,
        }));
    }
    let fields = json!({"game": game.meta().id, "ladders": rows});
    Ok(Answer::new("admin-rebuild-ratings", fields, text))
}

/// Reads the games of old matches and recounts, each ladder and contest with a line.
async fn recount_now(lang: Localizer, place: &DataDir, store: &Store) -> Result<()> {
    let storage = Storage {
        store: store.clone(),
        blobs: place.open_blobs().await?,
    };
    // The results of contests stand, and their games are not rated.
    recount_all(&storage, RecountPace::AtOnce, |of, _| {
        eprintln!("{}: 0 {}", of.subject, lang.label("ratings changed"));
    })
    .await?;
    Ok(())
}

/// Lists ladders and contests with what was read and found.
async fn list_recounts(lang: Localizer, store: &Store) -> Result<Answer> {
    store.open_recounts().await?;
    let all = store.list_recounts().await?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    if all.is_empty() {
        text = lang.label("there is nothing to recount").to_owned();
    }
    for own in all {
        rows.push(json!({
            "subject": own.subject, "matches": own.matches, "matches_read": own.matches_read,
            "without_replay": own.without_replay, "games": own.games, "copies": own.copies,
            "finished": own.finished,
        }));
        let is_ladder = own.contest().is_none();
        let read = match own.matches {
            Some(all) if own.finished.is_none() => format!("{} / {all}", own.matches_read),
            _ => own.matches_read.to_string(),
        };
        let state = match (own.finished, is_ladder) {
            (None, _) => lang.label("not finished yet").to_string(),
            (Some(_), true) => format!(
                "{} {}",
                own.copies,
                lang.label("matches are copies and count no more")
            ),
            (Some(_), false) => format!(
                "{} / {} {}",
                own.copies,
                own.games,
                lang.label("games are copies; the results stand")
            ),
        };
        text += &format!(
            "{}{}{read} {}{}{} {}{}{state}\n",
            own.subject,
            lang.label(": "),
            lang.label("old matches read"),
            lang.label(", "),
            own.without_replay,
            lang.label("without a replay"),
            lang.label("; "),
        );
    }
    Ok(Answer::new(
        "admin-recount",
        json!({"subjects": rows}),
        text,
    ))
}

async fn correct_match(
    lang: Localizer,
    store: Store,
    id: MatchId,
    result: CorrectedResultArg,
    why: &str,
) -> Result<Answer> {
    let winner = match result {
        CorrectedResultArg::A => Some(MatchWinner::A),
        CorrectedResultArg::B => Some(MatchWinner::B),
        CorrectedResultArg::Draw => Some(MatchWinner::Draw),
        CorrectedResultArg::Void => None,
    };
    let new = NewCorrection {
        winner,
        why: why.trim().to_owned(),
        user: None,
    };
    store.correct_match(id, new, Timestamp::now()).await?;
    let text = format!(
        "{} {id}: {}",
        lang.label("match"),
        lang.label("corrected; the ratings are recomputed as if it had always ended this way"),
    );
    let fields = json!({"match": id.0, "winner": winner});
    Ok(Answer::new("admin-correct-match", fields, text))
}

async fn rerun_match(lang: Localizer, store: Store, id: MatchId) -> Result<Answer> {
    let again = store.rerun_match(id, Timestamp::now()).await?;
    let subject = format!("match {id}");
    let action = AuditedAction::new(None, "match.rerun", subject, json!({"match": again.id}));
    store.write_audit(action, Timestamp::now()).await?;
    let counts = match again.kind {
        MatchKind::Ladder => lang.label("it counts for the ladder"),
        _ => lang.label("it does not count for the ladder"),
    };
    let (kind, colon) = (lang.label("match"), lang.label(": "));
    let is_rated = again.kind == MatchKind::Ladder;
    let fields = json!({"match": again.id.0, "again_of": id.0, "rated": is_rated});
    let text = format!("{kind} {}{colon}{counts}", again.id);
    Ok(Answer::new("admin-rerun-match", fields, text))
}

async fn list_set_aside(lang: Localizer, store: Store) -> Result<Answer> {
    let jobs = store.list_set_aside().await?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    if jobs.is_empty() {
        text = lang.label("no job is set aside").to_owned();
    }
    for job in jobs {
        let version = match job.version_id {
            Some(id) => store.find_version(id).await.ok(),
            None => None,
        };
        let (name, number) = match version {
            Some(version) => (store.find_bot(version.bot).await?.name, version.number),
            None => continue,
        };
        rows.push(json!({
            "job": job.id.0, "game": job.game, "bot": name, "version": number,
            "worker": job.worker,
        }));
        text += &format!(
            "{} {}   {} {name} {} {number}   {}\n",
            lang.label("job"),
            job.id,
            job.game,
            lang.label("version"),
            job.worker.unwrap_or_default(),
        );
    }
    Ok(Answer::new("admin-set-aside", json!({"jobs": rows}), text))
}

async fn list_signing_keys(lang: Localizer, store: Store) -> Result<Answer> {
    let keys = store.signing_keys().await?;
    let (mut rows, mut text) = (Vec::new(), String::new());
    if keys.is_empty() {
        let none = lang.label("no key yet; the first replay that is handed out makes one");
        text = none.to_owned();
    }
    for key in keys {
        rows.push(json!({
            "key": key.public, "created": key.created, "retired": key.retired,
            "revoked": key.revoked, "why": key.why,
        }));
        let state = match (key.revoked, key.retired) {
            (Some(at), _) => {
                let why = key.why.unwrap_or_default();
                lang.fill("revoked on {}: {}", &[&at.day(), &why])
            }
            (None, Some(at)) => lang.fill("until {}", &[&at.day()]),
            (None, None) => lang.label("signs now").to_owned(),
        };
        text += &format!("{}   {}   {state}\n", key.public, key.created.day());
    }
    Ok(Answer::new(
        "admin-signing-keys",
        json!({"keys": rows}),
        text,
    ))
}

async fn rotate_signing_key(lang: Localizer, store: Store) -> Result<Answer> {
    let key = store
        .rotate_signing_key(make_key(), Timestamp::now())
        .await?;
    let text = format!("{}   {}", key.public, lang.label("signs now"));
    let fields = json!({"key": key.public});
    Ok(Answer::new("admin-rotate-signing-key", fields, text))
}

async fn revoke_signing_key(lang: Localizer, store: Store, key: &str, why: &str) -> Result<Answer> {
    store.revoke_signing_key(key, why, Timestamp::now()).await?;
    let text = format!("{key}   {}", lang.label("revoked"));
    let fields = json!({"key": key});
    Ok(Answer::new("admin-revoke-signing-key", fields, text))
}

async fn retry_job(lang: Localizer, store: Store, id: JobId) -> Result<Answer> {
    let job = store.retry_job(id).await?;
    let subject = format!("job {id}");
    let action = AuditedAction::new(
        None,
        "job.retry",
        subject,
        json!({"version": job.version_id}),
    );
    store.write_audit(action, Timestamp::now()).await?;
    let text = format!(
        "{} {id} {}",
        lang.label("job"),
        lang.label("is queued again")
    );
    Ok(Answer::new("admin-retry-job", json!({"job": id.0}), text))
}

async fn backup_database(
    lang: Localizer,
    place: &DataDir,
    store: Store,
    file: &Path,
) -> Result<Answer> {
    if place.database_file().is_none() {
        bail!("{}", lang.label("that database is PostgreSQL: use pg_dump"));
    }
    ensure!(
        !file.exists(),
        "{} exists; give the copy another name",
        file.display()
    );
    store.copy_into(file).await?;
    let bytes = std::fs::metadata(file).map_or(0, |about| about.len());
    let text = format!(
        "{} {} ({bytes} {})",
        lang.label("wrote"),
        file.display(),
        lang.label("bytes")
    );
    let fields = json!({"file": file.display().to_string(), "bytes": bytes});
    Ok(Answer::new("admin-backup", fields, text))
}

fn check_health(lang: Localizer, server: Option<&str>, place: &DataDirArgs) -> Result<Answer> {
    let server = match server {
        Some(server) => normalize_address(server)?,
        None => find_running(place),
    };
    let answer = ArenaClient::without_login(lang, &server).get_bytes("/healthz")?;
    let said = String::from_utf8_lossy(&answer).trim_end().to_owned();
    let fields = json!({"server": server, "said": said});
    Ok(Answer::new("admin-health", fields, said))
}

/// The address of the arena on this machine: where the server of the data folder said that it
/// listens, else where one with the same environment would.
fn find_running(place: &DataDirArgs) -> String {
    let said = DataDir::find_existing(place).and_then(|place| place.read_address());
    let listens = || std::env::var("LEITAI_LISTEN").ok();
    let address = said.ok().or_else(listens);
    address.map_or_else(|| HERE.to_owned(), |address| reach_here(&address))
}

/// The URL by which this machine reaches a server that listens on this address and port.
fn reach_here(address: &str) -> String {
    let any = ["0.0.0.0", "[::]", "*", ""];
    match address.rsplit_once(':') {
        Some((host, port)) if any.contains(&host) => format!("http://localhost:{port}"),
        _ => format!("http://{address}"),
    }
}

#[cfg(test)]
mod tests {
    use super::reach_here;

    #[test]
    fn a_server_that_listens_everywhere_is_reached_here() {
        let check = |address: &str, url: &str| assert_eq!(reach_here(address), url);
        check("0.0.0.0:8080", "http://localhost:8080");
        check("[::]:81", "http://localhost:81");
        check("127.0.0.1:8080", "http://127.0.0.1:8080");
        check("[::1]:8080", "http://[::1]:8080");
        check("arena.local:80", "http://arena.local:80");
    }
}

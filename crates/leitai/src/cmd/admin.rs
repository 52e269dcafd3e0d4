//! `leitai admin …`

use std::future::Future;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, bail, ensure};
use leitai_server::auth;
use leitai_store::{
    Deed, MatchId, MatchKind, NewCorrection, NewToken, Store, Timestamp, TokenHash, TokenKind, TokenScopes,
    User, Winner,
};

use crate::cli::{AdminArgs, AdminCommand, CorrectedTo};
use crate::files::print;
use crate::house::Place;
use crate::lang::t;
use crate::remote::Api;
use crate::remote::account::address;

/// Does what an operator asks.
pub fn run(args: &AdminArgs) -> anyhow::Result<ExitCode> {
    if let AdminCommand::Health { server } = &args.command {
        return health(server);
    }
    let place = Place::existing(&args.place)?;
    eprintln!("{} {}", t("arena:", "擂台："), place.shown());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(with_store(&place, async |store| match &args.command {
        AdminCommand::AddUser { name } => add_user(store, name).await,
        AdminCommand::Promote { name } => promote(store, name).await,
        AdminCommand::Password { name } => password(store, name).await,
        AdminCommand::WorkerToken { name, days } => worker_token(store, name, *days).await,
        AdminCommand::RebuildRatings { game } => rebuild(store, game).await,
        AdminCommand::CorrectMatch { id, result, why } => correct(store, MatchId(*id), *result, why).await,
        AdminCommand::RerunMatch { id } => rerun(store, MatchId(*id)).await,
        AdminCommand::Backup { file } => backup(&place, store, file).await,
        AdminCommand::Health { .. } => unreachable!("answered above"),
    }))?;
    Ok(ExitCode::SUCCESS)
}

/// Opens the database for one piece of work, and closes it so that nothing is left half-written.
async fn with_store<F>(place: &Place, work: impl FnOnce(Store) -> F) -> anyhow::Result<()>
where
    F: Future<Output = anyhow::Result<()>>,
{
    let store = place.existing_store().await?;
    let done = work(store.clone()).await;
    store.close().await?;
    done
}

async fn add_user(store: Store, name: &str) -> anyhow::Result<()> {
    let password = leitai_store::secret::random_token().chars().take(16).collect::<String>();
    let made = auth::accounts::create(&store, name, &password, false).await;
    made.map_err(|error| anyhow::anyhow!(error.message))?;
    print(&format!("{name}   {} {password}\n", t("first password:", "初始密码：")))
}

async fn promote(store: Store, name: &str) -> anyhow::Result<()> {
    let user = named(&store, name).await?;
    store.set_admin(user.id, true).await?;
    print(&format!("{} {}\n", user.name, t("is an administrator now", "已成为管理员")))
}

async fn password(store: Store, name: &str) -> anyhow::Result<()> {
    let user = named(&store, name).await?;
    let password = leitai_store::secret::random_token().chars().take(16).collect::<String>();
    let hash = auth::password::hash(&password).map_err(|error| anyhow::anyhow!("{error}"))?;
    store.set_password(user.id, &hash, None).await?;
    print(&format!("{}   {} {password}\n", user.name, t("new password:", "新密码：")))
}

async fn named(store: &Store, name: &str) -> anyhow::Result<User> {
    let found = store.user_by_name(name).await?;
    found.with_context(|| format!("{} {name:?}", t("there is no account", "没有账户")))
}

async fn worker_token(store: Store, name: &str, days: Option<u16>) -> anyhow::Result<()> {
    ensure!(!name.trim().is_empty() && name.len() <= 64, "a worker's name has 1 to 64 characters");
    let token = auth::secret::fresh(auth::secret::WORKER_PREFIX);
    let now = Timestamp::now();
    let new = NewToken {
        user: None,
        kind: TokenKind::Worker,
        name: name.to_owned(),
        hash: TokenHash::of(&token),
        scopes: TokenScopes::default(),
        until: days.map(|days| auth::tokens::end(now, days)),
    };
    store.create_token(new, now).await?;
    print(&format!("LEITAI_WORKER_TOKEN={token}\n"))
}

async fn rebuild(store: Store, game: &str) -> anyhow::Result<()> {
    let game = crate::ask::game(game)?;
    let rebuilt = store.rebuild(game.meta().id).await?;
    print(&format!(
        "{}: {} {}, {} {}\n",
        game.meta().id,
        rebuilt.matches,
        t("rated matches", "场计分比赛"),
        rebuilt.changed,
        t("ratings changed", "个评分有变化"),
    ))
}

async fn correct(store: Store, id: MatchId, result: CorrectedTo, why: &str) -> anyhow::Result<()> {
    let winner = match result {
        CorrectedTo::A => Some(Winner::A),
        CorrectedTo::B => Some(Winner::B),
        CorrectedTo::Draw => Some(Winner::Draw),
        CorrectedTo::Void => None,
    };
    let new = NewCorrection { winner, why: why.trim().to_owned(), user: None };
    store.correct_match(id, new, Timestamp::now()).await?;
    print(&format!(
        "{} {id}: {}\n",
        t("match", "比赛"),
        t(
            "corrected; the ratings are what they would be had it always ended so",
            "已更正；评分已据此重新计算"
        ),
    ))
}

async fn rerun(store: Store, id: MatchId) -> anyhow::Result<()> {
    let again = store.rerun(id, Timestamp::now()).await?;
    let deed = Deed {
        user: None,
        deed: "match.rerun".to_owned(),
        subject: format!("match {id}"),
        detail: serde_json::json!({"match": again.id}),
    };
    store.write_audit(deed, Timestamp::now()).await?;
    let counts = match again.kind {
        MatchKind::Ladder => t("it counts for the ladder", "计入天梯"),
        _ => t("it does not count for the ladder", "不计入天梯"),
    };
    print(&format!("{} {}: {counts}\n", t("match", "比赛"), again.id))
}

async fn backup(place: &Place, store: Store, file: &Path) -> anyhow::Result<()> {
    if place.file().is_none() {
        bail!("{}", t("that database is PostgreSQL: use pg_dump", "该数据库是 PostgreSQL：请使用 pg_dump"));
    }
    ensure!(!file.exists(), "{} exists; give the copy another name", file.display());
    store.copy_into(file).await?;
    let bytes = std::fs::metadata(file).map_or(0, |about| about.len());
    print(&format!("{} {} ({bytes} {})\n", t("wrote", "已写入"), file.display(), t("bytes", "字节")))
}

fn health(server: &str) -> anyhow::Result<ExitCode> {
    let server = address(server)?;
    let answer = Api::guest(&server).get_bytes("/healthz")?;
    print(&format!("{}\n", String::from_utf8_lossy(&answer).trim_end()))?;
    Ok(ExitCode::SUCCESS)
}

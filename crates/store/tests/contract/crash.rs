//! A killed server loses no acknowledged result, and counts no result twice.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use leitai_store::*;

use crate::arena::*;

/// The address of the database, for the child.
const CHILD: &str = "LEITAI_STORE_CRASH";

/// The numbers of acknowledged results after which the child is killed.
const MOMENTS: [usize; 3] = [1, 40, 7];

/// Starts a child that finishes matches and kills it, repeatedly.
pub fn killed_at_any_moment(url: &str) {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut acknowledged = Vec::new();
    for moment in MOMENTS {
        acknowledged.extend(kill_after(url, moment));
        runtime.block_on(all_there(url, &acknowledged));
    }
    assert!(acknowledged.len() >= MOMENTS.iter().sum());
}

fn kill_after(url: &str, moment: usize) -> Vec<MatchId> {
    let mut child = Command::new(std::env::current_exe().expect("we run"))
        .args("--exact crash::child_that_is_killed --ignored --nocapture".split(' '))
        .env(CHILD, url)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a child starts");
    let lines = BufReader::new(child.stdout.take().expect("piped"))
        .lines()
        .map_while(Result::ok);
    let mut heard = lines.filter_map(|line| line.strip_prefix("recorded ")?.parse().ok());
    let mut acknowledged: Vec<MatchId> = heard.by_ref().take(moment).collect();
    child.kill().expect("SIGKILL");
    // Results that the child acknowledged before its death count, too.
    acknowledged.extend(heard);
    child.wait().expect("it is dead");
    acknowledged
}

async fn all_there(url: &str, acknowledged: &[MatchId]) {
    let store = Store::open_url(url).await.expect("the database opens");
    for id in acknowledged {
        let found = store.match_by_id(*id).await.expect("there");
        assert_eq!(
            (found.state, found.winner),
            (MatchState::Finished, Some(MatchWinner::A)),
            "match {id}"
        );
        assert!(found.turn.is_some(), "match {id}");
    }
    let counts = store.count_all().await.expect("counted");
    let rated = ratings_are_right(&store).await;
    assert_eq!(rated, counts.matches["finished"]);
    assert!(rated >= acknowledged.len() as u64);
    let a = ok!(store.bot_by_name("kob", "a")).expect("there");
    let standing = ok!(store.find_standing(a.id, &kob())).expect("listed");
    assert_eq!(standing.games as u64, rated);
    store.close_store().await.expect("it closes");
}

/// Finishes matches until it is killed, and acknowledges each on stdout.
#[test]
#[ignore = "started and killed by another test"]
fn child_that_is_killed() {
    let Ok(url) = std::env::var(CHILD) else {
        return;
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let store = Store::open_url(&url).await.expect("the database opens");
        let (a, b) = (bot(&store, "a").await, bot(&store, "b").await);
        let (a, b) = (ok!(store.bot_entrant(a.id)), ok!(store.bot_entrant(b.id)));
        let players = (0..6).map(|_| {
            let (store, a, b) = (store.clone(), a.clone(), b.clone());
            tokio::spawn(async move { play_for_ever(&store, &a, &b).await })
        });
        for player in players.collect::<Vec<_>>() {
            player.await.expect("it is killed before it ends");
        }
    });
}

async fn play_for_ever(store: &Store, a: &MatchEntrant, b: &MatchEntrant) {
    loop {
        ok!(store.create_match(new_match(a.clone(), b.clone(), MatchKind::Ladder), at(1)));
        let Some(acquired) = acquire(store, 2).await else {
            continue;
        };
        let finish = ok!(store.finish_match(&acquired.lease, result(MatchWinner::A), at(3)));
        fits!(finish => RecordOutcome::Recorded { .. });
        let mut out = std::io::stdout().lock();
        writeln!(out, "recorded {}", played(&acquired).id)
            .and_then(|()| out.flush())
            .expect("somebody listens");
    }
}

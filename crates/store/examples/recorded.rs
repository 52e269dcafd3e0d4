//! Measures the speed of the store: recorded matches per second, pages of a ladder and of matches
//! at any depth, a rebuild.
//!
//! ```text
//! cargo run --release -p leitai-store --example recorded -- [ADDRESS] [BOTS] [MATCHES]
//! ```
//! ADDRESS is a new database (default: a temporary SQLite file). Fills it with this many bots and
//! matches through the same calls as the server, and measures them.

use std::time::{Duration, Instant};

use leitai_store::*;

/// The number of workers that report results at the same time.
const WORKERS: usize = 32;
/// The number of requests for each page.
const PAGES: u32 = 500;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = tempfile::tempdir()?;
    let file = format!("sqlite://{}/bench.db", folder.path().display());
    let url = arguments.next().unwrap_or(file);
    let bots: usize = arguments.next().map_or(Ok(200), |text| text.parse())?;
    let matches: usize = arguments.next().map_or(Ok(20_000), |text| text.parse())?;
    let store = Store::open_url(&url).await?;
    let begun = Instant::now();
    let mut entrants = Vec::new();
    for number in 0..bots {
        let (bot, _) = store
            .ensure_built_in("kob", &format!("b{number}"), "", Timestamp(0))
            .await?;
        entrants.push(store.bot_entrant(bot.id).await?);
    }
    println!("{bots} bots in {:.1} s", begun.elapsed().as_secs_f64());
    fill(&store, &entrants, matches).await?;
    pages(&store, entrants[0].bot.ok_or("a bot")?).await?;
    let begun = Instant::now();
    let rebuilt = store.rebuild_ladder(&LadderId::standard("kob")).await?;
    println!(
        "rebuilt in {:.2} s: {rebuilt:?}",
        begun.elapsed().as_secs_f64()
    );
    Ok(store.close_store().await?)
}

/// Rounds of queueing, leasing and finishing; each is measured separately.
async fn fill(store: &Store, entrants: &[MatchEntrant], matches: usize) -> Result<(), StoreError> {
    let (mut queueing, mut taking, mut finishing) = (Duration::ZERO, Duration::ZERO, Vec::new());
    let round = 5_000.min(matches);
    for from in (0..matches).step_by(round) {
        let begun = Instant::now();
        let new_matches = (from..from + round)
            .map(|number| new_match(entrants, number))
            .collect();
        store.create_matches(new_matches, Timestamp(1)).await?;
        queueing += begun.elapsed();
        let begun = Instant::now();
        let mut leases = Vec::new();
        let offer = WorkerOffer {
            worker: "w".to_owned(),
            kinds: vec![JobKind::Match],
            games: Vec::new(),
            programs: true,
            wire: i32::MAX,
        };
        while let Some(acquired) = store
            .lease_job(&offer, Timestamp(2), Duration::from_secs(60))
            .await?
        {
            leases.push(acquired.lease);
        }
        taking += begun.elapsed();
        let begun = Instant::now();
        finish(store, leases).await;
        finishing.push(round as f64 / begun.elapsed().as_secs_f64());
    }
    let rate = |time: Duration| matches as f64 / time.as_secs_f64();
    finishing.sort_by(f64::total_cmp);
    println!(
        "queued {:.0}/s in one transaction a round, taken {:.0}/s one by one",
        rate(queueing),
        rate(taking)
    );
    let (least, most) = (finishing[0], finishing[finishing.len() - 1]);
    println!(
        "recorded by {WORKERS} at once: median {:.0}/s, from {least:.0} to {most:.0} ({} rounds of {round})",
        finishing[finishing.len() / 2],
        finishing.len()
    );
    Ok(())
}

async fn finish(store: &Store, leases: Vec<Lease>) {
    let share = leases.len().div_ceil(WORKERS).max(1);
    let workers = leases.chunks(share).map(|leases| {
        let (store, leases) = (store.clone(), leases.to_vec());
        tokio::spawn(async move {
            for (number, lease) in leases.iter().enumerate() {
                let winner = [MatchWinner::A, MatchWinner::B, MatchWinner::Draw][number % 3];
                let finish = store
                    .finish_match(lease, result(winner), Timestamp(3))
                    .await
                    .expect("answered");
                assert!(
                    matches!(finish, RecordOutcome::Recorded { .. }),
                    "{finish:?}"
                );
            }
        })
    });
    for worker in workers.collect::<Vec<_>>() {
        worker.await.expect("a worker ends");
    }
}

async fn pages(store: &Store, bot: BotId) -> Result<(), StoreError> {
    time_ladder_pages(store).await?;
    time_match_pages(store, bot).await?;
    let begun = Instant::now();
    let pairing = store.load_pairing(&LadderId::standard("kob")).await?;
    println!(
        "pairing of {}: {:.1} ms",
        pairing.candidates.len(),
        begun.elapsed().as_secs_f64() * 1e3
    );
    Ok(())
}

async fn time_ladder_pages(store: &Store) -> Result<(), StoreError> {
    let ladder = LadderId::standard("kob");
    let (mut last, mut ask) = (PageQuery::first_page(20), PageQuery::first_page(100));
    while let Some(cursor) = store.list_ladder(&ladder, &ask).await?.next {
        ask = PageQuery::page_after(cursor.clone(), 100);
        last = PageQuery::page_after(cursor, 20);
    }
    for (name, ask) in [("first", PageQuery::first_page(20)), ("last", last)] {
        let begun = Instant::now();
        for _ in 0..PAGES {
            store.list_ladder(&ladder, &ask).await?;
        }
        say(&format!("{name} page of the ladder"), begun);
        let begun = Instant::now();
        for _ in 0..PAGES {
            store.query_ladder_for_tests(&ladder, &ask).await?;
        }
        let what = format!("{name} page of the ladder from the database");
        say(&what, begun);
    }
    Ok(())
}

async fn time_match_pages(store: &Store, bot: BotId) -> Result<(), StoreError> {
    let all = MatchFilter::default();
    let one = PageQuery::first_page(1);
    let newest = store.list_matches(&all, &one).await?.items[0].id.0;
    let depth = |share: i64| PageQuery::page_after((newest * share / 100).to_string(), 20);
    let kob = MatchFilter {
        game: Some("kob".to_owned()),
        kind: Some(MatchKind::Ladder),
        ..Default::default()
    };
    let finished = MatchFilter {
        state: Some(MatchState::Finished),
        ..kob.clone()
    };
    let of_bot = MatchFilter {
        bot: Some(bot),
        ..Default::default()
    };
    for (name, filter) in [
        ("all", all),
        ("a game's", kob),
        ("finished", finished),
        ("a bot's", of_bot),
    ] {
        for (place, ask) in [
            ("first", PageQuery::first_page(20)),
            ("middle", depth(50)),
            ("last", depth(1)),
        ] {
            let begun = Instant::now();
            for _ in 0..PAGES {
                store.list_matches(&filter, &ask).await?;
            }
            say(&format!("{place} page of {name} matches"), begun);
        }
    }
    Ok(())
}

fn say(what: &str, begun: Instant) {
    println!(
        "{what}: {:.0} µs",
        begun.elapsed().as_secs_f64() * 1e6 / f64::from(PAGES)
    );
}

fn new_match(entrants: &[MatchEntrant], number: usize) -> NewMatch {
    let (a, b) = (
        number % entrants.len(),
        (number * 7 + 1 + number / entrants.len()) % entrants.len(),
    );
    let b = if a == b { (b + 1) % entrants.len() } else { b };
    let pair = [a, b].map(|index| Some(entrants[index].clone()));
    let seed = MatchSeed::from(number as u64);
    NewMatch {
        limits: serde_json::json!({"period_ms": 1000}),
        ..NewMatch::new("kob", MatchKind::Ladder, pair.into(), seed, 2)
    }
}

fn result(winner: MatchWinner) -> MatchResult {
    MatchResult {
        record: None,
        winner,
        reason: serde_json::json!({"id": "score", "en": "score", "zh": "比分"}),
        scores: serde_json::json!([[3, 1], [2, 2]]),
        leg_outcomes: serde_json::json!([{"scores": [3, 1]}, {"scores": [2, 2]}]),
        faults: serde_json::json!([]),
        fault_counts: PerSide { a: 0, b: 0 },
        longest_us: PerSide {
            a: Some(700),
            b: Some(900),
        },
        cpu_us: 0,
        replay: Some("replays/0/1-abc.zst".to_owned()),
        games: Vec::new(),
    }
}

//! Matches of one server on another one, on a bus in this process that can be cut.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Bytes;
use futures_util::StreamExt;
use leitai_game::ByEntrant;
use leitai_game::conformance::random_leg_tokens;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::live::{LiveTest, SpectatorView};
use leitai_server::bus::ArenaBus;
use leitai_server::bus::{Bus, BusError, BusFuture, BusSubscription, InProcessBus};
use leitai_server::live::follow::MatchCheck;
use leitai_server::live::move_log::MoveLog;
use leitai_server::live::*;
use std::sync::Arc;

/// The connection of one server to the bus.
#[derive(Clone, Debug)]
struct Line {
    bus: InProcessBus,
    is_cut: Arc<AtomicBool>,
    returns: Arc<watch::Sender<u64>>,
}

impl Line {
    fn new(bus: &InProcessBus) -> Line {
        Line {
            bus: bus.clone(),
            is_cut: Arc::default(),
            returns: Arc::new(watch::Sender::new(0)),
        }
    }

    fn is_cut(&self) -> bool {
        self.is_cut.load(Ordering::SeqCst)
    }

    fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
    }

    fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
        self.returns.send_modify(|count| *count += 1);
    }
}

impl Bus for Line {
    fn is_connected(&self) -> bool {
        !self.is_cut()
    }

    fn publish(&self, subject: &str, message: Bytes) {
        if !self.is_cut() {
            self.bus.publish(subject, message);
        }
    }

    fn subscribe<'a>(
        &'a self,
        subject: &'a str,
    ) -> BusFuture<'a, Result<BusSubscription, BusError>> {
        Box::pin(async move {
            let messages = self.bus.subscribe(subject).await?.into_stream();
            let is_cut = self.is_cut.clone();
            let heard =
                messages.filter(move |_| std::future::ready(!is_cut.load(Ordering::SeqCst)));
            Ok(BusSubscription::new(heard))
        })
    }

    fn request<'a>(
        &'a self,
        subject: &'a str,
        message: Bytes,
        most: Duration,
    ) -> BusFuture<'a, Result<Bytes, BusError>> {
        match self.is_cut() {
            true => Box::pin(async { Err(BusError::Away("cut".to_owned())) }),
            false => self.bus.request(subject, message, most),
        }
    }

    fn reaches_others(&self) -> bool {
        true
    }

    fn returns(&self) -> watch::Receiver<u64> {
        self.returns.subscribe()
    }
}

/// Servers on one bus.
struct Servers {
    bus: InProcessBus,
    /// Whether the match is over, as the database has it.
    is_over: Arc<AtomicBool>,
}

impl Servers {
    fn new() -> Servers {
        Servers {
            bus: InProcessBus::shared_by_servers(),
            is_over: Arc::default(),
        }
    }

    fn share(&self, live: &LiveMatches) -> Line {
        let line = Line::new(&self.bus);
        let is_over = self.is_over.clone();
        let check: MatchCheck = Arc::new(move |_| {
            let is_over = is_over.load(Ordering::SeqCst);
            Box::pin(async move { is_over })
        });
        let bus = ArenaBus::new(Arc::new(line.clone()), "test");
        live.share_matches(bus, leitai_games::ALL, check);
        line
    }

    fn add(&self) -> (LiveMatches, Line) {
        let live = LiveMatches::with_pause(Duration::ZERO);
        let line = self.share(&live);
        (live, line)
    }
}

fn random_leg(test: &LiveTest, seed: u64) -> Vec<String> {
    random_leg_tokens(&*test.setup, seed).expect("the game is sound")
}

fn view() -> SpectatorView {
    SpectatorView::default()
}

#[tokio::test]
async fn a_match_is_the_same_on_every_server_early_and_late() {
    for game in leitai_games::ALL {
        let servers = Servers::new();
        let test = LiveTest::prepare(game.meta().id);
        let _a = servers.share(&test.live);
        let (b, _line) = servers.add();
        let waits = b.clone();
        let waiting = tokio::spawn(async move { waits.watch_when_begun(1).await });
        // It is known to wait before the match begins.
        while b
            .others
            .get()
            .and_then(|others| others.find_follow(1))
            .is_none()
        {
            tokio::task::yield_now().await;
        }
        test.begin(false);
        let tokens = random_leg(&test, 3);
        let expected = test.progress(&tokens);
        test.live.begin_leg(1, 0);
        let (mut early, mut early_view) = (waiting.await.expect("it is shown"), view());
        let mut late = Vec::new();
        for (place, chunk) in tokens.chunks(7).enumerate() {
            test.tell(0, chunk);
            if place % 5 == 0 {
                early_view
                    .until(&mut early, 7 * place + chunk.len() + 1)
                    .await;
                late.push((b.watch_when_begun(1).await, view()));
            }
        }
        early_view.until(&mut early, expected.len()).await;
        assert_eq!(early_view.frames, expected, "{}", game.meta().id);
        assert_eq!(early_view.legs, 1, "{}", game.meta().id);
        for (watch, view) in &mut late {
            view.until(watch, expected.len()).await;
            assert_eq!(view.frames, expected);
        }
        let [here, there] = [&test.live, &b].map(|live| live.match_state(1));
        let [here, there] = [here, there].map(|state| state.expect("it is shown"));
        fields!(here, {leg: there.leg, round: there.round, scores: there.scores});
        // A third server that comes late, in the second leg.
        let second = random_leg(&test, 4);
        test.live.begin_leg(1, 1);
        test.tell(1, &second);
        let (c, _line) = servers.add();
        let (mut third, mut third_view) = (c.watch_when_begun(1).await, view());
        while third_view.leg != 2 || third_view.frames.len() < second.len() + 1 {
            third_view.see(third.next().await.expect("it goes on").text().as_str());
        }
        while early_view.leg != 2 || early_view.frames.len() < second.len() + 1 {
            early_view.see(early.next().await.expect("it goes on").text().as_str());
        }
        assert_eq!(third_view.frames, test.progress(&second));
        assert_eq!(early_view.frames, third_view.frames);
        servers.is_over.store(true, Ordering::SeqCst);
        test.live.end_match(1);
        assert!(early.next().await.is_none() && third.next().await.is_none());
        drop((early, late));
        assert!(b.match_state(1).is_none(), "nobody watches it any more");
    }
}

#[tokio::test]
async fn what_a_cut_bus_lost_is_made_up_for() {
    let servers = Servers::new();
    let test = LiveTest::prepare("snakego");
    let line_a = servers.share(&test.live);
    let (b, line_b) = servers.add();
    test.begin(false);
    test.live.begin_leg(1, 0);
    let (mut watch, mut seen) = (b.watch_when_begun(1).await, view());
    let tokens = random_leg(&test, 5);
    let expected = test.progress(&tokens);
    for (place, chunk) in tokens.chunks(9).enumerate() {
        match place % 6 {
            1 => line_a.cut(),
            2 => line_a.mend(),
            3 => line_b.cut(),
            5 => line_b.mend(),
            _ => {}
        }
        test.tell(0, chunk);
        if place % 6 == 5 || place % 6 == 0 {
            seen.until(&mut watch, 9 * place + chunk.len() + 1).await;
        }
    }
    line_a.mend();
    line_b.mend();
    seen.until(&mut watch, expected.len()).await;
    assert_eq!(seen.frames, expected);
    assert_eq!(seen.legs, 1, "nothing was shown anew");
    // The end of a leg and the beginning of the next one are lost.
    line_b.cut();
    let second = random_leg(&test, 6);
    test.live.begin_leg(1, 1);
    test.tell(1, &second[..1]);
    test.live.restart_leg(1, 1);
    test.tell(1, &second);
    line_b.mend();
    while seen.leg != 2 || seen.frames.len() < second.len() + 1 {
        seen.see(watch.next().await.expect("it goes on").text().as_str());
    }
    assert_eq!(seen.frames, test.progress(&second));
}

#[tokio::test]
async fn a_match_that_another_server_takes_over_goes_on_for_its_spectators() {
    let servers = Servers::new();
    let test = LiveTest::prepare("kob");
    let line_a = servers.share(&test.live);
    let (b, _line) = servers.add();
    test.begin(false);
    test.live.begin_leg(1, 0);
    let (first, again) = (random_leg(&test, 1), random_leg(&test, 2));
    let (mut watch, mut seen) = (b.watch_when_begun(1).await, view());
    test.tell(0, &first[..2]);
    seen.until(&mut watch, 3).await;
    // The owner is gone, and does not know that its lease is.
    line_a.cut();
    let taker = LiveTest::prepare("kob");
    let _line_c = servers.share(&taker.live);
    // Runs are ordered by their milliseconds.
    tokio::time::sleep(Duration::from_millis(2)).await;
    taker.begin(false);
    taker.live.begin_leg(1, 0);
    taker.tell(0, &again);
    while seen.frames != test.progress(&again) {
        seen.see(watch.next().await.expect("it goes on").text().as_str());
    }
    assert_eq!(seen.legs, 2);
    // The old owner is back, and plays on for nobody.
    line_a.mend();
    test.tell(0, &first[2..]);
    let state = b.match_state(1).expect("it is shown");
    assert_eq!(
        Some(state.scores),
        taker.live.match_state(1).map(|state| state.scores)
    );
    servers.is_over.store(true, Ordering::SeqCst);
    taker.live.end_match(1);
    assert!(watch.next().await.is_none());
    assert_eq!(seen.frames, test.progress(&again));
}

/// The leg that was watched ends for its spectators even if the run that replaces it is in the next
/// leg before they see anything of it: on the server where they watch, or on a third one.
#[tokio::test]
async fn a_leg_that_another_run_has_played_to_its_end_ends_for_its_spectators() {
    for is_taken_here in [true, false] {
        let servers = Servers::new();
        let test = LiveTest::prepare("kob");
        let line_a = servers.share(&test.live);
        let taker = LiveTest::prepare("kob");
        let _line = servers.share(&taker.live);
        let b = match is_taken_here {
            true => taker.live.clone(),
            false => servers.add().0,
        };
        test.begin(false);
        test.live.begin_leg(1, 0);
        let (first, second) = (random_leg(&test, 1), random_leg(&test, 2));
        let (mut watch, mut seen) = (b.watch_when_begun(1).await, view());
        test.tell(0, &first[..2]);
        seen.until(&mut watch, 3).await;
        line_a.cut();
        // Runs are ordered by their milliseconds.
        tokio::time::sleep(Duration::from_millis(2)).await;
        taker.begin(false);
        taker.live.begin_leg(1, 0);
        taker.tell(0, &first);
        taker.live.begin_leg(1, 1);
        taker.tell(1, &second);
        let mut ended = Vec::new();
        while (seen.leg, &seen.frames) != (2, &test.progress(&second)) {
            match watch.next().await {
                Some(message) => seen.see(message.text().as_str()),
                None => watch = b.watch_when_begun(1).await.after(watch.place()),
            }
            if seen.leg == 1 {
                ended.clone_from(&seen.frames);
            }
        }
        assert!(
            ended == test.progress(&first),
            "taken here: {is_taken_here}"
        );
    }
}

#[tokio::test]
async fn people_and_their_secrets_are_shown_as_on_their_own_server() {
    let servers = Servers::new();
    let test = LiveTest::prepare("tankcraft");
    let _line = servers.share(&test.live);
    let (b, _line) = servers.add();
    test.begin(true);
    let tokens = random_leg(&test, 3);
    test.live.begin_leg(1, 0);
    test.tell(0, &tokens);
    let presence = json!({"type": "presence"}).to_string();
    test.live.set_presence(1, presence.clone());
    let (mut watch, mut seen) = (b.watch_when_begun(1).await, view());
    let first = watch
        .next()
        .await
        .map(|message| message.text().as_str().to_owned());
    assert_eq!(first, Some(presence), "the leg is secret before its end");
    assert_eq!(b.match_state(1).expect("it is shown").scores, None);
    test.live.begin_leg(1, 1);
    seen.until(&mut watch, tokens.len() + 1).await;
    assert_eq!((seen.leg, &seen.frames), (1, &test.progress(&tokens)));
}

#[tokio::test]
async fn a_match_whose_owner_died_after_its_result_ends() {
    let servers = Servers::new();
    let test = LiveTest::prepare("kob");
    let line_a = servers.share(&test.live);
    let (b, _line) = servers.add();
    test.begin(false);
    test.live.begin_leg(1, 0);
    let mut watch = b.watch_when_begun(1).await;
    assert!(watch.next().await.is_some());
    line_a.cut();
    servers.is_over.store(true, Ordering::SeqCst);
    test.live.end_match(1);
    line_a.mend();
    assert!(watch.next().await.is_none());
}

#[tokio::test]
async fn other_rules_are_not_shown_and_unknown_messages_ignored() {
    let servers = Servers::new();
    let (b, _line) = servers.add();
    let bus = ArenaBus::new(Arc::new(servers.bus.clone()), "test");
    let mut questions = ok!(bus.subscribe(leitai_server::live::shared::EVERY_SERVER));
    let asks = b.clone();
    let waiting = tokio::spawn(async move { asks.watch_when_begun(1).await });
    let mut asked = questions.next().await.expect("a question");
    let answer = leitai_server::live::shared::Answer::Match(Box::new(
        leitai_server::live::shared::MatchNews {
            run: leitai_server::live::shared::RunName {
                begun_ms: 1,
                salt: 1,
            },
            owner: "another".to_owned(),
            sequence: 0,
            start: Some(leitai_server::live::shared::SharedStart {
                game: "kob".to_owned(),
                rules: "kob/999".to_owned(),
                setup: Value::Null,
                legs: 1,
                entrants: ByEntrant::new("one".into(), "two".into()),
                has_people: false,
            }),
            moves: Vec::new(),
            is_all: true,
            presence: None,
        },
    ));
    bus.reply(asked.replier.take().expect("it asks"), &answer);
    servers
        .bus
        .publish("leitai.test.live.match.1", "no message".into());
    servers
        .bus
        .publish("leitai.test.live.match.1", r#"{"v":9,"from":"z"}"#.into());
    // A server that plays by the same rules is shown.
    let test = LiveTest::prepare("kob");
    let _line = servers.share(&test.live);
    test.begin(false);
    test.live.begin_leg(1, 0);
    let (mut watch, mut seen) = (waiting.await.expect("it is shown"), view());
    seen.until(&mut watch, 1).await;
}

#[test]
fn long_legs_are_sent_in_parts_with_their_times() {
    let test = LiveTest::prepare("snakego");
    let start = || test.start(false);
    let mut log = MoveLog::new(start());
    log.ensure_leg(0);
    for step in 0..30_000u64 {
        log.append_steps(0, &(step % 4).to_string(), &[step]);
    }
    let (mut copy, mut parts) = (MoveLog::new(start()), 0);
    loop {
        let (moves, is_all) = log.moves_after(copy.end());
        for moves in moves {
            assert!(serde_json::to_string(&moves).expect("plain data").len() < 400_000);
            assert_eq!(copy.adopt_moves(&moves, 0), Ok(()));
            // What is there already is left out, and what does not follow is refused.
            assert_eq!(copy.adopt_moves(&moves, 0), Ok(()));
            parts += 1;
        }
        if is_all {
            break;
        }
    }
    assert!(parts > 1);
    assert_eq!(copy.end(), log.end());
    let [ours, theirs] = [&mut copy, &mut log].map(|log| {
        let piece = log.take_piece(&mut leitai_server::live::move_log::MoveLogCursor::default());
        piece.expect("moves")
    });
    assert_eq!(ours, theirs);
    let mut empty = MoveLog::new(start());
    let (rest, _) = log.moves_after(copy.end());
    assert!(rest.is_empty());
    let (all, _) = log.moves_after(leitai_server::live::move_log::MoveLogCursor::default());
    let (later, _) = log.moves_after(all[0].end());
    assert_eq!(
        empty.adopt_moves(&later[0], 0),
        Err(leitai_server::live::move_log::MovesMissing)
    );
}

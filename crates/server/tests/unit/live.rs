use std::time::Duration;

use leitai_game::conformance::random_leg_tokens;
use leitai_game::frames::{apply_change, make_frames};
use leitai_game::replay::LegRecord;
use leitai_game::{AnyGame, AnySetup, ByEntrant, BySeat, Perspective};
use serde_json::{Value, json};

use leitai_server::live::live_match::Spectator;
use leitai_server::live::move_log::ReportedSteps;
use leitai_server::live::*;
use leitai_server::sync::lock;
use std::sync::Arc;

/// The reply tokens of a random leg.
fn leg(setup: &dyn AnySetup, seed: u64) -> Vec<String> {
    random_leg_tokens(setup, seed).expect("the game is sound")
}

/// A live match of a game for a test.
pub(super) struct LiveTest {
    pub(super) live: LiveMatches,
    game: &'static dyn AnyGame,
    pub(super) setup: Arc<dyn AnySetup>,
}

impl LiveTest {
    fn new(game: &str, people: bool) -> LiveTest {
        let test = LiveTest::prepare(game);
        test.begin(people);
        test
    }

    /// A match that has not begun.
    pub(super) fn prepare(game: &str) -> LiveTest {
        let game = leitai_games::find_game(game).expect("a built-in game");
        let setup = game
            .deal_setup(&Value::Null, 7)
            .expect("the default config");
        LiveTest {
            live: LiveMatches::with_pause(Duration::ZERO),
            game,
            setup,
        }
    }

    /// The facts of the match.
    pub(super) fn start(&self, people: bool) -> LiveMatchStart {
        LiveMatchStart {
            id: 1,
            game: self.game.into(),
            setup: self.setup.clone(),
            legs: 2,
            entrants: ByEntrant::new("one".into(), "two".into()),
            has_people: people,
        }
    }

    pub(super) fn begin(&self, people: bool) {
        self.live.begin_match(self.start(people));
    }

    pub(super) fn tell(&self, index: usize, tokens: &[String]) {
        let times: Vec<u64> = tokens
            .iter()
            .flat_map(|token| token.split('/'))
            .map(|one| one.len() as u64)
            .collect();
        self.live.append_steps(1, index, &tokens.join(" "), &times);
    }

    /// The frames of a whole leg, as a recorded match has them.
    pub(super) fn progress(&self, tokens: &[String]) -> Vec<Value> {
        let times_us = tokens
            .iter()
            .flat_map(|token| token.split('/'))
            .map(|one| one.len() as u64)
            .collect();
        let record = LegRecord {
            replies: tokens.join(" "),
            times_us,
            ..LegRecord::default()
        };
        let frames = make_frames(self.game, &*self.setup, &record, Perspective::All)
            .expect("a leg of its own");
        frames
            .iter()
            .map(|frame| serde_json::to_value(frame).expect("plain data"))
            .collect()
    }
}

/// The frames that a spectator has received.
#[derive(Default)]
pub(super) struct SpectatorView {
    pub(super) leg: u64,
    pub(super) legs: usize,
    pub(super) frames: Vec<Value>,
}

impl SpectatorView {
    pub(super) fn see(&mut self, text: &str) {
        let message: Value = serde_json::from_str(text).expect("JSON");
        assert!(self.take(&message), "{text}");
    }

    /// Takes a message; false if it is not of frames.
    pub(super) fn take(&mut self, message: &Value) -> bool {
        let list = |frames: &Value| frames.as_array().expect("frames").clone();
        match message["type"].as_str() {
            Some("leg") => {
                self.legs += 1;
                self.leg = message["frames_of_leg"]["leg"].as_u64().expect("a number");
                self.frames = list(&message["frames_of_leg"]["frames"]);
            }
            Some("frames") => {
                assert_eq!(message["leg"], self.leg);
                self.frames.extend(list(&message["frames"]));
            }
            _ => return false,
        }
        for (step, frame) in self.frames.iter().enumerate() {
            assert_eq!(frame["step"], step, "no gap and no double");
        }
        true
    }

    /// Receives messages until it has this number of frames.
    pub(super) async fn until(&mut self, watch: &mut Spectator, frames: usize) {
        while self.frames.len() < frames {
            let text = watch.next().await.expect("the match goes on");
            self.see(text.text().as_str());
        }
    }
}

#[tokio::test]
async fn early_and_late_spectators_get_every_frame_of_every_game() {
    for game in leitai_games::ALL {
        let test = LiveTest::new(game.meta().id, false);
        let tokens = leg(&*test.setup, 3);
        let expected = test.progress(&tokens);
        let (mut early, mut early_eyes) = (
            test.live.watch_match(1).expect("it is played"),
            SpectatorView::default(),
        );
        test.live.begin_leg(1, 0);
        let mut late = Vec::new();
        for (place, chunk) in tokens.chunks(7).enumerate() {
            test.tell(0, chunk);
            if place % 5 == 0 {
                let said = (7 * place + chunk.len()) + 1;
                early_eyes.until(&mut early, said).await;
                late.push((
                    test.live.watch_match(1).expect("it is played"),
                    SpectatorView::default(),
                ));
            }
        }
        early_eyes.until(&mut early, expected.len()).await;
        assert_eq!(early_eyes.frames, expected, "{}", game.meta().id);
        for (watch, reader) in &mut late {
            reader.until(watch, expected.len()).await;
            assert_eq!(reader.frames, expected);
        }
        assert_eq!(test.live.list_matches()[0].spectators, 1 + late.len());
        let mut view = expected[0]["view"].clone();
        let changes = expected.iter().filter_map(|frame| frame.get("change"));
        changes.for_each(|change| apply_change(&mut view, change).expect("every change fits"));
        test.live.end_match(1);
        assert!(early.next().await.is_none());
        assert!(test.live.watch_match(1).is_none());
    }
}

#[tokio::test]
async fn a_leg_that_is_played_again_begins_anew() {
    let test = LiveTest::new("kob", false);
    let (first, again) = (leg(&*test.setup, 1), leg(&*test.setup, 2));
    let (mut watch, mut reader) = (
        test.live.watch_match(1).expect("it is played"),
        SpectatorView::default(),
    );
    test.live.begin_leg(1, 0);
    test.tell(0, &first[..2]);
    reader.until(&mut watch, 3).await;
    test.live.restart_leg(1, 0);
    test.tell(0, &again);
    while reader.frames != test.progress(&again) {
        reader.see(watch.next().await.expect("it goes on").text().as_str());
    }
    assert!(reader.legs >= 2);
    assert_eq!(
        test.live.match_state(1).expect("it is played").scores,
        Some(again_scores(&test, &again))
    );
}

#[test]
fn live_scores_are_told_in_the_order_of_the_entrants() {
    let state = |leg, scores: Option<[i32; 2]>| LiveMatchState {
        id: 1,
        leg,
        round: 7,
        rounds: 20,
        scores: scores.map(|[first, second]| BySeat::new(first, second)),
        spectators: 0,
    };
    for (leg, scores, told) in [
        (1, Some([3, 5]), Some([3, 5])),
        (2, Some([3, 5]), Some([5, 3])),
        (3, Some([3, 5]), Some([3, 5])),
        (1, None, None),
    ] {
        assert_eq!(state(leg, scores).entrant_scores(), told, "leg {leg}");
    }
}

fn again_scores(test: &LiveTest, tokens: &[String]) -> BySeat<i32> {
    let record = LegRecord {
        replies: tokens.join(" "),
        ..LegRecord::default()
    };
    let mut walk = leitai_game::replay::ReplayWalker::new(&*test.setup, &record);
    while walk.next(&mut ()).expect("legal").is_some() {}
    walk.current_leg().scores()
}

#[tokio::test]
async fn the_end_of_a_leg_is_shown_although_the_next_has_begun() {
    let test = LiveTest::new("snakego", false);
    let tokens = leg(&*test.setup, 3);
    let (mut watch, mut reader) = (
        test.live.watch_match(1).expect("it is played"),
        SpectatorView::default(),
    );
    test.live.begin_leg(1, 0);
    reader.until(&mut watch, 1).await;
    test.tell(0, &tokens);
    test.live.begin_leg(1, 1);
    test.tell(1, &tokens[..1]);
    let mut ends = 0;
    while reader.leg != 2 || reader.frames.len() < 2 {
        reader.see(watch.next().await.expect("it goes on").text().as_str());
        ends += usize::from(reader.leg == 1 && reader.frames.len() == tokens.len() + 1);
    }
    assert_eq!(ends, 1);
    assert_eq!(reader.frames, test.progress(&tokens[..1]));
}

#[tokio::test]
async fn under_fog_a_match_with_people_is_shown_when_the_leg_is_over() {
    let test = LiveTest::new("tankcraft", true);
    let tokens = leg(&*test.setup, 3);
    let (mut watch, mut reader) = (
        test.live.watch_match(1).expect("it is played"),
        SpectatorView::default(),
    );
    test.live.begin_leg(1, 0);
    test.tell(0, &tokens);
    test.live
        .set_presence(1, json!({"type": "presence"}).to_string());
    assert_eq!(
        watch
            .next()
            .await
            .map(|message| message.text().contains("presence")),
        Some(true)
    );
    // No message was ready before the next leg begins; one would have come by now.
    let live_match = test.live.find_match(1).expect("it is played");
    assert_eq!(
        lock(live_match.moves())
            .take_piece(&mut leitai_server::live::move_log::MoveLogCursor::default()),
        None
    );
    assert_eq!(test.live.match_state(1).expect("it is played").scores, None);
    test.live.begin_leg(1, 1);
    reader.until(&mut watch, tokens.len() + 1).await;
    assert_eq!((reader.leg, &reader.frames), (1, &test.progress(&tokens)));
    test.tell(1, &tokens[..5]);
    test.live.end_match(1);
    while let Some(text) = watch.next().await {
        reader.see(text.text().as_str());
    }
    assert_eq!(
        (reader.leg, &reader.frames),
        (2, &test.progress(&tokens[..5]))
    );
}

#[tokio::test]
async fn reports_about_unknown_matches_are_ignored() {
    let test = LiveTest::new("kob", false);
    test.live.append_steps(2, 0, "0/0", &[]);
    test.live.begin_leg(1, 0);
    test.live.append_steps(1, 1, "0/0", &[]);
    test.live.append_steps(1, 0, "no token at all", &[1, 2, 3]);
    let (mut watch, mut reader) = (
        test.live.watch_match(1).expect("it is played"),
        SpectatorView::default(),
    );
    reader.until(&mut watch, 1).await;
    test.live.end_match(1);
    assert!(watch.next().await.is_none());
    assert_eq!(reader.frames.len(), 1);
    assert!(test.live.list_matches().is_empty());
}

#[tokio::test]
async fn steps_are_shown_once_and_never_after_a_gap() {
    let test = LiveTest::new("tankcraft", false);
    test.live.begin_leg(1, 0);
    let tokens = leg(&*test.setup, 1);
    let times: Vec<u64> = tokens
        .iter()
        .flat_map(|token| token.split('/'))
        .map(|one| one.len() as u64)
        .collect();
    let tell = |from: usize, to: usize| {
        let after = ReportedSteps {
            steps: from,
            times: 2 * from,
        };
        let (told, times) = (tokens[from..to].join(" "), &times[2 * from..2 * to]);
        test.live.continue_steps(1, 0, after, &told, times);
    };
    tell(0, 3);
    // Its answer was lost, so it comes again, with more.
    tell(0, 5);
    // Steps 5 and 6 went elsewhere.
    tell(7, 9);
    tell(5, 6);
    let (mut watch, mut reader) = (
        test.live.watch_match(1).expect("it is played"),
        SpectatorView::default(),
    );
    reader.until(&mut watch, 7).await;
    test.live.end_match(1);
    assert!(watch.next().await.is_none());
    assert_eq!(reader.frames, test.progress(&tokens[..6]));
}

/// What a judge program showed travels with the replies, so that nobody runs it to watch.
#[test]
fn a_match_that_a_judge_program_leads_is_watched_by_what_it_showed() {
    use leitai_guest::file::{LogicFile, parts::Parts};
    use leitai_server::live::frame_buffer::FrameBuffer;
    use leitai_server::live::told_token::tell_token;
    let pig = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/games/pig");
    let parts = Parts::read(std::path::Path::new(pig)).expect("the example");
    let file = LogicFile::load(&parts);
    let file = file.unwrap_or_else(|problems| panic!("{problems:?}"));
    let game: leitai_game::GameHandle = Arc::new(file.game).into();
    let setup = game.deal_setup(&Value::Null, 7).expect("the default");
    let shown = [
        json!({"round": 1, "asks": "first", "sent": {"first": "go on"}, "events": [{"watch": "a b"}]}),
        json!({"round": 2, "asks": "second"}),
        json!({"round": 2, "outcome": {"winner": "second", "scores": [1, 4], "reason": "points", "scope": "leg"}}),
    ];
    let header = LegFramesHeader {
        game,
        setup,
        legs: 2,
        entrants: ByEntrant::new("one".into(), "two".into()),
    };
    let (mut buffer, _) = FrameBuffer::new(&header, 0, Perspective::All);
    let mut seen = String::new();
    for (step, token) in ["roll", "hold"].into_iter().enumerate() {
        let told = tell_token(token, step, &shown);
        assert_eq!(told.split_ascii_whitespace().count(), 1, "{told}");
        seen += &buffer.append_frames(&told, &[5]);
    }
    for part in [
        r#""watch":"a b""#,
        r#""to_move":["second"]"#,
        r#""scores":[1,4]"#,
    ] {
        assert!(seen.contains(part), "{part}: {seen}");
    }
    assert_eq!(buffer.current_leg().round(), 2);
    // A token of another game stays as it is.
    assert_eq!(tell_token("2/3", 4, &[]), "2/3");
}

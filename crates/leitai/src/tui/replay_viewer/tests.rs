use super::screen::timeline_line;
use super::*;
use crate::lang::english;
use crate::tui::window::testing::{ScriptedTerminal, typed};
use leitai_game::Entrant;
use leitai_game::replay::{LegRecord, LogRecord, NoiseRecord, NoiseTimes};
use ratatui::text::Line;
use serde_json::json;

fn game() -> &'static dyn AnyGame {
    leitai_games::find_game("snakego").expect("it is in the list")
}

/// Leg 1 goes on for two rounds and a half and is interrupted there, unless other replies are
/// given.
fn replay(replies: [&str; 2]) -> Replay {
    let setup = game()
        .deal_setup(&json!({"max_round": 60}), 7)
        .expect("a sound config");
    let text = json!({
        "format": "leitai-replay/1", "game": "snakego", "rules": "snakego/1", "engine": "test",
        "setup": setup.to_json(), "status": "interrupted", "verdict": null,
        "entrants": [
            {"name": "mybot", "kind": "program", "settings": "--depth 5"},
            {"name": "greedy", "kind": "built-in"},
        ],
        "legs": replies.map(|replies| json!({"replies": replies})),
    });
    let mut replay = Replay::parse(&text.to_string()).expect("a sound replay");
    replay.legs[0].times_us = vec![212_000, 3_000, 1_000, 2_000, 5_000];
    replay.legs[0].cpu_us = vec![Some(180_000), None];
    let noise = NoiseTimes {
        delay_us: 30_000,
        ..NoiseTimes::default()
    };
    replay.legs[0].noise = vec![NoiseRecord { reply: 0, noise }];
    let log = LogRecord {
        entrant: Entrant::A,
        period: 3,
        text: "path \u{1b}[31mto\titem\nsecond line".into(),
    };
    replay.legs[0].logs.push(log);
    replay
}

/// The last frame after these presses; they end with leaving.
fn last_frame(replay: &Replay, presses: Vec<KeyPress>) -> String {
    let mut viewer = ReplayViewer::new(english(), game(), replay, 0, 1).expect("a sound replay");
    let mut window = ScriptedTerminal::new(presses.into_iter().chain([KeyPress::Interrupt]));
    viewer
        .run_viewer(&mut window)
        .expect("memory is a terminal");
    let frames = window.frames.borrow();
    frames.last().expect("it was drawn").clone()
}

#[test]
fn the_screen_names_the_moment_and_its_events() {
    let replay = replay(["1 3 1 3 1", "1 3"]);
    let check = |presses: Vec<KeyPress>, parts: &[&str]| {
        let frame = last_frame(&replay, presses.clone());
        parts
            .iter()
            .for_each(|part| assert!(frame.contains(part), "{presses:?}: no {part:?} in\n{frame}"));
    };
    let (right, left) = (KeyPress::Key(Key::Right), KeyPress::Key(Key::Left));
    check(
        vec![],
        &[
            "mybot (first)  1 : 1  greedy (second)",
            "leg 1/2",
            "round 1/60",
            "step 0/5",
            "? help",
        ],
    );
    check(typed("."), &["step 1/5", "mybot: right [1]", "moved: "]);
    check(typed("."), &["212 ms (CPU 180 ms)", "noise 30 ms"]);
    check(typed(".."), &["greedy: left [3]   3 ms"]);
    check(typed("..,"), &["step 1/5"]);
    check(vec![right], &["round 2/60", "step 2/5", "greedy: left [3]"]);
    check(
        vec![right, right, right],
        &["round 3/60", "step 5/5", "interrupted here"],
    );
    check(vec![right, right, left], &["round 2/60"]);
    check(
        vec![right, KeyPress::Key(Key::Char('.'))],
        &["log of mybot", r"path \u001b[31mto    item", "second line"],
    );
    check(vec![KeyPress::End, KeyPress::Home], &["step 0/5"]);
    check(
        typed("l"),
        &["leg 2/2", "greedy (first)  1 : 1  mybot (second)"],
    );
    check(vec![KeyPress::Tab, KeyPress::Tab], &["leg 1/2"]);
    check(typed("g3"), &["go to round 3_"]);
    check(
        [typed("g3"), vec![KeyPress::Enter]].concat(),
        &["round 3/60", "step 4/5"],
    );
    check(
        [
            typed("g3"),
            vec![KeyPress::Backspace],
            typed("2"),
            vec![KeyPress::Enter],
        ]
        .concat(),
        &["round 2/60"],
    );
    check(typed("f"), &["seen by mybot (first)"]);
    check(typed("fff"), &["seen by all"]);
    check(typed("++-"), &["looking ahead +1"]);
    check(typed("5"), &["‖ 5×"]);
    check(typed("?"), &["go to round N"]);
    check(typed("?."), &["step 0/5"]);
    check(typed("?q."), &["step 1/5"]);
}

/// Two rounds on Crossroads: red fires into the open and dies at the edge, blue goes up.
fn tankcraft() -> (&'static dyn AnyGame, Replay) {
    let game = leitai_games::find_game("tankcraft").expect("it is in the list");
    let setup = game
        .deal_setup(&json!({"map": "crossroads", "rounds": 2}), 7)
        .expect("a sound config");
    let team = "Team;Striker;Pioneer;Sniper;Striker;Striker";
    let round = "FIRE:3:3;GOUP;STOP;STOP;STOP/GOUP;STOP;STOP;STOP;STOP";
    let text = json!({
        "format": "leitai-replay/1", "game": "tankcraft", "rules": "tankcraft/1", "engine": "test",
        "setup": setup.to_json(), "status": "interrupted", "verdict": null,
        "entrants": [{"name": "mybot", "kind": "program"}, {"name": "miner", "kind": "built-in"}],
        "legs": [{"replies": format!("{team}/{team} {round}")}],
    });
    (
        game,
        Replay::parse(&text.to_string()).expect("a sound replay"),
    )
}

#[test]
fn tankcraft_shows_tanks_mines_shots_and_sights() {
    let (game, replay) = tankcraft();
    let check = |presses: &str, parts: &[&str], absent: &[&str]| {
        let mut viewer = ReplayViewer::new(english(), game, &replay, 0, 1).expect("a sound replay");
        let mut window = ScriptedTerminal::sized(
            120,
            40,
            typed(presses).into_iter().chain([KeyPress::Interrupt]),
        );
        viewer
            .run_viewer(&mut window)
            .expect("memory is a terminal");
        let frames = window.frames.borrow();
        let frame = frames.last().expect("it was drawn");
        parts
            .iter()
            .for_each(|part| assert!(frame.contains(part), "{presses}: no {part:?} in\n{frame}"));
        absent
            .iter()
            .for_each(|part| assert!(!frame.contains(part), "{presses}: {part:?} in\n{frame}"));
    };
    check(
        ".",
        &[
            " 1     S0      P1      N2      S3      S4",
            "21     S9      S8",
            "$r",
            "$b",
        ],
        &["✕ "],
    );
    let texts = [
        "fired: col 3, row 3, tank 0",
        "died: ",
        "mybot: FIRE:3:3;GOUP;",
        "cause stone",
    ];
    check("..", &texts, &[]);
    // The shot lies on an open cell, the death off the map.
    check("..", &[" 3   %2* %2"], &[]);
    check(
        "..f",
        &["seen by mybot (first)", " 3 · %2* %2", "S0", "not seen"],
        &["S9", "N7", "miner: ", "tank 5"],
    );
    check(
        "..ff",
        &["seen by miner (second)", "S9", "N7"],
        &["S0", "%2* %2", "fired", "mybot: "],
    );
    check("..fff", &["seen by all", "S0", "S9"], &["not seen"]);
}

#[test]
fn space_plays_and_time_moves_on_to_the_end() {
    let replay = replay(["1 3 1 3 1", ""]);
    let mut viewer = ReplayViewer::new(english(), game(), &replay, 0, 1).expect("a sound replay");
    let mut check = |press: Option<char>, millis: u64, at: usize, playing: bool| {
        press
            .into_iter()
            .for_each(|c| viewer.handle_press(KeyPress::Key(Key::Char(c))));
        viewer.pass_time(Duration::from_millis(millis));
        assert_eq!(
            (viewer.at, viewer.pace.playing),
            (at, playing),
            "{press:?} {millis}"
        );
    };
    check(None, 5000, 0, false);
    check(Some('1'), 5000, 0, false);
    check(Some(' '), 500, 1, true);
    check(Some(' '), 500, 1, false);
    check(Some('5'), 500, 1, false);
    check(Some(' '), 500, 5, false);
    check(Some(' '), 1, 0, true);
}

#[test]
fn the_end_of_a_leg_names_the_winner_and_the_faults() {
    let mut faulty = replay(["1 3 3", ""]);
    faulty.legs[0].faults = serde_json::from_value(json!([{
        "entrant": "A", "seat": "first", "code": "IA", "round": 2, "step": 2, "what": "turned back",
        "last_words": ["bye"],
    }]))
    .expect("a sound fault");
    let frame = last_frame(&faulty, vec![KeyPress::End]);
    // Length 1 grew to 2 in round 1, and growth makes the reversal of round 2 illegal.
    assert!(!frame.contains("interrupted here"), "{frame}");
    for part in [
        "greedy (second) wins the leg",
        "mybot (first) turned",
        "back [IA]",
        "bye",
        "differs",
    ] {
        assert!(frame.contains(part), "no {part:?} in\n{frame}");
    }
    let marks = frame.lines().nth(21).expect("24 rows");
    assert!(marks.trim_end().ends_with('!'), "{frame}");
}

#[test]
fn a_replay_with_an_unreadable_reply_is_shown_up_to_it() {
    let replay = replay(["1 3 1 what 1", ""]);
    let frame = last_frame(&replay, vec![KeyPress::End]);
    for part in ["step 3/3", "the rest cannot be played", "is no action"] {
        assert!(frame.contains(part), "no {part:?} in\n{frame}");
    }
}

#[test]
fn without_a_terminal_there_is_plain_text() {
    let replay = replay(["1 3 1 3 1", "1 3"]);
    let viewer = ReplayViewer::new(english(), game(), &replay, 0, 2).expect("a sound replay");
    let text = viewer.plain_text();
    for part in [
        "mybot (first)  2 : 2  greedy (second)",
        "mybot: --depth 5\n",
        "round 2/60",
        "interrupted here",
    ] {
        assert!(text.contains(part), "no {part:?} in\n{text}");
    }
    assert!(!text.contains('\u{1b}'), "{text}");
    assert!(last_frame(&replay, vec![]).contains("mybot: --depth 5"));
}

#[test]
fn a_terminal_that_is_too_small_says_so() {
    let replay = replay(["1 3 1 3 1", "1 3"]);
    let check = |size: (u16, u16), expected: bool| {
        let mut viewer =
            ReplayViewer::new(english(), game(), &replay, 0, 1).expect("a sound replay");
        let mut window = ScriptedTerminal::sized(size.0, size.1, [KeyPress::Interrupt]);
        viewer
            .run_viewer(&mut window)
            .expect("memory is a terminal");
        let frame = window.frames.borrow()[0].clone();
        let said = frame.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(
            said.contains("too small: 35 x 17 are needed"),
            expected,
            "{size:?}: {said}"
        );
    };
    check((35, 17), false);
    check((34, 17), true);
    check((80, 16), true);
}

#[test]
fn every_size_of_terminal_can_be_drawn_on() {
    let replay = replay(["1 3 1 3 1", "1 3"]);
    for (width, height) in [
        (0, 0),
        (1, 1),
        (10, 3),
        (40, 24),
        (80, 24),
        (33, 60),
        (250, 80),
    ] {
        let mut viewer =
            ReplayViewer::new(english(), game(), &replay, 0, 1).expect("a sound replay");
        let mut window = ScriptedTerminal::sized(
            width,
            height,
            [KeyPress::End, typed("?")[0], KeyPress::Interrupt],
        );
        viewer
            .run_viewer(&mut window)
            .expect("memory is a terminal");
    }
}

#[test]
fn the_timeline_keeps_the_more_important_mark() {
    let check = |marks: &[(usize, char)], at: usize, last: usize, expected: [&str; 2]| {
        let lines: Vec<String> = timeline_line(marks, at, last, 10)
            .iter()
            .map(Line::to_string)
            .collect();
        assert_eq!(lines, expected);
    };
    check(&[], 0, 0, ["          ", "●─────────"]);
    check(&[(1, 's'), (9, '!')], 9, 9, [" s       !", "━━━━━━━━━●"]);
    check(
        &[(50, 'e'), (51, '✕'), (52, 's'), (101, '!')],
        50,
        100,
        ["    ✕     ", "━━━━●─────"],
    );
    assert!(timeline_line(&[], 0, 5, 0).is_empty());
}

#[test]
fn an_empty_leg_can_be_shown() {
    let mut replay = replay(["", ""]);
    replay.legs.truncate(1);
    replay.legs[0] = LegRecord::default();
    assert!(last_frame(&replay, typed(".,l l")).contains("step 0/0"));
}

//! Plays a human match in the terminal: [`PlayState`] holds its state; this module draws it and
//! reads keys.

mod view;

use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use leitai_game::replay::LegRecord;
use leitai_game::{AnyLeg, Seat};
use leitai_judge::{
    HumanAnswer, HumanInput, MatchObserver, MatchProgress, MatchSpec, PlayedMatch, play_match,
};

use self::view::PlayView;
use super::paint::Palette;
use super::play_state::{LeaveState, PlayState};
use super::window::{KeyPress, TerminalScreen, Window};
use crate::lang::Localizer;
use crate::outcome::leg_line;

/// The time for which a step of another player is shown.
const BEAT: Duration = Duration::from_millis(120);
/// The redraw interval of a hurried match.
const HURRY: Duration = Duration::from_millis(30);

/// Plays the match on this terminal. Returns the match, and the terminal's error if it was lost.
pub fn run(
    lang: Localizer,
    fixture: &MatchSpec,
    stop: &AtomicBool,
) -> anyhow::Result<(PlayedMatch, Option<io::Error>)> {
    let screen = TerminalScreen::open_terminal().context("cannot use the terminal")?;
    run_on(
        lang,
        Box::new(screen),
        Palette::from_environment(),
        fixture,
        stop,
    )
}

fn run_on(
    lang: Localizer,
    window: Box<dyn Window>,
    palette: Palette,
    fixture: &MatchSpec,
    stop: &AtomicBool,
) -> anyhow::Result<(PlayedMatch, Option<io::Error>)> {
    let screen = Rc::new(RefCell::new(PlayScreen {
        window,
        palette,
        state: PlayState::new(lang, fixture),
        stop,
        broken: None,
        shown_clock: String::new(),
        drawn: Instant::now(),
    }));
    let played = play_match(
        fixture,
        &mut TerminalBridge(screen.clone()),
        &mut TerminalBridge(screen.clone()),
        stop,
    )?;
    let broken = screen.borrow_mut().broken.take();
    Ok((played, broken))
}

/// The terminal and the state of the match.
struct PlayScreen<'a> {
    window: Box<dyn Window>,
    palette: Palette,
    state: PlayState,
    stop: &'a AtomicBool,
    broken: Option<io::Error>,
    shown_clock: String,
    drawn: Instant,
}

/// Implements both traits of the judge, human input and observer, on one shared screen.
struct TerminalBridge<'a>(Rc<RefCell<PlayScreen<'a>>>);

impl HumanInput for TerminalBridge<'_> {
    fn ask_person(&mut self, _: &dyn AnyLeg, seat: Seat, budget: Duration) {
        let mut screen = self.0.borrow_mut();
        screen.state.ask_seat(seat, Instant::now(), budget);
        screen.draw_screen(&[]);
    }

    fn poll_answer(&mut self, _: &dyn AnyLeg) -> Option<(Seat, HumanAnswer)> {
        let mut screen = self.0.borrow_mut();
        // With both answers given, further keys belong to the next question.
        let pressed = !screen.state.has_answer() && screen.read_keys(Duration::ZERO);
        let now = Instant::now();
        if pressed || screen.state.format_clock(now) != screen.shown_clock {
            screen.draw_screen(&[]);
        }
        screen.state.take_answer(now)
    }
}

impl MatchObserver for TerminalBridge<'_> {
    fn on_progress(&mut self, progress: &MatchProgress<'_>) {
        self.0.borrow_mut().follow_progress(progress);
    }

    fn leg_over(&mut self, index: usize, record: &LegRecord, leg: &dyn AnyLeg) {
        self.0.borrow_mut().leg_over(index, record, leg);
    }
}

impl PlayScreen<'_> {
    fn follow_progress(&mut self, progress: &MatchProgress<'_>) {
        let stepped = self
            .state
            .follow_leg(progress.index, progress.leg, progress.replies);
        if self.state.is_asked() {
            return; // The keys are for `poll`.
        }
        if !stepped {
            if self.read_keys(Duration::ZERO) {
                self.draw_screen(&[]);
            }
        } else if self.state.asks_people() {
            self.forget_early_keys();
        } else if !self.state.is_over() {
            self.redraw_and_read();
        }
    }

    /// Shows a step of another player for a moment, unless the person hurries.
    fn redraw_and_read(&mut self) {
        if self.state.hurry {
            if self.drawn.elapsed() >= HURRY {
                self.draw_screen(&[]);
                self.read_keys(Duration::ZERO);
            }
            return;
        }
        let until = Instant::now() + BEAT;
        loop {
            self.draw_screen(&[]);
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero()
                || self.state.hurry
                || self.broken.is_some()
                || self.stop.load(Ordering::Relaxed)
            {
                break;
            }
            self.read_keys(left);
        }
    }

    /// Discards keys that were pressed while another player was thinking: they were not meant for
    /// the new position.
    fn forget_early_keys(&mut self) {
        if !self.state.last_by_people {
            while self.next_press(Duration::ZERO).is_some_and(|press| {
                if press == KeyPress::Interrupt {
                    self.stop.store(true, Ordering::Relaxed);
                }
                true
            }) {}
        }
    }

    /// Handles all pressed keys after waiting for the first one; returns whether there was one.
    fn read_keys(&mut self, wait: Duration) -> bool {
        let mut pressed = false;
        let mut wait = wait;
        while let Some(press) = self.next_press(wait) {
            self.state.handle_press(press);
            (pressed, wait) = (true, Duration::ZERO);
            if self.state.leave == LeaveState::Match {
                self.stop.store(true, Ordering::Relaxed);
            }
            // Further keys belong to the next question, and a message must be shown before more
            // keys are read.
            if self.state.has_answer()
                || self.state.refusal.is_some()
                || self.state.leave != LeaveState::No
            {
                break;
            }
        }
        pressed
    }

    fn next_press(&mut self, wait: Duration) -> Option<KeyPress> {
        let press = self.window.read_press(wait);
        self.keep_error(press).flatten()
    }

    /// Stores the error of a lost terminal, which ends the match.
    fn keep_error<T>(&mut self, done: io::Result<T>) -> Option<T> {
        match done {
            Ok(value) => Some(value),
            Err(error) => {
                self.broken.get_or_insert(error);
                self.stop.store(true, Ordering::Relaxed);
                None
            }
        }
    }

    fn leg_over(&mut self, index: usize, record: &LegRecord, leg: &dyn AnyLeg) {
        let names = self.state.names.each_ref().map_values(|name| name.clone());
        let last = index + 1 == self.state.legs
            || leg
                .outcome()
                .is_none_or(|o| o.scope == leitai_game::Scope::Match);
        let next = match last {
            true => self.state.lang.label("enter: the verdict"),
            false => self.state.lang.label("enter: the next leg, seats swapped"),
        };
        let words = record
            .faults
            .iter()
            .flat_map(|fault| &fault.last_words)
            .cloned();
        let lines = [
            self.state.leg_name(),
            leg_line(self.state.lang, &names, index, record, leg),
        ]
        .into_iter()
        .chain(words);
        let lines: Vec<String> = lines.chain([String::new(), next.to_owned()]).collect();
        while !self.stop.load(Ordering::Relaxed) && self.state.leave == LeaveState::No {
            self.draw_screen(&lines);
            match self.next_press(Duration::from_secs(1)) {
                Some(KeyPress::Enter) => break,
                Some(KeyPress::Interrupt) => self.stop.store(true, Ordering::Relaxed),
                _ => {}
            }
        }
    }

    /// Draws the screen and a notice above it.
    fn draw_screen(&mut self, notice: &[String]) {
        let now = Instant::now();
        self.shown_clock = self.state.format_clock(now);
        self.drawn = now;
        let sheet = PlayView {
            state: &self.state,
            palette: self.palette,
            clock: &self.shown_clock,
            notice,
        };
        let done = self.window.draw_frame(&mut |frame| sheet.draw_frame(frame));
        self.keep_error(done);
    }
}

#[cfg(test)]
mod tests {
    use super::super::window::testing::{ScriptedTerminal, typed};
    use super::view::slider_line;
    use super::*;
    use leitai_game::ByEntrant;
    use leitai_game::replay::MatchStatus;
    use leitai_judge::{Player, PlayerKind, RefereeLimits};

    fn people(rounds: u32) -> MatchSpec {
        let game = leitai_games::find_game("snakego").expect("it is in the list");
        let period = Duration::from_secs(3600);
        let person = |name: &str| Player {
            name: name.to_owned(),
            kind: PlayerKind::Human {
                period,
                protocol: None,
            },
        };
        let config = serde_json::json!({"max_round": rounds, "items": [[5, 5, 2, 0, 3]]});
        let players = ByEntrant::new(person("ann"), person("bob"));
        MatchSpec {
            legs: 2,
            limits: RefereeLimits::new(Duration::from_secs(3), 2048),
            ..MatchSpec::new(game, config, 1, players).expect("a sound config")
        }
    }

    /// Plays scripted keys and returns the frames and the match.
    fn play_keys(
        fixture: &MatchSpec,
        presses: Vec<KeyPress>,
    ) -> (Vec<String>, PlayedMatch, Option<io::Error>) {
        let window = ScriptedTerminal::new(presses);
        let frames = window.frames.clone();
        let stop = AtomicBool::new(false);
        let (played, broken) = run_on(
            crate::lang::english(),
            Box::new(window),
            Palette::Plain,
            fixture,
            &stop,
        )
        .expect("nothing to start");
        let frames = frames.borrow().clone();
        (frames, played, broken)
    }

    #[test]
    fn two_people_play_a_match_to_its_verdict() {
        let round = || typed("da");
        let leg = || [round(), round(), vec![KeyPress::Enter]].concat();
        let (frames, played, broken) = play_keys(&people(2), [leg(), leg()].concat());
        assert!(broken.is_none(), "{broken:?}");
        assert_eq!(played.replay.status, MatchStatus::Complete);
        assert_eq!(played.replay.legs[0].replies, "1 3 1 3");
        let seen = |part: &str| {
            assert!(
                frames.iter().any(|frame| frame.contains(part)),
                "no {part:?}"
            )
        };
        seen("ann (first)  1 : 1  bob (second)");
        seen("▶ turn of ann (first)");
        seen("▶ turn of bob (second)");
        seen("ann: right");
        seen("bob (first)");
        seen("enter: the next leg");
        seen("enter: the verdict");
        seen("leg 2 of 2");
    }

    #[test]
    fn illegal_actions_are_grey_with_the_reason_and_do_nothing() {
        // Growth in rounds 1 to 8 makes the reversal illegal as soon as the snake has a neck.
        let presses = [typed("daa"), typed("d"), vec![KeyPress::Interrupt]].concat();
        let (frames, played, _) = play_keys(&people(9), presses);
        assert_eq!(played.replay.legs[0].replies, "1 3 1");
        assert!(played.replay.legs[0].faults.is_empty());
        let start = frames
            .iter()
            .find(|frame| frame.contains("▶ turn of ann"))
            .expect("it was drawn");
        assert!(start.contains("split ✗ split with"), "{start}");
        assert!(start.contains("ray ✗ fired a ray"), "{start}");
        assert!(
            frames
                .iter()
                .any(|frame| frame.contains("✗ left: turned back into its own neck"))
        );
    }

    #[test]
    fn five_tanks_are_commanded_key_by_key() {
        let mut fixture = people(2);
        fixture.game = leitai_games::find_game("tankcraft")
            .expect("it is in the list")
            .into();
        fixture.config = serde_json::json!({"map": "crossroads", "rounds": 2});
        fixture.setup = fixture
            .game
            .deal_setup(&fixture.config, 1)
            .expect("a sound config");
        // Asking to leave and staying draws a frame; otherwise keys that are typed at once are
        // drawn once.
        let look = || typed("qz");
        let enter = || vec![KeyPress::Enter];
        let team = [typed("2p"), look(), enter(), look(), enter()].concat();
        let fire = [typed("fss"), enter(), look(), enter(), enter()].concat();
        let far = [typed("fssss"), enter(), vec![KeyPress::Interrupt]].concat();
        let presses = [team, fire, far].concat();
        let (frames, played, broken) = play_keys(&fixture, presses);
        assert!(broken.is_none(), "{broken:?}");
        let (team, stop) = ("Striker;Striker;Striker;Striker", "STOP;STOP;STOP;STOP");
        let teams = format!("Team;Striker;Pioneer;Striker;Striker;Striker/Team;Striker;{team}");
        assert_eq!(
            played.replay.legs[0].replies,
            format!("{teams} FIRE:3:3;{stop}/STOP;{stop}")
        );
        let seen = |part: &str| {
            assert!(
                frames.iter().any(|frame| frame.contains(part)),
                "no {part:?}"
            )
        };
        seen("▸2 1 Pioneer  9HP hits 1 at 1");
        seen("▸1 S0 3HP (1,3)   FIRE (3,3)");
        seen("%2×0%2");
        seen("target (5,3) ✗ out of range: 4 >");
        seen("✗ out of range");
        seen("ann  ✓ ready");
        // The person who builds an action sees its own side's perspective.
        assert!(
            !frames
                .iter()
                .any(|frame| frame.contains("▸1 S0 3HP") && frame.contains("S9"))
        );
    }

    /// A person who takes longer than programs may, and then leaves.
    struct Slow(Option<Instant>);

    impl HumanInput for Slow {
        fn ask_person(&mut self, _: &dyn AnyLeg, _: Seat, _: Duration) {
            self.0 = Some(Instant::now());
        }

        fn poll_answer(&mut self, _: &dyn AnyLeg) -> Option<(Seat, HumanAnswer)> {
            let late = self
                .0
                .is_some_and(|since| since.elapsed() > Duration::from_millis(350));
            late.then_some((Seat::First, HumanAnswer::Leave))
        }
    }

    #[test]
    fn a_built_in_bot_is_not_charged_for_a_person_who_thinks() {
        let mut fixture = people(2);
        fixture.game = leitai_games::find_game("kob")
            .expect("it is in the list")
            .into();
        fixture.config = serde_json::json!({});
        fixture.setup = fixture
            .game
            .deal_setup(&fixture.config, 1)
            .expect("a sound config");
        fixture.legs = 1;
        fixture.limits.period = Duration::from_millis(300);
        let (name, _) = fixture.game.list_bots()[0];
        fixture.players[leitai_game::Entrant::B].kind = PlayerKind::BuiltIn(name.to_owned());
        let played = play_match(&fixture, &mut Slow(None), &mut (), &AtomicBool::new(false));
        let replay = played.expect("nothing to start").replay;
        let faults: Vec<_> = replay.legs[0]
            .faults
            .iter()
            .map(|fault| fault.entrant)
            .collect();
        assert_eq!(
            faults,
            [leitai_game::Entrant::A],
            "{:?}",
            replay.legs[0].faults
        );
    }

    #[test]
    fn leaving_is_confirmed_and_two_people_only_interrupt() {
        let check = |presses: Vec<KeyPress>, replies: &str| {
            let (frames, played, broken) = play_keys(&people(9), presses.clone());
            assert!(broken.is_none(), "{presses:?}: {broken:?}");
            assert_eq!(played.replay.status, MatchStatus::Interrupted);
            assert_eq!(played.replay.legs[0].replies, replies, "{presses:?}");
            frames
        };
        let frames = check(typed("dqy"), "1");
        assert!(
            frames
                .iter()
                .any(|frame| frame.contains("leave the match? y: yes"))
        );
        check(
            typed("qnda")
                .into_iter()
                .chain([KeyPress::Escape])
                .chain(typed("y"))
                .collect(),
            "1 3",
        );
        check(vec![KeyPress::Interrupt], "");
    }

    #[test]
    fn a_person_who_leaves_a_match_against_a_bot_forfeits() {
        let mut fixture = people(9);
        let bot = Player {
            name: "greedy".into(),
            kind: PlayerKind::BuiltIn("greedy".into()),
        };
        fixture.players[leitai_game::Entrant::B] = bot;
        let (_, played, broken) = play_keys(
            &fixture,
            typed("qy").into_iter().chain([KeyPress::Enter]).collect(),
        );
        assert!(
            broken.is_none() && played.replay.status == MatchStatus::Complete,
            "{broken:?}"
        );
        let said =
            crate::outcome::format_result(crate::lang::english(), &fixture, &played, None, None);
        assert!(
            said.starts_with("greedy wins   ann left the match; leg 1 was "),
            "{said}"
        );
    }

    #[test]
    fn a_closed_terminal_interrupts_the_match() {
        let (_, played, broken) = play_keys(&people(9), typed("da"));
        assert!(broken.is_some());
        assert_eq!(
            (played.replay.status, played.replay.legs[0].replies.as_str()),
            (MatchStatus::Interrupted, "1 3")
        );
    }

    #[test]
    fn the_slider_shows_the_number_of_rounds_ahead() {
        let check = |ahead: u32, part: &str| {
            let line = slider_line(crate::lang::english(), 1, ahead, 9, 60).to_string();
            assert!(
                line.starts_with(&format!("preview to round {part}")),
                "{line}"
            );
            line.chars().position(|c| c == '○').expect("a knob")
        };
        assert!(check(0, "1 (+0)") < check(4, "5 (+4)"));
        assert!(check(4, "5 (+4)") < check(8, "9 (+8)"));
        assert!(
            slider_line(crate::lang::english(), 9, 8, 9, 3)
                .to_string()
                .contains("round 9")
        );
    }
}

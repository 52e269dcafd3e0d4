//! A replay in the terminal: play, pause, step, seek, speed. What is no terminal gets one position as plain text.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use leitai_game::clean::{Breaks, clean, clean_line};
use leitai_game::picture::{Key, Look, Picture};
use leitai_game::replay::{OutcomeRecord, Replay, VerdictRecord};
use leitai_game::{AnyGame, AnyLeg, AnySetup, Eye, Seat, Verdict};
use leitai_judge::Spent;
use ratatui::Frame;
use ratatui::style::Modifier;
use ratatui::text::{Line, Span};
use serde_json::Value;

use super::film::{Film, Moment, Said};
use super::paint::{self, Palette, heading};
use super::panes::{self, Block, Panes};
use super::seek::{Pace, Seek, seek};
use super::story;
use super::window::{Press, Screen, Window, is_terminal};
use crate::files;
use crate::lang::{t, text};
use crate::outcome::fault_line;

/// How long nothing is drawn while the leg runs, and while it stands.
const FRAME: Duration = Duration::from_millis(33);
const IDLE: Duration = Duration::from_secs(1);
/// Lines of a log that are shown for one period.
const LOG_LINES: usize = 100;

/// Shows a replay from this leg (from 0) and round on, until the person leaves. `doubt` says why it is not to be trusted.
pub fn run(
    game: &'static dyn AnyGame,
    replay: &Replay,
    leg: usize,
    round: u32,
    doubt: Option<String>,
) -> anyhow::Result<()> {
    let mut viewer = Viewer { doubt, ..Viewer::new(game, replay, leg, round)? };
    if !is_terminal() {
        return files::print(&viewer.plain());
    }
    let mut screen = Screen::open().context("cannot use the terminal")?;
    viewer.watch(&mut screen).context("the terminal is gone")
}

/// A replay and what is looked at.
struct Viewer<'a> {
    game: &'a dyn AnyGame,
    replay: &'a Replay,
    setup: Arc<dyn AnySetup>,
    films: Vec<Option<Film<'a>>>,
    verdict: Option<String>,
    /// Why the replay is not to be trusted, if it is not.
    doubt: Option<String>,
    leg: usize,
    at: usize,
    pace: Pace,
    eye: Eye,
    ahead: u32,
    /// The digits of a round to go to, while they are typed.
    typed: Option<String>,
    help: bool,
    palette: Palette,
    quit: bool,
}

impl<'a> Viewer<'a> {
    fn new(game: &'a dyn AnyGame, replay: &'a Replay, leg: usize, round: u32) -> anyhow::Result<Viewer<'a>> {
        let setup = game.load(&replay.setup).context("the replay's setup cannot be used")?;
        let mut viewer = Viewer {
            game,
            replay,
            setup,
            films: replay.legs.iter().map(|_| None).collect(),
            verdict: None,
            doubt: None,
            leg,
            at: 0,
            pace: Pace::default(),
            eye: Eye::All,
            ahead: 0,
            typed: None,
            help: false,
            palette: Palette::from_environment(),
            quit: false,
        };
        viewer.load(leg);
        viewer.seek(Seek::Round(round));
        Ok(viewer)
    }

    fn load(&mut self, leg: usize) {
        if self.films[leg].is_none() {
            self.films[leg] = Some(Film::new(&*self.setup, &self.replay.legs[leg]));
        }
        if leg + 1 == self.films.len() && self.verdict.is_none() {
            (0..leg).for_each(|leg| self.load(leg));
            self.verdict = self.replay.verdict.as_ref().map(|recorded| self.verdict_line(recorded));
        }
    }

    fn film(&self) -> &Film<'a> {
        self.films[self.leg].as_ref().expect("a leg is loaded before it is chosen")
    }

    fn watch(&mut self, window: &mut dyn Window) -> std::io::Result<()> {
        let mut last = Instant::now();
        while !self.quit {
            let moment = self.film().at(self.at);
            window.draw(&mut |frame| self.draw(frame, &moment))?;
            let wait = if self.pace.playing { FRAME } else { IDLE };
            if let Some(press) = window.press(wait)? {
                self.press(press);
            }
            let now = Instant::now();
            self.pass(now - last);
            last = now;
        }
        Ok(())
    }

    /// Time passes: a running leg runs on, and stands at its end.
    fn pass(&mut self, time: Duration) {
        let last = self.film().last();
        self.at = last.min(self.at + self.pace.steps(time));
        self.pace.playing &= self.at < last;
    }

    fn seek(&mut self, how: Seek) {
        self.at = seek(&self.film().rounds, self.at, how);
    }

    fn press(&mut self, press: Press) {
        if self.help {
            self.help = press == Press::Resized;
            self.quit = press == Press::Interrupt;
            return;
        }
        if self.typed.is_some() && self.type_round(press) {
            return;
        }
        match press {
            Press::Escape | Press::Interrupt => self.quit = true,
            Press::Tab => self.next_leg(),
            Press::Home => self.seek(Seek::Start),
            Press::End => self.seek(Seek::End),
            Press::PageUp => self.seek(Seek::Rounds(-10)),
            Press::PageDown => self.seek(Seek::Rounds(10)),
            Press::Key(key) => self.key(key),
            Press::Enter | Press::Backspace | Press::Resized => {}
        }
    }

    fn key(&mut self, key: Key) {
        match key {
            Key::Right => self.seek(Seek::Rounds(1)),
            Key::Left => self.seek(Seek::Rounds(-1)),
            Key::Char('.' | '>') => self.seek(Seek::NextStep),
            Key::Char(',' | '<') => self.seek(Seek::PreviousStep),
            Key::Char(' ') => self.play_or_pause(),
            Key::Char(digit @ '1'..='5') => self.pace.set_speed(usize::from(digit as u8 - b'0')),
            Key::Char('g') => self.typed = Some(String::new()),
            Key::Char('l') => self.next_leg(),
            Key::Char('f') => self.eye = next_eye(self.eye),
            Key::Char('+' | '=') => self.ahead = (self.ahead + 1).min(self.setup.rounds()),
            Key::Char('-' | '_') => self.ahead = self.ahead.saturating_sub(1),
            Key::Char('?' | 'h') => self.help = true,
            Key::Char('q') => self.quit = true,
            _ => {}
        }
    }

    /// At the end, playing begins anew.
    fn play_or_pause(&mut self) {
        if !self.pace.playing && self.at == self.film().last() {
            self.at = 0;
        }
        self.pace.toggle();
    }

    fn next_leg(&mut self) {
        let leg = (self.leg + 1) % self.films.len();
        self.load(leg);
        (self.leg, self.at, self.pace.playing) = (leg, 0, false);
    }

    /// A press while a round is typed; tells whether it was part of that.
    fn type_round(&mut self, press: Press) -> bool {
        let Some(typed) = &mut self.typed else { return false };
        match press {
            Press::Key(Key::Char(digit @ '0'..='9')) if typed.len() < 7 => typed.push(digit),
            Press::Backspace => drop(typed.pop()),
            Press::Enter => {
                let round = typed.parse().ok();
                self.typed = None;
                if let Some(round) = round {
                    self.seek(Seek::Round(round));
                }
            }
            Press::Resized => {}
            Press::Escape => self.typed = None,
            _ => {
                self.typed = None;
                return false;
            }
        }
        true
    }
}

fn next_eye(eye: Eye) -> Eye {
    match eye {
        Eye::All => Eye::Seat(Seat::First),
        Eye::Seat(Seat::First) => Eye::Seat(Seat::Second),
        Eye::Seat(Seat::Second) => Eye::All,
    }
}

/// What is drawn.
impl Viewer<'_> {
    fn look(&self) -> Look {
        Look { eye: self.eye, ahead: self.ahead }
    }

    /// The position, and where something happened in the step that led to it.
    fn picture(&self, moment: &Moment) -> Picture {
        let mut picture = moment.leg.picture(&self.look());
        story::mark_cells(&mut picture, self.game.axes(), self.eye, &moment.events);
        picture
    }

    /// What the step did, as far as the eyes may know.
    fn events(&self, moment: &Moment) -> Vec<Value> {
        if self.game.is_open() {
            return moment.events.clone();
        }
        let (picture, axes) = (moment.leg.picture(&self.look()), self.game.axes());
        let seen = moment.events.iter().filter(|event| story::seen(&picture, axes, self.eye, event));
        seen.cloned().collect()
    }

    fn draw(&self, frame: &mut Frame<'_>, moment: &Moment) {
        let picture = self.picture(moment);
        let area = frame.area();
        if let Some(lines) = panes::too_small(area, &picture) {
            return panes::put(frame, area, lines);
        }
        let Panes { head, board, side, far, foot } = panes::lay(frame.area(), &picture, 3);
        panes::put(frame, head, self.head(&*moment.leg));
        panes::put(frame, board, paint::board(&picture, self.game.axes(), self.palette));
        let panel = Block { lines: paint::panel(&picture, self.palette), least: 4 };
        let wide = if far.width == 0 { side.width } else { far.width };
        let mut told = vec![
            self.doubt(wide),
            self.end(moment, wide),
            self.last_step(moment, wide),
            self.logs(moment, wide),
        ];
        if far.width == 0 {
            told.insert(2, panel);
            panes::put(frame, side, panes::stack(told, side.height));
        } else {
            panes::put(frame, side, panes::stack(vec![panel], side.height));
            panes::put(frame, far, panes::stack(told, far.height));
        }
        panes::put(frame, foot, self.foot(usize::from(foot.width)));
        if self.help {
            panes::over(frame, help());
        }
    }

    fn head(&self, leg: &dyn AnyLeg) -> Vec<Line<'static>> {
        let scores = leg.scores();
        let name = |seat| format!("{} ({})", self.name(seat), seat_name(seat));
        let (first, second) = (name(Seat::First), name(Seat::Second));
        let (left, right) = (scores[Seat::First], scores[Seat::Second]);
        let who = Line::styled(format!("{first}  {left} : {right}  {second}"), Modifier::BOLD);
        let eye = match self.eye {
            Eye::All => t("all", "全部").to_owned(),
            Eye::Seat(seat) => format!("{} ({})", self.name(seat), seat_name(seat)),
        };
        let mut parts = vec![
            format!("{} {}/{}", t("leg", "第几局"), self.leg + 1, self.films.len()),
            format!("{} {}/{}", t("round", "回合"), leg.round(), self.setup.rounds()),
            format!("{} {}", t("seen by", "视角"), eye),
        ];
        if self.ahead > 0 {
            parts.push(format!("{} +{}", t("looking ahead", "预览后续回合"), self.ahead));
        }
        vec![who, Line::styled(parts.join("   "), self.palette.faint())]
    }

    fn name(&self, seat: Seat) -> &str {
        &self.replay.entrants[seat.entrant(self.leg)].name
    }

    /// What led here.
    fn last_step(&self, moment: &Moment, wide: u16) -> Block<'static> {
        let told = |seat: Seat| self.game.is_open() || self.eye == Eye::All || self.eye == Eye::Seat(seat);
        let said = moment.last.iter().filter(|(seat, _)| told(*seat));
        let said = said.filter_map(|(seat, said)| Some((seat, said.as_ref()?)));
        let mut lines: Vec<Line<'static>> =
            said.flat_map(|(seat, said)| self.said(seat, said, wide)).collect();
        let told = story::tell(&self.events(moment));
        lines.extend(told.iter().flat_map(|line| panes::fold(line, wide)).map(Line::raw));
        Block { lines, least: 4 }
    }

    fn said(&self, seat: Seat, said: &Said, wide: u16) -> Vec<Line<'static>> {
        let what = match &said.reply {
            Ok(action) => match story::label(self.game, seat, action) {
                label if label == action => format!("{}: {action}", self.name(seat)),
                label => format!("{}: {label} [{action}]", self.name(seat)),
            },
            Err(fault) => format!("{}: {} {}", self.name(seat), story::FAULT, fault.code()),
        };
        let time = said.spent.map_or_else(String::new, |spent| format!("   {}", time_words(&spent)));
        let folded = panes::fold(&what, wide);
        let mut lines: Vec<Line<'static>> =
            folded.into_iter().map(|line| Line::styled(line, Modifier::BOLD)).collect();
        let time = Span::styled(time, self.palette.faint());
        match lines.last_mut() {
            Some(last) if last.width() + time.width() <= usize::from(wide) => last.push_span(time),
            _ => lines.push(Line::from(time)),
        }
        lines
    }

    /// What the bots wrote in this period.
    fn logs(&self, moment: &Moment, wide: u16) -> Block<'static> {
        let record = &self.replay.legs[self.leg];
        let now = record.logs.iter().filter(|log| log.period == moment.period);
        let mut lines = Vec::new();
        for log in now {
            let name = &self.replay.entrants[log.entrant].name;
            lines.push(heading(&format!("{} {name}", t("log of", "程序日志："))));
            let text = clean(&log.text, Breaks::Kept);
            let text = text.lines().take(LOG_LINES).flat_map(|line| panes::fold(&shortened(line), wide));
            lines.extend(text.map(Line::raw));
        }
        Block { lines, least: 4 }
    }

    /// Why the replay is not to be trusted.
    fn doubt(&self, wide: u16) -> Block<'static> {
        let told = self.doubt.iter().flat_map(|why| panes::fold(&format!("! {why}"), wide));
        let lines: Vec<Line<'static>> = told.map(|line| Line::styled(line, Modifier::BOLD)).collect();
        Block { least: lines.len().min(4), lines }
    }

    /// How the leg and the match ended, or why it cannot be followed further.
    fn end(&self, moment: &Moment, wide: u16) -> Block<'static> {
        let mut lines = Vec::new();
        if self.at == self.film().last() {
            let told = self.end_lines(&*moment.leg);
            let told = told.iter().flat_map(|line| panes::fold(line, wide));
            lines.extend(told.map(|line| Line::styled(line, Modifier::BOLD)));
        }
        let least = lines.len();
        Block { lines, least }
    }

    fn end_lines(&self, leg: &dyn AnyLeg) -> Vec<String> {
        let film = self.film();
        if let Some(why) = &film.stopped {
            let (so_far, stop) = (t("the rest cannot be played", "其余部分无法播放"), film.last());
            return vec![format!("! {so_far}: {why} ({} {stop})", t("played steps:", "已播放步数："))];
        }
        let record = &self.replay.legs[self.leg];
        let names = self.replay.entrants.each_ref().map(|entrant| entrant.name.clone());
        let Some(outcome) = leg.outcome() else {
            return vec![t("interrupted here", "对局在此中断").to_owned()];
        };
        let winner = match outcome.winner {
            Some(seat) => {
                format!("{} ({}) {}", self.name(seat), seat_name(seat), t("wins the leg", "赢得本局"))
            }
            None => t("the leg is a draw", "本局平局").to_owned(),
        };
        let mut lines = vec![format!("{winner} {}", text(outcome.reason.text))];
        lines.extend(record.faults.iter().map(|fault| format!("! {}", fault_line(&names, fault))));
        lines.extend(record.faults.iter().flat_map(|fault| &fault.last_words).map(|line| shortened(line)));
        if record.outcome.as_ref() != Some(&OutcomeRecord::from(&outcome)) {
            lines.push(t("! this is not the recorded outcome", "！与记录的结果不符").to_owned());
        }
        if self.leg + 1 == self.films.len() {
            lines.extend(self.verdict.clone());
        }
        lines
    }

    fn verdict_line(&self, recorded: &VerdictRecord) -> String {
        let legs: Vec<Box<dyn AnyLeg>> =
            self.films.iter().flatten().map(|film| film.at(film.last()).leg).collect();
        let verdict: Verdict = self.setup.verdict(&legs);
        let same = VerdictRecord::from(&verdict) == *recorded;
        let why = if same { text(verdict.reason.text) } else { &recorded.reason };
        match recorded.winner {
            Some(winner) => {
                format!("{} {} {why}", self.replay.entrants[winner].name, t("wins the match", "赢得比赛"))
            }
            None => format!("{} {why}", t("the match is a draw", "比赛平局")),
        }
    }

    fn foot(&self, width: usize) -> Vec<Line<'static>> {
        let (at, last) = (self.at, self.film().last());
        let mut lines = timeline(&self.film().marks, at, last, width);
        let run = if self.pace.playing { "▶" } else { "‖" };
        let hint = match &self.typed {
            Some(typed) => {
                format!("{} {typed}_   {}", t("go to round", "跳转到回合"), t("then enter", "回车确认"))
            }
            None => t(
                "space play  ←→ round  ,. action  g go to  ? help  q quit",
                "空格 播放  ←→ 回合  ,. 单步  g 跳转  ? 帮助  q 退出",
            )
            .to_owned(),
        };
        let (speed, state) = (self.pace.speed(), format!("{} {at}/{last}", t("step", "步")));
        lines.push(Line::raw(format!("{run} {speed}×  {state}  {hint}")));
        lines
    }

    /// The position that was asked for, and how the leg ended.
    fn plain(&self) -> String {
        let film = self.film();
        let moment = film.at(self.at);
        let mut lines: Vec<String> = self.doubt.iter().map(|why| format!("! {why}")).collect();
        lines.extend(self.head(&*moment.leg).iter().map(Line::to_string));
        lines.push(paint::plain(&self.picture(&moment), self.game.axes()));
        lines.extend(self.end_lines(&*film.at(film.last()).leg));
        lines.join("\n") + "\n"
    }
}

/// `first` or `second`.
pub fn seat_name(seat: Seat) -> &'static str {
    match seat {
        Seat::First => t("first", "先手"),
        Seat::Second => t("second", "后手"),
    }
}

/// The beginning of a program's line; a tab becomes a few blanks.
fn shortened(line: &str) -> String {
    clean_line(&line.replace('\t', "    ")).chars().take(500).collect()
}

/// `1.2 s (CPU 800 ms), noise 300 ms`.
fn time_words(spent: &Spent) -> String {
    let noise = spent.excused();
    let noise = if noise.is_zero() {
        String::new()
    } else {
        format!("{}{}", t(", noise ", "，干扰 "), leitai_judge::show(noise))
    };
    format!("{}{noise}", spent.words())
}

/// The marks, and below them where we are.
fn timeline(marks: &[(usize, char)], at: usize, last: usize, width: usize) -> Vec<Line<'static>> {
    if width == 0 {
        return Vec::new();
    }
    let column = |moment: usize| moment * (width - 1) / last.max(1);
    let mut row = vec![' '; width];
    for (moment, mark) in marks.iter().filter(|(moment, _)| *moment <= last) {
        let place = &mut row[column(*moment)];
        if *place == ' ' || story::weight(*mark) > story::weight(*place) {
            *place = *mark;
        }
    }
    let here = column(at);
    let track = |place: usize| match place.cmp(&here) {
        std::cmp::Ordering::Less => '━',
        std::cmp::Ordering::Equal => '●',
        std::cmp::Ordering::Greater => '─',
    };
    let line = |chars: String| Line::raw(chars);
    vec![line(row.into_iter().collect()), line((0..width).map(track).collect())]
}

fn help() -> Vec<Line<'static>> {
    let rows = [
        ("space", t("play, pause", "播放、暂停")),
        ("← →", t("a round back, on (page up, page down: ten)", "上一、下一回合（翻页键：十回合）")),
        (", .", t("an action back, on", "上一、下一步操作")),
        ("home end", t("to the start, to the end", "到开头、到结尾")),
        ("1 - 5", t("speed", "速度")),
        ("g N enter", t("go to round N", "跳到第 N 回合")),
        ("l tab", t("the next leg", "下一局")),
        ("f", t("seen by all, the first, the second", "视角：全部、先手、后手")),
        ("+ -", t("look ahead at what will come", "预览之后会出现的内容")),
        ("q esc", t("leave", "退出")),
        ("! ✕ s S", t("on the timeline: fault, death, split, solidified", "时间轴：违规、死亡、分裂、固化")),
    ];
    let line = |(key, what): (&str, &str)| Line::raw(format!("{key:<10} {what}"));
    rows.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::super::window::testing::{Scripted, typed};
    use super::*;
    use leitai_game::Entrant;
    use leitai_game::replay::{LegRecord, LogRecord, NoiseRecord, NoiseTimes};
    use serde_json::json;

    fn game() -> &'static dyn AnyGame {
        leitai_games::find("snakego").expect("it is in the list")
    }

    /// Leg 1 goes on for two rounds and a half and is interrupted there, unless other replies are given.
    fn replay(replies: [&str; 2]) -> Replay {
        let setup = game().deal(&json!({"max_round": 60}), 7).expect("a sound config");
        let text = json!({
            "format": "leitai-replay/1", "game": "snakego", "rules": "snakego/1", "engine": "test",
            "setup": setup.to_json(), "status": "interrupted", "verdict": null,
            "entrants": [{"name": "mybot", "kind": "program"}, {"name": "greedy", "kind": "built-in"}],
            "legs": replies.map(|replies| json!({"replies": replies})),
        });
        let mut replay = Replay::parse(&text.to_string()).expect("a sound replay");
        replay.legs[0].times_us = vec![212_000, 3_000, 1_000, 2_000, 5_000];
        replay.legs[0].cpu_us = vec![Some(180_000), None];
        let noise = NoiseTimes { delay_us: 30_000, ..NoiseTimes::default() };
        replay.legs[0].noise = vec![NoiseRecord { reply: 0, noise }];
        let log =
            LogRecord { entrant: Entrant::A, period: 3, text: "path \u{1b}[31mto\titem\nsecond line".into() };
        replay.legs[0].logs.push(log);
        replay
    }

    /// The last frame after these presses; they end with leaving.
    fn last_frame(replay: &Replay, presses: Vec<Press>) -> String {
        let mut viewer = Viewer::new(game(), replay, 0, 1).expect("a sound replay");
        let mut window = Scripted::new(presses.into_iter().chain([Press::Interrupt]));
        viewer.watch(&mut window).expect("memory is a terminal");
        let frames = window.frames.borrow();
        frames.last().expect("it was drawn").clone()
    }

    #[test]
    fn the_screen_says_where_we_are_and_what_happened() {
        let replay = replay(["1 3 1 3 1", "1 3"]);
        let check = |presses: Vec<Press>, parts: &[&str]| {
            let frame = last_frame(&replay, presses.clone());
            parts
                .iter()
                .for_each(|part| assert!(frame.contains(part), "{presses:?}: no {part:?} in\n{frame}"));
        };
        let (right, left) = (Press::Key(Key::Right), Press::Key(Key::Left));
        check(
            vec![],
            &["mybot (first)  1 : 1  greedy (second)", "leg 1/2", "round 1/60", "step 0/5", "? help"],
        );
        check(typed("."), &["step 1/5", "mybot: right [1]", "moved: "]);
        check(typed("."), &["212 ms (CPU 180 ms)", "noise 30 ms"]);
        check(typed(".."), &["greedy: left [3]   3 ms"]);
        check(typed("..,"), &["step 1/5"]);
        check(vec![right], &["round 2/60", "step 2/5", "greedy: left [3]"]);
        check(vec![right, right, right], &["round 3/60", "step 5/5", "interrupted here"]);
        check(vec![right, right, left], &["round 2/60"]);
        check(
            vec![right, Press::Key(Key::Char('.'))],
            &["log of mybot", r"path \u001b[31mto    item", "second line"],
        );
        check(vec![Press::End, Press::Home], &["step 0/5"]);
        check(typed("l"), &["leg 2/2", "greedy (first)  1 : 1  mybot (second)"]);
        check(vec![Press::Tab, Press::Tab], &["leg 1/2"]);
        check(typed("g3"), &["go to round 3_"]);
        check([typed("g3"), vec![Press::Enter]].concat(), &["round 3/60", "step 4/5"]);
        check(
            [typed("g3"), vec![Press::Backspace], typed("2"), vec![Press::Enter]].concat(),
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
        let game = leitai_games::find("tankcraft").expect("it is in the list");
        let setup = game.deal(&json!({"map": "crossroads", "rounds": 2}), 7).expect("a sound config");
        let team = "Team;Striker;Pioneer;Sniper;Striker;Striker";
        let round = "FIRE:3:3;GOUP;STOP;STOP;STOP/GOUP;STOP;STOP;STOP;STOP";
        let text = json!({
            "format": "leitai-replay/1", "game": "tankcraft", "rules": "tankcraft/1", "engine": "test",
            "setup": setup.to_json(), "status": "interrupted", "verdict": null,
            "entrants": [{"name": "mybot", "kind": "program"}, {"name": "miner", "kind": "built-in"}],
            "legs": [{"replies": format!("{team}/{team} {round}")}],
        });
        (game, Replay::parse(&text.to_string()).expect("a sound replay"))
    }

    #[test]
    fn tankcraft_shows_tanks_mines_shots_and_sights() {
        let (game, replay) = tankcraft();
        let check = |presses: &str, parts: &[&str], absent: &[&str]| {
            let mut viewer = Viewer::new(game, &replay, 0, 1).expect("a sound replay");
            let mut window = Scripted::sized(120, 40, typed(presses).into_iter().chain([Press::Interrupt]));
            viewer.watch(&mut window).expect("memory is a terminal");
            let frames = window.frames.borrow();
            let frame = frames.last().expect("it was drawn");
            parts.iter().for_each(|part| assert!(frame.contains(part), "{presses}: no {part:?} in\n{frame}"));
            absent.iter().for_each(|part| assert!(!frame.contains(part), "{presses}: {part:?} in\n{frame}"));
        };
        check(".", &[" 1     S0      P1      N2      S3      S4", "21     S9      S8", "$r", "$b"], &["✕ "]);
        let told = ["fired: col 3, row 3, tank 0", "died: ", "mybot: FIRE:3:3;GOUP;", "cause stone"];
        check("..", &told, &[]);
        // The shot lies on an open cell, the death off the map.
        check("..", &[" 3   %2* %2"], &[]);
        check(
            "..f",
            &["seen by mybot (first)", " 3 · %2* %2", "S0", "not seen"],
            &["S9", "N7", "miner: ", "tank 5"],
        );
        check("..ff", &["seen by miner (second)", "S9", "N7"], &["S0", "%2* %2", "fired", "mybot: "]);
        check("..fff", &["seen by all", "S0", "S9"], &["not seen"]);
    }

    #[test]
    fn space_plays_and_time_moves_on_to_the_end() {
        let replay = replay(["1 3 1 3 1", ""]);
        let mut viewer = Viewer::new(game(), &replay, 0, 1).expect("a sound replay");
        let mut check = |press: Option<char>, millis: u64, at: usize, playing: bool| {
            press.into_iter().for_each(|c| viewer.press(Press::Key(Key::Char(c))));
            viewer.pass(Duration::from_millis(millis));
            assert_eq!((viewer.at, viewer.pace.playing), (at, playing), "{press:?} {millis}");
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
    fn the_end_of_a_leg_says_who_won_and_what_went_wrong() {
        let mut faulty = replay(["1 3 3", ""]);
        faulty.legs[0].faults = serde_json::from_value(json!([{
            "entrant": "A", "seat": "first", "code": "IA", "round": 2, "step": 2, "what": "turned back",
            "last_words": ["bye"],
        }]))
        .expect("a sound fault");
        let frame = last_frame(&faulty, vec![Press::End]);
        // Length 1 grew to 2 in round 1, and growth makes the reversal of round 2 illegal.
        assert!(!frame.contains("interrupted here"), "{frame}");
        for part in
            ["greedy (second) wins the leg", "mybot (first) turned", "back [IA]", "bye", "not the recorded"]
        {
            assert!(frame.contains(part), "no {part:?} in\n{frame}");
        }
        let marks = frame.lines().nth(21).expect("24 rows");
        assert!(marks.trim_end().ends_with('!'), "{frame}");
    }

    #[test]
    fn a_replay_that_cannot_be_played_shows_what_could_be() {
        let replay = replay(["1 3 1 what 1", ""]);
        let frame = last_frame(&replay, vec![Press::End]);
        for part in ["step 3/3", "the rest cannot be played", "is no action"] {
            assert!(frame.contains(part), "no {part:?} in\n{frame}");
        }
    }

    #[test]
    fn without_a_terminal_there_is_plain_text() {
        let replay = replay(["1 3 1 3 1", "1 3"]);
        let viewer = Viewer::new(game(), &replay, 0, 2).expect("a sound replay");
        let text = viewer.plain();
        for part in ["mybot (first)  2 : 2  greedy (second)", "round 2/60", "interrupted here"] {
            assert!(text.contains(part), "no {part:?} in\n{text}");
        }
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn a_terminal_that_is_too_small_says_so() {
        let replay = replay(["1 3 1 3 1", "1 3"]);
        let check = |size: (u16, u16), expected: bool| {
            let mut viewer = Viewer::new(game(), &replay, 0, 1).expect("a sound replay");
            let mut window = Scripted::sized(size.0, size.1, [Press::Interrupt]);
            viewer.watch(&mut window).expect("memory is a terminal");
            let frame = window.frames.borrow()[0].clone();
            let said = frame.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(said.contains("too small: 35 x 17 are needed"), expected, "{size:?}: {said}");
        };
        check((35, 17), false);
        check((34, 17), true);
        check((80, 16), true);
    }

    #[test]
    fn every_size_of_terminal_can_be_drawn_on() {
        let replay = replay(["1 3 1 3 1", "1 3"]);
        for (width, height) in [(0, 0), (1, 1), (10, 3), (40, 24), (80, 24), (33, 60), (250, 80)] {
            let mut viewer = Viewer::new(game(), &replay, 0, 1).expect("a sound replay");
            let mut window = Scripted::sized(width, height, [Press::End, typed("?")[0], Press::Interrupt]);
            viewer.watch(&mut window).expect("memory is a terminal");
        }
    }

    #[test]
    fn the_timeline_keeps_the_weightier_mark() {
        let check = |marks: &[(usize, char)], at: usize, last: usize, expected: [&str; 2]| {
            let lines: Vec<String> = timeline(marks, at, last, 10).iter().map(Line::to_string).collect();
            assert_eq!(lines, expected);
        };
        check(&[], 0, 0, ["          ", "●─────────"]);
        check(&[(1, 's'), (9, '!')], 9, 9, [" s       !", "━━━━━━━━━●"]);
        check(&[(50, 'e'), (51, '✕'), (52, 's'), (101, '!')], 50, 100, ["    ✕     ", "━━━━●─────"]);
        assert!(timeline(&[], 0, 5, 0).is_empty());
    }

    #[test]
    fn an_empty_leg_can_be_looked_at() {
        let mut replay = replay(["", ""]);
        replay.legs.truncate(1);
        replay.legs[0] = LegRecord::default();
        assert!(last_frame(&replay, typed(".,l l")).contains("step 0/0"));
    }
}

//! Tests of `order_builder`.

use leitai_game::action_builder::{ActionBuilder, KeyEffect, PartialAction};
use leitai_game::render::{Key, PaletteColor};
use leitai_game::{BySeat, Perspective};
use leitai_game::{Lang, Seat};
use leitai_tankcraft::order_builder::*;
use leitai_tankcraft::orders::{Action, TankOrder};
use leitai_tankcraft::position::Position;
use leitai_tankcraft::setup::Setup;
use leitai_tankcraft::setup::{Config, MapName, MapSource};
use leitai_tankcraft::tank::{TEAM, TankType};
use leitai_tankcraft::view::View;

fn keys(text: &str) -> Vec<Key> {
    let key = |word: &str| match word {
        "enter" => Key::Enter,
        "back" => Key::Backspace,
        "tab" => Key::Tab,
        "up" => Key::Up,
        "down" => Key::Down,
        "left" => Key::Left,
        "right" => Key::Right,
        char => Key::Char(char.chars().next().expect("a word")),
    };
    text.split_ascii_whitespace().map(key).collect()
}

/// On Crossroads red's tanks stand on row 1 in columns 3, 7, 11, 15 and 19; tank 1 is dead, 0 a
/// Sniper.
fn moment(round: u16) -> (Setup, Position) {
    use TankType::{Pioneer as P, Sniper as N, Striker as S};
    let config = Config {
        map: MapSource::Named(MapName::Crossroads),
        ..Config::default()
    };
    let setup = Setup::deal(&config, 0).expect("built in");
    let mut position = Position::start(&setup);
    if round > 0 {
        position.choose_teams(&setup, BySeat::new([N, S, P, S, S], [S; 5]), &mut ());
        position.tanks[1] = leitai_tankcraft::tank::Tank::dead_tank(S, 3);
    }
    (setup, position)
}

/// The effect of the last key, and the draft after it.
fn press(round: u16, seat: Seat, text: &str) -> (OrderKeyEffect, PartialAction) {
    let (setup, position) = moment(round);
    let view = View::new(&setup, &position, Perspective::Seat(seat));
    let mut commander = OrderBuilder::new(seat);
    let done = keys(text)
        .into_iter()
        .map(|key| commander.handle_key(&setup, &view, key))
        .last();
    (
        done.expect("a key"),
        commander.show_draft(&setup, &view, Lang::En),
    )
}

#[track_caller]
fn says(round: u16, seat: Seat, text: &str, expected: &str) {
    match press(round, seat, text).0 {
        KeyEffect::Say(action) => assert_eq!(action.notation(), expected, "{text}"),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_team_is_chosen_with_letters_and_arrows() {
    let says = |text, expected| says(0, Seat::First, text, expected);
    says("enter", "Team;Striker;Striker;Striker;Striker;Striker");
    says(
        "2 p 5 n enter",
        "Team;Striker;Pioneer;Striker;Striker;Sniper",
    );
    says(
        "right down right right enter",
        "Team;Pioneer;Sniper;Striker;Striker;Striker",
    );
    says(
        "left tab left left up s enter",
        "Team;Striker;Pioneer;Striker;Striker;Striker",
    );
    says("up n enter", "Team;Striker;Striker;Striker;Striker;Sniper");
    assert_eq!(press(0, Seat::First, "q").0, KeyEffect::Nothing);
}

#[test]
fn orders_go_to_the_selected_tank_and_unset_ones_stop() {
    let says = |text, expected| says(1, Seat::First, text, expected);
    says("enter", "STOP;STOP;STOP;STOP;STOP");
    says("down enter", "GODOWN;STOP;STOP;STOP;STOP");
    says("s tab a 4 d 5 w enter", "GODOWN;STOP;GOLEFT;GORIGHT;GOUP");
    says("s x enter", "STOP;STOP;STOP;STOP;STOP");
    says("s . 3 s back enter", "STOP;STOP;STOP;STOP;STOP");
    says("5 tab s enter", "GODOWN;STOP;STOP;STOP;STOP");
}

#[test]
fn a_target_is_moved_with_the_arrows_and_confirmed() {
    let says = |text, expected| says(1, Seat::First, text, expected);
    says(
        "f down down right enter enter",
        "FIRE:3:4;STOP;STOP;STOP;STOP",
    );
    says("f up up s enter enter", "FIRE:2:3;STOP;STOP;STOP;STOP");
    says("f s s back enter", "STOP;STOP;STOP;STOP;STOP");
    says("f s enter f s enter enter", "FIRE:3:3;STOP;STOP;STOP;STOP");
    says("f s 3 s enter", "STOP;STOP;GODOWN;STOP;STOP");
    says("3 f s enter enter", "STOP;STOP;FIRE:2:11;STOP;STOP");
}

#[test]
fn targets_out_of_range_are_refused_and_grey_with_the_reason() {
    let (done, draft) = press(1, Seat::First, "3 f s s enter");
    assert_eq!(done, KeyEffect::Refused(FAR));
    let line = draft
        .lines
        .iter()
        .find(|line| line.text.contains("target"))
        .expect("it aims");
    assert_eq!(
        (line.text.as_str(), line.ink),
        ("target (3,11) ✗ out of range: 2 > 1", PaletteColor::Grey)
    );
    let cursor = draft.marks.last().expect("a cursor");
    assert_eq!(
        (cursor.row, cursor.column, cursor.cell.ink),
        (2, 10, PaletteColor::Grey)
    );
}

#[test]
fn dead_tanks_are_shown_and_skipped() {
    assert_eq!(press(1, Seat::First, "2").0, KeyEffect::Refused(DEAD));
    let (_, draft) = press(1, Seat::First, "tab");
    assert_eq!(draft.lines[1].text, " 2 S1 dead, back in round 3");
    assert_eq!(draft.lines[1].ink, PaletteColor::Grey);
    assert!(
        draft.lines[2].text.starts_with("▸3 P2 9HP (1,11)"),
        "{:?}",
        draft.lines[2]
    );
}

#[test]
fn the_draft_shows_orders_in_the_panel_and_on_the_board() {
    let (_, draft) = press(1, Seat::First, "f s s enter 4 s 5 w");
    let lines: Vec<&str> = draft.lines.iter().map(|line| line.text.as_str()).collect();
    assert_eq!(lines[0], " 1 N0 2HP (1,3)   FIRE (3,3)");
    assert_eq!(lines[2], " 3 P2 9HP (1,11)  -");
    assert_eq!(lines[3], " 4 S3 3HP (1,15)  GO ↓");
    assert_eq!(lines[4], "▸5 S4 3HP (1,19)  ↑ stone, dies!");
    let texts: Vec<(usize, usize, [char; 2])> = draft
        .marks
        .iter()
        .map(|mark| (mark.row, mark.column, mark.cell.text))
        .collect();
    assert!(texts.contains(&(2, 2, ['×', '0'])), "{texts:?}");
    assert!(texts.contains(&(0, 14, ['↓', '3'])), "{texts:?}");
    let strong: Vec<usize> = draft
        .marks
        .iter()
        .filter(|mark| mark.cell.strong)
        .map(|m| m.column)
        .collect();
    assert_eq!(strong, [18]);
}

#[test]
fn blue_commands_tanks_5_to_9() {
    says(
        1,
        Seat::Second,
        "up 5 f w enter enter",
        "GOUP;STOP;STOP;STOP;FIRE:20:3",
    );
    assert!(
        press(1, Seat::Second, "1").1.lines[0]
            .text
            .starts_with("▸1 S5 3HP")
    );
}

#[test]
fn a_side_without_tanks_can_only_send() {
    let (setup, mut position) = moment(1);
    (0..TEAM).for_each(|n| {
        position.tanks[n] = leitai_tankcraft::tank::Tank::dead_tank(TankType::Striker, 3)
    });
    let view = View::new(&setup, &position, Perspective::Seat(Seat::First));
    let mut commander = OrderBuilder::new(Seat::First);
    for key in keys("1 tab f w x back") {
        assert_eq!(
            commander.handle_key(&setup, &view, key),
            KeyEffect::Refused(DEAD),
            "{key}"
        );
    }
    let all_stop = Action::Orders([TankOrder::Stop; TEAM]);
    assert_eq!(
        commander.handle_key(&setup, &view, Key::Enter),
        KeyEffect::Say(all_stop)
    );
    assert!(
        commander
            .show_draft(&setup, &view, Lang::Zh)
            .marks
            .is_empty()
    );
}

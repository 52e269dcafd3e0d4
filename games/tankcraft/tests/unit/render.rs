//! Tests of `render`.

use leitai_game::BySeat;
use leitai_game::render::RenderOptions;
use leitai_game::{Perspective, Seat};
use leitai_tankcraft::position::Position;
use leitai_tankcraft::render::*;
use leitai_tankcraft::setup::Setup;
use leitai_tankcraft::setup::{Config, MapName, MapSource};
use leitai_tankcraft::tank::TankType;

#[test]
fn terrain_mines_and_visible_tanks_are_drawn() {
    let config = Config {
        map: MapSource::Named(MapName::Crossroads),
        ..Config::default()
    };
    let setup = Setup::deal(&config, 0).expect("built in");
    let mut position = Position::start(&setup);
    position.choose_teams(
        &setup,
        BySeat::new([TankType::Striker; 5], [TankType::Sniper; 5]),
        &mut (),
    );
    let all = render_map(
        &setup,
        &position,
        &RenderOptions {
            perspective: Perspective::All,
            ahead: 0,
        },
    )
    .plain_board();
    let rows: Vec<&str> = all.lines().collect();
    assert_eq!(rows[0], "    S0      S1      S2      S3      S4");
    assert_eq!(rows[20], "    N9      N8      N7      N6      N5");
    assert_eq!(rows[3], "        $r      %2%2%2%2%2      $r");
    assert_eq!(rows[6], "  ####                              ####");
    let red = render_map(
        &setup,
        &position,
        &RenderOptions {
            perspective: Perspective::Seat(Seat::First),
            ahead: 0,
        },
    );
    assert!(!red.plain_board().contains('N'), "{}", red.plain_board());
    assert!(
        red.panel
            .iter()
            .any(|line| line.text == "5 Sniper  not seen")
    );
    assert!(
        red.panel
            .iter()
            .any(|line| line.text == "0 Striker 3 HP at (1,3)")
    );
}

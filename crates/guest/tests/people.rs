//! What a person at a terminal does with a guest game.

use leitai_game::action_builder::KeyEffect;
use leitai_game::render::Key;
use leitai_game::{AnyGame, Lang, Seat};
use leitai_guest::{GuestGame, Limits};
use serde_json::json;

use crate::modules::meta_of_nothing;

#[test]
fn an_action_is_typed_or_chosen_of_the_list() {
    let module = wat::parse_str(include_str!("data/say_a.wat")).expect("sound text");
    let game = GuestGame::load(&meta_of_nothing(), &module, Limits::default());
    let game = game.unwrap_or_else(|why| panic!("{why}"));
    let leg = game
        .deal_setup(&json!({}), 1)
        .expect("it deals")
        .start_leg();
    let say = || KeyEffect::Say("a".to_owned());
    for (keys, expected) in [
        (&[Key::Enter][..], say()),
        (&[Key::Char('a')], KeyEffect::Changed),
        (&[Key::Char('a'), Key::Enter], say()),
        // The terminal's own keys stay its own.
        (&[Key::Char('q')], KeyEffect::Nothing),
        (
            &[Key::Char('a'), Key::Backspace, Key::Down, Key::Enter],
            say(),
        ),
        (&[Key::Backspace], KeyEffect::Nothing),
    ] {
        let mut builder = game
            .action_builder(Seat::First)
            .expect("every guest game has one");
        let effects = keys
            .iter()
            .map(|key| builder.handle_key(&*leg, Seat::First, *key));
        assert_eq!(effects.last(), Some(expected), "{keys:?}");
        let draft = builder.show_draft(&*leg, Seat::First, Lang::En);
        assert!(
            draft.lines.iter().any(|line| line.text == "▸ a"),
            "{draft:?}"
        );
    }
}

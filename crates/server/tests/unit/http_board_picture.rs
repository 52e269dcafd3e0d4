//! Tests of `http::board_picture`.

use leitai_game::BySeat;
use leitai_game::Seat;
use leitai_game::render::RenderOptions;
use leitai_game::render::RenderedCell;
use leitai_game::{Perspective, Reply, Rng};
use leitai_server::http::board_picture::*;
use leitai_server::http::picture_text::PictureText;

fn shape(text: &str) -> Shape {
    let mut chars = text.chars();
    let text = [(); 2].map(|()| chars.next().unwrap_or(' '));
    shape_of(&RenderedCell::uncoloured(text))
}

#[test]
fn cells_of_all_games_have_their_shapes() {
    for (text, expected) in [
        (". ", Shape::Empty),
        (" .", Shape::Empty),
        ("##", Shape::Block),
        ("▓▓", Shape::Block),
        ("▓3", Shape::Block),
        ("░░", Shape::Stripes),
        ("%2", Shape::Stripes),
        ("$r", Shape::Diamond),
        ("─┐", Shape::Path(5)),
        ("╗ ", Shape::Path(12)),
        ("1→", Shape::Disc),
        ("S0", Shape::Disc),
        ("A^", Shape::Disc),
        ("bb", Shape::Tile),
        ("+3", Shape::Dot),
        ("✹ ", Shape::Dot),
    ] {
        assert_eq!(shape(text), expected, "{text}");
    }
}

#[test]
fn a_picture_of_every_game_is_a_png_with_both_sides_colours() {
    for game in leitai_games::ALL {
        let config = game
            .read_config(&serde_json::Value::Null)
            .expect("defaults");
        let setup = game.deal_setup(&config, 7).expect("a seed deals");
        let mut leg = setup.start_leg();
        let mut rng = Rng::new(1);
        for _ in 0..12 {
            let actions = Seat::BOTH.map(|seat| {
                let is_asked = leg.to_move().asks_seat(seat);
                leg.sample_action(seat, &mut rng).filter(|_| is_asked)
            });
            let reply = |seat: Seat| actions[seat.index()].as_deref().map(Reply::Action);
            let replies = BySeat::from_fn(reply);
            leg.step(replies, &mut ());
        }
        let look = RenderOptions {
            perspective: Perspective::All,
            ahead: 0,
        };
        let rendering = leg.render_position(&look);
        let caption = Caption {
            names: BySeat::new("Zoë-the-longest-name-24".to_owned(), "擂台".to_owned()),
            middle: "47:31  4:21".to_owned(),
            below: game.meta().title.en.to_owned(),
        };
        let png = draw_board(&rendering, leg.scores(), &caption);
        if let Ok(folder) = std::env::var("LEITAI_SHOTS") {
            let path = format!("{folder}/{}.png", game.meta().id);
            std::fs::write(path, &png).expect("a picture to look at");
        }
        let mut reader = png::Decoder::new(std::io::Cursor::new(&png))
            .read_info()
            .expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("it fits")];
        let info = reader.next_frame(&mut pixels).expect("a whole picture");
        assert_eq!((info.width as usize, info.height as usize), SIZE);
        let sides = side_colors(&rendering);
        for seat in Seat::BOTH {
            let color = color_of(sides[seat]);
            assert!(
                pixels.chunks(3).any(|pixel| pixel == color),
                "{} {seat:?}",
                game.meta().id
            );
        }
        assert!(png.len() < 100_000, "{} bytes", png.len());
    }
}

#[test]
fn every_latin_letter_is_drawn_and_others_are_not() {
    let ascii: String = ('!'..='~').collect();
    let text = PictureText::new(&ascii).expect("ASCII is drawn");
    let (wide, covered) = text.cover(30.0);
    // What hangs below the line is not cut off.
    let last = covered.chunks(wide).last().expect("it has rows");
    assert!(last.iter().all(|share| *share == 0.0));
    for sign in '!'..='~' {
        let text = PictureText::new(&sign.to_string()).expect("it is drawn");
        let (_, covered) = text.cover(30.0);
        assert!(covered.contains(&1.0), "{sign} is empty");
    }
    assert!(PictureText::new("Zoë").is_some(), "without its accent");
    for other in ["擂台", "", "  ", "a\u{7}b"] {
        assert!(PictureText::new(other).is_none(), "{other:?}");
    }
}

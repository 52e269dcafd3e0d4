//! Tests of `http::board_picture`.

use leitai_game::BySeat;
use leitai_game::Seat;
use leitai_game::render::{RenderOptions, RenderedCell, Rendering};
use leitai_game::{Perspective, Reply, Rng};
use leitai_server::http::board_picture::*;
use leitai_server::http::picture_font::{PictureFont, system_font};
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

fn no_font() -> Option<&'static PictureFont> {
    None
}

#[test]
fn every_latin_letter_is_drawn_and_others_are_not_without_a_font() {
    let text = PictureText::new("$,;Q_gjpqy|(){}[]", no_font).expect("ASCII is drawn");
    let cover = text.cover(30.0);
    // What hangs below the line is not cut off.
    let last = cover.shares.chunks(cover.wide).last().expect("it has rows");
    assert!(last.iter().all(|share| *share == 0.0));
    for sign in '!'..='~' {
        let text = PictureText::new(&sign.to_string(), no_font).expect("it is drawn");
        let cover = text.cover(30.0);
        assert!(cover.shares.contains(&1.0), "{sign} is empty");
    }
    let accent = PictureText::new("Zoë", no_font);
    assert!(accent.is_some(), "without its accent");
    for other in ["擂台", "", "  ", "a\u{7}b"] {
        assert!(PictureText::new(other, no_font).is_none(), "{other:?}");
    }
}

/// The font of this machine, if it has this letter.
fn font_with(letter: &str) -> Option<&'static PictureFont> {
    let font = system_font().filter(|font| font.lay_out(letter).is_some());
    if font.is_none() {
        eprintln!("NOT TESTED: no font here has {letter}: apt-get install fonts-wqy-microhei");
    }
    font
}

#[test]
fn a_font_of_this_machine_draws_chinese_names() {
    let Some(font) = font_with("擂") else {
        return;
    };
    let lend = || Some(font);
    for name in ["擂台", "张三-2号", "一"] {
        let text = PictureText::new(name, lend).expect("the font has it");
        let cover = text.cover(30.0);
        assert!(cover.shares.iter().any(|share| *share > 0.9), "{name}");
        // Nothing is cut off above or below, and the text is as wide as its ink.
        let rows: Vec<&[f32]> = cover.shares.chunks(cover.wide).collect();
        let edges = [rows[0], rows[rows.len() - 1]].concat();
        assert!(edges.iter().all(|share| *share == 0.0), "{name}");
        let is_inked = |column: usize| rows.iter().any(|row| row[column] > 0.1);
        let last = (0..cover.wide).rev().find(|column| is_inked(*column));
        assert!(last > Some(cover.wide * 3 / 4), "{name}: {last:?}");
    }
    let drawn = |name: &str| {
        PictureText::new(name, lend)
            .expect("it is drawn")
            .cover(30.0)
    };
    assert!(
        drawn("擂台").shares != drawn("擂主").shares,
        "letters differ"
    );
}

#[test]
fn whatever_a_text_holds_a_picture_comes_of_it() {
    let many = [
        "字",
        "W",
        "ﷺ",
        "e\u{301}",
        "👩\u{200d}🚀",
        "𒐫",
        "\u{10ffff}",
    ]
    .map(|one| one.repeat(300));
    let marks = "a".to_owned() + &"\u{301}\u{489}\u{20dd}".repeat(300);
    let more = [
        marks.as_str(),
        "\u{202e}olleh",
        "שלום",
        "مرحبا 1:0",
        "नमस्ते",
        "ก็็็็็็",
        "🐍 蛇",
        "\u{feff}\u{200b}\u{ad}",
        "\0\n\t",
        "字\u{301}",
    ];
    let texts: Vec<&str> = many.iter().map(String::as_str).chain(more).collect();
    for (text, font) in texts
        .iter()
        .flat_map(|text| [(text, None), (text, system_font())])
    {
        let Some(drawn) = PictureText::new(text, || font) else {
            continue;
        };
        for capital in [0.5, 17.0, 30.0] {
            let cover = drawn.cover(capital);
            assert_eq!(cover.shares.len() % cover.wide, 0, "{text:?}");
            assert!(cover.wide < 4000, "{text:?}: {} pixels", cover.wide);
        }
    }
    let board = Rendering {
        board: vec![vec![RenderedCell::uncoloured(['1', ' ']); 16]; 8],
        ..Rendering::default()
    };
    for some in texts.chunks(4) {
        let text = |at: usize| some[at % some.len()].to_owned();
        let caption = Caption {
            names: BySeat::new(text(0), text(1)),
            middle: text(2),
            below: text(3),
        };
        assert!(!draw_board(&board, BySeat::new(0, 0), &caption).is_empty());
    }
    // What is written from the right, and marks over letters, need more than letters side by side.
    for text in ["שלום", "مرحبا", "字\u{301}"] {
        assert!(PictureText::new(text, system_font).is_none(), "{text:?}");
    }
}

//! Texts of bots that are no actions: rules must say so, and play on as they do after any fault.

use leitai_game::conformance::{KeptReplies, RandomLegs, as_text, random_replies};
use leitai_game::erased::AnyLeg;
use leitai_game::{Reply, Seat};

use super::input::{input_line, tokens};

/// What is wrong, and where.
type Found = (String, String);

/// What a message holds beside the text of an action: `{"action":"…"}`.
const AROUND: usize = 16;

/// Shows the rules texts that no action has, and variants of the actions that they know.
pub(super) fn check_texts(bench: &RandomLegs<'_>) -> Result<usize, Found> {
    let mut cases = 0;
    let mut rng = bench.salted_rng(31);
    for played in &bench.played {
        let mut leg = played.setup.start_leg();
        let middle = played.said.len() / 2;
        for (step, said) in played.said.iter().enumerate() {
            if step == 0 || step == middle {
                let texts = list_texts(bench);
                cases += texts.len();
                let input = || input_line(bench, played.seed, &tokens(&played.said[..step]));
                let other = random_replies(&*leg, &mut rng, false).map_err(|why| (why, input()))?;
                for text in &texts {
                    check_text(bench, &*leg, text, &other).map_err(|why| (why, input()))?;
                }
            }
            leg.step(as_text(said), &mut ());
        }
    }
    Ok(cases)
}

fn list_texts(bench: &RandomLegs<'_>) -> Vec<String> {
    let fixed = [
        "",
        " ",
        "-",
        "!",
        "/",
        "\0",
        "\n",
        "-1",
        "0x1",
        "1e9",
        "NaN",
        "null",
        "{}",
        "[]",
        "\"\"",
        "é",
        "\u{202e}",
        "\u{feff}",
        "𝔘",
        "18446744073709551616",
        "%s%n",
        "..",
        "ＡＢ",
    ];
    let mut texts: Vec<String> = fixed.map(str::to_owned).into();
    // As long as a message may be.
    let long = bench.game.meta().message_limit.saturating_sub(AROUND);
    texts.push("9".repeat(long));
    texts.push("é".repeat(long / 2));
    for word in bench.vocabulary.iter().take(3) {
        let of = [
            format!(" {word}"),
            format!("{word} "),
            format!("{word}\n"),
            format!("{word}\0"),
            format!("0{word}"),
            format!("+{word}"),
            format!("{word}{word}"),
            format!("{word}.0"),
        ];
        texts.extend(of);
    }
    texts.retain(|text| !bench.vocabulary.contains(text));
    texts
}

fn check_text(
    bench: &RandomLegs<'_>,
    leg: &dyn AnyLeg,
    text: &str,
    replies: &KeptReplies,
) -> Result<(), String> {
    let shown: String = text.chars().take(40).collect();
    for seat in Seat::BOTH {
        let is_asked = leg.to_move().asks_seat(seat);
        let is_listed = leg.legal_actions(seat).iter().any(|legal| legal == text);
        let is_legal = leg.check_action(seat, text).is_ok();
        if is_legal && !is_listed && !(bench.options.partial_legal && is_asked) {
            return Err(format!(
                "check accepts {shown:?} of {seat}, which legal does not list"
            ));
        }
        if leg.knows_action(text) && !is_plain(text) {
            return Err(format!(
                "{shown:?} is known as an action, but cannot stand in a replay"
            ));
        }
        if !is_asked || is_legal {
            continue;
        }
        let mut said = replies.clone();
        said[seat] = Some(Reply::Action(text.to_owned()));
        let mut after = leg.clone_leg();
        after.step(as_text(&said), &mut ());
        let fault = after.fault().or_else(|| leg.fault());
        if let Some(fault) = fault {
            return Err(fault.to_string());
        }
        let ended = after.outcome();
        if ended.is_some_and(|end| end.winner == Some(seat) && end.faults[seat.other()].is_none()) {
            return Err(format!("{seat} wins by saying {shown:?}"));
        }
    }
    Ok(())
}

fn is_plain(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'/' && byte != b'!';
    !text.is_empty() && text != "-" && text.bytes().all(plain)
}

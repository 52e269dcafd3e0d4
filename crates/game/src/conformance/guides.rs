//! What a guide for players shows: its positions can be reached, and its bytes are what a protocol
//! writes and reads there.

use crate::erased::{AnyGame, AnyLeg, AnyProtocol};
use crate::guide::{GuideBlock, GuidePosition, expand_positions, list_blocks};
use crate::protocol::Framing;
use crate::reply::Reply;
use crate::seat::Seat;

/// Every picture of the guide is a position of the game, in every language the same ones; every
/// block `bytes PROTOCOL SEAT NUMBER` is what the protocol writes (`→`) to the seat in the position
/// of the picture of this number, from 1, and reads (`←`) as an answer.
///
/// # Errors
/// What is wrong, as a sentence.
pub fn check_guide(game: &dyn AnyGame) -> Result<usize, String> {
    let guide = game.rules_guide();
    let mut all = Vec::new();
    for text in [guide.en, guide.zh] {
        expand_positions(game, text).map_err(|error| error.to_string())?;
        all.push(check_text(game, text)?);
    }
    if all[0] != all[1] {
        return Err(format!("the guide differs in the languages: {all:?}"));
    }
    Ok(all[0].len())
}

/// The pictures and byte examples of a guide, without their words.
fn check_text(game: &dyn AnyGame, text: &str) -> Result<Vec<String>, String> {
    let mut pictures: Vec<GuidePosition> = Vec::new();
    let mut found = Vec::new();
    for block in list_blocks(text) {
        if let Some(position) = block.read_position().map_err(|error| error.to_string())? {
            if position.alt.is_empty() {
                return Err(format!("a picture has no alt text: {}", block.text));
            }
            check_legal(game, &position)?;
            let (config, seed, replies) = (&position.config, position.seed, &position.replies);
            found.push(format!("{config} {seed} {replies} {:?}", position.area));
            pictures.push(position);
        } else if block.info.starts_with("bytes ") {
            check_bytes(game, &pictures, block)?;
            found.push(block.info.to_owned() + block.text);
        }
    }
    Ok(found)
}

/// No reply of a picture is a fault.
fn check_legal(game: &dyn AnyGame, position: &GuidePosition) -> Result<(), String> {
    let mut wrong = None;
    position
        .play(game, &mut |step| {
            for (seat, reply) in step.replies.iter_pairs() {
                let found = match reply {
                    Some(Reply::Action(action)) => step.before.check_action(seat, action).err(),
                    _ => None,
                };
                wrong = wrong.take().or(found);
            }
        })
        .map_err(|error| error.to_string())?;
    match wrong {
        None => Ok(()),
        Some(illegal) => Err(format!("the picture {:?}: {illegal:?}", position.alt)),
    }
}

fn check_bytes(
    game: &dyn AnyGame,
    pictures: &[GuidePosition],
    block: GuideBlock<'_>,
) -> Result<(), String> {
    let mut words = block.info.split_ascii_whitespace().skip(1);
    let name = words.next().unwrap_or_default();
    let seat = match words.next() {
        Some("first") => Seat::First,
        Some("second") => Seat::Second,
        other => return Err(format!("bytes of which seat? {other:?}")),
    };
    let number = words.next().and_then(|word| word.parse::<usize>().ok());
    let position = number
        .and_then(|number| pictures.get(number.checked_sub(1)?))
        .ok_or_else(|| format!("{:?} names no picture before it", block.info))?;
    let mut protocol = game
        .make_protocol(name)
        .ok_or_else(|| format!("there is no protocol {name:?}"))?;
    let (sent, leg) = send_all(game, position, seat, &mut *protocol)?;
    let is_text = matches!(protocol.message_framing(&*leg), Framing::Lines(_));
    let shown = read_lines(block.text, '→', is_text)?;
    let answer = read_lines(block.text, '←', is_text)?;
    if shown.is_empty() || !sent.ends_with(&shown) {
        return Err(format!(
            "{name} does not end with the bytes {shown:x?}, but sends {sent:x?}: {}",
            String::from_utf8_lossy(&sent)
        ));
    }
    let body = match protocol.message_framing(&*leg) {
        Framing::Lines(count) if answer.iter().filter(|byte| **byte == b'\n').count() == count => {
            answer.strip_suffix(b"\n")
        }
        Framing::Lines(_) => None,
        Framing::Length32 => answer
            .split_first_chunk::<4>()
            .filter(|(length, body)| i64::from(i32::from_be_bytes(**length)) == body.len() as i64)
            .map(|(_, body)| body),
    };
    let body = body.ok_or_else(|| format!("{answer:x?} is not one message of {name}"))?;
    let action = protocol.read(&*leg, seat, body)?;
    leg.check_action(seat, &action)
        .map_err(|illegal| format!("the answer {action:?}: {illegal:?}"))
}

/// All bytes that the seat has got when it is asked in the position.
fn send_all(
    game: &dyn AnyGame,
    position: &GuidePosition,
    seat: Seat,
    protocol: &mut dyn AnyProtocol,
) -> Result<(Vec<u8>, Box<dyn AnyLeg>), String> {
    let setup = game
        .deal_setup(&position.config, position.seed)
        .map_err(|error| error.to_string())?;
    let mut sent = protocol.write_start(&*setup.start_leg(), seat);
    let leg = position
        .play(game, &mut |step| {
            if step.before.to_move().asks_seat(seat) {
                sent.extend(protocol.write_question(step.before, seat));
            }
            sent.extend(protocol.write_step(step.after, seat, step.replies));
        })
        .map_err(|error| error.to_string())?;
    if !leg.to_move().asks_seat(seat) {
        return Err(format!("{seat:?} is not asked in {:?}", position.alt));
    }
    sent.extend(protocol.write_question(&*leg, seat));
    Ok((sent, leg))
}

/// The bytes of the lines with this arrow: text with its line ends, or hexadecimal numbers.
fn read_lines(text: &str, arrow: char, is_text: bool) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix(arrow)) {
        let line = line.strip_prefix(' ').unwrap_or(line);
        if is_text {
            bytes.extend(line.bytes());
            bytes.push(b'\n');
            continue;
        }
        for word in line.split_ascii_whitespace() {
            let byte = u8::from_str_radix(word, 16).map_err(|error| format!("{word}: {error}"))?;
            bytes.push(byte);
        }
    }
    Ok(bytes)
}

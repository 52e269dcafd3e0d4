//! Checks of protocols: whole legs, garbage as input, and the content of JSON lines.

use serde_json::{Value, json};

use super::random_legs::{KeptReplies, RandomLegs, as_text, random_replies};
use crate::erased::{AnyLeg, AnyProtocol};
use crate::game::ToMove;
use crate::protocol::{Framing, JSON_LINES};
use crate::reply::{Fault, Reply};
use crate::rng::Rng;
use crate::seat::Perspective;
use crate::seat::{BySeat, Seat};

/// Every protocol conveys whole legs, also legs that end by a fault or are aborted, and reads any
/// bytes without a panic. An action that is read from garbage is an action of the game.
pub fn speak_protocols(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut rng = bench.salted_rng(12);
    let mut cases = 0;
    for (name, _) in bench.game.list_protocols() {
        for (index, played) in bench.played.iter().enumerate() {
            let stop = [None, Some(played.said.len() / 2)][index % 2];
            let speak = ProtocolLeg { name, bench, stop };
            cases += speak
                .speak_leg(&*played.setup.start_leg(), &mut rng)
                .map_err(|why| format!("{name}: {why}"))?;
        }
    }
    Ok(cases)
}

struct ProtocolLeg<'a> {
    name: &'static str,
    bench: &'a RandomLegs<'a>,
    /// The step in which a seat crashes.
    stop: Option<usize>,
}

impl ProtocolLeg<'_> {
    fn speak_leg(&self, start: &dyn AnyLeg, rng: &mut Rng) -> Result<usize, String> {
        let mut leg = start.clone_leg();
        let [first, second] = [self.make_protocol()?, self.make_protocol()?];
        let mut protocols = BySeat::new(first, second);
        for (seat, protocol) in protocols.iter_mut() {
            protocol.write_start(&*leg, seat);
        }
        let mut steps = 0;
        while leg.to_move() != ToMove::Nobody {
            let mut said = random_replies(&*leg, rng, false)?;
            for (seat, protocol) in protocols
                .iter_mut()
                .filter(|(seat, _)| leg.to_move().asks_seat(*seat))
            {
                protocol.write_question(&*leg, seat);
                if steps % 16 == 0 {
                    self.feed_garbage(&mut **protocol, &*leg, seat, rng)?;
                }
                if self.stop == Some(steps) {
                    said[seat] = Some(Reply::Fault(Fault::Crashed));
                }
            }
            leg.step(as_text(&said), &mut ());
            self.tell_step(&mut protocols, &*leg, &said);
            steps += 1;
        }
        for (seat, protocol) in protocols.iter_mut() {
            protocol.write_end(&*leg, seat);
        }
        Ok(steps)
    }

    fn make_protocol(&self) -> Result<Box<dyn AnyProtocol>, String> {
        self.bench
            .game
            .make_protocol(self.name)
            .ok_or_else(|| "is listed, but cannot be made".to_owned())
    }

    /// Reports the step to both seats; a seat that is removed here also gets its last message.
    fn tell_step(
        &self,
        protocols: &mut BySeat<Box<dyn AnyProtocol>>,
        leg: &dyn AnyLeg,
        said: &KeptReplies,
    ) {
        for (seat, protocol) in protocols.iter_mut() {
            protocol.write_step(leg, seat, &as_text(said));
            if let Some(mut thrown_out) = self.bench.game.make_protocol(self.name) {
                thrown_out.write_start(leg, seat);
                thrown_out.write_end(leg, seat);
            }
        }
    }

    fn feed_garbage(
        &self,
        protocol: &mut dyn AnyProtocol,
        leg: &dyn AnyLeg,
        seat: Seat,
        rng: &mut Rng,
    ) -> Result<(), String> {
        if matches!(protocol.message_framing(leg), Framing::Lines(0)) {
            return Err("a message of no lines has no end".into());
        }
        let long = vec![b'['; 5000];
        let random: Vec<u8> = (0..rng.next_below(40))
            .map(|_| rng.next_u64() as u8)
            .collect();
        let byte = [rng.next_u64() as u8];
        let bodies: [&[u8]; 10] = [
            b"",
            b"\n",
            b"\0",
            b"-1",
            b"{\"action\":7}",
            b"\xff\xfe",
            b"1 2 3\n4",
            &long,
            &random,
            &byte,
        ];
        for body in bodies {
            if let Ok(action) = protocol.read(leg, seat, body)
                && !leg.knows_action(&action)
            {
                return Err(format!(
                    "{body:?} is read as {action:?}, which is no action"
                ));
            }
        }
        Ok(())
    }
}

/// JSON lines: every message is one line of JSON, a turn contains the seat's view and the legal
/// actions, and every legal action is read back.
pub fn json_lines_read_back(bench: &RandomLegs<'_>) -> Result<usize, String> {
    let mut protocol = bench
        .game
        .make_protocol(JSON_LINES)
        .ok_or("there is no protocol json-lines")?;
    let mut cases = 0;
    for (played, leg) in bench.all_moments() {
        for seat in Seat::BOTH {
            let hello = parse_json_line(&protocol.write_start(leg, seat))?;
            // A setup may hold what players must not know, so a game that is not open may keep it.
            let is_kept = hello["setup"].is_null() && !bench.game.is_open();
            let has_setup = is_kept || hello["setup"] == played.setup.to_json();
            if !has_setup || hello["seat"] != json!(seat) {
                return Err(format!("{seat} is greeted with {hello}"));
            }
            parse_json_line(&protocol.write_end(leg, seat))?;
            if leg.to_move().asks_seat(seat) {
                cases += speak_turn(&mut *protocol, leg, seat)?;
            }
        }
        parse_json_line(&protocol.write_end(&*played.end, Seat::Second))?;
    }
    Ok(cases)
}

fn speak_turn(
    protocol: &mut dyn AnyProtocol,
    leg: &dyn AnyLeg,
    seat: Seat,
) -> Result<usize, String> {
    let asked = parse_json_line(&protocol.write_question(leg, seat))?;
    let legal = leg.legal_actions(seat);
    if asked["type"] != "turn"
        || asked["legal"] != json!(legal)
        || asked["view"] != leg.view(Perspective::Seat(seat))
    {
        return Err(format!("{seat} is asked {asked}"));
    }
    for action in &legal {
        let body = json!({ "action": action }).to_string();
        let read = protocol.read(leg, seat, body.as_bytes());
        if read.as_ref() != Ok(action) {
            return Err(format!("{body} of {seat} is read as {read:?}"));
        }
    }
    Ok(legal.len())
}

fn parse_json_line(bytes: &[u8]) -> Result<Value, String> {
    let text =
        std::str::from_utf8(bytes).map_err(|why| format!("a message is not UTF-8: {why}"))?;
    let body = text.strip_suffix('\n').filter(|body| !body.contains('\n'));
    let body = body.ok_or_else(|| format!("a message is not one line: {text:?}"))?;
    serde_json::from_str(body).map_err(|why| format!("a message is not JSON ({why}): {text}"))
}

//! Positions made from views ([`Encode::from_view`](crate::Encode::from_view)): everything that
//! takes a position must take these, too.

use super::mutate::mutate_value;
use super::random_legs::{RandomLegs, as_text};
use super::views::{EYES, check_rectangle, compare_state_hash};
use crate::bot::BotClock;
use crate::encode::{AnyEncoded, AnyEncodedLeg, Layout};
use crate::erased::AnyLeg;
use crate::game::ToMove;
use crate::render::RenderOptions;
use crate::rng::Rng;
use crate::search_budget::SearchBudget;
use crate::seat::{BySeat, Perspective, Seat};

/// A clock without time left: a bot answers at once.
struct NoTimeLeft;

impl BotClock for NoTimeLeft {
    fn time_left(&self) -> Option<std::time::Duration> {
        Some(std::time::Duration::ZERO)
    }
}

/// The steps of the playout at every step; the playouts at the probes go to the end of the leg.
const AHEAD: u32 = 6;

/// At every step of every leg, the view of either seat makes a position that shows this view again,
/// and over which everything runs that takes a position. A damaged view is refused, or makes such a
/// position, too.
pub fn positions_from_views_hold(
    bench: &RandomLegs<'_>,
    encoded: &dyn AnyEncoded,
) -> Result<usize, String> {
    let mut rng = bench.salted_rng(21);
    let source = encoded
        .setup_source(&bench.config, 0, 0)
        .map_err(|why| format!("the own config is refused: {why}"))?;
    let mut cases = 0;
    for played in &bench.played {
        let seed = played.seed;
        let mut leg = source
            .start_leg(&played.setup.to_json())
            .map_err(|why| format!("seed {seed}: the own setup is refused: {why}"))?;
        let stride = (played.said.len() / bench.options.probes.max(1)).max(1);
        for (step, said) in played.said.iter().enumerate() {
            for seat in Seat::BOTH {
                let probe = (step % stride == 0).then_some(step / stride);
                check_known(bench, &*leg, seat, probe, &mut rng)
                    .map_err(|why| format!("seed {seed}, step {step}, view of {seat}: {why}"))?;
                cases += 1;
            }
            leg.step_text(as_text(said), &mut ());
        }
    }
    Ok(cases)
}

/// The position that one view makes; `probe` is the number of this step among those that are
/// checked closely.
fn check_known(
    bench: &RandomLegs<'_>,
    leg: &dyn AnyEncodedLeg,
    seat: Seat,
    probe: Option<usize>,
    rng: &mut Rng,
) -> Result<(), String> {
    let layout = leg.describe_layout();
    let view = leg.to_leg().view(Perspective::Seat(seat));
    let known = leg
        .leg_from_view(&view)
        .map_err(|why| format!("the own view is refused: {why}; {view}"))?;
    let again = known.to_leg().view(Perspective::Seat(seat));
    if again != view {
        return Err(format!("the view {view}\nmakes a position with {again}"));
    }
    if observe(&*known, seat, &layout) != observe(leg, seat, &layout) {
        return Err(format!(
            "the observation of the position made from it differs: {view}"
        ));
    }
    use_position(bench, &*known, &layout, AHEAD, rng)?;
    let Some(number) = probe else { return Ok(()) };
    use_position(bench, &*known, &layout, u32::MAX, rng)?;
    ask_players(bench, &*known.to_leg(), number)?;
    let damaged = mutate_value(&view, rng);
    match leg.leg_from_view(&damaged) {
        Ok(accepted) => use_position(bench, &*accepted, &layout, AHEAD, rng)
            .map_err(|why| format!("the damaged view {damaged} is accepted, but {why}")),
        Err(_refused) => Ok(()),
    }
}

/// Planes, scalars and mask of a seat.
fn observe(leg: &dyn AnyEncodedLeg, seat: Seat, layout: &Layout) -> (Vec<u8>, Vec<i32>, Vec<i8>) {
    let mut planes = vec![0; layout.packed_len()];
    let (mut scalars, mut mask) = (vec![0; layout.scalars.len()], vec![0; layout.mask_len()]);
    leg.write_planes(seat, &mut planes);
    leg.write_scalars(seat, &mut scalars);
    leg.write_mask(seat, &mut mask);
    (planes, scalars, mask)
}

/// Shows, encodes, writes and plays on a position, so many random steps.
fn use_position(
    bench: &RandomLegs<'_>,
    leg: &dyn AnyEncodedLeg,
    layout: &Layout,
    steps: u32,
    rng: &mut Rng,
) -> Result<(), String> {
    let text = leg.to_leg();
    for perspective in EYES {
        let look = RenderOptions {
            perspective,
            ahead: 0,
        };
        check_rectangle(&*text, &look)?;
        if !text.view(perspective).is_object() {
            return Err(format!("{perspective:?} sees no object"));
        }
    }
    compare_state_hash(&text.state_text(), leg.hash())?;
    for seat in Seat::BOTH {
        write_messages(bench, &*text, seat)?;
        let _numbers = observe(leg, seat, layout); // The test is that it returns.
    }
    let mut copy = leg.clone_encoded();
    copy.restore_state(&leg.save_state())
        .map_err(|why| format!("the own state is refused: {why}"))?;
    if !copy.equals_leg(leg) {
        return Err("it is saved and restored as another one".into());
    }
    step_by_mask(&mut *copy, layout, rng)?;
    copy.play_random(rng, steps);
    if steps == u32::MAX && copy.to_move() != ToMove::Nobody {
        return Err("a playout does not end".into());
    }
    compare_state_hash(&copy.to_leg().state_text(), copy.hash())
}

/// Plays what the masks allow.
fn step_by_mask(leg: &mut dyn AnyEncodedLeg, layout: &Layout, rng: &mut Rng) -> Result<(), String> {
    let asked = leg.to_move();
    let mut said: BySeat<Option<Vec<i64>>> = BySeat::default();
    for seat in Seat::BOTH.into_iter().filter(|seat| asked.asks_seat(*seat)) {
        let (_, _, mut mask) = observe(leg, seat, layout);
        let mut indices = Vec::new();
        for part in &layout.parts {
            let allowed: Vec<i64> = (0..)
                .zip(mask.drain(..part.len()))
                .filter_map(|(index, allowed)| (allowed != 0).then_some(index))
                .collect();
            let chosen = allowed.get(rng.next_below(allowed.len().max(1)));
            indices.push(*chosen.ok_or_else(|| format!("the mask of {seat} allows nothing"))?);
        }
        leg.write_notation(seat, &indices)
            .map_err(|why| format!("the mask of {seat} allows {indices:?}: {why}"))?;
        said[seat] = Some(indices);
    }
    let indices = said.each_ref().map_values(|indices| indices.as_deref());
    leg.step_indices(indices)
        .map_err(|why| format!("what the masks allow is refused: {why}"))
}

/// What a program, a person and a page get.
fn write_messages(bench: &RandomLegs<'_>, leg: &dyn AnyLeg, seat: Seat) -> Result<(), String> {
    let _choices = leg.list_options(seat);
    for (name, _) in bench.game.list_protocols() {
        let made = bench.game.make_protocol(name);
        let mut protocol = made.ok_or_else(|| format!("there is no protocol {name}"))?;
        let _bytes = (
            protocol.write_start(leg, seat),
            protocol.write_question(leg, seat),
            protocol.write_end(leg, seat),
        );
    }
    let wrong = leg
        .legal_actions(seat)
        .into_iter()
        .find_map(|action| leg.check_action(seat, &action).err());
    match wrong {
        Some(why) if leg.to_move().asks_seat(seat) => Err(format!("a legal action {why:?}")),
        _ => Ok(()),
    }
}

/// A built-in bot, another one at every probe, and the assessor.
fn ask_players(bench: &RandomLegs<'_>, leg: &dyn AnyLeg, number: usize) -> Result<(), String> {
    let bots = bench.game.list_own_bots();
    for seat in Seat::BOTH
        .into_iter()
        .filter(|seat| leg.to_move().asks_seat(*seat))
    {
        let named = bots.get(number % bots.len().max(1));
        if let Some(mut bot) = named.and_then(|name| bench.game.make_bot(name, 1)) {
            let action = bot.choose_action(leg, seat, &NoTimeLeft);
            leg.check_action(seat, &action)
                .map_err(|why| format!("a bot chooses {action} there: {why:?}"))?;
        }
        if let Some(mut assessor) = bench.game.make_assessor() {
            let _value = assessor.assess(leg, seat, SearchBudget::nodes(1));
            let _belief = assessor.believe_position(leg, seat);
        }
    }
    Ok(())
}

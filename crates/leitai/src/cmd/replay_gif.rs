//! A leg of a replay as a GIF: `leitai replay export --to gif`.
//!
//! The boards are those of link previews ([`leitai_server::http::board_picture`]), because the
//! page's drawing code needs a browser's canvas.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use gif::{DisposalMethod, Encoder, Frame, Repeat};
use leitai_game::Perspective;
use leitai_game::erased::AnySetup;
use leitai_game::render::RenderOptions;
use leitai_game::replay::{LegRecord, ReplayWalker};
use leitai_server::http::board_picture::{BoardPainter, Rgb};

use crate::cli::RoundRange;
use crate::prelude::*;

/// The most pictures of a GIF.
const MOST_PICTURES: usize = 10_000;
/// The colours of a picture; one more index means: as in the picture before.
const COLORS: usize = 255;
const UNCHANGED: u8 = 255;
/// Hundredths of a second for which the last picture stays.
const END: u16 = 150;

/// How a GIF looks.
#[derive(Clone, Copy, Debug)]
pub struct GifLook {
    /// Pixels of the longer side of the board.
    pub pixels: usize,
    /// How fast it runs.
    pub steps_a_second: f64,
}

/// The steps of these rounds: from the first one to the one where the round after them begins.
///
/// # Errors
/// If the leg has no such round, has too many steps, or cannot be played.
pub fn find_steps(
    setup: &dyn AnySetup,
    record: &LegRecord,
    rounds: Option<RoundRange>,
) -> Result<RangeInclusive<usize>> {
    let mut walk = ReplayWalker::new(setup, record);
    let mut starts = vec![walk.current_leg().round()];
    while walk.next(&mut ())?.is_some() {
        starts.push(walk.current_leg().round());
    }
    let end = starts.len() - 1;
    let (from, to) = match rounds {
        None => (0, end),
        Some(RoundRange { first, last }) => {
            let (begin, over) = (starts[0], starts[end]);
            let from = starts.iter().position(|&round| round >= first);
            let from = from.filter(|_| first >= begin);
            let from = from.ok_or_else(|| {
                usage_error(format!(
                    "there is no round {first}; the leg has the rounds {begin} to {over}"
                ))
            })?;
            let after = |last| starts.iter().position(|&round| round > last);
            (from, last.and_then(after).unwrap_or(end))
        }
    };
    let pictures = to - from + 1;
    if pictures > MOST_PICTURES {
        bail!("{pictures} steps are too many for a GIF (at most {MOST_PICTURES}); add --rounds");
    }
    Ok(from..=to)
}

/// Draws these steps of a leg.
///
/// # Errors
/// If the leg cannot be played.
pub fn write_gif(
    setup: &dyn AnySetup,
    record: &LegRecord,
    steps: RangeInclusive<usize>,
    look: GifLook,
) -> Result<Vec<u8>> {
    let first = setup.start_leg().render_position(&OPTIONS);
    if first.board.is_empty() {
        bail!(
            "the views of this game declare no board, so there is nothing to draw; read the match with leitai \
             replay show"
        );
    }
    let mut painter = BoardPainter::for_board(look.pixels, &first);
    let mut colors = ColorCount::default();
    for_each_picture(setup, record, steps.clone(), &mut painter, |_, pixels| {
        colors.count(&pixels);
        Ok(())
    })?;
    let mut palette = colors.into_palette();
    let (width, height) = painter.size();
    let size = [width, height].map(|side| u16::try_from(side).expect("pixels are bounded"));
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&mut bytes, size[0], size[1], &palette.bytes())
        .context("cannot write the GIF")?;
    encoder
        .set_repeat(Repeat::Infinite)
        .context("cannot write the GIF")?;
    let delay = (100.0 / look.steps_a_second).round() as u16;
    let mut before: Option<Vec<u8>> = None;
    for_each_picture(
        setup,
        record,
        steps.clone(),
        &mut painter,
        |step, pixels| {
            let indexed = palette.index(&pixels);
            let delay = if step == *steps.end() {
                END.max(delay)
            } else {
                delay
            };
            let frame = changed_part(before.as_deref(), &indexed, width);
            encoder
                .write_frame(&Frame { delay, ..frame })
                .context("cannot write the GIF")?;
            before = Some(indexed);
            Ok(())
        },
    )?;
    drop(encoder);
    Ok(bytes)
}

const OPTIONS: RenderOptions = RenderOptions {
    perspective: Perspective::All,
    ahead: 0,
};

fn for_each_picture(
    setup: &dyn AnySetup,
    record: &LegRecord,
    steps: RangeInclusive<usize>,
    painter: &mut BoardPainter,
    mut take: impl FnMut(usize, Vec<Rgb>) -> Result<()>,
) -> Result<()> {
    let mut walk = ReplayWalker::new(setup, record);
    loop {
        let step = walk.step_number();
        if step > *steps.end() {
            return Ok(());
        }
        if steps.contains(&step) {
            let leg = walk.current_leg();
            let rendering = leg.render_position(&OPTIONS);
            take(step, painter.paint(&rendering, leg.scores()))?;
        }
        if walk.next(&mut ())?.is_none() {
            return Ok(());
        }
    }
}

/// The smallest rectangle outside of which nothing has changed.
fn changed_part(before: Option<&[u8]>, now: &[u8], width: usize) -> Frame<'static> {
    let changed = |at: usize| before.is_none_or(|before| before[at] != now[at]);
    let (mut left, mut right, mut top, mut bottom) = (usize::MAX, 0, usize::MAX, 0);
    for at in (0..now.len()).filter(|&at| changed(at)) {
        let (x, y) = (at % width, at / width);
        (left, right) = (left.min(x), right.max(x));
        (top, bottom) = (top.min(y), bottom.max(y));
    }
    if left == usize::MAX {
        // A picture has a pixel at least.
        (left, right, top, bottom) = (0, 0, 0, 0);
    }
    let places = (top..=bottom).flat_map(|y| (left..=right).map(move |x| y * width + x));
    let index = |at| if changed(at) { now[at] } else { UNCHANGED };
    let short = |pixels: usize| u16::try_from(pixels).expect("pixels are bounded");
    Frame {
        left: short(left),
        top: short(top),
        width: short(right - left + 1),
        height: short(bottom - top + 1),
        dispose: DisposalMethod::Keep,
        transparent: Some(UNCHANGED),
        buffer: Cow::Owned(places.map(index).collect()),
        ..Frame::default()
    }
}

/// How often each colour is drawn.
#[derive(Default)]
struct ColorCount(BTreeMap<Rgb, usize>);

impl ColorCount {
    fn count(&mut self, pixels: &[Rgb]) {
        for run in pixels.chunk_by(|a, b| a == b) {
            *self.0.entry(run[0]).or_default() += run.len();
        }
    }

    /// The most frequent colours.
    fn into_palette(self) -> Palette {
        let mut colors: Vec<(Rgb, usize)> = self.0.into_iter().collect();
        colors.sort_by_key(|&(color, count)| (std::cmp::Reverse(count), color));
        colors.truncate(COLORS);
        let colors: Vec<Rgb> = colors.into_iter().map(|(color, _)| color).collect();
        Palette {
            known: (0_u8..)
                .zip(&colors)
                .map(|(index, &color)| (color, index))
                .collect(),
            colors,
        }
    }
}

struct Palette {
    colors: Vec<Rgb>,
    known: BTreeMap<Rgb, u8>,
}

impl Palette {
    /// The colours in the order of their indices; the one of [`UNCHANGED`] is never seen.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = self.colors.as_flattened().to_vec();
        bytes.resize(3 * (COLORS + 1), 0);
        bytes
    }

    /// The index of every pixel; a colour that is rare becomes the nearest one.
    fn index(&mut self, pixels: &[Rgb]) -> Vec<u8> {
        let mut indexed = Vec::with_capacity(pixels.len());
        for run in pixels.chunk_by(|a, b| a == b) {
            let index = match self.known.get(&run[0]) {
                Some(&index) => index,
                None => self.learn(run[0]),
            };
            indexed.resize(indexed.len() + run.len(), index);
        }
        indexed
    }

    fn learn(&mut self, color: Rgb) -> u8 {
        let distance = |&(_, other): &(u8, &Rgb)| -> u32 {
            let parts = color.iter().zip(other.iter());
            parts.map(|(&a, &b)| u32::from(a.abs_diff(b)).pow(2)).sum()
        };
        let nearest = (0_u8..).zip(&self.colors).min_by_key(distance);
        let index = nearest.map_or(0, |(index, _)| index);
        self.known.insert(color, index);
        index
    }
}

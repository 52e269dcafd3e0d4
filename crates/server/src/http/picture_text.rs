//! Short texts in pictures: Latin letters as strokes on a grid of 5 by 9 points, drawn with round
//! ends; texts with others by a [font of this machine](crate::http::picture_font), since one for
//! every script would be larger than the arena.

use unicode_normalization::UnicodeNormalization;

use crate::http::picture_font::{Cover, FontText, PictureFont};

/// Grid units from the top of a capital to the line it stands on.
const CAPITAL: f32 = 6.0;
/// Half the width of a stroke, in grid units.
const HALF_STROKE: f32 = 0.48;
/// Grid units between two letters.
const GAP: f32 = 1.5;
/// Grid units of a space.
const SPACE: f32 = 2.0;

/// The printable characters of ASCII from `!` on. A stroke is a run of digits, two for each of its
/// points: the column from the left, then the row from the top of the capitals (6 is the line
/// letters stand on).
const STROKES: [&str; 94] = [
    "0004 0606",
    "0002 2022",
    "1016 3036 0242 0444",
    "413010010213334445361605 2026",
    "4006 0010110100 3545463635",
    "460201102031320405162644",
    "0002",
    "10020416",
    "00121406",
    "2125 0244 0442",
    "2125 0343",
    "1507",
    "0333",
    "0606",
    "3006",
    "103041453616050110",
    "022026 0646",
    "01103041420646",
    "01103041423313 334445361605",
    "36300444",
    "400002324345361605",
    "413010010516364544331304",
    "004016",
    "103041423313020110 133344453616050413",
    "051636454130100102133342",
    "0303 0606",
    "1313 1507",
    "310335",
    "0242 0444",
    "013305",
    "01103041422324 2626",
    "461605011030414434 343212131434",
    "062046 1434",
    "00063645443303 3342413000",
    "4130100105163645",
    "00062644422000",
    "40000646 0333",
    "400006 0333",
    "41301001051636454323",
    "0006 4046 0343",
    "0020 1016 0626",
    "4045361605",
    "0006 400346",
    "000646",
    "0600234046",
    "06004640",
    "103041453616050110",
    "06003041423303",
    "103041453616050110 3446",
    "06003041423303 2346",
    "413010010213334445361605",
    "0040 2026",
    "000516364540",
    "002640",
    "0016233640",
    "0046 4006",
    "002340 2326",
    "00400646",
    "10000616",
    "0036",
    "00101606",
    "022042",
    "0747",
    "0011",
    "12324346 441405163645",
    "0006 0312324345361605",
    "4332120305163645",
    "4046 4332120305163645",
    "04444332120305163645",
    "30201116 0232",
    "4247381807 4332120305163645",
    "0006 0312324346",
    "0000 0206",
    "1010 121708",
    "0006 320436",
    "000516",
    "0206 03122326 23324346",
    "0206 0312324346",
    "123243453616050312",
    "0208 0312324345361605",
    "4248 4332120305163645",
    "0206 031232",
    "43321203143445361605",
    "10152636 0232",
    "0205163645 4246",
    "022642",
    "0216243642",
    "0246 4206",
    "0225 4208",
    "02420646",
    "20111203141526",
    "0008",
    "00111223141506",
    "03123443",
];

/// The most characters of a text that are drawn; of a longer one its beginning.
const MOST: usize = 40;

/// A text that can be drawn.
pub enum PictureText {
    /// Latin letters.
    Strokes(StrokeText),
    /// Letters of a font.
    Glyphs(FontText),
}

/// A text of strokes.
pub struct StrokeText {
    /// The strokes, each a run of points in grid units from the left end.
    strokes: Vec<Vec<[f32; 2]>>,
    /// Grid units from end to end.
    wide: f32,
}

impl PictureText {
    /// A text with the letters that this font lends; `None` if one of its letters cannot be drawn.
    pub fn new(text: &str, lend: impl Fn() -> Option<&'static PictureFont>) -> Option<PictureText> {
        let text = shorten(text.trim());
        let strokes = StrokeText::new(&text).map(PictureText::Strokes);
        strokes.or_else(|| {
            let composed: String = text.nfc().collect();
            let glyphs = lend()?.lay_out(&composed)?;
            Some(PictureText::Glyphs(glyphs))
        })
    }

    /// Pixels from end to end with capitals of this height, a stroke's ends among them.
    pub fn width(&self, capital: f32) -> f32 {
        match self {
            PictureText::Strokes(text) => text.width(capital),
            PictureText::Glyphs(text) => text.width(capital),
        }
    }

    /// How much of each pixel is covered, with capitals of this height.
    pub fn cover(&self, capital: f32) -> Cover {
        match self {
            PictureText::Strokes(text) => text.cover(capital),
            PictureText::Glyphs(text) => text.cover(capital),
        }
    }
}

/// The text, or the beginning of a long one.
fn shorten(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        None => text.to_owned(),
        Some(_) => text.chars().take(MOST - 3).collect::<String>() + "...",
    }
}

impl StrokeText {
    /// The strokes of a text; `None` if it has a letter that cannot be drawn. Accents are left out.
    fn new(text: &str) -> Option<StrokeText> {
        let (mut strokes, mut wide) = (Vec::new(), 0.0_f32);
        let is_mark = |sign: &char| ('\u{300}'..='\u{36f}').contains(sign);
        for sign in text.nfd().filter(|sign| !is_mark(sign)) {
            if sign == ' ' {
                wide += SPACE;
                continue;
            }
            let place = u32::from(sign).checked_sub(0x21)?;
            let letter = STROKES.get(place as usize)?;
            let mut right = 0.0_f32;
            for stroke in letter.split(' ') {
                let digits: Vec<f32> = stroke
                    .bytes()
                    .map(|digit| f32::from(digit - b'0'))
                    .collect();
                let points = digits.chunks_exact(2).map(|pair| {
                    right = right.max(pair[0]);
                    [wide + pair[0], pair[1]]
                });
                strokes.push(points.collect());
            }
            wide += right + GAP;
        }
        let wide = (wide - GAP).max(0.0);
        (!strokes.is_empty()).then_some(StrokeText { strokes, wide })
    }

    fn width(&self, capital: f32) -> f32 {
        (self.wide + 2.0 * HALF_STROKE) * capital / CAPITAL
    }

    fn cover(&self, capital: f32) -> Cover {
        let unit = capital / CAPITAL;
        let (wide, high) = (
            self.width(capital).ceil() as usize + 1,
            ((8.0 + 2.0 * HALF_STROKE) * unit).ceil() as usize + 1,
        );
        let mut shares = vec![0.0_f32; wide * high];
        for stroke in &self.strokes {
            let ends = |at: usize| stroke[at].map(|along| (along + HALF_STROKE) * unit);
            for at in 0..stroke.len() {
                let segment = [ends(at.saturating_sub(1)), ends(at)];
                cover_segment(&mut shares, wide, segment, HALF_STROKE * unit);
            }
        }
        Cover {
            wide,
            above: 0,
            shares,
        }
    }
}

/// Covers the pixels that lie within `half` of a segment, softly at its edge.
fn cover_segment(covered: &mut [f32], wide: usize, [from, to]: [[f32; 2]; 2], half: f32) {
    let high = covered.len() / wide;
    let near = |axis: usize, most: usize| {
        let [low, last] = [from[axis].min(to[axis]), from[axis].max(to[axis])];
        let first = (low - half - 1.0).max(0.0) as usize;
        first..((last + half + 1.0).ceil() as usize).min(most)
    };
    for y in near(1, high) {
        for x in near(0, wide) {
            let point = [x as f32 + 0.5, y as f32 + 0.5];
            let share = (half + 0.5 - distance(point, from, to)).clamp(0.0, 1.0);
            let pixel = &mut covered[y * wide + x];
            *pixel = pixel.max(share);
        }
    }
}

/// How far a point is from a segment.
fn distance(point: [f32; 2], from: [f32; 2], to: [f32; 2]) -> f32 {
    let [along, off] = [
        [to[0] - from[0], to[1] - from[1]],
        [point[0] - from[0], point[1] - from[1]],
    ];
    let length = along[0] * along[0] + along[1] * along[1];
    let share = if length > 0.0 {
        ((along[0] * off[0] + along[1] * off[1]) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (off[0] - share * along[0]).hypot(off[1] - share * along[1])
}

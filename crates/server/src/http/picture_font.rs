//! Letters in pictures that have no strokes, as those of Chinese names: from a font of this machine,
//! where there is one. `fonts-wqy-microhei` is the one that our packages recommend.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ab_glyph::{Font, FontVec, GlyphId, point};
use unicode_normalization::char::is_combining_mark;

/// Where systems keep fonts.
const FOLDERS: [&str; 2] = ["/usr/share/fonts", "/usr/local/share/fonts"];
/// Fonts that are taken, the best one first: those with Chinese letters, then those without.
const FILES: [&str; 10] = [
    "wqy-microhei.ttc",
    "NotoSansCJK-Regular.ttc",
    "NotoSansCJKsc-Regular.otf",
    "NotoSansSC-Regular.otf",
    "SourceHanSansCN-Regular.otf",
    "wqy-zenhei.ttc",
    "DroidSansFallbackFull.ttf",
    "DroidSansFallback.ttf",
    "DejaVuSans.ttf",
    "NotoSans-Regular.ttf",
];
/// Folders below each other in which fonts are looked for.
const DEPTH: usize = 4;
/// The largest font that is read, in bytes.
const LARGEST: u64 = 64 << 20;
/// The height of a capital, by the font's em.
const CAPITAL: f32 = 0.73;
/// What a letter may rise above capitals and hang below the line, by the font's em.
const BEYOND: f32 = 0.35;

/// A font with all that is drawn of it.
pub struct PictureFont {
    font: FontVec,
    /// Font units of an em.
    em: f32,
}

/// A text of which the font has every letter.
pub struct FontText {
    font: &'static PictureFont,
    /// Each letter with its place from the left end, in ems.
    glyphs: Vec<(GlyphId, f32)>,
    /// Ems from end to end.
    wide: f32,
}

/// How much of each pixel a text covers.
pub struct Cover {
    /// Pixels of a row.
    pub wide: usize,
    /// Rows above the capitals.
    pub above: usize,
    /// The pixels, row by row, from 0 to 1.
    pub shares: Vec<f32>,
}

/// The font of this machine; it is read when it is first needed.
pub fn system_font() -> Option<&'static PictureFont> {
    static FONT: OnceLock<Option<PictureFont>> = OnceLock::new();
    let find = || {
        let mut found = Vec::new();
        for folder in FOLDERS {
            find_fonts(Path::new(folder), DEPTH, &mut found);
        }
        found.sort();
        found.iter().find_map(|(_, path)| PictureFont::read(path))
    };
    FONT.get_or_init(find).as_ref()
}

/// Adds the fonts below a folder with their ranks.
fn find_fonts(folder: &Path, depth: usize, found: &mut Vec<(usize, PathBuf)>) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    for path in entries.map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default();
        if let Some(rank) = FILES.iter().position(|file| name == *file) {
            found.push((rank, path));
        } else if depth > 1 && path.is_dir() {
            find_fonts(&path, depth - 1, found);
        }
    }
}

impl PictureFont {
    /// The first font of a file; `None` if it is none.
    fn read(path: &Path) -> Option<PictureFont> {
        let size = fs::metadata(path).ok()?.len();
        let bytes = (size <= LARGEST).then(|| fs::read(path))?.ok()?;
        let font = FontVec::try_from_vec_and_index(bytes, 0).ok()?;
        let em = font.units_per_em().filter(|em| *em > 0.0)?;
        Some(PictureFont { font, em })
    }

    /// The letters of a text side by side; `None` if the font lacks one, or if they are not simply
    /// side by side: marks over others, and what is written from the right.
    pub fn lay_out(&'static self, text: &str) -> Option<FontText> {
        let (mut glyphs, mut wide) = (Vec::new(), 0.0);
        for sign in text.chars() {
            let id = self.font.glyph_id(sign);
            let is_side_by_side =
                !sign.is_control() && !is_combining_mark(sign) && !is_from_the_right(sign);
            if id == GlyphId(0) || !is_side_by_side {
                return None;
            }
            glyphs.push((id, wide));
            wide += self.font.h_advance_unscaled(id) / self.em;
        }
        let font = self;
        (wide > 0.0).then_some(FontText { font, glyphs, wide })
    }
}

impl FontText {
    /// Pixels from end to end with capitals of this height.
    pub fn width(&self, capital: f32) -> f32 {
        self.wide * capital / CAPITAL
    }

    /// What the text covers, with capitals of this height.
    pub fn cover(&self, capital: f32) -> Cover {
        let em = capital / CAPITAL;
        let above = (BEYOND * em).ceil() as usize;
        let wide = self.width(capital).ceil() as usize + 1;
        let high = above + (capital + BEYOND * em).ceil() as usize;
        let mut shares = vec![0.0_f32; wide * high];
        let scale = em * self.font.font.height_unscaled() / self.font.em;
        for (id, left) in &self.glyphs {
            let place = point(left * em, above as f32 + capital);
            let glyph = id.with_scale_and_position(scale, place);
            let Some(outline) = self.font.font.outline_glyph(glyph) else {
                continue;
            };
            let corner = outline.px_bounds().min;
            outline.draw(|x, y, share| {
                let [x, y] = [corner.x + x as f32, corner.y + y as f32];
                if x >= 0.0 && y >= 0.0 && (x as usize) < wide && (y as usize) < high {
                    let pixel = &mut shares[y as usize * wide + x as usize];
                    *pixel = pixel.max(share.clamp(0.0, 1.0));
                }
            });
        }
        Cover {
            wide,
            above,
            shares,
        }
    }
}

/// Whether the letter belongs to a script that is written from the right to the left.
fn is_from_the_right(sign: char) -> bool {
    matches!(sign, '\u{590}'..='\u{8ff}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
        | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}')
}

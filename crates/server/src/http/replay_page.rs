//! A replay as one HTML file that opens without a server: viewer, engine and replay inside. The build
//! of the page leaves a template (`web/scripts/single.mjs`) and the engine among its files.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;

use crate::http::page::{MISSING, find_file};

/// Why there is no such file.
#[derive(Debug, thiserror::Error)]
pub enum ReplayPageError {
    /// This program has no page.
    #[error(
        "this program was built without the page ({0}); build it with Node.js and without \
        LEITAI_WEB=plain, or take a release"
    )]
    NoPage(&'static str),
    /// The page has no engine.
    #[error(
        "this program was built without the engine in the page; build it with ./dev up, or take a \
        release"
    )]
    NoEngine,
}

/// What shows the replay in the file.
#[derive(Clone, Copy, Debug)]
pub enum ShownBy<'a> {
    /// The engine, which has the game's rules.
    Engine,
    /// A JSON list of the frames of each leg, from each perspective.
    Frames(&'a str),
}

/// Writes a replay (the text of its file) as an HTML file with this title.
///
/// # Errors
/// If this program contains no page, or no engine.
pub fn write_replay_page(
    replay: &str,
    title: &str,
    shown_by: ShownBy<'_>,
) -> Result<String, ReplayPageError> {
    let why = MISSING.unwrap_or("the template is missing");
    let template = find_file(|name| name == "replay.html");
    let template = template.ok_or(ReplayPageError::NoPage(why))?;
    let template = String::from_utf8_lossy(&template);
    fill_replay_page(&template, replay, title, shown_by)
}

/// Puts the parts into a template of the page.
///
/// # Errors
/// If the engine is asked for and this program has none.
pub fn fill_replay_page(
    template: &str,
    replay: &str,
    title: &str,
    shown_by: ShownBy<'_>,
) -> Result<String, ReplayPageError> {
    let (engine, frames) = match shown_by {
        ShownBy::Engine => {
            let engine = find_file(|name| name.ends_with(".wasm"));
            (
                pack(&engine.ok_or(ReplayPageError::NoEngine)?),
                String::new(),
            )
        }
        ShownBy::Frames(frames) => (String::new(), pack(frames.as_bytes())),
    };
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let page = template.replacen("<!--title-->", &title, 1);
    let page = page.replacen("<!--replay-->", &pack(replay.as_bytes()), 1);
    let page = page.replacen("<!--engine-->", &engine, 1);
    Ok(page.replacen("<!--frames-->", &frames, 1))
}

/// Compressed with gzip, in digits of base 85.
fn pack(bytes: &[u8]) -> String {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes).expect("memory takes it");
    write_digits(&gzip.finish().expect("memory takes it"))
}

/// Four bytes as five digits, which are the signs from `(` on, `#` in place of `<`; of fewer bytes
/// one digit more than they are. A sixteenth shorter than base64.
pub fn write_digits(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(4) * 5);
    for group in bytes.chunks(4) {
        let mut four = [0; 4];
        four[..group.len()].copy_from_slice(group);
        let value = u32::from_be_bytes(four);
        for at in 0..=group.len() as u32 {
            let digit = (value / 85_u32.pow(4 - at) % 85) as u8;
            text.push(match char::from(b'(' + digit) {
                '<' => '#',
                sign => sign,
            });
        }
    }
    text
}

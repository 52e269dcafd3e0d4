//! The picture of a game file: shapes, colours and texts. A browser draws a stranger's SVG in the
//! thread of the page, so it may hold nothing that runs, is fetched, moves or multiplies itself.

use leitai_toml_reader::problem::both;

use super::parts::{EMBLEM, Parts};
use super::problem::FileProblem;

/// The elements that a picture may have.
const ELEMENTS: [&str; 16] = [
    "svg",
    "g",
    "defs",
    "title",
    "desc",
    "path",
    "rect",
    "circle",
    "ellipse",
    "line",
    "polyline",
    "polygon",
    "text",
    "tspan",
    "linearGradient",
    "radialGradient",
];
/// The element inside a gradient.
const STOP: &str = "stop";
/// How deep elements may lie inside one another.
const MOST_DEPTH: usize = 32;

/// The text of the picture, if there is one and nothing is wrong with it.
pub(super) fn read_emblem(parts: &Parts, problems: &mut Vec<FileProblem>) -> Option<String> {
    let text = parts.text(EMBLEM, problems)?;
    match check(text) {
        Ok(()) => Some(text.to_owned()),
        Err(why) => {
            problems.push(why.as_problem());
            None
        }
    }
}

/// Why a text is no picture.
enum Refused<'a> {
    NoSvg,
    Markup(&'a str),
    Attribute(&'a str),
    Depth,
    Unfinished,
}

impl Refused<'_> {
    fn as_problem(&self) -> FileProblem {
        let what = match self {
            Refused::NoSvg => both("this is no SVG picture", "这不是 SVG 图片"),
            Refused::Markup(what) => both(
                format!("<{what} may not be in it"),
                format!("其中不允许有 <{what}"),
            ),
            Refused::Attribute(name) => both(
                format!("the attribute {name} may not be in it"),
                format!("其中不允许有属性 {name}"),
            ),
            Refused::Depth => both(
                format!("its elements lie more than {MOST_DEPTH} deep"),
                format!("元素嵌套超过 {MOST_DEPTH} 层"),
            ),
            Refused::Unfinished => both("it ends inside an element", "文件在元素中间结束"),
        };
        let cure = both(
            format!(
                "begin it with <svg, and draw with shapes, gradients and texts alone ({}, {STOP})",
                ELEMENTS[1..].join(", ")
            ),
            format!(
                "请以 <svg 开头，只用图形、渐变与文字（{}、{STOP}）",
                ELEMENTS[1..].join("、")
            ),
        );
        FileProblem::new(EMBLEM, what, cure)
    }
}

fn check(text: &str) -> Result<(), Refused<'_>> {
    let mut rest = text.trim_start_matches('\u{feff}').trim_start();
    if let Some(declared) = rest.strip_prefix("<?xml") {
        let (_, after) = declared.split_once("?>").ok_or(Refused::NoSvg)?;
        rest = after.trim_start();
    }
    let (mut depth, mut has_root) = (0, false);
    while let Some((between, markup)) = rest.split_once('<') {
        if let Some(comment) = markup.strip_prefix("!--") {
            rest = comment.split_once("-->").ok_or(Refused::Unfinished)?.1;
            continue;
        }
        let name = name_at(markup);
        let is_root = name == "svg" && !has_root && between.trim().is_empty();
        if depth == 0 && !is_root {
            return Err(match name.starts_with('!') {
                true => Refused::Markup(name),
                false => Refused::NoSvg,
            });
        }
        if let Some(end) = markup.strip_prefix('/') {
            depth -= 1;
            rest = end.split_once('>').ok_or(Refused::Unfinished)?.1;
            continue;
        }
        if !ELEMENTS.contains(&name) && name != STOP {
            return Err(Refused::Markup(name));
        }
        has_root = true;
        let (is_empty, after) = check_attributes(&markup[name.len()..])?;
        depth += usize::from(!is_empty);
        if depth > MOST_DEPTH {
            return Err(Refused::Depth);
        }
        rest = after;
    }
    match (has_root, depth) {
        (true, 0) => Ok(()),
        (true, _) => Err(Refused::Unfinished),
        (false, _) => Err(Refused::NoSvg),
    }
}

/// The name of an element or an attribute, or what stands in its place, shortened.
fn name_at(text: &str) -> &str {
    let is_end = |sign: char| sign.is_whitespace() || "/>=<\"'".contains(sign);
    let end = text.find(is_end).unwrap_or(text.len());
    let most = text.char_indices().nth(40).map_or(text.len(), |(at, _)| at);
    &text[..end.min(most)]
}

/// Whether the element is empty, and what follows it.
fn check_attributes(mut rest: &str) -> Result<(bool, &str), Refused<'_>> {
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix("/>") {
            return Ok((true, after));
        }
        if let Some(after) = rest.strip_prefix('>') {
            return Ok((false, after));
        }
        let name = name_at(rest);
        let value = rest[name.len()..].trim_start().strip_prefix('=');
        let value = value.ok_or(Refused::Unfinished)?.trim_start();
        let quote = value.chars().next().filter(|sign| "\"'".contains(*sign));
        let quote = quote.ok_or(Refused::Unfinished)?;
        let (value, after) = value[1..].split_once(quote).ok_or(Refused::Unfinished)?;
        if !may_have(name, value) {
            return Err(Refused::Attribute(name));
        }
        rest = after;
    }
}

/// What a style may not name: what costs much or moves.
const EFFECTS: [&str; 6] = [
    "filter",
    "mask",
    "clip",
    "marker",
    "animation",
    "transition",
];

/// A colour may be a gradient of the same picture: `url(#…)`; no other address stands in it.
fn may_have(name: &str, value: &str) -> bool {
    let (name, value) = (name.to_ascii_lowercase(), value.to_ascii_lowercase());
    let is_code = name.starts_with("on") || name.ends_with("href") || name == "xml:base";
    let is_effect = EFFECTS
        .iter()
        .any(|effect| name.starts_with(effect) || (name == "style" && value.contains(effect)));
    let mut addresses = value.split("url(").skip(1);
    // Other signs could write an address in another way.
    !is_code
        && !is_effect
        && !value.contains(['\\', '@', '&'])
        && addresses.all(|address| address.starts_with('#'))
}

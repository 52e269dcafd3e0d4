//! The pictures in a game's guide for players. A picture is a fenced block `position` that says how
//! to reach a position; [`expand_positions`] plays it, so that a page can draw it with the game's
//! viewer. What is drawn is therefore what the rules do now.
//!
//! ````text
//! ```position
//! {"alt": "The snake turns back and dies",
//!  "config": {"rows": 7, "cols": 8}, "seed": 3, "replies": "0/2 1/3"}
//! ```
//! ````

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::erased::{AnyGame, AnyLeg, TextReplies};
use crate::frames::{EventCollector, Frame, FrameBuilder};
use crate::invalid::InvalidSetup;
use crate::lang::say;
use crate::replay::parse_token;
use crate::reply::Reply;
use crate::seat::{BySeat, Perspective, Seat};

/// The info string of a block with a position.
const POSITION: &str = "position";

/// How to reach a position, as a guide has it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GuidePosition {
    /// What the picture shows, for those who see it and those who do not.
    pub alt: String,
    /// What a person who plays for the first time learns from it, in a sentence or two; absent in
    /// pictures that are not among the three of "How to play".
    pub how: Option<String>,
    /// The choices of the config.
    #[serde(default)]
    pub config: Value,
    /// The seed of the setup.
    #[serde(default)]
    pub seed: u64,
    /// The replies of the steps before the position, as in a replay.
    #[serde(default)]
    pub replies: String,
    /// The seat whose knowledge is shown; everything if absent.
    pub seat: Option<Seat>,
    /// The part of the board that is shown: left column, top row, columns and rows, counted from 0
    /// at the top left; the whole board if absent.
    pub area: Option<[u8; 4]>,
}

/// A position as the page draws it.
#[derive(Debug, Serialize)]
struct DrawnPosition<'a> {
    alt: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    how: Option<&'a str>,
    seat: Option<Seat>,
    area: Option<[u8; 4]>,
    setup: Value,
    /// The view before the last step, if there was a step.
    before: Option<Value>,
    view: Value,
    /// The frame after the last step.
    frame: Frame,
}

/// A fenced block of a Markdown text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GuideBlock<'a> {
    /// The words after the fence: the language and its options.
    pub info: &'a str,
    /// The content, each line with its end.
    pub text: &'a str,
}

/// The fenced blocks of a Markdown text, in order. A block that is not closed ends with the text.
///
/// ```
/// use leitai_game::guide::list_blocks;
/// let blocks = list_blocks("Text\n```position\n{}\n```\n");
/// assert_eq!((blocks[0].info, blocks[0].text), ("position", "{}\n"));
/// ```
pub fn list_blocks(markdown: &str) -> Vec<GuideBlock<'_>> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in markdown.split_inclusive('\n') {
        let fence = line.strip_prefix("```").map(str::trim);
        match (fence, open) {
            (Some(info), None) => open = Some((info, at + line.len())),
            (Some(""), Some((info, start))) => {
                let text = &markdown[start..at];
                blocks.push(GuideBlock { info, text });
                open = None;
            }
            _ => {}
        }
        at += line.len();
    }
    blocks.extend(open.map(|(info, start)| GuideBlock {
        info,
        text: &markdown[start..],
    }));
    blocks
}

impl GuideBlock<'_> {
    /// The position of a block `position`; `None` for other blocks.
    ///
    /// # Errors
    /// The content is not a position.
    pub fn read_position(&self) -> Result<Option<GuidePosition>, InvalidSetup> {
        if self.info != POSITION {
            return Ok(None);
        }
        let read = serde_json::from_str(self.text);
        read.map(Some)
            .map_err(|error| InvalidSetup(say!("a position of the guide: {error}")))
    }
}

impl GuidePosition {
    /// Plays the position's replies and calls `watch` with every step: the leg before it, the leg
    /// after it, and its replies.
    ///
    /// # Errors
    /// The config is invalid or a reply is not an action of the asked seats.
    pub fn play(
        &self,
        game: &dyn AnyGame,
        watch: &mut dyn FnMut(GuideStep<'_>),
    ) -> Result<Box<dyn AnyLeg>, InvalidSetup> {
        let mut leg = game.deal_setup(&self.config, self.seed)?.start_leg();
        for (step, token) in self.replies.split_ascii_whitespace().enumerate() {
            let wrong = |why: String| {
                InvalidSetup(say!(
                    "step {} of the picture {:?}: {why}",
                    step + 1,
                    self.alt
                ))
            };
            let replies = parse_token(token, leg.to_move()).map_err(wrong)?;
            for (_, reply) in replies.iter_pairs() {
                match reply {
                    Some(Reply::Action(action)) if !leg.knows_action(action) => {
                        return Err(wrong(format!("{action:?} is no action")));
                    }
                    _ => {}
                }
            }
            let before = leg.clone_leg();
            let mut events = EventCollector::default();
            leg.step(replies, &mut events);
            watch(GuideStep {
                before: &*before,
                after: &*leg,
                replies: &replies,
                events: events.0,
            });
        }
        Ok(leg)
    }

    fn draw(&self, game: &dyn AnyGame) -> Result<String, InvalidSetup> {
        let perspective = self.seat.map_or(Perspective::All, Perspective::Seat);
        let setup = game.deal_setup(&self.config, self.seed)?;
        let start = setup.start_leg();
        let mut builder = FrameBuilder::new(game, perspective);
        let mut frame = builder.first_frame(&*start);
        let mut before = None;
        let leg = self.play(game, &mut |step| {
            before = builder.last_view().cloned();
            frame = builder.next(
                step.after,
                step.replies,
                step.events,
                BySeat::new(None, None),
            );
        })?;
        let mut frame = frame?;
        (frame.view, frame.change) = (None, None);
        let drawn = DrawnPosition {
            alt: &self.alt,
            how: self.how.as_deref(),
            seat: self.seat,
            area: self.area,
            setup: setup.to_json(),
            before,
            view: leg.view(perspective),
            frame,
        };
        serde_json::to_string(&drawn).map_err(InvalidSetup::new)
    }
}

/// A step on the way to a position.
pub struct GuideStep<'a> {
    /// The leg before the step.
    pub before: &'a dyn AnyLeg,
    /// The leg after the step.
    pub after: &'a dyn AnyLeg,
    /// The replies of the asked seats.
    pub replies: &'a TextReplies<'a>,
    /// The events of the step.
    pub events: Vec<Value>,
}

/// The guide with every block `position` replaced by what a viewer needs to draw it: alt text,
/// seat, area, setup, the views before and after the last step, and the last frame.
///
/// # Errors
/// A position cannot be reached.
pub fn expand_positions(game: &dyn AnyGame, markdown: &str) -> Result<String, InvalidSetup> {
    let mut expanded = String::with_capacity(2 * markdown.len());
    let mut rest = markdown;
    for block in list_blocks(markdown) {
        let Some(position) = block.read_position()? else {
            continue;
        };
        let (before, after) = rest
            .split_once(block.text)
            .ok_or_else(|| InvalidSetup(say!("a picture of the guide is empty")))?;
        expanded.push_str(before);
        expanded.push_str(&position.draw(game)?);
        expanded.push('\n');
        rest = after;
    }
    expanded.push_str(rest);
    Ok(expanded)
}

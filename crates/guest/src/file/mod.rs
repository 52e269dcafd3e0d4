//! A game file: `game.toml`, the rules, guides, an emblem and recorded matches, as a folder or as
//! one archive (`NAME.leitai-game`, a zip). What is wrong with it is told all at once.
//!
//! | module | noun |
//! |---|---|
//! | [`parts`] | the files that belong to it, read without trust |
//! | [`about`] | what `game.toml` says |
//! | [`archive`] | the same parts as one file |
//! | [`place`] | where it lies |
//! | `emblem` | its picture, which browsers draw |
//! | [`golden`] | recorded matches, and how they are compared |
//! | [`scale`] | how strong its levels are |
//! | [`bots`], `templates` | its bots, and what authors of bots begin with |
//! | [`trees`] | the folders of both |
//! | `zipped` | files as a zip |
//! | `program` | the judge program, where one leads the game |

pub mod about;
pub mod archive;
pub mod bots;
mod emblem;
pub mod golden;
pub mod parts;
pub mod place;
mod problem;
mod program;
pub mod scale;
mod templates;
pub mod trees;
mod zipped;

use leitai_game::text::LocalizedText;
use leitai_game::{AnyGame, MissingScale, Replay};
use leitai_toml_reader::problem::both;

use crate::game::GuestGame;
use crate::limits::Limits;
use crate::logic::{LogicGame, LogicParts};
use crate::meta::GuestMeta;

use about::About;
use parts::{GUIDE, GUIDE_ZH, MANIFEST, Parts, RULES, VIEWER};
pub use problem::FileProblem;
use scale::ScaleFile;

/// A game file whose every part was read and checked; its rules are loaded.
pub struct GameFile {
    /// What `game.toml` says.
    pub about: About,
    /// The loaded game.
    pub game: GuestGame,
    /// The recorded matches, by file name.
    pub golden: Vec<(String, Replay)>,
    /// How strong its levels are, if that was measured.
    pub scale: Option<ScaleFile>,
    /// Everything, as it was read.
    pub parts: Parts,
}

impl GameFile {
    /// What `game.toml` says, if every part has the right form; the rules are not loaded, and a judge program
    /// is not built.
    ///
    /// # Errors
    /// Everything that is wrong with the form.
    pub fn describe(parts: &Parts) -> Result<About, Vec<FileProblem>> {
        let mut problems = Vec::new();
        let described = Described::read(parts, &mut problems);
        if LogicFile::is_named_by(parts) {
            return LogicFile::read(described, parts, problems).map(|game| game.about);
        }
        match described.about {
            Some(about) if problems.is_empty() => Ok(about),
            _ => Err(problems),
        }
    }

    /// Checks every part and loads the rules.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn load(parts: Parts, limits: Limits) -> Result<GameFile, Vec<FileProblem>> {
        let mut problems = Vec::new();
        let described = Described::read(&parts, &mut problems);
        if described
            .about
            .as_ref()
            .is_some_and(|about| about.logic.is_some())
        {
            problems.push(led());
            return Err(problems);
        }
        let about = described.about;
        let game = load_rules(
            &parts,
            about.as_ref(),
            described.guide,
            limits,
            &mut problems,
        );
        let templates = templates::read_templates(&parts, &mut problems);
        let (scale, outdated) = described.scale.unzip();
        let is_outdated = outdated == Some(true);
        let game = game.map(|game| {
            let named = about.as_ref().map_or(&[][..], |about| &about.bots);
            let own = bots::read_bots(named, &parts, game.has_bots(), &mut problems);
            let found = scale.as_ref().filter(|_| !is_outdated);
            let game = game.with_bots(own).with_starters(templates);
            let game = game.with_emblem(described.emblem);
            game.with_scale(found.map(ScaleFile::to_scale), is_outdated)
        });
        match (about, game) {
            (Some(about), Some(game)) if problems.is_empty() => Ok(GameFile {
                about,
                game,
                golden: described.golden,
                scale,
                parts,
            }),
            _ => Err(problems),
        }
    }
}

impl GameFile {
    /// The hash of what decides how strong its levels are, see [`scale::fingerprint_of`].
    pub fn scale_fingerprint(&self) -> String {
        scale::fingerprint_of(&self.about, self.parts.bytes(RULES).unwrap_or_default())
    }

    /// What is wrong with its scale, if it was measured with other rules or levels. Such a game is
    /// played all the same: it has no rating scale.
    pub fn outdated_scale(&self) -> Option<FileProblem> {
        let is_outdated = self.game.missing_scale() == MissingScale::Outdated;
        is_outdated.then(scale::outdated_problem)
    }
}

fn led() -> FileProblem {
    FileProblem::new(
        MANIFEST,
        both(
            "a logic process leads this game, so its rules are no module",
            "此游戏由评测逻辑程序主持，规则不是模块",
        ),
        both("play it with leitai match", "可用 leitai match 对战"),
    )
}

/// A game that a judge program leads, as a folder or as one file, read and checked. Nothing of the program
/// was run.
pub struct LogicFile {
    /// What `game.toml` says.
    pub about: About,
    /// The game, which is not led here ([`LogicGame::open`]).
    pub game: LogicGame,
    /// The recorded matches, by file name.
    pub golden: Vec<(String, Replay)>,
}

impl LogicFile {
    /// Whether the parts say that a logic process leads the game.
    pub fn is_named_by(parts: &Parts) -> bool {
        let text = parts
            .bytes(MANIFEST)
            .and_then(|bytes| std::str::from_utf8(bytes).ok());
        text.is_some_and(About::names_logic)
    }

    /// Checks every part.
    ///
    /// # Errors
    /// Everything that is wrong.
    pub fn load(parts: &Parts) -> Result<LogicFile, Vec<FileProblem>> {
        let mut problems = Vec::new();
        let described = Described::read(parts, &mut problems);
        LogicFile::read(described, parts, problems)
    }

    fn read(
        described: Described,
        parts: &Parts,
        mut problems: Vec<FileProblem>,
    ) -> Result<LogicFile, Vec<FileProblem>> {
        let named = described
            .about
            .as_ref()
            .map_or(&[][..], |about| &about.bots);
        let bots = bots::read_bots(named, parts, false, &mut problems);
        let starters = templates::read_templates(parts, &mut problems);
        // Where game.toml is wrong, that is told alone.
        let program = described.about.as_ref().and_then(|_| {
            let packed = parts.pack_program();
            packed
                .map_err(|why| problems.push(LogicFile::no_program(&why)))
                .ok()
        });
        match (described.about, program) {
            (Some(about), Some(program)) if problems.is_empty() => Ok(LogicFile {
                game: LogicGame::describe(
                    about.meta(described.guide),
                    about.logic_protocol,
                    program,
                    LogicParts {
                        bots,
                        starters,
                        emblem: described.emblem,
                    },
                ),
                about,
                golden: described.golden,
            }),
            _ => Err(problems),
        }
    }

    /// What is wrong with a program that cannot be read or built.
    pub fn no_program(why: &str) -> FileProblem {
        let what = both(format!("logic: {why}"), format!("logic：{why}"));
        let cure = both(
            "name a program that leitai could run as a bot",
            "请给出 leitai 能作为 bot 运行的程序",
        );
        FileProblem::new(MANIFEST, what, cure)
    }
}

/// The parts that every game has, as far as they could be read.
struct Described {
    about: Option<About>,
    guide: LocalizedText,
    emblem: Option<String>,
    golden: Vec<(String, Replay)>,
    /// The scale, and whether it was measured with other rules or levels.
    scale: Option<(ScaleFile, bool)>,
}

impl Described {
    fn read(parts: &Parts, problems: &mut Vec<FileProblem>) -> Described {
        parts.check(!LogicFile::is_named_by(parts), problems);
        let about = parts
            .text(MANIFEST, problems)
            .and_then(|text| match About::read(text) {
                Ok(about) => Some(about),
                Err(found) => {
                    problems.extend(found.into_iter().map(FileProblem::in_manifest));
                    None
                }
            });
        let guide = both(
            parts.text(GUIDE, problems).unwrap_or_default(),
            parts.text(GUIDE_ZH, problems).unwrap_or_default(),
        );
        let emblem = emblem::read_emblem(parts, problems);
        let golden = golden::read(parts, about.as_ref(), problems);
        let scale = scale::read_part(parts, about.as_ref(), problems);
        Described {
            about,
            guide,
            emblem,
            golden,
            scale,
        }
    }
}

/// Loads the rules even if `game.toml` is wrong, so that what is wrong with both is told.
fn load_rules(
    parts: &Parts,
    about: Option<&About>,
    guide: LocalizedText,
    limits: Limits,
    problems: &mut Vec<FileProblem>,
) -> Option<GuestGame> {
    let module = parts.bytes(RULES)?;
    let meta = about
        .map(|about| about.meta(guide))
        .unwrap_or_else(GuestMeta::unknown);
    let loaded = GuestGame::load(&meta, module, limits);
    let refused = |why: crate::machine::InvalidModule| {
        let catalogue = leitai_game::lang::Catalogue::new([&crate::messages::MESSAGES]);
        let what = catalogue.write_both(|lang| lang.say(&why.to_string()));
        let cure = both(
            "docs/game-files.md says what a module may be",
            "模块须符合 docs/game-files.md 的要求",
        );
        problems.push(FileProblem::new(RULES, what, cure));
    };
    let mut game = loaded.map_err(refused).ok()?;
    game.viewer = parts.text(VIEWER, problems).map(str::to_owned);
    if let Some(about) = about {
        check_choices(&game, about, problems);
    }
    Some(game)
}

/// The defaults of `game.toml` have to be those of the rules.
fn check_choices(game: &GuestGame, about: &About, problems: &mut Vec<FileProblem>) {
    let Err(why) = game.read_config(&about.default_config()) else {
        return;
    };
    problems.push(FileProblem::new(
        MANIFEST,
        both(
            format!("the rules refuse the defaults of [[config]]: {why}"),
            format!("规则不接受 [[config]] 的默认值：{why}"),
        ),
        both(
            "name the keys and values of the function config",
            "请使用函数 config 认识的键和值",
        ),
    ));
}

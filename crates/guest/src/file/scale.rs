//! The rating scale of a game file, `scale.toml`: what `leitai game scale` measured once, with the hash
//! of the rules and of the levels that it was measured with.

use std::borrow::Cow;
use std::fmt::Write as _;

use leitai_game::{LocalizedText, RatedBot, RatingScale};
use leitai_toml_reader::problem::{Problem, both};
use leitai_toml_reader::table::{Item, Reader, Section, whole_number};
use sha2::{Digest, Sha256};

use super::about::About;
use super::parts::{Parts, RULES, SCALE};
use super::problem::FileProblem;
use crate::levels::{LEVELS, describe_levels};
use crate::random_bot;

/// The level that every scale holds at [`ANCHOR_RATING`].
pub const ANCHOR: &str = "level3";
/// What the anchor is rated.
pub const ANCHOR_RATING: i32 = 1000;

/// The bounds of a stranger's numbers.
pub const MOST_RATING: u16 = 5000;
/// See [`MOST_RATING`].
pub const MOST_ERROR: u16 = 2000;
const MOST_GAMES: u64 = 1_000_000;

/// The built-in bots that a scale may hold, the weakest first: those that play the same on every machine.
pub fn rated_names() -> Vec<&'static str> {
    let levels = LEVELS.iter().map(|level| level.about.0);
    std::iter::once(random_bot::ABOUT.0).chain(levels).collect()
}

/// A scale as its file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct ScaleFile {
    /// The id of the game and the number of the scale: `othello-1`.
    pub name: String,
    /// What it was measured with, see [`fingerprint_of`].
    pub measured: String,
    /// The seed of the first pair.
    pub seed: u64,
    /// The pairs of games that each level played with the one before it.
    pub pairs: u64,
    /// The bots, in the order of [`rated_names`].
    pub levels: Vec<MeasuredLevel>,
}

/// A bot of a scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeasuredLevel {
    /// Its name and rating.
    pub bot: RatedBot,
    /// The games against the bot before it: won, drawn and lost.
    pub games: [u64; 3],
}

impl ScaleFile {
    /// Reads the text of `scale.toml` of the game with this id.
    ///
    /// # Errors
    /// Everything that is wrong with it.
    pub fn read(text: &str, id: &str) -> Result<ScaleFile, Vec<Problem>> {
        let (reader, table) = Reader::parse(text);
        let root = Section::new(&reader, &table, "", 0..0);
        let scale = read_root(&root, id);
        root.finish();
        match (reader.into_problems(), scale) {
            (problems, Some(scale)) if problems.is_empty() => Ok(scale),
            (problems, _) => Err(problems),
        }
    }

    /// The text of `scale.toml`.
    pub fn to_text(&self) -> String {
        let ScaleFile {
            name,
            measured,
            seed,
            pairs,
            levels,
        } = self;
        let mut text = format!(
            "# Written by `leitai game scale`; do not change it by hand. Ratings in Elo of a game, {ANCHOR} at \
             {ANCHOR_RATING};\n# error is half of the interval of 95 %. Each level played with the one before it.\n\
             name = \"{name}\"\nmeasured = \"{measured}\"\nseed = {seed}\npairs = {pairs}\n"
        );
        for MeasuredLevel { bot, games } in levels {
            let [won, drawn, lost] = games;
            let _ = write!(
                text,
                "\n[[levels]]\nname = \"{}\"\nrating = {}\nerror = {}\n",
                bot.name, bot.rating, bot.error
            );
            if *games != [0; 3] {
                let _ = writeln!(text, "won = {won}\ndrawn = {drawn}\nlost = {lost}");
            }
        }
        text
    }

    /// The scale, the weakest first whatever the names say.
    pub fn to_scale(&self) -> RatingScale {
        let mut levels: Vec<RatedBot> = self.levels.iter().map(|level| level.bot).collect();
        levels.sort_by_key(|level| level.rating);
        RatingScale {
            name: Cow::Owned(self.name.clone()),
            levels: Cow::Owned(levels),
            ladder_bots: &[],
            public_bots: &[],
            former: &[],
            earlier: &[],
        }
    }

    /// The levels that are rated no higher than the one before them.
    pub fn disordered(&self) -> Vec<[&'static str; 2]> {
        let pairs = self.levels.windows(2);
        let wrong = pairs.filter(|pair| pair[1].bot.rating <= pair[0].bot.rating);
        wrong
            .map(|pair| [pair[1].bot.name, pair[0].bot.name])
            .collect()
    }

    /// The name of the scale that takes its place.
    pub fn next_name(&self) -> String {
        let parts = self.name.rsplit_once('-');
        let next = parts.and_then(|(id, number)| Some((id, number.parse::<u32>().ok()? + 1)));
        next.map_or_else(
            || self.name.clone(),
            |(id, number)| format!("{id}-{number}"),
        )
    }
}

/// The hash of what decides how strong levels are: the rules, the choices of a match by default, and
/// what each level does.
pub fn fingerprint_of(about: &About, rules: &[u8]) -> String {
    let levels = describe_levels();
    let config = about.default_config().to_string();
    let mut hash = Sha256::new();
    for part in [
        rules,
        about.rules.as_bytes(),
        config.as_bytes(),
        levels.as_bytes(),
    ] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    format!("sha256:{}", hex::encode(hash.finalize()))
}

/// The scale of a game file, and whether it was measured with other rules or levels.
pub(super) fn read_part(
    parts: &Parts,
    about: Option<&About>,
    problems: &mut Vec<FileProblem>,
) -> Option<(ScaleFile, bool)> {
    let text = parts.text(SCALE, problems)?;
    let about = about?;
    if about.logic.is_some() || !about.is_open {
        problems.push(FileProblem::new(
            SCALE,
            both(
                "this game has no levels that could be rated: it hides something, or a judge program leads it",
                "此游戏没有可评分的级别：它隐藏信息，或由评测逻辑程序主持",
            ),
            both("delete this part", "请删除此文件"),
        ));
        return None;
    }
    match ScaleFile::read(text, &about.id) {
        Ok(scale) => {
            let now = fingerprint_of(about, parts.bytes(RULES).unwrap_or_default());
            let outdated = scale.measured != now;
            Some((scale, outdated))
        }
        Err(found) => {
            let found = found.into_iter();
            problems.extend(found.map(|problem| FileProblem::in_part(SCALE, problem)));
            None
        }
    }
}

/// What a scale says that was measured with other rules or levels.
pub(super) fn outdated_problem() -> FileProblem {
    let what = both(
        "this scale was measured with other rules, choices or levels, so the game has no rating scale",
        "此标尺是以另外的规则、选项或级别测定的，因此游戏没有评分标尺",
    );
    let cure = both(
        "leitai game scale FOLDER measures it again; or delete this part",
        "leitai game scale 文件夹 可重新测定；也可删除此文件",
    );
    FileProblem::new(SCALE, what, cure)
}

fn read_root(root: &Section<'_, '_>, id: &str) -> Option<ScaleFile> {
    let name = read_name(root, id);
    let measured = read_measured(root);
    let seed = root.number("seed", 0..=u64::MAX);
    let pairs = root.number("pairs", 1..=MOST_GAMES);
    let again = again();
    for key in ["seed", "pairs"] {
        if root.get(key).is_none() {
            root.miss(key, &again.en, &again.zh);
        }
    }
    let levels = read_levels(root);
    Some(ScaleFile {
        name: name?,
        measured: measured?,
        seed: seed?,
        pairs: pairs?,
        levels: levels?,
    })
}

fn again() -> LocalizedText {
    both(
        "leitai game scale FOLDER writes this part",
        "此文件由 leitai game scale 文件夹 写出",
    )
}

/// `ID-NUMBER`.
fn read_name(root: &Section<'_, '_>, id: &str) -> Option<String> {
    let (en, zh) = (
        format!("write the id and a number: name = \"{id}-1\""),
        format!("请写 id 加数字：name = \"{id}-1\""),
    );
    let Some(item) = root.get("name") else {
        root.miss("name", &en, &zh);
        return None;
    };
    let is_number = |number: &str| {
        (1..=6).contains(&number.len())
            && number.bytes().all(|byte| byte.is_ascii_digit())
            && !number.starts_with('0')
    };
    let name = item.get_ref().as_str().filter(|name| {
        let parts = name.rsplit_once('-');
        parts.is_some_and(|(of, number)| of == id && is_number(number))
    });
    if name.is_none() {
        root.refuse("name", item, &en, &zh);
    }
    name.map(str::to_owned)
}

fn read_measured(root: &Section<'_, '_>) -> Option<String> {
    let Some(item) = root.get("measured") else {
        let again = again();
        root.miss("measured", &again.en, &again.zh);
        return None;
    };
    let is_hash = |text: &&str| {
        let digits = text.strip_prefix("sha256:").unwrap_or_default();
        digits.len() == 64
            && digits
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let measured = item.get_ref().as_str().filter(is_hash);
    if measured.is_none() {
        let again = again();
        root.refuse("measured", item, &again.en, &again.zh);
    }
    measured.map(str::to_owned)
}

/// `[[levels]]`: some of [`rated_names`] in their order, [`ANCHOR`] among them.
fn read_levels(root: &Section<'_, '_>) -> Option<Vec<MeasuredLevel>> {
    let Some(list) = root.list("levels") else {
        if root.get("levels").is_none() {
            let again = again();
            root.miss("levels", &again.en, &again.zh);
        }
        return None;
    };
    let names = rated_names();
    let mut levels: Vec<Option<MeasuredLevel>> = Vec::new();
    for (place, item) in list.iter().enumerate() {
        let Some(name) = names.get(place) else {
            let most = names.len();
            let (en, zh) = (
                format!("keep at most {most} levels"),
                format!("最多 {most} 个级别"),
            );
            root.refuse("levels", item, &en, &zh);
            break;
        };
        levels.push(read_level(root, item, name));
    }
    let levels: Vec<MeasuredLevel> = levels.into_iter().collect::<Option<_>>()?;
    let anchor = levels.iter().find(|level| level.bot.name == ANCHOR);
    if anchor.is_none_or(|anchor| anchor.bot.rating != ANCHOR_RATING) {
        let (en, zh) = (
            format!("{ANCHOR} must be among them, with the rating {ANCHOR_RATING}"),
            format!("其中必须有 {ANCHOR}，其评分为 {ANCHOR_RATING}"),
        );
        root.refuse("levels", root.get("levels")?, &en, &zh);
        return None;
    }
    Some(levels)
}

/// The bot with this name, whose place this is.
fn read_level(
    root: &Section<'_, '_>,
    item: &Item<'_>,
    name: &'static str,
) -> Option<MeasuredLevel> {
    let Some(table) = item.get_ref().as_table() else {
        let (en, zh) = ("write a table [[levels]]", "请写成表 [[levels]]");
        root.refuse("levels", item, en, zh);
        return None;
    };
    let section = Section::new(root.reader, table, "levels", item.span());
    let is_own = section.word("name", &[(name, ())]).is_some();
    let rating = read_rating(&section);
    let error = section.number("error", 0..=u64::from(MOST_ERROR));
    let games = ["won", "drawn", "lost"];
    let games = games.map(|key| section.number(key, 0..=MOST_GAMES).unwrap_or(0));
    let again = again();
    for key in ["name", "error"] {
        if section.get(key).is_none() {
            section.miss(key, &again.en, &again.zh);
        }
    }
    section.finish();
    let bot = RatedBot::new(name, rating?, u32::try_from(error?).ok()?);
    is_own.then_some(MeasuredLevel { bot, games })
}

/// A rating may be below 0.
fn read_rating(section: &Section<'_, '_>) -> Option<i32> {
    let (en, zh) = (
        format!("write a whole number from -{MOST_RATING} to {MOST_RATING}"),
        format!("请写 -{MOST_RATING} 到 {MOST_RATING} 的整数"),
    );
    let Some(item) = section.get("rating") else {
        section.miss("rating", &en, &zh);
        return None;
    };
    let value = item.get_ref();
    let negative = value.as_integer().and_then(|number| {
        let digits = number.as_str().strip_prefix('-')?;
        digits.parse::<u16>().ok()
    });
    let positive = || whole_number(value).and_then(|number| u16::try_from(number).ok());
    let signed =
        |sign: i32| move |number: u16| (number <= MOST_RATING).then(|| sign * i32::from(number));
    let found = match negative {
        Some(number) => signed(-1)(number),
        None => positive().and_then(signed(1)),
    };
    if found.is_none() {
        section.refuse("rating", item, &en, &zh);
    }
    found
}

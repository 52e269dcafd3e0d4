//! A parameter of a bot: `depth=1..12`, `k=0.1..2.0:1` or `style=calm|bold`, and how its value reaches the
//! bot.

use leitai_judge::EntrantSettings;
use serde_json::{Value, json};

use super::axis::Axis;
use crate::{EntrantRequest, invalid_request};

/// The most parameters at a time: pairs tell little about more.
pub const MOST_PARAMETERS: usize = 16;
/// The most choices of a parameter.
const MOST_CHOICES: usize = 16;
/// The most digits behind the point.
const MOST_DECIMALS: usize = 9;
/// The largest number that a range may reach.
const MOST: f64 = 1e9;
/// A range of numbers with a point has at least ten to this many values.
const FINENESS: f64 = 3.0;

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name, by which arguments and placeholders call it.
    pub name: String,
    /// What it may be.
    pub values: Values,
    /// Where the search begins, as a place on its [`Axis`].
    pub start: f64,
    /// As it was written.
    text: String,
}

/// What a parameter may be.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// Numbers with so many digits behind the point; none makes them whole.
    #[allow(missing_docs, reason = "the names say it")]
    Range {
        low: f64,
        high: f64,
        decimals: usize,
    },
    /// One of these words.
    Choice(Vec<String>),
}

impl Parameter {
    /// `NAME=LOW..HIGH` or `NAME=ONE|OTHER`, with `:START` behind it if the search is not to begin in the
    /// middle, or with the first word.
    ///
    /// # Errors
    /// Says what is wrong, and how it is written.
    pub fn parse(text: &str) -> anyhow::Result<Parameter> {
        read(text).map_err(|why| invalid_request(format!("--param {text}: {why}")))
    }

    /// The value at a place.
    pub fn show(&self, place: f64) -> String {
        match &self.values {
            Values::Choice(words) => words[(place.max(0.0) as usize).min(words.len() - 1)].clone(),
            Values::Range {
                low,
                high,
                decimals,
            } => show_number(low + place * (high - low), *decimals),
        }
    }

    /// The value at a place for programs: a number, or a word.
    pub fn to_json(&self, place: f64) -> Value {
        let shown = self.show(place);
        match &self.values {
            Values::Choice(_) => shown.into(),
            Values::Range { .. } => serde_json::from_str(&shown).unwrap_or(Value::String(shown)),
        }
    }

    /// What it may be, for programs.
    pub fn bounds_json(&self) -> Value {
        match &self.values {
            Values::Choice(words) => json!({"choices": words}),
            Values::Range { .. } => json!({"low": self.to_json(0.0), "high": self.to_json(1.0)}),
        }
    }

    /// As the search sees it.
    pub fn axis(&self) -> Axis {
        match &self.values {
            Values::Choice(words) => Axis::Choice { count: words.len() },
            Values::Range {
                low,
                high,
                decimals,
            } => Axis::Range {
                steps: ((high - low) * 10f64.powi(*decimals as i32))
                    .round()
                    .max(1.0),
            },
        }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Without a sign where it is zero.
fn show_number(value: f64, decimals: usize) -> String {
    let shown = format!("{value:.decimals$}");
    let is_zero = shown.chars().all(|c| matches!(c, '-' | '0' | '.'));
    match shown.strip_prefix('-') {
        Some(rest) if is_zero => rest.to_owned(),
        _ => shown,
    }
}

fn read(text: &str) -> Result<Parameter, String> {
    let form = "write NAME=LOW..HIGH, NAME=LOW..HIGH:START or NAME=ONE|OTHER";
    let (name, rest) = text.split_once('=').ok_or(form)?;
    let is_name = !name.is_empty() && name.len() <= 40 && name.chars().all(is_name_part);
    if !is_name {
        return Err(format!(
            "{name:?} is no name; use up to 40 letters, digits, - and _"
        ));
    }
    let (values, start) = match rest.rsplit_once(':') {
        Some((values, start)) => (values, Some(start)),
        None => (rest, None),
    };
    let (values, start) = match values.split_once("..") {
        Some((low, high)) => read_range(low, high, start)?,
        None if values.contains('|') => read_choice(values, start)?,
        None => return Err(form.to_owned()),
    };
    Ok(Parameter {
        name: name.to_owned(),
        values,
        start,
        text: text.to_owned(),
    })
}

fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
}

fn read_range(low: &str, high: &str, start: Option<&str>) -> Result<(Values, f64), String> {
    let number = |text: &str| -> Result<f64, String> {
        let number = text.parse().ok().filter(|one: &f64| one.abs() <= MOST);
        number.ok_or_else(|| format!("{text:?} is not a number from -1000000000 to 1000000000"))
    };
    let ends = [number(low)?, number(high)?];
    if ends[1] - ends[0] < 1e-6 {
        return Err(format!("{high} must be greater than {low}"));
    }
    let is_whole = [low, high].iter().all(|end| end.parse::<i64>().is_ok());
    let written = [low, high].map(|end| end.split_once('.').map_or(0, |(_, behind)| behind.len()));
    let fine = (FINENESS - (ends[1] - ends[0]).log10()).ceil().max(0.0) as usize;
    let decimals = match is_whole {
        true => 0,
        false => fine.max(written[0]).max(written[1]).min(MOST_DECIMALS),
    };
    let place = match start {
        None => 0.5,
        Some(start) => (number(start)? - ends[0]) / (ends[1] - ends[0]),
    };
    if !(0.0..=1.0).contains(&place) {
        return Err(format!(
            "the start {} lies outside {low}..{high}",
            start.unwrap_or_default()
        ));
    }
    let values = Values::Range {
        low: ends[0],
        high: ends[1],
        decimals,
    };
    Ok((values, place))
}

fn read_choice(words: &str, start: Option<&str>) -> Result<(Values, f64), String> {
    let words: Vec<String> = words.split('|').map(str::to_owned).collect();
    let is_twice = (1..words.len()).any(|index| words[..index].contains(&words[index]));
    if words.iter().any(String::is_empty) || is_twice || words.len() > MOST_CHOICES {
        return Err(format!(
            "{}: give 2 to {MOST_CHOICES} different words",
            words.join("|")
        ));
    }
    let index = match start {
        None => Some(0),
        Some(start) => words.iter().position(|word| word == start),
    };
    let index = index.ok_or_else(|| {
        format!(
            "the start {} is none of {}",
            start.unwrap_or_default(),
            words.join("|")
        )
    })?;
    Ok((Values::Choice(words), index as f64))
}

/// The parameters of these texts.
///
/// # Errors
/// For one that cannot be read, two with one name, and too many.
pub fn read_parameters(texts: &[String]) -> anyhow::Result<Vec<Parameter>> {
    let all: Vec<Parameter> = texts
        .iter()
        .map(|text| Parameter::parse(text))
        .collect::<anyhow::Result<_>>()?;
    if all.is_empty() || all.len() > MOST_PARAMETERS {
        return Err(invalid_request(format!(
            "{} parameters; give 1 to {MOST_PARAMETERS} with --param NAME=LOW..HIGH",
            all.len()
        )));
    }
    for (index, one) in all.iter().enumerate() {
        if all[..index].iter().any(|other| other.name == one.name) {
            return Err(invalid_request(format!(
                "--param {}: this parameter is there twice",
                one.text
            )));
        }
    }
    Ok(all)
}

/// The bot with a placeholder for each parameter: those that no `{NAME}` of its words asks for become
/// arguments, `--NAME VALUE`.
///
/// # Errors
/// For a placeholder without a parameter.
pub fn complete_bot(
    mut bot: EntrantRequest,
    parameters: &[Parameter],
) -> anyhow::Result<EntrantRequest> {
    let words = || {
        let variables = bot.settings.environment.iter().map(|(_, value)| value);
        bot.settings.arguments.iter().chain(variables)
    };
    let is_known = |name: &str| parameters.iter().any(|one| one.name == name);
    if let Some(unknown) = words()
        .flat_map(|word| placeholders(word))
        .find(|name| !is_known(name))
    {
        return Err(invalid_request(format!(
            "the placeholder {unknown:?} asks for a parameter; add --param {unknown}=LOW..HIGH, or leave it out"
        )));
    }
    let is_asked =
        |one: &&Parameter| words().any(|word| word.contains(&format!("{{{}}}", one.name)));
    let missing: Vec<&Parameter> = parameters.iter().filter(|one| !is_asked(one)).collect();
    let added: Vec<String> = missing
        .iter()
        .flat_map(|one| [format!("--{}", one.name), format!("{{{}}}", one.name)])
        .collect();
    bot.settings.arguments.extend(added);
    Ok(bot)
}

/// The names in `{…}` of a word, where they are names.
fn placeholders(word: &str) -> Vec<&str> {
    let parts = word.split('{').skip(1);
    let names = parts.filter_map(|part| part.split_once('}').map(|(name, _)| name));
    names
        .filter(|name| !name.is_empty() && name.chars().all(is_name_part))
        .collect()
}

/// The settings of a bot with the values at a point.
pub fn settings_at(
    settings: &EntrantSettings,
    parameters: &[Parameter],
    point: &[f64],
) -> EntrantSettings {
    let fill = |word: &mut String| {
        for (one, place) in parameters.iter().zip(point) {
            *word = word.replace(&format!("{{{}}}", one.name), &one.show(*place));
        }
    };
    let mut settings = settings.clone();
    settings.arguments.iter_mut().for_each(fill);
    let values = settings.environment.iter_mut().map(|(_, value)| value);
    values.for_each(fill);
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_read() {
        // The text, and the values at the start, at both ends and between.
        let check = |text: &str, values: [&str; 4]| {
            let one = Parameter::parse(text).expect(text);
            let shown = [one.start, 0.0, 1.0, 0.26].map(|place| one.show(place));
            assert_eq!(shown, values, "{text}");
        };
        check(
            "depth=1..12",
            ["6", "1", "12", "4"].map(|x| if x == "6" { "6" } else { x }),
        );
        check("depth=1..12:4", ["4", "1", "12", "4"]);
        check("k=0.1..2.0", ["1.050", "0.100", "2.000", "0.594"]);
        check("bias=-5..5", ["0", "-5", "5", "-2"]);
        check("x=0..1000.5", ["500.2", "0.0", "1000.5", "260.1"]);
        check("style=calm|bold", ["calm", "calm", "bold", "calm"]);
        check("style=calm|bold:bold", ["bold", "calm", "bold", "calm"]);
    }

    #[test]
    fn what_cannot_be_read_says_how_it_is_written() {
        let check = |texts: &[&str], part: &str| {
            let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            let why = read_parameters(&texts).expect_err(part).to_string();
            assert!(why.contains(part), "{texts:?}: {why}");
        };
        check(&[], "0 parameters; give 1 to 16");
        check(&["depth"], "write NAME=LOW..HIGH");
        check(&["depth=5"], "write NAME=LOW..HIGH");
        check(&["de pth=1..5"], "\"de pth\" is no name");
        check(&["depth=1..x"], "\"x\" is not a number");
        check(&["depth=1..nan"], "\"nan\" is not a number");
        check(&["depth=5..1"], "1 must be greater than 5");
        check(&["depth=1..5:9"], "the start 9 lies outside 1..5");
        check(&["s=a|a"], "a|a: give 2 to 16 different words");
        check(&["s=a|b:c"], "the start c is none of a|b");
        check(
            &["d=1..5", "d=1..6"],
            "--param d=1..6: this parameter is there twice",
        );
    }

    #[test]
    fn values_reach_the_bot_by_placeholder_or_argument() {
        let game = leitai_games::find_game("kob").expect("it is listed");
        let parameters = ["depth=1..12", "k=0.5..1.5", "style=a|b"].map(str::to_owned);
        let parameters = read_parameters(&parameters).expect("valid");
        let bot = |text: &str| {
            let bot = EntrantRequest::parse(game, text).expect(text);
            complete_bot(bot, &parameters)
        };
        let check = |text: &str, expected: &str| {
            let bot = bot(text).expect(text);
            let settings = settings_at(&bot.settings, &parameters, &[1.0, 0.5, 1.0]);
            assert_eq!(settings.to_text().as_deref(), Some(expected), "{text}");
        };
        check("./bot", "--depth 12 --k 1.000 --style b");
        check("./bot -d{depth} x", "-d12 x --k 1.000 --style b");
        check(
            "./bot {depth}:{k} @env=STYLE={style} @limit=1s",
            "12:1.000 @env=STYLE=b @limit=1s",
        );
        let why = bot("./bot {dept}").expect_err("it is unknown").to_string();
        assert!(why.contains("add --param dept=LOW..HIGH"), "{why}");
    }
}

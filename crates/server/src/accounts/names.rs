//! The rules for names of accounts and bots: no letters that look like other letters, no characters
//! that change the direction of text.

use leitai_game::GameSet;
use leitai_store::skeletons::skeleton;

use super::AccountError;

/// Characters in a name.
const LENGTH: std::ops::RangeInclusive<usize> = 2..=24;

/// Trims and checks a name.
pub fn check_name(name: &str) -> Result<&str, AccountError> {
    let name = name.trim();
    let length = name.chars().count();
    let refuse = |why: String| Err(AccountError::invalid_field("bad-name", "name", why));
    if !LENGTH.contains(&length) {
        let (least, most) = (LENGTH.start(), LENGTH.end());
        return refuse(format!(
            "the name has {length} characters; it must have {least} to {most}"
        ));
    }
    if let Some(bad) = name.chars().find(|c| !is_allowed(*c)) {
        return refuse(format!(
            "the name has {bad:?} in it; use letters, digits, - _ . and Chinese characters"
        ));
    }
    if !name.chars().any(char::is_alphanumeric) {
        return refuse("the name has neither a letter nor a digit; add one".to_owned());
    }
    Ok(name)
}

/// A name that follows the rules and is as near as possible to a wanted one, such as the name that
/// somebody has elsewhere or an address for mail; `None` if nothing of it may be used.
pub fn propose_name(wanted: &str) -> Option<String> {
    let wanted = wanted.split('@').next().unwrap_or_default();
    let mut name = String::new();
    for c in wanted.chars() {
        match c {
            _ if is_allowed(c) => name.push(c),
            _ if c.is_whitespace() && !name.ends_with('-') => name.push('-'),
            _ => {}
        }
    }
    let name = name.trim_matches(['-', '_', '.']);
    let name: String = name.chars().take(*LENGTH.end() - 3).collect();
    check_name(&name).is_ok().then_some(name)
}

/// Names that could be mistaken for the arena itself or for its operators.
const RESERVED: [&str; 31] = [
    "admin",
    "administrator",
    "arena",
    "bot",
    "built-in",
    "builtin",
    "judge",
    "leitai",
    "moderator",
    "nobody",
    "null",
    "official",
    "operator",
    "owner",
    "referee",
    "root",
    "security",
    "server",
    "staff",
    "superuser",
    "support",
    "sysadmin",
    "system",
    "undefined",
    "webmaster",
    "worker",
    "官方",
    "擂台",
    "管理员",
    "系统",
    "裁判",
];
/// Names that stand for people without an account.
const GUESTS: [&str; 6] = ["guest", "anonymous", "you", "匿名", "访客", "游客"];

/// Checks that a user may take this name: it is neither reserved nor a built-in bot's.
pub fn check_reserved(name: &str, games: impl Into<GameSet>) -> Result<(), AccountError> {
    let games = games.into();
    let is_bot = || {
        let own = skeleton(name);
        let games = games.list();
        let bots = games.iter().flat_map(|game| game.list_bots());
        bots.map(|(bot, _)| skeleton(bot)).any(|bot| bot == own)
    };
    if !is_reserved(name) && !looks_like(name, &GUESTS) && !is_bot() {
        return Ok(());
    }
    Err(reserved_name_error(name))
}

/// Trims and checks the name of a guest.
pub fn of_guest(name: &str) -> Result<&str, AccountError> {
    let name = check_name(name)?;
    if is_reserved(name) {
        Err(reserved_name_error(name))
    } else {
        Ok(name)
    }
}

/// Whether the name is reserved once marks between its letters are removed: `Ad-min_` counts as
/// `admin`.
fn is_reserved(name: &str) -> bool {
    let bare: String = name.chars().filter(|c| !"-_.".contains(*c)).collect();
    looks_like(name, &RESERVED) || looks_like(&bare, &RESERVED)
}

/// Whether the name looks like one of these words, whichever letters of it are capitals: `ADM1N` and
/// `adrnin` as `admin`.
fn looks_like(name: &str, words: &[&str]) -> bool {
    let looks = |text: &str| skeleton(&text.to_lowercase()).replace('i', "l");
    let own = looks(name);
    words.iter().any(|word| looks(word) == own)
}

fn reserved_name_error(name: &str) -> AccountError {
    let message = format!("the name `{name}` is reserved for the arena itself; choose another");
    AccountError::invalid_field("reserved-name", "name", message)
}

fn is_allowed(c: char) -> bool {
    let is_chinese = matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}');
    c.is_ascii_alphanumeric() || "-_.".contains(c) || is_chinese
}

/// Checks a name that may have letters of all scripts and spaces, such as that of a group, and
/// returns it as it is kept: one space between words, and letters and digits of full width as those
/// that they look like. The error is a character that is not seen, or that looks like a Latin letter
/// beside Latin ones: with it somebody else's name could be written anew.
pub fn check_shown_name(name: &str) -> Result<String, char> {
    let words: Vec<&str> = name.split_whitespace().collect();
    let name: String = words.join(" ").chars().map(narrow).collect();
    let is_latin = name.chars().any(|c| c.is_ascii_alphabetic());
    match name
        .chars()
        .find(|c| is_unseen(*c) || is_latin && looks_latin(*c))
    {
        Some(bad) => Err(bad),
        None => Ok(name),
    }
}

/// A letter or digit of full width as the one of ASCII.
fn narrow(c: char) -> char {
    match c {
        'Ａ'..='Ｚ' | 'ａ'..='ｚ' | '０'..='９' => {
            char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c)
        }
        _ => c,
    }
}

/// Whether nothing is shown of the character, or it changes the direction of others.
fn is_unseen(c: char) -> bool {
    let is_filler = matches!(
        c,
        '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}'
    );
    let is_format = matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}');
    c.is_control() || is_filler || is_format
}

/// Whether the letter is Greek or Cyrillic: many of them look like Latin ones.
fn looks_latin(c: char) -> bool {
    matches!(c, '\u{370}'..='\u{3ff}' | '\u{400}'..='\u{52f}' | '\u{1c80}'..='\u{1c8f}'
        | '\u{1f00}'..='\u{1fff}' | '\u{2de0}'..='\u{2dff}' | '\u{a640}'..='\u{a69f}')
}

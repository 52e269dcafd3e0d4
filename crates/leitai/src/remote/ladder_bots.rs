//! Bots of an arena's ladder whose authors let others fetch them: `ladder:ADDRESS/GAME` are all of them,
//! `ladder:ADDRESS/GAME/OWNER/BOT` is one. What is fetched is kept in a folder of this user by its hash.

use std::fs;
use std::os::unix::fs::DirBuilderExt;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use sha2::{Digest, Sha256};

use super::account::{is_readable_underway, normalize_address};
use crate::build_cache::user_cache;
use crate::files::print_stderr;
use crate::prelude::*;

/// What such a word begins with.
const PREFIX: &str = "ladder:";
/// The rows of a page.
const PAGE: usize = 100;
/// The most bots of a ladder that are listed.
const MOST: usize = 2_000;
/// What is written as `%XX` in a part of an address.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A ladder's word, read for a game.
#[derive(Debug, PartialEq, Eq)]
pub struct LadderWord {
    server: String,
    game: String,
    ladder: Option<String>,
    /// The names of an author and a bot.
    bot: Option<(String, String)>,
}

impl LadderWord {
    /// Reads a word; `None` if it is none of a ladder.
    ///
    /// # Errors
    /// If it does not end with the game, or with the game, an author and a bot.
    pub fn parse(word: &str, game: &str) -> Result<Option<LadderWord>> {
        let Some(address) = word.strip_prefix(PREFIX) else {
            return Ok(None);
        };
        let (place, query) = address.split_once('?').unwrap_or((address, ""));
        let whole = normalize_address(place)?;
        let (scheme, rest) = whole
            .split_once("://")
            .expect("a normalised address has a scheme");
        let parts: Vec<&str> = rest.split('/').collect();
        let (head, bot) = match parts.as_slice() {
            [head @ .., own, author, bot] if !head.is_empty() && *own == game => {
                (head, Some((decode(author)?, decode(bot)?)))
            }
            [head @ .., own] if !head.is_empty() && *own == game => (head, None),
            _ => {
                return Err(usage_error(format!(
                    "{:?} is no ladder of {game}; write ladder:ADDRESS/{game}, or ladder:ADDRESS/{game}/OWNER/BOT",
                    clean_line(word)
                )));
            }
        };
        let ladder = query
            .split('&')
            .filter_map(|part| part.strip_prefix("ladder="))
            .next_back();
        Ok(Some(LadderWord {
            server: format!("{scheme}://{}", head.join("/")),
            game: game.to_owned(),
            ladder: ladder.map(decode).transpose()?,
            bot,
        }))
    }

    /// Whether it names one bot.
    pub fn names_bot(&self) -> bool {
        self.bot.is_some()
    }

    /// The bots of the ladder that can be fetched, best first, as the arena tells them, each with its
    /// `word`.
    pub fn list(&self, api: &ArenaClient) -> Result<Vec<Value>> {
        let mut all = Vec::new();
        self.find_on_pages(api, |item| {
            all.push(item.clone());
            all.len() >= MOST
        })?;
        Ok(all)
    }

    /// The first one that is wanted. No page after it is read.
    fn find_on_pages(
        &self,
        api: &ArenaClient,
        mut is_wanted: impl FnMut(&Value) -> bool,
    ) -> Result<Option<Value>> {
        let path = format!("/api/games/{}/fetchable", encode(&self.game));
        let mut next = None::<String>;
        for _ in 0..MOST.div_ceil(PAGE) {
            let mut query = vec![("limit", PAGE.to_string())];
            query.extend(next.map(|before| ("before", before)));
            query.extend(self.ladder.clone().map(|ladder| ("ladder", ladder)));
            let page = api.get_with(&path, query)?;
            let items = page["items"].as_array();
            for item in items.context("the arena's answer has no list")? {
                let item = self.with_word(item);
                if is_wanted(&item) {
                    return Ok(Some(item));
                }
            }
            match page["next"].as_str() {
                Some(cursor) => next = Some(cursor.to_owned()),
                None => break,
            }
        }
        Ok(None)
    }

    /// A bot as the arena tells it, with the word that names it here.
    fn with_word(&self, item: &Value) -> Value {
        let [author, bot] = ["owner", "name"].map(|key| item["bot"][key].as_str());
        let names = [author, bot].map(|name| encode(name.unwrap_or_default()));
        let word = format!("{PREFIX}{}/{}/{}", self.server, self.game, names.join("/"));
        let mut item = item.clone();
        item["word"] = word.into();
        item
    }

    /// The program of the bot on this machine, fetched if it is not here yet.
    pub fn fetch(&self, lang: Localizer, api: &ArenaClient) -> Result<FetchedBot> {
        let (author, name) = self.bot.as_ref().expect("whoever fetches names a bot");
        let is_it = |item: &Value| {
            let same = |key: &str, wanted: &str| {
                let own = item["bot"][key].as_str().unwrap_or_default();
                own.to_lowercase() == wanted.to_lowercase()
            };
            same("owner", author) && same("name", name)
        };
        let found = self.find_on_pages(api, is_it)?.with_context(|| {
            lang.fill(
                "{}/{} cannot be fetched from the ladder of {} at {}: there is no such bot, its author does not let others fetch it, or it does not play there now",
                &[author, name, &self.game, &self.server],
            )
        })?;
        let version = found["version"]
            .as_u64()
            .context("the arena's answer has no version")?;
        let file_name = safe_name(found["file_name"].as_str().unwrap_or_default());
        let cache = user_cache("opponents").context(lang.label(
            "there is no folder for what is fetched; set HOME or XDG_CACHE_HOME to an absolute path",
        ))?;
        let path = match find_kept(&cache, &self.server, version) {
            Some(path) => path,
            None => {
                let bytes = api.get_verified(&format!("/api/versions/{version}/program"))?;
                keep(&cache, (&self.server, version), &file_name, &bytes)?
            }
        };
        Ok(FetchedBot { path, facts: found })
    }

    /// A client with the account of this arena, if there is one: no other arena gets its token.
    pub fn client(&self, lang: Localizer) -> ArenaClient {
        if is_readable_underway(&self.server) {
            print_stderr(&lang.fill(
                "warning: {} is reached without https: whoever is on the way there reads password and token",
                &[&self.server],
            ));
        }
        match SavedLogin::current_login(lang) {
            Ok(login) if login.server == self.server => ArenaClient::from_login(lang, &login),
            _ => ArenaClient::without_login(lang, &self.server),
        }
    }
}

/// A bot that lies here.
pub struct FetchedBot {
    /// Its file.
    pub path: PathBuf,
    /// What the arena told of it.
    pub facts: Value,
}

/// The note of what a version of an arena is.
fn note_path(cache: &Path, server: &str, version: u64) -> PathBuf {
    let place = hex::encode(&Sha256::digest(server.as_bytes())[..8]);
    cache.join(format!("{place}-{version}.json"))
}

/// The file of this version, if it is here and is what was fetched.
fn find_kept(cache: &Path, server: &str, version: u64) -> Option<PathBuf> {
    let note = fs::read(note_path(cache, server, version)).ok()?;
    let note: Value = serde_json::from_slice(&note).ok()?;
    let (hash, name) = (note["sha256"].as_str()?, note["file_name"].as_str()?);
    let path = cache.join(safe_name(hash)).join(safe_name(name));
    let bytes = fs::read(&path).ok()?;
    (hex::encode(Sha256::digest(bytes)) == hash).then_some(path)
}

/// Keeps what was fetched; a version never changes.
fn keep(
    cache: &Path,
    (server, version): (&str, u64),
    file_name: &str,
    bytes: &[u8],
) -> Result<PathBuf> {
    let hash = hex::encode(Sha256::digest(bytes));
    let folder = cache.join(&hash);
    let made = fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(&folder);
    made.with_context(|| format!("cannot make {}", folder.display()))?;
    let path = folder.join(file_name);
    replace(&path, bytes)?;
    let note = json!({"sha256": hash, "file_name": file_name, "arena": server, "version": version});
    replace(
        &note_path(cache, server, version),
        note.to_string().as_bytes(),
    )?;
    Ok(path)
}

/// Writes a file as a whole: another process may do the same.
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let beside = path.parent().expect("it lies in a folder of the cache");
    let fresh = beside.join(format!(".{}.new", std::process::id()));
    let written = fs::write(&fresh, bytes).and_then(|()| fs::rename(&fresh, path));
    written.with_context(|| format!("cannot write {}", path.display()))
}

/// A stranger's name of a file as one that no part of the command line takes for something else.
fn safe_name(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let plain = |c: char| if is_plain(c) { c } else { '_' };
    let name: String = name.chars().take(100).map(plain).collect();
    match name.trim_start_matches(['.', '-']) {
        "" => "program".to_owned(),
        name => name.to_owned(),
    }
}

/// A part of an address.
fn encode(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

fn decode(text: &str) -> Result<String> {
    let read = percent_decode_str(text).decode_utf8();
    read.map(String::from)
        .map_err(|_| usage_error(format!("{:?} is no part of an address", clean_line(text))))
}

#[cfg(test)]
mod tests {
    use leitai_judge::OwnedFolder;

    use super::*;

    #[test]
    fn a_word_names_a_ladder_or_a_bot_of_it() {
        let check = |word: &str, expected: &str| {
            let read = LadderWord::parse(word, "kob").ok().flatten();
            let read = read.map(|own| {
                let (author, bot) = own.bot.unwrap_or_default();
                let ladder = own.ladder.unwrap_or_default();
                [own.server, own.game, ladder, author, bot].join(" ")
            });
            assert_eq!(read.unwrap_or_default(), expected, "{word}");
        };
        let here = "http://localhost:8080 kob   ";
        check("ladder:http://localhost:8080/kob", here);
        check("ladder:http://localhost:8080/kob/", here);
        check("ladder:a.b/kob?ladder=small", "https://a.b kob small  ");
        check(
            "ladder:a.b/leitai/kob/ada/h%79dra",
            "https://a.b/leitai kob  ada hydra",
        );
        check("ladder:a.b/kob/kob/kob", "https://a.b kob  kob kob");
        for wrong in [
            "ladder:a.b",
            "ladder:kob",
            "ladder:a.b/snakego",
            "ladder:a.b/kob/ada",
            "ladder:ftp://a.b/kob",
            "ladder:a.b/kob/ada/%ff",
            "./bot.py",
        ] {
            check(wrong, "");
        }
    }

    #[test]
    fn a_name_of_a_file_is_nothing_but_a_name() {
        for (name, kept) in [
            ("bot.py", "bot.py"),
            ("../../.bashrc", "_.._.bashrc"),
            ("-x", "x"),
            ("a b@limit=9s", "a_b_limit_9s"),
            ("each-turn:bot.py", "each-turn_bot.py"),
            ("擂台.zip", "__.zip"),
            ("..", "program"),
        ] {
            assert_eq!(safe_name(name), kept);
        }
    }

    #[test]
    fn what_was_fetched_is_kept_by_its_hash() {
        let folder = OwnedFolder::new().expect("a folder");
        let cache = folder.folder_path().join("cache");
        assert_eq!(find_kept(&cache, "https://a.b", 7), None);
        let path = keep(&cache, ("https://a.b", 7), "bot.py", b"print()").expect("kept");
        assert_eq!(find_kept(&cache, "https://a.b", 7), Some(path.clone()));
        assert_eq!(find_kept(&cache, "https://a.c", 7), None);
        fs::write(&path, b"changed").expect("written");
        assert_eq!(find_kept(&cache, "https://a.b", 7), None);
    }
}

//! `leitai game new`: a first game, complete and small.

use std::fs;

use crate::cli::{GameLanguage, GameNewArgs};
use crate::prelude::*;
use crate::rerun_command::quote_word;

/// The name of the game in the templates, in the spellings in which they have it.
const NAME: [&str; 4] = ["my-game", "my_game", "MyGame", "My game"];
/// What stands for the folder with Leitai's sources.
const LEITAI: &str = "LEITAI/";

/// The files of every game.
const COMMON: [(&str, &str); 7] = [
    ("game.toml", include_str!("../../templates/game/game.toml")),
    ("guide.md", include_str!("../../templates/game/guide.md")),
    (
        "guide.zh.md",
        include_str!("../../templates/game/guide.zh.md"),
    ),
    (
        "emblem.svg",
        include_str!("../../templates/game/emblem.svg"),
    ),
    (
        "golden/1.json",
        include_str!("../../templates/game/golden.json"),
    ),
    ("bots/first.py", include_str!("../../templates/game/bot.py")),
    ("test.sh", include_str!("../../templates/game/test.sh")),
];

const CPP: [(&str, &str); 2] = [
    ("rules.cpp", include_str!("../../templates/game/rules.cpp")),
    (super::game_build::HEADER, super::game_build::HEADER_TEXT),
];

const RUST: [(&str, &str); 2] = [
    (
        "Cargo.toml",
        include_str!("../../templates/game/Cargo.toml.txt"),
    ),
    ("src/lib.rs", include_str!("../../templates/game/lib.rs")),
];

/// Writes the folder and prints the next commands.
pub fn run(lang: Localizer, args: &GameNewArgs) -> Result<ExitCode> {
    let id = args.name.file_name().unwrap_or_default().to_string_lossy();
    check_id(&id)?;
    if leitai_games::find_game(&id).is_some() {
        return Err(usage_error(format!(
            "the id {id} belongs to a game of Leitai; choose another name"
        )));
    }
    if args.name.exists() {
        let name = args.name.display();
        return Err(usage_error(format!(
            "{name} is there already and stays as it is; choose another name"
        )));
    }
    let leitai = match args.language {
        GameLanguage::Cpp => String::new(),
        GameLanguage::Rust => find_sources(args.leitai.as_deref())?,
    };
    let own = match args.language {
        GameLanguage::Cpp => &CPP,
        GameLanguage::Rust => &RUST,
    };
    for (name, text) in COMMON.iter().chain(own) {
        write(&args.name.join(name), &fill(text, &id, &leitai))?;
    }
    make_executable(&args.name.join("test.sh"))?;
    let name = quote_word(&args.name.display().to_string());
    let (wrote, next) = (lang.label("wrote"), lang.label("next"));
    let text = format!(
        "{wrote} {name}\n{next}  leitai game build {name}\n{next}  leitai game check {name}\n{next}  leitai match {name} {name}/bots/first.py random"
    );
    let files: Vec<&str> = COMMON.iter().chain(own).map(|(file, _)| *file).collect();
    let folder = args.name.display().to_string();
    let fields = json!({"game": id, "folder": folder, "files": files});
    Answer::new("game-new", fields, text).print(args.form.json)
}

pub fn check_id(id: &str) -> Result<()> {
    let of = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-');
    let begins = id.starts_with(|first: char| first.is_ascii_lowercase());
    match (2..=32).contains(&id.len()) && id.bytes().all(of) && begins && !id.ends_with('-') {
        true => Ok(()),
        false => Err(usage_error(format!(
            "{id:?} cannot be the id of a game; write 2 to 32 of a-z, 0-9 and -, beginning with a letter"
        ))),
    }
}

/// The folder with the sources of Leitai: the one that was named, or one above this folder.
fn find_sources(named: Option<&Path>) -> Result<String> {
    let has_module = |folder: &Path| folder.join("crates/module/Cargo.toml").is_file();
    let here = std::env::current_dir().context("cannot find the current folder")?;
    let found: Option<PathBuf> = match named {
        Some(folder) => has_module(folder).then(|| folder.to_owned()),
        None => here
            .ancestors()
            .find(|folder| has_module(folder))
            .map(Path::to_owned),
    };
    let found = found.and_then(|folder| folder.canonicalize().ok());
    let Some(folder) = found else {
        return Err(usage_error(
            "a game in Rust is compiled with Leitai's sources: clone them and name their folder by --leitai FOLDER, or write the game in C++, which needs nothing",
        ));
    };
    Ok(format!("{}/", folder.display()))
}

/// The text with the game's own name in it.
fn fill(text: &str, id: &str, leitai: &str) -> String {
    let words = || id.split('-').filter(|word| !word.is_empty());
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    let own = [
        id.to_owned(),
        id.replace('-', "_"),
        words().map(capital).collect(),
        capital(&words().collect::<Vec<_>>().join(" ")),
    ];
    let mut filled = text.replace(LEITAI, leitai);
    for (template, own) in NAME.into_iter().zip(own) {
        filled = filled.replace(template, &own);
    }
    filled
}

fn write(path: &Path, text: &str) -> Result<()> {
    let name = path.display();
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("cannot write {name}"))
}

fn make_executable(path: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let all = fs::Permissions::from_mode(0o755);
    fs::set_permissions(path, all).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_has_its_own_name_in_every_spelling() {
        let text = "my-game my_game MyGame My game LEITAI/crates";
        assert_eq!(
            fill(text, "four-in-2", "/a/"),
            "four-in-2 four_in_2 FourIn2 Four in 2 /a/crates"
        );
    }
}

//! Every command with games of somebody else: rules in WebAssembly with a declared board, and a
//! judge program. What such a game lacks is said in a sentence with the next step.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

const RULES: &str = include_str!("../../guest/tests/data/say_a.wat");

const MANIFEST: &str = r#"interface = "leitai-game/1"
id = "say-a"
rules = "say-a/1"
name = { en = "Say a", zh = "说 a" }
about = { en = "the first player says \"a\" and wins", zh = "先手说 \"a\" 获胜" }
legs = 2
open = true
authors = ["A. Author"]
licence = "MIT"

[[config]]
key = "board"
title = { en = "board", zh = "棋盘" }
words = ["6", "8", "10"]
default = "8"
"#;

const BOT: &str = "import sys, json
for line in sys.stdin:
    if json.loads(line)['type'] == 'turn':
        print(json.dumps({'action': 'a'}), flush=True)
";

/// The games `say-a` and `pig`, and bots of each in `say-a-bots` and `pig-bots`.
fn place() -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    let root = place.path();
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/games/pig");
    let rules = wat::parse_str(RULES).expect("sound text");
    let bots = ["hold20.py", "careful.py"].map(|bot| fs::read(example.join("bots").join(bot)));
    let [hold20, careful] = bots.map(|bot| bot.expect("a bot of the example"));
    let part = |name: &str| fs::read(example.join(name)).expect("a part of the example");
    for (path, bytes) in [
        ("say-a/game.toml", MANIFEST.into()),
        ("say-a/rules.wasm", rules),
        ("say-a/guide.md", b"# Say a\n".to_vec()),
        ("say-a-bots/one.py", BOT.into()),
        ("say-a-bots/two.py", format!("# the same\n{BOT}").into()),
        ("pig/game.toml", part("game.toml")),
        ("pig/guide.md", part("guide.md")),
        ("pig/guide.zh.md", part("guide.zh.md")),
        ("pig/logic/main.py", part("logic/main.py")),
        ("pig/bots/hold20.py", hold20.clone()),
        ("pig/bots/careful.py", careful.clone()),
        ("pig-bots/one.py", hold20),
        ("pig-bots/two.py", careful),
    ] {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("own folder");
        fs::write(path, bytes).expect("own folder");
    }
    place
}

/// Status and words of a command; `GAME` stands for the game. Games are found by `LEITAI_GAMES`.
#[track_caller]
fn check(place: &TempDir, game: &str, (line, status, words): (&str, i32, &str)) {
    let line = line.replace("GAME", game);
    let output = Command::new(env!("CARGO_BIN_EXE_leitai"))
        .args(line.split(' '))
        .current_dir(place.path())
        .env("LC_ALL", "C")
        .env("LEITAI_GAMES", place.path())
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{line}\n{said}");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = words.replace("GAME", game);
    assert!(said.contains(&words), "{line}: no {words:?} in\n{said}");
}

/// What is the same for every game.
const ALL: &[(&str, i32, &str)] = &[
    (
        "match GAME GAME-bots/one.py GAME-bots/two.py --seed 3 --replay GAME.json",
        0,
        "watch it",
    ),
    (
        "match ./GAME GAME-bots/one.py GAME-bots/two.py --seed 3 --legs 1 --replay -",
        0,
        "leitai-replay/2",
    ),
    ("replay show GAME.json", 0, "wins the leg"),
    ("replay verify GAME.json --game ./GAME", 0, "agrees: 2 legs"),
    ("replay trace GAME.json", 0, ""),
    ("replay frames GAME.json", 0, "\"step\":0"),
    (
        "compare GAME GAME-bots/one.py GAME-bots/two.py --max 1 -j 1",
        4,
        "undecided",
    ),
    (
        "tournament GAME GAME-bots/one.py GAME-bots/two.py -j 1",
        0,
        "report.html",
    ),
    ("ladder GAME GAME-bots --max 1 -j 1", 4, "not settled"),
    (
        "regress add GAME.json --leg 1 --round 1 --entrant A why --folder GAME-pins",
        0,
        "pinned",
    ),
    ("regress list --folder GAME-pins", 0, "one played"),
    (
        "regress run GAME-bots/one.py --folder GAME-pins",
        3,
        "still made",
    ),
    (
        "debug GAME.json --leg 1 --round 1 GAME-bots/one.py",
        1,
        "a debugger needs a terminal",
    ),
    (
        "play GAME --against GAME-bots/one.py",
        1,
        "needs a terminal",
    ),
    ("bots GAME", 0, "protocol"),
    ("contest new cup --game ./GAME", 0, "cup.toml"),
    ("contest check cup.toml", 0, "the file is valid"),
    (
        "replay export --to gif --leg 1 GAME.json -o GAME.gif",
        1,
        "declare no board",
    ),
    ("game check ./GAME", 0, "passes"),
];

/// Runs every command with a game, and what is its own.
fn check_all(game: &str, own: &[(&str, i32, &str)]) {
    let place = place();
    for row in ALL.iter().chain(own) {
        check(&place, game, *row);
    }
}

#[test]
fn every_command_takes_rules_in_webassembly() {
    check_all(
        "say-a",
        &[
            ("check GAME GAME-bots/one.py", 0, "is accepted"),
            (
                "match GAME GAME-bots/one.py random --replay -",
                0,
                "leitai-replay/2",
            ),
            (
                "match GAME random random --config board=10 --no-replay",
                0,
                "random",
            ),
            (
                "match GAME random random --config board=7 --no-replay",
                2,
                "board is \"7\"; it may be 6, 8, 10",
            ),
            (
                "contest check cup.toml --dry-run --entrants 4",
                0,
                "best entrant",
            ),
            (
                "rate GAME GAME-bots/one.py",
                1,
                "`leitai game scale FOLDER` measures one",
            ),
            (
                "benchmark GAME GAME-bots/one.py",
                1,
                "GAME has no rating scale yet",
            ),
            ("new GAME --folder mine", 0, "main.py"),
            ("check GAME mine", 0, "is accepted"),
            ("analyze GAME.json", 0, "accuracy"),
        ],
    );
}

/// Nine stones; whoever takes the last one wins.
const NIM: &str = include_str!("../../guest/tests/data/nim.wat");

/// The game `nim`, with this code in place of a mark of its rules, and a match of two bots that take
/// one stone whatever happens.
fn nim(mark: &str, code: &str, open: bool) -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    let rules = wat::parse_str(NIM.replace(mark, code)).expect("sound text");
    let manifest = MANIFEST
        .replace("say-a", "nim")
        .replace("open = true", &format!("open = {open}"));
    fs::create_dir(place.path().join("nim")).expect("own folder");
    for (path, bytes) in [
        ("nim/rules.wasm", &*rules),
        ("nim/game.toml", manifest.as_bytes()),
        ("nim/guide.md", b"# Nim\n"),
        ("one.py", BOT.replace("'a'", "'1'").as_bytes()),
    ] {
        fs::write(place.path().join(path), bytes).expect("own folder");
    }
    check(
        &place,
        "nim",
        (
            "match nim ./one.py ./one.py --seed 3 --legs 1 --replay nim.json",
            0,
            "watch it",
        ),
    );
    place
}

#[test]
fn levels_play_and_replays_are_analysed_by_a_search_over_the_rules() {
    let place = nim("none", "none", true);
    for row in [
        ("bots nim", 0, "level6"),
        (
            "match nim level4 random --seed 3 --legs 1 --replay again.json",
            0,
            "level4",
        ),
        ("analyze nim.json --budget 400", 0, "400 nodes a decision"),
        // To leave four stones wins, and it says how sure it is.
        ("analyze nim.json --budget 400 --decisions", 0, "best 3 ("),
        ("analyze nim.json --budget 400 --decisions", 0, "% ± "),
        ("analyze nim.json --budget 400 --json", 0, "\"spread\":{"),
    ] {
        check(&place, "nim", row);
    }
}

#[test]
fn matches_begin_at_any_position_of_a_recorded_one() {
    let place = nim("none", "none", true);
    for row in [
        (
            "match nim ./one.py random --from nim.json@1:4 --replay from.json",
            0,
            "one answered as in the replay before round 4",
        ),
        ("replay verify from.json", 0, "agrees"),
        (
            "book make nim.json --rounds 2-4 --output nim.book",
            0,
            "3 positions",
        ),
        (
            "book make nim.json --rounds 2-4 --balance 0.5 --output balanced.book",
            0,
            "3 positions",
        ),
        ("book check nim nim.book", 0, "all sound"),
        (
            "compare nim level2 random --book nim.book --max 1 -j 1",
            4,
            "positions of the book",
        ),
        (
            "situations mine nim.json --entrant one-B --output nim.situations --budget 400",
            0,
            "wrote nim.situations",
        ),
        ("situations check nim.situations", 0, "all sound"),
        (
            "check nim ./one.py --situations nim.situations",
            3,
            "still made",
        ),
        (
            "regress add nim.json --leg 1 --round 4 --entrant B why --folder pins",
            0,
            "pinned",
        ),
        ("regress run level6 --folder pins", 0, "not made any more"),
    ] {
        check(&place, "nim", row);
    }
}

#[test]
fn a_scale_is_measured_once_and_bots_are_rated_on_it() {
    const SCALE: &str = "game scale nim --highest level3 -j 1 --pairs";
    let place = nim("none", "none", true);
    let rows = |rows: &[(&str, i32, &str)]| {
        for (line, status, words) in rows {
            check(
                &place,
                "nim",
                (&line.replace("SCALE", SCALE), *status, words),
            );
        }
    };
    rows(&[
        (
            "game scale nim --highest level2",
            2,
            "level3 or a higher one",
        ),
        ("game scale one.py", 2, "one.py is no folder"),
        ("SCALE 2", 0, "scale nim-1 is written to nim/scale.toml"),
        // Nothing is played again, and the same scale keeps its name.
        ("SCALE 2 --json", 0, "\"scale\":\"nim-1\""),
        ("SCALE 3", 0, "level3 1000 (fixed)"),
        ("bots nim", 0, "scale nim-2"),
        (
            "rate nim random --max 1 -j 1 --json",
            4,
            "\"scale\":\"nim-2\"",
        ),
        ("benchmark nim level1 --pairs 1 -o b.json", 0, "nim-2"),
        ("game pack nim", 0, "nim.leitai-game"),
        (
            "rate ./nim.leitai-game random --max 1 -j 1",
            4,
            "scale nim-2",
        ),
    ]);
    let path = place.path().join("nim/scale.toml");
    let scale = fs::read_to_string(&path).expect("it is written");
    for (right, wrong, words) in [
        (
            "rating = 1000",
            "rating = 9000",
            "levels.rating = 9000 cannot be used; write a whole number from -5000",
        ),
        (
            "rating = 1000",
            "rating = 900",
            "level3 must be among them, with the rating 1000",
        ),
        (
            "\"level2\"",
            "\"level5\"",
            "levels.name = \"level5\" cannot be used",
        ),
        (
            "nim-2",
            "say-a-2",
            "write the id and a number: name = \"nim-1\"",
        ),
        ("sha256:", "sha1:", "scale.toml:4: measured = "),
        ("seed = 1", "seeds = 1", "did you mean seed"),
    ] {
        fs::write(&path, scale.replace(right, wrong)).expect("own folder");
        check(&place, "nim", ("game check nim", 2, words));
    }
    // Other choices by default: the game is played, and its scale is of another one.
    fs::write(&path, scale).expect("own folder");
    let manifest = place.path().join("nim/game.toml");
    let text = fs::read_to_string(&manifest).expect("it is there");
    fs::write(
        &manifest,
        text.replace("default = \"8\"", "default = \"6\""),
    )
    .expect("own folder");
    rows(&[
        ("match nim random random --no-replay", 0, "random"),
        (
            "rate nim random",
            1,
            "was measured with other rules or levels",
        ),
        (
            "game check nim",
            1,
            "scale.toml: this scale was measured with other rules",
        ),
        ("SCALE 1", 0, "scale nim-3 is written"),
        ("rate nim random --max 1 -j 1", 4, "scale nim-3"),
    ]);
}

#[test]
fn what_cannot_be_searched_is_said() {
    let hidden = nim("none", "none", false);
    for row in [
        (
            "analyze nim.json",
            1,
            "nim hides something from its players",
        ),
        ("match nim level1 random", 2, "level1"),
        ("game scale nim", 2, "nim hides something from its players"),
        ("rate nim ./one.py", 1, "nim has no levels"),
    ] {
        check(&hidden, "nim", row);
    }
    // The rules fail where nobody played, but a search looks.
    const THREE: &str = "(if (i32.eq (local.get $take) (i32.const 3)) (then (unreachable)))";
    let failing = nim(";;STEP", THREE, true);
    for row in [
        ("replay verify nim.json", 0, "agrees"),
        (
            "analyze nim.json --budget 400",
            1,
            "looked at positions in which the rules of nim failed",
        ),
        (
            "match nim level4 level4 --seed 3 --legs 1",
            1,
            "the rules of nim failed",
        ),
    ] {
        check(&failing, "nim", row);
    }
}

#[test]
fn every_command_takes_a_judge_program() {
    check_all(
        "pig",
        &[
            (
                "check GAME GAME-bots/one.py",
                2,
                "leitai match GAME PROGRAM PROGRAM",
            ),
            (
                "rate GAME GAME-bots/one.py",
                1,
                "GAME has no levels, so it has no rating scale",
            ),
            ("new GAME", 2, "GAME has no template"),
            ("bots GAME", 0, "rolls until the turn is worth 20"),
            ("match GAME hold20 careful --no-replay", 0, "hold20"),
            ("game pack ./GAME", 2, "a logic process leads this game"),
            (
                "match GAME hold20 careful --from GAME.json@1:3 --no-replay",
                0,
                "wins",
            ),
            ("book make GAME.json --output GAME.book", 0, "positions of"),
            ("book check GAME GAME.book", 0, "all sound"),
            (
                "compare GAME hold20 careful --book GAME.book --max 1 -j 1",
                4,
                "positions of the book",
            ),
            (
                "situations mine GAME.json --entrant one",
                1,
                "it gives no positions to search",
            ),
            ("analyze GAME.json", 1, "a judge program leads GAME"),
        ],
    );
}

/// A page with the frames inside, which needs no rules. A build without the page says so.
#[test]
fn a_replay_becomes_a_page_that_needs_no_rules() {
    let place = nim("none", "none", true);
    let output = Command::new(env!("CARGO_BIN_EXE_leitai"))
        .args(["replay", "export", "--to", "html", "nim.json"])
        .current_dir(place.path())
        .env("LC_ALL", "C")
        .env("LEITAI_GAMES", place.path())
        .output()
        .expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(1) {
        assert!(said.contains("built without the page"), "{said}");
        return;
    }
    let page = String::from_utf8_lossy(&output.stdout);
    let part = |id: &str| {
        let (_, rest) = page.split_once(&format!("id=\"{id}\">")).expect("a part");
        rest.split_once('<').expect("its end").0.len()
    };
    assert!(part("replay") > 100 && part("frames") > 100, "{said}");
    assert_eq!(part("engine"), 0);
}

//! Every command with games of somebody else: rules in WebAssembly with a declared board, and a
//! judge program. What such a game lacks is said in a sentence with the next step.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::place::{leitai_in, split_words, table, text};

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
        (
            "botzone.py",
            b"input()\nprint('{\"response\": \"a\"}')\n".into(),
        ),
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
fn check(place: &TempDir, game: &str, line: &str, status: i32, words: &str) {
    let line = line.replace("GAME", game);
    let mut command = leitai_in(place, &split_words(&line));
    let output = command.env("LEITAI_GAMES", place.path()).output();
    let output = output.expect("it starts");
    let said = text(&output);
    assert_eq!(output.status.code(), Some(status), "{line}\n{said}");
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let words = words.replace("GAME", game);
    assert!(said.contains(&words), "{line}: no {words:?} in\n{said}");
}

/// The same of rows of status, command and words.
#[track_caller]
fn check_rows(place: &TempDir, game: &str, rows: &str) {
    for [status, line, words] in table(rows) {
        check(place, game, line, status.parse().expect("a status"), words);
    }
}

/// What is the same for every game.
const ALL: &str = r#"
0 | match GAME GAME-bots/one.py GAME-bots/two.py --seed 3 --replay GAME.json | watch it
0 | match ./GAME GAME-bots/one.py GAME-bots/two.py --seed 3 --legs 1 --replay - | leitai-replay/2
0 | replay show GAME.json | wins the leg
0 | replay verify GAME.json --game ./GAME | agrees: 2 legs
0 | replay trace GAME.json |
0 | replay frames GAME.json | "step":0
4 | compare GAME GAME-bots/one.py GAME-bots/two.py --max 1 -j 1 | undecided
0 | tournament GAME GAME-bots/one.py GAME-bots/two.py -j 1 | report.html
4 | ladder GAME GAME-bots --max 1 -j 1 | not settled
0 | regress add GAME.json --leg 1 --round 1 --entrant A why --folder GAME-pins | pinned
0 | regress list --folder GAME-pins | one played
3 | regress run GAME-bots/one.py --folder GAME-pins | still made
1 | debug GAME.json --leg 1 --round 1 GAME-bots/one.py | a debugger needs a terminal
1 | play GAME --against GAME-bots/one.py | needs a terminal
0 | bots GAME | protocol
0 | contest new cup --game ./GAME | cup.toml
0 | contest check cup.toml | the file is valid
1 | replay export --to gif --leg 1 GAME.json -o GAME.gif | declare no board
0 | game check ./GAME | passes
"#;

/// Runs every command with a game, and what is its own.
fn check_all(game: &str, own: &str) {
    let place = place();
    check_rows(&place, game, ALL);
    check_rows(&place, game, own);
}

#[test]
fn every_command_takes_rules_in_webassembly() {
    check_all(
        "say-a",
        r#"
0 | check GAME GAME-bots/one.py | is accepted
0 | match GAME GAME-bots/one.py random --replay - | leitai-replay/2
0 | match GAME botzone:botzone.py random --no-replay | botzone
0 | match GAME random random --config board=10 --no-replay | random
2 | match GAME random random --config board=7 --no-replay | board is "7"; it may be 6, 8, 10
0 | contest check cup.toml --dry-run --entrants 4 | best entrant
1 | rate GAME GAME-bots/one.py | `leitai game scale FOLDER` measures one
1 | benchmark GAME GAME-bots/one.py | GAME has no rating scale yet
0 | new GAME --folder mine | main.py
0 | check GAME mine | is accepted
0 | analyze GAME.json | accuracy
"#,
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
    let line = "match nim ./one.py ./one.py --seed 3 --legs 1 --replay nim.json";
    check(&place, "nim", line, 0, "watch it");
    place
}

#[test]
fn levels_play_and_replays_are_analysed_by_a_search_over_the_rules() {
    let place = nim("none", "none", true);
    check_rows(
        &place,
        "nim",
        r#"
0 | bots nim | level6
0 | match nim level4 random --seed 3 --legs 1 --replay again.json | level4
0 | analyze nim.json --budget 400 | 400 nodes a decision
// To leave four stones wins, and it says how sure it is.
0 | analyze nim.json --budget 400 --decisions | best 3 (
0 | analyze nim.json --budget 400 --decisions | % ±
0 | analyze nim.json --budget 400 --json | "spread":{
"#,
    );
}

#[test]
fn matches_begin_at_any_position_of_a_recorded_one() {
    let place = nim("none", "none", true);
    check_rows(
        &place,
        "nim",
        r"
0 | match nim ./one.py random --from nim.json@1:4 --replay from.json | one answered as in the replay before round 4
0 | replay verify from.json | agrees
0 | book make nim.json --rounds 2-4 --output nim.book | 3 positions
0 | book make nim.json --rounds 2-4 --balance 0.5 --output balanced.book | 3 positions
0 | book check nim nim.book | all sound
4 | compare nim level2 random --book nim.book --max 1 -j 1 | positions of the book
0 | situations mine nim.json --entrant one-B --output nim.situations --budget 400 | wrote nim.situations
0 | situations check nim.situations | all sound
3 | check nim ./one.py --situations nim.situations | still made
0 | regress add nim.json --leg 1 --round 4 --entrant B why --folder pins | pinned
0 | regress run level6 --folder pins | not made any more
",
    );
}

#[test]
fn a_scale_is_measured_once_and_bots_are_rated_on_it() {
    const SCALE: &str = "game scale nim --highest level3 -j 1 --pairs";
    let place = nim("none", "none", true);
    let rows = |rows: &str| check_rows(&place, "nim", &rows.replace("SCALE", SCALE));
    rows(
        r#"
2 | game scale nim --highest level2 | level3 or a higher one
2 | game scale one.py | one.py is no folder
0 | SCALE 2 | scale nim-1 is written to nim/scale.toml
// Nothing is played again, and the same scale keeps its name.
0 | SCALE 2 --json | "scale":"nim-1"
0 | SCALE 3 | level3 1000 (fixed)
0 | bots nim | scale nim-2
4 | rate nim random --max 1 -j 1 --json | "scale":"nim-2"
0 | benchmark nim level1 --pairs 1 -o b.json | nim-2
0 | game pack nim | nim.leitai-game
4 | rate ./nim.leitai-game random --max 1 -j 1 | scale nim-2
"#,
    );
    let path = place.path().join("nim/scale.toml");
    let scale = fs::read_to_string(&path).expect("it is written");
    for [wrong, right, words] in table(
        r#"
rating = 9000 | rating = 1000 | levels.rating = 9000 cannot be used; write a whole number from -5000
rating = 900 | rating = 1000 | level3 must be among them, with the rating 1000
"level5" | "level2" | levels.name = "level5" cannot be used
say-a-2 | nim-2 | write the id and a number: name = "nim-1"
sha1: | sha256: | scale.toml:4: measured =
seeds = 1 | seed = 1 | did you mean seed
"#,
    ) {
        fs::write(&path, scale.replace(right, wrong)).expect("own folder");
        check(&place, "nim", "game check nim", 2, words);
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
    rows(
        r"
0 | match nim random random --no-replay | random
1 | rate nim random | was measured with other rules or levels
1 | game check nim | scale.toml: this scale was measured with other rules
0 | SCALE 1 | scale nim-3 is written
4 | rate nim random --max 1 -j 1 | scale nim-3
",
    );
}

#[test]
fn what_cannot_be_searched_is_said() {
    let hidden = nim("none", "none", false);
    check_rows(
        &hidden,
        "nim",
        r"
1 | analyze nim.json | nim hides something from its players
2 | match nim level1 random | level1
2 | game scale nim | nim hides something from its players
1 | rate nim ./one.py | nim has no levels
",
    );
    // The rules fail where nobody played, but a search looks.
    const THREE: &str = "(if (i32.eq (local.get $take) (i32.const 3)) (then (unreachable)))";
    let failing = nim(";;STEP", THREE, true);
    check_rows(
        &failing,
        "nim",
        r"
0 | replay verify nim.json | agrees
1 | analyze nim.json --budget 400 | looked at positions in which the rules of nim failed
1 | match nim level4 level4 --seed 3 --legs 1 | the rules of nim failed
",
    );
}

#[test]
fn every_command_takes_a_judge_program() {
    check_all(
        "pig",
        r"
0 | check GAME GAME-bots/one.py | is accepted
1 | rate GAME GAME-bots/one.py | GAME has no levels, so it has no rating scale
2 | new GAME | GAME has no template
0 | bots GAME | rolls until the turn is worth 20
0 | match GAME hold20 careful --no-replay | hold20
0 | game pack ./GAME | bytes
0 | match GAME hold20 careful --from GAME.json@1:3 --no-replay | wins
0 | book make GAME.json --output GAME.book | positions of
0 | book check GAME GAME.book | all sound
4 | compare GAME hold20 careful --book GAME.book --max 1 -j 1 | positions of the book
1 | situations mine GAME.json --entrant one | it gives no positions to search
1 | analyze GAME.json | a judge program leads GAME
",
    );
}

/// A page with the frames inside, which needs no rules. A build without the page says so.
#[test]
fn a_replay_becomes_a_page_that_needs_no_rules() {
    let place = nim("none", "none", true);
    let words = "replay export --to html nim.json";
    let mut command = leitai_in(&place, &split_words(words));
    let output = command.env("LEITAI_GAMES", place.path()).output();
    let output = output.expect("it starts");
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

//! Games of one's own, as a user brings them: a folder or one file, named wherever a game is named.

use crate::place::{self, says, says_but_not, split_words, table, text as said};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Output;

use tempfile::TempDir;

/// A whole game in WebAssembly's text.
const RULES: &str = include_str!("../../guest/tests/data/say_a.wat");

const MANIFEST: &str = r#"interface = "leitai-game/1"
id = "say-a"
rules = "say-a/1"
name = { en = "Say a", zh = "说 a" }
about = { en = "the first player says \"a\" and wins", zh = "先手说 \"a\" 获胜" }
legs = 2
time = "1s"
message = "64KiB"
open = true
authors = ["A. Author"]
licence = "MIT"

[[config]]
key = "size"
title = { en = "size", zh = "大小" }
least = 1
most = 9
default = 3
"#;

/// A folder with the game in `say-a`.
fn place() -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    write_game(&place.path().join("say-a"), RULES);
    place
}

fn write_game(folder: &Path, rules: &str) {
    fs::create_dir(folder).expect("own folder");
    let rules = wat::parse_str(rules).expect("sound text");
    let files: [(&str, &[u8]); 4] = [
        ("game.toml", MANIFEST.as_bytes()),
        ("rules.wasm", &rules),
        ("guide.md", b"# Say a\n\nSay `a`.\n"),
        ("guide.zh.md", "# 说 a\n\n说 `a`。\n".as_bytes()),
    ];
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).expect("own folder");
    }
}

/// The game with other rules: what stands for a mark of the text.
fn broken(mark: &str, code: &str) -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    write_game(&place.path().join("say-a"), &RULES.replace(mark, code));
    place
}

fn leitai_in(place: &TempDir, lang: &str, line: &str) -> Output {
    let mut command = place::leitai_in(place, &split_words(line));
    command.env("LC_ALL", lang).output().expect("it starts")
}

/// Runs a command that has to end with this status and print these parts.
#[track_caller]
fn check(place: &TempDir, line: &str, status: i32, parts: &[&str]) -> String {
    let output = leitai_in(place, "C", line);
    let said = said(&output);
    assert_eq!(output.status.code(), Some(status), "{line}\n{said}");
    for part in parts {
        assert!(said.contains(part), "{line}: no {part:?} in\n{said}");
    }
    said
}

/// Commands, how they end and what they say.
#[track_caller]
fn check_rows(place: &TempDir, rows: &str) {
    place::check_rows(|words| place::leitai_in(place, words), rows);
}

#[test]
fn a_game_file_is_checked_packed_listed_and_played_by_its_path() {
    let place = place();
    fs::write(place.path().join("bot.py"), ANSWERS).expect("own folder");
    // Two games do not decide a comparison.
    check_rows(
        &place,
        r"
0 | match ./say-a random random --seed 3 --replay say-a/golden/one.json | replay show say-a/golden/one.json --game ./say-a
0 | game check ./say-a | checking say-a over 4 random legs, with at most 20,000,000,000 units of fuel | 4 random-play | the whole check took | say-a passes, with 1 recorded matches
0 | game check ./say-a --arena | say-a passes the check of an arena
0 | game pack ./say-a | say-a.leitai-game:
0 | game list . | say-a.leitai-game | MIT | A. Author
0 | match ./say-a.leitai-game bot.py random --isolation none --replay two.json | wins (said) | --game ./say-a.leitai-game
0 | replay verify two.json --game ./say-a | agrees: 2 legs, 2 replies
0 | bots ./say-a | random
4 | compare ./say-a random bot.py --max 2 --isolation none | random
0 | match ./say-a random random --config size=7 --no-replay | random
2 | match ./say-a random random --config size=12 | size is 12; it may be a whole number from 1 to 9
1 | game check ./say-a --fuel 1000 | took more in all than a check allows | --fuel allows more
",
    );
    // Without the folder of this name the game is not known by its id.
    fs::rename(place.path().join("say-a"), place.path().join("other")).expect("own folder");
    check_rows(
        &place,
        r#"
1 | replay verify two.json | no game "say-a"
0 | replay verify two.json --game other | agrees
"#,
    );
}

/// What an author's own program can write: no hashes, no players, no verdict.
#[test]
fn a_recorded_match_may_leave_out_what_only_leitai_writes() {
    let leg = |replies: &str, scores: &str| {
        format!(
            r#"{{"setup": {{}}, "legs": [{{"replies": "{replies}", "outcome": {{"winner": "first", "scores": {scores}, "reason": "said"}}}}]}}"#
        )
    };
    let sound = leg("a", "[1, 0]");
    let (seeded, empty) = (
        sound.replace("}}]}", "}}], \"seed\": 5}"),
        r#"{"legs": []}"#.to_owned(),
    );
    let won = "the recorded outcome is a win of the first seat by the rule said, scores 2 and 0";
    let other = format!("golden/one.json: DIFFERS: leg 1, round 1: {won}");
    let passes = "passes, with 1 recorded matches";
    let lacks = "this is no recorded match: not a replay: missing field `setup`";
    for (record, status, part) in [
        (sound, 0, passes),
        (leg("a", "[2, 0]"), 1, &*other),
        (leg("a a", "[1, 0]"), 1, "golden/one.json: DIFFERS: leg 1"),
        (seeded, 0, passes),
        (empty, 2, lacks),
        ("[]".to_owned(), 2, "write {\"setup\": …, \"legs\": "),
    ] {
        let place = place();
        let folder = place.path().join("say-a/golden");
        fs::create_dir(&folder).expect("own folder");
        fs::write(folder.join("one.json"), record).expect("own folder");
        check(&place, "game check ./say-a --legs 1", status, &[part]);
    }
}

#[test]
fn the_same_folder_packs_to_the_same_bytes() {
    let place = place();
    check_rows(
        &place,
        "
0 | game pack say-a -o one.leitai-game
0 | game pack one.leitai-game -o two.leitai-game
",
    );
    let read = |name: &str| fs::read(place.path().join(name)).expect("it was written");
    assert!(read("one.leitai-game") == read("two.leitai-game"));
}

#[test]
fn everything_that_is_wrong_with_game_toml_is_told_at_once() {
    let place = place();
    let wrong = MANIFEST
        .replace("id = \"say-a\"", "id = \"Say A\"")
        .replace("legs = 2", "legs = 100")
        .replace("\"1s\"", "\"soon\"")
        .replace("open = true", "opne = true")
        .replace("licence = \"MIT\"\n", "")
        .replace("default = 3", "default = 10");
    fs::write(place.path().join("say-a/game.toml"), wrong).expect("own folder");
    fs::remove_file(place.path().join("say-a/guide.md")).expect("it was there");
    let told = "
game.toml:2: id = \"Say A\" cannot be used; write 2 to 32
game.toml:6: legs = 100 cannot be used; write a whole number from 1 to 64
game.toml:7: time = \"soon\" cannot be used
game.toml:9: unknown key opne; did you mean open?
licence is missing; write its SPDX name
config.default = 10 cannot be used; write a whole number from least to most
guide.md: this part is missing";
    let told: Vec<&str> = told.trim_start().lines().collect();
    let words = check(&place, "game check say-a", 2, &told);
    assert_eq!(words.lines().count(), 9, "{words}");
    let chinese = said(&leitai_in(&place, "zh_CN.UTF-8", "game check say-a"));
    let told = "game.toml:6：legs = 100 不可用；请写 1 到 64 的整数";
    says(&chinese, &[told]);
    fs::write(place.path().join("say-a/rules.wasm"), "no").expect("own folder");
    check_rows(
        &place,
        "2 | game check say-a | rules.wasm: this is not WebAssembly",
    );
}

/// Rules that fail are an error of the game: no result, no fault of a player, no crash.
#[test]
fn rules_that_fail_in_the_judge_are_the_games_error() {
    let sound = place();
    check_rows(&sound, "0 | match ./say-a random random --replay one.json");
    let replay = fs::read(sound.path().join("one.json")).expect("it was written");
    for (mark, function) in [
        (";;STEP", "leitai_game_1_step"),
        (";;LEGAL", "leitai_game_1_legal"),
        (";;VIEW", "leitai_game_1_view"),
    ] {
        let place = broken(mark, "(unreachable)");
        fs::write(place.path().join("bot.py"), ANSWERS).expect("own folder");
        let line = "match ./say-a bot.py bot.py --isolation none --replay one.json";
        let trap = format!("{function} stopped by a trap (unreachable); its request was ");
        let failed = format!("the rules of say-a failed: {trap}");
        let whose = "it is an error of the game, not of a player, and the match does not count";
        let words = check(&place, line, 1, &[&failed, whose]);
        says_but_not(&words, &[], &["[PE]", "[TLE]"]);
        assert!(!place.path().join("one.json").exists());
        if mark == ";;STEP" {
            fs::write(place.path().join("sound.json"), &replay).expect("own folder");
            let line = "replay verify sound.json --game ./say-a";
            let words = check(&place, line, 1, &["the rules of say-a failed", function]);
            assert!(!words.contains("DIFFERS"), "{words}");
        }
        let chinese = said(&leitai_in(&place, "zh_CN.UTF-8", line));
        let told = format!("say-a 的规则出错：{function} 因陷阱中止（unreachable）；请求为 ");
        assert!(chinese.contains(&told), "{chinese}");
        let parts = ["fail the check", function];
        check(&place, "game check ./say-a", 1, &parts);
    }
}

const ANSWERS: &str = "import sys, json\nfor line in sys.stdin:\n    if json.loads(line)['type'] == 'turn':\n        print(json.dumps({'action': 'a'}), flush=True)\n";

/// What names a bot in `game.toml`.
fn named(name: &str) -> String {
    format!("\n[[bots]]\nname = \"{name}\"\nabout = {{ en = \"says a\", zh = \"说 a\" }}\n")
}

/// The game with these bots and files.
fn with_bots(names: &[&str], files: &[(&str, &str)]) -> TempDir {
    let place = place();
    let folder = place.path().join("say-a");
    let bots: String = names.iter().map(|name| named(name)).collect();
    fs::write(folder.join("game.toml"), format!("{MANIFEST}{bots}")).expect("own folder");
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("own folder");
        fs::write(path, text).expect("own folder");
    }
    place
}

/// The rules with a bot: what its function does.
fn rules_with_bot(code: &str) -> Vec<u8> {
    let bot = format!(
        "(data (i32.const 900) \"\\00\\01\\00\\00\\00a\")
         (func (export \"leitai_game_1_bot\") (result i64) {code})
         (func (export \"leitai_game_1_view\")"
    );
    let rules = RULES.replace("(func (export \"leitai_game_1_view\")", &bot);
    wat::parse_str(rules).expect("sound text")
}

#[test]
fn bots_of_a_file_are_built_in_bots_of_its_game() {
    let files = [
        ("bots/answers.py", ANSWERS),
        ("bots/folder/main.py", "import other\n"),
        ("bots/folder/other.py", ANSWERS),
        ("bots/draft.py", "not named, not packed"),
        ("bots/__pycache__/x.pyc", "x"),
    ];
    let place = with_bots(&["answers", "folder", "says"], &files);
    let rules = rules_with_bot("(call $answer (i32.const 900) (i32.const 6))");
    fs::write(place.path().join("say-a/rules.wasm"), rules).expect("own folder");
    // A file of this name is another program.
    fs::write(place.path().join("answers"), "no program").expect("own folder");
    check_rows(
        &place,
        r"
0 | game check ./say-a | say-a passes
0 | bots ./say-a | answers | folder | says
0 | game pack ./say-a | say-a.leitai-game:
0 | game check say-a.leitai-game | say-a passes
0 | match ./say-a.leitai-game answers says --isolation none --replay one.json | answers | says | leg 2 of 2
0 | replay verify one.json --game ./say-a | agrees: 2 legs
0 | match ./say-a.leitai-game folder random --isolation none --no-replay | folder
4 | compare ./say-a says answers --max 2 --isolation none | says | answers
2 | match ./say-a answer random | did you mean answers
2 | check ./say-a answers | this bot is built in
1 | rate ./say-a answers | no rating scale
",
    );
    let packed = fs::read(place.path().join("say-a.leitai-game")).expect("it was packed");
    let packed = zip::ZipArchive::new(std::io::Cursor::new(packed)).expect("a zip");
    let names = packed.file_names().flatten();
    let names: Vec<_> = names.filter(|name| name.starts_with("bots")).collect();
    assert_eq!(names.len(), 3, "{names:?}");
}

#[test]
fn every_game_file_has_a_bot_to_begin_with() {
    let main = ("templates/python/main.py", ANSWERS);
    let place = with_bots(&[], &[main, ("templates/python/help.py", "")]);
    check_rows(
        &place,
        r#"
0 | new ./say-a --folder mine | python | cpp|java|javascript|rust
0 | new ./say-a javascript --folder general | main.js
2 | new ./say-a cobol | no template in "cobol"
0 | match ./say-a mine random --isolation none --no-replay | mine
0 | match ./say-a general random --isolation none --no-replay | general
"#,
    );
    let read = |name: &str| fs::read_to_string(place.path().join(name)).expect(name);
    assert_eq!(read("mine/main.py"), ANSWERS);
    assert_eq!(read("mine/guide.md"), "# Say a\n\nSay `a`.\n");
    let whole = place.path().join("say-a").canonicalize();
    let whole = whole.expect("it is there").display().to_string();
    says(&read("mine/test.sh"), &[&whole]);
}

/// Bots of strangers: what cannot be run, is no name or too much is refused in words; what breaks a
/// rule fails the check.
#[test]
fn hostile_bots_and_templates_are_refused() {
    let many: Vec<String> = (0..65).map(|n| format!("bots/one/{n}.py")).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|name| (&**name, "")).collect();
    let large = "x".repeat(1 << 20);
    let why = ["bots: there is too much in this folder"];
    check(&with_bots(&["one"], &many), "game check ./say-a", 2, &why);
    for [names, files, words] in table(
        r#"
../one | | game.toml:21: bots.name = "../one" cannot be used
random | | random, me and levels are Leitai's
level3 | | random, me and levels are Leitai's
one, one | bots/one.py | a name of its own
one | | bots/one: this bot has no program
one | bots/one.exe=x | no way to run this file
one | bots/one.py, bots/one/main.py | several programs
one | bots/one.py=LARGE, bots/one/two.py=x | too much
one | bots/one/a b.py | bots/one/a b.py: this is no part
 | templates/python/one.py, templates/python/two.py | no file of it is the program
 | templates/C++/main.cpp | templates/C++/main.cpp: this is no part
 | templates/python/src/main.py | this is no part of a game file
"#,
    ) {
        let names: Vec<&str> = names.split_terminator(", ").collect();
        let files = files.split_terminator(", ");
        let files = files.map(|file| match file.split_once('=') {
            Some((name, "LARGE")) => (name, &*large),
            Some(named) => named,
            None => (file, ""),
        });
        let files: Vec<(&str, &str)> = files.collect();
        let place = with_bots(&names, &files);
        check(&place, "game check ./say-a", 2, &[words]);
    }
    let place = with_bots(&["one"], &[("bots/two.py", "")]);
    std::os::unix::fs::symlink("/etc/passwd", place.path().join("say-a/bots/one.py"))
        .expect("own folder");
    check_rows(
        &place,
        "2 | game check ./say-a | bots/one.py | links are not followed",
    );
    let archive = fs::File::create(place.path().join("x.leitai-game")).expect("own folder");
    let mut zip = zip::ZipWriter::new(archive);
    let rules = wat::parse_str(RULES).expect("sound text");
    let parts: [(&str, &[u8]); 4] = [
        ("game.toml", MANIFEST.as_bytes()),
        ("rules.wasm", &rules),
        ("guide.md", b"# Say a"),
        ("bots/stray.py", b""),
    ];
    for (name, bytes) in parts {
        let options = zip::write::SimpleFileOptions::default();
        zip.start_file(name, options).expect("in memory");
        zip.write_all(bytes).expect("in memory");
    }
    zip.finish().expect("in memory");
    check_rows(
        &place,
        "2 | game check x.leitai-game | bots/stray.py: game.toml names no bot with this program",
    );
}

#[test]
fn bots_that_break_a_rule_or_fail_do_not_pass_the_check() {
    let endless = "while True: pass\n";
    let flood = "import sys\nwhile True: sys.stdout.write('a' * (1 << 20))\n";
    let wrong = ANSWERS.replace("'a'", "'b'");
    for program in [endless, flood, &*wrong] {
        let words = "the bot one broke a rule in round 1";
        let place = with_bots(&["one"], &[("bots/one.py", program)]);
        let output = leitai_in(&place, "C", "game check ./say-a");
        let said = said(&output);
        // A machine without isolation says so.
        let checked = !said.contains("the bot one was not checked");
        assert_eq!(output.status.code(), Some(i32::from(checked)), "{said}");
        assert!(!checked || said.contains(words), "no {words:?} in\n{said}");
    }
    for code in [
        "(unreachable)",
        "(call $answer (i32.const 900) (i32.const 0x7fffffff))",
        "(call $answer (i32.const 640) (i32.const 21))",
    ] {
        let place = with_bots(&["one"], &[]);
        fs::write(place.path().join("say-a/rules.wasm"), rules_with_bot(code)).expect("own folder");
        let fails = "the rules fail the check bots: one on first";
        check(&place, "game check ./say-a", 1, &[fails]);
    }
}

/// Archives and folders of strangers: nothing outside is read, nothing large is unpacked.
#[test]
fn hostile_archives_and_links_are_refused() {
    let place = place();
    let at = |name: &str| place.path().join(name);
    let options = zip::write::SimpleFileOptions::default();
    let zeros = vec![0; 40 << 20];
    let stray = "viewer.exe: this is no part of a game file";
    let entries: [(&str, &str, &[u8], &str); 3] = [
        ("path.leitai-game", "../evil", b"x", ".."),
        ("other.leitai-game", "viewer.exe", b"x", stray),
        ("bomb.leitai-game", "rules.wasm", &zeros, "rules.wasm"),
    ];
    for (archive, name, bytes, why) in entries {
        let mut zip = zip::ZipWriter::new(fs::File::create(at(archive)).expect("own folder"));
        zip.start_file(name, options).expect("in memory");
        zip.write_all(bytes).expect("in memory");
        zip.finish().expect("in memory");
        check(&place, &format!("game check {archive}"), 2, &[why]);
    }
    fs::write(at("text.leitai-game"), "no zip").expect("own folder");
    check_rows(&place, "2 | game check text.leitai-game | text.leitai-game");
    fs::remove_file(at("say-a/guide.md")).expect("it was there");
    std::os::unix::fs::symlink("/etc/passwd", at("say-a/guide.md")).expect("own folder");
    check_rows(
        &place,
        "
2 | game check say-a | guide.md | links are not followed
2 | match ./nothing a b | ./nothing
",
    );
}

/// A browser draws the picture: what could run, be fetched, move or multiply itself is refused.
#[test]
fn an_emblem_holds_shapes_alone() {
    let svg = |inside: &str| format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{inside}</svg>");
    let entities = "<!DOCTYPE svg [<!ENTITY a \"&b;&b;\">]>";
    let deep = "<g>".repeat(40) + &"</g>".repeat(40);
    let sound = [
        svg("<g fill='url(#a)' style=\"stroke:red\"><path d='M0 0'/><!-- <script> --></g>"),
        "\u{feff}<?xml version='1.0'?>\n<!-- mine --><svg viewBox='0 0 9 9'><text>&amp;</text></svg>\n".to_owned(),
    ];
    let whole = [
        ("GIF89a".to_owned(), "this is no SVG picture"),
        ("</svg>".to_owned(), "this is no SVG picture"),
        ("<html></html>".to_owned(), "this is no SVG picture"),
        (svg("") + &svg(""), "this is no SVG picture"),
        (entities.to_owned() + &svg("&a;"), "<!DOCTYPE may not"),
        (svg(&deep), "its elements lie more than 32 deep"),
        ("<svg><g></svg>".to_owned(), "it ends inside an element"),
        ("<svg fill=\"".to_owned(), "it ends inside an element"),
        ("<svg".to_owned(), "it ends inside an element"),
        (svg(&" ".repeat(64 << 10)), "this part is too large"),
    ];
    let inside = table(
        "
<script>alert(1)</script> | <script may not be in it
<x:script/> | <x:script may not be in it
<![CDATA[<script>]]> | <![CDATA[ may not be in it
<foreignObject/> | <foreignObject may not be in it
<image href='//a/b.png'/> | <image may not be in it
<use href='#a'/> | <use may not be in it
<style>@import '//a'</style> | <style may not be in it
<animate/> | <animate may not be in it
<filter/> | <filter may not be in it
<?xml-stylesheet href='//a'?> | <?xml-stylesheet may not be in it
<rect onload='a()'/> | the attribute onload may not
<rect xlink:href='//a'/> | the attribute xlink:href may not
<rect fill='URL( //a)'/> | the attribute fill may not
<rect fill='&#117;rl(//a)'/> | the attribute fill may not
<rect style='filter:blur(9px)'/> | the attribute style may not
",
    );
    let refused = inside.map(|[inside, why]| (svg(inside), why)).chain(whole);
    let place = place();
    let write = |text: &str| fs::write(place.path().join("say-a/emblem.svg"), text);
    for text in sound {
        write(&text).expect("own folder");
        check(&place, "game check ./say-a --legs 1", 0, &[]);
    }
    for (text, why) in refused {
        write(&text).expect("own folder");
        let line = format!("emblem.svg: {why}");
        check(&place, "game check ./say-a", 2, &[&line]);
    }
}

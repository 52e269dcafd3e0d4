//! Games whose judge is a program that exists already, as a user brings them: a folder with `logic`.

use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

use crate::place::{self, cells, leitai_in, split_words, table};

/// The example, with its two bots.
fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/games/pig")
}

/// A folder with the example in `pig`; `change` gets the text of its judge program.
fn place(change: impl Fn(String) -> String) -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    let pig = place.path().join("pig");
    for folder in ["logic", "bots"] {
        fs::create_dir_all(pig.join(folder)).expect("own folder");
    }
    let files = "game.toml guide.md guide.zh.md bots/hold20.py bots/careful.py";
    for file in files.split(' ') {
        fs::copy(example().join(file), pig.join(file)).expect("a part of the example");
    }
    let logic = fs::read_to_string(example().join("logic/main.py")).expect("its program");
    fs::write(pig.join("logic/main.py"), change(logic)).expect("own folder");
    place
}

/// Runs a command that has to end with this status and print these parts.
#[track_caller]
fn check(place: &TempDir, lang: &str, line: &str, status: i32, parts: &[&str]) {
    let mut command = leitai_in(place, &split_words(line));
    place::ends(command.env("LC_ALL", lang), status, parts);
}

/// The same of rows: `C 0 | command | part | part`.
#[track_caller]
fn check_rows(place: &TempDir, rows: &str) {
    for row in cells(rows) {
        let [how, line, parts @ ..] = &row[..] else {
            panic!("a language, a status and a command: {row:?}")
        };
        let (lang, status) = how.split_once(' ').expect("a language and a status");
        check(place, lang, line, status.parse().expect("a status"), parts);
    }
}

const MATCH: &str = "match ./pig pig/bots/hold20.py pig/bots/careful.py --seed 3 --replay one.json";

#[test]
fn a_judge_program_leads_a_match_that_can_be_verified() {
    let place = place(|logic| logic);
    check(&place, "C", MATCH, 0, &["wins", "--game ./pig"]);
    check_rows(
        &place,
        "
C 0 | replay verify one.json --game ./pig | agrees: 2 legs
zh_CN.UTF-8 0 | replay verify one.json --game ./pig | 一致
",
    );
    fs::create_dir(place.path().join("pig/golden")).expect("own folder");
    fs::rename(
        place.path().join("one.json"),
        place.path().join("pig/golden/one.json"),
    )
    .expect("own folder");
    check_rows(
        &place,
        "
C 0 | game check ./pig | pig passes, with 1 recorded matches
C 0 | game check --arena ./pig | pig passes the check of an arena
C 2 | match ./pig pig/bots/hold20.py random | random
C 2 | game scale ./pig | a logic process leads this game
",
    );
}

/// The game as one file, and nothing beside it: the program is in it, with what it imports.
#[test]
fn a_judge_program_is_packed_with_its_game() {
    let place = place(|logic| logic.replace("import random", "import random, dice  # its own"));
    let pig = place.path().join("pig");
    fs::write(pig.join("logic/dice.py"), "SIDES = 6\n").expect("own folder");
    fs::create_dir(pig.join("logic/__pycache__")).expect("own folder");
    fs::write(pig.join("logic/__pycache__/x.pyc"), "x").expect("own folder");
    check(
        &place,
        "C",
        "game pack ./pig --output packed.leitai-game",
        0,
        &["bytes"],
    );
    fs::rename(&pig, place.path().join("source")).expect("own folder");
    let bytes = fs::read(place.path().join("packed.leitai-game")).expect("it was written");
    assert!(!String::from_utf8_lossy(&bytes).contains("pycache"));
    check_rows(
        &place,
        "
C 0 | match packed.leitai-game hold20 careful --seed 3 --replay one.json | wins
C 0 | replay verify one.json --game packed.leitai-game | agrees: 2 legs
C 0 | game check packed.leitai-game | pig passes
C 0 | game list . | pig | packed.leitai-game
",
    );
    let text = fs::read_to_string(place.path().join("one.json")).expect("a replay");
    let lie = text.replacen("\"sent\":{\"first\":\"", "\"sent\":{\"first\":\"x", 1);
    assert_ne!(text, lie, "{text}");
    fs::write(place.path().join("lie.json"), lie).expect("own folder");
    check_rows(
        &place,
        "C 1 | replay verify lie.json --game packed.leitai-game | shows something else",
    );
    // A link to elsewhere would take a file of the packer along.
    let source = place.path().join("source");
    let link = source.join("logic/taken");
    std::os::unix::fs::symlink("/etc/passwd", &link).expect("own folder");
    check_rows(&place, "C 2 | game pack ./source | logic: | taken");
    fs::remove_file(link).expect("own folder");
    // One file with what it imports, at the top of the folder.
    for file in ["main.py", "dice.py"] {
        fs::rename(source.join("logic").join(file), source.join(file)).expect("own folder");
    }
    let about = fs::read_to_string(source.join("game.toml")).expect("its manifest");
    for (named, status, words) in [
        ("./main.py", 0, "bytes"),
        ("./nothing", 2, "logic: "),
        ("../main.py", 2, "name a program inside this folder"),
    ] {
        let about = about.replace("\"./logic\"", &format!("{named:?}"));
        fs::write(source.join("game.toml"), about).expect("own folder");
        check(
            &place,
            "C",
            "game pack ./source --output two.leitai-game",
            status,
            &[words],
        );
    }
    check(
        &place,
        "C",
        "match two.leitai-game hold20 careful --legs 1 --no-replay",
        0,
        &["wins"],
    );
}

/// A program of a player, and what the match says of it: the first one is a fault in the opinion of the
/// judge program alone.
#[test]
fn faults_of_players_are_told_to_the_judge_program() {
    let place = place(|logic| logic);
    let say = |word: &str| {
        format!(
            "import sys\nsys.stdin.readline()\nsys.stdout.buffer.write(len(b'{word}').to_bytes(4, 'big') + b'{word}')\nsys.stdout.buffer.flush()\nsys.stdin.read()\n"
        )
    };
    for (bot, code) in [
        (say("jump"), "by a fault of the opponent"),
        (
            say("a word that is longer than the judge program allows"),
            "IA",
        ),
        ("import sys\nsys.exit(3)\n".into(), "RE"),
        ("while True: pass\n".into(), "TLE"),
    ] {
        fs::write(place.path().join("bot.py"), bot).expect("own folder");
        let line = "match ./pig bot.py pig/bots/careful.py --legs 1 --no-replay";
        check(&place, "C", line, 0, &[code, "careful wins"]);
    }
}

/// What a judge program does wrong, and what is said; nobody loses by it.
#[test]
fn a_judge_program_that_fails_ends_the_match_without_blame() {
    let turn = "        if word == \"roll\":";
    for (code, words) in [
        (
            "        raise SystemExit(7)",
            "ended before the game was over",
        ),
        ("        send(5, 'x')", "sent a message to player 5"),
        ("        order(state='x')", "which has no state"),
        (
            "        order(state=turn, listen=[])\n        listen()",
            "it listens to nobody",
        ),
    ] {
        let place = place(|logic| logic.replace(turn, &format!("{code}\n{turn}")));
        check(&place, "C", MATCH, 1, &["the rules of pig failed", words]);
        assert!(!place.path().join("one.json").exists(), "{code}");
    }
}

/// Also one that is seeded by the second, as programs in C and C++ are by `srand(time(0))`.
#[test]
fn a_judge_program_that_draws_anew_each_time_is_not_repeatable() {
    for seed in ["", "int(__import__('time').time())"] {
        let drawn = format!("random.Random({seed})");
        let place = place(|logic| logic.replace("random.Random(config[\"random_seed\"])", &drawn));
        check(&place, "C", MATCH, 0, &["leg 2 of 2"]);
        fs::create_dir(place.path().join("pig/golden")).expect("own folder");
        let [from, to] = ["one.json", "pig/golden/one.json"].map(|name| place.path().join(name));
        fs::copy(from, to).expect("own folder");
        std::thread::sleep(std::time::Duration::from_millis(1100));
        check(&place, "C", "game check ./pig", 0, &["not repeatable"]);
    }
}

/// A judge program of Botzone: who takes the last of 21 stones loses. `first` of a config begins.
const STONES: &str = r#"
import json
match = json.loads(input())
log, first = match["log"], match["initdata"]
left, who = 21, 0 if first == "" else first["first"]
out = None
for said in log[1::2]:
    reply = said[str(who)]
    took = reply.get("response") if reply["verdict"] == "OK" else reply["verdict"]
    left -= took if took in (1, 2, 3) else 99
    if left < 1:
        points = {str(who): 0, str(1 - who): 2}
        out = {"command": "finish", "content": points, "display": {"took": took}}
    who = 1 - who
out = out or {"command": "request", "content": {str(who): {"left": left}}, "display": left}
print(json.dumps(out))
"#;

/// A program that speaks Botzone's JSON; `take` is what it takes of `left`.
fn stones_bot(take: &str) -> String {
    format!(
        "# leitai: protocol=botzone\nimport json, sys, time\nasked = json.loads(input())\nleft = asked['requests'][-1]['left']\nprint(json.dumps({{'response': {take}}}))\n"
    )
}

/// A folder with the game `stones` of this judge program, and three bots.
fn stones(judge: &str, more: &str) -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    let game = place.path().join("stones");
    fs::create_dir(&game).expect("own folder");
    let text = fs::read_to_string(example().join("game.toml")).expect("the example");
    let (head, _) = text.split_once("logic = ").expect("its program");
    let head = head.replace("\"pig", "\"stones");
    let text = format!("{head}logic = \"./judge.py\"\nlogic-protocol = \"botzone\"\n{more}");
    for (file, text) in [
        ("stones/game.toml", &*text),
        ("stones/guide.md", "Stones"),
        ("stones/guide.zh.md", "取石子"),
        ("stones/judge.py", judge),
        ("wise.py", &stones_bot("(left - 1) % 4 or 1")),
        ("one.py", &stones_bot("1")),
        ("stays.py", &stays()),
    ] {
        fs::write(place.path().join(file), text).expect("own folder");
    }
    place
}

/// A program that asks to stay, and is told one request a line from then on.
fn stays() -> String {
    let stay = "\n    print('>>>BOTZONE_REQUEST_KEEP_RUNNING<<<', flush=True)\n";
    format!(
        "# leitai: protocol=botzone\nimport json\nasked = json.loads(input())['requests'][-1]\nwhile True:\n    print(json.dumps({{'response': min(2, asked['left'])}}), flush=True){stay}    asked = json.loads(input())\n"
    )
}

#[test]
fn a_judge_program_of_botzone_leads_a_match_that_can_be_verified() {
    let place = stones(STONES, "");
    check_rows(
        &place,
        "
C 0 | match ./stones wise.py one.py --seed 3 --replay one.json | wise wins | leg 1 of 2  ✓ wise 2 : 0 one | leg 2 of 2  ✓ wise 2 : 0 one
C 0 | replay verify one.json --game ./stones | agrees: 2 legs
C 0 | match ./stones stays.py wise.py --seed 3 --no-replay | wise wins
C 0 | game check ./stones | stones passes
C 2 | match ./stones wise.py one.py --config first=1 --legs 1 --no-replay | there is no choice
",
    );
}

#[test]
fn what_a_judge_program_of_botzone_says_of_faults_and_does_wrong() {
    let place = stones(
        STONES,
        "[[config]]\nkey = \"first\"\ntitle = { en = \"Who begins\", zh = \"先手\" }\nleast = 0\nmost = 1\ndefault = 0\n",
    );
    for (name, take) in [
        ("cheats", "99"),
        ("crashes", "sys.exit(3)"),
        // The first answer may take longer, as the program starts.
        ("sleeps", "1 if left > 19 else time.sleep(3)"),
        ("shouts", "'x' * 70_000"),
    ] {
        let bot = place.path().join(format!("{name}.py"));
        fs::write(bot, stones_bot(take)).expect("own folder");
    }
    fs::write(
        place.path().join("mute.py"),
        "# leitai: protocol=json-lines\nprint('{}', flush=True)\ninput()\n",
    )
    .expect("own folder");
    check_rows(
        &place,
        "
C 0 | match ./stones one.py wise.py --config first=1 --legs 1 --no-replay | wise 
C 0 | match ./stones cheats.py wise.py --legs 1 --no-replay | wise wins | by more points
C 0 | match ./stones crashes.py wise.py --legs 1 --no-replay | wise wins | RE
C 0 | match ./stones sleeps.py wise.py --legs 1 --no-replay | wise wins | TLE
C 0 | match ./stones mute.py wise.py --legs 1 --no-replay | wise wins | has no \"response\"
",
    );
    let (found, zh) = ("the rules of stones failed", "stones 的规则出错");
    let rows = r#"
print('hello') | logic sent `hello`, which is no JSON object | C
print('hello') | logic 发出了 `hello`，它不是 JSON 对象 | zh_CN.UTF-8
print('{}') | wrote no command | C
print('{"command": "request", "content": {"2": 1}}') | asks neither player | C
print('{"command": "finish"}') | gives no points | C
import sys; sys.exit(7) | ended before the game was over | C
"#;
    for [judge, words, lang] in table(rows) {
        fs::write(place.path().join("stones/judge.py"), judge).expect("own folder");
        let line = "match ./stones wise.py one.py --replay one.json";
        let rules = if lang == "C" { found } else { zh };
        check(&place, lang, line, 1, &[rules, words]);
        assert!(!place.path().join("one.json").exists(), "{judge}");
    }
    let toml = fs::read_to_string(place.path().join("stones/game.toml")).expect("its manifest");
    let toml = toml.replace("\"botzone\"", "\"codingame\"");
    fs::write(place.path().join("stones/game.toml"), toml).expect("own folder");
    check(
        &place,
        "C",
        "game check ./stones",
        2,
        &[
            "logic-protocol = \"codingame\"",
            "write \"saiblo\" or \"botzone\"",
        ],
    );
}

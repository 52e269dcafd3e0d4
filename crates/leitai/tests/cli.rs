//! The binary as a user runs it: lists, matches of built-in bots, replays, parity, and everything
//! that it must refuse with a clear message.

use crate::place::{self, Place, fill_words, says, says_but_not, split_words, text};
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

const CORPUS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../games/snakego/golden/games.jsonl"
);

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A match whose replay goes into the file that is named behind it.
const PLAY_INTO: &str = "match snakego random random --seed 3 --legs 1 --replay";

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON alone")
}

/// A short match of built-in bots with its replay in `game.json`.
fn play(place: &Place) -> Output {
    let line = "match snakego greedy random --seed 7 --replay game.json --config max_round=60";
    let output = place.run_line(line);
    assert!(output.status.success(), "{}", err(&output));
    output
}

/// Names that are no UTF-8 (an archive from Chinese Windows leaves them in GBK) end in a sentence,
/// or work where no name is written down.
#[test]
fn a_name_that_is_not_utf8_never_panics() {
    let place = Place::new();
    play(&place);
    let name = |end: &str| OsString::from_vec([b"gbk_\xd6\xd0", end.as_bytes()].concat());
    place.write("bot.py", "");
    let [bot, replay] = [name(".py"), name(".json")];
    fs::rename(place.join("game.json"), place.join(&replay)).expect("own folder");
    let told = r#"the argument "gbk_\xD6\xD0.py" is not UTF-8; rename the file"#;
    for (line, word, code, part) in [
        ("match kob", &bot, 2, told),
        ("check kob", &bot, 2, "is not UTF-8; rename the file"),
        (
            "--lang zh match kob",
            &bot,
            2,
            "不是 UTF-8；请重命名文件或文件夹",
        ),
        ("games --lang", &bot, 2, ""),
        ("replay verify", &replay, 0, ""),
    ] {
        place::ends(place.leitai(&split_words(line)).arg(word), code, &[part]);
    }
}

/// A replay as Windows, gzip and a pipe give it; the page reads these, too.
#[test]
fn a_replay_is_read_with_a_mark_packed_and_from_stdin() {
    let place = Place::new();
    play(&place);
    let replay = place.read("game.json");
    place.write("bom.json", format!("\u{feff}{replay}"));
    let mut gzip = Command::new("gzip");
    let packed = gzip.args(["-k", "game.json"]).current_dir(place.path());
    let packed = packed.status();
    assert!(packed.is_ok_and(|status| status.success()), "gzip packs it");
    for name in ["bom.json", "game.json.gz"] {
        place.ends(0, &format!("replay verify {name}"), &[]);
        place.ends(0, &format!("replay trace {name}"), &["T "]);
        let file = fs::File::open(place.join(name)).expect("it was written");
        let mut verify = place.leitai(&["replay", "verify", "-"]);
        place::ends(verify.stdin(file), 0, &[]);
    }
    let bytes = b"\x1f\x8b\x08\0\0\0\0\0\0\x03 broken";
    place.write("bomb.json.gz", bytes);
    let broken = place.run_line("replay verify bomb.json.gz");
    assert!(!broken.status.success());
    says(&text(&broken), &["cannot read bomb.json.gz"]);
}

/// A wrong name is found before anything is built.
#[test]
fn a_name_that_is_wrong_is_told_before_the_other_program_is_built() {
    let place = Place::new();
    place.write("slow.c", "#error it was compiled\n");
    for command in ["match", "tournament"] {
        let output = place.run_line(&format!("{command} kob ./slow.c ./typo.py"));
        says_but_not(&text(&output), &["typo.py"], &["it was compiled"]);
        assert_eq!(output.status.code(), Some(2), "{command}");
    }
    play(&place);
    place.check_rows(
        "
2 | match snakego random greedy --from game.json@1:999 | 999
2 | match kob random safe --config map=none.txt | there is no file none.txt
",
    );
}

/// A machine whose clock is before 1970 (an empty battery) or after 9999.
#[test]
fn a_clock_that_is_wrong_does_not_end_a_match() {
    let place = Place::new();
    place.write(
        "clock.c",
        "#include <time.h>\n#include <sys/syscall.h>\n#include <unistd.h>\n\
         int clock_gettime(clockid_t id, struct timespec *now) {\n\
         int done = syscall(SYS_clock_gettime, id, now); if (id == CLOCK_REALTIME) now->tv_sec = SECONDS; return done; }\n",
    );
    for seconds in ["-86400", "253402300800"] {
        let built = Command::new("cc")
            .args(["-shared", "-fPIC", "-o", "clock.so", "clock.c"])
            .arg(format!("-DSECONDS={seconds}L"))
            .current_dir(place.path())
            .status();
        assert!(built.is_ok_and(|status| status.success()), "cc builds it");
        let line = "match kob random safe --seed 1 --replay game.json";
        let mut command = place.leitai(&split_words(line));
        place::ends(command.env("LD_PRELOAD", place.join("clock.so")), 0, &[]);
        place.ends(0, "replay verify game.json", &[]);
    }
}

#[test]
fn lists_completions_manual_and_help_are_printed() {
    let place = Place::new();
    place.check_rows(
        "
0 | games | snakego | SnakeGo | 3 s
0 | bots snakego | random | greedy | territory | saiblo | json-lines | scale snakego-2026.3 | level10@2 = former-level10
0 | bots kob | scale kob-2026.3 | levels of kob-2026.1: | level8@1 = level10 | level5@2 = former-level5
0 | --lang zh bots kob | kob-2026.1 的级别：
0 | --lang zh games | 游戏 | 贪吃蛇
0 | completions bash | _leitai
0 | man pages | leitai.1
0 | match --help | Examples: | Exit status
",
    );
    says(&place.read("pages/leitai-match.1"), &["leitai"]);
}

#[test]
fn a_match_says_who_won_by_what_rule_and_what_to_do_next() {
    let place = Place::new();
    let output = play(&place);
    let (said, told) = (out(&output), err(&output));
    // Output into a pipe has no colour.
    says_but_not(&told, &["leg 1 of 2", "leg 2 of 2"], &["\x1b"]);
    says_but_not(&said, &["greedy wins   by legs won; leg 1 was "], &["\x1b"]);
    says(&said, &["leitai replay show game.json"]);
}

#[test]
fn replays_are_kept_under_matches_by_default() {
    let place = Place::new();
    for _ in 0..2 {
        let result = place.json("match snakego random random --seed 3 --legs 1 --json");
        let path = result["replay"].as_str().expect("it was written");
        assert!(path.starts_with("matches/"), "{path}");
        says(path, &["-snakego-3"]);
        assert!(place.join(path).is_file());
    }
    let kept = fs::read_dir(place.join("matches")).expect("a folder");
    assert_eq!(kept.count(), 2, "the first replay is not overwritten");
}

#[test]
fn a_replay_is_verified_and_a_changed_one_is_caught() {
    let place = Place::new();
    play(&place);
    place.write("keys.json", r#"{"items": []}"#);
    place.check_rows(
        "
0 | replay verify game.json | agrees: 2 legs | 240 state hashes | unsigned: names, limits, isolation, times and date are not proven
1 | replay verify --keys keys.json game.json | agrees: 2 legs | unsigned:
2 | replay verify --keys none.json game.json | --keys: cannot read none.json
",
    );
    let replay = place.replay("game.json");
    let last = "DIFFERS: leg 1, round 60: the final state hash";
    let rows: [(Change, &str); 10] = [
        (
            |r| r["legs"][1]["hashes"] = r["legs"][0]["hashes"].clone(),
            "leg 2, round",
        ),
        (|r| r["legs"][0]["final_hash"] = "0".repeat(16).into(), last),
        (
            |r| r["legs"][0]["outcome"]["scores"][0] = 999.into(),
            "recorded outcome",
        ),
        (|r| r["verdict"]["winner"] = "B".into(), "recorded verdict"),
        (|r| r["seed"] = 8.into(), "seed 8 deals"),
        (|r| r["rules"] = "snakego/0".into(), "snakego/0"),
        (
            |r| r["legs"][0]["replies"] = "9".into(),
            "there is no action \"9\"",
        ),
        (
            |r| r["format"] = "leitai-replay/99".into(),
            "this version reads",
        ),
        (|r| r["game"] = "chess".into(), "there is no game \"chess\""),
        (|r| r["setup"]["max_round"] = 0.into(), "max_round is 0"),
    ];
    for (change, part) in rows {
        write_changed(&place, &replay, change);
        let parts = ["changed.json: ", part];
        place.ends(1, "replay verify game.json changed.json", &parts);
    }
}

type Change = fn(&mut Value);

/// Writes `changed.json`, a replay that was changed so.
fn write_changed(place: &Place, replay: &Value, change: Change) {
    let mut changed = replay.clone();
    change(&mut changed);
    place.write("changed.json", changed.to_string());
}

/// The width of a GIF, and its pictures: what is seen after each, as colours.
fn read_gif(path: &Path) -> (usize, Vec<Vec<u8>>) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let file = std::fs::File::open(path).expect("it was written");
    let mut decoder = options.read_info(file).expect("a GIF");
    let width = usize::from(decoder.width());
    let mut screen = vec![0; 4 * width * usize::from(decoder.height())];
    let mut pictures = Vec::new();
    while let Some(frame) = decoder.read_next_frame().expect("a whole picture") {
        let (left, top) = (usize::from(frame.left), usize::from(frame.top));
        let columns = usize::from(frame.width);
        for (at, pixel) in frame.buffer.chunks(4).enumerate() {
            if pixel[3] != 0 {
                let place = 4 * ((top + at / columns) * width + left + at % columns);
                screen[place..place + 4].copy_from_slice(pixel);
            }
        }
        pictures.push(screen.clone());
    }
    (width, pictures)
}

#[test]
fn a_leg_of_every_game_becomes_a_gif() {
    let place = Place::new();
    for (game, a, b) in [
        ("snakego", "greedy", "random"),
        ("kob", "sample", "space"),
        ("tankcraft", "level1", "random"),
    ] {
        let play = format!("match {game} {a} {b} --seed 5 --replay game.json");
        place.ends(0, &play, &[]);
        let export = "replay export game.json --to gif --leg 1 --rounds 2-6 --size 160 -o it.gif";
        place.ends(0, export, &[]);
        let frames = place.ends(0, "replay frames game.json", &[]);
        let rounds = frames.lines().map(|line| {
            let frame: Value = serde_json::from_str(line).expect("JSON");
            frame["round"].as_u64().expect("a number")
        });
        let rounds: Vec<u64> = rounds.collect();
        let first = rounds.iter().position(|&round| round >= 2);
        let last = rounds.iter().position(|&round| round > 6);
        let steps = last.unwrap_or(rounds.len() - 1) - first.expect("there is a round 2");
        let (width, pictures) = read_gif(&place.join("it.gif"));
        assert_eq!(pictures.len(), steps + 1, "{game}");
        let colors: HashSet<&[u8]> = pictures[0].chunks(4).collect();
        assert!(colors.len() > 5, "{game}: {} colours", colors.len());
        for (before, after) in pictures.iter().zip(&pictures[1..]) {
            let may_rest = game == "tankcraft";
            assert!(before != after || may_rest, "{game}: two are alike");
        }
        assert_ne!(pictures.first(), pictures.last(), "{game}");
        // The bars of the scores keep their sides' colours, whoever is to move.
        let bar = |picture: &Vec<u8>| {
            let line = picture.len() / 4 / width - 6;
            picture[4 * (line * width + 6)..][..4].to_vec()
        };
        let bars: HashSet<Vec<u8>> = pictures.iter().map(bar).collect();
        assert!(bars.len() <= 2, "{game}: {bars:?}");
    }
}

#[test]
fn what_cannot_be_a_gif_is_refused_with_a_reason() {
    let place = Place::new();
    play(&place);
    let table = r#"
2 | GIF --size 200 | 2 legs | add --leg N
2 | GIF --leg 3 | there is no leg 3; the replay has 2
2 | GIF --leg 1 --rounds 900- | there is no round 900; the leg has the rounds
2 | GIF --leg 1 --rounds 9-3 | "9-3" are no rounds; write 30-60
2 | GIF --leg 1 --speed 0 | from 0.2 to 50
2 | GIF --leg 1 --size 9999 | from 64 to 1600
2 | replay export game.json --to html --speed 3 -o it.html | belong to --to gif
"#;
    let export = "replay export game.json --to gif -o it.gif";
    place.check_rows(&table.replace("GIF", export));
    assert!(!place.join("it.gif").exists());
}

#[test]
fn a_leg_survives_the_official_format() {
    let place = Place::new();
    play(&place);
    for leg in ["1", "2"] {
        let rows = "
0 | replay export game.json --to official --leg LEG -o official.json
0 | replay import official.json --from official -o back.json
0 | replay verify back.json | agrees: 1 leg,
";
        place.check_rows(&rows.replace("LEG", leg));
        let again = place.ends(0, "replay export back.json --to official", &[]);
        let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(value(&again), value(&place.read("official.json")));
    }
    place.check_rows(
        "
2 | replay export game.json --to official | 2 legs | add --leg N
2 | replay export game.json --to offical --leg 1 | did you mean official?
2 | replay export game.json --to mp4 --leg 1 | there is: official, gif, html
2 | replay export game.json --to official --leg 3 | there is no leg 3
2 | replay import game.json --from official | game.json
",
    );
}

#[test]
fn a_trace_prints_every_turn() {
    let place = Place::new();
    play(&place);
    let line = "replay trace game.json --leg 2";
    let text = place.ends(0, line, &["T 1 0\n", "T 60 1\n"]);
    assert_eq!(text.matches("\nP ").count(), 120, "a round has two turns");
    let parts = ["# leg 1 of 2\nT 1 0", "# leg 2 of 2\nT 1 0"];
    place.ends(0, "replay trace game.json", &parts);
}

#[test]
fn show_prints_plain_text_into_a_pipe() {
    let place = Place::new();
    play(&place);
    let line = "replay show game.json --round 20";
    let text = place.ends(0, line, &["20", "greedy", "random"]);
    assert!(!text.contains('\x1b'), "no colour into a pipe");
    place.check_rows(
        "
2 | replay show game.json --leg 3 | there is no leg 3
1 | play snakego | terminal
",
    );
}

#[test]
fn parity_counts_and_a_broken_corpus_fails() {
    let place = Place::new();
    let all = place.ends(0, &format!("parity snakego '{CORPUS}'"), &[]);
    let text = fs::read_to_string(CORPUS).expect("a fixture");
    let games = text.lines().count();
    assert_eq!(all, format!("{games} games, {games} agree\n"));
    let broken = text.replacen("\"winner\":0", "\"winner\":1", 1);
    assert_ne!(broken, text);
    place.write("broken.jsonl", &broken);
    let summary = format!("{games} games, {} agree", games - 1);
    let parts = ["winner: recorded Some(1)", &summary];
    place.ends(1, "parity snakego broken.jsonl", &parts);
    place.write("empty.jsonl", "\n");
    place.check_rows("1 | parity snakego empty.jsonl | 0 games, 0 agree");
    place.write("garbage.jsonl", "{\"seed\": -1}\nnot json\n");
    place.check_rows("1 | parity snakego garbage.jsonl | line 1 | line 2 | 2 games, 0 agree");
}

#[test]
fn unknown_names_get_the_nearest_names() {
    let place = Place::new();
    place.check_rows(
        r#"
2 | match snakegoo greedy random | no game "snakegoo" | did you mean snakego?
2 | match snakego gredy random | did you mean greedy? | source file | main.py
2 | match snakego ./nothing.py random | there is no ./nothing.py
"#,
    );
    place.write("notes.txt", "hello");
    place.check_rows("2 | match snakego ./notes.txt random | notes.txt | .py");
    place.write("bot.py", "");
    place.check_rows(
        r#"
2 | match snakego json-line:./bot.py random | did you mean json-lines?
2 | bots tank | no game "tank"
"#,
    );
}

#[test]
fn values_out_of_range_are_named() {
    let place = Place::new();
    let table = r#"
2 | MATCH --config max_round=513 | max_round is 513; 1 to 512
2 | MATCH --config max_round=-5 | max_round is -5; a whole number from 0 to 65535
2 | MATCH --config rounds=5 | rounds
2 | MATCH --config max_round | KEY=VALUE
2 | MATCH --config items=[[16,0,1,0,1]] | items must be
2 | MATCH --config items=@nothing.json | nothing.json
2 | MATCH --legs 0 | 0 is not in 1..=64
2 | MATCH --legs -1 | -1 is not in 1..=64
2 | MATCH --limit soon | "soon" is not a duration
2 | MATCH --seed -1 | '-1' for '--seed <N>': a whole number from 0 to 18446744073709551615
2 | replay show x.json --leg -1 | a whole number from 0
2 | compare snakego greedy random --max -1 | -1 is not in 1..=10000000
2 | compare snakego greedy random --alpha -1 | alpha -1
2 | tournament kob safe space --rounds -1 | -1 is not in
1 | MATCH --replay /proc/nowhere/game.json | /proc/nowhere
2 | MATCH --from missing.json | missing.json
"#;
    place.check_rows(&table.replace("MATCH", "match snakego random random"));
}

#[test]
fn files_that_are_no_replays_are_refused() {
    let place = Place::new();
    let check = |name: &str, code: i32, part: &str| {
        place.ends(code, &format!("replay verify {name}"), &[name, part]);
    };
    check("missing.json", 2, "No such file");
    check("/dev/zero", 2, "not a regular file");
    let deep = "[".repeat(1 << 20);
    place.write("deep.json", format!("{{\"config\":{deep}"));
    check("deep.json", 1, "recursion limit");
    place.write("binary.json", [0xff, 0xfe, 0x00]);
    check("binary.json", 2, "not UTF-8");
    place.write("half.json", "{\"format\":");
    check("half.json", 1, "EOF");
    let big = fs::File::create(place.join("big.json")).expect("own folder");
    big.set_len(1 << 30).expect("a sparse file");
    check("big.json", 2, "1073741824 bytes");
}

#[test]
fn a_map_file_can_be_given_and_is_checked() {
    let place = Place::new();
    let text = include_str!("../../../games/tankcraft/maps/keep.txt");
    let walled = text.replacen("..2......D", "##2......D", 1);
    place.write("map.txt", text);
    place.write("walled.txt", walled);
    // Every violation is named: the half turn is broken twice.
    let table = "
0 | MATCH --config map=map.txt | leg 2 was
0 | MATCH --config map=@map.txt | leg 2 was
0 | MATCH --config map=./map.txt | leg 2 was
2 | MATCH --config map=walled.txt | '#' at (2,1) does not match | '#' at (2,2) does not match
2 | MATCH --config map=nowhere.txt | there is no file nowhere.txt; look for it with ls
";
    let play = "match tankcraft random random --seed 1 --no-replay --config rounds=5";
    place.check_rows(&table.replace("MATCH", play));
}

#[test]
fn maps_and_records_of_king_of_bots_are_taken_as_sites_have_them() {
    let place = Place::new();
    let golden = include_str!("../../../games/kob/golden/own.jsonl");
    let mut games = golden.lines().map(json_of);
    let is_played = |game: &Value| {
        let steps = game["a_steps"].as_str().unwrap_or_default();
        steps.len() > 3 && game["loser"].is_string()
    };
    let game = games.find(is_played).expect("a played game");
    let map = game["map"].as_str().expect("a map");
    let lines: Vec<&str> = (0..13).map(|row| &map[14 * row..14 * row + 14]).collect();
    place.write("digits.txt", format!("{map}\n"));
    place.write("lines.txt", lines.join("\r\n"));
    let starts = [format!("a={}", game["a"]), format!("b={}", game["b"])];
    for given in [
        map,
        &lines.join("\n"),
        "digits.txt",
        "lines.txt",
        "@digits.txt",
    ] {
        let given = format!("map={given}");
        let words = split_words("match kob space safe --replay kob.json --legs 1 --seed 1");
        let choices = [&given, &starts[0], &starts[1]];
        let mut command = place.leitai(&words);
        command.args(choices.iter().flat_map(|choice| ["--config", choice]));
        place::ends(&mut command, 0, &["leg 1 was"]);
        let replay = place.replay("kob.json");
        has!(replay, {"/setup/map": map, "/config/map": map});
    }
    let record = json!({"record": {
        "id": 7, "map": map, "asx": game["a"][0], "asy": game["a"][1], "bsx": game["b"][0], "bsy": game["b"][1],
        "asteps": game["a_steps"], "bsteps": game["b_steps"], "loser": game["loser"],
    }, "a_username": "ann", "b_username": "bob"});
    place.write("answer.json", record.to_string());
    place.check_rows(
        "
0 | replay show answer.json | ann (first) | bob (second)
0 | replay import answer.json --from record -o own.json
",
    );
    let imported = place.ends(0, "replay import answer.json -o -", &[]);
    assert_eq!(imported, place.read("own.json"));
    assert!(!place.join("-").exists());
    play(&place);
    place.check_rows(
        "
0 | replay export game.json --to official --leg 1 -o site.json
0 | replay show site.json | leg 1/1 | 1 : 1
",
    );
    place.write("other.json", "{\"moves\": []}");
    let row = "2 | replay show other.json | other.json | Nor is it in another format | official (snakego) | record (kob)";
    place.check_rows(row);
}

#[test]
fn a_champion_searches_on_the_threads_it_is_given() {
    let place = Place::new();
    for game in ["snakego", "kob", "tankcraft"] {
        let short = match game {
            "snakego" => "--config max_round=12",
            "tankcraft" => "--config rounds=12",
            _ => "",
        };
        let options = "--seed 3 --legs 2 --limit 20ms --threads 2 --replay threads.json";
        let line = format!("match {game} champion random {options} {short}");
        place.ends(0, &line, &["champion"]);
        let replay = place.replay("threads.json");
        has!(replay, {"/limits/bot_threads": 2, "/verdict/faults": null});
        place.ends(0, "replay verify threads.json", &[]);
    }
    place.check_rows("2 | match kob champion random --threads 0 | --threads | 1..=256");
}

#[test]
fn a_replay_goes_where_it_is_asked_and_leaves_links_and_devices_as_they_are() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let place = Place::new();
    let play = |file: &str| format!("{PLAY_INTO} {file}");
    for stdout in ["-", "/dev/stdout"] {
        let output = place.run_line(&play(stdout));
        let replay = json_of(&out(&output));
        assert_eq!(replay["format"], "leitai-replay/2");
        says_but_not(&err(&output), &["leg 1 was"], &["watch it"]);
    }
    assert!(!place.join("-").exists());
    place.ends(2, &play("- --json"), &["both want stdout"]);
    let at = |name: &str| place.join(name);
    symlink("real.json", at("link.json")).expect("own folder");
    symlink("/dev/null", at("null.json")).expect("own folder");
    for _ in 0..2 {
        let part = "leitai replay show link.json";
        place.ends(0, &play("link.json"), &[part]);
    }
    assert!(at("link.json").is_symlink());
    assert!(at("real.json").is_file() && !at("real.json").is_symlink());
    place.ends(0, &play("null.json"), &["leg 1 was"]);
    assert!(at("null.json").is_symlink());
    let made = Command::new("mkfifo").arg(at("pipe")).status();
    assert!(made.expect("coreutils").success());
    let mut reader = Command::new("cat");
    let reader = reader.arg(at("pipe")).stdout(Stdio::piped()).spawn();
    place.ends(0, &play("pipe"), &["leg 1 was"]);
    let read = reader.expect("coreutils").wait_with_output();
    let read = read.expect("it ends with its writer").stdout;
    assert!(serde_json::from_slice::<Value>(&read).is_ok());
    let pipe = fs::metadata(at("pipe")).expect("it is there");
    assert!(pipe.file_type().is_fifo());
}

#[test]
fn a_replay_that_cannot_be_written_costs_no_match() {
    let place = Place::new();
    place.write("file", "");
    let output = place.run_line(&format!("{PLAY_INTO} file/game.json"));
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(1), ""));
    let parts = ["nothing was played", "file/game.json"];
    says_but_not(&err(&output), &parts, &["leg 1"]);
    // The first error is seen only when the replay is written.
    let rows = "
1 | MATCH /dev/full | leg 1 was | cannot write /dev/full
2 | MATCH . | it is a folder
";
    place.check_rows(&rows.replace("MATCH", PLAY_INTO));
}

/// Who has no limit is not told of one, and who asked for one is told of that.
#[test]
fn the_result_of_a_game_in_the_terminal_names_the_persons_limit() {
    let place = Place::new();
    let terminal = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terminal.py");
    let binary = env!("CARGO_BIN_EXE_leitai");
    for (words, said) in [
        ("snakego", "µs (no limit), greedy 0 µs of 3 s"),
        ("snakego --limit 90s", "µs of 90 s, greedy 0 µs of 3 s"),
        ("kob", "µs, sample 0 µs of 5 s"),
        ("snakego --lang zh", "µs（不限时），greedy 0 µs（限时 3 s）"),
    ] {
        let mut command = Command::new("python3");
        command.args([terminal, "300", "1/=>^C", binary, "play"]);
        command.args(split_words(&format!("{words} --seed 1 --replay game.json")));
        command.current_dir(place.path()).env("LC_ALL", "C.UTF-8");
        let screen = out(&command.output().expect("python3"));
        assert!(screen.contains(said), "{words}: {screen}");
    }
}

#[test]
fn a_changed_replay_is_shown_with_a_warning() {
    let place = Place::new();
    play(&place);
    let replay = place.replay("game.json");
    let warning = "! this replay does not follow the rules: ";
    let last: Change = |r| r["legs"][0]["final_hash"] = "0".repeat(16).into();
    let verdict: Change = |r| r["verdict"]["winner"] = "B".into();
    let rules: Change = |r| r["rules"] = "snakego/0".into();
    for (change, part) in [
        (last, "final state hash"),
        (verdict, "recorded verdict"),
        (rules, "snakego/0"),
    ] {
        write_changed(&place, &replay, change);
        place.ends(0, "replay show changed.json", &[warning, part]);
    }
    let line = "replay show game.json --round 20";
    let sound = place.ends(0, line, &["Round 20 of 60"]);
    assert!(!sound.contains("! this replay"), "{sound}");
    // Board and text side by side.
    let is_both = |line: &str| line.starts_with("15 ") && line.contains("Round 20");
    assert!(sound.lines().any(is_both), "{sound}");
    place.ends(
        0,
        "--lang zh replay show changed.json",
        &["此回放与规则不符"],
    );
}

/// Hostile texts: a title, the clipboard, a cleared screen, C1 controls, reversed text, the
/// beginning of another line, and invalid UTF-8.
const HOSTILE: &str =
    "h\u{1b}]0;t\u{7}\u{1b}]52;c;aGk=\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{2066}\r\u{8}o";

/// Asserts that nothing in the text controls the terminal; `own` lists the sequences that our own
/// screens may use.
#[track_caller]
fn assert_harmless(bytes: &[u8], own: &[char]) {
    let text = String::from_utf8_lossy(bytes);
    let bad = |c: char| {
        (c.is_control() && !"\n\t".contains(c) && !own.contains(&c))
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert!(!text.contains(bad), "{text:?}");
    assert!(!text.contains("\u{1b}]"), "{text:?}");
}

#[track_caller]
fn assert_output_harmless(output: &Output) {
    assert_harmless(&[&output.stdout[..], &output.stderr].concat(), &[]);
}

#[test]
fn foreign_texts_never_control_the_terminal() {
    let place = Place::new();
    let hostile = python(HOSTILE);
    let crash = format!(
        "import os, sys\ninput()\nos.write(2, b'\\xff\\x9b' + {hostile}.encode())\nprint(sys.argv, file=sys.stderr)\nsys.exit(3)\n"
    );
    let name = format!("{}.py", HOSTILE.replace('/', ""));
    let source = name.replace(".py", ".cpp");
    place.write(&name, crash);
    place.write(&source, format!("#error \"{HOSTILE}\"\n"));
    for program in [&name, &source] {
        for lang in ["en", "zh"] {
            let line = "--lang {} match kob {} random --seed 1 --replay game.json";
            let output = place.run(&fill_words(line, &[lang, program]));
            assert!(output.status.success(), "{}", err(&output));
            assert_output_harmless(&output);
            let output = place.run(&["--lang", lang, "check", "kob", program]);
            assert_eq!(output.status.code(), Some(1), "{}", err(&output));
            assert_output_harmless(&output);
            says(&out(&output), &["h\\u001b]0;t"]);
        }
        let line = "match kob {} random --no-replay --json";
        let json = place.run(&fill_words(line, &[program]));
        assert_harmless(&json.stdout, &[]);
        serde_json::from_slice::<Value>(&json.stdout).expect("JSON as before");
    }
    let mut replay = place.replay("game.json");
    replay["entrants"][0]["name"] = HOSTILE.into();
    let fault = &mut replay["legs"][0]["faults"][0];
    for field in ["what", "exit"] {
        fault[field] = format!("{HOSTILE}\n✓ forged").into();
    }
    fault["last_words"] = json!([HOSTILE, "one\ttab"]);
    replay["legs"][0]["logs"] = json!([{"entrant": "A", "period": 1, "text": HOSTILE}]);
    place.write("hostile.json", replay.to_string());
    for words in [
        ["show", "hostile.json"],
        ["verify", "hostile.json"],
        ["trace", "hostile.json"],
        ["show", &name],
    ] {
        let output = place.run(&[&["replay"], &words[..]].concat());
        assert_output_harmless(&output);
        says_but_not(&out(&output), &[], &["\n✓ forged"]);
    }
    for keys in ["q", ".q", ".lq"] {
        let screen = on_screen(&place, &["replay", "show", "hostile.json"], keys);
        let text = String::from_utf8_lossy(&screen);
        assert!(text.contains(r"h\u001b]0;t"), "{keys}");
        assert_harmless(&screen, &['\u{1b}', '\r', '\u{8}', '\u{7}']);
    }
    // No judge writes this code: the file is refused without showing its bytes.
    replay["legs"][0]["faults"][0]["code"] = HOSTILE.into();
    place.write("unknown.json", replay.to_string());
    let output = place.run_line("replay show unknown.json");
    assert!(!output.status.success(), "{}", out(&output));
    assert_output_harmless(&output);
}

/// A server that answers every request by the beginning of its request line with a JSON text until
/// the process ends; returns its address.
pub fn arena(answers: Vec<(&'static str, Value)>) -> String {
    use std::io::{BufRead, BufReader, Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a connection");
            let mut reader = BufReader::new(stream.try_clone().expect("a descriptor"));
            let lines = reader.by_ref().lines().map_while(Result::ok);
            let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
            let length = head.iter().find_map(|line| {
                let line = line.to_lowercase();
                line.strip_prefix("content-length: ")?.parse().ok()
            });
            let mut body = reader.take(length.unwrap_or(0));
            std::io::copy(&mut body, &mut std::io::sink()).expect("a body");
            let asked = head.first().map_or("", String::as_str);
            let found = answers.iter().find(|(start, _)| asked.starts_with(start));
            let body = found.map_or_else(|| "{}".to_owned(), |(_, body)| body.to_string());
            let head = "HTTP/1.1 200 OK\r\nConnection: close";
            // A client that has read enough closes the connection.
            let _ = write!(
                stream,
                "{head}\r\nContent-Length: {}\r\n\r\n{body}",
                body.len()
            );
        }
    });
    format!("http://{address}")
}

/// What a command gets of the arena at this address.
fn ask_arena(place: &Place, address: &str, line: &str) -> Output {
    let mut command = place.leitai(&split_words(line));
    command.envs([
        ("LEITAI_SERVER", address),
        ("LEITAI_TOKEN", "t"),
        ("COLUMNS", "80"),
    ]);
    command.output().expect("the binary starts")
}

#[test]
fn an_archive_that_ends_early_leaves_no_file() {
    use std::io::Write;
    let (place, whole) = (Place::new(), b"PK and the rest");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("it is bound"));
    std::thread::spawn(move || {
        for (number, stream) in listener.incoming().enumerate() {
            let mut stream = stream.expect("a connection");
            let mut request = [0; 4096];
            let _ = std::io::Read::read(&mut stream, &mut request);
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
            let _ = write!(stream, "{head}{:x}\r\n", whole.len());
            let _ = stream.write_all(whole);
            // The first answer lacks its end, as of a server that was killed.
            let end = ["\r\n", "\r\n0\r\n\r\n"][number.min(1)];
            let _ = stream.write_all(end.as_bytes());
        }
    });
    let export = || ask_arena(&place, &address, "contest export cup -o cup.zip");
    let cut = export();
    assert!(!cut.status.success(), "{}", out(&cut));
    says(&err(&cut), &["the archive ended early"]);
    let left = fs::read_dir(place.path()).expect("a folder").count();
    assert_eq!(left, 0);
    let done = export();
    assert!(done.status.success(), "{}", err(&done));
    let file = place.join("cup.zip");
    assert_eq!(fs::read(file).expect("it is there"), whole);
}

/// The date of a match stays in one line at 80 columns, and who has a bot is not told to upload one.
#[test]
fn matches_are_listed_for_narrow_terminals_and_authors() {
    let place = Place::new();
    let entrant = json!({"name": "a-name-of-24-characters-x", "version": 12});
    let one = json!({"id": 1234567, "created": "2026-11-27T02:09:49Z", "game": "tankcraft",
        "kind": "friendly", "a": entrant, "b": entrant, "winner": "draw", "state": "finished",
        "scores": [[512, 498], [77, 1000]], "faults": []});
    let bots = json!({"items": [{"id": 1, "game": "kob", "name": "mine"}]});
    let check = |matches: Value, bots: &Value, part: &str| {
        let answers = vec![
            ("GET /api/matches?", json!({"items": matches})),
            ("GET /api/me/bots", bots.clone()),
        ];
        says(
            &out(&ask_arena(&place, &arena(answers), "matches")),
            &[part],
        );
    };
    check(json!([one]), &bots, " 1234567  2026-11-27 02:09 ");
    check(json!([]), &bots, "no matches yet; `leitai standing` says");
    let none = json!({"items": []});
    check(json!([]), &none, "no matches yet; upload a bot");
}

#[test]
fn answers_of_an_arena_never_control_the_terminal() {
    let place = Place::new();
    let forged = format!("{HOSTILE}\nforged");
    let entrant = json!({"name": forged, "version": 1});
    let one = json!({"id": 7, "created": forged, "game": forged, "kind": HOSTILE, "a": entrant, "b": entrant,
                     "state": HOSTILE, "faults": [{"entrant": HOSTILE, "code": HOSTILE}], "leg_outcomes": [{}]});
    let words = json!({"en": forged, "zh": forged});
    let step = json!({"step": "builds", "mark": "failed", "seen": words, "next": words, "last_words": [HOSTILE],
                      "command": forged});
    let version = json!({"id": 3, "number": 1, "state": "failed", "failure": words, "log": forged, "steps": [step],
                         "file_name": format!(".{HOSTILE}.py")});
    let bots = json!({"items": [{"id": 1, "game": "kob", "name": "mine"}]});
    let address = arena(vec![
        ("GET /api/matches?", json!({"items": [one]})),
        (
            "GET /api/matches/7/logs",
            json!([{"entrant": "A", "period": 1, "text": forged}]),
        ),
        ("GET /api/matches/7", one.clone()),
        ("GET /api/me/bots", bots),
        ("POST /api/bots/1/versions", version.clone()),
        ("GET /api/versions/3", version),
    ]);
    place.write("mine.py", "");
    for line in [
        "matches",
        "matches --json",
        "logs 7",
        "logs 7 --json",
        "submit kob mine.py",
        "download --source 3",
    ] {
        for lang in ["en", "zh"] {
            let line = format!("--lang {lang} {line}");
            let output = ask_arena(&place, &address, &line);
            let said = text(&output);
            assert!(
                said.contains('h') && !said.contains("\nforged"),
                "{line}: {said}"
            );
            assert_output_harmless(&output);
        }
    }
    for file in fs::read_dir(place.path()).expect("own folder").flatten() {
        assert_harmless(file.file_name().as_encoded_bytes(), &[]);
    }
    let output = ask_arena(&place, &address, "download 7 -o -");
    assert!(out(&output).starts_with('{'), "{}", err(&output));
    assert!(!place.join("-").exists());
}

/// The output on a terminal of 200 x 50 when these keys are pressed, one after each drawn screen.
fn on_screen(place: &Place, words: &[&str], keys: &str) -> Vec<u8> {
    const PTY: &str = "\
import fcntl, os, pty, struct, sys, termios
keys, words = list(sys.argv[1]), sys.argv[2:]
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', 50, 200, 0, 0))
    os.execv(words[0], words)
while True:
    try:
        seen = os.read(terminal, 65536)
    except OSError:
        break
    if not seen:
        break
    os.write(1, seen)
    if keys:
        os.write(terminal, keys.pop(0).encode())
";
    let mut command = Command::new("python3");
    command.args(["-c", PTY, keys, env!("CARGO_BIN_EXE_leitai")]);
    command
        .args(words)
        .current_dir(place.path())
        .stdin(Stdio::null());
    command.envs([("LC_ALL", "C"), ("TERM", "xterm-256color")]);
    command.output().expect("python3 starts").stdout
}

/// A text as a Python string literal.
fn python(text: &str) -> String {
    let escaped = |c: char| format!("\\U{:08x}", u32::from(c));
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

#[test]
fn serve_refuses_a_folder_without_documents() {
    let place = Place::new();
    place.folders(&["empty"]);
    let row = "2 | serve --data data --docs empty | --docs empty | no index.html | ./dev docs";
    place.check_rows(row);
    assert!(!place.join("data/arena.db").exists());
}

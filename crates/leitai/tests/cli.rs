//! The binary as a user runs it: lists, matches of built-in bots, replays, parity, and everything
//! that it must refuse with a clear message.

use crate::place::{self, fill_words, leitai_in, says, split_words};
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

const CORPUS: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../games/snakego/golden/games.jsonl"
);

fn place() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn leitai(place: &TempDir, words: &[&str]) -> Output {
    leitai_in(place, words).output().expect("it starts")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn write(place: &TempDir, name: &str, text: impl AsRef<[u8]>) {
    fs::write(place.path().join(name), text).expect("own folder");
}

fn read(place: &TempDir, name: &str) -> String {
    fs::read_to_string(place.path().join(name)).expect("it was written")
}

/// A short match of built-in bots with its replay in `game.json`.
fn play(place: &TempDir) -> Output {
    let words = split_words("match snakego greedy random --seed 7 --replay game.json");
    let output = leitai(place, &[&words[..], &["--config", "max_round=60"]].concat());
    assert!(output.status.success(), "{}", err(&output));
    output
}

/// Names that are no UTF-8 (an archive from Chinese Windows leaves them in GBK) end in a sentence,
/// or work where no name is written down.
#[test]
fn a_name_that_is_not_utf8_never_panics() {
    let place = place();
    play(&place);
    let name = |end: &str| OsString::from_vec([b"gbk_\xd6\xd0", end.as_bytes()].concat());
    write(&place, "bot.py", "");
    let [bot, replay] = [name(".py"), name(".json")];
    fs::rename(place.path().join("game.json"), place.path().join(&replay)).expect("own folder");
    let rows: [(&[&str], &OsString, i32, &str); 5] = [
        (
            &["match", "kob"],
            &bot,
            2,
            "the argument \"gbk_\\xD6\\xD0.py\" is not UTF-8; rename the file",
        ),
        (&["check", "kob"], &bot, 2, "is not UTF-8; rename the file"),
        (
            &["--lang", "zh", "match", "kob"],
            &bot,
            2,
            "不是 UTF-8；请重命名文件或文件夹",
        ),
        (&["games", "--lang"], &bot, 2, ""),
        (&["replay", "verify"], &replay, 0, ""),
    ];
    for (words, word, code, part) in rows {
        let mut command = Command::new(env!("CARGO_BIN_EXE_leitai"));
        command.args(words).arg(word).current_dir(place.path());
        let output = command
            .env("LC_ALL", "C")
            .output()
            .expect("the binary starts");
        let said = err(&output);
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
        assert!(
            said.contains(part) && !said.contains("panicked"),
            "{words:?}: {said}"
        );
    }
}

/// A replay as Windows, gzip and a pipe give it; the page reads these, too.
#[test]
fn a_replay_is_read_with_a_mark_packed_and_from_stdin() {
    let place = place();
    play(&place);
    let replay = read(&place, "game.json");
    write(&place, "bom.json", format!("\u{feff}{replay}"));
    let packed = Command::new("gzip")
        .args(["-k", "game.json"])
        .current_dir(place.path())
        .status();
    assert!(packed.is_ok_and(|status| status.success()), "gzip packs it");
    for name in ["bom.json", "game.json.gz"] {
        succeeds(&place, &["replay", "verify", name], &[]);
        succeeds(&place, &["replay", "trace", name], &["T "]);
        let mut command = Command::new(env!("CARGO_BIN_EXE_leitai"));
        let file = fs::File::open(place.path().join(name)).expect("it was written");
        let output = command
            .args(["replay", "verify", "-"])
            .current_dir(place.path())
            .stdin(file)
            .output()
            .expect("the binary starts");
        assert!(
            output.status.success(),
            "{name}: {}{}",
            out(&output),
            err(&output)
        );
    }
    write(
        &place,
        "bomb.json.gz",
        b"\x1f\x8b\x08\0\0\0\0\0\0\x03 broken",
    );
    let broken = leitai(&place, &["replay", "verify", "bomb.json.gz"]);
    let said = format!("{}{}", out(&broken), err(&broken));
    assert!(
        !broken.status.success() && said.contains("cannot read bomb.json.gz"),
        "{said}"
    );
}

/// A wrong name is found before anything is built.
#[test]
fn a_name_that_is_wrong_is_told_before_the_other_program_is_built() {
    let place = place();
    write(&place, "slow.c", "#error it was compiled\n");
    for words in [
        &["match", "kob", "./slow.c", "./typo.py"][..],
        &["tournament", "kob", "./slow.c", "./typo.py"],
    ] {
        let output = leitai(&place, words);
        let said = format!("{}{}", out(&output), err(&output));
        assert!(
            said.contains("typo.py") && !said.contains("it was compiled"),
            "{said}"
        );
        assert_eq!(output.status.code(), Some(2), "{said}");
    }
    play(&place);
    rows(
        &place,
        "
2 | match snakego random greedy --from game.json@1:999 | 999
2 | match kob random safe --config map=none.txt | there is no file none.txt
",
    );
}

/// The command is refused as wrong usage, with this part.
#[track_caller]
fn refused_with(place: &TempDir, words: &[&str], part: &str) {
    let output = leitai(place, words);
    let said = err(&output);
    assert!(said.contains(part), "{words:?}: {said}");
    assert_eq!(output.status.code(), Some(2), "{words:?}: {said}");
}

/// A machine whose clock is before 1970 (an empty battery) or after 9999.
#[test]
fn a_clock_that_is_wrong_does_not_end_a_match() {
    let place = place();
    write(
        &place,
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
        let mut command = Command::new(env!("CARGO_BIN_EXE_leitai"));
        command
            .args(split_words(
                "match kob random safe --seed 1 --replay game.json",
            ))
            .current_dir(place.path())
            .env("LD_PRELOAD", place.path().join("clock.so"));
        let output = command.output().expect("the binary starts");
        assert!(output.status.success(), "{seconds}: {}", err(&output));
        succeeds(&place, &["replay", "verify", "game.json"], &[]);
    }
}

#[track_caller]
fn succeeds(place: &TempDir, words: &[&str], parts: &[&str]) -> String {
    place::ends(&mut leitai_in(place, words), 0, parts)
}

#[track_caller]
fn fails(place: &TempDir, words: &[&str], code: i32, parts: &[&str]) {
    place::ends(&mut leitai_in(place, words), code, parts);
}

/// Commands, how they end and what they say.
#[track_caller]
fn rows(place: &TempDir, rows: &str) {
    place::check_rows(|words| leitai_in(place, words), rows);
}

#[test]
fn lists_completions_manual_and_help_are_printed() {
    let place = place();
    succeeds(&place, &["games"], &["snakego", "SnakeGo", "3 s"]);
    let listed = [
        "random",
        "greedy",
        "territory",
        "saiblo",
        "json-lines",
        "scale snakego-2026.3",
        "level10@2 = former-level10",
    ];
    succeeds(&place, &["bots", "snakego"], &listed);
    let scales = [
        "scale kob-2026.3",
        "levels of kob-2026.1:",
        "level8@1 = level10",
        "level5@2 = former-level5",
    ];
    succeeds(&place, &["bots", "kob"], &scales);
    succeeds(
        &place,
        &["--lang", "zh", "bots", "kob"],
        &["kob-2026.1 的级别："],
    );
    succeeds(&place, &["--lang", "zh", "games"], &["游戏", "贪吃蛇"]);
    succeeds(&place, &["completions", "bash"], &["_leitai"]);
    succeeds(&place, &["man", "pages"], &["leitai.1"]);
    assert!(read(&place, "pages/leitai-match.1").contains("leitai"));
    succeeds(&place, &["match", "--help"], &["Examples:", "Exit status"]);
}

#[test]
fn a_match_says_who_won_by_what_rule_and_what_to_do_next() {
    let place = place();
    let output = play(&place);
    let (said, told) = (out(&output), err(&output));
    says(&said, &["greedy wins   by legs won; leg 1 was "]);
    assert!(said.contains("leitai replay show game.json"), "{said}");
    says(&told, &["leg 1 of 2", "leg 2 of 2"]);
    assert!(
        !told.contains('\x1b') && !said.contains('\x1b'),
        "output into a pipe has no colour"
    );
}

#[test]
fn replays_are_kept_under_matches_by_default() {
    let place = place();
    for _ in 0..2 {
        let words = [
            "match", "snakego", "random", "random", "--seed", "3", "--legs", "1", "--json",
        ];
        let result: Value = serde_json::from_str(&succeeds(&place, &words, &[])).expect("JSON");
        let path = result["replay"].as_str().expect("it was written");
        assert!(
            path.starts_with("matches/") && path.contains("-snakego-3"),
            "{path}"
        );
        assert!(place.path().join(path).is_file());
    }
    let kept = fs::read_dir(place.path().join("matches"))
        .expect("a folder")
        .count();
    assert_eq!(kept, 2, "the first replay is not overwritten");
}

#[test]
fn a_replay_is_verified_and_a_changed_one_is_caught() {
    let place = place();
    play(&place);
    rows(
        &place,
        "0 | replay verify game.json | agrees: 2 legs | 240 state hashes | unsigned: names, limits, isolation, times and date are not proven",
    );
    write(&place, "keys.json", r#"{"items": []}"#);
    fails(
        &place,
        &["replay", "verify", "--keys", "keys.json", "game.json"],
        1,
        &["agrees: 2 legs", "unsigned: "],
    );
    let words = ["replay", "verify", "--keys", "none.json", "game.json"];
    refused_with(&place, &words, "--keys: cannot read none.json");
    let replay: Value = serde_json::from_str(&read(&place, "game.json")).expect("JSON");
    let check = |change: &dyn Fn(&mut Value), part: &str| {
        let mut changed = replay.clone();
        change(&mut changed);
        write(&place, "changed.json", changed.to_string());
        fails(
            &place,
            &["replay", "verify", "game.json", "changed.json"],
            1,
            &["changed.json: ", part],
        );
    };
    check(
        &|r| r["legs"][1]["hashes"] = r["legs"][0]["hashes"].clone(),
        "leg 2, round",
    );
    check(
        &|r| r["legs"][0]["final_hash"] = "0".repeat(16).into(),
        "DIFFERS: leg 1, round 60: the final state hash",
    );
    check(
        &|r| r["legs"][0]["outcome"]["scores"][0] = 999.into(),
        "recorded outcome",
    );
    check(&|r| r["verdict"]["winner"] = "B".into(), "recorded verdict");
    check(&|r| r["seed"] = 8.into(), "seed 8 deals");
    check(&|r| r["rules"] = "snakego/0".into(), "snakego/0");
    check(
        &|r| r["legs"][0]["replies"] = "9".into(),
        "there is no action \"9\"",
    );
    check(
        &|r| r["format"] = "leitai-replay/99".into(),
        "this version reads",
    );
    check(
        &|r| r["game"] = "chess".into(),
        "there is no game \"chess\"",
    );
    check(&|r| r["setup"]["max_round"] = 0.into(), "max_round is 0");
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
    let place = place();
    for (game, a, b) in [
        ("snakego", "greedy", "random"),
        ("kob", "sample", "space"),
        ("tankcraft", "level1", "random"),
    ] {
        let play = ["match", game, a, b, "--seed", "5", "--replay", "game.json"];
        succeeds(&place, &play, &[]);
        let export = "replay export game.json --to gif --leg 1 --rounds 2-6 --size 160 -o it.gif";
        succeeds(&place, &export.split(' ').collect::<Vec<_>>(), &[]);
        let frames = succeeds(&place, &["replay", "frames", "game.json"], &[]);
        let rounds = frames.lines().map(|line| {
            let frame: Value = serde_json::from_str(line).expect("JSON");
            frame["round"].as_u64().expect("a number")
        });
        let rounds: Vec<u64> = rounds.collect();
        let first = rounds.iter().position(|&round| round >= 2);
        let last = rounds.iter().position(|&round| round > 6);
        let steps = last.unwrap_or(rounds.len() - 1) - first.expect("there is a round 2");
        let (width, pictures) = read_gif(&place.path().join("it.gif"));
        assert_eq!(pictures.len(), steps + 1, "{game}");
        let colors: HashSet<&[u8]> = pictures[0].chunks(4).collect();
        assert!(colors.len() > 5, "{game}: {} colours", colors.len());
        for (before, after) in pictures.iter().zip(&pictures[1..]) {
            assert!(
                before != after || game == "tankcraft",
                "{game}: two pictures are alike"
            );
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
    let place = place();
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
    rows(
        &place,
        &table.replace("GIF", "replay export game.json --to gif -o it.gif"),
    );
    assert!(!place.path().join("it.gif").exists());
}

#[test]
fn a_leg_survives_the_official_format() {
    let place = place();
    play(&place);
    for leg in ["1", "2"] {
        let export = fill_words(
            "replay export game.json --to official --leg {} -o official.json",
            &[leg],
        );
        succeeds(&place, &export, &[]);
        rows(
            &place,
            "
0 | replay import official.json --from official -o back.json
0 | replay verify back.json | agrees: 1 leg,
",
        );
        let again = succeeds(
            &place,
            &["replay", "export", "back.json", "--to", "official"],
            &[],
        );
        let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(value(&again), value(&read(&place, "official.json")));
    }
    rows(
        &place,
        "
2 | replay export game.json --to official | 2 legs | add --leg N
2 | replay export game.json --to offical --leg 1 | did you mean official?
2 | replay export game.json --to official --leg 3 | there is no leg 3
2 | replay import game.json --from official | game.json
",
    );
}

#[test]
fn a_trace_prints_every_turn() {
    let place = place();
    play(&place);
    let text = succeeds(
        &place,
        &["replay", "trace", "game.json", "--leg", "2"],
        &["T 1 0\n", "T 60 1\n"],
    );
    assert_eq!(text.matches("\nP ").count(), 120, "a round has two turns");
    succeeds(
        &place,
        &["replay", "trace", "game.json"],
        &["# leg 1 of 2\nT 1 0", "# leg 2 of 2\nT 1 0"],
    );
}

#[test]
fn show_prints_plain_text_into_a_pipe() {
    let place = place();
    play(&place);
    let text = succeeds(
        &place,
        &["replay", "show", "game.json", "--round", "20"],
        &["20", "greedy", "random"],
    );
    assert!(!text.contains('\x1b'), "no colour into a pipe");
    rows(
        &place,
        "
2 | replay show game.json --leg 3 | there is no leg 3
1 | play snakego | terminal
",
    );
}

#[test]
fn parity_counts_and_a_broken_corpus_fails() {
    let place = place();
    let all = succeeds(&place, &["parity", "snakego", CORPUS], &[]);
    let games = fs::read_to_string(CORPUS)
        .expect("a fixture")
        .lines()
        .count();
    assert_eq!(all, format!("{games} games, {games} agree\n"));
    let text = fs::read_to_string(CORPUS).expect("a fixture");
    let broken = text.replacen("\"winner\":0", "\"winner\":1", 1);
    assert_ne!(broken, text);
    write(&place, "broken.jsonl", &broken);
    let summary = format!("{games} games, {} agree", games - 1);
    fails(
        &place,
        &["parity", "snakego", "broken.jsonl"],
        1,
        &["winner: recorded Some(1)", &summary],
    );
    write(&place, "empty.jsonl", "\n");
    rows(&place, "1 | parity snakego empty.jsonl | 0 games, 0 agree");
    write(&place, "garbage.jsonl", "{\"seed\": -1}\nnot json\n");
    rows(
        &place,
        "1 | parity snakego garbage.jsonl | line 1 | line 2 | 2 games, 0 agree",
    );
}

#[test]
fn unknown_names_get_the_nearest_names() {
    let place = place();
    rows(
        &place,
        r#"
2 | match snakegoo greedy random | no game "snakegoo" | did you mean snakego?
2 | match snakego gredy random | did you mean greedy? | source file | main.py
2 | match snakego ./nothing.py random | there is no ./nothing.py
"#,
    );
    write(&place, "notes.txt", "hello");
    rows(
        &place,
        "2 | match snakego ./notes.txt random | notes.txt | .py",
    );
    write(&place, "bot.py", "");
    rows(
        &place,
        r#"
2 | match snakego json-line:./bot.py random | did you mean json-lines?
2 | bots tank | no game "tank"
"#,
    );
}

#[test]
fn values_out_of_range_are_named() {
    let place = place();
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
    rows(
        &place,
        &table.replace("MATCH", "match snakego random random"),
    );
}

#[test]
fn files_that_are_no_replays_are_refused() {
    let place = place();
    let check = |name: &str, code: i32, part: &str| {
        fails(&place, &["replay", "verify", name], code, &[name, part]);
    };
    check("missing.json", 2, "No such file");
    check("/dev/zero", 2, "not a regular file");
    write(
        &place,
        "deep.json",
        format!("{{\"config\":{}", "[".repeat(1 << 20)),
    );
    check("deep.json", 1, "recursion limit");
    write(&place, "binary.json", [0xff, 0xfe, 0x00]);
    check("binary.json", 2, "not UTF-8");
    write(&place, "half.json", "{\"format\":");
    check("half.json", 1, "EOF");
    let big = fs::File::create(place.path().join("big.json")).expect("own folder");
    big.set_len(1 << 30).expect("a sparse file");
    check("big.json", 2, "1073741824 bytes");
}

#[test]
fn a_map_file_can_be_given_and_is_checked() {
    let place = place();
    let keep = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../games/tankcraft/maps/keep.txt"
    );
    let text = fs::read_to_string(keep).expect("a built-in map");
    write(&place, "map.txt", &text);
    write(
        &place,
        "walled.txt",
        text.replacen("..2......D", "##2......D", 1),
    );
    let words = split_words("match tankcraft random random --seed 1 --no-replay --config rounds=5");
    for choice in ["map=map.txt", "map=@map.txt", "map=./map.txt"] {
        succeeds(
            &place,
            &[&words[..], &["--config", choice]].concat(),
            &["leg 2 was"],
        );
    }
    // Every violation is named: the half turn is broken twice.
    let parts = ["'#' at (2,1) does not match", "'#' at (2,2) does not match"];
    fails(
        &place,
        &[&words[..], &["--config", "map=walled.txt"]].concat(),
        2,
        &parts,
    );
    fails(
        &place,
        &[&words[..], &["--config", "map=nowhere.txt"]].concat(),
        2,
        &["there is no file nowhere.txt; look for it with ls"],
    );
}

#[test]
fn maps_and_records_of_king_of_bots_are_taken_as_sites_have_them() {
    let place = place();
    let golden = include_str!("../../../games/kob/golden/own.jsonl");
    let games = golden
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let mut game = games.filter(|game| {
        game["a_steps"]
            .as_str()
            .is_some_and(|steps| steps.len() > 3)
    });
    let game = game
        .find(|game| game["loser"].is_string())
        .expect("a played game");
    let map = game["map"].as_str().expect("a map");
    let lines: Vec<&str> = (0..13).map(|row| &map[14 * row..14 * row + 14]).collect();
    write(&place, "digits.txt", format!("{map}\n"));
    write(&place, "lines.txt", lines.join("\r\n"));
    let starts = [format!("a={}", game["a"]), format!("b={}", game["b"])];
    for given in [
        map,
        &lines.join("\n"),
        "digits.txt",
        "lines.txt",
        "@digits.txt",
    ] {
        let given = format!("map={given}");
        let words = [
            "match", "kob", "space", "safe", "--replay", "kob.json", "--legs", "1", "--seed", "1",
        ];
        let choices = [
            "--config", &given, "--config", &starts[0], "--config", &starts[1],
        ];
        succeeds(&place, &[&words[..], &choices].concat(), &["leg 1 was"]);
        let replay: Value = serde_json::from_str(&read(&place, "kob.json")).expect("JSON");
        assert_eq!(
            (&replay["setup"]["map"], &replay["config"]["map"]),
            (&game["map"], &game["map"])
        );
    }
    let record = json!({"record": {
        "id": 7, "map": map, "asx": game["a"][0], "asy": game["a"][1], "bsx": game["b"][0], "bsy": game["b"][1],
        "asteps": game["a_steps"], "bsteps": game["b_steps"], "loser": game["loser"],
    }, "a_username": "ann", "b_username": "bob"});
    write(&place, "answer.json", record.to_string());
    rows(
        &place,
        "
0 | replay show answer.json | ann (first) | bob (second)
0 | replay import answer.json --from record -o own.json
",
    );
    let imported = succeeds(&place, &["replay", "import", "answer.json", "-o", "-"], &[]);
    assert_eq!(imported, read(&place, "own.json"));
    assert!(!place.path().join("-").exists());
    play(&place);
    rows(
        &place,
        "
0 | replay export game.json --to official --leg 1 -o site.json
0 | replay show site.json | leg 1/1 | 1 : 1
",
    );
    write(&place, "other.json", "{\"moves\": []}");
    let parts = [
        "other.json",
        "Nor is it in another format",
        "official (snakego)",
        "record (kob)",
    ];
    fails(&place, &["replay", "show", "other.json"], 2, &parts);
}

#[test]
fn a_champion_searches_on_the_threads_it_is_given() {
    let place = place();
    for game in ["snakego", "kob", "tankcraft"] {
        let words = fill_words(
            "match {} champion random --seed 3 --legs 2 --limit 20ms --threads 2 --replay threads.json",
            &[game],
        );
        let short: &[&str] = match game {
            "snakego" => &["--config", "max_round=12"],
            "tankcraft" => &["--config", "rounds=12"],
            _ => &[],
        };
        succeeds(&place, &[&words[..], short].concat(), &["champion"]);
        let text = std::fs::read_to_string(place.path().join("threads.json")).expect("written");
        let replay: Value = serde_json::from_str(&text).expect("a replay");
        assert_eq!(replay["limits"]["bot_threads"], 2, "{game}");
        assert_eq!(replay["verdict"]["faults"], Value::Null, "{game}: {text}");
        succeeds(&place, &["replay", "verify", "threads.json"], &[]);
    }
    rows(
        &place,
        "2 | match kob champion random --threads 0 | --threads | 1..=256",
    );
}

#[test]
fn a_replay_goes_where_it_is_asked_and_leaves_links_and_devices_as_they_are() {
    use std::os::unix::fs::{FileTypeExt, symlink};
    let place = place();
    let words = [
        "match", "snakego", "random", "random", "--seed", "3", "--legs", "1", "--replay",
    ];
    for stdout in ["-", "/dev/stdout"] {
        let output = leitai(&place, &[&words[..], &[stdout]].concat());
        let replay: Value = serde_json::from_str(&out(&output)).expect("the replay alone");
        assert_eq!(replay["format"], "leitai-replay/2");
        assert!(
            err(&output).contains("leg 1 was") && !err(&output).contains("watch it"),
            "{}",
            err(&output)
        );
    }
    assert!(!place.path().join("-").exists());
    fails(
        &place,
        &[&words[..], &["-", "--json"]].concat(),
        2,
        &["both want stdout"],
    );
    let at = |name: &str| place.path().join(name);
    symlink("real.json", at("link.json")).expect("own folder");
    symlink("/dev/null", at("null.json")).expect("own folder");
    for _ in 0..2 {
        succeeds(
            &place,
            &[&words[..], &["link.json"]].concat(),
            &["leitai replay show link.json"],
        );
    }
    assert!(
        at("link.json").is_symlink() && at("real.json").is_file() && !at("real.json").is_symlink()
    );
    succeeds(
        &place,
        &[&words[..], &["null.json"]].concat(),
        &["leg 1 was"],
    );
    assert!(at("null.json").is_symlink());
    let made = Command::new("mkfifo")
        .arg(at("pipe"))
        .status()
        .expect("coreutils");
    assert!(made.success());
    let reader = Command::new("cat")
        .arg(at("pipe"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("coreutils");
    succeeds(&place, &[&words[..], &["pipe"]].concat(), &["leg 1 was"]);
    let read = reader
        .wait_with_output()
        .expect("it ends with its writer")
        .stdout;
    assert!(serde_json::from_slice::<Value>(&read).is_ok());
    assert!(
        fs::metadata(at("pipe"))
            .expect("it is there")
            .file_type()
            .is_fifo()
    );
}

#[test]
fn a_replay_that_cannot_be_written_costs_no_match() {
    let place = place();
    write(&place, "file", "");
    let words = [
        "match", "snakego", "random", "random", "--seed", "3", "--legs", "1", "--replay",
    ];
    let output = leitai(&place, &[&words[..], &["file/game.json"]].concat());
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(1), ""));
    let said = err(&output);
    says(&said, &["nothing was played", "file/game.json"]);
    assert!(!said.contains("leg 1"), "{said}");
    // This error is seen only when the replay is written.
    fails(
        &place,
        &[&words[..], &["/dev/full"]].concat(),
        1,
        &["leg 1 was", "cannot write /dev/full"],
    );
    fails(
        &place,
        &[&words[..], &["."]].concat(),
        2,
        &["it is a folder"],
    );
}

/// Who has no limit is not told of one, and who asked for one is told of that.
#[test]
fn the_result_of_a_game_in_the_terminal_names_the_persons_limit() {
    let place = place();
    let terminal = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/terminal.py");
    for (words, said) in [
        ("snakego", "µs (no limit), greedy 0 µs of 3 s"),
        ("snakego --limit 90s", "µs of 90 s, greedy 0 µs of 3 s"),
        ("kob", "µs, sample 0 µs of 5 s"),
        ("snakego --lang zh", "µs（不限时），greedy 0 µs（限时 3 s）"),
    ] {
        let mut command = Command::new("python3");
        command
            .args([
                terminal,
                "300",
                "1/=>^C",
                env!("CARGO_BIN_EXE_leitai"),
                "play",
            ])
            .args(words.split(' '))
            .args(["--seed", "1", "--replay", "game.json"])
            .current_dir(place.path())
            .env("LC_ALL", "C.UTF-8");
        let screen = out(&command.output().expect("python3"));
        assert!(screen.contains(said), "{words}: {screen}");
    }
}

#[test]
fn a_changed_replay_is_shown_with_a_warning() {
    let place = place();
    play(&place);
    let replay: Value = serde_json::from_str(&read(&place, "game.json")).expect("JSON");
    let check = |change: &dyn Fn(&mut Value), parts: &[&str]| {
        let mut changed = replay.clone();
        change(&mut changed);
        write(&place, "changed.json", changed.to_string());
        succeeds(&place, &["replay", "show", "changed.json"], parts);
    };
    let warning = "! this replay does not follow the rules: ";
    check(
        &|r| r["legs"][0]["final_hash"] = "0".repeat(16).into(),
        &[warning, "final state hash"],
    );
    check(
        &|r| r["verdict"]["winner"] = "B".into(),
        &[warning, "recorded verdict"],
    );
    check(
        &|r| r["rules"] = "snakego/0".into(),
        &[warning, "snakego/0"],
    );
    let sound = succeeds(
        &place,
        &["replay", "show", "game.json", "--round", "20"],
        &["Round 20 of 60"],
    );
    assert!(!sound.contains("! this replay"), "{sound}");
    // Board and text side by side.
    assert!(
        sound
            .lines()
            .any(|line| line.starts_with("15 ") && line.contains("Round 20")),
        "{sound}"
    );
    let chinese = leitai(&place, &["--lang", "zh", "replay", "show", "changed.json"]);
    says(&out(&chinese), &["此回放与规则不符"]);
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

#[test]
fn foreign_texts_never_control_the_terminal() {
    let place = place();
    let hostile = python(HOSTILE);
    let crash = format!(
        "import os, sys\ninput()\nos.write(2, b'\\xff\\x9b' + {hostile}.encode())\nprint(sys.argv, file=sys.stderr)\nsys.exit(3)\n"
    );
    let name = format!("{}.py", HOSTILE.replace('/', ""));
    write(&place, &name, crash);
    write(
        &place,
        &name.replace(".py", ".cpp"),
        format!("#error \"{HOSTILE}\"\n"),
    );
    for program in [&name, &name.replace(".py", ".cpp")] {
        for lang in ["en", "zh"] {
            let words = fill_words(
                "--lang {} match kob {} random --seed 1 --replay game.json",
                &[lang, program],
            );
            let output = leitai(&place, &words);
            assert!(output.status.success(), "{}", err(&output));
            assert_harmless(&[&output.stdout[..], &output.stderr].concat(), &[]);
            let output = leitai(&place, &["--lang", lang, "check", "kob", program]);
            assert_eq!(output.status.code(), Some(1), "{}", err(&output));
            assert_harmless(&[&output.stdout[..], &output.stderr].concat(), &[]);
            assert!(out(&output).contains("h\\u001b]0;t"), "{}", out(&output));
        }
        let json = leitai(
            &place,
            &["match", "kob", program, "random", "--no-replay", "--json"],
        );
        assert_harmless(&json.stdout, &[]);
        serde_json::from_slice::<Value>(&json.stdout).expect("JSON as before");
    }
    let mut replay: Value = serde_json::from_str(&read(&place, "game.json")).expect("JSON");
    replay["entrants"][0]["name"] = HOSTILE.into();
    let fault = &mut replay["legs"][0]["faults"][0];
    for field in ["what", "exit"] {
        fault[field] = format!("{HOSTILE}\n✓ forged").into();
    }
    fault["last_words"] = json!([HOSTILE, "one\ttab"]);
    replay["legs"][0]["logs"] = json!([{"entrant": "A", "period": 1, "text": HOSTILE}]);
    write(&place, "hostile.json", replay.to_string());
    for words in [
        ["show", "hostile.json"],
        ["verify", "hostile.json"],
        ["trace", "hostile.json"],
        ["show", &name],
    ] {
        let output = leitai(&place, &[&["replay"], &words[..]].concat());
        assert_harmless(&[&output.stdout[..], &output.stderr].concat(), &[]);
        assert!(!out(&output).contains("\n✓ forged"), "{}", out(&output));
    }
    for keys in ["q", ".q", ".lq"] {
        let screen = on_screen(&place, &["replay", "show", "hostile.json"], keys);
        assert!(
            String::from_utf8_lossy(&screen).contains(r"h\u001b]0;t"),
            "{keys}"
        );
        assert_harmless(&screen, &['\u{1b}', '\r', '\u{8}', '\u{7}']);
    }
    // No judge writes this code: the file is refused without showing its bytes.
    replay["legs"][0]["faults"][0]["code"] = HOSTILE.into();
    write(&place, "unknown.json", replay.to_string());
    let output = leitai(&place, &["replay", "show", "unknown.json"]);
    assert!(!output.status.success(), "{}", out(&output));
    assert_harmless(&[&output.stdout[..], &output.stderr].concat(), &[]);
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
            let lines = reader
                .by_ref()
                .lines()
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty());
            let head: Vec<String> = lines.collect();
            let length = head.iter().find_map(|line| {
                line.to_lowercase()
                    .strip_prefix("content-length: ")?
                    .parse()
                    .ok()
            });
            std::io::copy(&mut reader.take(length.unwrap_or(0)), &mut std::io::sink())
                .expect("a body");
            let fits = |(start, _): &&(&str, Value)| {
                head.first().is_some_and(|line| line.starts_with(start))
            };
            let body = answers
                .iter()
                .find(fits)
                .map_or_else(|| "{}".to_owned(), |(_, body)| body.to_string());
            let length = body.len();
            // A client that has read enough closes the connection.
            let _ = write!(
                stream,
                "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}"
            );
        }
    });
    format!("http://{address}")
}

#[test]
fn an_archive_that_ends_early_leaves_no_file() {
    use std::io::Write;
    let (place, whole) = (place(), b"PK and the rest");
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
            let end: &[u8] = if number == 0 {
                b"\r\n"
            } else {
                b"\r\n0\r\n\r\n"
            };
            let _ = stream.write_all(end);
        }
    });
    let export = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_leitai"));
        command
            .args(["contest", "export", "cup", "-o", "cup.zip"])
            .current_dir(place.path())
            .envs([("LEITAI_SERVER", &*address), ("LEITAI_TOKEN", "t")])
            .env("LC_ALL", "C");
        command.output().expect("the binary starts")
    };
    let cut = export();
    assert!(!cut.status.success(), "{}", out(&cut));
    says(&err(&cut), &["the archive ended early"]);
    let left = fs::read_dir(place.path()).expect("a folder").count();
    assert_eq!(left, 0);
    let done = export();
    assert!(done.status.success(), "{}", err(&done));
    let file = place.path().join("cup.zip");
    assert_eq!(fs::read(file).expect("it is there"), whole);
}

/// The date of a match stays in one line at 80 columns, and who has a bot is not told to upload one.
#[test]
fn matches_are_listed_for_narrow_terminals_and_authors() {
    use serde_json::json;
    let place = place();
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
        let mut command = Command::new(env!("CARGO_BIN_EXE_leitai"));
        command
            .arg("matches")
            .current_dir(place.path())
            .stdin(Stdio::null());
        command
            .env("LEITAI_SERVER", arena(answers))
            .env("LEITAI_TOKEN", "token");
        let output = command.env("LC_ALL", "C").env("COLUMNS", "80").output();
        let said = out(&output.expect("the binary starts"));
        assert!(said.contains(part), "{part}: {said}");
    };
    check(json!([one]), &bots, " 1234567  2026-11-27 02:09 ");
    check(json!([]), &bots, "no matches yet; `leitai standing` says");
    check(
        json!([]),
        &json!({"items": []}),
        "no matches yet; upload a bot",
    );
}

#[test]
fn answers_of_an_arena_never_control_the_terminal() {
    use serde_json::json;
    let place = place();
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
    write(&place, "mine.py", "");
    let commands: [&[&str]; 6] = [
        &["matches"],
        &["matches", "--json"],
        &["logs", "7"],
        &["logs", "7", "--json"],
        &["submit", "kob", "mine.py"],
        &["download", "--source", "3"],
    ];
    for words in commands {
        for lang in ["en", "zh"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_leitai"));
            command
                .args(words)
                .current_dir(place.path())
                .env("LEITAI_LANG", lang)
                .stdin(Stdio::null());
            command
                .env("LEITAI_SERVER", &address)
                .env("LEITAI_TOKEN", "token")
                .env("LC_ALL", "C");
            let output = command.output().expect("the binary starts");
            let said = out(&output) + &err(&output);
            assert!(
                said.contains('h') && !said.contains("\nforged"),
                "{words:?}: {said}"
            );
            assert_harmless(&[&output.stdout[..], &output.stderr].concat(), &[]);
        }
    }
    let files = fs::read_dir(place.path()).expect("own folder");
    files.for_each(|file| {
        assert_harmless(file.expect("a file").file_name().as_encoded_bytes(), &[])
    });
    let mut command = Command::new(env!("CARGO_BIN_EXE_leitai"));
    command
        .args(["download", "7", "-o", "-"])
        .current_dir(place.path())
        .env("LEITAI_SERVER", &address)
        .env("LEITAI_TOKEN", "token");
    let output = command.output().expect("the binary starts");
    assert!(
        out(&output).starts_with('{') && !place.path().join("-").exists(),
        "{}",
        err(&output)
    );
}

/// The output on a terminal of 200 x 50 when these keys are pressed, one after each drawn screen.
fn on_screen(place: &TempDir, words: &[&str], keys: &str) -> Vec<u8> {
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
    command
        .args(["-c", PTY, keys, env!("CARGO_BIN_EXE_leitai")])
        .args(words)
        .current_dir(place.path());
    command
        .env("LC_ALL", "C")
        .env("TERM", "xterm-256color")
        .stdin(Stdio::null());
    command.output().expect("python3 starts").stdout
}

/// A text as a Python string literal.
fn python(text: &str) -> String {
    let escaped = |c: char| format!("\\U{:08x}", u32::from(c));
    format!("\"{}\"", text.chars().map(escaped).collect::<String>())
}

#[test]
fn serve_refuses_a_folder_without_documents() {
    let place = place();
    fs::create_dir(place.path().join("empty")).expect("own folder");
    let parts = ["--docs empty", "no index.html", "./dev docs"];
    fails(
        &place,
        &["serve", "--data", "data", "--docs", "empty"],
        2,
        &parts,
    );
    assert!(!place.path().join("data/arena.db").exists());
}

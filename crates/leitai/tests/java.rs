//! The sites' bots as they stand: Java, run by the game's host, and programs that are started anew every turn.
//! Where there is no JDK, the tests of Java say so and pass.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use leitai_judge::build::{Built, Limits, Source, build, tools::Tool};
use serde_json::Value;
use tempfile::TempDir;

const SAMPLE: &str = include_str!("../../../games/kob/host/tests/Sample.java");
const INPUTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/golden/kob/bot_inputs.jsonl");

/// Whether the tests of Java can run; says so if not.
fn no_java() -> bool {
    let missing = [Tool::JAVAC, Tool::JAVA].into_iter().find_map(|tool| tool.find().err());
    missing.inspect(|missing| println!("skipped: {missing}")).is_some()
}

/// A match of KOB with seed 1 in `place`: its result, its replay, and what was said.
fn play(place: &Path, a: &str, b: &str) -> (Value, Value, String) {
    play_with(place, a, b, &[])
}

fn play_with(place: &Path, a: &str, b: &str, more: &[&str]) -> (Value, Value, String) {
    let words = ["match", "kob", a, b, "--json", "--seed", "1", "--replay", "game.json"];
    let mut leitai = Command::new(env!("CARGO_BIN_EXE_leitai"));
    leitai.args(words).args(more).current_dir(place).env("LC_ALL", "C").stdin(Stdio::null());
    let output = leitai.output().expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let result = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no result: {said}"));
    let replay = fs::read_to_string(place.join("game.json")).expect("a replay");
    (result, serde_json::from_str(&replay).expect("a replay"), said)
}

fn place_with(name: &str, text: &str) -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    fs::write(place.path().join(name), text).expect("it can be written");
    place
}

fn replies(replay: &Value) -> Vec<&Value> {
    replay["legs"].as_array().expect("legs").iter().map(|leg| &leg["replies"]).collect()
}

#[test]
fn the_seeds_sample_plays_a_match_to_the_end() {
    if no_java() {
        return;
    }
    let place = place_with("Sample.java", SAMPLE);
    let (result, replay, said) = play(place.path(), "Sample.java", "space");
    let faults: Vec<&Value> =
        result["legs"].as_array().expect("legs").iter().map(|leg| &leg["faults"]).collect();
    assert_eq!(faults, [&Value::Array(vec![]), &Value::Array(vec![])], "{said}");
    assert!(said.contains("host java"), "{said}");
    // The built-in bot of this name was written after the sample: the two play the same games.
    let (_, own, _) = play(place.path(), "sample", "space");
    assert_eq!(replies(&replay), replies(&own));
}

#[test]
fn the_time_of_a_program_is_not_on_a_built_in_bots_clock() {
    let place = place_with("mine.py", "input()\nwhile True: pass\n");
    let (result, _, said) = play_with(place.path(), "mine.py", "space", &["--limit", "300ms", "--legs", "1"]);
    let leg = &result["legs"][0];
    assert_eq!(
        (&leg["winner"], leg["faults"].as_array().map(Vec::len)),
        (&"B".into(), Some(1)),
        "{leg} {said}"
    );
}

/// A bot that was built and is playing, spoken to as the judge does.
struct Playing {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    _place: TempDir,
}

impl Playing {
    fn new(file: &str, text: &str) -> Playing {
        let place = place_with(file, text);
        let built = built(place.path(), file);
        assert_eq!((built.host, built.dialect.as_deref()), (Some("java"), Some("line")), "{file}");
        // Started here by hand, without the sandbox that says how much memory there is.
        let fill = |word: &std::ffi::OsString| word.to_string_lossy().replace("{memory}", "536870912");
        let words: Vec<String> = built.program.argv.iter().map(fill).collect();
        let (program, arguments) = words.split_first().expect("a command");
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&built.program.dir);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Playing { questions: child.stdin.take(), answers, child, _place: place }
    }

    fn ask(&mut self, input: &str) -> String {
        let questions = self.questions.as_mut().expect("it is open");
        // A bot that has gone is seen by its silence.
        let _ = questions.write_all(format!("{input}\n").as_bytes());
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("text");
        answer.trim_end().to_owned()
    }

    /// Ends the game; the exit code and what went to stderr.
    fn end(mut self) -> (Option<i32>, String) {
        self.questions = None;
        let output = self.child.wait_with_output().expect("our own child");
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

fn built(place: &Path, file: &str) -> Built {
    let hosts = leitai_games::find("kob").expect("it is there").hosts();
    let source = Source::detect(&place.join(file), hosts).expect("a source");
    build(&source, &place.join("work"), &Limits::default(), hosts, &leitai_sandbox::Sandbox::none())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// What a bot answers to these inputs, one digit each, and that its log has these words.
#[track_caller]
fn check(file: &str, text: &str, inputs: &[&str], answers: &str, log: &str) {
    if no_java() {
        return;
    }
    let mut bot = Playing::new(file, text);
    let given: String = inputs.iter().map(|input| bot.ask(input)).collect();
    let (exit, said) = bot.end();
    assert_eq!((given.as_str(), exit), (answers, Some(0)), "{said}");
    assert!(said.contains(log), "{said}");
}

#[test]
fn a_class_of_any_name_without_a_package_reads_the_line_of_this_turn() {
    let text = "
        import java.util.*; import java.io.*; import java.util.function.Supplier;
        class Helper { static int of(String s) { return s.length(); } }
        class MySnake implements Supplier<Integer> {
            public Integer get() {
                try (Scanner in = new Scanner(new File(\"input.txt\"))) { return Helper.of(in.nextLine()); }
                catch (FileNotFoundException e) { throw new RuntimeException(e); }
            }
        }";
    check("any-name.java", text, &["aaa", "a", "", "aa"], "3102", "");
}

#[test]
fn statics_are_fresh_every_turn() {
    let text = "
        package my.bots;
        public class Counter implements java.util.function.Supplier<Integer> {
            static int turns = 0; static class Inner { static int turns = 0; }
            public Integer get() { return turns++ + Inner.turns++; }
        }";
    check("Bot.java", text, &["a", "b", "c"], "000", "");
}

#[test]
fn what_a_bot_prints_is_its_log_and_stdin_is_not_its_own() {
    let text = "
        public class Bot implements java.util.function.Supplier<Integer> {
            public Integer get() {
                System.out.println(\"thinking 思考\"); System.out.print(3);
                try { return System.in.read() + 2; } catch (java.io.IOException e) { return 0; }
            }
        }";
    check("Bot.java", text, &["a", "b"], "11", "thinking 思考");
}

#[test]
fn a_bot_interface_of_the_package_that_the_bot_imports() {
    let text = "
        package com.kob.bots;
        import com.kob.botrunningsystem.utils.BotInterface;
        public class Bot implements BotInterface {
            @Override public Integer nextMove(String input) { return input.length(); }
        }";
    check("Bot.java", text, &["aa", "a"], "21", "");
}

#[test]
fn a_bot_interface_by_its_full_name() {
    let text = "
        class Bot implements com.site.BotInterface {
            public Integer nextMove(String input) { return input.length(); }
        }";
    check("x.java", text, &["aa", "a"], "21", "");
}

#[test]
fn an_exception_ends_the_bot_with_its_place() {
    if no_java() {
        return;
    }
    let text = "\
        public class Bot implements java.util.function.Supplier<Integer> {\n\
            public Integer get() {\n\
                return Integer.parseInt(\"x\");\n\
            }\n\
        }";
    let mut bot = Playing::new("mine.java", text);
    assert_eq!(bot.ask("a"), "");
    let (exit, said) = bot.end();
    assert_eq!(exit, Some(1), "{said}");
    let last = said.lines().last().expect("words");
    assert!(last.contains("NumberFormatException") && last.contains("Bot.get(mine.java:3)"), "{said}");
    assert!(!said.contains("Play"), "frames of the host are of no use to the author: {said}");
}

#[test]
fn a_compile_error_names_the_line_of_the_bots_own_file() {
    if no_java() {
        return;
    }
    let place = place_with("mine.java", &SAMPLE.replace("public int x, y;", "public int x, y"));
    let line = 1 + SAMPLE.lines().position(|line| line.contains("int x, y;")).expect("it has this line");
    let (result, _, said) = play(place.path(), "mine.java", "space");
    let fault = &result["legs"][0]["faults"][0];
    assert_eq!((&fault["code"], &result["winner"]), (&"CE".into(), &"B".into()), "{result}");
    let message = format!("mine.java:{line}: error: ';' expected");
    assert!(fault["what"].as_str().is_some_and(|what| what.contains(&message)), "{fault}");
    assert!(said.contains(&message), "{said}");
}

#[test]
fn a_file_without_a_bot_is_refused() {
    if no_java() {
        return;
    }
    let place =
        place_with("Bot.java", "class Bot implements Runnable /* Supplier */ { public void run() {} }");
    let (result, _, said) = play(place.path(), "Bot.java", "space");
    assert_eq!(result["legs"][0]["faults"][0]["code"], "CE", "{result}");
    assert!(
        said.contains("Bot.java: no class here implements java.util.function.Supplier<Integer>"),
        "{said}"
    );
}

#[test]
fn the_sample_gives_the_recorded_answers() {
    let Ok(corpus) = fs::read_to_string(INPUTS) else { return println!("skipped: no corpus") };
    if no_java() {
        return;
    }
    let mut bot = Playing::new("Sample.java", SAMPLE);
    for row in corpus.lines() {
        let row: Value = serde_json::from_str(row).expect("the corpus is JSON lines");
        for (input, answer) in [("input_a", "seed_bot_a"), ("input_b", "seed_bot_b")] {
            assert_eq!(bot.ask(row[input].as_str().expect("text")), row[answer].to_string(), "{row}");
        }
    }
}

#[test]
fn a_program_started_each_turn_plays() {
    // The first line counts, with or without an end; the rest is the log.
    let text = "print(open('input.txt').read().split('#')[3].count('0') * 0)\nprint('later')\n";
    let place = place_with("mine.py", text);
    let (result, replay, said) = play(place.path(), "each-turn:mine.py", "space");
    assert_eq!(result["legs"][1]["faults"], Value::Array(vec![]), "{result} {said}");
    assert_eq!(result["winner"], "B", "{result}");
    assert_eq!(replay["entrants"][0]["dialect"], "line");
    assert!(replay["legs"][0]["logs"].to_string().contains("later"), "{replay}");
    assert!(!place.path().join("input.txt").exists(), "the contestant's own folder is not written to");
}

#[test]
fn a_program_started_each_turn_that_says_nothing_has_crashed() {
    let place = place_with("mine.py", "import sys\nsys.exit('out of ideas')\n");
    let (result, replay, _) = play(place.path(), "each-turn:mine.py", "space");
    let fault = &replay["legs"][0]["faults"][0];
    assert_eq!(fault["code"], "RE", "{result}");
    let last_words = fault["last_words"].to_string();
    assert!(last_words.contains("out of ideas") && last_words.contains("printed nothing"), "{last_words}");
}

#[test]
fn an_executable_started_each_turn_runs_in_a_copy() {
    use std::os::unix::fs::PermissionsExt;
    let place = place_with("mine", "#!/bin/sh\ncat input.txt >&2\necho 0\n");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(place.path().join("mine"), mode).expect("our own file");
    let (_, replay, said) = play(place.path(), "each-turn:mine", "space");
    assert_eq!(replay["legs"][0]["faults"], Value::Null, "{replay} {said}");
    assert!(replay["legs"][0]["logs"].to_string().contains("#11#1#()#1#12#()"), "{replay}");
    assert!(!place.path().join("input.txt").exists(), "the contestant's own folder is not written to");
}

/// What the host costs a turn, with a bot that does nothing:
/// `cargo test --release -p leitai --test java -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn overhead() {
    const TURNS: usize = 2000;
    const WARM: usize = 20;
    if no_java() {
        return;
    }
    let text =
        "class Bot implements com.site.BotInterface { public Integer nextMove(String s) { return 0; } }";
    let mut bot = Playing::new("Bot.java", text);
    let input = format!("{}#11#1#({})#1#12#({})", "1".repeat(182), "0123".repeat(10), "3210".repeat(10));
    let start = Instant::now();
    bot.ask(&input);
    let first = start.elapsed();
    let mut turns: Vec<Duration> = Vec::new();
    for _ in 0..TURNS {
        let start = Instant::now();
        bot.ask(&input);
        turns.push(start.elapsed());
    }
    let stat = fs::read_to_string(format!("/proc/{}/stat", bot.child.id())).expect("it runs");
    let ticks: u64 =
        stat.split_whitespace().skip(13).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    let game = {
        let mut game = turns[WARM..WARM + 50].to_vec();
        game.sort_unstable();
        game[25]
    };
    turns.sort_unstable();
    println!(
        "start and first turn {first:?}; median of turns 21 to 70 {game:?}, of {TURNS} {:?}, p99 {:?}; {} ms of CPU in all",
        turns[TURNS / 2],
        turns[TURNS * 99 / 100],
        ticks * 10
    );
}

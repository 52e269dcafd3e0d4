//! Java bots as the King of Bots sites have them, run by the game's host, and programs that are
//! started anew every turn. Without a JDK the Java tests print a note and pass.

use crate::place::each;
use crate::place::{fill_words, says};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use leitai_judge::build::{BuildLimits, BuiltProgram, ProgramSource, Tool, build_source};
use leitai_sandbox::Sandbox;
use serde_json::Value;
use tempfile::TempDir;

const SAMPLE: &str = include_str!("../../../games/kob/host/tests/Sample.java");

/// Whether the Java tests cannot run; prints a note then.
fn no_java() -> bool {
    let missing = [Tool::JAVAC, Tool::JAVA]
        .into_iter()
        .find_map(|tool| tool.find_command().err());
    missing
        .inspect(|missing| println!("skipped: {missing}"))
        .is_some()
}

/// A match of KOB with seed 1 in `place`: its result, its replay, and the output for people.
fn play(place: &Path, a: &str, b: &str) -> (Value, Value, String) {
    play_with(place, a, b, &[])
}

fn play_with(place: &Path, a: &str, b: &str, more: &[&str]) -> (Value, Value, String) {
    let words = fill_words(
        "match kob {} {} --json --seed 1 --replay game.json",
        &[a, b],
    );
    let mut leitai = Command::new(env!("CARGO_BIN_EXE_leitai"));
    leitai
        .args(words)
        .args(more)
        .current_dir(place)
        .env("LC_ALL", "C")
        .stdin(Stdio::null());
    let output = leitai.output().expect("the binary starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let result =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("no result: {said}"));
    let replay = fs::read_to_string(place.join("game.json")).expect("a replay");
    (
        result,
        serde_json::from_str(&replay).expect("a replay"),
        said,
    )
}

fn place_with(name: &str, text: &str) -> TempDir {
    let place = tempfile::tempdir().expect("a temporary folder");
    fs::write(place.path().join(name), text).expect("it can be written");
    place
}

fn replies(replay: &Value) -> Vec<&Value> {
    replay["legs"]
        .as_array()
        .expect("legs")
        .iter()
        .map(|leg| &leg["replies"])
        .collect()
}

#[test]
fn the_seeds_sample_plays_a_match_to_the_end() {
    if no_java() {
        return;
    }
    let place = place_with("Sample.java", SAMPLE);
    let (result, replay, said) = play(place.path(), "Sample.java", "space");
    let faults = each(&result["legs"], "faults");
    assert_eq!(
        faults,
        [Value::Array(vec![]), Value::Array(vec![])],
        "{said}"
    );
    assert!(said.contains("host java"), "{said}");
    // The built-in bot `sample` is a translation of this source: both play the same games.
    let (_, own, _) = play(place.path(), "sample", "space");
    assert_eq!(replies(&replay), replies(&own));
}

#[test]
fn the_time_of_a_program_is_not_on_a_built_in_bots_clock() {
    let place = place_with("mine.py", "input()\nwhile True: pass\n");
    let (result, _, said) = play_with(
        place.path(),
        "mine.py",
        "space",
        &["--limit", "300ms", "--start-limit", "0", "--legs", "1"],
    );
    let leg = &result["legs"][0];
    assert_eq!(
        (&leg["winner"], leg["faults"].as_array().map(Vec::len)),
        (&"B".into(), Some(1)),
        "{leg} {said}"
    );
}

/// A running bot that was built before; the test speaks to it as the judge does.
struct Playing {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    started: Instant,
    _place: Option<TempDir>,
}

impl Playing {
    fn new(file: &str, text: &str) -> Playing {
        let place = place_with(file, text);
        let built = built(place.path(), file);
        assert_eq!(
            (built.host, built.protocol.as_deref()),
            (Some("java"), Some("line")),
            "{file}"
        );
        Playing {
            _place: Some(place),
            ..Playing::start(&built)
        }
    }

    fn start(built: &BuiltProgram) -> Playing {
        // The test starts it without the sandbox, which would report the available memory.
        let fill =
            |word: &std::ffi::OsString| word.to_string_lossy().replace("{memory}", "536870912");
        let words: Vec<String> = built.program.argv.iter().map(fill).collect();
        let (program, arguments) = words.split_first().expect("a command");
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&built.program.dir);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let started = Instant::now();
        let mut child = command.spawn().expect("it starts");
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Playing {
            questions: child.stdin.take(),
            answers,
            child,
            started,
            _place: None,
        }
    }

    fn ask(&mut self, input: &str) -> String {
        let questions = self.questions.as_mut().expect("it is open");
        // A bot that has ended closes its output.
        let _ = questions.write_all(format!("{input}\n").as_bytes());
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("text");
        answer.trim_end().to_owned()
    }

    /// Ends the game; returns the exit code and stderr.
    fn end(mut self) -> (Option<i32>, String) {
        self.questions = None;
        let output = self.child.wait_with_output().expect("our own child");
        (
            output.status.code(),
            String::from_utf8_lossy(&output.stderr).into_owned(),
        )
    }
}

fn built(place: &Path, file: &str) -> BuiltProgram {
    let hosts = leitai_games::find_game("kob")
        .expect("it is there")
        .list_hosts();
    let source = ProgramSource::detect_path(&place.join(file), hosts).expect("a source");
    build_source(
        &source,
        &place.join("work"),
        &BuildLimits::default(),
        hosts,
        &Sandbox::without_isolation(),
    )
    .unwrap_or_else(|error| panic!("{error}"))
}

/// Asserts the answers of a bot to these inputs, one digit each, and that its log contains these
/// words.
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

/// What a bot does in its turns, by its input: each turn has fresh classes, and reaches the protocol
/// by its answer alone.
const BY_INPUT: &str = "
package my.bots;
import java.io.*;
import java.nio.file.*;
public class Bot implements java.util.function.Supplier<Integer> {
    static { System.out.print(\"<init>\"); }
    static int turns = 0; static class Inner { static int turns = 0; }
    public Integer get() {
        System.out.print(\"<get>\");
        try {
            String input = Files.readAllLines(Path.of(\"input.txt\")).get(0);
            if (input.equals(\"statics\")) return turns++ + Inner.turns++;
            if (input.equals(\"streams\")) {
                System.out.println(\"thinking 思考\"); System.out.print(3);
                return System.in.read() + 2;
            }
            if (input.equals(\"descriptors\")) {
                new PrintStream(new FileOutputStream(FileDescriptor.out), true).println(\"by descriptor\");
                new ProcessBuilder(\"echo\", \"by a child\").inheritIO().start().waitFor();
                return 2 + new FileInputStream(FileDescriptor.in).read();
            }
            return Integer.parseInt(input);
        } catch (IOException | InterruptedException error) { throw new RuntimeException(error); }
    }
}
";

#[test]
fn a_turn_has_fresh_classes_and_reaches_the_protocol_by_its_answer_alone() {
    if no_java() {
        return;
    }
    let place = place_with("mine.java", BY_INPUT);
    let built = built(place.path(), "mine.java");
    assert_eq!(facts_of(&built), "my.bots.Bot\nstateful\n");
    let mut bot = Playing::start(&built);
    assert_eq!(bot.ask("statics"), "0");
    let first = bot.end();
    let once = "<init><get>";
    // No code of the bot runs before a question or after its answer.
    assert_eq!(first, (Some(0), once.to_owned()));

    let mut bot = Playing::start(&built);
    let inputs = "statics statics 3 streams streams descriptors".split(' ');
    let answers: Vec<String> = inputs.map(|input| bot.ask(input)).collect();
    assert_eq!(answers, ["0", "0", "3", "1", "1", "1"]);
    assert_eq!(bot.ask("x"), "", "an exception ends the bot");
    let (exit, said) = bot.end();
    assert_eq!(exit, Some(1), "{said}");
    assert!(said.starts_with(&once.repeat(4)), "{said}");
    for part in ["thinking 思考\n3", "by descriptor\nby a child\n"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let line = 1
        + (BY_INPUT.lines())
            .position(|line| line.contains("parseInt"))
            .expect("it has this line");
    let place = format!("my.bots.Bot.get(mine.java:{line})");
    let last = said.lines().last().expect("words");
    assert!(
        last.contains("NumberFormatException") && last.contains(&place),
        "{said}"
    );
    assert!(!said.contains("Play"), "no frames of the host: {said}");
}

/// Also when a build was moved, as cached builds are. The bot names its interface in full.
#[test]
fn the_hosts_classes_come_from_the_archive() {
    if no_java() {
        return;
    }
    let text = "
        import java.nio.file.*;
        class Bot implements com.site.BotInterface {
            public Integer nextMove(String input) {
                try {
                    boolean shared = Files.readString(Path.of(\"/proc/self/maps\")).contains(\"/host/play.jsa\");
                    return shared || Runtime.version().feature() < 13 ? 1 : 0;
                } catch (java.io.IOException error) { return 2; }
            }
        }";
    let place = place_with("Bot.java", text);
    let mut built = built(place.path(), "Bot.java");
    let room = built
        .program
        .dir
        .parent()
        .expect("it is in a folder")
        .to_owned();
    let moved = place.path().join("moved");
    fs::rename(&room, &moved).expect("our own folder");
    let [from, to] =
        [&room, &moved].map(|path| path.to_str().expect("a temporary folder has a plain name"));
    let words = built
        .program
        .argv
        .iter()
        .map(|word| word.to_string_lossy().replace(from, to).into());
    built.program.argv = words.collect();
    built.program.dir = moved.join("files");
    let mut bot = Playing::start(&built);
    assert_eq!(bot.ask("a"), "1");
    assert_eq!(bot.end().0, Some(0));
}

/// What the build wrote down about a bot.
fn facts_of(built: &BuiltProgram) -> String {
    let host = built.program.dir.with_file_name("host");
    fs::read_to_string(host.join("bot.txt")).expect("the build wrote it")
}

/// A bot with state of other kinds: [`BY_INPUT`].
#[test]
fn only_classes_without_state_are_kept_from_turn_to_turn() {
    if no_java() {
        return;
    }
    for (state, expected) in [
        (
            "static final int N = 2; static final String S = \"<\"; int x = 1;",
            "stateless",
        ),
        ("static final int[] DX = {1, 2};", "stateful"),
    ] {
        let text = format!(
            "class Bot implements com.site.BotInterface {{ {state} \
             public Integer nextMove(String s) {{ Runnable r = () -> {{}}; return 0; }} }}"
        );
        let place = place_with("Bot.java", &text);
        let facts = facts_of(&built(place.path(), "Bot.java"));
        assert_eq!(facts, format!("Bot\n{expected}\n"), "{state}");
    }
}

/// In the sandbox a companion file of a program is a link to a file that nobody may write.
#[test]
fn an_input_file_beside_the_bot_does_no_harm() {
    let check = |word: &str, name: &str, text: &str| {
        let place = tempfile::tempdir().expect("a temporary folder");
        let bot = place.path().join("bot");
        fs::create_dir(&bot).expect("a folder");
        fs::write(bot.join(name), text).expect("it can be written");
        fs::write(bot.join("input.txt"), "from the day before").expect("it can be written");
        let (result, _, said) = play_with(place.path(), word, "space", &["--legs", "1"]);
        assert_eq!(
            result["legs"][0]["faults"],
            Value::Array(vec![]),
            "{word}: {said}"
        );
    };
    check(
        "each-turn:./bot",
        "main.py",
        "print(open('input.txt').read().count('#') - 6)\n",
    );
    if !no_java() {
        check("./bot", "Bot.java", SAMPLE);
    }
}

/// Every tier that this machine offers, as a value of `--isolation`.
fn tiers() -> &'static [String] {
    static OFFERED: OnceLock<Vec<String>> = OnceLock::new();
    OFFERED.get_or_init(|| {
        let offers = Sandbox::list_offers(Path::new(env!("CARGO_BIN_EXE_leitai")));
        let offered = offers.into_iter().filter(|offer| offer.works.is_ok());
        offered
            .map(|offer| offer.tier.to_string().to_lowercase())
            .collect()
    })
}

/// Computes in a pool of threads for some turns; then leaks threads until no more can be created.
const THREADS: &str = "
    import java.nio.file.*; import java.util.*; import java.util.concurrent.*; import java.util.stream.*;
    public class Bot implements java.util.function.Supplier<Integer> {
        public Integer get() {
            try {
                int moves = Files.readString(Path.of(\"input.txt\")).split(\"#\", -1)[3].length() - 2;
                if (moves > 2) return leak();
                ExecutorService pool = Executors.newFixedThreadPool(8);
                List<Callable<Integer>> all = new ArrayList<>();
                for (int i = 0; i < 16; i++) { final int n = i; all.add(() -> n % 4); }
                int sum = 0;
                for (Future<Integer> each : pool.invokeAll(all)) sum += each.get();
                pool.shutdown();
                return (sum + IntStream.range(0, 1000).parallel().sum()) % 4;
            } catch (Exception error) { throw new RuntimeException(error); }
        }
        private static int leak() {
            for (int i = 0; i < 100; i++) new Thread(() -> {
                try { Thread.sleep(1000000); } catch (InterruptedException error) { }
            }).start();
            return 0;
        }
    }";

/// The virtual machine's warning that it creates no more threads is no answer.
#[test]
fn a_bot_may_use_threads_and_reads_why_it_gets_no_more_in_every_tier() {
    if no_java() {
        return;
    }
    for tier in tiers() {
        let place = place_with("Bot.java", THREADS);
        let more = ["--isolation", tier, "--processes", "60", "--legs", "1"];
        let more = [&more[..], &["--config", "inner_pairs=0"]].concat();
        let (result, replay, said) = play_with(place.path(), "Bot.java", "space", &more);
        let fault = &result["legs"][0]["faults"][0];
        assert!(
            fault.is_null() || fault["round"].as_u64() > Some(3),
            "tier {tier}: {result} {said}"
        );
        assert_ne!(fault["code"], "PE", "tier {tier}: {result} {said}");
        let words = replay["legs"][0]["faults"][0]["last_words"].to_string();
        if tier == "a" {
            assert_eq!(fault["code"], "RE", "{result} {said}");
        }
        assert_eq!(
            fault["code"] == "RE",
            words.contains("unable to create native thread"),
            "tier {tier}: {words}"
        );
    }
}

/// The same for a program that writes its answers itself: it catches the error and plays on.
#[test]
fn warnings_of_the_virtual_machine_are_no_answers_of_a_plain_program() {
    if no_java() {
        return;
    }
    let text = "
        public class Main {
            public static void main(String[] words) {
                java.util.Scanner in = new java.util.Scanner(System.in);
                while (in.hasNextLine()) {
                    in.nextLine();
                    try {
                        for (int i = 0; i < 100; i++) { Thread t = new Thread(() -> {
                            try { Thread.sleep(1000000); } catch (InterruptedException error) { }
                        }); t.setDaemon(true); t.start(); }
                    } catch (OutOfMemoryError error) { System.err.println(\"no more threads\"); }
                    System.out.println(0);
                }
            }
        }";
    let place = place_with("Main.java", text);
    let more = ["--processes", "60", "--legs", "1"];
    let (result, replay, said) = play_with(place.path(), "line:Main.java", "space", &more);
    assert_ne!(
        result["legs"][0]["faults"][0]["code"], "PE",
        "{result} {said}"
    );
    if tiers().iter().any(|tier| tier == "a") {
        let log = replay["legs"][0]["logs"].to_string();
        says(&log, &["no more threads", "[warning]"]);
    }
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

/// The interface of a site, under whatever name it has there, and the annotations of its framework.
#[test]
fn interfaces_of_other_sites_are_played() {
    let text = "
        package com.site.bots;
        import com.other.utils.UserBotInterface;
        import org.springframework.stereotype.Component;
        import org.springframework.stereotype.Service;
        @Service
        @Component
        public class Bot implements UserBotInterface {
            @Override public Integer nextMove(String input) { return input.length(); }
        }";
    check("Bot.java", text, &["aa", "a"], "21", "");
}

#[test]
fn a_compile_error_names_the_line_of_the_bots_own_file() {
    if no_java() {
        return;
    }
    let place = place_with(
        "mine.java",
        &SAMPLE.replace("public int x, y;", "public int x, y"),
    );
    let line = 1 + SAMPLE
        .lines()
        .position(|line| line.contains("int x, y;"))
        .expect("it has this line");
    let (result, _, said) = play(place.path(), "mine.java", "space");
    let fault = &result["legs"][0]["faults"][0];
    assert_eq!(
        (&fault["code"], &result["winner"]),
        (&"CE".into(), &"B".into()),
        "{result}"
    );
    let message = format!("mine.java:{line}: error: ';' expected");
    assert!(
        fault["what"]
            .as_str()
            .is_some_and(|what| what.contains(&message)),
        "{fault}"
    );
    assert!(said.contains(&message), "{said}");
}

#[test]
fn a_file_without_a_bot_is_refused() {
    if no_java() {
        return;
    }
    let place = place_with(
        "Bot.java",
        "class Bot implements Runnable /* Supplier */ { public void run() {} }",
    );
    let (result, _, said) = play(place.path(), "Bot.java", "space");
    assert_eq!(result["legs"][0]["faults"][0]["code"], "CE", "{result}");
    says(
        &said,
        &["Bot.java: no class here implements java.util.function.Supplier<Integer>"],
    );
}

#[test]
fn the_sample_gives_the_recorded_answers() {
    let folder = std::env::var("LEITAI_CORPORA").unwrap_or_default();
    let Ok(corpus) = fs::read_to_string(format!("{folder}/kob/bot_inputs.jsonl")) else {
        return println!("skipped: LEITAI_CORPORA names no folder with kob/bot_inputs.jsonl");
    };
    if no_java() {
        return;
    }
    let mut bot = Playing::new("Sample.java", SAMPLE);
    for row in corpus.lines() {
        let row: Value = serde_json::from_str(row).expect("the corpus is JSON lines");
        for (input, answer) in [("input_a", "seed_bot_a"), ("input_b", "seed_bot_b")] {
            assert_eq!(
                bot.ask(row[input].as_str().expect("text")),
                row[answer].to_string(),
                "{row}"
            );
        }
    }
}

#[test]
fn a_program_started_each_turn_plays() {
    // The first line is the answer, with or without a line end; the rest is the log.
    let text = "print(open('input.txt').read().split('#')[3].count('0') * 0)\nprint('later')\n";
    let place = place_with("mine.py", text);
    let (result, replay, said) = play(place.path(), "each-turn:mine.py", "space");
    assert_eq!(
        result["legs"][1]["faults"],
        Value::Array(vec![]),
        "{result} {said}"
    );
    assert_eq!(result["winner"], "B", "{result}");
    assert_eq!(replay["entrants"][0]["protocol"], "line");
    assert!(
        replay["legs"][0]["logs"].to_string().contains("later"),
        "{replay}"
    );
    assert!(
        !place.path().join("input.txt").exists(),
        "the author's folder is unchanged"
    );
}

/// Where programs of other sites look for the question.
#[test]
fn a_program_started_each_turn_finds_the_question_in_three_places() {
    let text = "import sys
line = open('input.txt').read().rstrip('\\n')
assert sys.argv[1] == line == sys.stdin.readline().rstrip('\\n') and '#' in line, sys.argv
print(0)
";
    let place = place_with("mine.py", text);
    let (result, _, said) = play(place.path(), "each-turn:mine.py", "space");
    for leg in result["legs"].as_array().expect("legs") {
        assert_eq!(leg["faults"], Value::Array(vec![]), "{result} {said}");
    }
}

#[test]
fn a_program_started_each_turn_that_says_nothing_has_crashed() {
    let place = place_with("mine.py", "import sys\nsys.exit('out of ideas')\n");
    let (result, replay, _) = play(place.path(), "each-turn:mine.py", "space");
    let fault = &replay["legs"][0]["faults"][0];
    assert_eq!(fault["code"], "RE", "{result}");
    let last_words = fault["last_words"].to_string();
    says(&last_words, &["out of ideas", "printed nothing"]);
}

#[test]
fn an_executable_started_each_turn_runs_in_a_copy() {
    use std::os::unix::fs::PermissionsExt;
    let place = place_with("mine", "#!/bin/sh\ncat input.txt >&2\necho 0\n");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(place.path().join("mine"), mode).expect("our own file");
    let (_, replay, said) = play(place.path(), "each-turn:mine", "space");
    assert_eq!(replay["legs"][0]["faults"], Value::Null, "{replay} {said}");
    assert!(
        replay["legs"][0]["logs"]
            .to_string()
            .contains("#11#1#()#1#12#()"),
        "{replay}"
    );
    assert!(
        !place.path().join("input.txt").exists(),
        "the author's folder is unchanged"
    );
}

/// Measures the time of the host for each turn, with bots that do nothing: one whose classes are
/// kept, one whose classes are loaded anew. `cargo test --release --test cli -- --ignored
/// --nocapture overhead`.
#[test]
#[ignore = "a measurement"]
fn overhead() {
    const TURNS: usize = 2000;
    if no_java() {
        return;
    }
    for field in ["", "static int n;"] {
        let text = format!(
            "class Bot implements com.site.BotInterface {{ {field} public Integer nextMove(String s) {{ return 0; }} }}"
        );
        // Games of the usual length, then one that never ends.
        let place = place_with("Bot.java", &text);
        let built = built(place.path(), "Bot.java");
        let games: Vec<Cost> = (0..15).map(|_| cost(&built, 40)).collect();
        let mut medians: Vec<Duration> = games.iter().map(|game| game.median).collect();
        medians.sort_unstable();
        let mut starts: Vec<Duration> = games.iter().map(|game| game.first).collect();
        starts.sort_unstable();
        let long = cost(&built, TURNS);
        println!(
            "{field:15} start and first turn {:?}; games of 40 turns: median {:?} ({:?} to {:?}); of {TURNS} turns {:?}, p99 {:?}",
            starts[7], medians[7], medians[0], medians[14], long.median, long.p99
        );
    }
}

/// The measured cost of one game.
struct Cost {
    first: Duration,
    median: Duration,
    p99: Duration,
}

fn cost(built: &BuiltProgram, count: usize) -> Cost {
    let mut bot = Playing::start(built);
    let input = format!(
        "{}#11#1#({})#1#12#({})",
        "1".repeat(182),
        "0123".repeat(10),
        "3210".repeat(10)
    );
    let start = bot.started;
    bot.ask(&input);
    let first = start.elapsed();
    let mut turns: Vec<Duration> = (1..count)
        .map(|_| {
            let start = Instant::now();
            bot.ask(&input);
            start.elapsed()
        })
        .collect();
    turns.sort_unstable();
    Cost {
        first,
        median: turns[turns.len() / 2],
        p99: turns[turns.len() * 99 / 100],
    }
}

//! `leitai check`: the finding of each step.

use crate::place;

use place::{Place, fill_words, says, split_words, text};
use serde_json::{Value, json};

/// The marks of the steps in order, as printed.
fn marks(report: &Value) -> String {
    let sign = |step: &Value| match step["mark"].as_str() {
        Some("passed") => '✓',
        Some("failed") => '✗',
        Some("warned") => '!',
        Some("noted") => 'i',
        _ => '-',
    };
    report["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(sign)
        .collect()
}

/// Checks this program; returns the report and the exit status.
fn report(place: &Place, words: &[&str]) -> (Value, Option<i32>) {
    let output = place.run(&[&["check"], words, &["--json"]].concat());
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no JSON: {}", text(&output)));
    (report, output.status.code())
}

/// Asserts the marks of King of Bots' mock bot with these flags, and a part of the first failed
/// step's text; returns the report.
#[track_caller]
fn check(flags: &str, more: &[&str], expected: &str, part: &str) -> Value {
    let place = Place::new();
    let bot = place.bot("bot", "kob", flags).display().to_string();
    let words = [&["kob", &bot, "--config", "inner_pairs=0"], more].concat();
    let (report, code) = report(&place, &words);
    assert_eq!(marks(&report), expected, "{flags}: {report:#}");
    assert_eq!(
        (code == Some(0), &report["passed"]),
        (!expected.contains('✗'), &json!(code == Some(0)))
    );
    let steps = report["steps"].as_array().expect("steps");
    let bad = steps
        .iter()
        .find(|step| step["mark"] == "failed" || step["mark"] == "warned");
    let said = bad.map(|step| step.to_string()).unwrap_or_default();
    assert!(said.contains(part), "{flags}: {said}");
    assert!(
        bad.is_none_or(|step| !step["next"].is_null()),
        "the next step is named: {said}"
    );
    report
}

/// A program that answers without an end of line does not wait too long: it has answered.
#[test]
fn an_answer_without_an_end_of_line_is_named() {
    let place = Place::new();
    let bot =
        "import sys\nfor line in sys.stdin:\n    sys.stdout.write('1')\n    sys.stdout.flush()\n";
    std::fs::write(place.path().join("bot.py"), bot).expect("own folder");
    for (lang, parts) in [
        (
            "en",
            [
                "it had sent \"1\" without an end of line",
                "end every answer with an end of line",
            ],
        ),
        (
            "zh",
            ["它已发送 \"1\"，但没有换行", "每个回答都要以换行结束"],
        ),
    ] {
        let words = fill_words(
            "--lang {} check kob ./bot.py --limit 1s --start-limit 0",
            &[lang],
        );
        let said = text(&place.run(&words));
        assert!(parts.iter().all(|part| said.contains(part)), "{said}");
        assert!(!said.contains("flush stdout"), "{said}");
    }
}

/// What came along is read-only in the sandbox.
#[test]
fn a_program_that_writes_into_a_file_it_brought_is_told_so() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("bot")).expect("own folder");
    place.write("bot/bot.log", "left over\n");
    place.write(
        "bot/main.py",
        "import sys\nlog = open('bot.log', 'a')\nfor line in sys.stdin:\n    print(0, flush=True)\n",
    );
    let (report, code) = report(&place, &["kob", "./bot"]);
    let said = report.to_string();
    // Without isolation it is a file like others.
    if said.contains("Read-only") || said.contains("Permission denied") {
        says(&said, &["files that were handed in are read-only"]);
        assert!(!said.contains("under a debugger"), "{said}");
    } else {
        assert_eq!(code, Some(0), "{said}");
    }
}

#[test]
fn a_sound_program_passes() {
    check("", &[], "✓✓✓✓✓✓✓✓✓✓i", "");
    check("--trickle --log 10k", &[], "✓✓✓✓✓✓✓✓✓✓i", "");
}

#[test]
fn each_fault_is_found_by_its_step() {
    check(
        "--exit-at 1",
        &[],
        "✓✗---------",
        "exited before the match was over [EXIT]",
    );
    let quick = ["--limit", "250ms", "--start-limit", "0"];
    check("--slow-start 60s", &quick, "✓✓✗--------", "[TLE]");
    check(
        "--wrong-op --at 1",
        &[],
        "✓✓✗--------",
        "which is not one digit 0 to 3 [PE]",
    );
    check("--crash-at 3", &[], "✓✓✓✗✗--✓✓✓i", "index out of range: 17");
    let report = check("--stay", &[], "✓✓✓✓✓✓✓✓✓ii", "");
    let seen = report["steps"][9]["seen"]["en"].as_str();
    assert!(
        seen.is_some_and(|seen| seen.contains("it still ran a second after the end")),
        "{report:#}"
    );
}

#[test]
fn a_program_that_takes_a_read_for_a_message_fails_with_split_writes() {
    let place = Place::new();
    // The bot crashes on half a line; otherwise it goes up from the lower start and down from the
    // upper one.
    place.write(
        "bot.py",
        "import os, sys\nwhile True:\n    line = os.read(0, 65536)\n    if not line: break\n    assert \
         line.endswith(b'\\n'), line\n    print(0 if line.split(b'#')[1] == b'11' else 2, flush=True)\n",
    );
    let (report, code) = report(&place, &["kob", "bot.py", "--config", "inner_pairs=0"]);
    assert_eq!(
        (marks(&report).as_str(), code),
        ("✓✓✓✓✓✗✓✓✓✓i", Some(1)),
        "{report:#}"
    );
    let step = &report["steps"][5];
    has!(step, {"step": "split-writes", "must_pass": true});
    says(&step["next"]["en"].to_string(), &["a part of a message"]);
}

#[test]
fn a_bot_that_uses_chance_is_reported_and_not_failed() {
    let place = Place::new();
    place.write(
        "bot.py",
        "import random, sys\nfor line in sys.stdin:\n    if line == 'CHOOSE\\n': print('TEAM' + ' Striker' * 5, flush=True)\n    \
         if line == 'GO\\n': print('\\n'.join(random.choices(['STOP', 'GOUP'], k=5)), flush=True)\n",
    );
    let (report, code) = report(&place, &["tankcraft", "bot.py", "--config", "rounds=30"]);
    assert_eq!(
        (marks(&report).as_str(), code),
        ("✓✓✓✓✓✓✓✓✓✓i", Some(0)),
        "{report:#}"
    );
    let seen = report["steps"][10]["seen"]["en"].as_str().expect("words");
    assert!(seen.starts_with("no: in round"), "{seen}");
}

#[test]
fn a_failed_leg_is_played_again_by_the_command_that_is_printed() {
    let place = Place::new();
    place.bot("bot", "kob", "--crash-at 3");
    let output = place.run(&split_words(
        "check kob bot/bot.py --config inner_pairs=0 --limit 2s",
    ));
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for part in [
        "✗ plays a whole leg, first",
        "round 3: ended with exit code 3 [RE]",
        "it passes 3 of 7 required steps",
    ] {
        assert!(said.contains(part), "no {part:?} in\n{said}");
    }
    let command = said
        .lines()
        .find_map(|line| line.trim().strip_prefix("→ leitai "))
        .expect("a command");
    says(command, &["--limit 2s --config inner_pairs=0"]);
    let words: Vec<&str> = command.split(' ').chain(["--no-replay"]).collect();
    assert!(
        text(&place.run(&words)).contains("ended with exit code 3 [RE]"),
        "{command}"
    );
}

#[test]
fn a_source_that_does_not_compile_skips_the_other_steps() {
    let place = Place::new();
    place.write("bot.cpp", "int main( { return 0; }");
    let (report, code) = report(&place, &["snakego", "bot.cpp"]);
    assert_eq!(
        (marks(&report).as_str(), code),
        ("✗----------", Some(1)),
        "{report:#}"
    );
    let output = place.run(&["--lang", "zh", "check", "snakego", "bot.cpp"]);
    let said = text(&output);
    says(&said, &["✗ 能构建", "bot.cpp:1:", "还不能提交"]);
}

#[test]
fn the_protocol_is_printed_and_a_program_that_writes_json_gets_a_hint_at_the_marker() {
    let place = Place::new();
    let bot = "import json, sys\nfor line in sys.stdin:\n    message = json.loads(line)\n    if message['type'] == 'turn':\n        \
               print(json.dumps({'action': message['legal'][0]}), flush=True)\n";
    place.write("bot.py", bot);
    place.write("marked.py", format!("# leitai: dialect=json-lines\n{bot}"));
    let node = "SyntaxError: Unexpected token 'x' is not valid JSON";
    place.write(
        "other.py",
        format!("import sys\ninput()\nprint({node:?}, file=sys.stderr)\nsys.exit(1)\n"),
    );
    place.write(
        "answers.py",
        "while True:\n    input()\n    print('{\"action\": \"0\"}', flush=True)\n",
    );
    for program in ["bot.py", "other.py", "answers.py"] {
        let (report, code) = report(&place, &["kob", program]);
        assert_eq!(code, Some(1), "{report:#}");
        let steps = report["steps"].as_array().expect("steps");
        let [en, zh] = ["en", "zh"].map(|lang| steps[0]["seen"][lang].as_str().expect("words"));
        assert!(
            en.contains("protocol: line, over stdin and stdout") && zh.contains("协议：line"),
            "{en} {zh}"
        );
        let failed = steps
            .iter()
            .find(|step| step["mark"] == "failed")
            .expect("one failed");
        let next = failed["next"]["en"].as_str().expect("advice");
        assert!(
            next.contains("leitai: protocol=json-lines"),
            "{program}: {failed}"
        );
        says(
            &failed["next"]["zh"].to_string(),
            &["leitai: protocol=json-lines"],
        );
    }
    let (report, _) = report(&place, &["kob", "marked.py", "--config", "inner_pairs=0"]);
    let seen = &report["steps"][0]["seen"]["en"];
    says(&seen.to_string(), &["protocol: json-lines"]);
    assert_eq!(report["steps"][2]["mark"], "passed", "{report:#}");
}

#[test]
fn senseless_arguments_are_refused() {
    let place = Place::new();
    let check = |words: &[&str], part: &str| {
        let output = place.run(words);
        let said = text(&output);
        assert!(
            output.status.code() == Some(2) && said.contains(part),
            "{words:?}: {said}"
        );
    };
    check(&["check", "snakego", "territory"], "this bot is built in");
    check(
        &["check", "snakego", "./nothing.py"],
        "there is no ./nothing.py",
    );
    check(&["check", "chess", "./bot.py"], "there is no game");
    place.bot("bot", "kob", "");
    check(
        &["check", "kob", "bot/bot.py", "--legs", "3"],
        "legs of its own",
    );
}

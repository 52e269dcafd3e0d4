//! Lines to the viewer: programs in every language write them with the helpers of `sdk/viewer`, in
//! every isolation that runs here and on both seats; the replay has them at their turn, as JSON.

use crate::place;

use place::{Place, text};
use serde_json::{Value, json};

const PYTHON: &str = "# leitai: protocol=json-lines
import json, sys
import leitai_viewer as viewer
turn = 0
for row in sys.stdin:
    message = json.loads(row)
    if message['type'] == 'turn':
        turn += 1
        viewer.mark((1, 2), tone='bad', text='say \"hi\"')
        viewer.line((0, 0), (3, 4))
        viewer.value(turn=turn)
        viewer.tag('walk')
        print(json.dumps({'action': message['legal'][0]}), flush=True)
";

const CPP: &str = r#"// leitai: protocol=line
#include <iostream>
#include <string>
#include "leitai_viewer.hpp"
int main() {
  int turn = 0;
  for (std::string row; std::getline(std::cin, row);) {
    leitai::mark({{1, 2}}, "bad");
    leitai::text("say \"hi\"");
    leitai::line({{0, 0}, {3, 4}});
    leitai::value("turn", ++turn);
    leitai::tag("walk");
    std::cout << 0 << std::endl;
  }
}
"#;

const JAVASCRIPT: &str = "// leitai: protocol=line
const viewer = require('./leitai_viewer');
let turn = 0;
require('readline').createInterface({ input: process.stdin }).on('line', () => {
  viewer.mark([[1, 2]], 'bad');
  viewer.text('say \"hi\"');
  viewer.line([[0, 0], [3, 4]], 'accent');
  viewer.value({ turn: ++turn });
  viewer.tag('walk');
  console.log(0);
});
";

const JAVA: &str = r#"// leitai: protocol=line
import java.util.Scanner;
public class Main {
    public static void main(String[] arguments) {
        Scanner in = new Scanner(System.in);
        for (int turn = 1; in.hasNextLine(); turn++) {
            in.nextLine();
            LeitaiViewer.mark("bad", new int[] {1, 2});
            LeitaiViewer.text("say \"hi\"");
            LeitaiViewer.line("accent", new int[] {0, 0}, new int[] {3, 4});
            LeitaiViewer.value("turn", turn);
            LeitaiViewer.tag("walk");
            System.out.println(0);
        }
    }
}
"#;

const RUST: &str = "// leitai: protocol=line
mod leitai_viewer;
use std::io::BufRead;
fn main() {
    for (turn, _) in std::io::stdin().lock().lines().enumerate() {
        leitai_viewer::mark(&[(1, 2)], \"bad\");
        leitai_viewer::text(\"say \\\"hi\\\"\");
        leitai_viewer::line(&[(0, 0), (3, 4)], \"accent\");
        leitai_viewer::value(\"turn\", turn as f64 + 1.0);
        leitai_viewer::tag(\"walk\");
        println!(\"0\");
    }
}
";

const TYPESCRIPT: &str = "// leitai: protocol=line
import * as readline from 'readline';
import * as viewer from './leitai_viewer';
let turn = 0;
readline.createInterface({ input: process.stdin }).on('line', () => {
  viewer.mark([[1, 2]], 'bad');
  viewer.text('say \"hi\"');
  viewer.line([[0, 0], [3, 4]], 'accent');
  viewer.value({ turn: ++turn });
  viewer.tag('walk');
  console.log(0);
});
";

const GO: &str = "// leitai: protocol=line
package main

import (
	\"bufio\"
	\"fmt\"
	\"os\"
)

func main() {
	input := bufio.NewScanner(os.Stdin)
	for turn := 1; input.Scan(); turn++ {
		Mark(\"bad\", Cell{1, 2})
		Text(\"say \\\"hi\\\"\")
		Line(\"accent\", Cell{0, 0}, Cell{3, 4})
		Value(\"turn\", float64(turn))
		Tag(\"walk\")
		fmt.Println(0)
	}
}
";

const CSHARP: &str = r#"// leitai: protocol=line
using System;
static class Program {
    static void Main() {
        for (int turn = 1; Console.ReadLine() != null; turn++) {
            LeitaiViewer.Mark("bad", (1, 2));
            LeitaiViewer.Text("say \"hi\"");
            LeitaiViewer.Line("accent", (0, 0), (3, 4));
            LeitaiViewer.Value("turn", turn);
            LeitaiViewer.Tag("walk");
            Console.WriteLine(0);
        }
    }
}
"#;

const KOTLIN: &str = r#"// leitai: protocol=line
fun main() {
    var turn = 0
    while (readLine() != null) {
        LeitaiViewer.mark("bad", Pair(1, 2))
        LeitaiViewer.text("say \"hi\"")
        LeitaiViewer.line("accent", Pair(0, 0), Pair(3, 4))
        LeitaiViewer.value("turn", (++turn).toDouble())
        LeitaiViewer.tag("walk")
        println(0)
    }
}
"#;

/// What one log record says to the viewer, joined into one object.
fn said(log: &Value) -> Value {
    let mut all = serde_json::Map::new();
    for line in log["text"].as_str().unwrap_or_default().lines() {
        let Some(object) = line.strip_prefix("#leitai ") else {
            continue;
        };
        let object: Value = serde_json::from_str(object).unwrap_or_else(|_| panic!("{line}"));
        all.extend(object.as_object().expect("an object").clone());
    }
    Value::Object(all)
}

/// Plays a leg of KOB and checks the lines of the program's turns. All of them: what a program says
/// just before it answers can come late, and only some turns show it. The last may have none.
#[track_caller]
fn check_match(place: &Place, program: &str, isolation: &str, seat: usize) {
    let pair = match seat {
        0 => [program, "safe"],
        _ => ["safe", program],
    };
    let words = [
        "match", "kob", pair[0], pair[1], "--seed", "1", "--legs", "1",
    ];
    let more = ["--isolation", isolation, "--replay", "game.json"];
    let output = place.run(&[&words[..], &more].concat());
    let shown = text(&output);
    if !output.status.success() && shown.contains("isolation") {
        println!("skipped: {shown}");
        return;
    }
    assert!(output.status.success(), "{shown}");
    let replay = place.replay("game.json");
    let logs = replay["legs"][0]["logs"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    assert!(!logs.is_empty(), "{program} {isolation}: {replay}");
    for (turn, log) in (1..).zip(&logs[..logs.len().saturating_sub(1).max(1)]) {
        assert_eq!(log["period"], turn, "{program} {isolation}: {logs:?}");
        assert_eq!(log["entrant"], ["A", "B"][seat]);
        let said = said(log);
        for (key, value) in [
            ("mark", json!([[1, 2]])),
            ("line", json!([[0, 0], [3, 4]])),
            ("text", json!("say \"hi\"")),
        ] {
            assert_eq!(said[key], value, "{program} {isolation}: {said}");
        }
        assert_eq!(
            said["value"]["turn"].as_f64(),
            Some(f64::from(turn)),
            "{said}"
        );
        assert!(
            said["tag"] == "walk" || said["tag"] == json!(["walk"]),
            "{said}"
        );
    }
}

#[test]
fn every_isolation_keeps_the_lines_of_either_seat() {
    let place = Place::new();
    let helper = include_str!("../../../sdk/viewer/leitai_viewer.py");
    place.write("leitai_viewer.py", helper);
    place.write("bot.py", PYTHON);
    for isolation in ["none", "c", "b", "a"] {
        for seat in [0, 1] {
            check_match(&place, "./bot.py", isolation, seat);
        }
    }
}

fn check(folder: &str, main: &str, source: &str, helper: &str, text: &str) {
    let place = Place::new();
    std::fs::create_dir(place.path().join(folder)).expect("own folder");
    place.write(&format!("{folder}/{main}"), source);
    place.write(&format!("{folder}/{helper}"), text);
    check_match(&place, &format!("./{folder}"), "none", 0);
}

mod long {
    use super::*;

    /// Without their compilers the matches fail; `./dev test --long` installs them.
    #[test]
    #[ignore = "compilers of 200 MB; ./dev long"]
    fn helpers_of_go_csharp_and_kotlin() {
        let go = include_str!("../../../sdk/viewer/leitai_viewer.go");
        check("go", "main.go", GO, "leitai_viewer.go", go);
        let csharp = include_str!("../../../sdk/viewer/leitai_viewer.cs");
        check("cs", "main.cs", CSHARP, "leitai_viewer.cs", csharp);
        let kotlin = include_str!("../../../sdk/viewer/leitai_viewer.kt");
        check("kt", "main.kt", KOTLIN, "leitai_viewer.kt", kotlin);
    }
}

#[test]
fn every_language_has_a_helper() {
    let has = |tool: &str| {
        let found = std::process::Command::new(tool).arg("--version").output();
        found.is_ok() || {
            println!("skipped: there is no {tool}");
            false
        }
    };
    if has("g++") {
        let helper = include_str!("../../../sdk/viewer/leitai_viewer.hpp");
        check("cpp", "main.cpp", CPP, "leitai_viewer.hpp", helper);
    }
    if has("node") {
        let helper = include_str!("../../../sdk/viewer/leitai_viewer.js");
        check("js", "main.js", JAVASCRIPT, "leitai_viewer.js", helper);
    }
    if has("tsc") {
        let helper = include_str!("../../../sdk/viewer/leitai_viewer.ts");
        check("ts", "main.ts", TYPESCRIPT, "leitai_viewer.ts", helper);
    }
    if has("javac") {
        let helper = include_str!("../../../sdk/viewer/LeitaiViewer.java");
        check("java", "Main.java", JAVA, "LeitaiViewer.java", helper);
    }
    if has("rustc") {
        let helper = include_str!("../../../sdk/viewer/leitai_viewer.rs");
        check("rust", "main.rs", RUST, "leitai_viewer.rs", helper);
    }
}

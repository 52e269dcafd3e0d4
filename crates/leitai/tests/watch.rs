//! `--watch`: a match or a check is done again when its program or its map was saved, until it is
//! interrupted.

use crate::place;

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};
use std::sync::mpsc;

use place::{Place, split_words, text};
use rustix::process::{Pid, Signal, kill_process};

/// Answers as long as it is whole.
const SOUND: &str = "# leitai: protocol=json-lines
import json, sys
for row in sys.stdin:
    message = json.loads(row)
    if message['type'] == 'turn':
        print(json.dumps({'action': message['legal'][0]}), flush=True)
";

/// A command that is ended with the test.
struct Watched {
    child: Child,
    /// The lines of stdout and stderr, as they come.
    lines: mpsc::Receiver<String>,
}

impl Watched {
    fn start(place: &Place, words: &[&str]) -> Watched {
        let mut command = place.leitai(words);
        let piped = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().expect("leitai runs");
        let (say, lines) = mpsc::channel();
        let stdout = child.stdout.take().expect("a pipe");
        let stderr = child.stderr.take().expect("a pipe");
        for stream in [Box::new(stdout) as Box<dyn Read + Send>, Box::new(stderr)] {
            let say = say.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    let _ = say.send(line);
                }
            });
        }
        Watched { child, lines }
    }

    /// Reads until each text was in a line; the two streams come in any order.
    fn wait_for(&self, wanted: [&str; 2]) {
        let mut read: Vec<String> = Vec::new();
        while !wanted
            .iter()
            .all(|text| read.iter().any(|line| line.contains(text)))
        {
            let line = self.lines.recv();
            read.push(line.unwrap_or_else(|_| panic!("it ended before {wanted:?}: {read:#?}")));
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_saved_program_is_used_again_until_an_interruption() {
    let edge = "1".repeat(14);
    let map = format!("{edge}\n{}{edge}\n", "10000000000001\n".repeat(11));
    let bot = ("match kob ./bot.py safe --no-replay --legs 1", "bot.py");
    let drawn = "match kob random safe --no-replay --legs 1 --config map=./my.map";
    let checked = ("check kob ./folder", "folder/main.py");
    for ((words, file), sound, good, bad) in [
        (bot, SOUND, "safe wins", "IndentationError"),
        (checked, SOUND, "is accepted", "is not accepted"),
        ((drawn, "my.map"), &map, "safe wins", "the map has"),
    ] {
        let words = split_words(words);
        let place = Place::new();
        std::fs::create_dir(place.path().join("folder")).expect("own folder");
        place.write(file, sound);
        let more = ["--isolation", "none", "--seed", "1", "--watch"];
        let mut watched = Watched::start(&place, &[&words[..], &more].concat());
        for (source, result) in [(None, good), (Some(" broken\n"), bad), (Some(sound), good)] {
            if let Some(source) = source {
                place.write(file, source);
            }
            watched.wait_for([result, "waiting for a save of ./"]);
        }
        // In the background of a shell SIGINT is ignored.
        let id = Pid::from_child(&watched.child);
        kill_process(id, Signal::TERM).expect("it runs");
        let status = watched.child.wait().expect("it ends");
        assert_eq!(status.code(), Some(0), "{words:?}");
    }
}

#[test]
fn without_a_program_there_is_nothing_to_watch() {
    let place = Place::new();
    for (bot, why) in [
        ("random", "built-in bots are never saved"),
        ("./none.py", "none.py"),
    ] {
        let output = place.run(&["match", "kob", bot, "safe", "--watch", "--no-replay"]);
        let shown = text(&output);
        assert!(shown.contains(why), "{shown}");
        assert_eq!(output.status.code(), Some(2), "{shown}");
    }
}

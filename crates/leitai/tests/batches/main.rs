//! Series on many machines: nats-server, workers and the asking side as real processes.

#[path = "../servers/certificate.rs"]
mod certificate;
#[allow(dead_code, reason = "every test binary uses its part")]
#[path = "../servers/nats.rs"]
mod nats;
#[path = "../../../store/tests/contract/ports.rs"]
mod ports;
mod site;

use std::fs;
use std::process::Output;
use std::time::{Duration, Instant};

use certificate::make_certificate;
use nats::NatsServer;
use site::{Site, USER, wait_until};

/// Deterministic bots that think for a while, so that there is time to kill somebody.
const PAIR: [&str; 2] = ["level8", "level7"];

/// A comparison of these bots that always plays all pairs.
fn comparison<'a>(
    bots: [&'a str; 2],
    seed: &'a str,
    pairs: &'a str,
    folder: &'a str,
) -> Vec<&'a str> {
    let [new, base] = bots;
    vec![
        "compare",
        "kob",
        new,
        base,
        "--seed",
        seed,
        "--max",
        pairs,
        "--folder",
        folder,
        "--alpha",
        "1e-9",
        "--beta",
        "1e-9",
        "--elo0=-1",
        "--elo1",
        "1",
    ]
}

#[track_caller]
fn assert_ended(output: &Output, code: i32, parts: &[&str]) -> String {
    let both = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&both).into_owned();
    assert_eq!(output.status.code(), Some(code), "{text}");
    for part in parts {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
    assert!(
        !text.contains("panicked") && !text.contains("se%3Acret"),
        "{text}"
    );
    text
}

#[test]
fn sixteen_pairs_on_three_workers_of_which_one_is_killed_equal_the_same_run_on_one_machine() {
    let Some(site) = Site::start() else { return };
    let mut workers = site.three_workers();
    let mut asker = site.begin_on_bus(&comparison(PAIR, "3", "16", "there"));
    site.wait_for_matches("there", 4);
    workers[0].kill();
    assert_ended(
        &site.run(&comparison(PAIR, "3", "16", "here")),
        4,
        &["undecided"],
    );
    assert_eq!(asker.wait(), Some(4), "{}", asker.log());
    asker.wait_for("undecided");
    site.assert_same("there", "here", 16);
    assert_eq!(
        site.streams(),
        ["leitai-batch-jobs"],
        "nothing of the batch stays on the bus"
    );
    assert!(!site.path("there/batch.id").exists());
}

#[test]
fn results_that_are_too_large_for_a_message_go_through_the_bucket() {
    // What is left of a message beside its names is 904 bytes, less than any result.
    let Some(site) = Site::start_with("max_payload: 5000\n") else {
        return;
    };
    let _worker = site.work("w1");
    let pair = ["space", "safe"];
    assert_ended(
        &site.run(&comparison(pair, "7", "6", "here")),
        4,
        &["undecided"],
    );
    let on_bus = site.begin_on_bus(&comparison(pair, "7", "6", "there"));
    on_bus.wait_for("undecided");
    site.assert_same("there", "here", 6);

    // The position from which a match starts goes along.
    let made = site.run(&["book", "make", "here/replays", "--output", "kob.book"]);
    assert_ended(&made, 0, &["positions"]);
    let from_book = |folder| {
        [
            comparison(pair, "7", "3", folder),
            vec!["--book", "kob.book"],
        ]
        .concat()
    };
    assert_ended(
        &site.run(&from_book("book-here")),
        4,
        &["positions of the book"],
    );
    let on_bus = site.begin_on_bus(&from_book("book-there"));
    on_bus.wait_for("undecided");
    site.assert_same("book-there", "book-here", 3);
}

#[test]
fn a_killed_run_and_a_restarted_bus_lose_and_repeat_nothing() {
    let Some(mut site) = Site::start() else {
        return;
    };
    let _workers = site.three_workers();
    // So many that no run ends before it is killed.
    let words = comparison(PAIR, "7", "1000000", "there");
    let mut asker = site.begin_on_bus(&words);
    site.wait_for_matches("there", 4);
    asker.kill();
    let mut asker = site.begin_on_bus(&words);
    site.wait_for_matches("there", site.journal("there").len() + 4);
    site.nats.kill();
    asker.wait_for("is away");
    site.nats.start_again();
    asker.wait_for("the bus is back");
    site.wait_for_matches("there", site.journal("there").len() + 1);
    asker.kill();
    let all = site.journal("there").len() + 8;
    let pairs = all.to_string();
    let played = site.run_on_bus(&comparison(PAIR, "7", &pairs, "there"));
    assert_ended(&played, 4, &[]);
    assert_ended(&site.run(&comparison(PAIR, "7", &pairs, "here")), 4, &[]);
    site.assert_same("there", "here", all);
}

#[test]
fn two_batches_at_once_with_programs_and_built_in_bots_do_not_meet() {
    let Some(site) = Site::start() else { return };
    let _workers = site.three_workers();
    let made = site.run(&["new", "kob", "python", "--folder", "python"]);
    assert_ended(&made, 0, &[]);
    fs::create_dir(site.path("broken")).expect("own folder");
    fs::write(site.path("broken/main.cpp"), "int main( {\n").expect("own folder");
    let tournament = |folder: &'static str| {
        vec![
            "tournament",
            "kob",
            "python",
            "space",
            "broken",
            "v2=safe",
            "--seed",
            "9",
            "--folder",
            folder,
        ]
    };
    let mut asker = site.begin_on_bus(&comparison(["space", "safe"], "9", "40", "there"));
    let said = assert_ended(
        &site.run_on_bus(&tournament("cup-there")),
        0,
        &["CE", "main.cpp:1", "6 matches"],
    );
    assert!(
        !said.contains("/tmp/leitai"),
        "folders of a worker say nothing: {said}"
    );
    assert_eq!(asker.wait(), Some(4), "{}", asker.log());
    assert_ended(&site.run(&tournament("cup-here")), 0, &["CE"]);
    assert_ended(
        &site.run(&comparison(["space", "safe"], "9", "40", "here")),
        4,
        &[],
    );
    site.assert_same("there", "here", 40);
    assert_eq!(site.journal("cup-there"), site.journal("cup-here"));
    let table = |folder: &str| {
        fs::read_to_string(site.path(folder).join("crosstable.csv")).expect("a report")
    };
    assert_eq!(table("cup-there"), table("cup-here"));
    assert_eq!(site.streams(), ["leitai-batch-jobs"]);
}

#[test]
fn a_worker_leaves_matches_of_an_ended_batch_and_gives_back_those_of_a_stop() {
    let Some(site) = Site::start() else { return };
    let began = site.path("began");
    let slow = format!("import time\nopen({began:?}, 'w').close()\ntime.sleep(1000)\n");
    fs::write(site.path("slow.py"), slow).expect("own folder");
    let limit = Duration::from_secs(150);
    let begin_slow = || {
        let words = ["compare", "kob", "slow.py", "safe", "--limit", "150s"];
        let asker = site.begin_on_bus(&words);
        wait_until(|| began.exists());
        fs::remove_file(&began).expect("own folder");
        asker
    };
    let mut worker = site.work("w1");
    begin_slow().stop();
    let begun = Instant::now();
    let played = site.run_on_bus(&comparison(["space", "safe"], "9", "2", "next"));
    assert_ended(&played, 4, &[]);
    assert!(begun.elapsed() < limit / 2, "its slot was free");
    let _asker = begin_slow();
    assert_eq!(worker.stop(), Some(0), "{}", worker.log());
    let _worker = site.work("w2");
    wait_until(|| began.exists());
}

#[test]
fn a_program_that_no_worker_can_build_ends_the_run_with_the_reason() {
    let Some(site) = Site::start() else { return };
    fs::write(site.path("bot.cpp"), "int main() {}\n").expect("own folder");
    fs::write(site.path("bad.cpp"), "int main( {\n").expect("own folder");
    let bus = site.bus();
    let words = ["worker", "--bus", &bus, "--name", "bare", "--slots", "1"];
    let mut command = site.command(&words);
    // Without a compiler.
    command.env("PATH", "/nonexistent");
    let mut worker = site.attach(command, "bare");
    assert_ended(
        &site.run_on_bus(&["compare", "kob", "bot.cpp", "safe"]),
        1,
        &["no worker could build it", "is needed but not installed"],
    );
    worker.kill();
    let _worker = site.work("whole");
    assert_ended(
        &site.run_on_bus(&["compare", "kob", "bad.cpp", "safe"]),
        1,
        &[
            "bad could not be built",
            "a comparison with it would say nothing",
        ],
    );
    assert_eq!(site.streams(), ["leitai-batch-jobs"]);
}

#[test]
fn what_is_wrong_with_the_bus_is_said_with_the_next_step() {
    let Some(site) = Site::start() else { return };
    let Some(plain) = NatsServer::start() else {
        return;
    };
    let check = |bus: &str, parts: &[&str]| {
        assert_ended(
            &site.run(&["compare", "kob", "space", "safe", "--on", bus]),
            1,
            parts,
        );
        assert_ended(&site.run(&["worker", "--bus", bus]), 1, parts);
    };
    // Nobody listens there, and nobody is given this port.
    let unreachable = format!("nats://{USER}@127.0.0.1:9");
    check(
        &unreachable,
        &[
            "no NATS server answers at nats://batch:…@127.0.0.1",
            "nats-server runs",
        ],
    );
    check(
        &site.nats.url_of("batch:wrong"),
        &["refuses the user or the password", "batch:…@"],
    );
    check(
        &plain.url_of(USER),
        &["no JetStream", "nats-server with --jetstream"],
    );
    check("mqtt://127.0.0.1", &["is not the address of a NATS server"]);
    let config = r#"{"name":"leitai-batch-jobs","subjects":["leitai.batch.v1.jobs.>"],"retention":"limits","storage":"file"}"#;
    site.ask_bus("$JS.API.STREAM.CREATE.leitai-batch-jobs", config);
    check(
        &site.bus(),
        &["has other settings", "nats stream rm leitai-batch-jobs"],
    );
}

#[test]
fn a_full_bus_is_told_and_the_run_goes_on_when_there_is_room() {
    let Some(site) = Site::start() else { return };
    let mut asker = site.begin_on_bus(&comparison(["space", "safe"], "1", "4", "there"));
    asker.wait_for("no worker has taken a job yet");
    let config =
        r#"{"name":"fill","subjects":["leitai.batch.fill"],"retention":"limits","storage":"file"}"#;
    site.ask_bus("$JS.API.STREAM.CREATE.fill", config);
    let mut size = 512 << 10;
    while size > 0 {
        let answer = site.ask_bus("leitai.batch.fill", &"x".repeat(size));
        if answer.contains("error") {
            size /= 2;
        }
    }
    // The worker that has a result says so, and who wants more matches.
    let worker = site.work("w1");
    worker.wait_for("the bus has no room for a result");
    let mut other = site.begin_on_bus(&comparison(["space", "safe"], "5", "2", "other"));
    other.wait_for("the bus has no room for another match");
    site.ask_bus("$JS.API.STREAM.DELETE.fill", "");
    for (run, folder, pairs) in [(&mut asker, "there", 4), (&mut other, "other", 2)] {
        assert_eq!(run.wait(), Some(4), "{}", run.log());
        assert_eq!(site.journal(folder).len(), pairs);
    }
    assert_eq!(site.streams(), ["leitai-batch-jobs"]);
}

#[test]
fn a_secured_bus_is_used_with_a_trusted_certificate_alone() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = make_certificate(folder.path(), "bus");
    let Some(site) = Site::start_with(&NatsServer::lines_for_tls(&files)) else {
        return;
    };
    let bus = site.bus().replace("nats://", "tls://");
    let asking = [
        &comparison(["space", "safe"], "7", "3", "there")[..],
        &["--on", &bus],
    ]
    .concat();
    let working = ["worker", "--bus", &bus, "--name", "w1", "--slots", "1"];
    for words in [&asking[..], &working] {
        let parts = ["no secured connection to tls://batch:…@", "SSL_CERT_FILE"];
        assert_ended(&site.run(words), 1, &parts);
    }
    let trusting = |words: &[&str]| {
        let mut command = site.command(words);
        command.env("SSL_CERT_FILE", &files[0]);
        command
    };
    let _worker = site.attach(trusting(&working), "w1");
    let compared = trusting(&asking).output().expect("the binary starts");
    assert_ended(&compared, 4, &["undecided"]);
    assert_eq!(site.journal("there").len(), 3);
}

#[test]
fn a_run_without_workers_says_so_and_goes_on_when_one_comes() {
    let Some(site) = Site::start() else { return };
    let mut asker = site.begin_on_bus(&comparison(["space", "safe"], "1", "3", "there"));
    asker.wait_for(
        "no worker has taken a job yet: start one with leitai worker --bus nats://batch:…@",
    );
    let _worker = site.work("late");
    assert_eq!(asker.wait(), Some(4), "{}", asker.log());
    wait_until(|| site.streams() == ["leitai-batch-jobs"]);
}

//! The alerts of `deploy/alerts.yml` with Prometheus itself: each one by its rule, and some with the
//! fault that it names at a real server.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use leitai_store::{MatchEntrant, MatchKind, MatchSeed, NewMatch, PerSide, Timestamp};
use serde_json::{Value, json};

use crate::fleet::{Fleet, wait_until};
use crate::ports::find_port;

/// Where `./dev test` puts the programs of the Debian package, without its service.
const UNPACKED: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../target/prometheus/usr/bin"
);

/// A program of the Debian package `prometheus`. Prints a loud note and returns `None` where it is
/// not installed; panics if `LEITAI_REQUIRE_PROMETHEUS` is 1.
fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    folders.push(UNPACKED.into());
    let found = folders.iter().map(|folder| folder.join(name));
    let found = found.into_iter().find(|file| file.is_file());
    if found.is_none() {
        let required = std::env::var("LEITAI_REQUIRE_PROMETHEUS").is_ok_and(|value| value == "1");
        assert!(!required, "{name} is not installed: run ./dev test");
        eprintln!("NOT TESTED: alerts, as there is no {name}; `./dev test` gets it");
    }
    found
}

fn read_rules() -> String {
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/alerts.yml");
    fs::read_to_string(rules).expect("it is there")
}

/// What alerts do after 40 minutes of these series, a value a minute.
const ROWS: &str = r#"
fires LeitaiDown
  up{job="leitai",instance="a"} 1x37 0x9
quiet LeitaiDown
  up{job="leitai",instance="a"} 1x60
fires LeitaiDown
  up{job="other",instance="a"} 1x60
fires LeitaiUnhealthy
  leitai_http_requests_total{route="/healthz",status="503"} _x35 1+5x9
quiet LeitaiUnhealthy
  leitai_http_requests_total{route="/healthz",status="200"} 0+5x60
fires LeitaiDatabaseAway
  leitai_database_up{instance="a"} 1x37 0x9
quiet LeitaiDatabaseAway
  leitai_database_up{instance="a"} 1x60
// Workers that wait, and probes, do not hide that one answer in fifty is an error.
fires LeitaiErrors
  leitai_http_requests_total{route="/api/me",status="500"} 0+1x60
  leitai_http_requests_total{route="/api/me",status="200"} 0+50x60
  leitai_http_requests_total{route="/healthz",status="200"} 0+500x60
  leitai_http_requests_total{route="/api/worker/report",status="200"} 0+5000x60
// One error in an arena that nobody uses.
quiet LeitaiErrors
  leitai_http_requests_total{route="/api/me",status="500"} 0x30 1x30
  leitai_http_requests_total{route="/api/me",status="200"} 0+1x60
fires LeitaiWorkerErrors
  leitai_http_requests_total{route="/api/worker/report",status="500"} 0+2x60
quiet LeitaiWorkerErrors
  leitai_http_requests_total{route="/api/worker/report",status="500"} 0x30 1x30
fires LeitaiSlow
  leitai_http_request_seconds_bucket{route="/api/me",le="1"} 0+90x60
  leitai_http_request_seconds_bucket{route="/api/me",le="2.5"} 0+100x60
  leitai_http_request_seconds_bucket{route="/api/me",le="+Inf"} 0+100x60
quiet LeitaiSlow
  leitai_http_request_seconds_bucket{route="/api/me",le="1"} 0+100x60
  leitai_http_request_seconds_bucket{route="/api/me",le="+Inf"} 0+100x60
  leitai_http_long_requests_total{route="/api/worker/acquire",status="200"} 0+900x60
// Somebody plays, and exhibitions go on, while uploads wait.
fires LeitaiNobodyWorks
  leitai_jobs_queued{kind="version"} 2x60
  leitai_jobs_running{kind="version"} 0x60
  leitai_jobs_running{kind="human"} 1x60
  leitai_jobs_running{kind="exhibition"} 1x60
// A table waits for its second person.
quiet LeitaiNobodyWorks
  leitai_jobs_queued{kind="human"} 1x60
  leitai_jobs_queued{kind="match"} 0x60
  leitai_jobs_running{kind="match"} 0x60
fires LeitaiNoWorker
  leitai_jobs_queued{kind="version"} 1x60
  leitai_workers{programs="yes"} 0x60
  leitai_workers{programs="no"} 3x60
quiet LeitaiNoWorker
  leitai_jobs_queued{kind="version"} 0x60
  leitai_workers{programs="yes"} 0x60
fires LeitaiNoLeader
  leitai_leader{instance="a"} 1x37 0x9
  leitai_leader{instance="b"} 0x60
quiet LeitaiNoLeader
  leitai_leader{instance="a"} 1x37 0x9
  leitai_leader{instance="b"} 0x37 1x9
fires LeitaiQueueGrows
  leitai_jobs_queued{kind="match"} 900+50x60
// A contest's queue gets shorter while one more version waits.
quiet LeitaiQueueGrows
  leitai_jobs_queued{kind="match"} 9000-50x60
  leitai_jobs_queued{kind="version"} 0+0.1x60
fires LeitaiVoidMatches
  leitai_matches{state="void"} 0x35 12x9
quiet LeitaiVoidMatches
  leitai_matches{state="void"} 500x60
fires LeitaiJobSetAside
  leitai_jobs_set_aside{kind="version"} 0x38 1x9
quiet LeitaiJobSetAside
  leitai_jobs_set_aside{kind="version"} 0x60
fires LeitaiBusAway
  leitai_bus_connected{instance="a"} 1x37 0x9
quiet LeitaiBusAway
  leitai_bus_connected{instance="a"} 1x60
fires LeitaiPoolExhausted
  leitai_database_waiting{instance="a"} 0x20 3x30
fires LeitaiPoolExhausted
  leitai_database_connections{instance="a",state="used"} 16x60
  leitai_database_connections_most{instance="a"} 16x60
quiet LeitaiPoolExhausted
  leitai_database_waiting{instance="a"} 0 3 0 3 0x60
  leitai_database_connections{instance="a",state="used"} 4x60
  leitai_database_connections{instance="a",state="idle"} 12x60
  leitai_database_connections_most{instance="a"} 16x60
fires LeitaiNotSent
  leitai_to_send_overdue_seconds{queue="mail"} 0+60x60
quiet LeitaiNotSent
  leitai_to_send_overdue_seconds{queue="webhooks"} 0x60
fires LeitaiMemory
  leitai_memory_bytes 9x60
  leitai_memory_most_bytes 10x60
quiet LeitaiMemory
  leitai_memory_bytes 1x60
  leitai_memory_most_bytes 10x60
fires LeitaiOpenFiles
  leitai_open_files 900x60
  leitai_open_files_most 1000x60
quiet LeitaiOpenFiles
  leitai_open_files 90x60
  leitai_open_files_most 1000x60
fires LeitaiDisk
  leitai_disk_free_bytes 5x60
  leitai_disk_bytes 100x60
quiet LeitaiDisk
  leitai_disk_free_bytes 50x60
  leitai_disk_bytes 100x60
"#;

/// Whether an alert fires, its name, and the series with their values.
type Row = (bool, &'static str, Vec<(&'static str, &'static str)>);

fn read_rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let lines = ROWS
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with("//"));
    for line in lines {
        let (first, second) = line.trim().split_once(' ').expect("two words");
        match line.strip_prefix("  ") {
            Some(_) => rows.last_mut().expect("an alert").2.push((first, second)),
            None => rows.push((first == "fires", second, Vec::new())),
        }
    }
    rows
}

#[test]
fn every_alert_fires_for_its_fault_and_not_without_it() {
    let Some(promtool) = find_program("promtool") else {
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let rules = read_rules();
    fs::write(folder.path().join("alerts.yml"), &rules).expect("own folder");
    let rows = read_rows();
    let tests = rows.iter().map(|(fires, alert, series)| {
        let series = series
            .iter()
            .map(|(name, values)| json!({"series": name, "values": values}));
        let is_quiet = json!({"labels": "{}", "value": 0});
        let is_firing = json!({"labels": "{}", "value": 1});
        let expected = if *fires { is_firing } else { is_quiet };
        let firing = format!(r#"ALERTS{{alertname="{alert}",alertstate="firing"}}"#);
        json!({
            "interval": "1m",
            "input_series": series.collect::<Vec<_>>(),
            "promql_expr_test": [{
                "expr": format!("count({firing}) or vector(0)"),
                "eval_time": "40m", "exp_samples": [expected],
            }],
        })
    });
    // JSON is YAML.
    let file = json!({
        "rule_files": ["alerts.yml"], "evaluation_interval": "1m",
        "tests": tests.collect::<Vec<_>>(),
    });
    fs::write(folder.path().join("tests.yml"), file.to_string()).expect("own folder");
    let done = Command::new(promtool)
        .args(["test", "rules", "tests.yml"])
        .current_dir(folder.path())
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&[done.stdout, done.stderr].concat()).into_owned();
    assert!(done.status.success(), "{said}");
    let alerts = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "));
    let of_rows = |fires: bool| -> BTreeSet<&str> {
        let rows = rows.iter().filter(|row| row.0 == fires);
        rows.map(|row| row.1).collect()
    };
    let alerts: BTreeSet<&str> = alerts.collect();
    assert_eq!((&of_rows(true), &of_rows(false)), (&alerts, &alerts));
}

/// A Prometheus that asks one server, with the alerts of `deploy/alerts.yml` in short times; it is
/// killed when the value is dropped.
struct Prometheus {
    process: Child,
    port: u16,
}

impl Drop for Prometheus {
    fn drop(&mut self) {
        // It may have ended already.
        _ = self.process.kill();
        _ = self.process.wait();
    }
}

impl Prometheus {
    fn start(program: &Path, folder: &Path, asked: &str) -> Prometheus {
        fs::create_dir_all(folder).expect("own folder");
        fs::write(folder.join("alerts.yml"), cut_times(&read_rules())).expect("own folder");
        let config = json!({
            "global": {"scrape_interval": "2s", "scrape_timeout": "2s", "evaluation_interval": "1s"},
            "rule_files": ["alerts.yml"],
            "scrape_configs": [{"job_name": "leitai", "static_configs": [{"targets": [asked]}]}],
        });
        fs::write(folder.join("prometheus.yml"), config.to_string()).expect("own folder");
        let port = find_port();
        let process = Command::new("setpriv")
            .arg("--pdeathsig=KILL")
            .arg(program)
            .arg("--config.file=prometheus.yml")
            .arg("--storage.tsdb.path=data")
            .arg("--log.level=error")
            .arg(format!("--web.listen-address=127.0.0.1:{port}"))
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        Prometheus { process, port }
    }

    fn ask(&self, path: &str) -> Option<Value> {
        let url = format!("http://127.0.0.1:{}/api/v1/{path}", self.port);
        ureq::get(url).call().ok()?.body_mut().read_json().ok()
    }

    /// The alerts that fire.
    fn firing(&self) -> BTreeSet<String> {
        let told = self.ask("alerts").unwrap_or_default();
        let alerts = told["data"]["alerts"].as_array();
        let firing = alerts
            .into_iter()
            .flatten()
            .filter(|one| one["state"] == "firing");
        let name = |one: &Value| one["labels"]["alertname"].as_str().map(str::to_owned);
        firing.filter_map(name).collect()
    }

    fn wait_for(&self, alert: &str, fires: bool) {
        wait_until(&format!("{alert} fires: {fires}"), || {
            self.firing().contains(alert) == fires
        });
    }

    /// The value of a query with one answer.
    fn value_of(&self, query: &str) -> f64 {
        let told = self
            .ask(&format!("query?query={query}"))
            .unwrap_or_default();
        let value = told["data"]["result"][0]["value"][1].as_str();
        value
            .and_then(|value| value.parse().ok())
            .unwrap_or_default()
    }
}

/// Each `for` is a second, and each range twenty.
fn cut_times(rules: &str) -> String {
    let lines = rules
        .lines()
        .map(|line| match line.trim().starts_with("for: ") {
            true => "        for: 1s".to_owned(),
            false => ["[5m]", "[10m]", "[1h]"]
                .iter()
                .fold(line.replace("[30m:1m]", "[20s:1s]"), |line, range| {
                    line.replace(range, "[20s]")
                }),
        });
    lines.collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn prometheus_tells_the_faults_of_a_server_and_no_others() {
    let Some(program) = find_program("prometheus") else {
        return;
    };
    let Some(fleet) = Fleet::start() else { return };
    let asked = format!("127.0.0.1:{}", find_port());
    let words = [
        "serve",
        "--listen",
        "127.0.0.1:0",
        "--slots",
        "0",
        "--metrics",
        &asked,
    ];
    let one = fleet.launch_with(&words, "one", "").wait_for_greeting();
    let ada = one.register_first();
    let prometheus = Prometheus::start(&program, &fleet.path("prometheus"), &asked);
    wait_until("the server is asked", || {
        prometheus.value_of("leitai_leader") == 1.0
    });
    wait_until("alerts are evaluated", || prometheus.ask("rules").is_some());

    // The first void matches of an arena.
    wait_until("there were none for a while", || {
        prometheus.value_of("count_over_time(leitai_matches%7Bstate=%22void%22%7D[20s])") >= 4.0
    });
    let store = fleet.open_store().await;
    for seed in 0..30 {
        let person = MatchEntrant::human_entrant("guest", None);
        let entrants = PerSide {
            a: Some(person.clone()),
            b: Some(person),
        };
        let new = NewMatch::new("kob", MatchKind::Human, entrants, MatchSeed::from(seed), 1);
        let made = store
            .create_match(new, Timestamp::now())
            .await
            .expect("made");
        let voided = store.void_match(made.id, "a test", Timestamp::now()).await;
        voided.expect("it was not over");
    }
    store.close_store().await.expect("it closes");
    prometheus.wait_for("LeitaiVoidMatches", true);

    // An upload waits, and nobody works.
    let bot = one.make_bot(&ada, "tankcraft", "waits");
    let version = one
        .try_upload(&ada, bot, Duration::ZERO)
        .expect("it is accepted");
    prometheus.wait_for("LeitaiNoWorker", true);
    prometheus.wait_for("LeitaiNobodyWorks", true);

    // A worker comes, works, and waits at the server for more: nothing is slow.
    let _worker = fleet.work_for(&[&one], "worker");
    one.wait_for_version(version);
    prometheus.wait_for("LeitaiNoWorker", false);
    prometheus.wait_for("LeitaiNobodyWorks", false);
    wait_until("the worker waits for the third time", || {
        prometheus.value_of("sum(leitai_http_long_requests_total)") >= 4.0
    });

    // The bus is away.
    // A machine that starves may be slow for a while, and is so no more.
    let others = ["Slow", "BusAway", "Errors", "Down", "NoLeader"];
    wait_until("no other alert fires", || {
        let firing = prometheus.firing();
        let fires = |alert| firing.contains(&format!("Leitai{alert}"));
        !others.into_iter().any(fires)
    });
    fleet.nats.lock().expect("it is there").kill();
    prometheus.wait_for("LeitaiBusAway", true);
    fleet.nats.lock().expect("it is there").start_again();
    prometheus.wait_for("LeitaiBusAway", false);

    // The server is stopped.
    one.process.signal("STOP");
    prometheus.wait_for("LeitaiDown", true);
    one.process.signal("CONT");
    prometheus.wait_for("LeitaiDown", false);
}

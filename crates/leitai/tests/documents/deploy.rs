//! The files in deploy/: units, and the steps of the image as far as they run without Docker.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use crate::reader::{BINARY, said};
use crate::root;

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect(path)
}

fn bash(script: &str) -> Output {
    let mut bash = Command::new("bash");
    bash.args(["-euo", "pipefail", "-c", script])
        .stdin(Stdio::null())
        .output()
        .expect("bash runs")
}

/// One stage of the Dockerfile.
struct BuildStage {
    image: String,
    name: String,
    steps: Vec<(String, String)>,
}

fn stages() -> Vec<BuildStage> {
    let text = read("deploy/Dockerfile").replace("\\\n", " ");
    let mut stages: Vec<BuildStage> = Vec::new();
    for line in text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.trim().is_empty())
    {
        let (step, rest) = line.split_once(' ').expect("a step and its words");
        match step {
            "FROM" => {
                let (image, name) = rest.split_once(" AS ").unwrap_or((rest, ""));
                stages.push(BuildStage {
                    image: image.to_owned(),
                    name: name.to_owned(),
                    steps: Vec::new(),
                });
            }
            _ => stages
                .last_mut()
                .expect("FROM comes first")
                .steps
                .push((step.to_owned(), rest.to_owned())),
        }
    }
    stages
}

/// `20.19` of `>=20.19`, `1.95` of `1.95-bookworm`.
fn version(text: &str) -> Vec<u32> {
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let end = digits
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(digits.len());
    digits[..end]
        .split('.')
        .filter_map(|part| part.parse().ok())
        .collect()
}

#[test]
fn the_image_copies_existing_files_and_uses_new_enough_tools() {
    let stages = stages();
    let package: serde_json::Value = serde_json::from_str(&read("web/package.json")).expect("JSON");
    let node = version(package["engines"]["node"].as_str().expect("a version"));
    let manifest = read("Cargo.toml");
    let rust = manifest
        .lines()
        .find(|line| line.starts_with("rust-version"))
        .expect("a version");
    for (number, BuildStage { image, steps, .. }) in stages.iter().enumerate() {
        let (name, tag) = image
            .split_once(':')
            .expect("a tag, so that the image is the same next year");
        assert!(
            tag.contains("bookworm"),
            "{image}: all stages need one Debian, or the binary may not start"
        );
        let runs = |words: &str| {
            steps
                .iter()
                .any(|(step, rest)| step == "RUN" && rest.contains(words))
        };
        if runs("npm ") {
            assert!(
                name == "node" && version(tag)[0] > node[0],
                "{image}: the page needs Node {node:?}"
            );
        }
        if runs("cargo build") {
            assert!(
                name == "rust" && version(tag) >= version(rust),
                "{image}: {rust}"
            );
        }
        for (_, rest) in steps.iter().filter(|(step, _)| step == "COPY") {
            let words: Vec<&str> = rest.split(' ').collect();
            let (sources, from) = match words[0].strip_prefix("--from=") {
                Some(from) => (&words[1..words.len() - 1], Some(from)),
                None => (&words[..words.len() - 1], None),
            };
            match from {
                Some(from) => assert!(
                    stages[..number].iter().any(|stage| stage.name == from),
                    "{rest}"
                ),
                None => sources.iter().for_each(|source| {
                    assert!(
                        root().join(source).exists(),
                        "COPY {source}: there is no such file"
                    );
                }),
            }
        }
    }
}

/// Whether this machine's Node can build the page.
fn has_node() -> bool {
    let said = Command::new("node").arg("--version").output();
    let found =
        said.is_ok_and(|said| version(&String::from_utf8_lossy(&said.stdout)) >= vec![20, 19]);
    if !found {
        eprintln!("NOT TESTED: the page needs Node 20.19 or newer");
    }
    found
}

mod long {
    #[test]
    #[ignore = "installs and builds the page, a minute or two; ./dev long"]
    fn the_stage_of_the_page_builds_it() {
        super::build_page_as_the_image_does();
    }
}

/// Runs the steps of the page's stage with this machine's Node and the files that the image gets.
fn build_page_as_the_image_does() {
    if !has_node() {
        return;
    }
    let stages = stages();
    let stage = stages
        .iter()
        .find(|stage| stage.name == "page")
        .expect("a stage");
    let folder = TempDir::new().expect("a folder");
    let (tree, place) = (
        root().display().to_string(),
        folder.path().display().to_string(),
    );
    for (step, rest) in &stage.steps {
        let script = match step.as_str() {
            "WORKDIR" => continue,
            // Docker does not send the files that .dockerignore names.
            "COPY" => {
                let (sources, to) = rest.rsplit_once(' ').expect("what and where to");
                let folder = sources
                    .split(' ')
                    .all(|source| root().join(source).is_dir());
                let to = if folder { "./" } else { to };
                format!(
                    "mkdir -p {to}; to=$PWD/{to}; cd {tree}; \
                     tar -c --exclude node_modules --exclude dist {sources} | tar -x -C $to {}",
                    if folder { "" } else { "--strip-components=1" }
                )
            }
            _ => rest.clone(),
        };
        let done = bash(&format!(
            "cd {place}; export npm_config_prefer_offline=true; {script}"
        ));
        assert!(done.status.success(), "{step} {rest}\n{}", said(&done));
    }
    assert!(
        folder.path().join("web/dist/index.html").is_file(),
        "the stage writes the page"
    );
}

/// A crate with the server's build script and nothing else, and the output of cargo for it.
struct Crate(TempDir);

impl Crate {
    fn new() -> Crate {
        let folder = TempDir::new().expect("a folder");
        let place = folder.path().join("crates/server");
        fs::create_dir_all(place.join("src")).expect("there is room");
        fs::copy(
            root().join("crates/server/build.rs"),
            place.join("build.rs"),
        )
        .expect("the script");
        fs::copy(root().join("Cargo.lock"), place.join("Cargo.lock")).expect("the lock");
        let flate2 = read("Cargo.toml")
            .lines()
            .find(|line| line.starts_with("flate2"))
            .expect("it")
            .to_owned();
        let manifest = format!(
            "[package]\nname = \"page\"\nedition = \"2024\"\n[build-dependencies]\n{flate2}\n[workspace]\n"
        );
        fs::write(place.join("Cargo.toml"), manifest).expect("there is room");
        let page = "pub struct EmbeddedFile { pub name: &'static str, pub is_gzip: bool, pub bytes: &'static [u8], pub brotli: Option<&'static [u8]> }\n\
                    include!(concat!(env!(\"OUT_DIR\"), \"/page.rs\"));\nfn main() { println!(\"{}\", FILES.len()); }\n";
        fs::write(place.join("src/main.rs"), page).expect("there is room");
        Crate(folder)
    }

    fn cargo(&self, words: &[&str], variables: &[(&str, &str)]) -> Output {
        let mut cargo = Command::new(env!("CARGO"));
        cargo
            .args(words)
            .arg("--offline")
            .current_dir(self.0.path().join("crates/server"));
        let names = "LEITAI_WEB LEITAI_WEB_DIST RUSTFLAGS CARGO_TARGET_DIR RUSTC_WORKSPACE_WRAPPER
            CARGO_TERM_QUIET";
        for name in names.split_whitespace() {
            cargo.env_remove(name);
        }
        cargo
            .envs(variables.iter().copied())
            .output()
            .expect("cargo runs")
    }
}

/// Puts a `node` that prints this version first in PATH.
fn path_with_node(folder: &Path, version: &str) -> String {
    fs::create_dir_all(folder.join("bin")).expect("there is room");
    fs::write(
        folder.join("bin/node"),
        format!("#!/bin/sh\necho {version}\n"),
    )
    .expect("there is room");
    assert!(
        bash(&format!("chmod +x {}/bin/node", folder.display()))
            .status
            .success()
    );
    format!(
        "{}/bin:{}",
        folder.display(),
        std::env::var("PATH").unwrap_or_default()
    )
}

/// A folder with the build tools, without Node.js.
fn path_without_node(folder: &Path) -> String {
    let bin = folder.join("rust-alone");
    fs::create_dir_all(&bin).expect("there is room");
    for name in ["cargo", "rustc", "cc", "ld", "as", "rustup"] {
        let found = bash(&format!("command -v {name}"));
        let found = String::from_utf8_lossy(&found.stdout).trim().to_owned();
        if !found.is_empty() {
            std::os::unix::fs::symlink(found, bin.join(name)).expect("there is room");
        }
    }
    bin.display().to_string()
}

#[test]
fn a_build_without_the_page_says_what_to_do() {
    let built = Crate::new();
    let folder = built.0.path();
    let fails = |variables: &[(&str, &str)], parts: &[&str]| {
        let done = built.cargo(&["build", "--release"], variables);
        assert!(!done.status.success(), "{variables:?}: {}", said(&done));
        let text = said(&done);
        parts
            .iter()
            .for_each(|part| assert!(text.contains(part), "{variables:?} lacks {part}:\n{text}"));
    };
    let goes_well = |words: &[&str], variables: &[(&str, &str)]| {
        let done = built.cargo(words, variables);
        assert!(
            done.status.success(),
            "{words:?} {variables:?}: {}",
            said(&done)
        );
        said(&done)
    };
    let advice = [
        "Node.js 20.19 or newer",
        "LEITAI_WEB_DIST",
        "LEITAI_WEB=plain",
    ];
    fails(
        &[],
        &[&["there is no web/ in this source tree"][..], &advice].concat(),
    );
    fails(
        &[("LEITAI_WEB_DIST", "/nowhere")],
        &["LEITAI_WEB_DIST=/nowhere"],
    );
    fs::create_dir_all(folder.join("web")).expect("there is room");
    fs::write(folder.join("web/package.json"), "{}").expect("there is room");
    // Debian 12 has Node 18, and many authors of bots have no Node. Rust alone builds what they
    // need.
    let (old, none) = (
        path_with_node(folder, "v18.20.4"),
        path_without_node(folder),
    );
    for (path, why) in [(&old, "v18.20.4"), (&none, "there is no Node.js")] {
        let release = goes_well(&["build", "--release"], &[("PATH", path)]);
        assert!(
            release.contains("page is not in this build") && release.contains(why),
            "{release}"
        );
        fails(
            &[("PATH", path), ("LEITAI_WEB", "required")],
            &[&[why][..], &advice].concat(),
        );
        assert!(goes_well(&["check"], &[("PATH", path)]).contains("page is not in this build"));
    }
    // npm fails: an operator who has Node wants the page, so the build stops.
    let new = path_with_node(folder, "v22.1.0");
    fails(&[("PATH", &new)], &advice);
    assert!(goes_well(&["run", "--release"], &[("LEITAI_WEB", "plain")]).contains('1'));
    let page = folder.join("built");
    fs::create_dir(&page).expect("there is room");
    fs::write(page.join("index.html"), "<!doctype html>").expect("there is room");
    fs::write(page.join("theme.js"), "0").expect("there is room");
    let page = page.to_str().expect("UTF-8");
    assert!(goes_well(&["run", "--release"], &[("LEITAI_WEB_DIST", page)]).contains('2'));
}

const UNITS: [&str; 2] = ["deploy/leitai.service", "deploy/leitai-worker.service"];

fn has(program: &str) -> bool {
    let found = bash(&format!("command -v {program}")).status.success();
    if !found {
        eprintln!(
            "NOT TESTED: {program} is not installed; apt-get install systemd, and run this again"
        );
    }
    found
}

#[test]
fn units_are_closed_but_for_what_the_sandbox_needs() {
    for unit in UNITS {
        let text = read(unit);
        let openeds = "RestrictNamespaces= ProtectKernelLogs= ProtectKernelTunables= ProtectProc=";
        for opened in openeds.split_whitespace() {
            assert!(
                !text.lines().any(|line| line.starts_with(opened)),
                "{unit}: {opened} makes the sandbox impossible"
            );
        }
        assert!(text.contains("\nDelegate=memory pids\n"), "{unit}");
        if has("systemd-analyze") {
            let path = root().join(unit);
            let mut analyze = Command::new("systemd-analyze");
            analyze
                .args(["security", "--offline=true", "--no-pager", "--threshold=40"])
                .arg(path);
            let done = analyze.output().expect("it runs");
            assert!(
                done.status.success(),
                "{unit} is not below 4.0:\n{}",
                said(&done)
            );
        }
    }
}

#[test]
fn the_unit_of_the_dataset_is_closed_and_its_timer_is_right() {
    if !has("systemd-analyze") {
        return;
    }
    let analyze = |words: &[&str]| {
        let mut command = Command::new("systemd-analyze");
        let done = command.args(words).current_dir(root()).output();
        let done = done.expect("it runs");
        assert!(done.status.success(), "{words:?}\n{}", said(&done));
        said(&done)
    };
    let unit = "deploy/leitai-dataset.service";
    let closed = ["security", "--offline=true", "--no-pager", "--threshold=20"];
    analyze(&[&closed[..], &[unit]].concat());
    let timer = read("deploy/leitai-dataset.timer");
    let when = timer
        .lines()
        .find_map(|line| line.strip_prefix("OnCalendar="));
    let next = analyze(&["calendar", when.expect("a time")]);
    assert!(next.contains("00:30:00 UTC"), "{next}");
    // The whole of both files, with a program that is there.
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path();
    let text = read(unit).replace("/usr/local/bin/leitai", BINARY);
    let user = text
        .replace("User=leitai", "User=root")
        .replace("Group=leitai", "Group=root");
    fs::write(folder.join("leitai-dataset.service"), user).expect("there is room");
    fs::write(folder.join("leitai-dataset.timer"), timer).expect("there is room");
    for name in ["leitai-dataset.service", "leitai-dataset.timer"] {
        let path = folder.join(name);
        let said = analyze(&["verify", "--man=no", path.to_str().expect("UTF-8")]);
        assert_eq!(said.trim(), "", "{name}");
    }
}

/// A program that prints how many entries of `/proc` it sees.
const PROBE: &str = "import os, sys\nprint('PROC', len(os.listdir('/proc')), file=sys.stderr, flush=True)\n\
                     while input(): print(0, flush=True)\n";

/// The command of the service: programs in tiers B and C play a match and see their `/proc`.
const SERVICE: &str = "#!/bin/bash
set -euo pipefail
cd /tmp
cp /run/leitai-probe/probe.py .
for tier in B C; do
  /run/leitai-probe/leitai match kob ./probe.py safe --legs 1 --isolation $tier --replay $tier.json
done
echo \"$(grep -o 'PROC [0-9]*' B.json)\"
echo ALL WELL
";

/// Starts a systemd in namespaces of its own with one service: our unit with another command and
/// user.
const MACHINE: &str = r#"
mount --make-rprivate /
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /etc/systemd/system
# The folders of the service are made here, and not on this machine.
mount -t tmpfs tmpfs /var/lib
mount -t tmpfs tmpfs /var/cache
# RemoveIPC takes what the service's user left: here what others of nobody, PostgreSQL say, still use.
mount -t tmpfs tmpfs /dev/shm
mount -t cgroup2 none /sys/fs/cgroup
mkdir -p /run/systemd/system /run/lock /run/leitai-probe
cp "$folder/leitai" "$folder/probe.py" "$folder/service.sh" /run/leitai-probe/
chmod -R a+rX /run/leitai-probe
cp "$folder/probe.service" /etc/systemd/system/
mount --bind "$folder/console" /dev/console
container=lxc exec unshare --pid --fork --mount-proc --kill-child=KILL \
  /lib/systemd/systemd --system --unit=probe.service --log-target=console
"#;

#[test]
fn the_sandbox_works_in_a_hardened_service() {
    let is_root =
        bash("[ $(id -u) = 0 ] && [ -d /sys/fs/cgroup/unified -o -f /sys/fs/cgroup/cgroup.procs ]");
    if !has("/lib/systemd/systemd") || !is_root.status.success() {
        return eprintln!(
            "NOT TESTED: only root starts a systemd of its own, with control groups of version 2"
        );
    }
    for unit in UNITS {
        let folder = TempDir::new().expect("a folder");
        let write = |name: &str, text: &str| {
            fs::write(folder.path().join(name), text).expect("there is room")
        };
        write("probe.py", PROBE);
        write("service.sh", SERVICE);
        write("console", "");
        write("probe.service", &probe(&read(unit), folder.path()));
        fs::copy(BINARY, folder.path().join("leitai")).expect("there is room");
        let report = start_machine(folder.path());
        let result = fs::read_to_string(folder.path().join("out")).unwrap_or_default();
        if result.is_empty() && !folder.path().join("err").exists() {
            return eprintln!("NOT TESTED: no systemd starts here: {report}");
        }
        let error = fs::read_to_string(folder.path().join("err")).unwrap_or_default();
        eprintln!("{unit}: {result}");
        assert!(
            result.contains("ALL WELL"),
            "{unit}:\n{result}\n{error}\n{report}"
        );
        assert!(
            !result.contains("PROC 0"),
            "{unit}: programs see nothing of /proc:\n{result}"
        );
    }
}

/// The unit with a command of the test, for a user that every machine has.
fn probe(unit: &str, folder: &Path) -> String {
    let dropped = [
        "ExecStart=",
        "EnvironmentFile=",
        "User=",
        "Group=",
        "Restart",
        "KillMode=",
        "TimeoutStopSec=",
    ];
    let dropped = |line: &&str| !dropped.iter().any(|start| line.starts_with(start));
    let (_, service) = unit.split_once("[Service]\n").expect("a service");
    let (service, _) = service.split_once("[Install]").expect("an end");
    let kept: Vec<&str> = service.lines().filter(dropped).collect();
    let folder = folder.display();
    format!(
        "[Unit]\nDefaultDependencies=no\n[Service]\n{}\nType=oneshot\nTimeoutStartSec=500\nExecStart=/bin/bash /run/leitai-probe/service.sh\n\
         ExecStopPost=+/bin/sh -c 'echo ended > {folder}/ended'\nUser=nobody\nGroup=nogroup\nStandardOutput=file:{folder}/out\n\
         StandardError=file:{folder}/err\nEnvironment=HOME=/tmp LEITAI_CACHE=off\n",
        kept.join("\n")
    )
}

/// Runs it until the service has ended; returns the console's output.
fn start_machine(folder: &Path) -> String {
    let group = format!("leitai-probe-{}", std::process::id());
    let folder = folder.display();
    let script = format!(
        "top=/sys/fs/cgroup; [ ! -d $top/unified ] || top=$top/unified; group=$top/{group}; mkdir $group\n\
         export folder={folder}; mkfifo $folder/ended; exec 9<> $folder/ended\n\
         ( echo $BASHPID > $group/cgroup.procs; exec unshare -m --cgroup --ipc --uts bash -euc \"$machine\" ) \
         > $folder/machine 2>&1 & machine=$!\n\
         ( tail --pid=$machine -f /dev/null; echo gone > $folder/ended ) & watcher=$!\n\
         read -t 600 -r _ <&9; kill -KILL $machine $watcher; echo 1 > $group/cgroup.kill; wait\n\
         until find $group -depth -type d -exec rmdir {{}} +; do :; done 2>/dev/null\n\
         cat $folder/machine $folder/console"
    );
    let mut bash = Command::new("timeout");
    bash.args([
        "-s", "KILL", "700", "bash", "-uo", "pipefail", "-c", &script,
    ])
    .env("machine", MACHINE);
    said(&bash.stdin(Stdio::null()).output().expect("bash runs"))
}

/// Every unit in deploy/, as systemd reads it, with a program and a user that this machine has.
#[test]
fn systemd_accepts_every_unit() {
    if !has("systemd-analyze") {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let mut names = Vec::new();
    for entry in fs::read_dir(root().join("deploy"))
        .expect("the folder")
        .flatten()
    {
        let name = entry.file_name().into_string().expect("UTF-8");
        if !name.ends_with(".service") && !name.ends_with(".timer") {
            continue;
        }
        let text = read(&format!("deploy/{name}"))
            .replace("/usr/local/bin/leitai", BINARY)
            .replace("User=leitai", "User=root")
            .replace("Group=leitai", "Group=root");
        fs::write(folder.path().join(&name), text).expect("there is room");
        names.push(name);
    }
    assert!(names.len() >= 4, "{names:?}");
    for name in names {
        let done = Command::new("systemd-analyze")
            .args(["verify", "--man=no"])
            .arg(folder.path().join(&name))
            .output()
            .expect("it runs");
        assert!(done.status.success(), "{name}\n{}", said(&done));
        assert_eq!(said(&done).trim(), "", "{name}");
    }
}

/// The names that begin with `leitai_` in a text, without the endings of a histogram's parts.
fn metric_names(text: &str) -> std::collections::BTreeSet<String> {
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    text.split(word)
        .filter(|name| name.starts_with("leitai_"))
        .map(|name| {
            ["_bucket", "_sum", "_count"]
                .iter()
                .find_map(|end| name.strip_suffix(end))
                .unwrap_or(name)
                .to_owned()
        })
        .collect()
}

#[test]
fn dashboard_and_alerts_ask_for_metrics_that_exist() {
    let (dashboard, alerts) = (read("deploy/grafana.json"), read("deploy/alerts.yml"));
    let parsed: serde_json::Value = serde_json::from_str(&dashboard).expect("JSON");
    let mut asked = metric_names(&alerts);
    for panel in parsed["panels"].as_array().expect("panels") {
        for target in panel["targets"].as_array().expect("targets") {
            asked.extend(metric_names(target["expr"].as_str().expect("a query")));
        }
    }
    let known = metric_names(&read("crates/server/src/metrics_registry.rs"));
    let unknown: Vec<_> = asked.difference(&known).collect();
    assert!(
        unknown.is_empty(),
        "the server has no {unknown:?}; it has {known:?}"
    );
    assert_eq!(asked, known, "the dashboard shows every metric");

    // What a server that has just started tells, with the labels that the queries group by.
    let folder = TempDir::new().expect("a folder");
    let script = format!(
        "{BINARY} serve --listen 127.0.0.1:0 --slots 0 --metrics 127.0.0.1:0 --data {}/data > {0}/log 2>&1 & server=$!\n\
         trap 'kill $server' EXIT\n\
         find() {{ grep -ao \"$1\" {0}/log | head -1; }}\n\
         until arena=$(find 'http://localhost:[0-9]*') && metrics=$(find 'http://127[0-9.]*:[0-9]*/metrics') && \
         [ -n \"$arena\" ] && [ -n \"$metrics\" ]; do kill -0 $server; sleep 0.1; done\n\
         curl -fsS $arena/healthz > {0}/health; curl -fsS $metrics",
        folder.path().display()
    );
    let done = bash(&script);
    let told = said(&done);
    assert!(done.status.success(), "{told}");
    for part in [
        "leitai_jobs_queued{kind=\"match\"}",
        "leitai_jobs_running{kind=\"version\"}",
        "leitai_http_requests_total{route=\"/healthz\",method=\"GET\",status=\"200\"} 1",
        "leitai_http_request_seconds_bucket{route=\"/healthz\",le=\"0.001\"}",
    ] {
        assert!(told.contains(part), "{part} is not in\n{told}");
    }
    // Every alert is explained, in both languages.
    for page in ["docs/operating.md", "docs/operating.zh.md"] {
        let page_text = read(page);
        for alert in alerts
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- alert: "))
        {
            assert!(
                page_text.contains(&format!("`{alert}`")),
                "{page} does not explain {alert}"
            );
        }
    }
}

#[test]
fn an_address_below_a_path_is_refused_with_the_cure() {
    let rows = [
        ("https://x.example.org/arena", "https://arena.x.example.org"),
        ("https://x.example.org/?a", "a host name of its own"),
        ("x.example.org", "begins with https://"),
        ("https://", "needs a host name"),
    ];
    let folder = TempDir::new().expect("a folder");
    for (url, cure) in rows {
        let done = Command::new("timeout")
            .args([
                "300",
                BINARY,
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--public-url",
                url,
            ])
            .env("LEITAI_LANG", "en")
            .env("LEITAI_DATA", folder.path())
            .output()
            .expect("it runs");
        assert_eq!(done.status.code(), Some(2), "{url}: {}", said(&done));
        assert!(said(&done).contains(cure), "{url}: {}", said(&done));
    }
}

#[test]
fn the_steps_install_what_the_units_name() {
    let mut named = 0;
    for entry in std::fs::read_dir(root().join("deploy")).expect("a folder") {
        let name = entry.expect("readable").file_name();
        let name = name.to_str().expect("ASCII");
        if !name.ends_with(".service") {
            continue;
        }
        let unit = read(&format!("deploy/{name}"));
        let places = unit
            .lines()
            .filter_map(|line| line.strip_prefix("Documentation=file://"));
        for place in places {
            named += 1;
            for page in ["docs/operating.md", "docs/operating.zh.md"] {
                let step = format!("docs/operating.md {place} ");
                let text = read(page);
                let installs = |line: &str| line.contains(" install ") && line.contains(&step);
                assert!(text.lines().any(installs), "{page}: {place}");
            }
        }
    }
    assert!(named > 0);
}

#[test]
fn the_compose_file_builds_the_image_once_and_gives_services_time_to_start() {
    let compose = read("deploy/compose.yml");
    let count = |word: &str| {
        compose
            .lines()
            .filter(|line| line.trim().starts_with(word))
            .count()
    };
    assert_eq!(count("build:"), 1);
    let services = compose.find("\nservices:").expect("services");
    let server = &compose[..services];
    assert!(
        !server.contains("build:") && server.contains("start_period:"),
        "{server}"
    );
    assert_eq!(compose.matches("pg_isready").count(), 1);
    assert_eq!(
        compose.matches("start_period:").count(),
        2,
        "servers and the database"
    );
    assert!(read("deploy/Dockerfile").contains("--start-period="));
}

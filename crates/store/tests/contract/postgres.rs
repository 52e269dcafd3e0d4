//! A PostgreSQL server for the duration of a test, from Debian's package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{LazyLock, mpsc};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A server that stops when the value is dropped, also in a panic.
pub struct Postgres {
    server: Child,
    folder: TempDir,
    programs: PathBuf,
}

/// The time limit of its start.
const PATIENCE: Duration = Duration::from_secs(300);
/// The pause between two looks whether it has started.
const LOOK: Duration = Duration::from_millis(20);

/// The server of a whole test binary. The process ends with the thread that started it, so that
/// thread waits for ever.
static SHARED: LazyLock<Option<Postgres>> = LazyLock::new(|| {
    let (started, server) = mpsc::channel();
    std::thread::spawn(move || {
        let server = Postgres::start();
        // The receiver waits for it.
        _ = started.send(server);
        loop {
            std::thread::park();
        }
    });
    server.recv().ok().flatten()
});

impl Postgres {
    /// The server that the tests of this binary share, each with databases of its own. It is neither
    /// stopped nor restarted.
    #[allow(dead_code, reason = "every test binary uses its part")]
    pub fn shared() -> Option<&'static Postgres> {
        SHARED.as_ref()
    }

    /// Stops the server and removes its folder when this process is gone, in whatever way. Its
    /// processes, which a test may have stopped, are those that work in the folder.
    fn remove_at_exit(&self) {
        let script = "trap '' INT TERM; cat
            for one in /proc/[0-9]*; do
                [ \"$(readlink $one/cwd)\" != $0/data ] || kill -KILL ${one#/proc/}
            done
            until rm -rf $0; do :; done";
        let child = Command::new("sh")
            .args(["-c", script])
            .arg(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        // Its stdin is open as long as this process lives.
        std::mem::forget(child.expect("sh runs"));
    }

    /// Prints a loud note and returns `None` where PostgreSQL is not installed; panics if
    /// `LEITAI_REQUIRE_POSTGRES` is 1.
    pub fn start() -> Option<Postgres> {
        let Some(programs) = programs() else {
            let required = std::env::var("LEITAI_REQUIRE_POSTGRES").is_ok_and(|value| value == "1");
            assert!(
                !required,
                "PostgreSQL is not installed: apt-get install postgresql"
            );
            eprintln!(
                "NOT TESTED: PostgreSQL is not installed; apt-get install postgresql, and run this again"
            );
            return None;
        };
        let folder = tempfile::Builder::new()
            .prefix("leitai-pg")
            .tempdir()
            .expect("a temporary folder");
        fs::create_dir(folder.path().join("data")).expect("a folder for the data");
        hand_over(folder.path());
        let data = folder.path().join("data");
        let made = as_nobody(&programs.join("initdb"))
            .args(
                "--no-sync --auth=trust --username=leitai --encoding=UTF8 --no-locale -D"
                    .split(' '),
            )
            .arg(&data)
            .stdout(Stdio::null())
            .status();
        assert!(made.expect("initdb runs").success(), "initdb failed");
        let server = Postgres {
            server: start_server(&programs, folder.path()),
            folder,
            programs,
        };
        server.remove_at_exit();
        server.wait();
        Some(server)
    }

    /// Stops the server at once, as `pg_ctl stop -m immediate` does, and starts it again.
    #[allow(dead_code, reason = "every test binary uses its part")]
    pub fn restart(&mut self) {
        let told = Command::new("kill")
            .args(["-QUIT", &self.server.id().to_string()])
            .status();
        assert!(told.expect("kill runs").success());
        self.server.wait().expect("it is ours");
        self.start_again();
    }

    /// Sends a signal, such as `STOP`, to the server and to all of its processes.
    #[allow(dead_code, reason = "every test binary uses its part")]
    pub fn signal(&self, name: &str) {
        // A server that is stopped makes no further ones meanwhile.
        let script =
            "[ $0 != STOP ] || kill -STOP $1; kill -$0 $(pgrep -P $1) $1 2>/dev/null; true";
        let (name, id) = (name.to_owned(), self.server.id().to_string());
        let told = Command::new("sh").args(["-c", script, &name, &id]).status();
        assert!(told.expect("sh runs").success());
    }

    /// Kills the server at once; [`Postgres::start_again`] brings it back.
    #[allow(dead_code, reason = "every test binary uses its part")]
    pub fn kill(&mut self) {
        // Its processes would end a little later, and keep another server from starting.
        self.signal("STOP");
        self.signal("KILL");
        self.server.wait().expect("it is ours");
    }

    /// Starts the server again that was killed.
    #[allow(dead_code, reason = "every test binary uses its part")]
    pub fn start_again(&mut self) {
        self.server = start_server(&self.programs, self.folder.path());
        self.wait();
    }

    /// What a statement prints in the database of this address.
    #[allow(dead_code, reason = "every test binary uses its part")]
    pub fn query(&self, address: &str, statement: &str) -> String {
        let (_, name) = address.rsplit_once('/').expect("an address");
        let mut client = self.client("psql");
        let said = client.args(["-qAt", "-d", name, "-c", statement]).output();
        let said = said.expect("psql runs");
        assert!(said.status.success(), "{said:?}");
        String::from_utf8(said.stdout)
            .expect("UTF-8")
            .trim()
            .to_owned()
    }

    /// The address of a new, empty database.
    pub fn database(&self, name: &str) -> String {
        self.database_like("template1", name)
    }

    /// The address of a new database that is a copy of another one, to which nobody is connected.
    pub fn database_like(&self, template: &str, name: &str) -> String {
        let mut create = self.client("createdb");
        let made = create.args(["--template", template, name]).status();
        assert!(
            made.expect("createdb runs").success(),
            "createdb {name} failed"
        );
        self.address(name)
    }

    /// The folder of its socket.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn address(&self, name: &str) -> String {
        let folder = self.folder.path().display().to_string().replace('/', "%2F");
        format!("postgres://leitai@{folder}/{name}")
    }

    /// The address of a new, empty database whose tables lie in this folder.
    pub fn database_in(&self, name: &str, folder: &Path) -> String {
        let make = format!("CREATE TABLESPACE {name} LOCATION '{}'", folder.display());
        let made = self
            .client("psql")
            .args(["-q", "-d", "postgres", "-c", &make])
            .status();
        assert!(
            made.expect("psql runs").success(),
            "the tablespace {name} was not made"
        );
        let made = self
            .client("createdb")
            .arg(format!("--tablespace={name}"))
            .arg(name)
            .status();
        assert!(
            made.expect("createdb runs").success(),
            "createdb {name} failed"
        );
        self.address(name)
    }

    fn wait(&self) {
        let begun = Instant::now();
        while !self
            .client("pg_isready")
            .stdout(Stdio::null())
            .status()
            .expect("pg_isready runs")
            .success()
        {
            let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(
                begun.elapsed() < PATIENCE,
                "PostgreSQL does not start: {log}"
            );
            std::thread::park_timeout(LOOK);
        }
    }

    fn client(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command
            .arg("-h")
            .arg(self.folder.path())
            .args(["-U", "leitai"]);
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // A test may have stopped it.
        self.signal("CONT");
        // SIGINT stops the server at once and in order.
        let asked = Command::new("kill")
            .arg("-INT")
            .arg(self.server.id().to_string())
            .status();
        if !asked.is_ok_and(|status| status.success()) {
            let _ = self.server.kill();
        }
        let _ = self.server.wait();
    }
}

fn start_server(programs: &Path, folder: &Path) -> Child {
    as_nobody(&programs.join("postgres"))
        .arg("-D")
        .arg(folder.join("data"))
        .args(
            "-c listen_addresses= -c fsync=off -c full_page_writes=off -c max_connections=200"
                .split(' '),
        )
        .args(["-c", "autovacuum=off", "-c"])
        .arg(format!("unix_socket_directories={}", folder.display()))
        .stderr(fs::File::create(folder.join("log")).expect("a log"))
        .spawn()
        .expect("postgres starts")
}

fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let mut found: Vec<PathBuf> = versions
        .flatten()
        .map(|version| version.path().join("bin"))
        .collect();
    found.retain(|programs| programs.join("postgres").exists());
    found.sort();
    found.pop()
}

pub fn is_root() -> bool {
    let who = Command::new("id").arg("-u").output().expect("id runs");
    who.stdout.trim_ascii() == b"0"
}

/// A command that runs as `nobody`, because PostgreSQL refuses to run as root, and that ends with
/// this process even after a kill.
fn as_nobody(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    if is_root() {
        command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]);
    }
    command
        .arg("--pdeathsig=KILL")
        .arg(program)
        .current_dir("/");
    command
}

pub fn hand_over(folder: &Path) {
    if is_root() {
        let given = Command::new("chown")
            .args(["-R", "nobody:nogroup"])
            .arg(folder)
            .status();
        assert!(given.expect("chown runs").success(), "chown failed");
    }
}

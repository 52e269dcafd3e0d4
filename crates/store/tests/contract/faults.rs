//! A disk that is full, that is read-only, or that fails at any write: every acknowledged write is
//! committed, and the store works again when the disk does.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use leitai_store::*;
use tempfile::TempDir;

use crate::arena::*;
use crate::postgres::{Postgres, hand_over, is_root};
use crate::proxy::Proxy;

/// The writes that the store acknowledged.
#[derive(Default)]
struct Answered {
    users: Vec<String>,
    sessions: Vec<TokenHash>,
    tokens: Vec<TokenId>,
    finished: Vec<MatchId>,
}

/// Writes one of everything that a server writes, as far as the disk allows.
async fn write_everything(store: &Store, mark: &str, answered: &mut Answered) {
    write_account(store, mark, answered).await;
    let [a, b] = entrants(store).await;
    write_match(store, a, b, answered).await;
}

/// An account with a session and a token.
async fn write_account(store: &Store, mark: &str, answered: &mut Answered) {
    let name = format!("u{mark}");
    let new = new_user(&name);
    if let Ok(user) = store.create_user(new, at(0)).await {
        answered.users.push(name);
        let hash = TokenHash::from_token(mark);
        if store
            .create_session(user.id, hash.clone(), at(0), at(1_000_000))
            .await
            .is_ok()
        {
            answered.sessions.push(hash);
        }
        let hash = TokenHash::from_token(&format!("token {mark}"));
        let (kind, name, scopes) = (TokenKind::Author, mark.to_owned(), Default::default());
        let new = NewToken {
            user: Some(user.id),
            kind,
            name,
            hash,
            scopes,
            until: None,
        };
        answered
            .tokens
            .extend(store.create_token(new, at(0)).await.map(|token| token.id));
    }
}

/// The two bots as entrants; the disk can be read.
async fn entrants(store: &Store) -> [MatchEntrant; 2] {
    let bot = async |name: &str| ok!(store.bot_by_name("kob", name)).expect("it is there");
    let (a, b) = (bot("a").await, bot("b").await);
    [ok!(store.bot_entrant(a.id)), ok!(store.bot_entrant(b.id))]
}

/// Writes a match from its creation to its result.
async fn write_match(store: &Store, a: MatchEntrant, b: MatchEntrant, answered: &mut Answered) {
    let made = store
        .create_match(new_match(a, b, MatchKind::Ladder), at(1))
        .await;
    let acquired = store.lease_job(&offer("w"), at(2), LEASE).await;
    if let (Ok(_), Ok(Some(acquired))) = (made, acquired) {
        let held = store.renew_lease(&acquired.lease, at(500)).await;
        assert!(
            !matches!(held, Ok(LeaseState::Lost)),
            "no other worker leases jobs"
        );
        let finish = store
            .finish_match(&acquired.lease, result(MatchWinner::A), at(3))
            .await;
        if matches!(finish, Ok(RecordOutcome::Recorded { .. })) {
            answered.finished.push(played(&acquired).id);
        }
    }
}

/// Asserts that every acknowledged write is in the database.
async fn all_there(store: &Store, answered: &Answered) {
    for name in &answered.users {
        assert!(
            ok!(store.user_by_name(name)).is_some(),
            "account {name} is gone"
        );
    }
    for hash in &answered.sessions {
        assert!(
            ok!(store.find_session(hash, at(10))).is_some(),
            "a session is gone"
        );
    }
    for id in &answered.finished {
        let found = store.match_by_id(*id).await.expect("asked");
        assert_eq!(
            found.state,
            MatchState::Finished,
            "the result of match {id} is gone"
        );
    }
    let counted = ratings_are_right(store).await;
    assert!(
        counted >= answered.finished.len() as u64,
        "{counted} results count"
    );
}

/// Asserts that this store writes at once on the recovered disk, and so does another process.
async fn is_well(store: &Store, other: &Store, when: &str) {
    store
        .check_writing(at(20))
        .await
        .unwrap_or_else(|error| panic!("{when}: {error}"));
    other
        .check_writing(at(21))
        .await
        .unwrap_or_else(|error| panic!("{when}, another process: {error}"));
}

async fn two_bots(store: &Store) {
    bot(store, "a").await;
    bot(store, "b").await;
}

/// A small file system of its own for the lifetime of the value.
struct SmallDisk(TempDir);

impl SmallDisk {
    fn mount(size: &str) -> Option<SmallDisk> {
        if !is_root() {
            eprintln!("NOT TESTED: only root mounts a small disk");
            return None;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let options = format!("size={size},mode=0777");
        let mut mount = Command::new("mount");
        let mounted = mount
            .args(["-t", "tmpfs", "-o", &options, "tmpfs"])
            .arg(folder.path())
            .status();
        if !mounted.is_ok_and(|status| status.success()) {
            eprintln!("NOT TESTED: this machine mounts no tmpfs");
            return None;
        }
        Some(SmallDisk(folder))
    }

    fn filler(&self) -> PathBuf {
        self.0.path().join("filler")
    }

    /// Fills the disk except for this many bytes.
    fn fill(&self, but: u64) {
        let mut filler = File::create(self.filler()).expect("an empty file");
        while filler.write_all(&[7; 4096]).is_ok() {}
        let length = filler.metadata().expect("it is there").len();
        filler
            .set_len(length.saturating_sub(but))
            .expect("it gets shorter");
    }

    fn free(&self) {
        fs::remove_file(self.filler()).expect("it is there");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount")
            .args(["-l"])
            .arg(self.0.path())
            .status();
    }
}

#[test]
fn a_disk_that_was_full_on_sqlite() {
    let Some(disk) = SmallDisk::mount("7m") else {
        return;
    };
    let url = format!("sqlite://{}/leitai.db", disk.0.path().display());
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let store = Store::open_url(&url).await.expect("opens");
        let other = Store::open_url(&url).await.expect("opens again");
        two_bots(&store).await;
        let (mut answered, mut refused) = (Answered::default(), 0);
        for round in 0..12_u64 {
            disk.fill(round * 8192);
            let writers = (0..4).map(|writer| {
                let store = store.clone();
                tokio::spawn(async move {
                    let mut answered = Answered::default();
                    for turn in 0..3 {
                        write_everything(
                            &store,
                            &format!("{round}-{writer}-{turn}"),
                            &mut answered,
                        )
                        .await;
                    }
                    answered
                })
            });
            for writer in writers.collect::<Vec<_>>() {
                let more = writer.await.expect("it ends");
                answered.users.extend(more.users);
                answered.sessions.extend(more.sessions);
                answered.finished.extend(more.finished);
            }
            refused += u64::from(store.check_writing(at(9)).await.is_err());
            disk.free();
            is_well(&store, &other, &format!("after round {round}")).await;
        }
        assert!(refused > 0, "the disk was never full");
        all_there(&store, &answered).await;
        store.close_store().await.expect("it closes");
        other.close_store().await.expect("it closes");
        all_there(&Store::open_url(&url).await.expect("opens"), &answered).await;
    });
}

#[test]
fn a_disk_that_was_full_on_postgres() {
    let Some(disk) = SmallDisk::mount("24m") else {
        return;
    };
    let Some(server) = Postgres::start() else {
        return;
    };
    let place = disk.0.path().join("space");
    fs::create_dir(&place).expect("there is room");
    hand_over(&place);
    let url = server.database_in("small", &place);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let store = Store::open_url(&url).await.expect("opens");
        two_bots(&store).await;
        disk.fill(0);
        let (mut answered, mut lines, mut failed) = (Answered::default(), 0, false);
        for number in 0..400 {
            write_everything(&store, &format!("p{number}"), &mut answered).await;
            // A text that needs pages of its own, so that the disk becomes full.
            let noise: String = (0..600).map(|_| values::secret::random_token()).collect();
            let (action, subject) = ("noise".to_owned(), "disk".to_owned());
            let action = AuditedAction::new(None, action, subject, Json::String(noise));
            match store.write_audit(action, at(number)).await {
                Ok(()) => lines += 1,
                Err(_) => {
                    failed = true;
                    break;
                }
            }
        }
        assert!(failed, "the disk was never full");
        disk.free();
        is_well(&store, &ok!(Store::open_url(&url)), "with space again").await;
        all_there(&store, &answered).await;
        let (mut kept, mut ask) = (0, PageQuery::first_page(100));
        loop {
            let page = store.list_audit(&ask).await.expect("asked");
            kept += page
                .items
                .iter()
                .filter(|line| line.action == "noise")
                .count();
            let Some(next) = page.next else { break };
            ask = PageQuery::page_after(next, 100);
        }
        assert!(kept >= lines, "{kept} of {lines} lines were kept");
        store.close_store().await.expect("it closes");
    });
}

/// A disk of its own whose file system becomes read-only after an error.
struct Image {
    folder: TempDir,
    place: PathBuf,
}

impl Image {
    fn mount() -> Option<Image> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = folder.path().join("disk");
        fs::create_dir(&place).expect("there is room");
        let file = File::create(folder.path().join("image")).expect("there is room");
        file.set_len(24 << 20).expect("there is room");
        let image = Image { folder, place };
        let made = is_root()
            && image.run("mkfs.ext4 -qF $image && mount -o loop,errors=remount-ro $image $place");
        if !made {
            eprintln!("NOT TESTED: only root mounts a disk of its own, with ext4 and loop devices");
        }
        made.then_some(image)
    }

    fn run(&self, script: &str) -> bool {
        let mut sh = Command::new("sh");
        sh.args(["-euc", script])
            .env("image", self.folder.path().join("image"))
            .env("place", &self.place);
        sh.status().is_ok_and(|status| status.success())
    }

    /// Runs the script once no process has a file open there. A connection's thread closes its
    /// files after the pool has dropped it, and a child that another test has just forked holds
    /// them until its `exec`.
    fn run_once_free(&self, script: &str) {
        let deadline = Instant::now() + Duration::from_secs(300);
        while !self.run(script) {
            assert!(
                Instant::now() < deadline,
                "files are still open after the database was closed: {script}"
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        self.run("! mountpoint -q $place || umount -l $place");
    }
}

#[test]
fn a_disk_that_became_read_only_on_sqlite() {
    let Some(disk) = Image::mount() else { return };
    let url = format!("sqlite://{}/leitai.db", disk.place.display());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let mut answered = Answered::default();
        let store = Store::open_url(&url).await.expect("opens");
        two_bots(&store).await;
        write_everything(&store, "before", &mut answered).await;
        // A kernel remounts a broken file system in the same way under a running server.
        let broken =
            "echo 1 > /sys/fs/ext4/$(basename $(findmnt -no SOURCE $place))/trigger_fs_error";
        assert!(disk.run(broken), "the file system becomes read-only");
        write_everything(&store, "meanwhile", &mut answered).await;
        assert!(
            store.check_writing(at(9)).await.is_err(),
            "a read-only disk refuses writes"
        );
        assert!(
            ok!(store.user_by_name("ubefore")).is_some(),
            "a read-only disk can be read"
        );
        // Closing has nothing to write; it may succeed or fail.
        let _ = store.close_store().await;
        disk.run_once_free("umount $place");
        assert!(
            disk.run("e2fsck -fy $image > /dev/null || [ $? = 1 ]; mount -o loop $image $place")
        );
        let store = Store::open_url(&url).await.expect("opens");
        all_there(&store, &answered).await;
        is_well(&store, &store, "once it is repaired").await;
        store.close_store().await.expect("it closes");
        // An administrator remounts the disk in the same way; while the database is open the kernel
        // would refuse.
        disk.run_once_free("mount -o remount,ro $place");
        let opened = Store::open_url(&url).await;
        let is_refused = match &opened {
            Ok(store) => store.check_writing(at(9)).await.is_err(),
            Err(_) => true,
        };
        assert!(is_refused, "a read-only disk refuses writes");
        drop(opened);
        assert!(disk.run("mount -o remount,rw $place"));
        let store = Store::open_url(&url).await.expect("opens");
        write_everything(&store, "after", &mut answered).await;
        assert!(
            answered.users.contains(&"uafter".to_owned()),
            "the store writes again"
        );
        all_there(&store, &answered).await;
        store.close_store().await.expect("it closes");
    });
}

/// Loses a connection to PostgreSQL at every message, or at one in so many, before the server
/// receives it and after: in the second case the store cannot know what the server did.
pub fn lost_at_messages(server: &Postgres, one_in: usize) {
    let proxy = Proxy::before(server);
    let name = format!("lost{one_in}");
    let direct = server.database(&name);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let other = Store::open_url(&direct).await.expect("opens");
        two_bots(&other).await;
        let [a, b] = entrants(&other).await;
        let store = ok!(Store::open_url(&proxy.address(&name)));
        let mut answered = Answered::default();
        for arrives in [false, true] {
            let first = usize::from(arrives) * one_in / 2;
            for after in (first..).step_by(one_in) {
                proxy.cut(after, arrives);
                let mark = format!("{arrives}-{after}");
                write_account(&store, &mark, &mut answered).await;
                write_match(&store, a.clone(), b.clone(), &mut answered).await;
                let seen = proxy.heal();
                is_well(
                    &store,
                    &other,
                    &format!("message {after} lost, arrives: {arrives}"),
                )
                .await;
                if seen <= after {
                    assert!(after > 30, "{seen} messages were seen");
                    break;
                }
            }
            all_there(&other, &answered).await;
        }
        let (users, finished) = (answered.users.len(), answered.finished.len());
        let least = 30 / one_in;
        assert!(users > least && finished > least, "{users} and {finished}");
        store.close_store().await.expect("it closes");
        eprintln!(
            "{} accounts and {} results were acknowledged",
            answered.users.len(),
            answered.finished.len()
        );
    });
}

/// The file through which the parent controls the preloaded library.
const CONTROL: &str = "LEITAI_STORE_FAULT_FILE";
/// The address of the database, for the child.
const CHILD: &str = "LEITAI_STORE_FAULTS";
/// At which of its writes the child gets an error of the device: one in so many.
const ONE_IN: &str = "LEITAI_STORE_FAULTS_ONE_IN";
/// `errno`: no space, failed input or output, a read-only file system.
const ENOSPC: i32 = 28;
const EIO: i32 = 5;
const EROFS: i32 = 30;

#[test]
fn an_error_at_many_a_write() {
    fail_writes(3);
}

mod long {
    #[test]
    #[ignore = "thrice as many; ./dev long"]
    fn an_error_at_every_single_write() {
        super::fail_writes(1);
    }
}

/// Fails each write, or one in so many, by an error of the device.
fn fail_writes(one_in: usize) {
    // In memory, so that thousands of syncs take no time.
    let shared = Path::new("/dev/shm");
    let folder = if shared.is_dir() {
        tempfile::tempdir_in(shared)
    } else {
        tempfile::tempdir()
    };
    let folder = folder.expect("a temporary folder");
    let library = folder.path().join("faults.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/contract/faults.c");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(source)
        .status();
    if !built.is_ok_and(|status| status.success()) {
        eprintln!("NOT TESTED: there is no C compiler; apt-get install gcc, and run this again");
        return;
    }
    let control = folder.path().join("control");
    fs::write(&control, [0_u8; 16]).expect("there is room");
    let child = Command::new(std::env::current_exe().expect("we run"))
        .args("--exact faults::child_whose_writes_fail --ignored --nocapture".split(' '))
        .env(
            CHILD,
            format!("sqlite://{}/leitai.db", folder.path().display()),
        )
        .env(CONTROL, &control)
        .env(ONE_IN, one_in.to_string())
        .env("LD_PRELOAD", &library)
        .status();
    assert!(child.expect("it ran").success(), "see above");
}

/// Sets which calls fail.
struct Faults(File);

impl Faults {
    fn set(&self, after: i32, times: i32, error: i32) {
        let words = [after, times, error, 0].map(i32::to_ne_bytes).concat();
        self.0.write_all_at(&words, 0).expect("there is room");
    }

    fn seen(&self) -> i32 {
        let mut word = [0; 4];
        self.0.read_exact_at(&mut word, 12).expect("it is there");
        i32::from_ne_bytes(word)
    }
}

/// Writes everything repeatedly; each time another call fails.
#[test]
#[ignore = "started by another test"]
fn child_whose_writes_fail() {
    let Ok(url) = std::env::var(CHILD) else {
        return;
    };
    let of_parent = |name| std::env::var(name).expect("the parent says it");
    let (control, one_in) = (of_parent(CONTROL), of_parent(ONE_IN));
    let one_in = one_in.parse().expect("a number");
    let faults = Faults(
        File::options()
            .read(true)
            .write(true)
            .open(control)
            .expect("it is there"),
    );
    faults.set(-1, 0, 0);
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    runtime.block_on(async {
        let store = Store::open_url(&url).await.expect("opens");
        let other = Store::open_url(&url).await.expect("opens again");
        two_bots(&store).await;
        let mut answered = Answered::default();
        for (error, times, step) in [
            (EIO, 1, one_in),
            (ENOSPC, 1, 3),
            (ENOSPC, 5, 5),
            (EROFS, i32::MAX, 7),
        ] {
            for after in (0..).step_by(step) {
                faults.set(after, times, error);
                write_everything(&store, &format!("{error}-{times}-{after}"), &mut answered).await;
                let seen = faults.seen();
                faults.set(-1, 0, 0);
                let when = format!("error {error} at call {after} and {times} calls");
                is_well(&store, &other, &when).await;
                if seen <= after {
                    assert!(after > 30, "{seen} calls were seen");
                    break;
                }
            }
            all_there(&store, &answered).await;
        }
        store.close_store().await.expect("it closes");
        other.close_store().await.expect("it closes");
        all_there(&Store::open_url(&url).await.expect("opens"), &answered).await;
        eprintln!(
            "{} accounts and {} results were answered",
            answered.users.len(),
            answered.finished.len()
        );
    });
}

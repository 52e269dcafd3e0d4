//! Mail, through a real SMTP server.

use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{Request, header};
use leitai_server::mail::Mailer;
use leitai_store::{JobKind, Timestamp, VersionOutcome};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::certificate::make_certificate;
use crate::kit::{Kit, PASSWORD, Person, says};
use crate::ports::find_port;

/// The time limit of the server's start.
const PATIENCE: Duration = Duration::from_secs(300);

/// An SMTP server (aiosmtpd) for the duration of a test, which keeps what it gets in a folder.
struct SmtpServer {
    process: Child,
    port: u16,
    folder: TempDir,
}

impl Drop for SmtpServer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl SmtpServer {
    /// Prints a loud note and returns `None` where aiosmtpd is not installed; panics if
    /// `LEITAI_REQUIRE_SMTP` is 1.
    async fn start(port: u16) -> Option<SmtpServer> {
        SmtpServer::start_with(port, &[])
    }

    fn start_with(port: u16, options: &[&str]) -> Option<SmtpServer> {
        let installed = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../target/venv/bin/aiosmtpd"
        );
        let program = std::env::var_os("LEITAI_SMTP").map_or(installed.into(), PathBuf::from);
        let folder = tempfile::tempdir().expect("there is room");
        let started = Command::new(program)
            .args(["-n", "-l", &format!("127.0.0.1:{port}")])
            .args(options)
            .args(["-c", "aiosmtpd.handlers.Mailbox"])
            .arg(folder.path().join("mails"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(process) = started else {
            let required = std::env::var("LEITAI_REQUIRE_SMTP").is_ok_and(|value| value == "1");
            assert!(!required, "aiosmtpd is not installed: run ./dev test");
            eprintln!(
                "NOT TESTED: mail, as there is no aiosmtpd; `./dev test` installs it, or name one \
                 in LEITAI_SMTP"
            );
            return None;
        };
        let server = SmtpServer {
            process,
            port,
            folder,
        };
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(start.elapsed() < PATIENCE, "aiosmtpd did not start");
            std::thread::park_timeout(Duration::from_millis(10));
        }
        Some(server)
    }

    fn mailer(&self) -> Mailer {
        make_mailer(self.port)
    }

    /// What came since the last time, read by Python's own parser: from, to, subject, text.
    fn take_mails(&self) -> Vec<[String; 4]> {
        const READ: &str = "
import email.header, email.policy, json, mailbox, sys
box = mailbox.Maildir(sys.argv[1], create=True,
    factory=lambda file: email.message_from_binary_file(file, policy=email.policy.default))
print(json.dumps([[m['From'], m['To'], m['Subject'], m.get_content()] for m in box.values()]))
box.clear()
";
        let read = Command::new("python3")
            .args(["-c", READ])
            .arg(self.folder.path().join("mails"))
            .output()
            .expect("python3 runs");
        let text = String::from_utf8_lossy(&read.stderr);
        serde_json::from_slice(&read.stdout).unwrap_or_else(|_| panic!("no mails: {text}"))
    }
}

fn make_mailer(port: u16) -> Mailer {
    let server = format!("smtp://127.0.0.1:{port}");
    let from = "Leitai <arena@example.org>";
    Mailer::new(&server, from, "https://arena.test/").expect("it is sound")
}

async fn send_all(kit: &Kit, mailer: &Mailer) -> usize {
    let mut sent = 0;
    loop {
        let now = mailer.send_due(&kit.app.store, Timestamp::now).await;
        match now.expect("the database answers") {
            0 => return sent,
            more => sent += more,
        }
    }
}

/// The secret of the link in a text.
fn token_in(text: &str) -> String {
    let (_, rest) = text.split_once("#token=").expect("a link");
    rest.split_whitespace().next().expect("a secret").to_owned()
}

async fn set_address(person: &Person, address: &str, lang: &str) -> Value {
    let body = json!({"address": address, "password": PASSWORD});
    let request = Request::put("/api/me/mail")
        .header(header::HOST, "arena.test")
        .header(header::ACCEPT_LANGUAGE, lang)
        .header(header::CONTENT_TYPE, "application/json")
        .header(
            header::COOKIE,
            format!("leitai={}", person.session.as_deref().expect("logged in")),
        )
        .header("x-leitai-csrf", person.csrf.as_deref().expect("logged in"))
        .body(Body::from(body.to_string()))
        .expect("a sound request");
    let answer = person.request(request).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

async fn open_kit(mailer: &Mailer) -> Kit {
    let mut kit = Kit::new().await;
    kit.app = kit.app.with_mail(mailer.clone());
    kit.again()
}

#[tokio::test]
async fn a_forgotten_password_is_set_by_mail() {
    let Some(server) = SmtpServer::start(find_port()).await else {
        return;
    };
    let mailer = server.mailer();
    let kit = open_kit(&mailer).await;
    let (ann, guest) = (kit.person("ann").await, kit.guest());
    let forgotten = async |address: &str| {
        let asked = guest.post("/api/password-reset", json!({"address": address}));
        asked.await
    };
    let wrong = json!({"address": "ann@example.org", "password": "not mine"});
    let refused = ann.put("/api/me/mail", wrong).await;
    assert_eq!(refused.code(), "wrong-password");
    let wrong = json!({"address": "ann", "password": PASSWORD});
    let refused = ann.put("/api/me/mail", wrong).await;
    assert_eq!(refused.code(), "bad-address");

    // Before the address is confirmed nothing else is sent there.
    let shown = set_address(&ann, "Ann@example.org", "zh-CN").await;
    has!(shown, {"available": true, "confirmed": false});
    assert_eq!(forgotten("ann@example.org").await.status, 202);
    assert_eq!(send_all(&kit, &mailer).await, 1);
    let mails = server.take_mails();
    let [from, to, subject, text] = &mails[0];
    assert_eq!(from, "Leitai <arena@example.org>");
    assert_eq!(to, "Ann@example.org");
    assert_eq!(subject, "确认你的邮箱");
    says(text, &["https://arena.test/confirm-mail?lang=zh#token="]);
    let token = json!({"token": token_in(text)});
    let reset = json!({"token": token["token"], "password": "another horse"});
    let other = guest.post("/api/password-reset/confirm", reset).await;
    assert_eq!(other.code(), "dead-link", "it is a link for something else");
    for status in [204, 404] {
        let confirmed = guest.post("/api/mail/confirm", token.clone()).await;
        assert_eq!(confirmed.status, status, "it works once");
    }
    assert_eq!(ann.get("/api/me/mail").await.json()["confirmed"], true);

    // Whether an address is known is not told.
    let (known, unknown) = (
        forgotten("ann@EXAMPLE.org").await,
        forgotten("nobody@example.org").await,
    );
    fields!(known, {status: unknown.status, bytes: unknown.bytes});
    assert_eq!(send_all(&kit, &mailer).await, 1);
    let mails = server.take_mails();
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0][2], "设置新密码");
    let token = token_in(&mails[0][3]);
    let reset = async |password: &str| {
        let body = json!({"token": token, "password": password});
        guest.post("/api/password-reset/confirm", body).await
    };
    assert_eq!(reset("short").await.status, 422);
    assert_eq!(reset("another horse").await.status, 204);
    assert_eq!(reset("another horse").await.code(), "dead-link");
    assert_eq!(
        ann.get("/api/me").await.json()["user"],
        Value::Null,
        "its session has ended"
    );
    for (password, status) in [(PASSWORD, 401), ("another horse", 200)] {
        let body = json!({"name": "ann", "password": password});
        assert_eq!(guest.post("/api/login", body).await.status, status);
    }

    // A change of the second factor is told, whatever mails are switched off.
    let (store, user) = (&kit.app.store, ann.id.expect("an account"));
    let off = store.set_mail_notices(user, false, false).await;
    assert!(off.expect("set"));
    let begun = store.begin_second_factor(user, "SECRET", Timestamp::now());
    assert!(begun.await.expect("begun"));
    let seen = ok!(store.second_factor(user)).expect("kept");
    let keep = (leitai_store::SessionId(0), Timestamp::now());
    let on = store.confirm_second_factor(&seen, 1, &[], keep);
    assert!(on.await.expect("confirmed"));
    assert_eq!(send_all(&kit, &mailer).await, 1);
    let mails = server.take_mails();
    assert_eq!(mails[0][2], "两步验证有变动");
    assert!(
        mails[0][3].contains("ann：已开启两步验证"),
        "{:?}",
        mails[0]
    );
    let body = json!({"name": "ann", "password": "another horse"});
    assert_eq!(guest.post("/api/login", body).await.code(), "second-factor");

    // Nobody is flooded: three mails were asked for just now.
    for _ in 0..5 {
        assert_eq!(forgotten("ann@example.org").await.status, 202);
    }
    assert_eq!(send_all(&kit, &mailer).await, 0);
}

#[tokio::test]
async fn links_end_and_an_account_takes_its_address_with_it() {
    let Some(server) = SmtpServer::start(find_port()).await else {
        return;
    };
    let mailer = server.mailer();
    let kit = open_kit(&mailer).await;
    let (ann, guest) = (kit.person("ann").await, kit.guest());
    set_address(&ann, "ann@example.org", "en").await;
    send_all(&kit, &mailer).await;
    let token = token_in(&server.take_mails()[0][3]);
    answers!(guest.post("/api/mail/confirm", json!({"token": token})) => 204);
    // Sent more than an hour ago.
    let store = &kit.app.store;
    let early = Timestamp::now().before(Duration::from_secs(3601));
    gives!(store.queue_resets("ann@example.org", early) => 1);
    mailer.send_due(store, || early).await.expect("it is sent");
    let mails = server.take_mails();
    assert_eq!(mails[0][2], "Set a new password");
    let body = json!({"token": token_in(&mails[0][3]), "password": "another horse"});
    let late = guest.post("/api/password-reset/confirm", body).await;
    assert_eq!(late.code(), "dead-link");
    assert!(store.sweep_links(Timestamp::now()).await.expect("swept") > 0);
    // A link to an address that was changed since.
    ok!(store.queue_resets("ann@example.org", Timestamp::now()));
    send_all(&kit, &mailer).await;
    let token = token_in(&server.take_mails()[0][3]);
    set_address(&ann, "ann@elsewhere.org", "en").await;
    let body = json!({"token": token, "password": "another horse"});
    let late = guest.post("/api/password-reset/confirm", body).await;
    assert_eq!(late.code(), "dead-link");
    let farewell = json!({"password": PASSWORD});
    answers!(ann.send("DELETE", "/api/me", Some(farewell)) => 204);
    assert_eq!(send_all(&kit, &mailer).await, 0);
    assert!(server.take_mails().is_empty());
}

#[tokio::test]
async fn a_server_that_is_away_gets_its_mail_later() {
    let port = find_port();
    let mailer = make_mailer(port);
    let kit = open_kit(&mailer).await;
    let ann = kit.person("ann").await;
    set_address(&ann, "ann@example.org", "en").await;
    assert_eq!(send_all(&kit, &mailer).await, 1, "one attempt");
    let Some(server) = SmtpServer::start(port).await else {
        return;
    };
    assert_eq!(send_all(&kit, &mailer).await, 0, "not yet");
    let later = || Timestamp::now().after(Duration::from_secs(10));
    gives!(mailer.send_due(&kit.app.store, later) => 1);
    assert_eq!(server.take_mails().len(), 1);
    // Away for good.
    drop(server);
    set_address(&ann, "ann@example.net", "en").await;
    let mut at = Timestamp::now();
    for _ in 0..6 {
        gives!(mailer.send_due(&kit.app.store, || at) => 1);
        at = at.after(Duration::from_secs(3600));
    }
    gives!(mailer.send_due(&kit.app.store, || at) => 0, "it was given up");
    assert_eq!(
        ann.get("/api/me/mail").await.json()["problem"],
        "unreachable"
    );
}

/// The address of the SMTP server, and what a mail ends with, for
/// [`a_mail_is_sent_or_not`].
const SERVER: &str = "LEITAI_TEST_SMTP_SERVER";
const PROBLEM: &str = "LEITAI_TEST_MAIL_PROBLEM";

#[test]
fn mail_goes_over_tls_to_a_trusted_server_alone() {
    let folder = tempfile::tempdir().expect("there is room");
    let [own, key] = make_certificate(folder.path(), "own");
    let [other, _] = make_certificate(folder.path(), "other");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    for (url, [certificate, private_key]) in [
        ("smtps://127.0.0.1:PORT", ["--smtpscert", "--smtpskey"]),
        (
            "smtp://127.0.0.1:PORT?tls=required",
            ["--tlscert", "--tlskey"],
        ),
    ] {
        let port = find_port();
        let options = [certificate, own.as_str(), private_key, key.as_str()];
        let Some(server) = SmtpServer::start_with(port, &options) else {
            return;
        };
        for (authority, problem, mails) in [(&other, "untrusted", 0), (&own, "", 1)] {
            let this = std::env::current_exe().expect("a test");
            let sent = Command::new(this)
                .args(["mail::a_mail_is_sent_or_not", "--exact", "--ignored"])
                .env("SSL_CERT_FILE", authority)
                .env(SERVER, url.replace("PORT", &port.to_string()))
                .env(PROBLEM, problem)
                .output()
                .expect("it runs");
            let said = String::from_utf8_lossy(&sent.stdout);
            assert!(sent.status.success(), "{url}, {authority}: {said}");
            assert!(said.contains("1 passed"), "{said}");
            assert_eq!(server.take_mails().len(), mails, "{url}, {authority}");
        }
    }
    // A server without TLS gets nothing where TLS is required.
    let port = find_port();
    let Some(server) = SmtpServer::start_with(port, &[]) else {
        return;
    };
    let url = format!("smtp://127.0.0.1:{port}?tls=required");
    runtime.block_on(send_one(&url, &json!("unreachable")));
    assert_eq!(server.take_mails().len(), 0);
}

/// In a process of its own, because the authorities that it trusts are read from the environment.
#[tokio::test]
#[ignore = "started by another test"]
async fn a_mail_is_sent_or_not() {
    let read = |name| std::env::var(name).expect("set by the other test");
    let problem = match read(PROBLEM) {
        none if none.is_empty() => Value::Null,
        problem => json!(problem),
    };
    send_one(&read(SERVER), &problem).await;
}

/// Sends a mail, as often as it is tried, and checks what became of it.
async fn send_one(server: &str, problem: &Value) {
    let mailer = Mailer::new(server, "arena@example.org", "https://arena.test");
    let mailer = mailer.expect("it is sound");
    let kit = open_kit(&mailer).await;
    let ann = kit.person("ann").await;
    set_address(&ann, "ann@example.org", "en").await;
    let mut at = Timestamp::now();
    loop {
        let sent = mailer.send_due(&kit.app.store, || at).await;
        if sent.expect("the database answers") == 0 {
            break;
        }
        at = at.after(Duration::from_secs(3600));
    }
    assert_eq!(&ann.get("/api/me/mail").await.json()["problem"], problem);
}

/// A version of this person's bot that does not build.
async fn fail_upload(kit: &Kit, person: &Person, bot: i64) {
    let path = format!("/api/bots/{bot}/versions");
    person.upload(&path, "bot.py", b"print(").await.ok();
    let taken = kit.take(JobKind::Version).await;
    let outcome = VersionOutcome::Failed {
        how: None,
        failure: json!({"en": "it does not build", "zh": "无法构建"}),
        report: None,
    };
    let ended = kit
        .app
        .store
        .finish_version(&taken.lease, outcome, Timestamp::now());
    ended.await.expect("the lease lives");
}

#[tokio::test]
async fn failed_uploads_and_contests_that_begin_are_told_to_who_wants_that() {
    let Some(server) = SmtpServer::start(find_port()).await else {
        return;
    };
    let mailer = server.mailer();
    let kit = open_kit(&mailer).await;
    let (ann, bob) = (kit.person("ann").await, kit.person("bob").await);
    let refused = json!({"uploads": true, "contests": true});
    refused!(ann.put("/api/me/mail/notices", refused) => 404, "not-found");
    let bot = kit.bot(&ann, "viper").await;
    set_address(&ann, "ann@example.org", "zh").await;
    fail_upload(&kit, &ann, bot.id.0).await;
    assert_eq!(
        send_all(&kit, &mailer).await,
        1,
        "only the link: it is not confirmed"
    );
    let token = token_in(&server.take_mails()[0][3]);
    let confirm = json!({"token": token});
    answers!(kit.guest().post("/api/mail/confirm", confirm) => 204);

    fail_upload(&kit, &ann, bot.id.0).await;
    let other = kit.bot(&bob, "cobra").await;
    fail_upload(&kit, &bob, other.id.0).await;
    assert_eq!(send_all(&kit, &mailer).await, 1, "bob has no address");
    let mails = server.take_mails();
    assert_eq!(mails[0][2], "viper 的第 2 版未通过");
    let page = format!("https://arena.test/bots/{}/versions/2", bot.id);
    assert!(mails[0][3].contains(&page), "{}", mails[0][3]);
    assert!(mails[0][3].contains("https://arena.test/account"));
    let chosen = json!({"uploads": false, "contests": true});
    answers!(ann.put("/api/me/mail/notices", chosen) => 204);
    let shown = ann.get("/api/me/mail").await.json();
    has!(shown, {"uploads": false, "contests": true});
    fail_upload(&kit, &ann, bot.id.0).await;
    assert_eq!(send_all(&kit, &mailer).await, 0, "ann does not want them");

    // Ann takes part in a contest that begins.
    crate::contests::with_entrants(&kit).await;
    let (playing, _) = kit.ready_bot(&ann, "python").await;
    let body = json!({"bot": playing.id, "code": "plum-blossom"});
    answers!(ann.post("/api/contests/spring/join", body) => 201);
    crate::contests::advance(&kit, crate::contests::at(0)).await;
    let later = || crate::contests::at(1);
    gives!(mailer.send_due(&kit.app.store, later) => 1);
    let mails = server.take_mails();
    assert_eq!(mails[0][2], "赛事 spring 即将开赛");
    assert!(mails[0][3].contains("https://arena.test/contests/spring"));
}

#[tokio::test]
async fn nothing_requires_mail() {
    let kit = Kit::new().await;
    let ann = kit.person("ann").await;
    assert_eq!(ann.get("/api/me/mail").await.json()["available"], false);
    let body = json!({"address": "ann@example.org", "password": PASSWORD});
    let refused = ann.put("/api/me/mail", body).await;
    assert_eq!(refused.code(), "no-mail");
    let body = json!({"address": "ann@example.org"});
    let refused = kit.guest().post("/api/password-reset", body).await;
    assert_eq!(refused.code(), "no-mail");
}

//! Similar sources in a contest.

use leitai_server::contests::rules::{publish_contest, read_new_rules};
use leitai_store::{BlobKey, JobKind, NewVersion, Timestamp, VersionOutcome};
use serde_json::{Value, json};

use crate::contests::{advance, at, with_entrants};
use crate::kit::{Kit, Person, by_operator};

const ORIGINAL: &str = "
def choose(board, me, foods):
    best, chosen = -1000, None
    for d in range(4):
        x, y = me[0] + DX[d], me[1] + DY[d]
        if not board.inside(x, y) or board.wall(x, y):
            continue
        value = room(board, x, y) * 3
        for food in foods:
            value += 10 / (1 + abs(food[0] - x) + abs(food[1] - y))
        if value > best:
            best, chosen = value, d
    return chosen
";

const OTHER: &str = "
class Table:
    def __init__(self):
        self.known = {}

    def look(self, key, depth):
        found = self.known.get(key)
        return found[1] if found and found[0] >= depth else None

while True:
    line = input()
    if line.startswith('end'):
        break
    print(len(line) % 4, flush=True)
";

/// Lets another source play for a bot.
async fn replace_source(kit: &Kit, bot: &str, file_name: &str, bytes: Vec<u8>) {
    let store = &kit.app.store;
    let bot = ok!(store.bot_by_name("kob", bot)).expect("it is there");
    let key = BlobKey::new_source();
    let size = bytes.len() as i64;
    ok!(kit.app.blobs.put_blob(&key, bytes));
    let new = NewVersion {
        bot: bot.id,
        source: key.as_str().to_owned(),
        file_name: file_name.to_owned(),
        bytes: size,
        notes: String::new(),
        activates: true,
    };
    ok!(store.create_version(new, Timestamp::now()));
    let taken = kit.take(JobKind::Version).await;
    let outcome = VersionOutcome::Ready {
        how: "python3".into(),
        protocol: "line".into(),
        report: json!({"passed": true, "steps": []}),
    };
    ok!(store.finish_version(&taken.lease, outcome, Timestamp::now()));
}

async fn list(person: &Person) -> Value {
    list_of(person, "spring").await
}

async fn list_of(person: &Person, contest: &str) -> Value {
    let path = format!("/api/contests/{contest}/similar-sources");
    loop {
        let shown = person.get(&path).await.ok();
        if shown["ready"] == true {
            return shown;
        }
    }
}

#[tokio::test]
async fn organisers_see_similar_sources_of_the_versions_that_play() {
    let kit = Kit::new().await;
    let people = with_entrants(&kit).await;
    let root = kit.admin().await;
    let copy = ORIGINAL
        .replace("best", "top")
        .replace("food", "apple")
        .replace("1000", "7");
    replace_source(&kit, "bot1", "bot.py", ORIGINAL.into()).await;
    replace_source(&kit, "bot2", "bot.py", OTHER.into()).await;
    replace_source(&kit, "bot3", "mine.py", copy.clone().into()).await;
    replace_source(&kit, "bot4", "bot.zip", b"PK\x03\x04 is none".to_vec()).await;
    let shown = list(&root).await;
    let pairs = shown["pairs"].as_array().expect("a list");
    assert_eq!(pairs.len(), 1, "{shown}");
    let names = [
        &pairs[0]["entries"][0]["name"],
        &pairs[0]["entries"][1]["name"],
    ];
    assert_eq!(names, ["bot1", "bot3"]);
    has!(shown, {"of": 6, "/left_out/0/why": "no-source"});
    assert!(pairs[0]["similarity"].as_f64().expect("a number") > 0.9);

    // Both ways, with what they have in common.
    let entry = |number: usize| pairs[0]["entries"][number]["entry"].clone();
    let path =
        |one: Value, other: Value| format!("/api/contests/spring/similar-sources/{one}/{other}");
    let pair = root.get(&path(entry(1), entry(0))).await.ok();
    has!(pair, {"/sides/0/name": "bot3", "/sides/0/files/0": {"name": "mine.py", "text": copy}});
    let lines = &pair["regions"][0]["lines"];
    assert_eq!(
        lines[0],
        json!({"file": 0, "from": 2, "to": 13}),
        "{}",
        pair["regions"]
    );
    assert_eq!(lines[0], lines[1]);
    // No way to read a source that is in no pair, or in no contest.
    let others = root.get("/api/contests/spring").await.ok();
    let other = others["entries"][2]["id"].clone();
    refused!(root.get(&path(entry(0), other)) => 404, "not-found");
    refused!(root.get(&path(entry(0), entry(0))) => 404, "not-found");
    refused!(root.get(&path(entry(0), json!(9999))) => 404, "not-found");
    refused!(root.get("/api/contests/none/similar-sources") => 404, "not-found");

    // For nobody else, not even for the two.
    for path in [
        "/api/contests/spring/similar-sources".to_owned(),
        path(entry(0), entry(1)),
    ] {
        people[1].get(&path).await.refused(403, "not-organiser");
        kit.guest().get(&path).await.refused(401, "login");
    }

    // Every opening is logged, and refusals are none.
    let audit = root.get("/api/admin/audit").await.ok();
    let lines = audit["items"].as_array().expect("a list").iter();
    let opened: Vec<&Value> = lines
        .filter(|line| line["about"] == "contest-sources spring")
        .map(|line| &line["what"])
        .collect();
    assert_eq!(opened, ["contest.similar-pair", "contest.similar-sources"]);
    // Which everybody reads on the contest's page is another matter.
    let changes = people[1].get("/api/contests/spring").await.ok()["changes"].to_string();
    assert!(!changes.contains("similar"), "{changes}");

    // From the freeze on what is frozen counts.
    advance(&kit, at(0)).await;
    replace_source(&kit, "bot3", "bot.py", OTHER.into()).await;
    let frozen = list(&root).await;
    assert_eq!(frozen["pairs"][0]["entries"], shown["pairs"][0]["entries"]);
}

/// A program of about a megabyte that is like no other.
fn write_program(seed: u64) -> String {
    let mut random = seed;
    let mut draw = |most: u64| {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % most
    };
    let mut text = String::with_capacity(1 << 20);
    while text.len() < 1_000_000 {
        const PARTS: [&str; 10] = [
            "a + ",
            "b - ",
            "c * ",
            "f(d) / ",
            "g[e] % ",
            "not h or ",
            "(i) and ",
            "-j < ",
            "k ** ",
            "m == ",
        ];
        text.push_str("n = ");
        for _ in 0..6 {
            text.push_str(PARTS[draw(10) as usize]);
        }
        text.push_str("7\n");
    }
    text
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes without optimisation"]
async fn a_thousand_entrants_with_sources_of_a_megabyte_are_compared() {
    let kit = Kit::new().await;
    let (store, now) = (&kit.app.store, Timestamp::now());
    let by = by_operator(now);
    let file = "id = \"large\"\ngame = \"kob\"\ntime-zone = \"UTC\"\ntitle = { en = \"Large\", zh = \"大\" }\n\
                [entry]\nwho = \"everybody\"\nleast = 2\nmost = 1000\n\
                [dates]\nopens = 2025-01-01T00:00:00\nfreezes = 2035-01-01T00:00:00\n\
                [[stage]]\nname = \"S\"\nformat = \"swiss\"\nrounds = 3\n";
    let rules = read_new_rules(&kit.app.games, file).expect("it is sound");
    let contest = publish_contest(store, &rules, (file.to_owned(), Vec::new()), Some(7), by).await;
    let contest = contest.expect("it is published");
    for number in 0..1_000_u64 {
        let name = format!("p{number:04}");
        let person = kit.person(&name).await;
        let bot = kit.bot(&person, &name).await;
        let mut text = write_program(number);
        if number == 900 {
            text.truncate(200_000);
            text.insert_str(0, &write_program(17)[..300_000]);
        }
        replace_source(&kit, &name, "bot.py", text.into_bytes()).await;
        ok!(store.join_contest(contest.id, bot.id, (1_000, 1), by));
    }
    let root = kit.admin().await;
    let begun = std::time::Instant::now();
    let shown = list_of(&root, "large").await;
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let peak = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap_or_default();
    eprintln!("1,000 sources of a megabyte: {:?}, {peak}", begun.elapsed());
    let pairs = shown["pairs"].as_array().expect("a list");
    assert_eq!(pairs.len(), 1, "{}", shown["pairs"]);
    let names = [
        &pairs[0]["entries"][0]["name"],
        &pairs[0]["entries"][1]["name"],
    ];
    assert_eq!(names, ["p0017", "p0900"]);
    assert_eq!(shown["cut"].as_array().map(Vec::len), Some(1_000));
}

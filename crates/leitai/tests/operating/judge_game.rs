//! A game that a judge program leads, in an arena: brought as one file, checked in the sandbox and played by
//! uploaded programs, on the server's machine and on another worker, watched, verified, and in a contest.

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};

use super::seen::{has, says};
use super::{
    ArenaProcess, BINARY, Client, Home, admin, ask_arena, at_home, check_admin, said, wait_until,
};
use serde_json::{Value, json};

/// Ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What the judge program of the example says first: what it could read of the arena and of others.
const SPY: &str = r#"
def spy():
    import glob, os, socket
    found = []
    for path in ["HOME/.local/share/leitai/leitai.db", "HOME/pig/game.toml", "/etc/shadow", *glob.glob("/proc/[0-9]*/environ"),
                 *glob.glob("HOME/**", recursive=True), *glob.glob("/*/leitai-*/*/*/*")]:
        try:
            if os.path.isfile(path) and "/proc/self/" not in path:
                text = open(path, "rb").read()
                if path.startswith(("HOME", "/var", "/tmp")) or b"LEITAI" in text or "shadow" in path:
                    found.append(path)
        except OSError:
            pass
    try:
        socket.create_connection(("127.0.0.1", PORT), 1)
        found.append("network")
    except OSError:
        pass
    order(watch="spied: " + json.dumps(found))
"#;

/// Writes the example under an id, with changes in its judge program.
fn write_pig(home: &Path, id: &str, change: impl Fn(String) -> String) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/games/pig");
    let to = home.join(id);
    for folder in ["logic", "bots"] {
        fs::create_dir_all(to.join(folder)).expect("own folder");
    }
    for file in "guide.md guide.zh.md bots/hold20.py bots/careful.py".split_whitespace() {
        fs::copy(from.join(file), to.join(file)).expect("a part of the example");
    }
    let read = |file: &str| fs::read_to_string(from.join(file)).expect("a part of the example");
    let about = read("game.toml").replace("\"pig", &format!("\"{id}"));
    fs::write(to.join("game.toml"), about).expect("own folder");
    fs::write(to.join("logic/main.py"), change(read("logic/main.py"))).expect("own folder");
}

/// A friendly match of the account's two bots of a game, once it is over.
fn play(arena: &ArenaProcess, home: &Path, client: &Client<'_>, game: &str) -> Value {
    let script = format!(
        r#"
auth="authorization: Bearer $token"
curl -sf "$server/api/me/bots" -H "$auth" > own.json
ids=$(python3 -c 'import json; print(*[it["id"] for it in json.load(open("own.json"))["items"] if it["game"] == "{game}"])')
set -- $ids
curl -sf -H 'content-type: application/json' -H "$auth" -d "{{\"game\": \"{game}\", \"a\": {{\"bot\": $1}}, \"b\": {{\"bot\": $2}}, \"config\": {{}}}}" $server/api/matches > made.json
python3 -c 'import json; print(json.load(open("made.json"))["id"])'
"#
    );
    let id = ask_arena(arena, home, &script, &client.token);
    let path = format!("/api/matches/{id}");
    wait_until("the match is over", || {
        let played = arena.read(&path);
        played["state"] != "queued" && played["state"] != "running"
    });
    arena.read(&path)
}

/// Uploads the two bots of the example to a game.
fn submit_both(home: &Path, client: &Client<'_>, game: &str) {
    for (name, bot) in [("anna", "careful"), ("bert", "hold20")] {
        let file = format!("{name}-{game}.py");
        let from = home.join(game).join(format!("bots/{bot}.py"));
        fs::copy(from, home.join(&file)).expect("there");
        client.check("en", &format!("submit {game} {file} --activate"), &[0], &[]);
    }
}

/// The replay of a match as a guest gets it, which the command line verifies; `true`: word for word.
fn verify(arena: &ArenaProcess, home: &Path, played: &Value) -> Value {
    let replay = arena.read(&format!("/api/matches/{}/replay", played["id"]));
    fs::write(home.join("replay.json"), replay.to_string()).expect("written");
    let guest = Client::at(arena, home, "");
    let line = "replay verify replay.json --game pig.leitai-game";
    guest.check("en", line, &[0], &["agrees: 2 legs"]);
    replay
}

#[test]
fn an_arena_plays_a_game_with_a_judge_program() {
    let home: &Path = &Home::new();
    let arena = ArenaProcess::serve_quietly(home, 1);
    let client = Client::open(&arena, home);
    let port = arena.address.rsplit_once(':').expect("a port").1.to_owned();
    let spy = SPY
        .replace("HOME", &home.display().to_string())
        .replace("PORT", &port);
    write_pig(home, "pig", |logic| {
        logic
            .replace("def main():", &format!("{spy}\n\ndef main():"))
            .replace("    order(state=0,", "    spy()\n    order(state=0,")
    });
    client.check_rows(
        "
en 0 | game pack pig -o pig.leitai-game | bytes
en 0 | game add pig.leitai-game | pig/1 | /games/pig
",
    );
    says_what_it_has_not(&arena);
    submit_both(home, &client, "pig");
    let played = play(&arena, home, &client, "pig");
    assert_eq!(played["state"], "finished", "{played}");
    let replay = verify(&arena, home, &played);
    shows_what_was_recorded(&arena, &played, &replay);
    // Another server with no slots of its own, and a worker elsewhere.
    let secret = said(&admin(home, "worker-token hall"));
    arena.stop();
    fs::write(home.join("opened"), "").expect("own folder");
    let mut arena = ArenaProcess::serve_quietly(home, 0);
    arena.secret = Some("it was used".to_owned());
    let (_, secret) = secret.split_once("LEITAI_WORKER_TOKEN=").expect("a token");
    let secret = secret.split_whitespace().next().expect("a token");
    let elsewhere = Home::new();
    let mut worker = at_home(&elsewhere, BINARY);
    let line = format!(
        "worker --name hall --slots 1 --server http://{}",
        arena.address
    );
    worker
        .args(line.split(' '))
        .env("LEITAI_WORKER_TOKEN", secret);
    worker.stdout(Stdio::null()).stderr(Stdio::null());
    let worker = Running(worker.spawn().expect("it starts"));
    let client = Client::at(&arena, home, &client.token);
    // The worker checks what is brought now.
    write_pig(home, "hog", |logic| logic);
    client.check("en", "game add hog", &[0], &["hog/1", "/games/hog"]);
    let contest = hold_contest(&arena, home, &client);
    drop(worker);
    let replay = verify(&arena, home, &contest);
    assert!(replay["legs"][0]["shown"].is_array(), "{replay}");
    arena.stop();
    moves(home, &contest, &replay);
}

/// The arena moves to another folder: there is the game as the same file, and its matches are shown.
fn moves(home: &Path, played: &Value, replay: &Value) {
    check_admin(
        home,
        "good | export moved\ngood | import moved --data there",
    );
    let arena = ArenaProcess::serve_with(home, "--slots 0 --data there");
    let guest = Client::at(&arena, home, "");
    let [packed, taken] = ["packed", "pig"].map(|name| home.join(format!("{name}.leitai-game")));
    fs::rename(&taken, &packed).expect("own folder");
    guest.check("en", "game get pig", &[0], &[]);
    let [one, other] = [packed, taken].map(|path| fs::read(path).expect("it is there"));
    assert!(one == other, "{} and {} bytes", one.len(), other.len());
    let shown = arena.read(&format!("/api/matches/{}/replay", played["id"]));
    assert_eq!(shown, *replay);
    arena.stop();
}

/// The arena tells of the game what its page needs, and refuses in words what it has not.
fn says_what_it_has_not(arena: &ArenaProcess) {
    let game = arena.read("/api/games/pig");
    let fields = json!({"programs_only": true, "page_rules": false, "brought": true});
    has(&game, fields);
    assert_eq!(game["bots"].as_array().map(Vec::len), Some(2), "{game}");
    let asked = r#"{"game": "pig", "config": {}, "seat": "a", "opponent": {"anybody": true}, "name": "eve"}"#;
    let (status, answer) = arena.post("/api/human-matches", asked);
    assert_eq!(status, 422, "{answer}");
    says(&answer, &["programs-only"]);
    assert_eq!(arena.get("/api/games/pig/page-rules").0, 404);
}

/// What spectators and readers see comes from the record; the judge program found nothing.
fn shows_what_was_recorded(arena: &ArenaProcess, played: &Value, replay: &Value) {
    let id = &played["id"];
    let frames = arena.read(&format!("/api/matches/{id}/frames?leg=1"));
    let all = frames["frames"].as_array().expect("a list");
    assert!(all.len() > 5, "{frames}");
    says(&all[1]["events"].to_string(), &["spied: []"]);
    says(&all[0]["view"]["sent"]["first"].to_string(), &["start"]);
    assert!(all.last().is_some_and(|last| last["outcome"].is_object()));
    assert_eq!(arena.get(&format!("/matches/{id}")).0, 200);
    // A replay of somebody is checked for its form, and that is said; another end is found.
    let mut file = replay.clone();
    let check = |file: &Value, expected: u16, part: &str| {
        let (status, answer) = arena.post("/api/replays/frames", &file.to_string());
        assert_eq!(status, expected, "{answer}");
        says(&answer, &[part]);
    };
    check(&file, 200, "\"verified\":false");
    file["legs"][0]["outcome"]["scores"][0] = json!(7);
    check(&file, 200, "the recorded outcome");
    file["legs"][0]["shown"] = json!([]);
    check(&file, 422, "does not tell what it showed");
}

/// A contest of an uploaded bot and one that came with the game, to its end; its match.
fn hold_contest(arena: &ArenaProcess, home: &Path, client: &Client<'_>) -> Value {
    let opens = "2025-01-01T00:00:00";
    let mut soon = at_home(home, "date");
    let soon = soon.args(["-u", "-d", "+4 seconds", "+%FT%T"]).output();
    let soon = said(&soon.expect("date runs"));
    let soon = soon.trim();
    let text = format!(
        "id = \"cup\"\ngame = \"pig\"\ntime-zone = \"UTC\"\ntitle = {{ en = \"Cup\", zh = \"杯赛\" }}\n\
         [entry]\nwho = \"everybody\"\n[dates]\nopens = {opens}\nfreezes = {soon}\n\
         [[stage]]\nname = \"All\"\nformat = \"round-robin\"\n"
    );
    fs::write(home.join("cup.toml"), text).expect("written");
    client.check_rows("en 0 | contest publish cup.toml | contest cup is published");
    let join = r#"
curl -sf "$server/api/me/bots" -H "authorization: Bearer $token" > own.json
curl -sf "$server/api/games/pig" > pig.json
for bot in $(python3 -c 'import json; print(json.load(open("own.json"))["items"][0]["id"], json.load(open("pig.json"))["bots"][0]["bot"])'); do
  curl -fsS "$server/api/contests/cup/join" -H "authorization: Bearer $token" \
    -H 'content-type: application/json' -d "{\"bot\": $bot}"
done"#;
    ask_arena(arena, home, join, &client.token);
    wait_until("the contest is over", || {
        arena.read("/api/contests/cup")["state"] == "finished"
    });
    let matches = arena.read("/api/matches?game=pig&kind=contest");
    let played = &matches["items"][0];
    assert_eq!(played["state"], "finished", "{matches}");
    played.clone()
}

/// Judge programs that are not sound: the check says why, and where a match shows it nobody loses.
#[test]
fn an_unsound_judge_program_costs_nobody_anything() {
    let home: &Path = &Home::new();
    let arena = ArenaProcess::serve_quietly(home, 1);
    let client = Client::open(&arena, home);
    let begin = "    config = listen()[\"config\"]\n";
    let (ends, sleeps) = ("raise SystemExit(7)", "import time; time.sleep(99)");
    let silent = "neither wrote a message nor waited for one";
    for (id, change, words) in [
        ("ends", ends, "ended before the game was over"),
        ("sleeps", sleeps, silent),
    ] {
        let change = format!("    {change}\n");
        write_pig(home, id, |logic| {
            logic.replace(begin, &format!("{begin}{change}"))
        });
        client.check("en", &format!("game add {id}"), &[1], &[words]);
    }
    write_pig(home, "breaks", |logic| logic);
    fs::remove_file(home.join("breaks/logic/main.py")).expect("it is there");
    let (file, text) = ("breaks/logic/main.cpp", "int main() { return nothing; }");
    fs::write(home.join(file), text).expect("there");
    client.check("en", "game add breaks", &[1], &["logic: ", "nothing"]);
    // The check and the trials of bots draw from small seeds.
    write_pig(home, "luck", |logic| {
        let fails = "    if config[\"random_seed\"] > 9: raise SystemExit(\"no luck\")\n";
        logic.replace(begin, &format!("{begin}{fails}"))
    });
    client.check("en", "game add luck", &[0], &["luck/1"]);
    submit_both(home, &client, "luck");
    let played = play(&arena, home, &client, "luck");
    let fields = json!({"state": "void", "winner": null, "faults": []});
    has(&played, fields);
    // Administrators read on its page what was said.
    let ask = format!(
        "curl -sf -H \"authorization: Bearer $token\" $server/api/matches/{}",
        played["id"]
    );
    let shown = ask_arena(&arena, home, &ask, &client.token);
    let is_told = shown.contains("the rules of luck failed") && shown.contains("no luck");
    assert!(is_told, "{shown}");
    arena.stop();
}

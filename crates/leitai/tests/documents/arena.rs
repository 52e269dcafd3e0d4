//! The running arena that documents refer to: one account, one bot, played matches.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use crate::reader::{BINARY, Reader};

/// A running arena, until the value is dropped.
pub struct Arena(Child);

/// Opens the first account, makes its token, uploads a bot and waits for its matches; prints the
/// values that stand for the examples in documents.
const PREPARE: &str = r#"
who='"name": "ada", "password": "correct horse"'
json='content-type: application/json'
curl -s -c jar -H "$json" -d "{$who, \"secret\": \"$secret\"}" $server/api/register > me.json
get() { python3 -c 'import json, sys; print(eval(sys.argv[2], json.load(open(sys.argv[1]))))' "$@"; }
number_of() {
  curl -s "$server/api/games/$1/ladder?limit=50" > ladder.json
  get ladder.json "[row['bot']['id'] for row in items if row['bot']['name'] == '$2'][0]"
}
curl -s -b jar $server/api/me > me.json
curl -s -b jar -H "$json" -H "x-leitai-csrf: $(get me.json csrf)" -d '{"name": "docs", "scopes": ["submit", "play"]}' $server/api/me/tokens > token.json
auth="Authorization: Bearer $(get token.json token)"
curl -s -H "$auth" -H "$json" -d '{"game": "snakego", "name": "adder"}' $server/api/bots > bot.json
curl -s -H "$auth" -F file=@mybot.py $server/api/bots/$(get bot.json id)/versions > version.json
curl -sN -H "$auth" $server/api/versions/$(get version.json id)/live > /dev/null
other=$(number_of snakego random)
curl -s -H "$auth" -H "$json" -d "{\"game\": \"snakego\", \"a\": {\"bot\": $(get bot.json id)}, \"b\": {\"bot\": $other}}" \
  $server/api/matches > match.json
until curl -s $server/api/matches/$(get match.json id) > played.json && [ "$(get played.json state)" = finished ]; do
  [ "$(get played.json state)" != void ]
  sleep 0.2
done
echo "RESULT $(get token.json token) $(get bot.json id) $(get version.json id) $(get match.json id) \
$(number_of tankcraft random) $(number_of tankcraft miner) $(number_of kob safe)"
"#;

impl Arena {
    /// Starts the arena in the reader's home, and tells the reader the values that stand for the
    /// examples.
    pub fn open(reader: &mut Reader) -> Arena {
        let mut serve = reader.command(BINARY);
        serve.args(["serve", "--listen", "127.0.0.1:0", "--slots", "1"]);
        let mut child = serve
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("it starts");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut line = || lines.next().expect("it speaks").expect("UTF-8");
        let (first, _, third) = (line(), line(), line());
        let port = first
            .trim()
            .rsplit_once(':')
            .expect("an address")
            .1
            .to_owned();
        let secret = third
            .split_once("#secret=")
            .expect("a link with a secret")
            .1
            .trim()
            .to_owned();
        let arena = Arena(child);
        let server = format!("http://localhost:{port}");
        let (went_well, said) = reader.shell(
            &format!("server={server}\nsecret={secret}\n{PREPARE}"),
            false,
        );
        assert!(went_well, "{said}");
        let result = said
            .lines()
            .find_map(|line| line.strip_prefix("RESULT "))
            .expect("a result");
        let [token, bot, version, played, tank, other, safe] =
            result.split(' ').collect::<Vec<_>>()[..]
        else {
            panic!("{result}");
        };
        let mut means =
            |from: &str, to: &str| reader.stands_for.push((from.to_owned(), to.to_owned()));
        means("https://arena.example.org", &server);
        means("http://localhost:8080", &server);
        means("leitai_…", token);
        means("/bots/12", &format!("/bots/{bot}"));
        means("/versions/34", &format!("/versions/{version}"));
        means("/matches/56", &format!("/matches/{played}"));
        means("1234", played);
        means("{\"bot\": 78}", &format!("{{\"bot\": {tank}}}"));
        means("{\"bot\": 9}", &format!("{{\"bot\": {other}}}"));
        means("--against 15", &format!("--against {safe}"));
        means("/backup/", "./");
        arena
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

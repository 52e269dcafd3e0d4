//! What a contest's file may say, and what is said about one that is wrong.

use std::time::Duration;

use leitai_contest::file::{Contest, Games, MAX_FILE, SeedRules, check_contest};
use leitai_contest::problem::Problem;
use leitai_contest::template::contest_file;
use leitai_game::Lang;
use leitai_game::lang::{Catalogue, MESSAGES};

use crate::table::table;

fn check(text: &str) -> Result<Contest, Vec<Problem>> {
    let games = leitai_games::ALL.iter().map(|game| game.messages());
    let messages = games.chain([&MESSAGES]);
    check_contest(
        text,
        &Games::new(leitai_games::ALL, Catalogue::new(messages)),
    )
}

/// The template with one replacement, which has to be there.
fn changed(from: &str, to: &str) -> String {
    let text = contest_file("spring", "kob", 1_800_000_000);
    assert!(text.contains(from), "{from:?} is not in the template");
    text.replacen(from, to, 1)
}

#[test]
fn the_template_of_every_game_is_sound() {
    for game in leitai_games::ALL {
        let text = contest_file("spring-2027", game.meta().id, 1_800_000_000);
        let contest = check(&text).unwrap_or_else(|problems| panic!("{problems:#?}"));
        assert_eq!(contest.game, game.meta().id);
        assert_eq!(contest.stages.len(), 2);
        assert!(contest.opens > 1_800_000_000 && contest.freezes > contest.opens);
        assert_eq!(contest.players_by_stage(40), [40, 8]);
        assert_eq!(contest.players_by_stage(3), [3, 3]);
    }
}

#[test]
fn each_problem_has_its_line_and_a_cure() {
    let refuse = |from: &str, to: &str, line_of: &str, what: &str, cure: &str| {
        let text = changed(from, to);
        let problems = check(&text).expect_err(to);
        let line = text
            .lines()
            .position(|line| line.contains(line_of))
            .expect(line_of)
            + 1;
        let [problem] = &problems[..] else {
            panic!("{to}: {problems:#?}");
        };
        assert_eq!(problem.line, line, "{to}: {problem:#?}");
        assert!(problem.what.en.contains(what), "{to}: {problem:#?}");
        assert!(problem.cure.en.contains(cure), "{to}: {problem:#?}");
        let is_chinese = |text: &str| text.chars().any(|c| c > '\u{2e80}');
        assert!(
            is_chinese(&problem.what.zh) && is_chinese(&problem.cure.zh),
            "{problem:#?}"
        );
    };
    for [from, to, line_of, what, cure] in table(
        r#"
id = "spring" | id = "Spring!" | Spring! | id = "Spring!" | lowercase letters
game = "kob" | game = "kab" | kab | game = "kab" | did you mean "kob"?
Asia/Shanghai | Asia/Shangai | Shangai | time-zone | Asia/Shanghai
"#,
    ) {
        refuse(from, to, line_of, what, cure);
    }
    for offset in ["GMT+8", "UTC+08:00", "+8", "+0800"] {
        refuse(
            "Asia/Shanghai",
            offset,
            offset,
            "time-zone",
            "did you mean \"Asia/Shanghai\"?",
        );
    }
    for [from, to, line_of, what, cure] in table(
        r#"
who = "everybody" | who = "everyone" | everyone | entry.who | accounts
who = "everybody" | who = "code" | [entry] | entry.code is missing | code =
who = "everybody" | who = "accounts" | [entry] | accounts | ["ann"
team-size = 1 | team-size = 0 | team-size | team-size = 0 | from 1 to 20
team-size = 1 | teamsize = 1 | teamsize | unknown key entry.teamsize | team-size
least = 2 | least = 65 | least | entry.least = 65 | lower
most = 64 | most = 1 | most = 1 | entry.most = 1 | from 2 to 1000
# time-limit = "1s" | time-limit = "1" | time-limit | time-limit | 500ms
# bank = "60s" | bank = "2h" | bank | bank = "2h" | from 10ms to 60m
# increment = "500ms" | increment = "500ms" | increment | increment = "500ms" | give `bank`, too
# strikes = 3 | strikes = 3 | strikes | strikes = 3 | give `grace`, too
# keep = "match" | keep = "ever" | keep | keep = "ever" | match
# memory = "512MiB" | memory = "512" | memory | memory = "512" | 512MiB
seeds = "drawn" | seeds = [] | seeds = [] | matches.seeds | [1, 2, 3]
# source-size = "64KiB" | source-size = "2GiB" | source-size | source-size = "2GiB" | up to 1GiB
seeds = "drawn" | seeds = [-1] | seeds = [-1] | matches.seeds | [1, 2, 3]
# configs = [{}] | configs = [{ nonsense = 1 }] | nonsense | configs | nonsense
"#,
    ) {
        refuse(from, to, line_of, what, cure);
    }
    for [handicap, line_of, what, cure] in table(
        r#"
accounts = ["ann"]\ntime-limit = "1h" | 1h | time-limit | 10m
accounts = ["ann"]\ntime-limit = "5m" | 5m | time-limit | never gives more
accounts = ["ann"] | # here | handicaps | accounts or languages
memory = "64MiB" | # here | handicaps | accounts or languages
languages = ["cobol"]\nmemory = "64MiB" | cobol | languages | cpp
"#,
    ) {
        let handicap = handicap.replace("\\n", "\n");
        let all = format!("[[matches.handicaps]] # here\n{handicap}\n\n[dates]\n");
        refuse("[dates]\n", &all, line_of, what, cure);
    }
    for [packs, line_of, what, cure] in table(
        r#"
file = "../w.jsonl" | ../w | file | beside this one
file = "walls.toml" | walls.toml | file | jsonl
file = "/etc/passwd" | passwd | file | beside this one
file = 7 | file = 7 | file | quotes
 | # own | file | [[situations]]
file = "a.jsonl"\nhidden-until = "soon" | soon | hidden-until | 2027
file = "a.jsonl"\n[[situations]]\nfile = "a.jsonl" # twice | twice | file | once
"#,
    ) {
        let packs = packs.replace("\\n", "\n");
        let all = format!("[[situations]] # own\n{packs}\n\n[dates]\n");
        refuse("[dates]\n", &all, line_of, what, cure);
    }
    for [from, to, line_of, what, cure] in table(
        r#"
always"           # always, end | sometimes" # | sometimes | standings | end
take = 8 | take = 65 | take = 65 | at most 64 | entry.most
take = 8 | take = 1 | take = 1 | take = 1 | from 2
take = 8 | heads = 1 \ntake = 8 | heads | heads = 1 | only a gauntlet
rounds = 5 | take = 8\nrounds = 5 | take = 8 | take | before the first
"buchholz", | "bucholz", | bucholz | tie-breaks | buchholz
format = "swiss" | format = "swis" | "swis" | format | "swiss"
"#,
    ) {
        refuse(from, &to.replace("\\n", "\n"), line_of, what, cure);
    }
}

#[test]
fn what_is_said_is_read_and_the_rest_has_defaults() {
    let template = contest_file("spring", "kob", 1_800_000_000);
    let (before, rest) = template.split_once("[entry]").expect("a section");
    let (_, after) = rest.split_once("[matches]").expect("the next");
    let contest = check(&format!("{before}[matches]{after}")).expect("entry may be missing");
    let (open, told) = (&contest.entry, check(&template).expect("sound").entry);
    assert_eq!((&open.who, open.team_size), (&told.who, told.team_size));
    assert_eq!((open.least, open.most), (2, 1000));
    let size = changed("# source-size = \"64KiB\"", "source-size = \"64KiB\"");
    let size = check(&size).expect("a size").entry.source_size;
    assert_eq!(size, Some(64 << 10));
    let seeds = changed("seeds = \"drawn\"", "seeds = [7, 8]");
    let seeds = check(&seeds).expect("a list").matches.seeds;
    assert_eq!(seeds, SeedRules::Fixed { seeds: vec![7, 8] });
}

#[test]
fn a_leg_lasts_as_long_as_its_turns_or_its_bank() {
    let longest = |limit: &str, bank: &str, turns: u32| {
        let rules = [("# time-limit = \"1s\"", limit), ("# bank = \"60s\"", bank)];
        let mut text = contest_file("spring", "kob", 1_800_000_000);
        for (from, to) in rules {
            text = text.replacen(from, to, 1);
        }
        let rules = check(&text).expect("sound").matches;
        rules.longest_leg(Duration::from_secs(2), turns).as_secs()
    };
    let (limit, bank) = ("time-limit = \"1s\"", "bank = \"60s\"");
    assert_eq!(longest("#", "#", 100), 200);
    assert_eq!(longest(limit, "#", 100), 100);
    assert_eq!(longest("#", bank, 100), 60);
    assert_eq!([50, 100].map(|turns| longest(limit, bank, turns)), [50, 60]);
}

#[test]
fn bad_dates_are_refused() {
    let refuse = |key: &str, value: &str, what: &str, cure: &str| {
        let text = contest_file("spring", "kob", 1_800_000_000);
        let swap = |line: &str| match line.starts_with(&format!("{key} = ")) {
            true => format!("{key} = {value}"),
            false => line.to_owned(),
        };
        let text: Vec<String> = text.lines().map(swap).collect();
        let problems = check(&text.join("\n")).expect_err(value);
        let found = problems
            .iter()
            .any(|problem| problem.what.en.contains(what) && problem.cure.en.contains(cure));
        assert!(found, "{key} = {value}: {problems:#?}");
    };
    for [key, value, what, cure] in table(
        r#"
opens | "soon" | dates.opens | a date that exists
opens | 12 | dates.opens | a date that exists
opens | 1969-01-01 | dates.opens | after 1970
opens | "2027-02-30" | dates.opens | a date that exists
freezes | 2020-01-01 | dates.freezes | after dates.opens
starts | 2027-01-17T00:00:00 | before the freeze | later date
"#,
    ) {
        refuse(key, value, what, cure);
    }
    let berlin = changed("Asia/Shanghai\"  ", "Europe/Berlin\"  ");
    let opens = berlin
        .lines()
        .find(|line| line.starts_with("opens"))
        .expect("a date");
    let gap = berlin.replace(opens, "opens = 2026-03-29T02:30:00");
    let problems = check(&gap).expect_err("the hour does not exist");
    assert!(
        problems[0].cure.en.contains("clocks skip this hour"),
        "{problems:#?}"
    );
}

#[test]
fn everything_that_is_wrong_is_said_at_once() {
    let text = "\
id = \"X\"
game = \"chess\"
time-zone = 8
colour = \"red\"
[entry]
most = \"many\"
[dates]
opens = 2027-03-01
freezes = 2027-02-01
[[stage]]
format = \"league\"
";
    let problems = check(text).expect_err("nearly everything is wrong");
    let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
    assert_eq!(lines, [1, 1, 2, 3, 4, 6, 9, 10, 11], "{problems:#?}");
    let shown = problems[2].to_line(Lang::En);
    assert!(
        shown.starts_with("2: game = \"chess\" cannot be used; write one of"),
        "{shown}"
    );
}

#[test]
fn an_empty_file_and_one_that_is_not_toml_are_explained() {
    let problems = check("").expect_err("it is empty");
    let missing: Vec<&str> = problems
        .iter()
        .map(|problem| problem.what.en.as_str())
        .collect();
    for key in ["id", "title", "game", "time-zone", "dates", "stage"] {
        assert!(
            missing.contains(&&*format!("{key} is missing")),
            "{key}: {missing:?}"
        );
    }
    let problems = check("id = \nopens == 3\n").expect_err("it is not TOML");
    assert!(problems[0].what.en.contains("TOML"), "{problems:#?}");
    assert!(check(&"#".repeat(MAX_FILE + 1)).is_err());
    assert!(check("stage = []").is_err() && check("stage = 3").is_err());
}

#[test]
fn a_stage_with_too_many_matches_is_refused() {
    let text = changed("most = 64", "most = 1000").replacen("\"swiss\"  ", "\"round-robin\"  ", 1);
    let problems = check(&text).expect_err("nearly five million matches");
    assert!(
        problems[0]
            .what
            .en
            .contains("1000 entrants this stage has 4995000 matches")
    );
    assert!(check(&changed("most = 64", "most = 1000")).is_ok());
}

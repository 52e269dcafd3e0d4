//! With a Chinese locale the binary prints no English sentence.

use std::process::{Command, Output};

use crate::place::{Place, fill_words, split_words, table, text};

/// Every command, with the subcommands of those that have any.
const COMMANDS: &[&str] = &[
    "",
    "games",
    "bots",
    "new",
    "match",
    "check",
    "play",
    "compare",
    "tournament",
    "ladder",
    "regress",
    "regress add",
    "regress run",
    "regress list",
    "replay",
    "replay show",
    "replay verify",
    "replay export",
    "replay import",
    "replay trace",
    "replay frames",
    "serve",
    "worker",
    "admin",
    "admin add-user",
    "admin correct-match",
    "admin backup",
    "admin export",
    "admin import",
    "login",
    "submit",
    "standing",
    "matches",
    "tags",
    "logs",
    "download",
    "doctor",
    "parity",
    "completions",
    "man",
];

fn chinese(place: &Place, words: &[&str]) -> Output {
    let mut command: Command = place.leitai(words);
    command
        .env_remove("LC_ALL")
        .env_remove("LEITAI_LANG")
        .env("LANG", "zh_CN.UTF-8");
    command.output().expect("the binary starts")
}

/// The line without quotations, commands, paths and options.
fn own_words(line: &str) -> String {
    let (mut plain, line) = (String::new(), line.replace("King of Bots", "§"));
    // The output of a compiler or a program is quoted as it is.
    let line = if line.starts_with(&" ".repeat(23)) {
        String::new()
    } else {
        line
    };
    let line = line.split("bot.cpp:").next().unwrap_or_default();
    for (at, part) in line.split(['`', '"', '\'']).enumerate() {
        plain.push_str(if at % 2 == 0 { part } else { " § " });
    }
    match plain.split_once("leitai ") {
        // A command goes on until Chinese words explain it.
        Some((before, command)) => {
            let rest = command
                .char_indices()
                .find(|(_, c)| !c.is_ascii())
                .map_or("", |(at, _)| &command[at..]);
            format!("{before} § {}", own_words(rest))
        }
        None => plain,
    }
}

/// Three English words in a row, if there are any.
fn english(text: &str) -> Option<String> {
    let is_word = |word: &&str| {
        let word = word.trim_end_matches([',', ';', ':', '.', '?', '!']);
        word.len() < 20 && !word.is_empty() && word.chars().all(|c| c.is_ascii_alphabetic())
    };
    text.lines().find_map(|line| {
        let plain = own_words(line);
        let words: Vec<&str> = plain.split_whitespace().collect();
        words
            .windows(3)
            .find(|run| run.iter().all(is_word))
            .map(|_| line.to_owned())
    })
}

#[track_caller]
fn assert_chinese(what: &str, output: &Output) -> String {
    let said = text(output);
    assert!(
        said.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)),
        "{what} prints no Chinese: {said}"
    );
    assert_eq!(english(&said), None, "{what} prints English:\n{said}");
    assert_eq!(half_width(&said), None, "{what} mixes marks:\n{said}");
    said
}

/// The first line with a half-width mark after a Chinese character, or a bracket before one.
/// Addresses such as `主机:端口` have their colon inside.
fn half_width(text: &str) -> Option<&str> {
    let is_chinese = |c: char| ('\u{3400}'..='\u{9fff}').contains(&c);
    let is_mixed = |[one, mark, other]: [char; 3]| {
        let is_between = is_chinese(one) || is_chinese(other);
        let opens = mark == '(' && one == ' ' && is_chinese(other);
        let ends = is_chinese(one)
            && ",;:?!)".contains(mark)
            && (other.is_whitespace() || is_chinese(other));
        is_between && (opens || (ends && !(mark == ':' && is_chinese(other))))
    };
    text.lines().find(|line| {
        let chars: Vec<char> = format!(" {line} ").chars().collect();
        chars.array_windows().any(|three| is_mixed(*three))
    })
}

#[test]
fn english_sentences_are_found() {
    assert!(english("错误：there is no such game").is_some());
    assert!(english("用法：leitai match snakego territory greedy").is_none());
    assert!(english("最后输出 \"this is what it said\"").is_none());
}

#[test]
fn mixed_marks_are_found() {
    for line in [
        "bad (先手) 输",
        "无; random",
        "报告: x",
        "你好,世界",
        "局 (平)",
    ] {
        assert_eq!(half_width(line), Some(line));
    }
    for line in [
        "bad（先手）输",
        "用户:密码@主机:端口",
        "a: b; c (d)",
        "第 1 局 3 : 2",
    ] {
        assert_eq!(half_width(line), None, "{line}");
    }
}

/// Every Chinese text of the programs and of the page. What people type may have its commas.
#[test]
fn chinese_texts_have_full_width_marks() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let names = ["messages.json", "labels.json", "help.json"];
    let crates = ["crates", "games"].map(|folder| root.join(folder).read_dir().expect(folder));
    let crates = crates
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("a crate").path());
    let files = crates.flat_map(|folder| names.map(|name| folder.join(name)));
    let mut files: Vec<_> = files.filter(|file| file.exists()).collect();
    assert!(files.len() > 15, "{files:?}");
    files.push(root.join("web/messages/zh.json"));
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a file of texts");
        let is_typed = |line: &&str| line.contains("_example\":") || line.contains("_hint\":");
        let lines: Vec<&str> = text.lines().filter(|line| !is_typed(line)).collect();
        assert_eq!(half_width(&lines.join("\n")), None, "{}", file.display());
    }
}

#[test]
fn help_is_chinese() {
    let place = Place::new();
    for command in COMMANDS {
        // The short help is a part of the long one.
        let short = ["", "match"].contains(command).then_some("-h");
        for help in short.into_iter().chain(["--help"]) {
            let words: Vec<&str> = command.split_whitespace().chain([help]).collect();
            let output = chinese(&place, &words);
            assert!(output.status.success(), "{words:?}: {}", text(&output));
            let said = assert_chinese(&words.join(" "), &output);
            assert!(
                said.contains("用法：") && !said.contains("Options:"),
                "{words:?}: {said}"
            );
        }
    }
}

#[test]
fn refusals_are_chinese() {
    let place = Place::new();
    place.write("broken.json", "{");
    place.write("other.json", "{\"format\": \"leitai-replay/99\"}");
    place.write("notes.txt", "no program");
    place.write("bot.cpp", "int main( {");
    place.write("plan.toml", "game = \n");
    let words = split_words("match kob safe random --legs 1 --replay game.json");
    assert!(chinese(&place, &words).status.success());
    for words in [
        "gmaes",
        "games --sed",
        "match snakego greedy",
        "match snakego greedy random --seed -1",
        "match snakego greedy random --limit soon",
        "match snakego greedy random --memory 1MiB",
        "match snakego greedy random --legs 99",
        "match snakego greedy random --connect udp",
        "match snakego greedy random --config max_round=0",
        "match snakego greedy random --config max_rounds=5",
        "match kob random safe --config map=7",
        "match tankcraft random random --config map=nowhere",
        "match snakgo greedy random",
        "match snakego gredy random",
        "match snakego ./nothing.py random",
        "match snakego ./notes.txt random --isolation none",
        "match snakego ./bot.cpp random --isolation none",
        "match snakego nowhere:./bot.cpp random",
        "match snakego greedy random --replay /proc/nowhere/x.json",
        "match snakego greedy random --from broken.json@1:1",
        "match kob safe random --from game.json@9:9",
        "tournament plan.toml",
        "tournament kob safe random --heads 1",
        "check snakego greedy",
        "check snakego ./nothing.py",
        "replay verify broken.json",
        "replay verify other.json",
        "replay verify nothing.json",
        "replay show nothing.json",
        "replay import broken.json",
        "replay import broken.json --from nowhere",
        "compare snakego greedy random --alpha 7",
        "tournament nothing.toml",
        "tournament --game kob random",
        "ladder nothing",
        "ladder . --game kob --confidence 7",
        "regress add nothing.json --round 1",
        "regress run greedy --folder nothing",
        "admin --data nothing add-user eve",
        "login no-address",
        "download",
        "parity snakego nothing.jsonl",
        "play snakego",
    ] {
        let output = chinese(&place, &words.split_whitespace().collect::<Vec<_>>());
        // A refused program still plays its match and loses it.
        let is_match = words.contains("./notes.txt") || words.contains("./bot.cpp");
        assert!(
            is_match || !output.status.success(),
            "{words}: {}",
            text(&output)
        );
        let said = assert_chinese(words, &output);
        let is_leg = words.contains("@9:9");
        assert!(!is_leg || said.contains("没有第 9 局；共 1 局"), "{said}");
    }
}

#[test]
fn matches_and_replays_are_printed_in_chinese() {
    let place = Place::new();
    let choices = split_words("--seed 7 --config max_round=60 --replay game.json");
    let output = chinese(
        &place,
        &[&["match", "snakego", "greedy", "random"], &choices[..]].concat(),
    );
    assert_chinese("match", &output);
    let verified = chinese(&place, &["replay", "verify", "game.json"]);
    assert!(assert_chinese("verify", &verified).contains("一致：2 局"));
    let text = std::fs::read_to_string(place.path().join("game.json")).expect("it was written");
    place.write(
        "changed.json",
        text.replacen("\"first\":", "\"first\": ", 1).replacen(
            "\"hashes\": \"",
            "\"hashes\": \"ff",
            1,
        ),
    );
    for file in ["changed.json", "game.json"] {
        assert_chinese(file, &chinese(&place, &["replay", "verify", file]));
    }
    assert_chinese("show", &chinese(&place, &["replay", "show", "game.json"]));
    for words in [
        "regress add game.json --leg 1 --round 3 --entrant A",
        "regress add game.json --leg 1 --round 3 --entrant A",
        "regress list",
        "regress run random",
        "contest new spring --game kob",
        "contest check spring.toml",
        "tournament kob safe random --rounds 1 --folder t",
        "tournament kob safe random --rounds 1 --folder t",
        "compare kob safe safe --max 1 --folder c",
    ] {
        assert_chinese(
            words,
            &chinese(&place, &words.split(' ').collect::<Vec<_>>()),
        );
    }
    for game in ["kob", "tankcraft"] {
        let words = fill_words(
            "match {} random random --seed 1 --replay other.json",
            &[game],
        );
        assert_chinese(game, &chinese(&place, &words));
        assert_chinese(game, &chinese(&place, &["replay", "show", "other.json"]));
    }
    assert_chinese("doctor", &chinese(&place, &["doctor"]));
    assert_chinese("games", &chinese(&place, &["games"]));
    assert_chinese("bots", &chinese(&place, &["bots", "kob"]));
}

#[test]
fn faults_are_printed_in_chinese() {
    for [code, game, flags, more, part] in table(
        "
IA | snakego | --illegal | | 没有融化射线却要发射
PE | snakego | --wrong-op | | 是操作 7；操作应为 1 到 6
PE | kob | --wrong-op | | 不是 0 到 3 的一位数字
PE | tankcraft | --wrong-op --at 1 | | 请发送 TEAM
TLE | snakego | --stall-at 3 | | 主要在等待而不是计算
TLE | snakego | --spin-at 3 | | CPU 时间，允许 250 ms
OLE | snakego | --flood | | 提前给出了 8 个以上的回答
MLE | snakego | --eat-memory 200M | --memory 64MiB | 超过了 64 MiB 的内存上限
EXIT | kob | --exit-at 3 | | 比赛结束前就退出了
RE | kob | --crash-at 3 | | 以退出码 3 结束
RE | kob | --signal-at 3 | | 被信号 11 (SIGSEGV) 终止
",
    ) {
        let place = Place::new();
        let bot = place.bot("mybot", game, flags);
        let sound = place.bot("other", game, "").display().to_string();
        let own = if code == "TLE" { super::SHORT } else { "" };
        let bot = format!("{} {own}", bot.display());
        let words = [
            "match", game, &bot, &sound, "--limit", "1m", "--legs", "1", "--seed", "1",
        ];
        let at = super::GAMES
            .iter()
            .position(|known| *known == game)
            .expect("one of the games");
        let choices = super::CHOICES[at]
            .iter()
            .flat_map(|choice| ["--config", choice]);
        let words = words
            .into_iter()
            .chain(choices)
            .chain(more.split_whitespace());
        let words: Vec<&str> = words.collect();
        let said = assert_chinese(flags, &chinese(&place, &words));
        assert!(
            said.contains(&format!("[{code}]")) && said.contains(part),
            "{flags}: {said}"
        );
    }
    let place = Place::new();
    let bot = place.bot("mybot", "snakego", "--illegal");
    let words = ["check", "snakego", bot.to_str().expect("UTF-8")];
    assert!(assert_chinese("check", &chinese(&place, &words)).contains("还不能提交"));
}

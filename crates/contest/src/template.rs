//! A commented contest file to start from.

use crate::date::format_date;

const DAY: i64 = 86_400;

/// A file that checks: submission for two weeks from the next full day, then a Swiss and a final.
/// `now` is in seconds since 1970.
pub fn contest_file(id: &str, game: &str, now: i64) -> String {
    let day = (now / DAY + 1) * DAY;
    let date = |days: i64, hour: i64| {
        let shown = format_date(day + days * DAY + hour * 3600, "UTC");
        format!("{}T{}:00", &shown[..10], &shown[11..16])
    };
    TEMPLATE
        .replace("{id}", id)
        .replace("{game}", game)
        .replace("{opens}", &date(0, 8))
        .replace("{freezes}", &date(14, 20))
        .replace("{swiss}", &date(15, 10))
        .replace("{final}", &date(16, 14))
}

const TEMPLATE: &str = r#"# A contest. `leitai contest check FILE` says what is wrong with it, all at once.
# 赛事文件。`leitai contest check FILE` 一次列出所有问题。

id = "{id}"                    # its name in addresses
game = "{game}"
time-zone = "Asia/Shanghai"    # dates below are local there
# organisers = ["ann"]         # accounts that organise it beside administrators

title = { en = "Spring contest", zh = "春季赛" }

# Markdown, in one language or both.
[text]
en = """
Write a bot, upload it before the freeze, and watch it climb.
"""
zh = """
编写 Bot，在冻结前上传，观看它一路晋级。
"""

[entry]
who = "everybody"              # everybody, code (people need the code), accounts (only those listed), group
# code = "plum-blossom"        # for who = "code"
# accounts = ["ann", "bob"]    # for who = "accounts"
# group = "AI 2026"            # for who = "group": the members of a group of the arena
team-size = 1                  # more than 1: bots of teams with at most so many members may enter
least = 2                      # with fewer entrants at the freeze the contest is annulled
most = 64
# languages = ["cpp", "python"]  # of the versions that play; default: everything
# candidates = "required"      # every version is tested against the one before; or "forbidden"
# daily-versions = 5           # uploads of an entrant within 24 hours
# source-size = "64KiB"        # of their uploads; default: the arena's own limit

[matches]
# legs = 2                     # default: the game's own
# time-limit = "1s"            # for each period; default: the game's own
# bank = "60s"                # a time bank for each leg; without time-limit it alone bounds a turn
# increment = "500ms"        # what every turn adds to the bank
# grace = "200ms"            # how much later than its limit an answer still counts, for a strike
# strikes = 3                  # the strikes of a program in a leg; then a late answer loses
# keep = "match"             # a program keeps up to 1 MiB between the legs of a match; default: nothing
# memory = "512MiB"            # default: the arena's own
seeds = "drawn"                # drawn; hidden: shown after the end; or a list: [1, 2, 3]
# configs = [{}]               # choices of the game's config, such as maps, used in turn

# [[matches.handicaps]]        # limits of some entrants alone, below those of the matches
# accounts = ["ann"]           # whose bots have them, or languages = ["cpp", "rust"]
# time-limit = "20ms"          # and memory = "256MiB"

# [[situations]]               # a pack that uploads of its bots are asked, in a file beside this one
# file = "walls.jsonl"
# hidden-until = {freezes}     # nobody but its organisers knows of it before; default: shown

[dates]
opens = {opens}
freezes = {freezes}            # the version that is active then plays

[visibility]
contest = "everybody"          # invited: only those who may enter see it, for who = "accounts" or "group"
standings = "always"           # always, end, or a date from which they are shown
replays = "always"             # always, end
dataset = "never"              # end: after it, its matches become part of the arena's dataset

# Stages are played in order; a later one is seeded from the one before.
[[stage]]
name = { en = "Swiss", zh = "瑞士制" }
format = "swiss"               # round-robin, gauntlet, swiss, single, double
rounds = 5
matches = 2                    # matches of each encounter
starts = {swiss}
tie-breaks = ["buchholz", "sonneborn-berger"]   # also: head-to-head, wins

[[stage]]
name = { en = "Final", zh = "决赛" }
format = "double"
take = 8                       # how many go on from the stage before
matches = 5
starts = {final}

[prizes]
en = "1st: a mug. 2nd and 3rd: stickers."
zh = "第一名：马克杯。第二、三名：贴纸。"
"#;

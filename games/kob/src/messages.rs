//! The Chinese translations of the messages of King of Bots.

use leitai_game::Text;
use leitai_game::lang::message;

/// The messages; see `leitai_game::lang`.
pub const MESSAGES: &[Text] = &[
    // Reasons of illegal actions, and answers.
    message("acted although the leg is over", "这一局已结束仍然行动"),
    message("is not one digit 0 to 3", "不是 0 到 3 的一位数字"),
    // Maps and setups.
    message(
        "a snake starts at [{}, {}], on the border of a standard map",
        "蛇的起点 [{}, {}] 在标准地图的边界上",
    ),
    message(
        "inner_pairs is {}; 0 to {} are accepted on this board",
        "inner_pairs 是 {}；此棋盘允许 0 到 {}",
    ),
    message(
        "the map is free at [{}, {}], on the last of {} rows or columns; put an obstacle on every cell there, or leave that row or column out",
        "地图在 [{}, {}] 处为空地，而这是 {} 行（列）中的最后一行（列）；请在该行（列）的每一格放上障碍，或去掉该行（列）",
    ),
    message(
        "the map has {} characters; {} x {} cells take {}",
        "地图有 {} 个字符；{} x {} 的棋盘需要 {} 个",
    ),
    message(
        "the map has the character {}; only 0 and 1 are accepted",
        "地图中有字符 {}；只允许 0 和 1",
    ),
    message(
        "seed {} gives no map with connected starts in {} draws; inner_pairs is {}, ask for fewer",
        "种子 {} 抽取 {} 次都没有得到起点连通的地图；inner_pairs 是 {}，请改小",
    ),
    message(
        "the map has {} rows and {} cols; {} to {} of each are accepted",
        "地图有 {} 行 {} 列；行列数都应为 {} 到 {}",
    ),
    message(
        "map must be \"standard\", the map's 182 characters 0 and 1 (13 lines of 14 will do), or \
        a list of rows",
        "map 应为 \"standard\"、由 0 和 1 组成的 182 个字符（也可写成 13 行、每行 14 个），或各行\
        的列表",
    ),
    message(
        "grow_until is {}; 0 to {} are accepted",
        "grow_until 是 {}；允许 0 到 {}",
    ),
    message(
        "grow_period is {}; 1 to {} are accepted",
        "grow_period 是 {}；允许 1 到 {}",
    ),
    message(
        "grow_phase is {}; it must be below grow_period, which is {}",
        "grow_phase 是 {}；必须小于 grow_period（{}）",
    ),
    message("both snakes start at {}", "两条蛇的起点都是 {}"),
    message(
        "a snake starts at {}, which is an obstacle or outside",
        "蛇的起点 {} 是障碍物或在棋盘之外",
    ),
    message(
        "the map has {} free cells; with heads_may_share at most {} are accepted",
        "地图有 {} 个空格；启用 heads_may_share 时最多允许 {} 个",
    ),
    message(
        "{} starts at [{}, {}], outside a board of {} rows and {} cols",
        "{} 的起点 [{}, {}] 在 {} 行 {} 列的棋盘之外",
    ),
    // The sites' records.
    message(
        "the record has {} bytes; at most {} are read",
        "对局记录有 {} 字节；最多读取 {} 字节",
    ),
    message("not a record: {}", "不是对局记录：{}"),
    message(
        "record must be one object, records a list of them",
        "record 应为一个对象，records 应为对象的列表",
    ),
    message(
        "the answer has {} records; a replay is made of one: keep that one alone",
        "其中有 {} 条对局记录；一个回放只对应一条：请只保留那一条",
    ),
    message(
        "a_steps has {} steps, b_steps {}",
        "a_steps 有 {} 步，b_steps 有 {} 步",
    ),
    message(
        "the game is over after round {}; {} rounds are recorded",
        "对局在第 {} 回合后就结束了，却记录了 {} 回合",
    ),
    message(
        "the recorded loser is {}, by the rules it is {}",
        "记录的败者是 {}，按规则应为 {}",
    ),
    message(
        "step {} of {} is not a digit 0 to 3",
        "{1} 的第 {0} 步不是 0 到 3 的数字",
    ),
    message(
        "the replay is of {}; only kob has records",
        "这是 {} 的回放；只有 kob 有此格式",
    ),
    message(
        "there is no leg {}; the replay has {}",
        "没有第 {} 局；回放共 {} 局",
    ),
    message("the leg was not played to its end", "这一局没有下完"),
    message(
        "a record holds 13 x 14 boards; this one has {} rows and {} cols",
        "对局记录只支持 13 x 14 的棋盘；此棋盘为 {} 行 {} 列",
    ),
    message(
        "a record holds games with the sites' growth; this one has {}",
        "对局记录只支持网站的增长规则；此对局为 {}",
    ),
    // The panel beside the board in a terminal.
    message("round {} of at most {}: {}", "第 {} 回合，最多 {} 回合：{}"),
    message("both grow", "双方增长"),
    message("tails move on", "尾巴前移"),
    message("{} length {}, {}", "{} 长度 {}，{}"),
    message("alive", "存活"),
    message("died: wall", "阵亡：撞墙"),
    message("died: self", "阵亡：撞到自己"),
    message("died: opponent", "阵亡：撞到对手"),
];

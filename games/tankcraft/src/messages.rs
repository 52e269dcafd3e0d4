//! The Chinese translations of the messages of TankCraft.

use leitai_game::Text;
use leitai_game::lang::message;

/// The messages; see `leitai_game::lang`.
pub const MESSAGES: &[Text] = &[
    // Reasons of illegal actions, and answers.
    message("acted although the leg is over", "这一局已结束仍然行动"),
    message("named a team in round {}", "在第 {} 回合才给出队伍"),
    message(
        "gave orders before the teams are known",
        "队伍尚未确定就下达命令",
    ),
    message(
        "is no team ({}); send TEAM and five of Striker, Pioneer, Sniper",
        "不是队伍（{}）；请发送 TEAM 加五个 Striker、Pioneer 或 Sniper",
    ),
    message(
        "has {} lines; send {}, one for each of your tanks",
        "有 {} 行；请发送 {} 行，每辆坦克一行",
    ),
    // Why a way is not one, or what it costs.
    message(
        "a brick with {} HP: the tank dies on it",
        "{} 点生命的砖墙：坦克会撞毁",
    ),
    message(
        "through a brick with {} HP: {} HP left",
        "撞穿 {} 点生命的砖墙：剩 {} 点生命",
    ),
    message(
        "your tank {} stands there: this one goes only if it leaves",
        "己方 {} 号坦克在那里：它离开时才能进入",
    ),
    // Maps and setups.
    message("there is no map {}", "没有地图 {}"),
    message(
        "the cell [{}, {}] is not on the map",
        "格子 [{}, {}] 不在地图上",
    ),
    message(
        "seed {} gives no map in {} attempts",
        "种子 {} 尝试 {} 次都没有生成地图",
    ),
    message("the map breaks the rules: {}", "地图不符合规则：{}"),
    message(
        "{} at {} is no glyph; use . # 2 1 r b n A-J (R1.2)",
        "{1} 处的 {0} 不是地图符号；请用 . # 2 1 r b n A-J（R1.2）",
    ),
    message(
        "{} at {} does not match {} at {} (R1.3)",
        "{1} 处的 {0} 与 {3} 处的 {2} 不对称（R1.3）",
    ),
    message(
        "the mine at {} is nearer than {} to the spawn at {} (R1.6)",
        "{0} 处的矿距离 {2} 处的出生点不足 {1}（R1.6）",
    ),
    message(
        "the spawns at {} and {} are nearer than {} (R1.6)",
        "{} 与 {} 处的出生点相距不足 {}（R1.6）",
    ),
    message(
        "the mine at {} cannot be reached from the spawn at {} (R1.6)",
        "从 {1} 处的出生点无法到达 {0} 处的矿（R1.6）",
    ),
    message(
        "the spawn at {} has no neighbour free of stone and brick (R1.6)",
        "{} 处的出生点四周都是石头或砖（R1.6）",
    ),
    // The panel beside the board in a terminal.
    message("round {}, everything", "第 {} 回合，全图"),
    message("round {}, what {} sees", "第 {} 回合，{} 方视野"),
    message(
        "{}  resources {}  mines {}  kills {}",
        "{}  资源 {}  矿 {}  击毁 {}",
    ),
    message("{} HP at {}, invincible {}", "{} HP，位于 {}，无敌 {}"),
    message("{} HP at {}", "{} HP，位于 {}"),
    message("{}back in round {}", "{}第 {} 回合复活"),
    message("{} HP, not seen", "{} HP，不可见"),
    message("{}not seen", "{}不可见"),
    message("{} Striker at {}", "{} Striker 位于 {}"),
    message("{} Pioneer at {}", "{} Pioneer 位于 {}"),
    message("{} Sniper  at {}", "{} Sniper  位于 {}"),
    message("{} ?       at {}", "{} ?       位于 {}"),
    message(
        "map must be {} or 21 lines of 21 glyphs (a list, or the text of a map file)",
        "map 应为 {}，或 21 行、每行 21 个地图符号（列表，或地图文件的内容）",
    ),
];

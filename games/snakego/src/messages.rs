//! The Chinese translations of the messages of SnakeGo.

use leitai_game::Text;
use leitai_game::lang::message;

/// The messages; see `leitai_game::lang`.
pub const MESSAGES: &[Text] = &[
    // Reasons of illegal actions.
    message(
        "turned back into its own neck (snake {}, op {})",
        "掉头撞上了自己的脖子（{} 号蛇，操作 {}）",
    ),
    message(
        "fired a ray it does not hold (snake {}, op {})",
        "没有融化射线却要发射（{} 号蛇，操作 {}）",
    ),
    message(
        "fired a ray with length 1 (2 is needed for a direction) (snake {}, op {})",
        "长度为 1 时发射射线（长度至少为 2 才有方向）（{} 号蛇，操作 {}）",
    ),
    message(
        "split although its side has four snakes (snake {}, op {})",
        "己方已有四条蛇仍要分裂（{} 号蛇，操作 {}）",
    ),
    message(
        "split with length 1 (2 is needed) (snake {}, op {})",
        "长度为 1 时分裂（长度至少为 2）（{} 号蛇，操作 {}）",
    ),
    message("turned back into its own neck", "掉头撞上了自己的脖子"),
    message("fired a ray it does not hold", "没有融化射线却要发射"),
    message(
        "fired a ray with length 1 (2 is needed for a direction)",
        "长度为 1 时发射射线（长度至少为 2 才有方向）",
    ),
    message(
        "split although its side has four snakes",
        "己方已有四条蛇仍要分裂",
    ),
    message(
        "split with length 1 (2 is needed)",
        "长度为 1 时分裂（长度至少为 2）",
    ),
    message("acted although it is not asked", "未轮到它却行动了"),
    // Answers.
    message("is op {}; ops are 1 to 6", "是操作 {}；操作应为 1 到 6"),
    message(
        "has {} bytes; an op is one byte",
        "有 {} 字节；一个操作是一个字节",
    ),
    // Setups.
    message(
        "max_round is {}; 1 to {} are accepted",
        "max_round 是 {}；允许 1 到 {}",
    ),
    message(
        "item {} appears in round {}, the one before it in round {}; list items by round, at \
        most one a round",
        "道具 {} 出现在第 {} 回合，它前一个在第 {} 回合；请按回合列出道具，每回合最多一个",
    ),
    message(
        "{} is {}; 0 to 15 are on the map",
        "{} 是 {}；地图范围是 0 到 15",
    ),
    message(
        "type is {}; 0 is length, 2 is a ray",
        "type 是 {}；0 是增长，2 是融化射线",
    ),
    message(
        "items must be \"official\", \"first-edition\" or a list of [x, y, time, type, param]",
        "items 应为 \"official\"、\"first-edition\"，或 [x, y, time, type, param] 的列表",
    ),
    // The official replay format.
    message(
        "{} is recorded as {}, the engine gives {}",
        "{} 记录为 {}，引擎算出的是 {}",
    ),
    message(
        "is recorded as {}, the engine gives {}",
        "记录为 {}，引擎算出的是 {}",
    ),
    message(
        "the {} is recorded as {}, the engine gives {}",
        "{} 记录为 {}，引擎算出的是 {}",
    ),
    message(
        "a replay of {} under {}; only {} under {} has this format",
        "这是按规则 {1} 进行的 {0} 回放；只有按规则 {3} 进行的 {2} 才有此格式",
    ),
    message(
        "there is no leg {}; the replay has {}",
        "没有第 {} 局；回放共 {} 局",
    ),
    message(
        "the replay's origin cannot be read: {}",
        "无法读取回放的来源信息：{}",
    ),
    message("the match was interrupted", "比赛被中断"),
    message(
        "basic names no action; type 1 with direction 0 to 3, type 2 and type 3 are known",
        "basic 没有给出操作；可用的有 type 1（direction 为 0 到 3）、type 2 和 type 3",
    ),
    message(
        "{} operations are recorded, then {} in the engine",
        "记录了 {} 个操作，之后在引擎中：{}",
    ),
    message(
        "round {}, before the turns: {}",
        "第 {} 回合，双方行动之前：{}",
    ),
    message(
        "end_info: the type {} is not known",
        "end_info：未知类型 {}",
    ),
    message(
        "end_info: the winner is {}; 0 and 1 are known",
        "end_info：胜者为 {}；应为 0 或 1",
    ),
    message(
        "an illegal action of player {} is recorded, but {}",
        "记录中玩家 {} 做了非法操作，但{}",
    ),
    message(
        "a normal end is recorded, but {} in the engine",
        "记录为正常结束，但在引擎中：{}",
    ),
    message(
        "{} {} are recorded, the engine has {}",
        "记录了 {} 个 {}，引擎中为 {} 个",
    ),
    message(
        "at the end, after {} turns in {} rounds: {}",
        "终局，经过 {1} 回合、{0} 次行动之后：{2}",
    ),
    message(
        "{} is recorded, but {} in the engine",
        "记录为 {}，但在引擎中：{}",
    ),
    message(
        "is recorded, but {} in the engine",
        "有记录，但在引擎中：{}",
    ),
    message("is recorded, but the snake {}", "有记录，但该蛇{}"),
    message(
        "snake {} of player {} is to act in round {}",
        "轮到第 {2} 回合玩家 {1} 的 {0} 号蛇行动",
    ),
    message("the half is over", "半场已结束"),
    message(
        "the file has {} bytes; at most {} are read",
        "文件有 {} 字节；最多读取 {} 字节",
    ),
    message("not an official replay: {}", "不是官方回放：{}"),
    message(
        "not an official replay: {} is {}, not {}",
        "不是官方回放：{} 是 {}，应为 {}",
    ),
    message(
        "game_config: {} is {}; only {} is played",
        "game_config：{} 是 {}；只支持 {}",
    ),
    message(
        "game_config: max_round is {}; 1 to {} are accepted",
        "game_config：max_round 是 {}；允许 1 到 {}",
    ),
    message("item_list, item {}: {}", "item_list，道具 {}：{}"),
    message(
        "nested {} deep; at most {} is read",
        "嵌套 {} 层；最多读取 {} 层",
    ),
    message(
        "{} has {} entries; at most {} are read",
        "{} 有 {} 项；最多读取 {} 项",
    ),
    message(
        "{} operations are recorded; a side has at most {} snakes",
        "记录了 {} 个操作；一方最多有 {} 条蛇",
    ),
    message("the operations are {}, not a list", "操作是 {}，应为列表"),
    message("{} is {}, not a number", "{} 是 {}，应为数字"),
    // The panel beside the board in a terminal.
    message("Round {} of {}", "第 {}/{} 回合"),
    message("{}: snake {} acts (id {})", "{}：第 {} 条蛇行动（id {}）"),
    message("Yellow, first player", "黄方（先手）"),
    message("Blue, second player", "蓝方（后手）"),
    message("Yellow, first player won {}", "黄方（先手）获胜：{}"),
    message("Blue, second player won {}", "蓝方（后手）获胜：{}"),
    message("Over", "已结束"),
    message(
        "{} Yellow, first player: {} cells",
        "{} 黄方（先手）：{} 格",
    ),
    message("{} Yellow, first player: {} cell", "{} 黄方（先手）：{} 格"),
    message("{} Blue, second player: {} cells", "{} 蓝方（后手）：{} 格"),
    message("{} Blue, second player: {} cell", "{} 蓝方（后手）：{} 格"),
    message(
        "{} id {}, length {}, bank {}, ray ✹",
        "{} id {}，长度 {}，待增长 {}，持射线 ✹",
    ),
    message(
        "{} id {}, length {}, bank {}",
        "{} id {}，长度 {}，待增长 {}",
    ),
    message("No item will come", "不会再有道具"),
    message("Coming items", "即将出现的道具"),
    message("No item in round {}", "第 {} 回合没有道具"),
    message("Items of round {}", "第 {} 回合的道具"),
    message(
        "  +{} at ({}, {}), round {}",
        "  +{}，位于 ({}, {})，第 {} 回合",
    ),
    message(
        "  +{} at ({}, {}), until round {}",
        "  +{}，位于 ({}, {})，到第 {} 回合",
    ),
    message("  ✹ at ({}, {}), round {}", "  ✹ 位于 ({}, {})，第 {} 回合"),
    message(
        "  ✹ at ({}, {}), until round {}",
        "  ✹ 位于 ({}, {})，到第 {} 回合",
    ),
    message("by more cells", "格数更多"),
    message("with equal cells, as the first player", "格数相同，先手胜"),
    message("as the opponent forfeited", "对方违规或退出判负"),
];

//! The messages of this crate, of the JSON reader and of the system.

use super::message;
use crate::text::Text;

/// The messages; see `leitai_game::lang`.
pub const MESSAGES: &[Text] = &[
    // Faults, by kind.
    message("made an illegal action", "做了非法操作"),
    message("sent a malformed answer", "回答格式有误"),
    message("crashed", "崩溃了"),
    message("ran out of time", "超时"),
    message("used too much memory", "内存超限"),
    message("sent too much output", "输出过多"),
    message("left before the end", "提前退出"),
    message("could not be built or started", "无法构建或启动"),
    // Actions.
    message("is not JSON ({})", "不是 JSON（{}）"),
    message(
        "has no \"action\" text; send {\"action\":\"…\"}",
        "没有文本字段 \"action\"；请发送 {\"action\":\"…\"}",
    ),
    message(
        "names an unknown action {}; \"legal\" of the turn offered {}",
        "含有未知的操作 {}；该回合的 \"legal\" 给出的是 {}",
    ),
    message("there is no action {}", "没有操作 {}"),
    message(
        "{} is {}; a whole number from 0 to {} is expected",
        "{} 是 {}；应为 0 到 {} 的整数",
    ),
    // Replays.
    message(
        "the leg has {} steps; at most {} can be shown",
        "这一局有 {} 步；最多只能显示 {} 步",
    ),
    message("the change {} does not fit", "变更 {} 与局面对不上"),
    message(
        "the replay has {} bytes; at most {} are read",
        "回放有 {} 字节；最多读取 {} 字节",
    ),
    message("not a replay: {}", "不是回放文件：{}"),
    message(
        "the format is {}; this version reads {} and {}",
        "格式为 {}；此版本读取的是 {} 和 {}",
    ),
    message("{} legs; at most {} are read", "共 {} 局；最多读取 {} 局"),
    message("leg {} has more than {} steps", "第 {} 局超过 {} 步"),
    message(
        "judged by the rules {}; this version plays {}",
        "该回放按规则 {} 裁判；此版本使用 {}",
    ),
    message(
        "the setup is not the one that seed {} deals",
        "开局与种子 {} 生成的不一致",
    ),
    message(
        "the recorded outcome is {}, the engine's {}",
        "记录的结果为{}，引擎算出的是{}",
    ),
    message(
        "the recorded verdict is {}, the engine's {}",
        "记录的胜负为{}，引擎算出的是{}",
    ),
    message(
        "{} by the rule {}, scores {} and {}",
        "{}（依据规则 {}，比分 {} 与 {}）",
    ),
    message(
        "{} by the rule {}, scores {} and {}, faults {} and {}",
        "{}（依据规则 {}，比分 {} 与 {}，违规 {} 与 {}）",
    ),
    message("{} by the rule {}", "{}（依据规则 {}）"),
    message("a win of the first seat", "先手胜"),
    message("a win of the second seat", "后手胜"),
    message("a draw", "平局"),
    message(
        "a win of the whole match by the first seat",
        "先手赢得整场比赛",
    ),
    message(
        "a win of the whole match by the second seat",
        "后手赢得整场比赛",
    ),
    message("a draw of the whole match", "整场平局"),
    message("a win of entrant A", "参赛方 A 胜"),
    message("a win of entrant B", "参赛方 B 胜"),
    message("no outcome", "没有结果"),
    message("no verdict", "没有胜负"),
    message(
        "state hash {} is recorded as {}, the engine's is {}; the engine's state:\n{}",
        "第 {} 个状态哈希记录为 {}，引擎算出的是 {}；引擎的状态：\n{}",
    ),
    message(
        "{} hash digits for {} states",
        "记录了 {} 位哈希数字，却有 {} 个状态",
    ),
    message(
        "the final state hash is recorded as {}, the engine's is {}",
        "终局状态哈希记录为 {}，引擎算出的是 {}",
    ),
    message(
        "reply {} after the end of the leg",
        "这一局结束之后还有回答 {}",
    ),
    message(
        "{} is not two replies joined by /",
        "{} 不是以 / 连接的两个回答",
    ),
    message("step {}: there is no action {}", "第 {} 步：没有操作 {}"),
    message("a position of the guide: {}", "指南中的局面：{}"),
    message("a picture of the guide is empty", "指南中有一幅图是空的"),
    // JSON, in the words of serde_json and serde.
    message("missing field `{}`", "缺少字段 `{}`"),
    message(
        "missing field `{}` at line {} column {}",
        "第 {1} 行第 {2} 列：缺少字段 `{0}`",
    ),
    message(
        "unknown field `{}`, expected one of {}",
        "未知字段 `{}`，应为 {} 之一",
    ),
    message("unknown field `{}`, expected {}", "未知字段 `{}`，应为 {}"),
    message(
        "unknown field `{}`, there are no fields",
        "未知字段 `{}`，这里没有任何字段",
    ),
    message(
        "unknown variant `{}`, expected one of {}",
        "未知取值 `{}`，应为 {} 之一",
    ),
    message(
        "unknown variant `{}`, expected {}",
        "未知取值 `{}`，应为 {}",
    ),
    message(
        "invalid type: {}, expected {} at line {} column {}",
        "第 {2} 行第 {3} 列：类型为 {0}，应为 {1}",
    ),
    message("invalid type: {}, expected {}", "类型为 {}，应为 {}"),
    message("invalid value: {}, expected {}", "值为 {}，应为 {}"),
    message("invalid length {}, expected {}", "长度为 {}，应为 {}"),
    message("{} at line {} column {}", "第 {1} 行第 {2} 列：{0}"),
    message("expected value", "此处应有一个值"),
    message("expected ident", "此处应为 true、false 或 null"),
    message("expected `,` or `}`", "此处应为 `,` 或 `}`"),
    message("expected `,` or `]`", "此处应为 `,` 或 `]`"),
    message("expected `:`", "此处应为 `:`"),
    message("key must be a string", "键必须是字符串"),
    message("trailing characters", "末尾有多余字符"),
    message("trailing comma", "末尾有多余逗号"),
    message("recursion limit exceeded", "嵌套过深"),
    message("EOF while parsing a value", "还没读完一个值，文件就结束了"),
    message(
        "EOF while parsing an object",
        "还没读完一个对象，文件就结束了",
    ),
    message("EOF while parsing a list", "还没读完一个列表，文件就结束了"),
    message(
        "EOF while parsing a string",
        "还没读完一个字符串，文件就结束了",
    ),
    // Errors of the system.
    message(
        "No such file or directory (os error 2)",
        "文件或目录不存在（os error 2）",
    ),
    message("Permission denied (os error 13)", "权限不足（os error 13）"),
    message(
        "Is a directory (os error 21)",
        "这是一个目录（os error 21）",
    ),
    message("Not a directory (os error 20)", "不是目录（os error 20）"),
    message("File exists (os error 17)", "文件已存在（os error 17）"),
    message(
        "No space left on device (os error 28)",
        "磁盘空间不足（os error 28）",
    ),
    message(
        "Read-only file system (os error 30)",
        "文件系统只读（os error 30）",
    ),
    message(
        "Too many open files (os error 24)",
        "打开的文件过多（os error 24）",
    ),
    message(
        "Resource temporarily unavailable (os error 11)",
        "资源暂时不可用（os error 11）",
    ),
    message(
        "Cannot allocate memory (os error 12)",
        "无法分配内存（os error 12）",
    ),
    message(
        "Address already in use (os error 98)",
        "地址已被占用（os error 98）",
    ),
    message(
        "Cannot assign requested address (os error 99)",
        "无法使用该地址（os error 99）",
    ),
    message(
        "Connection refused (os error 111)",
        "连接被拒绝（os error 111）",
    ),
    message(
        "Connection reset by peer (os error 104)",
        "连接被对方重置（os error 104）",
    ),
    message(
        "Exec format error (os error 8)",
        "可执行文件格式错误（os error 8）",
    ),
    message(
        "Text file busy (os error 26)",
        "文件正被写入（os error 26）",
    ),
    message(
        "File name too long (os error 36)",
        "文件名过长（os error 36）",
    ),
    message(
        "Too many levels of symbolic links (os error 40)",
        "符号链接层数过多（os error 40）",
    ),
    message(
        "Operation not permitted (os error 1)",
        "操作不被允许（os error 1）",
    ),
    message("Broken pipe (os error 32)", "管道已断开（os error 32）"),
    message("{} at path {}", "{}，路径 {}"),
    message("stream did not contain valid UTF-8", "内容不是有效的 UTF-8"),
    message(
        "the fault code {} is unknown; known are {}",
        "违规代码 {} 未知；已知的有 {}",
    ),
    // Places of errors.
    message("leg {}: {}", "第 {} 局：{}"),
    message("step {}: {}", "第 {} 步：{}"),
    message(
        "leg {}, round {}, step {}: {}",
        "第 {} 局，第 {} 回合，第 {} 步：{}",
    ),
    message("leg {}, round {}, {}", "第 {} 局，第 {} 回合，{}"),
    // Replays that are shown.
    message(
        "the file is not text; drop a replay as it was downloaded",
        "文件不是文本；请直接放入下载的回放文件",
    ),
    message(
        "it is a replay of {}, which is not played here",
        "这是 {} 的回放，此处没有这个游戏",
    ),
    message(
        "the replay has {} steps; at most {} can be shown",
        "回放有 {} 步；最多只能显示 {} 步",
    ),
    message("the replay cannot be read: {}", "无法读取回放：{}"),
    message(
        "this is not a replay that can be read here; known are Leitai's own and {}",
        "这不是此处能读取的回放；支持 Leitai 自己的格式和 {}",
    ),
    message("the replay cannot be played: {}", "无法播放此回放：{}"),
    message(
        "there is no leg {}; the replay has {}",
        "没有第 {} 局；回放共 {} 局",
    ),
    message("the setup is unsound: {}", "开局数据有误：{}"),
];

/// Labels and templates of this crate, found by their exact English text.
pub const LABELS: &[Text] = &[
    // What the verification of a replay found.
    message("leg {}", "第 {} 局"),
    message(": ", "："),
    message("DIFFERS: {}", "不一致：{}"),
    message("outcomes and verdict ({})", "结果与胜负（{}）"),
    message(
        "no verdict: the machine was too busy to judge it",
        "无胜负：机器过忙，无法裁判",
    ),
    message(
        "no verdict: the match was interrupted",
        "无胜负：比赛被中断",
    ),
    message("agrees: {}, {}", "一致：{}，{}"),
    message(
        "not repeatable: the judge program draws anew each time, so only the form was checked",
        "无法重现：评测逻辑每次重新抽取随机数，因此只检查了格式",
    ),
    message(
        "unsigned: names, limits, isolation, times and date are not proven",
        "未签名：名称、限制、隔离方式、用时与日期未经证明",
    ),
    message("{} reply", "{} 个应答"),
    message("{} replies", "{} 个应答"),
    message("{} state hash", "{} 个状态哈希"),
    message("{} state hashes", "{} 个状态哈希"),
    message("round {}", "第 {} 回合"),
    message("step {}", "第 {} 步"),
    message("{} leg", "{} 局"),
    message("{} legs", "{} 局"),
    message(", ", "，"),
];

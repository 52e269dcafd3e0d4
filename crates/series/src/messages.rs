//! The messages of series.

use leitai_game::lang::{Catalogue, message};
use leitai_game::{AnyGame, Text};

/// The messages of series, of the judge, of the game's interface, and of these games.
pub fn catalogue<'a>(games: impl IntoIterator<Item = &'a dyn AnyGame>) -> Catalogue {
    Catalogue::new([MESSAGES])
        .with_labels(LABELS)
        .with(leitai_judge::messages::catalogue(games))
}

/// The messages; see `leitai_game::lang`.
pub const MESSAGES: &[Text] = &[
    // TOML, in the words of its parser.
    message(
        "TOML parse error at line {}, column {}",
        "第 {} 行第 {} 列：TOML 语法错误",
    ),
    message(
        "string values must be quoted, expected literal string",
        "字符串值须加引号",
    ),
    // Journals of another series.
    message(
        "{} holds what `leitai {}` played, and this is `leitai {}`",
        "{} 中保存的是 `leitai {}` 的比赛，而这里是 `leitai {}`",
    ),
    message(
        "heads are those of a gauntlet: add --format gauntlet, or leave out the heads",
        "heads 只用于挑战赛：请加上 --format gauntlet，或去掉 heads",
    ),
    message(
        "a knockout has as many rounds as it needs: leave out the rounds, or give --matches, the \
         matches of each encounter",
        "淘汰赛的轮数由参赛方数决定：请去掉 rounds，或用 --matches 指定每次对阵的比赛数",
    ),
    message("a program has changed", "有程序已更改"),
    message("{} was {} and is {}", "{} 原为 {}，现为 {}"),
    message(
        "{} holds another comparison: {}",
        "{} 中保存的是另一次比较：{}",
    ),
    message(
        "{} holds another rating: {}",
        "{} 中保存的是另一次评分测定：{}",
    ),
    message("choose another folder", "请换一个文件夹"),
    message(
        "a rating has one bot and the {} levels of {}, not {} entrants",
        "评分测定需要一个 Bot 和 {} 个级别（标尺 {}），而不是 {} 个参赛方",
    ),
    message(
        "{} has no rating scale yet; compare the bot with built-in bots",
        "{} 还没有评分标尺；请与内置 Bot 比较",
    ),
    message(
        "{} was begun with another plan: {}",
        "{} 中的比赛开始时使用的是另一种设置：{}",
    ),
    message(
        "choose another folder, or ask for what was begun",
        "请换一个文件夹，或使用与开始时相同的设置",
    ),
    message(
        "{} has more rounds than are asked for; ask for as many or more",
        "{} 中已进行的轮数多于要求的轮数；请要求相同或更多轮数",
    ),
    message(
        "{} was begun with another game, config, time or seed: {}",
        "{} 开始时使用的是另一种设置（游戏、配置、时限或种子）：{}",
    ),
    message("move it away to begin anew", "请移走该文件夹后重新开始"),
    message(
        "{} holds a journal in the format {}; this version of Leitai reads {}",
        "{} 中的日志文件格式为 {}；此版本的 Leitai 读取 {}",
    ),
    message(
        "choose another folder, or go on with the version that wrote it",
        "请换一个文件夹，或用写入它的版本继续",
    ),
    // Matches that cannot be judged.
    message(
        "{} matches in a row could not be judged; the last: {}",
        "连续 {} 场比赛无法裁判；最后一次：{}",
    ),
    message(
        "{} pairs in a row could not be judged; the last: {}",
        "连续 {} 对比赛无法裁判；最后一次：{}",
    ),
    message(
        "the machine was too busy to judge round {} fairly ({}); play fewer matches at \
        once (-j), or when it is quieter",
        "机器过忙，第 {} 回合无法公正裁判（{}）；请减少同时进行的比赛（-j）或在空闲时再试",
    ),
    // Requests, files and plans.
    message(
        "did you mean {}? (`{}` lists all)",
        "是否想用 {}？（完整列表见 `{}`）",
    ),
    message(
        "{} is neither a built-in bot nor a path; {}. A path may be an executable, a source file \
        (.py .cpp .c .java .js .rs), or a folder or zip with main.py, a Makefile or a \
        CMakeLists.txt",
        "{} 既不是内置 Bot 也不是路径；{}。路径可以是可执行文件、源文件（.py .cpp .c .java .js \
        .rs），或含有 main.py、Makefile 或 CMakeLists.txt 的文件夹或 zip",
    ),
    message(
        "{}: there is no protocol or host {}; {}",
        "{}：没有协议或宿主 {}；{}",
    ),
    message(
        "the name {} is too long; give one of at most {} characters",
        "名称 {} 过长；最多 {} 个字符",
    ),
    message(
        "the name {} has control characters; leave them out",
        "名称 {} 含有控制字符；请去掉",
    ),
    message(
        "a comparison has two entrants, not {}",
        "比较需要两个参赛方，而不是 {} 个",
    ),
    message("there are no entrants", "没有参赛方"),
    message(
        "{} entrants; at most {} can play",
        "有 {} 个参赛方；最多 {} 个",
    ),
    message("{} holds more than {} bytes", "{} 超过 {} 字节"),
    message("cannot read the folder {}", "无法读取文件夹 {}"),
    message("cannot write an entry as JSON", "无法把记录写成 JSON"),
    message(
        "{} is in use: another leitai is playing in this folder; wait for it or choose another \
        folder",
        "{} 正被使用：另一个 leitai 正在此文件夹中比赛；请等待它结束或换一个文件夹",
    ),
    message(
        "{} has {} bytes; at most {} are read",
        "{} 有 {} 字节；最多读取 {} 字节",
    ),
    message("{} is not UTF-8 text", "{} 不是 UTF-8 文本"),
    message("{} is not a regular file", "{} 不是普通文件"),
    message(
        "{} has more than {} bytes, the most that are read",
        "{} 超过 {} 字节，这是可读取的上限",
    ),
    message(
        "the replay has {} legs; say which with --leg N",
        "回放共 {} 局；请用 --leg N 指定哪一局",
    ),
    message(
        "{}: the format is {}; this version reads {}",
        "{}：格式为 {}；此版本读取的是 {}",
    ),
    message(
        "{} is not an entrant; write \"BOT\" or { bot = \"BOT\", name = \"NAME\" }",
        "{} 不是参赛方；请写 \"BOT\" 或 { bot = \"BOT\", name = \"NAME\" }",
    ),
    message(
        "a tournament has from 1 to {} matches, not {}",
        "一次锦标赛应为 1 到 {} 场比赛，而不是 {} 场",
    ),
    message(
        "{} = {}: write a number from 1 to {}, or leave it out",
        "{} = {}：请写 1 到 {} 的数字，或不写",
    ),
    message(
        "{} = [] names none: list one or more, or leave it out",
        "{} = [] 是空的：请列出至少一个，或不写",
    ),
    message(
        "seed and seeds are both given: keep seed, from which matches count on, or the list",
        "seed 和 seeds 同时给出：请只保留 seed（各场由它递增）或列表",
    ),
    message(
        "a tournament has from 1 to 10000 rounds, not {}",
        "锦标赛应为 1 到 10000 轮，而不是 {} 轮",
    ),
    message(
        "a gauntlet needs one head or more and one more entrant; this one has {} of {}",
        "挑战赛至少需要一个擂主和一个对手；这里 {1} 个参赛方中有 {0} 个擂主",
    ),
    message("the workers are gone", "工作线程已退出"),
    message(
        "{} did not move in round {} of leg {}; its last move there was in round {}",
        "{0} 在第 {2} 局第 {1} 回合没有行动；它在这一局最后一次行动是在第 {3} 回合",
    ),
    message(
        "{} already has all file names for pins of this moment",
        "{} 中同一时刻的记录已满",
    ),
    message(
        "{} did not play; it is A ({}) or B ({})",
        "{} 没有参赛；应为 A（{}）或 B（{}）",
    ),
    message(
        "whose mistake? --entrant A is {}, --entrant B is {}",
        "是谁的失误？--entrant A 是 {}，--entrant B 是 {}",
    ),
    message("a pinned position is plain data", "无法把局面写成 JSON"),
];

/// Labels and templates of reports and notices, found by their exact English text.
pub const LABELS: &[Text] = &[
    // Reports.
    message("decision", "结论"),
    message("games", "局数"),
    message("pairs", "成对结果"),
    message("faults", "违规"),
    message("time a move", "每步用时"),
    message("to go", "尚需"),
    message("~{} games", "约 {} 局"),
    message("rating", "评分"),
    message("stands", "位置"),
    message("public bots", "公开 Bot"),
    message(
        "pairs {}  rating {} (goal ±{})",
        "已赛 {} 对  评分 {}（目标 ±{}）",
    ),
    message("warning", "注意"),
    message("stopped", "已停止"),
    message(
        "its strength depends on the opponent, and more games would not narrow the interval; by \
        the games against each level alone: {}",
        "它的实力因对手而异，更多对局也不会缩小区间；仅按与各级别的对局计算：{}",
    ),
    message(
        "{} (95 %; scale {}, Elo per leg)",
        "{}（95 %；标尺 {}，每局 Elo）",
    ),
    message("below {}", "低于 {}"),
    message("between {} and {}", "在 {} 与 {} 之间"),
    message("above {}", "高于 {}"),
    message("far below {}, where the scale begins", "远低于标尺起点 {}"),
    message("far above {}, where the scale ends", "远高于标尺终点 {}"),
    message("{}; won-drawn-lost: {}", "{} 局；胜-平-负：{}"),
    message(
        "the rating rests on the other pairs; if many are void, play fewer matches at once \
        (-j) and rate again",
        "评分仅基于其余各对；如无效比赛较多，请减少同时进行的比赛（-j）后重新测定",
    ),
    message(
        "pairs {}  LLR {} ({}, {})  {} {} {}  LOS {}  ~{} pairs to go ({})",
        "已赛 {} 对  LLR {}（{}, {}）  {} {} {}  LOS {}  还需约 {} 对（{}）",
    ),
    message(
        "at least {} (95 %); the results are too one-sided for an upper bound",
        "至少 {}（95 %）；结果过于一边倒，无法给出上限",
    ),
    message(
        "at most {} (95 %); the results are too one-sided for a lower bound",
        "至多 {}（95 %）；结果过于一边倒，无法给出下限",
    ),
    message(
        "unknown: so few results set no bound",
        "未知：结果太少，无法给出任何界限",
    ),
    message(
        "hypotheses: {} against {} Elo; error rates {} / {}",
        "假设：{} 对 {} Elo；错误率 {} / {}",
    ),
    message(
        "the decision rests on the other pairs; if many are void, play fewer matches at once \
        (-j) and compare again",
        "结论仅基于其余各对；如无效比赛较多，请减少同时进行的比赛（-j）后重新比较",
    ),
    message(
        "{} (evidence favours {} Elo over {} Elo)",
        "{}（结果更支持 {} Elo，而非 {} Elo）",
    ),
    message(
        "undecided: {} against {} brings no new game; {}",
        "未定：{} 与 {} 不再出现新的对局；{}",
    ),
    message(
        "these programs play only {} different game under these conditions; add maps, seeds or \
        positions",
        "这些程序在此条件下只会下出 {} 种不同的对局；请增加地图、种子或局面",
    ),
    message(
        "these programs play only {} different games under these conditions; add maps, seeds or \
        positions",
        "这些程序在此条件下只会下出 {} 种不同的对局；请增加地图、种子或局面",
    ),
    message("different", "不同对局"),
    message(
        "{} of {} games; a copy of an earlier game does not count",
        "{1} 局中有 {0} 局不同；与之前相同的对局不计入",
    ),
    message(
        "{} of {} games are different; a copy of an earlier game counts for the points, not for \
        Elo, interval and place",
        "{1} 局中有 {0} 局不同；与之前相同的对局计入积分，但不计入 Elo、区间与名次",
    ),
    message(
        "no match brings a new game any more: {}",
        "不再出现新的对局：{}",
    ),
    message(
        "undecided: {} against {} needs more games",
        "未定：{} 与 {} 还需更多对局",
    ),
    message(
        "accepted: {} is not worse than {} by {} Elo or more",
        "接受：{0} 不比 {1} 弱 {2} Elo 或更多",
    ),
    message("accepted: {} is better than {}", "接受：{} 强于 {}"),
    message("rejected: {} is worse than {}", "拒绝：{} 弱于 {}"),
    message(
        "rejected: {} is not better than {} by {} Elo or more",
        "拒绝：{0} 并不比 {1} 强 {2} Elo 或更多",
    ),
    message(
        "{} : {} won, {} drawn ({}), {} lost; {} of the points",
        "共 {} 局：{} 胜，{} 平（{}），{} 负；得分率 {}",
    ),
    message("none", "无"),
    message("median {}, p99 {}", "中位数 {}，p99 {}"),
    // Ladders.
    message("the order is settled at {}", "名次已定（置信度 {}）"),
    message(
        "not settled ({} of {} neighbour pairs are); run it again to continue",
        "名次未定：{1} 对相邻名次中已定 {0} 对；再次运行同一命令即可继续",
    ),
    message(
        "not settled ({} of {} neighbour pairs are), and no match brings a new game; {}",
        "名次未定：{1} 对相邻名次中已定 {0} 对，且不再出现新的对局；{2}",
    ),
    message("; {} match", "；共 {} 场比赛"),
    message("; {} matches", "；共 {} 场比赛"),
    message(
        "; {} of a bot that changed or left does not count",
        "；另有 {} 场属于已更改或移除的程序，不计入",
    ),
    message(
        "; {} of bots that changed or left do not count",
        "；另有 {} 场属于已更改或移除的程序，不计入",
    ),
    message(
        "the order rests on the other matches; the same command plays these pairs again, with \
        other seeds",
        "名次仅基于其余比赛；再次运行同一命令会用其他种子重赛",
    ),
    message("settled: better", "已定：更强"),
    message("settled: as good as equal", "已定：相当"),
    message("open", "未定"),
    // Tournaments.
    message("Strength", "实力"),
    message("Standings", "名次"),
    message("Bracket", "对阵"),
    message("Head to head", "相互战绩"),
    message(
        "Elo relative to the average of the field, by the points (Bradley-Terry; a draw is half a \
        point); whiskers are 95 % intervals.",
        "相对平均水平的 Elo，由得分估计（Bradley-Terry 模型，平局算半分）；横线为 95 % 置信区间。",
    ),
    message("Ratings with intervals", "评分与区间"),
    message("entrant", "参赛方"),
    message("points", "积分"),
    message("won", "胜"),
    message("drawn", "平"),
    message("lost", "负"),
    message("byes", "轮空"),
    message("{}: {}; {}: {}", "{}：{}；{}：{}"),
    message("Elo per leg", "每局 Elo"),
    message("Elo per match", "每场 Elo"),
    message("95 % interval", "95 % 区间"),
    message("place by strength", "实力名次"),
    message("Points round by round", "逐轮积分"),
    message("won-drawn-lost", "胜-平-负"),
    message("Round {}", "第 {} 轮"),
    message("Winners, round {}", "胜者组第 {} 轮"),
    message("Losers, round {}", "败者组第 {} 轮"),
    message("Final", "决赛"),
    message("Decider", "加赛"),
    message(
        "No bot crashed, timed out or broke a rule.",
        "没有程序崩溃、超时或违反规则。",
    ),
    message("Faults", "违规"),
    message("fault", "违规"),
    message("leg", "局"),
    message("round", "回合"),
    message("show", "查看"),
    message("Time a move", "每步用时"),
    message(
        "Bars end at the median, whiskers at the 99th percentile; the axis is logarithmic.",
        "条形为中位数，横线至第 99 百分位；对数坐标。",
    ),
    message("match", "比赛"),
    message("result", "结果"),
    message("scores", "比分"),
    message("seed", "种子"),
    message("replay", "回放"),
    message("Matches", "全部比赛"),
    message("{} match", "{} 场比赛"),
    message("{} matches", "{} 场比赛"),
    message("complete", "已结束"),
    message("not finished", "尚未结束"),
    message("{} entrant", "{} 个参赛方"),
    message("{} entrants", "{} 个参赛方"),
    message("{} match played", "已赛 {} 场"),
    message("{} matches played", "已赛 {} 场"),
    message("{}: {}, {}, {}. {}", "{}：{}，{}，{}。{}"),
    message(
        "bots with a void match played fewer matches: compare Elo, not points. Run the same \
        command to play them again",
        "有无效比赛的程序少赛了几场：请比较 Elo 而非积分。再次运行同一命令会重赛",
    ),
    message(
        "bots with a void match played fewer matches: compare Elo, not points. The next round \
        was paired as after a draw. Run the same command to play those of the last round again",
        "有无效比赛的程序少赛了几场：请比较 Elo 而非积分。下一轮按平局编排。再次运行同一命令会重赛最后一轮的无效比赛",
    ),
    message(
        "their encounters were decided by the other matches, or else by the seeding. Run the \
        same command to play those of the last stage again",
        "相应对阵由其余比赛决定，否则种子靠前者晋级。再次运行同一命令会重赛最后阶段的无效比赛",
    ),
    message("Round robin", "循环赛"),
    message("Gauntlet", "挑战赛"),
    message("Swiss system", "瑞士制"),
    message("Single elimination", "单败淘汰"),
    message("Double elimination", "双败淘汰"),
    // Pinned positions.
    message("{} pinned, {} still made", "共 {} 个标记局面，仍犯 {} 个"),
    message(", {} failed", "，{} 个未能应答"),
    message(", {} could not be asked", "，{} 个无法检验"),
    message(
        "{}: leg {}, round {}, {} played {}",
        "{}：第 {} 局第 {} 回合，{} 走了 {}",
    ),
    message("✗ still made: {}", "✗ 仍犯：{}"),
    message("✓ not made any more; it plays: {}", "✓ 不再犯；现在走：{}"),
    message(
        "it would not have come here: round {}: {} instead of {}",
        "它本不会走到这里：第 {} 回合走 {}，而非 {}",
    ),
    message("it failed [{}]", "未能应答 [{}]"),
    message("it failed [{}]: {}", "未能应答 [{}]：{}"),
    message("its last words: {}", "最后输出：{}"),
    message("the leg ended before", "该局在此之前已结束"),
    message(
        "it could not be asked (this says nothing about the bot): {}",
        "无法检验（不代表程序好坏）：{}",
    ),
    // Void matches.
    message("stays void: seed {}: {}", "仍然无效（种子 {}）：{}"),
    message(
        "void, will be played again later: seed {}: {}",
        "无效，稍后重赛（种子 {}）：{}",
    ),
    message("… {} more", "……另有 {} 场未列出"),
    message(
        "{} void match: no program is at fault, and it counts for neither side",
        "无效比赛 {} 场：不是任何程序的错，不计入任何一方",
    ),
    message(
        "{} void matches: no program is at fault, and they count for neither side",
        "无效比赛 {} 场：不是任何程序的错，不计入任何一方",
    ),
    message(
        "{} – {}, seed {}, tried {} times: {}",
        "{} – {}，种子 {}，尝试 {} 次：{}",
    ),
    // Entrants.
    message("kept from an earlier build: {}", "沿用之前的构建：{}"),
    message("built with {} in {}", "构建：{}，用时 {}"),
    message("runs as it is, copied in {}", "直接运行，复制用时 {}"),
    message("protocol {}", "协议 {}"),
    message(
        "{} warning: programs of this kind are written for {}={}, but this match has {}={}: the \
        bot may misread its input; add --config {}={}",
        "{} 注意：这类程序是为 {}={} 写的，而本场比赛是 {}={}，它可能会误读局面；请加上 --config {}={}",
    ),
];

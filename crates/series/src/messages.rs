//! What series say to people.

use leitai_game::lang::{Catalogue, message};
use leitai_game::{AnyGame, Text};

/// The messages of series, of the judge, of the game's interface, and of these games.
pub fn catalogue<'a>(games: impl IntoIterator<Item = &'a dyn AnyGame>) -> Catalogue {
    Catalogue::new([MESSAGES]).with(leitai_judge::messages::catalogue(games))
}

/// The messages; see `leitai_game::lang`.
pub const MESSAGES: &[Text] = &[
    // Journals of another series.
    message("a program has changed", "有程序已更改"),
    message("{} was {} and is {}", "{} 原为 {}，现为 {}"),
    message(
        "{} holds another comparison: {}",
        "{} 中保存的是另一次比较：{}",
    ),
    message("choose another folder", "请换一个文件夹"),
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
        "机器过忙，第 {} 回合无法公正裁判（{}）；请减少同时进行的对局（-j）或在空闲时再试",
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
        "{} 既不是内置程序也不是路径；{}。路径可以是可执行文件、源文件（.py .cpp .c .java .js \
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
        "{} entrants; a comparison has two",
        "有 {} 个参赛方；比较需要两个",
    ),
    message("there are no entrants", "没有参赛程序"),
    message(
        "{} entrants; at most {} can play",
        "有 {} 个参赛程序；最多 {} 个",
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
        "{} grew beyond {} bytes while it was read",
        "{} 在读取过程中超过了 {} 字节",
    ),
    message(
        "the replay has {} legs; say which with --leg N",
        "回放共 {} 局；请用 --leg N 指定哪一局",
    ),
    message(
        "{}: the format is {}; this version reads {}",
        "{}：格式为 {}；此版本读取的是 {}",
    ),
    message("{}: there is no leg {}", "{}：没有第 {} 局"),
    message(
        "{} is not an entrant; write \"BOT\" or { bot = \"BOT\", name = \"NAME\" }",
        "{} 不是参赛程序；请写 \"BOT\" 或 { bot = \"BOT\", name = \"NAME\" }",
    ),
    message(
        "{} matches; a tournament has from 1 to {}",
        "共 {} 场比赛；一次锦标赛应为 1 到 {} 场",
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
        "{} rounds; a tournament has from 1 to 10000",
        "共 {} 轮；锦标赛应为 1 到 10000 轮",
    ),
    message(
        "{} heads of {} entrants; a gauntlet needs at least one, and somebody to run it against",
        "{1} 个参赛程序中有 {0} 个擂主；擂台赛至少需要一个擂主和一个对手",
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

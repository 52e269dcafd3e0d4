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
        "the machine was too busy to judge round {} fairly ({}); play fewer matches at once (-j), or when it is quieter",
        "机器过忙，第 {} 回合无法公正裁判（{}）；请减少同时进行的对局（-j）或在空闲时再试",
    ),
];

//! The texts of the analysis in both languages; see `leitai_game::lang`.

use leitai_game::Text;
use leitai_game::lang::message;

/// Errors.
pub const MESSAGES: &[Text] = &[
    message(
        "{} has no assessor, so its replays cannot be analysed; watch it with `leitai replay \
        show`",
        "{} 没有局面评估器，无法复盘；可用 `leitai replay show` 观看",
    ),
    message(
        "this replay does not follow the rules, so nothing can be said of it: {}; `leitai replay \
        verify` shows the place",
        "此回放不符合规则，无法复盘：{}；`leitai replay verify` 会指出位置",
    ),
    message("the analysis was stopped", "复盘已停止"),
    message(
        "{} played in none of these matches; there played: {}",
        "{} 没有参加这些比赛；参赛方有：{}",
    ),
    message(
        "whose losses? add --entrant NAME; there played: {}",
        "要看谁的败局？请加 --entrant 名称；参赛方有：{}",
    ),
];

/// Labels and templates.
pub const LABELS: &[Text] = &[
    message(
        "{}: {} (A) against {} (B), {} nodes a decision",
        "{}：{}（A）对 {}（B），每次决策 {} 个节点",
    ),
    message("{} won the match", "{} 赢得比赛"),
    message("the match was drawn", "比赛平局"),
    message("the match was not finished", "比赛没有打完"),
    message(
        "… and {} more legs: --leg N shows one",
        "……另有 {} 局：用 --leg N 查看其中一局",
    ),
    message("leg {}:", "第 {} 局："),
    message(
        "leg {}: interrupted in round {}",
        "第 {} 局：在第 {} 回合中断",
    ),
    message(
        "leg {}: {} won {} in round {}",
        "第 {} 局：{} 以 {} 获胜（第 {} 回合）",
    ),
    message(
        "leg {}: drawn {} in round {}",
        "第 {} 局：{} 战平（第 {} 回合）",
    ),
    message("  {}: {} ({})", "  {}：{}（{}）"),
    message("lost by a fault", "因违规告负"),
    message("missed the only move that held", "错过了唯一能守住的一手"),
    message("one blunder decided", "一手败着定了胜负"),
    message("many small losses added up", "小失误积累成劣势"),
    message("decided by what it could not see", "败于它无法看到的情况"),
    message(
        "outplayed without a clear error",
        "没有明显失误，整体被压制",
    ),
    message("opening", "开局"),
    message("middle", "中盘"),
    message("ending", "终盘"),
    message("best", "最佳"),
    message("good", "好手"),
    message("inaccuracy", "欠准确"),
    message("mistake", "失误"),
    message("blunder", "败着"),
    message(
        "  last moment to hold: round {}, {}",
        "  最后的挽救机会：第 {} 回合，{}",
    ),
    message(
        "  that was the last moment to hold (round {})",
        "  这也是最后的挽救机会（第 {} 回合）",
    ),
    message(
        "  from round {} on lost in {} whatever it did",
        "  从第 {} 回合起，无论怎么走，{} 回合内必败",
    ),
    message("round {}: {}, {}", "第 {} 回合：{}，{}"),
    message("; best line {}", "；最佳变化 {}"),
    message("played the best move {} ({})", "走了最佳的 {}（{}）"),
    message(
        "played {} ({}), best {} ({})",
        "走了 {}（{}），最佳为 {}（{}）",
    ),
    message("; in truth {} of {}", "；实际局面为 {}，最好可达 {}"),
    message("{} blunder", "{} 个败着"),
    message("{} blunders", "{} 个败着"),
    message("{} mistake", "{} 个失误"),
    message("{} mistakes", "{} 个失误"),
    message("{} inaccuracy", "{} 个欠准确"),
    message("{} inaccuracies", "{} 个欠准确"),
    message(
        "  {}: accuracy {} (decisions: {}), {}",
        "  {}：准确率 {}（{} 次决策），{}",
    ),
    message(
        "  {}: only moves missed: {} (rounds {})",
        "  {}：错过唯一着法 {} 次（回合 {}）",
    ),
    message("  {}: worst in {}", "  {}：最差的一手在{}"),
    message(
        "  {}: {} of time, the longest reply {} (round {}), {} where nothing could change",
        "  {}：共用时 {}，最长一次 {}（第 {} 回合），其中 {} 用在结果已不会改变之处",
    ),
    message(
        "{}: matches {}; legs won {}, drawn {}, lost {}",
        "{}：比赛 {} 场；胜 {} 局，平 {} 局，负 {} 局",
    ),
    message(
        "accuracy {}; blunders {}, mistakes {}, inaccuracies {}",
        "准确率 {}；败着 {}，失误 {}，欠准确 {}",
    ),
    message(
        "{} ({}): {} of the lost legs, {}",
        "{}（{}）：{} 个败局，占 {}",
    ),
    message(
        "  {}, leg {}, round {}: {} {}, lost {}",
        "  {}，第 {} 局，第 {} 回合：{} {}，损失 {}",
    ),
    message("no leg was lost", "没有败局"),
];

//! Sentences about modules in both languages.

use leitai_game::Text;
use leitai_game::lang::message;

/// Why a module cannot be a game, and why a call of it failed.
pub const MESSAGES: &[Text] = &[
    message("the module {}", "模块{}"),
    message(
        "the module has {} bytes; at most {} are allowed",
        "模块有 {} 字节；不得超过 {} 字节",
    ),
    message(
        "this is not WebAssembly that Leitai runs: {}; compile for wasm32 without SIMD, threads, 64-bit memory and tail calls",
        "这不是 Leitai 能运行的 WebAssembly：{}；请编译为 wasm32，不使用 SIMD、线程、64 位内存和尾调用",
    ),
    message(
        "the module uses {}, whose effect no call could undo; keep state in memory",
        "模块使用了 {}，其效果无法撤销；请把状态放在内存中",
    ),
    message(
        "the module imports {} from {}; rules may import nothing but \"log\" from \"leitai\": there is no clock, no chance and no input beside what a call hands in",
        "模块从 {1} 导入了 {0}；规则只能从 \"leitai\" 导入 \"log\"：没有时钟、随机数，也没有调用参数以外的输入",
    ),
    message(
        "an export's name begins with {}, which is Leitai's own; rename it",
        "有导出名以 {} 开头，该前缀由 Leitai 保留；请改名",
    ),
    message(
        "the module exports no memory; export it by the name \"memory\"",
        "模块没有导出内存；请以 \"memory\" 为名导出",
    ),
    message(
        "_initialize takes or returns values; it must be a function of none",
        "_initialize 不得有参数或返回值",
    ),
    message(
        "the function {} {}; it takes {} and returns {}",
        "函数 {} {}；参数应为 {}，返回 {}",
    ),
    message("is missing", "缺失"),
    message("has another type", "类型不符"),
    message("the module has no function playout", "模块没有函数 playout"),
    message("the module has no function corpus", "模块没有函数 corpus"),
    // Calls that failed.
    message(
        "the rules of {} failed: {} {}; its request was {}",
        "{} 的规则出错：{} {}；请求为 {}",
    ),
    message("answered what cannot be read", "的回答无法读取"),
    message(
        "was to read {} bytes; at most {} are allowed",
        "的请求有 {} 字节；不得超过 {} 字节",
    ),
    message(
        "was given no place for its request",
        "没有给出写入请求的位置",
    ),
    message(
        "answered {} bytes; at most {} are allowed",
        "回答了 {} 字节；不得超过 {} 字节",
    ),
    message(
        "answered {} bytes at {}, beyond its memory",
        "在 {1} 处回答了 {0} 字节，超出内存",
    ),
    message("took more than {} instructions", "执行的指令超过 {} 条"),
    message("called itself too deeply", "递归过深"),
    message("stopped by a trap ({})", "因陷阱中止（{}）"),
    message("stopped ({})", "中止（{}）"),
    message("could not be started ({})", "无法启动（{}）"),
    // What the checks of rules find.
    message(
        "check accepts {} of {}, which legal does not list",
        "check 接受了 {1} 的 {0}，但 legal 没有列出",
    ),
    message(
        "{} is known as an action, but cannot stand in a replay",
        "{} 被识别为操作，但无法写入回放",
    ),
    message("{} wins by saying {}", "{} 说了 {} 就获胜"),
    message(
        "secret.{} names {}, which the view of everything never has",
        "secret.{} 写了 {}，但完整视图中从未出现",
    ),
    message(
        "two positions have the same text, but differ: {} and {}; the text is {}",
        "两个局面的状态文本相同，内容却不同：{} 和 {}；文本为 {}",
    ),
    message(
        "two positions have the same text, but other scores, seats to move or ends; the text is {}",
        "两个局面的状态文本相同，得分、轮次或结局却不同；文本为 {}",
    ),
    message(
        "the view of {} shows the secret {}",
        "{} 的视图显示了秘密 {}",
    ),
    message(
        "the view of {} tells a secret at {}: {} or {}, although only hidden facts differ",
        "{} 的视图在 {} 处泄露了秘密：仅隐藏内容不同，却分别显示 {} 和 {}",
    ),
    message(
        "the legal actions of {} tell a secret: {} or {}, although only hidden facts differ",
        "{} 的合法操作泄露了秘密：仅隐藏内容不同，却分别为 {} 和 {}",
    ),
    // What a game says of choices and actions.
    message("{} is {}; it may be {}", "{} 为 {}；可以是 {}"),
    message(
        "the config is {}; it may be an object",
        "配置为 {}；应为对象",
    ),
    message(
        "there is no choice {}; the game has none",
        "没有选项 {}；该游戏没有选项",
    ),
    message(
        "there is no choice {}; there is {}",
        "没有选项 {}；可用的有 {}",
    ),
    message("a whole number from {} to {}", "{} 到 {} 的整数"),
    message(
        "cannot be checked, as the rules failed",
        "规则出错，无法检查",
    ),
];

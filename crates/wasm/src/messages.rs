//! The Chinese translations of what the engine says itself.

use leitai_game::Text;
use leitai_game::lang::message;

/// The messages; see `leitai_game::lang`.
pub(crate) const MESSAGES: &[Text] = &[
    message(
        "the request has {} bytes, too few",
        "请求只有 {} 字节，过短",
    ),
    message("unknown call: {}", "未知的调用：{}"),
    message("there is no game {}", "没有游戏 {}"),
    message(
        "there is no bot {}; there is: {}",
        "没有内置 Bot {}；可用的有：{}",
    ),
    message(
        "there is no step {}; the leg has {}",
        "没有第 {} 步；这一局共 {} 步",
    ),
    message("the corpus is no text: {}", "语料不是文本：{}"),
    message("it was not asked", "没有被询问"),
];

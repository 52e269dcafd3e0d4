//! What the judge writes about faults. It stands in replays, so everything that shows replays
//! translates it; the judge itself is another crate.

use super::message;
use crate::text::Text;

/// The messages of faults; see `leitai_game::lang`.
pub const FAULT_MESSAGES: &[Text] = &[
    // Faults of programs.
    message("did not answer within {}", "{} 内没有回答"),
    message("sent an answer that {}", "发送的回答有误：{}"),
    message("sent the answer {}, which {}", "发送的回答 {} 有误：{}"),
    message(
        "{}, {} bytes into an unfinished answer",
        "{}，此时一条回答只写了 {} 字节",
    ),
    message(
        "said {} although it was not asked: one answer a question",
        "未被询问就输出了 {}：每次询问只回答一次",
    ),
    message(
        "used {} of CPU time of {} in its turn",
        "本回合用了 {} CPU 时间，允许 {}",
    ),
    message(
        "used {} of CPU time of {} in its first turn",
        "首回合用了 {} CPU 时间，允许 {}",
    ),
    message(
        "used {} of CPU time of {} in all its turns of the match",
        "整场比赛所有回合共用了 {} CPU 时间，允许 {}",
    ),
    message(
        "used {} of CPU time of {} in its turn, at least {} of it before it was asked",
        "本回合用了 {} CPU 时间，允许 {}，其中至少 {} 用在被询问之前",
    ),
    message(
        "used {} of CPU time of {} in its first turn, at least {} of it before it was asked",
        "首回合用了 {} CPU 时间，允许 {}，其中至少 {} 用在被询问之前",
    ),
    message(
        "used {} of CPU time of {} in all its turns of the match, at least {} of it before it \
        was asked",
        "整场比赛所有回合共用了 {} CPU 时间，允许 {}，其中至少 {} 用在被询问之前",
    ),
    message("used {} of {} in its turn", "本回合用了 {}，允许 {}"),
    message("used {} of {} in its first turn", "首回合用了 {}，允许 {}"),
    message(
        "used {} of {} in all its turns of the match",
        "整场比赛所有回合共用了 {}，允许 {}",
    ),
    message(
        "took {} of {} in its turn, waiting rather than computing: it used {} of {} of CPU time",
        "本回合用了 {}，允许 {}，主要在等待而不是计算：CPU 时间只用了 {}，允许 {}",
    ),
    message(
        "took {} of {} in its first turn, waiting rather than computing: it used {} of {} of CPU \
        time",
        "首回合用了 {}，允许 {}，主要在等待而不是计算：CPU 时间只用了 {}，允许 {}",
    ),
    message(
        "took {} of {} in all its turns of the match, waiting rather than computing: it used {} \
        of {} of CPU time",
        "整场比赛所有回合共用了 {}，允许 {}，主要在等待而不是计算：CPU 时间只用了 {}，允许 {}",
    ),
    message(
        "it had sent {} without an end of line",
        "它已发送 {}，但没有换行",
    ),
    message(
        "waited {} rather than computed in all its turns together, of {} that a program may: leave \
        out sleeping and waiting for files",
        "所有回合合计空等 {}（没有计算），最多允许 {}：请去掉休眠和等待文件的操作",
    ),
    message("{} of noise are excused", "已扣除机器干扰 {}"),
    message(
        "{} of the limit are for its start (--start-limit)",
        "时限中有 {} 用于启动（--start-limit）",
    ),
    message(
        "after {} in its turn it had used only {} of {} of CPU time, because the machine \
        withheld it: it waited {} for its core, the judge was late by {}, the hypervisor stole {}",
        "本回合过了 {}，CPU 时间只用了 {}（允许 {}），因为机器没有分配给它：等待 CPU 核心 {}，裁\
        判程序延迟 {}，被虚拟机管理程序占用 {}",
    ),
    message(
        "after {} in its first turn it had used only {} of {} of CPU time, because the machine \
        withheld it: it waited {} for its core, the judge was late by {}, the hypervisor stole {}",
        "首回合过了 {}，CPU 时间只用了 {}（允许 {}），因为机器没有分配给它：等待 CPU 核心 {}，裁\
        判程序延迟 {}，被虚拟机管理程序占用 {}",
    ),
    message(
        "after {} in all its turns of the match it had used only {} of {} of CPU time, because \
        the machine withheld it: it waited {} for its core, the judge was late by {}, the \
        hypervisor stole {}",
        "整场比赛所有回合过了 {}，CPU 时间只用了 {}（允许 {}），因为机器没有分配给它：等待 CPU 核\
        心 {}，裁判程序延迟 {}，被虚拟机管理程序占用 {}",
    ),
    message(
        "is more than {} answers ahead of the questions: one answer a question",
        "提前给出了 {} 个以上的回答：每次询问只回答一次",
    ),
    message(
        "sent {} bytes without being asked; {} may wait",
        "未被询问就发送了 {} 字节；最多允许积压 {} 字节",
    ),
    message("left the match", "离开了比赛"),
    message("has no end of line within {} bytes", "{} 字节内没有换行符"),
    message(
        "starts with the text {} where a 4-byte length belongs; print only answers to stdout, \
        everything else to stderr",
        "以文本 {} 开头，而这里应为 4 字节的长度；stdout 只输出回答，其他内容写到 stderr",
    ),
    message(
        "announces a length of {} bytes (0x{}); 0 to {} are allowed",
        "声明长度为 {} 字节（0x{}）；允许 0 到 {}",
    ),
    message(
        "closed its output before the match was over",
        "比赛结束前就关闭了输出",
    ),
    message(
        "did not connect within {} (it was started with HOST PORT; leave out --connect tcp for \
        a program that talks over stdin and stdout)",
        "{} 内没有建立连接（启动参数为 HOST PORT；通过 stdin 和 stdout 通信的程序请不要加 \
        --connect tcp）",
    ),
    message(
        "used more memory than the {} that it may, all its processes and temporary files \
        together (its peak was {}); make it smaller, or allow more with --memory",
        "所有进程与临时文件合计超过了 {} 的内存上限（峰值 {}）；请减少内存占用，或用 --memory 提\
        高上限",
    ),
    message(
        "wrote more than the {} of files that it may; it should delete what it does not need any \
        more",
        "写入的文件超过了 {} 的上限；不再需要的文件应当删除",
    ),
    message(
        "made more than {} files and folders, or {} folders inside each other; it should delete what it does not need any more",
        "产生的文件和文件夹超过 {} 个，或文件夹嵌套超过 {} 层；不再需要的应当删除",
    ),
    message("exited before the match was over", "比赛结束前就退出了"),
    message("ended with exit code {}", "以退出码 {} 结束"),
    message("was killed by signal {}", "被信号 {} 终止"),
    message(
        "most often it was built for another processor: build it without -march=native, or for -march=x86-64-v2",
        "通常是为别的处理器编译的：请去掉 -march=native，或改用 -march=x86-64-v2 编译",
    ),
    message(
        "the sandbox does not know a system call of it: a 32-bit program is built for 64 bits, without -m32",
        "沙箱不认识它的一个系统调用：32 位程序请去掉 -m32，编译为 64 位",
    ),
    message("could not be started: {}", "无法启动：{}"),
    message("could not be built: {}", "无法构建：{}"),
    message("exit code {}", "退出码 {}"),
    message("signal {}", "信号 {}"),
    message(
        "it panicked without a message",
        "它没有留下信息就异常终止了",
    ),
];

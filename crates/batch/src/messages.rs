//! The messages of batches.

use leitai_game::Text;
use leitai_game::lang::message;

/// The messages; see `leitai_game::lang`.
pub const MESSAGES: &[Text] = &[
    // The bus.
    message(
        "the bus has no JetStream, which batches need; start nats-server with --jetstream, or \
        enable it for this user's account",
        "总线没有启用 JetStream，而批量比赛需要它；请以 --jetstream 启动 nats-server，或为该用户的账户启用",
    ),
    message(
        "the bus does not answer questions about JetStream; allow this user to publish to \
        `leitai.batch.>`, `_INBOX.>`, `$JS.>` and `$O.>`, and to subscribe to `leitai.batch.>` and \
        `_INBOX.>`",
        "总线不应答有关 JetStream 的请求；请允许该用户发布到 `leitai.batch.>`、`_INBOX.>`、`$JS.>` 与 `$O.>`，并订阅 \
        `leitai.batch.>` 与 `_INBOX.>`",
    ),
    message(
        "the bus refuses a stream of the batch: {}",
        "总线拒绝了批量比赛的数据流：{}",
    ),
    message(
        "the stream {} on the bus has other settings (subjects {}, retention {}): another program \
        or version made it; remove it with `nats stream rm {}`, or use another bus",
        "总线上的数据流 {} 设置不同（主题 {}，保留策略 {}）：由其他程序或版本创建；请用 `nats stream rm {}` 删除，或换一个总线",
    ),
    message(
        "the bus refuses a subscription; allow this user to subscribe to `leitai.batch.>` and \
        `_INBOX.>`",
        "总线拒绝订阅；请允许该用户订阅 `leitai.batch.>` 与 `_INBOX.>`",
    ),
    message(
        "a job has {} bytes, but the bus takes {}: raise max_payload of nats-server, or use a \
        smaller config",
        "任务有 {} 字节，但总线最多接受 {} 字节：请提高 nats-server 的 max_payload，或使用较小的配置",
    ),
    message("cannot start the connection", "无法建立连接"),
    message("cannot ask for a job", "无法领取任务"),
    message("cannot list streams", "无法列出数据流"),
    // Programs.
    message("cannot upload a program to the bus", "无法把程序上传到总线"),
    message(
        "{} has {} bytes; workers take {} at most",
        "{} 有 {} 字节；工作进程最多接受 {} 字节",
    ),
    message(
        "{}: no worker could build it: {}",
        "{}：没有工作进程能构建它：{}",
    ),
    message(
        "a program that is sound elsewhere cannot be built: {}",
        "在其他机器上正常的程序在此无法构建：{}",
    ),
    message(
        "this worker offers no isolation for programs; `leitai doctor` says what is missing there",
        "此工作进程所在的机器无法隔离程序；在那里运行 `leitai doctor` 可查看缺少什么",
    ),
    message(
        "the program on the bus is not the one that was uploaded",
        "总线上的程序与上传的不一致",
    ),
    message(
        "cannot write a program to build it: {}",
        "无法写入要构建的程序：{}",
    ),
    message(
        "the folder for temporary files has no name in UTF-8",
        "临时文件夹的名称不是 UTF-8",
    ),
    message(
        "{} is not the name of a file that a worker takes",
        "{} 不是工作进程接受的文件名",
    ),
    message(
        "cannot fetch a program from the bus: {}",
        "无法从总线获取程序：{}",
    ),
    message(
        "cannot fetch a program from the bus: timed out",
        "从总线获取程序超时",
    ),
    message("{} is not the name of a program", "{} 不是程序的名称"),
    message("it is too large", "过大"),
    // Jobs and results.
    message(
        "its limits are beyond what a worker takes from another machine",
        "其限制超出了工作进程可从其他机器接受的范围",
    ),
    message(
        "it asks for {} MiB of memory for a program; this worker allows {} MiB (--most-memory)",
        "它要求给程序 {} MiB 内存；此工作进程最多允许 {} MiB（--most-memory）",
    ),
    message(
        "{} workers took it, and none of them brought a result",
        "{} 个工作进程领取过它，都没有给出结果",
    ),
    message(
        "a job in the format {}; this one is {}",
        "任务格式为 {}；本机的是 {}",
    ),
    message(
        "the worker panicked; please report it",
        "工作进程出现内部错误；请报告",
    ),
    message(
        "this worker does not know the rules {}",
        "此工作进程没有规则 {}",
    ),
    message("there is nothing to build", "没有可构建的内容"),
    message("a match of {} legs", "{} 局的比赛"),
    message(
        "the worker {} sent a bad result",
        "工作进程 {} 发来的结果有误",
    ),
    message("a worker sent a bad result", "某个工作进程发来的结果有误"),
    message(
        "a worker sent a bad result: {}",
        "某个工作进程发来的结果有误：{}",
    ),
    message("it has the format {}", "其格式为 {}"),
    message("a result is too large", "结果过大"),
    message("a message is too large", "消息过大"),
    message("a message is plain data", "无法写出消息"),
    message("cannot compress a message", "无法压缩消息"),
    message("not a message of this version", "不是此版本的消息"),
    message(
        "a thread of the batch panicked",
        "批量比赛的线程出现内部错误",
    ),
    // The folder.
    message("cannot make the folder {}", "无法创建文件夹 {}"),
];

/// Labels and templates of notices, found by their exact English text.
pub const LABELS: &[Text] = &[
    message(
        "no worker has taken a job yet: start one with leitai worker --bus {}",
        "还没有工作进程领取任务：请用 leitai worker --bus {} 启动一个",
    ),
    message(
        "no worker is attached any longer; the run goes on when one comes: leitai worker --bus {}",
        "已没有工作进程；有新的加入后会继续：leitai worker --bus {}",
    ),
    message(
        "workers of Leitai {} are attached, but this is {}; they leave its matches to workers of \
        the same version: start one with the same leitai",
        "已接入的工作进程版本为 Leitai {}，而这里是 {}；它们会把比赛留给相同版本的工作进程：请用相同版本的 leitai 启动一个",
    ),
    message(
        "workers attached: {}; matches at once: {}",
        "已接入的工作进程：{}；同时进行的比赛：{}",
    ),
    message(
        "the bus {} is away; the run waits for it and goes on by itself",
        "总线 {} 已断开；恢复后会自动继续",
    ),
    message("the bus is back", "总线已恢复"),
    message(
        "the bus has no room for another match ({}); free some of its storage, or let other \
        batches end: the run goes on by itself then",
        "总线存不下新的比赛（{}）；请清理其存储空间，或等其他批次结束：之后会自动继续",
    ),
];

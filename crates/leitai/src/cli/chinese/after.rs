//! The texts below the help of a command, in 简体中文.

/// Examples and notes for the command, named by its words without `leitai`. The examples are those
/// of the English text; the explanations are Chinese.
pub fn after_help(path: &str, english: &str) -> Option<String> {
    let (_, text) = TEXTS.iter().find(|(name, _)| *name == path)?;
    let known: Vec<&str> = text.lines().filter(|line| is_example(line)).collect();
    let examples = english.lines().filter(|line| is_example(line)).map(|line| {
        let same = known
            .iter()
            .find(|known| command_of(known) == command_of(line));
        same.map_or_else(
            || format!("  {}", command_of(line)),
            |line| (*line).to_owned(),
        )
    });
    let examples: Vec<String> = examples.collect();
    let (mut lines, mut is_told) = (Vec::new(), false);
    for line in text.lines() {
        match (is_example(line), is_told) {
            (false, _) => lines.push(line.to_owned()),
            (true, false) => lines.extend(examples.iter().cloned()),
            (true, true) => {}
        }
        is_told |= is_example(line);
    }
    Some(lines.join("\n"))
}

fn is_example(line: &str) -> bool {
    line.starts_with("  leitai ") || line.starts_with("  LEITAI_")
}

/// The command of an example, without the explanation.
fn command_of(line: &str) -> &str {
    let line = line.trim_start();
    line.split("  ").next().unwrap_or(line)
}

const TEXTS: &[(&str, &str)] = &[
    ("game new", "示例：\n  leitai game new othello cpp"),
    ("game build", "示例：\n  leitai game build ./othello"),
    ("game check", "示例：\n  leitai game check ./othello"),
    ("game play", "示例：\n  leitai game play ./othello"),
    ("game pack", "示例：\n  leitai game pack ./othello"),
    ("game list", "示例：\n  leitai game list examples/games"),
    ("game add", "示例：\n  leitai game add ./othello"),
    (
        "game get",
        "示例：\n  leitai game get othello    写出 othello.leitai-game",
    ),
    (
        "game remove",
        "示例：\n  leitai game remove othello --why \"作者要求下架\"",
    ),
    (
        "group new",
        "\
示例：
  leitai group new 'AI 2026' --team-size 3 --organiser ada",
    ),
    (
        "group import",
        "\
示例：
  leitai group import 'AI 2026' students.csv --check
  leitai group import 'AI 2026' students.csv --passwords passwords.csv

文件每行一人：账户名，逗号后可写队名。不存在的账户会被创建并得到一次性密码，首次登录时必须修改；已有账户直接
加入小组。只要有一行有误，就会列出所有有误的行，并且不导入任何人。

退出状态：已导入或名单无误为 0，否则为 1。",
    ),
    (
        "group quota",
        "\
示例：
  leitai group quota 'AI 2026'
  leitai group quota 'AI 2026' --uploads 10 --languages python,cpp
  leitai group quota 'AI 2026' --uploads none

配额约束小组的成员，不约束组织者。它只能比擂台的配额更严，除非管理员允许该小组放宽。属于多个小组的人，适用其中\
最严的一项。没有写出的配额保持不变；`none` 表示取消。",
    ),
    (
        "analyze",
        "\
示例：
  leitai analyze matches/20261121-snakego-7.json          为什么输了？
  leitai analyze matches/20261121-snakego-7.json --json   每次决策，供程序读取
  leitai analyze matches --entrant mybot                  典型的败法

给出文件夹或多个回放时，会针对一个参赛方汇总：它的典型败法、最差的例子，以及固定每个例子的命令。\
同样的回放和节点数每次都得到同样的输出；各数字的含义见 docs/analysis.zh.md。

退出状态：全部完成为 0，有回放无法复盘为 1，用法错误为 2，被中断为 130。",
    ),
    (
        "",
        "\
示例：
  leitai games                                  列出所有游戏
  leitai new snakego                            生成一个入门程序
  leitai match snakego territory greedy         两个内置 Bot 打一场比赛
  leitai match snakego ./mybot.cpp territory    让你的程序与内置 Bot 对战
  leitai check snakego ./mybot.cpp              检查程序能否提交
  leitai play snakego --against greedy          在终端中亲自对战
  leitai replay show matches/FILE.json          逐回合观看回放",
    ),
    (
        "new",
        "\
示例：
  leitai new kob                                kob-bot/main.py
  leitai new kob java                           kob-bot/Main.java
  leitai new snakego cpp --folder ./adder       adder/main.cpp

程序旁边有游戏的 SDK（类型、读取、应答、绘图）、test.sh、README.md、编辑器读取的文件，以及 AGENTS.md，后者告诉编程智能体如何检查、对战、分析和提交。
已有的文件不会被覆盖。文件夹的名称就是程序在比赛中的名称。",
    ),
    (
        "match",
        "\
示例：
  leitai match snakego territory greedy --seed 1
  leitai match snakego ./my_folder bot.zip --limit 1s --replay game.json
  leitai match snakego json-lines:./bot.py greedy --legs 1
  leitai match snakego ./adk_bot territory --connect tcp
  leitai match snakego random greedy --config max_round=64 --config items=first-edition
  leitai match snakego ./mybot territory --from matches/20261121-snakego-7.json@2:37

程序后面可写它的参数，以及以 @ 开头、只对它有效的设置：@name、@env、@limit、@start-limit、@match-limit、@wait-limit、@memory、@processes、@threads。

程序默认使用游戏的第一种协议（见 `leitai bots GAME`）；也可以在路径前写 PROTOCOL:，或在源代码开头几行写 `leitai: protocol=PROTOCOL`。有些游戏还能运行不经 stdin 和 stdout 通信的程序：`leitai bots GAME` 会列出相应的宿主。包装程序的宿主写在路径之前，例如 each-turn:./bot.py

计时方式（docs/clocks.zh.md）：从问题的第一个字节到回答的最后一个字节，计入程序所有进程的 CPU 时间。墙钟时间只有超过时限的两倍（或时限加一秒）才有影响，并扣除机器没有分配给程序的时间。如果机器造成的延迟过长，该局重赛，最多两次。

退出状态：0 已裁判（无论谁胜）；1 无法裁判；2 用法有误；130 被中断。",
    ),
    (
        "check",
        "\
示例：
  leitai check snakego ./my_folder
  leitai check kob json-lines:./bot.py --limit 1s --memory 256MiB

标记：✓ 通过，✗ 未通过，! 勉强可用，i 供参考，- 未测试。

退出状态：0 必须通过的步骤全部通过；1 有未通过的；3 全部通过，但有局面题未通过；2 用法有误；130 被中断。种子默认为 1。",
    ),
    (
        "play",
        "\
示例：
  leitai play snakego                           与内置 Bot greedy 对战
  leitai play snakego --against ./mybot.py      与你自己的程序对战
  leitai play snakego --against me --limit 30s  两人共用键盘，每回合 30 秒
  leitai play snakego --from game.json@2:37     从回放第 2 局第 37 回合接手

按键显示在屏幕上。--limit 是人的思考时间；不加时可以一直思考，双方同时行动的游戏除外。程序使用游戏规定的时间。",
    ),
    (
        "compare",
        "\
示例：
  leitai compare snakego ./v8 ./v7                        版本 8 是否至少强 10 Elo？
  leitai compare snakego ./v8 ./v7 --elo0 -10 --elo1 0    版本 8 是否没有变弱（整理代码之后）？
  leitai compare kob ./bot.cpp space --limit 500ms -j 2 --folder space-test
  leitai compare kob ./bot.cpp space --json-lines          每对一行，供脚本使用
  leitai compare kob hydra@8 hydra@7 --on https://arena.example.org   在擂台上进行，在此显示

一对是同一种子、交换座位的两局。得出结论后检验立即停止。双方轮流先手。无法裁判的一对稍后重赛；仍然无效则列出，不计分。无法构建的程序不能参加。与之前相同的一对不计入。

退出状态：0 接受（更强；--elo0 小于 0 时为不弱于），3 拒绝，4 达到 --max 对仍无结论，5 最近 20 对没有出现新的对局；1 无法进行，2 用法有误，130 被中断。",
    ),
    (
        "tune",
        "\
示例：
  leitai tune kob ./bot --param depth=1..12 --param k=0.1..2.0
  leitai tune kob './bot -d{depth} @env=STYLE={style}' --param depth=1..12:5 --param 'style=calm|bold'
  leitai tune snakego ./bot --param k=0..1 --pairs 500 --limit 200ms --folder tuned
  leitai tune kob 'hydra@8 --depth {depth}' --param depth=1..12 --on https://arena.example.org --folder tuned

Bot 的两种设置成对对局（同一种子、交换座位），每一对都使搜索移向得分较多的一方（SPSA）。多次搜索从不同位置开始，最好的一次继续。报告给出最佳值、可能的范围和经过；然后用另外的种子以序贯检验比较找到的值与起始值。最多同时进行 16 对。

退出状态：0 找到的值更强，3 并不更强，4 无结论或未检验，5 检验最近 20 对没有出现新的对局；1 无法进行，2 用法有误，130 被中断。",
    ),
    (
        "benchmark",
        "\
示例：
  leitai benchmark kob ./mybot.py
  leitai benchmark kob ./mybot.py --agent my-agent --cost 1.20 --tokens 180000
  leitai benchmark --repeat benchmark-kob-mybot.json ./mybot.py

与 `leitai rate` 一样，Bot 与该游戏标尺上的各级别成对对局。种子在第一局之前以哈希承诺并输出，在结果中
公开。沙箱中的程序没有网络；没有隔离时，结果会注明。

退出状态：0 已测定，或重复后结果相同；1 无法进行，或重复的结果不同；2 用法错误；130 被中断。",
    ),
    (
        "rate",
        "\
示例：
  leitai rate kob ./mybot.cpp                        以各级别为标尺，它有多强？
  leitai rate kob ./bot.py --precision 80            粗略测定
  leitai rate kob ./bot.py --folder rating --json    供脚本使用；保留对局

程序与各级别 Bot 成对比赛（同一种子、交换座位），对手是与其实力相近的几个级别，与 -j 无关（最多同时进行 16 对）。如果它面对不同级别的实力不一致，区间会更宽，并给出提示。级别的强度由搜索节点数而非时间决定，因此在任何机器上都一样；其评分由标尺固定，标尺名称会一并显示。只有同一标尺、游戏默认时限和配置下的评分才可比较。旧标尺的级别写作 名称@编号：level3@1 就是第一版标尺的 3 级（`leitai bots GAME`）。

退出状态：0 已达到所需精度，或已达到实力因对手而异时可能的精度，或确定超出标尺；4 达到 --max 对仍不够精确；5 对局只是重复；1 无法进行，2 用法有误，130 被中断。",
    ),
    ("contest new", "示例：\n  leitai contest new spring-2027 --game snakego"),
    (
        "contest publish",
        "示例：\n  leitai contest publish spring-2027.toml",
    ),
    ("contest status", "示例：\n  leitai contest status spring-2027"),
    (
        "contest join",
        "示例：\n  leitai contest join spring-2027 --bot viper",
    ),
    (
        "contest check",
        "\
示例：
  leitai contest check spring-2027.toml
  leitai contest check spring-2027.toml --dry-run --entrants 40 --workers 8

估算（dry run）只在纸面上进行：统计场数，按现有的并行数推算各阶段何时结束，并模拟最强者夺冠的频率。每场的时长用该游戏最强的两个内置 Bot 实测，除非用 --match-time 指定。

退出码：文件有效为 0，无效为 1。",
    ),
    (
        "tournament",
        "\
示例：
  leitai tournament kob random sample safe space --rounds 10
  leitai tournament snakego ./v8 ./v7 greedy territory --format gauntlet --rounds 5 -j 2
  leitai tournament spring.toml

赛程文件：
  game = \"kob\"
  format = \"double\"            # round-robin、gauntlet、swiss、single、double
  matches = 3                   # 还有：rounds、heads、seed、seeds、legs、limit、bank、
                                # increment、grace、strikes、keep、jobs、folder、maps、
                                # configs、book
  entrants = [\"space\", { bot = \"./v8\", name = \"v8\" }, \"../rivals/hydra.zip\"]
  [config]
  grow_until = 12

文件夹中会有 journal.jsonl（每场已结束的比赛）、replays/、report.html、standings.csv、crosstable.csv、matches.csv。

无法裁判的比赛稍后重赛；仍然无效则列出，不计分。与之前相同的对局计入积分，但不计入 Elo、区间与名次；循环赛或挑战赛不再出现新的对局时停止。

退出状态：0 全部赛完，4 赛完但有比赛无效，5 因对局只是重复而停止，1 无法进行，2 用法有误，130 被中断。",
    ),
    (
        "ladder",
        "\
示例：
  leitai ladder snakego bots --with greedy --with territory
  leitai ladder bots                       接着进行，包括新增和改动的程序
  leitai ladder bots --confidence 0.99 --equal-within 5

比赛记录保存在 FOLDER/.leitai-ladder。改动过的程序重新开始；已移走的程序不再计入。与之前相同的对局不计入。

退出状态：0 名次已确定，4 达到 --max 仍未确定，5 未确定且对局只是重复，1 无法进行，130 被中断。",
    ),
    (
        "debug",
        "\
示例：
  leitai debug matches/20261121-snakego-7.json --leg 2 --round 37 ./mybot
  leitai debug matches/20261121-kob-7.json --leg 1 --round 12 each-turn:./bot.py --wait

程序构建时带符号、不优化。它收到与比赛中完全相同的字节；无论它怎样回答，都按回放进行，第一处不同的回答会显示出来。全程不计时。到了该回合询问它时，由 gdb（本地程序）、pdb（Python）、jdb（Java）或 node inspect（JavaScript）在本终端接管。程序不在沙箱中运行：只调试你自己敢直接运行的程序。",
    ),
    (
        "regress add",
        "\
示例：
  leitai regress add matches/20261121-snakego-7.json --leg 2 --round 37 \"shut itself in\"",
    ),
    (
        "regress run",
        "\
示例：
  leitai regress run ./v8

程序像在比赛中一样启动，看到当时的局面：在记下的回合之前，无论它怎样回答都按记录进行。如果它在此之前的回答与记录不同，就说明它已不会走到这里，会一并指出。内置 Bot 不比较之前的回合。

退出状态：0 没有再犯记下的失误，3 有再犯的，4 程序无法构建、崩溃、没有回答或在记下的局面中违规，1 有局面无法检验，2 用法有误，130 被中断。",
    ),
    ("libraries list", "示例：\n  leitai libraries list"),
    (
        "libraries add",
        "\
示例：
  leitai libraries add python numpy==2.2.0
  leitai libraries add ./gson-2.11.0.jar ./rand-0.8.5.crate",
    ),
    (
        "libraries remove",
        "示例：\n  leitai libraries remove python numpy",
    ),
    (
        "libraries get",
        "示例：\n  leitai libraries get ./libraries",
    ),
    (
        "book make",
        "\
示例：
  leitai book make matches --rounds 4-8 --min-games 2 --balance 0.15 --output kob.book
  leitai compare kob ./v8 ./v7 --book kob.book",
    ),
    (
        "situations mine",
        "\
示例：
  leitai situations mine matches --entrant mybot --output mine.jsonl
  leitai check kob ./mybot --situations mine.jsonl",
    ),
    (
        "situations upload",
        "\
示例：
  leitai situations upload walls.jsonl --contest spring-2027 --hidden-until 2027-05-01T00:00:00Z",
    ),
    ("replay export", "示例：\n  leitai replay export matches/20261121-snakego-7.json --to gif --leg 1 --rounds 30-60 -o end.gif"),
    ("replay frames", "示例：\n  leitai replay frames matches/20261121-tankcraft-7.json --perspective first"),
    ("replay show", "示例：\n  leitai replay show matches/20261121-snakego-7.json --leg 2 --round 37"),
    ("parity", "示例：\n  leitai parity snakego games/snakego/golden/games.jsonl"),
    (
        "serve",
        "\
示例：
  leitai serve                                  在 http://localhost:8080 运行整个擂台
  leitai serve --listen 0.0.0.0:8080 --public-url https://arena.example.org
  leitai serve --database postgres://leitai:…@db/leitai --slots 0   由其他机器执行比赛

作为系统服务运行、使用工作进程以及备份的方法见 docs/operating.zh.md。",
    ),
    (
        "contest update",
        "示例：\n  leitai contest publish spring-2027.toml",
    ),
    (
        "contest pause",
        "示例：\n  leitai contest pause spring-2027",
    ),
    (
        "contest resume",
        "示例：\n  leitai contest pause spring-2027",
    ),
    (
        "contest disqualify",
        "示例：\n  leitai contest disqualify spring-2027 viper --why \"copied from hydra\"",
    ),
    (
        "contest replay",
        "示例：\n  leitai contest replay spring-2027 4711 --why \"the worker's disk was full\"",
    ),
    (
        "contest take-back",
        "示例：\n  leitai contest take-back spring-2027 --stage 2 --why \"wrong map\"",
    ),
    (
        "contest annul",
        "示例：\n  leitai contest annul spring-2027 --why \"the rules were unclear\" --yes",
    ),
    (
        "contest export",
        "示例：\n  leitai contest export spring-2027 --out spring-2027.zip",
    ),
    (
        "dataset",
        "\
示例：
  leitai dataset /srv/datasets                  补写缺少的日期，例如每晚运行
  leitai dataset /srv/datasets --today          同时写入当天的比赛
  leitai dataset kob-data --game kob --json     只要一个游戏，并输出索引

每个压缩包中每场比赛一行（matches.jsonl），并附回放；在 Python 中用 `leitai.dataset` 读取。有人参加的比赛不写入；赛事文件没有写 visibility.dataset = \"end\" 的赛事，其比赛也不写入。每晚运行的方法见 docs/operating.zh.md。",
    ),
    (
        "worker",
        "\
示例：
  LEITAI_WORKER_TOKEN=… leitai worker --server https://arena.example.org --slots 8
  leitai worker --bus nats://bus.internal:4222      供 leitai compare … --on nats://bus.internal:4222 使用

令牌可在“管理”页面创建，或用 `leitai admin worker-token NAME` 创建。",
    ),
    (
        "login",
        "\
示例：
  leitai login https://arena.example.org
  leitai login --token - < token.txt      使用在账户页面创建的令牌
  leitai login --scope read --days 7      使用只读、一周有效的令牌
没有终端时，可设置 LEITAI_SERVER 和 LEITAI_TOKEN，无需登录。",
    ),
    (
        "submit",
        "\
示例：
  leitai submit snakego ./mybot.py
  leitai submit snakego ./my_folder --bot hydra --notes 'splits later'

版本可以参赛时退出状态为 0，未通过时为 1。",
    ),
    (
        "matches",
        "\
示例：
  leitai matches --bot hydra --game snakego --limit 50
  leitai matches --game kob --ladder small   计入 small 天梯的比赛
  leitai matches --tag final                 带 final 标签的比赛",
    ),
    (
        "experiment start",
        "\
示例：
  leitai experiment start hydra                     最新版本对正在比赛的版本
  leitai experiment start hydra --version 7 --against-version 5 --watch
  leitai experiment start hydra --against viper --elo1 50 --pairs 400   对天梯上的某个程序
  leitai experiment start hydra --promote           证明更强后上天梯
  leitai experiment start hydra --settings '--depth 5' --against-settings '--depth 4' --against-version 7
  leitai experiment start hydra --variant 7 --variant 8 --variant 9   三个方案同时比，较弱的先后出局
  leitai experiment start hydra --neighbours 4      两个版本都与天梯上相邻的四个程序比赛
  leitai experiment start hydra --book kob.book     比赛从开局库的局面开始

成对的对局与天梯比赛同时进行。带 --watch 时的退出状态与 leitai experiment watch 相同。",
    ),
    (
        "connect",
        "\
示例：
  leitai connect https://arena.example.org kob ./hydra.py --against greedy
  leitai connect http://localhost:8080 snakego ./hydra --against level5 --matches 10 --seed 7

程序留在本机，以擂台的时钟使用游戏规定的时间；测得的延迟每次提问至多一秒不计入用时。每次至多 30 秒、
每场至多 120 秒的断线会停钟。这些比赛不计等级分。内存等限制在本机生效，--limit 不起作用。",
    ),
    (
        "experiment lane",
        "\
示例：
  leitai experiment lane hydra
  leitai experiment lane hydra --set automatic --neighbours 4 --elo1 15",
    ),
    (
        "experiment watch",
        "\
`watch` 的退出状态：0 接受，3 拒绝，4 打完仍未定，5 没有新的对局，1 被停止或无法继续。",
    ),
    (
        "experiment stop",
        "\
`watch` 的退出状态：0 接受，3 拒绝，4 打完仍未定，5 没有新的对局，1 被停止或无法继续。",
    ),
    (
        "standing",
        "\
示例：
  leitai standing hydra
  leitai standing hydra --opt-out small   退出天梯 small
  leitai standing hydra --opt-in small    重新参加

所有程序都参加所属游戏的标准天梯。更改需要有 `submit` 权限的登录，`leitai login` 默认就有。",
    ),
    (
        "tags",
        "\
示例：
  leitai tags 1234                   比赛 1234 的标签
  leitai tags 1234 final late-game   从现在起只有这些标签
  leitai tags 1234 --clear           不再有标签

友谊赛的标签由发起者设置，赛事各场的标签由组织者设置，管理员可设置任何比赛的标签。更改需要有 `play` 权限的\
登录：leitai login --scope play。",
    ),
    ("logs", "示例：\n  leitai logs 1234 --leg 2"),
    (
        "download",
        "\
示例：
  leitai download 1234                    比赛 1234 的回放
  leitai download --source 56 -o bot.zip  版本 56 提交的源代码（版本号见页面地址）",
    ),
];

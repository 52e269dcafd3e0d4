//! The messages of the commands.

use leitai_game::Text;
use leitai_game::lang::message;

/// The messages; see `leitai_game::lang`.
pub const MESSAGES: &[Text] = &[
    // Game files.
    message(
        "{}: the id {} belongs to a game of Leitai; choose another in {}",
        "{}：标识 {} 属于 Leitai 自带的游戏；请在 {} 中另选一个",
    ),
    message(
        "{} is a game file, which arenas and contests do not take yet; play it with leitai match, compare or tournament",
        "{} 是游戏文件，擂台服务器和比赛暂不支持；请用 leitai match、compare 或 tournament 进行",
    ),
    message(
        "the id {} belongs to a game of Leitai; choose another name",
        "标识 {} 属于 Leitai 自带的游戏；请另选名称",
    ),
    message(
        "{} is there already and stays as it is; choose another name",
        "{} 已存在，未作改动；请另选名称",
    ),
    message(
        "{} cannot be the id of a game; write 2 to 32 of a-z, 0-9 and -, beginning with a letter",
        "{} 不能作为游戏标识；请写 2 到 32 个 a-z、0-9、-，以字母开头",
    ),
    message(
        "a game in Rust is compiled with Leitai's sources: clone them and name their folder by --leitai FOLDER, or write the game in C++, which needs nothing",
        "用 Rust 编写的游戏需要 Leitai 的源代码：请克隆后用 --leitai 文件夹 指定；或者用 C++ 编写，无需任何依赖",
    ),
    message(
        "{} has neither rules.cpp nor Cargo.toml; leitai game new NAME writes a first game",
        "{} 中既没有 rules.cpp 也没有 Cargo.toml；leitai game new NAME 可新建一个游戏",
    ),
    message(
        "clang is missing, which compiles C++ to WebAssembly: apt-get install clang lld",
        "缺少把 C++ 编译为 WebAssembly 的 clang：apt-get install clang lld",
    ),
    message(
        "wasm-ld is missing, which links WebAssembly: apt-get install lld",
        "缺少链接 WebAssembly 的 wasm-ld：apt-get install lld",
    ),
    message(
        "cargo is missing, which compiles Rust: https://rustup.rs installs it; then rustup target add wasm32-unknown-unknown",
        "缺少编译 Rust 的 cargo：可由 https://rustup.rs 安装；然后运行 rustup target add wasm32-unknown-unknown",
    ),
    message(
        "Rust's library for WebAssembly is missing: rustup target add wasm32-unknown-unknown",
        "缺少 Rust 的 WebAssembly 标准库：rustup target add wasm32-unknown-unknown",
    ),
    message("cannot run {}", "无法运行 {}"),
    message("cannot make a temporary folder", "无法创建临时文件夹"),
    message("cannot write the header", "无法写入头文件"),
    message("cannot read the module", "无法读取模块"),
    message("cannot find the current folder", "无法确定当前文件夹"),
    message(
        "cargo named no module; is [lib] in Cargo.toml?",
        "cargo 没有给出模块；Cargo.toml 中有 [lib] 吗？",
    ),
    message(
        "name a folder with game files, or set LEITAI_GAMES to one",
        "请指定存放游戏文件的文件夹，或把 LEITAI_GAMES 设为该文件夹",
    ),
    message(
        "--to html has the engine of Leitai's games only; watch it with leitai replay show",
        "--to html 只含 Leitai 自带游戏的引擎；请用 leitai replay show 观看",
    ),
    // Analysis.
    message(
        "--budget 0: at least 1 node a decision is needed; leave it out for the game's own \
        number",
        "--budget 0：每次决策至少需要 1 个节点；省略此选项则使用该游戏的默认值",
    ),
    message(
        "none of the {} files could be read as a replay",
        "{} 个文件都不是可读取的回放",
    ),
    message(
        "{} has no replays (files that end in .json); `leitai match` writes them into matches/",
        "{} 中没有回放（以 .json 结尾的文件）；`leitai match` 会把回放写入 matches/",
    ),
    message(
        "{} is not the answer of /api/signing-keys of an arena",
        "{} 不是擂台 /api/signing-keys 的应答",
    ),
    message(
        "the page does not analyse, play on from a position or verify",
        "网页不能分析、不能从某个局面接着下，也不能验证",
    ),
    message(
        "there is no file {}; look for it with ls, or write the value itself",
        "没有文件 {}；请用 ls 查找，或直接写出值",
    ),
    // Archives.
    message(
        "the archive ended early ({}); try again",
        "压缩包不完整（{}）；请重试",
    ),
    // Debugging.
    message(
        "there is no debugger for {}: gdb is for native programs, pdb for Python, jdb for Java and node inspect for JavaScript; add --wait and attach your own",
        "没有适用于 {} 的调试器：gdb 用于本地程序，pdb 用于 Python，jdb 用于 Java，node inspect 用于 JavaScript；可加 --wait 并连接自己的调试器",
    ),
    message(
        "{} is not installed: on Debian and Ubuntu it is in the package {} (sudo apt install {}); or add --wait and attach your own debugger",
        "未安装 {}：在 Debian 和 Ubuntu 上属于软件包 {}（sudo apt install {}）；也可加 --wait 并连接自己的调试器",
    ),
    message(
        "{} is a built-in bot; give the path of a program",
        "{} 是内置 Bot；请给出程序的路径",
    ),
    message(
        "a debugger needs a terminal, and stdin or stdout is not one; run it in a terminal, or add --wait and attach your own debugger",
        "调试器需要终端，而 stdin 或 stdout 不是终端；请在终端中运行，或加 --wait 并连接自己的调试器",
    ),
    message(
        "the program printed nothing; its first line is the move",
        "程序没有输出；输出的第一行应为操作",
    ),
    message(
        "`bt` shows where it waits, `break FUNCTION` and `continue` go on, `quit` leaves",
        "`bt` 显示程序停在何处，`break 函数` 与 `continue` 继续执行，`quit` 退出",
    ),
    message(
        "`w` shows where it is, `n` goes a line further, `c` goes on, `q` leaves",
        "`w` 显示当前位置，`n` 执行一行，`c` 继续执行，`q` 退出",
    ),
    message(
        "`where` shows where it waits, `stop in CLASS.METHOD` and `resume` go on, `quit` leaves",
        "`where` 显示程序停在何处，`stop in 类.方法` 与 `resume` 继续执行，`quit` 退出",
    ),
    message(
        "`bt` shows where it is, `n` goes a line further, `c` goes on, `.exit` leaves",
        "`bt` 显示当前位置，`n` 执行一行，`c` 继续执行，`.exit` 退出",
    ),
    message(
        "the leg is over; leave the debugger when you are done",
        "本局已结束；调试完成后请退出调试器",
    ),
    message("cannot start the program", "无法启动程序"),
    message("cannot make a pipe", "无法创建管道"),
    message(
        "cannot make a folder for the debugger",
        "无法为调试器创建文件夹",
    ),
    message("cannot start gdb", "无法启动 gdb"),
    message(
        "cannot start the program under pdb",
        "无法在 pdb 下启动程序",
    ),
    message("cannot start node inspect", "无法启动 node inspect"),
    message("cannot start jdb", "无法启动 jdb"),
    message("cannot find a free port", "找不到空闲端口"),
    // Words of the command line.
    message("there is no game {}; {}", "没有游戏 {}；{}"),
    message("`{}` lists them", "完整列表见 `{}`"),
    message(
        "--config {}: write KEY=VALUE",
        "--config {}：请写成 KEY=VALUE",
    ),
    message(
        "{} are no rounds; write 30-60, 30- or 30",
        "{} 不是回合范围；请写成 30-60、30- 或 30",
    ),
    message(
        "a number of steps a second from 0.2 to 50 is expected",
        "应为每秒 0.2 到 50 步",
    ),
    message(
        "a number of pixels from 64 to 1600 is expected",
        "应为 64 到 1600 像素",
    ),
    message(
        "a whole number from 0 to {} is expected",
        "应为 0 到 {} 的整数",
    ),
    message(
        "{} is not a duration; try 500ms or 3s",
        "{} 不是时间；可写 500ms 或 3s",
    ),
    message("must be between 1ms and 24h", "应在 1ms 与 24h 之间"),
    message(
        "write FILE@LEG:ROUND, such as matches/game.json@2:37",
        "请写 FILE@LEG:ROUND，例如 matches/game.json@2:37",
    ),
    message(
        "{} is not a size; try 4KiB or 16MiB",
        "{} 不是大小；可写 4KiB 或 16MiB",
    ),
    message(
        "must be between 64 bytes and 1GiB",
        "应在 64 字节与 1GiB 之间",
    ),
    message(
        "{} is not a size; try 512MiB or 2GiB",
        "{} 不是大小；可写 512MiB 或 2GiB",
    ),
    message(
        "must be between 16MiB and 1024GiB",
        "应在 16MiB 与 1024GiB 之间",
    ),
    message("{} is not in {}", "{} 不在 {} 范围内"),
    message("invalid digit found in string", "含有不是数字的字符"),
    message("invalid float literal", "不是数字"),
    message("cannot parse integer from empty string", "缺少数字"),
    message("number too large to fit in target type", "数字过大"),
    message("number too small to fit in target type", "数字过小"),
    message("invalid socket address syntax", "不是“地址:端口”的形式"),
    message("expected number at {}", "第 {} 个字符处应为数字"),
    message(
        "time unit needed, for example {}sec or {}ms",
        "需要时间单位，例如 {}sec 或 {}ms",
    ),
    // Templates.
    message("{} has no template", "{} 没有模板"),
    message(
        "{} has no template in {}; it has {}. A program in any language can play: \
        docs/protocols.md says what it reads and writes",
        "{} 没有 {} 模板；可用的有 {}。任何语言的程序都能参赛：输入输出格式见 docs/protocols.zh.md",
    ),
    message(
        "{} has no template in {}; did you mean {}? It has {}. A program in any language can \
        play: docs/protocols.md says what it reads and writes",
        "{} 没有 {} 模板；是否想用 {}？可用的有 {}。任何语言的程序都能参赛：输入输出格式见 \
        docs/protocols.zh.md",
    ),
    message(
        "{} is there already and stays as it is; choose another folder with --folder",
        "{} 已经存在，未作改动；请用 --folder 指定其他文件夹",
    ),
    message(
        "a worker's name has 1 to 64 characters",
        "工作进程名称应为 1 到 64 个字符",
    ),
    message(
        "{} exists; give the copy another name",
        "{} 已经存在；请为副本另取名称",
    ),
    message(
        "--entrants {}: from 1 to {} may enter; entry.most in the file says so",
        "--entrants {}：可参赛的数量为 1 到 {}，由文件中的 entry.most 规定",
    ),
    message(
        "{}: a ladder has two or more bots, not {} (--with adds built-in bots)",
        "{}：天梯至少需要两个程序，而不是 {} 个（可用 --with 加入内置 Bot）",
    ),
    // Entrants.
    message(
        "{} was played with seed {}, not {}; leave out --seed",
        "{} 使用的种子是 {}，不是 {}；请去掉 --seed",
    ),
    message(
        "{} has no built-in bots; name a program, or a second person: leitai play {} --against me",
        "{} 没有内置 Bot；请指定程序，或由第二个人对战：leitai play {} --against me",
    ),
    // Contests.
    message(
        "{} cannot be a contest's name: write 2 to 40 lowercase letters, digits and hyphens, such as \
        spring-2027",
        "{} 不能作为赛事名称：请用 2 到 40 个小写字母、数字和连字符，例如 spring-2027",
    ),
    message(
        "{} exists; choose another name",
        "{} 已经存在；请换一个名称",
    ),
    message(
        "{} has no two built-in bots to measure; give --match-time",
        "{} 没有两个可供测量的内置 Bot；请指定 --match-time",
    ),
    // Files.
    message("cannot make the folder {}", "无法创建文件夹 {}"),
    message("cannot read {}", "无法读取 {}"),
    message("cannot write {}", "无法写入 {}"),
    message("cannot write to {}", "无法写入 {}"),
    message("cannot write to stdout", "无法写入标准输出"),
    message("{} is not a folder", "{} 不是文件夹"),
    message(
        "it is a folder; name a file in it",
        "这是文件夹；请指定其中的文件名",
    ),
    message(
        "more than {} links lead on from it",
        "从它出发的链接超过 {} 层",
    ),
    message(
        "matches/ already has 9,999 replays of {} with seed {} from today; name one with \
        --replay FILE",
        "matches/ 中今天已有 9999 个 {} 种子 {} 的回放；请用 --replay FILE 指定文件名",
    ),
    message(
        "neither XDG_DATA_HOME nor HOME is set; choose a folder with --data",
        "XDG_DATA_HOME 和 HOME 都没有设置；请用 --data 指定文件夹",
    ),
    message(
        "neither XDG_CONFIG_HOME nor HOME is set",
        "XDG_CONFIG_HOME 和 HOME 都没有设置",
    ),
    message(
        "--docs {}: there is no index.html in it; ./dev docs builds the documents into target/docs",
        "--docs {}：其中没有 index.html；用 ./dev docs 可把文档生成到 target/docs",
    ),
    message(
        "--public-url {}: it begins with https:// or http://, such as https://arena.example.org",
        "--public-url {}：要以 https:// 或 http:// 开头，例如 https://arena.example.org",
    ),
    message(
        "--public-url {}: an arena cannot be below a path: give it a host name of its own, such as \
         https://arena.{}, and let the proxy pass on all of that host",
        "--public-url {}：擂台不能放在某个路径之下：请给它一个单独的主机名，例如 https://arena.{}，并让代理转发该主机的全部请求",
    ),
    message(
        "--public-url {}: it needs a host name, such as https://arena.example.org",
        "--public-url {}：缺少主机名，例如 https://arena.example.org",
    ),
    // Replays.
    message(
        "the replay has {} legs, the format {} holds one; add --leg N",
        "回放共 {} 局，而 {} 格式只能存一局；请加上 --leg N",
    ),
    message(
        "--to html holds every leg of the match; leave out --leg",
        "--to html 包含比赛的所有局；请去掉 --leg",
    ),
    message(
        "--rounds, --speed and --size belong to --to gif; leave them out",
        "--rounds、--speed 和 --size 只用于 --to gif；请去掉",
    ),
    message(
        "a GIF is not for a terminal; add --output FILE.gif",
        "GIF 不能输出到终端；请加上 --output FILE.gif",
    ),
    message(
        "there is no round {}; the leg has the rounds {} to {}",
        "没有第 {} 回合；本局的回合是 {} 到 {}",
    ),
    message(
        "{} steps are too many for a GIF (at most {}); add --rounds",
        "{} 步对 GIF 来说太多（最多 {} 步）；请加上 --rounds",
    ),
    message("cannot write the GIF", "无法写入 GIF"),
    message(
        "there is no format {} here; there is: {}; {}",
        "没有格式 {}；可用的有：{}；{}",
    ),
    message("{} is of {}, not of {}", "{} 是 {} 的回放，不是 {} 的"),
    message(
        "the replay's setup cannot be used",
        "回放的开局数据无法使用",
    ),
    message("cannot use the terminal", "无法使用终端"),
    message("the terminal is gone", "终端已断开"),
    message("{}: no games in it", "{}：其中没有对局"),
    message("… and {} more that differ", "……另有 {} 处不一致"),
    // Series.
    message(
        "--precision {}: a number of Elo from 1 to 1000, such as 40",
        "--precision {}：应为 1 到 1000 的 Elo 数，例如 40",
    ),
    message(
        "--confidence {}: a share between 0.5 and 1, such as 0.95",
        "--confidence {}：应在 0.5 与 1 之间，例如 0.95",
    ),
    message(
        "which game? Add --game GAME, or `game = \"…\"` to the file (`leitai games` lists them)",
        "哪个游戏？请加上 --game GAME，或在文件中写 `game = \"…\"`（列表见 `leitai games`）",
    ),
    message(
        "a tournament has two or more entrants, not {}",
        "锦标赛至少需要两个参赛方，而不是 {} 个",
    ),
    message(
        "--processes {}: isolation {} needs one process for the sandbox itself; allow 2 or more",
        "--processes {}：隔离等级 {} 的沙箱自身需要一个进程；请至少允许 2 个",
    ),
    // Programs that are started anew every turn.
    message("cannot read the question", "无法读取询问"),
    message("cannot pass on the answer", "无法转发回答"),
    message("cannot wait for the program", "无法等待程序结束"),
    message("cannot read the program's answer", "无法读取程序的回答"),
    message(
        "the program printed nothing ({}); its first line is the move",
        "程序没有输出（{}）；输出的第一行是操作",
    ),
    message(
        "the program's first line has more than {} bytes",
        "程序输出的第一行超过 {} 字节",
    ),
    // An arena elsewhere.
    message(
        "neither a match nor a version was named",
        "没有指定比赛或版本",
    ),
    message("cannot read the token from stdin", "无法从标准输入读取令牌"),
    message("there is no token on stdin", "标准输入中没有令牌"),
    message("cannot read from the terminal", "无法从终端读取"),
    message(
        "{} is not a login; remove it and run `leitai login`",
        "{} 不是登录信息；请删除它并运行 `leitai login`",
    ),
    message(
        "{} is not an address of an arena; write for example https://arena.example.org",
        "{} 不是擂台的地址；地址形如 https://arena.example.org",
    ),
    message("the arena's answer has no list", "擂台的响应中没有列表"),
    message("the arena's answer has no {}", "擂台的响应中没有 {}"),
    message(
        "the arena's check has a step this version does not know",
        "擂台的检查中有此版本不认识的步骤",
    ),
    message(
        "the arena gave no session; is this a Leitai server?",
        "擂台没有返回会话；这是 Leitai 服务器吗？",
    ),
    message("the arena gave no token", "擂台没有返回令牌"),
    message(
        "the answer is not UTF-8; is this a Leitai server?",
        "响应不是 UTF-8；这是 Leitai 服务器吗？",
    ),
    message(
        "the answer is not JSON; is this a Leitai server?",
        "响应不是 JSON；这是 Leitai 服务器吗？",
    ),
    message("{} has no name in UTF-8", "{} 的名称不是 UTF-8"),
    message(
        "{} has {} bytes; an arena takes {} at most",
        "{} 有 {} 字节；擂台最多接受 {} 字节",
    ),
    message("{} holds no files", "{} 中没有文件"),
    message(
        "{} holds more than {} bytes; send only what the program needs",
        "{} 超过 {} 字节；请只上传程序需要的内容",
    ),
    message(
        "{} packed has {} bytes; an arena takes {} at most",
        "{} 打包后有 {} 字节；擂台最多接受 {} 字节",
    ),
    message(
        "{} is a link; put the file itself there",
        "{} 是链接；请放入文件本身",
    ),
    message(
        "{} holds more than {} files; send only what the program needs",
        "{} 中的文件超过 {} 个；请只上传程序需要的内容",
    ),
    // An arena of one's own.
    message(
        "cannot listen on {}; choose another address or port with --listen",
        "无法监听 {}；请用 --listen 换一个地址或端口",
    ),
    message("the server stopped unexpectedly", "服务器异常终止"),
    message("the server failed", "服务器出错"),
    message(
        "--ladder-config {}: write GAME:KEY=VALUE, such as tankcraft:fog=sdk",
        "--ladder-config {}：请写 GAME:KEY=VALUE，例如 tankcraft:fog=sdk",
    ),
    message(
        "this machine offers no sandbox for strangers' programs: uploads are not run here; \
        `leitai doctor` shows how to fix it",
        "本机没有可运行他人程序的沙箱：上传的程序不会在此运行；`leitai doctor` 会说明如何修复",
    ),
    message(
        "uploads run without isolation, as this user: only for people whom you trust",
        "上传的程序不加隔离地以当前用户身份运行：只适用于你信任的人",
    ),
    message(
        "stopping: running matches end or are handed back; a second signal does not wait",
        "正在停止：进行中的比赛会结束或交还；再次发出信号则不再等待",
    ),
    message(
        "there is no token; `leitai admin worker-token NAME` makes one",
        "没有令牌；`leitai admin worker-token NAME` 会创建一个",
    ),
    message(
        "{} is no address of a collector; it looks like http://collector:4318",
        "{} 不是收集器的地址；应形如 http://collector:4318",
    ),
    message(
        "OpenTelemetry cannot be set up ({}); look at the variables OTEL_…",
        "无法设置 OpenTelemetry（{}）；请检查 OTEL_… 变量",
    ),
    message(
        "LEITAI_LOG_FILTER is {}; it looks like \"info\" or \"leitai_server=debug,warn\"",
        "LEITAI_LOG_FILTER 是 {}；应形如 \"info\" 或 \"leitai_server=debug,warn\"",
    ),
    message("{} is not a path", "{} 不是路径"),
    message(
        "cannot make the folder {}; choose another with --data",
        "无法创建文件夹 {}；请用 --data 换一个",
    ),
    message(
        "--database: the address begins with sqlite: or postgres:, such as \
        postgres://leitai@localhost/leitai",
        "--database：地址应以 sqlite: 或 postgres: 开头，例如 postgres://leitai@localhost/leitai",
    ),
    message("choose a folder with --data", "请用 --data 指定文件夹"),
    message("cannot open the database {}", "无法打开数据库 {}"),
    message("cannot open {}", "无法打开 {}"),
    message(
        "no bot {} plays in contest {}; leitai contest status {} --json lists its entries",
        "没有名为 {} 的程序参加赛事 {}；leitai contest status {} --json 会列出参赛方",
    ),
    message(
        "contest {} would end without a result, and its unfinished matches would be cancelled; add --yes to annul it",
        "赛事 {} 将没有结果地结束，未完成的比赛将被取消；确认作废请加 --yes",
    ),
    message(
        "another `leitai dataset` writes to {}; wait for it, or choose another folder",
        "另一个 `leitai dataset` 正在写入 {}；请等它结束，或选择其他文件夹",
    ),
    message(
        "another `leitai serve` uses {}; stop it, or choose another folder with --data",
        "另一个 `leitai serve` 正在使用 {}；请停止它，或用 --data 换一个文件夹",
    ),
    message(
        "sources and replays are in {} and, of an older version, in {}: move what is in the \
        second into the first, and remove the second",
        "源代码与回放在 {} 中，而旧版本的在 {} 中：请把后者的内容移入前者，再删除后者",
    ),
    message(
        "cannot move {} to {}; move it yourself, or start with --replays file://{}",
        "无法将 {} 移到 {}；请自行移动，或以 --replays file://{} 启动",
    ),
    message("{} cannot be looked into ({})", "无法查看 {}（{}）"),
    message(
        "there is no arena: {}; name its folder with --data or LEITAI_DATA, its database with \
        --database or LEITAI_DATABASE, and run this as the user of its service (sudo -u leitai \
        leitai admin …)",
        "找不到擂台：{}；请用 --data 或 LEITAI_DATA 指定其文件夹，用 --database 或 \
        LEITAI_DATABASE 指定其数据库，并以服务所用的用户运行（sudo -u leitai leitai admin …）",
    ),
    message(
        "there is an arena in each of {}; choose one with --data",
        "{} 中各有一个擂台；请用 --data 选择其一",
    ),
    message(
        "the arena of {} keeps its database at {}",
        "{} 的擂台，数据库位于 {}",
    ),
    message("the generator writes UTF-8", "生成的内容不是 UTF-8"),
    message(
        "man pages are in {}; read one with: man {}/leitai.1\n",
        "手册页已写入 {}；阅读方法：man {}/leitai.1\n",
    ),
    message("the listener has an address", "监听地址未知"),
    message("the login lies in a folder", "无法确定登录信息所在的文件夹"),
    message("{} games, {} agree\n", "共 {} 个对局，{} 个一致\n"),
    message("line {}: {}", "第 {} 行：{}"),
    message("line {}", "第 {} 行"),
    message("not JSON: {}", "不是 JSON：{}"),
    message(
        "elo0 {} and elo1 {} must lie between -1000 and 1000",
        "elo0 {} 和 elo1 {} 应在 -1000 与 1000 之间",
    ),
    message(
        "elo1 {} must be greater than elo0 {} by 0.1 or more",
        "elo1 {} 必须比 elo0 {} 至少大 0.1",
    ),
    message(
        "alpha {} and beta {} must lie between 0 and 0.5",
        "alpha {} 和 beta {} 应在 0 与 0.5 之间",
    ),
    message("{} has none", "{} 中没有"),
    message(
        "--opt-out {} and --opt-in {} contradict each other; leave one of them out",
        "--opt-out {} 与 --opt-in {} 互相矛盾；请去掉其中一个",
    ),
    message(
        "you have no bot {}; your bots: {}",
        "你没有名为 {} 的程序；你的程序：{}",
    ),
    message(
        "you have no bot {} and no other; upload one with leitai submit",
        "你没有名为 {} 的程序，也没有其他程序；请用 leitai submit 上传",
    ),
    message(
        "you have a bot {} in several games; add --game with one of {}",
        "你在多个游戏中都有名为 {} 的程序；请用 --game 指定其一：{}",
    ),
    message(
        "you have no bot {} for {}; upload one with leitai submit",
        "你没有名为 {} 的 {} 程序；请用 leitai submit 上传",
    ),
    message(
        "`{}` is not KIND=DAYS; write, for example, ladder=30 or human=forever (kinds: \
        exhibition, ladder, friendly, human, contest)",
        "`{}` 不是 KIND=DAYS 的形式；可写 ladder=30 或 human=forever，类别为 \
        exhibition、ladder、friendly、human、contest",
    ),
    message(
        "`{}` is not a size; write, for example, 500MiB, 2GiB or unlimited",
        "`{}` 不是大小；可写 500MiB、2GiB 或 unlimited",
    ),
];

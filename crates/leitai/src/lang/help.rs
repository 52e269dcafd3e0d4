//! The help texts of commands and options, found by their English text.

use leitai_game::Text;
use leitai_game::lang::message;

/// Texts of commands, arguments and values.
pub const HELP: &[Text] = &[
    message(
        "Games of your own, as game files: check, pack, list. Wherever a game is named, the path of its folder or file will do",
        "自己的游戏（游戏文件）：检查、打包、列出。凡需要写游戏名之处，都可以写其文件夹或文件的路径",
    ),
    message(
        "Check a game file: every part, then its rules by random legs, damaged setups and its recorded matches",
        "检查游戏文件：先检查各组成部分，再用随机走法、损坏的开局和录制的比赛检查规则",
    ),
    message(
        "Pack a folder as one game file",
        "把文件夹打包为一个游戏文件",
    ),
    message("List the game files in a folder", "列出文件夹中的游戏文件"),
    message("The folder or the packed game", "文件夹或打包好的游戏"),
    message("Number of random legs", "随机局数"),
    message(
        "The rules list only some of the actions that they accept",
        "规则只列出部分可接受的操作",
    ),
    message("The folder", "文件夹"),
    message(
        "Write here instead of to ID.leitai-game; - means stdout",
        "写到此处，而不是 ID.leitai-game；- 表示标准输出",
    ),
    message(
        "The folder [default: that of LEITAI_GAMES]",
        "文件夹 [默认：LEITAI_GAMES 指定的文件夹]",
    ),
    message(
        "The folder or file of the replay's game, if Leitai does not have it",
        "回放所属游戏的文件夹或文件，用于 Leitai 不自带的游戏",
    ),
    message(
        "Manage groups of an arena, such as a class: members, teams, one-time passwords",
        "管理擂台服务器上的小组（例如班级）：成员、队伍、一次性密码",
    ),
    message(
        "List the groups that you belong to; for administrators all",
        "列出你所属的小组；管理员可看到全部",
    ),
    message(
        "Make a group, such as a class; for administrators",
        "新建小组，例如一个班级；仅限管理员",
    ),
    message(
        "Show the members of a group and their teams",
        "显示小组成员及其队伍",
    ),
    message(
        "Import a list of members from a CSV file, and write their one-time passwords",
        "从 CSV 文件导入成员名单，并写出一次性密码",
    ),
    message(
        "Print one JSON object per group",
        "每个小组输出一个 JSON 对象",
    ),
    message(
        "Print the group as one JSON object",
        "以一个 JSON 对象输出小组",
    ),
    message(
        "Show the quotas of a group for its members, or set some of them",
        "显示小组成员的配额，或设置其中几项",
    ),
    message(
        "Uploads of one member within an hour, or `none`",
        "每名成员每小时的上传次数，或 `none`",
    ),
    message(
        "Friendly matches that one member asks for within 24 hours, or `none`",
        "每名成员 24 小时内发起的友谊赛场数，或 `none`",
    ),
    message(
        "CPU seconds of these matches within 24 hours, or `none`",
        "这些比赛 24 小时内使用的 CPU 秒数，或 `none`",
    ),
    message(
        "Versions that one bot keeps, or `none`",
        "一个程序保留的版本数，或 `none`",
    ),
    message(
        "The largest upload, such as 64KiB, or `none`",
        "单次上传的最大大小，如 64KiB，或 `none`",
    ),
    message(
        "Languages that sources may have, with commas between them (c, cpp, java, javascript, python, rust, make, cmake, binary), or `none` for no limit",
        "源代码可用的语言，以逗号分隔（c、cpp、java、javascript、python、rust、make、cmake、binary），`none` 表示不限",
    ),
    message(
        "Whether quotas may go beyond the arena's; for administrators",
        "配额是否可以超过擂台的配额；仅限管理员",
    ),
    message(
        "Print the quotas as one JSON object",
        "以一个 JSON 对象输出配额",
    ),
    message(
        "Friendly matches that one account may ask for within 24 hours [default: no limit but that of `--limit matches`]",
        "一个账户 24 小时内可以发起的友谊赛场数 [默认：仅受 `--limit matches` 限制]",
    ),
    message(
        "CPU seconds of these matches [default: no limit]",
        "这些比赛使用的 CPU 秒数 [默认：不限]",
    ),
    message(
        "The largest upload, at most 16MiB",
        "单次上传的最大大小，不超过 16MiB",
    ),
    message(
        "Languages that uploads may have, with commas between them (c, cpp, java, javascript, python, rust, make, cmake, binary) [default: all]",
        "上传可用的语言，以逗号分隔（c、cpp、java、javascript、python、rust、make、cmake、binary）[默认：全部]",
    ),
    message("The group's name", "小组名称"),
    message("The group's number or name", "小组编号或名称"),
    message(
        "The most members of a team; 0: the group has no teams",
        "队伍人数上限；0 表示不分队",
    ),
    message(
        "The account of the first organiser [default: yours]",
        "首位组织者的账户 [默认：你的账户]",
    ),
    message(
        "The list; `-` reads it from stdin",
        "名单文件；`-` 表示从 stdin 读取",
    ),
    message("Only check the list", "只检查名单"),
    message(
        "Write names, teams and one-time passwords into this new file, readable by you alone [default: stdout]",
        "把姓名、队伍和一次性密码写入这个新文件，仅你可读 [默认：stdout]",
    ),
    message("Manage the groups that you organise", "管理你组织的小组"),
    message(
        "Run a contest with dates and stages: write and check its file, publish it, follow and correct it",
        "举办有日期和阶段的赛事：编写并检查文件、发布、跟踪与更正",
    ),
    message(
        "Write a commented contest file to start from",
        "写出带注释的赛事文件作为起点",
    ),
    message(
        "Check a contest file: every problem with its line, and how to cure it",
        "检查赛事文件：列出每个问题所在行和改法",
    ),
    message(
        "Publish a contest file in an arena; needs the token of an organiser",
        "在擂台发布赛事文件；需要组织者的令牌",
    ),
    message(
        "Show a contest of an arena: its state, entries and standings",
        "查看擂台上的赛事：状态、参赛方和排名",
    ),
    message(
        "Enter your bot in a contest of an arena",
        "用自己的程序报名擂台上的赛事",
    ),
    message("The contest's name", "赛事名称"),
    message("The name of your bot", "自己的程序的名称"),
    message("The contest's code, if it has one", "赛事口令（如果有）"),
    message(
        "The contest's name in addresses: lowercase letters, digits and hyphens. The file is NAME.toml",
        "赛事在网址中的名称：小写字母、数字和连字符。文件名为 NAME.toml",
    ),
    message("The contest's file", "赛事文件"),
    message(
        "Estimate matches, hours and the chance that the best entrant wins",
        "估算比赛场数、时间以及最强者夺冠的概率",
    ),
    message(
        "Number of entrants in the dry run [default: 16, or as many as the contest takes]",
        "估算时的参赛方数量 [默认：16，赛事人数更少时取其上限]",
    ),
    message(
        "Matches that are played at a time [default: the processor cores of this machine]",
        "同时进行的比赛数 [默认：本机处理器核数]",
    ),
    message(
        "How long a match takes [default: measured]",
        "一场比赛的时长 [默认：实测]",
    ),
    message(
        "How far the entrants' strengths are apart: their standard deviation in Elo",
        "参赛方实力的差距：以 Elo 计的标准差",
    ),
    message(
        "Say why a match was lost: what every decision was worth, and when it was decided",
        "复盘：每一手值多少，比赛在何处定了胜负",
    ),
    message(
        "Replays, or folders of replays",
        "回放文件，或存放回放的文件夹",
    ),
    message(
        "Only the decisions of this entrant: A, B or a name",
        "只看此参赛方的决策：A、B 或名称",
    ),
    message(
        "Nodes that are searched for every decision [default: the game's own number]",
        "每次决策搜索的节点数 [默认：由游戏决定]",
    ),
    message(
        "List every decision instead of the digest",
        "列出每次决策，而不是摘要",
    ),
    message(
        "An arena for game-playing programs: exact rules, fair clocks, replays that anyone can \
        verify",
        "让程序对战的擂台：规则精确、计时公平，回放人人可验证",
    ),
    message(
        "Language of messages; from LC_ALL, LC_MESSAGES or LANG by default",
        "界面语言；默认取自 LC_ALL、LC_MESSAGES 或 LANG",
    ),
    message("English", "英文"),
    message("List the games", "列出所有游戏"),
    message(
        "List a game's built-in bots, and the protocols that programs may use",
        "列出某个游戏的内置 Bot，以及可用的协议",
    ),
    message(
        "Write a bot to start from: a complete program that plays as it is",
        "生成一个可直接参赛的入门程序",
    ),
    message(
        "The language: python, cpp or java, where the game has it [default: the game's first]",
        "语言：python、cpp 或 java，以该游戏提供的为准 [默认：该游戏的第一个]",
    ),
    message(
        "Write it into this folder, which is created if it does not exist [default: GAME-bot]",
        "写入此文件夹，不存在时创建 [默认：GAME-bot]",
    ),
    message(
        "Play a match between two entrants",
        "让两个参赛方打一场比赛",
    ),
    message(
        "Check a program before you submit it, step by step, with advice for every step that fails",
        "提交之前检查程序：逐项进行，未通过时给出处理建议",
    ),
    message(
        "Play in the terminal, against a bot or another person",
        "在终端中亲自对战 Bot 或另一个人",
    ),
    message(
        "Test whether a new version is better than the old one, with as many pairs of \
        games as it takes",
        "检验新版本是否强于旧版本：成对比赛，直到得出结论",
    ),
    message(
        "Play a tournament: round robin, gauntlet, Swiss, single or double elimination",
        "举办锦标赛：循环赛、挑战赛、瑞士制、单败或双败淘汰",
    ),
    message(
        "Rank the bots in a folder: play the most informative games until the order is settled",
        "为文件夹中的程序排名：优先进行信息量最大的比赛，直到名次确定",
    ),
    message(
        "Pin positions in which a bot made a mistake, and test whether later versions repeat it",
        "固定程序失误的局面，检查后续版本是否重犯",
    ),
    message(
        "Start a bot under the debugger of its language, at a moment of a recorded match",
        "在比赛回放的某一时刻，用对应语言的调试器启动程序",
    ),
    message(
        "The program: an executable, a source file, a folder or a zip",
        "程序：可执行文件、源文件、文件夹或 zip",
    ),
    message(
        "The debugger takes over when the bot is asked in this round",
        "程序在此回合被询问时由调试器接管",
    ),
    message(
        "Whose place the program takes: A, B or a name [default: the program's own name, the only program, or who lost the leg]",
        "程序代替哪一方：A、B 或名称 [默认：同名的一方、唯一的程序或本局的败方]",
    ),
    message(
        "Start no debugger: print how to attach one, and wait until Enter is pressed",
        "不启动调试器：显示连接方法，并等待按下回车键",
    ),
    message(
        "Sit down in the middle of a replay: the recorded replies are played up to this round, then you and your opponent play. Your seat is A, or B with --second",
        "从回放的中途接手：此回合之前按回放进行，之后由你和对手继续。你是 A 方，加 --second 则是 B 方",
    ),
    message("Watch, verify and convert replays", "观看、验证和转换回放"),
    message(
        "Run an arena: pages, API, ladders and a worker, at http://localhost:8080",
        "运行擂台服务：网页、API、天梯和工作进程，地址 http://localhost:8080",
    ),
    message(
        "Play matches for an arena on another machine",
        "为另一台机器上的擂台执行比赛",
    ),
    message(
        "Manage accounts, tokens and backups of an arena on this machine",
        "管理本机擂台的账户、令牌和备份",
    ),
    message(
        "Replace the file of a published contest, for example with later dates; needs the token of an organiser, as do all commands below",
        "替换已发布赛事的文件，例如推迟日期；与以下各命令一样，需要组织者的令牌",
    ),
    message(
        "Pause a contest: running matches end, and nothing else begins",
        "暂停赛事：正在进行的比赛打完，不再开始新的比赛",
    ),
    message("Resume a paused contest", "恢复已暂停的赛事"),
    message(
        "Disqualify an entrant: its opponents win what it has not played",
        "取消参赛资格：未打的比赛判对手胜",
    ),
    message(
        "Play a match of a contest again: the old result stays visible and no longer counts",
        "重赛一场比赛：原结果仍可看到，但不再计入",
    ),
    message(
        "Take the last stage that has begun back: it begins anew",
        "撤回最后开始的阶段：该阶段重新开始",
    ),
    message("End a contest without a result", "作废赛事，不产生结果"),
    message(
        "Fetch everything about a contest as one ZIP: standings, matches, replays, a report",
        "把赛事的全部资料下载为一个 ZIP：排名、比赛、回放和报告",
    ),
    message(
        "The reason, which everybody reads on the contest's page",
        "理由，会显示在赛事页面上",
    ),
    message("The number of the match", "比赛编号"),
    message("The name of the bot", "程序的名称"),
    message(
        "The number of the stage, from 1; it must be the last that has begun",
        "阶段的序号，从 1 开始；必须是最后开始的阶段",
    ),
    message(
        "Annul it; without this option, only say what would happen",
        "确认作废；不加此选项时只说明后果",
    ),
    message(
        "The file to be written [default: NAME.zip]",
        "输出文件 [默认：NAME.zip]",
    ),
    message(
        "Write the finished matches of an arena on this machine to a folder, one file a day, for research",
        "把本机擂台已结束的比赛写入文件夹，每天一个文件，供研究使用",
    ),
    message(
        "Where the archives are; it is created. Days that are there are not written again",
        "存放压缩包的文件夹，不存在时自动创建；已有的日期不再写入",
    ),
    message(
        "Only this game; the same for all runs on one folder",
        "只写这个游戏；同一文件夹的每次运行须相同",
    ),
    message(
        "Write every day again, for example after an account was deleted",
        "重新写入所有日期，例如在账户被删除之后",
    ),
    message(
        "Also write the present day (UTC); the next run writes it again",
        "同时写入当天（UTC）；下次运行时重新写入",
    ),
    message(
        "Print the index of all days as JSON",
        "以 JSON 输出所有日期的索引",
    ),
    message(
        "Log in to an arena; later commands use this account",
        "登录擂台：之后的命令都以此账户执行",
    ),
    message(
        "Upload a program to an arena, and follow its build and checks",
        "向擂台上传程序，并跟踪其构建与检查",
    ),
    message(
        "Show the place of your bot on each ladder of its game, or opt it out of a further one",
        "显示你的程序在所属游戏各天梯上的名次，或让它退出标准天梯以外的天梯",
    ),
    message(
        "The bot's game; needed if you have bots of this name in several games",
        "程序所属的游戏；在多个游戏中有同名程序时需要指定",
    ),
    message(
        "Take the bot off this further ladder; may be repeated",
        "让程序退出此天梯（标准天梯除外）；可重复",
    ),
    message(
        "Put the bot back on this further ladder, with the rating that it had; may be repeated",
        "让程序重新参加此天梯（标准天梯除外），评分保留；可重复",
    ),
    message(
        "Print the bot as one JSON object, and nothing else on stdout",
        "以一个 JSON 对象输出程序；标准输出上没有其他内容",
    ),
    message(
        "Show the tags of a match of an arena, or replace them",
        "显示擂台上一场比赛的标签，或替换它们",
    ),
    message(
        "The tags that the match has from now on, in place of those before",
        "比赛此后的标签，取代原有标签",
    ),
    message("Take all tags away", "移除全部标签"),
    message(
        "Print the tags as one JSON object, and nothing else on stdout",
        "以一个 JSON 对象输出标签；标准输出上没有其他内容",
    ),
    message("List matches of an arena", "列出擂台上的比赛"),
    message(
        "Print what your bot wrote to stderr in a match of an arena",
        "显示你的程序在擂台某场比赛中写到 stderr 的内容",
    ),
    message(
        "Fetch a match's replay, or a version's source, from an arena",
        "从擂台下载比赛的回放，或某个版本的源代码",
    ),
    message(
        "Show how this machine isolates programs, what is missing, and how to fix it",
        "显示本机如何隔离程序、缺少什么以及如何修复",
    ),
    message(
        "Compare the engine with a corpus of recorded games",
        "用已有的对局记录核对引擎",
    ),
    message(
        "Wrap a program that is started anew for every turn",
        "包装每回合重新启动的程序",
    ),
    message("Print completions for a shell", "输出 shell 的补全脚本"),
    message("Write the man pages", "生成 man 手册页"),
    message(
        "The game's id (see `leitai games`)",
        "游戏的 id（见 `leitai games`）",
    ),
    message(
        "Entrant A, who sits first in leg 1: a built-in bot, an executable, a source file, a \
        folder or a zip",
        "参赛方 A，第 1 局先手：内置 Bot、可执行文件、源文件、文件夹或 zip",
    ),
    message("Entrant B", "参赛方 B"),
    message(
        "Continue one leg of a replay: the recorded replies are played up to this round, \
        then the entrants play. Programs are asked from the start of the leg; the first \
        answer that differs from the record is shown",
        "从回放的某一局接着下：先按记录进行到该回合，之后由参赛方继续。程序从开局起就会被询问；\
        第一个与记录不同的应答会显示出来",
    ),
    message(
        "Write the replay here [default: matches/DATE-GAME-SEED.json]; - means stdout, \
        and the result then goes to stderr",
        "回放写到此处 [默认：matches/DATE-GAME-SEED.json]；- 表示标准输出，此时结果显示在 stderr",
    ),
    message("Do not write a replay", "不写回放"),
    message(
        "Print the result as one JSON object (docs/command-line.md), and nothing else on stdout",
        "以一个 JSON 对象输出结果（见 docs/command-line.zh.md），标准输出不含其他内容",
    ),
    message(
        "Seed of the first match; later matches use the numbers that follow [default: 1]",
        "第一场的种子，之后各场依次加一 [默认：1]",
    ),
    message(
        "Seed of all random choices [default: 1]",
        "决定全部随机内容的种子 [默认：1]",
    ),
    message(
        "The program: an executable, a source file, a folder or a zip",
        "程序：可执行文件、源文件、文件夹或 zip",
    ),
    message(
        "Print the findings as one JSON object (docs/checking-a-bot.md), and nothing else on \
        stdout",
        "以一个 JSON 对象输出检查结果（见 docs/checking-a-bot.zh.md），标准输出不含其他内容",
    ),
    message(
        "Seed of all random choices [default: random, and printed]",
        "决定全部随机内容的种子 [默认：随机抽取并显示]",
    ),
    message(
        "Number of legs; seats are swapped after each [default: set by the game]",
        "局数，每局之后交换座位 [默认：由游戏决定]",
    ),
    message(
        "CPU time per turn, such as 500ms or 3s [default: set by the game]. A turn may \
        take twice that in wall time, and at least one second more",
        "每回合的 CPU 时间，例如 500ms 或 3s [默认：由游戏决定]。墙钟时间可达两倍，并至少多一秒",
    ),
    message(
        "Extra time for a program's first turn of every leg, in which it starts",
        "每局首回合额外增加的启动时间",
    ),
    message(
        "Time for all turns of a program in a match together, measured like a turn's \
        [default: none]",
        "程序整场所有回合合计的时间，计法与单回合相同 [默认：无]",
    ),
    message(
        "How long a program may wait rather than compute in a match, or in a check, such as 30s: \
        by sleeping, for example. What the machine withholds from it does not count [default: as \
        long as its turns allow]",
        "程序在一场比赛（或一次检查）中最多可以空等多久（没有计算，例如休眠），如 30s。被机器耽误的时间\
        不计 [默认：只受回合时限约束]",
    ),
    message(
        "Let programs keep running while the opponent thinks. Otherwise, and always on a \
        single core, they are paused",
        "对手思考时让程序继续运行。不加此选项或只有一个核心时，程序此时会被暂停",
    ),
    message(
        "Threads on which a built-in bot that takes its time, such as champion, may search. Its \
        time is that of one of them",
        "用足时间思考的内置 Bot（如 champion）可同时搜索的线程数；用时按其中一个线程计",
    ),
    message(
        "Memory limit of a program, all its processes and temporary files together, such as 512MiB or \
        2GiB",
        "程序的内存上限，所有进程与临时文件合计，例如 512MiB 或 2GiB",
    ),
    message(
        "Processes and threads that a program may have at a time",
        "程序同时存在的进程和线程数",
    ),
    message(
        "Open files of each process of a program",
        "程序每个进程可打开的文件数",
    ),
    message(
        "The largest file that a program may write",
        "程序可写的单个文件大小上限",
    ),
    message(
        "Total size of a program's temporary files",
        "程序临时文件的总大小上限",
    ),
    message(
        "Longest message that a program may send, such as 4KiB [default: set by the game]",
        "程序单条消息的长度上限，例如 4KiB [默认：由游戏决定]",
    ),
    message(
        "How much of a program's stderr is kept per leg: half from its beginning, half \
        from its end",
        "每局保留程序 stderr 的大小：开头和结尾各一半",
    ),
    message(
        "CPU time for building a program; it may take four times that in wall time",
        "构建程序的 CPU 时间上限。墙钟时间可达四倍",
    ),
    message(
        "A setting of the game, such as max_round=100 or map=FILE; a value may be JSON or \
        a file's path (also @FILE). A map of King of Bots: its 182 digits, or 13 lines \
        of 14",
        "游戏的选项，例如 max_round=100 或 map=FILE；值可以是 JSON 或文件路径（也可写 \
        @FILE）。King of Bots 的地图：182 个数字，或 13 行、每行 14 个",
    ),
    message("How to communicate with programs", "与程序通信的方式"),
    message(
        "How programs are isolated from this machine; see `leitai doctor`",
        "程序与本机的隔离方式；见 `leitai doctor`",
    ),
    message("Over stdin and stdout", "通过 stdin 和 stdout"),
    message(
        "Over TCP: programs are started with the arguments HOST PORT",
        "通过 TCP：以参数 HOST PORT 启动程序",
    ),
    message(
        "Measure how strong a bot is, on the scale of the game's levels",
        "以该游戏的各级别为标尺，测定一个 Bot 的强弱",
    ),
    message(
        "The bot: a built-in bot, an executable, a source file, a folder or a zip",
        "Bot：内置 Bot、可执行文件、源文件、文件夹或 zip",
    ),
    message(
        "Stop when the rating is known to within this many Elo (95 % confidence)",
        "评分精确到此 Elo 数以内时停止（95 % 置信度）",
    ),
    message(
        "Stop after this many pairs of games, however precise the rating is",
        "无论评分多精确，达到此对数后停止",
    ),
    message(
        "The new version: a built-in bot, an executable, a source file, a folder or a zip",
        "新版本：内置 Bot、可执行文件、源文件、文件夹或 zip",
    ),
    message("The version to beat", "要超过的版本"),
    message(
        "\"No progress\": the new version is at most this many Elo stronger",
        "“没有进步”：新版本强出的 Elo 不超过此值",
    ),
    message(
        "\"Progress\": the new version is at least this many Elo stronger",
        "“有进步”：新版本强出的 Elo 不低于此值",
    ),
    message(
        "Probability of accepting a version that is no progress",
        "误判没有进步为有进步的概率",
    ),
    message(
        "Probability of rejecting a version that is progress",
        "误判有进步为没有进步的概率",
    ),
    message(
        "Stop without a decision after this many pairs of games",
        "达到此对数仍无结论时停止",
    ),
    message(
        "Keep the games and their replays in this folder; if it exists already, continue from it",
        "把对局和回放保存在此文件夹；文件夹已存在时接着进行",
    ),
    message(
        "Print the result as one JSON object (docs/evaluating-a-bot.md), and nothing else on \
        stdout",
        "以一个 JSON 对象输出结果（见 docs/evaluating-a-bot.zh.md），标准输出不含其他内容",
    ),
    message(
        "The format [default: round-robin]",
        "赛制 [默认：round-robin]",
    ),
    message(
        "How many times each pair meets, or the number of Swiss rounds [default: 1; \
        Swiss: one more than a knockout would need]",
        "循环次数，或瑞士制的轮数 [默认：1；瑞士制为淘汰赛轮数加一]",
    ),
    message(
        "Number of entrants that play against all others in a gauntlet [default: 1]",
        "擂主的数目 [默认：1]",
    ),
    message(
        "Matches per encounter; seats are swapped within a match, from leg to leg [default: 1]",
        "每次相遇的比赛场数；座位在一场之内逐局交换 [默认：1]",
    ),
    message(
        "Where matches, replays and reports are kept; the same command continues from there \
        [default: tournaments/NAME]",
        "保存比赛、回放和报告的文件夹；再次运行同一命令会接着进行 [默认：tournaments/NAME]",
    ),
    message("What Elo is about", "Elo 所指"),
    message(
        "The points of legs; a draw is half a point",
        "每局的得分；平局算半分",
    ),
    message(
        "Matches, or pairs of legs: who took more of one has won it",
        "每场比赛或每对对局：得分多者胜一场",
    ),
    message("What to print", "输出什么"),
    message(
        "The folder with the bots: every executable, source file, zip and subfolder in it is one",
        "程序所在的文件夹：其中每个可执行文件、源文件、zip 和子文件夹各为一个程序",
    ),
    message(
        "Further entrants: built-in bots, or programs outside the folder",
        "另外参赛的内置 Bot 或文件夹之外的程序",
    ),
    message(
        "Play until the whole order is settled with this confidence",
        "一直比赛，直到以此置信度确定全部名次",
    ),
    message(
        "Treat neighbours as equal once they are surely less than this many Elo apart",
        "相邻两者的差距确定小于此 Elo 时视为并列",
    ),
    message(
        "Stop after this many matches in this run",
        "本次运行的比赛场数上限",
    ),
    message(
        "Print the ladder as one JSON object, and nothing else on stdout",
        "以一个 JSON 对象输出天梯，标准输出不含其他内容",
    ),
    message(
        "Pin the position before the round of a replay in which the mistake was made",
        "固定回放中失误那一回合之前的局面",
    ),
    message(
        "Test a bot in every pinned position",
        "在所有固定局面中检验程序",
    ),
    message("List the pinned positions", "列出固定局面"),
    message("The replay", "回放文件"),
    message("Why it was a mistake", "为什么是失误"),
    message("The round in which it was made", "失误所在的回合"),
    message("The leg, if the replay has several", "有多局时指定哪一局"),
    message(
        "Whose mistake: A, B or a name [default: the only program, or who lost the leg]",
        "谁的失误：A、B 或名称 [默认：唯一的程序，或输掉这一局的一方]",
    ),
    message("The folder of the pinned positions", "保存固定局面的文件夹"),
    message(
        "The bot: a built-in bot, an executable, a source file, a folder or a zip",
        "程序：内置 Bot、可执行文件、源文件、文件夹或 zip",
    ),
    message(
        "Print one JSON object, and nothing else on stdout",
        "输出一个 JSON 对象，标准输出不含其他内容",
    ),
    message("Everyone meets everyone", "两两相遇"),
    message(
        "The first entrants meet all others",
        "排在最前的擂主与其他所有参赛方对战",
    ),
    message(
        "Entrants with about the same points meet; no pair meets twice",
        "积分相近者相遇，不重复",
    ),
    message("Whoever loses is out", "单败淘汰"),
    message("Whoever loses twice is out", "双败淘汰"),
    message("Standings and crosstable", "名次表和交叉表"),
    message(
        "One JSON object with everything",
        "包含全部内容的一个 JSON 对象",
    ),
    message("The standings as CSV", "CSV 格式的名次表"),
    message(
        "Matches played at a time [default: the number of cores; with --on: what the workers can \
        play]",
        "同时进行的比赛数 [默认：CPU 核心数；使用 --on 时由工作进程的数量决定]",
    ),
    message(
        "Play on the workers that are attached to this bus (nats://HOST:PORT; several addresses \
        with commas) with `leitai worker --bus`. Programs run with each worker's own isolation",
        "在以 `leitai worker --bus` 接入此总线的工作进程上进行比赛（nats://主机:端口；多个地址以逗号分隔）。程序按各工作进程自己的方式隔离",
    ),
    message(
        "Play for `leitai compare`, `rate`, `tournament` and `ladder` with --on instead of for an \
        arena: the address of their bus, nats://HOST:PORT, with USER:PASSWORD@ before the host if \
        it asks for them",
        "不为擂台服务器，而为带 --on 的 `leitai compare`、`rate`、`tournament` 与 `ladder` 比赛：其总线地址 nats://主机:端口，需要时在主机前加 \
        用户:密码@",
    ),
    message(
        "The most memory that somebody who plays over --bus may give to a program",
        "通过 --bus 比赛的人最多可以给一个程序的内存",
    ),
    message(
        "Whom to play: a built-in bot, a program as in `match`, or `me` for a second person at \
        the same keyboard [default: greedy, or the game's second built-in bot]",
        "对手：内置 Bot、与 `match` 相同写法的程序，或用 `me` 表示同一键盘上的另一个人 [默\
        认：greedy，或该游戏的第二个内置 Bot]",
    ),
    message("Sit second in leg 1", "第 1 局执后手"),
    message(
        "Write the replay here [default: matches/DATE-GAME-SEED.json]",
        "回放写到此处 [默认：matches/DATE-GAME-SEED.json]",
    ),
    message(
        "Watch a replay in the terminal: play, pause, step, seek, speed. Replays of other sites \
        are imported",
        "在终端中观看回放：播放、暂停、单步、跳转、调速。其他网站的回放会自动导入",
    ),
    message(
        "Play replays again and compare every reply, state hash, outcome and verdict",
        "按规则重新推演回放，核对每个应答、状态哈希、结果和胜负",
    ),
    message(
        "Write one leg in another site's format, as a moving picture, or the match as a page",
        "把一局写成其他网站的格式或动图，或把整场比赛写成网页",
    ),
    message("Read another site's replay", "读取其他网站的回放"),
    message(
        "Print the canonical state text after every turn",
        "输出每个回合之后的规范状态文本",
    ),
    message(
        "Print what a viewer draws, one JSON object per step: the view or its changes, and the \
        events",
        "输出播放器绘制的内容，每步一个 JSON 对象：所见、变化和事件",
    ),
    message("The leg", "第几局"),
    message(
        "The perspective: under fog a seat does not see everything",
        "以谁的视角：有迷雾时一方看不到全部",
    ),
    message("Everything", "全部"),
    message("What the first seat may know", "先手可知的内容"),
    message("What the second seat may know", "后手可知的内容"),
    message("Begin with this leg", "从这一局开始"),
    message("Begin with this round", "从这一回合开始"),
    message("The replays", "回放文件"),
    message(
        "The arena that has to have signed them; its published keys are asked for",
        "必须由该擂台签名；会查询它公布的密钥",
    ),
    message(
        "The published keys of the arena that has to have signed them, as a file: the answer of `/api/signing-keys`",
        "必须由其签名的擂台所公布的密钥，以文件给出：`/api/signing-keys` 的应答",
    ),
    message(
        "The format: `html` (one file with viewer and engine, which opens without a server), \
        `gif` (a moving picture of a leg), `official` (SnakeGo's replay.json), `record` (King of \
        Bots)",
        "格式：`html`（含播放器和引擎的单个文件，无需服务器即可打开）、`gif`（一局的动图）、\
        `official`（贪吃蛇围棋的 replay.json）、`record`（King of Bots）",
    ),
    message(
        "The rounds of a `gif`: 30-60, 30- or 30 [default: all]",
        "`gif` 的回合范围：30-60、30- 或 30 [默认：全部]",
    ),
    message(
        "Steps a second of a `gif` [default: 4]",
        "`gif` 每秒播放的步数 [默认：4]",
    ),
    message(
        "Pixels of a `gif`: the longer side of its board [default: 480]",
        "`gif` 的像素：棋盘较长一边 [默认：480]",
    ),
    message(
        "Write here instead of to stdout; - means stdout",
        "写到此处而不是标准输出；- 也表示标准输出",
    ),
    message("The replay of the other site", "其他网站的回放"),
    message(
        "The format: `official` (SnakeGo's replay.json), `record` (King of Bots, also as the \
        sites' HTTP answers have it) [default: the one that fits]",
        "格式：`official`（贪吃蛇围棋的 replay.json）、`record`（King of Bots，也可以是网站 HTTP \
        响应中的形式）[默认：自动识别]",
    ),
    message(
        "The game's id, if several games know the format",
        "有多个游戏使用此格式时，指定游戏的 id",
    ),
    message("Only this leg", "只输出这一局"),
    message("Corpus files", "语料文件"),
    message(
        "Each line of stdin is written here before the program is started",
        "启动程序之前，把 stdin 的每一行写到此处",
    ),
    message("The program and its arguments", "程序及其参数"),
    message("The shell", "shell 的名称"),
    message(
        "The folder to write leitai.1, leitai-match.1, … to",
        "写入 leitai.1、leitai-match.1 等文件的文件夹",
    ),
    message(
        "The address that users open, such as `https://arena.example.org`; with https, \
         cookies are sent over https only",
        "用户访问的网址，例如 `https://arena.example.org`；使用 https 时 cookie 只经 https 发送",
    ),
    message(
        "How uploaded programs are isolated from this machine; without a tier for \
        strangers' programs they are not run",
        "上传的程序与本机的隔离方式",
    ),
    message(
        "Take clients' addresses from X-Forwarded-For; only behind a proxy that sets it",
        "从 X-Forwarded-For 取得用户的网络地址：仅在会设置它的代理之后使用",
    ),
    message(
        "The SMTP server for mail, such as `smtps://USER:PASSWORD@HOST`; needs --mail-from and \
         --public-url [default: none, no mail is sent]",
        "发送邮件的 SMTP 服务器，例如 `smtps://用户:密码@主机`；需要 --mail-from 和 --public-url [默认：无，不发送邮件]",
    ),
    message(
        "The sender of mail, such as `Leitai <arena@example.org>`",
        "邮件的发件人，例如 `Leitai <arena@example.org>`",
    ),
    message(
        "The file of OpenID Connect providers that people sign in with; needs --public-url \
         [default: none, people have passwords]",
        "登录所用的 OpenID Connect 提供方的配置文件；需要 --public-url [默认：无，使用密码登录]",
    ),
    message(
        "Let webhooks point to private addresses too, such as machines of this network",
        "允许 webhook 指向内网地址，例如本网络中的机器",
    ),
    message(
        "Closed: only the first account can be opened; `leitai admin add-user` adds others",
        "关闭注册：只能开通首个账户，其余用 `leitai admin add-user` 添加",
    ),
    message(
        "Of whom a second factor is required. `required`: of administrators and organisers, who have \
         no rights as such before they set one up",
        "要求谁开启两步验证。`required`：管理员和组织者，未设置前不具备相应权限",
    ),
    message(
        "Of nobody; everybody may have one",
        "不要求任何人；人人可用",
    ),
    message("Of administrators and organisers", "管理员和组织者"),
    message(
        "A config that a standard ladder plays instead of the game's default, such as \
        `tankcraft:fog=sdk`; may be repeated",
        "标准天梯使用的游戏配置（替代默认配置），例如 `tankcraft:fog=sdk`；可重复给出",
    ),
    message(
        "The file of further ladders, each with its own config, maps and ratings [default: none, \
        every game has its standard ladder]",
        "其他天梯的文件，各有自己的配置、地图与评分 [默认：无，每个游戏只有标准天梯]",
    ),
    message(
        "Database, sources and replays [default: ~/.local/share/leitai]",
        "数据库、源代码和回放所在的文件夹 [默认：~/.local/share/leitai]",
    ),
    message(
        "`postgres://USER:PASSWORD@HOST/NAME` or `sqlite:FILE` [default: SQLite in the data \
        folder]",
        "`postgres://USER:PASSWORD@HOST/NAME` 或 `sqlite:FILE` [默认：数据文件夹中的 SQLite]",
    ),
    message(
        "Where sources and replays are stored: `file:///FOLDER`, or `s3://BUCKET/PREFIX` [default: the \
        data folder]",
        "源代码和回放的位置：`file:///FOLDER` 或 `s3://BUCKET/PREFIX` [默认：数据文件夹]",
    ),
    message(
        "Format of the log, one line per event; LEITAI_LOG_FILTER=debug logs more",
        "日志每个事件一行，供人或供程序阅读；LEITAI_LOG_FILTER=debug 输出更多",
    ),
    message(
        "Send traces and metrics to this collector of OpenTelemetry (OTLP over HTTP)",
        "把链路追踪与指标发送到这个 OpenTelemetry 收集器（OTLP over HTTP）",
    ),
    message("For people", "供人阅读"),
    message("One JSON object per line", "每行一个 JSON 对象"),
    message(
        "The arena's address; of an arena with several servers those of all, separated by commas: \
         when one does not answer, the worker goes on with its matches at the next",
        "擂台的地址；擂台有多台服务器时，以逗号分隔写出全部地址：某一台没有响应时，工作进程会在下一台继续手头的比赛",
    ),
    message(
        "The worker's token; set it in the environment rather than on the command line, \
        where others can read it",
        "工作进程令牌；最好放在环境变量中，命令行可能被他人看到",
    ),
    message(
        "The name that the arena shows for it [default: the machine's]",
        "显示的名称 [默认：机器名]",
    ),
    message(
        "Matches played at a time [default: cores - 1, at least 1]",
        "同时进行的比赛数 [默认：核心数减 1，至少为 1]",
    ),
    message(
        "How uploaded programs are isolated from this machine",
        "上传的程序与本机的隔离方式",
    ),
    message(
        "Add an account, and print its first password",
        "添加账户并显示初始密码",
    ),
    message("Its name", "名称"),
    message("Make an account an administrator's", "把账户设为管理员"),
    message(
        "Give an account a new password, print it, and end all its sessions",
        "为账户设置新密码并显示，同时结束其所有会话",
    ),
    message(
        "Remove the second factor of an account whose holder has lost it, with its recovery codes, \
         and end all its sessions",
        "为丢失验证器的账户移除两步验证及其恢复码，并结束其所有会话",
    ),
    message(
        "Make a token for a worker, and print it as a line for an environment file",
        "创建工作进程令牌，以环境变量文件的一行输出",
    ),
    message("The worker's name", "工作进程的名称"),
    message(
        "Recompute a game's ladders from their matches",
        "根据比赛重新计算某个游戏的各个天梯",
    ),
    message(
        "Show how far the recount of old matches without copies of games is",
        "显示旧比赛去除重复局后重新计算的进度",
    ),
    message(
        "Do the rest now, as fast as this machine can, beside a running server or without one",
        "立即以本机最快速度完成其余部分，服务器是否在运行均可",
    ),
    message("The game's id", "游戏的 id"),
    message(
        "Correct the result of a finished match; the old result stays on record, and the \
        ratings are recomputed",
        "更正已结束比赛的结果；原结果保留在记录中，评分随之重新计算",
    ),
    message("The match's number", "比赛编号"),
    message(
        "Who won; `void` withdraws the result, so that the match can be played again for the \
        ladder",
        "谁获胜；`void` 撤回结果，使该比赛可为天梯重赛",
    ),
    message("The entrant named first won", "排在前面的参赛方获胜"),
    message("The other won", "另一方获胜"),
    message("Neither won", "平局"),
    message("The match counts for nobody", "不计分"),
    message(
        "The reason, shown to everybody on the match's page",
        "理由，会公开显示在比赛页面上",
    ),
    message(
        "Play a finished match again; it counts for the ladder only if its result was \
        withdrawn or it was void",
        "重赛一场已结束的比赛；只有结果被撤回或比赛无效时才计入天梯",
    ),
    message(
        "List the jobs that are set aside because they stopped their worker again and again",
        "列出因一再使工作进程停止响应而被搁置的任务",
    ),
    message(
        "Queue a job again that is set aside",
        "将被搁置的任务重新排队",
    ),
    message("The job's number", "任务编号"),
    message(
        "List the keys with which the arena signs replays, newest first",
        "列出擂台为回放签名的密钥，最新的在前",
    ),
    message(
        "Sign replays with a new key from now on; what is signed stays valid",
        "从现在起用新密钥为回放签名；已有的签名仍然有效",
    ),
    message(
        "Withdraw a key that somebody else may have: nothing that it signed is trusted any more. The next replay is signed with a new one",
        "吊销别人可能拿到的密钥：它签过的一切都不再可信，下一个回放会用新密钥签名",
    ),
    message(
        "The public key, as `signing-keys` prints it",
        "公钥，即 `signing-keys` 输出的内容",
    ),
    message(
        "The reason, shown to everybody who verifies",
        "原因，所有验证者都能看到",
    ),
    message(
        "Write a copy of the SQLite database while the arena runs",
        "在擂台运行时备份 SQLite 数据库",
    ),
    message("The new file", "新文件"),
    message(
        "Check the health of a running arena; the exit status is 0 if it is healthy",
        "检查运行中的擂台是否正常；正常时退出状态为 0",
    ),
    message(
        "Its address [default: where the server of the data folder listens, else the port of LEITAI_LISTEN, else http://localhost:8080]",
        "地址 [默认：数据文件夹的服务器监听之处，其次 LEITAI_LISTEN 的端口，再次 http://localhost:8080]",
    ),
    message(
        "The arena's address [default: http://localhost:8080]",
        "擂台的地址 [默认：http://localhost:8080]",
    ),
    message(
        "The account's name; you are prompted if it is not given",
        "账户名称；未给出时会询问",
    ),
    message(
        "An API token instead of a password; `-` reads it from stdin",
        "用 API 令牌代替密码；`-` 表示从标准输入读取",
    ),
    message("A source file, a zip, or a folder", "源文件、zip 或文件夹"),
    message(
        "The bot's name; created if it does not exist [default: the program's name]",
        "程序在擂台上的名称；不存在时创建 [默认：程序的文件名]",
    ),
    message("What is new in this version", "此版本的更新内容"),
    message(
        "Make it the active version on the ladder as soon as it is accepted",
        "通过后立即替换当前版本参加天梯",
    ),
    message(
        "Do not wait for the build and the checks",
        "不等待构建和检查",
    ),
    message(
        "Print the version as one JSON object, and nothing else on stdout",
        "以一个 JSON 对象输出版本信息，标准输出不含其他内容",
    ),
    message("Only matches of this game", "只列出此游戏"),
    message(
        "Only matches of this bot of yours, by name",
        "只列出你的这个程序（按名称）",
    ),
    message(
        "Only matches that count on this ladder of the game; `standard` is the one that every game has",
        "只列出计入该游戏此天梯的比赛；`standard` 是每个游戏都有的天梯",
    ),
    message("Only matches with this tag", "只列出带此标签的比赛"),
    message("Number of matches, newest first", "数目，最新的在前"),
    message(
        "Print one JSON object per match",
        "每场比赛输出一个 JSON 对象",
    ),
    message("Only of this leg", "只显示这一局"),
    message(
        "Download the source of this version instead of a replay",
        "下载此版本的源代码而不是回放",
    ),
    message(
        "Write here; `-` is stdout [default: match-NUMBER.json, or the file's own name]",
        "写到此处；`-` 表示标准输出 [默认：match-NUMBER.json，或文件原名]",
    ),
    message(
        "The best that this machine offers; without any, programs are refused",
        "本机支持的最强隔离；没有任何隔离时不运行",
    ),
    message(
        "Namespaces, system-call filter, memory bounded by a control group",
        "命名空间、系统调用过滤，用控制组限制内存",
    ),
    message(
        "The same, but memory is only watched",
        "同上，但内存只做监视",
    ),
    message(
        "Landlock and system-call filter, for programs of your own",
        "Landlock 和系统调用过滤，只适用于自己的程序",
    ),
    message(
        "No isolation at all: only for programs that you trust",
        "不隔离：只适用于你信任的程序",
    ),
    message(
        "Address or host name, and port; port 0 picks a free one",
        "地址或主机名，以及端口；端口 0 表示任选空闲端口",
    ),
    message(
        "Serve the documents at /docs, from the folder that `./dev docs` builds",
        "在 /docs 提供文档；文件夹由 `./dev docs` 生成",
    ),
    message(
        "What several servers of one arena use to show each other's matches: \
        `nats://USER:PASSWORD@HOST:PORT`, several separated by commas [default: none, for one \
        server]",
        "同一擂台的多台服务器互相转播比赛所用的消息总线：`nats://用户:密码@主机:端口`，多个地址以逗号分隔 \
        [默认：无，适用于单台服务器]",
    ),
    message(
        "A folder of game files, whose games this arena has beside those of Leitai; \
        docs/game-files.md",
        "游戏文件所在的文件夹：本擂台除自带的游戏外，还提供其中的游戏；见 docs/game-files.zh.md",
    ),
    message(
        "A folder of game files, whose games this worker plays, too: the same files as the \
        servers'",
        "游戏文件所在的文件夹：本工作机也运行其中的游戏；文件须与服务器上的相同",
    ),
    message(
        "A separate address for /metrics, without a login; otherwise only administrators' \
         tokens may read it",
        "为 /metrics 另设无需登录的地址；否则只有管理员的令牌可以读取",
    ),
    message(
        "Change a limit, such as `registrations=500/1h` or `tables=1000`; may be \
        repeated. docs/operating.md lists all limits",
        "另设限额，例如 `registrations=500/1h` 或 `tables=1000`；可重复给出。完整列表见 \
        docs/operating.zh.md",
    ),
    message(
        "Days until it expires [default: it does not expire]",
        "有效天数 [默认：长期有效]",
    ),
    message(
        "What the new token may do besides reading; may be repeated",
        "新建令牌除读取之外的权限；可重复给出",
    ),
    message(
        "Days until the new token expires; 0: it does not expire",
        "新建令牌的有效天数；0 表示长期有效",
    ),
    message("Nothing more", "没有其他权限"),
    message(
        "Upload and change bots and versions",
        "提交和修改程序及版本",
    ),
    message("Play and request matches", "参加和发起比赛"),
    message(
        "Administer the arena: for administrators",
        "管理擂台：仅限管理员",
    ),
    message(
        "Delete it; without this option, only list what would be lost",
        "确认删除；不加此选项时只说明会失去什么",
    ),
    message(
        "Delete an account with all its bots, sessions and tokens, for good; its matches stay, \
        without its name",
        "永久删除账户及其全部程序、会话和令牌；比赛保留，但不再显示其名称",
    ),
    message(
        "Delete a bot with all its versions, for good; its matches stay, without its name",
        "永久删除程序及其全部版本；比赛保留，但不再显示其名称",
    ),
    message(
        "Delete a version of a bot: its source, log and report. The version that plays cannot be \
        deleted",
        "删除程序的一个版本：源代码、日志和报告。正在参赛的版本不能删除",
    ),
    message("The bot's name", "程序的名称"),
    message("The version's number", "版本号"),
    message("Bots that one account may have", "每个账户可拥有的程序数"),
    message(
        "Space for all uploaded versions of one account, such as 500MiB or 2GiB",
        "每个账户全部上传版本的总空间，例如 500MiB 或 2GiB",
    ),
    message("Versions that one bot may have", "每个程序可拥有的版本数"),
    message(
        "Versions that one bot may have within 24 hours. A contest can allow fewer",
        "每个程序 24 小时内可上传的版本数。赛事可以规定更少",
    ),
    message(
        "For how many days replays are kept, by kind of match (exhibition, ladder, friendly, \
        human, contest); `human=forever` keeps them all. Results are kept for ever [default: \
        exhibition=2,ladder=30,friendly=90,human=365,contest=365]",
        "各类比赛（exhibition、ladder、friendly、human、contest）的回放保留天数；`human=forever` 表示永久\
        保留。比赛结果始终保留 [默认：exhibition=2,ladder=30,friendly=90,human=365,contest=365]",
    ),
    message(
        "Space for all replays, such as 20GiB, or `unlimited`; beyond it the oldest are removed, \
        exhibitions first",
        "全部回放的总空间，例如 20GiB，或 `unlimited`；超出时先删除最早的，表演赛优先",
    ),
    message(
        "The game's id and the entrants: built-in bots, executables, source files, folders, \
        zips; or a file with the plan (.toml). For a knockout, list the best seed first; for a gauntlet, list the heads first",
        "游戏的 id 和参赛方：内置 Bot、可执行文件、源文件、文件夹、zip；或赛程文件（.toml）。淘汰\
        赛按种子顺位排列；挑战赛中擂主排在最前",
    ),
    message(
        "The game's id (the older form of GAME)",
        "游戏的 id（旧写法，现在可直接写在 GAME 的位置）",
    ),
    message(
        "The game's id (see `leitai games`); remembered in the folder, so it may be left out \
        later",
        "游戏的 id（见 `leitai games`）；会记在文件夹中，之后可以省略",
    ),
    message(
        "Matches played at a time by this process; 0: uploaded programs run on workers \
        only [default: cores - 1, at least 1]",
        "本进程同时进行的比赛数；0 表示不运行上传的程序，由工作进程运行 [默认：核心数减 1，至少为 \
        1]",
    ),
    message(
        "No exhibitions. Otherwise built-in and uploaded bots play one of every game, slowly, while \
        somebody watches",
        "不举行表演赛。否则有人观看时，每个游戏都会有一场放慢节奏的 Bot 比赛",
    ),
    message(
        "Time between two matches of a settled ladder; with more than 8 bots it shrinks \
        in proportion. `never`: ladders rest, and slots are free for checks, contests and the \
        matches that people ask for",
        "名次已定的天梯两场比赛的间隔；程序超过 8 个时按数目相应缩短。`never`：天梯暂停，并行槽留给检查、\
        赛事和用户要求的比赛",
    ),
];

//! The messages of judge, builds and sandbox.

use leitai_game::lang::{self, Catalogue, message};
use leitai_game::{AnyGame, Text};

/// The messages of the judge, of the game's interface, and of these games.
pub fn catalogue<'a>(games: impl IntoIterator<Item = &'a dyn AnyGame>) -> Catalogue {
    let own = [lang::MESSAGES, lang::FAULT_MESSAGES, MESSAGES];
    Catalogue::new(
        own.into_iter()
            .chain(games.into_iter().map(AnyGame::messages)),
    )
    .with_labels(lang::LABELS)
    .with_labels(LABELS)
}

/// The messages; see `leitai_game::lang`.
pub const MESSAGES: &[Text] = &[
    // Builds.
    message(
        "an executable, a source file (.py .cpp .c .java .js .rs), or a folder or zip with a \
        Makefile, a CMakeLists.txt, main.py, main.js, Main.java, main.cpp, main.c, Cargo.toml or \
        an executable main",
        "可执行文件、源文件（.py .cpp .c .java .js .rs），或者包含 \
        Makefile、CMakeLists.txt、main.py、main.js、Main.java、main.cpp、main.c、Cargo.toml 或可\
        执行文件 main 的文件夹或 zip",
    ),
    message("there is no {}", "不存在 {}"),
    message("there is no {}: give {}", "不存在 {}：请给出{}"),
    message(
        "{}: not even the folder {}; look for it with ls",
        "{}：连文件夹 {} 也不存在；请用 ls 查找",
    ),
    message(
        "there is no {}: not even the folder {}; look for it with ls",
        "不存在 {}：连文件夹 {} 也不存在；请用 ls 查找",
    ),
    message("did you mean {}?", "是否想用 {}？"),
    message(
        "{} is neither a program nor source: give {}",
        "{} 既不是程序也不是源代码：请给出{}",
    ),
    message(
        "nothing in {} says how to run it (there is {}): put one of these into it, not into a \
        folder inside it: Makefile, CMakeLists.txt, main.py, main.js, Main.java, main.cpp, \
        main.c, Cargo.toml, or an executable main{}",
        "{} 中没有说明如何运行的文件（其中有：{}）：请把以下文件之一直接放在里面，而不是放在子文\
        件夹\
        里：Makefile、CMakeLists.txt、main.py、main.js、Main.java、main.cpp、main.c、Cargo.toml \
        或可执行文件 main{}",
    ),
    message(
        "{} takes it neither as C++17 nor as C++20",
        "{} 按 C++17 和 C++20 都无法编译",
    ),
    message("nothing at all", "什么都没有"),
    message(
        "; {} has no class with a `static void main`: add one{}",
        "；{} 中没有含 `static void main` 的类：请添加一个{}",
    ),
    message("; this game also takes {}", "；此游戏还接受 {}"),
    message(
        "{} is needed but not installed: apt-get install {}",
        "需要 {}，但尚未安装：apt-get install {}",
    ),
    message(
        "{} is too large: at {} it has more than {}; leave out what the bot does not need",
        "{} 过大：到 {} 时已超过 {}；请去掉程序不需要的内容",
    ),
    message("{} cannot be taken: {} {}; {}", "{} 无法使用：{} {}；{}"),
    message(
        "{} cannot be unpacked: {}; make it again, for instance with zip -r bot.zip mybot",
        "{} 无法解压：{}；请重新打包，例如 zip -r bot.zip mybot",
    ),
    message(
        "its files are packed by the method {}; only deflate, the usual one, is read",
        "其中的文件用压缩方法 {} 打包；只支持通常的 deflate",
    ),
    message(
        "`{}` failed with {}:\n{}\nfix what it says above and build again",
        "`{}` 失败（{}）：\n{}\n请按上面的提示修改后重新构建",
    ),
    message(
        "`{}` was stopped, the build {}:\n{}\nmake the build shorter, or hand in fewer files; on \
        the command line --build-limit allows more",
        "`{}` 被终止，构建{}：\n{}\n请缩短构建时间或减少文件；在命令行可用 --build-limit 放宽限制",
    ),
    message("used {} of CPU time of {}", "用了 {} CPU 时间，允许 {}"),
    message(
        "`{}` was stopped, because the judge was asked to stop; build again",
        "`{}` 已停止，因为裁判收到了停止请求；请重新构建",
    ),
    message(
        "`{}` was stopped: it had {} of CPU time in {}, because this machine was busy with other \
        things; build again when it is less busy",
        "`{0}` 被终止：{2} 内只得到 {1} CPU 时间，因为机器正忙于其他任务；请在机器空闲时重新构建",
    ),
    message(
        "`{}` was stopped, though it kept within its limits: the memory of this machine ran short; \
        build again when fewer programs run, or give the machine more memory",
        "`{}` 未超限却被终止：机器内存不足；请在运行的程序较少时重新构建，或给机器更多内存",
    ),
    message(
        "was ended although it kept within its limits: the memory of this machine ran short, and \
        of all programs it held the most; play fewer matches at a time, or give the machine more \
        memory",
        "未超限却被终止：机器内存不足，而它占用最多；请减少同时进行的比赛，或给机器更多内存",
    ),
    message(
        "`{}` was stopped, it used more than {}:\n{}\nmake the build smaller",
        "`{}` 被终止，占用超过 {}：\n{}\n请减小构建规模",
    ),
    message("{} MiB of memory", "{} MiB 内存"),
    message("{} MiB of files", "{} MiB 文件"),
    message(
        "{} files and folders, or {} folders inside each other",
        "{} 个文件和文件夹，或 {} 层文件夹嵌套",
    ),
    message(
        "{} succeeded but left no program:\n{}\nmake it write one called `main`",
        "{} 成功了，但没有生成程序：\n{}\n请让它生成名为 `main` 的程序",
    ),
    message(
        "no class in {} has a `static void main`: add `public static void main(String[] args)`{}",
        "{} 中没有含 `static void main` 的类：请添加 `public static void main(String[] args)`{}",
    ),
    message(
        "{} cannot be run: {}; begin it with #!/usr/bin/env python3, #!/usr/bin/env node or \
        #!/bin/sh",
        "{} 无法运行：{}；请以 #!/usr/bin/env python3、#!/usr/bin/env node 或 #!/bin/sh 开头",
    ),
    message(
        "{}: its source names the protocol {}, which {} does not have; there are {}",
        "{}：源代码指定了协议 {}，而 {} 没有此协议；可用的有 {}",
    ),
    message(
        "cannot {} {}: {}; check its permissions and the free space",
        "无法{} {}：{}；请检查权限和剩余空间",
    ),
    message("read", "读取"),
    message("write", "写入"),
    message("copy", "复制"),
    message("create a folder in", "在以下位置创建文件夹："),
    message("make a folder beside", "在以下位置旁创建文件夹："),
    message(
        "if it is to be started anew every turn, give {}:PATH, or write `leitai: protocol={}` \
        into it",
        "如果它应当每回合重新启动，请写 {}:PATH，或在源代码中写 `leitai: protocol={}`",
    ),
    message("here everything comes on stdin", "这里所有输入都来自 stdin"),
    message(
        "it names {}, but nobody writes that file: {}",
        "它提到了 {}，但没有人会写这个文件：{}",
    ),
    message("as it is", "直接运行"),
    message(
        "builds are not kept: cannot use {}: {}",
        "不缓存构建结果：无法使用 {}：{}",
    ),
    message(
        "builds are not kept: {} must be a folder of this user that nobody else may change; \
        chmod 700, or name another with LEITAI_CACHE",
        "不缓存构建结果：{} 必须是当前用户的、他人不可修改的文件夹；请 chmod 700，或用 \
        LEITAI_CACHE 另指定一个",
    ),
    message("{} folders inside each other", "文件夹嵌套了 {} 层"),
    message(
        "left behind: {}: only what a program of one file includes or imports comes along; for \
        more put it into a folder of its own, called main (main.py, main.cpp, …), and give the \
        folder",
        "未带上 {}：单文件程序只会带上它 include 或 import 的文件；需要更多文件时，请把程序放进单\
        独的文件夹并命名为 main（main.py、main.cpp 等），然后给出该文件夹",
    ),
    message(
        "left behind: {}: another entrant's program, which nobody else may read",
        "未带上 {}：这是另一参赛方的程序，他人不得读取",
    ),
    message("left behind: {}: {}", "未带上 {}：{}"),
    message(
        "left behind: the link {} leads nowhere",
        "未带上：链接 {} 没有指向任何文件",
    ),
    message(
        "another entrant's program, which nobody else may read",
        "这是另一参赛方的程序，他人不得读取",
    ),
    message(
        "outside the folder of the program; put a copy beside it",
        "在程序的文件夹之外；请在程序旁边放一份副本",
    ),
    message(
        "is a link that leads outside, to {}",
        "是指向外部（{}）的链接",
    ),
    message("put the file itself there", "请放入文件本身"),
    message("is not a regular file", "不是普通文件"),
    message("the archive itself", "压缩包本身"),
    message("clashes with another entry", "与另一条目冲突"),
    message("make the archive again", "请重新打包"),
    message("has too long a name", "名称过长"),
    message("its entries overlap", "条目相互重叠"),
    message(
        "make the archive from inside the bot's folder",
        "请在程序的文件夹内打包",
    ),
    message("is an absolute path", "是绝对路径"),
    message("leads out of the archive", "指向压缩包之外"),
    message("is not a valid file name", "不是合法的文件名"),
    message("is a link or a special file", "是链接或特殊文件"),
    // Files that are no source and no program of this machine.
    message(
        "{} is a Windows program, which does not run here: {}",
        "{} 是 Windows 程序，无法在此运行：{}",
    ),
    message(
        "is a Windows program, which does not run here",
        "是 Windows 程序，无法在此运行",
    ),
    message(
        "give its source (.cpp, .c, …), or a folder with all of it; it is built here",
        "请给出源代码（.cpp、.c 等）或包含全部源代码的文件夹，会在这里构建",
    ),
    message(
        "{} is a program for macOS, which does not run here: {}",
        "{} 是 macOS 程序，无法在此运行：{}",
    ),
    message(
        "is a program for macOS, which does not run here",
        "是 macOS 程序，无法在此运行",
    ),
    message(
        "{} is an archive, but not a zip: {}",
        "{} 是压缩包，但不是 zip：{}",
    ),
    message("is an archive, but not a zip", "是压缩包，但不是 zip"),
    message(
        "unpack it and give the folder, or pack it with zip -r bot.zip mybot",
        "请解压后给出文件夹，或用 zip -r bot.zip mybot 打包",
    ),
    message(
        "{} is Java that is compiled already: {}",
        "{} 是编译过的 Java：{}",
    ),
    message("is Java that is compiled already", "是编译过的 Java"),
    message(
        "give the .java files; or a folder with it and an executable file main: #!/bin/sh and \
        exec java -jar NAME.jar (or java -cp . CLASS)",
        "请给出 .java 文件；或给出一个文件夹，其中除它之外还有可执行文件 main，内容为 #!/bin/sh \
        和 exec java -jar NAME.jar（或 java -cp . CLASS）",
    ),
    message("{} is compiled Python: {}", "{} 是编译过的 Python：{}"),
    message("is compiled Python", "是编译过的 Python"),
    message(
        "give the .py file that it was made from",
        "请给出对应的 .py 文件",
    ),
    message(
        "{} is a part of a program, not a whole one: {}",
        "{} 只是程序的一部分，不是完整程序：{}",
    ),
    message(
        "is a part of a program, not a whole one",
        "只是程序的一部分，不是完整程序",
    ),
    message(
        "give the source, or the program that the linker made of it",
        "请给出源代码，或链接后的程序",
    ),
    message(
        "{} is a program for another kind of processor: {}",
        "{} 是为另一种处理器编译的程序：{}",
    ),
    message(
        "is a program for another kind of processor",
        "是为另一种处理器编译的程序",
    ),
    message(
        "give its source, or build it for this machine",
        "请给出源代码，或为本机重新编译",
    ),
    message(
        "{} is Go, which is not built here: {}",
        "{} 是 Go 源代码，这里不构建 Go：{}",
    ),
    message(
        "is Go, which is not built here",
        "是 Go 源代码，这里不构建 Go",
    ),
    message(
        "build it with CGO_ENABLED=0 go build -o mybot, and give the program mybot",
        "请用 CGO_ENABLED=0 go build -o mybot 构建，然后给出程序 mybot",
    ),
    message(
        "{} is in a language that is not built here: {}",
        "{} 所用的语言在这里不能构建：{}",
    ),
    message(
        "is in a language that is not built here",
        "所用的语言在这里不能构建",
    ),
    message(
        "build it into one program and give that; or give a folder with a Makefile that builds \
        one called main",
        "请自行构建成一个程序再给出；或给出含有 Makefile 的文件夹，由它构建名为 main 的程序",
    ),
    message(
        "{} is in a language whose interpreter is not started here: {}",
        "{} 所用语言的解释器在这里不会被启动：{}",
    ),
    message(
        "is in a language whose interpreter is not started here",
        "所用语言的解释器在这里不会被启动",
    ),
    message(
        "name the interpreter in its first line (#!/usr/bin/env …) and make it executable: chmod \
        +x",
        "请在第一行写明解释器（#!/usr/bin/env …），并用 chmod +x 设为可执行",
    ),
    message(
        "{} is a notebook, not a program: {}",
        "{} 是笔记本（notebook），不是程序：{}",
    ),
    message(
        "is a notebook, not a program",
        "是笔记本（notebook），不是程序",
    ),
    message(
        "save it as a script: jupyter nbconvert --to script NAME.ipynb",
        "请另存为脚本：jupyter nbconvert --to script NAME.ipynb",
    ),
    message(
        "{} is a header, not a program: {}",
        "{} 是头文件，不是程序：{}",
    ),
    message("is a header, not a program", "是头文件，不是程序"),
    message(
        "give the .cpp or .c file that includes it; the header comes along",
        "请给出包含它的 .cpp 或 .c 文件，头文件会一并带上",
    ),
    // Interpreters and tools.
    message(
        "its first line names {}, which has `..` in it",
        "第一行指定的 {} 含有 `..`",
    ),
    message(
        "its first line ends with a carriage return, as on Windows; save it with Unix line ends",
        "第一行以回车符结尾（Windows 格式）；请以 Unix 换行格式保存",
    ),
    message(
        "its first line names {}, which is outside the system's folders and those of this \
        machine's Python and Node",
        "第一行指定的 {} 不在系统目录以及本机 Python 和 Node 的目录之内",
    ),
    message(
        "its first line names {}, which is not on this machine",
        "第一行指定的 {} 在本机不存在",
    ),
    message(
        "its first line names {}, which leads out of the system's folders",
        "第一行指定的 {} 指向系统目录之外",
    ),
    message(
        "its first line names {}, which is not a program",
        "第一行指定的 {} 不是程序",
    ),
    message("{} cannot be used: {}; {}", "{} 无法使用：{}；{}"),
    message(
        "it is rustup, which has no toolchain for this user",
        "它是 rustup，而当前用户没有安装工具链",
    ),
    message(
        "set RUSTUP_HOME to where its toolchains are, or run rustup default stable",
        "请把 RUSTUP_HOME 设为工具链所在目录，或运行 rustup default stable",
    ),
    message(
        "in tier C the programs of root are other users, to whom a folder above it is closed",
        "隔离等级 C 下，root 的程序以其他用户身份运行，无法进入它的某个上级目录",
    ),
    message(
        "apt-get install {}, or run Leitai as an ordinary user",
        "请 apt-get install {}，或以普通用户身份运行 Leitai",
    ),
    message("[{} lines left out]", "[省略 {} 行]"),
    message("\n[{} bytes left out]\n", "\n[省略 {} 字节]\n"),
    message("[… {} bytes left out …]\n", "[… 省略 {} 字节 …]\n"),
    // Matches.
    message(
        "could not start {}: {}; free processes, memory or files and run the match again",
        "无法启动 {}：{}；请释放进程、内存或文件后重新比赛",
    ),
    message(
        "{}; this happened in leg {}, round {} of seed {}; it is an error of the game, not of a player, and the match does not count: please report it to the author of the game",
        "{0}；发生在第 {1} 局第 {2} 回合（种子 {3}）；这是游戏规则的错误，与双方无关，本场不计分：\
        请告知该游戏的作者",
    ),
    message(
        "the built-in bot {} panicked in leg {}, round {} of seed {}: {}; this is a bug in Leitai, and the match does not count: please report it with the command",
        "内置 Bot {0} 在第 {1} 局第 {2} 回合异常终止（种子 {3}）：{4}；这是 Leitai 的缺陷，本场不\
        计分：请附上命令报告此问题",
    ),
    message("there is no built-in bot {}", "没有内置 Bot {}"),
    message("there is no protocol {}", "没有协议 {}"),
    message(
        "it is a replay of {}, not of {}",
        "这是 {} 的回放，不是 {} 的",
    ),
    message(
        "it was judged by the rules {}; this version plays {}",
        "它按规则 {} 裁判；此版本使用 {}",
    ),
    message(
        "it has no legs: nothing was played",
        "其中没有任何一局：没有进行过比赛",
    ),
    message("there is no leg {}; it has {}", "没有第 {} 局；共 {} 局"),
    message(
        "{} is not a moment of a replay; write LEG:ROUND, such as 2:37",
        "{} 不是一个时刻；请写 LEG:ROUND，例如 2:37",
    ),
    message(
        "there is no round 0: the first is round 1",
        "没有第 0 回合：第一个是第 1 回合",
    ),
    message(
        "it ends in round {}, before round {}; choose one of 1 to {}",
        "这一局在第 {} 回合就结束了，没有第 {} 回合；请选择 1 到 {}",
    ),
    message(
        "in round {} the engine comes to another position than the replay (`leitai replay \
        verify` says where): it was played by other rules or changed",
        "到第 {} 回合，引擎得到的局面与回放不同（`leitai replay verify` 会指出位置）：它按别的规\
        则进行过，或被改动过",
    ),
    message(
        "the leg was over when round {} would have begun",
        "第 {} 回合开始之前这一局已经结束",
    ),
    message(
        "in round {} the {} player {} ({}), and nobody can be sent past a fault to round {}; \
        choose one of 1 to {}",
        "第 {} 回合{}{}（{}），无法越过违规到达第 {} 回合；请选择 1 到 {}",
    ),
    message("first", "先手"),
    message("second", "后手"),
    // The sandbox.
    message(
        "there is no command to run: give at least the name of a program",
        "没有要运行的命令：至少要给出程序名",
    ),
    message(
        "cannot start `{}`: its folder {} does not exist any more; build it again",
        "无法启动 `{}`：它的文件夹 {} 已不存在；请重新构建",
    ),
    message("cannot start `{}`: {}; {}", "无法启动 `{}`：{}；{}"),
    message(
        "cannot start `{}` in the sandbox: {}; `leitai doctor` shows what this machine offers",
        "无法在沙箱中启动 `{}`：{}；`leitai doctor` 会显示本机支持哪些隔离方式",
    ),
    message(
        "check that the file exists and that the interpreter in its first line (#!) is installed",
        "请检查文件是否存在，以及第一行（#!）指定的解释器是否已安装",
    ),
    message(
        "make it executable with chmod +x, and its folders passable for everybody (chmod a+x): \
        where the judge is root, the program is somebody else",
        "请用 chmod +x 设为可执行，并让所有人都能进入它所在的目录（chmod a+x）：裁判以 root 运行\
        时，程序使用的是另一用户",
    ),
    message(
        "it is not a program for this machine: give its source, or add a first line like #!/bin/sh",
        "它不是本机可运行的程序：请给出源代码，或在第一行加上 #!/bin/sh 之类的说明",
    ),
    message(
        "somebody is still writing that file: try again",
        "该文件还在被写入：请重试",
    ),
    message(
        "free some processes or memory and try again",
        "请释放一些进程或内存后重试",
    ),
    message(
        "its command line and environment take {} bytes; {} are allowed",
        "命令行和环境变量共 {} 字节；最多允许 {} 字节",
    ),
    message(
        "this machine offers no isolation of tier {}: {}",
        "本机不支持等级 {} 的隔离：{}",
    ),
    message(
        "the kernel has no Landlock (5.13 or newer, and lsm=landlock)",
        "内核没有 Landlock（需要 5.13 或更新版本，并启用 lsm=landlock）",
    ),
    message(
        "/bin/true ended with {} in it",
        "在其中运行 /bin/true，结果为 {}",
    ),
    message(
        "/bin/true does not end in it",
        "在其中运行 /bin/true 没有结束",
    ),
    message(
        "{} is not an isolation tier; the tiers are A, B, C and none",
        "{} 不是隔离等级；可用的有 A、B、C 和 none",
    ),
    message(
        "no memory control group is mounted",
        "没有挂载内存控制组（cgroup）",
    ),
    message(
        "root: every program runs as a user of its own",
        "root：每个程序以各自的用户身份运行",
    ),
    message(
        "user {}: programs run as this user, under another number in a namespace",
        "用户 {}：程序以该用户身份运行，在命名空间中使用另一编号",
    ),
    message(
        "yes; if namespaces are refused: docker run --security-opt seccomp=unconfined \
        --security-opt apparmor=unconfined --security-opt systempaths=unconfined --cap-add SYS_ADMIN --cgroupns private …",
        "是；如果命名空间被拒绝：docker run --security-opt seccomp=unconfined --security-opt \
        apparmor=unconfined --security-opt systempaths=unconfined --cap-add SYS_ADMIN --cgroupns private …",
    ),
    message("no sign of one", "没有发现"),
    message("namespaces for users", "用户命名空间"),
    message("/proc for programs", "程序的 /proc"),
    message(
        "none, because {} is covered: Java does not start",
        "没有，因为 {} 被遮盖：Java 无法启动",
    ),
    message(
        "AppArmor keeps them to programs with a profile (Ubuntu 23.10 and newer)",
        "AppArmor 只允许有配置文件的程序使用（Ubuntu 23.10 及更新版本）",
    ),
    message("memory bounded in {}", "在 {} 中限制内存"),
    message(
        "systemd-run --user --scope -p Delegate=yes leitai …   (or run it as root)",
        "systemd-run --user --scope -p Delegate=yes leitai …   （或以 root 运行）",
    ),
    message("not in this kernel", "此内核不支持"),
    message(
        "use a kernel from 5.13, booted with landlock in its lsm= list",
        "请使用 5.13 或更新的内核，并在启动参数 lsm= 中加入 landlock",
    ),
    message("the kernel does not tell of one", "内核没有提供信息"),
    message("making a control group", "创建控制组"),
    message(
        "making the control group of all programs",
        "创建所有程序共用的控制组",
    ),
    message(
        "bounding the memory of all programs together: {}",
        "限制所有程序合计的内存：{}",
    ),
    message("entering the control group", "进入控制组"),
    message(
        "cannot open {}: {}; check its permissions and the free space",
        "无法打开 {}：{}；请检查权限和剩余空间",
    ),
    message("find", "找到"),
    message("create", "创建"),
    message("look at", "查看"),
    message("link", "链接"),
    message("rename", "重命名"),
    message("remove", "删除"),
    message("follow", "跟踪"),
    message("make executable", "设为可执行："),
    message("kernel", "内核"),
    message("user", "用户"),
    message("container", "容器"),
    message("control groups", "控制组"),
    message("system-call filter", "系统调用过滤"),
    message("open", "可用"),
    message("there", "可用"),
    message("version {}", "版本 {}"),
    message(
        "user.max_user_namespaces is 0",
        "user.max_user_namespaces 为 0",
    ),
    message(
        "kernel.unprivileged_userns_clone is 0",
        "kernel.unprivileged_userns_clone 为 0",
    ),
    message(
        "mount -t cgroup2 none /sys/fs/cgroup   (in Docker: --cgroupns private)",
        "mount -t cgroup2 none /sys/fs/cgroup   （Docker 中：--cgroupns private）",
    ),
];

/// Labels and templates of the findings of a check, found by their exact English text.
pub const LABELS: &[Text] = &[
    // Steps.
    message("builds", "能构建"),
    message("starts", "能启动"),
    message("answers the first move in time", "按时回答第一步"),
    message("plays a whole leg, first", "先手完整下完一局"),
    message("plays a whole leg, second", "后手完整下完一局"),
    message("survives split writes", "能处理分段到达的消息"),
    message("survives a slow reader", "能承受缓慢的读取"),
    message("memory head-room", "内存余量"),
    message("time head-room", "时间余量"),
    message("exits when the match ends", "比赛结束时退出"),
    message("repeatable?", "可重现？"),
    // What was seen.
    message(
        "{}\nprotocol: {}, over stdin and stdout",
        "{}\n协议：{}，通过标准输入和标准输出",
    ),
    message("{}\nprotocol: {}, over TCP", "{}\n协议：{}，通过 TCP"),
    message("it was not asked", "没有被询问"),
    message("in {} of {}", "用时 {}，允许 {}"),
    message("{} and {}", "{} 和 {}"),
    message("{} round", "{} 回合"),
    message("{} rounds", "{} 回合"),
    message(
        "{} in {} against {}, {} won",
        "对 {2} 下了 {1}，共 {0}，胜 {3} 局",
    ),
    message(
        "{} with messages in pieces of 1 to 7 bytes",
        "{}，消息以 1 至 7 字节分段到达",
    ),
    message(
        "{} with answers read late, 7 bytes at a time",
        "{}，回答被延迟读取，每次 7 字节",
    ),
    message("this machine does not tell", "本机无法得知"),
    message("{}, no limit", "{}，无限制"),
    message("{} % free: {} of {} at most", "余 {}%：峰值 {}，允许 {}"),
    message("it was asked only once", "只被询问了一次"),
    message("{} of {} in round {}", "第 {2} 回合 {0}，允许 {1}"),
    message(
        "{} % free: slowest turns CPU {}, wall {}",
        "余 {}%：最慢的回合，CPU {}；墙钟 {}",
    ),
    message(
        ", without up to {} that the machine withheld",
        "（不计机器占用的最多 {}）",
    ),
    message("no leg came to its end", "没有一局进行到终局"),
    message("{} after the end", "结束后 {}"),
    message(
        "it still ran a second after the end, and was ended",
        "结束一秒后仍在运行，被终止",
    ),
    message("yes: the same answers in {}", "是：{}中的回答相同"),
    message(
        "no: in round {} it answered {}, then {}; a match cannot be repeated exactly",
        "否：第 {} 回合先回答 {}，后回答 {}；比赛无法完全重现",
    ),
    message(
        "this machine was too busy to judge it: {}",
        "本机过于繁忙，无法判定：{}",
    ),
    message("round {}: {} [{}]", "第 {} 回合：{} [{}]"),
    message("it could not be built", "未能构建"),
    message("not before the first leg could be judged", "需先判定第一局"),
    message("there is no first answer", "没有第一个回答"),
    message(
        "not before a whole leg goes well on this seat",
        "先要在此座位上完整下完一局",
    ),
    // What to do.
    message(
        "correct that, and check again",
        "请改正以上问题，然后重新检查",
    ),
    message(
        "a read may return a part of a message: read until the line, or all of its bytes, are \
        there",
        "一次读取可能只得到消息的一部分：要一直读到整行或全部字节都到达",
    ),
    message(
        "a write may take long, or take only a part: write until all is written, and do not set a \
        pipe to non-blocking",
        "一次写入可能很慢，或只写出一部分：要写到全部写完为止，且不要把管道设为非阻塞",
    ),
    message(
        "a longer match may need more; make it smaller",
        "更长的对局可能需要更多；请减少内存占用",
    ),
    message(
        "another machine may be slower; think shorter",
        "别的机器可能更慢；请缩短思考时间",
    ),
    message(
        "it waited rather than computed: leave out sleeping, and reading or writing files in a turn",
        "它主要在等待而不是计算：回合中不要休眠，也不要读写文件",
    ),
    message(
        "no fault: official kits do not leave either; a program of your own may exit at the end \
        message, or when there is no more input",
        "不算违规：官方 ADK 也不会自行退出；自己写的程序可以在收到结束消息或输入结束时退出",
    ),
    message(
        "check again when the machine is idle",
        "请在机器空闲时重新检查",
    ),
    message(
        "it speaks JSON, but is asked in the protocol {}: write `leitai: protocol={}` in a comment \
        in one of its first 20 lines, or {}: before its path",
        "它使用 JSON，但提问用的是协议 {}：请在源文件前 20 行的注释中写 `leitai: protocol={}`，或在\
        路径前加 {}:",
    ),
    message(
        "the rules do not allow it in that position: compare what the program believes with the \
        replay",
        "该位置的规则不允许：请对照回放，检查程序所认为的局面",
    ),
    message(
        "docs/protocols.md says what an answer is; print only answers to stdout, the rest to stderr",
        "回答的格式见 docs/protocols.zh.md；stdout 只输出回答，其余写到 stderr",
    ),
    message(
        "files that were handed in are read-only: write new ones, under other names",
        "提交的文件是只读的：请用别的文件名写入新文件",
    ),
    message(
        "end every answer with an end of line: the judge reads whole lines",
        "每个回答都要以换行结束：裁判按整行读取",
    ),
    message(
        "flush stdout after every answer, and give up thinking before the time is over",
        "每次回答后刷新 stdout，并在时限之前停止思考",
    ),
    message(
        "use less, or ask what more --memory allows",
        "减少内存占用，或用 --memory 试更高的限制",
    ),
    message(
        "give one answer a question, and no more",
        "每次询问只给一个回答",
    ),
    message(
        "it must go on until the end message or the end of its input",
        "必须一直运行到收到结束消息或输入结束",
    ),
    message(
        "it must go on until the end; if it is to be started anew every turn, with the question in \
        {} or as its argument, give {}:PATH",
        "必须一直运行到结束；若应每回合重新启动，从 {} 或参数读取局面，请写 {}:PATH",
    ),
    message(
        "its last words and the exit tell why; play it again under a debugger",
        "原因见其最后输出和退出状态；可在调试器中重现",
    ),
    message(
        "it must be a program for this machine",
        "必须是本机可运行的程序",
    ),
];

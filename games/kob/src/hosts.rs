//! The hosts of the sites' bots, which do not use stdin and stdout (`docs/rules/kob.md`, "Java
//! bots, unmodified" and "Other languages"). Both hosts speak the protocol `line` for the bots.

use leitai_game::host::BOTZONE;
use leitai_game::{Host, Text};

/// Every host.
pub const ALL: &[Host] = &[JAVA, EACH_TURN, BOTZONE];

/// Starts the virtual machine, `$0`, with the host's jar from the folder `$1`. The judge's stdin
/// and stdout are for the host alone: everything else writes to stderr, including the virtual
/// machine's warnings and child processes of the bot. The jar is used through a link, because an
/// archive of classes is valid only for a jar of the same name, and a cached build lies in another
/// folder the next time.
const PLAY: &str =
    "ln -sf \"$1/play.jar\" .leitai-host.jar; shift; exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >&2";

/// Makes the archive of the host's classes. The virtual machine also starts without one.
const ARCHIVE: &str = "ln -sf \"$1/play.jar\" .leitai-host.jar; shift; \"$0\" \"$@\" >/dev/null 2>&1; \
                       rm -f .leitai-host.jar";

/// One virtual machine a leg; the bot's classes are loaded anew each turn. The bot is compiled in
/// the build, so an error in it is a message of the compiler and not a lost round. The build also
/// makes an archive of the host's own loaded classes; no code of the bot runs before that, and none
/// can write to it. A virtual machine that cannot make or use the archive starts slightly later.
///
/// The virtual machine's second compiler stays on: without it a turn costs 0.05 ms less, but a bot
/// that computes for seconds is several times slower. Reflection does not generate classes, which
/// would take milliseconds during a game.
const JAVA: Host = Host {
    name: "java",
    about: Text::new(
        "the sites' Java bots as they stand: Supplier<Integer> with input.txt, or a BotInterface of any site",
        "原样运行网站的 Java Bot：Supplier<Integer> 读 input.txt，或实现任何网站的 BotInterface",
    ),
    accepts: is_java_bot,
    files: &[
        ("Compile.java", include_str!("../host/Compile.java")),
        ("Play.java", include_str!("../host/Play.java")),
    ],
    build: &[
        &[
            "java",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Xmx384m",
            "-cp",
            "{host}",
            "{host}/Compile.java",
            "{src}",
            "{host}",
        ],
        &[
            "sh",
            "-c",
            ARCHIVE,
            "java",
            "{host}",
            "-XX:+IgnoreUnrecognizedVMOptions",
            "-XX:ArchiveClassesAtExit={host}/play.jsa",
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Xmx64m",
            REFLECTION,
            "-jar",
            ".leitai-host.jar",
            "{host}",
            "rehearse",
        ],
    ],
    run: &[
        "sh",
        "-c",
        PLAY,
        "java",
        "{host}",
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-XX:SharedArchiveFile={host}/play.jsa",
        "-Xlog:cds*=off",
        "-XX:+UseSerialGC",
        "-XX:-UsePerfData",
        "-XX:MaxRAM={memory}",
        "-XX:MaxRAMPercentage=60",
        "-Xss64m",
        REFLECTION,
        "-jar",
        ".leitai-host.jar",
        "{host}",
    ],
    tools: &[
        ("sh", "dash"),
        ("javac", "default-jdk-headless"),
        ("java", "default-jdk-headless"),
    ],
    protocol: "line",
    config: &[],
};

const REFLECTION: &str = "-Dsun.reflect.inflationThreshold=1000000";

/// Runs a program in any language that is started anew every turn, as some forks of the site do.
const EACH_TURN: Host = Host {
    name: "each-turn",
    about: Text::new(
        "a program started anew every turn: it reads input.txt, argv[1] or stdin, its first line is the move",
        "每回合重新启动的程序：读 input.txt、argv[1] 或 stdin，第一行输出即为操作",
    ),
    accepts: |_, _| false,
    files: &[],
    build: &[],
    run: &[
        "{leitai}",
        "each-turn",
        "--input",
        "input.txt",
        "--",
        "{program}",
    ],
    tools: &[],
    protocol: "line",
    config: &[],
};

/// Whether a class of this file `implements` `Supplier` or an interface for bots of some site
/// (`BotInterface`, `UserBotInterface`, `BotCodeInterface`). Comments can mislead the check; the
/// author then gets a clear message.
#[doc(hidden)] // For tests.
pub fn is_java_bot(file_name: &str, source: &str) -> bool {
    let heads = source
        .split("implements")
        .skip(1)
        .map(|rest| rest.split('{').next().unwrap_or_default());
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = heads.flat_map(|head| head.split(|c: char| !is_name(c)));
    file_name.ends_with(".java") && names.any(|name| name == "Supplier" || is_bot_interface(name))
}

/// The same rule as in `host/Compile.java`.
fn is_bot_interface(name: &str) -> bool {
    name.ends_with("Interface") && name.contains("Bot")
}

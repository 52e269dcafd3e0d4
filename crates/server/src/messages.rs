//! The Chinese translations of messages of the server and its database.

use leitai_game::lang::{Catalogue, Lang, message};
use leitai_game::{AnyGame, Text};
use serde_json::{Value, json};

/// The messages of the server, of its database, of the judge, and of these games.
pub fn catalogue<'a>(games: impl IntoIterator<Item = &'a dyn AnyGame>) -> Catalogue {
    Catalogue::new([MESSAGES])
        .with_labels(LABELS)
        .with(leitai_judge::messages::catalogue(games))
}

/// A message about a match of this game as JSON, `{"en", "zh"}`.
pub fn in_both(game: &dyn AnyGame, message: &str) -> Value {
    json!(catalogue([game]).write_both(|lang| lang.say(message)))
}

/// A text of the database as JSON, `{"en", "zh"}`: the store writes its messages in English alone.
pub fn complete_languages(mut text: Value) -> Value {
    if let (Some(en), None) = (text["en"].as_str(), text["zh"].as_str()) {
        text["zh"] = catalogue([]).say(Lang::Zh, en).into_owned().into();
    }
    text
}

/// The messages; see `leitai_game::lang`.
pub const MESSAGES: &[Text] = &[
    // The bus.
    message(
        "{} is not the address of a NATS server ({}); write for example \
         nats://USER:PASSWORD@bus.internal:4222, or several with commas",
        "{} 不是 NATS 服务器的地址（{}）；请写成例如 nats://用户:密码@bus.internal:4222，多个地址以逗号分隔",
    ),
    message("it names no host", "缺少主机名"),
    message(
        "it begins with neither nats:// nor tls://",
        "开头既不是 nats:// 也不是 tls://",
    ),
    message(
        "no NATS server answers at {} ({}); look whether nats-server runs there and whether \
         this machine reaches its port",
        "{} 处没有 NATS 服务器应答（{}）；请检查那里是否运行着 nats-server，以及本机能否访问其端口",
    ),
    message(
        "the NATS server at {} refuses the user or the password; compare both with the \
         `authorization` or `accounts` in its configuration",
        "{} 处的 NATS 服务器拒绝了用户名或密码；请与其配置中的 `authorization` 或 `accounts` 核对",
    ),
    message(
        "no secured connection to {} ({}); its certificate must be valid for this name, and \
         SSL_CERT_FILE may name a file with an authority of your own",
        "无法与 {} 建立加密连接（{}）；其证书必须对该名称有效，自建的证书机构可用 SSL_CERT_FILE 指定文件",
    ),
    message(
        "the NATS server at {} takes no secured connection ({}); give its configuration a `tls` with \
         `cert_file` and `key_file`, or, in a network of your own, write nats:// for an open one",
        "{} 处的 NATS 服务器不接受加密连接（{}）；请在其配置中加入带 `cert_file` 与 `key_file` 的 `tls`，或在自己的网络中改写 nats:// 以使用不加密的连接",
    ),
    message(
        "the user at {} may not use the subject {}; allow it to publish and subscribe to \
         `leitai.>` and `_INBOX.>`",
        "{} 处的用户无权使用主题 {}；请允许其发布和订阅 `leitai.>` 与 `_INBOX.>`",
    ),
    message("nobody answered on the bus in time", "总线上无人及时应答"),
    message(
        "nobody on the bus listens to this subject",
        "总线上没有人订阅此主题",
    ),
    message("the bus is away: {}", "总线不可用：{}"),
    message("it does not answer", "没有应答"),
    message(
        "the server of this match is gone; join again, or create a new match",
        "这场比赛所在的服务器已消失；请重新加入，或新建一场比赛",
    ),
    message("the reply cannot be read: {}", "无法读取应答：{}"),
    message(
        "server {} sends messages of version {}, and this server reads those from {} to {}: \
         bring both to the same version of Leitai, one after the other",
        "服务器 {} 发送的消息版本为 {}，而本服务器只能读取 {} 至 {}：请先后将两者升级到同一版本的 Leitai",
    ),
    message("not a message of Leitai: {}", "不是 Leitai 的消息：{}"),
    // Mail.
    message(
        "{} is not the address of an SMTP server; write smtps://USER:PASSWORD@HOST, \
         smtp://HOST:587?tls=required, or smtp://HOST:25 for a server of your own network",
        "{} 不是 SMTP 服务器的地址；请写 smtps://用户:密码@主机、smtp://主机:587?tls=required，内网服务器可写 smtp://主机:25",
    ),
    message(
        "{} is not the address of a sender; write for example `Leitai <arena@example.org>`",
        "{} 不是发件人地址；请写成例如 `Leitai <arena@example.org>`",
    ),
    message(
        "this arena sends no mail; ask its administrator for a new password",
        "本擂台不发送邮件；请向管理员索取新密码",
    ),
    message(
        "{} is not an address for mail; write one such as ada@example.org",
        "{} 不是邮箱地址；请填写例如 ada@example.org",
    ),
    message(
        "this link was used already or is too old; ask for another",
        "此链接已用过或已过期；请重新索取",
    ),
    // Sign in by OpenID Connect.
    message("{} cannot be read: {}", "无法读取 {}：{}"),
    message(
        "there is no [[provider]] in it; write one, or leave --oidc out",
        "其中没有 [[provider]]；请写一个，或去掉 --oidc",
    ),
    message("provider {}: {}", "提供方 {}：{}"),
    message(
        "there are two with this id; give each its own",
        "有两个提供方使用此 id；请各用一个",
    ),
    message(
        "the id needs 1 to 32 of a-z, 0-9 and -",
        "id 须为 1 到 32 个 a-z、0-9 或 - 字符",
    ),
    message(
        "name {}: write 1 to 40 characters",
        "名称 {}：请写 1 到 40 个字符",
    ),
    message(
        "client_id is empty; write what the provider gave you",
        "client_id 为空；请填写提供方分配的值",
    ),
    message(
        "scopes needs \"openid\", and words without spaces",
        "scopes 必须包含 \"openid\"，且每项不含空格",
    ),
    message(
        "email_domains has {}; write domains such as \"example.org\", each with its own entry",
        "email_domains 中有 {}；请逐项填写域名，例如 \"example.org\"",
    ),
    message(
        "issuer {} is no address; write for example https://login.example.org",
        "issuer {} 不是网址；请写成例如 https://login.example.org",
    ),
    message(
        "issuer {} has more than an address in it; write it without ?, # and names",
        "issuer {} 含有网址以外的内容；请去掉 ?、# 和用户名",
    ),
    message(
        "issuer {} must begin with https://, so that nobody on the way signs in as somebody else",
        "issuer {} 必须以 https:// 开头，以免有人在途中冒充他人登录",
    ),
    message(
        "there are client_secret_file and client_secret_env; write one of them",
        "client_secret_file 与 client_secret_env 只能写一个",
    ),
    message(
        "the environment has no variable {}; set it to the secret",
        "环境中没有变量 {}；请把它设为密钥",
    ),
    message(
        "the secret is empty; copy it from the provider, or leave it out for a public client",
        "密钥为空；请从提供方复制，公共客户端则不写",
    ),
    message(
        "it has more than {} bytes; name another file, or write a shorter one",
        "它超过 {} 字节；请指定别的文件，或缩短该文件",
    ),
    message(
        "it is not UTF-8; save it as text in UTF-8",
        "它不是 UTF-8；请另存为 UTF-8 文本",
    ),
    message(
        "return_to is no page of this arena; write a path such as /account",
        "return_to 不是本擂台的页面；请写路径，例如 /account",
    ),
    message(
        "nobody signs in with {} here; the page for logging in shows what is offered",
        "此处不能用 {} 登录；登录页面列有可用的方式",
    ),
    message(
        "this sign-in is over or took too long; sign in again",
        "本次登录已结束或超时；请重新登录",
    ),
    message(
        "{} does not answer; try again in a moment, or log in with a password",
        "{} 没有应答；请稍后再试，或用密码登录",
    ),
    message(
        "{} does not answer as it should; tell the administrator of this arena, whose log says more",
        "{} 的应答不正确；请告知本擂台的管理员，日志中有详情",
    ),
    message(
        "this needs a session younger than 15 minutes, so that nobody does it who finds your \
         browser open; log out, log in again, and repeat it",
        "此操作需要在登录后 15 分钟内进行，以防有人趁你没有退出登录时代你操作；请退出后重新登录，再试一次",
    ),
    message(
        "this is the only way to log in to this account; set a password first",
        "这是登录此账户的唯一方式；请先设置密码",
    ),
    message(
        "an account has at most {} linked accounts; unlink one first",
        "一个账户至多关联 {} 个外部账户；请先解除一个",
    ),
    // Similar sources.
    message(
        "the sources are still being compared; try again in a moment",
        "源代码仍在比较中；请稍后再试",
    ),
    message(
        "these two are no similar pair of this contest",
        "这两者不是本赛事中的相似对",
    ),
    message("a source of this pair is gone", "其中一份源代码已不存在"),
    message("the sources were not compared", "源代码未能比较"),
    // Webhooks.
    message(
        "there are {} webhooks already; delete one first",
        "已有 {} 个 webhook；请先删除一个",
    ),
    message("this arena has no webhooks", "本擂台不提供 webhook"),
    message(
        "{} cannot be used; write an address of at most {} characters, such as \
         https://example.org/leitai",
        "{} 无法使用；请填写不超过 {} 个字符的网址，例如 https://example.org/leitai",
    ),
    message(
        "the address has a name or a password before its host; leave it out, events are signed \
         instead",
        "网址的主机名前带有用户名或密码；请去掉，事件会用签名来证明来源",
    ),
    message(
        "{} is an address of a private network; use one that the internet reaches, or ask the \
         operator to allow it",
        "{} 是内网地址；请使用互联网可访问的网址，或请运营者放行",
    ),
    message(
        "choose events of this webhook: one or more of {}",
        "请为此 webhook 选择一个或多个事件：{}",
    ),
    message(
        "only members of the team, or for contests their organisers, manage its webhooks",
        "只有队伍成员可管理队伍的 webhook，赛事的 webhook 由其组织者管理",
    ),
    message("the name has only private addresses", "该域名只有内网地址"),
    message(
        "this account has no address for mail; set one first",
        "此账户没有邮箱；请先设置",
    ),
    // The dataset.
    message(
        "{} is not the index of a dataset ({}); choose another folder",
        "{} 不是数据集的索引（{}）；请选择其他文件夹",
    ),
    message(
        "the folder has the dataset of {}, not of {}; choose another folder",
        "该文件夹存放的是 {} 的数据集，而不是 {}；请选择其他文件夹",
    ),
    // Contests.
    message(
        "its team has {} members, and this contest is for single people",
        "其队伍有 {} 人，而本赛事仅限个人参加",
    ),
    message(
        "its upload has {} bytes; this contest takes at most {}",
        "上传的文件有 {} 字节；该赛事至多接受 {} 字节",
    ),
    message(
        "it is built with {}; this contest takes only {}",
        "其构建方式为 {}；该赛事只接受 {}",
    ),
    message("version {} cannot enter: {}", "第 {} 版不能报名：{}"),
    message(
        "only the organisers of contest {} may do this; ask one of them",
        "只有赛事 {} 的组织者可以这样做；请联系其中一位",
    ),
    message(
        "administrators publish contests, and organisers of a group those that only the group may \
         enter (entry.who = \"group\"); ask one of them",
        "赛事由管理员发布；小组的组织者可以发布仅限本小组报名的赛事（entry.who = \"group\"）；请联系其中一位",
    ),
    message(
        "the group {} has {} contests that are not over, as many as the arena allows; wait for \
         the end of one, annul one, or ask an administrator",
        "小组 {} 已有 {} 个未结束的赛事，达到本擂台的上限；请等待其中一个结束、作废一个，或联系管理员",
    ),
    message(
        "this contest can have {} matches; organisers of a group publish at most {}. Lower \
         entry.most, rounds or matches, or ask an administrator",
        "该赛事最多可能有 {} 场比赛；小组的组织者发布的赛事至多 {} 场。请减小 entry.most、rounds 或 matches，或联系管理员",
    ),
    message(
        "only administrators and organisers of a group check contests here; ask one of them, or \
         use leitai contest check on your own machine",
        "只有管理员和小组的组织者可以在此检查赛事；请联系其中一位，或在自己的机器上使用 leitai contest check",
    ),
    message(
        "a dry run that you asked for is being computed; wait for its result",
        "您请求的估算正在进行；请等待其结果",
    ),
    message("the dry run did not end", "估算未能完成"),
    message("a checked config was refused", "已检查的配置被拒绝"),
    message(
        "entrants is {}; write 2 to 1000",
        "entrants 为 {}；请写 2 到 1000",
    ),
    message(
        "only administrators change entry.who; write it as it was",
        "只有管理员可以更改 entry.who；请保持原样",
    ),
    message(
        "its team has {} members; in this contest teams have at most {}",
        "其队伍有 {} 人，而本赛事的队伍最多 {} 人",
    ),
    message(
        "{} is in contest {} with {} already, and everybody plays for one entrant",
        "{} 已在赛事 {} 中代表 {} 参赛，每人只能代表一个参赛方",
    ),
    message(
        "one of its people plays for {}, which joined before",
        "其成员之一已代表先报名的 {} 参赛",
    ),
    message(
        "this contest is for the group {}; ask its organiser",
        "本赛事仅限小组 {} 的成员；请联系组织者",
    ),
    message("the archive was not written: {}", "压缩包未能写入：{}"),
    message("the archive was not written", "压缩包未能写入"),
    message("match of the contest", "赛事中的比赛"),
    message(
        "contest {} went on meanwhile; look at it and try again",
        "赛事 {} 在此期间有了进展；请查看后重试",
    ),
    message("match {} was taken back already", "比赛 {} 已经撤回"),
    message(
        "stage {} of contest {} has not begun",
        "第 {} 阶段（赛事 {}）尚未开始",
    ),
    message(
        "stage {} of contest {} was seeded from these results; take that stage back first",
        "第 {} 阶段（赛事 {}）已按这些结果排定种子；请先撤回该阶段",
    ),
    message(
        "{} cannot change once a contest is published; publish another contest",
        "赛事发布后不能更改 {}；请发布另一个赛事",
    ),
    message(
        "{} cannot change any more: the contest is past it; write it as it was",
        "不能再更改 {}：赛事已过这一步；请写成原来的值",
    ),
    message(
        "{} would be {}, which has passed; write a later date",
        "{} 将是 {}，该时间已过；请写更晚的日期",
    ),
    message(
        "contest {} is frozen or over; nobody can join it any more",
        "赛事 {} 已冻结或结束，不能再报名",
    ),
    message("this bot is in contest {} already", "该 Bot 已报名赛事 {}"),
    message(
        "this bot was disqualified in contest {}",
        "该 Bot 已被取消赛事 {} 的参赛资格",
    ),
    message(
        "contest {} is full: it has {} entrants, as many as its file allows",
        "赛事 {} 名额已满：已有 {} 个参赛方，达到文件规定的上限",
    ),
    message(
        "entry {} of contest {} has left it already",
        "赛事 {1} 的参赛方 {0} 已经退出",
    ),
    message("contest {} is over already", "赛事 {} 已经结束"),
    message(
        "entrants at the freeze: {}; the contest needs {}",
        "冻结时有 {} 个参赛方，至少需要 {} 个",
    ),
    message(
        "it had no version that could play at the freeze",
        "冻结时没有可以参赛的版本",
    ),
    message("every entrant has left the contest", "所有参赛方都已退出"),
    message("an entrant left the contest", "有参赛方退出赛事"),
    message("the contest is over", "赛事已经结束"),
    message("there is no contest {}", "没有赛事 {}"),
    message("there is no entry {}", "没有参赛方 {}"),
    message(
        "its file is not valid in this version of the arena",
        "赛事文件在当前版本的擂台中无效",
    ),
    message(
        "{} is not your bot; choose one of yours",
        "{} 不是你的 Bot；请选择自己的 Bot",
    ),
    message(
        "this contest opens at {}; join then",
        "赛事于 {} 开放报名，请届时再报名",
    ),
    message(
        "this contest needs its code, and this is not it; ask its organiser",
        "报名需要赛事口令，所填口令不对；请询问组织者",
    ),
    message(
        "your account is not on the list of this contest; ask its organiser",
        "你的账户不在赛事名单上；请询问组织者",
    ),
    message("{} is not in contest {}", "{} 没有报名赛事 {}"),
    message(
        "the reason has {} characters; write 1 to {}",
        "理由有 {} 个字符；请写 1 到 {} 个",
    ),
    message(
        "match {} belongs to a contest that does not show its matches yet",
        "比赛 {} 属于某项赛事，该赛事尚未公开比赛",
    ),
    // Bots and accounts.
    message(
        "version {} is not ready: only one that passed the checks may play",
        "版本 {} 尚未就绪：只有通过检查的版本才能参赛",
    ),
    message("an administrator has disabled {}", "管理员停用了 {}"),
    message(
        "{} has no version that may play yet",
        "{} 还没有可以参赛的版本",
    ),
    message(
        "version {} of {} is not ready to play",
        "{1} 的版本 {0} 尚未就绪，不能参赛",
    ),
    message(
        "this is an error of the arena, not of the program: {}; upload it again",
        "这是平台的错误，与程序无关：{}；请重新上传",
    ),
    message(
        "no leg of this match was played",
        "此比赛没有任何一局进行过",
    ),
    message(
        "the format {} is not supported; ask for json",
        "不支持格式 {}；请使用 json",
    ),
    message(
        "there is no player with this name; check the spelling",
        "没有叫这个名字的玩家；请检查拼写",
    ),
    message(
        "this match counts for no rating of a person",
        "这场比赛不计入任何人的评分",
    ),
    message(
        "this is not the address of a match of this arena",
        "这不是本擂台比赛的地址",
    ),
    message(
        "this invite has been taken or withdrawn",
        "此邀请已被使用或撤回",
    ),
    message(
        "no offer of a rematch waits for an answer",
        "没有等待回应的再来一局邀请",
    ),
    message(
        "the {} `{}` is taken; choose another",
        "{} `{}` 已被占用；请换一个",
    ),
    message(
        "`{}` has a `/` in it, which parts the name of a token from those of its workers; leave it out",
        "`{}` 含有 `/`，它用来分隔令牌名与其工作进程名；请去掉",
    ),
    message(
        "the {} `{}` looks like `{}`, which is taken; choose another",
        "{} `{}` 看起来与已被占用的 `{}` 相似；请换一个",
    ),
    message("name", "名称"),
    message("there is no {} {}", "没有 {} {}"),
    message("bot", "Bot"),
    message("match", "比赛"),
    message("version", "版本"),
    message("job that is set aside", "搁置的任务"),
    message("signing key", "签名密钥"),
    message("private key of", "私钥，其公钥为"),
    message("it is not a plain file", "它不是普通文件"),
    message("account", "账户"),
    message("token", "令牌"),
    message("invite", "邀请"),
    message("ladder", "天梯"),
    message(
        "the {} `{}` was given up and stays with nobody until {}, so that who takes it is not \
         mistaken for who had it; choose another",
        "{} `{}` 已被放弃，{} 之前不属于任何人，以免新的使用者被误认为原来的使用者；请换一个",
    ),
    message(
        "the {} `{}` looks like one that was given up and stays with nobody until {}, so that who takes it is not \
         mistaken for who had that one; choose another",
        "{} `{}` 看起来与一个已被放弃的名称相似，{} 之前二者都不属于任何人，以免新的使用者被误认为原来的使用者；请换一个",
    ),
    message(
        "account {} belongs to another group, too; its owner or an administrator changes its password",
        "账户 {} 还属于其他小组；其密码由本人或管理员更改",
    ),
    message(
        "account {} belongs to a team outside the group; its owner or an administrator changes its password",
        "账户 {} 属于小组以外的队伍；其密码由本人或管理员更改",
    ),
    message(
        "account {} is named in a contest; its owner or an administrator changes its password",
        "账户 {} 被某个赛事点名；其密码由本人或管理员更改",
    ),
    message(
        "account {} has a second factor of its owner; its owner or an administrator changes its password",
        "账户 {} 已由本人开启两步验证；其密码由本人或管理员更改",
    ),
    message(
        "account {} is opened by its owner at a provider; its owner or an administrator changes its password",
        "账户 {} 由本人通过登录服务打开；其密码由本人或管理员更改",
    ),
    message(
        "account {} has an address for mail by which its owner sets a password; its owner or an administrator \
         changes its password",
        "账户 {} 有本人可用来设置密码的邮件地址；其密码由本人或管理员更改",
    ),
    message("invitation to group", "小组邀请"),
    message("session", "会话"),
    message(
        "`{}` is not a cursor of this list; take `next` of the page before, or leave it out",
        "`{}` 不是此列表的游标；请使用上一页的 `next`，或不填",
    ),
    // Feeds.
    message(
        "the request names no host, so the feed would have no addresses; send a header Host",
        "请求没有给出主机名，订阅源无法包含地址；请发送 Host 头",
    ),
    // Rests.
    message(
        "{} does not rest; it needs no check",
        "{} 没有停赛；无需检查",
    ),
    message(
        "version {} of {} is being checked already; wait for the result",
        "{1} 的版本 {0} 正在检查；请等待结果",
    ),
    // Groups and teams.
    message(
        "this is a one-time password; choose a password of your own first, on the page of your account",
        "这是一次性密码；请先在账户页设置自己的密码",
    ),
    message(
        "nothing was imported, because of lines {}; `problems` says what is wrong with each",
        "没有导入任何人：第 {} 行有误；`problems` 逐行说明问题",
    ),
    message(
        "you do not belong to group {}; ask one of its organisers to add you",
        "你不属于小组 {}；请让组织者添加你",
    ),
    message(
        "only organisers of group {} may do this; ask one of them",
        "只有小组 {} 的组织者可以这样做；请联系他们",
    ),
    message(
        "account {} does not belong to group {}; import it or add it first",
        "账户 {} 不属于小组 {}；请先导入或添加",
    ),
    message(
        "give the group a name of one line with 1 to {} characters",
        "小组名称须为一行，1 至 {} 个字符",
    ),
    message(
        "the name has {} in it, which is not seen or looks like another letter; leave it out",
        "名称中有 {}：它不可见，或与其他字母难以区分；请去掉",
    ),
    message(
        "a team has at most {} members; write 1 to {}, or 0 for no teams",
        "队伍人数上限不能是 {}；请填 1 至 {}，或填 0 表示不分队",
    ),
    message(
        "a team has at most {} members; write 1 to {}",
        "队伍人数上限不能是 {}；请填 1 至 {}",
    ),
    message(
        "no team has the code {}; ask its captain for the present one",
        "没有加入码为 {} 的队伍；请向队长索取现在的加入码",
    ),
    message(
        "only the captain of team {} may do this; ask the captain",
        "只有队伍 {} 的队长可以这样做；请联系队长",
    ),
    message(
        "account {} was not created for the group {}; its owner or an administrator changes its password",
        "账户 {} 不是为小组 {} 创建的；它的密码由本人或管理员修改",
    ),
    message(
        "this is the only organiser of the group {}; make another member an organiser first",
        "这是小组 {} 唯一的组织者；请先让另一名成员成为组织者",
    ),
    message(
        "the account {} was deleted meanwhile; import the list again",
        "账户 {} 已在此期间被删除；请重新导入名单",
    ),
    message(
        "{} is in the team {}; take {} out of it before the list puts it into {}",
        "{} 在队伍 {} 中；请先让 {} 退出，名单才能将其编入 {}",
    ),
    message(
        "account {} is not a member of the team {}; let it join first",
        "账户 {} 不是队伍 {} 的成员；请先让其加入",
    ),
    message(
        "the captain of {} cannot leave while it has other members; hand the captaincy over first",
        "{} 还有其他成员，队长不能退出；请先移交队长职务",
    ),
    message(
        "{} belongs to somebody else; its owner (of a team: its captain) gives it to a team",
        "{} 属于别人；只有它的所有者（队伍的 Bot 则是队长）能把它交给队伍",
    ),
    message(
        "you are not a member of the team {}; join it first",
        "你不是队伍 {} 的成员；请先加入",
    ),
    message(
        "the group {} has no teams; its organisers may allow them",
        "小组 {} 不分队；组织者可以开启分队",
    ),
    message(
        "you do not belong to the group {}; ask one of its organisers to add you",
        "你不属于小组 {}；请让组织者添加你",
    ),
    message(
        "the account has a team in the group {}: {}; it must leave it first",
        "该账户在小组 {} 中已有队伍：{}；须先退出",
    ),
    message(
        "the account is already a member of the team {}",
        "该账户已是队伍 {} 的成员",
    ),
    message(
        "the team {} has {} members, and may have {}; ask for a place in another team",
        "队伍 {} 已有 {} 名成员，上限 {} 名；请另找一个队伍",
    ),
    message(
        "there is no account {}; check the spelling",
        "没有账户 {}；请检查拼写",
    ),
    message("team", "队伍"),
    message("group", "小组"),
    message("member", "成员"),
    message("user", "账户"),
    // Corrections and reruns.
    message(
        "a correction needs a reason of 1 to {} characters in one line; this one has {}",
        "更正需要一行 1 到 {} 个字符的理由；现在有 {} 个字符",
    ),
    message(
        "match {} has no result to correct; play it again instead",
        "比赛 {} 没有可更正的结果；请改为重赛",
    ),
    message("match {} has this result already", "比赛 {} 已经是这个结果"),
    message(
        "match {} was withdrawn and is played again for the ladder; correct the new match instead",
        "比赛 {} 已撤回并会为天梯重赛；请更正新的比赛",
    ),
    message("corrected by an administrator: {}", "管理员更正：{}"),
    message(
        "match {} is not over yet: cancel it or wait for its end",
        "比赛 {} 尚未结束：请取消它或等它结束",
    ),
    message(
        "people played match {}, so it cannot be played again",
        "比赛 {} 有真人参加：不能重赛",
    ),
    message("match {} is over already", "比赛 {} 已经结束"),
    message(
        "a match has 1 to {} legs, not {}",
        "一场比赛有 1 到 {} 局，不能是 {} 局",
    ),
    message(
        "the worker that did it stopped answering",
        "执行它的工作进程不再响应",
    ),
    message(
        "the worker that did it stopped answering again, together with another job of both times",
        "执行它的工作进程再次不再响应，两次都有同一个其他任务与它一起中断",
    ),
    message(
        "the worker that did it stopped answering twice in a row; it is tried once more in a minute",
        "执行它的工作进程连续两次不再响应；一分钟后再试一次",
    ),
    message(
        "again and again the worker that built and checked it stopped answering, so it is set aside \
        until the operator looks at it",
        "构建和检查它的工作进程一再不再响应，因此它被搁置，等待管理员处理",
    ),
    message("\n… the rest was left out\n", "\n……其余部分已省略\n"),
    // Databases and files.
    message(
        "`{}` is not a database; write sqlite:///folder/leitai.db or postgres://user@host/leitai",
        "`{}` 不是数据库地址；请写 sqlite:///folder/leitai.db 或 postgres://user@host/leitai",
    ),
    message(
        "there is no arena in {}; `leitai serve` makes one",
        "{} 中没有擂台数据；`leitai serve` 会创建",
    ),
    message(
        "a newer version of Leitai changed the database (its migration {}), and this version cannot work with it; \
         start the newer version, or this one with the backup of before",
        "较新版本的 Leitai 已修改数据库（迁移 {}），此版本无法使用；请启动新版本，或用升级前的备份启动此版本",
    ),
    message(
        "the migration {} of this version needs all servers of other versions stopped, and these are \
         connected: {}; stop them, then start this one again",
        "此版本的迁移 {} 要求先停止所有其他版本的服务器，但以下连接仍在：{}；请停止它们，再启动此版本",
    ),
    message("the database failed: {}", "数据库出错：{}"),
    message(
        "the database was closed meanwhile; start the server again",
        "数据库在此期间已关闭；请重新启动服务器",
    ),
    message(
        "this database is PostgreSQL: copy it with pg_dump",
        "此数据库是 PostgreSQL：请用 pg_dump 备份",
    ),
    message("{} is not UTF-8", "{} 不是 UTF-8"),
    message(
        "there is nothing named {} in the blob store",
        "存储中没有 {}",
    ),
    message(
        "{} has {} bytes; at most {} are kept",
        "{} 有 {} 字节；最多保存 {} 字节",
    ),
    message(
        "`{}` is not a name in the blob store",
        "`{}` 不是合法的存储名称",
    ),
    message(
        "`{}` is no place for replays; write file:///folder or s3://bucket/folder",
        "`{}` 不能用来存放回放；请写 file:///folder 或 s3://bucket/folder",
    ),
    message(
        "cannot use the bucket of {}: {}; check its name, AWS_ENDPOINT, AWS_REGION, \
        AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
        "无法使用 {} 的桶：{}；请检查它的名称、AWS_ENDPOINT、AWS_REGION、AWS_ACCESS_KEY_ID 和 \
        AWS_SECRET_ACCESS_KEY",
    ),
    message(
        "cannot use {} for sources and replays: {}",
        "无法用 {} 存放源代码和回放：{}",
    ),
    message("the blob store failed: {}", "存储出错：{}"),
    message("work of job", "任务内容"),
    message(
        "PostgreSQL at {} cannot be used: {}; check that it runs, and that the address, the \
        account, the password and the name of the database are right",
        "无法使用 {} 的 PostgreSQL：{}；请检查它是否在运行，以及地址、账户、密码和数据库名是否正\
        确",
    ),
    message("no answer in {} seconds", "{} 秒内没有响应"),
    message(
        "version {} of {} is the one that plays; let another version play first, or delete the \
        bot",
        "{1} 的版本 {0} 正在参赛；请先换另一个版本参赛，或删除整个 Bot",
    ),
    message(
        "{} is the only administrator; make another account an administrator's first",
        "{} 是唯一的管理员；请先把另一个账户设为管理员",
    ),
    message(
        "{} comes with Leitai and cannot be deleted; an administrator can take it off the ladder",
        "{} 是 Leitai 自带的，不能删除；管理员可以让它退出天梯",
    ),
    message("a bot that plays in it was deleted", "参赛的 Bot 已被删除"),
    message(
        "the account of a person who plays in it was deleted",
        "参赛方的账户已被删除",
    ),
    message(
        "the file came too late; send it again",
        "文件到得太晚；请重新上传",
    ),
    message("{} {} was deleted on {}", "{} {} 已于 {} 删除"),
    message(
        "the versions of this account take {}, and this one {}: more than the {} that an account \
        may keep; delete versions that you no longer need, or send a smaller file",
        "此账户的版本已占 {}，这个版本占 {}，超过每个账户 {} 的上限；请删除不再需要的版本，或上传\
        较小的文件",
    ),
    message(
        "this account has {} bots, and may have {}; give one of them a new version, or delete one",
        "此账户已有 {} 个 Bot，上限为 {} 个；请给其中一个上传新版本，或删除一个",
    ),
    message(
        "bot {} had {} versions within 24 hours, and may have {}; the next one at {}",
        "Bot {} 在 24 小时内已上传 {} 个版本，上限为 {} 个；下一个版本可在 {} 上传",
    ),
    message(
        "bot {} has {} versions, and this arena allows {}; delete versions that you no longer need",
        "Bot {} 已有 {} 个版本，本擂台的上限为 {} 个；请删除不再需要的版本",
    ),
    message(
        "bot {} has {} versions, and the group `{}` allows its members {}; delete versions that you \
        no longer need",
        "Bot {} 已有 {} 个版本，小组 `{}` 规定其成员至多 {} 个；请删除不再需要的版本",
    ),
    message(
        "this arena allows {} uploads an hour, and you made {}: none is left; {}",
        "本擂台规定每小时至多上传 {} 次，你已上传 {} 次，没有剩余；{}",
    ),
    message(
        "the group `{}` allows its members {} uploads an hour, and you made {}: none is left; {}",
        "小组 `{}` 规定其成员每小时至多上传 {} 次，你已上传 {} 次，没有剩余；{}",
    ),
    message(
        "this arena allows {} friendly matches within 24 hours, and you asked for {}: none is left; {}",
        "本擂台规定 24 小时内至多 {} 场友谊赛，你已发起 {} 场，没有剩余；{}",
    ),
    message(
        "the group `{}` allows its members {} friendly matches within 24 hours, and you asked for {}: none is left; {}",
        "小组 `{}` 规定其成员 24 小时内至多 {} 场友谊赛，你已发起 {} 场，没有剩余；{}",
    ),
    message(
        "this arena allows {} CPU seconds within 24 hours for friendly matches, and yours took {}: none is left; {}",
        "本擂台规定友谊赛 24 小时内至多使用 {} 秒 CPU 时间，你的已用 {} 秒，没有剩余；{}",
    ),
    message(
        "the group `{}` allows its members {} CPU seconds within 24 hours for friendly matches, and yours took {}: none is left; {}",
        "小组 `{}` 规定其成员友谊赛 24 小时内至多使用 {} 秒 CPU 时间，你的已用 {} 秒，没有剩余；{}",
    ),
    message(
        "the source has {} bytes, and this arena allows {}; leave out what the bot does not need",
        "源代码有 {} 字节，本擂台规定至多 {} 字节；请去掉 Bot 不需要的内容",
    ),
    message(
        "the source has {} bytes, and the group `{}` allows its members {}; leave out what the bot does not need",
        "源代码有 {} 字节，小组 `{}` 规定其成员至多 {} 字节；请去掉 Bot 不需要的内容",
    ),
    message(
        "the source has {}, and this arena allows {}; write it in one of these",
        "源代码使用 {}，本擂台规定只能使用 {}；请改用其中之一",
    ),
    message(
        "the source has {}, and the group `{}` allows its members {}; write it in one of these",
        "源代码使用 {}，小组 `{}` 规定其成员只能使用 {}；请改用其中之一",
    ),
    message("no language", "任何语言都不行"),
    message("the next one at {}", "下一次最早在 {}"),
    message("ask an organiser when that changes", "何时放开请询问组织者"),
    // Quotas of groups.
    message(
        "only an administrator lets a group have quotas beyond the arena's; ask one",
        "只有管理员能允许小组的配额超过擂台的配额；请联系管理员",
    ),
    message(
        "`{}` is {}; write {} to {}, or leave it out to set no limit",
        "`{}` 为 {}；请写 {} 到 {}，不设限制则省略",
    ),
    message(
        "`languages` has {}, which is none of {}; check the spelling",
        "`languages` 中的 {} 不在 {} 之列；请检查拼写",
    ),
    message(
        "`languages` is empty; choose from {}, or leave it out to set no limit",
        "`languages` 为空；请从 {} 中选择，不设限制则省略",
    ),
    message(
        "`{}` is {}, and this arena allows {}; write at most {}, or ask an administrator to let the \
        group go beyond the arena's quotas",
        "`{}` 为 {}，而本擂台的上限为 {}；请写不超过 {} 的值，或请管理员允许小组超过擂台的配额",
    ),
    // Tags of matches.
    message(
        "the tag {} has neither a letter nor a digit; add one, or leave it out",
        "标签 {} 不含汉字、字母或数字；请补上，或去掉这个标签",
    ),
    message(
        "the tag {} has {} characters; write at most {}",
        "标签 {} 有 {} 个字符；至多 {} 个",
    ),
    message(
        "the tag {} has {} in it; use letters, digits, - _ . and Chinese characters",
        "标签 {} 中有 {}；请使用汉字、字母、数字和 - _ .",
    ),
    message(
        "there are {} tags; a match has at most {}",
        "共有 {} 个标签；一场比赛至多 {} 个",
    ),
    message(
        "only who asked for a friendly match, the organisers of its contest and administrators give it \
         tags; ask one of them",
        "只有发起友谊赛的人、该赛事的组织者和管理员能设置标签；请联系他们",
    ),
    // Requests.
    message(
        "unknown query parameter {}; this address takes {}",
        "未知的查询参数 {}；此地址接受 {}",
    ),
    message(
        "this address takes no body; send none",
        "此地址不接受请求体；请不要发送",
    ),
    message(
        "unknown field {}; this address takes no fields",
        "未知字段 {}；此地址不接受任何字段",
    ),
    message(
        "unknown field {}; this address takes {}",
        "未知字段 {}；此地址接受 {}",
    ),
    message(
        "the body is no JSON object; this address takes no body",
        "请求体不是 JSON 对象；此地址不接受请求体",
    ),
    message(
        "{}; /api/openapi.json says what is taken",
        "{}；可接受的内容见 /api/openapi.json",
    ),
    message("no such address: {}", "没有这个网址：{}"),
    message("{}; fix the address", "{}；请修正地址"),
    message(
        "limit is {}; it must be 1 to {}",
        "limit 是 {}；应为 1 到 {}",
    ),
    message(
        "before is not a valid cursor; use `next` of the previous page",
        "before 不是有效的游标；请使用上一页的 `next`",
    ),
    message(
        "there is no {} {}; /api/openapi.json lists what there is",
        "没有 {} {}；可用地址见 /api/openapi.json",
    ),
    message("there is no file {}", "没有文件 {}"),
    message(
        "there is no document {}; {} lists what there is",
        "没有文档 {}；目录见 {}",
    ),
    message(
        "{} takes no {}; /api/openapi.json lists what it takes",
        "{} 不接受 {}；可用方法见 /api/openapi.json",
    ),
    message(
        "{} does not take {}; /api/openapi.json lists what it takes",
        "{} 不接受 {}；可用方法见 /api/openapi.json",
    ),
    message(
        "this comes from the page of another site; open the arena itself",
        "请求来自其他网站的页面；请直接打开擂台",
    ),
    message("the request could not be answered", "无法处理该请求"),
    message(
        "{}; this is an error of the server, try again in a moment",
        "{}；这是平台的错误，请稍后再试",
    ),
    message("the database did not answer", "数据库没有响应"),
    message(
        "the database does not answer; try again in a few seconds",
        "数据库没有响应；请过几秒再试",
    ),
    message("the disk takes no more", "磁盘无法再写入"),
    message(
        "the disk of the database takes no more: {}",
        "数据库所在的磁盘无法再写入：{}",
    ),
    message("the blob store takes no more", "文件存储无法再写入"),
    message("the file could not be read or written", "无法读写文件"),
    message(
        "too many requests; try again in {} s",
        "请求过多；请在 {} 秒后再试",
    ),
    message(
        "{}; this address is for WebSockets",
        "{}；此地址只用于 WebSocket",
    ),
    // Accounts.
    message(
        "this needs an account; log in, or send an API token",
        "需要账户；请登录，或发送 API 令牌",
    ),
    message(
        "the name `{}` is taken; choose another",
        "名称 `{}` 已被占用；请换一个",
    ),
    message(
        "registration is closed here; ask the administrator of this arena",
        "此擂台不开放注册；请联系管理员",
    ),
    message(
        "the first account administers the arena: open the link that `leitai serve` printed when \
        it started, or give the secret in it",
        "第一个账户将成为管理员：请打开 `leitai serve` 启动时显示的链接，或填写其中的密钥",
    ),
    message(
        "the name or the password is wrong; passwords are case-sensitive",
        "名称或密码不正确；请注意密码区分大小写",
    ),
    // Second factors.
    message(
        "this account has a second factor: send the code of its authenticator app, or a recovery code, \
         as `code`",
        "此账户已开启两步验证：请在 `code` 中给出验证器应用的验证码，或一个恢复码",
    ),
    message(
        "the code is wrong, too old or was used already; wait for the next one of the app, and look \
         whether the device's clock is right",
        "验证码错误、已过期或已用过；请等待应用显示下一个验证码，并检查设备时钟是否准确",
    ),
    message(
        "no secret waits for a code; begin to set up the second factor again",
        "没有等待确认的密钥；请重新开始设置两步验证",
    ),
    message(
        "this account has no second factor; set one up first",
        "此账户没有开启两步验证；请先设置",
    ),
    message(
        "this account has an authenticator app; switch it off first to use another one",
        "此账户已设置验证器应用；要更换应用，请先关闭",
    ),
    message(
        "this account has a second factor: log in in a browser with its passkey, or send a code of its \
         authenticator app or a recovery code as `code`",
        "此账户已开启两步验证：请在浏览器中用通行密钥登录，或在 `code` 中给出验证器应用的验证码或一个恢复码",
    ),
    // Passkeys.
    message(
        "this passkey is registered already; use another authenticator",
        "此通行密钥已注册；请使用其他设备或安全密钥",
    ),
    message(
        "an account has at most {} passkeys; remove one first",
        "每个账户最多有 {} 个通行密钥；请先移除一个",
    ),
    message("your account has no passkey {}", "你的账户没有通行密钥 {}"),
    message(
        "this account has no passkey; give a code of its authenticator app",
        "此账户没有通行密钥；请给出验证器应用的验证码",
    ),
    message(
        "passkeys belong to an address; the operator starts the server with --public-url",
        "通行密钥与网址绑定；请管理员用 --public-url 启动服务器",
    ),
    message(
        "browsers make no passkeys for an address of numbers; the operator gives the arena a name with \
         --public-url",
        "浏览器不为纯数字地址创建通行密钥；请管理员用 --public-url 给擂台指定域名",
    ),
    message(
        "browsers make passkeys only over https; the operator sets https up and names it with \
         --public-url",
        "浏览器只在 https 下创建通行密钥；请管理员启用 https，并用 --public-url 写明",
    ),
    message(
        "no challenge for a passkey was made",
        "未能生成通行密钥的质询",
    ),
    message(
        "this passkey does not open the account here; use one that you registered here, or a code",
        "此通行密钥不能用于登录这里的账户；请使用在这里注册过的通行密钥，或输入验证码",
    ),
    message(
        "the passkey's answer came too late or was used already; begin again",
        "通行密钥的应答已过期或已用过；请重新开始",
    ),
    message(
        "this account has no password: its provider asks for what opens it; set a password first",
        "此账户没有密码：由其登录提供方负责验证；请先设置密码",
    ),
    message(
        "this arena requires a second factor of administrators and organisers; set one up on the page \
         of your account first",
        "本擂台要求管理员和组织者开启两步验证；请先在账户页面设置",
    ),
    message("the QR code was not drawn", "未能生成二维码"),
    message(
        "this account is locked; ask the administrator of this arena",
        "此账户已被锁定；请联系管理员",
    ),
    message(
        "the current password is wrong; type it again",
        "当前密码不正确；请重新输入",
    ),
    message(
        "an API token may not do this; log in on the page",
        "API 令牌不能执行此操作；请在网页上登录",
    ),
    message("the password was not hashed", "密码没有保存成功"),
    message("the password was not checked", "密码没有核对成功"),
    message(
        "too many people are logging in; try again in a moment",
        "当前登录人数过多；请稍后再试",
    ),
    message(
        "the password has {} characters; it must have {} to {}",
        "密码有 {} 个字符；应为 {} 到 {} 个",
    ),
    message(
        "the name has {} characters; it must have {} to {}",
        "名称有 {} 个字符；应为 {} 到 {} 个",
    ),
    message(
        "the name has {} in it; use letters, digits, - _ . and Chinese characters",
        "名称中含有 {}；请使用字母、数字、- _ . 和汉字",
    ),
    message(
        "the name has neither a letter nor a digit; add one",
        "名称中没有字母或数字；请至少加一个",
    ),
    message(
        "give the token a name of 1 to {} characters",
        "请给令牌起一个 1 到 {} 个字符的名称",
    ),
    message(
        "there are {} tokens already; revoke one first",
        "已有 {} 个令牌；请先撤销一个",
    ),
    message(
        "only administrators may do this",
        "只有管理员可以执行此操作",
    ),
    message(
        "the header X-Leitai-Csrf is not the one of this session; load the page again",
        "请求头 X-Leitai-Csrf 与当前会话不符；请刷新页面",
    ),
    message(
        "the API token is unknown, revoked or of a locked account; create another on the page of \
        your account",
        "API 令牌无效、已撤销或属于被锁定的账户；请在账户页面新建一个",
    ),
    message(
        "you cannot lock yourself out; ask another administrator",
        "不能锁定自己；请让其他管理员操作",
    ),
    // Ladders.
    message(
        "{} has no ladder {}; there are {}",
        "{} 没有天梯 {}；可用的有 {}",
    ),
    message(
        "a ladder is one of a game; add the game, such as game=kob",
        "天梯属于某个游戏；请加上游戏，例如 game=kob",
    ),
    message(
        "every bot plays on the standard ladder of its game; retire it to take it off all ladders",
        "每个 Bot 都参加所属游戏的标准天梯；要退出所有天梯，请让它退役",
    ),
    message(
        "there is no [[ladder]] in it; write one, or leave --ladders out",
        "其中没有 [[ladder]]；请写一个，或去掉 --ladders",
    ),
    message("ladder {}: {}", "天梯 {}：{}"),
    message(
        "its game has two with this name; give each its own",
        "所属游戏有两个同名天梯；请各用一个名称",
    ),
    message(
        "{} has more than {} ladders here; keep fewer",
        "{} 的天梯超过 {} 个；请减少",
    ),
    message(
        "the name needs 1 to 32 of a-z, 0-9 and -",
        "名称须为 1 到 32 个 a-z、0-9 或 - 字符",
    ),
    message(
        "standard is the ladder that every game has; choose another name",
        "standard 是每个游戏都有的天梯；请换一个名称",
    ),
    message(
        "title {}: write 1 to 60 characters",
        "标题 {}：请写 1 到 60 个字符",
    ),
    message(
        "configs has {} choices; write 1 to {}, or leave it out",
        "configs 有 {} 项；请写 1 到 {} 项，或不填",
    ),
    message(
        "seeds: write at most {}, each below 2^53",
        "seeds：最多 {} 个，且均小于 2^53",
    ),
    message("configs: {}", "configs（配置）：{}"),
    // Bots and uploads.
    message(
        "there is no game {}; there are {}",
        "没有游戏 {}；可用的有 {}",
    ),
    message(
        "the name `{}` is that of a built-in bot; choose another",
        "名称 `{}` 与内置 Bot 同名；请换一个",
    ),
    message(
        "you follow {} bots, players and contests already; unfollow one first",
        "你已关注 {} 个 Bot、玩家和赛事；请先取消关注其中一个",
    ),
    message(
        "you have {} bots already; give one of them new versions",
        "你已有 {} 个 Bot；请给其中一个上传新版本",
    ),
    message(
        "{} has {} characters; at most {} are kept",
        "{} 有 {} 个字符；最多 {} 个",
    ),
    message("{} has {} in it; leave it out", "{} 中含有 {}；请去掉"),
    message(
        "bot {} is not yours; make one of your own",
        "Bot {} 不是你的；请创建自己的 Bot",
    ),
    message("bot {} has no version {}", "Bot {} 没有版本 {}"),
    message(
        "this bot was locked by an administrator; ask the administrator of this arena",
        "此 Bot 已被管理员锁定；请联系管理员",
    ),
    message(
        "the bot has {} versions already; make another bot",
        "此 Bot 已有 {} 个版本；请另建一个 Bot",
    ),
    message("the archive was not looked at", "没有检查压缩包"),
    message(
        "only its author may see the source of this version",
        "只有作者可以查看此版本的源代码",
    ),
    message(
        "a built-in bot's source is Leitai's own; see games/",
        "内置 Bot 的源代码在 Leitai 仓库的 games/ 中",
    ),
    message(
        "the body is {}; send multipart/form-data with `file` and `notes`, or JSON with \
        `file_name`, `code` and `notes`",
        "请求体是 {}；请发送含 `file` 和 `notes` 的 multipart/form-data，或含 \
        `file_name`、`code` 和 `notes` 的 JSON",
    ),
    message(
        "the form has a field {}; send `file` and `notes`",
        "表单中有字段 {}；请只发送 `file` 和 `notes`",
    ),
    message(
        "the form has no field `file`; add one",
        "表单中缺少字段 `file`；请补上",
    ),
    message(
        "{} has more than {} bytes; leave out what the bot does not need",
        "{} 超过 {} 字节；请去掉 Bot 不需要的内容",
    ),
    message(
        "the form is too large; send at most 16 MiB",
        "表单过大；请发送不超过 16 MiB 的内容",
    ),
    message("the form cannot be read: {}", "无法读取表单：{}"),
    message(
        "the file is empty; send the bot's source",
        "文件为空；请上传 Bot 的源代码",
    ),
    message(
        "the file has more than 16 MiB; leave out what the bot does not need",
        "文件超过 16 MiB；请去掉 Bot 不需要的内容",
    ),
    message(
        "the file's name {}; give it a plain one like bot.py",
        "文件名{}；请改成 bot.py 这样的普通名称",
    ),
    message("is too long", "过长"),
    message("is empty", "为空"),
    message("begins with a dot or a hyphen", "以点或连字符开头"),
    message(
        "has characters that compilers do not accept",
        "含有编译器不接受的字符",
    ),
    // Checks.
    message(
        "the machine was too busy to check it fairly",
        "机器过忙，无法公正检查",
    ),
    message(
        "{}; {} shows it on your machine",
        "{}；在你的机器上可用 {} 重现",
    ),
    message(
        "this machine offers no isolation for uploaded programs; `leitai doctor` says what is \
        missing",
        "本机不支持运行上传程序所需的隔离；`leitai doctor` 会说明缺少什么",
    ),
    message("cannot fetch the upload: {}", "无法取得上传的文件：{}"),
    message(
        "cannot write the upload to build it: {}; free some disk space",
        "无法写出上传的文件以供构建：{}；请清理磁盘空间",
    ),
    // Matches and replays.
    message(
        "match {} has no replay; it is there once the match is over",
        "比赛 {} 没有回放；比赛结束后才有",
    ),
    message("the replay is damaged", "回放已损坏"),
    message(
        "the signature does not fit: the replay was changed after it was signed",
        "签名不符：回放在签名之后被改动过",
    ),
    message(
        "this program was built without the page ({}); build it with Node.js and without \
        LEITAI_WEB=plain, or take a release",
        "此程序构建时没有包含网页（{}）；请安装 Node.js 并在不设 LEITAI_WEB=plain 的情况下重新构建，或使用\
        发行版",
    ),
    message(
        "this program was built without the engine in the page; build it with ./dev up, or take a \
        release",
        "此程序构建时没有包含网页中的引擎；请用 ./dev up 构建，或使用发行版",
    ),
    message("the template is missing", "缺少模板"),
    message("the replay was not read", "没有读到回放"),
    message(
        "match {} has no leg {}; it has {}",
        "比赛 {} 没有第 {} 局；共 {} 局",
    ),
    message(
        "too many replays are being rendered; try again in a moment",
        "正在处理的回放过多；请稍后再试",
    ),
    message("the frames were not computed", "回放处理中断"),
    message(
        "the machine was too busy to judge fairly in round {}: {}",
        "机器过忙，第 {} 回合无法公正裁判：{}",
    ),
    message("it could not be played: {}", "无法进行：{}"),
    message("there is no thread for it: {}", "无法为它创建线程：{}"),
    message("the judge stopped", "裁判中断"),
    message("an entrant is missing", "缺少参赛方"),
    message("it was interrupted", "被中断"),
    message("the lease was lost", "任务租约已丢失"),
    message(
        "the server was stopped while it was played",
        "比赛进行时服务器停止了",
    ),
    message("its server was started again", "服务器已重新启动"),
    message("the match was not played to its end", "比赛没有下完"),
    message("a leg has no end", "有一局没有下完"),
    message("this is not a replay of match {}", "这不是比赛 {} 的回放"),
    message("the replay does not verify: {}", "回放未通过验证：{}"),
    // People.
    message("the replay was not played", "回放未能重放"),
    message("other forced replies", "强制应答不同"),
    message(
        "[leitai] round {}: {} where the recorded match has {}; it goes on as recorded",
        "[leitai] 第 {} 回合：{}，原比赛为 {}；按原比赛继续",
    ),
    message(
        "only the author of one of the bots may play on from its match",
        "只有其中一个 Bot 的作者才能从该场比赛继续对战",
    ),
    message(
        "people play in this match; only matches between bots can be continued",
        "此比赛有真人参加；只有 Bot 之间的比赛才能继续",
    ),
    message("match {} has no replay any more", "比赛 {} 的回放已不存在"),
    message(
        "{} plays {}, not {}; choose a bot of this game",
        "{} 是 {} 的 Bot，不是 {} 的；请选择此游戏的 Bot",
    ),
    message(
        "too many people watch from your address, or here altogether; try again in a moment",
        "你的网络地址或全站的观看人数过多；请稍后再试",
    ),
    message("the match is over", "比赛已结束"),
    message(
        "nobody plays match {} here, or it is over; create a new match",
        "比赛 {} 没有在此进行，或已经结束；请新建一场比赛",
    ),
    message("send a join message first", "请先发送 join 消息"),
    message(
        "the token is for no seat of this match",
        "此令牌不属于这场比赛的任何座位",
    ),
    message("you joined on another connection", "你已在另一个连接上加入"),
    message(
        "the connection was too slow; join again",
        "连接过慢；请重新加入",
    ),
    message("too many messages", "消息过多"),
    message(
        "this server has no room for another match with people; try again in a few minutes",
        "本服务器的真人比赛已达上限；请过几分钟再试",
    ),
    message("there is no version {}", "没有版本 {}"),
    message(
        "without an opponent there is no match; choose a bot, a version, {\"invite\": true} or {\"anybody\": true}",
        "没有对手无法开始；请选择 Bot、版本、{\"invite\": true} 或 {\"anybody\": true}",
    ),
    message(
        "match {} is no table of the lobby; choose another table, or open one",
        "大厅里没有编号为 {} 的对局；请选择其他对局，或自己开一局",
    ),
    message(
        "this is your own table; wait there until somebody comes",
        "这是你自己开的对局；请在那里等待对手",
    ),
    message(
        "the header `leitai-seat` with the token of your seat is missing",
        "缺少请求头 `leitai-seat`，其值应为你座位的令牌",
    ),
    message(
        "this token is of no seat in this match",
        "该令牌不属于这场比赛的任何座位",
    ),
    message(
        "a rematch is asked for after a match of two people; against a bot create a new match",
        "只有两位真人的比赛才能请求再来一局；与 Bot 对弈请新建比赛",
    ),
    message(
        "a rematch is asked for when the match has a result",
        "比赛有结果之后才能请求再来一局",
    ),
    message(
        "there is a rematch already; open it, or create a new match",
        "已经再来了一局；请打开那场比赛，或新建比赛",
    ),
    message(
        "nobody waits at this table any more; choose another one, or open one",
        "这场对局已无人等候；请选择其他对局，或自己开一局",
    ),
    message(
        "uploaded programs cannot play people on this machine: it offers no isolation for them",
        "本机不支持所需的隔离，上传的程序不能与真人对战",
    ),
    message(
        "there is no such invite; ask for a new link",
        "没有这个邀请；请索取新链接",
    ),
    message(
        "q is empty; give the first letters of a name, or the number of a match",
        "q 为空；请填写名字的前几个字，或比赛编号",
    ),
    message(
        "nobody waits in this match any more; create a new one",
        "这场比赛已无人等候；请新建一场",
    ),
    message(
        "an action has at most {} characters",
        "一个操作最多 {} 个字符",
    ),
    // Workers.
    message(
        "this needs the token of a worker; an administrator makes one on the page Admin, Workers",
        "需要工作进程令牌；管理员可在“管理”页面的“工作进程”中创建",
    ),
    message(
        "a worker's name has 1 to {} characters; give --name",
        "工作进程名称应为 1 到 {} 个字符；请用 --name 指定",
    ),
    message("{} does not answer: {}", "{} 没有响应：{}"),
    message("it does not say why", "没有说明原因"),
    message("the server's answer was empty", "服务器的响应为空"),
    message(
        "the server plays {} by the rules {}, the worker by {}; run the same version of leitai \
        on both machines",
        "服务器的 {} 使用规则 {}，工作进程使用 {}；请在两台机器上运行相同版本的 leitai",
    ),
    message(
        "the server plays {} with other limits than the worker; run the same version of leitai on \
        both machines",
        "服务器的 {} 的限制与工作进程的不同；请在两台机器上运行相同版本的 leitai",
    ),
    message(
        "the worker, leitai {}, knows no game of the server, leitai {}; run the same version of \
        leitai on both machines",
        "工作进程（leitai {}）不认识服务器（leitai {}）的任何游戏；请在两台机器上运行相同版本的 leitai",
    ),
    message(
        "the worker, leitai {}, is newer than the server, leitai {}: it speaks version {} of the \
        job API, the server at most version {}; update the servers first",
        "工作进程（leitai {}）比服务器（leitai {}）新：它使用版本 {} 的任务 API，服务器最高支持版本 {}；请先更新服务器",
    ),
    message(
        "the worker, leitai {}, is too old for the server, leitai {}: it speaks version {} of the \
        job API, the server at least version {}; update the worker",
        "工作进程（leitai {}）对服务器（leitai {}）来说太旧：它使用版本 {} 的任务 API，服务器最低支持版本 {}；请更新工作进程",
    ),
    message("match {} lacks an entrant", "比赛 {} 缺少参赛方"),
    message("{} has no version", "{} 没有版本"),
    message("there is no game {} on this server", "此处没有游戏 {}"),
    message(
        "version {} does not belong to this task",
        "版本 {} 不属于此任务",
    ),
    message("a built-in bot has no source", "内置 Bot 没有源代码"),
    message(
        "the worker had an internal error; see its log",
        "工作进程出错；请查看其日志",
    ),
    message(
        "this worker does not know the game {}",
        "此工作进程不认识游戏 {}",
    ),
    message("the game has no config", "此游戏没有配置"),
    message("the guide has no pictures", "指南没有图"),
    message("the answer was not written", "响应没有写出"),
    message(
        "somebody else has it, or it is over",
        "它已由别处执行，或已经结束",
    ),
    message("a token for workers", "工作进程令牌"),
    message(
        "this server has no room for another match of a guest; log in, or try again in a few minutes",
        "访客的真人比赛已达上限；请登录，或过几分钟再试",
    ),
    message(
        "you have too many open human matches; finish one of them first",
        "你未结束的真人比赛过多；请先结束其中一场",
    ),
    message(
        "guests at your address have too many open human matches; log in, or finish one first",
        "同一网络地址的访客未结束的真人比赛过多；请登录，或先结束其中一场",
    ),
    message(
        "only administrators may do this, and API tokens with the scope `admin` of theirs",
        "只有管理员及其具有 `admin` 权限的 API 令牌可以执行此操作",
    ),
    message(
        "this API token lacks the scope `{}`; make one that has it on the page of your account",
        "此 API 令牌没有 `{}` 权限；请在账户页面新建具有该权限的令牌",
    ),
    message(
        "the API token is unknown, revoked, expired or of a locked account; create another on \
        the page of your account",
        "API 令牌无效、已撤销、已过期或属于被锁定的账户；请在账户页面新建一个",
    ),
    message(
        "the password equals the name; choose one that is hard to guess",
        "密码与名称相同；请换一个不易猜到的",
    ),
    message(
        "the password is one of the 10,000 that are tried first; choose another, such as three \
        words",
        "这是最常见的 10000 个密码之一；请换一个，例如由三个词组成",
    ),
    message(
        "a token lasts {} to {} days, not {}; leave the days out for no end",
        "令牌有效期应为 {} 到 {} 天，而不是 {}；不填则长期有效",
    ),
    message(
        "the token of a worker has no scopes: it does what workers do; leave them out",
        "工作进程令牌没有权限范围：它只做工作进程的事；请不要填写",
    ),
    message(
        "only administrators make tokens with the scope `admin`; leave it out",
        "只有管理员可以创建具有 `admin` 权限的令牌；请去掉它",
    ),
    message(
        "too many connections come from your address",
        "来自你的网络地址的连接过多",
    ),
    message(
        "this is not a replay of match {}: it has {}",
        "这不是比赛 {} 的回放：它有 {}",
    ),
    message("choices that cannot be dealt", "无法生成开局的选项"),
    message("another setup than its seed deals", "与种子不符的开局"),
    message("entrants of another kind", "不同类型的参赛方"),
    message("a foreign origin", "外部来源"),
    message("too few legs", "过少的局数"),
    message("too many legs", "过多的局数"),
    message(
        "the server restarts; join again in a moment",
        "服务器正在重启；请稍后重新加入",
    ),
    message(
        "uploaded programs cannot play people here: this server runs none itself (--slots 0, or \
        no isolation on its machine); play a built-in bot, or challenge the program with a bot \
        of yours",
        "上传的程序不能在此与真人对战：此服务器自身不运行程序（--slots 0，或本机不支持隔离）；请\
        与内置 Bot 对战，或用你的程序向它挑战",
    ),
    message("no worker continues it", "没有工作进程继续执行"),
    message("ended by a restart of the server", "因服务器重启而结束"),
    message("a person has no token for a seat", "有参与者没有入座令牌"),
    message(
        "this server runs no uploaded programs",
        "此服务器不运行上传的程序",
    ),
    message("its moves cannot be read: {}", "无法读取它的着法：{}"),
    message(
        "{}: its people did not come back in time",
        "{}：参与者没有及时回来",
    ),
    message("the server stops", "服务器正在停止"),
    message(
        "that is not the password of this account; type it again",
        "不是此账户的密码；请重新输入",
    ),
    message(
        "this is your own account; delete it on its page, where your password is asked",
        "这是你自己的账户；请在账户页面删除，届时会询问密码",
    ),
    message(
        "the replay of match {} was removed on {}; its result stays",
        "比赛 {} 的回放已于 {} 清除；结果仍保留",
    ),
    message("`{}` is not text", "`{}` 不是文本"),
    message(
        "a source has both `file_name` and `code`; send both, or neither",
        "源代码需要同时有 `file_name` 和 `code`；请都填或都不填",
    ),
    message("it could not begin: {}", "无法开始：{}"),
];

/// Labels and templates, found by their exact English text.
pub const LABELS: &[Text] = &[
    // Checks of a version.
    message(
        "{}; {} shows it on your machine",
        "{0}；在你的机器上运行 {1} 可重现",
    ),
    message("{}: {}", "{}：{}"),
    message("; it said: {}", "；其输出：{}"),
    message("; {}", "；{}"),
    message("; repeat it with: {}", "；重现：{}"),
    // Versions that wait.
    message(
        "no worker that runs uploaded programs is connected; it is built and checked as soon as \
        one is",
        "目前没有可运行上传程序的工作进程在线；一旦有工作进程连上，就会开始构建与检查",
    ),
    message(
        "an infrastructure error cut off its examination several times; it is tried again at {}",
        "构建与检查因平台错误多次中断；将于 {} 重试",
    ),
    message(
        "Nothing is being played: the ratings of the built-in bots are known. They play as soon as \
        somebody watches, and when an uploaded bot needs opponents.",
        "目前没有比赛：内置 Bot 的评分已知。一旦有人观看，或有上传的 Bot 需要对手，它们就会比赛。",
    ),
    message(
        "Nothing is being played: the ratings of the built-in bots are known. They play when an \
        uploaded bot needs opponents; this arena has no exhibitions.",
        "目前没有比赛：内置 Bot 的评分已知。有上传的 Bot 需要对手时，它们就会比赛；此擂台没有表演赛。",
    ),
    // The queue.
    message(
        "number {} in the queue: it begins as soon as a worker that can do it is connected",
        "排在第 {} 位：一旦有能执行它的工作进程连上，就会开始",
    ),
    message(
        "number {} in the queue: it begins at once",
        "排在第 {} 位：马上开始",
    ),
    message(
        "number {} in the queue: it waits for a free slot ({} of {} at work)",
        "排在第 {} 位：等待空闲的执行位（{} 个在工作，共 {} 个）",
    ),
    message("; it begins in about {}", "；大约 {} 后开始"),
    message("{} s", "{} 秒"),
    message("{} min", "{} 分钟"),
    message("{} h", "{} 小时"),
];

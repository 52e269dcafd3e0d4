//! What mails say, in both languages.

use leitai_store::{ClaimedMail, MailKind};
use serde_json::Value;

/// A mail.
pub(super) struct MailText {
    pub subject: String,
    pub body: String,
}

/// Writes a mail.
pub(super) fn write_mail(claimed: &ClaimedMail, origin: &str, token: &str) -> MailText {
    let about = claimed.mail.subject.as_deref().unwrap_or_default();
    let about: Value = serde_json::from_str(about).unwrap_or_default();
    let word = |key: &str| about[key].as_str().unwrap_or_default().to_owned();
    let is_chinese = claimed.to.lang == "zh";
    match claimed.mail.kind {
        MailKind::Upload => {
            let (name, version) = (word("name"), &about["version"]);
            let page = format!("{origin}/bots/{}/versions/{version}", about["bot"]);
            write_notice(
                origin,
                is_chinese,
                match is_chinese {
                    false => [
                        format!("Version {version} of {name} failed"),
                        format!("Version {version} of {name} cannot play. Why, and what to do:"),
                        page,
                    ],
                    true => [
                        format!("{name} 的第 {version} 版未通过"),
                        format!("{name} 的第 {version} 版无法参赛。原因和处理方法："),
                        page,
                    ],
                },
            )
        }
        MailKind::Contest => {
            let contest = word("contest");
            let page = format!("{origin}/contests/{contest}");
            write_notice(
                origin,
                is_chinese,
                match is_chinese {
                    false => [
                        format!("The contest {contest} begins"),
                        format!(
                            "The versions of the contest {contest} are frozen, and you take part. Matches and standings:"
                        ),
                        page,
                    ],
                    true => [
                        format!("赛事 {contest} 即将开赛"),
                        format!("赛事 {contest} 的出场版本已冻结，你已参赛。比赛与排名："),
                        page,
                    ],
                },
            )
        }
        MailKind::Factor => write_factor(claimed, origin, &word("change")),
        MailKind::Confirm | MailKind::Reset => write_link(claimed, origin, token),
    }
}

/// What happened to the second factor of an account. These mails cannot be switched off.
fn write_factor(claimed: &ClaimedMail, origin: &str, change: &str) -> MailText {
    let is_chinese = claimed.to.lang == "zh";
    let sentence = match (change, is_chinese) {
        ("on", false) => "a second factor was switched on",
        ("on", true) => "已开启两步验证",
        ("off", false) => "the second factor was switched off",
        ("off", true) => "已关闭两步验证",
        ("reset", false) => "the operator of the arena removed the second factor",
        ("reset", true) => "擂台的管理员已移除两步验证",
        ("new-codes", false) => "new recovery codes were made; those before work no more",
        ("new-codes", true) => "已生成新的恢复码，旧恢复码已失效",
        ("passkey-added", false) => {
            "a passkey was added, with which one logs in after the password"
        }
        ("passkey-added", true) => "已添加一个通行密钥，输入密码后可用它登录",
        ("passkey-removed", false) => "a passkey was removed; it opens nothing any more",
        ("passkey-removed", true) => "已删除一个通行密钥，它不再能用于登录",
        (_, false) => "a recovery code was used; it works no more",
        (_, true) => "有一个恢复码已被使用，该恢复码已失效",
    };
    let name = &claimed.name;
    let (subject, body) = match is_chinese {
        false => (
            "Your second factor",
            format!(
                "On the account {name} of the arena {origin}, {sentence}.\n\nIf it was not you, set a new password, end all \
                 sessions and look at the second factor on the page of the account:\n\n{origin}/account#second-factor\n"
            ),
        ),
        true => (
            "两步验证有变动",
            format!(
                "擂台 {origin} 的账户 {name}：{sentence}。\n\n如果不是你本人操作，请在账户页面设置新密码、结束全部会话，并检查两步验证：\n\n\
                 {origin}/account#second-factor\n"
            ),
        ),
    };
    MailText {
        subject: subject.to_owned(),
        body,
    }
}

/// A subject, a sentence and a page, with where such mails are switched off.
fn write_notice(
    origin: &str,
    is_chinese: bool,
    [subject, sentence, page]: [String; 3],
) -> MailText {
    let off = match is_chinese {
        false => "You can switch these mails off on the page of your account:",
        true => "可在账户页面关闭此类邮件：",
    };
    let body = format!("{sentence}\n\n{page}\n\n{off}\n{origin}/account\n");
    MailText { subject, body }
}

/// A mail with a link, whose secret is behind `#`: servers do not see it.
fn write_link(claimed: &ClaimedMail, origin: &str, token: &str) -> MailText {
    let (kind, name) = (claimed.mail.kind, &claimed.name);
    let is_chinese = claimed.to.lang == "zh";
    let page = match kind {
        MailKind::Reset => "reset-password",
        _ => "confirm-mail",
    };
    let code = if is_chinese { "zh" } else { "en" };
    let link = format!("{origin}/{page}?lang={code}#token={token}");
    let (subject, body) = match (kind, is_chinese) {
        (MailKind::Reset, false) => (
            "Set a new password",
            format!(
                "Somebody, probably you, has forgotten the password of the account {name} of the arena {origin}. Set a new one:\n\n\
                 {link}\n\nThe link works once, for an hour. If it was not you, do nothing: the password stays as it is.\n"
            ),
        ),
        (MailKind::Reset, true) => (
            "设置新密码",
            format!(
                "有人（多半是你）忘记了擂台 {origin} 的账户 {name} 的密码。请打开以下链接设置新密码：\n\n\
                 {link}\n\n链接一小时内有效，只能使用一次。如果不是你本人的请求，请忽略此邮件，密码不会改变。\n"
            ),
        ),
        (_, false) => (
            "Confirm your address",
            format!(
                "The account {name} of the arena {origin} wants to get mail at this address. If it is yours, confirm it:\n\n\
                 {link}\n\nThe link works once, for 24 hours. If the account is not yours, do nothing.\n"
            ),
        ),
        (_, true) => (
            "确认你的邮箱",
            format!(
                "擂台 {origin} 的账户 {name} 希望用此邮箱接收邮件。如果这是你的账户，请打开以下链接确认：\n\n\
                 {link}\n\n链接 24 小时内有效，只能使用一次。如果不是你的账户，请忽略此邮件。\n"
            ),
        ),
    };
    MailText {
        subject: subject.to_owned(),
        body,
    }
}

//! What mails say, in both languages.

use leitai_store::MailKind;

/// A mail.
pub(super) struct MailText {
    pub subject: &'static str,
    pub body: String,
}

/// Writes a mail with a link, whose secret is behind `#`: servers do not see it.
pub(super) fn write_mail(
    kind: MailKind,
    lang: &str,
    name: &str,
    origin: &str,
    token: &str,
) -> MailText {
    let is_chinese = lang == "zh";
    let page = match kind {
        MailKind::Confirm => "confirm-mail",
        MailKind::Reset => "reset-password",
    };
    let code = if is_chinese { "zh" } else { "en" };
    let link = format!("{origin}/{page}?lang={code}#token={token}");
    let (subject, body) = match (kind, is_chinese) {
        (MailKind::Confirm, false) => (
            "Confirm your address",
            format!(
                "The account {name} of the arena {origin} wants to get mail at this address. If it is yours, confirm it:\n\n\
                 {link}\n\nThe link works once, for 24 hours. If the account is not yours, do nothing.\n"
            ),
        ),
        (MailKind::Confirm, true) => (
            "确认你的邮箱",
            format!(
                "擂台 {origin} 的账户 {name} 希望用此邮箱接收邮件。如果这是你的账户，请打开以下链接确认：\n\n\
                 {link}\n\n链接 24 小时内有效，只能使用一次。如果不是你的账户，请忽略此邮件。\n"
            ),
        ),
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
    };
    MailText { subject, body }
}

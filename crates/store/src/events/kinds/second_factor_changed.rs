//! The second factor of an account was changed: its holder is told, in the page and by mail, whatever
//! mails are switched off.

use crate::events::event::*;

/// What happened to a second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FactorChange {
    /// It was switched on.
    On,
    /// Its holder switched it off.
    Off,
    /// The operator removed it at the server's console.
    Reset,
    /// It has new recovery codes.
    NewCodes,
    /// A recovery code was used.
    CodeUsed,
    /// A passkey was registered.
    PasskeyAdded,
    /// Its holder removed a passkey.
    PasskeyRemoved,
}

impl FactorChange {
    /// The word for it in mails.
    pub fn as_str(self) -> &'static str {
        match self {
            FactorChange::On => "on",
            FactorChange::Off => "off",
            FactorChange::Reset => "reset",
            FactorChange::NewCodes => "new-codes",
            FactorChange::CodeUsed => "code-used",
            FactorChange::PasskeyAdded => "passkey-added",
            FactorChange::PasskeyRemoved => "passkey-removed",
        }
    }

    fn notification(self) -> NotificationKind {
        match self {
            FactorChange::On => NotificationKind::SecondFactorOn,
            FactorChange::Off => NotificationKind::SecondFactorOff,
            FactorChange::Reset => NotificationKind::SecondFactorReset,
            FactorChange::NewCodes => NotificationKind::RecoveryCodesMade,
            FactorChange::CodeUsed => NotificationKind::RecoveryCodeUsed,
            FactorChange::PasskeyAdded => NotificationKind::PasskeyAdded,
            FactorChange::PasskeyRemoved => NotificationKind::PasskeyRemoved,
        }
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct SecondFactorChanged {
    pub user: UserId,
    pub what: FactorChange,
}

#[async_trait]
impl Event for SecondFactorChanged {
    async fn news(&self, to: Telling<'_>) -> Told<(UserId, News)> {
        let key = format!("second factor {} {}", self.what.as_str(), to.at.0);
        Ok(vec![(self.user, News::new(self.what.notification(), key))])
    }

    async fn notices(&self, _: Telling<'_>) -> Told<Notice> {
        Ok(vec![Notice {
            kind: MailKind::Factor,
            people: vec![self.user],
            subject: json!({"change": self.what}),
        }])
    }
}

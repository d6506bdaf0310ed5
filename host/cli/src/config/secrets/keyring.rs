//! Values in the user's keyring: GNOME Keyring, KWallet, KeePassXC, whoever answers as the Secret
//! Service on the session bus.
//!
//! Owns: finding an entry and reading it, waiting for a person who unlocks it. Doesn't own: storing
//! (`secret-tool store`, Python's `keyring set` and the keyring's own window do).
//!
//! Entries are named as these programs name them: by the attributes `service` and `username` of the
//! [Secret Service](https://specifications.freedesktop.org/secret-service-spec/latest/).

use super::source::without_line_break;
use secret_service::{EncryptionType, Error, SecretService};
use serde::Deserialize;
use std::collections::HashMap;
use std::fmt;
use std::time::Duration;
use tokio::time::timeout;

/// How long a keyring may take to answer.
const ANSWER: Duration = Duration::from_secs(10);

/// How long a person may take to unlock it.
const UNLOCKING: Duration = Duration::from_secs(120);

/// `"service/user name"`; a service may have slashes, a user name has none.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct KeyringEntry {
    service: String,
    username: String,
}

impl TryFrom<String> for KeyringEntry {
    type Error = &'static str;
    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.rsplit_once('/') {
            Some((service, username))
                if !service.is_empty() && !username.is_empty() && !text.contains(char::is_control) =>
            {
                Ok(Self { service: service.to_owned(), username: username.to_owned() })
            }
            Some(_) | None => Err("a keyring's entry is named `service/user name`: \"ringfence/key\""),
        }
    }
}

impl fmt::Display for KeyringEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.service, self.username)
    }
}

impl KeyringEntry {
    /// Its value. Asks the person to unlock the keyring if need be, which is done in the keyring's own
    /// window. The last line break is not part of the value.
    pub(super) fn read(&self) -> Result<String, String> {
        // A thread of its own: the caller may be on a runtime, which can't be entered twice.
        let read = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map_err(|error| error.to_string())?.block_on(self.find())
        };
        std::thread::scope(|scope| scope.spawn(read).join())
            .unwrap_or_else(|_| Err("the keyring can't be read".to_owned()))
    }

    async fn find(&self) -> Result<String, String> {
        let unreachable = |error| match error {
            Error::Unavailable => {
                "no keyring answers (`env` and `file` need none): there is no session bus here".to_owned()
            }
            error => format!("no keyring answers (`env` and `file` need none): {error}"),
        };
        // The value is encrypted on its way over the bus.
        let service = in_time(SecretService::connect(EncryptionType::Dh)).await?.map_err(unreachable)?;
        let unreadable = |error| format!("`{self}` of the keyring can't be read: {error}");
        let attributes = HashMap::from([("service", &*self.service), ("username", &*self.username)]);
        let found = in_time(service.search_items(attributes)).await?.map_err(unreadable)?;
        let locked = !found.locked.is_empty();
        let mut items = found.unlocked.into_iter().chain(found.locked);
        let (item, None) = (items.next().ok_or_else(|| self.missing())?, items.next()) else {
            return Err(format!("the keyring has several entries `{self}`"));
        };
        if locked {
            let unlocking = timeout(UNLOCKING, item.unlock()).await;
            let unlocked =
                unlocking.map_err(|_| format!("nobody unlocked the keyring within {UNLOCKING:?}"))?;
            unlocked.map_err(|error| match error {
                Error::Prompt => {
                    "the keyring is locked, and was not unlocked; without a screen `env` and `file` serve"
                        .to_owned()
                }
                error => unreadable(error),
            })?;
        }
        let value = in_time(item.get_secret()).await?.map_err(unreadable)?;
        let value = String::from_utf8(value).map_err(|_| format!("`{self}` of the keyring is not UTF-8"))?;
        Ok(without_line_break(value))
    }

    fn missing(&self) -> String {
        let Self { service, username } = self;
        format!(
            "the keyring has no entry `{self}`; `secret-tool store --label={username} service '{service}' \
             username '{username}'` asks for its value and keeps it"
        )
    }
}

async fn in_time<T>(answer: impl Future<Output = T>) -> Result<T, String> {
    timeout(ANSWER, answer).await.map_err(|_| format!("the keyring didn't answer within {ANSWER:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_named_by_its_service_and_its_user() {
        let read = |text: &str| KeyringEntry::try_from(text.to_owned());
        let entry = read("https://api.example.com/v1/me").unwrap();
        assert_eq!((&*entry.service, &*entry.username), ("https://api.example.com/v1", "me"));
        assert_eq!(entry.to_string(), "https://api.example.com/v1/me");
        for text in ["", "key", "/key", "ringfence/", "/", "a/b\n"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}

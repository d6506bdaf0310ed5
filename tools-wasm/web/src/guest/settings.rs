//! What the host configured for these tools.

use super::needs::wasi::config::store;
use crate::Settings;

pub(super) struct Store;

impl Settings for Store {
    fn get(&self, key: &str) -> Result<Option<String>, String> {
        store::get(key).map_err(|error| match error {
            store::Error::Upstream(why) | store::Error::Io(why) => why,
        })
    }
}

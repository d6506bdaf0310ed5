//! One build of a tool at a time: two would exchange what lies between source and component.

use crate::build::Progress;
use crate::error::BuildError;
use crate::run::Cancel;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// How often a build that waits looks whether the other one has ended.
const TICK: Duration = Duration::from_millis(50);

/// The right to build, until it is dropped or the process ends.
#[derive(Debug)]
pub(crate) struct Turn {
    _locked: File,
}

impl Turn {
    /// Waits for whoever builds in `folder`, and says so once.
    pub(crate) fn take(
        folder: &Path,
        cancel: &Cancel,
        tell: &mut dyn FnMut(Progress),
    ) -> Result<Self, BuildError> {
        let path = folder.with_extension("lock");
        let file = File::create(&path).map_err(|error| BuildError::write(&path, error))?;
        let mut told = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _locked: file }),
                Err(TryLockError::WouldBlock) if cancel.is_cancelled() => return Err(BuildError::Cancelled),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(BuildError::write(&path, error)),
            }
            if !told {
                tell(Progress::Said("waiting: another command builds this tool".to_owned()));
                told = true;
            }
            thread::sleep(TICK);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_build_waits_says_so_once_and_can_be_cancelled() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("tool-1");
        let mut said = Vec::new();
        let first = Turn::take(&folder, &Cancel::default(), &mut |_| {}).unwrap();
        let cancel = Cancel::default();
        cancel.cancel();
        let refused = Turn::take(&folder, &cancel, &mut |_| {}).unwrap_err();
        assert!(matches!(refused, BuildError::Cancelled), "{refused}");
        let mut first = Some(first);
        Turn::take(&folder, &Cancel::default(), &mut |progress| {
            said.push(progress);
            first = None;
        })
        .unwrap();
        assert!(matches!(said.as_slice(), [Progress::Said(line)] if line.starts_with("waiting")), "{said:?}");
    }
}
